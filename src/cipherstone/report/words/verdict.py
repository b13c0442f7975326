# SPDX-License-Identifier: Apache-2.0
"""The first sentence of a report: which library is fastest most often; and what its mean cost is a mean of. The page's script (`scoreboard.js`) has the same words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cipherstone.model.units import counted
from cipherstone.report.blocks.overall import Score, Scoreboard
from cipherstone.report.words.sentences import some_words


def verdict_words(board: Scoreboard, name: Callable[[str], str]) -> str:
    """`OpenSSL is fastest most often: alone in 14 of 36 operations and with others in 3; next is Botan, alone in 6.` `name`: title of a build."""
    figures = [score for score in board.scores if score.over.cases]
    if not figures:
        return "No library has a figure here."
    if len(figures) == 1:
        return f"Only {name(figures[0].build)} has figures here, so there is nothing to compare."
    places = list(dict.fromkeys(map(_place, (s for s in board.scores if _place(s) != (0, 0)))))
    if not places:
        return "No library is fastest with what it takes by default." if board.named else "No operation has a settled winner."  # fmt: skip
    first, *later = ([s for s in board.scores if _place(s) == place] for place in places)
    many = counted(board.operations, "operation")
    if len(first) > 1:
        text = f"{_names(first, name)} are fastest equally often: each {_often(first[0], f' of {many}')}"
    elif first[0].over.wins == board.operations:
        text = f"{name(first[0].build)} is fastest in all {many}"
    else:
        text = f"{name(first[0].build)} is fastest most often: {_often(first[0], f' of {many}')}"
    if later:
        second = later[0]
        text += f"; next {'is' if len(second) == 1 else 'are'} {_names(second, name)}, {'each ' if len(second) > 1 else ''}{_often(second[0])}"
    return f"{text}."


def _place(score: Score) -> tuple[int, int]:
    return score.over.wins, score.over.ties


def _names(scores: Sequence[Score], name: Callable[[str], str]) -> str:
    return some_words([name(score.build) for score in scores])


def _often(score: Score, of: str = "") -> str:
    wins, ties = _place(score)
    if not wins:
        return f"with others in {ties}{of}"
    return f"alone in {wins}{of}" + (f" and with others in {ties}" if ties else "")


def mean_words(board: Scoreboard, several_builds: bool) -> str:
    """What the mean cost of a scoreboard covers, and how far it can be trusted. `several_builds`: some library has more than one column."""
    kind = "builds" if several_builds else "libraries"
    if board.compared < 2:
        text = (
            f"No mean cost: fewer than two {kind} have at least half of the {counted(board.operations, 'operation')}."
        )
    elif not board.common:
        text = f"No mean cost: the {board.compared} {kind} that have at least half of the {counted(board.operations, 'operation')} have none in common. Show fewer to get one."
    else:
        text = (
            f"Mean cost: geometric mean of the cost over the best, over the {counted(board.common, 'operation')} common to the {board.compared} {kind} that have at least half of the {board.operations}. "
            "It weighs every operation alike, which no program does. It has no interval, because operations are no sample of anything."
        )
    if board.named:
        text += f" In {counted(board.named, 'operation')} the fastest is an implementation that a caller asks for by its name; it counts for no library here."
    return text
