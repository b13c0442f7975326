# SPDX-License-Identifier: Apache-2.0
"""Bounds of models with several groups of several terms, the tiers that a result is held against, and figures that cannot be; with kernels without a figure, features that a CPU lacks, results without cycles or without an interval."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from generated_runs import examples, summary_of
from hypothesis import given
from hypothesis import strategies as st
from obvious import near

from cipherstone.catalogue.roofline import Model, Term, UnitGroup
from cipherstone.model.estimate import Estimate
from cipherstone.model.ids import Case
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import KernelFigure, Spectrum
from cipherstone.model.summary import CaseSummary, CellSummary, RunSummary
from cipherstone.views.plausible import implausible
from cipherstone.views.roofline import largest_cases, roofline_rows, tier_shares

KERNELS = ("x86-64.add/latency", "x86-64.add/throughput", "x86-64.mulx/throughput", "x86-64.aesenc/latency")
FEATURES = ("aes", "avx2", "adx")
terms = st.lists(
    st.builds(Term, count=st.sampled_from((0.5, 1.0, 10.0, 160.0)), kernel=st.sampled_from(KERNELS)),
    min_size=1,
    max_size=4,
)
units = st.builds(UnitGroup, unit=st.sampled_from(("port 0", "ports 0 and 1", "chain")), terms=terms.map(tuple))


@st.composite
def models(draw: st.DrawFn, block: int | None) -> list[Model]:
    """The tiers of one operation, each with one to three groups and an error of its own."""
    return [
        Model(
            "op/hash",
            f"tier{number}",
            draw(st.sampled_from(((), ("aes",), ("aes", "avx2")))),
            "throughput",
            block,
            tuple(draw(st.lists(units, min_size=1, max_size=3))),
            "",
            "",
            (),
            "file",
            draw(st.sampled_from((0.02, 0.1))),
            draw(st.sampled_from(((), (), (), (), ("adx",)))),
        )
        for number in range(draw(st.integers(1, 3)))
    ]


figures = st.dictionaries(st.sampled_from(KERNELS), st.sampled_from((0.25, 0.5, 1.0, 3.3)), min_size=2)
all_figures = st.fixed_dictionaries({kernel: st.sampled_from((0.25, 0.5, 1.0, 3.3)) for kernel in KERNELS})
features = st.frozensets(st.sampled_from(FEATURES), max_size=3)


def bound(model: Model, cost: dict[str, float]) -> float:
    """Groups run beside each other, the terms of one after each other: the longest sum, a byte or a call."""
    sums = []
    for group in model.groups:
        total = 0.0
        for term in group.terms:
            total += term.count * cost[term.kernel]
        sums.append(total)
    return max(sums) / (model.block_bytes or 1)


def at_the_limit(model: Model, cost: dict[str, float]) -> set[tuple[str, str]]:
    """(unit, kernel) of what may be called the limit: the heaviest terms of the longest groups."""
    total = bound(model, cost) * (model.block_bytes or 1)
    found = set()
    for group in model.groups:
        each = [term.count * cost[term.kernel] for term in group.terms]
        if math.isclose(sum(each), total):
            found |= {
                (group.unit, term.kernel) for term, own in zip(group.terms, each, strict=True) if own == max(each)
            }
    return found


@given(st.data(), st.sampled_from((None, 16, 64)), st.one_of(figures, all_figures), features, st.floats(0.01, 500))
@examples(150)
def test_bounds_and_tiers(
    data: st.DataObject, block: int | None, cost: dict[str, float], have: frozenset[str], measured: float
) -> None:
    mine = data.draw(models(block))
    found = {tier.tier: tier for tier in tier_shares(mine, cost, have, measured)}
    assert set(found) == {model.tier for model in mine if set(model.requires) <= have}
    for model in mine:
        if model.tier not in found:
            continue
        tier = found[model.tier]
        lacking = {term.kernel for group in model.groups for term in group.terms} - set(cost)
        if lacking:
            assert tier.bound is None and all(kernel in tier.reason for kernel in lacking)
            continue
        assert near(tier.bound, bound(model, cost)) and near(tier.share, bound(model, cost) / measured)
        assert (tier.unit, tier.limiting) in at_the_limit(model, cost)
        assert tier.kind == ("latency" if tier.limiting.endswith("latency") else "throughput")
    # The weakest first, but for tiers that are within 2 %; those without a bound before all.
    bounds = [math.inf if tier.bound is None else tier.bound for tier in found.values()]
    assert all(a * 1.02 >= b for a, b in itertools.pairwise(bounds))


def run_of(spectrum: Spectrum | None, have: frozenset[str], cases: Sequence[CaseSummary]) -> RunSummary:
    return summary_of(cases, have, spectrum)


estimates = st.builds(
    lambda value, width: Estimate(
        value, None if width is None else value / width, None if width is None else value * width
    ),
    st.sampled_from((0.5, 0.97, 40.0, 100.0, 130.0, 900.0, 4000.0, 30_000.0)),
    st.sampled_from((None, 1.0, 1.02, 1.2)),
)


def cell_of(case: str, lane: str, ns: Estimate | None, cycles: Estimate | None) -> CellSummary:
    return CellSummary(case, lane, Outcome.OK, ns=ns, cycles=cycles, refused="" if ns is not None else "contended")


@given(
    st.data(),
    st.sampled_from((None, 64, 8192, 8192, 16384)),
    all_figures,
    features,
    estimates,
    st.one_of(st.none(), estimates, estimates),
    st.integers(0, 3),
)
@examples(120)
def test_figures_that_cannot_be(
    data: st.DataObject,
    size: int | None,
    cost: dict[str, float],
    have: frozenset[str],
    ns: Estimate,
    cycles: Estimate | None,
    whole: int,
) -> None:
    """docs/decisions/0048: by the favourable end of its interval, a call of no cycle, more than 128 bytes a cycle, or less than the lowest bound by more than the error of the models."""
    mine = data.draw(models(64 if size else None))
    case = Case("op", "hash", size)
    spectrum = Spectrum(
        "x86-64", tuple(KernelFigure(name, value) for name, value in cost.items()), missing=("k",) * (whole == 0)
    )
    check_plausible(mine, case, cost, have, ns, cycles, data.draw(st.sampled_from((spectrum, spectrum, None))))


def check_plausible(
    mine: Sequence[Model],
    case: Case,
    cost: dict[str, float],
    have: frozenset[str],
    ns: Estimate,
    cycles: Estimate | None,
    spectrum: Spectrum | None,
) -> None:
    manifest, size = run_of(spectrum, have, ()).manifest, case.size_bytes
    found = implausible(case, cell_of(case.id, "openssl@3.0", ns, cycles), manifest, mine)
    one = cycles or ns
    most = max(one.value, one.high or 0) * (1 if cycles else 6.5)
    by_models = False
    usable = [model for model in mine if set(model.requires) <= have]
    beyond = any(set(model.beyond) & have for model in usable)
    if spectrum and cycles and not spectrum.missing and usable and not beyond:
        per = most / size if size else most
        least, error = min(bound(model, cost) for model in usable), max(model.error for model in usable)
        by_models = (not size or size >= 8192) and per * (1 + error) < least
    impossible = most * 1.05 < 1 or (bool(size) and most * 1.05 < (size or 0) / 128) or by_models
    assert bool(found) == impossible


@given(
    st.data(),
    st.sampled_from((None, 8192, 16384)),
    all_figures,
    st.sampled_from((frozenset(), frozenset(("aes", "avx2")), frozenset(("aes", "avx2")), frozenset(FEATURES))),
    st.sampled_from((0.84, 0.89, 0.91, 0.94, 0.97, 0.99, 1.1)),
    st.sampled_from((None, 1.0, 1.06)),
    st.integers(0, 4),
)
@examples(250)
def test_figures_near_a_bound(
    data: st.DataObject,
    size: int | None,
    cost: dict[str, float],
    have: frozenset[str],
    share: float,
    width: float | None,
    whole: int,
) -> None:
    """Of the lowest bound of those that the CPU has: on either side of what the errors of the models and the interval of the figure allow."""
    mine = data.draw(models(64 if size else None))
    least = min((bound(model, cost) for model in mine if set(model.requires) <= have), default=100.0)
    value = least * (size or 1) * share
    cycles = Estimate(value) if width is None else Estimate(value, value / width, value * width)
    spectrum = Spectrum(
        "x86-64", tuple(KernelFigure(name, value) for name, value in cost.items()), missing=("k",) * (whole == 0)
    )
    check_plausible(mine, Case("op", "hash", size), cost, have, Estimate(value / 3), cycles, spectrum)


@given(
    st.data(),
    st.lists(
        st.tuples(st.sampled_from((64, 8192, 16384)), estimates, st.one_of(st.none(), estimates)),
        min_size=1,
        max_size=3,
    ),
    all_figures,
    features,
)
@examples(120)
def test_rows(
    data: st.DataObject,
    sizes: list[tuple[int, Estimate, Estimate | None]],
    cost: dict[str, float],
    have: frozenset[str],
) -> None:
    """One row of the largest size: its share of each tier, the first tier that it fits, and what is left to the lowest bound."""
    mine = data.draw(models(64))
    cases = []
    for size, ns, cycles in sizes:
        case = Case("op", "hash", size)
        cases.append(
            CaseSummary(
                case.id, case.operation, "Op", "", "hash", size, "", (), (cell_of(case.id, "openssl@3.0", ns, cycles),)
            )
        )
    spectrum = Spectrum("x86-64", tuple(KernelFigure(name, value) for name, value in cost.items()))
    largest = max(size for size, _, _ in sizes)
    assert [case.size_bytes for case in largest_cases(cases)] == [largest]
    (row,) = roofline_rows(mine, run_of(spectrum, have, cases))
    cycles = next(one for size, _, one in sizes if size == largest)
    usable = {model.tier: bound(model, cost) for model in mine if set(model.requires) <= have}
    if cycles is None or largest < 8192 or not usable:
        assert row.reason and not row.fits and row.left is None
        return
    measured = cycles.value / largest
    assert row.measured is not None and near(row.measured.value, measured)
    assert near(
        [row.measured.low, row.measured.high],
        [None if end is None else end / largest for end in (cycles.low, cycles.high)],
    )
    shares = {tier: one / measured for tier, one in usable.items()}
    fitting = {tier: share for tier, share in shares.items() if share <= 1.02}
    lowest = [tier for tier, one in usable.items() if one <= min(usable.values()) * 1.02]
    assert row.left is not None and any(near(row.left, measured / usable[tier]) for tier in lowest)
    if not fitting:
        assert row.fits == "" and row.flag
    else:
        assert fitting[row.fits] * 1.02 >= max(fitting.values()) * (1 - 1e-12)
        assert bool(row.flag) == (fitting[row.fits] < 0.05)
