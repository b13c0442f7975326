# SPDX-License-Identifier: Apache-2.0
"""The sentences of a report: who is fastest, by how much, how sure. Terminal, Markdown and HTML take them from here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from cipherstone.model.deviations import Deviation, means_words
from cipherstone.model.ids import DEFAULT_IMPLEMENTATION, Lane
from cipherstone.model.records import Machine
from cipherstone.model.summary import CaseSummary, CellSummary, Crossover, Estimate, NoiseSummary, RunSummary
from cipherstone.model.units import counted, format_size, percent_up, significant
from cipherstone.report.blocks.grid import MARKS, STATES, Faster, RunView, marks_of, reason_of, state_of
from cipherstone.report.words.numbers import (
    KEPT_BY,
    distribution_text,
    half_width,
    interval_text,
    learning_text,
    percent_text,
    rate_words,
    ratio_decimals,
    ratio_text,
    rounded,
    supported_decimals,
    two_speeds_text,
)
from cipherstone.views.run.decision import Decision, Doubt, DoubtKind, Tie, TieKind, decide, tie_of
from cipherstone.views.run.leaders import Standing

LEARNERS = "First calls that cost more"
TRUST = {
    "publishable": "checked, undisturbed and settled; these figures may be quoted",
    "indicative": "good enough to choose by; let it run longer before quoting it",
    "contended": "something else used the core nearly all the time; most cells have no figure",
    "empty": "there is no figure to choose by",
    "emulated": "an emulator's time says nothing of a processor's; instructions can be counted, results checked",
    "counted": "instructions alone, exact and the same in every run; a count is no time",
}
# Flags of cells and ratios, in words, with what to do.
FLAGS = {
    "drift": "its time moved steadily during the run; let the machine reach its working temperature and measure again",
    "bimodal": "it runs at two speeds; both are given, with the share of its batches at each",
    "contention-sensitive": "lower quartile and median tell different ratios; something disturbs one of the two that the probes do not see",
    "ipc-ref-unverified": "no reference is known for this CPU, so contention is judged by this run alone",
    "slow-op": "a slow operation, timed by CPU time, one call a batch",
}


def list_words(names: Sequence[str]) -> str:
    """`A`, `A and B`, `A, B and C`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""


def some_words(names: Sequence[str], most: int = 3) -> str:
    """As `list_words`, with `A, B and 4 more` past `most` names."""
    return list_words(names if len(names) <= most else [*names[: most - 1], f"{len(names) - most + 1} more"])


def faster_than(ratio: Estimate, other: str) -> str:
    """`1.31 times faster than Nettle (1.30 to 1.32)`; below 1.1 in percent. `ratio`: cost of the other over this one, 1 or more."""
    if half_width(ratio) is None or ratio.low is None or ratio.high is None:
        return f"about {significant(ratio.value, 2)} times faster than {other} (too few passes for an interval)"
    if ratio.value < 1.1:
        low, high = (ratio.low - 1) * 100, (ratio.high - 1) * 100
        percent = Estimate((ratio.value - 1) * 100, low, high)
        decimals = max(0, supported_decimals(percent, 1))
        return f"{rounded(percent.value, decimals)} % faster than {other} ({rounded(low, decimals)} to {rounded(high, decimals)} %)"
    decimals = ratio_decimals(ratio)
    return f"{rounded(ratio.value, decimals)} times faster than {other} ({interval_text(ratio)})"


def tie_words(found: Standing, lanes: Sequence[str], name: Callable[[str], str]) -> str:
    """The words for a tie of `lanes` (two or more, the first of their group first)."""
    return _tie_text(tie_of(found, lanes), lanes, name)


