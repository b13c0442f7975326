# SPDX-License-Identifier: Apache-2.0
"""The modexp laboratory's views: names, the published table, factors, the front, the cost model, portable C."""

from __future__ import annotations

import random
import shutil
from itertools import pairwise
from pathlib import Path

import modexp_example as example
import msgspec
import pytest
from test_views_passes import manifest, pass_record, samples

from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.published_tables import Published, load_published
from cipherstone.labs.modexp.costmodel import COSTS, cost_models, fit_costs
from cipherstone.labs.modexp.names import method_of, method_told
from cipherstone.labs.modexp.results import (
    arithmetic,
    compilers,
    is_portable,
    over,
    pareto,
    portable,
    private_cases,
    publication,
    rows_of,
)
from cipherstone.model.errors import DataError, UsageError
from cipherstone.model.ids import Lane
from cipherstone.model.outcomes import Verdict
from cipherstone.model.summary import CaseSummary
from cipherstone.stats.interval import median_estimate
from cipherstone.views.run.pairs import case_pairs
from cipherstone.views.run.summarise import summarise


@pytest.fixture(scope="module")
def published() -> Published:
    return load_published(data_root(), "modexp-emcrypt")


@pytest.fixture(scope="module")
def main() -> CaseSummary:
    return next(c for c in example.modexp_run().cases if c.case == example.CRT)


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("basic-64-fast", "Basic, fast"),
        ("barrett-15-ladder", "Barrett, ladder"),
        ("mont-64-rm5", "Montgomery, 5b, RM"),
        ("mont.k-64-fw4.ct", "Montgomery, Karatsuba, 4b, FW, CT"),
        ("ifma-52-fw5", "Montgomery IFMA, 5b, FW"),
    ],
)
def test_a_method_is_read_from_the_facts_of_a_row(name: str, title: str) -> None:
    method = method_told(example.facts(name))
    assert method is not None and method.title == title


@pytest.mark.parametrize(
    ("key", "value"),
    [("reduction", "powm"), ("limb_bits", 48), ("scan", "sideways"), ("window", 8), ("window", 0), ("scan", "fast")],
)
def test_other_facts_are_no_method(key: str, value: int | str) -> None:
    told = example.facts("mont-64-fw5")
    assert method_told(told) is not None and method_told(told | {key: value}) is None
    assert method_told({k: v for k, v in told.items() if k != key}) is None


def test_names_say_nothing(main: CaseSummary) -> None:
    """A row is what its facts tell, whatever it is called; a library's lane and `default` are no rows."""
    cell = next(c for c in main.cells if c.lane.endswith(":mont-64-fw5"))
    for name, there in (("basic-15-fast", True), ("anything", True), ("default", False)):
        other = msgspec.structs.replace(cell, lane=cell.lane.replace("mont-64-fw5", name))
        assert (method_of(other) == method_of(cell)) is there
    assert method_of(msgspec.structs.replace(cell, lane="gmp@6.2.1")) is None
    assert method_of(msgspec.structs.replace(cell, facts={})) is None


def test_the_published_table_is_whole_and_keeps_its_memory_rule(published: Published) -> None:
    assert len(published.row) == 35
    assert sum(row.reduction == "mont" for row in published.row) == 11
    for row in published.row:
        window = int(row.exponentiation[2:]) if row.exponentiation[:2] in ("fw", "rm") else 0
        extra = {"fast": 0, "ladder": 1, "fw": 2**window, "rm": 2 ** (window - 1) + 2 if window else 0}
        kind = row.exponentiation if row.exponentiation in extra else row.exponentiation[:2]
        assert row.memory_bytes == 268 * ((7 if row.reduction == "barrett" else 5) + extra[kind])
    assert any("ladder" in note for note in published.note)


def test_a_published_figure_that_contradicts_itself_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "references" / "x"
    shutil.copytree(data_root() / "references/modexp-emcrypt", folder)
    text = (folder / "modexp.toml").read_text()
    for wrong, told in (
        (text.replace("time_ms = 386.33", "time_ms = 368.33"), "factor: '1.77' does not follow"),
        (text.replace("memory_bytes = 9916", "memory_bytes = 9961", 1), "memory_factor: '7.4' does not follow"),
        (text.replace('baseline = "basic-fast"', 'baseline = "basic-fst"'), "'basic-fst' is not a row"),
        (text.replace('exponentiation = "rm6"', 'exponentiation = "rm9"', 1), "'basic-rm9' is not a method"),
    ):
        assert wrong != text
        (folder / "modexp.toml").write_text(wrong)
        with pytest.raises(DataError, match=r"references/x/modexp\.toml") as caught:
            load_published(tmp_path, "x")
        assert told in caught.value.message
    with pytest.raises(UsageError, match="'y' does not exist"):
        load_published(tmp_path, "y")


