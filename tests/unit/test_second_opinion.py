# SPDX-License-Identifier: Apache-2.0
"""The second opinion: what is drawn, what a loop's repetitions say, how a cell is judged and what is told of it. Scripted clocks, no process."""

from __future__ import annotations

import random
from collections.abc import Sequence
from types import SimpleNamespace

import msgspec
import pytest
from test_views_passes import pass_record

from cipherstone.cli.doctor_programs import as_json, summary_lines
from cipherstone.execute.opinion import cells as opinion_module
from cipherstone.execute.opinion.cells import Clock, again, clock_of, opinion, ratios
from cipherstone.execute.opinion.loops import LoopPrograms, Loops
from cipherstone.execute.opinion.sample import LANES, Candidate, draw, lacking
from cipherstone.model.agreement import FRESH, HEAP, WORK, CellOpinion, Repetitions, SecondOpinion
from cipherstone.model.errors import WorkerError
from cipherstone.model.ids import Case, Lane
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import Settings
from cipherstone.model.summary import CellSummary, Estimate, LevelSummary
from cipherstone.stats.agreement import EmptyCall, call_cycles, quantile, reason_of

LIBRARIES = ("aa", "bb", "cc", "dd", "ee", "ff")


def universe() -> list[Candidate]:
    """Thirty operations of six families; the sixth family has one case, the sixth library one cell."""
    found = []
    for number in range(30):
        family = "rare" if number == 29 else f"f{number % 5}"
        for library in LIBRARIES[:5]:
            found.append(Candidate(f"op{number}/hash", f"{library}@1", family, library, 10.0 ** (number % 4 + 2)))
    return [*found, Candidate("op7/hash", "ff@1", "f2", "ff", 1e9)]


# -- what is drawn -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_every_family_library_and_length_of_call_is_drawn(seed: int) -> None:
    cells = universe()
    chosen = draw(cells, 40, seed)
    assert len(chosen) == len(set(chosen)) == 40 and not lacking(cells, chosen)
    assert {"family rare", "library ff", "decade 9"} <= {trait for one in chosen for trait in one.traits}


def test_the_seed_alone_draws() -> None:
    cells = universe()
    shuffled = list(cells)
    random.Random(3).shuffle(shuffled)
    assert draw(cells, 20, 5) == draw(shuffled, 20, 5)
    assert len({tuple(draw(cells, 20, seed)) for seed in range(10)}) > 5


def test_a_base_comes_with_others_of_its_case() -> None:
    """A lane alone has nobody before it, and no ratio."""
    cells = universe()
    bases = {one.case: "cc@1" for one in cells}
    chosen = draw(cells, 40, 1, bases)
    by_case = {case: {one.lane for one in chosen if one.case == case} for case in {one.case for one in chosen}}
    assert all("cc@1" in lanes and 2 <= len(lanes) <= LANES for lanes in by_case.values())


def test_where_cases_are_few_more_lanes_are_drawn() -> None:
    cells = [Candidate("x/hash", f"l{number}@1", "f", f"l{number}") for number in range(20)]
    assert len(draw(cells, 12, 1)) == 12 == len(set(draw(cells, 12, 1)))


def test_a_small_universe_is_drawn_whole() -> None:
    cells = universe()[:3]
    assert draw(cells, 100, 1) == sorted(cells)
    assert draw([], 10, 1) == [] and lacking(cells, []) != []


# -- what repetitions say ------------------------------------------------------------------------------------------------------


def cycles_of(
    wall: Sequence[float], free: float = 0.25, draws: bool = False, **more: Sequence[float] | float | int
) -> tuple[float | None, float | None, int]:
    """Ten calls a repetition, an empty call of 1 ns, cycles of half a nanosecond, on a free core, but for what is said."""
    ends = len(wall) + 1
    fields = {
        "calls": 10,
        "empty_ns": 1.0,
        "wall_ns": wall,
        "cpu_ns": wall,
        "chain_ns": [0.5] * ends,
        "wide_ns": [0.125] * ends,
        **more,
    }
    return call_cycles(Repetitions(**fields), free, draws)  # type: ignore[arg-type]


def test_cycles_are_of_one_call_less_the_empty_one() -> None:
    assert cycles_of([1000.0] * 8) == (pytest.approx(198.0), pytest.approx(99.0), 8)


