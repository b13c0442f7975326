# SPDX-License-Identifier: Apache-2.0
"""The oracle of further MACs, against a second program."""

from __future__ import annotations

import hmac
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cipherstone.model.errors import UsageError
from cipherstone.operations.oracle import expected_output
from cipherstone.operations.siphash import siphash

HMACS = {"hmac-sha-1": "sha1", "hmac-sha-384": "sha384", "hmac-sha-512": "sha512"}


@pytest.mark.parametrize("name", HMACS)
@given(key=st.binary(min_size=1, max_size=200), message=st.binary(max_size=300))
def test_hmac(name: str, key: bytes, message: bytes) -> None:
    assert expected_output(f"{name}/mac", {"key": key, "msg": message}) == hmac.digest(key, message, HMACS[name])


# Python hashes bytes with SipHash-1-3 if it was built so, under a key that is made of PYTHONHASHSEED.
@pytest.mark.skipif(sys.hash_info.algorithm != "siphash13", reason="this Python hashes bytes otherwise")
@pytest.mark.parametrize("length", [1, 7, 8, 9, 15, 16, 17, 63, 64, 255, 256, 300])
def test_siphash_is_pythons_with_its_rounds(length: int) -> None:
    message = bytes(range(256)) * 2
    code = f"print(hash({message[:length]!r}) & 0xFFFFFFFFFFFFFFFF)"
    told = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONHASHSEED": "0"}, capture_output=True, text=True, check=True
    )
    tag = siphash(bytes(16), message[:length], per_word=1, at_the_end=3)
    assert int(told.stdout) == int.from_bytes(tag, "little")


def test_a_key_of_siphash_has_16_bytes() -> None:
    with pytest.raises(UsageError, match="16 bytes"):
        expected_output("siphash-2-4/mac", {"key": bytes(15), "msg": b""})
