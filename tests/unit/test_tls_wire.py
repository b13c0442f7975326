# SPDX-License-Identifier: Apache-2.0
"""The wire in user space without namespaces: when packets leave it, and which never do."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager

from cipherstone.labs.tls.network import Network
from cipherstone.labs.tls.networks.links import netem_words
from cipherstone.labs.tls.networks.wire import MOST_WAITING, Way, Wire

PACKET = bytes((0x45,)) + bytes(1499)  # of IPv4
MS = 1_000_000


def test_a_packet_is_as_late_as_the_line_is_long_and_slow() -> None:
    """1,500 bytes are 12 ms at 1 Mbit/s; half of a round trip of 5 ms comes on top. The second waits for the first."""
    way = Way(Network("x", 5, 1), 1)
    way.take(PACKET, 100 * MS)
    way.take(PACKET[:750], 101 * MS)
    assert way.due(round(114.5 * MS) - 1) is None
    assert way.due(round(114.5 * MS)) == PACKET
    assert way.due(round(120.5 * MS) - 1) is None
    assert way.due(121 * MS) == PACKET[:750]
    assert way.due(1000 * MS) is None and way.late_ns == [0, MS // 2]
    way.take(PACKET, 500 * MS)  # the line was free meanwhile
    assert way.due(round(514.5 * MS)) == PACKET


def lost(seed: int, share: float) -> list[int]:
    way = Way(Network("x", 0, 1000, share), seed)
    gone = []
    for number in range(400):
        before = way.dropped
        way.take(PACKET, number * MS)
        way.due((number + 1) * MS)
        if way.dropped > before:
            gone.append(number)
    assert way.packets == 400 and way.dropped == len(gone)
    return gone


def test_a_seed_says_which_packets_are_lost() -> None:
    assert lost(1, 0.1) == lost(1, 0.1) != lost(2, 0.1)
    assert 20 <= len(lost(1, 0.1)) <= 70
    assert lost(1, 0.0) == [] and len(lost(1, 1.0)) == 400


def test_a_queue_that_is_full_takes_no_more() -> None:
    way = Way(Network("x", 1000, 1), 1)
    for _ in range(MOST_WAITING + 3):
        way.take(PACKET, 0)
    assert way.dropped == 3 and len(way.waiting) == MOST_WAITING


@contextmanager
def ends() -> Iterator[tuple[socket.socket, socket.socket, Wire]]:
    """Two ends and the wire between them."""
    pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(2)]
    for _, inner in pairs:
        inner.setblocking(False)
    near, far = (outer for outer, _ in pairs)
    with near, far:
        for outer in (near, far):
            outer.settimeout(60)
        with Wire((pairs[0][1].detach(), pairs[1][1].detach())) as wire:
            yield near, far, wire


def test_packets_cross_it_both_ways_and_not_before_their_time() -> None:
    with ends() as (near, far, wire):
        wire.begin(Network("x", 20, 1000), 1)
        for one, other in ((near, far), (far, near)):
            began = time.monotonic()
            one.send(bytes((0x60,)) + bytes(99))  # of IPv6, which nobody is to hear of
            one.send(PACKET)
            assert other.recv(2000) == PACKET
            assert time.monotonic() - began >= 0.01
        carried = wire.carried()
        assert carried.packets == 2 and carried.dropped == 0
        assert 0 <= carried.late_us[0] <= carried.late_us[1]


def test_another_network_begins_with_an_empty_wire() -> None:
    with ends() as (near, far, wire):
        wire.begin(Network("x", 600_000, 1000), 1)
        near.send(PACKET)
        while wire.carried().packets == 0:
            time.sleep(0.001)
        wire.begin(Network("y", 0, 1000, 1.0), 1)
        near.send(PACKET)
        while wire.carried().dropped == 0:
            time.sleep(0.001)
        wire.begin(Network("z", 0, 1000), 1)
        near.send(PACKET[:100])
        assert far.recv(2000) == PACKET[:100] and wire.carried().packets == 1


def test_netem_is_told_one_direction() -> None:
    assert netem_words(Network("x", 25, 20)) == ("netem", "delay", "12.5ms", "rate", "20mbit", "limit", "1000")
    assert netem_words(Network("x", 1, 1, 0.02))[5:7] == ("loss", "2.0000%")
