# SPDX-License-Identifier: Apache-2.0
"""The instruction laboratory as a table: core cycles of every kernel, from its time beside two calibrating chains of known length.

Cycles of a unit = (time of the kernel / time of the `add` chain, both from one pass) x additions in a call / units in a call: an addition of the chain takes
one cycle. The `ror` chain is the witness: where the two disagree by more than 1 % an instruction is not one cycle long, or the clock moved between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from cipherstone.isa.calibration import Calibration, calibrate, disagree
from cipherstone.isa.program import ADD_CHAIN, KERNEL, ROR_CHAIN, calibrator, needs, program
from cipherstone.isa.table import Isa, Kernel, KernelTable, Verb
from cipherstone.model.ids import Lane
from cipherstone.model.outcomes import Outcome, Verdict
from cipherstone.model.summary import CaseSummary, CellSummary, Estimate, RunSummary
from cipherstone.stats.verdict import SMALLEST_THRESHOLD, rank, verdict
from cipherstone.views.comparison import divide
from cipherstone.views.run.pairs import paired_ratio

OK, REFUSED, NOT_MEASURED = "ok", "refused", "not measured"


class KernelRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """One operation of the table. `state`: `ok`, `refused` (measured, but no cycles), `not measured`, or an outcome such as `unavailable`; `reason` says why.

    `cycles`: core cycles of one `unit`; `per_second`: units a second on one core. `agreement`: second chain over the first in this case, per instruction. `threshold`: d of the verdict rule in its case.
    """

    operation: str
    kernel: str
    verb: Verb
    group: str
    unit: str
    why: str
    state: str
    reason: str = ""
    cycles: Estimate | None = None
    per_second: float | None = None
    agreement: float | None = None
    note: str = ""
    threshold: float = SMALLEST_THRESHOLD


class MeasuredInstructions(msgspec.Struct, frozen=True):
    """A run of the laboratory. Rows in the order of the kernel table; every operation of it has one."""

    isa: Isa
    calibration: Calibration
    rows: tuple[KernelRow, ...]


def instruction_table(summary: RunSummary, table: KernelTable) -> MeasuredInstructions:
    """The table of a run. `table`: the kernel table that the run's worker was built from."""
    cases = {case.operation: case for case in summary.cases}
    rows = [_row(table, kernel, verb, cases.get(f"{kernel.algorithm}/{verb}")) for kernel, verb in table.operations]
    chains = [_Chains.of(table.isa, case) for case in summary.cases if case.operation.startswith(f"{table.isa}.")]
    calibration = calibrate(
        [one.agreement for one in chains if one.agreement is not None],
        [one.ghz for one in chains if one.ghz is not None],
    )
    if calibration.refused:
        rows = [_without_cycles(row, calibration.refused) for row in rows]
    return MeasuredInstructions(table.isa, calibration, tuple(rows))


class _Chains(msgspec.Struct, frozen=True):
    """The calibrating chains of one case."""

    add: CellSummary | None
    agreement: float | None
    ghz: float | None

    @staticmethod
    def of(isa: Isa, case: CaseSummary) -> _Chains:
        add, ror = _cell(case, ADD_CHAIN), _cell(case, ROR_CHAIN)
        additions = calibrator(isa, ADD_CHAIN).units_per_call
        rotations = calibrator(isa, ROR_CHAIN).units_per_call
        ghz = additions / add.ns.value if add is not None and add.ns is not None else None
        ratio = _ratio(ror, add)
        return _Chains(add, None if ratio is None else ratio.value * additions / rotations, ghz)


def _cell(case: CaseSummary, implementation: str) -> CellSummary | None:
    for cell in case.cells:
        lane = Lane.parse(cell.lane)
        if lane.implementation == implementation and not lane.twin:
            return cell
    return None


def _ratio(ours: CellSummary | None, theirs: CellSummary | None) -> Estimate | None:
    """Paired by pass; None without a common pass."""
    return None if ours is None or theirs is None else paired_ratio(ours, theirs)


