# SPDX-License-Identifier: Apache-2.0
"""ML-DSA from FIPS 204 (August 2024), written to be read: the independent one, because PyCryptodome has none. It shares no code with the libraries measured.

Names and numbers of algorithms are the standard's. Integers and lists, nothing fast and nothing constant-time: it knows no secrets but those of known answers and timed inputs.
Signatures are of whole messages with an empty context, not of hashes. Published vectors prove it (tests/unit/test_catalogue_mldsa.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from cipherstone.model.later import Later

if TYPE_CHECKING:
    from Crypto.Hash import SHAKE128, SHAKE256
else:  # Python's own may be OpenSSL, which is measured
    SHAKE128, SHAKE256 = Later("Crypto.Hash.SHAKE128"), Later("Crypto.Hash.SHAKE256")

Q = 8380417
N = 256
D = 13
SEED_BYTES = 32
DETERMINISTIC = bytes(32)  # the 32 bytes rnd of the deterministic variant (section 3.4)
_ZETA = 1753  # a primitive 512th root of unity modulo q (section 2.5)
_HALVED = pow(N, -1, Q)  # after the inverse transform
Polynomial = list[int]
Vector = list[Polynomial]


@dataclass(frozen=True)
class ParameterSet:
    """FIPS 204 table 1. `beta`, and the lengths of table 2, follow from it."""

    k: int
    l: int  # noqa: E741 - the standard's letter
    eta: int
    tau: int
    strength: int  # lambda
    gamma1_bits: int
    gamma2: int
    omega: int

    @property
    def gamma1(self) -> int:
        """Coefficients of the mask are above -gamma1 and not above it."""
        return 1 << self.gamma1_bits

    @property
    def beta(self) -> int:
        """How much a challenge and a secret can make together."""
        return self.tau * self.eta

    @property
    def public_bytes(self) -> int:
        """Bytes of a public key."""
        return 32 + 320 * self.k

    @property
    def private_bytes(self) -> int:
        """Bytes of a private key (not of its seed)."""
        return 128 + 32 * (self.eta_bits * (self.k + self.l) + D * self.k)

    @property
    def signature_bytes(self) -> int:
        """Bytes of a signature."""
        return self.strength // 4 + 32 * self.l * (1 + self.gamma1_bits) + self.omega + self.k

    @property
    def eta_bits(self) -> int:
        """Bits of a coefficient of a secret, as it is encoded."""
        return (2 * self.eta).bit_length()

    @property
    def w1_bits(self) -> int:
        """Bits of a coefficient of w1."""
        return ((Q - 1) // (2 * self.gamma2) - 1).bit_length()


SETS = {
    "ml-dsa-44": ParameterSet(4, 4, 2, 39, 128, 17, (Q - 1) // 88, 80),
    "ml-dsa-65": ParameterSet(6, 5, 4, 49, 192, 19, (Q - 1) // 32, 55),
    "ml-dsa-87": ParameterSet(8, 7, 2, 60, 256, 19, (Q - 1) // 32, 75),
}


class PrivateKey(NamedTuple):
    """What skDecode finds (algorithm 25)."""

    rho: bytes
    k: bytes
    tr: bytes
    s1: Vector
    s2: Vector
    t0: Vector


def keygen(of: ParameterSet, seed: bytes) -> tuple[bytes, bytes]:
    """(sk, pk) from the 32 bytes xi: algorithm 6."""
    if len(seed) != SEED_BYTES:
        raise ValueError(f"seed is {len(seed)} bytes, not {SEED_BYTES}")
    stream = _h(seed + bytes([of.k, of.l]), 128)
    rho, wide, k = stream[:32], stream[32:96], stream[96:]
    secrets = [_rej_bounded(wide + number.to_bytes(2, "little"), of.eta) for number in range(of.k + of.l)]
    s1, s2 = secrets[: of.l], secrets[of.l :]
    t1, t0 = _public_vector(of, rho, s1, s2)
    pk = rho + b"".join(_simple_pack(one, 10) for one in t1)
    packed = [_bit_pack(one, of.eta, of.eta_bits) for one in secrets] + [_bit_pack(one, 1 << D - 1, D) for one in t0]
    return rho + k + _h(pk, 64) + b"".join(packed), pk


def sign(of: ParameterSet, sk: bytes, message: bytes, rnd: bytes = DETERMINISTIC) -> tuple[bytes, int]:
    """The signature of a message with an empty context, and how many times the loop ran for it: algorithms 2 and 7. Raises ValueError for a key of another length."""
    key = _private(of, sk)
    a = _matrix(of, key.rho)
    s1, s2, t0 = (_ntt_all(part) for part in (key.s1, key.s2, key.t0))
    mu = _mu(key.tr, message)
    wide = _h(key.k + rnd + mu, 64)
    tries = 0
    while True:
        y = [_mask(of, wide, of.l * tries + row) for row in range(of.l)]
        tries += 1
        w = _inverse_all(_product(a, _ntt_all(y)))
        c_tilde = _h(mu + _w1_encode(of, [[_high_bits(of, x) for x in one] for one in w]), of.strength // 4)
        c = _ntt(_sample_in_ball(of, c_tilde))
        z = _sums(y, _inverse_all(_scaled(c, s1)))
        rest = _differences(w, _inverse_all(_scaled(c, s2)))
        low = [[_low_bits(of, x) for x in one] for one in rest]
        if _norm(z) >= of.gamma1 - of.beta or _norm(low) >= of.gamma2 - of.beta:
            continue
        ct0 = _inverse_all(_scaled(c, t0))
        with_ct0 = _sums(rest, ct0)
        h = [
            [_high_bits(of, x) != _high_bits(of, y) for x, y in zip(*two, strict=True)]
            for two in zip(rest, with_ct0, strict=True)
        ]
        if _norm(ct0) >= of.gamma2 or sum(map(sum, h)) > of.omega:
            continue
        packed = b"".join(_bit_pack([_centred(x) for x in one], of.gamma1, 1 + of.gamma1_bits) for one in z)
        return c_tilde + packed + _hint_pack(of, h), tries


def verify(of: ParameterSet, pk: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the signature of a message with an empty context is valid: algorithms 3 and 8. A key or a signature of another length is none."""
    if len(pk) != of.public_bytes or len(signature) != of.signature_bytes:
        return False
    rho, t1 = pk[:32], [_simple_unpack(part, 10) for part in _parts(pk[32:], 320)]
    split, each = of.strength // 4, 32 * (1 + of.gamma1_bits)
    c_tilde, hints = signature[:split], signature[split + of.l * each :]
    z = [
        _bit_unpack(part, of.gamma1, 1 + of.gamma1_bits)
        for part in _parts(signature[split : split + of.l * each], each)
    ]
    h = _hint_unpack(of, hints)
    if h is None or _norm(z) >= of.gamma1 - of.beta:
        return False
    mu = _mu(_h(pk, 64), message)
    c = _ntt(_sample_in_ball(of, c_tilde))
    high = _scaled(c, _ntt_all([[x << D for x in one] for one in t1]))
    w = _inverse_all(_differences(_product(_matrix(of, rho), _ntt_all(z)), high))
    w1 = [[_use_hint(of, x, bit) for x, bit in zip(*two, strict=True)] for two in zip(w, h, strict=True)]
    return c_tilde == _h(mu + _w1_encode(of, w1), split)


