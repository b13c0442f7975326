# SPDX-License-Identifier: Apache-2.0
"""JSON: the whole summary, as every report shows it. Its shape is `RunSummary` (docs/reference/bundle.md names the fields); `decisions` says who wins each case, or ties, `advice` which for what where a published page stands beside the run, and `lab` what laboratories derive from it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from cipherstone.model.summary import RunSummary
from cipherstone.report.export.derived import derived_tables
from cipherstone.report.rooms import Room
from cipherstone.report.words.advice import advice_lines
from cipherstone.views.run.decision import decide


def export_json(run: RunSummary, rooms: Sequence[Room] = ()) -> str:
    """The summary as one JSON object, indented, with a final newline. Fields at their default are left out, missing figures are null or left out."""
    tables = derived_tables(run, rooms)
    decisions = [decide(case) for case in run.cases if case.cells]
    advice = advice_lines(run.published) if run.published is not None else []
    told = msgspec.to_builtins(run) | {"decisions": decisions} | ({"lab": tables} if tables else {})
    told |= {"advice": advice} if advice else {}
    text = msgspec.json.encode(told)
    return msgspec.json.format(text, indent=2).decode() + "\n"
