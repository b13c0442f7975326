# SPDX-License-Identifier: Apache-2.0
"""Counted instructions in a report: a table a case, a line a lane, a column a machine that was counted on. Counts, so never a time, an interval or a rank; the fewest of a column are marked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cipherstone.model.counts import Count, Counting, Difference
from cipherstone.model.ids import DEFAULT_IMPLEMENTATION, Lane, version_of
from cipherstone.model.summary import CaseSummary
from cipherstone.model.units import counted
from cipherstone.report.blocks.figure import Figure, Note
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.room_page import LabSection
from cipherstone.report.blocks.tables import Item, Table, csv_text, item
from cipherstone.views.run.counts import all_counts, least

QUESTION = "How many instructions is one call on other machines?"
MADE = "What were they counted with?"
NONE = "-"
BEST = "best"
CLASSES = ("load", "store", "branch", "multiply", "divide")
BYTES = ("stack_bytes", "heap_bytes", "held_bytes", "code_bytes")
CSV_HEAD = ("case", "lane", "target", "outcome", "instructions", *CLASSES, *BYTES, "proof", "seen", "reason")


def counts_section(view: RunView, footer: str) -> LabSection | None:
    """A table a case; None where nothing was counted."""
    if not view.run.counted:
        return None
    figures = []
    for case in counted_cases(view):
        name = "counts-" + "".join(c if c.isalnum() else "-" for c in case.case)
        title = view.case_title(case)
        figures.append(
            Figure(
                name,
                title,
                count_table(view, case),
                _csv(case.counts),
                notes=[Note.of(text, [lane]) for lane, text in reasons(view, case, whole=True)],
                footer=footer,
                search=f"{title} {case.case}",
            )
        )
    made = made_table(view)
    told = [[it.text for it in row] for row in made.rows]
    figures.append(
        Figure(made.name, MADE, made, csv_text(made.head, told), notes=notes(view), footer=footer, search=MADE)
    )
    return LabSection("counts", "Counts", QUESTION, lead(view), figures)


def counted_cases(view: RunView) -> list[CaseSummary]:
    """The cases of which some lane has a count, or should have: in the order of the run, without those that no machine has."""
    return [case for case in view.run.cases if any(one.outcome is not Counting.UNAVAILABLE for one in case.counts)]


def targets(view: RunView) -> list[str]:
    """The machines that something was counted on, as planned."""
    seen = {one.target for one in all_counts(view.run)}
    return [name for name in dict.fromkeys(one.target for one in view.run.counted) if name in seen]


def count_table(view: RunView, case: CaseSummary) -> Table:
    """The lanes of a case, without those that no machine has."""
    name = "counts-" + "".join(c if c.isalnum() else "-" for c in case.case)
    return Table(name, ("library", *targets(view)), tuple(_rows(view, case)))


def whole_table(view: RunView) -> Table:
    """Every case in one table, for a terminal: a line with its name, and its lanes below."""
    rows: list[tuple[Item, ...]] = []
    names = targets(view)
    for case in counted_cases(view):
        rows.append((item(view.case_title(case)), *(item("") for _ in names)))
        rows += [(item(f"  {first.text}"), *rest) for first, *rest in _rows(view, case)]
    return Table("counts", ("instructions of one call", *names), tuple(rows))


def _rows(view: RunView, case: CaseSummary) -> Iterable[tuple[Item, ...]]:
    best, names = least(case.counts), targets(view)
    for lane, counts in _by_lane(case).items():
        if all(one.outcome is Counting.UNAVAILABLE for one in counts.values()):
            continue
        yield lane_item(view, lane), *(_item(counts.get(name), best) for name in names)


def _by_lane(case: CaseSummary) -> dict[str, dict[str, Count]]:
    found: dict[str, dict[str, Count]] = {}
    for one in case.counts:
        found.setdefault(one.lane, {})[one.target] = one
    return found


def _item(one: Count | None, best: dict[str, int]) -> Item:
    if one is None or one.outcome is Counting.UNAVAILABLE:
        return item(NONE)
    if one.instructions is None:
        return item(str(one.outcome))
    mark = f"{BEST} " if best.get(one.target) == one.instructions else ""
    return item(f"{mark}{one.instructions:,}", one.instructions)


def lane_item(view: RunView, lane_id: str) -> Item:
    """The lane's name with its marker."""
    lane = Lane.parse(lane_id)
    return Item(lane_title(view, lane_id), None, lane.library, "", lane_id, view.variant(lane.build_id))