def _public_vector(of: ParameterSet, rho: bytes, s1: Vector, s2: Vector) -> tuple[Vector, Vector]:
    """(t1, t0) of t = A s1 + s2: algorithm 6, lines 5 and 6."""
    t = _sums(_inverse_all(_product(_matrix(of, rho), _ntt_all(s1))), s2)
    both = [[_power2round(x) for x in one] for one in t]
    return [[high for high, _ in one] for one in both], [[low for _, low in one] for one in both]


def _private(of: ParameterSet, sk: bytes) -> PrivateKey:
    """SkDecode, algorithm 25; ValueError for another length."""
    if len(sk) != of.private_bytes:
        raise ValueError(f"key is {len(sk)} bytes, not {of.private_bytes}")
    each, at = 32 * of.eta_bits, 128 + 32 * of.eta_bits * (of.k + of.l)
    secrets = [_bit_unpack(part, of.eta, of.eta_bits) for part in _parts(sk[128:at], each)]
    t0 = [_bit_unpack(part, 1 << D - 1, D) for part in _parts(sk[at:], 32 * D)]
    return PrivateKey(sk[:32], sk[32:64], sk[64:128], secrets[: of.l], secrets[of.l :], t0)


def _mu(tr: bytes, message: bytes) -> bytes:
    """Algorithm 2 line 10 with an empty context, and algorithm 7 line 6."""
    return _h(tr + bytes(2) + message, 64)


