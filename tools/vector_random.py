# SPDX-License-Identifier: Apache-2.0
"""What is asked of generators: there is no answer that could be published."""

from __future__ import annotations

from vector_sources import Entry, Sources, make_entry

LENGTHS = (
    16,
    31,
    32,
    33,
    64,
    255,
    256,
    1000,
    1024,
    1025,
    4096,
)  # around the blocks of generators, and around what some give in one call
FORKED = (16, 32, 64)
DRAWN = "drawn: no answer is published"


def fetch(sources: Sources) -> list[Entry]:
    """Bytes to draw, twice each; and after a fork the child's bytes, which must not be its parent's."""
    return [
        *(make_entry(f"fetch-{n}", "fetch", {"msg": bytes(n).hex()}, DRAWN) for n in LENGTHS),
        *(
            make_entry(
                f"fork-{n}",
                "fetch",
                {"msg": bytes(n).hex(), "fork": "01"},
                DRAWN,
                expect="rejected",
                flags=["ChildRepeats"],
                note="parent and child draw after a fork",
            )
            for n in FORKED
        ),
    ]