def test_the_lower_quartile_counts_and_of_what_draws_the_median() -> None:
    wall = [1000.0, 1010.0, 1020.0, 1030.0, 1100.0, 1200.0, 1300.0, 1400.0, 9000.0]
    assert cycles_of(wall)[1] == pytest.approx(102.0 - 1)
    assert cycles_of(wall, draws=True)[1] == pytest.approx(110.0 - 1)


def test_a_busy_core_at_either_end_does_not_count() -> None:
    """Two repetitions touch one reading."""
    wide = [0.125] * 9
    wide[4] = 0.2
    wall = [1000.0, 1000.0, 1000.0, 500.0, 500.0, 1000.0, 1000.0, 1000.0]
    assert cycles_of(wall, wide_ns=wide) == (pytest.approx(198.0), pytest.approx(99.0), 6)
    assert cycles_of(wall[:7], wide_ns=wide[:8]) == (None, None, 5)


def test_a_clock_that_moves_moves_no_cycles() -> None:
    slow = cycles_of([2000.0] * 8, chain_ns=[1.0] * 9, wide_ns=[0.25] * 9, empty_ns=2.0)
    assert slow[0] == pytest.approx(198.0) and slow[1] == pytest.approx(198.0)


def test_an_interrupted_chain_is_no_clock() -> None:
    chain = [0.5] * 9
    chain[2] = 0.6  # and its wide half not
    found = cycles_of([1000.0] * 8, chain_ns=chain, wide_ns=[0.125] * 9)
    assert found == (pytest.approx(198.0), pytest.approx(99.0), 8)


def test_calls_of_milliseconds_are_counted_by_cpu_time() -> None:
    wall, cpu = [9e6, 5e6, 8e6], [4e6, 4e6, 4e6]
    assert cycles_of(wall, cpu_ns=cpu, calls=1)[1] == pytest.approx(4e6 - 1)
    assert cycles_of([2e6] * 6, cpu_ns=[1e6] * 6, calls=1)[1] == pytest.approx(2e6 - 1)


def test_quantiles_are_linear_between_neighbours() -> None:
    assert quantile([4.0, 1.0, 3.0, 2.0], 0.25) == pytest.approx(1.75) and quantile([7.0], 0.9) == 7.0


def test_a_reason_is_seen_in_both() -> None:
    """Processes that differ explain a difference only where the two overlap."""
    wide = [100.0, 102.0, 104.0, 106.0, 108.0]
    assert "8.0 %" not in reason_of([103.0] * 5, [100.0] * 5, False)
    assert reason_of([103.0] * 5, [100.0] * 5, False) == ""
    assert "among themselves" in reason_of([106.0] * 5, wide, False)
    assert reason_of([120.0] * 5, wide, False) == ""
    assert "draw" in reason_of([106.0, 90.0, 130.0], wide, True)
    assert reason_of([106.0] * 2, wide, False) == ""


def test_an_empty_call_of_another_length_is_a_reason_where_whole_calls_agree() -> None:
    """Nettle's SHA-224 of 16 bytes: 203.2 and 204.2 cycles with the empty call, 197.2 and 200.1 without."""
    ours, loop = [197.2] * 6, [200.1] * 6
    told = "what is taken off for an empty call differs, 6.0 and 4.0 cycles: whole calls take 203.2 and 204.1"
    assert reason_of(ours, loop, False, (), EmptyCall(6.0, 4.0)) == told
    assert reason_of(ours, loop, False) == reason_of(ours, loop, False, (), EmptyCall(5.0, 5.0)) == ""
    assert reason_of(ours, loop, False, (), EmptyCall(5.0, 4.0)) == ""  # less than half of what they differ by
    assert reason_of(ours, [207.0] * 6, False, (), EmptyCall(6.0, 1.0)) == ""  # whole calls differ by 2 %
    assert reason_of([203.0] * 6, loop, False, (), EmptyCall(4.0, 6.0)) != ""
    # Whole calls overlap, what is left of them does not.
    wide = [200.1, 204.0, 207.0, 210.0, 214.0]
    assert "among themselves" in reason_of(ours, wide, False, (), EmptyCall(9.0, 4.0))
    assert reason_of(ours, wide, False, (), EmptyCall(4.0, 4.0)) == ""


