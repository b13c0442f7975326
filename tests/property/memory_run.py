# SPDX-License-Identifier: Apache-2.0
"""A generated run as tests/docs/recompute.py reads one, without a file: rows as docs/reference/bundle.md and docs/concepts/warm.md describe them, made here and not by the program's SQL."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs"))

from recompute_figures import defaults

from cipherstone.model.records import LaneSamples, Manifest, OutcomeRecord, PassRecord, ProofRecord, Record
from cipherstone.model.summary import RunSummary
from cipherstone.store.summary_tables import result_tables

Row = dict[str, Any]
PAGE_DEFAULTS = defaults()


class MemoryRun:
    """What `recompute.Run` has. `summary`: what was published."""

    def __init__(self, manifest: Manifest, records: Iterable[Record], summary: RunSummary) -> None:
        records = list(records)
        self.manifest = msgspec.to_builtins(manifest)
        self.settings = {**PAGE_DEFAULTS, **self.manifest.get("settings", {})}
        self.summary = {"trust": summary.trust, "trust_reason": summary.trust_reason}
        self.drawn = {one.case for one in manifest.plan if one.distribution}
        published = result_tables(summary)
        passes = [one for one in records if isinstance(one, PassRecord)]
        self._tables: dict[str, list[Row]] = {
            "passes": [row for one in passes for row in pass_rows(one, number_of(one, passes))],
            "samples": [row for one in passes for row in sample_rows(one, number_of(one, passes))],
            "proofs": [msgspec.to_builtins(one) for one in records if isinstance(one, ProofRecord)],
            "outcomes": [
                {"case_id": one.case, "lane": one.lane, "outcome": one.outcome}
                for one in records
                if isinstance(one, OutcomeRecord)
            ],
            "cells": [listed(row) for row in published["cells"]],
            "ratios": [listed(row) for row in published["ratios"]],
        }

    def rows(self, table: str, what: str = "*") -> list[Row]:
        return self._tables[table]


def listed(row: dict[str, object]) -> Row:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in row.items()}


def number_of(record: PassRecord, passes: list[PassRecord]) -> int:
    """A pass that was tried again has two records under one index: here each try is a pass, in their order."""
    tries = sorted({(one.index, one.start_s) for one in passes if one.case == record.case})
    return tries.index((record.index, record.start_s))


def pass_rows(record: PassRecord, number: int) -> list[Row]:
    return [
        {
            "case_id": record.case,
            "pass": number,
            "lane": one.lane,
            "calls": one.calls,
            "slow": one.slow,
            "harness_ns": record.harness_ns[place] if record.harness_ns else None,
            "doubt": one.doubt,
        }
        for place, one in enumerate(record.lanes)
    ]


def alike(one: LaneSamples, k: int) -> bool:
    """Batch k, by docs/concepts/warm.md: of the later half, not the first of a request with several, and nobody else had the CPU during its request."""
    first = one.per_turn > 1 and k % one.per_turn == 0
    return 2 * k >= len(one.ns) - 1 and k >= len(one.ns) // 2 and not first and k // one.per_turn not in one.switched


def sample_rows(record: PassRecord, number: int) -> list[Row]:
    found = []
    for one in record.lanes:
        for k, ns in enumerate(one.ns):
            before = k + k // one.per_turn  # a request has one reading more than batches
            found.append(
                {
                    "case_id": record.case,
                    "pass": number,
                    "lane": one.lane,
                    "batch": k,
                    "calls": one.calls,
                    "ns": ns,
                    "cpu_ns": one.cpu_ns[k] if one.cpu_ns else None,
                    "alike": alike(one, k),
                    **{
                        f"{name}_{end}_ns": values[before + step] if values else None
                        for name, values in (("chain", one.chain_ns), ("tput", one.tput_ns))
                        for step, end in enumerate(("before", "after"))
                    },
                }
            )
    return found
