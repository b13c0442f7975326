# SPDX-License-Identifier: Apache-2.0
"""`cipherstone list --libraries`: what each build that is here is, beside its figures."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

import msgspec

from cipherstone.catalogue.filter import Filter
from cipherstone.catalogue.upkeep import upkeep_of
from cipherstone.cli import environment as env
from cipherstone.cli.tables import show_table, show_text
from cipherstone.execute.survey import Found
from cipherstone.model.errors import UsageError
from cipherstone.model.ids import DEFAULT_IMPLEMENTATION, DISTRIBUTION_BUILD, HARNESS_EMPTY
from cipherstone.model.records import KnownAdvisory
from cipherstone.report.render.screen_table import ScreenColumn
from cipherstone.report.words.library import advisories_heading, advisories_of, lines_short

LICENCE_WIDTH = 18


class LibraryRow(msgspec.Struct, frozen=True):
    """A build as it is listed. `upkeep`: `ended`, `maintained` or `unknown`; `ways`: names under which operations can be chosen beside the library's own choice: other levels of its
    interface, or other implementations; `told`: its advisories in sentences.
    """

    name: str
    library: str
    build: str
    version: str
    licence: str
    lines: dict[str, int]
    upkeep: str
    upkeep_words: str
    advisories: tuple[KnownAdvisory, ...]
    advisories_as_of: str
    ways: tuple[str, ...]
    told: tuple[str, ...]
    heading: str


def expect_library_keys(selection: Filter | None) -> None:
    """Raises UsageError for a filter that speaks of anything else than libraries and builds."""
    for key in sorted(selection.keys - {"library", "build"}) if selection is not None else ():
        raise UsageError(f"list: {key} selects no library and no build", "library, build, licence and upkeep do")


def library_rows(found: Iterable[Found], selection: Filter | None) -> list[LibraryRow]:
    """One row for each build that is ready and that `selection` (of libraries and builds) leaves."""
    today, rows = datetime.now(UTC).date(), []
    for one in found:
        build, name = one.build, one.variant or DISTRIBUTION_BUILD
        if build is None or (selection is not None and not selection.matches({"library": one.id, "build": name})):
            continue
        ways = dict.fromkeys(row.impl for row in one.listed if row.op != HARNESS_EMPTY)
        rows.append(
            LibraryRow(
                name=one.name,
                library=one.id,
                build=name,
                version=build.version,
                licence=build.licence,
                lines=build.lines,
                upkeep=upkeep_of(one.library.upkeep, build.version, today) if one.library else "unknown",
                upkeep_words=build.upkeep,
                advisories=build.advisories,
                advisories_as_of=build.advisories_as_of,
                ways=tuple(way for way in ways if way != DEFAULT_IMPLEMENTATION),
                told=tuple(advisories_of(build)),
                heading=advisories_heading(build),
            )
        )
    return rows


def show_libraries(rows: list[LibraryRow], format_: env.Format) -> None:
    """Prints the rows."""
    if format_ is env.Format.JSON:
        print(msgspec.json.format(msgspec.json.encode(rows)).decode())
        return
    columns = ("library", "version", "licence", "lines", "upkeep", "advisories", "ways")
    words = {"library", "version", "licence", "upkeep"}
    show_table(
        [ScreenColumn(name, words=name in words) for name in columns],
        [
            (
                row.name,
                row.version,
                row.licence if len(row.licence) <= LICENCE_WIDTH else row.licence[: LICENCE_WIDTH - 1] + "…",
                lines_short(row.lines),
                "-" if row.upkeep == "unknown" else row.upkeep,
                str(len(row.advisories)) if row.advisories else "-",
                str(len(row.ways)) if row.ways else "-",
            )
            for row in rows
        ],
    )
    print()
    show_text(
        "lines: of code of the source that was built, without tests and comments; -: not counted, or not known. "
        "advisories: those listed here of this version, that touch what is measured; there may be others. ways: other levels of the interface, or other "
        "implementations, that operations can be chosen by (--implementations)"
    )
    for row in rows:
        if row.upkeep_words or row.told:
            print()
        if row.upkeep_words:
            show_text(f"{row.name} {row.version}: {row.upkeep_words}")
        if row.told:
            show_text(f"{row.name} {row.version}: {row.heading}:")
        for line in row.told:
            show_text(line, "    ", "      ")
