# SPDX-License-Identifier: Apache-2.0
"""Paired is paired: whatever asks for a ratio of two lanes of a run gets the ratio of the method, from the passes that both have."""

from __future__ import annotations

import math

import modexp_example as example
import msgspec
import pytest
from test_views_estimates import ONE, TWO, fast_in, kept, over_one, shown
from test_views_passes import CALLS, manifest, pass_record, samples, uneven

from cipherstone.catalogue.paths import data_root
from cipherstone.isa.program import ADD_CHAIN, KERNEL, ROR_CHAIN
from cipherstone.isa.table import load_table
from cipherstone.labs.instructions.results import KernelRow, cheapest, instruction_table, kernel_ratio
from cipherstone.labs.modexp.results import over
from cipherstone.model.ids import Lane
from cipherstone.model.outcomes import Verdict
from cipherstone.model.records import PassRecord, Record
from cipherstone.model.summary import CaseSummary, CellSummary, Estimate
from cipherstone.stats.pairing import PassFigure, unseen
from cipherstone.views.compare import compare_lanes, lane_ratio
from cipherstone.views.foreign import measured_machine
from cipherstone.views.run.summarise import summarise

CASE = "sha-256/hash/bytes=8192"


def cells(case: CaseSummary) -> dict[str, CellSummary]:
    return {cell.lane: cell for cell in case.cells}


def ends(estimate: Estimate | None) -> tuple[float, float, float]:
    assert estimate is not None and estimate.low is not None and estimate.high is not None
    return estimate.value, estimate.low, estimate.high


def test_a_pass_that_was_tried_again_is_a_pass_of_its_own() -> None:
    """`TWO` fell short in the first try of passes 3 to 6, which ran at another clock: its second try must not be divided by the other's first."""
    records: list[Record] = []
    for p in range(9):
        for again in range(2 if 3 <= p <= 6 else 1):
            speed = 2.0 if 3 <= p <= 6 and not again else 1.0
            lanes = (
                samples(ONE, 1000.0 * speed),
                samples(TWO, 1300.0 * speed, ipc=4.0 if 3 <= p <= 6 and not again else 5.0),
            )
            records.append(pass_record(CASE, p, {}, lanes=lanes, start_s=100.0 * p + 10.0 * again))
    (case,) = summarise(manifest({CASE: (ONE, TWO)}), records).cases
    found = cells(case)
    assert (found[ONE].passes_used, found[TWO].passes_used) == (13, 9)
    assert len(set(found[ONE].passes)) == 13
    assert ends(over(found[TWO], found[ONE])) == pytest.approx((1.3, 1.3, 1.3))


def test_only_calls_that_say_that_they_are_long_widen_an_interval() -> None:
    """By how far their median is above their lower quartile."""
    assert unseen([PassFigure(100.0, 110.0)] * 3) == 0.0
    assert unseen([PassFigure(100.0, 110.0, True)] * 3) == pytest.approx(math.log(1.1))
    assert unseen([PassFigure(100.0, None, True)] * 3) == unseen([]) == 0.0


@pytest.mark.parametrize("count", [2, 5, 7])
def test_a_ratio_of_a_laboratory_knows_two_speeds_as_that_of_the_summary_does(count: int) -> None:
    case, cell = shown(kept(fast_in(count)))
    exact = ends(over_one(case).ratio)
    assert ends(over(cell, cells(case)[ONE])) == pytest.approx(exact)
    assert ends(lane_ratio(msgspec.structs.replace(case, to_best=(), to_base=()), TWO, ONE)) == pytest.approx(exact)


def long_calls() -> list[PassRecord]:
    """Calls of ten batches: `TWO` scatters upwards, as one does that is disturbed inside."""
    steady = [1_000_000] * 40
    uneasy = [1_200_000 + 3_000 * (k % 20) for k in range(40)]
    return [
        pass_record(CASE, p, {}, lanes=(uneven(ONE, steady, calls=1), uneven(TWO, uneasy, calls=1)), harness_ns=(0.0, 0.0))
        for p in range(9)
    ]  # fmt: skip


def test_the_interval_of_long_calls_is_as_wide_in_a_laboratory_as_in_the_summary() -> None:
    case, cell = shown(long_calls())
    exact = ends(over_one(case).ratio)
    assert exact[1] < exact[0] * 0.999  # widened by what may have gone unseen
    assert ends(over(cell, cells(case)[ONE])) == pytest.approx(exact)


def apart() -> CaseSummary:
    """Two lanes of six passes each, none in common, at two clocks."""
    records: list[Record] = []
    for p in range(12):
        good = ONE if p < 6 else TWO
        lanes = tuple(
            samples(lane, ns * (1.0 if p < 6 else 1.5), ipc=5.0 if lane == good else 4.0)
            for lane, ns in ((ONE, 1000.0), (TWO, 1000.0))
        )
        records.append(pass_record(CASE, p, {}, lanes=lanes))
    (case,) = summarise(manifest({CASE: (ONE, TWO)}), records).cases
    return case


def test_lanes_without_a_common_pass_have_no_ratio() -> None:
    """A quotient of their medians would tell the clocks of two stretches of time, 1.5 here, and not the lanes."""
    case = apart()
    found = cells(case)
    assert found[ONE].ns is not None and found[TWO].ns is not None
    assert over(found[TWO], found[ONE]) is None
    assert lane_ratio(case, TWO, ONE) is None


def test_compare_says_that_no_pass_holds_both() -> None:
    case = apart()
    run = msgspec.structs.replace(example.run_of([case], "quick"), cases=(case,))
    (row,) = compare_lanes(run, "openssl", "nettle").rows
    assert row.ratio is None and row.verdict is Verdict.UNRESOLVED and row.note == "no pass holds both lanes"


