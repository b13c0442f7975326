# SPDX-License-Identifier: Apache-2.0
"""A footprint as text for a terminal: a table a program and library, what is smallest, and what was published."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from cipherstone.labs.footprint import speed_tables
from cipherstone.labs.footprint.ladder import PROGRAMS, TLS_CLIENT, PublishedLadder, PublishedStep
from cipherstone.labs.footprint.results import Footprint, Row, RowChange, Shared, StepOutcome, largest
from cipherstone.model.units import counted
from cipherstone.report.render.screen_table import ScreenColumn, table_lines
from cipherstone.views.samecode import several_text

NONE = "-"
FIGURES = "Bytes. size: the stripped file; on a board flash: text, rodata and data. text: code; rodata, data, bss: by what the system does with them. change: of size, against the step before. heap, stack: at the peak of one proven run."
HEAD = ("size", "change", "text", "rodata", "data", "bss", "heap", "stack")


def number(value: int | None, sign: bool = False) -> str:
    """With commas; a dash for what is not there."""
    return NONE if value is None else f"{value:+,}" if sign else f"{value:,}"


def groups(found: Footprint) -> list[list[Row]]:
    """The rows of each program, machine and library, in the order in which they were measured, programs first."""
    order = {name: at for at, name in enumerate(PROGRAMS)}
    kept: dict[tuple[str, str, str], list[Row]] = {}
    for row in found.rows:
        kept.setdefault((row.program, row.target, row.library), []).append(row)
    return [kept[key] for key in sorted(kept, key=lambda key: order.get(key[0], len(order)))]


def title_of(row: Row) -> str:
    """Library, version and machine of a group."""
    return f"{row.library} {row.version}" + (f" on {row.target}" if row.target else "")


def figures_of(found: Footprint, row: Row) -> tuple[str, ...]:
    """The columns of `HEAD`."""
    sizes, memory = row.sizes, row.memory
    if sizes is None:
        return (str(row.outcome), *(NONE for _ in HEAD[1:]))
    return (
        number(sizes.file),
        number(found.delta(row), sign=True),
        number(sizes.text),
        number(sizes.rodata),
        number(sizes.data),
        number(sizes.bss),
        number(memory.heap_bytes if memory else None),
        number(memory.stack_bytes if memory else None),
    )


class Part(NamedTuple):
    """A table of a footprint, whatever it is shown on. `name`: for addresses; `head`, `rows`: the first column is words, () and () for a text alone; `notes`: what stands below; `group`: the steps whose sizes they are, () for other tables."""

    name: str
    title: str
    head: tuple[str, ...] = ()
    rows: Sequence[Sequence[str]] = ()
    notes: Sequence[str] = ()
    group: Sequence[Row] = ()


def parts_of(found: Footprint) -> list[Part]:
    """All of it, in the order in which it is shown."""
    parts: list[Part] = []
    for rows in groups(found):
        program, title = rows[0].program, title_of(rows[0])
        name = "-".join(word for word in (program, rows[0].target, rows[0].library) if word)
        sizes = [(row.step, *figures_of(found, row)) for row in rows]
        means = PROGRAMS.get(program, program)
        parts.append(Part(name, f"{program}: {means}; {title}", ("step", *HEAD), sizes, notes_of(rows), rows))
        if any(row.speed for row in rows):
            head, lines = ("step", *speed_tables.speed_head(rows)), speed_tables.speed_rows(found, rows)
            parts.append(
                Part(f"{name}-speed", f"{program}, speed: {title}", head, lines, speed_tables.speed_notes(rows))
            )
    parts += [part for target in found.targets for part in _smallest(found, target)]
    parts += [part for one in beside(found) for part in _published(one, found)]
    fronts = speed_tables.front_lines(found)
    texts = [f"On the front, {name}: by time {timed}; by RAM {ram}" for name, timed, ram in fronts]
    texts.append(FIGURES)
    if any(row.speed for row in found.rows):
        texts += [speed_tables.FIGURES, speed_tables.FRONT]
    return [*parts, *(Part("", text) for text in (*texts, *found.tools.values()))]


def notes_of(rows: Sequence[Row]) -> list[str]:
    """What is to be said of the rows of one program beside their figures: what proves them, once where it is the same, and each step."""
    proofs = Counter(row.proven for row in rows if row.proven)
    usual = proofs.most_common(1)[0][0] if proofs else ()
    notes = [f"Proven: {', '.join(usual)}."] if usual else []
    missing: dict[str, list[str]] = {}  # steps by their outcome and reason, which is often one for all
    for row in rows:
        if row.outcome is not StepOutcome.PROVEN:
            missing.setdefault(f"{row.outcome}: {row.why}", []).append(row.step)
            continue
        label = f" [{row.label}]" if row.label else ""
        parts = [
            row.title,
            *([row.agreed] if row.agreed else []),
            *([", ".join(row.proven)] if row.proven != usual else []),
        ]
        notes.append(f"{row.step}{label}: {'; '.join(parts)}")
    return [*notes, *(f"{', '.join(steps)}: {reason}" for reason, steps in missing.items())]


def beside(found: Footprint) -> list[PublishedLadder]:
    """The published ladders of libraries whose client was measured, or whose programs were timed."""
    here = {row.library for row in found.rows if row.program == TLS_CLIENT or row.speed}
    return [one for one in found.published if one.library in here]


def largest_text(row: Row, width: int) -> list[str]:
    """The ten largest symbols and objects of a row, and what was left out."""
    lines = []
    for what, sizes in (("symbols", row.symbols), ("objects", row.objects)):
        named = ", ".join(f"{name} {size:,}" for name, size in largest(sizes))
        lines += _wrapped(f"{row.name}: largest {what}: {named or 'none told'}", width)
    if row.removed is not None:
        lines += _wrapped(
            f"{row.name}: unused, left out by the linker: {row.removed:,} bytes in {counted(row.removed_sections or 0, 'section')}",
            width,
        )
    archives = ", ".join(f"{name} {size:,}" for name, size in row.archives.items())
    return [*lines, *_wrapped(f"{row.name}: archives: {archives}; needs {', '.join(row.needed) or 'nothing'}", width)]


SHARED_HEAD = ("library", "file", "size", "stripped", "text", "rodata", "data", "bss", "needs")
SHARED = "Shared libraries as they are installed, bytes: those that workers here are linked with. What a library loads only when it runs is not among them."


def shared_rows(shared: Sequence[Shared]) -> list[tuple[str, ...]]:
    """The columns of `SHARED_HEAD`; why there is none in place of a file."""
    rows = []
    for one in shared:
        sizes = one.sizes
        title = f"{one.library} {one.version}".strip()
        if sizes is None:
            rows.append((title, one.problem, *(NONE for _ in SHARED_HEAD[2:])))
            continue
        figures = (sizes.file, one.stripped_bytes, sizes.text, sizes.rodata, sizes.data, sizes.bss)
        rows.append((title, one.name, *map(number, figures), ", ".join(one.needed)))
    return rows


def shared_text(shared: Sequence[Shared], width: int, colour: bool = False) -> str:
    """The table for a terminal, which leaves out what each needs."""
    columns = [
        ScreenColumn(SHARED_HEAD[0], words=True),
        ScreenColumn(SHARED_HEAD[1], words=True),
        *map(ScreenColumn, SHARED_HEAD[2:-1]),
    ]
    lines = table_lines(columns, [row[:-1] for row in shared_rows(shared)], width, colour=colour)
    return "\n".join([*lines, "", *_wrapped(SHARED, width)])


MOST_PROGRAMS = 3  # beside each other: a cell has bytes and the name of a step
OTHER_BUILDS = (
    "Instructions and times of `count` and `run` are of other builds, those of these files come with --speed."
)


def smallest_table(found: Footprint, target: str) -> tuple[list[str], list[list[str]]]:
    """Head and rows: a row a library, a column a program, the bytes of its smallest proven step on a machine, with the step: each is another build, whose speed may be another by a factor of eighty. No rows where nothing is proven."""
    best = found.smallest(target)
    programs = [program for program in PROGRAMS if any(key[0] == program for key in best)]
    libraries = list(dict.fromkeys(row.library for row in found.rows)) if best else []
    return programs, [[name, *(_with_step(best.get((program, name))) for program in programs)] for name in libraries]


def _with_step(row: Row | None) -> str:
    """`48,912 tiny`: the bytes of a file and which of its builds that is."""
    return size_text(row) if row is None or row.sizes is None else f"{size_text(row)} {row.step}"


def _smallest(found: Footprint, target: str) -> Iterator[Part]:
    """A table for some programs each, so that all stand on a screen."""
    programs, rows = smallest_table(found, target)
    on = f" on {target}" if target else ""
    for begin in range(0, len(programs) if rows else 0, MOST_PROGRAMS):
        some = slice(begin, begin + MOST_PROGRAMS)
        title = f"smallest proven{on}, bytes, and the step that it is: {', '.join(programs[some])}"
        lines = [(name, *cells[some]) for name, *cells in rows]
        last = begin + MOST_PROGRAMS >= len(programs)
        name = "-".join(word for word in ("smallest", target, programs[begin]) if word)
        yield Part(name, title, ("library", *programs[some]), lines, [OTHER_BUILDS] * last)


def size_text(row: Row | None) -> str:
    """Bytes of the file; a dash where there is none."""
    return NONE if row is None or row.sizes is None else f"{row.sizes.file:,}"


def of_published(found: Footprint, ladder: PublishedLadder, name: str) -> Row | None:
    """Our client's row of the step `name` beside a published one: of AArch64, which the pages are of, if it was measured, else of the first machine."""
    if not name or not found.rows:
        return None
    target = "aarch64" if "aarch64" in found.targets else found.targets[0]
    return found.row((target, ladder.library, TLS_CLIENT, name))


