# SPDX-License-Identifier: Apache-2.0
"""Servers of the distribution: how each is started with one certificate on a port of 127.0.0.1, ended with all of its processes, and what they have used of processors."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import time
from base64 import encodebytes
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from cipherstone.build.systems import System
from cipherstone.catalogue.sources import Packages
from cipherstone.model.errors import CipherstoneError
from cipherstone.operations.certificate import elements
from cipherstone.worker.ended import reap

HOST = "127.0.0.1"
STARTS_IN_S, ENDS_IN_S = 10.0, 3.0
PROC = Path("/proc")
_SESSION, _USER, _SYSTEM = 3, 11, 12  # fields of /proc/PID/stat behind the name


class ServerProgram(NamedTuple):
    """`versions`: words that make it tell its version. `configure` writes what it needs into a folder and gives the words that start it in the foreground."""

    name: str
    title: str
    packages: Packages
    version: tuple[str, ...]
    configure: Callable[[Path, int], tuple[str, ...]]


class Used(NamedTuple):
    """What a server's processes have used since they began: ns in all, and ticks of the clock by user and system, which say how to divide it."""

    ns: int
    user: int
    system: int

    def since(self, before: Used) -> Used:
        """What came between."""
        return Used(*(now - then for now, then in zip(self, before, strict=True)))

    def and_of(self, other: Used) -> Used:
        """Both together."""
        return Used(*(one + two for one, two in zip(self, other, strict=True)))

    def parts_us(self, handshakes: int) -> tuple[float, float]:
        """(user, system) in microseconds of one of so many handshakes."""
        each, ticks = self.ns / 1e3 / handshakes, self.user + self.system
        user = each * self.user / ticks if ticks else each
        return user, each - user


NOTHING_USED = Used(0, 0, 0)


