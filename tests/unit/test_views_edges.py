# SPDX-License-Identifier: Apache-2.0
"""What views make of records that do not fit together: cases of one run, lanes that share no pass, steps of another number of processes."""

from __future__ import annotations

import statistics
from types import SimpleNamespace

import msgspec
import pytest
from test_views_compare import ANCHOR, CASE, NEW, OLD, OTHER, A, run
from test_views_passes import manifest, pass_record

from cipherstone.catalogue.published_pages import InstructionTable, PublishedInstruction
from cipherstone.model.outcomes import Outcome, Verdict
from cipherstone.model.records import FirstCallRecord, KernelFigure, Record, Settings
from cipherstone.model.summary import CaseSummary, CellSummary, Estimate
from cipherstone.stats.pairing import LanePasses
from cipherstone.views.compare import _anchor_lanes, _row, _Side, compare_runs
from cipherstone.views.published import _per_second
from cipherstone.views.published_instructions import NO_CLOCK, NO_SPECTRUM, NOT_SEEN, beside_instructions
from cipherstone.views.run.firstcall import first_call_summary
from cipherstone.views.run.noise import ipc_series
from cipherstone.views.run.pairs import lane_passes
from cipherstone.views.run.summarise import _warnings, summarise

SECOND, THIRD = "sha-256/hash/bytes=64", "sha-512/hash/bytes=64"


def several(run_id: str, *cases: str) -> object:
    costs = {OLD: 1000.0, ANCHOR: 2000.0}
    records: list[Record] = [pass_record(case, p, costs) for case in cases for p in range(9)]
    return summarise(
        manifest({case: tuple(costs) for case in cases}, settings=Settings(base="nettle"), run_id=run_id), records
    )


@pytest.mark.parametrize(
    ("of_a", "of_b", "said"),
    [
        ((CASE, SECOND), (CASE,), "1 case is in one run only"),
        ((CASE,), (CASE, SECOND), "1 case is in one run only"),
        ((CASE, THIRD), (CASE, SECOND), "2 cases are in one run only"),
        ((CASE, SECOND), (CASE, SECOND), ""),
        ((SECOND, CASE), (CASE,), "1 case is in one run only"),
    ],
)
def test_cases_of_one_run_alone_are_counted_and_left_out(
    of_a: tuple[str, ...], of_b: tuple[str, ...], said: str
) -> None:
    found = compare_runs(several("old", *of_a), several("new", *of_b))  # type: ignore[arg-type]
    assert [one for one in found.warnings if "one run only" in one] == ([said] if said else [])
    assert {one.case for one in found.rows} == set(of_a) & set(of_b)


def test_an_anchor_of_another_version_is_found_by_its_label() -> None:
    """Whichever run has the lane that was named."""
    (case_a,), (case_b,) = A.cases, run({NEW: 1050.0, ANCHOR: 2000.0}, "new").cases
    assert _anchor_lanes(OLD, case_a, case_b) == (OLD, NEW) == _anchor_lanes(NEW, case_a, case_b)
    assert _anchor_lanes("openssl", case_a, case_b) == (OLD, NEW)
    assert _anchor_lanes("botan", case_a, case_b) == (None, None) == _anchor_lanes("gone@1", case_a, case_b)
    assert _anchor_lanes("botan", case_b, case_a) == (None, None)


def test_without_an_anchor_in_a_case_or_a_pass_beside_it_there_is_no_ratio() -> None:
    (case_a,), (case_b,) = A.cases, run({OLD: 1050.0, ANCHOR: 2000.0, OTHER: 500.0}, "new").cases

    def apart(case: CaseSummary, lane: str, **changes: object) -> CaseSummary:
        return msgspec.structs.replace(case, cells=tuple(msgspec.structs.replace(one, **changes) if one.lane == lane else one for one in case.cells))  # type: ignore[arg-type]  # fmt: skip

    def told(one: CaseSummary, other: CaseSummary, anchors: tuple[str | None, str | None] = (ANCHOR, ANCHOR)) -> str:
        found = _row("openssl", _Side(one, OLD, anchors[0]), _Side(other, OLD, anchors[1]), "nettle", 0.01, 0.01)
        assert (found.ratio is None) is bool(found.note) and (not found.note or found.verdict is Verdict.UNRESOLVED)
        return found.note

    assert told(case_a, case_b) == ""
    for anchors in ((None, ANCHOR), (ANCHOR, None), (None, None)):
        assert told(case_a, case_b, anchors) == "the anchor nettle is not in this case of both runs"
    for one, other in ((apart(case_a, ANCHOR, ns=None), case_b), (case_a, apart(case_b, ANCHOR, ns=None))):
        assert told(one, other) == "the anchor nettle has no figure in this case of both runs"
    later = tuple(range(100, 109))
    for one, other in ((apart(case_a, OLD, passes=later), case_b), (case_a, apart(case_b, OLD, passes=later))):
        assert told(one, other) == "no pass holds both it and the anchor nettle"


