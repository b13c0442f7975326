# SPDX-License-Identifier: Apache-2.0
"""What the page of the suite tls-blog measured, read from its published figures: each task, in its order, with what was printed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from cipherstone.catalogue.algorithms import catalogue_at
from cipherstone.catalogue.published_pages import TABLES, PageRow, PublishedPage, PublishedTable, load_page
from cipherstone.catalogue.references import shown_place
from cipherstone.catalogue.suites import load_suite
from cipherstone.labs.tls.interop.grid import Kind, due_of
from cipherstone.labs.tls.interop.trial import Question
from cipherstone.labs.tls.results import LAB, READ, WRITE
from cipherstone.model.errors import DataError
from cipherstone.model.ids import Case, read_build
from cipherstone.model.units import MIB
from cipherstone.operations.handshakes import numbers, timed
from cipherstone.operations.splitmix import splitmix64

SUITE = "tls-blog"
INSTRUMENT = "sockets"
MASK = "noaccel"
UP, DOWN = "up", "down"  # which way data go; the client is what is measured
MESSAGE_BYTES, MESSAGE_SEED = 16384, 1
# The certificate of the CA was of RSA throughout, and signed the leaf's; the suite was this one throughout.
AS_THERE = {"suite": "aes-256-gcm", "chain": "1", "ca": "rsa-2048"}
_DATA = {"group": "p-256", "cert": "p-256", "mode": "full"}
_WAYS = {WRITE: UP, READ: DOWN}


class Task(msgspec.Struct, frozen=True):
    """A line of the page. `many`: of how many handshakes, or messages of 16 KiB, the seconds are; `data`: which way they go, "" for handshakes; `masked`: without instructions for AES, carry-less multiplication and SHA; `printed`: seconds by the beginning of the builds' names."""

    table: str
    name: str
    many: int
    params: dict[str, str]
    data: str
    masked: bool
    printed: dict[str, float]

    @property
    def key(self) -> tuple[str, str]:
        """No other task has it."""
        return self.table, self.name

    @property
    def title(self) -> str:
        """For people: `Default: RSA-2048, 200 handshakes`."""
        many = f"{self.many} handshakes"
        if self.data:
            words = f"{self.name}, {self.many * MESSAGE_BYTES // MIB} MiB"
        else:
            words = self.name if many in self.name or many in self.table else f"{self.name}, {many}"
        return f"{self.table}: {words}"

    @property
    def case(self) -> Case:
        """The same task in the house's words; no other task has it."""
        params = [("group", self.params["group"]), ("cert", self.params["cert"])]
        params += [("data", self.data)] if self.data else [("handshakes", str(self.many))]
        params += [("instructions", "no")] if self.masked else []
        return Case(LAB, INSTRUMENT, None, tuple(params))

    @property
    def question(self) -> Question:
        """What both sides are asked for, with certificates."""
        inputs = dict(timed(self.params))
        if self.data:
            inputs["msg"] = splitmix64(MESSAGE_SEED, MESSAGE_BYTES)
        return Question(Kind(self.name, self.params), inputs, due_of(numbers(self.params)))


class Quotient(msgspec.Struct, frozen=True):
    """One time over another of the same client, as the page's degradation, and what it was there."""

    name: str
    over: str
    under: str
    printed: float


class SocketPlan(msgspec.Struct, frozen=True):
    """All of it. `base`: whose times the page divides by, as the beginning of a build's name."""

    tasks: tuple[Task, ...]
    quotients: tuple[Quotient, ...]
    base: str


def plan(root: Path) -> SocketPlan:
    """That of the page. Raises DataError where there is none."""
    page = load_page(root, load_suite(root, SUITE, catalogue_at(root)))
    if page is None:
        raise DataError(f"{shown_place(SUITE, TABLES)}: is not there", "")
    found: dict[tuple[str, str], Task] = {}
    for table in page.table:
        for row in table.row:
            if table.unit != "ratio":
                task = _task(page, table, row, found.get((table.title, _name(row))))
                found[task.key] = task
    return SocketPlan(tuple(found.values()), tuple(_quotients(page)), _family(page.library))


def _name(row: PageRow) -> str:
    return row.operation or row.label


def _family(library: str) -> str:
    """`mbedtls` of `tls@mbedtls-3.6+noasm`, `boringssl` of `tls@boringssl~noaccel`."""
    return re.split("[-+~]", read_build(library)[1])[0]


def _task(page: PublishedPage, table: PublishedTable, row: PageRow, so_far: Task | None) -> Task:
    library, case, value = row.library or page.library, Case.parse(row.case), table.value(row, 0)
    printed = ({} if so_far is None else so_far.printed) | ({} if value is None else {_family(library): value})
    many = int(table.unit.partition("/")[2])
    masked = library.endswith(f"~{MASK}") or (so_far is not None and so_far.masked)
    params, way = dict(case.params), _WAYS.get(case.verb, "")
    if way:
        params = _DATA | params
    return Task(table.title, _name(row), many, params | AS_THERE, way, masked, printed)


def _quotients(page: PublishedPage) -> Iterator[Quotient]:
    """Those of one client: rows that do not say whose they are."""
    rows = {row.label: (table, row) for table in page.table for row in table.row if table.unit != "ratio"}
    for row in (row for table in page.table if table.unit == "ratio" for row in table.row):
        (table, over), (_, under) = rows[row.over], rows[row.under]
        times = [table.value(one, 0) for one in (over, under)]
        if not over.column and times[0] is not None and times[1]:
            yield Quotient(row.label, over.label, under.label, times[0] / times[1])
