# SPDX-License-Identifier: Apache-2.0
"""Two runs, or two lanes of one run.

Lanes of one run were measured side by side: their ratio is paired by pass. Two runs are two sessions, whose nanoseconds are never compared: each lane is first divided by
a common anchor lane measured beside it, and the two ratios are compared. What disturbs one session as a whole cancels; the price is a wider interval.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from cipherstone.model.errors import UsageError, nearest
from cipherstone.model.identity import changes
from cipherstone.model.ids import Lane, base_lane, read_label
from cipherstone.model.outcomes import Outcome, Verdict
from cipherstone.model.records import NOT_AFFECTED, Machine
from cipherstone.model.summary import CaseSummary, CellSummary, Estimate, RunSummary
from cipherstone.model.units import counted
from cipherstone.stats.verdict import verdict
from cipherstone.views.compare_counts import between_lanes, between_runs, counted_lanes, lost, same_between, shared
from cipherstone.views.compare_figures import between_lanes as figures_between_lanes
from cipherstone.views.compare_figures import between_runs as figures_between_runs
from cipherstone.views.compare_figures import (
    figure_lanes,
    named_lanes,
    same_programs,
    words_between_lanes,
    words_between_runs,
)
from cipherstone.views.comparison import ComparedRow, Comparison, Side, by_role, divide
from cipherstone.views.gate import both, case_resolution
from cipherstone.views.run.counts import all_counts
from cipherstone.views.run.pairs import paired_ratio
from cipherstone.views.samecode import builds_of, code_changes, no_comparison, refusal_of, same_lanes

LANES_SHOWN = 5  # in a warning
NO_COMMON_PASS = "no pass holds both lanes"
BASES = "the base of each case"


def lane_ratio(case: CaseSummary, i: str, j: str) -> Estimate | None:
    """Cost of lane i over cost of lane j (ids) in one case of one run, paired by pass; None if either has no figure, or if no pass holds both."""
    cells = {cell.lane: cell for cell in case.cells}
    return paired_ratio(cells[i], cells[j])


def passes_of_both(a: CellSummary, b: CellSummary) -> int:
    """How many passes of a run hold two cells of one case."""
    return len({*a.passes} & {*b.passes})


def _no_figure(*cells: CellSummary) -> tuple[Verdict, str]:
    """The verdict and note of a row in which one of `cells` has no figure: the gravest of them speaks."""
    grave = sorted(cells, key=lambda c: (c.outcome is not Outcome.WRONG, c.outcome.timed, c.ns is not None))
    cell = grave[0]
    why = cell.detail or cell.refused or cell.outcome.value
    if cell.outcome is Outcome.WRONG:
        return Verdict.WRONG, f"{Lane.parse(cell.lane).words}: {why}"
    if not cell.outcome.timed:
        return Verdict.UNAVAILABLE, f"{Lane.parse(cell.lane).words}: {why}"
    return Verdict.UNRESOLVED, f"{Lane.parse(cell.lane).words}: {why}"


def no_ratio(a: CellSummary, b: CellSummary) -> tuple[Verdict, str]:
    """The verdict and note of a pair without a ratio."""
    return _no_figure(a, b) if a.ns is None or b.ns is None else (Verdict.UNRESOLVED, NO_COMMON_PASS)


def side_of(run: RunSummary, lanes: Iterable[str] | None = None) -> Side:
    """The run as one side of a comparison; `lanes`: ids of what is compared of it, None for all."""
    manifest = run.manifest
    wanted = None if lanes is None else {Lane.parse(lane).build_id for lane in lanes}
    names = [f"{build.library}@{build.build}" for build in manifest.builds]
    names += [one.build for one in run.counted if not one.problem]
    names += [Lane.parse(lane.id).build_id for plan in manifest.instruments for lane in plan.lanes]
    builds = [name for name in dict.fromkeys(names) if wanted is None or name in wanted]
    return Side(
        manifest.run_id,
        manifest.name,
        manifest.created,
        manifest.suite,
        manifest.machine.cpu_model,
        run.trust,
        run.trust_reason,
        tuple(Lane.parse(name).words for name in builds),
    )


def changes_of(pairs: Iterable[tuple[str, str, CellSummary, CellSummary]]) -> tuple[str, ...]:
    """One line for each (operation, label) of `pairs` whose two cells, of a and of b, differ in outcome or in the classes of vectors that they deviate in."""
    found: dict[str, None] = {}
    for operation, label, a, b in pairs:
        if not _judged(a) or not _judged(b):
            continue
        if (a.outcome, [d.kind for d in a.deviations]) == (b.outcome, [d.kind for d in b.deviations]):
            continue
        why = b.detail or a.detail
        found[f"{operation} {label}: {a.outcome} in A, {b.outcome} in B" + (f": {why}" if why else "")] = None
    return tuple(found)


def _judged(cell: CellSummary) -> bool:
    """Whether the vectors had their say: a crash or a missing function is no statement about results."""
    return cell.outcome.timed or cell.outcome is Outcome.WRONG


def _lanes(run: RunSummary) -> set[str]:
    timed = {cell.lane for case in run.cases for cell in case.cells if not cell.lane.endswith("#2")}
    return timed | {one.lane for one in all_counts(run)} | figure_lanes(run)


def _names_of(ids: Iterable[str]) -> set[str]:
    """What each lane may be called."""
    return {n for lane in map(Lane.parse, ids) for n in (lane.id, lane.label, lane.build_label, lane.library)}


def compare_lanes(run: RunSummary, lane_a: str, lane_b: str) -> Comparison:
    """Lane b over lane a in every case of a run that has both; each is a lane id, a label or a library (its default implementation).

    A library without a default counts in the cases where it has one implementation only. Raises UsageError if a name is nowhere in the run, or if
    no case has both.
    """
    ids = _lanes(run)
    known = _names_of(ids)
    for name in (lane_a, lane_b):
        if not {name, read_label(name)} & known:
            raise UsageError(
                f"compare: '{name}' is neither a run nor a lane of run {run.manifest.run_id}", nearest(name, known)
            )
    rows: list[ComparedRow] = []
    same = ""
    pairs: list[tuple[str, str, CellSummary, CellSummary]] = []
    for case in run.cases:
        cells = {cell.lane: cell for cell in case.cells}
        a, b = base_lane(lane_a, cells), base_lane(lane_b, cells)
        if a is None or b is None or a == b:
            continue
        same = same or same_lanes(run.manifest, a, run.manifest, b)
        label = f"{Lane.parse(b).label} / {Lane.parse(a).label}"
        pairs.append((case.operation, label, cells[a], cells[b]))
        ratio = lane_ratio(case, b, a)
        if ratio is None:
            found, note = no_ratio(cells[a], cells[b])
        else:
            found, note = verdict(ratio, case.threshold, run.manifest.settings.target), ""
        rows.append(
            ComparedRow(
                case.case,
                label,
                a,
                b,
                ratio,
                found,
                case.threshold,
                note,
                passes_of_both(cells[a], cells[b]),
                case_resolution(case, run.noise),
                # That a library lacks a function is known of two lanes and no loss; of two runs of one it is.
                cells[a].ns is not None and ratio is None and found is not Verdict.UNAVAILABLE,
            )
        )
    rows += figures_between_lanes(run, lane_a, lane_b)
    counts = between_lanes(run.cases, lane_a, lane_b)
    texts = tuple(words_between_lanes(run, lane_a, lane_b))
    if not rows and not counts and not texts:
        raise UsageError(f"lanes: no case of run {run.manifest.run_id} has both '{lane_a}' and '{lane_b}'", "")
    sides = (
        side_of(run, [*(row.lane_a for row in rows), *counted_lanes(run, lane_a), *named_lanes(run, lane_a)]),
        side_of(run, [*(row.lane_b for row in rows), *counted_lanes(run, lane_b), *named_lanes(run, lane_b)]),
    )
    both = sum(one.before is not None and one.now is not None for one in counts)
    if same := same or same_between(run, lane_a, lane_b):
        return Comparison(lane_a, lane_b, "", (), refused=refusal_of(lane_a, lane_b, same), sides=sides)
    return Comparison(
        lane_a,
        lane_b,
        "",
        tuple(rows),
        changes=(*changes_of(pairs), *filter(None, texts)),
        sides=sides,
        counts=counts,
        counts_compared=both,
        texts_compared=len(texts),
    )


def _incomparable(a: RunSummary, b: RunSummary) -> list[str]:
    """Why two runs may not be compared; empty if they may."""
    found = []
    if a.manifest.machine.fingerprint != b.manifest.machine.fingerprint:
        found.append(f"the machines differ ({a.manifest.machine.cpu_model}; {b.manifest.machine.cpu_model})")
    if a.manifest.method != b.manifest.method:
        found.append(f"the methods differ ({a.manifest.method}; {b.manifest.method})")
    return found


def state_changes(a: Machine, b: Machine) -> list[str]:
    """What of a machine's state differs between two runs, one line at most: kernel, microcode, mitigations, governor, turbo, threads of a core. What one of the runs did not record is no difference."""
    pairs = {
        "kernel": (a.kernel, b.kernel),
        "microcode": (a.microcode, b.microcode),
        "governor": (a.governor, b.governor),
        "turbo": (a.turbo, b.turbo),
        "SMT": (a.smt, b.smt),
    }
    if a.mitigations and b.mitigations:
        for name in sorted({*a.mitigations, *b.mitigations}):
            pairs[name] = (a.mitigations.get(name, NOT_AFFECTED), b.mitigations.get(name, NOT_AFFECTED))
    found = [f"{name} {x} -> {y}" for name, (x, y) in pairs.items() if x and y and x != y]
    return [f"the machine was in another state: {'; '.join(found)}"] if found else []