def _tie_text(tie: Tie, lanes: Sequence[str], name: Callable[[str], str]) -> str:
    two = len(lanes) == 2
    within = f"within {percent_up(tie.within)}"
    by = f"by more than {percent_up(tie.within)}"
    takes = _second_takes(tie.ratio) if two and tie.ratio is not None else ""
    match tie.kind:
        case TieKind.EQUAL:
            return f"{'as fast as each other' if two else 'all equally fast'}, to {within}"
        case TieKind.WITHIN:
            return f"{'' if two else 'all '}{within} of each other{takes}"
        case TieKind.MIXED:
            return f"none is shown to be slower than {name(lanes[0])} here, though some differ from each other"
        case TieKind.UNKNOWN:
            return "cannot be told apart here"
        case TieKind.NOT_SHOWN:
            told = f"not shown to differ {by}" if two else f"none is shown to be slower than {name(lanes[0])} {by}"
        case TieKind.OPEN:
            told = "cannot be told apart here" if two else "no clear winner"
    if two or tie.ratio is None:
        return told + takes
    return f"{told}: the others take {interval_text(tie.ratio)} times as long as {name(lanes[0])}"


def _second_takes(ratio: Estimate) -> str:
    return f": the second takes {interval_text(ratio)} times as long"


@dataclass(frozen=True)
class Answer:
    """Who is fastest in a case. `winners`: titles, none where nothing has a figure or nothing is settled; `lanes`: their lane ids; `rate`: of the first; `sentence`: by how much, or why there is no winner.

    `doubts`: what a user must know about a winner before choosing it, in plain words.
    """

    winners: tuple[str, ...]
    lanes: tuple[str, ...]
    rate: str
    sentence: str
    tie: bool = False
    doubts: tuple[str, ...] = ()


def _name(view: RunView, lane_id: str) -> str:
    return view.lane_title(lane_id)


def answer(view: RunView, case: CaseSummary) -> Answer:
    """The decision of a case in words."""
    found = decide(case)
    aside = _unsettled_words(view, found.unsettled)
    if not case.ranking and aside:
        return Answer((), (), "", f"not settled: {aside}")
    if not case.ranking:
        reasons = sorted({state_of(case, c) for c in case.cells})
        words = list_words([STATES[r][0] for r in reasons if r in STATES]) or "nothing measured"
        first = next((reason_of(case, c) for c in case.cells if reason_of(case, c)), "")
        return Answer((), (), "", f"no figure: {words}" + (f" ({first})" if first else ""))
    cells = {c.lane: c for c in case.cells}
    leader = cells[found.leaders[0]].ns
    rate = rate_words(leader, case.size_bytes) if leader is not None else ""
    parts = [_tie_text(found.tie, found.leaders, view.lane_title)] if found.tie is not None else []
    said = _beaten_words(view, found)
    if said:
        parts.append(f"no other library here has a figure; {said}" if found.alone and not aside else said)
    elif found.tie is None and not aside:
        parts.append(
            "the only one measured here" if not found.behind else "ahead of the rest, by an amount not published"
        )
    parts += [f"not settled: {aside}"] if aside else []
    parts += [f"{_name(view, lane)} is {words}" for lane in found.leaders if (words := short_deviation(cells[lane]))]
    doubts = tuple(_doubt_words(view, doubt, cells[doubt.lane]) for doubt in found.doubts)
    names = tuple(_name(view, lane) for lane in found.leaders)
    return Answer(names, found.leaders, rate, "; ".join(parts), found.tie is not None, doubts)


def _unsettled_words(view: RunView, lanes: Sequence[str]) -> str:
    """Lanes that have a figure, but too few passes beside the fastest; "" if there are none."""
    names = some_words([_name(view, lane) for lane in lanes])
    return f"{names} {'has' if len(lanes) == 1 else 'have'} too few passes for an interval" if lanes else ""


def _beaten_words(view: RunView, found: Decision) -> str:
    """By how much the winners are ahead of the next: all of them if each pair says so, else the first of the group."""
    if found.ahead is None:
        return ""
    said = faster_than(found.ahead, list_words([_name(view, lane) for lane in found.behind]))
    return f"{_name(view, found.leaders[0])} is {said}" if found.ahead_of_first else said


