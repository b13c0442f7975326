# SPDX-License-Identifier: Apache-2.0
"""Published figures and measured ones beside each other: by ratios inside of a machine, never by raw times across machines."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from cipherstone.catalogue.machines import PublishedMachines
from cipherstone.model.ids import DEFAULT_IMPLEMENTATION, Case, Lane
from cipherstone.model.records import ForeignRecord, Manifest, OutcomeRecord, Record
from cipherstone.model.summary import CellSummary, RunSummary
from cipherstone.views.machines import ratio_to, sequence_cycles
from cipherstone.views.roofline import largest_cases
from cipherstone.views.run.pairs import paired_ratio

ANCHOR = "openssl"  # the lane that stands on every machine, and that figures of a machine are divided by
MEGABYTE = 1_000_000
# (title, operation, what it is divided by): both by the anchor on the same machine. Bulk operations count as one call on 1,000,000 bytes.
RATIOS = (
    ("RSA-2048 sign", "rsa-2048/sign", "aes-128-cbc/encrypt"),
    ("RSA-2048 verify", "rsa-2048/verify", "aes-128-cbc/encrypt"),
    ("RSA-4096 sign", "rsa-4096/sign", "aes-128-cbc/encrypt"),
    ("2048-bit exp.", "modexp/private/bits=2048,crt=no", "aes-128-cbc/encrypt"),
    ("AES decrypt", "aes-128-cbc/decrypt", "aes-128-cbc/encrypt"),
)
# Libraries in units of the anchor, in this operation.
LIBRARY_OPERATIONS = ("rsa-2048/sign", "rsa-2048/verify", "aes-128-cbc/encrypt", "aes-128-cbc/decrypt")
_SEQUENCE = "/sequence"


class ForeignCell(msgspec.Struct, frozen=True, omit_defaults=True):
    """One published figure: `ns` or `cycles` per call, or neither, with the reason in `missing`."""

    case: str
    lane: str
    ns: float | None = None
    missing: str = ""
    note: str = ""
    cycles: float | None = None


class MachineFigures(msgspec.Struct, frozen=True, omit_defaults=True):
    """One machine of a comparison. `ns[operation][library]`: a call, a megabyte for bulk operations. `paired[operation][library]`: over the anchor, paired by pass, of what was measured here.

    `published`: another program's figures. `sequence_ns` as published; `sequence_cycles`: measured here, or published ns times the stated clock.
    """

    name: str
    run_id: str
    published: bool
    emulated: bool = False
    classic_us: float | None = None
    ghz: float | None = None
    ns: dict[str, dict[str, float]] = {}
    paired: dict[str, dict[str, float]] = {}
    sequence_ns: dict[str, float] = {}
    sequence_cycles: dict[str, float] = {}
    isa: str = ""

    def ratio(self, operation: str, by: str) -> float | None:
        """`operation` in units of `by`, both by the anchor on this machine; None if one is missing."""
        return ratio_to(self.ns.get(by, {}).get(ANCHOR), self.ns.get(operation, {}).get(ANCHOR))

    def library_ratio(self, operation: str, library: str) -> float | None:
        """`library` in units of the anchor, in one operation on this machine: paired by pass where it was measured, a quotient where it was published."""
        if not self.published:
            return self.paired.get(operation, {}).get(library)
        mine = self.ns.get(operation, {})
        return ratio_to(mine.get(ANCHOR), mine.get(library))


def foreign_cells(records: Iterable[Record]) -> list[ForeignCell]:
    """The figures of a foreign bundle in order, missing ones with their reason."""
    found = []
    for record in records:
        if isinstance(record, ForeignRecord):
            found.append(ForeignCell(record.case, record.lane, record.ns, note=record.note, cycles=record.cycles))
        elif isinstance(record, OutcomeRecord):
            found.append(ForeignCell(record.case, record.lane, missing=record.detail))
    return found


def published_machine(manifest: Manifest, records: Iterable[Record]) -> MachineFigures:
    """A foreign bundle as one machine of a comparison."""
    ns: dict[str, dict[str, float]] = {}
    sequences: dict[str, float] = {}
    for cell in foreign_cells(records):
        if cell.ns is None:
            continue
        case, lane = Case.parse(cell.case), Lane.parse(cell.lane)
        if case.operation.endswith(_SEQUENCE):
            sequences[_sequence_name(case.algorithm)] = cell.ns
        elif lane.implementation == DEFAULT_IMPLEMENTATION:
            scale = MEGABYTE / case.size_bytes if case.size_bytes else 1.0
            ns.setdefault(case.operation, {})[lane.library] = cell.ns * scale
    spectrum = manifest.spectrum
    ghz = spectrum.ghz if spectrum is not None else None
    return MachineFigures(
        name=_machine_name(manifest),
        run_id=manifest.run_id,
        published=True,
        emulated=manifest.machine.hypervisor == "emulated",
        classic_us=spectrum.classic_us if spectrum is not None else None,
        ghz=ghz,
        ns=ns,
        sequence_ns=sequences,
        sequence_cycles=sequence_cycles(sequences, ghz),
        isa=spectrum.isa if spectrum is not None else "",
    )


def shipped_machines(published: PublishedMachines) -> list[MachineFigures]:
    """The published machines that come with the program: the anchor's figures and the sequences only."""
    found = [
        MachineFigures(
            name=one.name,
            run_id=one.report,
            published=True,
            emulated=one.emulated,
            classic_us=one.reference_us,
            ghz=one.ghz,
            ns={operation: {ANCHOR: us * 1e3} for operation, us in one.us.items()},
        )
        for one in published.machine
    ]
    for core in published.core:
        cycles = sequence_cycles(core.ns, core.ghz)
        found.append(
            MachineFigures(
                core.name, core.report, True, ghz=core.ghz, sequence_ns=core.ns, sequence_cycles=cycles, isa="aarch64"
            )
        )
    return found


