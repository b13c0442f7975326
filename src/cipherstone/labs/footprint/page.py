# SPDX-License-Identifier: Apache-2.0
"""A footprint as one HTML file, in the style of the report: no network, no script; a waterfall a library and program, with its table beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cipherstone import __version__
from cipherstone.labs.footprint import speed_tables
from cipherstone.labs.footprint.front import Spot, count_spots, first_task, memory_spots, speed_spots
from cipherstone.labs.footprint.ladder import PROGRAMS, PublishedLadder
from cipherstone.labs.footprint.results import Footprint, Row, largest
from cipherstone.labs.footprint.tables import (
    FIGURES,
    HEAD,
    SHARED,
    SHARED_HEAD,
    archives_text,
    beside,
    beside_notes,
    figures_of,
    further_of,
    groups,
    notes_of,
    number,
    of_published,
    shared_rows,
    size_text,
    smallest_table,
    title_of,
)
from cipherstone.report.blocks.tables import csv_text
from cipherstone.report.charts import tradeoff as charts
from cipherstone.report.charts.measures import time_unit
from cipherstone.report.charts.waterfall import KIB, Fall, waterfall
from cipherstone.report.render.html import page_style, page_text
from cipherstone.report.words.numbers import time_text

_CSV = (
    "target", "library", "version", "program", "step", "title", "outcome", "label", "agreed", "file_bytes", "text_bytes", "rodata_bytes", "data_bytes", "bss_bytes",
    "heap_bytes", "stack_bytes", "removed_bytes", "why", "input", "ns", "over_default", "over_low", "over_high", "instructions", "why_no_time",
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
        "best": [(target, *smallest_table(found, target)) for target in found.targets],
        "libraries": libraries,
        "groups": [_group(found, rows, libraries.index(rows[0].library)) for rows in groups(found)],
        "shared_head": SHARED_HEAD,
        "shared_words": SHARED,
        "shared": shared_rows(found.shared),
        "fronts": _fronts(found, libraries),
        "front_words": speed_tables.FRONT,
        "speed_words": speed_tables.FIGURES,
        "published_head": speed_tables.PUBLISHED_HEAD,
        "published": [_published(one, found) for one in beside(found) or found.published],
        "data": footprint_csv(found),
    }
    return page_text("footprint.html", context)


def _group(found: Footprint, rows: Sequence[Row], place: int) -> dict[str, Any]:
    program, title = rows[0].program, f"{title_of(rows[0])}: {rows[0].program}"
    return {
        "id": "-".join(word for word in (rows[0].target, rows[0].library, program) if word),
        "title": title,
        "means": PROGRAMS.get(program, program),
        "chart": waterfall(falls(found, rows), place, f"{title}, bytes of each step"),
        "rows": [(_named(row), *figures_of(found, row)) for row in rows],
        "notes": notes_of(rows),
        "speed_head": ("step", *speed_tables.speed_head(rows)),
        "speed": speed_tables.speed_rows(found, rows),
        "speed_notes": speed_tables.speed_notes(rows),
        "largest": [_largest(row) for row in rows if row.sizes is not None],
    }


def _fronts(found: Footprint, libraries: Sequence[str]) -> list[dict[str, Any]]:
    """Two charts a program: size against time (where there is none: against instructions), size against RAM."""
    told = []
    for target in found.targets:
        for program in PROGRAMS:
            speed, memory = speed_spots(found, target, program), memory_spots(found, target, program)
            counts = [] if speed else count_spots(found, target, program)
            if not speed and not counts:
                continue
            task = first_task(found, program)
            name = f"{program} on {target}" if target else program
            scale, unit = time_unit([one.cost.value for one in speed]) if speed else (1.0, "")
            up = f"time of a call, {unit}: {task}" if speed else f"instructions of a call: {task}"
            told.append(
                {
                    "id": f"front-{name.replace(' ', '-')}",
                    "title": f"Size against speed and memory: {name}",
                    "charts": [
                        _tradeoff(speed or counts, libraries, up, f"{name}: size against speed", scale),
                        _tradeoff(memory, libraries, "RAM at its peak, bytes", f"{name}: size against memory"),
                    ],
                    "rows": [
                        (f"{one.row.library} {_named(one.row)}", f"{one.bytes:,}", time_text(one.cost) if speed else f"{one.cost.value:,.0f}", number(one.row.ram_bytes))
                        for one in speed or counts
                        if one.front
                    ],
                }
            )  # fmt: skip
    return told


def _tradeoff(spots: Sequence[Spot], libraries: Sequence[str], up: str, title: str, scale: float = 1.0) -> str:
    def scaled(value: float | None) -> float | None:
        return None if value is None else value / scale

    places = [
        charts.Spot(
            f"{one.row.library} {one.row.step}",
            libraries.index(one.row.library),
            one.bytes,
            one.cost.value / scale,
            scaled(one.cost.low),
            scaled(one.cost.high),
            one.front,
        )
        for one in spots
    ]
    return charts.tradeoff(places, libraries, "stripped file, bytes", up, title)


def _named(row: Row) -> str:
    return f"{row.step} ({row.label})" if row.label else row.step


def falls(found: Footprint, rows: Sequence[Row]) -> list[Fall]:
    """The steps that have a size, for a waterfall."""
    return [_fall(found, row) for row in rows if row.sizes is not None]


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
        row = of_published(found, ladder, step.ours)
        rows.append((step.title, f"{step.program_kib:g}", archives_text(ladder, step, row), size_text(row)))
        size = round(step.program_kib * KIB)
        falls.append(
            Fall(step.title, (size,), f"{step.program_kib:g}", None if before is None else round(before * KIB))
        )
        before = step.program_kib
    rows += [(f"ours alone: {row.step}", "-", "-", size_text(row)) for row in further_of(found, ladder)]
    return {
        "title": ladder.title,
        "rows": rows,
        "speed": speed_tables.published_rows(found, ladder)
        if any(row.speed for row in found.rows if row.library == ladder.library)
        else [],
        "chart": waterfall(falls, 5, ladder.title),
        "note": " ".join((f"{ladder.conditions}; {ladder.source}.", *beside_notes(found, ladder), *ladder.note)),
    }


def footprint_csv(found: Footprint) -> str:
    """A line a step and input."""

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

    def speeds(row: Row) -> list[tuple[object, ...]]:
        """An input a line; one line where none was timed."""
        return [
            (one.task, *((one.ns.value,) if one.ns else (None,)), *((one.over.value, one.over.low, one.over.high) if one.over else (None,) * 3), one.instructions, one.why)
            for one in row.speed
        ] or [(None,) * 7]  # fmt: skip

    return csv_text(_CSV, ((*line(row), *speed) for row in found.rows for speed in speeds(row)))
