# SPDX-License-Identifier: Apache-2.0
"""A run's summary as flat rows, for the Parquet tables of results. Pure: figures are moved, none is computed."""

from __future__ import annotations

from cipherstone.model.declared import fields_of
from cipherstone.model.deviations import means_words
from cipherstone.model.ids import Case, Lane
from cipherstone.model.instruments import FigureSummary
from cipherstone.model.records import MemoryRecord
from cipherstone.model.summary import FIRST_CALL_STEPS, CaseSummary, CellSummary, Estimate, RatioSummary, RunSummary
from cipherstone.stats.verdictwords import verdict_words

Row = dict[str, object]

_MEMORY_FIELDS = tuple((told.name, one.name) for one in fields_of(MemoryRecord) for told in one.columns)


def cells_rows(run: RunSummary) -> list[Row]:
    """One row per case and lane, columns of table `cells`."""
    return [_cell(run.manifest.run_id, case, cell) for case in run.cases for cell in case.cells]


def ratio_rows(run: RunSummary) -> list[Row]:
    """One row per comparison, columns of table `ratios`: against the best lane, the base lane, and the A/A lane against its original."""
    rows: list[Row] = []
    for case in run.cases:
        kinds = (("best", case.to_best), ("base", case.to_base), ("aa", () if case.aa is None else (case.aa,)))
        for against, ratios in kinds:
            rows += [_ratio(run.manifest.run_id, case, against, ratio) for ratio in ratios]
    return rows


def fit_rows(run: RunSummary) -> list[Row]:
    """One row per operation with sizes and lane, columns of table `fits`."""
    return [
        {
            "run": run.manifest.run_id,
            "operation": fit.operation,
            **_lane(fit.lane),
            **_estimate("overhead_ns", fit.overhead_ns),
            **_estimate("per_byte_ns", fit.per_byte_ns),
            "half_size_bytes": fit.half_size_bytes,
            "rms_relative_error": fit.rms_relative_error,
            "sizes": fit.sizes,
            "withheld": fit.withheld,
        }
        for fit in run.fits
    ]


def crossover_rows(run: RunSummary) -> list[Row]:
    """One row per size at which the faster of two lanes changes, columns of table `crossovers`."""
    fields = ("operation", "small", "large", "size_bytes", "below_bytes", "above_bytes")
    return [{"run": run.manifest.run_id, **{f: getattr(c, f) for f in fields}} for c in run.crossovers]


def result_tables(run: RunSummary) -> dict[str, list[Row]]:
    """What `BundleWriter.finish` takes."""
    return {
        "cells": cells_rows(run),
        "ratios": ratio_rows(run),
        "fits": fit_rows(run),
        "crossovers": crossover_rows(run),
        "figures": figure_rows(run),
    }


def figure_rows(run: RunSummary) -> list[Row]:
    """One row per figure of an instrument's lane, columns of table `figures`."""
    titles = {(plan.name, case.id): case.title for plan in run.manifest.instruments for case in plan.cases}
    return [_figure(run.manifest.run_id, titles[one.instrument, one.case], one) for one in run.figures]


def _figure(run_id: str, title: str, one: FigureSummary) -> Row:
    case = Case.parse(one.case)
    base = Lane.parse(one.base) if one.base else None
    return {
        "run": run_id,
        "instrument": one.instrument,
        "case_id": one.case,
        "operation": case.operation,
        "bytes": case.size_bytes,
        "params": dict(case.params),
        "title": title,
        **_lane(one.lane),
        "figure": one.figure,
        "unit": one.unit,
        **_estimate("value", one.value),
        "passes_used": len(one.by_pass),
        "turns": one.turns,
        "undisturbed_turns": one.undisturbed,
        "base": one.base or None,
        "base_library": base.library if base else None,
        "base_implementation": base.implementation if base else None,
        **_estimate("ratio", one.ratio),
        "verdict": one.verdict,
        "threshold": one.threshold,
        "note": one.note,
        "words": one.words,
    }


