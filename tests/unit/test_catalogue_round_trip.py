# SPDX-License-Identifier: Apache-2.0
"""The judge of key pairs and encapsulated secrets: what is right passes, and every kind of wrong pair is found."""

from __future__ import annotations

import pytest
from Crypto.PublicKey import RSA
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, x448, x25519
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_der_private_key,
    load_der_public_key,
)

from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.vectors import load_vectors
from cipherstone.operations import mlkem
from cipherstone.operations.oracle import MustNotBeUsed, NotAuthentic, expected_output, random_output_problem
from cipherstone.operations.schemes import schemes

CURVES = {
    "p-256": ec.SECP256R1(),
    "p-384": ec.SECP384R1(),
    "p-521": ec.SECP521R1(),
    "secp256k1": ec.SECP256K1(),
    "brainpool-p256": ec.BrainpoolP256R1(),
}
RAW = (Encoding.Raw, PrivateFormat.Raw, NoEncryption())


def _rsa(bits: int = 2048, e: int = 65537) -> bytes:
    key = RSA.generate(bits, e=e)
    p, q, half = int(key.p), int(key.q), bits // 16
    numbers = (p, q, int(key.d) % (p - 1), int(key.d) % (q - 1), pow(q, -1, p))
    return b"".join(x.to_bytes(half, "big") for x in numbers) + key.n.to_bytes(bits // 8, "big") + e.to_bytes(4, "big")


def _pair(algorithm: str) -> bytes:
    """Made by a second library, which shares nothing with the judge."""
    if algorithm == "x25519":
        one = x25519.X25519PrivateKey.generate()
        return one.private_bytes(*RAW) + one.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    if algorithm == "ed25519":
        two = ed25519.Ed25519PrivateKey.generate()
        return two.private_bytes(*RAW) + two.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    if algorithm == "x448":
        three = x448.X448PrivateKey.generate()
        return three.private_bytes(*RAW) + three.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    if algorithm == "ed448":
        four = ed448.Ed448PrivateKey.generate()
        return four.private_bytes(*RAW) + four.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    if algorithm in CURVES:
        key = ec.generate_private_key(CURVES[algorithm])
        point = key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return key.private_numbers().private_value.to_bytes(len(point) // 2, "big") + point
    return _rsa() if algorithm == "rsa-2048" else b"".join(mlkem.keygen(mlkem.SETS[algorithm], bytes(64)))


@pytest.mark.parametrize("algorithm", ["x25519", "ed25519", "x448", "ed448", *CURVES, "rsa-2048", *mlkem.SETS])
def test_a_genuine_pair_passes_and_a_changed_one_does_not(algorithm: str) -> None:
    operation, pair = f"{algorithm}/keygen", _pair(algorithm)
    assert expected_output(operation, {}) is None
    assert random_output_problem(operation, {}, pair) == ""
    places = {"x25519": (1, 33), "x448": (1, 57), "rsa-2048": (0, 200, 300, 400, 600, 700, 899)}.get(
        algorithm, (1, len(pair) - 2)
    )
    for place in places:
        changed = bytearray(pair)
        changed[place] ^= 0x10
        assert random_output_problem(operation, {}, bytes(changed)), place
    assert "not" in random_output_problem(operation, {}, pair[:-1])


def test_rsa_pairs_that_are_no_such_keys() -> None:
    good = _rsa()
    p, q = good[:128], good[128:256]
    composite = (int.from_bytes(p, "big") + 2).to_bytes(128, "big")
    n = (int.from_bytes(composite, "big") * int.from_bytes(q, "big")).to_bytes(256, "big")
    assert "prime" in random_output_problem("rsa-2048/keygen", {}, composite + good[128:640] + n + good[-4:])
    same = (int.from_bytes(p, "big") ** 2).to_bytes(256, "big")
    problem = random_output_problem("rsa-2048/keygen", {}, p + p + good[256:640] + same + good[-4:])
    assert "closer" in problem or "bits" in problem
    assert "exponent" in random_output_problem("rsa-2048/keygen", {}, _rsa(e=257))


@pytest.mark.parametrize("algorithm", mlkem.SETS)
def test_encapsulation_is_judged_by_decapsulating(algorithm: str) -> None:
    operation, of, (dk, ek) = f"{algorithm}/encaps", mlkem.SETS[algorithm], schemes()[algorithm].key_pair(0)
    ciphertext, secret = mlkem.encaps(of, ek, b"m" * 32)
    assert random_output_problem(operation, {"pub": ek}, ciphertext + secret) == ""
    assert "secret" in random_output_problem(operation, {"pub": ek}, ciphertext + bytes(32))
    forged = bytes([ciphertext[0] ^ 1]) + ciphertext[1:]
    rejected = mlkem.decaps(of, dk, forged)
    assert rejected == mlkem.rejection_secret(dk, forged) != secret
    assert "not genuine" in random_output_problem(operation, {"pub": ek}, forged + rejected)


def _agreed(algorithm: str, pub: bytes) -> bytes:
    """Own public value and secret by a second library."""
    if algorithm == "x25519":
        one = x25519.X25519PrivateKey.generate()
        own = one.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        return own + one.exchange(x25519.X25519PublicKey.from_public_bytes(pub))
    two = ec.generate_private_key(CURVES[algorithm])
    peer = ec.EllipticCurvePublicKey.from_encoded_point(CURVES[algorithm], pub)
    own = two.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return own + two.exchange(ec.ECDH(), peer)


@pytest.mark.parametrize("algorithm", ["x25519", "p-256", "p-384"])
def test_an_agreement_is_judged_from_the_other_side(algorithm: str) -> None:
    operation, (_, pub) = f"{algorithm}/agree", schemes()[algorithm].key_pair(3)
    good = _agreed(algorithm, pub)
    assert expected_output(operation, {"pub": pub}) is None
    assert random_output_problem(operation, {"pub": pub}, good) == ""
    for place in (1, len(good) - 1):  # of the public value and of the secret
        changed = bytearray(good)
        changed[place] ^= 0x10
        assert random_output_problem(operation, {"pub": pub}, bytes(changed)), place
    assert "bytes, not" in random_output_problem(operation, {"pub": pub}, good[:-1])
    stranger = schemes()[algorithm].key_pair(50)[1]
    assert "does not know" in random_output_problem(operation, {"pub": stranger}, _agreed(algorithm, stranger))


def test_an_agreement_with_a_point_of_low_order_gives_zeros() -> None:
    own = schemes()["x25519"].key_pair(0)[1]
    assert random_output_problem("x25519/agree", {"pub": bytes(32)}, own + bytes(32)) == ""
    assert "not zero" in random_output_problem("x25519/agree", {"pub": bytes(32)}, own + own)
    assert "low order" in random_output_problem("x25519/agree", {"pub": own}, bytes(64))
    with pytest.raises(MustNotBeUsed):
        expected_output("p-256/agree", {"pub": b"\4" + bytes(64)})


@pytest.mark.parametrize(("algorithm", "verb"), [("p-256-spki", "import-public"), ("p-256-pkcs8", "import-private")])
def test_keys_out_of_der_are_those_of_a_second_library(algorithm: str, verb: str) -> None:
    good = [v for v in load_vectors(data_root(), algorithm).of(verb) if v.expect == "ok"]
    assert len(good) >= 10
    for vector in good:
        if verb == "import-public":
            pub = load_der_public_key(vector.inputs["msg"])
            assert isinstance(pub, ec.EllipticCurvePublicKey)
            assert pub.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint) == vector.output
        else:
            key = load_der_private_key(vector.inputs["msg"], None)
            assert isinstance(key, ec.EllipticCurvePrivateKey)
            assert key.private_numbers().private_value.to_bytes(32, "big") == vector.output


@pytest.mark.parametrize("algorithm", mlkem.SETS)
def test_ml_kem_gives_every_known_answer(algorithm: str) -> None:
    of, seen = mlkem.SETS[algorithm], set()
    for vector in load_vectors(data_root(), algorithm).vectors:
        seen.add((vector.verb, vector.expect))
        operation = f"{algorithm}/{vector.verb}"
        if vector.expect in ("bad-key", "rejected"):
            with pytest.raises(MustNotBeUsed if vector.expect == "bad-key" else NotAuthentic):
                expected_output(operation, vector.inputs)
            continue
        assert expected_output(operation, vector.inputs) == vector.output, vector.id
        if vector.expect == "implicit":
            key, msg = vector.inputs["key"], vector.inputs["msg"]
            assert mlkem.is_rejected(of, key, msg) and mlkem.rejection_secret(key, msg) == vector.output
    assert {("encaps", "bad-key"), ("decaps", "implicit"), ("decaps", "bad-key"), ("keygen", "ok")} <= seen
