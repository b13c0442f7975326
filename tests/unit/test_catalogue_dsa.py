# SPDX-License-Identifier: Apache-2.0
"""DSA as the oracle knows it, against a second implementation; and the domain parameters that the adapters are built with."""

from __future__ import annotations

import re

import pytest
from Crypto.Util.number import isPrime
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import dsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.vectors import load_vectors
from cipherstone.operations import oracle
from cipherstone.operations.dsa import DOMAIN_BYTES, P_BYTES, Q_BYTES, RFC5114, Domain, domain_problem, read, written
from cipherstone.operations.oracle import random_output_problem
from cipherstone.operations.schemes import schemes

ROOT, ALGORITHM = data_root(), "dsa-2048-sha256"
SHA256 = hashes.SHA256()
PRIME_AT, COMPOSITE_AT = (35, 722), 18  # where primes were found, so that nobody searches them again


def public_key(pub: bytes) -> dsa.DSAPublicKey:
    p, q, g = read(pub)
    y = int.from_bytes(pub[DOMAIN_BYTES:], "big")
    return dsa.DSAPublicNumbers(y, dsa.DSAParameterNumbers(p, q, g)).public_key()


def test_the_domain_parameters_are_some() -> None:
    assert isPrime(RFC5114.p) and isPrime(RFC5114.q)
    assert domain_problem(written(RFC5114)) == "" and read(written(RFC5114)) == RFC5114


def test_the_adapters_have_the_same() -> None:
    text = (ROOT / "libraries/_dsa/dsa.c").read_text()
    for name, number, size in zip("pqg", RFC5114, (P_BYTES, Q_BYTES, P_BYTES), strict=True):
        body = re.search(rf"uint8_t {name}\[\] = {{(.*?)}};", text, re.DOTALL)
        assert body is not None
        found = bytes(int(byte, 16) for byte in re.findall(r"0x([0-9a-f]{2})", body[1]))
        assert found == number.to_bytes(size, "big")


def test_a_second_implementation_agrees() -> None:
    """OpenSSL takes signatures in DER; the others are brought to it."""
    for vector in load_vectors(ROOT, ALGORITHM).of("verify", brief=True):
        sig = vector.inputs["sig"]
        if vector.form == "p1363" and len(sig) % 2 == 0:
            half = len(sig) // 2
            sig = encode_dss_signature(int.from_bytes(sig[:half], "big"), int.from_bytes(sig[half:], "big"))
        key = public_key(vector.inputs["pub"])
        if vector.expect == "ok":
            key.verify(sig, vector.inputs["msg"], SHA256)
        else:
            with pytest.raises(InvalidSignature):
                key.verify(sig, vector.inputs["msg"], SHA256)


@pytest.mark.parametrize("number", [0, 1, 15])
def test_what_the_oracle_signs_verifies_and_back(number: int) -> None:
    key, pub = schemes()[ALGORITHM].key_pair(number)
    inputs = {"key": key, "pub": pub, "msg": b"message"}
    public_key(pub).verify(oracle.made(f"{ALGORITHM}/sign", inputs, "der"), b"message", SHA256)
    numbers = dsa.DSAPrivateNumbers(int.from_bytes(key[DOMAIN_BYTES:], "big"), public_key(pub).public_numbers())
    signature = numbers.private_key().sign(b"message", SHA256)
    assert random_output_problem(f"{ALGORITHM}/sign", inputs, signature, "der") == ""
    assert random_output_problem(f"{ALGORITHM}/sign", inputs | {"msg": b"another"}, signature, "der") != ""


def test_pairs_are_judged() -> None:
    operation, (key, pub) = f"{ALGORITHM}/keygen", schemes()[ALGORITHM].key_pair(0)
    assert (len(key), len(pub)) == (DOMAIN_BYTES + Q_BYTES, DOMAIN_BYTES + P_BYTES)
    assert random_output_problem(operation, {}, key + pub) == ""
    assert "private one's" in random_output_problem(operation, {}, key + pub[:-1] + bytes([pub[-1] ^ 4]))
    assert "from 1 to q - 1" in random_output_problem(operation, {}, key[:DOMAIN_BYTES] + bytes(Q_BYTES) + pub)
    domain, (p, q, g) = key[:DOMAIN_BYTES], RFC5114
    for x, said in ((q, "from 1 to q - 1"), (q + 1, "from 1 to q - 1"), (q - 1, ""), (1, "")):
        pair = domain + x.to_bytes(Q_BYTES, "big") + domain + pow(g, x, p).to_bytes(P_BYTES, "big")
        assert said in random_output_problem(operation, {}, pair) and bool(said) == bool(
            random_output_problem(operation, {}, pair)
        )
    assert "RFC 5114" in random_output_problem(operation, {}, bytes([key[0] ^ 1]) + key[1:] + pub)
    assert "not" in random_output_problem(operation, {}, key + pub[:-1])


def test_domain_parameters_are_judged() -> None:
    """The numbers of a published vector, which somebody else generated, and what is wrong in each way."""
    operation = f"{ALGORITHM}/paramgen"
    foreign = load_vectors(ROOT, ALGORITHM).of("sign")[0].inputs["pub"][:DOMAIN_BYTES]
    assert random_output_problem(operation, {}, foreign) == "" and read(foreign) != RFC5114
    q = RFC5114.q
    for wrong, says in (
        (written(RFC5114)[:-1], "bytes"),
        (written(RFC5114._replace(q=q >> 1)), "bits"),
        (written(RFC5114._replace(q=q + 2)), "divide"),
        (written(RFC5114._replace(g=1)), "order"),
        (written(RFC5114._replace(g=2)), "order"),
        (written(composite_p()), "p is not prime"),
        (written(composite_q()), "q is not prime"),
    ):
        assert says in random_output_problem(operation, {}, wrong), says


def composite_p() -> Domain:
    """A product of two primes that are 1 modulo q, with g of order q modulo the first and 1 modulo the second."""
    q = RFC5114.q
    one, two = (2 * q * (((15 << 1020) // (2 * q)) + k) + 1 for k in PRIME_AT)
    assert isPrime(one) and isPrime(two)
    g = pow(2, (one - 1) // q, one)
    return Domain(one * two, q, g + one * ((1 - g) * pow(one, -1, two) % two))


def composite_q() -> Domain:
    """A prime p with a product of two primes in the place of q."""
    q = (2**128 - 159) * (2**128 - 173)
    p = 2 * q * (((1 << 2047) // (2 * q)) + COMPOSITE_AT) + 1
    assert isPrime(p)
    return Domain(p, q, pow(2, (p - 1) // q, p))
