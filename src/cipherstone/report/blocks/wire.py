# SPDX-License-Identifier: Apache-2.0
"""What the parties of algorithms with public keys send each other, in bytes, beside the fastest time of each operation."""

from __future__ import annotations

from collections.abc import Sequence

from cipherstone.model.ids import Case
from cipherstone.model.summary import CaseSummary, WireSizes
from cipherstone.model.units import format_time
from cipherstone.report.blocks.figure import Figure
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.room_page import NO_FIGURE, LabSection
from cipherstone.report.blocks.tables import Item, Table, csv_text, item

QUESTION = "How many bytes do two parties send, and what does it cost?"
LEAD = "Bytes by the standard of each algorithm: points uncompressed, signatures in DER at their longest, an RSA key as modulus and exponent. Beside them the fastest time of each operation here, of any library."
HEAD = ("algorithm", "public key", "ciphertext", "signature", "fastest here")


def wire_table(view: RunView) -> Table | None:
    """A row an algorithm; None where the run has no algorithm with public keys."""
    rows = [(item(one.title), *map(_bytes, _sent(one)), item(_fastest(view, one))) for one in view.run.wire_sizes]
    return Table("wire", HEAD, tuple(rows), tail=1) if rows else None


def wire_section(view: RunView, footer: str) -> LabSection | None:
    """The table as a part of the page."""
    table = wire_table(view)
    if table is None:
        return None
    data = csv_text(
        ("algorithm", "public_key_bytes", "ciphertext_bytes", "signature_bytes"),
        ((one.title, *_sent(one)) for one in view.run.wire_sizes),
    )
    return LabSection("wire", "Sent", QUESTION, LEAD, [Figure("wire-table", QUESTION, table, data, answer=_answer(view.run.wire_sizes), footer=footer)])  # fmt: skip


def _sent(one: WireSizes) -> tuple[int | None, int | None, int | None]:
    return one.public_key, one.ciphertext, one.signature


def _bytes(number: int | None) -> Item:
    return item(NO_FIGURE if number is None else f"{number:,}", number)


def _fastest(view: RunView, one: WireSizes) -> str:
    """`sign 21.3 us, verify 60.1 us`: of the operations that have a figure."""
    times = ((case.verb, _best_ns(view, case)) for case in view.headline if _algorithm(case) == one.algorithm)
    return ", ".join(f"{verb} {format_time(ns)}" for verb, ns in times if ns is not None) or NO_FIGURE


def _best_ns(view: RunView, case: CaseSummary) -> float | None:
    found = [cell.ns.value for _, cell in view.ranked(case) if cell.ns is not None]
    return min(found, default=None)


def _algorithm(case: CaseSummary) -> str:
    return Case.parse(case.operation).algorithm


def _answer(sizes: Sequence[WireSizes]) -> str:
    """The least and the most that one use sends: the key, and the ciphertext or signature."""
    most = max(sizes, key=_total)
    least = min(sizes, key=_total)
    return f"{_total(least):,} B ({least.title}) to {_total(most):,} B ({most.title})"


def _total(one: WireSizes) -> int:
    return sum(number or 0 for number in _sent(one))