def _why_no_ratio(cell: CellSummary, add: CellSummary | None) -> str:
    if cell.refused or add is None or add.ns is None:
        return cell.refused or (add.refused if add is not None else "") or "no calibrating chain beside it"
    return "no pass holds both it and the calibrating chain"


def _row(table: KernelTable, kernel: Kernel, verb: Verb, case: CaseSummary | None) -> KernelRow:
    form = kernel.forms[verb]
    row = KernelRow(
        operation=f"{kernel.algorithm}/{verb}",
        kernel=kernel.name,
        verb=verb,
        group=kernel.group,
        unit=form.unit,
        why=kernel.why,
        state=NOT_MEASURED,
        note=form.note,
    )
    if case is None:
        reason = f"needs {needs(kernel)}" if kernel.features else ""
        return msgspec.structs.replace(row, reason=reason)
    row = msgspec.structs.replace(row, threshold=case.threshold)
    cell = _cell(case, KERNEL)
    if cell is None:
        return row
    if not cell.outcome.timed:
        return msgspec.structs.replace(row, state=str(cell.outcome), reason=cell.detail)
    chains = _Chains.of(table.isa, case)
    ratio = _ratio(cell, chains.add)
    if ratio is None or cell.ns is None:
        return msgspec.structs.replace(row, state=REFUSED, reason=_why_no_ratio(cell, chains.add))
    chosen = program(table, kernel.algorithm, verb)
    per_second = 1e9 * chosen.units_per_call / cell.ns.value
    row = msgspec.structs.replace(row, per_second=per_second, agreement=chains.agreement)
    if chains.agreement is None or disagree(chains.agreement):
        told = (
            "were not both measured" if chains.agreement is None else f"are apart by a factor of {chains.agreement:.3f}"
        )
        return msgspec.structs.replace(row, state=REFUSED, reason=f"the calibrating chains of this case {told}")
    factor = calibrator(table.isa, ADD_CHAIN).units_per_call / chosen.units_per_call
    return msgspec.structs.replace(row, state=OK, cycles=_scaled(ratio, factor))


def _scaled(estimate: Estimate, factor: float) -> Estimate:
    low, high = estimate.low, estimate.high
    return Estimate(
        estimate.value * factor, None if low is None else low * factor, None if high is None else high * factor
    )


def kernel_ratio(a: KernelRow, b: KernelRow, scale: float = 1.0) -> tuple[Estimate, Verdict] | None:
    """`scale` x cycles of a over cycles of b, and how a stands to b by it; None without cycles. Two kernels are two cases, so their passes are not paired: each is over its own chain, and the interval is the widest that both allow."""
    if a.cycles is None or b.cycles is None:
        return None
    ratio = _scaled(divide(a.cycles, b.cycles), scale)
    return ratio, verdict(ratio, max(a.threshold, b.threshold))


def cheapest(rows: Sequence[KernelRow], work: Mapping[str, float]) -> list[KernelRow]:
    """Of kernels that do so much `work` a unit, those that cost least for it: one, or several that are not shown to be slower than the first."""
    known = {row.kernel: (row.cycles.value / work[row.kernel], row) for row in rows if row.cycles is not None}

    def found(i: str, j: str) -> Verdict:
        told = kernel_ratio(known[i][1], known[j][1], work[j] / work[i])
        return Verdict.UNRESOLVED if told is None else told[1]

    groups = rank(sorted(known, key=lambda name: known[name][0]), found)
    return [known[name][1] for name in groups[0]] if groups else []


def _without_cycles(row: KernelRow, reason: str) -> KernelRow:
    if row.state != OK:
        return row
    return msgspec.structs.replace(row, state=REFUSED, reason=reason, cycles=None)


def unavailable(rows: Iterable[KernelRow]) -> tuple[str, ...]:
    """Operations that this processor or build refuses, each with its reason."""
    return tuple(f"{row.operation}: {row.reason}" for row in rows if row.state == Outcome.UNAVAILABLE)
