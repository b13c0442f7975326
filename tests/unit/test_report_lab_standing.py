# SPDX-License-Identifier: Apache-2.0
"""Cards and figures of the laboratories name winners and ties as the method finds them, and one statistic in both."""

from __future__ import annotations

import re
import statistics
from collections.abc import Mapping, Sequence
from functools import cache

import modexp_example as example
import msgspec
import pytest

from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.published_tables import load_published
from cipherstone.labs.modexp.page import modexp_page
from cipherstone.labs.modexp.results import compilers, portable, publication
from cipherstone.model.ids import Lane
from cipherstone.model.summary import CaseSummary, CellSummary, RatioSummary, RunSummary
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.room_page import LabCard, LabPage
from cipherstone.report.rooms import NoCharts
from cipherstone.stats.interval import median_estimate
from cipherstone.stats.verdict import rank
from cipherstone.views.run.leaders import standing_of
from cipherstone.views.run.pairs import case_pairs

BUILD = example.LAB_BUILD
UNEASY = tuple(1.0 + 0.007 * k / 3 for k in (0, 3, -3, 1, -1, 2, -2, 4, -4))
PUBLISHED = load_published(data_root(), "modexp-emcrypt")


def timed(cell: CellSummary, ns: float, shape: Sequence[float] = (1.0,) * 9) -> CellSummary:
    values = tuple(ns * s for s in shape)
    return msgspec.structs.replace(cell, pass_ns=values, ns=median_estimate(values))


def judged(case_id: str, cells: Sequence[CellSummary]) -> CaseSummary:
    """A case whose ranking is the method's."""
    case = msgspec.structs.replace(example.case_of(case_id, cells), ranking=(), to_best=())
    found = standing_of(case, [c.lane for c in cells])
    pairs = case_pairs(case)
    best = tuple(pairs.ratio(lane, found.order[0]) for lane in found.order)
    return msgspec.structs.replace(case, ranking=found.groups, to_best=best)


def page_of(cases: Sequence[CaseSummary]) -> LabPage:
    run: RunSummary = example.run_of(cases, "modexp")
    page = modexp_page(RunView(run), NoCharts(), PUBLISHED, "")
    assert page is not None
    return page


def card(page: LabPage, question: str) -> LabCard:
    return next(c for c in page.cards if c.question.startswith(question))


def answer(page: LabPage, anchor: str) -> str:
    return next(f.answer for section in page.sections for f in section.figures if f.anchor.startswith(anchor))


def case_with(times: Mapping[str, tuple[float, Sequence[float]]]) -> CaseSummary:
    """Lane -> (ns, shape)."""
    cells = []
    for lane_id, (ns, shape) in times.items():
        lane = Lane.parse(lane_id)
        base = example.lab_rows((lane.implementation,), build=lane.build)[0] if lane.library == "modexp" else example.cell(example.CRT, lane_id, ns, example.random.Random(1), memory=(1, 2))  # fmt: skip
        cells.append(timed(base, ns, shape))
    return judged(example.CRT, cells)


STEADY = (1.0,) * 9
FW5, RM5 = f"modexp@{BUILD}:mont-64-fw5", f"modexp@{BUILD}:mont-64-rm5"


def test_the_fastest_way_is_a_tie_where_the_method_says_so() -> None:
    page = page_of([case_with({FW5: (1e6, STEADY), RM5: (1.004e6, STEADY)})])
    found = card(page, "Which of our ways is fastest?")
    assert found.winner == "Montgomery, 5b, FW, 64-bit limbs and Montgomery, 5b, RM, 64-bit limbs"
    assert found.by.startswith("within 1.0 % of each other: the second takes 1.0040 to 1.0040 times as long")
    page = page_of([case_with({FW5: (1e6, STEADY), RM5: (1.04e6, STEADY)})])
    assert card(page, "Which of our ways is fastest?").winner == "Montgomery, 5b, FW, 64-bit limbs"


def test_portable_c_that_cannot_be_told_apart_has_no_winner() -> None:
    case = case_with({FW5: (1.003e6, UNEASY), "openssl@3.0.19+noasm": (1e6, STEADY)})
    page = page_of([case])
    assert [r.leads for r in portable(case)] == [True, True]
    found = card(page, "Whose portable C is fastest?")
    assert " and " in found.winner and "cannot be told apart" in found.by
    assert "cannot be told apart" in answer(page, "lab-portable")
    assert "takes" not in answer(page, "lab-portable").partition("cannot be told apart")[0]


def test_a_library_that_is_not_told_from_ours_is_not_called_fastest() -> None:
    page = page_of([case_with({FW5: (1.003e6, UNEASY), "gmp@6.2.1": (1e6, STEADY)})])
    assert "is fastest" not in answer(page, "lab-libraries")
    page = page_of([case_with({FW5: (1.3e6, UNEASY), "gmp@6.2.1": (1e6, STEADY)})])
    assert "GMP is fastest" in answer(page, "lab-libraries") and "takes 1.30 times" in answer(page, "lab-libraries")


