# SPDX-License-Identifier: Apache-2.0
"""Published tables that a laboratory shows beside its own: figures as printed, with what is known to be wrong with them."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from cipherstone.catalogue.document import shown
from cipherstone.catalogue.references import pages_with, read_values, shown_place
from cipherstone.model.errors import DataError, UsageError, nearest

MODEXP = "modexp.toml"
_REDUCTIONS = ("basic", "barrett", "mont")
_EXPONENTIATION = re.compile(r"(fast|ladder|(fw|rm)[1-7])\Z")


class PublishedRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row as printed. `factor`: time of the baseline over this row's (more is faster); `memory_factor`: this row's memory over the baseline's."""

    reduction: str
    exponentiation: str
    time_ms: float
    factor: float
    memory_bytes: int
    memory_factor: float

    @property
    def key(self) -> str:
        """`REDUCTION-EXPONENTIATION`: `mont-fw5`."""
        return f"{self.reduction}-{self.exponentiation}"


class OtherTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A shorter table of the same source, of another compiler."""

    title: str
    row: tuple[PublishedRow, ...]

    @property
    def rows(self) -> dict[str, PublishedRow]:
        """The rows by key."""
        return {row.key: row for row in self.row}


class Claim(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A gain that the publication's text states in per cent: `what`, and by how much time the row `over` of table number `table` of `other` takes longer than the row `under` of the table number `than`, None for the main table."""

    what: str
    percent: float
    table: int
    over: str
    under: str
    than: int | None = None


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A published table. `case`: the case of ours that it stands beside; `baseline`: key of the row that its factors refer to; `note`: a sentence each. `clock_mhz`: of the processor, `clock_from` says whose word that is; 0: not known. `claim`: what its text states."""

    title: str
    source: str
    case: str
    conditions: str
    baseline: str
    note: tuple[str, ...]
    row: tuple[PublishedRow, ...]
    other: tuple[OtherTable, ...] = ()
    claim: tuple[Claim, ...] = ()
    clock_mhz: float = 0.0
    clock_from: str = ""

    @property
    def rows(self) -> dict[str, PublishedRow]:
        """The rows by key, in the order in which they were printed."""
        return {row.key: row for row in self.row}

    def gain(self, claim: Claim) -> float:
        """What the printed times give, in per cent."""
        under = self.rows if claim.than is None else self.other[claim.than].rows
        return 100 * (self.other[claim.table].rows[claim.over].time_ms / under[claim.under].time_ms - 1)


def load_published(root: Path, name: str) -> Published:
    """`references/NAME/modexp.toml`. Raises UsageError for a name that does not exist, DataError for a file that contradicts itself.

    Checked: rows stand once, figures are positive, the baseline is there, the factors follow from times and memory to the last digit printed, and claims name rows.
    """
    known = pages_with(root, MODEXP)
    if name not in known:
        raise UsageError(f"published table: {shown(name)} does not exist", nearest(name, known))
    where = shown_place(name, MODEXP)
    table = read_values(root, name, MODEXP, Published)
    if len(table.rows) != len(table.row):
        raise DataError(f"{where}: row: a row stands twice", "remove one of them")
    base = table.rows.get(table.baseline)
    if base is None:
        raise DataError(f"{where}: baseline: {shown(table.baseline)} is not a row", nearest(table.baseline, table.rows))
    for place, row in enumerate(table.row):
        _check(f"{where}: row[{place}]", row, base)
    for one in table.other:
        for row in one.row:
            _check(f"{where}: {shown(one.title)}", row, one.rows.get(table.baseline, base))
    for place, claim in enumerate(table.claim):
        try:
            table.gain(claim)
        except LookupError:
            raise DataError(f"{where}: claim[{place}]: names a table or a row that is none", "") from None
    return table


def _check(where: str, row: PublishedRow, base: PublishedRow) -> None:
    if row.reduction not in _REDUCTIONS or not _EXPONENTIATION.match(row.exponentiation):
        raise DataError(
            f"{where}: {shown(row.key)} is not a method",
            f"reduction: {', '.join(_REDUCTIONS)}; then fast, ladder, fwK, rmK",
        )
    if row.time_ms <= 0 or row.memory_bytes <= 0:
        raise DataError(f"{where}: {shown(row.key)}: time and memory must be positive", "")
    for name, seen, expected in (
        ("factor", row.factor, base.time_ms / row.time_ms),
        ("memory_factor", row.memory_factor, row.memory_bytes / base.memory_bytes),
    ):
        if abs(seen - expected) > 0.0051:  # two decimals were printed
            raise DataError(
                f"{where}.{name}: {shown(seen)} does not follow from the figures", f"they give {expected:.2f}"
            )
