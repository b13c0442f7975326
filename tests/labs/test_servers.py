# SPDX-License-Identifier: Apache-2.0
"""Real servers under a load of handshakes, and what becomes of their processes."""

from __future__ import annotations

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

import msgspec
import pytest
from scripts import ROOT, CommandLine, Done, alive_in, gone, interrupt_when, skip_or_fail

from cipherstone.build.systems import SYSTEMS, this_system
from cipherstone.build.toolchain import find_toolchain
from cipherstone.catalogue.algorithms import catalogue_of_checkout
from cipherstone.catalogue.libraries import load_labs
from cipherstone.catalogue.sources import Packages
from cipherstone.fleet.workshop import Workshop
from cipherstone.labs.tls.interop.peers import Peer, of_build
from cipherstone.labs.tls.results import LAB
from cipherstone.labs.tls.servers import load as loading
from cipherstone.labs.tls.servers import programs
from cipherstone.labs.tls.servers.command import LOAD
from cipherstone.labs.tls.servers.load import BARE, KINDS, MEMORY, Cost, Here, Served, served
from cipherstone.labs.tls.servers.programs import PROGRAMS, Program, Used, missing, running, write_certificates
from cipherstone.model.errors import CipherstoneError
from cipherstone.operations.handshakes import timed

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


def program(tmp_path: Path, text: str) -> tuple[Program, str]:
    """A program of Python that takes the port."""
    path = tmp_path / "server.py"
    path.write_text(f"#!{sys.executable}\n{textwrap.dedent(text)}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return Program("planted", "Planted", Packages(), ("-v",), lambda folder, port: (str(port),)), str(path)


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
        "from cipherstone.labs.tls.servers.programs import Program, running\n"
        "one = Program('planted', 'Planted', Packages(), (), lambda folder, port: (str(port),))\n"
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
def made(worker_cache: Path) -> tuple[Peer, Peer]:
    """The load and the worker of the system's OpenSSL."""
    laboratory = load_labs(ROOT, catalogue_of_checkout())[LAB]
    build = next(one for one in laboratory.builds if one.name == "openssl")
    workshop = Workshop(ROOT, worker_cache, find_toolchain(), this_system())
    both = [of_build(workshop, laboratory, build, main, print, 1.0) for main in (LOAD, None)]
    if isinstance(both[0], str) or isinstance(both[1], str):
        skip_or_fail(f"openssl: {both[0]}")
    assert isinstance(both[0], Peer) and isinstance(both[1], Peer)
    return both[0], both[1]


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


def of(costs: tuple[Cost, ...], name: str) -> Cost:
    return next(one for one in costs if one.server == name)


def test_a_server_costs_more_than_its_library(made: tuple[Peer, Peer], installed: Here) -> None:
    assert installed.version
    found = served(*made, [installed], [], (None, None), True, print)
    assert [one.kind.params["mode"] for one in found.rows] == ["full", "ticket", "full", "ticket"]
    for row in found.rows:
        assert [one.server for one in row.costs] == [MEMORY, BARE, installed.program.name]
        for one in row.costs:
            assert one.handshakes >= loading.BLOCK and 0 < one.low_us <= one.total_us <= one.high_us
        real = of(row.costs, installed.program.name)
        # By the ends of their intervals: what a neighbour adds to either is in them.
        assert real.high_us > of(row.costs, MEMORY).low_us and real.user_us + real.system_us > 0
        assert real.received_bytes > 100
    full, resumed = found.rows[:2]
    assert of(full.costs, BARE).received_bytes > 1000 > of(resumed.costs, BARE).received_bytes


def test_a_server_with_other_certificates_is_refused(
    made: tuple[Peer, Peer], installed: Here, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The load verifies: what it counts is a handshake."""
    other = timed({**HANDSHAKE, "cert": "rsa-2048"})
    monkeypatch.setattr(loading, "write_certificates", lambda folder, _: write_certificates(folder, other))
    with pytest.raises(CipherstoneError, match="a handshake failed"):
        served(*made, [installed], [], (None, None), True, print)


def test_the_command_prints_a_table(command: CommandLine, installed: Here, made: tuple[Peer, Peer]) -> None:
    name = installed.program.name
    done = command("lab", "tls", "--servers", name, "--quick").no_trace()
    assert done.code == 0 and max(map(len, done.out.splitlines())) <= 80, done.err
    assert installed.shown.title in done.out and "OpenSSL" in done.out and "127.0.0.1" in done.out
    done = command("lab", "tls", "--servers", name, "--quick", "--format", "json").no_trace()
    assert done.code == 0
    read = msgspec.json.decode(done.out, type=Served)
    assert [one.name for one in read.servers] == [name] and len(read.rows) == len(KINDS)


def test_an_interruption_ends_the_servers(command: CommandLine, installed: Here, made: tuple[Peer, Peer]) -> None:
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
