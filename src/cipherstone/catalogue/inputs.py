# SPDX-License-Identifier: Apache-2.0
"""The inputs that are timed: the same bytes for every library, machine and run.

Symmetric keys, nonces and messages are SplitMix64 streams (PROTOCOL.md section 2), so that a request names them in a few characters. Private keys are such
streams too; the peer's public value, the ciphertext, the tag and the signature that belong to them come from the oracle, once a process.
Numbers of modular arithmetic are fixed too (bignum_inputs.py).
Key generation has no inputs: it draws from the library's own generator. AEADs get 13 bytes of associated data, the length that TLS 1.2 has (RFC 5246 section 6.2.3.3); sign and verify get a message of 32 bytes.
"""

from __future__ import annotations

from functools import lru_cache

import msgspec

from cipherstone.catalogue import bignum_oracle, oracle, round_trip
from cipherstone.catalogue.bignum_inputs import bignum_inputs
from cipherstone.catalogue.splitmix import MAX_SEED
from cipherstone.catalogue.splitmix import splitmix64 as splitmix64
from cipherstone.model.errors import UsageError, nearest
from cipherstone.model.ids import Case

AAD_BYTES = 13
SIGNED_BYTES = 32
_KEY_SEED, _IV_SEED, _AAD_SEED, _MSG_SEED, _PEER_SEED = 1, 2, 3, 4, 5

# Bytes of key and of iv; iv 0: the algorithm has none.
_KEY_AND_IV = {
    "hmac-sha-256": (32, 0),
    "cmac-aes-128": (16, 0),
    "cmac-aes-256": (32, 0),
    "ghash": (16, 0),
    "poly1305": (32, 0),
    "aes-128-cbc": (16, 16),
    "aes-256-cbc": (32, 16),
    "3des-cbc": (24, 8),
    "aes-128-ctr": (16, 16),
    "aes-256-ctr": (32, 16),
    "chacha20": (32, 12),
    "aes-128-gcm": (16, 12),
    "aes-256-gcm": (32, 12),
    "chacha20-poly1305": (32, 12),
}


class InputValue(msgspec.Struct, frozen=True):
    """One input of a case. `data`: its bytes; `seed`: of the SplitMix64 stream that `data` is, else None."""

    data: bytes
    seed: int | None = None

    @staticmethod
    def generated(seed: int, length: int) -> InputValue:
        """`length` bytes of the SplitMix64 stream of `seed` (0 <= seed < 2^64)."""
        return InputValue(splitmix64(seed, length), seed)

    @staticmethod
    def parse(text: str) -> InputValue:
        """The inverse of `protocol_text`. Raises UsageError."""
        kind, colon, rest = text.partition(":")
        if kind + colon == "hex:" and len(rest) % 2 == 0 and all(c in "0123456789abcdef" for c in rest):
            return InputValue(bytes.fromhex(rest))
        seed, _, length = rest.partition(":")
        if (
            kind == "gen"
            and all(part.isascii() and part.isdecimal() for part in (seed, length))
            and int(seed) <= MAX_SEED
        ):
            return InputValue.generated(int(seed), int(length))
        raise UsageError(
            f"input value: '{text[:40]}' is neither hex:00ff nor gen:SEED:LENGTH", "see protocol/PROTOCOL.md, section 2"
        )

    def protocol_text(self) -> str:
        """`gen:SEED:LENGTH` where it can be, else `hex:...`."""
        return f"hex:{self.data.hex()}" if self.seed is None else f"gen:{self.seed}:{len(self.data)}"


def timed_inputs(case: Case, form: str | None = None) -> dict[str, InputValue]:
    """The inputs of `case` by name, as its verb has them (PROTOCOL.md section 2).

    `form`: encoding of an ECDSA signature, `der` (also if None) or `p1363`. Raises UsageError for a case that this module knows no inputs for.
    A kernel's inputs follow its implementation, which is its `form`.
    """
    from cipherstone.catalogue import kernels  # made of this module's values, so not before it

    return kernels.kernel_inputs(case, form) if kernels.is_kernel(case.algorithm) else dict(_inputs(case, form))


