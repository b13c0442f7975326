# SPDX-License-Identifier: Apache-2.0
"""Somebody else on the core, batch by batch: what is disturbed is thrown away, what is left is exact, and where nothing is left there is no figure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from scripts import (
    HASH,
    CommandLine,
    cells,
    cost,
    exact,
    learn_reference,
    newest,
    options,
    passes,
    summary,
    timed_by_script,
    write_worker,
)

from cipherstone.measure.pass_control import LONGER_WAIT
from cipherstone.model.outcomes import CaseEnd, Verdict
from cipherstone.model.records import LaneSamples, PassRecord, Settings
from cipherstone.model.summary import RunSummary
from cipherstone.store.bundle import Bundle
from cipherstone.views.run.summarise import summarise

REFERENCE = 8.0  # 0.25 over 0.03125 ns
WAIT_S = Settings().wait_us / 1e6
GOAL = 64  # eight rounds of eight batches
PLANNED = 9  # rounds: two batches more, which warm up


def clean_by_turn(samples: LaneSamples, settings: Settings) -> list[int]:
    """Clean batches of each turn, counted from the readings alone; those that warm up do not count."""
    found, taken = [], 0
    size = samples.per_turn + 1
    for at in range(0, len(samples.chain_ns), size):
        turn = list(zip(samples.chain_ns[at : at + size], samples.tput_ns[at : at + size], strict=True))
        free = [chain / tput >= settings.clean_threshold * REFERENCE for chain, tput in turn]
        good = [before and after for before, after in pairwise(free)]
        found.append(sum(ok for number, ok in enumerate(good, taken) if number >= settings.dropped_batches))
        taken += samples.per_turn
    return found


def clean_in(one: PassRecord, lane: int, rounds: int, settings: Settings) -> int:
    """Clean batches that a lane has after so many rounds."""
    samples = one.lanes[lane]
    turns = samples.rounds[:: samples.per_turn] or tuple(range(len(samples.ns) // samples.per_turn))
    by_turn = clean_by_turn(samples, settings)
    return sum(count for number, count in zip(turns, by_turn, strict=True) if number < rounds)


# -- some of the batches are disturbed


@dataclass
class Pair:
    """The same run twice: on a free core, and beside somebody who takes 30 % of many batches."""

    cli: CommandLine
    free: RunSummary
    shared: RunSummary
    bundle: Bundle

    @property
    def passes(self) -> list[PassRecord]:
        return passes(self.bundle)

    @property
    def settings(self) -> Settings:
        return self.bundle.manifest.settings


@pytest.fixture(scope="module")
def pair(new_cli: Callable[..., CommandLine], tmp_path_factory: pytest.TempPathFactory) -> Pair:
    cli, found = new_cli("pair"), []
    for share_a, share_b in ((0.0, 0.0), (0.3, 0.6)):
        folder = tmp_path_factory.mktemp("workers")
        a = write_worker(folder, "alpha", {HASH: cost(1000)}, dirty=share_a, slowdown=0.3)
        b = write_worker(folder, "beta", {HASH: cost(1300)}, dirty=share_b, slowdown=0.3)
        done = cli.measure("--base", "alpha", "--op", HASH, *options(a, b))
        assert done.code == 0, done.err
        found.append(summary(done))
    return Pair(cli, *found, newest(cli.runs))


def test_figures_beside_somebody_else_are_those_of_a_free_core(pair: Pair) -> None:
    """To the last bit, although a batch that is disturbed takes 30 % longer, and of beta's five in six are: no low quantile of all would find the others."""
    (free,), (shared,) = pair.free.cases, pair.shared.cases
    for quiet, busy in zip(free.cells, shared.cells, strict=True):
        assert (quiet.lane, quiet.ns, quiet.cycles, quiet.pass_ns) == (busy.lane, busy.ns, busy.cycles, busy.pass_ns)
    assert (shared.to_base, shared.ranking, shared.aa) == (free.to_base, free.ranking, free.aa)
    beta = cells(pair.shared)["beta@1.0"]
    assert beta.ns.value == pytest.approx(1300)
    # Had every batch counted, this would be the figure.
    assert beta.typical_ns == pytest.approx(1.3 * 1301 - 1, rel=1e-3)
    assert cells(pair.free)["beta@1.0"].typical_ns == pytest.approx(1300)
    assert shared.end is CaseEnd.CONVERGED and shared.passes_tried == shared.passes_valid == 6


