# SPDX-License-Identifier: Apache-2.0
"""Whether a stored summary can be that of a run. Its types bound each number; here is which numbers must be above zero and which names must exist in it. A seal is no proof: an edited run can be sealed again."""

from __future__ import annotations

from collections.abc import Iterator

from cipherstone.model.estimate import Estimate
from cipherstone.model.summary import CaseSummary, RatioSummary, RunSummary

LEAST = 1e-9  # of a time, a ratio, a size in a fit: a quotient by a smaller one overflows


def unsound(summary: RunSummary) -> str:
    """The first place that cannot be, with the value that is there; "" if there is none."""
    return next(_problems(summary), "")


def _problems(summary: RunSummary) -> Iterator[str]:
    lanes: dict[str, set[str]] = {}
    for number, case in enumerate(summary.cases):
        place = f"cases[{number}]"
        if case.case in lanes:
            yield f"{place}.case '{case.case[:80]}' stands twice"
        lanes[case.case] = {cell.lane for cell in case.cells}
        yield from _in_case(case, place, lanes[case.case])
    operations = {case.operation for case in summary.cases}
    for number, fit in enumerate(summary.fits):
        yield from _estimate(fit.per_byte_ns, f"fits[{number}].per_byte_ns")
        if fit.operation not in operations:
            yield f"fits[{number}].operation '{fit.operation[:80]}' belongs to no case of the run"
    for number, crossing in enumerate(summary.crossovers):
        yield from _positive(crossing.size_bytes, f"crossovers[{number}].size_bytes")
        if crossing.operation not in operations:
            yield f"crossovers[{number}].operation '{crossing.operation[:80]}' belongs to no case of the run"
    for number, row in enumerate(summary.roofline):
        place = f"roofline[{number}]"
        if row.lane not in lanes.get(row.case, ()):
            yield f"{place}: no '{row.lane[:80]}' in a case '{row.case[:80]}' of the run"
        yield from _estimate(row.measured, f"{place}.measured")
        for tier in row.tiers:
            yield from _positive(tier.bound, f"{place}.tiers: bound")
    noise = summary.noise
    for name in ("aa_offset_median", "aa_halfwidth_median", "aa_worst", "waited_s"):
        value = getattr(noise, name)
        if value is not None and value < 0:
            yield f"noise.{name} is {value:g}"


def _in_case(case: CaseSummary, place: str, lanes: set[str]) -> Iterator[str]:
    if case.threshold < 0:
        yield f"{place}.threshold is {case.threshold:g}"
    for number, cell in enumerate(case.cells):
        at = f"{place}.cells[{number}]"
        if cell.case != case.case:
            yield f"{at}.case '{cell.case[:80]}' is not that of its case"
        yield from _estimate(cell.ns, f"{at}.ns")
        yield from _estimate(cell.cycles, f"{at}.cycles")
        yield from _positive(cell.typical_ns, f"{at}.typical_ns")
        for k, value in enumerate(cell.pass_ns):
            yield from _positive(value, f"{at}.pass_ns[{k}]")
        for k, level in enumerate(cell.levels):
            yield from _positive(level.ns, f"{at}.levels[{k}].ns")
    named = {lane for group in case.ranking for lane in group}
    ratios: list[tuple[str, RatioSummary]] = [(f"to_best[{k}]", one) for k, one in enumerate(case.to_best)]
    ratios += [(f"to_base[{k}]", one) for k, one in enumerate(case.to_base)]
    ratios += [("aa", case.aa)] if case.aa is not None else []
    for name, ratio in ratios:
        yield from _estimate(ratio.ratio, f"{place}.{name}.ratio")
        named |= {ratio.lane, ratio.base}
        if ratio.threshold < 0:
            yield f"{place}.{name}.threshold is {ratio.threshold:g}"
    # An A/A lane may be named without a cell of its own.
    if missing := {lane for lane in named if lane.removesuffix("#2") not in lanes}:
        yield f"{place}: '{min(missing)[:80]}' is ranked or compared, and is not one of its lanes"


def _estimate(one: Estimate | None, place: str) -> Iterator[str]:
    if one is not None:
        for name in ("value", "low", "high"):
            yield from _positive(getattr(one, name), f"{place}.{name}")


def _positive(value: float | None, place: str) -> Iterator[str]:
    if value is not None and not value >= LEAST:
        yield f"{place} is {value:g}, and must be above zero"
