# SPDX-License-Identifier: Apache-2.0
"""Instructions of one side of a handshake, ours and OpenSSL's programs, as callgrind counts them: the same whatever else the machine does."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

from cipherstone.labs.tls.interop.peers import Peer
from cipherstone.labs.tls.interop.trial import Question
from cipherstone.labs.tls.results import CLIENT, LAB, SERVER
from cipherstone.labs.tls.servers.load import asked, checked
from cipherstone.model.errors import CipherstoneError
from cipherstone.worker import WorkerProcess

FEW, MANY = 4, 20  # handshakes: the slope between them leaves out what a process costs that starts
SHORT_S, LONG_S = 2, 6  # the same for a program that takes no number
SLOWER = 30.0  # under callgrind, and a margin
ENDS_S = 120
_TOTAL = re.compile(r"^totals: (\d+)", re.MULTILINE)
_CONNECTIONS = re.compile(r"^(\d+) connections in [\d.]+s;", re.MULTILINE)


def callgrind() -> str | None:
    """The program, where it is."""
    return shutil.which("valgrind")


class Counts:
    """For one kind of handshake. `serve` and `connect`: words of OpenSSL's server on a port for a number of connections, and of its client for some seconds. Everything raises CipherstoneError where a program does not do as it should."""

    def __init__(
        self,
        load: Peer,
        question: Question,
        serve: Callable[[int, int], Sequence[str]],
        connect: Callable[[int, int], Sequence[str]],
    ) -> None:
        self._load = load
        self._question = question
        self._serve = serve
        self._connect = connect

    def ours(self, verb: str) -> float:
        """Millions of instructions of our side, over sockets."""
        return self._slope(verb, lambda stack, out, count: self._both(stack, verb, out, count))

    def theirs(self, verb: str) -> float:
        """The same of OpenSSL's program."""
        return self._slope(verb, self._served) if verb == SERVER else self._slope_in_time()

    def _slope(self, verb: str, run: Callable[[ExitStack, Path, int], None]) -> float:
        few, many = (
            self._total(f"{count} connections ({verb})", partial(_with_count, run, count)) for count in (FEW, MANY)
        )
        return (many - few) / (MANY - FEW) / 1e6

    def _slope_in_time(self) -> float:
        """Of the client, whose connections are counted by itself."""
        found = []
        for seconds in (SHORT_S, LONG_S):
            connections = 0

            def run(stack: ExitStack, out: Path, seconds: int = seconds) -> None:
                nonlocal connections
                connections = self._timed(stack, out, seconds)

            found.append((self._total("s_time", run), connections))
        (one, some), (other, more) = found
        if more <= some:
            raise CipherstoneError("s_time makes no more connections in a longer time", "")
        return (other - one) / (more - some) / 1e6

    def _total(self, what: str, run: Callable[[ExitStack, Path], None]) -> int:
        with tempfile.TemporaryDirectory(prefix="cipherstone-count-") as name:
            out = Path(name) / "out"
            with ExitStack() as stack:
                run(stack, out)
            total = _TOTAL.search(out.read_text(encoding="utf-8", errors="replace")) if out.is_file() else None
        if total is None:
            raise CipherstoneError(f"callgrind counted nothing of {what}", "")
        return int(total[1])

    def _counted(self, out: Path, words: Sequence[str]) -> list[str]:
        return [callgrind() or "", "--tool=callgrind", f"--callgrind-out-file={out}", *words]

    def _worker(self, stack: ExitStack, words: Sequence[str], side: str, where: int, count: int) -> WorkerProcess:
        descriptors = (where,) if side == "server" else ()
        environment = {**self._load.environment, "PATH": os.defpath, "TLS_LOAD": f"{side},{where},{count},{ENDS_S}"}
        made = WorkerProcess(words, environment=environment, patience=SLOWER, descriptors=descriptors)
        worker = stack.enter_context(made)
        worker.prepare(0, f"{LAB}/{CLIENT if side == 'client' else SERVER}", "default", self._question.texts)
        return worker

    def _both(self, stack: ExitStack, verb: str, out: Path, count: int) -> None:
        """Our two sides; the one of `verb` is counted."""
        listening = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        port, fd = listening.getsockname()[1], listening.fileno()
        words = {one: self._counted(out, self._load.command) if one == verb else self._load.command for one in (CLIENT, SERVER)}  # fmt: skip
        server = self._worker(stack, words[SERVER], "server", fd, count)
        client = self._worker(stack, words[CLIENT], "client", port, count)
        for answer in [asked(server), asked(client)]:
            checked(answer(), self._question.due)

    def _served(self, stack: ExitStack, out: Path, count: int) -> None:
        """OpenSSL's server, counted, and our client."""
        port = _free_port()
        _start(stack, self._counted(out, self._serve(port, count + 1)), port)  # one looks whether it listens
        client = self._worker(stack, self._load.command, "client", port, count)
        checked(asked(client)(), self._question.due)

    def _timed(self, stack: ExitStack, out: Path, seconds: int) -> int:
        """OpenSSL's client, counted, and its server; the connections that it made."""
        port = _free_port()
        _start(stack, self._serve(port, 0), port)
        words = self._counted(out, self._connect(port, seconds))
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=ENDS_S, check=False)
        found = _CONNECTIONS.search(done.stdout.decode(errors="replace"))
        if found is None:
            raise CipherstoneError("`openssl s_time` made no connection", "")
        return int(found[1])


def _with_count(run: Callable[[ExitStack, Path, int], None], count: int, stack: ExitStack, out: Path) -> None:
    run(stack, out, count)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def _start(stack: ExitStack, words: Sequence[str], port: int) -> None:
    """A server that ends with the stack, by itself if it has served all."""
    process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    stack.callback(_end, process)
    deadline = time.monotonic() + ENDS_S
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5):
            return
        time.sleep(0.05)
    raise CipherstoneError(f"`{words[0]}` does not listen", "")


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
