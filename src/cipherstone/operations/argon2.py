# SPDX-License-Identifier: Apache-2.0
"""Argon2id (RFC 9106) by the reference implementation, which PyCryptodome does not have: the C code of its authors, through argon2-cffi-bindings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Inputs = Mapping[str, bytes]
Params = Mapping[str, str]
VERSION = 0x13


def argon2id(password: bytes, salt: bytes, size_bytes: int, memory_kib: int, passes: int, lanes: int) -> bytes:
    """A tag of `size_bytes` (4 or more). Raises ValueError where the reference refuses: `salt` below 8 bytes, less than 8 KiB a lane."""
    ffi, lib = _bindings()
    out = ffi.new("uint8_t[]", size_bytes)
    code = lib.argon2_hash(
        passes,
        memory_kib,
        lanes,
        ffi.from_buffer(password),
        len(password),
        ffi.from_buffer(salt),
        len(salt),
        out,
        size_bytes,
        ffi.NULL,
        0,
        lib.Argon2_id,
        VERSION,
    )
    if code != lib.ARGON2_OK:
        raise ValueError(ffi.string(lib.argon2_error_message(code)).decode())
    return bytes(ffi.buffer(out, size_bytes))


def argon2id_of(size_bytes: int) -> Callable[[Inputs, Params], bytes]:
    """`m` (KiB), `t` and `p` are parameters."""

    def compute(inputs: Inputs, params: Params) -> bytes:
        memory, passes, lanes = (int(params[name]) for name in ("m", "t", "p"))
        return argon2id(inputs["key"], inputs["salt"], size_bytes, memory, passes, lanes)

    return compute


def _bindings() -> tuple[Any, Any]:
    from _argon2_cffi_bindings import ffi, lib  # type: ignore[import-untyped]

    return ffi, lib