@lru_cache(maxsize=512)
def _inputs(case: Case, form: str | None) -> dict[str, InputValue]:
    sized = {"hash": _hash, "mac": _mac, "encrypt": _encrypt, "decrypt": _decrypt, "seal": _seal, "open": _open}
    if case.operation in bignum_oracle.COMPUTE and case.size_bytes is None:
        return {name: InputValue(data) for name, data in bignum_inputs(case).items()}
    whole = {
        "derive": _derive,
        "sign": _sign,
        "verify": _verify,
        "keygen": _keygen,
        "encaps": _encaps,
        "decaps": _decaps,
    }
    if case.operation in oracle.OPERATIONS:
        if case.verb in sized and case.size_bytes is not None:
            return sized[case.verb](case.algorithm, case.size_bytes)
        if case.verb in whole and case.size_bytes is None:
            return whole[case.verb](case.algorithm, form or "der")
        wrong = "needs bytes=N" if case.verb in sized else "has no sizes"
        raise UsageError(f"inputs: '{case.id}': {case.operation} {wrong}", "see `cipherstone list --operations`")
    raise UsageError(f"inputs: '{case.operation}' is not known", nearest(case.operation, oracle.OPERATIONS))


@lru_cache(maxsize=512)
def timed_output(case: Case, form: str | None = None) -> bytes | None:
    """What the oracle says about the timed inputs of `case`: the output, or None where it is randomised. Computed once a process."""
    return oracle.expected_output(
        case.operation, {name: value.data for name, value in _inputs(case, form).items()}, form
    )


@lru_cache(maxsize=32)
def _message(size_bytes: int) -> InputValue:
    return InputValue.generated(_MSG_SEED, size_bytes)


def _hash(algorithm: str, size_bytes: int) -> dict[str, InputValue]:
    return {"msg": _message(size_bytes)}


def _mac(algorithm: str, size_bytes: int) -> dict[str, InputValue]:
    return {"key": InputValue.generated(_KEY_SEED, _KEY_AND_IV[algorithm][0]), "msg": _message(size_bytes)}


def _encrypt(algorithm: str, size_bytes: int) -> dict[str, InputValue]:
    key_bytes, iv_bytes = _KEY_AND_IV[algorithm]
    return {
        "key": InputValue.generated(_KEY_SEED, key_bytes),
        "iv": InputValue.generated(_IV_SEED, iv_bytes),
        "msg": _message(size_bytes),
    }


def _decrypt(algorithm: str, size_bytes: int) -> dict[str, InputValue]:
    inputs = _encrypt(algorithm, size_bytes)
    return inputs | {"msg": InputValue(_output(Case(algorithm, "encrypt", size_bytes)))}


def _seal(algorithm: str, size_bytes: int) -> dict[str, InputValue]:
    inputs = _encrypt(algorithm, size_bytes)
    return {
        "key": inputs["key"],
        "iv": inputs["iv"],
        "aad": InputValue.generated(_AAD_SEED, AAD_BYTES),
        "msg": inputs["msg"],
    }


def _open(algorithm: str, size_bytes: int) -> dict[str, InputValue]:
    inputs = _seal(algorithm, size_bytes)
    sealed = _output(Case(algorithm, "seal", size_bytes))
    return inputs | {"msg": InputValue(sealed[:size_bytes]), "tag": InputValue(sealed[size_bytes:])}


def _derive(algorithm: str, form: str) -> dict[str, InputValue]:
    return {
        "key": InputValue.generated(_KEY_SEED, 32),
        "pub": InputValue(oracle.public_key(algorithm, splitmix64(_PEER_SEED, 32))),
    }


def _sign(algorithm: str, form: str) -> dict[str, InputValue]:
    # The stream of this seed, read as a scalar, is between 0 and the order of P-256.
    key = InputValue.generated(_KEY_SEED, 32)
    return {"key": key, "pub": InputValue(oracle.public_key(algorithm, key.data)), "msg": _message(SIGNED_BYTES)}


def _verify(algorithm: str, form: str) -> dict[str, InputValue]:
    inputs = _sign(algorithm, form)
    signature = oracle.sign(algorithm, inputs["key"].data, inputs["msg"].data, form)
    return {"pub": inputs["pub"], "msg": inputs["msg"], "sig": InputValue(signature)}


def _keygen(algorithm: str, form: str) -> dict[str, InputValue]:
    return {}


def _encaps(algorithm: str, form: str) -> dict[str, InputValue]:
    return {"pub": InputValue(round_trip.timed_pair(algorithm)[1])}


def _decaps(algorithm: str, form: str) -> dict[str, InputValue]:
    key, msg = round_trip.timed_pair(algorithm)[0], round_trip.timed_ciphertext(algorithm)
    return {"key": InputValue(key), "msg": InputValue(msg)}


def _output(case: Case) -> bytes:
    output = timed_output(case)
    assert output is not None, case.id
    return output
