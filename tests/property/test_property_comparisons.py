# SPDX-License-Identifier: Apache-2.0
"""Two runs, two lanes, versions of one library, and what the gate makes of them: generated runs against slow versions of docs/guides/compare.md and gate.md over what the runs published."""

from __future__ import annotations

import math
from collections.abc import Iterable

import msgspec
import obvious
from generated_runs import NETTLE, OPENSSL, GeneratedRun, examples, run_pairs, runs
from hypothesis import assume, given
from hypothesis import strategies as st
from obvious import Told, near, pair_of

from cipherstone.cli.gate import pass_or_exit
from cipherstone.model.errors import UsageError
from cipherstone.model.outcomes import Verdict
from cipherstone.model.records import Manifest, Record
from cipherstone.model.summary import CaseSummary, CellSummary, Estimate, NoiseSummary, RunSummary
from cipherstone.views.compare import compare_lanes, compare_runs
from cipherstone.views.comparison import ComparedRow, Comparison
from cipherstone.views.gate import gated
from cipherstone.views.run.summarise import summarise
from cipherstone.views.samecode import same_lanes
from cipherstone.views.upgrade import upgrade_of

limits = st.sampled_from((0.002, 0.006, 0.012, 0.03, 0.1, 0.4))


def ends(one: Estimate | None) -> Told | None:
    return None if one is None else (one.value, one.low, one.high)


def label(lane: str) -> str:
    library, _, implementation = lane.partition(":")
    return library.partition("@")[0] + (f":{implementation}" if implementation else "")


def named(name: str, cells: Iterable[str]) -> str | None:
    """A lane by its label; a library means its default implementation, or the only one."""
    lanes = [lane for lane in cells if not lane.endswith("#2")]
    exact = [lane for lane in lanes if label(lane) == name]
    of_library = [lane for lane in lanes if lane.partition("@")[0] == name]
    return exact[0] if exact else of_library[0] if len(of_library) == 1 else None


def resolution(case: CaseSummary, noise: NoiseSummary) -> float:
    """By the A/A lane of the case, else by the medians of the run's others."""
    own = ends(case.aa.ratio) if case.aa is not None else None
    if obvious.half_width(own) < math.inf:
        return max(0.002, obvious.margin(own))
    if noise.aa_offset_median is None or noise.aa_halfwidth_median is None:
        return max(0.01, obvious.margin(own))
    return max(0.002, 3 * noise.aa_offset_median, 2 * noise.aa_halfwidth_median)


def without(*cells: CellSummary) -> str:
    """The verdict in the place of a ratio."""
    outcomes = [cell.outcome.value for cell in cells]
    gone = [one for one in outcomes if one not in ("ok", "lax", "strict", "wrong")]
    return "wrong" if "wrong" in outcomes else "unavailable" if gone else "unresolved"


def divided(over: Told, under: Told) -> Told:
    """The widest quotient that both intervals allow."""
    low = None if over[1] is None or under[2] is None else over[1] / under[2]
    high = None if over[2] is None or under[1] is None else over[2] / under[1]
    return (over[0] / under[0], low, high) if low is not None and high is not None else (over[0] / under[0], None, None)


def default_anchor(a: RunSummary, b: RunSummary) -> str:
    """--base of the first run, or of the second, if it has a figure in both in some case; else who is the same build in most cases, then has most, then is the first by name."""
    both = [
        (x.lane, y.lane)
        for case in a.cases
        for other in b.cases
        if case.case == other.case
        for x in case.cells
        for y in other.cells
        if label(x.lane) == label(y.lane) and x.ns and y.ns and "#2" not in x.lane + y.lane
    ]
    lanes = [lane for lane, _ in both]
    for base in (a.manifest.settings.base, b.manifest.settings.base):
        if base is not None and base in {word for lane in lanes for word in (label(lane), lane.partition("@")[0])}:
            return base
    code_a, code_b = ({one.library: one.objects for one in run.manifest.builds} for run in (a, b))
    same = {lane for lane in lanes if code_a[lane.partition("@")[0]] == code_b[lane.partition("@")[0]]}
    ranked = sorted({(-(lanes.count(lane) if lane in same else 0), -lanes.count(lane), label(lane)) for lane in lanes})
    return ranked[0][2] if ranked else ""


def check_row(
    row: ComparedRow, sides: tuple[RunSummary, RunSummary], cases: tuple[CaseSummary, CaseSummary], anchor: str
) -> None:
    before, now = ({cell.lane: cell for cell in case.cells} for case in cases)
    a, b = before[row.lane_a], now[row.lane_b]
    left = named(anchor, before)
    right = named(label(left) if left else anchor, now)
    if left is None and right is not None:
        left = named(label(right), before)
    d, target = max(case.threshold for case in cases), max(side.manifest.settings.target for side in sides)
    mine = None
    if left is not None and right is not None:
        pairs = pair_of(b, now[right]), pair_of(a, before[left])
        mine = divided(*pairs) if pairs[0] is not None and pairs[1] is not None else None
    assert near(ends(row.ratio), mine, 1e-6)
    no_figure = a.ns is None or b.ns is None
    assert row.verdict == (without(a, b) if no_figure else obvious.verdict(mine, d, target))
    assert row.lost == (a.ns is not None and mine is None) and near(row.threshold, d)
    told = [resolution(case, side.noise) for case, side in zip(cases, sides, strict=True)]
    assert near(row.resolution, (1 + told[0]) * (1 + told[1]) - 1)
    if mine is not None and left is not None and right is not None:
        counts = [len({*a.passes} & {*before[left].passes}), len({*b.passes} & {*now[right].passes})]
        assert row.passes == min(counts)


