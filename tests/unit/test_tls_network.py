# SPDX-License-Identifier: Apache-2.0
"""The model of a network: round trips, windows and bytes, by hand."""

from __future__ import annotations

import pytest

from cipherstone.labs.tls.network import Network, extra_round_trips, round_trips, until_request_ms
from cipherstone.labs.tls.results import Wire


def wire(flights: int = 3, server_bytes: int = 1460, client_bytes: int = 0) -> Wire:
    return Wire(client_bytes, server_bytes, 2, 3, 1, 1, flights, 200)


@pytest.mark.parametrize(("flights", "trips"), [(3, 2), (4, 3)])
def test_round_trips_are_those_of_the_connection_and_of_the_versions(flights: int, trips: int) -> None:
    """TLS 1.3, and TLS 1.2 resumed, need one; TLS 1.2 two."""
    assert round_trips(wire(flights)) == trips


@pytest.mark.parametrize(
    ("flight_bytes", "waits"), [(0, 0), (14_600, 0), (14_601, 1), (3 * 14_600, 1), (3 * 14_600 + 1, 2), (7 * 14_600, 2)]
)
def test_a_flight_that_outgrows_the_window_waits(flight_bytes: int, waits: int) -> None:
    assert extra_round_trips(flight_bytes) == waits


def test_times_add_up() -> None:
    """1,460 bytes are 1,500 on the line: 12 ms at 1 Mbit/s; 2 round trips of 5 ms; 3 ms of processors."""
    assert until_request_ms(wire(), 3e6, Network("x", 5, 1)) == pytest.approx(25.0)