def test_a_pass_goes_on_until_each_lane_has_its_batches_and_no_longer(pair: Pair) -> None:
    settings = pair.settings
    for one in pair.passes:
        assert len(one.order) > PLANNED
        for lane in range(3):
            assert clean_in(one, lane, len(one.order), settings) >= GOAL
        assert any(clean_in(one, lane, len(one.order) - 1, settings) < GOAL for lane in range(3))


def test_rounds_that_are_added_are_for_every_lane_that_has_not_twice_its_number(pair: Pair) -> None:
    """What is compared was taken in the same stretch of time; but a lane that has plenty does not wait for the last one for ever."""
    settings, sat_out = pair.settings, 0
    for one in pair.passes:
        assert all(sorted(turn) == [0, 1, 2] for turn in one.order[:PLANNED])
        for index in range(PLANNED, len(one.order)):
            present = [lane for lane in range(3) if clean_in(one, lane, index, settings) < 2 * GOAL]
            assert sorted(one.order[index]) == present
            sat_out += 3 - len(present)
    assert sat_out > 0


def test_the_summary_counts_what_was_disturbed(pair: Pair) -> None:
    seen = clean = 0
    for one in pair.passes:
        for lane, samples in enumerate(one.lanes):
            seen += len(samples.ns) - pair.settings.dropped_batches
            clean += clean_in(one, lane, len(one.order), pair.settings)
    noise = pair.shared.noise
    assert noise.disturbed_ratio == pytest.approx(1 - clean / seen) and 0.5 < 1 - clean / seen < 0.9
    assert pair.free.noise.disturbed_ratio == 0.0
    assert noise.ipc_reference == REFERENCE
    assert (noise.passes_valid, noise.passes_tried) == (6, 6)
    assert sum(cell.batches for cell in pair.shared.cases[0].cells) == clean


def test_a_turn_waits_for_a_free_core_and_says_how_long(pair: Pair) -> None:
    """A scripted wait takes ten microseconds a reading."""
    assert all(one.waited_s > 0 for one in pair.passes)
    assert pair.shared.noise.waited_s == pytest.approx(sum(one.waited_s for one in pair.passes))
    assert pair.free.noise.waited_s == 0.0


def test_the_noise_line_says_what_share_was_disturbed(cli: CommandLine, tmp_path: Path) -> None:
    """The fourth of the nine readings of a turn is dirty, so two of its eight batches are. 64 clean ones come in eleven turns: 22 of 86 batches are disturbed, the first two only warm up."""
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, dirty=[3], slowdown=0.3, log=True)
    done = cli.measure("--base", "alpha", "--op", HASH, *options(a))
    noise = summary(done).noise
    assert {len(one.order) for one in passes(newest(cli.runs))} == {11}
    assert (noise.disturbed_ratio, noise.slow_batches_ratio) == (pytest.approx(22 / 86), pytest.approx(22 / 86))
    assert "noise: 26 % of batches were disturbed and not used, 6 of 6 passes complete" in " ".join(
        cli("show").out.split()
    )
    asked = [line for line in (a.parent / "requests.log").read_text().splitlines() if "probe=1" in line]
    asked = [line for line in asked if "case=1022" not in line]  # what turns cost the worker beside their calls
    turns = [line for line in asked if "quiet=" in line]
    assert turns and all("batches=8 probe=1 quiet=7760 wait=2000" in line for line in turns), asked[-9:]
    assert all("batches" not in line for line in asked if line not in turns), [x for x in asked if x not in turns][:5]


def test_who_is_disturbed_more_is_not_called_slower(cli: CommandLine, tmp_path: Path) -> None:
    """Equal code, one lane beside a busy sibling half of the time: equal."""
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, noise=0.002, slowdown=0.3)
    b = write_worker(tmp_path, "beta", {HASH: cost(1000)}, noise=0.002, slowdown=0.3, dirty=0.5, seed=5)
    done = cli.measure("--base", "alpha", "--op", HASH, "--passes", "9", *options(a, b))
    (case,) = summary(done).cases
    assert {row.verdict for row in case.to_base} == {Verdict.EQUAL} and len(case.ranking) == 1


