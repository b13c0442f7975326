# SPDX-License-Identifier: Apache-2.0
"""Reduction of passes. The builders here make the records for the other tests of the views: every batch of a lane takes the same time, so that figures are exact."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import msgspec
import pytest

from cipherstone.model.records import Build, LaneSamples, Machine, Manifest, PassRecord, PlannedCase, Settings
from cipherstone.views.passes import PassValue, judged, pass_values

CALLS = 1000
ROUNDS = 62
SETTINGS = Settings(base="openssl")
GHZ = 4.0
IPC = 5.0


def samples(lane: str, ns_per_call: float) -> LaneSamples:
    """62 equal batches of 1000 calls."""
    total = round(ns_per_call * CALLS)
    return LaneSamples(lane, CALLS, (total,) * ROUNDS, nivcsw=2, cpu_total_ns=total * ROUNDS // 2)


def pass_record(case: str, index: int, costs: Mapping[str, float], *, ipc: float = IPC, **more: object) -> PassRecord:
    """One pass: lane id -> ns per call, clock 4 GHz, `ipc` additions per cycle; starts every 10 s and takes 2 s, half of it timed."""
    fields: dict[str, object] = {
        "case": case,
        "index": index,
        "start_s": 10.0 * index,
        "wall_s": 2.0,
        "timed_s": 1.0,
        "lanes": tuple(samples(lane, ns) for lane, ns in costs.items()),
        "order": (tuple(range(len(costs))),) * ROUNDS,
        "chain_ns": (1 / GHZ,) * ROUNDS,
        "tput_ns": (1 / GHZ / ipc,) * ROUNDS,
        "harness_ns": (0.0,) * len(costs),
    }
    return PassRecord(**{**fields, **more})  # type: ignore[arg-type]


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
    method: str = "cbm-1",
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
        1,
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
    record = pass_record("md5/hash/bytes=16", 3, {"openssl@3": 100.0, "nettle@3": 130.0}, harness_ns=(0.5, 0.25))
    first, second = pass_values(record, SETTINGS)
    assert (first.case, first.lane, first.pass_index, first.valid) == ("md5/hash/bytes=16", "openssl@3", 3, True)
    assert first.floor_ns == first.median_ns == 99.5
    assert second.floor_ns == 129.75
    assert first.paired_log == 0.0
    assert second.paired_log == pytest.approx(math.log(1.3))
    assert first.cycle_ns == 0.25 and first.ipc_median == pytest.approx(5.0)
    assert (first.batches, first.recorded, first.disturbed, first.nivcsw) == (60, 62, 0, 2)
    assert first.timed_ns == 62 * 100_000 and first.cpu_total_ns == 62 * 50_000
    assert (first.start_s, first.wall_s, first.pass_timed_s) == (30.0, 2.0, 1.0)


def test_disturbed_batches_move_the_median_not_the_floor() -> None:
    ns = (100_000,) * 22 + (150_000,) * 40
    row = pass_values(pass_record("md5/hash", 0, {}, lanes=(LaneSamples("a@1", CALLS, ns),), harness_ns=()), SETTINGS)[
        0
    ]
    assert (row.floor_ns, row.median_ns, row.disturbed, row.harness_ns) == (100.0, 150.0, 40, None)


def test_contended_passes_are_reduced_and_marked() -> None:
    row = pass_values(pass_record("md5/hash", 0, {"a@1": 9.0}, valid=False, reason="contended: x"), SETTINGS)[0]
    assert (row.valid, row.reason, row.floor_ns) == (False, "contended: x", 9.0)


def test_pairing_uses_the_rounds_that_both_ran() -> None:
    """The first lane slows down from round 30 on; the second ran every third round only. Paired rounds see ratio 2 in all of them."""
    fast = tuple(100_000 if r < 30 else 110_000 for r in range(ROUNDS))
    rounds = tuple(range(0, ROUNDS, 3))
    other = tuple(2 * fast[r] for r in rounds)
    lanes = (LaneSamples("a@1", CALLS, fast), LaneSamples("b@1", CALLS, other, rounds=rounds))
    row = pass_values(pass_record("md5/hash", 0, {}, lanes=lanes), SETTINGS)[1]
    assert row.paired_log == pytest.approx(math.log(2.0))


def test_refused_lane_and_pass_without_probe() -> None:
    lanes = (LaneSamples("a@1", CALLS, (0,) * ROUNDS), samples("b@1", 5.0))
    a, b = pass_values(pass_record("md5/hash", 0, {}, lanes=lanes, chain_ns=(), tput_ns=()), SETTINGS)
    assert a.floor_ns is None and a.refused == "a batch of 0 ns" and a.paired_log is None
    assert b.floor_ns == 5.0 and b.paired_log is None and b.cycle_ns is None and b.ipc_median is None


def test_rows_are_scalars_that_survive_a_table() -> None:
    row = pass_values(pass_record("md5/hash", 0, {"a@1": 9.0}), SETTINGS)[0]
    fields = msgspec.to_builtins(row)
    assert all(isinstance(v, (str, int, float, bool)) or v is None for v in fields.values())
    assert msgspec.convert(fields, PassValue) == row


def test_a_better_pass_unmasks_earlier_ones() -> None:
    rows = [
        pass_values(pass_record("md5/hash", p, {"a@1": 9.0}, ipc=ipc), SETTINGS)[0]
        for p, ipc in enumerate((4.0, 5.0, 4.9, 4.8))
    ]
    found, reference = judged(rows, 4.5, 0.97)
    assert reference == pytest.approx(5.0)
    assert [row.valid for row in found] == [False, True, True, False]  # 0.97 x 5.0 = 4.85
    assert found[0].reason == "contended: its rounds reach IPC 4.00, 0.97 x 5.00 is needed" and found[1].reason == ""
    found, reference = judged(rows, 5.5, 0.97)
    assert reference == 5.5 and not any(row.valid for row in found)
    blind = [msgspec.structs.replace(row, ipc_median=None, ipc_gate=None) for row in rows]
    assert judged(blind, None, 0.97) == (blind, None) and judged(blind, 5.0, 0.97) == (blind, 5.0)
    cut = [msgspec.structs.replace(rows[1], valid=False, reason="cut")]
    assert judged(cut, None, 0.97)[0] == cut
