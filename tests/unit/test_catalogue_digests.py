# SPDX-License-Identifier: Apache-2.0
"""The oracles of further hashes, against Python's hashlib, at the length that the catalogue says."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.paths import data_root
from cipherstone.operations.oracle import expected_output

CATALOGUE = load_catalogue(data_root())
FIXED = {
    "sha-224": "sha224",
    "sha-384": "sha384",
    "sha-512-256": "sha512_256",
    "sha3-384": "sha3_384",
    "sha3-512": "sha3_512",
    "blake2s-256": "blake2s",
    "sm3": "sm3",
    "ripemd-160": "ripemd160",
}


@pytest.mark.parametrize("name", FIXED)
@given(message=st.binary(max_size=300))
def test_hashes(name: str, message: bytes) -> None:
    digest = hashlib.new(FIXED[name], message).digest()
    assert expected_output(f"{name}/hash", {"msg": message}) == digest
    assert len(digest) == CATALOGUE.lengths[name]["digest"]


@pytest.mark.parametrize(("name", "strength"), [("shake128", 128), ("shake256", 256)])
@given(message=st.binary(max_size=300))
def test_extendable_output_is_as_long_as_twice_the_strength(name: str, strength: int, message: bytes) -> None:
    bytes_out = 2 * strength // 8
    shake = hashlib.shake_128 if strength == 128 else hashlib.shake_256
    assert expected_output(f"{name}/hash", {"msg": message}) == shake(message).digest(bytes_out)
    assert CATALOGUE.lengths[name]["digest"] == bytes_out
