# SPDX-License-Identifier: Apache-2.0
"""DSA with a modulus of 2048 bits and a subgroup order of 256 (FIPS 186-4 section 4), with SHA-256, by PyCryptodome: signatures, keys in given domain parameters, and domain parameters.

Keys hold their domain parameters: p, q and g (256, 32 and 256 bytes), then x (32) or y (256), all big-endian.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from cipherstone.model.later import Later
from cipherstone.operations.elliptic import signature_encoding
from cipherstone.operations.scheme import Inputs, Pair, Scheme, judge_of_pair, judge_of_signature, key_stream

if TYPE_CHECKING:
    from Crypto.Hash import SHA256
    from Crypto.Math import Primality
    from Crypto.PublicKey import DSA
    from Crypto.Signature import DSS
else:
    SHA256, Primality = Later("Crypto.Hash.SHA256"), Later("Crypto.Math.Primality")
    DSA, DSS = Later("Crypto.PublicKey.DSA"), Later("Crypto.Signature.DSS")

P_BYTES, Q_BYTES = 256, 32
DOMAIN_BYTES = 2 * P_BYTES + Q_BYTES


class Domain(NamedTuple):
    """`p`: the prime; `q`: the prime order of the subgroup; `g`: its generator."""

    p: int
    q: int
    g: int


# RFC 5114 section 2.3. The adapters have the same numbers in libraries/_dsa/dsa.c; tests hold both against a published file.
RFC5114 = Domain(
    0x87A8E61DB4B6663CFFBBD19C651959998CEEF608660DD0F25D2CEED4435E3B00E00DF8F1D61957D4FAF7DF4561B2AA3016C3D91134096FAA3BF4296D830E9A7C209E0C6497517ABD5A8A9D306BCF67ED91F9E6725B4758C022E0B1EF4275BF7B6C5BFC11D45F9088B941F54EB1E59BB8BC39A0BF12307F5C4FDB70C581B23F76B63ACAE1CAA6B7902D52526735488A0EF13C6D9A51BFA4AB3AD8347796524D8EF6A167B5A41825D967E144E5140564251CCACB83E6B486F6B3CA3F7971506026C0B857F689962856DED4010ABD0BE621C3A3960A54E710C375F26375D7014103A4B54330C198AF126116D2276E11715F693877FAD7EF09CADB094AE91E1A1597,
    0x8CF83642A709A097B447997640129DA299B1A47D1EB3750BA308B0FE64F5FBD3,
    0x3FB32C9B73134D0B2E77506660EDBD484CA7B18F21EF205407F4793A1A0BA12510DBC15077BE463FFF4FED4AAC0BB555BE3A6C1B0C6B47B1BC3773BF7E8C6F62901228F8C28CBB18A55AE31341000A650196F931C77A57F2DDF463E5E9EC144B777DE62AAAB8A8628AC376D282D6ED3864E67982428EBC831D14348F6F2F9193B5045AF2767164E1DFC967C1FB3F2E55A4BD1BFFE83B9C80D052B985D182EA0ADB2A3B7313D3FE14C8484B1E052588B9B7D2BBD2DF016199ECD06E1557CD0915B3353BBB64E0EC377FD028370DF92B52C7891428CDC67EB6184B523D1DB246C32F63078490F00EF8D647D148D47954515E2327CFEF98C582664B4C0F6CC41659,
)


def dsa_sha256() -> Scheme:
    """Signatures and keys in the domain parameters of RFC 5114 section 2.3, and parameters that are made anew. One right signature is that of RFC 6979."""
    return Scheme(
        _pair,
        make={"sign": _sign},
        judge={
            "sign": judge_of_signature(_verify),
            "keygen": judge_of_pair((DOMAIN_BYTES + Q_BYTES, DOMAIN_BYTES + P_BYTES), _pair_problem),
            "paramgen": lambda inputs, output, form: domain_problem(output),
        },
        endless=True,
    )


def written(domain: Domain) -> bytes:
    """p, q and g as the catalogue encodes them."""
    return b"".join(
        number.to_bytes(size, "big") for number, size in zip(domain, (P_BYTES, Q_BYTES, P_BYTES), strict=True)
    )


def read(encoded: bytes) -> Domain:
    """The domain parameters that a key begins with."""
    ends = (0, P_BYTES, P_BYTES + Q_BYTES, DOMAIN_BYTES)
    return Domain(*(int.from_bytes(encoded[start:end], "big") for start, end in pairwise(ends)))


def domain_problem(encoded: bytes) -> str:
    """ "" if `encoded` are domain parameters with L = 2048 and N = 256 (FIPS 186-4 section 4.1 and appendix A.2), else what is wrong with them."""
    if len(encoded) != DOMAIN_BYTES:
        return f"domain parameters of {len(encoded)} bytes, not {DOMAIN_BYTES}"
    p, q, g = read(encoded)
    if (p.bit_length(), q.bit_length()) != (8 * P_BYTES, 8 * Q_BYTES):
        return f"p has {p.bit_length()} bits and q {q.bit_length()}, not {8 * P_BYTES} and {8 * Q_BYTES}"
    if (p - 1) % q:
        return "q does not divide p - 1"
    if not 1 < g < p or pow(g, q, p) != 1:
        return "the order of g is not q"
    for name, number in (("q", q), ("p", p)):
        if Primality.test_probable_prime(number) != Primality.PROBABLY_PRIME:
            return f"{name} is not prime"
    return ""


def _pair(number: int) -> Pair:
    """x is a stream of bytes modulo q - 1, and 1: FIPS 186-4 appendix B.1.1 takes more bits, so that none is likelier, which does not matter here."""
    x = int.from_bytes(key_stream(number, Q_BYTES), "big") % (RFC5114.q - 1) + 1
    y = pow(RFC5114.g, x, RFC5114.p)
    return written(RFC5114) + x.to_bytes(Q_BYTES, "big"), written(RFC5114) + y.to_bytes(P_BYTES, "big")


def _sign(inputs: Inputs, form: str | None) -> bytes:
    signer = DSS.new(_private(inputs["key"]), "deterministic-rfc6979", encoding=signature_encoding(form))
    return bytes(signer.sign(SHA256.new(inputs["msg"])))


def _verify(pub: bytes, message: bytes, signature: bytes, form: str | None) -> None:
    DSS.new(_public(pub), "fips-186-3", encoding=signature_encoding(form)).verify(SHA256.new(message), signature)


def _pair_problem(key: bytes, pub: bytes) -> str:
    if not key[:DOMAIN_BYTES] == pub[:DOMAIN_BYTES] == written(RFC5114):
        return "the domain parameters are not those of RFC 5114 section 2.3"
    x, y = (int.from_bytes(encoded[DOMAIN_BYTES:], "big") for encoded in (key, pub))
    if not 0 < x < RFC5114.q:
        return "the private key is not from 1 to q - 1"
    return "" if pow(RFC5114.g, x, RFC5114.p) == y else "the public key is not the private one's"


@lru_cache(maxsize=64)
def _private(key: bytes) -> DSA.DsaKey:
    p, q, g = read(key)
    x = int.from_bytes(key[DOMAIN_BYTES:], "big")
    # Looking at the parameters again for every key (four primality tests) is left to tests.
    return DSA.construct((pow(g, x, p), g, p, q, x), consistency_check=False)


@lru_cache(maxsize=64)
def _public(pub: bytes) -> DSA.DsaKey:
    if len(pub) != DOMAIN_BYTES + P_BYTES:
        raise ValueError("pub is not p, q, g and y")
    p, q, g = read(pub)
    return DSA.construct((int.from_bytes(pub[DOMAIN_BYTES:], "big"), g, p, q), consistency_check=False)
