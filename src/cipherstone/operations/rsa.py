# SPDX-License-Identifier: Apache-2.0
"""RSA: whether numbers are a private key and belong to a public one (RFC 8017 section 3, FIPS 186-5 section A.1), signatures and encryption, by PyCryptodome.

Keys to sign and to decrypt with hold what RSAPrivateKey holds (RFC 8017 appendix A.1.2): n, e, d, p, q, dP, dQ, qInv; e has 4 bytes, n and d are as long as the modulus, the others half as long. Libraries
differ in which of these they want, and no library has to compute what an application finds in its key file.
"""

from __future__ import annotations

import json
from functools import lru_cache
from math import gcd
from typing import TYPE_CHECKING, Any

from cipherstone.catalogue.conditions import KEYS
from cipherstone.catalogue.paths import data_root
from cipherstone.model.errors import NotAuthentic
from cipherstone.model.later import Later
from cipherstone.operations.rsa_implicit import implicit_message
from cipherstone.operations.scheme import Due, Inputs, Judge, Make, Pair, Scheme, judge_of_pair, judge_of_signature
from cipherstone.operations.splitmix import splitmix64

if TYPE_CHECKING:
    from Crypto.Cipher import PKCS1_OAEP, PKCS1_v1_5
    from Crypto.Hash import SHA256
    from Crypto.Math import Primality
    from Crypto.PublicKey import RSA
    from Crypto.Signature import pkcs1_15, pss
else:
    PKCS1_OAEP, PKCS1_v1_5 = Later("Crypto.Cipher.PKCS1_OAEP"), Later("Crypto.Cipher.PKCS1_v1_5")
    SHA256, Primality, RSA = Later("Crypto.Hash.SHA256"), Later("Crypto.Math.Primality"), Later("Crypto.PublicKey.RSA")
    pkcs1_15, pss = Later("Crypto.Signature.pkcs1_15"), Later("Crypto.Signature.pss")

EXPONENT = 65537
EXPONENT_BYTES = 4
SALT_BYTES = 32
PRIMES = "algorithms/rsa-primes.json"
_CHECKED_SEED = 1
_PRIME_SEED, _PRIMES_EACH = 8000, 2 * KEYS  # of the streams that primes lie behind: as many for each size
_SALT_SEED = 8500  # of what is drawn to sign and to encrypt


def rsa_keys(bits: int) -> Scheme:
    """Generation of keys with a modulus of `bits`. Private: p, q, dP, dQ, qInv, each of bits / 16 bytes; public: n, and e in 4 bytes; big-endian."""
    half = bits // 16
    return Scheme(_no_pair, judge={"keygen": judge_of_pair((5 * half, 2 * half + 4), lambda k, p: _check(bits, k, p))}, key_pairs=0)  # fmt: skip


def rsa_pkcs1_sha256(bits: int) -> Scheme:
    """Signatures with a modulus of `bits`: RSASSA-PKCS1-v1_5 with SHA-256, RFC 8017 section 8.2. They are fixed by the standard, so that the bytes are known."""

    def sign(inputs: Inputs) -> bytes:
        return bytes(pkcs1_15.new(_private(bits, inputs["key"])).sign(SHA256.new(inputs["msg"])))

    def check(pub: bytes, message: bytes, signature: bytes, form: str | None) -> None:
        pkcs1_15.new(_public(bits, pub)).verify(SHA256.new(message), signature)

    return _signing(bits, {"sign": sign}, lambda inputs, form: sign(inputs), check)


def rsa_pss_sha256(bits: int) -> Scheme:
    """Signatures with a modulus of `bits`: RSASSA-PSS with SHA-256, MGF1 with SHA-256 and a salt of 32 bytes, RFC 8017 section 8.1."""

    def make(inputs: Inputs, form: str | None) -> bytes:
        signer = pss.new(_private(bits, inputs["key"]), salt_bytes=SALT_BYTES, rand_func=_Stream())
        return bytes(signer.sign(SHA256.new(inputs["msg"])))

    def check(pub: bytes, message: bytes, signature: bytes, form: str | None) -> None:
        pss.new(_public(bits, pub), salt_bytes=SALT_BYTES).verify(SHA256.new(message), signature)

    return _signing(bits, {}, make, check)