def _measured(run: RunSummary) -> Iterator[tuple[str, str]]:
    """(case, lane id) of all cells with a figure, A/A left out."""
    for case in run.cases:
        for cell in case.cells:
            if cell.ns is not None and not cell.lane.endswith("#2"):
                yield case.case, cell.lane


def _default_anchor(a: RunSummary, b: RunSummary) -> str:
    """The lane (label) to divide by where none is named: --base of the first run, else of the second, else a lane of the same executable in both, else any;
    among these the one with a figure in most cases, then the first by name. "" if no lane has a figure in both runs."""
    builds_a, builds_b = builds_of(a), builds_of(b)
    in_b = {(case, Lane.parse(lane).label): lane for case, lane in _measured(b)}
    shared: dict[str, tuple[int, int]] = {}  # label -> (cases where the executable is the same, cases)
    libraries: set[str] = set()
    for case, lane in _measured(a):
        parsed = Lane.parse(lane)
        other = in_b.get((case, parsed.label))
        if other is None:
            continue
        libraries |= {parsed.library, parsed.label, lane}
        x, y = builds_a.get(parsed.build_id), builds_b.get(Lane.parse(other).build_id)
        same = x is not None and y is not None and not changes(x, y)
        before = shared.get(parsed.label, (0, 0))
        shared[parsed.label] = (before[0] + same, before[1] + 1)
    for base in (a.manifest.settings.base, b.manifest.settings.base):
        if base is not None and base in libraries:
            return base
    return min(shared, key=lambda label: (-shared[label][0], -shared[label][1], label), default="")


