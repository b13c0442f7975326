# SPDX-License-Identifier: Apache-2.0
"""The columns of all tables as Markdown, for the reference page, which `make docs` writes."""

from __future__ import annotations

from cipherstone.store.tables import TABLES, TableSchema, parquet_name

BEGIN = "<!-- tables: begin (generated from store/tables.py) -->"
END = "<!-- tables: end -->"


def with_schema(page: str) -> str:
    """`page` with everything between the two marks written anew. Raises ValueError if a mark is missing."""
    head, rest = page.split(BEGIN, 1) if BEGIN in page else (page, "")
    if END not in rest:
        raise ValueError(f"the page has no '{BEGIN}' followed by '{END}'")
    tail = rest.split(END, 1)[1]
    return f"{head}{BEGIN}\n\n{schema_markdown()}\n{END}{tail}"


def schema_markdown() -> str:
    """One section per table: what a row is, where it comes from, and every column with type, unit and meaning."""
    return "\n".join(_section(table) for table in TABLES.values())


def _section(table: TableSchema) -> str:
    origin = "From the journal." if table.from_journal else "Computed from the journal when the run ends."
    lines = [f"### {parquet_name(table.name)}", "", f"{table.meaning} {origin}", ""]
    lines += ["| column | type | unit | meaning |", "|---|---|---|---|"]
    lines += [f"| `{c.name}` | `{c.type}` | {c.unit} | {c.meaning} |" for c in table.columns]
    return "\n".join([*lines, ""])
