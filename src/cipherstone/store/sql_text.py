# SPDX-License-Identifier: Apache-2.0
"""Texts in SQL; case and lane ids taken apart by it, into the columns that most tables begin with."""

from __future__ import annotations

# `Lane.parse` and `Case` in SQL; a test holds the two against each other.
_LANE_PATTERN = "^([^@:]*)@([^:]*?)(?::(.*?))?(#2)?$"


def quoted(text: str) -> str:
    """`text` as an SQL string."""
    return "'" + text.replace("'", "''") + "'"


def case_columns() -> str:
    """SQL for the columns case_id, operation, bytes and params from the column "case"."""
    return _CASE_COLUMNS


def lane_columns(lane: str) -> str:
    """SQL for the columns lane, library, build, implementation and twin from the expression `lane`."""
    return f"""{lane} AS lane,
        regexp_extract({lane}, '{_LANE_PATTERN}', 1) AS library,
        regexp_extract({lane}, '{_LANE_PATTERN}', 2) AS build,
        coalesce(nullif(regexp_extract({lane}, '{_LANE_PATTERN}', 3), ''), 'default') AS implementation,
        suffix({lane}, '#2') AS twin"""


# Parameters as a map from names to values, without the size: `params['bits']`.
_PARAMS = """map_from_entries([(split_part(p, '=', 1), split_part(p, '=', 2)) FOR p IN str_split(split_part("case", '/', 3), ',')
            IF p <> '' AND NOT starts_with(p, 'bytes=')])"""

_CASE_COLUMNS = f""""case" AS case_id,
        CASE WHEN split_part("case", '/', 3) LIKE 'bytes=%' AND NOT contains("case", ',') THEN regexp_extract("case", '^[^/]*/[^/]*')
            ELSE regexp_replace("case", '/bytes=[0-9]+,', '/') END AS operation,
        try_cast(nullif(regexp_extract("case", '/bytes=([0-9]+)(,|$)', 1), '') AS BIGINT) AS bytes,
        {_PARAMS} AS params"""