def _nginx(folder: Path, port: int) -> tuple[str, ...]:
    places = "\n".join(
        f"  {name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"""daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr crit;
events {{ worker_connections 256; }}
http {{
  access_log off;
{places}
  server {{
    listen {HOST}:{port} ssl;
    ssl_certificate {folder}/chain.pem;
    ssl_certificate_key {folder}/key.pem;
    ssl_protocols TLSv1.2 TLSv1.3;
    return 204;
  }}
}}
""",
        encoding="utf-8",
    )
    return ("-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", "stderr")


def _haproxy(folder: Path, port: int) -> tuple[str, ...]:
    (folder / "haproxy.cfg").write_text(
        f"""global
  maxconn 256
  nbthread 1
defaults
  mode http
  option dontlognull
  timeout client 10s
  timeout server 10s
  timeout connect 10s
frontend tls
  bind {HOST}:{port} ssl crt {folder}/all.pem ssl-min-ver TLSv1.2
  http-request return status 204
""",
        encoding="utf-8",
    )
    return ("-db", "-f", str(folder / "haproxy.cfg"))


def _packages(name: str) -> Packages:
    return Packages(debian=(name,), fedora=(name,), arch=(name,), alpine=(name,), macos=(name,))


PROGRAMS = {
    one.name: one
    for one in (
        ServerProgram("nginx", "nginx", _packages("nginx"), ("-v",), _nginx),
        ServerProgram("haproxy", "HAProxy", _packages("haproxy"), ("-v",), _haproxy),
    )
}
_FURTHER = "/usr/local/sbin:/usr/sbin:/sbin"  # where servers are, and where users' paths often do not lead


def found(program: ServerProgram) -> str | None:
    """Where it is."""
    return shutil.which(program.name) or shutil.which(program.name, path=_FURTHER)


def missing(program: ServerProgram, system: System | None) -> str:
    """Why it is left out: which package to install."""
    packages = getattr(program.packages, system.key) if system is not None else ()
    return f"no {program.name}" + (f" (package {' '.join(packages)})" if packages else "")


def version_of(program: ServerProgram, path: str) -> str:
    """`1.22.1`; "" if it does not say."""
    done = subprocess.run([path, *program.version], capture_output=True, text=True, timeout=60, check=False)
    told = re.search(r"\d+(\.\d+)+", done.stdout + done.stderr)
    return told[0] if told else ""


def write_certificates(folder: Path, inputs: Mapping[str, bytes]) -> None:
    """The chain and the key of a case as PEM: `chain.pem`, `key.pem`, and `all.pem` with both."""
    body = encodebytes(inputs["key"]).decode()
    key = f"-----BEGIN PRIVATE KEY-----\n{body}-----END PRIVATE KEY-----\n"
    path = [inputs["leaf"], *(one.whole for one in elements(inputs.get("intermediates", b"")))]
    chain = "".join(map(ssl.DER_cert_to_PEM_cert, path))
    for name, text in (("chain.pem", chain), ("key.pem", key), ("all.pem", chain + key)):
        (folder / name).write_text(text, encoding="ascii")
        (folder / name).chmod(0o600)


class Server:
    """A program that runs. `port`: where it listens."""

    def __init__(self, program: ServerProgram, process: subprocess.Popen[bytes], port: int) -> None:
        self.program = program
        self.port = port
        self._process = process

    @property
    def processes(self) -> list[int]:
        """All of its processes, which are those of its session."""
        return list(_of_session(self._process.pid))

    def used(self) -> Used:
        """What they have used so far."""
        total = NOTHING_USED
        for pid in self.processes:
            with suppress(OSError, ValueError, IndexError):
                total = total.and_of(_used_by(pid))
        return total


@contextmanager
def running(program: ServerProgram, path: str, folder: Path, cpu: int | None) -> Iterator[Server]:
    """Within, the program serves the certificates in `folder`; it ends with all of its processes, however this is left. Raises CipherstoneError if it does not start."""
    port = _free_port()
    words = [path, *program.configure(folder, port)]
    if (setpriv := shutil.which("setpriv")) is not None:
        words = [setpriv, "--pdeathsig", "TERM", *words]  # also if this process is killed
    with _pinned(cpu), (folder / "said.txt").open("wb") as said:
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=said, stderr=said, start_new_session=True)
    try:
        _wait_for(program, process, port, folder / "said.txt")
        yield Server(program, process, port)
    finally:
        _end(process)


@contextmanager
def _pinned(cpu: int | None) -> Iterator[None]:
    """Within, what is started runs on this processor alone."""
    if cpu is None or not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {cpu})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _free_port() -> int:
    with socket.socket() as one:
        one.bind((HOST, 0))
        port: int = one.getsockname()[1]
        return port


def _wait_for(program: ServerProgram, process: subprocess.Popen[bytes], port: int, said: Path) -> None:
    deadline = time.monotonic() + STARTS_IN_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            words = said.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            raise CipherstoneError(f"{program.name} ends at once", words[-1] if words else "without a word")
        with suppress(OSError), socket.create_connection((HOST, port), timeout=1):
            return
        time.sleep(0.02)
    raise CipherstoneError(f"{program.name} does not listen after {STARTS_IN_S:.0f} s", "")


def _end(process: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)
        deadline = time.monotonic() + ENDS_IN_S
        while time.monotonic() < deadline:
            process.poll()
            if not any(_of_session(process.pid)):
                break
            time.sleep(0.01)
        else:
            continue
        break
    reap(process)


def _fields(pid: int) -> list[str]:
    """Of /proc/PID/stat behind the name, which may have blanks and parentheses in it."""
    return (PROC / str(pid) / "stat").read_text(encoding="ascii", errors="replace").rpartition(") ")[2].split()


def _of_session(session: int) -> Iterator[int]:
    """Processes that are not yet gone."""
    for folder in PROC.glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):
            fields = _fields(int(folder.name))
            if int(fields[_SESSION]) == session and fields[0] != "Z":
                yield int(folder.name)


def _used_by(pid: int) -> Used:
    fields = _fields(pid)
    user, system = int(fields[_USER]), int(fields[_SYSTEM])
    tasks = (PROC / str(pid) / "task").glob("*/schedstat")
    ns = sum(int(task.read_text(encoding="ascii").split()[0]) for task in tasks)
    return Used(ns or (user + system) * 1_000_000_000 // os.sysconf("SC_CLK_TCK"), user, system)
