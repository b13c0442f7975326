# SPDX-License-Identifier: Apache-2.0
"""What the laboratory derives from a run, for other programs: factors beside the published ones, and the cost model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cipherstone.labs.modexp.costmodel import cost_models
from cipherstone.labs.modexp.results import ModexpRow, private_cases, publication, rows_of
from cipherstone.labs.modexp.stored import published_of
from cipherstone.model.summary import CaseSummary, RunSummary
from cipherstone.report.export.rows import Metric, TidyRow, derived_row


def modexp_tables(run: RunSummary) -> dict[str, Any]:
    """`modexp` (rows by case), `published` (where its case was measured) and `cost_models`."""
    cases = private_cases(run)
    tables: dict[str, Any] = {"modexp": {case.case: rows_of(case) for case in cases}}
    published = published_of(run)
    main = next((case for case in cases if published is not None and case.case == published.case), None)
    if main is not None and published is not None:
        tables["published"] = {"about": published, "lines": publication(main, published)}
    return tables | {"cost_models": [model for case in cases for model in cost_models(case)]}


def modexp_rows(run: RunSummary) -> Iterator[TidyRow]:
    """Factors, working memory, published figures and predictions, one a row."""
    published = published_of(run)
    for case in private_cases(run):
        lines = publication(case, published) if published is not None and case.case == published.case else []
        beside = {line.ours.lane: line.ours for line in lines if line.ours is not None}
        for row in rows_of(case):
            yield from _factors(run, case, beside.get(row.lane, row))
        for model in cost_models(case):
            for p in model.rows:
                yield derived_row(run, case, p.lane, Metric("predicted_time", p.predicted_ns, "ns/call", note="fitted" if p.fitted else "not fitted"))  # fmt: skip


def _factors(run: RunSummary, case: CaseSummary, row: ModexpRow) -> Iterator[TidyRow]:
    if row.factor is not None:
        yield derived_row(run, case, row.lane, Metric("factor_time", row.factor, "ratio", "basic-fast"))
    if row.memory_bytes is not None:
        yield derived_row(run, case, row.lane, Metric("working_memory", row.memory_bytes, "B", note=row.memory_kind))
    if row.memory_factor is not None:
        yield derived_row(run, case, row.lane, Metric("factor_memory", row.memory_factor, "ratio", "basic-fast"))
    if row.published is not None:
        yield derived_row(
            run, case, row.lane, Metric("published_time", row.published.time_ms * 1e6, "ns/call", note="not ours")
        )
        yield derived_row(
            run,
            case,
            row.lane,
            Metric("published_factor_time", row.published.factor, "ratio", "basic-fast", note="not ours"),
        )
        yield derived_row(
            run, case, row.lane, Metric("published_memory", row.published.memory_bytes, "B", note="not ours")
        )
