# SPDX-License-Identifier: Apache-2.0
"""The sentences: winners, ties, reasons; the same in every form of the report."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import msgspec

from cipherstone.cli.derived_summary import derived
from cipherstone.model.ids import Case
from cipherstone.model.outcomes import CaseEnd, Outcome, Verdict
from cipherstone.model.records import Settings
from cipherstone.model.summary import CaseSummary, CellSummary, Estimate, RatioSummary
from cipherstone.report.blocks.grid import RunView, state_of
from cipherstone.report.words.method import method_paragraphs
from cipherstone.report.words.sentences import (
    FLAGS,
    TRUST,
    answer,
    crossover_sentence,
    faster_by_name,
    faster_than,
    list_words,
    machine_words,
    noise_words,
    two_speeds,
)
from cipherstone.stats.flags import BIMODAL, CONTENTION_SENSITIVE, DRIFT, SLOW

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "browser"))
import sample_summary as sample


def test_faster_than() -> None:
    assert faster_than(Estimate(1.312, 1.301, 1.319), "Nettle") == "1.31 times faster than Nettle (1.30 to 1.32)"
    assert faster_than(Estimate(1.031, 1.029, 1.033), "Nettle") == "3.1 % faster than Nettle (2.9 to 3.3 %)"
    assert faster_than(Estimate(23.4, 22.9, 23.9), "Botan") == "23.4 times faster than Botan (22.9 to 23.9)"
    assert "too few passes" in faster_than(Estimate(1.4), "Botan")


def test_list_words() -> None:
    assert [list_words(n) for n in ([], ["A"], ["A", "B"], ["A", "B", "C"])] == ["", "A", "A and B", "A, B and C"]


def test_single_winner() -> None:
    view = RunView(sample.sample_run())
    found = answer(view, view.cases["sha-256/hash/bytes=16384"])
    assert found.winners == ("Libgcrypt",)
    assert found.rate == "2.04 GB/s"
    assert "faster than OpenSSL (" in found.sentence


def test_tie_names_both() -> None:
    view = RunView(sample.sample_run())
    found = answer(view, view.cases["aes-128-cbc/encrypt/bytes=16384"])
    assert found.tie
    assert found.winners == ("OpenSSL", "Libgcrypt")
    assert "faster than BearSSL aes_x86ni" in found.sentence


def _two(verdict: Verdict, ratio: Estimate | None) -> tuple[RunView, CaseSummary]:
    run = sample.sample_run()
    case = next(c for c in run.cases if c.case == "ed25519/sign")
    first, second = case.cells[0].lane, case.cells[1].lane
    ratios = (
        RatioSummary(case.case, first, first, Verdict.EQUAL, Estimate(1, 1, 1)),
        RatioSummary(case.case, second, first, verdict, ratio),
    )
    case = msgspec.structs.replace(case, cells=case.cells[:2], ranking=((first, second),), to_best=ratios)
    return RunView(msgspec.structs.replace(run, cases=(case,))), case  # fmt: skip


def test_equal_and_undecided_are_said_apart() -> None:
    equal = answer(*_two(Verdict.EQUAL, Estimate(1.002, 0.998, 1.006))).sentence
    undecided = answer(*_two(Verdict.UNDECIDED, Estimate(1.02, 0.99, 1.05))).sentence
    assert equal == "as fast as each other, to within 1.0 %"
    assert undecided == "cannot be told apart here: the second takes 0.99 to 1.05 times as long"
    near = answer(*_two(Verdict.EQUAL, Estimate(1.004, 1.002, 1.006))).sentence
    beyond = answer(*_two(Verdict.UNDECIDED, Estimate(1.01, 1.004, 1.016))).sentence
    assert near == "within 1.0 % of each other: the second takes 1.002 to 1.006 times as long"
    assert beyond == "not shown to differ by more than 1.0 %: the second takes 1.004 to 1.016 times as long"


def test_no_figure_says_why() -> None:
    view = RunView(sample.sample_run())
    found = answer(view, view.cases[sample.CONTENDED_CASE])
    assert found.winners == ()
    assert "contended" in found.sentence
    assert "2 passes with a figure, 6 needed" in found.sentence and "7 of 250 batches undisturbed" in found.sentence


def test_states() -> None:
    cell = CellSummary("x/hash", "a@1", Outcome.OK, ns=Estimate(10, 9, 11))
    case = CaseSummary("x/hash", "x/hash", "X", "hash", "hash", None, "all", (), (cell,))
    assert state_of(case, cell) == "value"
    refused = msgspec.structs.replace(cell, refused="K < 6")
    assert state_of(case, refused) == "withheld"
    contended = msgspec.structs.replace(case, end=CaseEnd.CONTENDED)
    assert state_of(contended, refused) == "contended"
    # The base has no figure: that is no fault of a lane that has one, and no reason for one that has none.
    for verdict in (Verdict.CONTENDED, Verdict.WRONG):
        beside = msgspec.structs.replace(case, to_base=(RatioSummary("x/hash", "a@1", "b@1", verdict),))
        assert state_of(beside, cell) == "value"
    lacking = msgspec.structs.replace(case, to_base=(RatioSummary("x/hash", "a@1", "a@1", Verdict.CONTENDED),))
    assert state_of(lacking, refused) == "contended"
    for outcome in (one for one in Outcome if not one.timed):
        assert state_of(case, msgspec.structs.replace(cell, outcome=outcome, ns=None)) == outcome
    for outcome in (Outcome.LAX, Outcome.STRICT):
        assert state_of(case, msgspec.structs.replace(cell, outcome=outcome)) == "value"


def test_build_stands_with_its_fastest_lane() -> None:
    view = RunView(sample.sample_run())
    grid = view.grid_cell(view.cases["aes-128-cbc/encrypt/bytes=16384"], "bearssl@0.6")
    assert (grid.state, grid.implementation, grid.others) == ("value", "aes_x86ni", 5)


def des_view(default: tuple[float, float] | str, tab: tuple[float, float] = (80, 30.0)) -> RunView:
    """A run of one case in which BearSSL has its own choice and two implementations by name."""
    costs = {"openssl": (100, 27.0), "bearssl": default, "bearssl:des_tab": tab, "bearssl:des_ct": (120, 99.0)}
    head = ("3DES-CBC encryption", "cipher", "encrypt the whole message")
    case = sample._case(Case("3des-cbc", "encrypt", 16384), costs, head, "")
    return RunView(derived(msgspec.structs.replace(sample.sample_run(), cases=(case,))))


def test_a_library_stands_with_its_own_choice_and_what_is_faster_stands_under_it() -> None:
    """des_tab is three times as fast as what a user of BearSSL gets, because it is not constant-time: the grid showed it as BearSSL's figure."""
    view = des_view((120, 98.0))
    grid = view.grid_cell(view.run.cases[0], "bearssl@0.6")
    assert (grid.state, grid.implementation, grid.others) == ("value", "", 2)
    assert grid.ratio is not None and grid.ratio.value > 3
    (faster,) = grid.faster
    assert (faster.implementation, faster.properties) == ("des_tab", "not constant-time, tables")
    assert faster.ratio is not None and 1.05 < faster.ratio.value < 1.2
    (said,) = faster_by_name(view, view.run.cases)
    assert said.startswith("BearSSL, 3DES-CBC encryption, 16 KiB: des_tab 1.1") and said.endswith(
        "(not constant-time, tables)"
    )