def test_a_cell_whose_values_are_of_no_pass_is_not_paired() -> None:
    cell = CellSummary(CASE, OLD, Outcome.OK, ns=Estimate(2.0), pass_ns=(2.0, 3.0), passes=(0, 4))
    assert lane_passes(cell).ns == {0: 2.0, 4: 3.0}
    for changes in ({"ns": None}, {"passes": (0,)}, {"passes": ()}, {"pass_ns": (2.0,)}):
        assert lane_passes(msgspec.structs.replace(cell, **changes)) == LanePasses({})


def test_steps_of_another_number_of_processes_are_no_first_call() -> None:
    whole = FirstCallRecord(
        case=CASE,
        lane=OLD,
        first_call_ns=(10, 20, 30),
        steady_call_ns=(1.0, 1.0, 1.0),
        open_ns=(100, 100, 100),
        setup_ns=(5, 6, 7),
    )
    found = first_call_summary(whole)
    assert found is not None and (found.processes, found.once.value, found.call.value) == (3, 126.0, 20.0)
    for changes in ({"open_ns": (100, 100)}, {"setup_ns": (5, 6, 7, 8)}, {"steady_call_ns": ()}, {"first_call_ns": ()}):
        assert first_call_summary(msgspec.structs.replace(whole, **changes)) is None


def test_instructions_beside_ours_say_what_is_missing() -> None:
    from test_roofline_view import SPECTRUM

    isa = "x86-64"
    figures = (KernelFigure("x86-64.mulx/latency", 4.0), KernelFigure("x86-64.add/latency", 1.0))
    spectrum = msgspec.structs.replace(SPECTRUM, isa=isa, ghz=2.0, figures=figures, unavailable=("x86-64.sha/latency",))
    rows = tuple(
        PublishedInstruction(name, ("1",), {isa: f"x86-64.{name}/latency"} if name else {}, "other")
        for name in ("add", "mulx", "sha", "adcx", "")
    )

    def told(unit: str, of: object, first: int = 0) -> list[tuple[float | None, float | None, str]]:
        table = InstructionTable("t", unit, ("core",), rows[first:])  # type: ignore[arg-type]
        (found,) = beside_instructions((table,), of)  # type: ignore[arg-type]
        return [(one.ours, one.cycles, one.why) for one in found.rows]

    gone = "the processor has no such instruction"
    left = [(None, None, gone), (None, None, NOT_SEEN), (None, None, "other")]
    assert told("cycles", spectrum) == [(1.0, 1.0, ""), (4.0, 4.0, ""), *left]
    assert told("ns", spectrum) == [(0.5, 1.0, ""), (2.0, 4.0, ""), *left]
    assert told("us", spectrum) == [(1.0, 1.0, ""), (4.0, 4.0, ""), *left]
    assert told("us", spectrum, 3) == left[1:]
    unseen_first = InstructionTable("t", "us", ("core",), (rows[3], rows[1]))
    (found,) = beside_instructions((unseen_first,), spectrum)
    assert [(one.ours, one.cycles, one.why) for one in found.rows] == [left[1], (None, 4.0, f"adcx: {NOT_SEEN}")]
    assert told("ns", msgspec.structs.replace(spectrum, ghz=None))[0] == (None, 1.0, NO_CLOCK)
    assert {why for *_, why in told("ns", None)} == {NO_SPECTRUM}


@pytest.mark.parametrize(("points", "step"), [(0, 1), (1, 1), (600, 1), (601, 2), (1200, 2), (1201, 3)])
def test_a_long_series_is_told_by_the_beginnings_and_medians_of_its_parts(points: int, step: int) -> None:
    rows = [
        SimpleNamespace(start_s=float(k), ipc_median=None if k % 7 == 3 else float(k % 5)) for k in range(2 * points)
    ]
    rows = [row for row in rows if row.ipc_median is not None][:points] + [
        row for row in rows if row.ipc_median is None
    ]
    rows.sort(key=lambda row: row.start_s)
    kept = [row for row in rows if row.ipc_median is not None]
    parts = [kept[at : at + step] for at in range(0, len(kept), step)]
    due = tuple((part[0].start_s, statistics.median(row.ipc_median for row in part)) for part in parts)
    assert ipc_series(rows) == due and len(due) <= 600  # type: ignore[arg-type]


def test_why_there_are_no_cycles_is_said_once_a_pass_was_tried() -> None:
    tried = msgspec.structs.replace(A.noise, passes_tried=1)
    assert "an emulator" in _warnings(A.cases, tried, "an emulator", None, None)
    assert "an emulator" not in _warnings(
        A.cases, msgspec.structs.replace(A.noise, passes_tried=0), "an emulator", None, None
    )
    assert "" not in _warnings(A.cases, tried, "", None, None)


@pytest.mark.parametrize("half", [Estimate(2.0, 1.0), Estimate(2.0, None, 3.0), Estimate(2.0)])
def test_a_rate_of_half_an_interval_has_none(half: Estimate) -> None:
    assert _per_second(half, 4.0) == Estimate(2e9)
    assert _per_second(Estimate(2.0, 1.0, 4.0), 4.0) == Estimate(2e9, 1e9, 4e9)