def test_the_empty_call_is_told_in_cycles_of_its_pass() -> None:
    """A lane and another, two passes, the second at half the clock."""
    lanes = {"aa@1": 100.0, "bb@1": 200.0}
    records = [
        pass_record("x/hash", number, lanes, ghz=ghz, harness_ns=(3.0, 5.0)) for number, ghz in enumerate((2.0, 1.0))
    ]
    told = clock_of(records, Settings(), None)
    assert told.cycle_ns == {("x/hash", 0): pytest.approx(0.5), ("x/hash", 1): pytest.approx(1.0)}
    assert told.empty["x/hash", "aa@1"] == [pytest.approx(6.0), pytest.approx(3.0)]
    assert told.empty["x/hash", "bb@1"] == [pytest.approx(10.0), pytest.approx(5.0)]


def test_earlier_work_is_a_reason_where_it_parts_the_processes_of_the_loop() -> None:
    loop = [1100.0, 1000.0, 1060.0, 1110.0, 1010.0, 1065.0, 1120.0, 1005.0, 1055.0]
    kinds = [FRESH, HEAP, WORK] * 3
    told = "depends on what its process did before: cycles of the plain loop 1,110 in a fresh process, 1,005 with a used heap, 1,060 after other work; ours 1,004"
    assert reason_of([1004.0] * 5, loop, False, kinds) == told
    assert "among themselves" in reason_of([1004.0] * 5, loop, False)
    assert "depends" not in reason_of([1004.0] * 5, loop[:5], False, kinds[:5])  # too few of each kind
    assert reason_of([900.0] * 5, loop, False, kinds) == ""  # ours agrees with none
    assert "depends" not in reason_of([1004.0] * 5, loop, True, kinds)


def test_kinds_that_hardly_differ_are_no_reason() -> None:
    """Kinds of process that are 1 % apart do not explain a disagreement of 5 %."""
    loop = [1000.0, 1010.0, 1005.0, 1001.0, 1011.0, 1006.0, 1002.0, 1049.0, 1007.0]
    kinds = [FRESH, HEAP, WORK] * 3
    assert reason_of([1050.0] * 5, loop, False, kinds) == ""
    # One process of a kind that takes as long as ours is not the kind.
    assert reason_of([1050.0, 1048.0, 1052.0, 1049.0], [*loop[:7], 1060.0, loop[8]], False, kinds) == ""


# -- how a cell is judged ------------------------------------------------------------------------------------------------------


class Scripted(Loops):
    """Loops whose processes are given; nothing is started. `ruler`: a worker's cycle over a loop's."""

    def __init__(self, given: dict[tuple[str, str], Repetitions | str], ratio: float = 1.0) -> None:
        super().__init__(LoopPrograms(None, ()), {}, (), None)  # type: ignore[arg-type]
        self._given = given
        self._ratio = ratio

    def _repetitions(self, case: Case, lane: Lane, repeats: int, warm_us: int) -> Repetitions:
        given = self._given[case.id, lane.id]
        if isinstance(given, str):
            raise WorkerError("crashed", given)
        return given

    def _probe(self) -> list[float]:
        return [0.5 * self._ratio]


KEY = ("x/hash", "aa@1")


def repetitions(ns: float, wide: float = 0.125) -> Repetitions:
    return Repetitions(1, 0.0, (round(ns),) * 8, (round(ns),) * 8, (0.5,) * 9, (wide,) * 9)


def cell(ns: float | None, passes: int = 7) -> CellSummary:
    figure = None if ns is None else Estimate(ns, ns, ns)
    values = (ns or 1000.0,) * passes
    return CellSummary(*KEY, Outcome.OK, ns=figure, pass_ns=values, passes=tuple(range(passes)))


def judged(
    ours: float | None,
    loop: float,
    cycle: float = 0.5,
    ratio: float = 1.0,
    passes: int = 7,
    earlier: Sequence[float] = (),
) -> CellOpinion:
    loops = Scripted({KEY: repetitions(loop)}, ratio)
    for _ in range(5):
        loops.round([KEY])
    clock = Clock({(KEY[0], number): cycle for number in range(passes)})
    return opinion(cell(ours, passes), "f", clock, loops, False, earlier)


