# SPDX-License-Identifier: Apache-2.0
"""A footprint as one HTML file, in the style of the report: no network, no script; a waterfall a library and program, with its table beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cipherstone import __version__
from cipherstone.labs.footprint.ladder import PROGRAMS, PublishedLadder
from cipherstone.labs.footprint.results import Footprint, Row, largest
from cipherstone.labs.footprint.tables import (
    FIGURES,
    HEAD,
    beside,
    figures_of,
    groups,
    notes_of,
    of_published,
    size_text,
    title_of,
)
from cipherstone.report.blocks.tables import csv_text
from cipherstone.report.charts.waterfall import KIB, Fall, waterfall
from cipherstone.report.render.html import page_style, page_text

_CSV = (
    "target", "library", "version", "program", "step", "title", "outcome", "label", "agreed", "file_bytes", "text_bytes", "rodata_bytes", "data_bytes", "bss_bytes",
    "heap_bytes", "stack_bytes", "removed_bytes", "why",
)  # fmt: skip


def footprint_html(found: Footprint) -> str:
    """The page."""
    libraries = sorted({row.library for row in found.rows})
    context: dict[str, Any] = {
        "version": __version__,
        "style": page_style(),
        "head": ("step", *HEAD),
        "figures": FIGURES,
        "tools": list(found.tools.values()),
        "best": [(target, _best(found, target, libraries)) for target in found.targets],
        "libraries": libraries,
        "groups": [_group(found, rows, libraries.index(rows[0].library)) for rows in groups(found)],
        "published": [_published(one, found) for one in beside(found) or found.published],
        "data": _csv(found),
    }
    return page_text("footprint.html", context)


def _best(found: Footprint, target: str, libraries: Sequence[str]) -> list[list[str]]:
    best = found.smallest(target)
    return [
        [program, *(size_text(best.get((program, library))) for library in libraries)]
        for program in PROGRAMS
        if any(key[0] == program for key in best)
    ]


def _group(found: Footprint, rows: Sequence[Row], place: int) -> dict[str, Any]:
    program, title = rows[0].program, f"{title_of(rows[0])}: {rows[0].program}"
    return {
        "id": "-".join(word for word in (rows[0].target, rows[0].library, program) if word),
        "title": title,
        "means": PROGRAMS.get(program, program),
        "chart": waterfall(
            [_fall(found, row) for row in rows if row.sizes is not None], place, f"{title}, bytes of each step"
        ),
        "rows": [(_named(row), *figures_of(found, row)) for row in rows],
        "notes": notes_of(rows),
        "largest": [_largest(row) for row in rows if row.sizes is not None],
    }


def _named(row: Row) -> str:
    return f"{row.step} ({row.label})" if row.label else row.step


def _fall(found: Footprint, row: Row) -> Fall:
    sizes = row.sizes
    assert sizes is not None
    loaded = (sizes.text, sizes.rodata, sizes.data)
    rest = max(0, sizes.file - sum(loaded))
    delta = found.delta(row)
    change = "" if delta is None else f" ({delta / KIB:+.1f})"
    return Fall(
        _named(row), (*loaded, rest), f"{sizes.file / KIB:.1f}{change}", None if delta is None else sizes.file - delta
    )


def _largest(row: Row) -> dict[str, Any]:
    return {
        "step": row.step,
        "symbols": ", ".join(f"{name} {size:,}" for name, size in largest(row.symbols)),
        "objects": ", ".join(f"{name} {size:,}" for name, size in largest(row.objects)),
        "removed": "-" if row.removed is None else f"{row.removed:,}",
        "archives": ", ".join(f"{name} {size:,}" for name, size in row.archives.items()),
        "needed": ", ".join(row.needed),
    }


def _published(ladder: PublishedLadder, found: Footprint) -> dict[str, Any]:
    rows = []
    falls = []
    before: float | None = None
    for step in ladder.step:
        row = of_published(found, ladder, step)
        archives = ", ".join(f"{name} {size:g}" for name, size in zip(ladder.archives, step.archives_kib, strict=True))
        rows.append((step.title, f"{step.program_kib:g}", archives, size_text(row)))
        size = round(step.program_kib * KIB)
        falls.append(
            Fall(step.title, (size,), f"{step.program_kib:g}", None if before is None else round(before * KIB))
        )
        before = step.program_kib
    return {
        "title": ladder.title,
        "rows": rows,
        "chart": waterfall(falls, 5, ladder.title),
        "note": " ".join((f"{ladder.conditions}; {ladder.source}.", *ladder.note)),
    }


def _csv(found: Footprint) -> str:
    def line(row: Row) -> tuple[object, ...]:
        sizes, memory = row.sizes, row.memory
        figures = (None,) * 5 if sizes is None else (sizes.file, sizes.text, sizes.rodata, sizes.data, sizes.bss)
        peaks = (None, None) if memory is None else (memory.heap_bytes, memory.stack_bytes)
        head = (
            row.target,
            row.library,
            row.version,
            row.program,
            row.step,
            row.title,
            str(row.outcome),
            row.label,
            row.agreed,
        )
        return (*head, *figures, *peaks, row.removed, row.why)

    return csv_text(_CSV, map(line, found.rows))
