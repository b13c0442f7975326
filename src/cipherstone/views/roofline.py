# SPDX-License-Identifier: Apache-2.0
"""Results against what the machine's instructions allow: per result and tier a bound, the share of it that is reached, and what limits."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from cipherstone.catalogue.roofline import LEAST_BULK_BYTES, Model
from cipherstone.model.ids import DEFAULT_IMPLEMENTATION, Lane
from cipherstone.model.records import Build, Spectrum
from cipherstone.model.roofline import SAME_BOUND, RooflineRow, TierShare, lowest
from cipherstone.model.summary import CaseSummary, CellSummary, Estimate, RunSummary
from cipherstone.model.units import format_size, significant
from cipherstone.views.run.leaders import by_rank

TOLERANCE = 1.02  # a share up to here still fits its tier: figures and results have intervals
LEAST_SHARE = 0.05  # below this of every tier, the code is not what any of the models counts
NO_SPECTRUM = "this run holds no spectrum of its machine"


def kernel_figures(spectrum: Spectrum) -> dict[str, float]:
    """Cycles per instruction by kernel id; empty if the spectrum was refused."""
    return {} if spectrum.refused else {figure.kernel: figure.cycles for figure in spectrum.figures}


def roofline_rows(
    models: Iterable[Model], summary: RunSummary, spectrum: Spectrum | None = None
) -> tuple[RooflineRow, ...]:
    """A row for every lane with a figure of every operation that has a model, in the order of the run.

    `spectrum`: by default the one in the run's manifest. Where a bound cannot be given, the row says why. Operations with sizes are judged at their
    largest measured size (8 KiB at least).
    """
    spectrum = spectrum or summary.manifest.spectrum
    by_operation: dict[str, list[Model]] = defaultdict(list)
    for model in models:
        by_operation[model.operation].append(model)
    builds = {f"{build.library}@{build.build}": build for build in summary.manifest.builds}
    rows = []
    for case in largest_cases(summary.cases):
        mine = by_operation.get(case.operation)
        places = {cell.lane: place for place, cell in enumerate(by_rank(case, case.cells))}
        for cell in case.cells if mine else ():
            if cell.outcome.timed and not cell.lane.endswith("#2"):
                row = _row(case, cell, mine or [], spectrum, summary.manifest.machine.cpu_features, builds)
                rows.append(msgspec.structs.replace(row, place=places.get(cell.lane, len(places))))
    return tuple(rows)


def largest_cases(cases: Iterable[CaseSummary]) -> list[CaseSummary]:
    """One case an operation: the largest size, or the only one."""
    chosen: dict[str, CaseSummary] = {}
    for case in cases:
        known = chosen.get(case.operation)
        if known is None or (case.size_bytes or 0) > (known.size_bytes or 0):
            chosen[case.operation] = case
    return list(chosen.values())


def tier_shares(
    models: Sequence[Model], figures: Mapping[str, float], features: Iterable[str], measured: float
) -> tuple[TierShare, ...]:
    """The tiers that a CPU with `features` has, weakest first; those without a figure for a kernel first of all, with the reason."""
    have = frozenset(features)
    found = []
    for model in models:
        if model.missing_features(have):
            continue
        lacking = [kernel for kernel in model.kernels if kernel not in figures]
        if lacking:
            found.append(TierShare(model.tier, model.kind, reason=f"no figure for {', '.join(lacking)}"))
            continue
        bound, group, term = model.bound(figures)
        kind = "latency" if term.kernel.endswith("/latency") else "throughput"
        found.append(TierShare(model.tier, kind, bound, bound / measured, term.kernel, group.unit))
    return _weakest_first(found)


def _weakest_first(tiers: Sequence[TierShare]) -> tuple[TierShare, ...]:
    """By falling bound; tiers with about the same bound stay in the order of the models."""
    ordered: list[TierShare] = []
    for tier in tiers:
        bound = tier.bound if tier.bound is not None else math.inf
        place = len(ordered)
        while place and (ordered[place - 1].bound or math.inf) * SAME_BOUND < bound:
            place -= 1
        ordered.insert(place, tier)
    return tuple(ordered)


def _row(
    case: CaseSummary,
    cell: CellSummary,
    models: Sequence[Model],
    spectrum: Spectrum | None,
    features: Iterable[str],
    builds: Mapping[str, Build],
) -> RooflineRow:
    bulk = models[0].block_bytes is not None
    row = RooflineRow(
        operation=case.operation,
        title=case.title,
        family=case.family,
        case=case.case,
        lane=cell.lane,
        who=_who(cell.lane, builds),
        per="byte" if bulk else "call",
    )
    reason = _no_row(case, cell, bulk, spectrum)
    if reason or cell.cycles is None or spectrum is None:
        return msgspec.structs.replace(row, reason=reason)
    scale = 1 / case.size_bytes if bulk and case.size_bytes else 1.0
    measured = _scaled(cell.cycles, scale)
    tiers = tier_shares(models, kernel_figures(spectrum), features, measured.value)
    bounded = [tier for tier in tiers if tier.bound is not None]
    if not bounded:
        why_not = tiers[0].reason if tiers else "this CPU has none of the tiers that are modelled"
        return msgspec.structs.replace(row, measured=measured, tiers=tiers, reason=why_not)
    fitting = [tier for tier in bounded if (tier.share or 0) <= TOLERANCE]
    most = max((tier.share or 0 for tier in fitting), default=0.0)
    fits = next((tier for tier in fitting if (tier.share or 0) * SAME_BOUND >= most), None)
    flag = _flag(fits, bounded)
    best = lowest(bounded)
    left = measured.value / ((best.bound if best is not None else None) or measured.value)
    row = msgspec.structs.replace(
        row, measured=measured, tiers=tiers, flag=flag, fits=fits.tier if fits else "", left=left
    )
    return msgspec.structs.replace(row, sentence=_sentence(row), why=_why(row))


def _no_row(case: CaseSummary, cell: CellSummary, bulk: bool, spectrum: Spectrum | None) -> str:
    """Why there is no bound for a cell, or ""."""
    if spectrum is None:
        return NO_SPECTRUM
    if spectrum.refused:
        return f"no spectrum: {spectrum.refused}"
    if not spectrum.figures:
        return NO_SPECTRUM
    if cell.ns is None or cell.refused:
        return cell.refused or "no figure in this run"
    if cell.cycles is None:
        return "no cycles in this run: its core clock is not known"
    if bulk and (case.size_bytes or 0) < LEAST_BULK_BYTES:
        size = format_size(case.size_bytes or 0)
        return (
            f"measured up to {size} only: the cost of a call hides that of a byte below {format_size(LEAST_BULK_BYTES)}"
        )
    return ""


def _flag(fits: TierShare | None, bounded: Sequence[TierShare]) -> str:
    if fits is None:
        most = min(tier.share or 0 for tier in bounded)
        return f"model wrong for this result: {percent(most)} or more of every tier that this CPU has"
    if (fits.share or 0) < LEAST_SHARE:
        return f"model wrong for this result: {percent(fits.share or 0)} of {fits.tier}, so it does something else"
    return ""


def _scaled(estimate: Estimate, factor: float) -> Estimate:
    low = None if estimate.low is None else estimate.low * factor
    high = None if estimate.high is None else estimate.high * factor
    return Estimate(estimate.value * factor, low, high)


def _who(lane: str, builds: Mapping[str, Build]) -> str:
    """`OpenSSL 3.0.19`, `BearSSL 0.6 aes_ct64`."""
    parsed = Lane.parse(lane)
    build = builds.get(parsed.build_id)
    # The title of a build that is not the distribution's tells which one it is.
    name = f"{build.title} {build.version}" if build is not None else parsed.build_id.replace("@", " ")
    return name if parsed.implementation == DEFAULT_IMPLEMENTATION else f"{name} {parsed.implementation}"


def percent(share: float) -> str:
    """`91 %`, `4.2 %`: whole per cent from 10 on."""
    return f"{share * 100:.0f} %" if share >= 0.0995 else f"{significant(share * 100, 2)} %"


def times(factor: float) -> str:
    """`four times left`, `1.6 times left`, or that little is."""
    if factor < 1.1:
        return "little left"
    words = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 8: "eight", 10: "ten"}
    near = round(factor)
    if near in words and abs(factor - near) <= 0.1 * near:
        return f"{words[near]} times left"
    return f"{significant(factor, 2)} times left"


def _sentence(row: RooflineRow) -> str:
    if row.flag:
        return f"{row.title}, {row.who}: {row.flag}"
    shown = [tier for tier in (row.fitting, row.best) if tier is not None]
    parts = [f"{percent(tier.share or 0)} of {tier.tier}" for tier in dict.fromkeys(shown)]
    return f"{row.title}, {row.who}: {', '.join(parts)}: {times(row.left or 1)}"


def _why(row: RooflineRow) -> str:
    """What holds the result back, in a sentence; "" where the models do not tell."""
    tier = row.fitting
    if row.flag or tier is None:
        return ""
    name = tier.limiting.partition(".")[2]
    if tier.kind == "latency":
        text = f"latency-bound ({name}): each step waits for the one before, so only several messages at once would be faster"
    else:
        text = f"in {tier.tier}, {name} ({tier.unit}) is the limit"
    best = row.best
    if best is not None and best.tier != tier.tier:
        text += f"; {best.tier} would allow {significant((tier.bound or 1) / (best.bound or 1), 2)} times as much"
    if (tier.share or 0) < 0.6:
        text += "; far below its tier: overhead, a weaker path, or work that the model does not count"
    return text
