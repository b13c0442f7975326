# SPDX-License-Identifier: Apache-2.0
"""The measuring of a run in this process, with scripted workers: records, their order, what an earlier part of a run leaves, and what is told meanwhile."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from scripts import HASH, MAC, starts
from sessions import HASHING, IPC, LANES, MACCING, SETTINGS, SHORT, TWIN, A, B, Ran

from cipherstone.measure import pass_control
from cipherstone.model.outcomes import CaseEnd, Outcome
from cipherstone.model.records import (
    CaseEndRecord,
    NoiseRecord,
    OutcomeRecord,
    PassRecord,
    ProofRecord,
    Record,
    Settings,
)


def test_a_whole_run(tmp_path: Path) -> None:
    """Each pass: proofs of its processes, figures of all lanes, noise; then the end."""
    ran = Ran(tmp_path).all()
    passes = ran.of(PassRecord)
    assert [(one.case, one.index) for one in passes] == [(HASHING, p) for p in range(6)]
    assert all([samples.lane for samples in one.lanes] == list(LANES) and one.valid for one in passes)
    assert [one.pass_index for one in ran.of(NoiseRecord)] == list(range(6))
    assert {one.imul_ratio for one in ran.of(NoiseRecord)} == {3.0}
    assert [(one.case, one.end, one.passes_tried, one.passes_valid) for one in ran.of(CaseEndRecord)] == [
        (HASHING, CaseEnd.CONVERGED, 6, 6)
    ]
    proofs = ran.of(ProofRecord)
    assert {one.lane for one in proofs} == set(LANES) and {one.outcome for one in proofs} == {Outcome.OK}
    assert len(proofs) == 3 * 6
    # In each pass the proof of a lane stands before its figures.
    kinds = [type(record) for record in ran.records]
    assert kinds[:4] == [ProofRecord, ProofRecord, ProofRecord, PassRecord]
    # The first three looks are the scout's and the two lanes' of a pass.
    assert starts(ran.beta) == 6 and starts(ran.alpha) == 1 + 2 * 6
    # Nothing was disturbed: no pass is longer than it was planned.
    a_turn = SETTINGS.batches_per_turn
    assert {len(one.order) for one in passes} == {-(-(SETTINGS.rounds * a_turn + SETTINGS.dropped_batches) // a_turn)}
    starts_s = [one.start_s for one in passes]
    assert starts_s == sorted(starts_s) and starts_s[0] >= 0


def test_what_is_told_before_each_pass(tmp_path: Path) -> None:
    ran = Ran(tmp_path, cases=(HASHING, MACCING), settings=SHORT).all()
    told = [one for one in ran.told if one.waiting_s == 0.0]
    assert len(told) == 4 and all(one.min_passes == 2 and one.cases_all == 2 for one in told)
    assert [one.pass_index for one in told] == [0, 0, 1, 1]
    assert [one.case_number for one in told] == [0, 1] * 2
    assert {one.cases_open for one in told} == {2} and {one.cases_done for one in told} == {0}
    assert [one.passes_tried for one in told] == list(range(4)) == [one.passes_valid for one in told]
    assert told[0].left_s is None and all((one.left_s or 0) > 0 for one in told[2:])
    assert all(one.left_most_s is None for one in told)
    assert {one.case for one in told} == {HASHING, MACCING}


def test_the_time_to_the_bound_is_told(tmp_path: Path) -> None:
    ran = Ran(tmp_path, settings=msgspec.structs.replace(SHORT, max_time_s=600.0)).all()
    assert all(500 < (one.left_most_s or 0) <= 600 for one in ran.told)
    assert all(one.left_s is None or one.left_s <= (one.left_most_s or 0) for one in ran.told)


def test_the_orders_are_drawn_by_pass(tmp_path: Path) -> None:
    """A resumed run does not draw the orders of its beginning again."""
    first = Ran(tmp_path / "first").all()
    earlier = [record for record in first.records if isinstance(record, PassRecord) and record.index < 3]
    later = Ran(tmp_path / "later", earlier=earlier).all()
    assert [one.index for one in later.of(PassRecord)] == [3, 4, 5]
    orders = {one.index: one.order for one in first.of(PassRecord)}
    assert all(one.order[:7] == orders[one.index][:7] for one in later.of(PassRecord))
    assert [(one.end, one.passes_tried) for one in later.of(CaseEndRecord)] == [(CaseEnd.CONVERGED, 6)]


def test_an_earlier_part_is_taken_over(tmp_path: Path) -> None:
    """Ends, lanes that were dropped, and the number of the last pass; what was cut short is open again."""
    earlier: list[Record] = [
        CaseEndRecord(HASHING, CaseEnd.MAX_PASSES, 6, 6),
        CaseEndRecord(MACCING, CaseEnd.INTERRUPTED, 2, 2),
        OutcomeRecord(MACCING, B.id, Outcome.CRASHED, "long ago"),
        OutcomeRecord("md5/hash/bytes=64", B.id, Outcome.CRASHED, "of no case of this run"),
        NoiseRecord(4, 0.0, 1.0),
    ]
    ran = Ran(tmp_path, cases=(HASHING, MACCING), earlier=earlier).all()
    assert {(one.case, one.index) for one in ran.of(PassRecord)} == {(MACCING, p) for p in range(5, 11)}
    assert {samples.lane for one in ran.of(PassRecord) for samples in one.lanes} == {A.id, TWIN.id}
    assert not (ran.beta.parent / "starts").exists() and ran.of(OutcomeRecord) == []


def test_passes_of_earlier_count(tmp_path: Path) -> None:
    first = Ran(tmp_path / "first").all()
    done = [record for record in first.records if isinstance(record, PassRecord)]
    later = Ran(tmp_path / "later", earlier=done)
    later.records = list(later.session.run())
    # All six are there: one more is made, since a case is decided after a pass.
    assert [one.index for one in later.of(PassRecord)] == [6]
    (end,) = later.of(CaseEndRecord)
    assert (end.end, end.passes_tried) == (CaseEnd.CONVERGED, 7)


def test_a_probe_check_that_breaks_is_asked_of_the_next(tmp_path: Path) -> None:
    """The first lane's worker breaks over it: the one beside it speaks for the core, and all keep their figures."""
    ran = Ran(
        tmp_path, alpha={"faults": [{"at": "check-probe", "do": "segv"}]}, beta={"imul_ratio": 2.5}, settings=SHORT
    ).all()
    assert {one.imul_ratio for one in ran.of(NoiseRecord)} == {2.5}
    assert len(ran.of(PassRecord)) == 2 and ran.of(OutcomeRecord) == []


