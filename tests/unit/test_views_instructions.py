# SPDX-License-Identifier: Apache-2.0
"""The instruction table from runs whose times are known: cycles, agreement of the chains, refusals."""

from __future__ import annotations

import msgspec
import pytest
from scripts import ROOT
from store_example import manifest

from cipherstone.execute.spectrum import SETTINGS, spectrum_of
from cipherstone.isa.program import ADD_CHAIN, KERNEL, ROR_CHAIN, calibrator, program
from cipherstone.isa.table import load_table
from cipherstone.labs.instructions.results import MeasuredInstructions, instruction_table, unavailable
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import LaneSamples, OutcomeRecord, PassRecord, Record
from cipherstone.views.run.summarise import summarise

TABLE = load_table(ROOT, "x86-64")
GHZ = 3.5
CALLS = 20
CHAIN = calibrator("x86-64", ADD_CHAIN).units_per_call
MULX = program(TABLE, "x86-64.mulx", "throughput").units_per_call
CASES = ("x86-64.mulx/throughput", "x86-64.imul/latency")


def lane(implementation: str) -> str:
    return f"instructions@1.0+gas:{implementation}"


def one_pass(case: str, index: int, cycles: float, rotation: float = 1.0, kernel: bool = True) -> PassRecord:
    """A pass in which an instruction of the kernel takes `cycles` and a rotation `rotation`; each pass has a clock of its own."""
    algorithm, verb = case.split("/")
    units = program(TABLE, algorithm, verb).units_per_call
    ghz = GHZ * (1 + 0.01 * index)
    lengths = {ADD_CHAIN: CHAIN * 1.0, KERNEL: units * cycles, ROR_CHAIN: CHAIN * rotation}
    if not kernel:
        del lengths[KERNEL]
    samples = tuple(
        LaneSamples(lane=lane(name), calls=CALLS, ns=(round(1000 * CALLS * length / ghz),) * 20)
        for name, length in lengths.items()
    )
    samples = tuple(msgspec.structs.replace(s, calls=1000 * CALLS) for s in samples)
    return PassRecord(
        case=case,
        index=index,
        start_s=float(index),
        wall_s=0.1,
        timed_s=0.01,
        lanes=samples,
        order=((0, 1, 2),) * 5,
        harness_ns=(0.0,) * len(samples),
    )


def table_of(records: list[Record]) -> MeasuredInstructions:
    settings = msgspec.structs.replace(SETTINGS, min_passes=6, max_passes=6)
    return instruction_table(summarise(msgspec.structs.replace(manifest(), settings=settings, plan=()), records), TABLE)


def passes(case: str, cycles: float, rotation: float = 1.0, count: int = 6) -> list[Record]:
    return [one_pass(case, index, cycles, rotation) for index in range(count)]


def test_cycles_come_from_the_ratio_to_the_chain() -> None:
    """Whatever the clock does from pass to pass."""
    found = table_of(passes(CASES[0], 1.25) + passes(CASES[1], 3.0))
    rows = {row.operation: row for row in found.rows}
    assert [row.operation for row in found.rows] == [f"{k.algorithm}/{verb}" for k, verb in TABLE.operations]
    for case, cycles in zip(CASES, (1.25, 3.0), strict=True):
        estimate = rows[case].cycles
        assert rows[case].state == "ok" and estimate is not None
        assert estimate.value == pytest.approx(cycles, rel=1e-5)
        assert estimate.low is not None and estimate.high is not None
        assert estimate.low <= estimate.value <= estimate.high
    assert found.calibration.agreement == pytest.approx(1.0, abs=1e-5)
    assert found.calibration.ghz == pytest.approx(GHZ * 1.025, rel=1e-3)
    assert (found.calibration.cases, found.calibration.apart, found.calibration.refused) == (2, 0, "")
    per_second = rows[CASES[0]].per_second
    assert per_second == pytest.approx(1e9 * GHZ * 1.025 / 1.25, rel=1e-3)


def test_there_are_no_cycles_anywhere_where_the_chains_disagree() -> None:
    found = table_of(passes(CASES[0], 1.25, 1.02) + passes(CASES[1], 3.0, 1.02))
    assert "1.020 of an addition" in found.calibration.refused and "\n" not in found.calibration.refused
    assert all(row.cycles is None for row in found.rows)
    rows = {row.operation: row for row in found.rows}
    assert all(rows[case].state == "refused" and rows[case].reason for case in CASES)


def test_one_case_whose_chains_disagree_is_refused_alone() -> None:
    more = ["x86-64.add/latency", "x86-64.adc/latency"]
    records = [r for case in more for r in passes(case, 1.0)] + passes(CASES[0], 1.25) + passes(CASES[1], 3.0, 0.98)
    rows = {row.operation: row for row in table_of(records).rows}
    assert rows[CASES[0]].state == "ok"
    assert rows[CASES[1]].state == "refused" and "0.980" in rows[CASES[1]].reason and rows[CASES[1]].cycles is None
    assert table_of(records).calibration.apart == 1


