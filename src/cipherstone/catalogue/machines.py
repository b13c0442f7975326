# SPDX-License-Identifier: Apache-2.0
"""Published figures of machines that come with the program: `references/cryptobench/machines.toml`."""

from __future__ import annotations

from pathlib import Path

import msgspec

from cipherstone.catalogue.references import read_values, shown_place
from cipherstone.model.errors import DataError

_PAGE, _VALUES = "cryptobench", "machines.toml"
_FILE = shown_place(_PAGE, _VALUES)


class PublishedMachine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One report. `us`: by operation, OpenSSL, microseconds a call (a megabyte for bulk operations); `reference_us`: time of the reference test."""

    report: str
    name: str
    reference_us: float
    us: dict[str, float]
    ghz: float | None = None
    emulated: bool = False


class PublishedCore(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Instruction timings of one core: `ns` per instruction by sequence, in the published order. `ghz`: its clock as the reports state it. `word`: what the name of an output of such a core contains."""

    report: str
    word: str
    name: str
    ghz: float
    ns: dict[str, float]


class PublishedMachines(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Both tables."""

    machine: tuple[PublishedMachine, ...]
    core: tuple[PublishedCore, ...]


def load_published_machines(root: Path) -> PublishedMachines:
    """Reads and checks the file. Raises DataError."""
    found = read_values(root, _PAGE, _VALUES, PublishedMachines)
    for machine in found.machine:
        if machine.reference_us <= 0 or not all(us > 0 for us in machine.us.values()):
            raise DataError(f"{_FILE}: {machine.report}: a time is not positive", "leave out what was not published")
    for core in found.core:
        if not core.ns or not all(ns > 0 for ns in core.ns.values()):
            raise DataError(f"{_FILE}: {core.report}: a time is not positive", "leave out what was not published")
    return found
