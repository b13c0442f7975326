# SPDX-License-Identifier: Apache-2.0
"""Console blocks: commands, what they printed, and what the page says that they print."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from kept import share_built
from pages import ROOT
from scripts import OPEN_GATE

LIMIT_S = 1800  # the first command of all builds every worker
_END = "@@end-of-command:"


@dataclass(frozen=True)
class Step:
    """A command and the lines that the page shows after it; `...` stands for any lines, or for the rest of a line."""

    command: str
    expected: tuple[str, ...]


def steps(lines: tuple[str, ...]) -> list[Step]:
    """The steps of a block. A line that ends in a backslash goes on in the next, which begins with `> `."""
    found: list[tuple[list[str], list[str]]] = []
    for line in lines:
        if line.startswith("$ "):
            found.append(([line[2:]], []))
        elif not found:
            raise ValueError(f"a console block begins with a command, not with '{line}'")
        elif line.startswith("> ") and found[-1][0][-1].endswith("\\"):
            found[-1][0].append(line[2:])
        else:
            found[-1][1].append(line)
    return [Step("\n".join(command), tuple(expected)) for command, expected in found]


def matches(expected: tuple[str, ...], printed: tuple[str, ...]) -> bool:
    """Whether the lines printed are those expected. Spaces at the end of a line do not count."""
    if not expected:
        return not any(line.strip() for line in printed)
    if expected[0].strip() == "...":
        return any(matches(expected[1:], printed[k:]) for k in range(len(printed) + 1)) or len(expected) == 1
    if not printed:
        return False
    pattern = ".*".join(re.escape(part) for part in expected[0].rstrip().split("..."))
    return re.fullmatch(pattern, printed[0].rstrip()) is not None and (
        matches(expected[1:], printed[1:]) if len(expected) > 1 else not any(line.strip() for line in printed[1:])
    )


@dataclass(frozen=True)
class Home:
    """A folder like a checkout, with `cipherstone` on the path, a cache of workers and two small runs. Nothing outside of it is written."""

    folder: Path

    @staticmethod
    def make(folder: Path, built: Path) -> Home:
        """A home without runs. `built`: a cache with workers that others made."""
        (folder / "bin").mkdir(parents=True)
        (folder / "tmp").mkdir()
        share_built(folder / "cache" / "cipherstone", built)
        shim = folder / "bin" / "cipherstone"
        # Whether this machine is quiet is not what these tests ask.
        (folder / "open_gate.py").write_text(OPEN_GATE)
        shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{folder / "open_gate.py"}" "$@"\n')
        shim.chmod(0o755)
        return Home(folder)

    def checkout(self, name: str) -> Path:
        """A new working folder: the checkout's entries as links, the runs as copies."""
        place = self.folder / name
        place.mkdir()
        for entry in ROOT.iterdir():
            if entry.name[0] != "." and entry.name != "runs":
                (place / entry.name).symlink_to(entry)
        if (self.folder / "runs").exists():
            shutil.copytree(self.folder / "runs", place / "runs")
        return place

    def environment(self) -> dict[str, str]:
        """What commands see of the environment."""
        return {
            "PATH": f"{self.folder / 'bin'}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT / "src"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONUNBUFFERED": "1",  # both outputs in the order in which a terminal shows them
            "HOME": str(self.folder),
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "TMPDIR": str(self.folder / "tmp"),
            "CIPHERSTONE_LOCKS": str(self.folder / "tmp"),
            "INSTALL": "no",
            "LC_ALL": "C.UTF-8",
            "TERM": "dumb",
        }

    def shell(self, script: str, place: Path) -> subprocess.CompletedProcess[str]:
        """Runs a script; both outputs as one, in order."""
        return subprocess.run(
            ["sh"],
            input=script,
            cwd=place,
            env=self.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )

    def play(self, block: list[Step], place: Path) -> list[str]:
        """Runs a block in one shell; a line for each thing that is not as the page says."""
        script = "".join(f"{s.command}\ncs=$?; printf '\\n{_END}%d\\n' $cs; (exit $cs)\n" for s in block)
        pieces = re.split(rf"\n{_END}(\d+)\n", self.shell(script, place).stdout)
        problems = []
        for index, step in enumerate(block):
            if 2 * index + 1 >= len(pieces):
                return [*problems, f"{step.command}: the shell ended: {pieces[-1]}"]
            printed, status = pieces[2 * index], int(pieces[2 * index + 1])
            if status and not shows_failure(block, index):
                problems.append(f"$ {step.command}\nexit code {status}:\n{printed}")
            elif not matches(step.expected, tuple(printed.splitlines())):
                problems.append(f"$ {step.command}\nthe page says:\n" + "\n".join(step.expected) + f"\nbut:\n{printed}")
        return problems


def shows_failure(block: list[Step], index: int) -> bool:
    """Whether the page says that this command fails: it shows the error, or asks for the exit code next."""
    if any("error: " in line for line in block[index].expected):
        return True
    return index + 1 < len(block) and block[index + 1].command == "echo $?"
