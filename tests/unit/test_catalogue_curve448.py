# SPDX-License-Identifier: Apache-2.0
"""X448 and Ed448 of the oracle against a second one, `cryptography`."""

from __future__ import annotations

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ed448, x448
from hypothesis import given, settings
from hypothesis import strategies as st

from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.vectors import load_vectors
from cipherstone.operations.oracle import expected_output, made, signature_is_valid

ROOT = data_root()
X448_KEYS = st.binary(min_size=56, max_size=56)


@given(key=X448_KEYS, peer=X448_KEYS)
@settings(max_examples=20, deadline=None)
def test_x448(key: bytes, peer: bytes) -> None:
    private = x448.X448PrivateKey.from_private_bytes
    pub = private(peer).public_key()
    assert expected_output("x448/derive", {"key": key, "pub": pub.public_bytes_raw()}) == private(key).exchange(pub)


def test_x448_special_points() -> None:
    """`cryptography` refuses an all-zero secret; everywhere else both must give the same."""
    zeros = 0
    for vector in load_vectors(ROOT, "x448").of("derive"):
        private = x448.X448PrivateKey.from_private_bytes(vector.inputs["key"])
        try:
            other = private.exchange(x448.X448PublicKey.from_public_bytes(vector.inputs["pub"]))
        except ValueError:
            other, zeros = bytes(56), zeros + 1
        assert expected_output("x448/derive", vector.inputs) == other, vector.id
    assert zeros >= 5


@given(seed=st.binary(min_size=57, max_size=57), message=st.binary(max_size=300))
@settings(max_examples=20, deadline=None)
def test_ed448(seed: bytes, message: bytes) -> None:
    private = ed448.Ed448PrivateKey.from_private_bytes(seed)
    pub = private.public_key().public_bytes_raw()
    assert expected_output("ed448/keygen", {"seed": seed}) == seed + pub
    signature = private.sign(message)
    inputs = {"key": seed, "pub": pub, "msg": message}
    assert expected_output("ed448/sign", inputs) == signature == made("ed448/sign", inputs)
    assert signature_is_valid("ed448/sign", inputs, signature)
    assert not signature_is_valid("ed448/sign", inputs, signature[:-1])
    assert not signature_is_valid("ed448/sign", {**inputs, "msg": message + b"x"}, signature)


def test_both_oracles_judge_every_ed448_signature_alike() -> None:
    for vector in load_vectors(ROOT, "ed448").of("verify"):
        key = ed448.Ed448PublicKey.from_public_bytes(vector.inputs["pub"])
        if vector.expect == "ok":
            key.verify(vector.inputs["sig"], vector.inputs["msg"])
            continue
        with pytest.raises(InvalidSignature):
            key.verify(vector.inputs["sig"], vector.inputs["msg"])
