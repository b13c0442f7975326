# SPDX-License-Identifier: Apache-2.0
"""Reduction of passes. The builders here make the records for the other tests of the views: every batch of a lane takes the same time, so that figures are exact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
import numpy as np
import pytest

from cipherstone import METHOD_VERSION
from cipherstone.model.records import (
    BUNDLE_FORMAT,
    Build,
    LaneSamples,
    Machine,
    Manifest,
    PassRecord,
    PlannedCase,
    Settings,
)
from cipherstone.views.run.passes import PassValue, parts, pass_values, run_reference

CALLS = 1000
TURNS = 31
PER_TURN = 2
BATCHES = TURNS * PER_TURN
SETTINGS = Settings(base="openssl")
GHZ = 4.0
IPC = 5.0


def samples(
    lane: str, ns_per_call: float, *, calls: int = CALLS, ghz: float = GHZ, ipc: float | None = IPC
) -> LaneSamples:
    """31 turns of two equal batches. `ipc`: what all probes read, None for a worker without one."""
    total = round(ns_per_call * calls)
    readings = TURNS * (PER_TURN + 1) if ipc is not None else 0
    return LaneSamples(
        lane,
        calls,
        (total,) * BATCHES,
        rounds=tuple(k // PER_TURN for k in range(BATCHES)),
        nivcsw=2,
        cpu_total_ns=total * BATCHES // 2,
        per_turn=PER_TURN,
        chain_ns=(1 / ghz,) * readings,
        tput_ns=(1 / ghz / (ipc or 1.0),) * readings,
    )


def uneven(lane: str, ns: Sequence[int], *, calls: int = CALLS, ghz: float = GHZ, ipc: float = IPC) -> LaneSamples:
    """Batches of these times, one a turn, on an undisturbed core unless `ipc` says otherwise."""
    chain = (1 / ghz,) * (2 * len(ns))
    return LaneSamples(lane, calls, tuple(ns), chain_ns=chain, tput_ns=tuple(c / ipc for c in chain))


def pass_record(
    case: str, index: int, costs: Mapping[str, float], *, ipc: float | None = IPC, ghz: float = GHZ, **more: object
) -> PassRecord:
    """One pass: lane id -> ns per call, clock 4 GHz, `ipc` additions per cycle (4.0: nothing counts beside passes at 5.0); starts every 10 s and takes 2 s, half of it timed."""
    fields: dict[str, object] = {
        "case": case,
        "index": index,
        "start_s": 10.0 * index,
        "wall_s": 2.0,
        "timed_s": 1.0,
        "lanes": tuple(samples(lane, ns, ghz=ghz, ipc=ipc) for lane, ns in costs.items()),
        "order": (tuple(range(len(costs))),) * TURNS,
        "harness_ns": (0.0,) * len(costs),
    }
    return PassRecord(**{**fields, **more})  # type: ignore[arg-type]


def reduced(record: PassRecord, reference: float | None = IPC, settings: Settings = SETTINGS) -> list[PassValue]:
    """The rows of a pass, judged by `reference`."""
    return pass_values(parts(record, settings), settings, reference)


def build(lane: str, worker_hash: str = "") -> Build:
    library, _, version = lane.partition("@")
    return Build(library, version, version, "library", library, "MIT", "cc", "-O2", None, worker_hash or lane)


def manifest(
    plan: Mapping[str, Sequence[str]],
    settings: Settings = SETTINGS,
    *,
    run_id: str = "run-1",
    status: str = "finished",
    fingerprint: str = "aa",
    method: str = METHOD_VERSION,
    ipc_reference: float | None = IPC,
    ipc_reference_from: str = "",
    hashes: Mapping[str, str] | None = None,
) -> Manifest:
    """A manifest of cases -> lane ids; worker hashes are the build ids unless `hashes` says otherwise."""
    machine = Machine(fingerprint, "cpu", "x86_64", 2, (), None, None, "linux", "6", None, None, None, None, "none")
    ids = dict.fromkeys(lane.partition(":")[0].removesuffix("#2") for lanes in plan.values() for lane in lanes)
    builds = tuple(build(lane, (hashes or {}).get(lane, "")) for lane in ids)
    planned = tuple(PlannedCase(case, tuple(lanes)) for case, lanes in plan.items())
    return Manifest(
        BUNDLE_FORMAT,
        method,
        "0.1",
        run_id,
        "now",
        "run",
        "default",
        status,
        settings,
        machine,
        builds,
        planned,
        ipc_reference,
        ipc_reference_from,
    )


def test_one_row_per_lane_with_exact_figures() -> None:
    record = pass_record(
        "md5/hash/bytes=16",
        3,
        {"openssl@3": 100.0, "nettle@3": 130.0},
        harness_ns=(0.5, 0.25),
        waited_s=0.125,
        cpus=(1, 1, 0, 1),
    )
    first, second = reduced(record)
    assert (first.case, first.lane, first.pass_index, first.valid) == ("md5/hash/bytes=16", "openssl@3", 3, True)
    assert first.floor_ns == first.clean_median_ns == first.median_ns == 99.5
    assert first.spread_ns == (99.5,) * 10
    assert second.floor_ns == 129.75
    assert first.cycle_ns == 0.25 and first.ipc_median == pytest.approx(5.0) and first.clean_share == 1.0
    assert (first.batches, first.seen, first.recorded, first.slow_batches, first.nivcsw) == (60, 60, 62, 0, 2)
    assert first.timed_ns == 62 * 100_000 and first.cpu_total_ns == 62 * 50_000
    assert (first.start_s, first.wall_s, first.pass_timed_s) == (30.0, 2.0, 1.0)
    assert (first.waited_s, first.cpus, first.calls, first.clock, first.long) == (0.125, (1, 0), CALLS, "wall", False)
    assert (first.refused, first.contended, first.counted_cycles) == ("", False, None)


def test_disturbed_batches_move_the_median_not_the_floor() -> None:
    lane = uneven("a@1", (100_000,) * 22 + (150_000,) * 40)
    (row,) = reduced(pass_record("md5/hash", 0, {}, lanes=(lane,), harness_ns=()))
    assert (row.floor_ns, row.median_ns, row.slow_batches, row.harness_ns) == (100.0, 150.0, 40, None)
    assert row.clean_median_ns == 150.0 and row.spread_ns == (150.0,) * 10  # of the later half


def test_contended_lanes_have_no_figure_and_say_why() -> None:
    """What the core was like is in the row all the same: the median over all batches, the share that counted."""
    record = pass_record("md5/hash", 0, {}, lanes=(samples("a@1", 9.0), samples("b@1", 8.0, ipc=4.0)))
    a, b = reduced(record)
    assert (a.valid, a.floor_ns, a.clean_share) == (True, 9.0, 0.5)
    assert (b.valid, b.floor_ns, b.spread_ns, b.contended) == (False, None, (), True)
    assert b.refused == "contended: 0 of 60 batches undisturbed, 16 needed"
    assert (b.median_ns, b.batches, b.seen, b.clean_share) == (8.0, 0, 60, 0.5)


def test_batches_in_doubt_are_no_figure_and_another_pass_is_asked_for() -> None:
    """Its neighbour in the pass has its own all the same."""
    doubted = msgspec.structs.replace(samples("b@1", 8.0), doubt="claims 4 ns a call where the system counted 8")
    a, b = reduced(pass_record("md5/hash", 0, {}, lanes=(samples("a@1", 9.0), doubted)))
    assert a.floor_ns == 9.0
    assert (b.valid, b.floor_ns, b.contended, b.median_ns) == (False, None, True, 8.0)
    assert b.refused == "contended: claims 4 ns a call where the system counted 8"


def test_a_record_that_says_valid_is_judged_all_the_same() -> None:
    """What a pass was called while it was measured is not what it is judged by: more is known at the end."""
    (row,) = reduced(pass_record("md5/hash", 0, {"a@1": 9.0}, valid=False, reason="a@1: contended"))
    assert row.valid and row.floor_ns == 9.0 and row.refused == ""
    (row,) = reduced(pass_record("md5/hash", 0, {"a@1": 9.0}, ipc=4.0))
    assert not row.valid


def test_a_clock_that_changes_inside_a_pass_moves_no_ratio() -> None:
    """The core runs at half its clock from the middle on. One lane ran throughout, the other mostly before: in core cycles both cost the same in every batch."""
    fast = [(100_000, 0.25)] * 20 + [(200_000, 0.5)] * 40
    early = [(200_000, 0.25)] * 40 + [(400_000, 0.5)] * 20

    def lane(name: str, batches: list[tuple[int, float]]) -> LaneSamples:
        chain = tuple(c for _, c in batches for _ in range(2))
        return LaneSamples(name, CALLS, tuple(ns for ns, _ in batches), chain_ns=chain, tput_ns=tuple(c / IPC for c in chain))  # fmt: skip

    a, b = reduced(pass_record("md5/hash", 0, {}, lanes=(lane("a@1", fast), lane("b@1", early))))
    assert a.cycle_ns == b.cycle_ns == 0.5  # 56 batches that do not warm up are at 0.25, 60 at 0.5
    assert (a.floor_ns, b.floor_ns) == (200.0, 400.0)
    assert a.spread_ns == (200.0,) * 10 and b.spread_ns == (400.0,) * 10


def test_refused_lane_and_pass_without_probe() -> None:
    lanes = (LaneSamples("a@1", CALLS, (0,) * BATCHES), samples("b@1", 5.0, ipc=None))
    for reference in (IPC, None):  # nothing to judge
        a, b = reduced(pass_record("md5/hash", 0, {}, lanes=lanes), reference)
        assert a.floor_ns is None and a.refused == "a batch of 0 ns" and not a.contended
        assert b.floor_ns == 5.0 and b.cycle_ns is None and b.ipc_median is None and b.clean_share is None


def test_a_lane_without_probe_beside_one_that_has_one() -> None:
    """Each is taken as it can be; the share of clean batches is that of batches that somebody looked at."""
    lanes = (samples("a@1", 9.0, ipc=4.0), samples("b@1", 5.0, ipc=None), samples("c@1", 7.0))
    a, b, c = reduced(pass_record("md5/hash", 0, {}, lanes=lanes))
    assert (a.floor_ns, b.floor_ns, c.floor_ns) == (None, 5.0, 7.0)
    assert a.clean_share == b.clean_share == c.clean_share == 0.5 and b.cycle_ns == 0.25


def test_calls_that_are_longer_than_two_batches_are_marked() -> None:
    """Batches of 100 us were asked for. A call of 200 us is not long, one of 200.001 us is; a batch of several calls never is."""

    def long(ns: int, calls: int = 1) -> bool:
        (row,) = reduced(pass_record("md5/hash", 0, {}, lanes=(uneven("a@1", (ns,) * 20, calls=calls),)))
        assert row.floor_ns == ns / calls
        return row.long

    assert [long(200_000), long(200_001), long(2_000_000, 4)] == [False, True, False]


def test_counted_cycles_lose_what_the_empty_call_costs() -> None:
    counted = msgspec.structs.replace(samples("a@1", 100.0), cycles=(2 * CALLS * 400,) * TURNS)
    (row,) = reduced(pass_record("md5/hash", 0, {}, lanes=(counted,), harness_ns=(0.5,)))
    assert row.counted_cycles == pytest.approx(400 - 0.5 / 0.25)
    blind = msgspec.structs.replace(counted, chain_ns=(), tput_ns=())
    (row,) = reduced(pass_record("md5/hash", 0, {}, lanes=(blind,), harness_ns=(0.5,)))
    assert row.counted_cycles == pytest.approx(400)  # without a clock nobody knows how many cycles the harness takes


def test_rows_are_plain_values_that_survive_a_table() -> None:
    row = reduced(pass_record("md5/hash", 0, {"a@1": 9.0}))[0]
    fields = msgspec.to_builtins(row)
    spread, cpus = fields.pop("spread_ns"), fields.pop("cpus")
    assert all(isinstance(v, (str, int, float, bool)) or v is None for v in fields.values())
    assert all(isinstance(v, float) for v in spread)
    assert cpus == ()
    assert msgspec.convert({**fields, "spread_ns": spread, "cpus": cpus}, PassValue) == row


def test_a_better_pass_unmasks_earlier_ones() -> None:
    records = [pass_record("md5/hash", p, {"a@1": 9.0}, ipc=ipc) for p, ipc in enumerate((4.0, 5.0, 4.95, 4.6))]
    passes = [parts(record, SETTINGS) for record in records]

    def valid(reference: float | None) -> list[bool]:
        return [pass_values(one, SETTINGS, reference)[0].valid for one in passes]

    reference = run_reference(passes, None)
    assert reference == pytest.approx(4.975)  # the middle of the two that crowd together
    assert valid(reference) == [False, True, True, False]  # 0.97 x 4.975 = 4.83
    assert run_reference(passes[:1], None) == pytest.approx(4.0) and valid(4.0) == [True, False, False, False]
    assert run_reference(passes, 4.5) == run_reference(passes, 5.5) == reference  # half of all readings are at it
    assert run_reference(passes, 6.0) == 6.0 and valid(6.0) == [False] * 4  # too far above to be a stale figure
    assert valid(None) == [False] * 4
    blind = [parts(pass_record("md5/hash", 0, {"a@1": 9.0}, ipc=None), SETTINGS)]
    assert run_reference(blind, None) is None and run_reference(blind, 5.0) == 5.0 and run_reference([], 5.0) == 5.0


def test_readings_of_all_lanes_are_kept_in_order() -> None:
    lanes = (samples("a@1", 9.0), samples("b@1", 5.0, ipc=None), samples("c@1", 5.0, ipc=4.0))
    one = parts(pass_record("md5/hash", 0, {}, lanes=lanes), SETTINGS)
    readings = TURNS * (PER_TURN + 1)
    assert np.allclose(one.readings, [5.0] * readings + [4.0] * readings)
    assert one.record.lanes == () and one.record.order == ()  # the arrays stand for them