def check_whole(found: Comparison) -> None:
    ratios = [(row.lane, row.ratio.value) for row in found.rows if row.ratio is not None]
    means = {mean.label: (mean.value, mean.cases) for mean in found.means}
    for name in {"", *(one for one, _ in ratios)} if ratios else ():
        mine = [value for one, value in ratios if name in ("", one)]
        if name == "" or len({one for one, _ in ratios}) > 1:
            assert near(means[name], (math.prod(mine) ** (1 / len(mine)), len(mine)))
    slower = [row.ratio.value - 1 for row in found.rows if row.ratio is not None and row.verdict == "slower"]
    assert near(found.worst_slowdown, max(slower, default=0.0) if ratios else None)


def exit_code(found: Comparison, limit: float) -> int:
    """docs/guides/gate.md: 3 before 2, and 2 before 1."""
    told = [(row.ratio, row.resolution) for row in found.rows if row.ratio is not None]
    known = [
        (one.value, one.low, one.high, least) for one, least in told if one.low is not None and one.high is not None
    ]
    if any(low > 1 + limit and low > 1 + least for _, low, _, least in known):
        return 3
    seen = [max(least, math.exp(obvious.half_width((value, low, high))) - 1) for value, low, high, least in known]
    if seen and limit < min(seen):
        return 2
    within = [high <= 1 + limit and limit >= least for _, _, high, least in known]
    lost = any(row.ratio is None and row.lost for row in found.rows)
    return 0 if told and all(within) and len(known) == len(told) and not lost else 1


def ended(found: Comparison, limit: float) -> int:
    try:
        pass_or_exit(found, limit)
    except SystemExit as end:
        return int(end.code or 0)
    except UsageError:
        return 2
    return 0


NEAR_ONE = (0.97, 0.995, 1.0, 1.003, 1.008, 1.02, 1.06)


@st.composite
def compared(draw: st.DrawFn) -> ComparedRow:
    """A row as a comparison has it: with an interval, without one, without a ratio, and then one that had a figure before, or never had."""
    low, value, high = sorted(draw(st.sampled_from(NEAR_ONE)) for _ in range(3))
    kind = draw(st.sampled_from(("interval",) * 5 + ("bare", "lost", "never")))
    ratio = {"interval": Estimate(value, low, high), "bare": Estimate(value)}.get(kind)
    least = draw(st.sampled_from((0.002, 0.005, 0.015, 0.05)))
    found = Verdict(obvious.verdict(ends(ratio), 0.01, 0.01))
    return ComparedRow("c", "l", "a", "b", ratio, found, 0.01, passes=9, resolution=least, lost=kind == "lost")


@given(st.lists(compared(), max_size=4), limits)
@examples(300)
def test_the_gate(rows: list[ComparedRow], limit: float) -> None:
    found = Comparison("a", "b", "", tuple(rows))
    assert ended(found, limit) == exit_code(found, limit)
    told = gated(rows, limit)
    over = [
        row
        for row in rows
        if row.ratio is not None and row.ratio.low is not None and row.ratio.low > 1 + max(limit, row.resolution)
    ]
    assert sorted(map(id, told.above)) == sorted(map(id, over))
    assert [row.ratio.value for row in told.above if row.ratio] == sorted(
        (row.ratio.value for row in over if row.ratio), reverse=True
    )
    silent = sum(row.ratio is None and not row.lost for row in rows)
    assert len(told.above) + len(told.untold) + told.within + silent == len(rows)


