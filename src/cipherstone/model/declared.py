# SPDX-License-Identifier: Apache-2.0
"""A record's field is declared once, with its unit and meaning beside its type. The tables of a bundle, their SQL, the reference page and the metrics of the CSV are made of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import msgspec
from msgspec import inspect


class Declared(NamedTuple):
    """A column of the record's table that is made of a field.

    `unit`: "" if it has none. `meaning`: what it is, and what null or empty means. `name`: its public name, the field's own if "".
    `sql`: what it is computed by, "" for the field's value; fields have their defaults, and `place` is the index of a list's part, from 0. `type`: DuckDB's, the field's own if "".
    `table`: "" for the record's first table. `before`: the column that it stands before, of a field that is declared earlier; else columns stand in the order of fields.
    `metric` and `metric_unit`: its name and unit in the CSV, for a number of counts or memory; those of the column if "".
    """

    unit: str
    meaning: str
    name: str = ""
    sql: str = ""
    type: str = ""
    table: str = ""
    before: str = ""
    metric: str = ""
    metric_unit: str = ""


class Field(NamedTuple):
    """A field of a record. `name`: in Python; `key`: in the journal; `part`: the record of which it is a list, if that one has columns."""

    name: str
    key: str
    kind: inspect.Type
    default: object
    columns: tuple[Declared, ...]
    part: type[msgspec.Struct] | None


def column(unit: str, meaning: str, name: str = "", sql: str = "", **more: str) -> msgspec.Meta:
    """For `Annotated`: a column as in `Declared`. A field may have several; a field without one is in no table."""
    told = Declared(unit, meaning, name, sql, **more)
    return msgspec.Meta(extra={f"{told.table}.{name}": told})


@cache
def fields_of(record: type[msgspec.Struct]) -> tuple[Field, ...]:
    """The fields of a record in the order in which it declares them."""
    known = inspect.type_info(record)
    assert isinstance(known, inspect.StructType)
    return tuple(_field(one) for one in known.fields)


def _field(one: inspect.Field) -> Field:
    kind, told = (one.type.type, one.type.extra or {}) if isinstance(one.type, inspect.Metadata) else (one.type, {})
    columns = tuple(each._replace(name=each.name or one.encode_name) for each in told.values())
    inner = kind.item_type if isinstance(kind, inspect.VarTupleType) else None
    part = inner.cls if isinstance(inner, inspect.StructType) else None
    return Field(one.name, one.encode_name, kind, one.default, columns, part if part and _has_columns(part) else None)


def _has_columns(record: type[msgspec.Struct]) -> bool:
    return any(one.columns for one in fields_of(record))


def metrics(record: msgspec.Struct) -> Iterator[tuple[str, float, str]]:
    """(metric, value, unit) of every column of a record that is a number, as the CSV has them. Those without a value are left out."""
    for one in fields_of(type(record)):
        for declared in one.columns:
            value = getattr(record, declared.name if declared.sql else one.name, None)
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                unit = declared.metric_unit or ("B" if declared.unit == "bytes" else declared.unit)
                yield declared.metric or declared.name, value, unit