def compare_runs(a: RunSummary, b: RunSummary, *, anchor: str | None = None, force: bool = False) -> Comparison:
    """Run b over run a: for each case and lane in both, (lane over anchor in b) / (lane over anchor in a).

    Lanes are matched by library and implementation, so that a new version is compared with an old one. `anchor` is a lane id, label or library;
    by default --base of the runs, else a lane of the same executable in both. The anchor itself cannot be compared and has no row. Intervals are
    those of `divide`. Refused, with the reason in `refused`, for another machine or method, or where all that is compared (timed, or counted alone) is the same code in both runs, unless `force`, which turns the reason into a
    warning, and where no lane is in both runs. Raises UsageError for an anchor that neither run has. Counts have no anchor and no machine: they are compared as they are, also where times are refused.
    """
    changed, both = between_runs(a, b)
    counted_both = shared(a, b)
    if not (a.manifest.settings.timed and b.manifest.settings.timed):
        none = (
            "" if both else "no build is counted in one case on one machine in both runs, and one of them timed nothing"
        )
        found = Comparison(a.manifest.run_id, b.manifest.run_id, "", (), refused=none, sides=(side_of(a), side_of(b)))
        if counted_both.refused and not changed:  # of exact counts a difference is none of noise
            told = no_comparison(f"both runs are of the same code ({counted_both.refused})", force)
            found = replace(found, warnings=(told,)) if force else replace(found, refused=told)
    else:
        found = _compare_times(a, b, anchor, force)
        if counted_both.refused and not changed and not found.refused:
            told = f"what was counted is the same code in both runs ({counted_both.refused})"
            found = replace(found, warnings=(*found.warnings, told))
    return replace(found, counts=changed, counts_compared=both, counts_lost=lost(a, b))