def measured_machine(summary: RunSummary) -> MachineFigures:
    """A run of our own as one machine of a comparison: each library's default implementation at the largest size."""
    ns: dict[str, dict[str, float]] = {}
    mine: dict[str, dict[str, CellSummary]] = {}
    for case in largest_cases(summary.cases):
        for cell in case.cells:
            lane = Lane.parse(cell.lane)
            if cell.ns is None or lane.twin or lane.implementation != DEFAULT_IMPLEMENTATION or "+" in lane.build:
                continue
            scale = MEGABYTE / case.size_bytes if case.size_bytes else 1.0
            ns.setdefault(case.operation, {})[lane.library] = cell.ns.value * scale
            mine.setdefault(case.operation, {})[lane.library] = cell
    paired = {operation: _over_anchor(cells) for operation, cells in mine.items()}
    manifest, spectrum = summary.manifest, summary.manifest.spectrum
    cycles = {}
    if spectrum is not None and not spectrum.refused:
        for figure in spectrum.figures:
            if figure.kernel.endswith(_SEQUENCE):
                cycles[_sequence_name(figure.kernel.removesuffix(_SEQUENCE))] = figure.cycles
    return MachineFigures(
        name=manifest.machine.cpu_model,
        run_id=manifest.run_id,
        published=False,
        classic_us=spectrum.classic_us if spectrum is not None else None,
        ghz=spectrum.ghz if spectrum is not None else None,
        ns=ns,
        paired=paired,
        sequence_cycles=cycles,
        isa=spectrum.isa if spectrum is not None else "",
    )


def _over_anchor(cells: Mapping[str, CellSummary]) -> dict[str, float]:
    """Cells of one case over the anchor's, those without a ratio left out."""
    anchor = cells.get(ANCHOR)
    found = {name: paired_ratio(cell, anchor) if anchor is not None else None for name, cell in cells.items()}
    return {name: ratio.value for name, ratio in found.items() if ratio is not None}


def _machine_name(manifest: Manifest) -> str:
    """`i7-5775R, macOS`: one processor under two systems has two reports."""
    machine = manifest.machine
    system = machine.system.partition(" ")[0] + (" guest" if machine.hypervisor == "guest" else "")
    return ", ".join(filter(None, (machine.cpu_model.partition("; ")[0], system)))


def _sequence_name(algorithm: str) -> str:
    return algorithm.partition(".")[2].removeprefix("seq-")


def sequence_names(machines: Sequence[MachineFigures]) -> list[str]:
    """Every sequence of published machines, in their order."""
    return list(dict.fromkeys(name for machine in machines if machine.published for name in machine.sequence_ns))


def libraries_of(machines: Sequence[MachineFigures]) -> list[str]:
    """Libraries other than the anchor that some machine has, in order of appearance."""
    names = (library for machine in machines for mine in machine.ns.values() for library in mine)
    return [library for library in dict.fromkeys(names) if library != ANCHOR]


def lanes_by_case(cells: Iterable[ForeignCell]) -> Mapping[str, Mapping[str, ForeignCell]]:
    """Cells by case, then by lane."""
    found: dict[str, dict[str, ForeignCell]] = {}
    for cell in cells:
        found.setdefault(cell.case, {})[cell.lane] = cell
    return found
