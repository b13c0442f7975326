# SPDX-License-Identifier: Apache-2.0
"""A worker that hangs costs its own lane, and the others have their time: what was waited for in vain is not taken from the run's bound."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from scripts import HASH, CommandLine, cells, cost, newest, records, starts, summary, write_worker

from cipherstone.measure.worker_failures import LINGERS
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import NoiseRecord, OutcomeRecord, PassRecord

SIZES = "16,64,256"


def measured(cli: CommandLine, tmp_path: Path, faults: list[dict[str, Any]], *more: object) -> tuple[Any, Path]:
    good = write_worker(tmp_path, "good", {HASH: cost(1000)})
    bad = write_worker(tmp_path, "bad", {HASH: cost(1000)}, faults=faults)
    workers = ("--worker", good, "--worker", bad)
    done = cli.measure("--base", "good", "--op", HASH, "--size", SIZES, *workers, *more).no_trace()
    assert done.code == 0, done.err
    return summary(done), bad


def test_two_hangs_are_enough(cli: CommandLine, tmp_path: Path) -> None:
    """Each takes ten seconds and more, which the run's clock does not count."""
    began = time.monotonic()
    hang = {"at": "run", "do": "hang", "op": HASH}
    found, bad = measured(cli, tmp_path, [hang], "--patience", 0.5)
    took_s = time.monotonic() - began
    rows = [row for row in records(newest(cli.runs), OutcomeRecord) if row.lane == "bad@1.0"]
    assert len(rows) == 3 and {row.outcome for row in rows} == {Outcome.TIMED_OUT}
    assert sum("not tried again" in row.detail for row in rows) == 1
    assert starts(bad) == 1 + 1 + 2  # one introduced itself, one is the scout
    for case in found.cases:
        assert cells(found, case.case)["good@1.0"].ns is not None
    # Both clocks run at any load; between them lie the two hangs and the start of the program.
    assert max(row.start_s + row.wall_s for row in records(newest(cli.runs), PassRecord)) < took_s - 20


def test_who_does_not_end_is_named_and_left_out(cli: CommandLine, tmp_path: Path) -> None:
    """Its answers are right and its times true, but each of its processes goes on until it is killed."""
    never = {"at": "bye", "do": "hang", "from": 2}
    found, _ = measured(cli, tmp_path, [never])
    for case in found.cases:
        lanes = cells(found, case.case)
        assert lanes["good@1.0"].ns is not None
        assert lanes["bad@1.0"].outcome is Outcome.TIMED_OUT and LINGERS in lanes["bad@1.0"].detail
    last = max(row.pass_index for row in records(newest(cli.runs), NoiseRecord))
    assert last >= 5
