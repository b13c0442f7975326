# SPDX-License-Identifier: Apache-2.0
"""Starts a program on an emulated board as it would be started here: `carry.py SECONDS EMULATOR WORD... -- [PORT HOST ANCHOR]`.

The program opens its result, which is standard output here, by a name. A client has no network: its bytes go through the emulator's standard streams, and a process beside it
carries them to PORT of this machine's own address and back. The emulator takes the place of this process, so that who ends it ends the emulator. FOOTPRINT_WATCH names the file for its memory.

Imports nothing of the package: it is started for every question of a proof.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
from contextlib import suppress

BROKEN = 2
SETTING = "-semihosting-config"
_ROOM = 1 << 16


def main(words: list[str]) -> None:
    """Does not return."""
    cut = words.index("--")
    seconds, emulator, asked = words[0], words[1:cut], words[cut + 1 :]
    told = os.environ.get("FOOTPRINT_WATCH")
    line = [seconds, "", _handed(told, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) if told else "-", "program"]
    ends = None
    if asked:
        port, host, anchor = asked
        line += ["-", host, _handed(anchor, os.O_RDONLY)]
        try:
            ends = _carried(int(port))
        except OSError:
            sys.exit(BROKEN)
    line[1] = _named(os.dup(1))
    if ends is None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    else:
        os.dup2(ends[0], 0)
        os.dup2(ends[1], 1)
    at = emulator.index(SETTING) + 1
    emulator[at] += "".join(f",arg={word}" for word in line)
    os.execvp(emulator[0], emulator)


def _handed(path: str, how: int) -> str:
    """A name by which the emulator opens the same file, without spaces and short."""
    return _named(os.open(path, how, 0o600))


def _named(file: int) -> str:
    os.set_inheritable(file, True)
    return f"/dev/fd/{file}"


def _carried(port: int) -> tuple[int, int]:
    """(what the program reads, what it writes): ends of a connection that another process carries."""
    peer = socket.create_connection(("127.0.0.1", port))
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    read, given = os.pipe()
    taken, write = os.pipe()
    if os.fork() == 0:
        with suppress(OSError):
            nowhere = os.open(os.devnull, os.O_RDWR)
            for file in (0, 1, 2):
                os.dup2(nowhere, file)
            os.close(read)
            os.close(write)
            threading.Thread(target=_to_program, args=(peer, given), daemon=True).start()
            while data := os.read(taken, _ROOM):
                peer.sendall(data)
        os._exit(0)
    return read, write


def _to_program(peer: socket.socket, to: int) -> None:
    with suppress(OSError):
        while data := peer.recv(_ROOM):
            while data:
                data = data[os.write(to, data) :]
    os.close(to)


if __name__ == "__main__":
    main(sys.argv[1:])
