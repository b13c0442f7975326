# SPDX-License-Identifier: Apache-2.0
"""Results of laboratories against slow versions: memory and factors of exponentiations and the costs fitted to them, footprints, their budgets and what changed between two of them."""

from __future__ import annotations

import itertools
import math

import obvious
from generated_runs import examples
from hypothesis import given
from hypothesis import strategies as st
from obvious import Told, near

from cipherstone.labs.footprint import results as footprint
from cipherstone.labs.footprint.elf import Sizes
from cipherstone.labs.modexp.costmodel import fit_costs
from cipherstone.labs.modexp.results import pareto, rows_of
from cipherstone.model.estimate import Estimate
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import MemoryRecord
from cipherstone.model.summary import CaseSummary, CellSummary


def ends(one: Estimate | None) -> Told | None:
    return None if one is None else (one.value, one.low, one.high)


# ---- exponentiations

costs = st.sampled_from((0.0, 1.0, 3.0, 40.0))


@given(
    st.lists(
        st.tuples(st.integers(1, 400), st.integers(1, 2000), st.integers(0, 900), st.floats(0.98, 1.02)),
        min_size=5,
        max_size=12,
    ),
    st.tuples(costs, costs, costs, costs),
    st.sampled_from(("all", "red", "sqr")),
)
@examples(120)
def test_costs_of_operations(rows: list[tuple[int, int, int, float]], true: tuple[float, ...], same: str) -> None:
    """The least sum of squared relative errors with no cost below zero: told by its gradient, which is zero for what costs something and uphill for what costs nothing. Counts that follow from others have no cost."""
    counts = [
        (1.0, float(mul), 700.0 if same == "sqr" else float(sqr), float(mul) + 700.0 if same == "red" else float(red))
        for mul, sqr, red, _ in rows
    ]
    times = [
        max(1.0, sum(a * b for a, b in zip(true, row, strict=True))) * noise
        for row, (*_, noise) in zip(counts, rows, strict=True)
    ]
    found = fit_costs(counts, times)
    errors = [
        sum((cost or 0.0) * n for cost, n in zip(found, row, strict=True)) / t - 1
        for row, t in zip(counts, times, strict=True)
    ]
    for column, cost in enumerate(found):
        if cost is None:
            continue
        slope = math.fsum(error * row[column] / t for error, row, t in zip(errors, counts, times, strict=True))
        size = math.fsum((row[column] / t) ** 2 for row, t in zip(counts, times, strict=True)) ** 0.5
        assert cost >= 0
        if cost * size > 1e-9:
            assert abs(slope) <= 1e-5 * size * max(1.0, len(rows) ** 0.5)
        else:
            assert slope >= -1e-5 * size * max(1.0, len(rows) ** 0.5)
    if same == "sqr":  # what every row does as often cannot be told from what a call does once
        assert found[0] is None or found[2] is None


@st.composite
def exponentiations(draw: st.DrawFn) -> CaseSummary:
    """Rows of two builds and two limb sizes beside libraries; memory of an arena, of a heap, or unknown; figures of passes that are missing here and there."""
    case = "modexp/private/bits=2048,crt=yes"
    cells = []
    for made in ("1+gcc", "1+clang"):
        for limb in (32, 64):
            for name, form, window in (
                ("basic", "fast", 0),
                ("mont", "fw", 4),
                ("mont", "fw", 5),
                ("cios", "ladder", 0),
            ):
                if draw(st.integers(0, 5)) == 0:
                    continue
                lane = f"modexp@{made}:{name}-{limb}-{form}{window}"
                facts: dict[str, int | str] = {
                    "reduction": name,
                    "scan": form,
                    "limb_bits": limb,
                    "window": window,
                    "mul": 10,
                    "sqr": 20,
                    "red": 5,
                }
                if draw(st.booleans()):
                    facts["arena_bytes"] = draw(st.sampled_from((1000, 3000, 9000)))
                cells.append(figured(draw, case, lane, facts))
    for lane in ("openssl@3.0", "nettle@3.8"):
        cells.append(figured(draw, case, lane, {}))
    return CaseSummary(
        case,
        "modexp/private/bits=2048,crt=yes",
        "",
        "",
        "private",
        None,
        "",
        (),
        tuple(cells),
        threshold=draw(st.sampled_from((0.01, 0.04))),
    )


