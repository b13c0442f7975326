# SPDX-License-Identifier: Apache-2.0
"""The sentences of a report: who is fastest, by how much, how sure. Terminal, Markdown and HTML take them from here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from cipherstone.model.deviations import Deviation, means_words
from cipherstone.model.ids import DEFAULT_IMPLEMENTATION, Lane
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import Machine
from cipherstone.model.summary import CaseSummary, CellSummary, Crossover, Estimate, NoiseSummary
from cipherstone.model.units import format_size, percent_up, significant
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
from cipherstone.stats.verdictwords import beside_one
from cipherstone.views.run.standing import Standing, standing, unsettled

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

# What a deviation means for a reader who does not know the standards.
_PLAIN = {
    Outcome.LAX: "{name} accepts some input that the standard says must be refused",
    Outcome.STRICT: "{name} refuses some input that the standard allows",
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
    """The words for a tie of `lanes` (two or more, the first of their group first). Lanes are called equal only where each pair is `equal`."""
    first, *others = lanes
    two = len(lanes) == 2
    if found.all_equal(lanes):
        within = f"within {percent_up(found.margin)}"
        if not found.any_apart(lanes):
            return f"{'as fast as each other' if two else 'all equally fast'}, to {within}"
        ratio = found.estimate(others[0], first) if two else None
        return f"{'' if two else 'all '}{within} of each other" + (_second_takes(ratio) if ratio is not None else "")
    if found.any_told(lanes):
        return f"none is shown to be slower than {name(first)} here, though some differ from each other"
    known = [ratio for lane in others if (ratio := found.estimate(lane, first)) is not None]
    if len(known) < len(others) or any(half_width(ratio) is None for ratio in known):
        return "cannot be told apart here"
    by = f"by more than {percent_up(found.pairs.threshold)}"
    if two:
        return ("not shown to differ " + by if beside_one(known[0]) else "cannot be told apart here") + _second_takes(
            known[0]
        )
    told = f"none is shown to be slower than {name(first)} {by}" if any(map(beside_one, known)) else "no clear winner"
    return f"{told}: the others take {interval_text(span_of(known))} times as long as {name(first)}"


def _second_takes(ratio: Estimate) -> str:
    return f": the second takes {interval_text(ratio)} times as long"


def span_of(ratios: Sequence[Estimate]) -> Estimate:
    """The smallest of several ratios, with the ends of all intervals; without an interval if one of them has none."""
    least = min(ratios, key=lambda ratio: ratio.value)
    lows, highs = [r.low for r in ratios if r.low is not None], [r.high for r in ratios if r.high is not None]
    if len(lows) < len(ratios) or len(highs) < len(ratios):
        return Estimate(least.value)
    return Estimate(least.value, min(lows), max(highs))


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
    """The winner or the tie, by library: the next is the best lane of another library, if there is one."""
    aside = _unsettled_words(view, case)
    if not case.ranking and aside:
        return Answer((), (), "", f"not settled: {aside}")
    if not case.ranking:
        reasons = sorted({state_of(case, c) for c in case.cells})
        words = list_words([STATES[r][0] for r in reasons if r in STATES]) or "nothing measured"
        first = next((reason_of(case, c) for c in case.cells if reason_of(case, c)), "")
        return Answer((), (), "", f"no figure: {words}" + (f" ({first})" if first else ""))
    found = standing(case)
    libraries = _one_a_library(case.ranking[0])
    first_group = libraries if len(libraries) > 1 else list(case.ranking[0])
    cells = {c.lane: c for c in case.cells}
    leader = cells[first_group[0]].ns
    rate = rate_words(leader, case.size_bytes) if leader is not None else ""
    names = tuple(_name(view, lane) for lane in first_group)
    tie = len(first_group) > 1
    parts = [tie_words(found, first_group, view.lane_title)] if tie else []
    beaten = _next_group(case, first_group)
    said = _beaten_words(view, found, first_group, beaten)
    if said:
        alone = all(Lane.parse(lane).library == Lane.parse(first_group[0]).library for lane in beaten)
        parts.append(f"no other library here has a figure; {said}" if alone and not aside else said)
    elif not tie and not aside:
        parts.append("the only one measured here" if not beaten else "ahead of the rest, by an amount not published")
    parts += [f"not settled: {aside}"] if aside else []
    parts += [f"{_name(view, lane)} is {words}" for lane in first_group if (words := short_deviation(cells[lane]))]
    doubts = tuple(words for lane in first_group for words in winner_doubts(view, case, cells[lane]))
    return Answer(names, tuple(first_group), rate, "; ".join(parts), tie, doubts)


def _unsettled_words(view: RunView, case: CaseSummary) -> str:
    """Lanes that have a figure, but too few passes beside the fastest; "" if there are none."""
    lanes = unsettled(case)
    names = some_words([_name(view, lane) for lane in lanes])
    return f"{names} {'has' if len(lanes) == 1 else 'have'} too few passes for an interval" if lanes else ""


def _beaten_words(view: RunView, found: Standing, winners: Sequence[str], beaten: Sequence[str]) -> str:
    """By how much the winners are ahead of the next: all of them if each pair says so, else the first of the group."""
    told = found.all_slower(beaten, winners)
    ahead = winners if told else winners[:1]
    known = [ratio for i in beaten for j in ahead if (ratio := found.estimate(i, j)) is not None]
    if not known:
        return ""
    said = faster_than(span_of(known), list_words([_name(view, lane) for lane in beaten]))
    return said if told or len(winners) == 1 else f"{_name(view, winners[0])} is {said}"


def winner_doubts(view: RunView, case: CaseSummary, cell: CellSummary) -> list[str]:
    """What is wrong, lax or strict about a lane, and unsteady about its figure, in words for a user who has to choose."""
    name, lane = _name(view, cell.lane), Lane.parse(cell.lane)
    said = [
        _PLAIN[outcome].format(name=name)
        for outcome in dict.fromkeys(one.outcome for one in cell.deviations)
        if outcome in _PLAIN
    ]
    others = [c for c in case.cells if c.lane != cell.lane and Lane.parse(c.lane).build_id == lane.build_id]
    wrong = [c for c in others if c.outcome is Outcome.WRONG]
    if wrong:
        names = list_words([variant_words(c.lane) for c in wrong])
        said.append(
            f"{view.build_title(lane.build_id)} computes wrong results here with {names}, which is not what is named as the winner"
        )
    if cell.properties is not None and cell.properties.constant_time == "no":
        said.append(f"the time that {name} takes depends on secrets, which an attacker may measure")
    if cell.levels or "bimodal" in cell.flags:
        said.append(f"{name} runs at two speeds: {KEPT_BY.get(cell.levels_by, 'which one is yours is not known')}")
    if "drift" in cell.flags:
        said.append(f"the speed of {name} was still changing while it was measured")
    return said  # fmt: skip


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


def _one_a_library(lanes: Sequence[str]) -> list[str]:
    kept: dict[str, str] = {}
    for lane in lanes:
        kept.setdefault(Lane.parse(lane).library, lane)
    return list(kept.values())


def _next_group(case: CaseSummary, winners: Sequence[str]) -> list[str]:
    """The first later group with another library's lanes (one a library); else the next group of the same library."""
    libraries = {Lane.parse(lane).library for lane in winners}
    for group in case.ranking[1:]:
        others = _one_a_library([lane for lane in group if Lane.parse(lane).library not in libraries])
        if others:
            return others
    return list(case.ranking[1][:1]) if len(case.ranking) > 1 else []


def crossover_sentence(view: RunView, crossover: Crossover) -> str:
    """`Libgcrypt overtakes OpenSSL from about 5900 bytes up`."""
    size = significant(crossover.size_bytes, 2)
    return (
        f"{view.lane_title(crossover.large)} overtakes {view.lane_title(crossover.small)} from about {size} bytes up "
        f"(measured at {format_size(crossover.below_bytes)} and {format_size(crossover.above_bytes)})"
    )


def machine_words(machine: Machine) -> str:
    """`AMD EPYC 7B13, 2 logical CPUs, virtual (kvm), Debian GNU/Linux 12 (bookworm)`."""
    where = f"virtual ({machine.hypervisor})" if machine.hypervisor else "no hypervisor seen"
    cpus = f"{machine.logical_cpus} logical CPU{'' if machine.logical_cpus == 1 else 's'}"
    return f"{machine.cpu_model}, {cpus}, {where}, {machine.system}"


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