def test_just_within_one_percent_is_good_enough() -> None:
    assert table_of(passes(CASES[0], 1.25, 1.0095)).calibration.refused == ""
    assert table_of(passes(CASES[0], 1.25, 1.0105)).calibration.refused != ""


def test_what_is_not_there_says_why() -> None:
    records: list[Record] = [one_pass(CASES[0], index, 1.0, kernel=False) for index in range(6)]
    records.append(OutcomeRecord(CASES[0], lane(KERNEL), Outcome.UNAVAILABLE, "the processor has no bmi2"))
    found = table_of([*records, *passes(CASES[1], 3.0)])
    rows = {row.operation: row for row in found.rows}
    assert (rows[CASES[0]].state, rows[CASES[0]].reason) == ("unavailable", "the processor has no bmi2")
    assert unavailable(found.rows) == (f"{CASES[0]}: the processor has no bmi2",)
    other = rows["x86-64.vaesenc-zmm/latency"]
    assert (other.state, other.reason) == ("not measured", "needs vaes, avx512f")


def test_a_run_without_chains_has_no_cycles() -> None:
    found = table_of([])
    assert found.calibration.refused == "no cycles: the calibrating chains were not measured"
    assert {row.state for row in found.rows} == {"not measured"}


def test_too_few_passes_are_no_figure() -> None:
    rows = {row.operation: row for row in table_of(passes(CASES[0], 1.25, count=3)).rows}
    assert rows[CASES[0]].state == "refused" and "3 passes with a figure" in rows[CASES[0]].reason


def test_the_spectrum_has_the_median_and_the_range_over_passes() -> None:
    records: list[Record] = [one_pass(CASES[0], index, cycles) for index, cycles in enumerate((1.0, 1.3, 1.1))]
    spectrum = spectrum_of(TABLE, records)
    (figure,) = spectrum.figures
    assert figure.kernel == CASES[0] and spectrum.refused == ""
    assert (figure.cycles, figure.low, figure.high) == pytest.approx((1.1, 1.0, 1.3), rel=1e-4)
    assert spectrum.agreement == pytest.approx(1.0, abs=1e-4) and spectrum.ghz == pytest.approx(GHZ * 1.01, rel=1e-3)


def test_the_spectrum_is_refused_where_the_chains_disagree_and_tells_what_is_missing() -> None:
    records: list[Record] = [one_pass(CASES[0], index, 1.0, 0.97) for index in range(3)]
    spectrum = spectrum_of(TABLE, records)
    assert spectrum.figures == () and "0.970" in spectrum.refused
    missing = OutcomeRecord(CASES[1], lane(KERNEL), Outcome.UNAVAILABLE, "the processor has no adx")
    broken = OutcomeRecord(CASES[0], lane(KERNEL), Outcome.WRONG, "wrong")
    good: list[Record] = [one_pass(CASES[0], index, 1.0) for index in range(3)]
    spectrum = spectrum_of(TABLE, [*good, broken], [missing])
    assert spectrum.figures == () and spectrum.unavailable == (CASES[1], CASES[0])
    assert spectrum_of(TABLE, []).refused


def with_probes(record: PassRecord, kernel_ipc: float = 5.0) -> PassRecord:
    """The pass as workers with a probe measure it, on a free core but for the kernel's lane."""
    lanes = []
    for samples in record.lanes:
        ipc = kernel_ipc if samples.lane.endswith(f":{KERNEL}") else 5.0
        chain = (1 / (GHZ * (1 + 0.01 * record.index)),) * (2 * len(samples.ns))
        tput = tuple(c / ipc for c in chain)
        lanes.append(msgspec.structs.replace(samples, chain_ns=chain, tput_ns=tput))
    return msgspec.structs.replace(record, lanes=tuple(lanes))


def test_the_spectrum_is_of_undisturbed_batches() -> None:
    """A kernel that was never seen undisturbed has no figure; without a reference nothing has one."""
    records: list[Record] = [with_probes(one_pass(CASES[0], index, 1.25)) for index in range(3)]
    records += [with_probes(one_pass(CASES[1], index, 3.0), kernel_ipc=4.0) for index in range(3)]
    spectrum = spectrum_of(TABLE, records, reference=5.0)
    (figure,) = spectrum.figures
    assert figure.kernel == CASES[0] and figure.cycles == pytest.approx(1.25, rel=1e-4) and not spectrum.refused
    unknown = spectrum_of(TABLE, records)
    assert unknown.figures == () and unknown.refused