def figured(draw: st.DrawFn, case: str, lane: str, facts: dict[str, int | str]) -> CellSummary:
    base = draw(st.sampled_from((1000.0, 1015.0, 1500.0, 400.0)))
    passes = sorted(draw(st.sets(st.integers(0, 9), min_size=7)))
    values = [base * draw(st.sampled_from((1.0, 1.002, 1.004, 1.02))) for _ in passes]
    memory = draw(
        st.sampled_from(
            (
                None,
                MemoryRecord(case, lane, held_bytes=400, warm_peak_bytes=900),
                MemoryRecord(case, lane, held_bytes=400),
            )
        )
    )
    found = obvious.told(values)
    assert found is not None
    return CellSummary(
        case,
        lane,
        Outcome.OK,
        ns=Estimate(*found),
        passes=tuple(passes),
        pass_ns=tuple(values),
        pass_median_ns=tuple(values),
        facts=facts,
        memory=memory,
    )


@given(exponentiations())
@examples(50)
def test_factors_and_memory_of_exponentiations(case: CaseSummary) -> None:
    cells = {cell.lane: cell for cell in case.cells}
    rows = {row.lane: row for row in rows_of(case)}
    assert set(rows) == set(cells)
    memory: dict[str, int | None] = {}
    for lane, cell in cells.items():
        heap = cell.memory is not None and cell.memory.warm_peak_bytes is not None
        arena = cell.facts.get("arena_bytes")
        memory[lane] = arena if isinstance(arena, int) else 1300 if heap else None
        assert rows[lane].memory_bytes == memory[lane]
        assert rows[lane].memory_kind == ("arena" if arena else "heap" if heap else "")
    for lane, row in rows.items():
        base = f"{lane.partition(':')[0]}:basic-{cells[lane].facts.get('limb_bits')}-fast0"
        if base not in cells:
            assert row.factor is None and row.memory_factor is None
            continue
        assert near(ends(row.factor), obvious.pair_of(cells[base], cells[lane]), 1e-9)
        own, other = memory[lane], memory[base]
        assert near(row.memory_factor, own / other if own is not None and other else None)
    # Each of the front is told faster than the one before, and needs no less; whoever is left out is not told faster than one that needs no more.
    front = pareto(case, rows.values())
    told = {
        (i, j): obvious.verdict(obvious.pair_of(cells[i], cells[j]), case.threshold, 0.01)
        for i in cells
        for j in cells
        if i != j
    }
    for before, after in itertools.pairwise(front):
        assert told[after.lane, before.lane] == "faster" and (before.memory_bytes or 0) <= (after.memory_bytes or 0)
    kept = {row.lane for row in front}
    for lane, mine in memory.items():
        if mine is not None and lane not in kept:
            assert any((row.memory_bytes or 0) <= mine and told[lane, row.lane] != "faster" for row in front)


# ---- footprints


@st.composite
def footprints(draw: st.DrawFn) -> list[footprint.Row]:
    rows = []
    number = st.sampled_from((0, 100, 4096, 4100, 9000))
    for target in ("", "cortex-m4"):
        for library in ("a", "b"):
            before = ""
            for step in ("default", "less", "least"):
                outcome = draw(
                    st.sampled_from(
                        (
                            footprint.StepOutcome.PROVEN,
                            footprint.StepOutcome.PROVEN,
                            footprint.StepOutcome.WRONG,
                            footprint.StepOutcome.ABSENT,
                        )
                    )
                )
                proven = outcome is footprint.StepOutcome.PROVEN
                sizes = Sizes(*(draw(number) for _ in range(5))) if proven else None
                memory = draw(st.one_of(st.none(), st.builds(footprint.PeakMemory, number, number))) if proven else None
                rows.append(
                    footprint.Row(
                        library=library,
                        version="1",
                        program="hash",
                        step=step,
                        title="",
                        outcome=outcome,
                        target=target,
                        before=before,
                        sizes=sizes,
                        memory=memory,
                        label=draw(st.sampled_from(("", "", "no entropy"))),
                        symbols=draw(st.dictionaries(st.sampled_from("pqrs"), number, max_size=3)) if proven else {},
                    )
                )
                before = draw(st.sampled_from((step, "", "default")))
    return rows


