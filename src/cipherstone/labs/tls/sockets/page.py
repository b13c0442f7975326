# SPDX-License-Identifier: Apache-2.0
"""The page's table over sockets as one HTML file, in the style of the report: no network, no script."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cipherstone import __version__
from cipherstone.labs.tls.sockets.results import Row, Sockets
from cipherstone.labs.tls.sockets.table import blocks, notes
from cipherstone.model.summary import Estimate
from cipherstone.report.blocks.tables import csv_text
from cipherstone.report.render.html import page_style, page_text

HEAD = ("table", "task", "build", "way", "cpu_s", "cpu_low", "cpu_high", "elapsed_s", "elapsed_low", "elapsed_high", "over_cpu", "over_cpu_low", "over_cpu_high",
        "over_elapsed", "over_elapsed_low", "over_elapsed_high", "printed_s", "printed_over", "server_cpu_s", "system", "sends", "receives", "sent_bytes", "received_bytes",
        "p50_ms", "p90_ms", "p99_ms")  # fmt: skip


def sockets_html(found: Sockets) -> str:
    """The page."""
    context: dict[str, Any] = {
        "version": __version__,
        "style": page_style(),
        "server": found.server.title,
        "blocks": [
            {"title": block.title, "heads": [(one.head, one.words) for one in block.columns], "rows": block.rows}
            for block in blocks(found)
        ],
        "notes": list(notes(found)),
        "data": csv_text(HEAD, (list(_csv_row(row)) for row in found.rows)),
    }
    return page_text("sockets.html", context)


def _csv_row(row: Row) -> Iterator[object]:
    yield from (*row.task, row.build, row.way)
    for one in (row.cpu_s, row.elapsed_s, row.over_cpu, row.over_elapsed):
        yield from _three(one)
    yield from (row.printed_s, row.printed_over, row.server_cpu_s, row.system)
    yield from (row.sends, row.receives, row.sent_bytes, row.received_bytes, *(row.latency_ms or (None,) * 3))


def _three(one: Estimate | None) -> tuple[float | None, ...]:
    return (None,) * 3 if one is None else (one.value, one.low, one.high)
