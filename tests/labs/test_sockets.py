# SPDX-License-Identifier: Apache-2.0
"""Clients of the system's libraries against a server of OpenSSL, over blocking sockets: what is proven, refused and counted."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from scripts import ROOT, CommandLine, newest, skip_or_fail

from cipherstone import METHOD_VERSION
from cipherstone.build.systems import this_system
from cipherstone.build.toolchain import find_toolchain
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import catalogue_of_checkout
from cipherstone.catalogue.libraries import load_labs
from cipherstone.labs.tls.interop.peers import Peer, of_build
from cipherstone.labs.tls.results import LAB
from cipherstone.labs.tls.servers.command import LOAD
from cipherstone.labs.tls.sockets import proof
from cipherstone.labs.tls.sockets.measured import OverSockets
from cipherstone.labs.tls.sockets.plan import SocketPlan, Task, plan
from cipherstone.labs.tls.sockets.proof import Client, Site
from cipherstone.labs.tls.sockets.results import APART, TOGETHER, Row, Sockets, sockets_of
from cipherstone.measure.turns import Turns
from cipherstone.model.errors import CipherstoneError
from cipherstone.model.ids import Lane
from cipherstone.model.outcomes import RunStatus
from cipherstone.model.records import BUNDLE_FORMAT, Machine, Manifest, Settings
from cipherstone.operations.certificates import HOST
from cipherstone.views.run.summarise import summarise

PLAN = plan(ROOT)
RSA, ECDSA = PLAN.tasks[:2]
ED25519 = next(task for task in PLAN.tasks if task.params["cert"] == "ed25519")
WRITE, READ = (task for task in PLAN.tasks if task.table == "Default: data")
NAMES = ("openssl", "gnutls", "mbedtls", "wolfssl")
NO_ED25519 = {"mbedtls"}


@pytest.fixture(scope="module")
def clients(worker_cache: Path) -> dict[str, Client]:
    """The program of each of the system's libraries."""
    laboratory = load_labs(ROOT, catalogue_of_checkout())[LAB]
    workshop = Workshop(ROOT, worker_cache, find_toolchain(), this_system())
    found = {}
    for build in laboratory.builds:
        if build.name in NAMES:
            peer = of_build(workshop, laboratory, build, LOAD, print, 1.0)
            if not isinstance(peer, Peer):
                skip_or_fail(f"{build.name}: {peer}")
            assert isinstance(peer, Peer)
            found[build.name] = Client(peer, peer)
    return found


def of(clients: dict[str, Client], *tasks: Task, names: tuple[str, ...] = NAMES) -> Sockets:
    some = [clients[name] for name in names if name in clients]
    instrument = OverSockets(
        SocketPlan(tasks, (), PLAN.base), some, clients["openssl"], Site((None, None), True), print
    )
    turns = list(Turns(instrument, Settings(), None).run())
    assert all(turn.ipc_before is None or turn.ipc_before > 0.5 for turn in turns)
    machine = Machine("", "cpu", "x86_64", 2, (), None, None, "", "", None, None, None, None, "")
    run = Manifest(BUNDLE_FORMAT, METHOD_VERSION, "", "run-1", "", "", "tls", RunStatus.FINISHED, Settings(), machine, (), (), instruments=(instrument.plan,))  # fmt: skip
    found = sockets_of(summarise(run, turns))
    assert found is not None
    return found


def rows(found: Sockets, task: Task, way: str = APART) -> dict[str, Row]:
    return {Lane.parse(row.lane).variant: row for row in found.rows if row.task == task.key and row.way == way}


def test_every_client_makes_the_page_s_handshakes(clients: dict[str, Client]) -> None:
    found = of(clients, RSA, ECDSA, ED25519)
    assert {one.name for one in found.plan.left_out} == NO_ED25519 and found.details.base == "openssl"
    kinds = 3 * len(clients) - len(found.plan.left_out)
    assert found.details.refused == 2 * kinds
    assert all(len(one.program) == 16 for one in found.plan.lanes)
    for task, there in ((RSA, set(clients)), (ECDSA, set(clients)), (ED25519, set(clients) - NO_ED25519)):
        every = rows(found, task)
        assert set(every) == there
        for name, row in every.items():
            assert row.cpu_s.value > 0 and row.elapsed_s.value > 0 and row.server_cpu_s > 0
            assert row.latency_ms is not None and list(row.latency_ms) == sorted(row.latency_ms)
            # A hello, and a flight with the key, the change of ciphers and the proof.
            sends, receives, sent, received = row.counts
            assert sends == int(sends) >= 2 and receives == int(receives) >= 2
            assert 150 < sent < 1000 < received + 500
            assert (row.over_cpu is None) == (name == "openssl")
    assert {Lane.parse(one.lane).variant for one in found.nagle} == set(clients)
    assert all(one.at_once_ms.value > 0 and one.nagle_ms.value > 0 for one in found.nagle)