@pytest.mark.parametrize("ratio", [None, 2.0])
def test_one_without_a_probe_lets_another_speak(tmp_path: Path, ratio: float | None) -> None:
    ran = Ran(tmp_path, alpha={"imul_ratio": None}, beta={"imul_ratio": ratio}, settings=SHORT).all()
    assert {one.imul_ratio for one in ran.of(NoiseRecord)} == {ratio}


def test_a_worker_that_keeps_breaking_leaves_every_case(tmp_path: Path) -> None:
    ran = Ran(
        tmp_path, beta={"faults": [{"at": "run", "do": "segv", "op": MAC}]}, cases=(HASHING, MACCING), settings=SHORT
    ).all()
    outcomes = [(one.case, one.lane, one.outcome) for one in ran.of(OutcomeRecord)]
    assert outcomes == [(MACCING, B.id, Outcome.CRASHED)]
    by_case = {case: {s.lane for one in ran.of(PassRecord) if one.case == case for s in one.lanes} for case in (HASHING, MACCING)}  # fmt: skip
    assert by_case == {HASHING: set(LANES), MACCING: {A.id, TWIN.id}}


def test_a_base_that_breaks_takes_its_twin_with_it(tmp_path: Path) -> None:
    ran = Ran(tmp_path, alpha={"faults": [{"at": "run", "do": "segv", "op": HASH, "after": 4}]}, settings=SHORT).all()
    dropped = {one.lane for one in ran.of(OutcomeRecord)}
    assert A.id in dropped and dropped <= {A.id, TWIN.id}
    assert {samples.lane for one in ran.of(PassRecord) for samples in one.lanes} == {B.id}


def test_a_twin_alone_is_not_measured(tmp_path: Path) -> None:
    """Its original is wrong in its own process, which is found once the twin is there too: nothing is left that it would be compared with."""
    wrong = {"at": "compute", "do": "put", "keys": {"out": "00"}, "op": HASH, "processes": [1]}
    ran = Ran(tmp_path, alpha={"faults": [wrong]}, lanes=(A, TWIN), settings=SHORT).all()
    assert [(one.lane, one.outcome) for one in ran.of(ProofRecord)] == [(A.id, Outcome.WRONG), (TWIN.id, Outcome.OK)]
    assert [(one.lane, one.outcome) for one in ran.of(OutcomeRecord)] == [(A.id, Outcome.WRONG)]
    assert ran.of(PassRecord) == [] and [one.end for one in ran.of(CaseEndRecord)] == [CaseEnd.NO_LANES]


