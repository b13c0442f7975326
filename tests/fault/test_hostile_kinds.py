# SPDX-License-Identifier: Apache-2.0
"""Every kind of worker that means harm (`hostile_kinds.KINDS`), all in one run with a bound: each honest lane has its exact figure, and each of them its outcome."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hostile_kinds import KINDS, script
from scripts import (
    HASH,
    CommandLine,
    Done,
    cells,
    cost,
    gone,
    options,
    summary,
    timed_by_script,
    write_worker,
)

HONEST = {"good": 1000, "also": 2000, "third": 1500}
# Half of the default: an honest worker on a busy machine may wait seconds for a processor.
PATIENCE = 0.25


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kinds")


@pytest.fixture(scope="module")
def ran(new_cli: Any, folder: Path) -> tuple[Done, Any, CommandLine]:
    """The run's clock is that of the honest workers' scripts: what a bound leaves them does not depend on the machine."""
    cli = timed_by_script(new_cli("kinds-run"))
    workers = [write_worker(folder, name, {HASH: cost(ns)}, takes_s=0.1) for name, ns in HONEST.items()]
    workers += [write_worker(folder, name, **script(name)) for name in KINDS]
    words = ("--base", "good", "--op", HASH, "--patience", PATIENCE, "--passes", 9, "--max-time", "600s")
    done = cli(
        "run",
        "--no-memory",
        "--seed",
        7,
        "--size",
        16384,
        "--format",
        "json",
        "--cache",
        cli.cache,
        *words,
        *options(*workers),
    )
    assert done.out, done.err
    return done.no_trace(), summary(done), cli


def test_there_are_forty_kinds() -> None:
    assert len(KINDS) >= 40


@pytest.mark.parametrize("lane", HONEST)
def test_an_honest_lane_has_its_figure(ran: tuple[Done, Any, CommandLine], lane: str) -> None:
    _, found, _ = ran
    cell = cells(found)[f"{lane}@1.0"]
    assert cell.ns is not None, cell
    assert cell.ns.value == pytest.approx(HONEST[lane]) and cell.passes_used >= 6


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_has_its_outcome(ran: tuple[Done, Any, CommandLine], name: str) -> None:
    """In one line, and without a figure unless it did nothing to its answers."""
    done, found, _ = ran
    outcomes = KINDS[name][1]
    cell = cells(found).get(f"{name}@1.0")
    if not outcomes:
        assert cell is None
        assert any(f"{name}:" in line for line in done.err.splitlines() if line.startswith("without ")), done.err
        return
    assert cell is not None and cell.outcome in outcomes, cell
    assert cell.detail.isprintable() and len(cell.detail) < 1000
    if cell.outcome == "ok":
        assert cell.ns is None or cell.ns.value == pytest.approx(700)
        return
    assert cell.ns is None and cell.lane not in [lane for group in found.cases[0].ranking for lane in group]


def test_the_run_ends_in_order(ran: tuple[Done, Any, CommandLine], folder: Path) -> None:
    done, found, _ = ran
    assert found.manifest.status == "finished" and done.code in (0, 4)
    assert "\x1b" not in done.err + done.out
    assert gone(folder) == []