def test_a_coalescing_callback_sends_once_before_it_waits(clients: dict[str, Client]) -> None:
    found = of(clients, RSA)
    apart, together = rows(found, RSA), rows(found, RSA, TOGETHER)
    assert set(apart) == set(together) == set(clients)
    for name, row in together.items():
        assert row.counts[0] == 2, name
        assert apart[name].counts[0] >= row.counts[0]
        # The signature of RSA is always as long: the same bytes, in whatever pieces.
        assert row.counts[2:] == apart[name].counts[2:]
    assert apart["mbedtls"].counts[0] > 2


def test_data_go_the_way_that_is_asked_for(clients: dict[str, Client]) -> None:
    found = of(clients, WRITE, READ)
    assert not found.plan.left_out and not found.nagle
    up, down = rows(found, WRITE), rows(found, READ)
    assert set(up) == set(down) == set(clients)
    for name in clients:
        assert 16384 < up[name].counts[2] < 16500 and up[name].counts[3] < 100
        assert 16384 < down[name].counts[3] < 16500 and down[name].counts[2] < 100
        assert up[name].latency_ms is None and up[name].counts[0] >= 1 and down[name].counts[1] >= 1


def test_a_client_that_accepts_what_it_must_refuse_ends_it(
    clients: dict[str, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proof, "OTHER_HOST", HOST.encode())
    with pytest.raises(CipherstoneError, match="does not refuse a certificate for another host") as raised:
        of(clients, RSA, names=("openssl",))
    assert raised.value.hint == "nothing is timed"


def test_what_was_not_asked_for_is_no_proof(clients: dict[str, Client], monkeypatch: pytest.MonkeyPatch) -> None:
    """Both sides agree, but on another suite than the one that is due."""
    question = Task.question.fget
    assert question is not None

    def another(task: Task) -> object:
        asked = question(task)
        return asked._replace(due=msgspec.structs.replace(asked.due, suite=0xC02F))

    monkeypatch.setattr(Task, "question", property(another))
    found = of(clients, RSA, names=("openssl", "gnutls"))
    assert not found.rows
    assert [one.name for one in found.plan.left_out] == ["openssl", "gnutls"]
    assert all("agreed on suite 0xc030, not 0xc02f" in one.why for one in found.plan.left_out)


def test_over_one_connection_there_is_nothing_behind_a_handshake(clients: dict[str, Client]) -> None:
    newer = msgspec.structs.replace(RSA, params=RSA.params | {"version": "1.3"})
    found = of(clients, newer, names=("openssl",))
    assert "what comes behind a handshake would be part of the next" in found.plan.left_out[0].why


@pytest.fixture
def command(new_cli: Callable[..., CommandLine]) -> CommandLine:
    return new_cli("sockets", ROOT)


def test_the_command_prints_the_page_s_tables(command: CommandLine, clients: dict[str, Client]) -> None:
    words = ("lab", "tls", "--sockets", "--quick", "--build", "openssl,mbedtls", "--seed", "3", "--report")
    done = command(*words).no_trace()
    assert done.code == 0 and max(map(len, done.out.splitlines())) <= 80, done.err
    for word in ("Default: RSA-2048, 200 handshakes", "21.69", "Software only: data: Read, 256 MiB"):
        assert word in done.out
    assert "127.0.0.1" in done.out and "pass 1 of 1" in done.err and "without mbedtls" in done.out
    (page,) = command.runs.glob("*.html")
    assert "21.69" in page.read_text(encoding="utf-8")
    run = newest(command.runs)
    assert run.verify() == [] and run.manifest.request is not None
    assert run.manifest.request.options == {"quick": True, "sockets": True}
    # What was printed is in the bundle, and comes out in every way.
    assert command("show", "latest").out == done.out
    figures = json.loads(command("show", "--format", "json").out)["figures"]
    (value,) = (one["value"]["value"] for one in figures if (one["figure"], one["case"], one["lane"].endswith("+mbedtls")) == ("cpu_ns", RSA.case.id, True))  # fmt: skip
    asked = f"select value from figures where figure = 'cpu_ns' and case_id = '{RSA.case.id}' and lane like '%+mbedtls'"
    assert float(command("show", "--sql", asked).out.splitlines()[1]) == value
    rows = csv.DictReader(io.StringIO(command("export").out))
    assert [float(one["value"]) for one in rows if (one["metric"], one["case"]) == ("cpu_ns", RSA.case.id) and one["lane"].endswith("+mbedtls")] == [value]  # fmt: skip
    assert f"{value!r} cpu_ns" in command("export", "--as", "benchfmt").out


def test_a_bound_ends_it_and_says_so(command: CommandLine, clients: dict[str, Client]) -> None:
    words = ("lab", "tls", "--sockets", "--quick", "--build", "openssl,gnutls")
    bound = command(*words, "--max-time", "0.2s").no_trace()
    assert bound.code in (0, 1) and "the bound came after 0 of 1 passes of " in bound.err, bound.err


def test_what_does_not_go_together_is_told(command: CommandLine) -> None:
    done = command("lab", "tls", "--sockets", "--servers", "nginx").no_trace()
    assert done.code == 2 and "--sockets" in done.err
    done = command("lab", "tls", "--sockets", "--build", "opensl").no_trace()
    assert done.code == 2 and "did you mean 'openssl'?" in done.err
