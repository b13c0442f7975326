# SPDX-License-Identifier: Apache-2.0
"""`cipherstone lab modexp --on`: the published rows counted on other machines, under emulation, beside the published table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from cipherstone.build.targets import TARGETS, Target, chosen_targets
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import Catalogue
from cipherstone.catalogue.filter import Filter
from cipherstone.catalogue.libraries import Library
from cipherstone.catalogue.published_pages import Platform
from cipherstone.catalogue.published_tables import Published, PublishedRow, load_published
from cipherstone.cli import environment as env
from cipherstone.cli.countpage import show_spread
from cipherstone.cli.selection import parsed
from cipherstone.cli.tables import show_table, show_text
from cipherstone.execute.counting.jobs import CountRequest, Job, count_everything
from cipherstone.labs.modexp.names import LAB, PUBLISHED, Method, method_told, published_keys, table_order
from cipherstone.labs.modexp.results import title_of
from cipherstone.model.counts import Count, CountedTarget, Counting, Counts
from cipherstone.model.errors import ExitCode
from cipherstone.model.ids import Lane
from cipherstone.report.render.screen_table import ScreenColumn
from cipherstone.views.implied_cycles import Implied, ImpliedRow, spread_of

HEAD = ("algorithm", "instructions", "x", "memory", "published", "x there", "x/x", "memory there", "cycles each")
BESIDE = ("also counted", "instructions", "x", "memory", "stack", "constant time")


class CountedRow(msgspec.Struct, frozen=True):
    """A row of the laboratory on a target. `gain`: instructions of Basic, fast there over its own; `memory_bytes`: of the arena; `theirs`: the published row; `cycles`: each instruction's, at the published time."""

    key: str
    method: Method
    count: Count
    gain: float | None = None
    memory_bytes: int | None = None
    theirs: PublishedRow | None = None
    cycles: float | None = None


def rows_wanted(limb_bits: int) -> str:
    """The filter of what is counted: the published rows, and beside them those in constant time and those of a processor's own instruction."""
    published = f"(basic|barrett|mont)-{limb_bits}-(fast|ladder|(fw|rm)[2-6])"
    return f"library:{LAB} op:modexp/private bits:2048 crt:yes impl:/^({published}|umaal-32-(fast|ladder|(fw|rm)[2-6])|(mont|umaal)-{limb_bits}-fw[45][.]ct)$/"


def counted_rows(counts: Sequence[Count], target: str, build: str, published: Published) -> list[CountedRow]:
    """The rows of a build on a target, in the order of the published table."""
    methods = [
        (method, one)
        for one in counts
        if one.target == target
        and Lane.parse(one.lane).build_id == build
        and one.instructions
        and (method := method_told(one.facts)) is not None
    ]
    base = next((one for method, one in methods if method.key == published.baseline), None)
    clock = published.clock_mhz * 1e6
    found = []
    for method, one in sorted(methods, key=lambda pair: table_order(pair[0])):
        assert one.instructions
        theirs = None if method.constant_time else published.rows.get(method.key)
        arena = one.facts.get("arena_bytes")
        found.append(
            CountedRow(
                method.key,
                method,
                one,
                base.instructions / one.instructions if base is not None and base.instructions else None,
                arena if isinstance(arena, int) else None,
                theirs,
                theirs.time_ms * 1e-3 * clock / one.instructions if theirs is not None and clock else None,
            )
        )
    return found


def implied_by(rows: Sequence[CountedRow], published: Published, target: str) -> Implied:
    """The quotients of these rows, with their mean and spread."""
    both = [
        ImpliedRow(
            row.method.title, f"{row.theirs.time_ms:.2f}", "ms", row.cycles * row.count.instructions, row.count.instructions, row.cycles
        )
        for row in rows
        if row.theirs is not None and row.cycles is not None and row.count.instructions
    ]  # fmt: skip
    platform = Platform(PUBLISHED, published.title, "", TARGETS[target].architecture)
    return Implied(platform, target, tuple(both), *spread_of(both))


