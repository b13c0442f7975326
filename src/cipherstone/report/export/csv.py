# SPDX-License-Identifier: Apache-2.0
"""CSV: tidy, one figure a line, unit in its own column. Opens in a spreadsheet, pandas, R or DuckDB as it is."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import msgspec

from cipherstone.model.summary import RunSummary
from cipherstone.report.export.derived import derived_rows
from cipherstone.report.export.rows import TidyRow, tidy_rows
from cipherstone.report.rooms import Room

COLUMNS = TidyRow.__struct_fields__


def export_csv(run: RunSummary, rooms: Sequence[Room] = ()) -> str:
    """The run's figures under a line of column names (`TidyRow`). Missing values are empty; numbers are given in full."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in (*tidy_rows(run), *derived_rows(run, rooms)):
        writer.writerow(_cell(value) for value in msgspec.structs.astuple(row))
    return text.getvalue()


def _cell(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value  # the csv module writes None as an empty field
