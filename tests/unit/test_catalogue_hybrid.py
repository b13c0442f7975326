# SPDX-License-Identifier: Apache-2.0
"""X25519MLKEM768 as the judge has it: either half that is wrong is found."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from cipherstone.operations import mlkem
from cipherstone.operations.oracle import MustNotBeUsed, NotAuthentic, expected_output, made, random_output_problem
from cipherstone.operations.schemes import schemes

NAME = "x25519mlkem768"
OF = mlkem.SETS["ml-kem-768"]
BORDERS = {"key": 2400, "pub": 1184, "ciphertext": 1088}  # where X25519 begins


def test_a_pair_is_judged_by_both_halves() -> None:
    key, pub = schemes()[NAME].key_pair(0)
    assert (len(key), len(pub)) == (2432, 1216)
    assert random_output_problem(f"{NAME}/keygen", {}, key + pub) == ""
    for place in (5, BORDERS["key"] + 5, len(key) + 5, len(key) + BORDERS["pub"] + 5):
        changed = bytearray(key + pub)
        changed[place] ^= 0x10
        assert random_output_problem(f"{NAME}/keygen", {}, bytes(changed)), place


def test_encapsulation_is_judged_by_both_halves() -> None:
    key, pub = schemes()[NAME].key_pair(0)
    output = made(f"{NAME}/encaps", {"pub": pub})
    assert len(output) == 1120 + 64 and random_output_problem(f"{NAME}/encaps", {"pub": pub}, output) == ""
    for place in (0, BORDERS["ciphertext"], 1120, 1120 + 32):
        changed = bytearray(output)
        changed[place] ^= 0x10
        assert random_output_problem(f"{NAME}/encaps", {"pub": pub}, bytes(changed)), place
    assert expected_output(f"{NAME}/decaps", {"key": key, "msg": output[:1120]}) == output[1120:]


def test_a_second_x25519_agrees_about_its_half() -> None:
    key, pub = schemes()[NAME].key_pair(0)
    output = made(f"{NAME}/encaps", {"pub": pub})
    private = X25519PrivateKey.from_private_bytes(key[2400:])
    assert private.public_key().public_bytes_raw() == pub[1184:]
    assert private.exchange(X25519PublicKey.from_public_bytes(output[1088:1120])) == output[-32:]
    assert mlkem.decaps(OF, key[:2400], output[:1088]) == output[1120:1152]


def test_what_ml_kem_refuses_is_refused() -> None:
    key, pub = schemes()[NAME].key_pair(0)
    output = made(f"{NAME}/encaps", {"pub": pub})
    with pytest.raises(MustNotBeUsed):
        expected_output(f"{NAME}/encaps", {"pub": b"\xff" * 1184 + pub[1184:]})
    with pytest.raises(MustNotBeUsed):
        expected_output(f"{NAME}/decaps", {"key": key[:2350] + bytes(18) + key[2368:], "msg": output[:1120]})
    with pytest.raises(NotAuthentic):
        expected_output(f"{NAME}/decaps", {"key": key, "msg": output[:1119]})
    changed = bytes([output[0] ^ 1]) + output[1:1120]
    secret = expected_output(f"{NAME}/decaps", {"key": key, "msg": changed})
    assert secret is not None and secret[:32] == mlkem.rejection_secret(key[:2400], changed[:1088])
    assert secret[32:] == output[-32:]
