# SPDX-License-Identifier: Apache-2.0
"""Real peers: three libraries of the system and the reference, each with each, and each against peers that mean no good."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
from scripts import ROOT, CommandLine, Done, alive_in, gone, interrupt_when, skip_or_fail

from cipherstone.build.systems import this_system
from cipherstone.build.toolchain import find_toolchain
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import catalogue_of_checkout
from cipherstone.catalogue.libraries import load_labs
from cipherstone.labs.tls.interop.grid import Grid, Result
from cipherstone.labs.tls.interop.hostile import HOSTILE
from cipherstone.labs.tls.interop.peers import REFERENCE, Peer, peers
from cipherstone.labs.tls.interop.trial import VERBS, Trials, questions
from cipherstone.labs.tls.results import CLIENT, LAB, SERVER
from cipherstone.model.errors import WorkerError
from cipherstone.protocol.messages import Computed
from cipherstone.worker import WorkerProcess

NAMES = ("openssl", "bearssl", "gnutls")
ASKED = questions(ROOT)


@pytest.fixture(scope="module")
def found(worker_cache: Path) -> list[Peer]:
    """Those of NAMES, and the reference where there is a compiler for it."""
    laboratory = load_labs(ROOT, catalogue_of_checkout())[LAB]
    builds = tuple(build for build in laboratory.builds if build.name in NAMES)
    workshop = Workshop(ROOT, worker_cache, find_toolchain(), this_system())
    here, left_out = peers(workshop, msgspec.structs.replace(laboratory, builds=builds), True, print)
    if missing := [one for one in left_out if one.name != REFERENCE]:
        skip_or_fail(f"{missing[0].name}: {missing[0].why}")
    assert len(here) == 3 + (shutil.which("go") is not None), left_out
    return here


@pytest.fixture(scope="module")
def command(new_cli: Callable[..., CommandLine]) -> CommandLine:
    return new_cli("interop", ROOT)


def test_every_pair_agrees_on_what_was_asked_for_and_refuses_what_it_must(found: list[Peer]) -> None:
    trials = Trials(20.0)
    told = [trials.handshake(one, two, question) for one in found for two in found for question in ASKED]
    assert len(told) == len(found) ** 2 * len(ASKED)
    assert [one for one in told if one.result.tried and not one.result.right] == []
    for one in told:
        if one.result is Result.UNSUPPORTED:
            assert "bearssl" in (one.client, one.server) and "TLS up to 1.2" in one.why
        if (
            one.result is Result.AGREED
        ):  # nothing is left open by both, but for what TLS 1.3 hides from the wire and Go tells from 1.25 on
            assert one.data and one.agreed is not None
            untold = {name for name, value in msgspec.structs.asdict(one.agreed).items() if value is None}
            assert untold <= ({"group"} if one.client == one.server == REFERENCE else set()), one
    tried = {(one.client, one.server) for one in told if one.result is Result.AGREED}
    assert len(tried) == len(found) ** 2


def test_hostile_peers_have_an_outcome(found: list[Peer]) -> None:
    trials = Trials(1.0)
    every = [trials.hostile(one, side, nonsense, ASKED) for one in found for side in VERBS for nonsense in HOSTILE]
    told = [one for one in every if one is not None]
    assert len(told) == len(found) * 2 * len(HOSTILE)
    assert [one for one in told if not one.right] == []
    outcomes = {(one.does, one.result) for one in told}
    assert ("hangs", Result.TIMED_OUT) in outcomes and ("hangs", Result.FAILED) not in outcomes
    assert {result for does, result in outcomes if does in ("closes", "half, closes", "alert")} == {Result.FAILED}


@contextlib.contextmanager
def waiting(peer: Peer, verb: str, ms: int) -> Iterator[tuple[WorkerProcess, socket.socket]]:
    """A peer that plays with nobody: we hold the other end, and say nothing."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        environment = {**peer.environment, "TLS_PEER": f"{theirs.fileno()},{ms}"}
        with WorkerProcess(peer.command, environment=environment, descriptors=(theirs.fileno(),)) as worker:
            theirs.close()
            worker.prepare(0, f"{LAB}/{verb}", "default", ASKED[2].texts)
            yield worker, ours


@pytest.mark.parametrize("verb", [CLIENT, SERVER])
def test_a_peer_ends_by_its_deadline_and_serves_once(found: list[Peer], verb: str) -> None:
    for peer in found:
        with waiting(peer, verb, 200) as (worker, _):
            began = time.monotonic()
            late = worker.compute(0)
            assert late.result == "error" and late.detail.startswith("time-out: the peer said nothing for 200 ms")
            assert time.monotonic() - began >= 0.19
            again = worker.compute(0)
            assert again.result == "error" and "has served" in again.detail


def test_a_peer_without_a_connection_says_so(found: list[Peer]) -> None:
    for peer in found:
        with WorkerProcess(peer.command) as worker:
            worker.prepare(0, f"{LAB}/{CLIENT}", "default", ASKED[2].texts)
            assert "no connection" in worker.compute(0).detail


