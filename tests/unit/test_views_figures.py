# SPDX-License-Identifier: Apache-2.0
"""Figures of instruments from turns whose times are known."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import pytest
from test_views_passes import manifest

from cipherstone.model.estimate import Estimate
from cipherstone.model.instruments import (
    FigureKind,
    FigureSummary,
    InstrumentCase,
    InstrumentLane,
    InstrumentPlan,
    LeftOut,
    TurnRecord,
)
from cipherstone.model.outcomes import RunStatus, Verdict
from cipherstone.model.records import Manifest
from cipherstone.model.summary import RunSummary
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.instruments import instrument_page
from cipherstone.views.figures import NO_TURN, NOT_ALIKE, figures_of
from cipherstone.views.run.summarise import summarise

A, B, AA = "x@1+a", "x@1+b", "x@1+a#2"
KINDS = (FigureKind("ns", "ns", "time", True), FigureKind("sends", "count", "calls"))
CASE = InstrumentCase("x/one", "One", (A, B, AA), A)
PLAN = InstrumentPlan("scripted", "Scripted", KINDS, (InstrumentLane(A, "A 1"), InstrumentLane(B, "B 2")), (CASE,), 6, 2, left_out=(LeftOut("c", "it has none"),))  # fmt: skip
FREE, QUIET = 5.0, 4.85


def turn(lane: str, number: int, place: int, ns: float, ipc: Sequence[float | None] = (FREE, FREE), failed: str = "") -> TurnRecord:  # fmt: skip
    figures = {} if failed else {"ns": ns, "sends": 2.0}
    return TurnRecord(instrument="scripted", case="x/one", lane=lane, pass_index=number, turn=place, start_s=0.0, wall_s=1.0, figures=figures, ipc_before=ipc[0], ipc_after=ipc[1], failed=failed)  # fmt: skip


SPEEDS = (1.0, 1.2, 0.8, 3.0, 1.1, 0.9)  # of the machine, pass by pass


def turns(factor: float = 1.3) -> list[TurnRecord]:
    """Two turns a lane and pass: B takes `factor` times as long as A, and the twin as long as A."""
    by = {A: 1.0, B: factor, AA: 1.0}
    return [turn(lane, n, place, 1000.0 * speed * by[lane]) for n, speed in enumerate(SPEEDS) for place in (0, 1) for lane in (A, B, AA)]  # fmt: skip


def figures(some: Sequence[TurnRecord], quiet: float | None = QUIET) -> dict[tuple[str, str], FigureSummary]:
    return {(one.lane, one.figure): one for one in figures_of((PLAN,), some, quiet, 0.01)}


def test_lanes_are_paired_by_pass() -> None:
    found = figures(turns())
    base, other, twin = (found[lane, "ns"] for lane in (A, B, AA))
    assert base.value is not None and base.value.value == pytest.approx(1050.0) and base.ratio is None
    assert other.ratio is not None and other.ratio.value == pytest.approx(1.3) == other.ratio.low
    assert (other.verdict, other.base, other.turns, other.undisturbed) == (Verdict.SLOWER, A, 12, 12)
    assert twin.verdict is Verdict.EQUAL and twin.threshold == 0.01
    assert dict(other.by_pass) == {n: pytest.approx(1300.0 * speed) for n, speed in enumerate(SPEEDS)}
    sends = found[B, "sends"]
    assert sends.value is not None and sends.value.value == 2.0 and (sends.ratio, sends.verdict, sends.base) == (None, None, "")  # fmt: skip


def test_turns_of_a_free_core_count_where_a_pass_has_some() -> None:
    some = [msgspec.structs.replace(one, ipc_after=3.0, figures={"ns": 9000.0}) if (one.lane, one.turn) == (B, 0) else one for one in turns()]  # fmt: skip
    found = figures(some)[B, "ns"]
    assert found.ratio is not None and found.ratio.value == pytest.approx(1.3)
    assert (found.turns, found.undisturbed) == (12, 6)
    all_busy = [msgspec.structs.replace(one, ipc_before=3.0) for one in turns()]
    busy = figures(all_busy)[B, "ns"]
    assert busy.ratio is not None and busy.ratio.value == pytest.approx(1.3) and (busy.turns, busy.undisturbed) == (12, 0)  # fmt: skip
    assert figures(turns(), None)[B, "ns"].undisturbed is None


def test_the_twin_widens_what_is_called_equal() -> None:
    noisy = [msgspec.structs.replace(one, figures={"ns": one.figures["ns"] * 1.05}) if one.lane == AA else one for one in turns(1.03)]  # fmt: skip
    found = figures(noisy)[B, "ns"]
    assert found.threshold == pytest.approx(0.15) and found.verdict is Verdict.EQUAL
    assert figures(turns(1.03))[B, "ns"].verdict is Verdict.SLOWER


def test_what_failed_says_why() -> None:
    some = [turn(B, n, 0, 0.0, failed="lost") if one.lane == B else one for n in range(6) for one in turns()[6 * n : 6 * n + 6]]  # fmt: skip
    found = figures(some)[B, "ns"]
    assert (found.value, found.ratio, found.note) == (None, None, "lost")
    assert figures([])[A, "ns"].note == NO_TURN
    once = [msgspec.structs.replace(one, figures={}, failed="lost") if (one.lane, one.pass_index, one.turn) == (B, 3, 0) else one for one in turns()]  # fmt: skip
    found = figures(once)[B, "ns"]
    assert found.value is not None and found.ratio is not None and (found.turns, found.note) == (11, "lost")
    assert "2 figures lack turns that failed" in run_of(once).trust_reason


def test_a_value_of_zero_has_no_ratio() -> None:
    some = [msgspec.structs.replace(one, figures={"ns": 0.0}) if one.lane == B else one for one in turns()]
    found = figures(some)[B, "ns"]
    assert found.value is not None and found.value.value == 0.0 and found.ratio is None and found.note


def run_of(some: Sequence[TurnRecord], plan: InstrumentPlan = PLAN, status: str = RunStatus.FINISHED) -> RunSummary:
    of: Manifest = msgspec.structs.replace(manifest({}), instruments=(plan,), status=status, ipc_reference=FREE)
    return summarise(of, some)


def test_the_word_of_trust() -> None:
    whole = run_of(turns())
    assert (whole.trust, len(whole.figures)) == ("publishable", 6), whole.trust_reason
    assert run_of(turns(), status=RunStatus.INTERRUPTED).trust == "indicative"
    assert run_of([]).trust == "empty"
    unprobed = run_of(turns(), msgspec.structs.replace(PLAN, unprobed="no probe can watch a network"))
    assert unprobed.trust == "indicative" and "no probe can watch a network" in unprobed.trust_reason
    busy = run_of([msgspec.structs.replace(one, ipc_before=3.0) for one in turns()])
    assert "100% of the turns were disturbed" in busy.trust_reason
    mostly = run_of(
        [msgspec.structs.replace(one, ipc_before=3.0) if one.turn or one.pass_index else one for one in turns()]
    )
    assert "92% of the turns were disturbed" in mostly.trust_reason
    alone = run_of(turns(), msgspec.structs.replace(PLAN, cases=(msgspec.structs.replace(CASE, lanes=(A, B)),)))
    assert "nothing was measured against itself" in alone.trust_reason
    few = run_of([one for one in turns() if one.pass_index < 2])
    assert "1 of 1 A/A comparison is not settled; 1 of 1 comparison is not settled" in few.trust_reason
    apart = [msgspec.structs.replace(one, figures={"ns": 2 * one.figures["ns"]}) if one.lane == AA else one for one in turns()]  # fmt: skip
    assert "1 of 1 A/A comparison came out different" in run_of(apart).trust_reason


def sized(sizes: dict[str, Sequence[float]], names: Sequence[str] = ("bytes",)) -> RunSummary:
    """A run of exact figures: by lane the value of each pass, of every figure."""
    kinds = tuple(FigureKind(name, "bytes", "size", True, True) for name in names)
    plan = InstrumentPlan("exact", "Exact", kinds, (InstrumentLane(A, "A 1"), InstrumentLane(B, "B 2")), (InstrumentCase("x/one", "One", tuple(sizes), A),), 1)  # fmt: skip
    some = [msgspec.structs.replace(turn(lane, number, 0, 0.0), instrument="exact", figures=dict.fromkeys(names, value)) for lane, values in sizes.items() for number, value in enumerate(values)]  # fmt: skip
    return run_of(some, plan)


def test_an_exact_figure_has_no_error() -> None:
    """One pass is enough, of lanes that differ by one byte in a million."""
    run = sized({A: [1_000_000.0], B: [1_000_001.0]})
    base, other = run.figures
    assert (base.value, base.ratio, base.verdict) == (Estimate(1e6, 1e6, 1e6), None, None)
    assert other.ratio == Estimate(1.000001, 1.000001, 1.000001)
    assert (other.verdict, other.threshold, other.base) == (Verdict.SLOWER, 0.0, A)
    assert (run.trust, run.trust_reason) == ("publishable", "2 of 2 figures are there, all of them exact")
    assert sized({A: [5.0], B: [5.0]}).figures[1].verdict is Verdict.EQUAL
    assert sized({A: [5.0], B: [4.0]}).figures[1].verdict is Verdict.FASTER
    table = instrument_page(RunView(run), "").sections[0].figures[0].table  # type: ignore[union-attr]
    assert [[one.text for one in line] for line in table.rows] == [["A 1", "1,000,000", "\u2013"], ["B 2", "1,000,001", "1.00x"]]  # fmt: skip


def test_an_exact_zero_has_a_verdict_and_no_ratio() -> None:
    same, less, more = (sized({A: [mine], B: [theirs]}).figures[1] for mine, theirs in ((0, 0), (5, 0), (0, 5)))
    assert [one.verdict for one in (same, less, more)] == [Verdict.EQUAL, Verdict.FASTER, Verdict.SLOWER]
    assert [one.ratio for one in (same, less, more)] == [None] * 3


def test_an_exact_figure_that_differs_is_none() -> None:
    run = sized({A: [5.0, 5.0], B: [5.0, 6.0]})
    base, other = run.figures
    assert base.value is not None and (other.value, other.verdict, other.note) == (None, None, NOT_ALIKE)
    assert sized({A: [5.0, 6.0], B: [5.0]}).figures[1].verdict is None


def test_times_beside_exact_figures_need_their_own_proof() -> None:
    kinds = (*KINDS, FigureKind("bytes", "bytes", "size", True, True))
    plan = msgspec.structs.replace(PLAN, figures=kinds)
    some = [msgspec.structs.replace(one, figures=one.figures | {"bytes": 7.0 if one.lane == B else 8.0}) for one in turns()]  # fmt: skip
    whole = run_of(some, plan)
    assert whole.trust == "publishable" and "1 A/A comparison came out alike" in whole.trust_reason
    alone = msgspec.structs.replace(plan, cases=(msgspec.structs.replace(CASE, lanes=(A, B)),))
    assert "nothing was measured against itself" in run_of(some, alone).trust_reason
    few = run_of([one for one in some if one.pass_index < 2], plan)
    assert "1 of 1 comparison is not settled" in few.trust_reason
