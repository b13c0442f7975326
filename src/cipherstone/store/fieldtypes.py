# SPDX-License-Identifier: Apache-2.0
"""How DuckDB is to read a record's fields: derived from the record's own declaration, so that a field has one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import UnionType
from typing import get_args

from msgspec import inspect

from cipherstone.model.declared import known_type
from cipherstone.model.records import Record

_PLAIN = {
    inspect.IntType: "BIGINT",
    inspect.FloatType: "DOUBLE",
    inspect.BoolType: "BOOLEAN",
    inspect.StrType: "VARCHAR",
    inspect.EnumType: "VARCHAR",
}


def column_type(one: inspect.Type) -> str:
    """The DuckDB type of a field: lists for tuples, `STRUCT` for structs, `MAP` for mappings, `JSON` for a value of several types. Whatever may be None has the type that it has otherwise. TypeError for what no record has."""
    if isinstance(one, inspect.Metadata):
        return column_type(one.type)
    if isinstance(one, inspect.UnionType):
        known = known_type(one)
        return "JSON" if known is one else column_type(known)
    if isinstance(one, (inspect.VarTupleType, inspect.ListType)):
        return f"{column_type(one.item_type)}[]"
    if isinstance(one, inspect.DictType):
        return f"MAP({column_type(one.key_type)}, {column_type(one.value_type)})"
    if isinstance(one, inspect.StructType):
        return f"STRUCT({', '.join(f'{field.encode_name} {column_type(field.type)}' for field in one.fields)})"
    if type(one) not in _PLAIN:
        raise TypeError(f"no column holds {type(one).__name__}")
    return _PLAIN[type(one)]


@cache
def fields_of(kind: str) -> Mapping[str, str]:
    """Name and DuckDB type of every field of the records whose `type` is `kind`. KeyError for another kind."""
    return {"type": "VARCHAR", **{one.encode_name: column_type(one.type) for one in _records()[kind].fields}}


@cache
def _records() -> dict[str, inspect.StructType]:
    assert isinstance(Record, UnionType)
    found = [inspect.type_info(one) for one in get_args(Record)]
    return {str(one.tag): one for one in found if isinstance(one, inspect.StructType)}
