# SPDX-License-Identifier: Apache-2.0
"""What every parser of published figures yields."""

from __future__ import annotations

import msgspec


class ImportedFigure(msgspec.Struct, frozen=True, omit_defaults=True):
    """One published figure. `case`, `lane`: ids as ours; `ns` per call (per instruction for sequences), or `cycles` per call of a counter that the publication names; neither where none was published.

    `missing`: why there is none; `note`: what is inside or known to be wrong; `line`: where it stands in the file, from 1.
    """

    case: str
    lane: str
    ns: float | None
    iterations: int | None = None
    missing: str = ""
    note: str = ""
    line: int = 0
    cycles: float | None = None


class Publication(msgspec.Struct, frozen=True, omit_defaults=True):
    """One published file. `name`: file name without extension. `origin`: program and licence. `facts`: its words about the machine, by key.

    `versions`: library -> what it said about its version. `reference_us`: time of its reference test. `ghz`: core clock that the publication states. `program`: which wrote it, as on the command line.
    """

    name: str
    origin: str
    facts: dict[str, str]
    figures: tuple[ImportedFigure, ...]
    versions: dict[str, str] = {}
    reference_us: float | None = None
    ghz: float | None = None
    notes: tuple[str, ...] = ()
    program: str = "cryptobench"

    @property
    def machine(self) -> str:
        """The machine in few words, as the publication's own tables call it."""
        return self.facts.get("cpu-index") or self.facts.get("cpu") or self.name

    @property
    def emulated(self) -> bool:
        """Whether the publication says that a processor was emulated."""
        return "qemu" in " ".join(self.facts.values()).lower()