# -- whole passes


def test_contended_passes_are_made_up_for_counted_and_not_used(cli: CommandLine, tmp_path: Path) -> None:
    """In passes 1, 3 and 4 every reading is dirty: nine others are needed, so twelve are made."""
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, contended=[1, 3, 4], slowdown=0.3, starts_per_pass=2)
    b = write_worker(tmp_path, "beta", {HASH: cost(1030)}, contended=[1, 3, 4], slowdown=0.3)
    done = cli.measure("--base", "alpha", "--op", HASH, "--passes", "12", "--target", "1%", *options(a, b))
    assert done.code == 0, done.err
    found = summary(done)
    (case,) = found.cases
    records = passes(newest(cli.runs))
    assert [one.index for one in records if not one.valid] == [1, 3, 4]
    assert (case.passes_tried, case.passes_valid, case.end) == (12, 9, CaseEnd.CONVERGED)
    for one in records:
        # Nothing clean comes: twice the longest pass, and no more.
        assert len(one.order) == (PLANNED if one.valid else 2 * 8 * PLANNED)
        assert one.valid or "contended: 0 of 1150 batches undisturbed, 16 needed" in one.reason
    assert (found.noise.passes_valid, found.noise.passes_tried) == (9, 12)
    assert all(cell.passes_used == 9 for cell in case.cells)
    assert cells(found)["beta@1.0"].ns.value == pytest.approx(1030)
    assert case.to_base[-1].ratio is not None and case.to_base[-1].ratio.high == pytest.approx(1.03)


def test_a_machine_that_stays_contended_gives_no_figure(cli: CommandLine, tmp_path: Path) -> None:
    """Only the first two passes are undisturbed: after three times as many passes as were asked for no figure, the reason in its place, verdict and trust `contended`, exit code 1."""
    later = list(range(2, 40))
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, contended=later, starts_per_pass=2)
    b = write_worker(tmp_path, "beta", {HASH: cost(1030)}, contended=later)
    done = cli.measure("--base", "alpha", "--op", HASH, "--passes", "3", *options(a, b)).no_trace()
    found = summary(done)
    (case,) = found.cases
    assert case.end is CaseEnd.CONTENDED and (case.passes_tried, case.passes_valid) == (9, 2)
    assert all(cell.ns is None and "2 passes with a figure, 6 needed" in cell.refused for cell in case.cells)
    assert all("contended: 0 of 1150 batches undisturbed" in cell.refused for cell in case.cells)
    assert case.ranking == () and {row.verdict for row in case.to_base} == {Verdict.CONTENDED}
    assert found.trust == "contended"
    assert done.code == 1 and "no figure: only 0 of 2 cells have a figure: something else used the core" in done.err
    shown = cli("show")
    assert shown.code == 0 and "\ncontended: only 0 of 2 cells have a figure" in shown.out
    assert "busy too few undisturbed batches" in shown.out