def test_bytes_that_come_one_by_one_are_as_good(found: list[Peer]) -> None:
    """Records are cut anywhere: a relay passes one byte on at a time."""
    client, server = found[0], found[1]
    with waiting(client, CLIENT, 60_000) as (one, a), waiting(server, SERVER, 60_000) as (two, b):
        answers = [worker.ask_ahead("compute", {"case": 0}, Computed, 60.0) for worker in (one, two)]
        a.settimeout(0.02)
        b.settimeout(0.02)
        ended = 0
        while ended < 2:
            ended = 0
            for end, other in ((a, b), (b, a)):
                with contextlib.suppress(TimeoutError):
                    data = end.recv(1 << 16)
                    ended += not data
                    for at in range(len(data)):
                        other.send(data[at : at + 1])
        assert [answer().result for answer in answers] == ["ok", "ok"]


def test_a_peer_dies_with_who_started_it(found: list[Peer], tmp_path: Path) -> None:
    """Killed, it says no goodbye; what it started waits for a peer that says nothing."""
    for peer in found:
        program = tmp_path / peer.name
        shutil.copy(peer.command[0], program)
        script = (
            "import socket, sys, time\n"
            "from cipherstone.worker import WorkerProcess\n"
            "from cipherstone.protocol.messages import Computed\n"
            "a, b = socket.socketpair()\n"
            "texts = dict(word.split('=', 1) for word in sys.argv[2:])\n"
            "worker = WorkerProcess([sys.argv[1]], environment={'TLS_PEER': f'{b.fileno()},600000'}, descriptors=(b.fileno(),))\n"
            f"worker.prepare(0, '{LAB}/{SERVER}', 'default', texts)\n"
            "worker.ask_ahead('compute', {'case': 0}, Computed, 900.0)\n"
            "print('waits', flush=True)\n"
            "time.sleep(600)\n"
        )
        words = [sys.executable, "-c", script, str(program), *(f"{k}={v}" for k, v in ASKED[2].texts.items())]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as process:
            assert process.stdout is not None and process.stdout.readline() == "waits\n"
            assert alive_in(tmp_path)
            process.kill()
        assert gone(tmp_path, 60.0) == []


def test_a_peer_that_is_killed_is_a_crash(found: list[Peer]) -> None:
    with waiting(found[0], CLIENT, 60_000) as (worker, _):
        answer = worker.ask_ahead("compute", {"case": 0}, Computed, 60.0)
        os.kill(worker._process.pid, signal.SIGKILL)
        with pytest.raises(WorkerError, match="killed by SIGKILL"):
            answer()


# ---- the command ----


def test_the_command_prints_the_grid(command: CommandLine, found: list[Peer]) -> None:
    done = command("interop", "--peers", "openssl,bearssl", "--cache", command.cache).no_trace()
    assert done.code == 0 and max(map(len, done.out.splitlines())) <= 80, done.err
    assert "1 OpenSSL" in done.out and "2 BearSSL" in done.out
    assert "1 x 1" not in done.out and "BearSSL has TLS up to 1.2" in " ".join(done.out.split())
    as_json = command("interop", "--peers", "openssl", "--format", "json", "--cache", command.cache).no_trace()
    read = msgspec.json.decode(as_json.out, type=Grid)
    assert as_json.code == 0 and len(read.handshakes) == len(ASKED) and not read.left_out
    target = command.home / "grid.md"
    done = command("interop", "--peers", "bearssl", "--markdown", "-o", target, "--cache", command.cache).no_trace()
    assert done.code == 0 and done.out == "" and "| 1 BearSSL 0.6 | 2/2 | 3/3 |" in target.read_text()
    target = command.home / "grid.html"
    done = command("interop", "--peers", "bearssl", "--html", "-o", target, "--cache", command.cache).no_trace()
    assert done.code == 0 and done.out == "" and "<b>2/2</b></td>" in target.read_text()


def test_mutated_flights_break_nobody(command: CommandLine) -> None:
    """A few; a release tries a hundred thousand."""
    words = ("interop", "--peers", "openssl,bearssl", "--robust", "--mutated", "300", "--format", "json")
    done = command(*words, "--cache", command.cache).no_trace()
    read = msgspec.json.decode(done.out, type=Grid)
    assert done.code == 0 and len(read.mutated) == 2 * (4 + 2), done.err
    assert len(read.hostile) == 2 * 2 * len(HOSTILE)
    for one in read.mutated:
        assert one.right and one.completed + one.refused + one.ended + one.untouched == one.tried
        # How many are completed is no constant: what a seed changes lies elsewhere in a signature of another length.
        assert one.untouched == 0 and one.completed < one.tried / 10, one


def test_mutations_belong_to_robustness(command: CommandLine) -> None:
    done = command("interop", "--mutated", "5", "--cache", command.cache).no_trace()
    assert done.code == 2 and "--robust" in done.err


def test_a_peer_that_is_none_is_named(command: CommandLine) -> None:
    done = command("interop", "--peers", "opensl", "--cache", command.cache).no_trace()
    assert done.code == 2 and "did you mean 'openssl'?" in done.err


def started(process: int) -> bool:
    """Whether it has started a peer: other tests have peers of their own in the same cache."""
    for thread in Path(f"/proc/{process}/task").iterdir():
        for child in (thread / "children").read_text().split():
            try:
                if "/workers/" in Path(f"/proc/{child}/cmdline").read_text():
                    return True
            except OSError:
                continue
    return False


def test_an_interruption_is_one_line(command: CommandLine, found: list[Peer]) -> None:
    process = command.start("interop", "--peers", "openssl,gnutls,bearssl")
    interrupt_when(process, lambda: started(process.pid))
    out, err = process.communicate(timeout=600)
    done = Done(process.returncode, out, err).no_trace()
    assert done.code == 130 and done.out == "" and "interrupted" in done.err.splitlines()[-1]
