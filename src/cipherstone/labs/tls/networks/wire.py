# SPDX-License-Identifier: Apache-2.0
"""A wire in user space: packets of one end come out of the other, later, at a rate, and some never; which ones, a seed says."""

from __future__ import annotations

import os
import random
import select
import threading
import time
from collections import deque
from types import TracebackType
from typing import NamedTuple

from cipherstone.labs.tls.network import Network
from cipherstone.model.errors import CipherstoneError
from cipherstone.stats.quantiles import quantile

PACKET = 65536
IPV4 = 4
MOST_WAITING = 1000  # packets of a direction, as netem has it by default; the rest is dropped
SPIN_NS = 150_000  # before it sends a packet the wire waits awake: the system's timers come later than it
IDLE_S = 0.5
SET_S = 60.0
MS, US = 1_000_000, 1000


class Carried(NamedTuple):
    """What a wire did since it was set. `late_us`: how much later than due packets left it, in the middle, and of one in a hundred."""

    packets: int
    dropped: int
    late_us: tuple[float, float]


class Way:
    """One direction."""

    def __init__(self, network: Network, seed: int) -> None:
        self.network = network
        self.draws = random.Random(seed)
        self.waiting: deque[tuple[int, bytes]] = deque()
        self.free_ns = 0
        self.packets = self.dropped = 0
        self.late_ns: list[int] = []

    def take(self, packet: bytes, now_ns: int) -> None:
        """A packet that is on the line as soon as that is free."""
        self.packets += 1
        if self.draws.random() < self.network.loss or len(self.waiting) >= MOST_WAITING:
            self.dropped += 1
            return
        self.free_ns = max(self.free_ns, now_ns) + round(len(packet) * 8e3 / self.network.mbit_s)
        self.waiting.append((self.free_ns + round(self.network.round_trip_ms * MS / 2), packet))

    def due(self, now_ns: int) -> bytes | None:
        """A packet that has arrived."""
        if not self.waiting or self.waiting[0][0] > now_ns:
            return None
        due_ns, packet = self.waiting.popleft()
        self.late_ns.append(now_ns - due_ns)
        return packet


class Wire:
    """Carries packets between two descriptors, in a thread of its own, on processor `cpu`. Use as a context manager; both are closed then."""

    def __init__(self, ends: tuple[int, int], cpu: int | None = None) -> None:
        self._ends = ends
        self._cpu = cpu
        self._wake = os.pipe()
        self._set = threading.Event()
        self._next: tuple[Network, int] | None = None
        self._ways: tuple[Way, Way] | None = None
        self._going = True
        self._thread = threading.Thread(target=self._carry, name="wire", daemon=True)

    def __enter__(self) -> Wire:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._going = False
        os.write(self._wake[1], b"\0")
        self._thread.join()
        for descriptor in (*self._ends, *self._wake):
            os.close(descriptor)

    def begin(self, network: Network, seed: int) -> None:
        """The wire is this network from now on; what is still on it is gone."""
        self._set.clear()
        self._next = (network, seed)
        os.write(self._wake[1], b"\0")
        if not self._set.wait(SET_S):
            raise CipherstoneError("--network wire: the wire does not answer", "")

    def carried(self) -> Carried:
        """What it did since it began."""
        ways = self._ways or ()
        late = [one / US for way in ways for one in tuple(way.late_ns)]
        middle, worst = (quantile(late, 0.5), quantile(late, 0.99)) if late else (0.0, 0.0)
        return Carried(sum(way.packets for way in ways), sum(way.dropped for way in ways), (middle, worst))

    def _carry(self) -> None:
        if self._cpu is not None:
            os.sched_setaffinity(0, {self._cpu})
        while self._going:
            self._renew()
            for descriptor in self._ready():
                if descriptor == self._wake[0]:
                    os.read(descriptor, 64)
                elif self._ways is not None:
                    _take_all(descriptor, self._ways[self._ends.index(descriptor)])
            self._deliver()

    def _renew(self) -> None:
        if self._next is None:
            return
        network, seed = self._next
        self._next = None
        self._ways = (Way(network, 2 * seed), Way(network, 2 * seed + 1))
        self._set.set()

    def _ready(self) -> list[int]:
        """Descriptors with something to read, as soon as there is one or a packet must be sent."""
        dues = [way.waiting[0][0] for way in self._ways or () if way.waiting]
        left_ns = min(dues) - time.monotonic_ns() - SPIN_NS if dues else IDLE_S * 1e9
        ready, _, _ = select.select([*self._ends, self._wake[0]], [], [], max(0.0, left_ns / 1e9))
        return ready

    def _deliver(self) -> None:
        for way, end in zip(self._ways or (), reversed(self._ends), strict=False):
            while (packet := way.due(time.monotonic_ns())) is not None:
                _put(end, packet)


def _take_all(end: int, way: Way) -> None:
    """Every packet that is there; of IPv6 there is no peer."""
    while True:
        try:
            packet = os.read(end, PACKET)
        except BlockingIOError:
            return
        if packet and packet[0] >> 4 == IPV4:
            way.take(packet, time.monotonic_ns())


def _put(end: int, packet: bytes) -> None:
    try:
        os.write(end, packet)
    except OSError:  # as a network loses what an interface does not take
        return
