# SPDX-License-Identifier: Apache-2.0
"""What the report says of who is fastest is what the method found: of every lane that it names, and of the values that it draws."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pytest
from test_views_passes import manifest, pass_record

from cipherstone.model.outcomes import Verdict
from cipherstone.model.records import Record
from cipherstone.model.summary import RunSummary
from cipherstone.report.blocks.figure import Sketchbook
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.sections import size_figures
from cipherstone.report.export.json import export_json
from cipherstone.report.words.sentences import answer
from cipherstone.views.run.decision import TieKind, decide
from cipherstone.views.run.leaders import overall, standing
from cipherstone.views.run.summarise import summarise

CASE = "sha-256/hash/bytes=8192"
A, B, C, D = "openssl@3", "nettle@3", "botan@2", "bearssl@0.6:sha_big"
STEADY = (1.0,) * 9
# Nine ratios about their median whose interval, the second to the eighth, is 0.7 % to either side.
NARROW = tuple(1.0 + 0.003 * k / 4 for k in (0, 3, -3, 1, -1, 2, -2, 4, -4))
UNEASY = tuple(1.0 + 0.007 * k / 3 for k in (0, 3, -3, 1, -1, 2, -2, 4, -4))


def one_case(costs: Mapping[str, Sequence[float]], case_id: str = CASE) -> list[Record]:
    """Lane -> ns per call in each of nine passes."""
    return [pass_record(case_id, p, {lane: values[p] for lane, values in costs.items()}) for p in range(9)]


def run_of(costs: Mapping[str, Sequence[float]]) -> RunSummary:
    return summarise(manifest({CASE: tuple(costs)}), one_case(costs))


def times(factor: float, shape: Sequence[float] = STEADY) -> list[float]:
    return [1000.0 * factor * s for s in shape]


def said(run: RunSummary) -> str:
    return answer(RunView(run), run.cases[0]).sentence


def test_three_are_equally_fast_only_if_each_pair_is() -> None:
    """The third is at 1.013 and undecided: it is not equal to anybody within 1 %."""
    run = run_of({A: times(1.0), B: times(1.002), C: times(1.013, UNEASY)})
    assert run.cases[0].ranking == ((A, B, C),)
    assert [r.verdict for r in run.cases[0].to_best] == [Verdict.EQUAL, Verdict.EQUAL, Verdict.UNDECIDED]
    assert (
        said(run)
        == "none is shown to be slower than openssl by more than 1.0 %: the others take 1.002 to 1.020 times as long as openssl"
    )
    run = run_of({A: times(1.0), B: times(1.002), C: times(1.004)})
    assert said(run) == "all within 1.0 % of each other"  # each interval leaves out 1
    run = run_of({A: times(1.0), B: times(1.0005, NARROW), C: times(1.001, NARROW[::-1])})
    assert said(run) == "all equally fast, to within 1.0 %"


def test_a_tie_in_which_only_some_are_equal() -> None:
    run = run_of({A: times(1.0), B: times(0.9945, UNEASY), C: times(1.0055, UNEASY[::-1])})
    assert run.cases[0].ranking == ((B, A, C),)
    assert (
        said(run)
        == "none is shown to be slower than nettle by more than 1.0 %: the others take 0.999 to 1.013 times as long as nettle"
    )


def test_lanes_of_a_tie_that_are_told_from_each_other_are_said_to_be() -> None:
    """The first has a wide interval, so nobody is told from it; but the second is told from the third."""
    wide = (1.0, 1.2, 0.8, 1.1, 0.9, 1.15, 0.85, 1.3, 0.7)
    run = run_of({A: times(1.0, wide), B: times(1.01), C: times(1.05)})
    assert run.cases[0].ranking == ((A, B, C),)
    found = standing(run.cases[0])
    assert found.verdict(C, B) is Verdict.SLOWER
    assert said(run) == "none is shown to be slower than openssl here, though some differ from each other"


def test_what_a_tie_beats_is_said_of_each_that_was_told() -> None:
    """First both are told from the third; then the second is not, so that the sentence is of the first alone."""
    run = run_of({A: times(1.0), B: times(1.002), C: times(1.3)})
    assert (
        said(run)
        == "within 1.0 % of each other: the second takes 1.0020 to 1.0020 times as long; 1.297 times faster than botan (1.297 to 1.300)"
    )
    run = run_of({A: times(1.0), B: times(1.009, UNEASY), C: times(1.0165)})
    assert run.cases[0].ranking == ((A, B), (C,))
    assert said(run).endswith("; openssl is 1.7 % faster than botan (1.7 to 1.7 %)")


def test_a_lane_without_a_ratio_to_the_best_counts_for_neither_mean_nor_worst() -> None:
    """Both have figures, but of no common pass."""
    records = [pass_record(CASE, p, {(A, B)[p % 2]: 1000.0 + 100.0 * (p % 2)}) for p in range(18)]
    (case,) = summarise(manifest({CASE: (A, B)}), records).cases
    assert [(one.lane, one.ratio is None) for one in case.to_best] == [(A, False), (B, True)]
    found, best = overall([(case, B)]), overall([(case, A), (case, B)])
    assert (found.cases, found.mean, found.worst) == (0, None, None)
    assert best.cases == 1 and best.mean == pytest.approx(1.0) and best.worst is not None


def test_a_build_stands_with_the_first_of_its_lanes_in_the_ranking() -> None:
    other = "bearssl@0.6:sha_small"
    run = run_of({A: times(1.0), D: times(1.5), other: times(1.4)})
    cell = RunView(run).grid_cell(run.cases[0], "bearssl@0.6").cell
    assert cell is not None and cell.lane == other


SIZES = (16, 256, 4096)


def sized(costs: Mapping[str, Sequence[float]]) -> RunSummary:
    """Lane -> ns per call at each of three sizes."""
    cases = [f"aes-128-gcm/seal/bytes={size}" for size in SIZES]
    records = [
        record
        for place, case in enumerate(cases)
        for record in one_case({lane: [values[place]] * 9 for lane, values in costs.items()}, case)
    ]
    return summarise(manifest(dict.fromkeys(cases, tuple(costs))), records)


def notes(run: RunSummary) -> list[str]:
    (figure,) = size_figures(RunView(run), Sketchbook(), "")
    return figure.notes


def wins(run: RunSummary) -> str:
    (figure,) = size_figures(RunView(run), Sketchbook(), "")
    return figure.answer


def test_no_two_change_places_where_no_two_lines_cross() -> None:
    run = sized({A: (100.0, 200.0, 2000.0), B: (150.0, 300.0, 3000.0)})
    assert notes(run) == ["No two of the lines drawn cross between the sizes measured."]
    assert wins(run) == "openssl is fastest at every size, from 16 B to 4 KiB."


def test_lines_that_cross_within_what_can_be_told_are_named() -> None:
    """0.5 % below at one end and 0.5 % above at the other: equal by the verdict, and the lines do cross."""
    run = sized({A: (100.0, 200.0, 2010.0), B: (100.5, 201.0, 2000.0)})
    assert run.crossovers == ()
    assert notes(run) == ["1 pair of lines crosses by less than this run can tell: no change of places."]
    assert wins(run) == "openssl and nettle tie at every size, from 16 B to 4 KiB."


def test_lines_that_are_told_to_cross_are_a_change_of_places() -> None:
    run = sized({A: (100.0, 200.0, 3000.0), B: (150.0, 250.0, 2000.0)})
    (note,) = notes(run)
    assert note.startswith("nettle overtakes openssl from about ")
    assert wins(run) == "openssl is fastest at 16 B; nettle is fastest at 4 KiB."


def test_many_changes_of_places_are_counted() -> None:
    """Those of the lead stand in words, three at most."""
    costs = {f"{name}@1": (100.0 + 10 * n, 200.0, 3000.0 - 100 * n) for n, name in enumerate(("openssl", "nettle", "botan", "mbedtls", "bearssl"))}  # fmt: skip
    run = sized(costs)
    assert len(run.crossovers) > 3
    told = notes(run)
    assert len([note for note in told if " overtakes " in note]) <= 3
    (rest,) = [note for note in told if note.endswith(" places, most of them behind the fastest.")]
    assert int(rest.split()[0]) == len(run.crossovers) - len([note for note in told if " overtakes " in note])


def test_a_change_of_places_of_a_lane_that_is_not_drawn_is_told_as_such() -> None:
    """The chart draws one lane a build, the best at the headline size."""
    small = "bearssl@0.6:small"
    run = sized({A: (100.0, 200.0, 2000.0), small: (50.0, 300.0, 9000.0), D: (400.0, 800.0, 4000.0)})
    assert any(note.endswith("; not both are drawn.") for note in notes(run))
    assert any(note == "No two of the lines drawn cross between the sizes measured." for note in notes(run))


# -- the decision as a value ----------------------------------------------------------------------------------------------------


def test_a_decision_says_who_is_ahead_of_whom() -> None:
    run = run_of({A: times(1.0), B: times(1.3), C: times(1.302), "openssl@3:own": times(1.1)})
    found = decide(run.cases[0])
    assert (found.leaders, found.tie, found.behind, found.alone) == ((A,), None, (B, C), False)
    assert found.ahead is not None and found.ahead.value == pytest.approx(1.3)
    assert not found.ahead_of_first and found.unsettled == ()


def test_lanes_of_one_library_are_ahead_of_its_others_where_there_is_no_other() -> None:
    run = run_of({A: times(1.0), "openssl@3:own": times(1.1)})
    found = decide(run.cases[0])
    assert (found.leaders, found.behind, found.alone) == ((A,), ("openssl@3:own",), True)


@pytest.mark.parametrize(
    ("costs", "kind", "ratio"),
    [
        ({A: times(1.0), B: times(1.0005, NARROW)}, TieKind.EQUAL, None),
        ({A: times(1.0), B: times(1.004)}, TieKind.WITHIN, 1.004),
        ({A: times(1.0), B: times(1.004), C: times(1.004)}, TieKind.WITHIN, None),
        ({A: times(1.0), B: times(1.013, UNEASY)}, TieKind.NOT_SHOWN, 1.013),
        ({A: times(1.0), B: times(1.003, [1 + 5 * (s - 1) for s in UNEASY])}, TieKind.OPEN, 1.003),
    ],
)
def test_a_tie_has_its_kind(costs: Mapping[str, Sequence[float]], kind: TieKind, ratio: float | None) -> None:
    found = decide(run_of(costs).cases[0])
    assert len(found.leaders) == len(costs) and found.tie is not None
    assert found.tie.kind is kind and found.tie.within == pytest.approx(0.01)
    assert ratio is None if found.tie.ratio is None else found.tie.ratio.value == pytest.approx(ratio, rel=2e-3)


def test_a_tie_in_which_some_are_told_apart_is_mixed() -> None:
    wide = (1.0, 1.2, 0.8, 1.1, 0.9, 1.15, 0.85, 1.3, 0.7)
    found = decide(run_of({A: times(1.0, wide), B: times(1.01), C: times(1.05)}).cases[0])
    assert found.tie is not None and (found.tie.kind, found.tie.ratio) == (TieKind.MIXED, None)


def test_an_export_says_what_a_card_says() -> None:
    """Of every case: the same leaders."""
    run = run_of({A: times(1.0), B: times(1.3)})
    (told,) = json.loads(export_json(run))["decisions"]
    assert told["leaders"] == [*answer(RunView(run), run.cases[0]).lanes] == [A]
    assert told["behind"] == [B] and told["ahead"]["value"] == pytest.approx(1.3) and "tie" not in told