def _compare_times(a: RunSummary, b: RunSummary, anchor: str | None, force: bool) -> Comparison:
    """See `compare_runs`."""
    names = (a.manifest.run_id, b.manifest.run_id)
    problems = _incomparable(a, b)
    texts, figures = tuple(words_between_runs(a, b)), tuple(figures_between_runs(a, b))
    if problems and not force and (figures or not texts):  # an outcome is the same on any machine
        return Comparison(*names, "", (), refused="; ".join(problems), sides=(side_of(a), side_of(b)))
    if anchor is not None:
        known = _names_of(_lanes(a) | _lanes(b))
        if not {anchor, read_label(anchor)} & known:
            raise UsageError(f"--base {anchor}: in neither run", nearest(anchor, known))
    chosen = anchor or _default_anchor(a, b)
    if not chosen and (figures or texts):
        return _of_figures(a, b, (figures, texts), problems, force)
    if not chosen:
        return Comparison(
            *names,
            "",
            (),
            tuple(problems),
            "no lane has a figure in both runs, so there is nothing to divide by",
            sides=(side_of(a), side_of(b)),
        )
    warnings = [*problems, *state_changes(a.manifest.machine, b.manifest.machine), *code_changes(a, b)]
    builds_a, builds_b = builds_of(a), builds_of(b)
    d_target = max(a.manifest.settings.target, b.manifest.settings.target)
    cases_b = {case.case: case for case in b.cases}
    rows: list[ComparedRow] = []
    changed: dict[str, None] = {}
    one_sided: dict[str, None] = {}
    pairs: list[tuple[str, str, CellSummary, CellSummary]] = []
    for case_a in a.cases:
        case_b = cases_b.get(case_a.case)
        if case_b is None:
            continue
        anchor_a, anchor_b = _anchor_lanes(chosen, case_a, case_b)
        if anchor_a is not None and anchor_b is not None:
            x, y = builds_a.get(Lane.parse(anchor_a).build_id), builds_b.get(Lane.parse(anchor_b).build_id)
            if x is None or y is None or changes(x, y):
                changed[
                    f"the anchor is not the same build in both runs ({anchor_a}; {anchor_b}): its own change is in every ratio"
                ] = None
        roles_a, roles_b = by_role(c.lane for c in case_a.cells), by_role(c.lane for c in case_b.cells)
        in_a, in_b = {c.lane: c for c in case_a.cells}, {c.lane: c for c in case_b.cells}
        pairs += [
            (case_a.operation, label, in_a[lane], in_b[roles_b[label]])
            for label, lane in roles_a.items()
            if label in roles_b
        ]
        one_sided.update(dict.fromkeys(roles_a.keys() ^ roles_b.keys()))
        for label in roles_a:
            if label in roles_b and roles_a[label] != anchor_a:
                rows.append(
                    _row(
                        label,
                        _Side(case_a, roles_a[label], anchor_a),
                        _Side(case_b, roles_b[label], anchor_b),
                        chosen,
                        d_target,
                        both(case_resolution(case_a, a.noise), case_resolution(case_b, b.noise)),
                    )
                )
    warnings.extend(changed)
    if one_sided:
        names_shown = sorted(one_sided)[:LANES_SHOWN]
        more = f" and {len(one_sided) - len(names_shown)} more" if len(one_sided) > len(names_shown) else ""
        warnings.append(f"in one run only, in some case: {', '.join(names_shown)}{more}")
    missing = {c.case for c in a.cases} ^ set(cases_b)
    if missing:
        warnings.append(f"{counted(len(missing), 'case is', 'cases are')} in one run only")
    sides = (side_of(a), side_of(b))
    same = {row.lane: code for row in rows if (code := same_lanes(a.manifest, row.lane_a, b.manifest, row.lane_b))}
    if rows and all(row.lane in same for row in rows):
        told = f"{chosen} aside, both runs are of the same code ({'; '.join(dict.fromkeys(same.values()))})"
        if not force:
            return Comparison(*names, "", (), refused=no_comparison(told), sides=sides)
        warnings.append(no_comparison(told, force))
    rows += figures
    return Comparison(*names, chosen, tuple(rows), tuple(warnings), changes=changes_of(pairs), sides=sides)