def test_cycles_of_an_instruction_come_from_passes_with_its_chain() -> None:
    table = load_table(data_root(), "x86-64")
    kernel, verb = table.operations[0]
    case_id = f"{kernel.algorithm}/{verb}"
    lanes = {name: Lane("instructions", "1.0+gas", name).id for name in (ADD_CHAIN, ROR_CHAIN, KERNEL)}
    records: list[Record] = []
    for p in range(13):  # the kernel has the last six passes, at half the clock; the chains the first seven
        ghz = 4.0 if p < 7 else 2.0
        told = (lanes[ADD_CHAIN], lanes[ROR_CHAIN]) if p < 7 else (lanes[KERNEL],)
        rows = tuple(
            samples(lane, 1000.0 * 4.0 / ghz, ipc=5.0 if lane in told else 4.0, ghz=4.0) for lane in lanes.values()
        )
        records.append(pass_record(case_id, p, {}, lanes=rows))
    summary = summarise(manifest({case_id: tuple(lanes.values())}), records)
    row = next(row for row in instruction_table(summary, table).rows if row.operation == case_id)
    assert row.cycles is None and "no pass" in row.reason


def test_every_pair_from_the_summary_is_the_pair_from_the_journal() -> None:
    """Three lanes that each lost another pass, one of two speeds: all six ratios by cells equal those that the summary formed from the journal."""
    three = (ONE, TWO, "botan@2")
    fast = fast_in(6)
    for base in ("openssl", "nettle", "botan"):
        records: list[Record] = [
            pass_record(
                CASE, p, {},
                lanes=tuple(
                    samples(lane, ns * (1.09 if lane == TWO and p not in fast else 1.0) * (1 + 0.001 * p), calls=CALLS, ipc=4.0 if p == place else 5.0)
                    for place, (lane, ns) in enumerate(zip(three, (1000.0, 1100.0, 1200.0), strict=True))
                ),
            )
            for p in range(12)
        ]  # fmt: skip
        settings = msgspec.structs.replace(manifest({}).settings, base=base)
        (case,) = summarise(manifest({CASE: three}, settings), records).cases
        found = cells(case)
        for told in case.to_base:
            if told.lane != told.base:
                assert ends(over(found[told.lane], found[told.base])) == pytest.approx(ends(told.ratio), rel=1e-12)


def test_a_library_beside_the_anchor_of_a_machine_is_paired() -> None:
    """Each lost other passes while the clock fell by half: by medians Nettle would seem slower than it is."""
    records: list[Record] = []
    for p in range(14):
        speed = 1.0 if p < 5 else 1.5
        lanes = tuple(
            samples(lane, ns * speed, ipc=5.0 if held else 4.0)
            for lane, ns, held in ((ONE, 1000.0, p < 11), (TWO, 1300.0, p >= 5))
        )
        records.append(pass_record(CASE, p, {}, lanes=lanes))
    machine = measured_machine(summarise(manifest({CASE: (ONE, TWO)}), records))
    assert machine.library_ratio("sha-256/hash", "nettle") == pytest.approx(1.3)
    assert machine.library_ratio("sha-256/hash", "openssl") == 1.0
    assert machine.library_ratio("sha-256/hash", "botan") is None


def kernel_row(kernel: str, cycles: Estimate) -> KernelRow:
    return KernelRow(f"x86-64.{kernel}/throughput", kernel, "throughput", "aes", "instruction", "", "ok", cycles=cycles)


def test_kernels_of_two_cases_are_told_by_the_widest_interval() -> None:
    xmm, ymm, zmm = (
        kernel_row("aesenc-xmm", Estimate(0.5, 0.499, 0.501)),
        kernel_row("vaesenc-ymm", Estimate(0.5, 0.499, 0.501)),
        kernel_row("vaesenc-zmm", Estimate(0.995, 0.97, 1.03)),
    )
    work = {"aesenc-xmm": 16.0, "vaesenc-ymm": 32.0, "vaesenc-zmm": 64.0}
    found = kernel_ratio(xmm, ymm)
    assert found is not None and found[1] is Verdict.EQUAL and found[0].high == pytest.approx(0.501 / 0.499)
    assert [row.kernel for row in cheapest([xmm, ymm, zmm], work)] == ["vaesenc-zmm", "vaesenc-ymm"]
    told = kernel_row("vaesenc-zmm", Estimate(0.8, 0.79, 0.81))
    assert [row.kernel for row in cheapest([xmm, ymm, told], work)] == ["vaesenc-zmm"]
    assert cheapest([], work) == []


def test_the_library_against_itself_is_widened_as_every_other_ratio() -> None:
    """Calls of ten batches whose median lies above their quartile: the A/A interval is as wide as that asks for, and the threshold with it."""
    uneasy = [1_200_000 + 3_000 * (k % 20) for k in range(40)]
    twin = ONE + "#2"
    records = [
        pass_record(CASE, p, {}, lanes=(uneven(ONE, uneasy, calls=1), uneven(twin, uneasy, calls=1)), harness_ns=(0.0, 0.0))
        for p in range(9)
    ]  # fmt: skip
    (case,) = summarise(manifest({CASE: (ONE, twin)}), records).cases
    assert case.aa is not None
    quartile, median = 1_200_000 + 3_000 * 4.75, 1_200_000 + 3_000 * 9.5
    assert ends(case.aa.ratio) == pytest.approx((1.0, quartile / median, median / quartile), rel=1e-3)
    assert case.threshold == pytest.approx(2 * (median / quartile - 1), rel=1e-2)
