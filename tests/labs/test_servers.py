# SPDX-License-Identifier: Apache-2.0
"""Real servers under a load of handshakes, and what becomes of their processes."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from scripts import ROOT, CommandLine, Done, alive_in, gone, interrupt_when, newest, records, skip_or_fail

from cipherstone import METHOD_VERSION
from cipherstone.build.systems import SYSTEMS, this_system
from cipherstone.build.toolchain import find_toolchain
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import catalogue_of_checkout
from cipherstone.catalogue.libraries import load_labs
from cipherstone.catalogue.sources import Packages
from cipherstone.labs.tls.interop.peers import Peer, of_build
from cipherstone.labs.tls.results import LAB
from cipherstone.labs.tls.servers import measured, programs
from cipherstone.labs.tls.servers.command import LOAD
from cipherstone.labs.tls.servers.load import BLOCK, KINDS, Site
from cipherstone.labs.tls.servers.measured import Here, OfServers, Programs, UnderLoad
from cipherstone.labs.tls.servers.programs import PROGRAMS, ServerProgram, Used, missing, running, write_certificates
from cipherstone.labs.tls.servers.results import BARE, MEMORY, Cost, Servers, servers_of
from cipherstone.measure.turns import Turns
from cipherstone.model.errors import CipherstoneError
from cipherstone.model.ids import Lane
from cipherstone.model.instruments import TurnRecord
from cipherstone.model.outcomes import RunStatus
from cipherstone.model.records import BUNDLE_FORMAT, Machine, Manifest, Settings
from cipherstone.operations.handshakes import timed
from cipherstone.views.run.summarise import summarise

HANDSHAKE = KINDS[0]
# A server that has a child, as nginx has: both listen on one port, and hold on to it when they are asked to end.
FORKS = """
import os, signal, socket, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
one = socket.create_server(("127.0.0.1", int(sys.argv[1])))
if os.fork() == 0:
    end = time.process_time() + 0.2
    while time.process_time() < end:
        pass
while True:
    one.accept()[0].close()
"""


def program(tmp_path: Path, text: str) -> tuple[ServerProgram, str]:
    """A program of Python that takes the port."""
    path = tmp_path / "server.py"
    path.write_text(f"#!{sys.executable}\n{textwrap.dedent(text)}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return ServerProgram("planted", "Planted", Packages(), ("-v",), lambda folder, port: (str(port),)), str(path)


def test_all_processes_of_a_server_are_counted_and_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "ENDS_IN_S", 0.2)
    one, path = program(tmp_path, FORKS)
    with pytest.raises(KeyboardInterrupt), running(one, path, tmp_path, None) as server:
        deadline = time.monotonic() + 600
        while (len(server.processes) < 2 or server.used().ns < 2e8) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert len(server.processes) == 2 and server.used().ns >= 2e8
        assert socket.create_connection(("127.0.0.1", server.port), 5).close() is None
        raise KeyboardInterrupt
    assert alive_in(tmp_path) == []


def test_a_server_that_ends_at_once_says_why(tmp_path: Path) -> None:
    one, path = program(tmp_path, "import sys; sys.exit('no such directive')")
    with pytest.raises(CipherstoneError, match="planted ends at once") as raised, running(one, path, tmp_path, None):
        pass
    assert raised.value.hint == "no such directive"


def test_a_server_that_does_not_listen_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "STARTS_IN_S", 0.3)
    one, path = program(tmp_path, "import time; time.sleep(600)")
    with pytest.raises(CipherstoneError, match="does not listen"), running(one, path, tmp_path, None):
        pass
    assert alive_in(tmp_path) == []


@pytest.mark.skipif(not Path("/usr/bin/setpriv").exists(), reason="no setpriv (package util-linux)")
def test_a_server_ends_with_who_started_it(tmp_path: Path) -> None:
    _, path = program(tmp_path, FORKS.replace("signal.SIG_IGN", "lambda *_: os.killpg(0, signal.SIGKILL)"))
    script = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from cipherstone.catalogue.sources import Packages\n"
        "from cipherstone.labs.tls.servers.programs import ServerProgram, running\n"
        "one = ServerProgram('planted', 'Planted', Packages(), (), lambda folder, port: (str(port),))\n"
        "with running(one, sys.argv[1], Path(sys.argv[2]), None):\n"
        "    print('runs', flush=True)\n"
        "    time.sleep(600)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    words = [sys.executable, "-c", script, path, str(tmp_path)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout is not None and process.stdout.readline() == "runs\n"
        process.kill()
    assert gone(tmp_path) == []


def test_use_is_divided_by_the_ticks() -> None:
    used = Used(900_000, 2, 1).since(Used(0, 0, 0)).and_of(Used(0, 0, 0))
    assert used.parts_us(3) == (200.0, 100.0)
    assert Used(900_000, 0, 0).parts_us(3) == (300.0, 0.0)


def test_what_is_missing_names_its_package() -> None:
    assert missing(PROGRAMS["haproxy"], SYSTEMS["debian"]) == "no haproxy (package haproxy)"
    assert missing(PROGRAMS["nginx"], None) == "no nginx"


def test_certificates_are_readable_by_their_owner_alone(tmp_path: Path) -> None:
    write_certificates(tmp_path, timed(HANDSHAKE))
    both = (tmp_path / "all.pem").read_text()
    assert both.count("BEGIN CERTIFICATE") == 2 and both.count("BEGIN PRIVATE KEY") == 1
    assert stat.S_IMODE((tmp_path / "key.pem").stat().st_mode) == 0o600


# ---- with the programs of the distribution ----


@pytest.fixture(scope="module")
def made(worker_cache: Path) -> Programs:
    """The load and the worker of the system's OpenSSL."""
    laboratory = load_labs(ROOT, catalogue_of_checkout())[LAB]
    build = next(one for one in laboratory.builds if one.name == "openssl")
    workshop = Workshop(ROOT, worker_cache, find_toolchain(), this_system())
    both = [of_build(workshop, laboratory, build, main, print, 1.0) for main in (LOAD, None)]
    if isinstance(both[0], str) or isinstance(both[1], str):
        skip_or_fail(f"openssl: {both[0]}")
    assert isinstance(both[0], Peer) and isinstance(both[1], Peer)
    return Programs(both[0], both[1])


