# SPDX-License-Identifier: Apache-2.0
"""Whether the tests notice a slip: a copy of the checkout with the one change, and the tests that run its place, from cheap to dear, until one fails."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from typing import Any

from tools.mutants.slips import Slip

# A slip may wait for ever: it is noticed where its tests take so many times as long as their CPU time without it, and this much more. Long, for a busy machine.
PATIENCE, PATIENCE_S = 15.0, 120.0
STEP_S = 0.5
# Tests have limits of their own, by the clock: what failed while all of this stood still for so long is asked again, so often.
STOOD_STILL_S, AGAIN = 10.0, 5
ALONE_S = 20.0  # of a test whose cost is not known
# Files of tests whose cost is not known: those of the SDK, which take two minutes together.
WHOLE_S = 400.0


@dataclass(frozen=True)
class Verdict:
    """`state`: noticed, survived, or invalid (it does not compile). `by`: the first test that failed, or "time"."""

    state: str
    by: str
    seconds: float


class Deadline:
    """Calls `late` when so many seconds have passed. A second in which this process did not run does not count: whoever stops it, or puts the machine to sleep, stops the tests, too."""

    def __init__(self, limit_s: float, late: Callable[[], None]) -> None:
        self.over = False
        self.stood_still = False
        self._limit_s, self._late = limit_s, late
        self._done = Event()
        self._thread = Thread(target=self._watch, daemon=True)
        self._thread.start()

    def end(self) -> bool:
        """Nobody waits any more. Whether it was too late."""
        self._done.set()
        self._thread.join()
        return self.over

    def _watch(self) -> None:
        seen_s, last = 0.0, time.monotonic()
        while not self._done.wait(STEP_S):
            now = time.monotonic()
            self.stood_still |= now - last >= STOOD_STILL_S
            seen_s, last = seen_s + min(now - last, 2 * STEP_S), now
            if seen_s >= self._limit_s:
                self.over = True
                self._late()
                return


class Bench:
    """A copy of the checkout to plant slips in, and a process in it that runs tests. One that ends is started again: it says nothing about a slip."""

    def __init__(self, root: Path, target: Path) -> None:
        self.target = target
        self._stood_still = False
        listed = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
        names = subprocess.run(listed, cwd=root, check=True, capture_output=True, text=True).stdout.split("\0")
        for name in filter(None, names):
            if (root / name).is_file():
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(root / name, target / name, follow_symlinks=False)
        self._process = self._started()

    def _started(self) -> subprocess.Popen[str]:
        paths = os.pathsep.join((str(self.target / "src"), str(self.target)))
        return subprocess.Popen(
            [sys.executable, "-m", "tools.mutants.asking"],
            cwd=self.target,
            env={**os.environ, "PYTHONPATH": paths, "OPENBLAS_NUM_THREADS": "1", "CS_KEEP": "no"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def close(self) -> None:
        """Ends the process."""
        with contextlib.suppress(BrokenPipeError):
            self._process.communicate()

    def judge(self, slip: Slip, asked: list[tuple[list[str], dict[str, float]]]) -> Verdict:
        """Plants the slip, asks, and takes it out again. `asked`: files, and tests of them in their order with their CPU seconds; no tests: all of the files."""
        file = self.target / slip.path
        honest = file.read_text(encoding="utf-8")
        began = time.monotonic()
        try:
            slipped = slip.applied(honest)
            self._write(file, slipped)
            if (invalid := self._does_not_compile(file)) is not None:
                return Verdict("invalid", invalid, time.monotonic() - began)
            for files, usual_s in asked:
                limit_s = PATIENCE * sum(usual_s.values()) + PATIENCE_S if usual_s else WHOLE_S
                question = {"files": files, "usual_s": usual_s, "record": None}
                while (failed := self._failed(question, limit_s)) == "time":
                    self._write(file, honest)
                    if self._failed(question, limit_s) != "time":
                        break
                    limit_s *= 4  # it is the machine that takes so long
                    self._write(file, slipped)
                if failed is not None:
                    if failed.startswith("exit "):  # no test failed: what could not be asked?
                        self._write(file, honest)
                        if self.question(question, limit_s)["failed"] is not None:
                            raise RuntimeError(f"{' '.join(files)}: {failed} without a slip, too")
                    return Verdict("noticed", failed, time.monotonic() - began)
        finally:
            self._write(file, honest)
        return Verdict("survived", "", time.monotonic() - began)

    def _failed(self, question: dict[str, Any], limit_s: float) -> str | None:
        """The first test that failed while nobody was stopped, and does so again by itself; or None."""
        for _ in range(AGAIN):
            failed: str | None = self.question(question, limit_s)["failed"]
            if failed is None or (not self._stood_still and self._fails_again(failed, question, limit_s)):
                break
        return failed

    def _fails_again(self, failed: str, question: dict[str, Any], limit_s: float) -> bool:
        """What a busy machine makes fail once does not tell of a slip. A file that cannot be read, and the time, are no matter of chance."""
        file, is_test, _ = failed.partition("::")
        if not is_test:
            return True
        usual_s = question["usual_s"].get(failed, ALONE_S)
        again = self.question({"files": [file], "usual_s": {failed: usual_s}, "record": None}, limit_s)
        return again["failed"] is not None

    def question(self, question: dict[str, Any], limit_s: float = 7200.0) -> dict[str, Any]:
        """Asks the process, and once more where it gives no answer: what was ended from outside tells nothing. What takes longer than `limit_s`, with all that it started in its group, is ended: "time"."""
        for last in (False, True):
            with contextlib.suppress(BrokenPipeError):
                answer = self._asked(question, limit_s)
                if answer is not None:
                    return answer
            if self._process.poll() is not None:
                self._process = self._started()
            elif last:
                said = (self.target / "log.txt").read_text(encoding="utf-8", errors="replace").strip().splitlines()
                return {"failed": (said or ["no answer"])[-1]}
        raise RuntimeError("the process that runs the tests ends at every question")

    def _asked(self, question: dict[str, Any], limit_s: float) -> dict[str, Any] | None:
        """None: whoever was asked is gone."""
        assert self._process.stdin is not None and self._process.stdout is not None
        answer = self.target / "answer.json"
        answer.unlink(missing_ok=True)
        more = {"answer": str(answer), "log": str(self.target / "log.txt")}
        print(json.dumps({**question, **more}), file=self._process.stdin, flush=True)
        if not (number := self._process.stdout.readline()):
            self._process.wait()
            return None
        deadline = Deadline(limit_s, lambda: _end(int(number)))
        done = self._process.stdout.readline()
        late, self._stood_still = deadline.end(), deadline.stood_still
        if late:
            return {"failed": "time"}
        if not done:
            _end(int(number))
            self._process.wait()
            return None
        return dict(json.loads(answer.read_text(encoding="utf-8"))) if answer.exists() else None

    def _write(self, file: Path, text: str) -> None:
        file.write_text(text, encoding="utf-8")
        # A compiled file is believed by the second of its source's time and the length.
        for stale in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
            stale.unlink()

    def _does_not_compile(self, file: Path) -> str | None:
        """What is wrong with the text, or None."""
        if file.suffix == ".py":
            try:
                compile(file.read_text(encoding="utf-8"), str(file), "exec")
            except SyntaxError as error:
                return str(error)
            return None
        include = ["-I", str(self.target / "sdk/c/include"), "-I", str(file.parent)]
        done = subprocess.run(["cc", "-std=c11", "-D_GNU_SOURCE", "-fsyntax-only", *include, str(file)], capture_output=True, text=True, check=False)  # fmt: skip
        return done.stderr.partition("error: ")[2].partition("\n")[0] if done.returncode else None


def _end(group: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)
