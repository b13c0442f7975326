# SPDX-License-Identifier: Apache-2.0
"""Tables whose rows are records or parts of them: columns and SQL come from the fields that a record declares (`model.declared`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from cipherstone.model.declared import Declared, Field, fields_of, in_order
from cipherstone.store.columns import CASE, LANE, OPERATION, RUN, Column, TableSchema
from cipherstone.store.fieldtypes import column_type
from cipherstone.store.sql_text import case_columns, lane_columns, quoted

_SHARED = {"case": CASE[1:], "operation": (OPERATION,), "lane": LANE}


class RecordTable(NamedTuple):
    """A table of records. A field that is a list of parts with columns gives a row for each part. `each`: every other list gives a row for each of its values, side by side; else it is a list in its row."""

    name: str
    meaning: str
    record: type[msgspec.Struct]
    each: bool = False

    @property
    def kind(self) -> str:
        """`type` of its records in the journal."""
        return str(self.record.__struct_config__.tag)

    def table(self) -> TableSchema:
        """Run, case or operation, lane, and what the record declares."""
        return TableSchema(
            self.name, self.meaning, True, (RUN, *self._shared(), *(column for column, _ in _columns(self)))
        )

    def query(self) -> str:
        """SELECT of the same columns from `journal`, but the run's."""
        parts = list(_parts(self.record))
        columns = [f'{sql} AS "{column.name}"' for column, sql in _columns(self)]
        rows = f"journal WHERE type = '{self.kind}'"
        for one in fields_of(self.record):
            if one.part is not None and one.many:
                row = f'*, unnest("{one.key}") AS part, unnest(range(len("{one.key}"))) AS place'
                rows = f"(SELECT {row} FROM {rows})"
        # DuckDB reads every field that is named here. And a value inside a lambda, or beside an unnest, would be computed for every element.
        used = {*re.findall(r"\w+", " ".join(columns))}
        values = [f'{_value(one, where)} AS "{one.key}"' for one, where in parts if one.key in used]
        values += ["place"] if "place" in used else []
        for one, where in parts:
            if one.key in _SHARED:
                values.append({"case": case_columns(), "lane": lane_columns(f"{where}lane")}.get(one.key, one.key))
        names = [f'"{column.name}"' for column in self._shared()]
        return f"SELECT {', '.join((*names, *columns))} FROM (SELECT {', '.join(values)} FROM {rows})"

    def _shared(self) -> list[Column]:
        keys = {one.key for one, _ in _parts(self.record)}
        return [column for key, columns in _SHARED.items() if key in keys for column in columns]


def _parts(record: type[msgspec.Struct]) -> Iterator[tuple[Field, str]]:
    """Every field, and what stands before its name in SQL. The fields of a part stand where its list does."""
    for one in fields_of(record):
        yield one, ""
        if one.part is not None and one.many:
            yield from ((inner, "part.") for inner in fields_of(one.part))


def _columns(record_table: RecordTable) -> list[tuple[Column, str]]:
    """The declared columns with their SQL."""
    every = [(one, told) for one, _ in _parts(record_table.record) for told in one.columns]
    table = record_table.name if record_table.name in {told.table for _, told in every} else ""
    return [
        _column(record_table, one, told) for one, told in in_order(each for each in every if each[1].table == table)
    ]


def _column(record_table: RecordTable, one: Field, told: Declared) -> tuple[Column, str]:
    kind, sql = told.type or column_type(one.kind), told.sql or f'"{one.key}"'
    if record_table.each and kind.endswith("[]"):
        kind, sql = kind.removesuffix("[]"), f"unnest({sql})"
    return Column(told.name, kind, told.unit, told.meaning, told.was), sql


def _value(one: Field, where: str) -> str:
    """A field that has its default is left out of a line."""
    name, default = f'{where}"{one.key}"', one.default
    if isinstance(default, (bool, int, float)):
        return f"coalesce({name}, {str(default).lower()})"
    if isinstance(default, str):
        return f"coalesce({name}, {quoted(default)})"
    return f"coalesce({name}, [])" if default == () else name