def _case(run_id: str, case: CaseSummary) -> Row:
    params = dict(Case.parse(case.case).params)
    return {
        "run": run_id,
        "case_id": case.case,
        "operation": case.operation,
        "bytes": case.size_bytes,
        "params": params,
    }


def _lane(lane_id: str) -> Row:
    lane = Lane.parse(lane_id)
    return {
        "lane": lane_id,
        "library": lane.library,
        "build": lane.build,
        "implementation": lane.implementation,
        "twin": lane.twin,
    }


def _estimate(name: str, estimate: Estimate | None) -> Row:
    if estimate is None:
        return {name: None, f"{name}_low": None, f"{name}_high": None}
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


_CALLS = {"median_ns": "median_ns", "mean_ns": "mean_ns", "q10_ns": "low_ns", "q90_ns": "high_ns", "count": "calls"}
_SINGLE = {"p50_ns": "p50_ns", "p90_ns": "p90_ns", "p99_ns": "p99_ns", "count": "calls"}


def _first_call(cell: CellSummary) -> Row:
    steps = dict.fromkeys(FIRST_CALL_STEPS) if cell.first is None else cell.first.steps()
    return {
        name: value for step, estimate in steps.items() for name, value in _estimate(f"{step}_ns", estimate).items()
    }


def _cell(run_id: str, case: CaseSummary, cell: CellSummary) -> Row:
    rank = next((place for place, group in enumerate(case.ranking, start=1) if cell.lane in group), None)
    return {
        **_case(run_id, case),
        "title": case.title,
        "family": case.family,
        "verb": case.verb,
        **_lane(cell.lane),
        "outcome": cell.outcome,
        "detail": cell.detail,
        **_estimate("ns", cell.ns),
        **_estimate("cycles", cell.cycles),
        "typical_ns": cell.typical_ns,
        "pass_ns": cell.pass_ns,
        "fast_passes": cell.fast_passes,
        "passes_used": cell.passes_used,
        "batches": cell.batches,
        "calls_per_batch": cell.calls_per_batch,
        "slow": cell.slow,
        "rank": rank,
        "proof_accepted": cell.proof_accepted,
        "proof_rejected": cell.proof_rejected,
        "proof_oracle": cell.proof_oracle,
        "proof_sources": cell.proof_sources,
        "breadth_genuine": cell.breadth_genuine,
        "breadth_forged": cell.breadth_forged,
        "breadth_wrong": cell.breadth_wrong,
        **{name: getattr(cell.memory, field, None) for name, field in _MEMORY_FIELDS},
        **_first_call(cell),
        "level_ns": [level.ns for level in cell.levels],
        "level_share": [level.share for level in cell.levels],
        **{f"call_{name}": getattr(cell.distribution, field, None) for name, field in _CALLS.items()},
        **{f"single_{name}": getattr(cell.latency, field, None) for name, field in _SINGLE.items()},
        "deviations": [one.kind for one in cell.deviations],
        "deviation_vectors": [vector for one in cell.deviations for vector in one.vectors],
        "deviation_means": " ".join(
            f"{means_words(one, cell.breadth_genuine, cell.breadth_forged)} {one.standard}" for one in cell.deviations
        ),
        "flags": cell.flags,
        "refused": cell.refused,
        "case_end": case.end,
        "passes_tried": case.passes_tried,
        "passes_valid": case.passes_valid,
        "threshold": case.threshold,
    }


def _ratio(run_id: str, case: CaseSummary, against: str, ratio: RatioSummary) -> Row:
    base = Lane.parse(ratio.base)
    return {
        **_case(run_id, case),
        "against": against,
        **_lane(ratio.lane),
        "base": ratio.base,
        "base_library": base.library,
        "base_implementation": base.implementation,
        "verdict": ratio.verdict,
        "said": verdict_words(ratio.verdict, ratio.ratio, ratio.threshold),
        **_estimate("ratio", ratio.ratio),
        "passes_used": ratio.passes_used,
        "threshold": ratio.threshold,
        "flags": ratio.flags,
    }