def _h(data: bytes, length: int) -> bytes:
    return SHAKE256.new(data).read(length)


def _simple_pack(f: Sequence[int], bits: int) -> bytes:
    """SimpleBitPack, algorithm 16."""
    return sum(value << bits * i for i, value in enumerate(f)).to_bytes(32 * bits, "little")


def _simple_unpack(data: bytes, bits: int) -> Polynomial:
    """SimpleBitUnpack, algorithm 18."""
    number, mask = int.from_bytes(data, "little"), (1 << bits) - 1
    return [number >> bits * i & mask for i in range(N)]


def _bit_pack(f: Sequence[int], most: int, bits: int) -> bytes:
    """BitPack, algorithm 17, of coefficients up to `most`."""
    return _simple_pack([most - x for x in f], bits)


def _bit_unpack(data: bytes, most: int, bits: int) -> Polynomial:
    """BitUnpack, algorithm 19."""
    return [most - x for x in _simple_unpack(data, bits)]


def _hint_pack(of: ParameterSet, h: Sequence[Sequence[bool]]) -> bytes:
    """HintBitPack, algorithm 20."""
    places, ends = bytearray(), bytearray()
    for one in h:
        places += bytes(i for i, bit in enumerate(one) if bit)
        ends.append(len(places))
    return bytes(places).ljust(of.omega, b"\0") + bytes(ends)


def _hint_unpack(of: ParameterSet, data: bytes) -> list[list[bool]] | None:
    """HintBitUnpack, algorithm 21; None for what it does not take: places out of order, and what is not zero behind the last."""
    places, ends = data[: of.omega], data[of.omega :]
    found, at = [], 0
    for end in ends:
        mine = places[at:end]
        if not at <= end <= of.omega or list(mine) != sorted(set(mine)):
            return None
        found.append([i in mine for i in range(N)])
        at = end
    return None if any(places[at:]) else found


def _w1_encode(of: ParameterSet, w1: Vector) -> bytes:
    """Algorithm 28."""
    return b"".join(_simple_pack(one, of.w1_bits) for one in w1)


def _sample_in_ball(of: ParameterSet, rho: bytes) -> Polynomial:
    """Algorithm 29."""
    stream = SHAKE256.new(rho)
    signs = int.from_bytes(stream.read(8), "little")
    c = [0] * N
    for i in range(N - of.tau, N):
        while (j := stream.read(1)[0]) > i:
            pass
        c[i], c[j] = c[j], 1 - 2 * (signs & 1)
        signs >>= 1
    return c


def _threes(seed: bytes) -> Iterator[int]:
    """Numbers of 23 bits, three bytes each (algorithm 14)."""
    stream = SHAKE128.new(seed)
    while True:
        block = stream.read(168)
        for at in range(0, 168, 3):
            yield int.from_bytes(block[at : at + 3], "little") & 0x7FFFFF


def _rej_ntt(seed: bytes) -> Polynomial:
    """RejNTTPoly, algorithm 30."""
    found: Polynomial = []
    for value in _threes(seed):
        if value < Q:
            found.append(value)
            if len(found) == N:
                break
    return found


def _rej_bounded(seed: bytes, eta: int) -> Polynomial:
    """RejBoundedPoly, algorithm 31, with the halves of bytes of algorithm 15."""
    stream = SHAKE256.new(seed)
    found: Polynomial = []
    while len(found) < N:
        for byte in stream.read(136):
            for half in (byte & 15, byte >> 4):
                if eta == 2 and half < 15:
                    found.append(2 - half % 5)
                elif eta == 4 and half < 9:
                    found.append(4 - half)
    return found[:N]


@lru_cache(maxsize=64)
def _matrix(of: ParameterSet, rho: bytes) -> list[Vector]:
    """ExpandA, algorithm 32: in the transformed domain, by rows."""
    return [[_rej_ntt(rho + bytes([column, row])) for column in range(of.l)] for row in range(of.k)]