def test_publication_has_every_row_beside_ours(main: CaseSummary, published: Published) -> None:
    lines = publication(main, published)
    assert len(lines) == 36
    ladder = next(line for line in lines if line.key == "mont-ladder")
    assert ladder.theirs is None and ladder.ours is not None and ladder.ours.factor_ratio is None
    best = next(line for line in lines if line.key == "mont-rm6")
    assert best.ours is not None and best.ours.factor is not None and best.theirs is not None
    exact = example.exact_ns("basic-64-fast") / example.exact_ns("mont-64-rm6")
    assert best.ours.factor.value == pytest.approx(exact, rel=0.01)
    assert best.ours.factor.low is not None and best.ours.factor.low <= best.ours.factor.value
    assert best.ours.factor_ratio == pytest.approx(exact / 1.77, rel=0.01)
    assert best.ours.memory_bytes == 136 * 37 and best.ours.memory_factor == pytest.approx(37 / 5)


def test_publication_falls_back_to_cios_and_shows_what_was_not_run(published: Published) -> None:
    cells = example.lab_rows(("cios-64-fw5", "basic-64-fast"))
    lines = publication(example.case_of(example.CRT, cells), published)
    found = {line.key: line.ours for line in lines}
    assert len(lines) == 35 and found["barrett-rm6"] is None
    mine = found["mont-fw5"]
    assert mine is not None and mine.lane.endswith("cios-64-fw5")
    other = publication(example.case_of("modexp/private/bits=1024,crt=yes", cells), published)
    assert len(other) == 2 and all(line.theirs is None for line in other)


def test_the_a_a_lane_and_the_default_are_no_rows(main: CaseSummary) -> None:
    twin = msgspec.structs.replace(main.cells[0], lane=main.cells[0].lane + "#2")
    again = msgspec.structs.replace(main.cells[0], lane=f"modexp@{example.LAB_BUILD}")
    more = msgspec.structs.replace(main, cells=(*main.cells, twin, again))
    assert rows_of(more) == rows_of(main)


def test_memory_of_a_library_is_marked(main: CaseSummary) -> None:
    rows = {r.lane: r for r in rows_of(main)}
    assert rows["gmp@6.2.1"].memory_kind == "heap" and rows["gmp@6.2.1"].memory_bytes == 12200
    assert rows[f"modexp@{example.LAB_BUILD}:mont-64-fast"].memory_kind == "arena"
    assert "nettle@3.8.1" not in rows  # unsupported


def test_factors_compare_what_was_measured_in_one_pass() -> None:
    """Each lane fell short in another pass while the machine warmed up: as many figures each, and not of the same passes."""
    a, b = "modexp@1.0+gcc-O3:mont-64-fw5", "gmp@6.2.1"
    records = []
    for p in range(9):
        times = {a: 1000.0 * 1.1**p, b: 1300.0 * 1.1**p}
        lanes = tuple(
            samples(lane, ns, ipc=4.0 if (lane, p) in ((a, 0), (b, 8)) else 5.0) for lane, ns in times.items()
        )
        records.append(pass_record(example.CRT, p, {}, lanes=lanes))
    (case,) = summarise(manifest({example.CRT: (a, b)}), records).cases
    first, second = case.cells
    assert len(first.pass_ns) == len(second.pass_ns) == 8
    ratio = over(second, first)
    assert ratio is not None and ratio.value == pytest.approx(1.3)


def test_front_is_what_more_memory_buys(main: CaseSummary) -> None:
    """Each row of it told faster than the one before, and no other row told faster than the last one that needs no more memory."""
    rows = [r for r in rows_of(main) if r.method is not None]
    front = pareto(main, rows)
    pairs = case_pairs(main)
    assert len(front) > 2
    for before, after in pairwise(front):
        assert (before.memory_bytes or 0) <= (after.memory_bytes or 0)
        assert pairs.verdict(after.lane, before.lane) is Verdict.FASTER
    for row in rows:
        held = [r for r in front if (r.memory_bytes or 0) <= (row.memory_bytes or 0)][-1]
        assert row in front or pairs.verdict(row.lane, held.lane) is not Verdict.FASTER


def test_a_row_that_is_faster_by_less_than_can_be_told_buys_nothing() -> None:
    """0.4 % less time for twice the memory is on nobody's front; the medians alone would put it there."""
    rows = example.lab_rows(("mont-64-fw4", "mont-64-fw5"))
    little, much = (msgspec.structs.replace(c, facts={**c.facts, "arena_bytes": b}) for c, b in zip(rows, (1000, 2000), strict=True))  # fmt: skip
    ns = 0.996
    much = msgspec.structs.replace(much, pass_ns=tuple(v * ns for v in little.pass_ns), ns=median_estimate([v * ns for v in little.pass_ns]))  # fmt: skip
    case = example.case_of(example.CRT, (little, much))
    assert much.ns is not None and little.ns is not None and much.ns.value < little.ns.value
    case = msgspec.structs.replace(case, ranking=((much.lane, little.lane),))
    assert [r.lane for r in pareto(case, rows_of(case))] == [little.lane]


