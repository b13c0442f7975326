# SPDX-License-Identifier: Apache-2.0
"""Peers that mean no good: what they say is written at once and fits into the socket's buffer, so that none needs a process of its own."""

from __future__ import annotations

import socket
from contextlib import suppress
from typing import NamedTuple

from cipherstone.operations.splitmix import splitmix64

_ALERT, _HANDSHAKE = 0x15, 0x16
_CLIENT_HELLO, _SERVER_HELLO = 1, 2
_SEED = 12
_HANDSHAKE_FAILURE = bytes((2, 40))
# user_canceled (RFC 5246 section 7.2.2), which need not end the connection; of so many a library must have enough at some time.
_WARNING = bytes.fromhex("15 0303 0002 015a")
_WARNINGS = 12_000


def _record(kind: int, body: bytes) -> bytes:
    return bytes((kind, 3, 3)) + len(body).to_bytes(2, "big") + body


def _hello(kind: int) -> bytes:
    """A first message that says 120 bytes and means nothing."""
    return bytes((kind, 0, 0, 120, 3, 3)) + splitmix64(_SEED, 118)


class Nonsense(NamedTuple):
    """What a hostile peer does. `says`: to a client, to a server; `goes`: it closes the connection, else it stays and is silent."""

    does: str
    says: tuple[bytes, bytes] = (b"", b"")
    goes: bool = False

    def play(self, end: socket.socket, against: str) -> None:
        """Does it, at its end of a connection, against a `client` or a `server`."""
        end.setblocking(False)
        with suppress(OSError):  # the victim has gone, or the buffer is full: both will do
            left = self.says[against == "server"]
            while left:
                left = left[end.send(left) :]
        if self.goes:
            end.close()


def _both(data: bytes) -> tuple[bytes, bytes]:
    return data, data


def _half() -> tuple[bytes, bytes]:
    to_client, to_server = (_record(_HANDSHAKE, _hello(kind)) for kind in (_SERVER_HELLO, _CLIENT_HELLO))
    return to_client[:64], to_server[:64]


HOSTILE = (
    Nonsense("hangs"),
    Nonsense("closes", goes=True),
    Nonsense("half a record", _half()),
    Nonsense("half, closes", _half(), goes=True),
    Nonsense("garbage", _both(splitmix64(_SEED, 4096))),
    Nonsense("alert", _both(_record(_ALERT, _HANDSHAKE_FAILURE))),
    Nonsense("warnings", _both(_WARNING * _WARNINGS)),
)