@pytest.mark.parametrize(
    ("ours", "loop", "beyond"),
    [
        (1009.0, 1000.0, False),
        (1011.0, 1000.0, True),
        (989.0, 1000.0, True),
        (2_038_000.0, 2_000_000.0, False),
        (2_042_000.0, 2_000_000.0, True),
        (1_009_000.0, 999_000.0, True),
    ],
)
def test_one_percent_and_two_above_a_millisecond(ours: float, loop: float, beyond: bool) -> None:
    told = judged(ours, loop)
    assert told.difference == pytest.approx(ours / loop - 1) and told.beyond is beyond is told.unexplained


def test_the_loop_is_told_at_our_clock() -> None:
    """Ours at a clock half as fast took twice the time for the same cycles."""
    told = judged(2000.0, 1000.0, cycle=1.0)
    assert told.loop_ns == pytest.approx(2000.0) and told.difference == pytest.approx(0.0)
    assert told.loop_wall_ns == 1000.0


def test_two_rulers_are_made_one() -> None:
    """A worker reads a cycle 1 % too long, in its passes as in its probe: nothing differs."""
    assert judged(1000.0, 1000.0, cycle=0.505, ratio=1.01).difference == pytest.approx(0.0)


def test_without_a_figure_of_ours_nothing_is_compared() -> None:
    none = judged(None, 1000.0)
    assert none.difference is None and "no figure of ours" in none.refused and not none.beyond


def test_a_loop_that_breaks_is_told_and_not_started_again() -> None:
    loops = Scripted({KEY: "it computes something else"})
    loops.round([KEY])
    loops._given = {}
    loops.round([KEY])
    told = opinion(cell(1000.0), "f", Clock(), loops, False)
    assert told.difference is None and told.refused == "it computes something else"


def test_a_loop_beside_a_neighbour_is_no_opinion() -> None:
    busy = ("x/hash", "aa@1:other")
    loops = Scripted({KEY: repetitions(1000.0, 0.25), busy: repetitions(1000.0)})
    loops.round([KEY, busy])
    assert loops.values(KEY, False) == [] and [one.ns for one in loops.values(busy, False)] == [1000.0]


def test_passes_of_earlier_tries_count_as_well() -> None:
    """Twice too few passes are enough together; their clocks need not be alike, as cycles are what counts."""
    assert judged(None, 1000.0, passes=4).difference is None
    together = judged(None, 1000.0, passes=4, earlier=[2000.0, 2040.0])
    assert together.difference == pytest.approx(0.0) and together.ours_passes == (2000.0, 2040.0, *[2000.0] * 4)
    assert judged(None, 1000.0, passes=3, earlier=[2000.0] * 2).difference is None
    assert judged(1000.0, 1000.0, passes=3, earlier=[2040.0] * 4).difference == pytest.approx(0.02)
    assert judged(None, 1000.0, passes=0, earlier=[2040.0] * 6).difference == pytest.approx(0.02)


def test_of_two_speeds_the_published_figure_stays() -> None:
    """It is the faster one: a median over passes of both speeds would be another figure."""
    loops = Scripted({KEY: repetitions(1000.0)})
    for _ in range(5):
        loops.round([KEY])
    two = msgspec.structs.replace(cell(1000.0), levels=(LevelSummary(1000.0, 0.5), LevelSummary(1200.0, 0.5)))
    clock = Clock({(KEY[0], number): 0.5 for number in range(7)})
    assert opinion(two, "f", clock, loops, False, [2400.0] * 9).difference == pytest.approx(0.0)
    assert opinion(cell(1000.0), "f", clock, loops, False, [2400.0] * 9).difference == pytest.approx(0.2)


def test_contended_is_what_may_have_a_figure_later() -> None:
    assert judged(None, 1000.0, passes=4).contended and not judged(1000.0, 1000.0).contended
    loops = Scripted({KEY: repetitions(1000.0, 0.25), ("x/hash", "aa@1:other"): repetitions(1000.0)})
    loops.round([KEY, ("x/hash", "aa@1:other")])
    assert opinion(cell(1000.0), "f", Clock(), loops, False).contended
    refusing = Scripted({KEY: "it computes something else"})
    refusing.round([KEY])
    assert not opinion(cell(None), "f", Clock(), refusing, False).contended
    wrong = msgspec.structs.replace(cell(None), outcome=Outcome.WRONG)
    assert not opinion(wrong, "f", Clock(), Scripted({KEY: repetitions(1000.0)}), False).contended


