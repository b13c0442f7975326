# SPDX-License-Identifier: Apache-2.0
"""The scoreboard and the words of the first screen: order, the mean over common operations, which builds have no column."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import msgspec
import pytest

from cipherstone.report.blocks.columns import thin_builds
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.overall import Score, Scoreboard, scoreboard
from cipherstone.report.words.verdict import mean_words, verdict_words
from cipherstone.views.run.leaders import Overall

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "browser"))
import sample_summary as sample


def board(*places: tuple[int, int, int], operations: int = 36, named: int = 0) -> Scoreboard:
    """Of builds `a@1`, `b@1` and so on with (wins, ties, operations with a figure)."""
    scores = tuple(Score(f"{'abcdef'[n]}@1", Overall(wins, ties, cases, None, None), (), None) for n, (wins, ties, cases) in enumerate(places))  # fmt: skip
    return Scoreboard(scores, operations, 0, len(scores), named)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (board((14, 3, 36), (6, 0, 30)), "A is fastest most often: alone in 14 of 36 operations and with others in 3; next is B, alone in 6."),
        (board((14, 0, 36), (0, 2, 30), (0, 2, 9)), "A is fastest most often: alone in 14 of 36 operations; next are B and C, each with others in 2."),
        (board((3, 1, 4), (3, 1, 4), (0, 0, 4)), "A and B are fastest equally often: each alone in 3 of 36 operations and with others in 1."),
        (board((0, 2, 4), (0, 2, 4), (0, 2, 4), (0, 2, 4), operations=2), "A, B and 2 more are fastest equally often: each with others in 2 of 2 operations."),
        (board((2, 0, 2), (0, 0, 2), operations=2), "A is fastest in all 2 operations."),
        (board((1, 0, 1), (0, 0, 1), operations=1), "A is fastest in all 1 operation."),
        (board((5, 0, 5), (0, 0, 0)), "Only A has figures here, so there is nothing to compare."),
        (board((0, 0, 0), (0, 0, 0)), "No library has a figure here."),
        (board((0, 0, 3), (0, 0, 3)), "No operation has a settled winner."),
        (board((0, 0, 3), (0, 0, 3), named=2), "No library is fastest with what it takes by default."),
    ],
)  # fmt: skip
def test_the_verdict(given: Scoreboard, told: str) -> None:
    assert verdict_words(given, lambda build: build[0].upper()) == told


def test_the_board_is_sorted_and_its_means_are_over_common_operations() -> None:
    view = RunView(sample.sample_run())
    made = scoreboard(view)
    assert [(s.over.wins, s.over.ties) for s in made.scores] == sorted(((s.over.wins, s.over.ties) for s in made.scores), reverse=True)  # fmt: skip
    rows = [view.grid_row(case) for case in view.headline]
    half = [at for at in range(len(view.columns)) if 2 * sum(row[at].ratio is not None for row in rows) >= len(rows)]
    common = [row for row in rows if all(row[at].ratio is not None for at in half)]
    assert made.compared == len(half) == len(view.columns) - 1  # libsodium has less than half
    assert made.operations == len(rows) > made.common == len(common) >= 2
    for score in made.scores:
        at = view.columns.index(score.build)
        ratios = [cell.ratio.value for row in common if (cell := row[at]).ratio is not None]
        assert score.mean == (pytest.approx(math.prod(ratios) ** (1 / len(common))) if at in half else None)
        assert len(score.costs) == score.over.cases
    assert made.named == sum(bool(case.ranking) and not any(cell.best for cell in row) for case, row in zip(view.headline, rows, strict=True))  # fmt: skip


def test_a_build_with_trouble_or_a_first_place_keeps_its_column() -> None:
    """In the sample each library has more than a tenth; with one operation alone, those that do not offer it have no column, those with a wrong result or a crash have one."""
    run = sample.sample_run()
    assert thin_builds(RunView(run)) == []
    for case_id, aside, kept in (
        ("aes-128-gcm/open/bytes=16384", {"libsodium"}, "nettle"),
        ("ed25519/verify", {"bearssl", "mbedtls"}, "botan"),
    ):
        one = msgspec.structs.replace(run, cases=tuple(case for case in run.cases if case.case == case_id))
        thin = {t.build.partition("@")[0] for t in thin_builds(RunView(one))}
        assert thin == aside and kept not in thin


def test_the_mean_says_what_it_covers() -> None:
    few = board((1, 0, 4), (0, 0, 4))
    none = "No mean cost: the 2 libraries that have at least half of the 36 operations have none in common. Show fewer to get one."
    assert mean_words(few, False) == none
    alone = "No mean cost: fewer than two libraries have at least half of the 36 operations."
    assert mean_words(Scoreboard(few.scores, 36, 0, 1, 0), False) == alone
    some = Scoreboard(few.scores, 36, 8, 7, 1)
    told = mean_words(some, True)
    assert (
        "over the 8 operations common to the 7 builds that have at least half of the 36. It weighs every operation alike"
        in told
    )
    assert told.endswith(
        "In 1 operation the fastest is an implementation that a caller asks for by its name; it counts for no library here."
    )