def lane_title(view: RunView, lane_id: str) -> str:
    """As a lane that is timed is called: `BearSSL aes_ct64`, with the build where several of a library are in the run: `BearSSL, 0.6+Os aes_ct64`."""
    lane = Lane.parse(lane_id)
    if lane.build_id in view.columns:
        return view.lane_title(lane_id)
    counted_builds = {one.build for one in view.run.counted if not one.problem}
    several = {name for name in (*view.columns, *counted_builds) if name.partition("@")[0] == lane.library}
    title = next((one.library for one in view.run.counted if one.build == lane.build_id and one.library), "")
    title = title or view.library_title(lane.library)
    if len(several) > 1:
        title += f", {lane.variant}" if lane.variant else f" {version_of(lane.build)}"
    return title if lane.implementation == DEFAULT_IMPLEMENTATION else f"{title} {lane.implementation}"


def reasons(view: RunView, case: CaseSummary, whole: bool = False) -> list[tuple[str, str]]:
    """(lane, why it has no number on some machines), one for each reason; `whole`: also of lanes that no machine has, which no table shows."""
    found: dict[tuple[str, Counting, str], list[str]] = {}
    for lane, counts in _by_lane(case).items():
        if not whole and all(one.outcome is Counting.UNAVAILABLE for one in counts.values()):
            continue
        for one in counts.values():
            if one.instructions is None:
                found.setdefault((lane, one.outcome, one.reason), []).append(one.target)
    return [
        (lane, f"{lane_title(view, lane)} on {', '.join(names)}: {outcome}: {reason}")
        for (lane, outcome, reason), names in found.items()
    ]


def problems(view: RunView) -> list[str]:
    """A line for each machine and reason why builds were not counted there."""
    found: dict[tuple[str, str], list[str]] = {}
    for one in view.run.counted:
        if one.problem:
            found.setdefault((one.target, one.problem), []).append(one.label)
    return [f"not counted on {target}: {', '.join(names)}: {problem}" for (target, problem), names in found.items()]


def other_builds(view: RunView) -> list[str]:
    """A line where counts are of another build of a library than the times are: the figures of both stand in one report, and need not be of one code."""
    timed: dict[str, list[str]] = {}
    for name in view.columns:
        timed.setdefault(name.partition("@")[0], []).append(name)
    apart = {
        one.build: timed[library]
        for one in view.run.counted
        if not one.problem and (library := one.build.partition("@")[0]) in timed and one.build not in timed[library]
    }
    told = [f"{build} (timed: {', '.join(names)})" for build, names in apart.items()]
    return [f"counted in another build than the one that is timed here: {'; '.join(told)}"] if told else []


def notes(view: RunView) -> list[str]:
    """What is said below the counts."""
    return [*other_builds(view), *problems(view)]


def lead(view: RunView) -> str:
    """What the numbers are."""
    number = sum(one.outcome is Counting.COUNTED for one in all_counts(view.run))
    return (
        f"{counted(number, 'count')}: instructions of one call, less those of an empty call, executed by an emulated processor; no times, so they are in no ranking. "
        "Each was proven on that machine first and came out the same in two processes. Machines are not compared with each other: an instruction of one does more than one of another. "
        "best: the fewest of a machine; varies: two processes differed, as where a call draws; -: the machine or the build does not have it."
    )


def made_table(view: RunView) -> Table:
    """What was counted with: a line for each build and machine that was reached."""
    rows = [
        (
            Item(one.label, None, one.build.partition("@")[0], variant=view.variant(one.build)),
            *map(item, (one.target, one.title, one.compiler, one.flags, one.emulator, one.processor)),
            item(NONE if one.null_instructions is None else f"{one.null_instructions:,}", one.null_instructions),
        )
        for one in view.run.counted
        if not one.problem
    ]
    head = ("build", "target", "machine", "compiler", "flags", "emulator", "processor", "an empty call")
    return Table("counts-made", head, tuple(rows), words=7)


def _csv(counts: Sequence[Count]) -> str:
    rows = (
        (
            one.case, one.lane, one.target, one.outcome, one.instructions, *(one.classes.get(name) for name in CLASSES), *(getattr(one, name) for name in BYTES),
            one.proof, " ".join(map(str, one.seen)), one.reason,
        )
        for one in counts
    )  # fmt: skip
    return csv_text(CSV_HEAD, rows)


def difference_parts(one: Difference) -> tuple[str, str, str, str]:
    """(before, now, difference, as a share); `none` for what has no count."""
    before, now = ("none" if value is None else f"{value:,}" for value in (one.before, one.now))
    change = "" if one.before is None or one.now is None else f"{one.now - one.before:+,}"
    return before, now, change, "" if one.share is None else f"{one.share:+.2%}"


def difference_text(one: Difference) -> str:
    """`aarch64  bearssl:aes_ct64  aes-128-ctr/encrypt/bytes=8192: 1,000, now 1,001 (+1, +0.10%)`."""
    before, now, *change = difference_parts(one)
    told = f" ({', '.join(filter(None, change))})" if any(change) else ""
    return f"{one.target}  {one.lane}  {one.case}: {before}, now {now}{told}"
