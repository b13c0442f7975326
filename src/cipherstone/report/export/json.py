# SPDX-License-Identifier: Apache-2.0
"""JSON: the whole summary, as every report shows it. Its shape is `RunSummary` (docs/reference/bundle.md names the fields)."""

from __future__ import annotations

import msgspec

from cipherstone.model.summary import RunSummary


def export_json(run: RunSummary) -> str:
    """The summary as one JSON object, indented, with a final newline. Fields at their default are left out, missing figures are null or left out."""
    return msgspec.json.format(msgspec.json.encode(run), indent=2).decode() + "\n"
