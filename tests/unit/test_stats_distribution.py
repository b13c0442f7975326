# SPDX-License-Identifier: Apache-2.0
"""Single calls as a distribution: by hand, in any order, and from the batches of a run to its summary."""

from __future__ import annotations

import random

import msgspec
import pytest
from test_views_passes import IPC, manifest, pass_record, uneven

from cipherstone.measure.casestate import CaseState
from cipherstone.model.outcomes import CaseEnd, Verdict
from cipherstone.model.records import PassRecord, PlannedCase, Settings
from cipherstone.report.export.rows import tidy_rows
from cipherstone.stats.distribution import LEAST_CALLS, calls_a_pass, distribution
from cipherstone.views.run.summarise import summarise

CASE, QUICK, LATE, TWIN = "rsa-2048/keygen", "openssl@3", "nettle@3", "openssl@3#2"
LANES = (QUICK, LATE, TWIN)


def test_by_hand() -> None:
    found = distribution([5.0, 1.0, 3.0, 2.0, 9.0])
    assert found is not None
    assert (found.median_ns, found.mean_ns, found.calls) == (3.0, 4.0, 5)
    assert (found.low_ns, found.high_ns) == pytest.approx((1.4, 7.4))
    assert distribution([9.0, 5.0, 3.0, 2.0, 1.0]) == found and distribution([]) is None


def test_the_least_number_of_passes_gives_the_least_number_of_calls() -> None:
    for passes in (1, 6, 9, 40, 60):
        assert passes * calls_a_pass(passes) >= LEAST_CALLS > passes * (calls_a_pass(passes) - 1)


@pytest.mark.parametrize(("calls", "end"), [(49, None), (50, CaseEnd.MAX_PASSES)])
def test_fifty_calls_are_enough_and_forty_nine_are_not(calls: int, end: CaseEnd | None) -> None:
    """Of each lane: five passes give ten calls, but for the one that the last of them lacks. No ratio of so few passes has an interval yet."""
    settings = Settings(min_passes=5, max_passes=40)
    state = CaseState(PlannedCase(CASE, LANES[:2], (), True), settings)
    for index in range(5):
        taken = settings.dropped_batches + (calls - 40 if index == 4 else 10)
        lanes = tuple(uneven(lane, (1_000_000,) * taken, calls=1) for lane in LANES[:2])
        state.add(pass_record(CASE, index, {}, lanes=lanes), IPC)
    assert state.valid == 5
    record = state.decide()
    assert (None if record is None else record.end) is end


def drawn(index: int, random_: random.Random, twin: float = 1e6) -> PassRecord:
    """A pass of single calls that scatter by a factor of ten; LATE takes three times as long as QUICK and its twin."""
    base = pass_record(CASE, index, dict.fromkeys(LANES, 1000.0))
    lanes = []
    for samples_, cost in zip(base.lanes, (1e6, 3e6, twin), strict=True):
        count = len(samples_.ns)
        times = tuple(round(cost * (0.3 + random_.expovariate(1.0))) for _ in range(count))
        lanes.append(msgspec.structs.replace(samples_, calls=1, ns=times))
    return msgspec.structs.replace(base, lanes=tuple(lanes))


def test_a_run_reports_calls_and_pairs_passes() -> None:
    random_ = random.Random(1)
    records = [drawn(index, random_) for index in range(12)]
    plan = (PlannedCase(CASE, LANES, (), True),)
    summary = summarise(msgspec.structs.replace(manifest({CASE: LANES}), plan=plan), records)
    cells = {cell.lane: cell for cell in summary.cases[0].cells}
    found = cells[QUICK].distribution
    assert found is not None and found.calls == cells[QUICK].batches >= LEAST_CALLS
    assert found.low_ns < found.median_ns < found.mean_ns < found.high_ns
    assert found.mean_ns == pytest.approx(1.3e6, rel=0.15)
    assert cells[QUICK].levels == () and cells[QUICK].ns is not None
    ratio = next(one for one in summary.cases[0].to_best if one.lane == LATE)
    assert ratio.ratio is not None and ratio.ratio.low is not None and ratio.ratio.high is not None
    assert ratio.ratio.low < 3.0 < ratio.ratio.high and ratio.verdict is Verdict.SLOWER
    rows = {(row.lane, row.metric): row.value for row in tidy_rows(summary)}
    assert rows[QUICK, "call_time_q90"] == found.high_ns and rows[QUICK, "single_calls"] == found.calls
    plain = summarise(manifest({CASE: LANES}), records)
    assert all(cell.distribution is None for cell in plain.cases[0].cells)


def test_luck_of_the_twin_refuses_no_figure_and_no_verdict_is_bolder_than_it() -> None:
    random_ = random.Random(3)
    records = [drawn(index, random_, 2e6) for index in range(12)]
    plan = (PlannedCase(CASE, LANES, (), True),)
    case = summarise(msgspec.structs.replace(manifest({CASE: LANES}), plan=plan), records).cases[0]
    assert all(cell.ns is not None and cell.refused == "" for cell in case.cells) and case.threshold > 1.0
    late = next(one for one in case.to_best if one.lane == LATE)
    assert late.verdict not in (Verdict.FASTER, Verdict.SLOWER)
    held = summarise(manifest({CASE: LANES}), records).cases[0]
    assert all(cell.ns is None and "against itself" in cell.refused for cell in held.cells)


def test_it_stops_once_there_are_enough_passes_and_calls() -> None:
    """Luck does not narrow, so the width of the interval does not hold it open; without a distribution it would."""
    for alone, end in ((True, CaseEnd.MAX_PASSES), (False, None)):
        random_ = random.Random(2)
        state = CaseState(PlannedCase(CASE, LANES, (), alone), Settings(min_passes=9, max_passes=40))
        ended: CaseEnd | None = None
        for index in range(9):
            assert ended is None
            state.add(drawn(index, random_), IPC)
            record = state.decide()
            ended = None if record is None else record.end
        assert ended is end