def _mask(of: ParameterSet, seed: bytes, number: int) -> Polynomial:
    """One polynomial of ExpandMask, algorithm 34."""
    bits = 1 + of.gamma1_bits
    return _bit_unpack(_h(seed + number.to_bytes(2, "little"), 32 * bits), of.gamma1, bits)


def _centred(x: int) -> int:
    """The same modulo q, from -(q - 1) / 2 to (q - 1) / 2."""
    x %= Q
    return x - Q if x > Q // 2 else x


def _power2round(x: int) -> tuple[int, int]:
    """Algorithm 35."""
    x %= Q
    low = x & (1 << D) - 1
    low -= (low > 1 << D - 1) << D
    return (x - low) >> D, low


def _decompose(of: ParameterSet, x: int) -> tuple[int, int]:
    """Algorithm 36."""
    x %= Q
    low = x % (2 * of.gamma2)
    if low > of.gamma2:
        low -= 2 * of.gamma2
    return (0, low - 1) if x - low == Q - 1 else ((x - low) // (2 * of.gamma2), low)


def _high_bits(of: ParameterSet, x: int) -> int:
    return _decompose(of, x)[0]


def _low_bits(of: ParameterSet, x: int) -> int:
    return _decompose(of, x)[1]


def _use_hint(of: ParameterSet, x: int, hint: bool) -> int:
    """Algorithm 40."""
    high, low = _decompose(of, x)
    return high if not hint else (high + (1 if low > 0 else -1)) % ((Q - 1) // (2 * of.gamma2))


def _norm(v: Vector) -> int:
    """The largest absolute value of a coefficient modulo q."""
    return max(abs(_centred(x)) for one in v for x in one)


def _ntt(f: Sequence[int]) -> Polynomial:
    """Algorithm 41."""
    f, m, length = list(f), 0, 128
    zetas = _zetas()
    while length >= 1:
        for start in range(0, N, 2 * length):
            m += 1
            zeta = zetas[m]
            for j in range(start, start + length):
                t = zeta * f[j + length] % Q
                f[j], f[j + length] = f[j] + t, f[j] - t
        length //= 2
    return [x % Q for x in f]


def _ntt_inverse(f: Sequence[int]) -> Polynomial:
    """Algorithm 42."""
    f, m, length = list(f), 256, 1
    zetas = _zetas()
    while length < N:
        for start in range(0, N, 2 * length):
            m -= 1
            zeta = -zetas[m]
            for j in range(start, start + length):
                t = f[j]
                f[j], f[j + length] = t + f[j + length], zeta * (t - f[j + length]) % Q
        length *= 2
    return [x * _HALVED % Q for x in f]


@lru_cache(maxsize=1)
def _zetas() -> list[int]:
    """Appendix B: the powers of zeta in the order of BitRev8."""
    return [pow(_ZETA, int(f"{m:08b}"[::-1], 2), Q) for m in range(N)]


def _ntt_all(v: Sequence[Polynomial]) -> Vector:
    return [_ntt(one) for one in v]


def _inverse_all(v: Sequence[Polynomial]) -> Vector:
    return [_ntt_inverse(one) for one in v]


def _product(a: Sequence[Vector], v: Vector) -> Vector:
    """Matrix times vector in the transformed domain: algorithm 48."""
    return [_sum_of([_times(x, y) for x, y in zip(row, v, strict=True)]) for row in a]


def _times(f: Polynomial, g: Polynomial) -> Polynomial:
    return [x * y % Q for x, y in zip(f, g, strict=True)]


def _sum_of(v: Vector) -> Polynomial:
    return [sum(column) % Q for column in zip(*v, strict=True)]


def _scaled(c: Polynomial, v: Vector) -> Vector:
    """Scalar times vector in the transformed domain: algorithm 47."""
    return [_times(c, one) for one in v]


def _sums(a: Vector, b: Vector) -> Vector:
    return [[x + y for x, y in zip(*two, strict=True)] for two in zip(a, b, strict=True)]


def _differences(a: Vector, b: Vector) -> Vector:
    return [[x - y for x, y in zip(*two, strict=True)] for two in zip(a, b, strict=True)]


def _parts(data: bytes, length: int) -> list[bytes]:
    return [data[at : at + length] for at in range(0, len(data), length)]
