# SPDX-License-Identifier: Apache-2.0
"""The oracle against a second one: `cryptography`, for everything that it can do."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from types import FrameType

import pytest
from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.decrepit.ciphers.algorithms import TripleDES
from cryptography.hazmat.primitives import hashes, hmac
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, x25519
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, ChaCha20Poly1305
from cryptography.hazmat.primitives.cmac import CMAC
from cryptography.hazmat.primitives.poly1305 import Poly1305
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given, settings
from hypothesis import strategies as st

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.vectors import load_vectors
from cipherstone.model.errors import UsageError
from cipherstone.operations import oracle, weierstrass
from cipherstone.operations.ghash import ghash
from cipherstone.operations.oracle import NotAuthentic, expected_output, made, signature_is_valid
from cipherstone.operations.poly1305 import poly1305
from cipherstone.operations.schemes import schemes
from cipherstone.operations.splitmix import splitmix64

ROOT = data_root()
MESSAGES = st.binary(max_size=300)
CURVES: dict[str, ec.EllipticCurve] = {
    "ecdsa-p256-sha256": ec.SECP256R1(),
    "ecdsa-p384-sha384": ec.SECP384R1(),
    "ecdsa-p521-sha512": ec.SECP521R1(),
    "ecdsa-secp256k1-sha256": ec.SECP256K1(),
    "ecdsa-brainpoolp256r1-sha256": ec.BrainpoolP256R1(),
}
KEYS_OF = {
    "ecdsa-p256-sha256": "p-256",
    "ecdsa-p384-sha384": "p-384",
    "ecdsa-p521-sha512": "p-521",
    "ecdsa-secp256k1-sha256": "secp256k1",
    "ecdsa-brainpoolp256r1-sha256": "brainpool-p256",
}
AGREED = ("ecdsa-p256-sha256", "ecdsa-p384-sha384", "ecdsa-p521-sha512", "ecdsa-brainpoolp256r1-sha256")
HASHES: dict[str, hashes.HashAlgorithm] = {
    "sha256": hashes.SHA256(),
    "sha384": hashes.SHA384(),
    "sha512": hashes.SHA512(),
}
BLOCKS = st.integers(1, 20).flatmap(lambda n: st.binary(min_size=16 * n, max_size=16 * n))


def _key(size: int) -> st.SearchStrategy[bytes]:
    return st.binary(min_size=size, max_size=size)


def test_knows_every_operation_of_the_catalogue() -> None:
    assert set(load_catalogue(ROOT).operations) == set(oracle.operations())


@pytest.mark.parametrize("name", ["md5", "sha-1", "sha-256", "sha-512", "sha3-256", "blake2b-512"])
@given(message=MESSAGES)
def test_hashes(name: str, message: bytes) -> None:
    python = {
        "sha-1": "sha1",
        "sha-256": "sha256",
        "sha-512": "sha512",
        "sha3-256": "sha3_256",
        "blake2b-512": "blake2b",
    }
    assert expected_output(f"{name}/hash", {"msg": message}) == hashlib.new(python.get(name, name), message).digest()


@given(key=st.binary(min_size=1, max_size=200), message=MESSAGES)
def test_hmac(key: bytes, message: bytes) -> None:
    other = hmac.HMAC(key, hashes.SHA256())
    other.update(message)
    assert expected_output("hmac-sha-256/mac", {"key": key, "msg": message}) == other.finalize()


@pytest.mark.parametrize("size", [16, 32])
@given(data=st.data(), message=MESSAGES)
def test_cmac(size: int, data: st.DataObject, message: bytes) -> None:
    key = data.draw(_key(size))
    other = CMAC(algorithms.AES(key))
    other.update(message)
    assert expected_output(f"cmac-aes-{8 * size}/mac", {"key": key, "msg": message}) == other.finalize()


@given(key=_key(32), message=MESSAGES)
def test_poly1305(key: bytes, message: bytes) -> None:
    assert poly1305(key, message) == Poly1305.generate_tag(key, message)


@given(key=_key(16), iv=_key(12), aad=MESSAGES, message=MESSAGES)
def test_ghash_makes_the_tag_of_gcm(key: bytes, iv: bytes, aad: bytes, message: bytes) -> None:
    ecb = Cipher(algorithms.AES(key), modes.ECB()).encryptor()
    h, mask = ecb.update(bytes(16)), ecb.update(iv + b"\x00\x00\x00\x01")
    sealed = AESGCM(key).encrypt(iv, message, aad)
    padded = b"".join(part + bytes(-len(part) % 16) for part in (aad, sealed[:-16]))
    y = ghash(h, padded + (8 * len(aad)).to_bytes(8, "big") + (8 * len(message)).to_bytes(8, "big"))
    assert bytes(a ^ b for a, b in zip(y, mask, strict=True)) == sealed[-16:]


@given(h=_key(16), message=MESSAGES)
def test_ghash_pads_with_zeros(h: bytes, message: bytes) -> None:
    assert ghash(h, message) == ghash(h, message + bytes(-len(message) % 16))


@pytest.mark.parametrize("size", [16, 32])
@given(data=st.data(), iv=_key(16), blocks=BLOCKS, message=MESSAGES)
def test_aes_cbc_and_ctr(size: int, data: st.DataObject, iv: bytes, blocks: bytes, message: bytes) -> None:
    key = data.draw(_key(size))
    cbc, ctr = Cipher(algorithms.AES(key), modes.CBC(iv)), Cipher(algorithms.AES(key), modes.CTR(iv))
    inputs = {"key": key, "iv": iv, "msg": blocks}
    assert expected_output(f"aes-{8 * size}-cbc/encrypt", inputs) == cbc.encryptor().update(blocks)
    assert expected_output(f"aes-{8 * size}-cbc/decrypt", inputs) == cbc.decryptor().update(blocks)
    assert expected_output(f"aes-{8 * size}-ctr/encrypt", {**inputs, "msg": message}) == ctr.encryptor().update(message)


@given(
    keys=st.lists(_key(8), min_size=3, max_size=3),
    same=st.sampled_from([(0, 1, 2), (0, 1, 0), (0, 0, 1), (0, 1, 1), (0, 0, 0)]),
    iv=_key(8),
    blocks=BLOCKS,
)
def test_triple_des(keys: list[bytes], same: tuple[int, int, int], iv: bytes, blocks: bytes) -> None:
    key = b"".join(keys[index] for index in same)
    other = Cipher(TripleDES(key), modes.CBC(iv))
    inputs = {"key": key, "iv": iv, "msg": blocks}
    assert expected_output("3des-cbc/encrypt", inputs) == other.encryptor().update(blocks)
    assert expected_output("3des-cbc/decrypt", inputs) == other.decryptor().update(blocks)


@given(key=_key(32), iv=_key(12), message=MESSAGES)
def test_chacha20(key: bytes, iv: bytes, message: bytes) -> None:
    other = Cipher(algorithms.ChaCha20(key, bytes(4) + iv), mode=None).encryptor()
    assert expected_output("chacha20/encrypt", {"key": key, "iv": iv, "msg": message}) == other.update(message)


@pytest.mark.parametrize("name", ["aes-128-gcm", "aes-256-gcm", "chacha20-poly1305"])
@given(data=st.data(), iv=_key(12), aad=MESSAGES, message=MESSAGES, bit=st.integers(0, 127))
def test_aeads(name: str, data: st.DataObject, iv: bytes, aad: bytes, message: bytes, bit: int) -> None:
    key = data.draw(_key(16 if name == "aes-128-gcm" else 32))
    other = ChaCha20Poly1305(key) if name == "chacha20-poly1305" else AESGCM(key)
    sealed = other.encrypt(iv, message, aad)
    inputs = {"key": key, "iv": iv, "aad": aad}
    assert expected_output(f"{name}/seal", {**inputs, "msg": message}) == sealed
    opened = {**inputs, "msg": sealed[:-16], "tag": sealed[-16:]}
    assert expected_output(f"{name}/open", opened) == message
    wrong = bytearray(sealed[-16:])
    wrong[bit // 8] ^= 1 << bit % 8
    with pytest.raises(NotAuthentic):
        expected_output(f"{name}/open", {**opened, "tag": bytes(wrong)})


@given(key=_key(32), peer=_key(32))
def test_x25519(key: bytes, peer: bytes) -> None:
    private = x25519.X25519PrivateKey.from_private_bytes
    pub = private(peer).public_key()
    assert expected_output("x25519/derive", {"key": key, "pub": pub.public_bytes_raw()}) == private(key).exchange(pub)


def test_x25519_special_points() -> None:
    """`cryptography` refuses an all-zero secret; everywhere else both must give the same."""
    zeros = 0
    for vector in load_vectors(ROOT, "x25519").of("derive"):
        output = expected_output("x25519/derive", vector.inputs)
        private = x25519.X25519PrivateKey.from_private_bytes(vector.inputs["key"])
        try:
            other = private.exchange(x25519.X25519PublicKey.from_public_bytes(vector.inputs["pub"]))
        except ValueError:
            other, zeros = bytes(32), zeros + 1
        assert output == other, vector.id
    assert zeros >= 5


@given(seed=_key(32), message=MESSAGES)
@settings(max_examples=20, deadline=None)
def test_ed25519(seed: bytes, message: bytes) -> None:
    private = ed25519.Ed25519PrivateKey.from_private_bytes(seed)
    pub = private.public_key().public_bytes_raw()
    assert expected_output("ed25519/keygen", {"seed": seed}) == seed + pub
    signature = private.sign(message)
    inputs = {"key": seed, "pub": pub, "msg": message}
    assert expected_output("ed25519/sign", inputs) == signature == made("ed25519/sign", inputs)
    assert signature_is_valid("ed25519/sign", inputs, signature)
    assert not signature_is_valid("ed25519/sign", inputs, signature[:-1])
    assert not signature_is_valid("ed25519/sign", {**inputs, "msg": message + b"x"}, signature)


@pytest.mark.parametrize("algorithm", CURVES)
@given(scalar=st.integers(1, 2**255), message=MESSAGES)
@settings(max_examples=20, deadline=None)
def test_ecdsa(algorithm: str, scalar: int, message: bytes) -> None:
    size, digest = (CURVES[algorithm].key_size + 7) // 8, HASHES[algorithm.rpartition("-")[2]]
    operation, key = f"{algorithm}/sign", scalar.to_bytes(size, "big")
    private = ec.derive_private_key(scalar, CURVES[algorithm])
    numbers = private.public_key().public_numbers()
    pub = b"\x04" + numbers.x.to_bytes(size, "big") + numbers.y.to_bytes(size, "big")
    assert oracle.random_output_problem(f"{KEYS_OF[algorithm]}/keygen", {}, key + pub) == ""
    inputs = {"key": key, "pub": pub, "msg": message}
    assert expected_output(operation, inputs) is None
    assert signature_is_valid(operation, inputs, private.sign(message, ec.ECDSA(digest)), "der")
    der, raw = (made(operation, inputs, form) for form in ("der", "p1363"))
    assert encode_dss_signature(int.from_bytes(raw[:size], "big"), int.from_bytes(raw[size:], "big")) == der
    private.public_key().verify(der, message, ec.ECDSA(digest))
    assert signature_is_valid(operation, inputs, raw, "p1363") and not signature_is_valid(operation, inputs, raw, "der")


@pytest.mark.parametrize(("algorithm", "curve"), [(KEYS_OF[name], CURVES[name]) for name in AGREED])
@given(ours=st.integers(1, 2**255), theirs=st.integers(1, 2**255))
@settings(max_examples=20, deadline=None)
def test_ecdh(algorithm: str, curve: ec.EllipticCurve, ours: int, theirs: int) -> None:
    size = (curve.key_size + 7) // 8
    private, peer = ec.derive_private_key(ours, curve), ec.derive_private_key(theirs, curve).public_key()
    pub = peer.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    inputs = {"key": ours.to_bytes(size, "big"), "pub": pub}
    assert expected_output(f"{algorithm}/derive", inputs) == private.exchange(ec.ECDH(), peer)
    for wrong in (pub[:-1] + bytes([pub[-1] ^ 2]), b"\4" + bytes(2 * size)):
        with pytest.raises(oracle.MustNotBeUsed):
            expected_output(f"{algorithm}/derive", inputs | {"pub": wrong})


P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551


@pytest.mark.parametrize(("algorithm", "order"), [("p-256", P256_ORDER), ("brainpool-p256", weierstrass.ORDER)])
def test_what_is_no_input_of_ecdh_is_a_mistake_of_who_asks(algorithm: str, order: int) -> None:
    """A scalar out of range, an encoding of another length or kind. A point that is not on the curve is an input, and must not be used."""
    key, pub = schemes()[algorithm].key_pair(0)
    inputs = {"key": key, "pub": pub}
    assert len(expected_output(f"{algorithm}/derive", inputs) or b"") == 32
    for scalar in (0, order, order + 1):
        with pytest.raises(UsageError, match="key is not from 1 to the order less 1"):
            expected_output(f"{algorithm}/derive", inputs | {"key": scalar.to_bytes(32, "big")})
    for wrong in (pub[:-1], pub + b"\0", pub[:33], b"\2" + pub[1:33], b"\5" + pub[1:]):
        with pytest.raises(UsageError, match="pub is not an uncompressed point"):
            expected_output(f"{algorithm}/derive", inputs | {"pub": wrong})


def test_a_coordinate_is_below_the_prime() -> None:
    """The same point by its equation, and another encoding."""
    x, y = weierstrass.BASE
    inputs = {"key": schemes()["brainpool-p256"].key_pair(0)[0]}
    begin = b"\4" + x.to_bytes(32, "big")
    assert expected_output("brainpool-p256/derive", inputs | {"pub": begin + y.to_bytes(32, "big")})
    with pytest.raises(oracle.MustNotBeUsed, match="not on the curve"):
        expected_output("brainpool-p256/derive", inputs | {"pub": begin + (y + weierstrass.P).to_bytes(32, "big")})


def test_both_oracles_judge_every_ed25519_signature_alike() -> None:
    for vector in load_vectors(ROOT, "ed25519").of("verify"):
        pub, msg, sig = (vector.inputs[name] for name in ("pub", "msg", "sig"))
        key = ed25519.Ed25519PublicKey.from_public_bytes(pub)
        assert _accepts(key.verify, sig, msg) == (vector.expect == "ok"), vector.id


@pytest.mark.parametrize("algorithm", CURVES)
def test_both_oracles_judge_every_ecdsa_signature_alike(algorithm: str) -> None:
    digest = HASHES[algorithm.rpartition("-")[2]]
    for vector in load_vectors(ROOT, algorithm).of("verify", "der"):
        pub, msg, sig = (vector.inputs[name] for name in ("pub", "msg", "sig"))
        key = ec.EllipticCurvePublicKey.from_encoded_point(CURVES[algorithm], pub)
        assert _accepts(key.verify, sig, msg, ec.ECDSA(digest)) == (vector.expect == "ok"), vector.id


@pytest.mark.parametrize("name", ["aes-128-gcm", "aes-256-gcm", "chacha20-poly1305"])
def test_both_oracles_judge_every_tag_alike(name: str) -> None:
    for vector in load_vectors(ROOT, name).of("open"):
        key, iv, aad, msg, tag = (vector.inputs[part] for part in ("key", "iv", "aad", "msg", "tag"))
        aead = ChaCha20Poly1305(key) if name == "chacha20-poly1305" else AESGCM(key)
        assert _accepts(aead.decrypt, iv, msg + tag, aad) == (vector.expect == "ok"), vector.id


def _accepts(verify: Callable[..., object], *arguments: object) -> bool:
    try:
        verify(*arguments)
    except (InvalidSignature, InvalidTag):
        return False
    return True


@pytest.mark.parametrize("compute", [ghash, poly1305])
def test_a_mebibyte_takes_less_than_a_second(compute: Callable[[bytes, bytes], bytes]) -> None:
    """By what is computed: as many lines of Python for every block of 16 bytes, 65536 of which are a mebibyte, and no number among them that grows."""
    key = splitmix64(1, 32 if compute is poly1305 else 16)
    compute(key, b"")  # the tables of the key are made once

    def lines(blocks: int) -> int:
        count = 0

        def step(frame: FrameType, event: str, told: object) -> Callable[..., object]:
            nonlocal count
            count += event == "line"
            numbers = (one for one in frame.f_locals.values() if isinstance(one, int))
            assert all(one.bit_length() <= 300 for one in numbers)
            return step

        message, before = splitmix64(4, 16 * blocks), sys.gettrace()
        sys.settrace(step)
        try:
            compute(key, message)
        finally:
            sys.settrace(before)
        return count

    none, some, twice = map(lines, (0, 50, 100))
    assert 50 < some - none == twice - some <= 50 * 40


@pytest.mark.parametrize(
    ("operation", "inputs", "said"),
    [
        ("sha-265/hash", {"msg": b""}, "sha-265/hash"),
        ("sha-256/hash", {}, "'msg' is missing"),
        ("aes-128-cbc/encrypt", {"key": bytes(5), "iv": bytes(16), "msg": b""}, "aes-128-cbc/encrypt"),
        ("ed25519/verify", {"pub": bytes(32), "msg": b""}, "'sig' is missing"),
    ],
)
def test_bad_questions_are_one_line(operation: str, inputs: dict[str, bytes], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        expected_output(operation, inputs)
    assert said in caught.value.message and "\n" not in caught.value.message


def test_unknown_signature_encodings_are_refused() -> None:
    inputs = load_vectors(ROOT, "ecdsa-p256-sha256").of("verify", "der")[0].inputs
    with pytest.raises(UsageError, match="'derr'"):
        signature_is_valid("ecdsa-p256-sha256/verify", inputs, inputs["sig"], "derr")
