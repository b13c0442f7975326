# SPDX-License-Identifier: Apache-2.0
"""Handshakes between two network namespaces: over our own wire, over what stands in for netem, and where there is neither."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import shutil
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from scripts import ROOT, CommandLine, newest, records

from cipherstone.build.systems import this_system
from cipherstone.build.toolchain import find_toolchain
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import catalogue_of_checkout
from cipherstone.catalogue.libraries import load_labs
from cipherstone.labs.tls.network import NETWORKS, Network
from cipherstone.labs.tls.networks import measured, namespaces
from cipherstone.labs.tls.networks.links import link
from cipherstone.labs.tls.networks.measured import OverNetworks, Setting
from cipherstone.labs.tls.networks.namespaces import ADDRESSES, TUN, Namespace
from cipherstone.labs.tls.networks.results import Networked, networked_of
from cipherstone.labs.tls.results import LAB
from cipherstone.labs.tls.servers.command import programs_of
from cipherstone.measure.turns import TurnFailed
from cipherstone.model.errors import CipherstoneError
from cipherstone.model.instruments import TurnRecord


def may() -> bool:
    """Whether this user may make network namespaces here."""
    try:
        with Namespace(0):
            return TUN.exists()
    except (CipherstoneError, OSError):
        return False


rooted = pytest.mark.skipif(not may(), reason="no network namespaces for this user, or no TUN")
iproute = pytest.mark.skipif(shutil.which("ip", path="/usr/sbin:/sbin:/usr/bin:/bin") is None, reason="no ip")


@pytest.fixture
def command(new_cli: Callable[..., CommandLine]) -> CommandLine:
    return new_cli("networks", ROOT)


def planted_tc(folder: Path, text: str) -> str:
    """A path with a `tc` of ours in front."""
    folder.mkdir(exist_ok=True)
    tool = folder / "tc"
    tool.write_text(f"#!/bin/sh\n{text}\n")
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    return f"{folder}:{os.environ['PATH']}:/usr/sbin:/sbin"


@rooted
def test_two_namespaces_hear_each_other_over_the_wire_alone() -> None:
    outside = {name for _, name in socket.if_nameindex()}
    with link("wire") as line:
        near, far = line.ends
        line.begin(Network("x", 20, 100), 1)
        server = far.run(lambda: socket.create_server((far.address, 0)))
        with server:
            port = server.getsockname()[1]
            with near.run(lambda: socket.create_connection((far.address, port), 60)) as client:
                came, peer = server.accept()
                with came:
                    assert peer[0] == ADDRESSES[0]
                    client.sendall(b"over the wire")
                    assert came.recv(100) == b"over the wire"
            with pytest.raises(OSError):
                socket.create_connection((far.address, port), 0.2)  # nothing leads there from here
        carried = line.carried()
        assert carried is not None and carried.packets >= 4 and carried.dropped == 0
        assert {name for _, name in socket.if_nameindex()} == outside


def networked(command: CommandLine) -> Networked:
    """What the last run has, which is finished and sealed."""
    run = newest(command.runs)
    assert run.verify() == []
    summary = run.summary()
    assert summary is not None
    found = networked_of(summary)
    assert found is not None
    return found


@rooted
def test_handshakes_over_the_wire_take_the_models_round_trips(command: CommandLine) -> None:
    done = command("lab", "tls", "--network", "wire", "--quick", "--format", "json").no_trace()
    assert done.code == 0, done.err
    found = networked(command)
    assert found.details.link == "wire" and found.late_us is not None
    places = found.details.places
    assert {places[row.case].network for row in found.rows} == set(NETWORKS[:2])
    assert [title.split()[0] for title in found.titles.values()] == ["OpenSSL"]
    trips = {(places[row.case].params["version"], places[row.case].params["mode"]): row.round_trips for row in found.rows if places[row.case].params["cert"] == "p-256"}  # fmt: skip
    assert trips["1.3", "full"] == trips["1.3", "ticket"] == trips["1.2", "ticket"] == 2 and trips["1.2", "full"] == 3
    for row in found.rows:
        floor_ms = row.round_trips * places[row.case].network.round_trip_ms
        # A wire can be late, and never early.
        assert all(ms >= floor_ms for _, ms in row.by_pass) and row.processor_us > 10
        assert row.model_ms > floor_ms and (row.lost, row.failed) == (0.0, 0)
        assert (row.over is None) == (not row.lane.endswith("#2"))
    turns = records(newest(command.runs), TurnRecord)
    assert all(one.figures["packets"] >= 6 for one in turns)
    assert all(one.ipc_before is None or one.ipc_before > 0.5 for one in turns)
    # What was printed is in the bundle, and comes out in every way.
    figures = json.loads(done.out)["figures"]
    assert figures == json.loads(command("show", "--format", "json").out)["figures"]
    values = sorted(one["value"]["value"] for one in figures if one["figure"] == "done_ms")
    asked = "select value from figures where figure = 'done_ms'"
    assert sorted(map(float, command("show", "--sql", asked).out.splitlines()[1:])) == values
    assert "tier 1 (a wire in user space)" in command("show", "latest").out
    plan = command.home / "again.toml"
    assert command("plan", "--of", "latest", "-o", plan).code == 0 and 'network = "wire"' in plan.read_text()


@rooted
def test_lanes_see_the_same_losses_and_what_fails_is_kept(worker_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second round of a pass fails: on a network with losses the case goes on, on any other the run ends."""
    laboratory = load_labs(ROOT, catalogue_of_checkout())[LAB]
    build = next(one for one in laboratory.builds if one.name == "openssl")
    programs = programs_of(Workshop(ROOT, worker_cache, find_toolchain(), this_system()), laboratory, build, print, 1.0)
    seeds: list[int] = []
    lossy = Network("lossy", 1, 1000, 1e-9)
    monkeypatch.setattr(measured, "NETWORKS", (NETWORKS[0], lossy))
    monkeypatch.setattr(measured, "TRIED", measured.TRIED[:1])
    failing: list[str] = []
    told = measured._Line.handshake_ms

    def handshake_ms(line: object, first: bool = False) -> float:
        if failing:
            raise TurnFailed(failing[0])
        return told(line, first)  # type: ignore[arg-type]

    monkeypatch.setattr(measured._Line, "handshake_ms", handshake_ms)
    begun = measured.seed_of

    def seed_of(seed: int, pass_index: int, number: int) -> int:
        seeds.append(begun(seed, pass_index, number))
        return seeds[-1]

    monkeypatch.setattr(measured, "seed_of", seed_of)
    instrument = OverNetworks([programs], Setting("wire", (None, None), 5, True), print)
    case = instrument.plan.cases[1]
    with instrument.opened(case, 3) as turn:
        figures = [turn(lane) for lane in case.lanes]
        failing.append("a handshake failed (client: time-out)")
        for lane in case.lanes:
            with pytest.raises(TurnFailed, match="time-out"):
                turn(lane)
    assert len(case.lanes) == 2 and all(one["done_ms"] >= 2 and one["dropped"] == 0 for one in figures)
    assert seeds == [11, 11, 12, 12]
    reason = failing.pop()
    with instrument.opened(instrument.plan.cases[0], 0) as turn:
        failing.append(reason)
        with pytest.raises(CipherstoneError, match="time-out"):
            turn(case.lanes[0])


