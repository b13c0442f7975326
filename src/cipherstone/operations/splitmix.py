# SPDX-License-Identifier: Apache-2.0
"""The SplitMix64 stream (Steele, Lea, Flood 2014) that inputs are made of: PROTOCOL.md section 2."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from cipherstone.model.errors import UsageError
from cipherstone.model.later import Later

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")


MAX_SEED = (1 << 64) - 1
_GAMMA = 0x9E3779B97F4A7C15


def stream_number(base: int, member: int) -> int:
    """The seed of a stream that lies anywhere (below 2^64), for numbers that have no end; `base`: what it is for."""
    return int.from_bytes(hashlib.blake2b(f"{base}:{member}".encode(), digest_size=8).digest(), "big")


def splitmix64(seed: int, length: int) -> bytes:
    """`length` bytes of the SplitMix64 stream as PROTOCOL.md section 2 has it."""
    if not 0 <= seed <= MAX_SEED:
        raise UsageError(f"seed: '{seed}' is not in 0 .. 2^64 - 1", "")
    words = (length + 7) // 8
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + np.uint64(_GAMMA) * np.arange(1, words + 1, dtype=np.uint64)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    return z.astype("<u8").tobytes()[:length]
