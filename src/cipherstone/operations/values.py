# SPDX-License-Identifier: Apache-2.0
"""A value of an input: bytes that a request names in a few characters where they are a stream."""

from __future__ import annotations

import msgspec

from cipherstone.model.errors import UsageError
from cipherstone.operations.splitmix import MAX_SEED, splitmix64


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