@given(run_pairs(), st.sampled_from((None, None, None, None, "openssl", "botan")), limits)
@examples(40)
def test_two_runs(both: tuple[GeneratedRun, GeneratedRun], anchor: str | None, limit: float) -> None:
    a, b = (summarise(one.manifest, one.records) for one in both)
    names = {
        lane
        for run in (a, b)
        for case in run.cases
        for cell in case.cells
        for lane in (label(cell.lane), cell.lane.partition("@")[0])
    }
    assume(anchor is None or anchor in names)
    chosen = anchor or default_anchor(a, b)
    found = compare_runs(a, b, anchor=anchor, force=True)
    assert found.base == chosen and bool(found.refused) == (not chosen)
    later = {case.case: case for case in b.cases}
    expected = []
    for case in a.cases if chosen else ():
        if case.case in later:
            lanes = [
                {label(cell.lane): cell.lane for cell in one.cells if "#2" not in cell.lane}
                for one in (case, later[case.case])
            ]
            left = named(chosen, lanes[0].values())
            right = named(label(left) if left else chosen, lanes[1].values())
            aside = left if right else None
            if left is None and right is not None:
                aside = named(label(right), lanes[0].values())
            expected += [
                (case.case, lane, lanes[1][name])
                for name, lane in lanes[0].items()
                if name in lanes[1] and lane != aside
            ]
    assert [(row.case, row.lane_a, row.lane_b) for row in found.rows] == expected
    by_case = {case.case: case for case in a.cases}
    for row in found.rows:
        check_row(row, (a, b), (by_case[row.case], later[row.case]), chosen)
    check_whole(found)
    assert ended(found, limit) == exit_code(found, limit)
    code_a, code_b = ({one.library: one.objects for one in run.manifest.builds} for run in (a, b))
    libraries = {row.lane.partition(":")[0] for row in found.rows}
    same = bool(libraries) and all(code_a[one] == code_b[one] for one in libraries)
    assert compare_runs(a, b, anchor=anchor).refused.endswith("nothing to compare") == same


@given(run_pairs(), st.permutations(("openssl", "nettle", "botan", "botan:portable")), limits)
@examples(40)
def test_two_lanes(both: tuple[GeneratedRun, GeneratedRun], names: list[str], limit: float) -> None:
    run = summarise(both[1].manifest, both[1].records)
    lanes = {cell.lane for case in run.cases for cell in case.cells}
    first, second = names[:2]
    there = [
        (case, left, right)
        for case in run.cases
        if (left := named(first, (cell.lane for cell in case.cells)))
        and (right := named(second, (cell.lane for cell in case.cells)))
        and left != right
    ]
    assume(there)
    found = compare_lanes(run, first, second)
    builds = run.manifest
    same = any(same_lanes(builds, left, builds, right) for _, left, right in there)
    assert bool(found.refused) == same and lanes
    assert [(row.case, row.lane_a, row.lane_b) for row in found.rows] == (
        [] if same else [(case.case, left, right) for case, left, right in there]
    )
    for row, (case, left, right) in zip(found.rows, there, strict=False):
        cells = {cell.lane: cell for cell in case.cells}
        mine = pair_of(cells[right], cells[left])
        assert near(ends(row.ratio), mine, 1e-6)
        no_figure = cells[left].ns is None or cells[right].ns is None
        told = (
            without(cells[left], cells[right])
            if no_figure
            else obvious.verdict(mine, case.threshold, run.manifest.settings.target)
        )
        assert row.verdict == told
        assert row.lost == (cells[left].ns is not None and mine is None and told != "unavailable")
        assert near(row.resolution, resolution(case, run.noise)) and near(row.threshold, case.threshold)
        assert row.passes == len({*cells[left].passes} & {*cells[right].passes})
    check_whole(found)
    assert ended(found, limit) == exit_code(found, limit)


@given(runs(retried=False))
@examples(25)
def test_versions_of_a_library(one: GeneratedRun) -> None:
    """Nettle's lanes are taken for a newer OpenSSL's."""
    newer = "openssl@3.6+3.6"
    records, manifest = (
        msgspec.json.encode(it).replace(NETTLE.encode(), newer.encode()) for it in (one.records, one.manifest)
    )
    plain = msgspec.json.decode(manifest, type=Manifest)
    builds = tuple(
        msgspec.structs.replace(it, library="openssl", build="3.6+3.6", version="3.6") if it.library == "nettle" else it
        for it in plain.builds
    )
    run = summarise(msgspec.structs.replace(plain, builds=builds), msgspec.json.decode(records, type=list[Record]))
    found = upgrade_of(run, "openssl", "openssl")
    (version,) = found.versions
    assert (found.first, version.lane) == (OPENSSL, newer)
    operations: dict[str, set[str]] = {OPENSSL: set(), newer: set()}
    expected = []
    for case in run.cases:
        cells = {cell.lane: cell for cell in case.cells}
        for lane, mine in operations.items():
            if lane in cells and cells[lane].outcome.value in ("ok", "lax", "strict"):
                mine.add(case.operation)
        if operations.keys() <= cells.keys():
            ratio = pair_of(cells[newer], cells[OPENSSL])
            sides = cells[newer], cells[OPENSSL]
            told = (
                without(*sides)
                if ratio is None
                else obvious.verdict(ratio, case.threshold, run.manifest.settings.target)
            )
            expected.append((case.case, ratio, told))
    assert near([(step.case, ends(step.ratio), step.verdict.value) for step in version.steps], expected, 1e-6)
    assert version.brought == tuple(sorted(operations[newer] - operations[OPENSSL]))
    assert version.dropped == tuple(sorted(operations[OPENSSL] - operations[newer]))
    assert [ns for _, ns in found.cases] == [
        next((cell.ns.value for cell in case.cells if cell.lane == OPENSSL and cell.ns is not None), None)
        for case in run.cases
    ]
