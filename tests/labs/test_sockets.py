# SPDX-License-Identifier: Apache-2.0
"""Clients of the system's libraries against a server of OpenSSL, over blocking sockets: what is proven, refused and counted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from scripts import ROOT, CommandLine, skip_or_fail

from cipherstone.build.systems import this_system
from cipherstone.build.toolchain import find_toolchain
from cipherstone.catalogue.algorithms import catalogue_of_checkout
from cipherstone.catalogue.libraries import load_labs
from cipherstone.fleet.workshop import Workshop
from cipherstone.labs.tls.interop.peers import Peer, of_build
from cipherstone.labs.tls.results import LAB
from cipherstone.labs.tls.servers.command import LOAD
from cipherstone.labs.tls.sockets import timed
from cipherstone.labs.tls.sockets.plan import Plan, Task, plan
from cipherstone.labs.tls.sockets.results import APART, TOGETHER, Row, Sockets
from cipherstone.labs.tls.sockets.timed import Client, sockets
from cipherstone.model.errors import CipherstoneError
from cipherstone.operations.certificates import HOST

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
    asked = Plan(tasks, (), PLAN.base)
    return sockets(asked, some, clients["openssl"], (None, None), True, print)


def rows(found: Sockets, task: Task, way: str = APART) -> dict[str, Row]:
    return {row.build: row for row in found.rows if row.task == task.key and row.way == way}


def test_every_client_makes_the_page_s_handshakes(clients: dict[str, Client]) -> None:
    found = of(clients, RSA, ECDSA, ED25519)
    assert {one.name for one in found.left_out} == NO_ED25519 and found.base == "openssl"
    kinds = 3 * len(clients) - len(found.left_out)
    assert found.proven == 2 * kinds
    for task, there in ((RSA, set(clients)), (ECDSA, set(clients)), (ED25519, set(clients) - NO_ED25519)):
        every = rows(found, task)
        assert set(every) == there
        for name, row in every.items():
            assert row.cpu_s.value > 0 and row.elapsed_s.value > 0 and row.server_cpu_s > 0
            assert row.latency_ms is not None and list(row.latency_ms) == sorted(row.latency_ms)
            # A hello, and a flight with the key, the change of ciphers and the proof.
            assert row.sends == int(row.sends) >= 2 and row.receives == int(row.receives) >= 2
            assert 150 < row.sent_bytes < 1000 < row.received_bytes + 500
            assert (row.over_cpu is None) == (name == "openssl")
    assert {one.build for one in found.nagle} == set(clients)
    assert all(one.at_once_ms > 0 and one.nagle_ms > 0 for one in found.nagle)


def test_a_coalescing_callback_sends_once_before_it_waits(clients: dict[str, Client]) -> None:
    found = of(clients, RSA)
    apart, together = rows(found, RSA), rows(found, RSA, TOGETHER)
    assert set(apart) == set(together) == set(clients)
    for name, row in together.items():
        assert row.sends == 2, name
        assert apart[name].sends >= row.sends
        # The signature of RSA is always as long: the same bytes, in whatever pieces.
        assert (row.sent_bytes, row.received_bytes) == (apart[name].sent_bytes, apart[name].received_bytes)
    assert apart["mbedtls"].sends > 2


def test_data_go_the_way_that_is_asked_for(clients: dict[str, Client]) -> None:
    found = of(clients, WRITE, READ)
    assert not found.left_out and not found.nagle
    up, down = rows(found, WRITE), rows(found, READ)
    assert set(up) == set(down) == set(clients)
    for name in clients:
        assert 16384 < up[name].sent_bytes < 16500 and up[name].received_bytes < 100
        assert 16384 < down[name].received_bytes < 16500 and down[name].sent_bytes < 100
        assert up[name].latency_ms is None and up[name].sends >= 1 and down[name].receives >= 1


def test_a_client_that_accepts_what_it_must_refuse_ends_it(
    clients: dict[str, Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timed, "OTHER_HOST", HOST.encode())
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
    assert [one.name for one in found.left_out] == ["openssl", "gnutls"]
    assert all("agreed on suite 0xc030, not 0xc02f" in one.why for one in found.left_out)


def test_over_one_connection_there_is_nothing_behind_a_handshake(clients: dict[str, Client]) -> None:
    newer = msgspec.structs.replace(RSA, params=RSA.params | {"version": "1.3"})
    found = of(clients, newer, names=("openssl",))
    assert "what comes behind a handshake would be part of the next" in found.left_out[0].why


@pytest.fixture
def command(new_cli: Callable[..., CommandLine]) -> CommandLine:
    return new_cli("sockets", ROOT)


def test_the_command_prints_the_page_s_tables(command: CommandLine, clients: dict[str, Client]) -> None:
    words = ("lab", "tls", "--sockets", "--quick", "--build", "openssl,mbedtls", "--report")
    done = command(*words).no_trace()
    assert done.code == 0 and max(map(len, done.out.splitlines())) <= 80, done.err
    for word in ("Default: RSA-2048, 200 handshakes", "21.69", "Software only: data: Read, 256 MiB"):
        assert word in done.out
    assert "127.0.0.1" in done.out and "pass 1 of 1" in done.err and "without mbedtls" in done.out
    (page,) = command.home.rglob("tls-sockets.html")
    assert "21.69" in page.read_text(encoding="utf-8")


def test_what_does_not_go_together_is_told(command: CommandLine) -> None:
    done = command("lab", "tls", "--sockets", "--servers", "nginx").no_trace()
    assert done.code == 2 and "--sockets" in done.err
    done = command("lab", "tls", "--sockets", "--build", "opensl").no_trace()
    assert done.code == 2 and "did you mean 'openssl'?" in done.err
