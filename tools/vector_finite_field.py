# SPDX-License-Identifier: Apache-2.0
"""Known answers of key agreement in RFC 7919's groups. No package that is fetched here publishes any, so they are computed: by the judge's plain Python, and by PyCryptodome's numbers (GMP where it is there), which must agree."""

from __future__ import annotations

from collections.abc import Callable

import vector_keys
from Crypto.Math.Numbers import Integer
from vector_sources import Entry, Sources, make_entry

from cipherstone.operations.finite_field import EXPONENT_BITS, group
from cipherstone.operations.splitmix import splitmix64

PAIRS = 8
COMPUTED = "computed: plain Python and PyCryptodome's Integer agree; the group is RFC 7919's"
REFUSED = "SP 800-56A section 5.6.2.3.1: public values from 2 to p - 2 alone"
_EXPONENT_SEED, _PEER_SEED = 9000, 9100


def ffdh(bits: int) -> Callable[[Sources], list[Entry]]:
    def select(sources: Sources) -> list[Entry]:
        of, size = group(bits), bits // 8
        short = EXPONENT_BITS[bits]
        # Exponents of the recommended length, and some as long as the order; public values of both kinds.
        exponents = [_exponent(_EXPONENT_SEED + n, short if n < PAIRS - 2 else bits - 2) for n in range(PAIRS)]
        peers = [pow(of.g, _exponent(_PEER_SEED + n, bits - 2), of.p) for n in range(PAIRS)]
        large = next(y for y in range(of.p - 2, 0, -1) if pow(y, (of.p - 1) // 2, of.p) == 1)
        cases = [(f"pair-{n + 1}", x, y, "") for n, (x, y) in enumerate(zip(exponents, peers, strict=True))]
        cases += [
            ("small-public", exponents[0], 9, "a small public value, the square of 3"),
            ("large-public", exponents[0], large, "the greatest public value of the subgroup"),
            ("one-bit", 1 << (short - 1), peers[1], "an exponent of one bit"),
            ("all-bits", (1 << short) - 1, peers[2], "an exponent of ones"),
        ]
        entries = []
        for name, x, y, note in cases:
            shared = pow(y, x, of.p)
            if int(pow(Integer(y), Integer(x), Integer(of.p))) != shared:
                raise SystemExit(f"dh-{bits}: {name}: the two do not agree")
            inputs = {"key": x.to_bytes(size, "big").hex(), "pub": y.to_bytes(size, "big").hex()}
            entries.append(
                make_entry(f"derive-{name}", "derive", inputs, COMPUTED, shared.to_bytes(size, "big").hex(), note=note)
            )
        refused = {
            "0": 0, "1": 1, "p-1": of.p - 1, "p": of.p, "p+1": of.p + 1, "p+2": of.p + 2, "p+4": of.p + 4, "ones": (1 << bits) - 1,
        }  # fmt: skip
        key = exponents[0].to_bytes(size, "big").hex()
        for name, y in refused.items():
            inputs = {"key": key, "pub": y.to_bytes(size, "big").hex()}
            entries.append(make_entry(f"derive-public-{name}", "derive", inputs, REFUSED, expect="bad-key", note=name))
        return entries + vector_keys.curve(sources)

    return select


def _exponent(seed: int, bits: int) -> int:
    return int.from_bytes(splitmix64(seed, -(-bits // 8)), "big") & ((1 << bits) - 1) | 1 << (bits - 1)
