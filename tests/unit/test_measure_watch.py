# SPDX-License-Identifier: Apache-2.0
"""Who else uses the core: what is learnt from readings, and which CPU a run goes to, with a scout whose readings are a script, and with a real one."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scripted_scout import Scout

from cipherstone.host.facts import allowed_cpus, thread_siblings
from cipherstone.measure import watch as module
from cipherstone.measure.pool import Launch
from cipherstone.measure.watch import CpuWatch, _unsound, keep_away, plausible
from cipherstone.model.records import Settings
from cipherstone.stats.quantiles import FloatArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "contract"))
from sdk_build import COMPILER, SDK, link_with_sdk

FREE = 5.0


@pytest.fixture
def scout(tmp_path: Path) -> Scout:
    return Scout(tmp_path)


@pytest.fixture
def two_cpus() -> tuple[int, int]:
    allowed = allowed_cpus()
    if len(allowed) < 2:
        pytest.skip("one CPU: there is none to go to")
    return allowed[0], allowed[1]


@pytest.fixture
def watches() -> Iterator[list[CpuWatch]]:
    """Closed when the test ends, however it ends."""
    made: list[CpuWatch] = []
    yield made
    for one in made:
        one.close()


def watching(
    watches: list[CpuWatch],
    scout: Scout | None,
    cpus: tuple[int, ...] = (),
    *,
    stored: float | None = FREE,
    move: bool = True,
) -> CpuWatch:
    """On the first of `cpus`, allowed to go to the others."""
    settings = Settings(cpu=cpus[0] if cpus else None, move=move)
    made = CpuWatch(settings, (scout.launch,) if scout is not None else (), stored, cpus)
    watches.append(made)
    return made


def crowd(count: int, level: float = FREE) -> FloatArray:
    return np.full(count, level)


def smear(count: int, seed: int = 1) -> FloatArray:
    return FREE * np.random.default_rng(seed).uniform(0.45, 0.9, count)


# -- the level -------------------------------------------------------------------------------------------------------------------


def test_nothing_is_known_until_something_is_read(watches: list[CpuWatch]) -> None:
    watch = watching(watches, None, stored=None)
    assert (
        watch.reference is None and watch.quiet is None and watch.sure_level is None and watch.disturbed_share is None
    )
    watch.learn(np.empty(0))
    watch.settle()
    assert watch.reference is None
    watch.learn(crowd(50))
    assert watch.reference == FREE and watch.quiet == pytest.approx(0.97 * FREE) and watch.sure_level == FREE


def test_what_is_stored_holds_until_something_better_is_seen(watches: list[CpuWatch]) -> None:
    watch = watching(watches, None, stored=FREE)
    assert watch.reference == FREE
    watch.learn(smear(500))
    watch.settle()
    assert watch.reference == FREE and watch.sure_level is None
    watch.learn(crowd(300, 5.4))
    watch.settle()
    assert watch.reference == 5.4 == watch.sure_level


def test_the_reference_follows_now_and_then(watches: list[CpuWatch], monkeypatch: pytest.MonkeyPatch) -> None:
    """To look for the level costs as long as a few batches. The first look is at once, the last one is `settle`."""
    monkeypatch.setattr(module, "REFRESH_S", math.inf)
    watch = watching(watches, None, stored=None)
    watch.learn(crowd(100, 4.0))
    assert watch.reference == 4.0
    watch.learn(crowd(400))
    assert watch.reference == 4.0
    watch.settle()
    assert watch.reference == FREE
    monkeypatch.setattr(module, "REFRESH_S", 0.0)
    watch.learn(crowd(2000, 5.5))
    assert watch.reference == 5.5


@pytest.mark.parametrize("crowd_first", [True, False])
@pytest.mark.parametrize(("share", "sure"), [(0.1, False), (0.3, True)])
def test_of_a_long_run_a_fair_sample_is_kept(
    watches: list[CpuWatch], crowd_first: bool, share: float, sure: bool
) -> None:
    """Many times more readings than are kept: those of the beginning weigh as much as those of the end."""
    count = 5 * module.KEPT_READINGS
    free = round(share * count)
    parts = [crowd(free), smear(count - free)]
    watch = watching(watches, None, stored=None)
    for chunk in np.array_split(np.concatenate(parts if crowd_first else parts[::-1]), 300):
        watch.learn(chunk)
    watch.settle()
    assert watch.reference == FREE
    assert watch.sure_level == (FREE if sure else None)


def test_more_readings_than_are_kept_at_once(watches: list[CpuWatch]) -> None:
    watch = watching(watches, None, stored=None)
    watch.learn(np.concatenate([smear(2 * module.KEPT_READINGS), crowd(2 * module.KEPT_READINGS)]))
    watch.settle()
    assert watch.reference == watch.sure_level == FREE


def test_disturbed_readings_are_counted_by_what_was_known_then(watches: list[CpuWatch]) -> None:
    watch = watching(watches, None, stored=FREE)
    watch.count(np.concatenate([crowd(60), crowd(20, 4.0), np.full(10, math.nan), crowd(10, 5.3)]))
    assert watch.disturbed_share == pytest.approx(0.4)  # one that is missing, or of an interrupted chain, is not clean
    watch.count(crowd(100))
    assert watch.disturbed_share == pytest.approx(0.2)
    watch.learn(crowd(100, 4.0))  # a survey's readings are of CPUs that were not measured on
    watch.count(np.empty(0))
    assert watch.disturbed_share == pytest.approx(0.2)


def test_readings_without_a_reference_are_not_counted(watches: list[CpuWatch]) -> None:
    watch = watching(watches, None, stored=None)
    watch.count(smear(10))
    assert watch.reference is None and watch.disturbed_share is None


@pytest.mark.parametrize("ratio", [None, 2.0, 3.0, 2.9, 3.1, 4.14, 5.0, 7.9])
def test_ratios_that_a_core_may_have(ratio: float | None) -> None:
    assert _unsound(ratio) == ""


@pytest.mark.parametrize("ratio", [0.0, 1.0, 1.4, 2.5, 3.2, 2.8, 12.0, math.inf, math.nan, -3.0])
def test_ratios_that_no_core_has(ratio: float) -> None:
    assert f"{ratio:.2f} additions" in _unsound(ratio)


def test_readings_that_no_core_can_give_are_left_out_together() -> None:
    """Single ones may be off: an interruption makes one chain look slow."""
    mostly = np.array([5.0, 5.1, math.nan, 900.0])
    assert plausible(mostly) is mostly
    assert plausible(np.array([900.0, 900.0, 5.0])).size == 0
    assert plausible(np.full(9, math.nan)).size == 0 and plausible(np.empty(0)).size == 0
    assert plausible(np.full(3, 8.0)).size == 3 and plausible(np.full(3, 8.01)).size == 0


def test_half_a_reading_is_none(watches: list[CpuWatch]) -> None:
    """Whichever half is missing."""
    watch = watching(watches, None)
    told = SimpleNamespace(chain_ns=(0.25, None, 0.25), tput_ns=(0.05, 0.05, None))
    scout = SimpleNamespace(alive=True, probe=lambda count: told, close=lambda: None)
    watch._scout = scout  # type: ignore[assignment]
    found = watch._asked(Launch(("nobody",)), None)
    assert found[0] == pytest.approx(5.0) and np.isnan(found[1:]).all() and found.size == 3


# -- where to measure ------------------------------------------------------------------------------------------------------------


def test_without_a_scout_nothing_is_looked_at(watches: list[CpuWatch]) -> None:
    watch = watching(watches, None, (0, 1))
    assert not watch.survey() and watch.cpu == 0 and watch.reference == FREE


def test_a_survey_goes_to_the_freest_cpu(watches: list[CpuWatch], scout: Scout, two_cpus: tuple[int, int]) -> None:
    first, second = two_cpus
    scout.set({first: [FREE, 4.0, 3.0, 3.5], second: [FREE]})
    watch = watching(watches, scout, two_cpus)
    assert watch.survey() and watch.cpu == second
    assert scout.said("probe") == [str(cpu) for cpu in (first, second)] * 2  # in turns
    assert not watch.survey() and watch.cpu == second  # it is there


@pytest.mark.parametrize(("here", "there", "moves"), [(0.5, 0.69, False), (0.5, 0.71, True), (0.9, 1.0, False), (0.0, 0.5, True)])  # fmt: skip
def test_a_move_must_be_worth_it(
    watches: list[CpuWatch], scout: Scout, two_cpus: tuple[int, int], here: float, there: float, moves: bool
) -> None:
    """By a fifth of all readings. Measuring starts anew at a move, and shares go up and down."""

    def share(clean: float) -> list[float]:
        return [FREE] * round(clean * 64) + [3.5] * (64 - round(clean * 64))

    scout.set({two_cpus[0]: share(here), two_cpus[1]: share(there)})
    watch = watching(watches, scout, two_cpus)
    assert watch.survey() is moves and watch.cpu == two_cpus[moves]


def test_a_run_that_may_not_move_stays(watches: list[CpuWatch], scout: Scout, two_cpus: tuple[int, int]) -> None:
    scout.set({two_cpus[0]: [3.0], two_cpus[1]: [FREE]})
    watch = watching(watches, scout, two_cpus, move=False)
    assert not watch.survey() and watch.cpu == two_cpus[0]
    assert set(scout.said("probe")) == {str(two_cpus[0])}


def test_a_survey_learns_what_a_free_core_reads(
    watches: list[CpuWatch], scout: Scout, two_cpus: tuple[int, int]
) -> None:
    """Also on a CPU that it does not go to, and where it is not pinned at all."""
    scout.set({two_cpus[0]: [FREE], two_cpus[1]: [3.0, 3.3, 3.7, 4.1]})
    watch = watching(watches, scout, two_cpus, stored=None)
    assert not watch.survey() and watch.reference == FREE
    scout.set({"any": [5.2]})
    loose = watching(watches, scout, stored=None)
    assert not loose.survey() and loose.reference == 5.2 and loose.cpu is None
    assert scout.said("probe")[-1] in ("any", str(min(os.sched_getaffinity(0))))


@pytest.mark.parametrize("broken", [{"dies": True}, {}], ids=["dies", "no probe"])
def test_a_scout_that_cannot_look_is_not_asked_again(
    watches: list[CpuWatch], scout: Scout, two_cpus: tuple[int, int], broken: dict[str, object]
) -> None:
    scout.set(dict.fromkeys(two_cpus), **broken)
    watch = watching(watches, scout, two_cpus)
    for _ in range(3):
        assert not watch.survey()
    assert len(scout.said("start")) == len(scout.said("probe")) == 1
    assert watch.reference == FREE and watch.cpu == two_cpus[0]


def test_readings_that_no_core_can_give_tell_nothing_of_a_core(
    watches: list[CpuWatch], scout: Scout, two_cpus: tuple[int, int]
) -> None:
    scout.set({two_cpus[0]: [900.0], two_cpus[1]: [FREE]})
    watch = watching(watches, scout, two_cpus)
    assert not watch.survey() and watch.reference == FREE and watch.cpu == two_cpus[0]


def test_interrupted_readings_make_no_cpu_free(
    watches: list[CpuWatch], scout: Scout, two_cpus: tuple[int, int]
) -> None:
    """A reading far above the reference is of a chain that somebody interrupted."""
    scout.set({two_cpus[0]: [FREE, 3.0], two_cpus[1]: [5.3 + 0.017 * k for k in range(128)]})
    watch = watching(watches, scout, two_cpus)
    assert not watch.survey() and watch.cpu == two_cpus[0]


def test_a_scout_that_does_not_start_is_no_error(watches: list[CpuWatch], tmp_path: Path) -> None:
    settings = Settings(cpu=0, move=True)
    watch = CpuWatch(settings, [Launch((str(tmp_path / "nothing"),))], FREE, (0, 1))
    watches.append(watch)
    assert not watch.survey() and watch.reference == FREE


def test_probes_that_no_core_could_give_are_called_unsound(
    watches: list[CpuWatch], scout: Scout, two_cpus: tuple[int, int]
) -> None:
    """An emulator: nothing is waited for, and nothing judged by them."""
    scout.set({cpu: [FREE] for cpu in two_cpus}, imul=1.07)
    watch = watching(watches, scout, two_cpus)
    watch.survey()
    assert "1.07 additions" in watch.unsound and watch.quiet is None and watch.cpu == two_cpus[0]


def test_closing_ends_the_scout(watches: list[CpuWatch], scout: Scout, two_cpus: tuple[int, int]) -> None:
    scout.set({cpu: [FREE] for cpu in two_cpus})
    watch = watching(watches, scout, two_cpus)
    watch.survey()
    (process,) = scout.said("start")
    assert Path(f"/proc/{process}").exists() or sys.platform != "linux"
    watch.close()
    with pytest.raises(ProcessLookupError):
        os.kill(int(process), 0)
    watch.close()
    watch.survey()  # one that is needed again is started again
    assert len(scout.said("start")) == 2


# -- a real worker, and this process ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def real_worker(tmp_path_factory: pytest.TempPathFactory) -> Launch:
    """A worker of the C SDK."""
    source = SDK / "tests" / "toy_adapter.c"
    return Launch((str(link_with_sdk(COMPILER, source, tmp_path_factory.mktemp("toy") / "cs-toy")),))


def test_with_a_real_worker(watches: list[CpuWatch], real_worker: Launch) -> None:
    """Whoever else uses this machine: it looks, stays among the CPUs that it may use, and ends."""
    allowed = allowed_cpus()
    watch = CpuWatch(Settings(cpu=allowed[-1] if allowed else None, move=True), [real_worker], None, allowed)
    watches.append(watch)
    before = watch.cpu
    moved = watch.survey()
    assert moved == (watch.cpu != before) and (watch.cpu in allowed or not allowed)
    assert watch.unsound == ""
    assert watch.reference is None or 1.0 < watch.reference <= 8.0
    unreachable = CpuWatch(Settings(cpu=watch.cpu), [real_worker], 60.0, allowed)  # no core gives so much
    watches.append(unreachable)
    assert not unreachable.survey() and unreachable.reference == 60.0


def test_this_process_keeps_away_from_the_measuring_cpu(two_cpus: tuple[int, int]) -> None:
    before = os.sched_getaffinity(0)
    try:
        keep_away(two_cpus[1], allowed_cpus())
        now = os.sched_getaffinity(0)
        assert now and two_cpus[1] not in now and now <= before
        siblings = set(thread_siblings(two_cpus[1]))
        if before - siblings:  # off its sibling threads as well, where that leaves any
            assert not now & siblings
        keep_away(two_cpus[0], sorted(before))
        assert two_cpus[0] not in os.sched_getaffinity(0)
    finally:
        os.sched_setaffinity(0, before)


def test_where_it_cannot_keep_away_nothing_happens(two_cpus: tuple[int, int]) -> None:
    before = os.sched_getaffinity(0)
    keep_away(None, sorted(before))
    keep_away(two_cpus[0], [two_cpus[0]])
    keep_away(two_cpus[0], [])
    keep_away(two_cpus[0], [two_cpus[0], 1_000_000])  # a CPU that is not there
    assert os.sched_getaffinity(0) == before