@pytest.fixture(params=sorted(PROGRAMS))
def installed(request: pytest.FixtureRequest) -> Here:
    one = PROGRAMS[request.param]
    path = programs.found(one)
    if path is None:
        pytest.skip(missing(one, this_system()))
    return Here(one, path, programs.version_of(one, path))


@pytest.fixture
def command(new_cli: Callable[..., CommandLine]) -> CommandLine:
    return new_cli("servers", ROOT)


def measured_of(programs: Programs, *here: Here) -> Servers:
    instrument = OfServers(UnderLoad(programs, here), Site((None, None), True), print)
    turns = list(Turns(instrument, Settings(), None).run())
    assert len(turns) == sum(len(case.lanes) for case in instrument.plan.cases) and not any(one.failed for one in turns)
    assert all(turn.ipc_before is None or turn.ipc_before > 0.5 for turn in turns)
    machine = Machine("", "cpu", "x86_64", 2, (), None, None, "", "", None, None, None, None, "")
    run = Manifest(BUNDLE_FORMAT, METHOD_VERSION, "", "run-1", "", "", "tls", RunStatus.FINISHED, Settings(), machine, (), (), instruments=(instrument.plan,))  # fmt: skip
    found = servers_of(summarise(run, turns))
    assert found is not None
    return found


def test_a_server_costs_more_than_its_library(made: Programs, installed: Here) -> None:
    assert installed.version and len(installed.lane.program) == 16
    found = measured_of(made, installed)
    assert [case.title.endswith("resumed") for case in found.plan.cases] == [False, True, False, True]
    for kind in found.kinds:
        costs = {one.lane: one for one in kind.costs}
        alone, bare, real, again = costs.values()
        assert [Lane.parse(lane).implementation for lane in costs] == [MEMORY, BARE, "default", BARE]
        assert real.lane == f"{installed.program.name}@{installed.version}" and again.lane == f"{bare.lane}#2"
        for one in kind.costs:
            assert one.handshakes >= BLOCK and one.cpu_us.value > 0
            assert one.user_us + one.system_us == pytest.approx(one.cpu_us.value)
        assert (alone.system_us, alone.added_us, alone.received_bytes, bare.over) == (0.0, None, None, None)
        assert again.over is not None and real.over is not None and real.received_bytes is not None
        assert real.cpu_us.value > alone.cpu_us.value and real.received_bytes > 100
    full, resumed = (_bytes(kind.costs[1]) for kind in found.kinds[:2])
    assert full > 1000 > resumed


def _bytes(one: Cost) -> float:
    assert one.received_bytes is not None
    return one.received_bytes


