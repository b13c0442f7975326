# SPDX-License-Identifier: Apache-2.0
"""What every command is called with to see what it touches, and what the tables of SECURITY.md let it touch."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any

import typer.main
from scripts import HASH, ROOT, CommandLine
from traced import Touch, Traced, traced

from cipherstone.cli.main import app

PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
# Where anybody's words go to nowhere, and what a process says of itself to the kernel.
HARMLESS = ("/dev/null", "/dev/tty", "/dev/stdout", "/dev/stderr", "/proc/self/*", "/proc/*/fd/*")
WORKERS = "workers"


def rows(title: str) -> dict[str, list[str]]:
    """A table of SECURITY.md whose first column is headed `title`: first cell -> the others."""
    found: dict[str, list[str]] = {}
    inside = False
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        inside = bool(cells) and (inside or cells[0] == title)
        if inside and cells[0] != title and not set(cells[0]) <= set("-:"):
            found[cells[0].strip("`")] = cells[1:]
    return found


def spans(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


@dataclass(frozen=True)
class Allowed:
    """A row of the table of commands, its words replaced by what they stand for."""

    writes: tuple[str, ...]
    runs: tuple[str, ...]
    reaches: frozenset[str]


@cache
def allowed(command: str) -> Allowed:
    programs = {word: spans(cells[0]) for word, cells in rows("programs").items()}
    _, writes, runs, reaches = rows("command")[command]
    known = [pattern for word in spans(runs) for pattern in (word, *programs[word])]
    found = Allowed(tuple(spans(writes)), tuple(known), frozenset(spans(reaches)))
    if "as above" not in writes:
        return found
    above = allowed(" ".join(word for word in command.split() if not word.startswith("--")))
    return Allowed(above.writes + found.writes, above.runs + found.runs, above.reaches | found.reaches)


def every_command() -> Iterator[str]:
    """All that the parser knows, subcommands too."""

    def below(command: Any, name: str) -> Iterator[str]:
        if name:
            yield name
        for word in getattr(command, "commands", {}):
            yield from below(command.commands[word], f"{name} {word}".strip())

    yield from below(typer.main.get_command(app), "")


@dataclass
class Desk:
    """A command line whose places lie apart: what is written to one of them is told from what is written to another. `worker`: a scripted one in a folder of its own; `tree`: a checkout of the toy library, with two commits."""

    cli: CommandLine
    worker: Path = Path()
    tree: Path = Path()

    @property
    def places(self) -> dict[str, Path]:
        home = self.cli.home
        return {
            "runs": home / "runs",
            "cache": self.cli.cache,
            "locks": home / "locks",
            "temporary": home / "tmp",
            "output": home / "output",
        }

    def __call__(self, *words: object, **more: str) -> Traced:
        home = self.cli.home
        for folder in (home / "user", home / "locks", home / "output"):
            folder.mkdir(exist_ok=True)
        own = {"CIPHERSTONE_LOCKS": str(home / "locks"), "HOME": str(home / "user"), "INSTALL": "no"}
        # Bytecode beside its modules is the interpreter's, not a command's.
        environment = {**self.cli.env(), **own, "PYTHONDONTWRITEBYTECODE": "1", **more}
        environment |= {name: os.environ[name] for name in ("RUSTUP_HOME",) if name in os.environ}
        return traced(self.cli.command(*words), home, environment, home / "trace")

    def outside(self, command: str, done: Iterable[Touch]) -> list[str]:
        """What the table does not let `command` do."""
        row, found = allowed(command), []
        places = [os.path.realpath(self.places[word]) for word in row.writes if word in self.places]
        # Parts of the cache that tests keep for each other are links.
        places += [os.path.realpath(part) for part in self.cli.cache.iterdir() if "cache" in row.writes]
        patterns = (*HARMLESS, *(word for word in row.writes if word.startswith("/")), f"{self.worker.parent}/*")
        for touch in done:
            if touch.kind == "run":
                if not self._may_run(touch, row):
                    found.append(str(touch))
            elif touch.kind == "write":
                path = os.path.join(os.path.realpath(os.path.dirname(touch.what)), os.path.basename(touch.what))  # noqa: PTH118,PTH119,PTH120
                walls = touch.by[-1] in ("bwrap", "unshare")  # the walls themselves, in a place of their own
                within = any(path == place or path.startswith(f"{place}/") for place in places)
                if not (within or walls or any(fnmatch(path, one) for one in patterns)):
                    found.append(str(touch))
            elif not self._may_reach(touch, row):
                found.append(str(touch))
        return found

    def _may_run(self, touch: Touch, row: Allowed) -> bool:
        name = Path(touch.what).name
        if len(touch.by) == 1 or any(fnmatch(name, pattern) for pattern in row.runs):
            return True
        # What a program that may be run starts is its own: a recipe behind the walls, a compiler's parts, a client of a registry.
        if any(fnmatch(by, pattern) for by in touch.by[1:-1] for pattern in row.runs):
            return True
        built = any(
            Path(touch.what).is_relative_to(place) for place in (self.places["cache"], self.places["temporary"])
        )
        return WORKERS in row.runs and (built or Path(touch.what) == self.worker)

    @staticmethod
    def _may_reach(touch: Touch, row: Allowed) -> bool:
        for word, known in (("loopback", ("127.0.0.1", "::1")), ("own network", ("198.18.*", "fe80:*"))):
            if word in row.reaches and (touch.kind == "socket" or any(fnmatch(touch.what, one) for one in known)):
                return True
        clients = ("cargo", "apt-get", "apt-cache", "go")
        return "registries" in row.reaches and any(by in clients for by in touch.by)


def hold(desk: Desk, command: str, *words: object, code: tuple[int, ...] = (0,), **more: str) -> Traced:
    done = desk(*words, **more)
    assert done.code in code and "Traceback" not in done.err, done.err + done.out
    assert [touch for touch in done.touches if touch.kind == "run"], "the trace is empty"
    outside = desk.outside(command, done.touches)
    assert outside == [], "\n".join(outside)
    return done


def own(desk: Desk, commit: str = "HEAD") -> str:
    """The toy library at a commit, as `--library` names it."""
    return f"ownhash+{'now' if commit == 'HEAD' else 'before'}=git:{desk.tree}@{commit}"


SHORT = ("--passes", 1, "--max-time", "1s", "--no-memory")
SQL = ("show", "--sql", "select count(*) from cells")
# A client of a registry, or an installer: it reaches for a network, and brings nothing.
CLIENT = f"""#!/bin/sh
exec {sys.executable} -IS -c 'import socket; socket.socket().connect_ex(("127.0.0.1", 9)); raise SystemExit(1)'
"""


def scripted(folder: Path, *names: str) -> str:
    """A PATH that begins with scripted clients of these names."""
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_text(CLIENT)
        (folder / name).chmod(0o755)
    if os.geteuid() != 0:
        (folder / "sudo").write_text('#!/bin/sh\nshift\nexec "$@"\n')
        (folder / "sudo").chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def calls(bare: Desk, whole: Desk) -> dict[str, list[Callable[[], Traced]]]:
    """Row of the table -> calls of that command. `bare`: a checkout with toys alone; `whole`: this one, with the libraries of the system."""

    def of(desk: Desk, row: str, *words: object, code: tuple[int, ...] = (0,), **more: str) -> Callable[[], Traced]:
        return lambda: hold(desk, row, *(words or row.split()), code=code, **more)

    path = scripted(bare.cli.home / "bin", "cargo", "apt-get")
    out = bare.cli.home / "output"
    sizes = whole.cli.home / "output" / "sizes.json"
    one = f"library:alpha op:{HASH} bytes:16384"
    any_code = (0, 1)  # on a busy machine a run of one pass has no figure
    openssl = ("-f", "build:openssl", *SHORT)
    return {
        "run": [
            of(bare, "run", "run", "--worker", bare.worker, "-f", one, "--passes", 6, "--max-time", "none", "--name", "first", "--report", "--base", "alpha"),
            of(bare, "run", "run", "-l", own(bare), "--base", "ownhash", *SHORT, code=any_code),
        ],
        "plan": [
            of(bare, "plan", "plan", "-l", own(bare), "--base", "ownhash", "-o", out / "work.toml"),
            of(bare, "plan", "plan", "--of", "first"),
        ],
        "show": [of(bare, "show"), of(bare, "show", *SQL)],
        "show --sql-unsafe": [of(bare, "show --sql-unsafe", *SQL[:2], f"copy cells to '{out}/cells.csv'", "--sql-unsafe")],
        "runs": [of(bare, "runs")],
        "compare": [of(bare, "compare", "compare", "first", "first", "--force", code=any_code)],
        "upgrade": [of(bare, "upgrade", "upgrade", own(bare, "HEAD~1"), own(bare), *SHORT[:4], code=(0, 1, 2))],
        "bisect": [
            of(bare, "bisect", "bisect", "ownhash", "--git", bare.tree, "--good", "HEAD~1", "--op", HASH + "/bytes=16", *SHORT[:4], code=any_code)
        ],
        "report": [of(bare, "report", "report", "first"), of(bare, "report", "report", "first", "-o", out / "page.html")],
        "export": [of(bare, "export", "export", "first", "-o", out / "figures.csv")],
        "machine": [of(whole, "machine")],
        "import": [of(bare, "import", "import", "openssl-speed", bare.cli.home / "speed.txt")],
        "list": [of(bare, "list", "list", "--worker", bare.worker)],
        "check": [of(bare, "check", "check", "-l", own(bare))],
        "count": [of(whole, "count", "count", "--on", "x86-64", "-l", "own-aes", code=any_code)],
        "replay": [of(whole, "replay", "replay", whole.worker, "--no-attacks", code=any_code)],
        "build": [of(bare, "build", "build", "twobuilds", code=(1,), PATH=path)],
        "doctor": [
            of(bare, "doctor", "doctor", "--seconds", 0.1, code=any_code),
            of(whole, "doctor", "doctor", "--programs", "--count", 1, "-f", "library:openssl op:sha-256/hash", code=any_code),
        ],
        "setup": [of(bare, "setup", PATH=path, INSTALL="yes")],
        "completion": [of(bare, "completion", "completion", "bash")],
        "lab": [of(bare, "lab", code=(2,))],
        "lab footprint": [of(whole, "lab footprint", "lab", "footprint", "-l", "micro-ecc", "--cache", whole.cli.home / "tmp" / "new", code=(1,), PATH=path)],
        "lab instructions": [of(whole, "lab instructions", "lab", "instructions", "-f", "algorithm:x86-64.add", *SHORT[:4], code=any_code)],
        "lab modexp": [of(whole, "lab modexp", "lab", "modexp", "--quick", "--no-libraries", "-f", "impl:/^mont-64-fw4$/", *SHORT, code=any_code)],
        "lab tls": [of(whole, "lab tls", "lab", "tls", "--quick", *openssl, code=any_code)],
        "lab tls --sockets": [of(whole, "lab tls --sockets", "lab", "tls", "--sockets", "--quick", "--build", "openssl", "--max-time", "1s", code=any_code)],
        "lab tls --servers": [of(whole, "lab tls --servers", "lab", "tls", "--servers", "nginx", "--quick", "--max-time", "1s", code=any_code)],
        "lab tls --network": [of(whole, "lab tls --network", "lab", "tls", "--network", "wire", "--quick", "--max-time", "1s", code=any_code)],
        "interop": [of(whole, "interop", "interop", "--peers", "openssl", "--html", "-o", whole.cli.home / "output" / "grid.html")],
        "footprint": [of(whole, "footprint", "footprint", "--shared", "-l", "bearssl", "--json", sizes)],
        "footprint diff": [of(whole, "footprint diff", "footprint", "diff", sizes, sizes, code=any_code)],
    }  # fmt: skip