@rooted
@iproute
def test_a_kernel_with_netem_is_tier_2(command: CommandLine, tmp_path: Path) -> None:
    """What stands in for tc takes every word, so that the kernel's pair of interfaces is a network without delays."""
    told = tmp_path / "told.txt"
    command.environment["PATH"] = planted_tc(tmp_path / "bin", f'echo "$@" >> {told}')
    done = command("lab", "tls", "--network", "netem", "--quick", "--format", "json").no_trace()
    assert done.code == 0, done.err
    found = networked(command)
    assert (found.details.link, found.late_us) == ("netem", None) and found.rows
    assert all(row.lost is None for row in found.rows)
    assert "tier 2 (the kernel's netem)" in command("show", "latest").out
    words = told.read_text()
    assert "qdisc add dev lo root netem" in words
    assert "qdisc replace dev wire root netem delay 5ms rate 100mbit limit 1000" in words


@rooted
def test_a_kernel_without_netem_is_told_in_a_line(command: CommandLine, tmp_path: Path) -> None:
    said = "echo 'Error: Specified qdisc kind is unknown.' >&2; exit 2"
    command.environment["PATH"] = planted_tc(tmp_path / "bin", said)
    done = command("lab", "tls", "--network", "netem").no_trace()
    assert done.code == 1 and done.out == ""
    assert "--network netem: tier 2 is not on this machine (tc: Error: Specified qdisc kind is unknown.)" in done.err
    assert "`--network wire` needs no netem" in done.err


def test_who_may_not_is_told_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    class Denied:
        def unshare(self, _: int) -> int:
            ctypes.set_errno(errno.EPERM)
            return -1

    monkeypatch.setattr(namespaces.ctypes, "CDLL", lambda *_, **__: Denied())
    with pytest.raises(CipherstoneError, match="no network namespace: Operation not permitted") as raised, link("wire"):
        pass
    assert raised.value.hint == "it needs root"


@rooted
def test_a_kernel_without_tun_is_told_in_a_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(namespaces, "TUN", tmp_path / "tun")
    with pytest.raises(CipherstoneError, match=r"--network wire: .*tun: No such file"), link("wire"):
        pass


def test_what_is_asked_for_is_known(command: CommandLine) -> None:
    done = command("lab", "tls", "--network", "wir").no_trace()
    assert done.code == 2 and "did you mean 'wire'?" in done.err
    done = command("lab", "tls", "--network", "wire", "--servers", "nginx").no_trace()
    assert done.code == 2 and "one of both" in done.err