def rsa_oaep_sha256(bits: int) -> Scheme:
    """Encryption with a modulus of `bits`: RSAES-OAEP with SHA-256, MGF1 with SHA-256 and an empty label, RFC 8017 section 7.1."""

    def cipher(key: Any) -> Any:
        return PKCS1_OAEP.new(key, hashAlgo=SHA256, randfunc=_Stream())

    def decrypt(inputs: Inputs) -> bytes:
        try:
            return bytes(cipher(_private(bits, inputs["key"])).decrypt(inputs["msg"]))
        except ValueError as error:
            raise NotAuthentic(str(error)) from None

    return _encrypting(bits, cipher, decrypt)


def rsa_pkcs1(bits: int) -> Scheme:
    """Encryption with a modulus of `bits`: RSAES-PKCS1-v1_5, RFC 8017 section 7.2. A padding that is not genuine gives what implicit rejection makes of it: libraries may reject instead."""

    def cipher(key: Any) -> Any:
        return PKCS1_v1_5.new(key, randfunc=_Stream())

    def decrypt(inputs: Inputs) -> bytes:
        # To libraries that reject implicitly a ciphertext that is too short is the number that its bytes are, and one that is not below the modulus is not genuine either.
        key, message = _private(bits, inputs["key"]), inputs["msg"].rjust(bits // 8, b"\0")
        is_number = len(message) == bits // 8 and int.from_bytes(message, "big") < int(key.n)
        try:
            found = cipher(key).decrypt(message, None) if is_number or len(message) > bits // 8 else None
        except ValueError as error:
            raise NotAuthentic(str(error)) from None
        return implicit_message(int(key.d).to_bytes(bits // 8, "big"), message) if found is None else bytes(found)

    return _encrypting(bits, cipher, decrypt)


def _signing(bits: int, due: dict[str, Due], make: Make, check: Any) -> Scheme:
    return Scheme(
        lambda number: key_pair(bits, number),
        due=due,
        make={"sign": make},
        judge={"sign": judge_of_signature(check)},
    )


def _encrypting(bits: int, cipher: Any, decrypt: Any) -> Scheme:
    """The judge of ciphertexts knows the private keys of its pairs, so that it can decrypt what is encrypted for them."""

    def encrypt(inputs: Inputs, form: str | None) -> bytes:
        return bytes(cipher(_public(bits, inputs["pub"])).encrypt(inputs["msg"]))

    return Scheme(
        lambda number: key_pair(bits, number),
        due={"private-decrypt": decrypt},
        make={"public-encrypt": encrypt},
        judge={"public-encrypt": _judge_of_ciphertext(bits, decrypt)},
    )


def _judge_of_ciphertext(bits: int, decrypt: Any) -> Judge:
    def judge(inputs: Inputs, output: bytes, form: str | None) -> str:
        pairs = (key_pair(bits, number) for number in range(KEYS))
        key = next((key for key, pub in pairs if pub == inputs["pub"]), None)
        if key is None:
            return "the judge does not know the private key of this public one"
        try:
            found = decrypt({"key": key, "msg": output})
        except NotAuthentic as error:
            return f"the ciphertext does not decrypt with the independent library: {error}"
        return "" if found == inputs["msg"] else "the ciphertext decrypts to another message"

    return judge


class _Stream:
    """The bytes of one stream, one after another: what is drawn where an output must be the same every time."""

    def __init__(self) -> None:
        self._drawn = 0

    def __call__(self, length: int) -> bytes:
        start, self._drawn = self._drawn, self._drawn + length
        return splitmix64(_SALT_SEED, self._drawn)[start:]


# Key pairs


@lru_cache(maxsize=4 * KEYS)
def key_pair(bits: int, number: int) -> Pair:
    """The timed pair (number 0), and the further ones of a ring. Its primes are the first that suit behind the beginnings of two streams: how far behind stands in `algorithms/rsa-primes.json`, which tools/make_rsa_primes.py writes."""
    p, q = (prime_start(bits, 2 * number + i) + 2 * steps for i, steps in enumerate(_steps()[str(bits)][number]))
    d = pow(EXPONENT, -1, (p - 1) * (q - 1) // gcd(p - 1, q - 1))
    return encoded_key(bits, p * q, EXPONENT, d, p, q), encoded_public(bits, p * q, EXPONENT)


def prime_start(bits: int, number: int) -> int:
    """Where the search for prime `number` of a modulus of `bits` begins: the stream of its seed, with the two highest bits and the lowest one set."""
    half = bits // 2
    start = int.from_bytes(splitmix64(_PRIME_SEED + _PRIMES_EACH * (bits // 1024) + number, half // 8), "big")
    return start | 3 << (half - 2) | 1


@lru_cache(maxsize=1)
def _steps() -> dict[str, list[list[int]]]:
    found: dict[str, list[list[int]]] = json.loads((data_root() / PRIMES).read_text())
    return found


def encoded_key(bits: int, n: int, e: int, d: int, p: int, q: int) -> bytes:
    """A private key as the catalogue encodes it."""
    whole, half = bits // 8, bits // 16
    numbers = ((n, whole), (e, EXPONENT_BYTES), (d, whole), (p, half), (q, half))
    crt = ((d % (p - 1), half), (d % (q - 1), half), (pow(q, -1, p), half))
    return b"".join(number.to_bytes(length, "big") for number, length in (*numbers, *crt))


def encoded_public(bits: int, n: int, e: int) -> bytes:
    """A public key as the catalogue encodes it."""
    return n.to_bytes(bits // 8, "big") + e.to_bytes(EXPONENT_BYTES, "big")


@lru_cache(maxsize=128)
def _private(bits: int, key: bytes) -> RSA.RsaKey:
    whole, half = bits // 8, bits // 16
    lengths = (whole, EXPONENT_BYTES, whole, half, half)
    if len(key) != sum(lengths) + 3 * half:
        raise ValueError(f"key has {len(key)} bytes, not {sum(lengths) + 3 * half}")
    ends = [sum(lengths[: i + 1]) for i in range(len(lengths))]
    n, e, d, p, q = (int.from_bytes(key[end - length : end], "big") for end, length in zip(ends, lengths, strict=True))
    return RSA.construct((n, e, d, p, q), consistency_check=False)


@lru_cache(maxsize=128)
def _public(bits: int, pub: bytes) -> RSA.RsaKey:
    n, e = int.from_bytes(pub[:-EXPONENT_BYTES], "big"), int.from_bytes(pub[-EXPONENT_BYTES:], "big")
    if n.bit_length() != bits:
        raise ValueError(f"the modulus has {n.bit_length()} bits, not {bits}")
    return RSA.construct((n, e), consistency_check=False)


def _no_pair(number: int) -> Pair:
    raise ValueError("keys are generated, none is given")


def _check(bits: int, key: bytes, pub: bytes) -> str:
    half = bits // 16
    p, q, dp, dq, qinv = (int.from_bytes(key[at : at + half], "big") for at in range(0, len(key), half))
    n, e = int.from_bytes(pub[:-4], "big"), int.from_bytes(pub[-4:], "big")
    apart = bits // 2 - 100
    wrong = {
        f"the modulus has {n.bit_length()} bits, not {bits}": n.bit_length() != bits,
        f"a prime has not {bits // 2} bits": {p.bit_length(), q.bit_length()} != {bits // 2},
        "the modulus is not the product of the primes": p * q != n,
        f"the primes are closer to each other than 2^{apart} (FIPS 186-5 section A.1.1)": abs(p - q).bit_length() <= apart,
        f"the public exponent is {e}, not {EXPONENT}": e != EXPONENT,
    }  # fmt: skip
    if any(wrong.values()):
        return next(text for text, is_so in wrong.items() if is_so)
    if not all(int(Primality.test_probable_prime(number)) == 1 for number in (p, q)):
        return "p or q is not a prime"
    if (e * dp % (p - 1), e * dq % (q - 1), qinv * q % p) != (1, 1, 1) or dp >= p or dq >= q or qinv >= p:
        return "dP, dQ or qInv does not belong to the primes and the public exponent"
    message = int.from_bytes(splitmix64(_CHECKED_SEED, bits // 8), "big") % n
    m1, m2 = pow(message, dp, p), pow(message, dq, q)
    signature = m2 + (m1 - m2) * qinv % p * q
    return "" if pow(signature, e, n) == message else "what the private key signs does not verify with the public one"
