# SPDX-License-Identifier: Apache-2.0
"""A field of a record or a summary is declared once, with its unit and meaning beside its type, which has the range. The tables of a bundle, their SQL and rows, the reference page and the metrics of the CSV are made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

import msgspec
from msgspec import inspect

from cipherstone.model.estimate import Estimate


class Declared(NamedTuple):
    """A column of the record's table that is made of a field. A field that is an estimate gives three: the figure and the ends of its interval.

    `unit`: "" if it has none. `meaning`: what it is, and what null or empty means. `name`: its public name, the field's own if ""; `was`: the name that it had before, which files of older runs have, or "".
    `sql`: what it is computed by in the journal, "" for the field's value; fields have their defaults, and `place` is the index of a list's part, from 0. `of`: the same in Python, from the field's value. `type`: DuckDB's, the field's own if "".
    `table`: "" for the record's first table. `before`: the column that it stands before, of a field that is declared earlier; else columns stand in the order of fields.
    `metric`: its name in the CSV, "" if it is not there; `metric_unit`: its unit there, the column's if "".
    """

    unit: str
    meaning: str
    name: str = ""
    sql: str = ""
    of: Callable[[Any], object] | None = None
    type: str = ""
    table: str = ""
    before: str = ""
    metric: str = ""
    metric_unit: str = ""
    was: str = ""


class Field(NamedTuple):
    """A field of a record. `name`: in Python; `key`: in the journal; `part`: the record that it is, or is a list of, if that one has columns; `inline`: whether these stand in the row of this record; `many`: whether it is a list."""

    name: str
    key: str
    kind: inspect.Type
    default: object
    columns: tuple[Declared, ...]
    part: type[msgspec.Struct] | None
    inline: bool
    many: bool


INLINE = msgspec.Meta(extra={"inline": True})
"""For `Annotated`: the columns of the part stand in the row of its record. Those of a list of parts hold lists."""


def column(unit: str, meaning: str, name: str = "", sql: str = "", **more: Any) -> msgspec.Meta:
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
    columns = tuple(
        each._replace(name=each.name or one.encode_name) for each in told.values() if isinstance(each, Declared)
    )
    many = isinstance(kind, inspect.VarTupleType)
    inner = kind.item_type if isinstance(kind, inspect.VarTupleType) else known_type(kind)
    part = inner.cls if isinstance(inner, inspect.StructType) else None
    part = part if part is not None and any(each.columns for each in fields_of(part)) else None
    return Field(one.name, one.encode_name, kind, one.default, columns, part, "inline" in told, many)


def known_type(kind: inspect.Type) -> inspect.Type:
    """The type of a field that may be None, where it is not; the type itself for what is one of several, or never None."""
    parts = kind.types if isinstance(kind, inspect.UnionType) else ()
    known = [part for part in parts if not isinstance(part, inspect.NoneType)]
    return known[0] if len(known) == 1 else kind


def is_estimate(one: Field) -> bool:
    """Whether a field holds a figure with its interval."""
    kind = known_type(one.kind)
    return isinstance(kind, inspect.StructType) and kind.cls is Estimate


def in_order(every: Iterable[tuple[Field, Declared]]) -> list[tuple[Field, Declared]]:
    """Columns as they stand in a table: in the order of fields, but for those that stand before another."""
    found: list[tuple[Field, Declared]] = []
    for one, told in every:
        names = [other.name for _, other in found]
        found.insert(names.index(told.before) if told.before else len(names), (one, told))
    return found


@cache
def columns_of(record: type[msgspec.Struct]) -> tuple[tuple[Field, Declared], ...]:
    """The columns of a record's own fields in their order."""
    return tuple(in_order((one, told) for one in fields_of(record) for told in one.columns))


def value_of(record: msgspec.Struct, one: Field, told: Declared) -> Any:
    """What a column holds of a record: the field's value, or what is computed from it; None where the field has none."""
    value = getattr(record, one.name)
    return value if told.of is None or value is None else told.of(value)


def metrics(record: msgspec.Struct) -> Iterator[tuple[str, float | Estimate, str]]:
    """(metric, value, unit) of every column of a record that has a metric, as the CSV has them. Those without a value are left out."""
    for one, told in columns_of(type(record)):
        value = value_of(record, one, told) if told.metric else None
        if value is not None:
            yield told.metric, value, told.metric_unit or ("B" if told.unit == "bytes" else told.unit)