def further_of(found: Footprint, ladder: PublishedLadder) -> list[Row]:
    """Our rows of what the page left open, those that have a size."""
    rows = [of_published(found, ladder, name) for name in ladder.further]
    return [row for row in rows if row is not None and row.sizes is not None]


def beside_notes(found: Footprint, ladder: PublishedLadder) -> list[str]:
    """What is to be said of ours: the versions of TLS that were agreed on, and what the further steps change."""
    named = dict.fromkeys([*(step.ours for step in ladder.step), *ladder.further])
    versions: dict[str, list[str]] = {}
    for row in (of_published(found, ladder, name) for name in named):
        if row is not None and row.agreed:
            versions.setdefault(row.agreed.partition(",")[0], []).append(row.step)
    agreed = "; ".join(f"{version}: {', '.join(steps)}" for version, steps in versions.items())
    notes = [f"Ours agreed on {agreed}."] if agreed else []
    for row in further_of(found, ladder):
        before = of_published(found, ladder, row.before)
        if before is not None and before.sizes is not None and row.sizes is not None:
            file, text = row.sizes.file - before.sizes.file, row.sizes.text - before.sizes.text
            notes.append(f"{row.step} against {row.before}: {file:+,} bytes, code {text:+,}.")
    return notes


PUBLISHED_HEAD = ("published", "KiB", "step before", "ours KiB", "step before")
ARCHIVES_HEAD = ("published", "archives, KiB")