def test_a_core_that_is_never_free_gives_no_figure_and_an_end(cli: CommandLine, tmp_path: Path) -> None:
    """Everything reads a third less, the scout too, and evenly: only what was stored before tells. The run looks for a free core until its bound, and says so."""
    learn_reference(cli, tmp_path)
    bound_s = 20
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, dirty=1.0, slowdown=0.3, takes_s=0.1)
    b = write_worker(tmp_path, "beta", {HASH: cost(1030)}, dirty=1.0, slowdown=0.3, takes_s=0.1)
    words = ("--base", "alpha", "--op", HASH, "--max-time", f"{bound_s}s", *options(a, b))
    done = timed_by_script(cli).measure(*words).no_trace()
    found = summary(done)
    (case,) = found.cases
    assert found.manifest.ipc_reference == found.noise.ipc_reference == REFERENCE
    assert found.manifest.ipc_reference_from == "learnt on this machine"
    assert found.noise.ipc_median == pytest.approx(REFERENCE / 1.5, rel=1e-3)
    assert case.end is CaseEnd.TIME_BOUND and case.passes_tried >= 1 and case.passes_valid == 0
    assert {row.verdict for row in case.to_base} == {Verdict.CONTENDED} and case.ranking == ()
    assert all(cell.ns is None and cell.refused for cell in case.cells)
    assert found.noise.disturbed_ratio == 1.0
    assert found.trust == "contended" and done.code == 1
    assert "no figure: only 0 of 2 cells have a figure: something else used the core" in done.err
    # Every turn looked as long as it may, and after rounds in vain (the first two only warm up) longer.
    tried = passes(newest(cli.runs))
    for one in tried:
        usual = sum(len(drawn) for drawn in one.order[1:3]) * WAIT_S
        longer = sum(len(drawn) for drawn in one.order[3:]) * WAIT_S * LONGER_WAIT
        first = len(one.order[0]) * WAIT_S * (LONGER_WAIT if one.index else 1)
        assert one.waited_s == pytest.approx(first + usual + longer)
    assert found.noise.waited_s == pytest.approx(sum(one.waited_s for one in tried)) and found.noise.waited_s > 0
    assert all(one.start_s <= bound_s for one in tried)
    # What was disturbed teaches nothing.
    again = summary(cli.measure("--base", "free", "--op", HASH, *options(write_worker(tmp_path, "free"))))
    assert again.manifest.ipc_reference == REFERENCE and again.cases[0].passes_valid == 6


def test_a_level_below_what_was_stored_counts_if_much_of_the_run_is_at_it(cli: CommandLine, tmp_path: Path) -> None:
    """A tenth below, and as even as only a core of one's own is: what was stored is too high, and must not refuse every run from then on."""
    learn_reference(cli, tmp_path)
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, probe={"chain": 0.25, "tput": 0.25 / 7.2})
    for _ in range(2):
        done = cli.measure("--base", "alpha", "--op", HASH, *options(a))
        found = summary(done)
        assert done.code == 0 and found.noise.disturbed_ratio == 0.0, done.err
        assert found.noise.ipc_reference == pytest.approx(7.2, rel=1e-3)
        assert cells(found)["alpha@1.0"].ns.value == pytest.approx(1000)
        # What it was judged by is in the bundle, to the last bit: reduced again by nothing but that, it says the same.
        bundle = newest(cli.runs)
        assert bundle.manifest.ipc_reference == found.noise.ipc_reference
        assert summarise(bundle.manifest, bundle.records()).noise == found.noise
    # Stored now, where it stood in the way before.
    assert found.manifest.ipc_reference == pytest.approx(7.2, rel=1e-3)


# -- workers that see less, or nonsense


def test_a_worker_without_probes_is_measured_all_the_same(cli: CommandLine, tmp_path: Path) -> None:
    """Every batch counts, the tenth of the quickest decides, and the run says that nobody watched."""
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, probe=None, dirty=1.0, slowdown=0.0)
    b = write_worker(tmp_path, "beta", {HASH: cost(1300)}, probe=None)
    done = cli.measure("--base", "alpha", "--op", HASH, *options(a, b))
    found = summary(done)
    assert done.code == 0, done.err
    exact(found, ("alpha@1.0", 1000), ("beta@1.0", 1300), ("alpha@1.0#2", 1000))
    assert all(cell.cycles is None for cell in found.cases[0].cells)
    assert found.noise.disturbed_ratio is None and found.noise.ipc_median is None and found.noise.ghz_low is None
    assert any("no probe" in warning for warning in found.warnings)
    assert found.trust == "indicative" and "no probe could watch for contention" in found.trust_reason
    for one in passes(newest(cli.runs)):
        assert len(one.order) == PLANNED
        assert all(samples.chain_ns == samples.tput_ns == () for samples in one.lanes)
    assert "disturbed" not in cli("show").out