def _doubt_words(view: RunView, doubt: Doubt, cell: CellSummary) -> str:
    """For a user who has to choose."""
    name = _name(view, doubt.lane)
    match doubt.kind:
        case DoubtKind.LAX:
            return f"{name} accepts some input that the standard says must be refused"
        case DoubtKind.STRICT:
            return f"{name} refuses some input that the standard allows"
        case DoubtKind.WRONG_SIBLING:
            names = list_words([variant_words(lane) for lane in doubt.lanes])
            build = view.build_title(Lane.parse(doubt.lane).build_id)
            return f"{build} computes wrong results here with {names}, which is not what is named as the winner"
        case DoubtKind.SECRET_TIME:
            return f"the time that {name} takes depends on secrets, which an attacker may measure"
        case DoubtKind.TWO_SPEEDS:
            return f"{name} runs at two speeds: {KEPT_BY.get(cell.levels_by, 'which one is yours is not known')}"
        case DoubtKind.DRIFTING:
            return f"the speed of {name} was still changing while it was measured"


def short_deviation(cell: CellSummary) -> str:
    """`lax: it accepts signatures in BER that is not DER`; "" for a cell that keeps to its standard."""
    return "; ".join(f"{one.outcome}: it {one.does}" for one in cell.deviations)


def deviations(view: RunView, cases: Sequence[CaseSummary]) -> list[str]:
    """One paragraph for each operation and class of vectors that a timed lane of `cases` deviates in: the mark, who, the vectors, what it means, the standard."""
    found: dict[tuple[str, str], tuple[CaseSummary, Deviation, list[str]]] = {}
    fewest: dict[tuple[str, str], tuple[int, int]] = {}  # random inputs, of the lane that was asked least
    for case in cases:
        for cell in case.cells:
            for one in cell.deviations if not Lane.parse(cell.lane).twin else ():
                lanes = found.setdefault((case.operation, one.kind), (case, one, []))[2]
                asked = (cell.breadth_genuine, cell.breadth_forged)
                key = (case.operation, one.kind)
                fewest[key] = min(fewest.get(key, asked), asked)
                told = f"{_name(view, cell.lane)} ({', '.join(one.vectors)})"
                if told not in lanes:  # another size of the same operation
                    lanes.append(told)
    return [
        f"{MARKS[one.outcome][0]} {one.outcome}, {case.title}: {one.does}: {list_words(lanes)}. {means_words(one, *fewest[case.operation, one.kind])} {one.standard}"
        for case, one, lanes in found.values()
    ]


def without_figure(view: RunView, cases: Sequence[CaseSummary]) -> list[str]:
    """`Mbed TLS (lax), ECDSA P-256 verify: contended: 0 of 766 batches undisturbed, 16 needed`, for each build whose lane was tried and gave none; one reason is said once."""
    found: dict[str, list[str]] = {}
    for case in cases:
        for grid in view.grid_row(case):
            if grid.cell is None or grid.state in ("value", "unsupported", "not-run"):
                continue
            deviating = f" ({grid.cell.outcome})" if grid.cell.deviations else ""
            why = reason_of(case, grid.cell)
            found.setdefault(why, []).append(f"{view.build_title(grid.build)}{deviating}, {view.case_title(case)}")
    return [f"{'; '.join(where[:3])}{_more(len(where) - 3)}: {why}" for why, where in found.items()]


def _more(number: int) -> str:
    return f" and {number} more" if number > 0 else ""


def marks_words(cells: Iterable[CellSummary]) -> list[tuple[str, str]]:
    """(mark, `lax: accepts ...`) of the marks that `cells` carry."""
    seen = "".join(map(marks_of, cells))
    return [(mark, f"{outcome}: it {meaning}") for outcome, (mark, meaning) in MARKS.items() if mark in seen]


def crossover_sentence(view: RunView, crossover: Crossover) -> str:
    """`Libgcrypt overtakes OpenSSL from about 5900 bytes up`."""
    size = significant(crossover.size_bytes, 2)
    return (
        f"{view.lane_title(crossover.large)} overtakes {view.lane_title(crossover.small)} from about {size} bytes up "
        f"(measured at {format_size(crossover.below_bytes)} and {format_size(crossover.above_bytes)})"
    )