def test_a_choice_without_a_figure_is_not_hidden_by_another_implementation() -> None:
    view = des_view("wrong")
    grid = view.grid_cell(view.run.cases[0], "bearssl@0.6")
    assert (grid.state, grid.ratio, grid.troubled) == ("wrong", None, 0)
    assert [one.implementation for one in grid.faster] == ["des_tab", "des_ct"]


def test_nothing_stands_under_a_choice_that_is_as_fast() -> None:
    view = des_view((80, 30.0))
    assert view.grid_cell(view.run.cases[0], "bearssl@0.6").faster == ()


def test_headline_is_one_case_an_operation_at_the_shared_size() -> None:
    view = RunView(sample.sample_run())
    assert len(view.headline) == len(sample.OPERATIONS)
    assert {c.size_bytes for c in view.headline} == {16384, None}


def test_cards_default_and_unknown() -> None:
    view = RunView(sample.sample_run())
    assert 5 <= len(view.cards(())) <= 8
    assert {c.family for _, c in view.cards(())} == {c.family for c in view.headline}
    assert [q for q, _ in view.cards((("Gone", "gone/hash"), *sample.CARDS[:1]))] == ["Hash a file"]


def test_crossover_machine_noise() -> None:
    view = RunView(sample.sample_run())
    assert crossover_sentence(view, view.run.crossovers[0]).startswith(
        "OpenSSL overtakes Nettle from about 520 bytes up"
    )
    assert machine_words(view.run.manifest.machine).startswith("AMD EPYC 7B13, 2 logical CPUs, virtual (kvm)")
    told = noise_words(view.run.noise)
    assert told.startswith("13 % of batches were disturbed and not used, 312 of 320 passes complete, IPC 3.90 of 3.92")
    silent = msgspec.structs.replace(
        view.run.noise, disturbed_ratio=None, ipc_median=None, steal_ratio=None, aa_offset_median=None
    )
    assert noise_words(silent).startswith("312 of 320 passes complete, 2.87 to 2.93 GHz")
    assert "IPC" not in noise_words(silent)
    assert "steal" not in noise_words(silent)  # fmt: skip


