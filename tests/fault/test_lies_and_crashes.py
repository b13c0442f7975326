# SPDX-License-Identifier: Apache-2.0
"""What a command ends with when a worker lied, crashed, or did one after the other: a lie stays one whatever comes after it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from scripts import HASH, CommandLine, Done, cells, cost, options, summary, write_worker

from cipherstone.model.errors import WorkerError
from cipherstone.model.outcomes import Outcome
from cipherstone.protocol.messages import Computed, Empty
from cipherstone.worker import WorkerProcess

GOOD = {HASH: cost(1000)}
WRONG = {"wrong": [{"op": HASH}]}


def crash(verb: str, after: int) -> dict[str, Any]:
    return {"at": verb, "do": "segv", "after": after, "op": HASH}


def ran(cli: CommandLine, folder: Path, **behaviour: Any) -> Done:
    workers = [write_worker(folder, "good", GOOD), write_worker(folder, "bad", GOOD, **behaviour)]
    return cli.measure("--base", "good", "--op", HASH, *options(*workers)).no_trace()


# Some vectors after the lie, and right after it.
@pytest.mark.parametrize("fault", [crash("compute", 5), crash("compute", 1)], ids=str)
def test_wrong_and_then_crashed_is_wrong(cli: CommandLine, tmp_path: Path, fault: dict[str, Any]) -> None:
    done = ran(cli, tmp_path, faults=[fault], **WRONG)
    cell = cells(summary(done))["bad@1.0"]
    assert done.code == 4 and cell.outcome is Outcome.WRONG, cell
    assert cells(summary(done))["good@1.0"].ns is not None
    checked = cli("check", *options(tmp_path / "bad" / "cs-bad"), "--cache", cli.cache).no_trace()
    assert checked.code == 4 and "; then killed by SIGSEGV during '" in " ".join(checked.out.split()), checked.out


def test_what_was_answered_before_a_crash_is_kept(tmp_path: Path) -> None:
    """Also where the crash is noticed by who still sends."""
    path = write_worker(tmp_path, "bad", GOOD, faults=[{"at": "close", "do": "segv"}], **WRONG)
    once = [
        ("prepare", {"case": 5, "op": HASH, "impl": "default", "msg": "hex:00"}, Empty),
        ("compute", {"case": 5}, Computed),
        ("close", {"case": 5}, Empty),
    ]
    came: list[Any] = []
    with WorkerProcess([str(path)]) as worker, pytest.raises(WorkerError, match="SIGSEGV"):
        worker.ask_many(once * 40, answers=came)
    assert came[0] == Empty() and came[1].out.startswith("6f340b9c") and len(came) == 2


def test_wrong_at_one_size_and_crashed_at_the_last(cli: CommandLine, tmp_path: Path) -> None:
    """The vectors were right; where it is wrong and where it crashes comes after them."""
    wrong = [{"op": HASH, "exact_bytes": 16384}]
    first = write_worker(tmp_path / "a", "bad", GOOD, wrong=wrong, log=True)
    assert cli("check", *options(first), "--cache", cli.cache).no_trace().code == 4
    computed = (first.parent / "requests.log").read_text().count(" compute ")
    again = write_worker(tmp_path / "b", "bad", GOOD, wrong=wrong, faults=[crash("compute", computed - 1)])
    done = cli("check", *options(again), "--cache", cli.cache).no_trace()
    assert done.code == 4 and "SIGSEGV" in done.out and "bytes=16384" in done.out, done.out


def test_a_claim_that_cannot_be_ends_like_a_wrong_result(cli: CommandLine, tmp_path: Path) -> None:
    lie = {"at": "run", "do": "put", "keys": {"ns": 10**11}, "op": HASH}
    done = ran(cli, tmp_path, faults=[lie])
    cell = cells(summary(done))["bad@1.0"]
    assert done.code == 4 and cell.outcome is Outcome.CRASHED and cell.detail.startswith("untrue: claims "), cell


def test_a_crash_alone_costs_its_own_figures(cli: CommandLine, tmp_path: Path) -> None:
    """As the reference says: the others have theirs, and `check` is for who wants to know."""
    done = ran(cli, tmp_path, faults=[{"at": "run", "do": "segv", "op": HASH}])
    assert done.code == 0 and cells(summary(done))["bad@1.0"].outcome is Outcome.CRASHED
    worker = write_worker(tmp_path / "more", "bad", GOOD, faults=[crash("compute", 3)])
    assert cli("check", *options(worker), "--cache", cli.cache).no_trace().code == 1