def count_rows(
    workshop: Workshop,
    catalogue: Catalogue,
    lab: Library,
    names: Sequence[str],
    text: str,
    values: Mapping[str, tuple[str, ...]],
) -> Counts:
    """The rows of all builds of `lab` on the targets that are named. `text`: a filter that narrows them, "" for none; `values`: what each key of it may say. Raises UsageError."""
    by_word: dict[int, list[Target]] = {}
    for target in chosen_targets(names):
        by_word.setdefault(target.word_bits, []).append(target)
    found = Counts((), ())
    for word_bits, targets in by_word.items():
        wanted = rows_wanted(word_bits)
        selection: Filter | None = parsed(f"({wanted}) ({text})" if text else wanted, values)
        jobs = [Job(target, lab, build) for target in targets for build in lab.builds]
        more = count_everything(workshop, jobs, catalogue, CountRequest(selection), env.say)
        found = Counts((*found.targets, *more.targets), (*found.counts, *more.counts))
    return found


def show_counted(root: Path, found: Counts) -> None:
    """The table of each target that was reached, beside the published one."""
    published = load_published(root, PUBLISHED)
    for one in found.targets:
        if not one.problem:
            _show(one, counted_rows(found.counts, one.target, one.build, published), found.counts, published)


def ending(found: Counts) -> ExitCode:
    """With what the command ends."""
    if any(one.outcome is Counting.WRONG for one in found.counts):
        return ExitCode.WRONG
    return ExitCode.FAILURE if any(one.problem for one in found.targets) else ExitCode.OK


def _show(told: CountedTarget, rows: Sequence[CountedRow], counts: Sequence[Count], published: Published) -> None:
    show_text(f"{told.label} on {told.title}, beside {published.title}")
    by_key: Mapping[str, CountedRow] = {
        row.key: row for row in rows if row.method.is_portable and not row.method.constant_time
    }
    lines = []
    for key in published_keys(published):
        row, printed = by_key.get(key), published.rows.get(key)
        if row is None and printed is None:
            continue
        ratio = row.gain / printed.factor if row is not None and row.gain and printed is not None else None
        lines.append(
            (
                row.method.title if row is not None else title_of(key),
                _number(row.count.instructions if row is not None else None),
                _ratio(row.gain if row is not None else None),
                _number(row.memory_bytes if row is not None else None),
                f"{printed.time_ms:.2f} ms" if printed is not None else "none",
                _ratio(printed.factor if printed is not None else None),
                _ratio(ratio),
                _number(printed.memory_bytes if printed is not None else None),
                _ratio(row.cycles if row is not None else None),
            )
        )
    show_table([ScreenColumn(HEAD[0], words=True), *map(ScreenColumn, HEAD[1:])], lines)
    shown = [row for row in rows if row.key in by_key and row is by_key[row.key]]
    if published.clock_mhz:
        show_text(f"cycles each: of an instruction, at {published.clock_mhz:g} MHz, {published.clock_from}")
        show_spread(implied_by(shown, published, told.target))
    if rest := [row for row in rows if row not in shown]:
        show_table(
            [ScreenColumn(BESIDE[0], words=True), *map(ScreenColumn, BESIDE[1:])],
            [
                (
                    row.method.title,
                    _number(row.count.instructions),
                    _ratio(row.gain),
                    _number(row.memory_bytes),
                    _number(row.count.stack_bytes),
                    "yes" if str(row.count.facts.get("leak", "")).startswith("constant-time") else "no",
                )
                for row in rest
            ],
        )
    show_text("instructions of one call, exact, and no time; memory: bytes of the arena; x: over Basic, fast")
    for one in counts:
        mine = one.target == told.target and Lane.parse(one.lane).build_id == told.build
        if mine and one.outcome not in (Counting.COUNTED, Counting.UNAVAILABLE):
            show_text(f"{Lane.parse(one.lane).label}: {one.outcome}: {one.reason}")
    show_text(f"{told.target}: {told.compiler}, {told.flags}; {told.emulator}, -cpu {told.processor}")


def _number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _ratio(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
