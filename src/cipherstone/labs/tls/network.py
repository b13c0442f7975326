# SPDX-License-Identifier: Apache-2.0
"""A handshake on a network, computed and not measured: how long until the client may send its request.

A model of TCP that loses nothing: one round trip to connect, those of the handshake, one more whenever a flight outgrows the congestion window (10 segments at first, RFC 6928, doubled each round trip), every byte at the line's rate, and the measured processor time of both sides, one after the other.
"""

from __future__ import annotations

from typing import NamedTuple

from cipherstone.labs.tls.results import Wire

SEGMENT_BYTES = 1460  # of Ethernet's 1500, 20 each for IPv4 and TCP
FRAME_BYTES = 1500
WINDOW_SEGMENTS = 10


class Network(NamedTuple):
    """`round_trip_ms`, and `mbit_s` both ways; `loss`: of so many packets one way is nothing heard again (0..1), which the model knows nothing of."""

    name: str
    round_trip_ms: float
    mbit_s: float
    loss: float = 0.0


NETWORKS = (
    Network("0.5 ms, 10 Gbit/s", 0.5, 10_000),
    Network("10 ms, 100 Mbit/s", 10, 100),
    Network("50 ms, 20 Mbit/s", 50, 20),
    Network("300 ms, 1 Mbit/s", 300, 1),
)


def round_trips(wire: Wire) -> int:
    """From the connection's first packet to the client's first request: one of TCP, one for each flight of the server, and those in which it waits for its window."""
    return 1 + wire.flights // 2 + extra_round_trips(wire.server_bytes)


def extra_round_trips(flight_bytes: int) -> int:
    """Round trips that a flight waits for acknowledgements, from the window that a connection begins with."""
    window, sent, waits = WINDOW_SEGMENTS * SEGMENT_BYTES, 0, 0
    while (sent := sent + window) < flight_bytes:
        window, waits = 2 * window, waits + 1
    return waits


def until_request_ms(wire: Wire, processor_ns: float, network: Network) -> float:
    """Milliseconds until the client may send its request. `processor_ns`: of both sides."""
    sent = (wire.client_bytes + wire.server_bytes) * FRAME_BYTES / SEGMENT_BYTES
    on_the_line_ms = sent * 8 / (network.mbit_s * 1e3)
    return round_trips(wire) * network.round_trip_ms + on_the_line_ms + processor_ns / 1e6
