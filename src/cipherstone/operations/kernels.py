# SPDX-License-Identifier: Apache-2.0
"""The kernels as the rest of the program knows operations: a catalogue and a suite."""

from __future__ import annotations

import platform
from collections.abc import Collection
from pathlib import Path

from cipherstone.catalogue.algorithms import Catalogue, Operation
from cipherstone.catalogue.document import shown
from cipherstone.catalogue.suites import Section, Suite
from cipherstone.isa.table import GROUPS, ISAS, Isa, KernelTable, load_table
from cipherstone.model.errors import DataError

FAMILY = "instructions"
# 5 turns of 4 batches of 50 us, of which the first warms up: the 16 batches that a pass value needs, in few requests for each of some 150 operations.
# Nearly every case has converged after the 6 passes that an interval needs; the others are those that were contended.
SETTINGS: dict[str, int | float | bool] = {
    "batch_us": 50.0,
    "rounds": 4,
    "batches_per_turn": 4,
    "dropped_batches": 4,
    "min_passes": 6,
    "max_passes": 10,
    "memory": False,
}
_TITLES = {"latency": "latency", "throughput": "reciprocal throughput", "sequence": "sequence"}
_MACHINES: dict[str, Isa] = {"x86_64": "x86-64", "AMD64": "x86-64", "aarch64": "aarch64", "arm64": "aarch64"}


def is_kernel(algorithm: str) -> bool:
    """Whether an algorithm id names a kernel of the instruction laboratory: `x86-64.NAME` or `aarch64.NAME`."""
    return algorithm.startswith(tuple(f"{isa}." for isa in ISAS))


def isa_of(algorithm: str) -> Isa:
    """The instruction set of a kernel's algorithm id. Raises DataError for another algorithm."""
    for isa in ISAS:
        if algorithm.startswith(f"{isa}."):
            return isa
    raise DataError(f"kernels: {shown(algorithm)} is not a kernel", "kernels are called ISA.NAME, as x86-64.mulx")


def native_isa() -> Isa | None:
    """The instruction set of this machine, None if it has no table."""
    return _MACHINES.get(platform.machine())


def kernel_catalogue(root: Path, isa: Isa | None = None) -> Catalogue:
    """Every operation of every kernel (of one instruction set, if given). Raises DataError."""
    operations: dict[str, Operation] = {}
    for table in _tables(root, isa):
        for kernel, verb in table.operations:
            form = kernel.forms[verb]
            operation = Operation(
                algorithm=kernel.algorithm,
                verb=verb,
                title=f"{kernel.name}, {_TITLES[verb]}",
                family=FAMILY,
                standard=f"{kernel.isa} instruction set",
                timed=f"a loop over a block of repeated code, about four microseconds a call; figures are per {form.unit}",
                untimed="nothing: loading and storing the registers, below 0.5 %, is in the call",
                unit="call",
                sizes=(),
                headline_size=None,
                keys="msg: memory and registers at the start; output: the same at the end",
            )
            operations[operation.id] = operation
    return Catalogue(operations, {})


def kernel_suite(root: Path, isa: Isa | None = None, spectrum: bool = False, also: Collection[str] = ()) -> Suite:
    """All kernels of an instruction set (this machine's, if not given), one section a group. `spectrum`: only those of the machine's spectrum, and those that `also` names."""
    chosen = isa or native_isa()
    table = load_table(root, chosen) if chosen is not None else None
    groups: dict[str, list[Operation]] = {}
    catalogue = kernel_catalogue(root, chosen)
    for kernel, verb in table.operations if table is not None else ():
        if not spectrum or verb in kernel.spectrum or f"{kernel.algorithm}/{verb}" in also:
            groups.setdefault(kernel.group, []).append(catalogue.operations[f"{kernel.algorithm}/{verb}"])
    sections = tuple(
        Section(
            id=group,
            title=title,
            question=f"What does an instruction cost: {title.lower()}?",
            operations=tuple(operation.id for operation in groups[group]),
            sizes="headline",
            cases=tuple(operation.headline for operation in groups[group]),
            lanes="library:instructions",
        )
        for group, title in GROUPS.items()
        if group in groups
    )
    return Suite(
        "instructions",
        "Instructions",
        "latency and throughput of the instructions that cryptography leans on, against two calibrating chains",
        sections,
        (),
        dict(SETTINGS),
    )


def _tables(root: Path, isa: Isa | None) -> list[KernelTable]:
    return [load_table(root, one) for one in ISAS if isa in (None, one)]