def test_the_last_try_counts_unless_it_gave_nothing() -> None:
    first, second = judged(1020.0, 1000.0), judged(1001.0, 1000.0)
    both = again(first, second)
    assert both.tries == 2 and both.earlier == (pytest.approx(0.02),) and not both.beyond
    nothing = msgspec.structs.replace(first, ours_ns=None)
    assert again(first, nothing) is first and again(nothing, second) is second and again(None, first) is first


def test_ratios_are_to_the_base_of_their_case() -> None:
    def one(case: str, lane: str, ours: float, loop: float | None) -> CellOpinion:
        return CellOpinion(case, lane, "f", ours, loop)

    cells = [one("x/hash", "aa@1", 10, 10), one("x/hash", "bb@1", 30, 20), one("x/hash", "cc@1", 30, None)]
    cells += [one("y/hash", "bb@1", 10, 10)]
    found = ratios(cells, "aa")
    assert [(r.case, r.lane, r.base, r.ours, r.loop) for r in found] == [("x/hash", "bb@1", "aa@1", 3.0, 2.0)]


# -- what is told --------------------------------------------------------------------------------------------------------------


def test_the_summary_and_the_record() -> None:
    cells = (judged(1020.0, 1000.0), judged(1001.0, 1000.0), msgspec.structs.replace(judged(None, 1.0, passes=1)))
    told = SecondOpinion(7, cells, wall_s=12.0, load=3.25)
    lines = summary_lines(told)
    assert lines[0] == "2 cells measured for this, drawn by --seed 7, in 12 s at a load of 3.2"
    assert lines[1] == "median 1.05 %, farthest +2.00 % (aa x/hash)"
    assert lines[2] == "1 beyond 1 % (2 % for calls above 1 ms), 1 of them not explained"
    record = as_json(told)
    assert record["beyond"] == 1 and record["cells"][0]["difference"] == pytest.approx(0.02)  # type: ignore[index]
    assert summary_lines(SecondOpinion(1, ())) == []


