# SPDX-License-Identifier: Apache-2.0
"""What a laboratory derives from a run, for other programs: factors beside the published ones, cost models, shares of the roofline."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.published import load_published
from cipherstone.catalogue.roofline import load_models
from cipherstone.model.ids import Case, Lane, params_text
from cipherstone.model.summary import CaseSummary, Estimate, RunSummary
from cipherstone.report.export.rows import TidyRow
from cipherstone.report.lab import PUBLISHED_MODEXP
from cipherstone.views.costmodel import CostModel, cost_models
from cipherstone.views.modexp import ModexpRow, private_cases, publication, rows_of
from cipherstone.views.modexp_names import LAB
from cipherstone.views.roofline import RooflineRow, roofline_rows


def lab_rows(run: RunSummary) -> list[TidyRow]:
    """Derived figures as tidy rows; empty for a run that is of no laboratory and has no spectrum."""
    return [*_modexp_rows(run), *_roofline_tidy(run)]


def lab_tables(run: RunSummary) -> dict[str, Any]:
    """The same as tables for JSON: `modexp` (rows by case), `published`, `cost_models`, `roofline`; only what the run has."""
    tables: dict[str, Any] = {}
    if _is_modexp(run):
        tables["modexp"] = {case.case: rows_of(case) for case in private_cases(run)}
        published = load_published(data_root(), PUBLISHED_MODEXP)
        main = next((c for c in private_cases(run) if c.case == published.case), None)
        if main is not None:
            tables["published"] = {"about": published, "lines": publication(main, published)}
        tables["cost_models"] = _models(run)
    rows = _roofline(run)
    if rows:
        tables["roofline"] = rows
    built: dict[str, Any] = msgspec.to_builtins(tables)
    return built


def _is_modexp(run: RunSummary) -> bool:
    return run.manifest.suite == LAB


def _models(run: RunSummary) -> list[CostModel]:
    return [model for case in private_cases(run) for model in cost_models(case)]


def _roofline(run: RunSummary) -> tuple[RooflineRow, ...]:
    spectrum = run.manifest.spectrum
    return roofline_rows(load_models(data_root()), run) if spectrum is not None and not spectrum.refused else ()


def _row(run: RunSummary, case: CaseSummary, lane_id: str, metric: str, value: Estimate | float, unit: str, base: str = "", note: str = "") -> TidyRow:  # fmt: skip
    lane = Lane.parse(lane_id)
    estimate = value if isinstance(value, Estimate) else Estimate(value)
    outcome = next((cell.outcome.value for cell in case.cells if cell.lane == lane_id), "")
    return TidyRow(
        run.manifest.run_id, case.case, case.operation, case.size_bytes, params_text(Case.parse(case.case).params), lane_id, lane.library, lane.build, lane.implementation, lane.twin, outcome,
        metric, estimate.value, estimate.low, estimate.high, unit, base, note,
    )  # fmt: skip


def _modexp_rows(run: RunSummary) -> Iterator[TidyRow]:
    if not _is_modexp(run):
        return
    published = load_published(data_root(), PUBLISHED_MODEXP)
    for case in private_cases(run):
        lines = publication(case, published) if case.case == published.case else []
        beside = {line.ours.lane: line.ours for line in lines if line.ours is not None}
        for row in rows_of(case):
            yield from _factors(run, case, beside.get(row.lane, row))
        for model in cost_models(case):
            for p in model.rows:
                yield _row(run, case, p.lane, "predicted_time", p.predicted_ns, "ns/call", note="fitted" if p.fitted else "not fitted")  # fmt: skip


def _factors(run: RunSummary, case: CaseSummary, row: ModexpRow) -> Iterator[TidyRow]:
    if row.factor is not None:
        yield _row(run, case, row.lane, "factor_time", row.factor, "ratio", "basic-fast")
    if row.memory_bytes is not None:
        yield _row(run, case, row.lane, "working_memory", row.memory_bytes, "B", note=row.memory_kind)
    if row.memory_factor is not None:
        yield _row(run, case, row.lane, "factor_memory", row.memory_factor, "ratio", "basic-fast")
    if row.published is not None:
        yield _row(run, case, row.lane, "published_time", row.published.time_ms * 1e6, "ns/call", note="not ours")
        yield _row(
            run, case, row.lane, "published_factor_time", row.published.factor, "ratio", "basic-fast", "not ours"
        )
        yield _row(run, case, row.lane, "published_memory", row.published.memory_bytes, "B", note="not ours")


def _roofline_tidy(run: RunSummary) -> Iterator[TidyRow]:
    cases = {case.case: case for case in run.cases}
    for row in _roofline(run):
        for tier in row.tiers:
            if tier.share is not None:
                note = row.flag or f"limited by {tier.limiting}"
                yield _row(run, cases[row.case], row.lane, "roofline_share", tier.share, "ratio", tier.tier, note)
