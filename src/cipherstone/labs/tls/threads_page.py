# SPDX-License-Identifier: Apache-2.0
"""The laboratory's page on threads: handshakes a second of all together, beside the ideal line."""

from __future__ import annotations

from collections.abc import Sequence

from cipherstone.labs.tls.results import Scaled
from cipherstone.labs.tls.words import handshake_words, library_item, library_words, outcome_words
from cipherstone.model.summary import Estimate
from cipherstone.operations.handshakes import EACH_THREAD
from cipherstone.report.blocks.figure import Figure, Sketchbook
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.room_page import NO_FIGURE, count_item
from cipherstone.report.blocks.tables import Item, Table, csv_text, item
from cipherstone.report.charts.measures import Amount, amounts
from cipherstone.report.words.numbers import rate_text

THREADS_HEAD = ("handshakes", "lane", "threads", "contexts", "ns", "ns_low", "ns_high", "per_second", "speedup", "speedup_low", "speedup_high", "why")  # fmt: skip
CONTEXTS = {"shared": "shared", "thread": "one a thread", "connection": "one a connection"}


def per_handshake(row: Scaled) -> Estimate | None:
    """Nanoseconds from one handshake's end to the next one's, of all threads together."""
    ns, made = row.all_at_once.ns, row.threads * EACH_THREAD
    if ns is None:
        return None
    low, high = (None if bound is None else bound / made for bound in (ns.low, ns.high))
    return Estimate(ns.value / made, low, high)


def threads_figure(view: RunView, rows: Sequence[Scaled], book: Sketchbook, footer: str) -> Figure:
    """Rates, and what they are of the rate of one thread."""
    lines = [
        (
            library_item(view, row.lane),
            item(handshake_words(row.params)),
            item(CONTEXTS.get(row.contexts, row.contexts)),
            count_item(row.threads),
            _rate(row),
            *_speedup(row),
        )
        for row in rows
    ]
    lacking = sorted({f"{library_words(view, row.lane)}: {row.all_at_once.why}" for row in rows if row.all_at_once.why})
    return Figure(
        "lab-threads-table",
        "How many handshakes do all threads make?",
        Table(
            "threads",
            ("library", "handshake", "contexts", "threads", "handshakes", "times one thread", "of the ideal"),
            tuple(lines),
            words=3,
        ),
        csv_text(THREADS_HEAD, (_row(row) for row in rows)),
        _charts(view, rows, book),
        footer=footer,
        notes=[
            "The ideal is as many times the rate of one thread as there are threads; processors that are threads of one core, or that share a clock with their neighbours, cannot come up to it. Contention is looked for on the first processor alone. Contexts of one a connection are made and freed in the time, certificates and keys read anew."
        ],
        remarks=lacking,
    )


def _rate(row: Scaled) -> Item:
    one = per_handshake(row)
    return item(outcome_words(row.all_at_once)) if one is None else item(rate_text(one, None), 1e9 / one.value)


def _speedup(row: Scaled) -> tuple[Item, Item]:
    if row.speedup is None or row.threads == 1:
        return item(NO_FIGURE), item(NO_FIGURE)
    times, share = row.speedup.value, row.speedup.value / row.threads
    return item(f"{times:.2f}", times), item(f"{100 * share:.0f} %", share)


def _charts(view: RunView, rows: Sequence[Scaled], book: Sketchbook) -> list[str]:
    """One for each kind of handshake and number of threads, with the ideal as a line."""
    found: list[str] = []
    charts = dict.fromkeys((handshake_words(row.params), row.threads) for row in rows if row.threads > 1)
    for words, threads in charts:
        mine = [row for row in rows if (handshake_words(row.params), row.threads) == (words, threads)]
        marks = [
            Amount(library_words(view, row.lane), CONTEXTS.get(row.contexts, row.contexts), row.speedup)
            for row in mine
            if row.speedup is not None
        ]
        if marks:
            title = f"{words}, {threads} threads: times the rate of one; dashed: the ideal"
            spec = amounts(marks, list(CONTEXTS.values()), title, float(threads))
            found += book.draw("labs", spec, f"Scaling over {threads} threads, {words}")
    return found


def _row(row: Scaled) -> list[object]:
    ns, one, speedup = row.all_at_once.ns, per_handshake(row), row.speedup
    found: list[object] = [row.name, row.lane, row.threads, row.contexts]
    found += (None,) * 3 if ns is None else (ns.value, ns.low, ns.high)
    found.append(None if one is None else 1e9 / one.value)
    found += (None,) * 3 if speedup is None else (speedup.value, speedup.low, speedup.high)
    return [*found, row.all_at_once.why]
