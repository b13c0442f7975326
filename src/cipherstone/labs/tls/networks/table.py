# SPDX-License-Identifier: Apache-2.0
"""Handshakes over networks, as text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from cipherstone.labs.tls.networks.links import TIER_WORDS
from cipherstone.labs.tls.networks.timed import Networked, Timed
from cipherstone.labs.tls.words import handshake_words
from cipherstone.model.text import in_one_line
from cipherstone.report.render.screen_table import Column, table_lines

HEAD = (
    Column("network", words=True),
    Column("handshake", words=True),
    Column("trips"),
    Column("model"),
    Column("measured"),
    Column("from-to"),
    Column("over"),
    Column("lost"),
)


def networked_text(found: Networked, width: int) -> str:
    """A table for each build, and what its columns mean, in lines of at most `width` columns."""
    lines: list[str] = []
    for build in found.builds:
        rows = [row for row in found.rows if row.build == build.name]
        lines += [f"{build.title}, tier {found.tier} ({TIER_WORDS[found.link]}), milliseconds:"]
        lines += [*table_lines(HEAD, list(_lines(rows)), width, first=10), ""]
    for text in _notes(found):
        lines += textwrap.wrap(in_one_line(text), width, subsequent_indent="  ", break_on_hyphens=False)
    return "\n".join(lines)


def _lines(rows: list[Timed]) -> Iterator[tuple[str, ...]]:
    before = ""
    for row in rows:
        # All have X25519 and P-256 but where it says otherwise.
        words = handshake_words({**row.kind.params, "group": ""}).replace(", P-256", "")
        share = (row.measured_ms - row.model_ms) / row.model_ms
        lost = "-" if row.dropped is None else f"{row.dropped}/{row.packets}"
        yield (
            row.network if row.network != before else "",
            words,
            f"{row.round_trips}",
            _ms(row.model_ms),
            _ms(row.measured_ms),
            f"{_ms(row.low_ms)}-{_ms(row.high_ms)}",
            f"{share:+.0%}" if abs(share) >= 0.1 else f"{share:+.1%}",
            lost,
        )
        before = row.network


def _ms(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _notes(found: Networked) -> Iterator[str]:
    yield (
        "From connecting to the finished handshake, by the client's clock: two processes in two network namespaces, TCP between them, every handshake verified and read back. "
        "Measured: the median of all tries, and from the least to the most."
    )
    yield (
        "model: tier 0, computed: so many round trips, all bytes at the line's rate, and the processor time of both sides in memory. It knows no losses. "
        "over: measured beyond the model. Beyond both stand the system's calls, scheduling, and TCP's own choices."
    )
    if found.late_us is not None:
        middle, worst = found.late_us
        yield (
            f"lost: packets that the wire dropped, of all; which ones, seed {found.seed} says. The wire's own error: packets left it {middle:.0f} us later than due (of one in a hundred {worst:.0f} us), on the worst of the networks."
        )
    if failed := sum(row.failed for row in found.rows):
        yield f"{failed} of {sum(row.tries for row in found.rows)} handshakes failed, where packets are lost: a side waits five seconds at most."
    client, wire = found.cpus
    where = f" Both sides on CPU {client}" + (f", the wire on CPU {wire}." if found.tier == 1 else ".")
    yield f"TCP of this system with {found.tcp or 'an unknown congestion control'}.{where if client is not None else ''}"
    for one in found.left_out:
        yield f"without {one.name}: {one.why}"
