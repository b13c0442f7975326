# SPDX-License-Identifier: Apache-2.0
"""What the first screen of the page shows besides its cards: the verdict, the scoreboard with its chart, which columns the grid has, the names that its search knows."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from cipherstone.catalogue.filter import ALIASES, BARE_KEYS
from cipherstone.model.units import counted
from cipherstone.report.blocks.columns import thin_builds
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.overall import Scoreboard, overall_table, scoreboard
from cipherstone.report.charts.palette import LIBRARY_COLOURS, marker_index
from cipherstone.report.charts.spread import SpreadRow, spread
from cipherstone.report.words.sentences import list_words
from cipherstone.report.words.verdict import mean_words, verdict_words

QUESTION = "How far from the best, over all operations?"


def first_screen(view: RunView) -> dict[str, Any]:
    """The template's values: `verdict`, `mean_words`, `board`, `bars` (build -> wins, ties in percent of the operations, colour), `spread`, `order` of the columns, `thin` and its sentence."""
    board = scoreboard(view)
    several = max(Counter(build.partition("@")[0] for build in view.columns).values(), default=0) > 1
    return {
        "verdict": verdict_words(board, view.build_title),
        "mean_words": mean_words(board, several),
        "board": overall_table(view, board),
        "bars": _bars(view, board),
        "spread": _chart(view, board),
        "spread_question": QUESTION,
        "spread_cases": [case.case for case in view.headline],
        "order": board.order,
        "thin": {thin.build for thin in thin_builds(view)},
        "thin_words": _thin_words(view),
    }


def _bars(view: RunView, board: Scoreboard) -> dict[str, tuple[str, str, int]]:
    def share(number: int) -> str:
        return f"{100 * number / max(1, board.operations):.3g}"

    return {
        s.build: (share(s.over.wins), share(s.over.ties), marker_index(view.libraries, s.build.partition("@")[0]) % len(LIBRARY_COLOURS))
        for s in board.scores
    }  # fmt: skip


def _chart(view: RunView, board: Scoreboard) -> str:
    rows = [
        SpreadRow(s.build, s.build.partition("@")[0], view.build_title(s.build), s.costs, s.mean) for s in board.scores
    ]
    return spread(rows, view.libraries, QUESTION)


def _thin_words(view: RunView) -> str:
    """`Without a column, because they have next to nothing here: wolfSSL (1 operation) and zlib (none).`; "" if all have one."""
    thin = thin_builds(view)
    if not thin:
        return ""
    told = [
        f"{view.build_title(one.build)} ({counted(one.figures, 'operation') if one.figures else 'none'})"
        for one in thin
    ]
    return f"Without a column, because of few or no figures: {list_words(told)}."


def search_names(view: RunView) -> str:
    """JSON for the page's search, in the words that a filter of the command line knows: its `keys` and `aliases`, the `columns`, and of each operation `[family, numbers of the columns that offer it, its sizes in bytes]`."""
    found: dict[str, tuple[str, set[int], set[int]]] = {}
    numbers = {build: number for number, build in enumerate(view.columns)}
    for case in view.run.cases:
        _, builds, sizes = found.setdefault(case.operation, (case.family, set(), set()))
        builds |= {numbers[g.build] for g in view.grid_row(case) if g.state not in ("unsupported", "not-run")}
        if case.size_bytes is not None:
            sizes.add(case.size_bytes)
    names = {operation: (family, sorted(builds), sorted(sizes)) for operation, (family, builds, sizes) in found.items()}
    known = {"keys": BARE_KEYS, "aliases": ALIASES, "columns": view.columns, "ops": names}
    return json.dumps(known, separators=(",", ":"))
