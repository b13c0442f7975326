# SPDX-License-Identifier: Apache-2.0
"""What is known about figures of cryptobench: what their timed region holds, and what is wrong with them (`references/cryptobench/caveats.toml`)."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import lru_cache

import msgspec

from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.references import read_values
from cipherstone.model.ids import Case


class _Caveat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    algorithms: tuple[str, ...]
    says: str
    verbs: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    version: str = ""


class Sequences(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Of outputs of the instruction timer: `note` and `loop` of each, `zero` of a figure of 0.000."""

    note: str
    loop: str
    zero: str


class Caveats(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`gave_up`: of a figure of 0.000; `emulated`: of a report from an emulator; `report`: of every report, a sentence each."""

    gave_up: str
    emulated: str
    report: tuple[str, ...]
    sequences: Sequences
    caveat: tuple[_Caveat, ...]


@lru_cache(maxsize=1)
def known() -> Caveats:
    """All of it, read once a process. Raises DataError."""
    return read_values(data_root(), "cryptobench", "caveats.toml", Caveats)


def caveat(case: str, library: str, versions: Mapping[str, str]) -> str:
    """What is known about one figure of a cryptobench report; "" if nothing beyond the notes of the publication. `versions`: of its libraries, by name."""
    parsed = Case.parse(case)
    return "; ".join(
        one.says
        for one in known().caveat
        if any(fnmatchcase(parsed.algorithm, pattern) for pattern in one.algorithms)
        and (not one.verbs or parsed.verb in one.verbs)
        and (not one.libraries or library in one.libraries)
        and one.version in versions.get(library, "")
    )


def publication_notes(facts: Mapping[str, str]) -> tuple[str, ...]:
    """What is known about a whole cryptobench report. `facts`: its words about the machine."""
    emulated = (known().emulated,) if "qemu" in " ".join(facts.values()).lower() else ()
    return (*emulated, *known().report)
