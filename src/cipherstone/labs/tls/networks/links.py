# SPDX-License-Identifier: Apache-2.0
"""What joins two network namespaces: a wire of our own, or a pair of interfaces with the kernel's netem."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Protocol

from cipherstone.labs.tls.network import Network
from cipherstone.labs.tls.networks.namespaces import Namespace
from cipherstone.labs.tls.networks.wire import Carried, Wire
from cipherstone.model.errors import CipherstoneError

WIRE, NETEM = "wire", "netem"
TIERS = {WIRE: 1, NETEM: 2}  # tier 0 is the model
TIER_WORDS = {WIRE: "a wire in user space", NETEM: "the kernel's netem"}
_INTERFACE = "wire"
_MOST_WAITING = 1000  # packets; netem's own number
_TOOL_S = 60


class Link(Protocol):
    """Two ends, and a network between them that can be another one. `ends`: of the client, of the server."""

    ends: tuple[Namespace, Namespace]

    def begin(self, network: Network, seed: int) -> None:
        """It is this network from now on."""

    def carried(self) -> Carried | None:
        """What became of packets since it began; None where they are not counted."""


class _OwnWire:
    def __init__(self, ends: tuple[Namespace, Namespace], wire: Wire) -> None:
        self.ends = ends
        self.begin, self.carried = wire.begin, wire.carried


class _Kernel:
    def __init__(self, ends: tuple[Namespace, Namespace]) -> None:
        self.ends = ends

    def begin(self, network: Network, seed: int) -> None:
        """The seed is not used: most releases of tc have no word for it."""
        for end in self.ends:
            _done(end, "tc", "qdisc", "replace", "dev", _INTERFACE, "root", *netem_words(network))

    def carried(self) -> None:
        """Netem is not asked."""


def netem_words(network: Network) -> tuple[str, ...]:
    """One direction of a network, as tc takes it."""
    loss = ("loss", f"{network.loss:.4%}") if network.loss else ()
    return ("netem", "delay", f"{network.round_trip_ms / 2:g}ms", "rate", f"{network.mbit_s:g}mbit", *loss, "limit", str(_MOST_WAITING))  # fmt: skip


@contextmanager
def link(name: str, cpu: int | None = None) -> Iterator[Link]:
    """Two namespaces, and what `name` says between them. `cpu`: of our own wire. Raises CipherstoneError, in a line, where this machine has it not."""
    with ExitStack() as stack:
        ends = (stack.enter_context(Namespace(0)), stack.enter_context(Namespace(1)))
        if name == WIRE:
            yield _OwnWire(ends, stack.enter_context(Wire((ends[0].tun(), ends[1].tun()), cpu)))
        else:
            _probe(ends[0])
            add = ("link", "add", _INTERFACE, "gso_max_segs", "1", "type", "veth", "peer", "name", _INTERFACE)
            _done(ends[0], "ip", *add, "netns", str(ends[1].thread_id))
            for end in ends:
                end.bring_up(_INTERFACE)
            yield _Kernel(ends)


def _probe(end: Namespace) -> None:
    """Raises CipherstoneError where the kernel has no netem."""
    try:
        _done(end, "tc", "qdisc", "add", "dev", "lo", "root", *netem_words(Network("", 1, 1)))
    except CipherstoneError as error:
        raise CipherstoneError(
            f"--network netem: tier 2 is not on this machine ({error.message})", f"`--network {WIRE}` needs no netem"
        ) from None


def _done(end: Namespace, name: str, *words: str) -> None:
    tool = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
    if tool is None:
        raise CipherstoneError(f"no {name} (package iproute2)", "")
    done = end.run(lambda: subprocess.run([tool, *words], capture_output=True, text=True, timeout=_TOOL_S, check=False))
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise CipherstoneError(f"{name}: {said[0] if said else f'ended with {done.returncode}'}", "")