def test_an_interrupt_ends_what_is_open(tmp_path: Path) -> None:
    ran = Ran(tmp_path, cases=(HASHING, MACCING), earlier=[CaseEndRecord(HASHING, CaseEnd.CONVERGED, 6, 6)])
    assert [(one.case, one.end) for one in ran.session.interrupt()] == [(MACCING, CaseEnd.INTERRUPTED)]


def test_a_bound_that_is_over_measures_nothing(tmp_path: Path) -> None:
    settings = Settings(min_passes=6, max_passes=6, max_time_s=10.0, base="alpha")
    ran = Ran(tmp_path, settings=settings, elapsed_s=11.0).all()
    assert ran.of(PassRecord) == [] and [one.end for one in ran.of(CaseEndRecord)] == [CaseEnd.TIME_BOUND]


def test_probes_that_tell_what_no_core_does_are_left_out(tmp_path: Path) -> None:
    """The figures stay, without the readings, and a note says so; those of the worker beside it count as ever."""
    ran = Ran(tmp_path, beta={"probe": {"chain": 25.0, "tput": 0.01}}, settings=SHORT).all()
    for one in ran.of(PassRecord):
        by_lane = {samples.lane: samples for samples in one.lanes}
        assert by_lane[B.id].chain_ns == by_lane[B.id].tput_ns == () and by_lane[B.id].ns
        assert by_lane[A.id].chain_ns and by_lane[TWIN.id].tput_ns
    assert any("additions a cycle" in note for note in ran.session.notes)


def test_a_worker_without_probes_has_none(tmp_path: Path) -> None:
    ran = Ran(tmp_path, beta={"probe": None}, settings=SHORT).all()
    assert all(one.lanes[1].lane == B.id and one.lanes[1].chain_ns == () for one in ran.of(PassRecord))
    assert not any("additions a cycle" in note for note in ran.session.notes)
    assert len(ran.of(PassRecord)) == 2


def test_passes_are_unmasked_by_those_behind_them(tmp_path: Path) -> None:
    """Nothing is known of the core at first, and somebody is on it all the time: what later passes tell makes those before count for nothing."""
    shared = {"probe": {"chain": 0.25, "tput": 0.25 / 5}}
    first = Ran(tmp_path / "first", alpha=shared, beta=shared, settings=SHORT, ipc_reference=None).all()
    earlier = first.of(PassRecord)
    assert [one.valid for one in earlier] == [True, True]  # as far as anybody knew then
    later = Ran(tmp_path / "later", earlier=earlier, ipc_reference=None).all()
    (end,) = later.of(CaseEndRecord)
    assert (end.end, end.passes_tried, end.passes_valid) == (CaseEnd.CONVERGED, 8, 6)
    assert later.session.ipc_reference == pytest.approx(IPC)


def test_cycles_of_a_counter_are_of_turns(tmp_path: Path) -> None:
    """One count a turn, beside the times of its batches; a lane without a counter has none."""
    ran = Ran(tmp_path, beta={"counted": 3.0}, settings=SHORT).all()
    for one in ran.of(PassRecord):
        by_lane = {samples.lane: samples for samples in one.lanes}
        counted = by_lane[B.id]
        turns = [sum(counted.ns[at : at + counted.per_turn]) for at in range(0, len(counted.ns), counted.per_turn)]
        assert len(turns) > 1 and list(counted.cycles) == [3 * ns for ns in turns]
        assert by_lane[A.id].cycles == ()


def test_only_rounds_without_anything_clean_are_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With no budget for waiting at all a quiet run ends as ever, and one that finds nothing clean is given up."""
    monkeypatch.setattr(pass_control, "WAIT_BUDGET_S", 1e-9)
    quiet = Ran(tmp_path / "quiet", settings=SHORT).all()
    assert [one.end for one in quiet.of(CaseEndRecord)] == [CaseEnd.MAX_PASSES]
    busy = {"contended": list(range(9))}
    given_up = Ran(tmp_path / "busy", alpha=busy, beta=busy, settings=SHORT).all()
    assert [one.end for one in given_up.of(CaseEndRecord)] == [CaseEnd.CONTENDED]
