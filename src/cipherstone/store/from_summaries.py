# SPDX-License-Identifier: Apache-2.0
"""Tables whose rows are computed when a run ends: columns and rows come from the fields that summaries declare (`model.declared`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from typing import Any, NamedTuple

import msgspec

from cipherstone.model.declared import Declared, Field, columns_of, fields_of, is_estimate, value_of
from cipherstone.model.estimate import Estimate
from cipherstone.model.ids import Case, Lane
from cipherstone.model.summary import RunSummary
from cipherstone.store.columns import BASE, CASE, LANE, OPERATION, RUN, Column, TableSchema, estimate_columns
from cipherstone.store.fieldtypes import column_type

Row = dict[str, object]
_Values = tuple[object, ...]


class SummaryTable(NamedTuple):
    """A table of summaries. `records`: those whose fields make up a row, in this order. `rows_of`: these records for each row of a run, in the order of rows."""

    name: str
    meaning: str
    records: tuple[type[msgspec.Struct], ...]
    rows_of: Callable[[RunSummary], Iterable[tuple[msgspec.Struct, ...]]]

    def table(self) -> TableSchema:
        """Run, and what the records declare."""
        return TableSchema(
            self.name, self.meaning, False, (RUN, *(one for part in _parts(self.records) for one in part.columns))
        )

    def rows(self, run: RunSummary) -> list[Row]:
        """The same columns of a run. Figures are moved, none is computed."""
        return [{"run": run.manifest.run_id, **dict(_row(self.records, found))} for found in self.rows_of(run)]


class _Part(NamedTuple):
    """Columns that one field gives, and their values. `place`: of its record in the row."""

    columns: tuple[Column, ...]
    place: int
    values: Callable[[Any], _Values]


def _row(records: tuple[type[msgspec.Struct], ...], found: tuple[msgspec.Struct, ...]) -> Iterator[tuple[str, object]]:
    for part in _parts(records):
        names = (column.name for column in part.columns)
        yield from zip(names, part.values(found[part.place]), strict=True)


@cache
def _parts(records: tuple[type[msgspec.Struct], ...]) -> tuple[_Part, ...]:
    """What several records have alike, such as the lane, stands once, where the first of them has it."""
    found: list[_Part] = []
    shared: set[str] = set()
    for place, record in enumerate(records):
        for one in fields_of(record):
            if one.name in _SHARED and one.name not in shared:
                columns, values = _SHARED[one.name]
                found.append(_Part(columns, place, partial(_shared_values, one.name, values)))
                shared |= {one.name, "operation"}  # which a case has among its columns
            for told in one.columns:
                firsts = [part.columns[0].name for part in found]
                part = _Part(_columns(one, told), place, partial(_values, one, told))
                found.insert(firsts.index(told.before) if told.before else len(firsts), part)
            if one.inline and one.part is not None:
                columns = tuple(
                    each for inner, told in columns_of(one.part) for each in _columns(inner, told, one.many)
                )
                found.append(_Part(columns, place, partial(_inline_values, one, one.part)))
    return tuple(found)


def _columns(one: Field, told: Declared, many: bool = False) -> tuple[Column, ...]:
    if is_estimate(one):
        return estimate_columns(told.name, told.unit, told.meaning, told.was)
    kind = told.type or column_type(one.kind)
    return (Column(told.name, f"{kind}[]" if many else kind, told.unit, told.meaning, told.was),)


def _values(one: Field, told: Declared, record: msgspec.Struct) -> _Values:
    value = value_of(record, one, told)
    return _estimate(value) if is_estimate(one) else (value,)


def _inline_values(one: Field, part: type[msgspec.Struct], record: msgspec.Struct) -> _Values:
    """Of a part that is not there: None for each of its columns."""
    held = getattr(record, one.name)
    if one.many:
        return tuple([value_of(each, inner, told) for each in held] for inner, told in columns_of(part))
    if held is not None:
        return tuple(value for inner, told in columns_of(part) for value in _values(inner, told, held))
    return tuple(None for inner, told in columns_of(part) for _ in _columns(inner, told))


def _shared_values(name: str, values: Callable[[str], _Values], record: msgspec.Struct) -> _Values:
    return values(getattr(record, name))


def _estimate(one: Estimate | None) -> _Values:
    return (None, None, None) if one is None else (one.value, one.low, one.high)


def _case(text: str) -> _Values:
    case = Case.parse(text)
    return text, case.operation, case.size_bytes, dict(case.params)


def _operation(text: str) -> _Values:
    return (text,)


def _lane(text: str) -> _Values:
    lane = Lane.parse(text)
    return text, lane.library, lane.build, lane.implementation, lane.twin


def _base(text: str) -> _Values:
    base = Lane.parse(text) if text else None
    return (None, None, None) if base is None else (text, base.library, base.implementation)


_SHARED: Mapping[str, tuple[tuple[Column, ...], Callable[[str], _Values]]] = {
    "case": (CASE[1:], _case),
    "operation": ((OPERATION,), _operation),
    "lane": (LANE, _lane),
    "base": (BASE, _base),
}
