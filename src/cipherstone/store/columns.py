# SPDX-License-Identifier: Apache-2.0
"""What a table of a bundle is made of, and the columns that several of them have."""

from __future__ import annotations

from typing import NamedTuple


class Column(NamedTuple):
    """A column: DuckDB type, unit ("" if it has none) and meaning. `was`: its name in files of older runs, "" if it is the same."""

    name: str
    type: str
    unit: str
    meaning: str
    was: str = ""


class TableSchema(NamedTuple):
    """A table: `from_journal` says that its rows are the journal's own figures, else they are computed from them."""

    name: str
    meaning: str
    from_journal: bool
    columns: tuple[Column, ...]


RUN = Column("run", "VARCHAR", "", "run id")
CASE = (
    RUN,
    Column("case_id", "VARCHAR", "", "`ALGORITHM/VERB[/NAME=VALUE,...]`, the size first as `bytes=N`"),
    Column("operation", "VARCHAR", "", "the case without its size"),
    Column("bytes", "BIGINT", "bytes", "message length; null for operations without sizes"),
    Column("params", "MAP(VARCHAR, VARCHAR)", "", "every other parameter: `params['bits']`"),
)
LANE = (
    Column("lane", "VARCHAR", "", "`LIBRARY@VERSION[:IMPLEMENTATION]`; the A/A lane ends in `#2`"),
    Column("library", "VARCHAR", "", "folder name of the library"),
    Column("build", "VARCHAR", "", "`VERSION[+VARIANT]`"),
    Column("implementation", "VARCHAR", "", "named code path; `default` where the library chooses"),
    Column("twin", "BOOLEAN", "", "true for the A/A lane: the same implementation in a second process"),
)
BASE = (
    Column("base", "VARCHAR", "", "lane that is divided by"),
    Column("base_library", "VARCHAR", "", "its library"),
    Column("base_implementation", "VARCHAR", "", "its implementation"),
)
OPERATION = Column("operation", "VARCHAR", "", "`ALGORITHM/VERB`")


def estimate_columns(name: str, unit: str, meaning: str, was: str = "") -> tuple[Column, ...]:
    """An estimate with the ends of its interval."""
    bounds = "null with too few passes for a 95 % interval"
    return (
        Column(name, "DOUBLE", unit, meaning, was),
        Column(f"{name}_low", "DOUBLE", unit, f"lower end of its interval; {bounds}", was and f"{was}_low"),
        Column(f"{name}_high", "DOUBLE", unit, f"upper end of its interval; {bounds}", was and f"{was}_high"),
    )
