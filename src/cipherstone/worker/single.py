# SPDX-License-Identifier: Apache-2.0
"""A worker started for one call, as a program that does one thing: what the whole process took, and what it left."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from cipherstone.model.errors import WorkerError
from cipherstone.protocol.messages import Computed, one_line
from cipherstone.worker import descendants
from cipherstone.worker.environment import BASE_ENVIRONMENT
from cipherstone.worker.process import STDERR_TAIL_BYTES

CAPABILITY = "once"  # of a worker that can be started so
TIMEOUT_S = 120.0
HEX_BYTES = 4 << 20  # of an output that is taken as it is; of a longer one length and CRC-32
MOST_OUTPUT_BYTES = 256 << 20  # PROTOCOL.md, `room`
# Exit statuses of `--once` (PROTOCOL.md section 6).
_COMPUTED, _REJECTED, _REFUSED = 0, 3, 4


class Single(msgspec.Struct, frozen=True):
    """One process. `wall_ns`: from its start to its end; `cpu_ns`: user and system time together, in steps of 1000; `max_rss_kib`: its largest resident set. `computed`: what its one call gave."""

    wall_ns: int
    cpu_ns: int
    max_rss_kib: int
    computed: Computed


class Starter:
    """Starts processes through the launcher, in a folder for what they read and print. `cpu`: where they run, or None."""

    def __init__(self, launcher: Path, folder: Path, cpu: int | None = None) -> None:
        self._launcher = launcher
        self._folder = folder
        self._cpu = "-" if cpu is None else str(cpu)
        self._files: dict[bytes, str] = {}

    def file_of(self, data: bytes) -> str:
        """The value that stands for a file with these bytes, which is written once."""
        if data not in self._files:
            path = self._folder / f"input-{len(self._files)}"
            path.write_bytes(data)
            self._files[data] = f"file:{path}"
        return self._files[data]

    def start(
        self,
        command: Sequence[str],
        fields: Mapping[str, object],
        environment: Mapping[str, str],
        patience: float = 1.0,
    ) -> Single:
        """One process, which is awaited. Raises WorkerError if it crashes, hangs or refuses."""
        out, err = self._folder / "output", self._folder / "errors"
        env = {**BASE_ENVIRONMENT, **environment, "CS_PAD": "x" * random.randrange(4096)}
        words = [str(self._launcher), self._cpu, str(out), str(err), *(f"{k}={v}" for k, v in env.items())]
        words += ["--", str(Path(command[0]).absolute()), *command[1:], "--once"]
        words += [f"{name}={value}" for name, value in fields.items() if value is not None]
        told = self._launch(words, err, TIMEOUT_S * patience)
        try:
            wall, user, system, rss = map(int, told[:4])
            how, status = told[4], int(told[5])
        except (IndexError, ValueError):
            raise WorkerError("crashed", f"the launcher says {' '.join(told)!r}", _tail(err)) from None
        if how == "signalled":
            raise WorkerError("crashed", f"killed by {signal.Signals(status).name}", _tail(err))
        return Single(wall, (user + system) * 1000, rss, _computed(status, out, err))

    def _launch(self, words: Sequence[str], err: Path, timeout_s: float) -> list[str]:
        with descendants.starting() as workers:
            process = subprocess.Popen(
                words,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={},
                start_new_session=True,
            )
            workers.add(process.pid)
        in_order = False
        with process:
            try:
                told, said = process.communicate(timeout=timeout_s)
                in_order = True
            except subprocess.TimeoutExpired:
                raise WorkerError("timed-out", f"did not end within {timeout_s:g} s", _tail(err)) from None
            finally:
                _end(process)
                descendants.ended(process.pid, in_order)
        if process.returncode != 0:
            raise WorkerError("crashed", one_line(said.decode("utf-8", "replace").strip(), 400))
        return told.decode("ascii", "replace").split()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kills the launcher, what it started, and what that left behind."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass


def _computed(status: int, out: Path, err: Path) -> Computed:
    if status == _COMPUTED:
        size = out.stat().st_size
        if size > MOST_OUTPUT_BYTES:
            raise WorkerError("crashed", f"printed {size} bytes", _tail(err))
        if size > HEX_BYTES:
            return Computed(result="ok", len=size, crc32=_crc32(out))
        return Computed(result="ok", out=out.read_bytes().hex())
    if status == _REJECTED:
        return Computed(result="rejected")
    if status == _REFUSED:
        raise WorkerError("crashed", f"refused what it did before: {_tail(err)}")
    return Computed(result="error", detail=_tail(err) or f"ended with status {status}")


def _crc32(path: Path) -> str:
    total = 0
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            total = zlib.crc32(block, total)
    return f"{total:08x}"


def _tail(path: Path) -> str:
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - STDERR_TAIL_BYTES))
            data = file.read(STDERR_TAIL_BYTES)
    except OSError:
        return ""
    return one_line(" ".join(data.decode("utf-8", "replace").split()), 400)
