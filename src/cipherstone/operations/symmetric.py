# SPDX-License-Identifier: Apache-2.0
"""What folders of ciphers and of authenticated encryption share: a table of functions by verb, made of what opens a cipher."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cipherstone.model.errors import NotAuthentic

Inputs = Mapping[str, bytes]
Compute = Callable[[Inputs], bytes]
TAG_BYTES = 16


def cipher(new: Callable[[Inputs], Any]) -> dict[str, Compute]:
    """`encrypt` and `decrypt` with what `new` opens: an object of PyCryptodome's kind that takes the whole message at once."""
    return {
        "encrypt": lambda inputs: bytes(new(inputs).encrypt(inputs["msg"])),
        "decrypt": lambda inputs: bytes(new(inputs).decrypt(inputs["msg"])),
    }


def aead(new: Callable[[Inputs], Any]) -> dict[str, Compute]:
    """`seal` and `open` with what `new` opens: an object of PyCryptodome's kind that takes associated data and then the message."""

    def seal(inputs: Inputs) -> bytes:
        state = new(inputs)
        state.update(inputs["aad"])
        ciphertext, tag = state.encrypt_and_digest(inputs["msg"])
        return bytes(ciphertext + tag)

    def opened(inputs: Inputs) -> bytes:
        state = new(inputs)
        state.update(inputs["aad"])
        try:
            return bytes(state.decrypt_and_verify(inputs["msg"], inputs["tag"]))
        except ValueError:
            raise NotAuthentic("the tag is not authentic") from None

    return {"seal": seal, "open": opened}
