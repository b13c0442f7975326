# SPDX-License-Identifier: Apache-2.0
"""Tables whose rows are records as they are: columns and SQL come from the fields that a record declares (`model.declared`). Fields that are lists give a row for each of their values, side by side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec
from msgspec import inspect

from cipherstone.store.columns import CASE, LANE, RUN, Column, Table
from cipherstone.store.fieldtypes import column_type
from cipherstone.store.names import case_columns, lane_columns

_SHARED = {"case": CASE[1:], "lane": LANE}


class _Field(NamedTuple):
    name: str
    column: Column
    default: object
    many: bool


def flat_table(name: str, meaning: str, record: type[msgspec.Struct], index: Column | None = None) -> Table:
    """The table of a record. `index`: a column before its own, for the place of a row in the record's lists."""
    return Table(name, meaning, True, (RUN, *_named(record), *((index,) if index else ()), *declared(record)))


def declared(record: type[msgspec.Struct]) -> tuple[Column, ...]:
    """The columns of a record's own fields; case and lane are none of them."""
    return tuple(one.column for one in _fields(record))


def flat_query(record: type[msgspec.Struct], index: Column | None = None) -> str:
    """SELECT of the same columns from `journal`, but the run's."""
    fields, kind = list(_fields(record)), str(record.__struct_config__.tag)
    columns = [*_named_columns(record)]
    if index is not None:
        length = next(one.name for one in fields if one.many and one.default is msgspec.NODEFAULT)
        columns.append(f'unnest(range(len("{length}"))) AS "{index.name}"')
    columns += [f'{_value(one)} AS "{one.column.name}"' for one in fields]
    return f"\n    SELECT {', '.join(columns)} FROM journal WHERE type = '{kind}'"


def _named(record: type[msgspec.Struct]) -> tuple[Column, ...]:
    return tuple(column for name, columns in _SHARED.items() if name in record.__struct_fields__ for column in columns)


def _named_columns(record: type[msgspec.Struct]) -> Iterator[str]:
    if "case" in record.__struct_fields__:
        yield case_columns()
    if "lane" in record.__struct_fields__:
        yield lane_columns("lane")


def _value(one: _Field) -> str:
    """A field that has its default is left out of a line."""
    if one.many:
        return f'unnest(coalesce("{one.name}", []))'
    return f'coalesce("{one.name}", {_literal(one.default)})' if one.default in ("", 0, False) else f'"{one.name}"'


def _literal(value: object) -> str:
    return "''" if value == "" else str(value).lower()


def _fields(record: type[msgspec.Struct]) -> Iterator[_Field]:
    known = inspect.type_info(record)
    assert isinstance(known, inspect.StructType)
    for one in known.fields:
        if not isinstance(one.type, inspect.Metadata) or one.type.extra is None:
            continue
        whole = column_type(one.type)
        many = whole.endswith("[]")
        meaning = (one.type.extra_json_schema or {})["description"]
        column = Column(one.type.extra["column"] or one.name, whole.removesuffix("[]"), one.type.extra["unit"], meaning)
        yield _Field(one.encode_name, column, one.default, many)
