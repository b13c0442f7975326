# SPDX-License-Identifier: Apache-2.0
"""ML-KEM from FIPS 203 (August 2024), written to be read: the independent one, because PyCryptodome has none. It shares no code with the libraries measured.

Names and numbers of algorithms are the standard's. Integers and lists, nothing fast and nothing constant-time: it knows no secrets but those of known answers and timed inputs.
Published vectors prove it (tests/unit/test_catalogue_mlkem.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from cipherstone.model.later import Later

if TYPE_CHECKING:
    from Crypto.Hash import SHA3_256, SHA3_512, SHAKE128, SHAKE256
else:  # Python's own may be OpenSSL, which is measured
    SHA3_256, SHA3_512 = Later("Crypto.Hash.SHA3_256"), Later("Crypto.Hash.SHA3_512")
    SHAKE128, SHAKE256 = Later("Crypto.Hash.SHAKE128"), Later("Crypto.Hash.SHAKE256")

Q = 3329
N = 256
SEED_BYTES = SECRET_BYTES = 32
_HALVED = pow(128, -1, Q)  # after the inverse transform
_ZETA = 17  # a primitive 256th root of unity modulo q (section 4.3)
Polynomial = list[int]


class BadKey(ValueError):
    """The key fails the input check of FIPS 203 section 7.2 or 7.3: it must not be used."""


class BadCiphertext(ValueError):
    """The ciphertext fails the type check of FIPS 203 section 7.3: it has not the length of the parameter set."""


@dataclass(frozen=True)
class ParameterSet:
    """FIPS 203 table 2: rank of the module, widths of the noise, and bits that are kept of ciphertexts."""

    k: int
    eta1: int
    du: int
    dv: int
    eta2: int = 2

    @property
    def public_bytes(self) -> int:
        """Bytes of an encapsulation key."""
        return 384 * self.k + 32

    @property
    def private_bytes(self) -> int:
        """Bytes of a decapsulation key."""
        return 768 * self.k + 96

    @property
    def ciphertext_bytes(self) -> int:
        """Bytes of a ciphertext."""
        return 32 * (self.du * self.k + self.dv)


SETS = {
    "ml-kem-512": ParameterSet(2, 3, 10, 4),
    "ml-kem-768": ParameterSet(3, 2, 10, 4),
    "ml-kem-1024": ParameterSet(4, 2, 11, 5),
}


def keygen(of: ParameterSet, seed: bytes) -> tuple[bytes, bytes]:
    """(dk, ek) from the 64 bytes d||z: algorithm 16."""
    if len(seed) != 2 * SEED_BYTES:
        raise ValueError(f"seed is {len(seed)} bytes, not {2 * SEED_BYTES}")
    d, z = seed[:32], seed[32:]
    private, public = _pke_keygen(of, d)
    return private + public + _h(public) + z, public


def encaps(of: ParameterSet, ek: bytes, m: bytes) -> tuple[bytes, bytes]:
    """(ciphertext, secret) for the 32 random bytes m: algorithm 17, after the checks of section 7.2. Raises BadKey."""
    check_public(of, ek)
    if len(m) != SEED_BYTES:
        raise ValueError(f"seed is {len(m)} bytes, not {SEED_BYTES}")
    secret, r = _g(m + _h(ek))
    return _pke_encrypt(of, ek, m, r), secret


def decaps(of: ParameterSet, dk: bytes, c: bytes) -> bytes:
    """The secret: algorithm 18, after the checks of section 7.3. Raises BadKey and BadCiphertext; a ciphertext that was not made with the key gives `rejection_secret` and nothing says so."""
    secret, c_again = _decaps(of, dk, c)
    return secret if c == c_again else rejection_secret(dk, c)


def is_rejected(of: ParameterSet, dk: bytes, c: bytes) -> bool:
    """Whether decapsulation rejects `c` implicitly."""
    return _decaps(of, dk, c)[1] != c


def rejection_secret(dk: bytes, c: bytes) -> bytes:
    """J(z||c): what only the holder of the key can compute, for a ciphertext that is not genuine (algorithm 18, line 7)."""
    return SHAKE256.new(dk[-32:] + c).read(SECRET_BYTES)


def check_public(of: ParameterSet, ek: bytes) -> None:
    """Section 7.2: the type check, and the modulus check: every coefficient is below q. Raises BadKey."""
    if len(ek) != of.public_bytes:
        raise BadKey(f"pub is {len(ek)} bytes, not {of.public_bytes}")
    if any(value >= Q for part in _parts(ek[:-32], 384) for value in _decode(part, 12)):
        raise BadKey("pub has a coefficient that is not below q")


def check_private(of: ParameterSet, dk: bytes) -> None:
    """Section 7.3: the type check and the hash check. Raises BadKey."""
    if len(dk) != of.private_bytes:
        raise BadKey(f"key is {len(dk)} bytes, not {of.private_bytes}")
    if _h(dk[384 * of.k : 768 * of.k + 32]) != dk[768 * of.k + 32 : 768 * of.k + 64]:
        raise BadKey("key has a hash that is not its public key's")


def public_of(of: ParameterSet, dk: bytes) -> bytes:
    """The encapsulation key inside a decapsulation key."""
    return dk[384 * of.k : 768 * of.k + 32]


def belongs_together(of: ParameterSet, dk: bytes, ek: bytes) -> str:
    """ "" if `dk` and `ek` are a pair that key generation can have made, else what is wrong in one line. What of it is random (the noise of t) is judged by its size: it is small only for the right s."""
    try:
        check_private(of, dk)
        check_public(of, ek)
    except BadKey as error:
        return str(error)
    if public_of(of, dk) != ek:
        return "key holds another public key"
    s = [_decode(part, 12) for part in _parts(dk[: 384 * of.k], 384)]
    if any(value >= Q for one in s for value in one):
        return "key has a coefficient that is not below q"
    if any(min(v, Q - v) > of.eta1 for one in s for v in _ntt_inverse(one)):
        return "the secret of the key is not small"
    matrix, t = _matrix(of, ek[-32:]), [_decode(part, 12) for part in _parts(ek[:-32], 384)]
    for row, due in zip(matrix, t, strict=True):
        noise = _ntt_inverse(_minus(due, _dot(row, s)))
        if any(min(v, Q - v) > of.eta1 for v in noise):
            return "the public key is not the private one's"
    return ""


def _decaps(of: ParameterSet, dk: bytes, c: bytes) -> tuple[bytes, bytes]:
    """(secret of a genuine ciphertext, the ciphertext that the decrypted message gives)."""
    check_private(of, dk)
    if len(c) != of.ciphertext_bytes:
        raise BadCiphertext(f"msg is {len(c)} bytes, not {of.ciphertext_bytes}")
    public = public_of(of, dk)
    m = _pke_decrypt(of, dk[: 384 * of.k], c)
    secret, r = _g(m + _h(public))
    return secret, _pke_encrypt(of, public, m, r)


def _pke_keygen(of: ParameterSet, d: bytes) -> tuple[bytes, bytes]:
    """Algorithm 13."""
    rho, sigma = _g(d + bytes([of.k]))
    s = [_ntt(_cbd(sigma, i, of.eta1)) for i in range(of.k)]
    e = [_ntt(_cbd(sigma, of.k + i, of.eta1)) for i in range(of.k)]
    t = [_plus(_dot(row, s), noise) for row, noise in zip(_matrix(of, rho), e, strict=True)]
    return b"".join(_encode(one, 12) for one in s), b"".join(_encode(one, 12) for one in t) + rho


def _pke_encrypt(of: ParameterSet, ek: bytes, m: bytes, r: bytes) -> bytes:
    """Algorithm 14."""
    t = [_decode(part, 12) for part in _parts(ek[:-32], 384)]
    matrix = _matrix(of, ek[-32:])
    y = [_ntt(_cbd(r, i, of.eta1)) for i in range(of.k)]
    out = []
    for column in range(of.k):
        product = _ntt_inverse(_dot([row[column] for row in matrix], y))
        out.append(_encode(_compress(_plus(product, _cbd(r, of.k + column, of.eta2)), of.du), of.du))
    v = _plus(_ntt_inverse(_dot(t, y)), _cbd(r, 2 * of.k, of.eta2))
    v = _plus(v, _decompress(_decode(m, 1), 1))
    return b"".join(out) + _encode(_compress(v, of.dv), of.dv)


def _pke_decrypt(of: ParameterSet, dk: bytes, c: bytes) -> bytes:
    """Algorithm 15."""
    split = 32 * of.du * of.k
    u = [_decompress(_decode(part, of.du), of.du) for part in _parts(c[:split], 32 * of.du)]
    v = _decompress(_decode(c[split:], of.dv), of.dv)
    s = [_decode(part, 12) for part in _parts(dk, 384)]
    return _encode(_compress(_minus(v, _ntt_inverse(_dot(s, [_ntt(one) for one in u]))), 1), 1)


@lru_cache(maxsize=64)
def _matrix(of: ParameterSet, rho: bytes) -> list[list[Polynomial]]:
    """A in the transformed domain, by rows."""
    return [[_sample(rho + bytes([column, row])) for column in range(of.k)] for row in range(of.k)]


def _sample(seed: bytes) -> Polynomial:
    """SampleNTT, algorithm 7: rejection of 12-bit numbers that are not below q."""
    length = 840
    found: Polynomial = []
    while len(found) < N:
        stream = SHAKE128.new(seed).read(length)
        found = [
            value
            for i in range(0, length - 2, 3)
            for value in (stream[i] | (stream[i + 1] & 15) << 8, stream[i + 1] >> 4 | stream[i + 2] << 4)
            if value < Q
        ]
        length += 168
    return found[:N]


def _cbd(seed: bytes, nonce: int, eta: int) -> Polynomial:
    """SamplePolyCBD of PRF(seed, nonce): algorithm 8."""
    stream = int.from_bytes(SHAKE256.new(seed + bytes([nonce])).read(64 * eta), "little")
    found = []
    for _ in range(N):
        x, y = stream & ((1 << eta) - 1), stream >> eta & ((1 << eta) - 1)
        found.append((x.bit_count() - y.bit_count()) % Q)
        stream >>= 2 * eta
    return found


def _ntt(f: Sequence[int]) -> Polynomial:
    """Algorithm 9."""
    f, i, length = list(f), 1, 128
    while length >= 2:
        for start in range(0, N, 2 * length):
            zeta = pow(_ZETA, _reversed(i), Q)
            i += 1
            for j in range(start, start + length):
                t = zeta * f[j + length] % Q
                f[j], f[j + length] = (f[j] + t) % Q, (f[j] - t) % Q
        length //= 2
    return f


def _ntt_inverse(f: Sequence[int]) -> Polynomial:
    """Algorithm 10."""
    f, i, length = list(f), 127, 2
    while length <= 128:
        for start in range(0, N, 2 * length):
            zeta = pow(_ZETA, _reversed(i), Q)
            i -= 1
            for j in range(start, start + length):
                t = f[j]
                f[j], f[j + length] = (t + f[j + length]) % Q, zeta * (f[j + length] - t) % Q
        length *= 2
    return [value * _HALVED % Q for value in f]


def _dot(a: Sequence[Polynomial], b: Sequence[Polynomial]) -> Polynomial:
    """The sum of the products in the transformed domain: algorithms 11 and 12."""
    total = [0] * N
    for f, g in zip(a, b, strict=True):
        for i in range(N // 2):
            gamma = pow(_ZETA, 2 * _reversed(i) + 1, Q)
            total[2 * i] += f[2 * i] * g[2 * i] + f[2 * i + 1] * g[2 * i + 1] * gamma
            total[2 * i + 1] += f[2 * i] * g[2 * i + 1] + f[2 * i + 1] * g[2 * i]
    return [value % Q for value in total]


def _plus(a: Sequence[int], b: Sequence[int]) -> Polynomial:
    return [(x + y) % Q for x, y in zip(a, b, strict=True)]


def _minus(a: Sequence[int], b: Sequence[int]) -> Polynomial:
    return [(x - y) % Q for x, y in zip(a, b, strict=True)]


def _compress(f: Sequence[int], d: int) -> Polynomial:
    """Equation 4.7: round(2^d x / q), halves up, modulo 2^d."""
    return [((x << d + 1) + Q) // (2 * Q) % (1 << d) for x in f]


def _decompress(f: Sequence[int], d: int) -> Polynomial:
    """Equation 4.8: round(q y / 2^d), halves up."""
    return [(Q * y * 2 + (1 << d)) >> d + 1 for y in f]


def _encode(f: Sequence[int], d: int) -> bytes:
    """ByteEncode, algorithm 5."""
    return sum(value << d * i for i, value in enumerate(f)).to_bytes(32 * d, "little")


def _decode(data: bytes, d: int) -> Polynomial:
    """ByteDecode, algorithm 6, without the reduction for d = 12: who must see numbers that are not below q can."""
    number, mask = int.from_bytes(data, "little"), (1 << d) - 1
    return [number >> d * i & mask for i in range(N)]


def _parts(data: bytes, length: int) -> list[bytes]:
    return [data[at : at + length] for at in range(0, len(data), length)]


@lru_cache(maxsize=N)
def _reversed(i: int) -> int:
    """BitRev7."""
    return int(f"{i:07b}"[::-1], 2)


def _g(data: bytes) -> tuple[bytes, bytes]:
    both = SHA3_512.new(data).digest()
    return both[:32], both[32:]


def _h(data: bytes) -> bytes:
    return SHA3_256.new(data).digest()
