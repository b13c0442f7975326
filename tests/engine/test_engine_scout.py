# SPDX-License-Identifier: Apache-2.0
"""Which CPU: the scout looks, the run goes where it is free, and does without a scout that breaks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from scripts import (
    HASH,
    CommandLine,
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
from sessions import HASHING, IPC, SETTINGS, TWIN, A, Ran

from cipherstone.host.facts import allowed_cpus
from cipherstone.model.outcomes import CaseEnd
from cipherstone.model.records import CaseEndRecord
from cipherstone.views.run.summarise import summarise

sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))

from test_views_passes import manifest


def test_a_run_does_without_a_scout_that_breaks(cli: CommandLine, tmp_path: Path) -> None:
    faults = [{"at": "probe", "do": "segv"}]
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, faults=faults, dirty=[3], slowdown=0.3)
    done = cli.measure("--base", "alpha", "--op", HASH, *options(a))
    assert done.code == 0, done.err
    exact(summary(done), ("alpha@1.0", 1000))


@pytest.mark.parametrize("fault", ["segv", "hang", "garbage", "few_readings", "old_readings", "refused", "exit"])
def test_a_scout_that_breaks_is_done_without(tmp_path: Path, fault: str) -> None:
    """Its figures are exact all the same, and what share of the core was somebody else's is known from the turns."""
    script = {"faults": [{"at": "probe", "do": fault}], "dirty": [3], "slowdown": 0.3}
    ran = Ran(tmp_path, alpha=script, lanes=(A, TWIN), patience=0.5).all()
    assert [(one.end, one.passes_valid) for one in ran.of(CaseEndRecord)] == [(CaseEnd.CONVERGED, 6)]
    found = summarise(manifest({HASHING: (A.id, TWIN.id)}, SETTINGS, ipc_reference=IPC), ran.records)
    assert [cell.ns.value for cell in found.cases[0].cells if cell.ns] == [pytest.approx(1000)] * 2
    assert found.noise.disturbed_ratio is not None and found.noise.disturbed_ratio >= 0.25  # 22 of 86


@pytest.fixture
def two_cpus() -> Iterator[tuple[int, list[int]]]:
    """The CPU that a run measures on if it is not told, and the others that it may use."""
    allowed = allowed_cpus()
    if not 2 <= len(allowed) <= 8:
        pytest.skip(f"{len(allowed)} CPUs: a run cannot choose, or looks at some of them only")
    yield allowed[-1], allowed[:-1]


def test_a_run_goes_to_the_cpu_that_is_free(cli: CommandLine, tmp_path: Path, two_cpus: tuple[int, list[int]]) -> None:
    usual, others = two_cpus
    busy = {"cpus": [usual, *others[1:]]}
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, busy=busy, slowdown=0.3)
    found = summary(cli.measure("--base", "alpha", "--op", HASH, *options(a)))
    assert {cpu for one in passes(newest(cli.runs)) for cpu in one.cpus} == {others[0]} and found.noise.cpus == (
        others[0],
    )
    exact(found, ("alpha@1.0", 1000))
    assert found.noise.disturbed_ratio == 0.0 and found.cases[0].passes_tried == 6


def test_a_run_that_was_told_its_cpu_stays_there(
    cli: CommandLine, tmp_path: Path, two_cpus: tuple[int, list[int]]
) -> None:
    usual, _ = two_cpus
    learn_reference(cli, tmp_path)
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, busy={"cpus": [usual]}, slowdown=0.3, takes_s=0.05)
    done = timed_by_script(cli).measure(
        "--base", "alpha", "--op", HASH, "--cpu", usual, "--max-time", "2s", *options(a)
    )
    # On a machine so busy that no round ends within the two seconds there is nothing to call contended.
    assert done.code == 1 and summary(done).trust in ("contended", "empty")
    assert {cpu for one in passes(newest(cli.runs)) for cpu in one.cpus} <= {usual}
    assert summary(done).trust == "empty" or summary(done).cases[0].passes_tried > 0


def test_a_run_leaves_a_cpu_that_is_taken_from_it(
    cli: CommandLine, tmp_path: Path, two_cpus: tuple[int, list[int]]
) -> None:
    """In pass 2: once nothing clean has come for a while all its lanes go elsewhere, where the pass goes on; later ones stay there. A round is of one CPU."""
    usual, others = two_cpus
    busy = {"cpus": [usual, *others[1:]], "from_pass": 2}
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, busy=busy, slowdown=0.3, starts_per_pass=2)
    b = write_worker(tmp_path, "beta", {HASH: cost(1300)}, busy=busy, slowdown=0.3)
    found = summary(cli.measure("--base", "alpha", "--op", HASH, *options(a, b)))
    there = others[0]
    seen = {one.index: tuple(dict.fromkeys(one.cpus)) for one in passes(newest(cli.runs))}
    assert seen == {0: (usual,), 1: (usual,), 2: (usual, there), **dict.fromkeys(range(3, 6), (there,))}
    for one in passes(newest(cli.runs)):
        assert one.valid and len(one.cpus) == len(one.order)
    assert found.noise.cpus == (usual, there)
    assert found.cases[0].passes_tried == found.cases[0].passes_valid == 6
    exact(found, ("alpha@1.0", 1000), ("beta@1.0", 1300))