def test_method_follows_the_settings() -> None:
    manifest = sample.sample_run().manifest

    def told(settings: Settings) -> str:
        return " ".join(p for _, p in method_paragraphs(msgspec.structs.replace(manifest, settings=settings)))

    text = told(Settings(rounds=37, batches_per_turn=5, target=0.005, cpu=None, memory=False, wait_us=500.0))
    for words in ("until every competitor has 185 undisturbed batches", "0.50 %", "not pinned", "Memory was not measured", "waits up to 0.5 ms for a free core by looking."):  # fmt: skip
        assert words in text, words
    usual = told(manifest.settings)
    assert f"until every competitor has {8 * 8} undisturbed batches, after 2 that only warm up" in usual
    assert "only if both ends reach 97 % of the undisturbed rate" in usual and "lower quartile" in usual
    assert "20 undisturbed calls; of more than 50.0 ms, 5." in usual
    assert "the run goes to the CPU that is freest" not in usual
    assert "by looking, and the run goes to the CPU that is freest." in told(Settings(move=True))


def test_two_speeds_in_words() -> None:
    """Of the cases asked for, the A/A lane left out."""
    view = RunView(sample.sample_run())
    case = view.cases[sample.TWO_SPEEDS[0]]
    (told,) = two_speeds(view, view.run.cases)
    assert two_speeds(view, [case]) == [told] and two_speeds(view, view.run.cases[:1]) == []
    assert re.fullmatch(r"Botan, ChaCha20-Poly1305 seal, 16 KiB: \S+ .s for 58% of its batches, \S+ .s for 42%", told)
    one = next(cell for cell in case.cells if cell.levels)
    twin = msgspec.structs.replace(case, cells=(msgspec.structs.replace(one, lane=one.lane + "#2"),))
    assert two_speeds(view, [twin]) == []


def test_every_flag_and_trust_word_has_a_sentence() -> None:
    assert set(TRUST) == {"publishable", "indicative", "contended", "empty", "emulated", "counted"}
    assert {DRIFT, BIMODAL, CONTENTION_SENSITIVE, SLOW} <= set(FLAGS)
    assert all(sentence.strip() == sentence and sentence for sentence in (*TRUST.values(), *FLAGS.values()))