def _published(ladder: PublishedLadder, found: Footprint) -> list[Part]:
    """Sizes where our client was measured, what was timed where our programs were, and what is to be said of both."""
    own = [row for row in found.rows if row.library == ladder.library]
    parts: list[Part] = []
    title = f"Published: {ladder.title}"
    if any(row.program == TLS_CLIENT for row in own):
        parts.append(Part(f"published-{ladder.id}", title, PUBLISHED_HEAD, _published_sizes(ladder, found)))
        archives = [
            (one.title, archives_text(ladder, one, of_published(found, ladder, one.ours))) for one in ladder.step
        ]
        parts.append(Part(f"archives-{ladder.id}", title, ARCHIVES_HEAD, archives))
    if any(row.speed for row in own):
        said = f"ours x: the step {ladder.reduced} over default."
        rows = speed_tables.published_rows(found, ladder)
        parts.append(Part(f"timed-{ladder.id}", title, speed_tables.PUBLISHED_HEAD, rows, (said,)))
    told = " ".join((*beside_notes(found, ladder), *ladder.note))
    note = f"{ladder.title}: {ladder.conditions}; {ladder.source}. {told}"
    return [*parts[:-1], *(one._replace(notes=(*one.notes, note)) for one in parts[-1:])] or [Part("", note)]


def _published_sizes(ladder: PublishedLadder, found: Footprint) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    before: float | None = None
    ours_before: float | None = None
    for step in ladder.step:
        row = of_published(found, ladder, step.ours)
        ours = row.sizes.file / 1024 if row is not None and row.sizes is not None else None
        shares = _share(step.program_kib, before), _share(ours, ours_before)
        rows.append((step.title, f"{step.program_kib:g}", shares[0], _kib(ours), shares[1]))
        before, ours_before = step.program_kib, ours
    for row in further_of(found, ladder):
        assert row.sizes is not None
        rows.append((f"ours alone: {row.step}", NONE, NONE, _kib(row.sizes.file / 1024), NONE))
    return rows


def archives_text(ladder: PublishedLadder, step: PublishedStep, row: Row | None) -> str:
    """`libcrypto.a 1244 (ours 1310), libssl.a 356 (ours 402)`: a published step's archives in KiB, and those of our row where it has them."""
    ours = row.archives if row is not None else {}
    return ", ".join(
        f"{name} {size:g}" + (f" (ours {_kib(ours[name] / 1024)})" if name in ours else "")
        for name, size in zip(ladder.archives, step.archives_kib, strict=True)
    )


def _kib(value: float | None) -> str:
    return NONE if value is None else f"{value:.0f}"


def _share(now: float | None, before: float | None) -> str:
    return NONE if now is None or before is None else f"{now / before - 1:+.0%}"


def changes_text(
    changed: Sequence[RowChange],
    only: tuple[Sequence[str], Sequence[str]],
    most: int,
    width: int,
    same: Sequence[str] = (),
) -> str:
    """What changed between two footprints, the `most` largest symbols of each row; `same`: what is the same image in both."""
    lines: list[str] = []
    for one in changed:
        lines.append(one.row)
        lines += table_lines(
            [ScreenColumn("", words=True), ScreenColumn("before"), ScreenColumn("now"), ScreenColumn("change")],
            [
                (change.what, number(change.before), number(change.now), number(change.bytes, sign=True))
                for change in (*one.figures, *one.symbols[:most])
            ],
            width,
            indent=2,
        )
        if len(one.symbols) > most:
            lines.append(f"  and {counted(len(one.symbols) - most, 'symbol')} more")
    for what, names in zip(("only in the first", "only in the second"), only, strict=True):
        lines += _wrapped(f"{what}: {', '.join(names)}", width) if names else []
    lines += _wrapped(f"the same code in both: {several_text(same)}", width) if same else []
    return "\n".join(lines or ["nothing changed"])


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, subsequent_indent="    ", break_on_hyphens=False)
