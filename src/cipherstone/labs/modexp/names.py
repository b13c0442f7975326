# SPDX-License-Identifier: Apache-2.0
"""Names of the modexp laboratory: `mont-64-fw5.ct` is Montgomery reduction, 64-bit limbs, fixed window of 5 bits, table read in constant time."""

from __future__ import annotations

import re

import msgspec

from cipherstone.catalogue.published import Published
from cipherstone.model.ids import Lane

LAB = "modexp"  # folder under labs/, and the library of its lanes
PUBLISHED = "modexp-emcrypt"  # the table beside ours, in labs/published
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
}
_NAME = re.compile(
    r"(?P<reduction>[a-z.]+)-(?P<limb>\d\d)-(?P<form>fast|ladder|(?:fw|rm)(?P<window>[1-7]))(?P<ct>\.ct)?\Z"
)


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
        """Whether it is portable C: every back end but the one that needs AVX-512 IFMA."""
        return self.reduction != "ifma"


def parse_method(implementation: str) -> Method | None:
    """The method that an implementation's name stands for; None for any other name."""
    found = _NAME.match(implementation)
    if found is None or found["reduction"] not in REDUCTIONS or int(found["limb"]) not in LIMBS:
        return None
    form = found["form"][:2] if found["window"] else found["form"]
    if found["ct"] and form != "fw":
        return None
    window = int(found["window"]) if found["window"] else None
    return Method(found["reduction"], int(found["limb"]), form, window, found["ct"] is not None)


def method_of(lane: Lane) -> Method | None:
    """The method of a lane of the laboratory; None for a library's lane."""
    return parse_method(lane.implementation) if lane.library == LAB else None


def table_order(method: Method) -> tuple[int, int, int, int, int]:
    """Sort key: the order of the published table (reduction; fast, ladder, fixed windows, then reduced memory)."""
    forms = ("fast", "ladder", "fw", "rm")
    place = list(REDUCTIONS).index(method.reduction)
    return (place, method.limb_bits, forms.index(method.form) + method.constant_time * 4, method.window or 0, 0)


def published_keys(published: Published) -> list[str]:
    """The published rows with the one that is missing there, the Montgomery ladder, put where it belongs."""
    keys = list(published.rows)
    if "mont-ladder" not in keys and "mont-fast" in keys:
        keys.insert(keys.index("mont-fast") + 1, "mont-ladder")
    return keys