def test_what_differs_is_measured_again_with_its_case(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three tries at most, of the cases that differ alone."""
    asked: list[list[str]] = []
    far = {"x/hash": [1.03, 1.03, 1.03], "y/hash": [1.03, 1.0]}

    def once(self: object, cells: Sequence[Candidate], before: object) -> list[CellOpinion]:
        asked.append([f"{one.case} {one.lane}" for one in cells])
        of = {one.case: far.get(one.case, [1.0]) for one in cells}
        number = len(asked) - 1
        return [
            CellOpinion(one.case, one.lane, "", 1000 * of[one.case][min(number, len(of[one.case]) - 1)], 1000.0)
            for one in cells
        ]

    bench = object.__new__(opinion_module.OpinionBench)
    bench._tell, bench._deadline = lambda text: None, None
    bench._settings = Settings(base="aa")
    monkeypatch.setattr(opinion_module.OpinionBench, "_once", once)
    cells = [Candidate(case, lane, "", "") for case in ("x/hash", "y/hash", "z/hash") for lane in ("aa@1", "bb@1")]
    told = bench.compare(cells, 1)
    assert [len(one) for one in asked] == [6, 4, 2, 2] and asked[2] == asked[3] == ["x/hash aa@1", "x/hash bb@1"]
    assert {one.case: one.tries for one in told.cells} == {"x/hash": 3, "y/hash": 2, "z/hash": 1}
    assert [one.case for one in told.cells if one.unexplained] == ["x/hash"] * 2 and told.left_out == ()


@pytest.mark.parametrize(
    ("lanes", "by_itself", "explained"),
    [
        (("aa@1", "bb@1"), 1.002, True),
        (("aa@1", "bb@1"), 1.02, False),  # it differs there too
        (("aa@1", "aa@1:other"), 1.002, False),  # one process alone: no call of its would be cold
    ],
)
def test_what_agrees_in_a_process_of_its_own_depends_on_what_was_before(
    monkeypatch: pytest.MonkeyPatch, lanes: tuple[str, ...], by_itself: float, explained: bool
) -> None:
    asked: list[list[str]] = []

    def once(self: object, cells: Sequence[Candidate], before: object) -> list[CellOpinion]:
        asked.append([one.case for one in cells])
        ours = 1030.0 if len(asked) <= opinion_module.TRIES else 1000 * by_itself
        return [CellOpinion(one.case, one.lane, "", ours if one.lane == lanes[0] else 1000.0, 1000.0) for one in cells]

    bench = object.__new__(opinion_module.OpinionBench)
    bench._tell, bench._deadline, bench._settings = lambda text: None, None, Settings(base="aa")
    monkeypatch.setattr(opinion_module.OpinionBench, "_once", once)
    told = bench.compare([Candidate("x/hash", lane, "", "") for lane in lanes], 1)
    differing = next(one for one in told.cells if one.lane == lanes[0])
    assert differing.difference == pytest.approx(0.03) and differing.tries == 3 and differing.beyond
    assert differing.reason == (
        "depends on what its process did before: after nothing else ours is +0.2 % away" if explained else ""
    )
    assert all(one.reason == "" for one in told.cells if one.lane != lanes[0])


def test_a_stored_figure_stays_and_its_loop_is_measured_again() -> None:
    """Three tries: seven processes of the first were beyond, and are a third of all in the end."""
    stored = cell(1000.0)
    far, near = repetitions(900.0), repetitions(1000.0)

    class Changing(Scripted):
        taken = 0

        def _repetitions(self, case: Case, lane: Lane, repeats: int, warm_us: int) -> Repetitions:
            self.taken += 1
            return far if self.taken <= opinion_module.PASSES else near

    case = SimpleNamespace(case=KEY[0], cells=(stored,))
    manifest = SimpleNamespace(settings=Settings(base="aa"), ipc_reference=None, run_id="r1")
    summary = SimpleNamespace(manifest=manifest, cases=(case,))
    bench = object.__new__(opinion_module.OpinionBench)
    bench._tell, bench._settings, bench.loops = lambda text: None, Settings(), Changing({})
    bench._catalogue = SimpleNamespace(known=lambda operation: None)  # type: ignore[assignment]
    cells = [Candidate(*KEY, "f", "aa")]
    told = bench.of_run(summary, cells, [], 3, None)  # type: ignore[arg-type]
    assert told.run == "r1" and [one.tries for one in told.cells] == [3]
    assert told.cells[0].earlier == (pytest.approx(1000 / 900 - 1), pytest.approx(1000 / 950 - 1))
    assert told.cells[0].difference == pytest.approx(0.0) and len(told.cells[0].loop_processes) == 21


def test_cells_without_a_figure_are_measured_again_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """With their cases, after all others, until they have one, `LATER` times at most."""
    asked: list[list[str]] = []
    free_after = {"x/hash": 2, "y/hash": 99}

    def once(self: object, cells: Sequence[Candidate], before: object) -> list[CellOpinion]:
        asked.append(sorted({one.case for one in cells}))
        late = {case for case, number in free_after.items() if sum(case in one for one in asked) <= number}
        return [
            CellOpinion(one.case, one.lane, "", None, 1000.0, refused="busy", contended=True)
            if one.case in late and one.lane == "aa@1"
            else CellOpinion(one.case, one.lane, "", 1000.0, 1000.0)
            for one in cells
        ]

    monkeypatch.setattr(opinion_module, "GROUP", 3)
    monkeypatch.setattr(opinion_module.OpinionBench, "_once", once)
    bench = object.__new__(opinion_module.OpinionBench)
    bench._tell, bench._deadline, bench._settings = lambda text: None, None, Settings(base="aa")
    cells = [Candidate(f"{name}/hash", lane, "", "") for name in "wxyz" for lane in ("aa@1", "bb@1")]
    told = bench.compare(cells, 1)
    assert sorted([*asked[0], *asked[1]]) == ["w/hash", "x/hash", "y/hash", "z/hash"]
    assert asked[2:] == [["x/hash", "y/hash"]] * 2 + [["y/hash"]]
    assert [f"{one.case} {one.lane}" for one in told.cells if one.difference is None] == ["y/hash aa@1"]


def test_a_time_that_is_over_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(opinion_module, "GROUP", 1)
    monkeypatch.setattr(
        opinion_module.OpinionBench,
        "_once",
        lambda self, cells, before: [CellOpinion(c.case, c.lane, "", 1.0, 1.0) for c in cells],
    )
    bench = object.__new__(opinion_module.OpinionBench)
    bench._tell, bench._settings = lambda text: None, Settings(base="aa")
    cells = [Candidate(f"{name}/hash", "aa@1", "", "") for name in "abc"]
    told = bench.compare(cells, 1, most_s=-1.0)
    assert len(told.cells) == 1 and told.left_out == ("2 cells: the time was over",)