def test_a_server_with_other_certificates_is_refused(
    made: Programs, installed: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The load verifies: what it counts is a handshake."""
    other = timed({**HANDSHAKE, "cert": "rsa-2048"})
    monkeypatch.setattr(measured, "write_certificates", lambda folder, _: write_certificates(folder, other))
    with pytest.raises(CipherstoneError, match="a handshake failed"):
        OfServers(UnderLoad(made, [installed]), Site((None, None), True), print)


def test_the_command_stores_what_it_prints(command: CommandLine, installed: Here, made: Programs) -> None:
    name = installed.program.name
    done = command("lab", "tls", "--servers", name, "--quick", "--seed", "3", "--report").no_trace()
    assert done.code == 0 and max(map(len, done.out.splitlines())) <= 80, done.err
    assert installed.title in done.out and "OpenSSL" in done.out and "127.0.0.1" in done.out
    (page,) = command.runs.glob("*.html")
    assert installed.title in page.read_text(encoding="utf-8")
    run = newest(command.runs)
    assert run.verify() == [] and run.manifest.request is not None
    assert run.manifest.request.options == {"quick": True, "servers": name}
    assert command("show", "latest").out == done.out
    figures = json.loads(command("show", "--format", "json").out)["figures"]
    lane = installed.lane.id
    values = [one["value"]["value"] for one in figures if (one["figure"], one["lane"]) == ("cpu_ns", lane)]
    asked = f"select value from figures where figure = 'cpu_ns' and lane = '{lane}'"
    assert len(values) == len(KINDS)
    assert sorted(map(float, command("show", "--sql", asked).out.splitlines()[1:])) == sorted(values)
    assert all(f"{value!r} cpu_ns" in command("export", "--as", "benchfmt").out for value in values)


def test_a_run_is_resumed_and_planned_again(command: CommandLine, installed: Here, made: Programs) -> None:
    process = command.start("lab", "tls", "--servers", installed.program.name, "--quick")

    def has_turns() -> bool:
        return any('"turn"' in one.read_text(encoding="utf-8") for one in command.runs.glob("*/journal.jsonl"))

    interrupt_when(process, has_turns, signal.SIGINT)
    process.communicate(timeout=600)
    before = newest(command.runs)
    assert before.manifest.status != RunStatus.FINISHED
    turns = len(records(before, TurnRecord))
    done = command("lab", "tls", "--resume", "latest").no_trace()
    assert done.code == 0 and installed.title in done.out, done.err
    after = newest(command.runs)
    lanes = len(after.manifest.instruments[0].cases[0].lanes)
    assert after.manifest.status == RunStatus.FINISHED and turns >= 1
    assert len(KINDS) * lanes <= len(records(after, TurnRecord)) < len(KINDS) * lanes + lanes
    plan = command.home / "again.toml"
    assert command("plan", "--of", "latest", "-o", plan).code == 0
    assert f'servers = "{installed.program.name}"' in plan.read_text()
    bound = command("run", "--plan", plan, "--name", "again").no_trace()
    assert bound.code == 0 and "again" in bound.out and installed.title in bound.out, bound.err


def test_a_bound_ends_it_and_says_so(command: CommandLine, installed: Here, made: Programs) -> None:
    words = ("lab", "tls", "--servers", installed.program.name, "--quick", "--max-time", "0.2s")
    bound = command(*words).no_trace()
    assert bound.code in (0, 1) and "the bound came after 0 of 1 passes" in bound.err, bound.err


def test_an_interruption_ends_the_servers(command: CommandLine, installed: Here, made: Programs) -> None:
    process = command.start("lab", "tls", "--servers", installed.program.name)
    folder = command.home / "tmp"

    def serves() -> bool:
        return any(installed.program.name in one for one in alive_in(folder))

    interrupt_when(process, serves, signal.SIGINT)
    out, err = process.communicate(timeout=600)
    done = Done(process.returncode, out, err).no_trace()
    assert done.code == 130 and done.out == "" and done.err.splitlines()[-1] == "interrupted"
    assert alive_in(folder) == []


def test_what_is_not_there_is_told(command: CommandLine) -> None:
    done = command("lab", "tls", "--servers", "nginy").no_trace()
    assert done.code == 2 and "did you mean 'nginx'?" in done.err
    if not any(programs.found(one) for one in PROGRAMS.values()):
        done = command("lab", "tls", "--servers", "nginx,haproxy").no_trace()
        assert done.code == 1 and "no nginx" in done.err and "no haproxy" in done.err
    done = command("lab", "tls", "--servers", "nginx", "--build", "opensl").no_trace()
    assert done.code in (1, 2) and "error" in done.err
