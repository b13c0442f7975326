# SPDX-License-Identifier: Apache-2.0
"""Tables as data: rows of text with the number behind each, written as CSV and as Markdown."""

from __future__ import annotations

import base64
import csv
import gzip
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from cipherstone.model.ids import Lane
from cipherstone.model.summary import FIRST_CALL_STEPS, CaseSummary, CellSummary, Estimate
from cipherstone.report.blocks.grid import RunView, reason_of, state_of

CELL_HEAD = (
    "case", "bytes", "lane", "library", "build", "implementation", "outcome", "reason", "group", "ratio_to_best", "ratio_low", "ratio_high", "verdict",
    "ns_per_call", "ns_low", "ns_high", "cycles_per_call", "cycles_low", "cycles_high", "typical_ns", "passes_used", "batches", "calls_per_batch",
    *(f"{step}_ns" for step in FIRST_CALL_STEPS), "live_bytes", "first_peak_bytes", "warm_peak_bytes", "stack_bytes", "random_bytes", "flags",
    "faster_ns", "faster_share", "slower_ns", "slower_share",
)  # fmt: skip


@dataclass(frozen=True)
class Item:
    """A table cell: its text, the number to sort by (None: sorts last), the library whose marker it carries, or "", and in a row's first cell what the row is of.

    `variant`: number of the build among those of the library, which the marker shows.
    """

    text: str
    number: float | None = None
    library: str = ""
    link: str = ""
    key: str = ""
    variant: int = 0

    @property
    def plain(self) -> bool:
        """Whether the text is itself a number, so that the page sorts by it."""
        return self.text.replace(".", "", 1).isdigit()


@dataclass(frozen=True)
class Table:
    """Head and rows of equal length. `words`, `tail`: columns that hold text (set left), from the front and from the end. `name`: for the address bar and file names."""

    name: str
    head: tuple[str, ...]
    rows: tuple[tuple[Item, ...], ...]
    words: int = 1
    tail: int = 0


def item(text: str, number: float | None = None) -> Item:
    """A plain cell."""
    return Item(text, number)


def csv_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """RFC 4180 text; None becomes an empty field."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(head)
    writer.writerows(["" if v is None else v for v in row] for row in rows)
    return out.getvalue()


def data_link(text: str) -> str:
    """`text` as a `data:` address of a CSV file."""
    return "data:text/csv;charset=utf-8," + quote(text, safe=" ,/:@=;+()-_.!~*")


def packed_link(text: str) -> str:
    """`text` as a `data:` address of a gzip file, for what is large; the page's script unpacks it."""
    return "data:application/gzip;base64," + base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()


def _parts(estimate: Estimate | None) -> tuple[float | None, float | None, float | None]:
    return (
        (None, None, None)
        if estimate is None
        else (seven_digits(estimate.value), seven_digits(estimate.low), seven_digits(estimate.high))
    )


def seven_digits(value: float | None) -> float | None:
    """`value` to seven digits, far below what any interval tells; None for none."""
    return None if value is None else float(f"{value:.7g}")


def _levels(cell: CellSummary) -> tuple[float | None, ...]:
    """Both speeds with their shares; None for a lane that has one."""
    found = [part for level in cell.levels for part in (seven_digits(level.ns), seven_digits(level.share))]
    return tuple(found) if found else (None,) * 4


def _outcome(case: CaseSummary, cell: CellSummary) -> str:
    """`ok`, `lax` or `strict` where there is a figure, else why there is none."""
    state = state_of(case, cell)
    return str(cell.outcome) if state == "value" else state


def cell_row(view: RunView, case: CaseSummary, cell: CellSummary) -> tuple[object, ...]:
    """One cell in the columns of `CELL_HEAD`; figures to seven digits, far below what any interval tells."""
    lane = Lane.parse(cell.lane)
    found = view.ratios(case).get(cell.lane)
    group = next((i for i, lanes in enumerate(case.ranking, 1) if cell.lane in lanes), None)
    memory = cell.memory
    steps = {} if cell.first is None else cell.first.steps()
    once = tuple(_parts(steps.get(step))[0] for step in FIRST_CALL_STEPS)
    kept = (
        (None,) * 5
        if memory is None
        else (
            memory.held_bytes,
            memory.first_peak_bytes,
            memory.warm_peak_bytes,
            memory.stack_bytes,
            memory.random_bytes,
        )
    )
    return (
        case.case, case.size_bytes, cell.lane, lane.library, lane.build, lane.implementation, _outcome(case, cell), reason_of(case, cell) or cell.detail, group,
        *_parts(found.ratio if found else None), found.verdict if found else None, *_parts(cell.ns), *_parts(cell.cycles), seven_digits(cell.typical_ns),
        cell.passes_used, cell.batches, cell.calls_per_batch, *once, *kept, " ".join(cell.flags),
        *_levels(cell),
    )  # fmt: skip


def cells_csv(view: RunView, cells: Iterable[tuple[CaseSummary, CellSummary]], with_passes: bool = False) -> str:
    """CSV of cells, a row each. `with_passes` adds `pass_ns`: ns per call of each pass, in pass order, parted by spaces."""
    if not with_passes:
        return csv_text(CELL_HEAD, (cell_row(view, case, cell) for case, cell in cells))
    rows = ((*cell_row(view, case, cell), " ".join(f"{ns:.5g}" for ns in cell.pass_ns)) for case, cell in cells)
    return csv_text((*CELL_HEAD, "pass_ns"), rows)


def markdown_text(text: str) -> str:
    """`text` inside a Markdown table cell or line: no markup, no line break."""
    flat = " ".join(text.split())
    for sign in "\\`*_[]<>|#~":
        flat = flat.replace(sign, "\\" + sign)
    return flat


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> str:
    """A Markdown table, escaped; columns after the first `words` set right."""
    lines = [head, *rows]
    marks = [":--" if i < words else "--:" for i in range(len(head))]
    text = ["| " + " | ".join(markdown_text(c) for c in line) + " |" for line in lines]
    return "\n".join([text[0], "| " + " | ".join(marks) + " |", *text[1:]])