def _of_figures(
    a: RunSummary, b: RunSummary, of: tuple[tuple[ComparedRow, ...], tuple[str, ...]], problems: Sequence[str], force: bool
) -> Comparison:  # fmt: skip
    """Two runs that have figures of instruments alone. `of`: rows of those that are numbers, and a line for each text, "" where both have the same."""
    figures, texts = of
    changed = tuple(filter(None, texts))
    names, sides = (a.manifest.run_id, b.manifest.run_id), (side_of(a), side_of(b))
    same = same_programs(a.manifest, b.manifest)
    told = no_comparison("every program is the same in both runs", force) if same else ""
    if told and not force and not changed:  # an outcome that differs is no noise
        return Comparison(*names, "", (), refused=told, sides=sides)
    warnings = (*problems, *filter(None, (told,)))
    base = BASES if figures else ""
    return Comparison(*names, base, figures, warnings, changes=changed, sides=sides, texts_compared=len(texts))


def _anchor_lanes(anchor: str, case_a: CaseSummary, case_b: CaseSummary) -> tuple[str | None, str | None]:
    """The anchor's lane in both cases. A lane id that only one run has (another version) is looked for in the other by its label."""
    ids_a, ids_b = [c.lane for c in case_a.cells], [c.lane for c in case_b.cells]
    found_a, found_b = base_lane(anchor, ids_a), base_lane(anchor, ids_b)
    if found_a is not None:
        found_b = base_lane(Lane.parse(found_a).label, ids_b)
    elif found_b is not None:
        found_a = base_lane(Lane.parse(found_b).label, ids_a)
    return (found_a, found_b) if found_a is not None and found_b is not None else (None, None)


class _Side(NamedTuple):
    """A lane of one run that is compared: its case, its id, and the lane that it is divided by, None if the case has none."""

    case: CaseSummary
    lane: str
    anchor: str | None

    @property
    def cells(self) -> dict[str, CellSummary]:
        return {cell.lane: cell for cell in self.case.cells}


def _row(label: str, a: _Side, b: _Side, anchor: str, target: float, resolution: float) -> ComparedRow:
    d = max(a.case.threshold, b.case.threshold)
    cells_a, cells_b = a.cells, b.cells
    cell_a, cell_b = cells_a[a.lane], cells_b[b.lane]

    def row(ratio: Estimate | None, found: Verdict, note: str, passes: int = 0) -> ComparedRow:
        had = cell_a.ns is not None and ratio is None
        return ComparedRow(a.case.case, label, a.lane, b.lane, ratio, found, d, note, passes, resolution, had)

    if cell_a.ns is None or cell_b.ns is None:
        return row(None, *_no_figure(cell_a, cell_b))
    if a.anchor is None or b.anchor is None:
        return row(None, Verdict.UNRESOLVED, f"the anchor {anchor} is not in this case of both runs")
    if cells_a[a.anchor].ns is None or cells_b[b.anchor].ns is None:
        return row(None, Verdict.UNRESOLVED, f"the anchor {anchor} has no figure in this case of both runs")
    in_a, in_b = lane_ratio(a.case, a.lane, a.anchor), lane_ratio(b.case, b.lane, b.anchor)
    if in_a is None or in_b is None:
        return row(None, Verdict.UNRESOLVED, f"no pass holds both it and the anchor {anchor}")
    ratio = divide(in_b, in_a)
    passes = min(passes_of_both(cell_a, cells_a[a.anchor]), passes_of_both(cell_b, cells_b[b.anchor]))
    return row(ratio, verdict(ratio, d, target), "", passes)
