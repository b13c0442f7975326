# SPDX-License-Identifier: Apache-2.0
"""DuckDB's types come from the declarations of records."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import get_args

import msgspec
import pytest
from msgspec import inspect

from cipherstone.model.bounds import Float, Int
from cipherstone.model.records import Record
from cipherstone.store.fieldtypes import column_type, fields_of


class Colour(StrEnum):
    RED = "red"


class Inner(msgspec.Struct):
    many: tuple[Float, ...]
    named: str = msgspec.field(name="else", default="")


@pytest.mark.parametrize(
    ("declared", "column"),
    [
        (Int, "BIGINT"),
        (float | None, "DOUBLE"),
        (bool, "BOOLEAN"),
        (Colour, "VARCHAR"),
        (tuple[tuple[Int, ...], ...], "BIGINT[][]"),
        (Mapping[str, Int] | None, "MAP(VARCHAR, BIGINT)"),
        (dict[str, Int | str], "MAP(VARCHAR, JSON)"),
        (tuple[Inner, ...], "STRUCT(many DOUBLE[], else VARCHAR)[]"),
    ],
)
def test_a_declaration_has_its_column(declared: object, column: str) -> None:
    assert column_type(inspect.type_info(declared)) == column


def test_what_no_record_has_is_refused() -> None:
    with pytest.raises(TypeError, match="no column holds BytesType"):
        column_type(inspect.type_info(bytes))


@pytest.mark.parametrize("record", get_args(Record), ids=lambda one: one.__name__)
def test_every_field_of_every_record_has_one(record: type[msgspec.Struct]) -> None:
    assert {*fields_of(str(record.__struct_config__.tag))} == {"type", *record.__struct_encode_fields__}