@pytest.mark.parametrize("blind", ["alpha", "beta"])
def test_a_worker_without_probes_beside_one_that_has_them(cli: CommandLine, tmp_path: Path, blind: str) -> None:
    """Each by what it has: the one is judged batch by batch, of the other the tenth of the quickest counts."""
    extra: dict[str, dict[str, Any]] = {blind: {"probe": None}}
    shared = {"dirty": [3], "slowdown": 0.3}
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, **(extra.get("alpha") or shared))
    b = write_worker(tmp_path, "beta", {HASH: cost(1300)}, **(extra.get("beta") or shared))
    found = summary(cli.measure("--base", "alpha", "--op", HASH, *options(a, b)))
    exact(found, ("alpha@1.0", 1000), ("beta@1.0", 1300))
    # Of the batches that somebody watched; whoever has probes looks at the CPUs, whichever stands first.
    assert found.noise.disturbed_ratio == pytest.approx(22 / 86)


def test_nonsense_of_a_probe_spoils_no_other_lane(cli: CommandLine, tmp_path: Path) -> None:
    """Workers whose probes tell of a thousand additions a cycle must not become the reference that all others are judged by, in this run and later ones."""
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)})
    liar = [{"at": "run", "do": "boundless"}]
    liars = [write_worker(tmp_path, name, {HASH: cost(1030)}, faults=liar) for name in ("beta", "gamma", "delta")]
    done = cli.measure("--base", "alpha", "--op", HASH, *options(a, *liars))
    found = summary(done)
    (case,) = found.cases
    assert case.passes_valid == case.passes_tried == 6, done.err
    (note,) = [text for text in done.err.splitlines() if text.startswith("note:")]
    assert "a worker's probes tell of more than 8 additions a cycle" in note
    assert note.removeprefix("note: ") in found.manifest.notes
    for one in passes(newest(cli.runs)):
        assert [bool(samples.chain_ns) for samples in one.lanes] == [
            samples.lane.startswith("alpha") for samples in one.lanes
        ]
    assert all(cells(found)[f"{name}@1.0"].ns.value == pytest.approx(1030) for name in ("beta", "gamma", "delta"))
    found = summary(cli.measure("--base", "alpha", "--op", HASH, *options(a)))
    assert found.cases[0].passes_valid == 6
    assert found.manifest.ipc_reference == REFERENCE


def test_nonsense_of_the_scout_is_not_believed_either(cli: CommandLine, tmp_path: Path) -> None:
    """A reference is known, and the worker that the scout is of lies: a pass in which nothing clean comes of the other one is made up for, and nobody waits for what the scout never sees."""
    learn_reference(cli, tmp_path)
    faults = [{"at": verb, "do": "boundless"} for verb in ("run", "probe")]
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, faults=faults)
    b = write_worker(tmp_path, "beta", {HASH: cost(1300)}, contended=[1], slowdown=0.3)
    found = summary(cli.measure("--base", "alpha", "--op", HASH, *options(a, b)))
    assert found.cases[0].passes_tried == 7 and found.noise.waited_s == 0.0
    exact(found, ("alpha@1.0", 1000), ("beta@1.0", 1300))
    assert found.noise.ipc_reference == REFERENCE


def test_where_an_addition_is_no_cycle_probes_are_left_out(cli: CommandLine, tmp_path: Path) -> None:
    """An emulator: 2.4 additions to a multiplication. Readings say nothing there, so they are not kept, and nothing is learnt."""
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, imul_ratio=2.4, dirty=0.5)
    b = write_worker(tmp_path, "beta", {HASH: cost(1300)}, imul_ratio=2.4, dirty=0.5)
    done = cli.measure("--base", "alpha", "--op", HASH, *options(a, b))
    found = summary(done)
    assert done.code == 0
    exact(found, ("alpha@1.0", 1000), ("beta@1.0", 1300))
    assert "note: a multiplication takes 2.40 additions here" in done.err
    assert found.noise.disturbed_ratio is None
    assert all(samples.chain_ns == () for one in passes(newest(cli.runs)) for samples in one.lanes)
    assert not (cli.cache / "ipc-reference.json").exists()


def test_a_reading_that_is_missing_costs_the_batches_at_its_sides(cli: CommandLine, tmp_path: Path) -> None:
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, faults=[{"at": "run", "do": "holes"}])
    found = summary(cli.measure("--base", "alpha", "--op", HASH, *options(a)))
    exact(found, ("alpha@1.0", 1000))
    # As with a dirty reading, but the two batches are the first ones of a turn, which only warm up in the first.
    assert found.noise.disturbed_ratio == pytest.approx(20 / 86)