def test_cost_model_finds_the_costs_and_the_window(main: CaseSummary) -> None:
    models = {(m.reduction, m.limb_bits, m.build): m for m in cost_models(main)}
    mont = models["mont", 64, example.LAB_BUILD]
    start, mul, sqr, red = mont.unit_ns
    # A reduction goes with every product, so its cost is in theirs; so is the start, because every row squares as often.
    assert red is None and start is None
    assert mul == pytest.approx(210, rel=0.02) and sqr == pytest.approx(182, rel=0.02)
    assert abs(mont.worst) < 0.01 and mont.r2 > 0.999
    fixed, sliding = mont.windows
    exact = min(range(1, 8), key=lambda k: example.exact_ns(f"mont-64-rm{k}"))
    assert exact in sliding.predicted and exact in sliding.measured and fixed.agree and sliding.agree
    plain = [p for p in mont.rows if p.fitted]
    ct = [p for p in mont.rows if not p.fitted]
    assert len(plain) == 16 and len(ct) == 2 and all(p.error < -0.01 for p in ct)


def test_cost_model_sees_that_it_is_wrong() -> None:
    cells = example.lab_rows(f"mont-64-{form}" for form in example.FORMS)
    draw = random.Random(1)
    slow = f"modexp@{example.LAB_BUILD}:mont-64-fw7"  # as if its table did not fit a cache
    cells = [example.cell(c.case, c.lane, c.ns.value * 1.5, draw, counted=c.facts) if c.lane == slow and c.ns else c for c in cells]  # fmt: skip
    (model,) = cost_models(example.case_of(example.CRT, cells))
    assert abs(model.worst) > 0.1 and model.r2 < 0.99
    worst = max((p for p in model.rows), key=lambda p: abs(p.error))
    assert worst.lane == slow


def test_costs_are_never_negative_and_told_only_where_they_can_be() -> None:
    counts = [(1.0, float(m), float(s), 0.0) for m, s in ((10, 100), (50, 90), (200, 300), (400, 120), (30, 40))]
    exact = [7.0 + 3.0 * m + 2.0 * s for _, m, s, _ in counts]
    found = fit_costs(counts, exact)
    assert found == (pytest.approx(7.0), pytest.approx(3.0), pytest.approx(2.0), None)
    falling = fit_costs(counts, [1000.0 - m for _, m, _, _ in counts])
    assert all(cost is None or cost >= 0 for cost in falling) and len(falling) == len(COSTS)
    with pytest.raises(ValueError, match="cost model"):
        fit_costs(counts, [1.0, 2.0])
    with pytest.raises(ValueError, match="cost model"):
        fit_costs(counts, [0.0] * 5)


def test_too_few_rows_make_no_model() -> None:
    cells = example.lab_rows(("mont-64-fw5", "mont-64-fw4", "mont-64-rm5", "mont-64-rm4"))
    assert cost_models(example.case_of(example.CRT, cells)) == []


@pytest.mark.parametrize(
    ("lane", "expected"),
    [
        ("modexp@1.0+gcc-O3:mont-64-fw5", True),
        ("modexp@1.0+gcc-O3:ifma-52-fw5", False),
        ("openssl@3.6.3+noasm", True),
        ("openssl@3.6.3+noasm-int128", True),
        ("openssl@3.0.19", False),
        ("mbedtls@3.6.5+w5", False),
        ("mbedtls@3.6.5+noasm", True),
        ("libtommath@1.2.0", True),
        ("bearssl@0.6:i62", True),
        ("gmp@6.2.1", False),
    ],
)
def test_portable_builds(main: CaseSummary, lane: str, expected: bool) -> None:
    name = Lane.parse(lane).implementation
    told = example.facts(name) if lane.startswith("modexp@") else {}
    assert is_portable(msgspec.structs.replace(main.cells[0], lane=lane, facts=told)) is expected


def test_portable_ranking_takes_the_best_of_each_build(main: CaseSummary) -> None:
    rows = portable(main)
    assert rows[0].lane == "modexp@1.0+clang-O2:mont-64-rm5" and rows[0].to_ours is not None
    assert rows[0].to_ours.value == 1.0
    builds = [Lane.parse(r.lane).build_id for r in rows]
    assert len(builds) == len(set(builds)) and "gmp@6.2.1" not in builds and "openssl@3.0.19" not in builds
    noasm = next(r for r in rows if r.lane == "openssl@3.0.19+noasm")
    assert noasm.to_ours is not None and noasm.to_ours.value > 2.5


def test_cases_by_kind() -> None:
    run = example.modexp_run()
    assert private_cases(run)[0].case == example.CRT
    assert [c.verb for c in arithmetic(run)] == ["mod-add", "mod-mul", "montmul", "mod-inv"]
    (found,) = compilers(run)
    assert found.builds == ("1.0+clang-O2", "1.0+gcc-O3", "1.0+gcc-Os")
    assert dict(found.rows)["cios-64-fw5"][2] is None