@given(
    footprints(),
    footprints(),
    st.dictionaries(st.sampled_from(footprint.BUDGETS), st.sampled_from((50, 4096, 5000)), max_size=3),
)
@examples(50)
def test_footprints(rows: list[footprint.Row], later: list[footprint.Row], budgets: dict[str, int]) -> None:
    def figure(row: footprint.Row, what: str) -> int | None:
        if what in ("heap", "stack"):
            return (
                None if row.memory is None else {"heap": row.memory.heap_bytes, "stack": row.memory.stack_bytes}[what]
            )
        if row.sizes is None:
            return None
        return {
            "size": row.sizes.file,
            "text": row.sizes.text,
            "rodata": row.sizes.rodata,
            "data": row.sizes.data,
            "bss": row.sizes.bss,
        }[what]

    whole, now = footprint.Footprint(tuple(rows)), footprint.Footprint(tuple(later))
    for row in rows:
        four = [figure(row, what) for what in ("data", "bss", "heap", "stack")]
        assert row.ram_bytes == (None if None in four else sum(one or 0 for one in four))
        earlier = [
            one
            for one in rows
            if row.before and (one.target, one.library, one.step) == (row.target, row.library, row.before)
        ]
        known = earlier and earlier[0].sizes is not None and row.sizes is not None
        assert whole.delta(row) == ((figure(row, "size") or 0) - (figure(earlier[0], "size") or 0) if known else None)
    for target in ("", "cortex-m4"):
        found = {library: row for (_, library), row in whole.smallest(target).items()}
        for library in ("a", "b"):
            mine = [
                row.sizes.file
                for row in rows
                if row.sizes and not row.label and (row.target, row.library) == (target, library)
            ]
            assert (library in found) == bool(mine)
            if mine:
                best = found[library]
                assert (
                    best.sizes is not None and best.sizes.file == min(mine) and not best.label and best.target == target
                )
    past = [
        (row, what)
        for row in rows
        for what, most in budgets.items()
        if row.outcome != "absent" and ((seen := figure(row, what)) is None or seen > most)
    ]
    assert len(footprint.over(rows, budgets)) == len(past)
    moved = {}
    for row in later:
        old = next(one for one in rows if one.key == row.key)
        figures = {
            what: (figure(old, what), figure(row, what))
            for what in footprint.BUDGETS
            if figure(old, what) != figure(row, what)
        }
        symbols = {name: row.symbols.get(name, 0) - old.symbols.get(name, 0) for name in {*old.symbols, *row.symbols}}
        symbols = {name: change for name, change in symbols.items() if change}
        if figures or symbols:
            moved[row.name] = figures, symbols
    told = {
        one.row: ({it.what: (it.before, it.now) for it in one.figures}, {it.what: it.bytes for it in one.symbols})
        for one in footprint.changes(whole, now)
    }
    assert told == moved
    for one in footprint.changes(whole, now):
        sizes = [abs(it.bytes) for it in one.symbols]
        assert sizes == sorted(sizes, reverse=True)


@given(st.dictionaries(st.text("abc", min_size=1, max_size=3), st.integers(0, 5), max_size=14), st.integers(1, 10))
@examples(60)
def test_the_largest(sizes: dict[str, int], most: int) -> None:
    found = footprint.largest(sizes, most)
    assert len(found) == min(most, len(sizes)) and all(sizes[name] == size for name, size in found)
    left = [size for name, size in sizes.items() if name not in dict(found)]
    assert not left or max(left) <= found[-1][1]
    assert [size for _, size in found] == sorted((size for _, size in found), reverse=True)