def sizes_words(view: RunView, cases: Sequence[CaseSummary]) -> str:
    """Which library leads at the smallest and at the largest size of `cases` (one operation, ascending): `Nettle is fastest at 16 B; Libgcrypt and OpenSSL tie at 1 MiB.`"""
    ranked = [case for case in cases if case.ranking]
    if not ranked:
        return "No size has a ranking."
    leaders = [case.ranking[0] for case in ranked]
    ends = [format_size(case.size_bytes or 0) for case in (ranked[0], ranked[-1])]
    if all(set(one) == set(leaders[0]) for one in leaders):
        return f"{_lead(view, leaders[0])} at every size, from {ends[0]} to {ends[1]}."
    if set(leaders[0]) == set(leaders[-1]):
        return f"{_lead(view, leaders[0])} at {ends[0]} and at {ends[1]}."
    return f"{_lead(view, leaders[0])} at {ends[0]}; {_lead(view, leaders[-1])} at {ends[1]}."


def _lead(view: RunView, lanes: Sequence[str]) -> str:
    names = some_words([view.lane_title(lane) for lane in lanes])
    return f"{names} is fastest" if len(lanes) == 1 else f"{names} tie"


def machine_words(machine: Machine) -> str:
    """`AMD EPYC 7B13, 2 logical CPUs, virtual (kvm), Debian GNU/Linux 12 (bookworm)`."""
    where = f"virtual ({machine.hypervisor})" if machine.hypervisor else "no hypervisor seen"
    cpus = f"{machine.logical_cpus} logical CPU{'' if machine.logical_cpus == 1 else 's'}"
    return f"{machine.cpu_model}, {cpus}, {where}, {machine.system}"


def run_noise_words(run: RunSummary) -> str:
    """The noise line of a run: of its batches, or of the turns of its instruments."""
    return turns_words(run) if run.figures and not run.cases else noise_words(run.noise)


def turns_words(run: RunSummary) -> str:
    """How many turns of instruments had a free core."""
    by_lane = {(one.instrument, one.case, one.lane): one for one in run.figures}.values()
    turns = sum(one.turns for one in by_lane)
    probed = [one for one in by_lane if one.undisturbed is not None]
    if all(kind.exact for plan in run.manifest.instruments for kind in plan.figures):
        return f"{counted(turns, 'turn')}, nothing is timed"
    if not probed:
        return f"{counted(turns, 'turn')}, no probe watched the core"
    free = sum(one.undisturbed or 0 for one in probed)
    return f"{free} of {counted(turns, 'turn')} had a free core before and after"


def short_noise_words(noise: NoiseSummary) -> str:
    """`13 % of batches were disturbed and not used, 312 of 320 passes complete, A/A off by 0.020 %`."""
    parts = [f"{noise.passes_valid} of {noise.passes_tried} passes complete"]
    if noise.disturbed_ratio is not None:
        parts.insert(0, f"{percent_text(noise.disturbed_ratio)} of batches were disturbed and not used")
    if noise.aa_offset_median is not None:
        parts.append(f"A/A off by {percent_text(noise.aa_offset_median)}")
    return ", ".join(parts)


def leads_words(view: RunView, cases: Sequence[CaseSummary]) -> str:
    """`OpenSSL is first or tied in 3 of 6, Libgcrypt in 2`: how often the two builds that lead most often are in the first group of the ranking; the leaders of a single case."""
    ranked = [case for case in cases if case.ranking]
    if len(cases) == 1 and ranked:
        names = list(dict.fromkeys(view.build_title(Lane.parse(lane).build_id) for lane in ranked[0].ranking[0]))
        return f"{some_words(names)} {'is first' if len(names) == 1 else 'tie'}"
    counts = Counter(build for case in ranked for build in {Lane.parse(lane).build_id for lane in case.ranking[0]})
    if not counts:
        return "no ranking"
    (first, times), *others = sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:2]
    told = f"{view.build_title(first)} is first or tied in {times} of {len(cases)}"
    return told + "".join(f", {view.build_title(build)} in {count}" for build, count in others)


