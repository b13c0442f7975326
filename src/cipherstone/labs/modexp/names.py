# SPDX-License-Identifier: Apache-2.0
"""How a row of the modexp laboratory computes, by the facts that its worker tells: `reduction`, `limb_bits`, `scan`, `window`, `masked`. Names say nothing here."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from cipherstone.catalogue.published_tables import Published
from cipherstone.model.ids import Lane
from cipherstone.model.summary import CellSummary

LAB = "modexp"  # folder under labs/, and the library of its lanes
PUBLISHED = "modexp-emcrypt"  # the table beside ours, in references/
LIMBS = (15, 31, 32, 52, 64)
WINDOWS = range(1, 8)
REDUCTIONS = {
    "basic": "Basic",
    "barrett": "Barrett",
    "mont": "Montgomery",
    "mont.k": "Montgomery, Karatsuba",
    "cios": "Montgomery CIOS",
    "fios": "Montgomery FIOS",
    "ifma": "Montgomery IFMA",
    "umaal": "Montgomery UMAAL",
}
FORMS = ("fast", "ladder", "fw", "rm")
DEFAULT = "default"  # one of the other rows again


class Method(msgspec.Struct, frozen=True, order=True):
    """How a row of the laboratory computes. `form`: `fast`, `ladder`, `fw`, `rm`; `window`: 1 to 7, None without one."""

    reduction: str
    limb_bits: int
    form: str
    window: int | None = None
    constant_time: bool = False

    @property
    def exponentiation(self) -> str:
        """`fast`, `ladder`, `fw5`, `rm3`."""
        return self.form if self.window is None else f"{self.form}{self.window}"

    @property
    def key(self) -> str:
        """`mont-fw5`, as published tables call it; the limb size and constant time are not part of it."""
        return f"{self.reduction}-{self.exponentiation}"

    @property
    def title(self) -> str:
        """`Montgomery, 5b, FW`, in the way of the publication; `, CT` marks constant-time table access."""
        text = self.form if self.window is None else f"{self.window}b, {self.form.upper()}"
        return f"{REDUCTIONS[self.reduction]}, {text}" + (", CT" if self.constant_time else "")

    @property
    def is_portable(self) -> bool:
        """Whether it is portable C: neither AVX-512 IFMA nor Arm's UMAAL."""
        return self.reduction not in ("ifma", "umaal")


def method_told(facts: Mapping[str, int | str]) -> Method | None:
    """The method of an exponentiation with these facts; None where they tell none that is known here."""
    reduction, form, limb, window = (facts.get(key) for key in ("reduction", "scan", "limb_bits", "window"))
    if not isinstance(reduction, str) or not isinstance(form, str) or reduction not in REDUCTIONS or form not in FORMS:
        return None
    has_window = form in ("fw", "rm")
    if (
        limb not in LIMBS
        or not isinstance(limb, int)
        or not isinstance(window, int)
        or (window in WINDOWS) != has_window
    ):
        return None
    return Method(reduction, limb, form, window if has_window else None, facts.get("masked") == 1)


def method_of(cell: CellSummary) -> Method | None:
    """The method of a row of the laboratory; None for a library's lane, for `default`, and for a row that told no facts."""
    return method_told(cell.facts) if is_row(Lane.parse(cell.lane)) else None


def is_row(lane: Lane) -> bool:
    """Whether a lane is a row of the laboratory by a name of its own."""
    return lane.library == LAB and lane.implementation != DEFAULT


def table_order(method: Method) -> tuple[int, int, int, int, int]:
    """Sort key: the order of the published table (reduction; fast, ladder, fixed windows, then reduced memory)."""
    place = list(REDUCTIONS).index(method.reduction)
    return (place, method.limb_bits, FORMS.index(method.form) + method.constant_time * 4, method.window or 0, 0)


def published_keys(published: Published) -> list[str]:
    """The published rows with the one that is missing there, the Montgomery ladder, put where it belongs."""
    keys = list(published.rows)
    if "mont-ladder" not in keys and "mont-fast" in keys:
        keys.insert(keys.index("mont-fast") + 1, "mont-ladder")
    return keys