def test_compilers_tie_where_they_are_equal() -> None:
    """Each row's smallest figure is clang's; one row is told, the other is a tie."""
    clang = "1.0+clang-O2"
    case = case_with(
        {
            FW5: (1.002e6, STEADY),
            RM5: (1.2e6, STEADY),
            f"modexp@{clang}:mont-64-fw5": (1e6, STEADY),
            f"modexp@{clang}:mont-64-rm5": (1e6, STEADY),
        }
    )
    assert len(compilers(example.run_of([case], "modexp"))) == 1
    assert answer(page_of([case]), "lab-compilers") == "clang-O2 is fastest in 1 of 2 rows; 1 is a tie."


@cache
def whole() -> LabPage:
    return page_of(example.modexp_run().cases)


def test_figure_and_card_of_the_published_table_show_one_statistic() -> None:
    case = next(c for c in example.modexp_run().cases if c.case == example.CRT)
    known = [line.ours.factor_ratio for line in publication(case, PUBLISHED) if line.ours is not None and line.ours.factor_ratio is not None]  # fmt: skip
    middle = f"{statistics.median(known):.2f}"
    assert middle != f"{statistics.geometric_mean(known):.2f}"
    found = card(whole(), "Does the published table hold here?")
    assert found.rate == f"{middle} times its gains" and "the median" in found.by
    assert f"(median {middle})" in answer(whole(), "lab-publication")


def test_what_memory_buys_is_a_paired_ratio() -> None:
    """The machine slows down by half in the middle of the run and each row lost other passes: medians would tell the clocks."""
    slow = [1.0] * 5 + [1.5] * 9
    small, large = (example.lab_rows((name,))[0] for name in ("mont-64-fast", "mont-64-rm5"))
    mine = range(0, 9), range(5, 14)
    cells = []
    for cell, ns, held in ((small, 2e6, mine[0]), (large, 1e6, mine[1])):
        cells.append(msgspec.structs.replace(timed(cell, ns, [slow[p] for p in held]), passes=tuple(held)))
    # Four common passes make no interval; two more make six.
    cells[0] = msgspec.structs.replace(timed(small, 2e6, [slow[p] for p in range(12)]), passes=tuple(range(12)))
    page = page_of([judged(example.CRT, cells)])
    assert "times the memory buys 2.00 times the speed" in answer(page, "lab-pareto")


def test_no_window_is_best_where_two_cannot_be_told_apart() -> None:
    cells = example.lab_rows(f"mont-64-{form}" for form in example.FORMS)
    by_name = {Lane.parse(c.lane).implementation: c for c in cells}
    best = by_name["mont-64-rm5"]
    assert best.ns is not None
    by_name["mont-64-rm4"] = timed(by_name["mont-64-rm4"], best.ns.value * 1.015, tuple(1 + 3 * (s - 1) for s in UNEASY))  # fmt: skip
    by_name["mont-64-rm5"] = timed(best, best.ns.value)
    page = page_of([judged(example.CRT, list(by_name.values()))])
    found = card(page, "Which window is best here?")
    assert re.search(r"4\b.*bits \(RM\)", found.winner)


def test_the_order_of_reductions_is_told_or_not() -> None:
    names = [f"{r}-64-{f}" for r in ("basic", "barrett", "mont") for f in ("fast", "rm5")]
    cells = {Lane.parse(c.lane).implementation: c for c in example.lab_rows(names)}
    order = lambda: card(page_of([judged(example.CRT, list(cells.values()))]), "Does the published").winner  # noqa: E731
    theirs = {r: min(row.time_ms for row in PUBLISHED.row if row.reduction == r and row.exponentiation in ("fast", "rm5")) for r in ("basic", "barrett", "mont")}  # fmt: skip
    first, second, _ = sorted(theirs, key=lambda r: theirs[r])
    for place, reduction in enumerate(sorted(theirs, key=lambda r: theirs[r])):
        cells[f"{reduction}-64-rm5"] = timed(cells[f"{reduction}-64-rm5"], 1e6 * (1 + place))
        cells[f"{reduction}-64-fast"] = timed(cells[f"{reduction}-64-fast"], 9e6)
    assert order() == "ranks as published"
    cells[f"{second}-64-rm5"] = timed(cells[f"{second}-64-rm5"], 1.003e6)
    assert order() == "its order is not told here"
    cells[f"{second}-64-rm5"] = timed(cells[f"{second}-64-rm5"], 0.5e6)
    assert order() == "ranks otherwise" and first != second


def test_the_helper_ranks_as_the_method_does() -> None:
    case = case_with({FW5: (1e6, STEADY), RM5: (1.04e6, STEADY)})
    assert case.ranking == rank([FW5, RM5], case_pairs(case).verdict) == ((FW5,), (RM5,))
    assert isinstance(case.to_best[0], RatioSummary) and case.to_best[1].ratio is not None
    assert case.to_best[1].ratio.value == pytest.approx(1.04)