def noise_words(noise: NoiseSummary) -> str:
    """The noise line, with what the machine could tell and no more."""
    parts = [f"{noise.passes_valid} of {noise.passes_tried} passes complete"]
    if noise.disturbed_ratio is not None:
        parts.insert(0, f"{percent_text(noise.disturbed_ratio)} of batches were disturbed and not used")
    if noise.ipc_median is not None:
        against = f" of {significant(noise.ipc_reference, 3)}" if noise.ipc_reference is not None else ""
        parts.append(f"IPC {significant(noise.ipc_median, 3)}{against}")
    if noise.ghz_low is not None and noise.ghz_high is not None:
        parts.append(f"{noise.ghz_low:.2f} to {noise.ghz_high:.2f} GHz")
    if noise.slow_batches_ratio is not None:
        parts.append(f"{percent_text(noise.slow_batches_ratio)} slow batches")
    if noise.nivcsw_per_batch is not None:
        parts.append(f"{significant(noise.nivcsw_per_batch, 2)} switches a batch")
    if noise.steal_ratio is not None:
        parts.append(f"steal {percent_text(noise.steal_ratio)}")
    if noise.wall_over_cpu is not None:
        parts.append(f"wall/CPU time {significant(noise.wall_over_cpu, 3)}")
    if noise.load_1min is not None:
        parts.append(f"load {significant(noise.load_1min, 2)}")
    if noise.aa_offset_median is not None:
        width = f" \u00b1{percent_text(noise.aa_halfwidth_median)}" if noise.aa_halfwidth_median is not None else ""
        parts.append(f"A/A off by {percent_text(noise.aa_offset_median)}{width}")
    if noise.aa_cases:
        parts.append(f"{noise.aa_false_positives} of {noise.aa_cases} A/A verdicts false")
    if noise.harness_ns is not None:
        parts.append(f"empty call {significant(noise.harness_ns, 2)} ns")
    return ", ".join(parts)


def two_speeds(view: RunView, cases: Sequence[CaseSummary]) -> list[str]:
    """Of each lane with two speeds in `cases`: `Libgcrypt, AES-128-GCM sealing, 16 KiB: 3.23 us for 51 % of its batches, 4.32 us for 49 %`."""
    return [
        f"{view.lane_title(cell.lane)}, {view.case_title(case)}: {two_speeds_text(cell)}"
        for case in cases
        for cell in case.cells
        if cell.levels and not Lane.parse(cell.lane).twin
    ]


def learners(view: RunView, cases: Sequence[CaseSummary]) -> list[str]:
    """Of each lane in `cases` whose first calls in a process cost more: `wolfSSL, ECDSA P-256 verify: 4.18 ms a call at first, 120 us after 16 calls, 86 us from 48 on`."""
    return [
        f"{view.lane_title(cell.lane)}, {view.case_title(case)}: {learning_text(cell.learning)}"
        for case in cases
        for cell in case.cells
        if cell.learning is not None and not Lane.parse(cell.lane).twin
    ]


def distributions(view: RunView, cases: Sequence[CaseSummary]) -> list[str]:
    """Of each lane in `cases` whose calls differ by what they draw: `OpenSSL, RSA-2048 key generation: median 84.2 ms, ..., 54 calls`."""
    return [
        f"{view.lane_title(cell.lane)}, {view.case_title(case)}: {distribution_text(cell.distribution)}"
        for case in cases
        for cell in case.cells
        if cell.distribution is not None and not Lane.parse(cell.lane).twin
    ]


def faster_text(faster: Faster) -> str:
    """`des_tab 1.62`: name, and cost over the best of the case."""
    return f"{faster.implementation} {ratio_text(faster.ratio) if faster.ratio is not None else '?'}"


def faster_by_name(view: RunView, cases: Sequence[CaseSummary]) -> list[str]:
    """Of each library with an implementation faster than its own choice: `BearSSL, 3DES-CBC encryption, 16 KiB: des_tab 1.62 (not constant-time, tables)`."""
    return [
        f"{view.build_title(grid.build)}, {view.case_title(case)}: {faster_text(first)}"
        + (f" ({first.properties})" if first.properties else "")
        for case in cases
        for grid in view.grid_row(case)
        for first in grid.faster[:1]
    ]


def variant_words(lane_id: str) -> str:
    """The implementation's name, or `the library's own choice`."""
    name = Lane.parse(lane_id).implementation
    return "the library's own choice" if name == DEFAULT_IMPLEMENTATION else name
