# SPDX-License-Identifier: Apache-2.0
"""Workers that break in every way there is, in one run beside a good one: each gets its outcome, and the good one its exact figure."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from scripts import (
    HASH,
    CommandLine,
    Done,
    alive_in,
    cells,
    cost,
    gone,
    newest,
    passes,
    records,
    starts,
    summary,
    write_worker,
)

from cipherstone.model.errors import WorkerError
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import OutcomeRecord
from cipherstone.protocol.messages import MAX_LINE_BYTES
from cipherstone.worker import WorkerProcess

# Two seconds where people get twenty.
PATIENCE = (
    0.5  # ten seconds for an answer: who works has it by then on a busy machine too, and each that hangs is waited for
)
OK, WRONG, CRASHED, TIMED_OUT = Outcome.OK, Outcome.WRONG, Outcome.CRASHED, Outcome.TIMED_OUT


def at(verb: str, do: str, **more: Any) -> dict[str, Any]:
    return {"at": verb, "do": do, **more}


# library -> (what it does, outcome, part of the detail)
WHILE_MEASURING: dict[str, tuple[dict[str, Any], Outcome, str]] = {
    "start": ({"faults": [at("start", "segv", **{"from": 1})]}, CRASHED, "killed by SIGSEGV during 'hello'"),
    "hellohang": ({"faults": [at("hello", "hang", **{"from": 1})]}, TIMED_OUT, "no answer to 'hello' in time"),
    "prepare": ({"faults": [at("prepare", "segv")]}, CRASHED, "killed by SIGSEGV during '"),
    "compute": ({"faults": [at("compute", "abort")]}, CRASHED, "killed by SIGABRT during '"),
    "runsegv": ({"faults": [at("run", "segv", after=9)]}, CRASHED, "killed by SIGSEGV during 'run'"),
    "runabort": ({"faults": [at("run", "abort")]}, CRASHED, "killed by SIGABRT during 'run'"),
    "runexit": ({"faults": [at("run", "exit")]}, CRASHED, "ended with status 0 during 'run'"),
    "outputexit": ({"faults": [at("output", "exit")]}, CRASHED, "ended with status 0 during 'output'"),
    "runhang": ({"faults": [at("run", "hang")]}, TIMED_OUT, "no answer to 'run' in time"),
    "stubborn": ({"faults": [at("run", "stubborn")]}, TIMED_OUT, "no answer to 'run' in time"),
    "orphan": ({"faults": [at("run", "orphan")]}, CRASHED, "killed by SIGKILL during 'run'"),
    "garbage": ({"faults": [at("run", "garbage")]}, CRASHED, "protocol: not a reply"),
    "longline": ({"faults": [at("run", "long_line")]}, CRASHED, f"a line of more than {MAX_LINE_BYTES} bytes"),
    "debug": ({"faults": [at("run", "many_lines")]}, CRASHED, "protocol: not a reply"),
    "seq": ({"faults": [at("run", "wrong_seq")]}, CRASHED, "protocol: answered request 77777, expected "),
    "order": ({"faults": [at("compute", "next_seq")]}, CRASHED, "protocol: answered request "),
    "twice": ({"faults": [at("run", "twice")]}, CRASHED, "protocol: answered request "),
    "closed": ({"faults": [at("run", "close_stdout")]}, CRASHED, "closed its output during 'run'"),
    "zero": ({"faults": [at("run", "zero")]}, WRONG, "took 0 ns"),
    "latezero": ({"faults": [at("run", "zero", after=12)]}, WRONG, "took 0 ns"),
    "negative": ({"faults": [at("run", "negative")]}, WRONG, "took -5 ns"),
    "nan": ({"faults": [at("run", "nan")]}, CRASHED, "protocol: "),
    "huge": ({"faults": [at("run", "huge", after=9)]}, CRASHED, "protocol: incomplete reply"),
    "fraction": ({"faults": [at("run", "fraction")]}, CRASHED, "protocol: incomplete reply"),
    "missing": ({"faults": [at("run", "missing")]}, CRASHED, "protocol: incomplete reply"),
    "failed": ({"faults": [at("run", "failed")]}, WRONG, "a timed call failed (status 2)"),
    "refused": ({"faults": [at("run", "refused")]}, CRASHED, "unavailable: first line second line  [31mred"),
    "noharness": ({"refuse": {"harness/empty": "unknown-operation"}}, CRASHED, "unknown-operation"),
    "zeroharness": ({"faults": [at("run", "zero", op="harness/empty")]}, CRASHED, "its empty call takes 0 ns"),
    "unavailable": ({"refuse": {HASH: "unavailable"}}, Outcome.UNAVAILABLE, "unavailable: the script says so"),
    "nomemory": ({"refuse": {HASH: "out-of-memory"}}, Outcome.UNAVAILABLE, "out-of-memory"),
    "century": ({"faults": [at("run", "century", after=8)]}, CRASHED, "protocol: incomplete reply"),
    "oldprobe": ({"faults": [at("run", "old_readings")]}, CRASHED, "protocol: incomplete reply"),
    "fewreadings": (
        {"faults": [at("run", "few_readings")]},
        CRASHED,
        "8 and 8 probe readings in the reply, expected 9",
    ),
    "halfreadings": (
        {"faults": [at("run", "half_readings")]},
        CRASHED,
        "9 and 0 probe readings in the reply, expected 9",
    ),
    "holes": ({"faults": [at("run", "holes")]}, OK, ""),
    "boundless": ({"faults": [at("run", "boundless")]}, OK, ""),
    "chatter": ({"faults": [at("run", "chatter", times=1, processes=[1])]}, OK, ""),
    "nobye": ({"faults": [at("bye", "hang", processes=[2])]}, OK, ""),
}
# name -> (script or behaviour, part of the line that says why it is left out)
FROM_THE_START: dict[str, tuple[dict[str, Any] | str, str]] = {
    "neverstarts": ({"faults": [at("start", "abort")]}, "killed by SIGABRT during 'hello'"),
    "listcrash": ({"faults": [at("list", "segv")]}, "killed by SIGSEGV during 'list'"),
    "hellogarbage": ({"faults": [at("hello", "garbage")]}, "protocol: not a reply"),
    "hellomissing": ({"faults": [at("hello", "missing")]}, "protocol: incomplete reply"),
    "listlong": ({"faults": [at("list", "long_line")]}, f"a line of more than {MAX_LINE_BYTES} bytes"),
    "version1": ({"hello": {"protocol": 1}}, "speaks protocol 1, not 2"),
    "version3": ({"hello": {"protocol": 3}}, "speaks protocol 3, not 2"),
    "spaces": ({"version": "1.0 beta\n2"}, "'spaces@1.0 beta 2' is not LIBRARY@VERSION"),
    "upper": ({"hello": {"library": "../Upper"}}, "'../Upper@1.0' is not LIBRARY@VERSION"),
    "impl": ({"costs": {HASH: {"two words": {"ns": 5}}}}, "'impl@1.0:two words' is not LIBRARY@VERSION"),
    "ends": ("#!/bin/sh\nexit 0\n", "ended with status 0 during 'hello'"),
    "babbles": ("#!/bin/sh\nexec yes '{}'\n", "protocol: not a reply"),
    "deaf": ("#!/bin/sh\nexec sleep 3600\n", "no answer to 'hello' in time"),
    "noshebang": ("\x7fELF is not what this is\n", "could not be started"),
}


def write(folder: Path, name: str, what: dict[str, Any] | str) -> Path:
    if isinstance(what, dict):
        return write_worker(folder, name, **{"costs": {HASH: cost(700)}, **what})
    path = folder / name
    path.write_text(what)
    path.chmod(0o755)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("broken")


@pytest.fixture(scope="module")
def ran(new_cli: Any, folder: Path) -> tuple[Done, Any, CommandLine]:
    cli = new_cli("broken-run")
    workers = [write_worker(folder, "good", {HASH: cost(1000)}), write_worker(folder, "also", {HASH: cost(2000)})]
    workers += [write(folder, name, what) for name, (what, *_) in WHILE_MEASURING.items()]
    workers += [write(folder, name, what) for name, (what, _) in FROM_THE_START.items()]
    options = [word for path in workers for word in ("--worker", path)]
    done = cli.measure("--base", "good", "--op", HASH, "--patience", PATIENCE, "--passes", 9, *options)
    assert done.out, done.err
    return done, summary(done), cli


@pytest.mark.parametrize("library", WHILE_MEASURING)
def test_a_worker_that_breaks_has_its_outcome(ran: tuple[Done, Any, CommandLine], library: str) -> None:
    """In the JSON, with one line of detail, and in the journal with what it printed last."""
    _, found, cli = ran
    _, outcome, detail = WHILE_MEASURING[library]
    cell = cells(found)[f"{library}@1.0"]
    assert cell.outcome is outcome, cell
    assert detail in cell.detail
    assert "\n" not in cell.detail and "\x1b" not in cell.detail
    if outcome is OK:
        assert cell.ns is not None and cell.ns.value == pytest.approx(700)
        return
    assert cell.ns is None
    assert cell.lane not in [lane for group in found.cases[0].ranking for lane in group]
    assert not any(samples.lane == cell.lane for one in passes(newest(cli.runs)) for samples in one.lanes)


@pytest.mark.parametrize(
    ("library", "said"),
    [("runsegv", "about to read address zero"), ("runabort", "key != NULL"), ("runhang", "going to sleep")],
)
def test_what_a_worker_said_last_is_kept(ran: tuple[Done, Any, CommandLine], library: str, said: str) -> None:
    _, _, cli = ran
    (record,) = [row for row in records(newest(cli.runs), OutcomeRecord) if row.lane == f"{library}@1.0"]
    assert said in record.stderr


@pytest.mark.parametrize("name", FROM_THE_START)
def test_a_worker_that_does_not_even_start_is_left_out(ran: tuple[Done, Any, CommandLine], name: str) -> None:
    """One line on the screen and in the notes of the run; no lane."""
    done, found, _ = ran
    (line,) = [text for text in done.err.splitlines() if text.startswith("without ") and f"{name}:" in text]
    assert FROM_THE_START[name][1] in line
    assert any(FROM_THE_START[name][1] in note for note in found.manifest.notes)
    assert not any(lane.startswith(name + "@") for lane in cells(found))


def test_the_good_ones_are_measured_all_the_same(ran: tuple[Done, Any, CommandLine]) -> None:
    _, found, _ = ran
    lanes = cells(found)
    for lane, expected in (("good@1.0", 1000), ("also@1.0", 2000), ("good@1.0#2", 1000)):
        # A busy machine may take passes away: there are three more than an interval needs.
        assert lanes[lane].ns is not None, lanes[lane]
        assert lanes[lane].ns.value == pytest.approx(expected), lane
        assert 6 <= lanes[lane].passes_used <= 9
    assert found.manifest.status == "finished"


def test_the_run_ends_in_order(ran: tuple[Done, Any, CommandLine], folder: Path) -> None:
    """Exit code 4 for the wrong results, no stack trace, no control characters, nobody left behind."""
    done, _, cli = ran
    assert done.code == 4
    done.no_trace()
    assert "\x1b" not in done.err + done.out
    assert gone(folder) == []
    shown = cli("show").no_trace()
    for library, (_, outcome, _) in WHILE_MEASURING.items():
        assert library[:6] in shown.out
        word = {CRASHED: "crash", TIMED_OUT: "time", WRONG: "WRONG"}.get(outcome)
        assert word is None or word in shown.out


def test_a_build_that_keeps_crashing_leaves_every_case(cli: CommandLine, tmp_path: Path) -> None:
    """Three broken workers are enough: the other cases do not wait for a fourth, and say why."""
    good = write_worker(tmp_path, "good", {HASH: cost(1000)})
    bad = write_worker(tmp_path, "bad", {HASH: cost(1000)}, faults=[at("run", "segv")])
    sizes = "16,64,256,1024,8192"
    done = cli.measure("--base", "good", "--op", HASH, "--size", sizes, "--worker", good, "--worker", bad)
    assert done.code == 0
    outcomes = [row for row in records(newest(cli.runs), OutcomeRecord) if row.lane == "bad@1.0"]
    assert len({row.case for row in outcomes}) == 5
    given_up = [row for row in outcomes if "not tried again: its worker broke too often" in row.detail]
    assert len(given_up) == 2 and all("SIGSEGV" in row.detail for row in given_up)
    assert starts(bad) == 1 + 1 + 3  # the first introduced itself, the second is the scout, which runs nothing
    assert all(cells(summary(done), one.case)["good@1.0"].ns is not None for one in summary(done).cases)


def test_a_worker_that_crashes_once_keeps_its_other_cases(cli: CommandLine, tmp_path: Path) -> None:
    good = write_worker(tmp_path, "good", {HASH: cost(1000)})
    bad = write_worker(tmp_path, "bad", {HASH: cost(500)}, faults=[at("run", "exit", processes=[2], after=20)])
    done = cli.measure("--base", "good", "--op", HASH, "--size", "16,64,256", "--worker", good, "--worker", bad)
    lanes = [cells(summary(done), one.case)["bad@1.0"] for one in summary(done).cases]
    assert sorted(cell.outcome for cell in lanes) == [CRASHED, OK, OK]
    assert all(cell.ns.value == pytest.approx(500) for cell in lanes if cell.outcome is OK)


def test_a_broken_base_leaves_the_others(cli: CommandLine, tmp_path: Path) -> None:
    bad = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, faults=[at("run", "segv")])
    good = [write_worker(tmp_path, name, {HASH: cost(ns)}) for name, ns in (("beta", 1000), ("gamma", 1500))]
    options = [word for path in (bad, *good) for word in ("--worker", path)]
    done = cli.measure("--base", "alpha", "--op", HASH, *options)
    found = summary(done)
    assert done.code == 0
    assert cells(found)["alpha@1.0"].outcome is CRASHED
    assert found.cases[0].ranking == (("beta@1.0",), ("gamma@1.0",))


def test_nobody_left_is_a_result_too(cli: CommandLine, tmp_path: Path) -> None:
    """It is kept and shown; but a run without a single figure has not done what it was asked for."""
    bad = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, faults=[at("run", "segv")])
    done = cli.measure("--base", "alpha", "--op", HASH, "--worker", bad).no_trace()
    assert done.code == 1 and "no figure: nothing was measured" in done.err
    assert summary(done).manifest.status == "finished" and summary(done).trust == "empty"
    (case,) = summary(done).cases
    assert case.end == "no-lanes" and case.ranking == ()
    assert "crash" in cli("show").out


def test_a_time_of_a_century_harms_nobody_else(cli: CommandLine, tmp_path: Path) -> None:
    """The largest 64-bit number of nanoseconds would overflow the sums of a bundle: that lane is out, and the run is sealed."""
    good = write_worker(tmp_path, "good", {HASH: cost(1000)})
    bad = write_worker(tmp_path, "bad", {HASH: cost(1000)}, faults=[at("run", "century", after=8)])
    done = cli.measure("--base", "good", "--op", HASH, "--worker", good, "--worker", bad).no_trace()
    assert summary(done).manifest.status == "finished", done.err
    assert cells(summary(done))["good@1.0"].ns.value == pytest.approx(1000)


def test_check_tells_what_breaks(cli: CommandLine, tmp_path: Path) -> None:
    """Exit code 1: nothing is wrong, but something does not work."""
    good = write_worker(tmp_path, "good", {HASH: cost(1000)})
    bad = write_worker(tmp_path, "bad", {HASH: cost(1000)}, faults=[at("compute", "segv")])
    hangs = write_worker(tmp_path, "hangs", {HASH: cost(1000)}, faults=[at("compute", "hang")])
    workers = [word for path in (good, bad, hangs) for word in ("--worker", path)]
    done = cli("check", *workers, "--patience", PATIENCE, "--format", "json")
    rows = {row["lane"]: row["outcome"] for row in done.json()}
    assert rows == {"good@1.0": "ok", "bad@1.0": "crashed", "hangs@1.0": "timed-out"}
    assert done.code == 1
    assert gone(tmp_path) == []


# -- the process itself


SLEEPER = [sys.executable, "-IS", "-c", "import time; time.sleep(3600)"]


def test_a_worker_that_never_reads_cannot_block_the_writer() -> None:
    """4 MiB do not fit into a pipe: the request ends at its deadline, and the process with it."""
    with WorkerProcess(SLEEPER, patience=0.02) as worker, pytest.raises(WorkerError) as caught:
        worker.prepare(0, "sha-256/hash", "default", {"msg": "hex:" + "00" * (2 << 20)})
    assert caught.value.outcome == "timed-out"
    assert not worker.alive


def test_a_dead_worker_stays_dead() -> None:
    worker = WorkerProcess(SLEEPER, patience=0.02)
    with pytest.raises(WorkerError) as first:
        worker.hello()
    with pytest.raises(WorkerError) as second:
        worker.hello()
    assert second.value is first.value
    worker.close()


def test_a_worker_that_ignores_its_end_is_killed(tmp_path: Path) -> None:
    path = write_worker(tmp_path, "stubborn", faults=[at("bye", "stubborn")])
    worker = WorkerProcess([str(path)])
    worker.hello()
    worker.close(0.2)
    assert alive_in(tmp_path) == []


def test_an_orchestrator_that_dies_takes_its_workers_along(tmp_path: Path) -> None:
    """End of input means goodbye: nothing survives a `kill -9` of the asker."""
    import subprocess

    path = write_worker(tmp_path, "alpha")
    program = f"from cipherstone.worker import WorkerProcess; w = WorkerProcess([{str(path)!r}]); w.hello(); print('up', flush=True); import time; time.sleep(3600)"
    asker = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, env={"PYTHONPATH": ":".join(sys.path)}
    )
    assert asker.stdout is not None and asker.stdout.readline() == b"up\n"
    assert len(alive_in(tmp_path)) >= 1
    asker.kill()
    asker.wait()
    assert gone(tmp_path) == []


def test_a_processor_that_is_not_allowed_is_a_note(tmp_path: Path) -> None:
    """Pinning is refused: said in `pin_error`, and the worker answers all the same."""
    path = write_worker(tmp_path, "alpha")
    with WorkerProcess([str(path)], cpu=1_000_000 % 8191) as worker:
        assert "not pinned to CPU" in worker.pin_error
        assert worker.hello().library == "alpha"


def test_chatter_on_standard_error_is_cut_to_its_tail(tmp_path: Path) -> None:
    path = write_worker(tmp_path, "alpha", faults=[at("list", "chatter")])
    with WorkerProcess([str(path)]) as worker:
        worker.hello()
        assert len(worker.operations()) == 2
        assert len(worker.stderr_tail()) <= 4096
