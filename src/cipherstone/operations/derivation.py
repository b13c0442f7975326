# SPDX-License-Identifier: Apache-2.0
"""Derivation of keys by PyCryptodome: HKDF (RFC 5869), PBKDF2 (RFC 8018 section 5.2), scrypt (RFC 7914). And what is timed: secrets of 32 bytes, as the catalogue's other keys have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from Crypto.Protocol.KDF import HKDF, PBKDF2, scrypt

from cipherstone.operations.splitmix import splitmix64

Inputs = Mapping[str, bytes]
Params = Mapping[str, str]
_SALT_SEED, _INFO_SEED = 5, 6

# As long as the label of TLS 1.3 for the client's handshake key (RFC 8446 section 7.1): a length of 2 bytes, "tls13 c hs traffic" and a digest of 32 bytes, each behind its own length of a byte.
_INFO_BYTES = 2 + 1 + 18 + 1 + 32
EXPANDED = {"salt": splitmix64(_SALT_SEED, 32), "info": splitmix64(_INFO_SEED, _INFO_BYTES)}
# What RFC 9106 section 3.1 recommends for passwords; NIST SP 800-132 section 5.1 asks for it.
PASSWORD = {"salt": splitmix64(_SALT_SEED, 16)}


def hkdf(module: Any, size_bytes: int) -> Callable[[Inputs], bytes]:
    """Extract and expand with a hash of PyCryptodome's, to `size_bytes` of output."""

    def compute(inputs: Inputs) -> bytes:
        made = HKDF(inputs["key"], size_bytes, inputs.get("salt", b""), module, context=inputs.get("info", b""))
        assert isinstance(made, bytes)
        return made

    return compute


def pbkdf2(module: Any, size_bytes: int) -> Callable[[Inputs, Params], bytes]:
    """With the HMAC of a hash of PyCryptodome's; `iterations` is a parameter."""

    def compute(inputs: Inputs, params: Params) -> bytes:
        iterations = int(params["iterations"])
        return bytes(PBKDF2(inputs["key"], inputs["salt"], size_bytes, iterations, hmac_hash_module=module))

    return compute


def scrypt_of(size_bytes: int) -> Callable[[Inputs, Params], bytes]:
    """`n`, `r` and `p` are parameters."""

    def compute(inputs: Inputs, params: Params) -> bytes:
        n, r, p = (int(params[name]) for name in ("n", "r", "p"))
        made = scrypt(inputs["key"], inputs["salt"], size_bytes, n, r, p)
        assert isinstance(made, bytes)
        return made

    return compute
