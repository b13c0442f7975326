# SPDX-License-Identifier: Apache-2.0
"""Whether the tests notice a slip: a copy of the checkout with the one change, and the tests that cover the file, from cheap to dear, until one fails."""

from __future__ import annotations

import fnmatch
import os
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

from tools.mutants.slips import Slip

# A slip may loop for ever: it is noticed where its tests take so many times as long as without it, and this much more.
PATIENCE, PATIENCE_S = 8.0, 60.0
Stage = tuple[str, ...]


@dataclass(frozen=True)
class Verdict:
    """`state`: noticed, survived, or invalid (it does not compile). `by`: the first test that failed, or "time"."""

    state: str
    by: str
    seconds: float


class Covering:
    """Which tests judge a file: `tests/mutants.toml`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        document = tomllib.loads((root / "tests" / "mutants.toml").read_text(encoding="utf-8"))
        self._rules = [(rule["path"], rule["stages"]) for rule in document["file"]]

    def stages(self, path: str) -> list[Stage]:
        """Test files, cheap ones first; each once. Raises LookupError if no rule names the file."""
        for pattern, stages in self._rules:
            if fnmatch.fnmatchcase(path, pattern):
                return self._files(stages, Path(path).stem)
        raise LookupError(f"tests/mutants.toml: no rule for {path}")

    def _files(self, stages: list[list[str]], stem: str) -> list[Stage]:
        found: list[Stage] = []
        seen: set[str] = set()
        for stage in stages:
            names = (
                str(file.relative_to(self._root))
                for part in stage
                for file in sorted(self._root.glob(part.format(stem=stem)))
            )
            fresh = tuple(dict.fromkeys(name for name in names if name not in seen))
            seen |= set(fresh)
            if fresh:
                found.append(fresh)
        return found


class Bench:
    """A copy of the checkout to plant slips in."""

    def __init__(self, root: Path, target: Path) -> None:
        self._target = target
        self._usual_s: dict[Stage, float] = {}
        listed = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
        names = subprocess.run(listed, cwd=root, check=True, capture_output=True, text=True).stdout.split("\0")
        for name in filter(None, names):
            if (root / name).is_file():
                (target / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(root / name, target / name, follow_symlinks=False)

    def judge(self, slip: Slip, stages: list[Stage]) -> Verdict:
        """Plants the slip, asks, and takes it out again."""
        file = self._target / slip.path
        honest = file.read_text(encoding="utf-8")
        for stage in stages:
            self._usual(stage)
        began = time.monotonic()
        try:
            self._write(file, slip.applied(honest))
            if (invalid := self._does_not_compile(file)) is not None:
                return Verdict("invalid", invalid, time.monotonic() - began)
            for stage in stages:
                failed = self._failing(stage, PATIENCE * self._usual(stage) + PATIENCE_S)
                if failed is not None:
                    return Verdict("noticed", failed, time.monotonic() - began)
        finally:
            self._write(file, honest)
        return Verdict("survived", "", time.monotonic() - began)

    def _usual(self, stage: Stage) -> float:
        """Seconds of a stage without a slip; it must pass. Raises RuntimeError."""
        if stage not in self._usual_s:
            began = time.monotonic()
            if (failed := self._failing(stage, 3600.0)) is not None:
                raise RuntimeError(f"without any slip, these tests fail: {' '.join(stage)}: {failed}")
            self._usual_s[stage] = time.monotonic() - began
        return self._usual_s[stage]

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
        include = ["-I", str(self._target / "sdk/c/include"), "-I", str(file.parent)]
        done = subprocess.run(["cc", "-std=c11", "-D_GNU_SOURCE", "-fsyntax-only", *include, str(file)], capture_output=True, text=True, check=False)  # fmt: skip
        return done.stderr.partition("error: ")[2].partition("\n")[0] if done.returncode else None

    def _failing(self, stage: Stage, limit_s: float) -> str | None:
        """The first test that fails, or "time"; None if all pass."""
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-rfE", "--tb=no", "--no-header", "-p", "no:cacheprovider", *stage]  # fmt: skip
        environment = {**os.environ, "PYTHONPATH": str(self._target / "src"), "HYPOTHESIS_STORAGE_DIRECTORY": str(self._target / ".hypothesis")}  # fmt: skip
        process = subprocess.Popen(
            command,
            cwd=self._target,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        try:
            said, _ = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return "time"
        if process.returncode == 0:
            return None
        named = [line.split(" - ")[0] for line in said.splitlines() if line.startswith(("FAILED ", "ERROR "))]
        return (
            named[0].partition(" ")[2] if named else (said.strip().splitlines() or [f"exit {process.returncode}"])[-1]
        )
