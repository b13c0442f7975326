# SPDX-License-Identifier: Apache-2.0
"""The oracles of further ciphers and modes, against `cryptography`, and against iterated tests of their standards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from cryptography.hazmat.decrepit.ciphers.algorithms import Camellia
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESCCM, AESGCM, AESGCMSIV, AESOCB3
from cryptography.hazmat.primitives.keywrap import aes_key_unwrap, aes_key_wrap
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.paths import data_root
from cipherstone.model.errors import NotAuthentic
from cipherstone.operations.oracle import expected_output

CATALOGUE = load_catalogue(data_root())
MESSAGES = st.binary(max_size=300)
BLOCKS = st.integers(1, 20).flatmap(lambda n: st.binary(min_size=16 * n, max_size=16 * n))

CIPHERS: dict[str, Callable[[bytes, bytes], Any]] = {
    "aes-192-cbc": lambda key, iv: Cipher(algorithms.AES(key), modes.CBC(iv)),
    "aes-192-ctr": lambda key, iv: Cipher(algorithms.AES(key), modes.CTR(iv)),
    "aes-128-xts": lambda key, iv: Cipher(algorithms.AES(key), modes.XTS(iv)),
    "aes-256-xts": lambda key, iv: Cipher(algorithms.AES(key), modes.XTS(iv)),
    "camellia-128-cbc": lambda key, iv: Cipher(Camellia(key), modes.CBC(iv)),
    "sm4-ctr": lambda key, iv: Cipher(algorithms.SM4(key), modes.CTR(iv)),
}
AEADS: dict[str, Callable[[bytes], Any]] = {
    "aes-192-gcm": AESGCM,
    "aes-128-ccm": AESCCM,
    "aes-256-ccm": AESCCM,
    "aes-128-ocb": AESOCB3,
    "aes-256-ocb": AESOCB3,
    "aes-128-gcm-siv": AESGCMSIV,
    "aes-256-gcm-siv": AESGCMSIV,
}


def lengths(algorithm: str) -> dict[str, int]:
    return CATALOGUE.lengths[algorithm]


def computed(operation: str, inputs: dict[str, bytes]) -> bytes:
    output = expected_output(operation, inputs)
    assert output is not None
    return output


def drawn(data: st.DataObject, algorithm: str, name: str) -> bytes:
    size = lengths(algorithm)[name]
    return data.draw(st.binary(min_size=size, max_size=size))


@pytest.mark.parametrize("algorithm", CIPHERS)
@settings(max_examples=40)
@given(data=st.data(), message=BLOCKS)
def test_ciphers(algorithm: str, data: st.DataObject, message: bytes) -> None:
    key, iv = drawn(data, algorithm, "key"), drawn(data, algorithm, "iv")
    assume(
        not algorithm.endswith("-xts") or key[: len(key) // 2] != key[len(key) // 2 :]
    )  # `cryptography` refuses them
    other = CIPHERS[algorithm](key, iv).encryptor()
    inputs = {"key": key, "iv": iv, "msg": message}
    ciphertext = computed(f"{algorithm}/encrypt", inputs)
    assert ciphertext == other.update(message) + other.finalize()
    if f"{algorithm}/decrypt" in CATALOGUE.operations:
        assert expected_output(f"{algorithm}/decrypt", {**inputs, "msg": ciphertext}) == message


@pytest.mark.parametrize("algorithm", AEADS)
@settings(max_examples=40)
@given(data=st.data(), aad=MESSAGES, message=st.binary(min_size=1, max_size=300))
def test_aeads(algorithm: str, data: st.DataObject, aad: bytes, message: bytes) -> None:
    key, iv = drawn(data, algorithm, "key"), drawn(data, algorithm, "iv")
    inputs = {"key": key, "iv": iv, "aad": aad, "msg": message}
    sealed = computed(f"{algorithm}/seal", inputs)
    assert sealed == AEADS[algorithm](key).encrypt(iv, message, aad or None)
    opened = {**inputs, "msg": sealed[:-16], "tag": sealed[-16:]}
    assert expected_output(f"{algorithm}/open", opened) == message
    with pytest.raises(NotAuthentic):
        expected_output(f"{algorithm}/open", {**opened, "tag": bytes(b ^ 1 for b in sealed[-16:])})


@pytest.mark.parametrize("bits", [128, 256])
@settings(max_examples=40)
@given(data=st.data(), key=st.integers(2, 20).flatmap(lambda n: st.binary(min_size=8 * n, max_size=8 * n)))
def test_key_wrap(bits: int, data: st.DataObject, key: bytes) -> None:
    outer = drawn(data, f"aes-{bits}-kw", "key")
    wrapped = computed(f"aes-{bits}-kw/wrap", {"key": outer, "msg": key})
    assert wrapped == aes_key_wrap(outer, key) and aes_key_unwrap(outer, wrapped) == key
    assert expected_output(f"aes-{bits}-kw/unwrap", {"key": outer, "msg": wrapped}) == key
    with pytest.raises(NotAuthentic):
        expected_output(f"aes-{bits}-kw/unwrap", {"key": outer, "msg": bytes([wrapped[0] ^ 1]) + wrapped[1:]})


# RFC 7253 appendix A: the tag of a message that is made of 128 sealed ones.
@pytest.mark.parametrize(
    ("bits", "due"), [(128, "67E944D23256C5E0B6C61FA22FDF1EA2"), (256, "D90EB8E9C977C88B79DD793D7FFA161C")]
)
def test_the_iterated_test_of_ocb(bits: int, due: str) -> None:
    key = bytes(bits // 8 - 1) + bytes([128])

    def sealed(number: int, aad: bytes, message: bytes) -> bytes:
        inputs = {"key": key, "iv": number.to_bytes(12, "big"), "aad": aad, "msg": message}
        return computed(f"aes-{bits}-ocb/seal", inputs)

    whole = b""
    for i in range(128):
        s = bytes(i)
        whole += sealed(3 * i + 1, s, s) + sealed(3 * i + 2, b"", s) + sealed(3 * i + 3, s, b"")
    assert sealed(385, whole, b"").hex().upper() == due


def test_aria_of_its_standard() -> None:
    """RFC 5794 appendix A.1: one block, which counter mode from that block shows over zeros."""
    key, block = bytes(range(16)), bytes.fromhex("00112233445566778899aabbccddeeff")
    inputs = {"key": key, "iv": block, "msg": bytes(16)}
    assert computed("aria-128-ctr/encrypt", inputs).hex() == "d718fbd6ab644c739da95f3be6451778"
