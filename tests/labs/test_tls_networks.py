# SPDX-License-Identifier: Apache-2.0
"""Handshakes between two network namespaces: over our own wire, over what stands in for netem, and where there is neither."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from scripts import ROOT, CommandLine

from cipherstone.labs.tls.network import NETWORKS, Network
from cipherstone.labs.tls.networks import namespaces
from cipherstone.labs.tls.networks.links import link
from cipherstone.labs.tls.networks.namespaces import ADDRESSES, TUN, Namespace
from cipherstone.labs.tls.networks.timed import Networked
from cipherstone.model.errors import CipherstoneError


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


@rooted
def test_handshakes_over_the_wire_take_the_models_round_trips(command: CommandLine) -> None:
    done = command("lab", "tls", "--network", "wire", "--quick", "--format", "json").no_trace()
    assert done.code == 0, done.err
    found = msgspec.json.decode(done.out, type=Networked)
    assert (found.tier, found.link) == (1, "wire") and found.late_us is not None
    assert {row.network for row in found.rows} == {one.name for one in NETWORKS[:2]}
    trips = {(row.kind.params["version"], row.kind.params["mode"]): row.round_trips for row in found.rows}
    assert trips["1.3", "full"] == trips["1.3", "ticket"] == trips["1.2", "ticket"] == 2 and trips["1.2", "full"] == 3
    for row in found.rows:
        network = next(one for one in NETWORKS if one.name == row.network)
        # A wire can be late, and never early.
        assert row.low_ms >= row.round_trips * network.round_trip_ms and row.processor_us > 10
        assert row.model_ms > row.round_trips * network.round_trip_ms and row.dropped == 0
        assert row.packets is not None and row.packets >= 6 * row.tries
    assert [one.name for one in found.builds] == ["openssl"]


@rooted
@iproute
def test_a_kernel_with_netem_is_tier_2(command: CommandLine, tmp_path: Path) -> None:
    """What stands in for tc takes every word, so that the kernel's pair of interfaces is a network without delays."""
    told = tmp_path / "told.txt"
    command.environment["PATH"] = planted_tc(tmp_path / "bin", f'echo "$@" >> {told}')
    done = command("lab", "tls", "--network", "netem", "--quick", "--format", "json").no_trace()
    assert done.code == 0, done.err
    found = msgspec.json.decode(done.out, type=Networked)
    assert (found.tier, found.link, found.late_us) == (2, "netem", None) and found.rows
    assert all(row.packets is None for row in found.rows)
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
