# SPDX-License-Identifier: Apache-2.0
"""What a program touched, as the kernel was asked for it: files opened for writing, programs started, sockets outside of this machine's files. Read from strace."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

# Calls by what their arguments are: (position of a folder's descriptor or None, position of the path) of each path that is changed.
_CHANGES: dict[str, tuple[tuple[int | None, int], ...]] = {
    **dict.fromkeys(
        "mkdir rmdir unlink truncate chmod chown lchown mknod creat utime utimes setxattr lsetxattr removexattr lremovexattr".split(),
        ((None, 0),),
    ),
    **dict.fromkeys("mkdirat unlinkat fchmodat fchmodat2 fchownat mknodat utimensat futimesat".split(), ((0, 1),)),
    "rename": ((None, 0), (None, 1)),
    "renameat": ((0, 1), (2, 3)),
    "renameat2": ((0, 1), (2, 3)),
    "link": ((None, 1),),
    "linkat": ((2, 3),),
    "symlink": ((None, 1),),
    "symlinkat": ((1, 2),),
}
_OPENS: dict[str, tuple[int | None, int, int]] = {"open": (None, 0, 1), "openat": (0, 1, 2), "openat2": (0, 1, 2)}
_WRITES = ("O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_TMPFILE")
_LINE = re.compile(r"^(\d+) +(?:(\w+)\((.*)|<\.\.\. (\w+) resumed>(.*)|.*)$")
_RESULT = re.compile(r"\) += (-?\d+|\?)(?:<.*?>)?(?: (\w+) \(.*\)| /\* (\d+) in strace's PID NS \*/)?")
_THERE_IS_NONE = ("ENOENT", "ENOTDIR", "EEXIST", "ELOOP")
_UNFINISHED, _RESUMED = "<unfinished ...>", "resumed "
_FORKS = ("clone", "clone3", "fork", "vfork")
_FAMILY = re.compile(r"\b(?:AF|PF)_(INET6?|PACKET|BLUETOOTH|VSOCK)\b")
_ADDRESS = re.compile(r'inet_addr\("([^"]+)"\)|inet_pton\(AF_INET6, "([^"]+)"')


@dataclass(frozen=True)
class Touch:
    """One thing that a process did. `kind`: write, run, socket or address; `what`: path, program, family or address; `by`: the programs from the first process to this one."""

    kind: str
    what: str
    by: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.kind} {self.what} by {' > '.join(self.by)}"


@dataclass
class _Process:
    """`early`: a line of its own came before the end of its parent's call."""

    folder: str
    by: tuple[str, ...]
    pending: str = ""
    early: bool = False


def touches(trace: Path, folder: Path) -> list[Touch]:
    """What the processes of a trace did, each once; the first of them began in `folder`."""
    processes: dict[str, _Process] = {}
    found: dict[Touch, None] = {}
    text = trace.read_text(encoding="utf-8", errors="replace")
    parents = _parents(text)
    for number, name, rest, begins in _calls(text):
        process = processes.get(number)
        if process is None:
            # A child's first line can come before its parent's call has ended: many processes start others at the same time, so it is the end that tells whose child it is.
            parent = processes.get(parents.get(number, ""))
            process = _Process(parent.folder, parent.by, early=True) if parent else _Process(str(folder), ())
            processes[number] = process
        if begins:
            process.pending = rest
            continue
        whole = process.pending + rest if name.startswith(_RESUMED) else rest
        for touch in _call(name.removeprefix(_RESUMED), whole, process, processes):
            found[touch] = None
    return list(found)


def _calls(text: str) -> Iterator[tuple[str, str, str, bool]]:
    """(process, call, its text, whether the rest comes later) of each line; a call that goes on has `_RESUMED` before its name."""
    for line in text.splitlines():
        read = _LINE.match(line)
        if read is None or (read[2] is None and read[4] is None):
            continue  # a signal, an end
        if read[2] is None:
            yield read[1], _RESUMED + read[4], read[5], False
        elif read[3].endswith(_UNFINISHED):
            yield read[1], read[2], read[3].removesuffix(_UNFINISHED).rstrip(), True
        else:
            yield read[1], read[2], read[3], False


def _parents(text: str) -> dict[str, str]:
    """The parent of each process, the first of them where a number was used again."""
    found: dict[str, str] = {}
    for number, name, rest, begins in _calls(text):
        if name.removeprefix(_RESUMED) in _FORKS and not begins and (child := _child(rest)):
            found.setdefault(child, number)
    return found


def _child(rest: str) -> str:
    """The process that a call made, "" if none."""
    ends = list(_RESULT.finditer(rest))
    result, _, outside = ends[-1].groups() if ends else ("?", "", "")
    return "" if result in ("?", "-1") else outside or result


def _call(name: str, rest: str, process: _Process, processes: dict[str, _Process]) -> Iterator[Touch]:
    ends = list(_RESULT.finditer(rest))
    if not ends:
        return
    error = ends[-1][2]
    words = _arguments(rest[: ends[-1].start()])
    if error in _THERE_IS_NONE:
        return
    if name in _FORKS:
        if child := _child(rest):
            known = processes.get(child)
            if known is not None and known.early:
                known.early = False
            else:
                processes[child] = _Process(process.folder, process.by)
    elif name in ("execve", "execveat") and not error:
        at = 0 if name == "execve" else 1
        program = _path(words, None if at == 0 else 0, at, process)
        process.by = (*process.by, Path(program).name)
        yield Touch("run", program, process.by)
    elif name == "chdir" and not error:
        process.folder = _path(words, None, 0, process)
    elif name == "fchdir" and not error:
        process.folder = _of_descriptor(words[0]) or process.folder
    elif name in _OPENS:
        base, at, flags = _OPENS[name]
        if any(flag in words[flags] for flag in _WRITES):
            yield Touch("write", _path(words, base, at, process), process.by)
    elif name in _CHANGES:
        for base, at in _CHANGES[name]:
            yield Touch("write", _path(words, base, at, process), process.by)
    elif name == "socket":
        if family := _FAMILY.search(words[0]):
            yield Touch("socket", family[1], process.by)
    elif name in ("connect", "bind", "sendto", "sendmsg", "sendmmsg"):
        for four, six in _ADDRESS.findall(rest):
            yield Touch("address", four or six, process.by)


def _arguments(text: str) -> list[str]:
    """The arguments of a call: divided at commas outside of quotes and brackets."""
    found, depth, quoted, word, escaped = [], 0, False, "", False
    for char in text:
        if quoted:
            quoted = escaped or char != '"'
            escaped = char == "\\" and not escaped
        elif char == '"':
            quoted = True
        elif char in "([{<":
            depth += 1
        elif char in ")]}>":
            depth -= 1
        if char == "," and not quoted and depth == 0:
            found.append(word.strip())
            word = ""
        else:
            word += char
    return [*found, word.strip()]


def _of_descriptor(word: str) -> str:
    """`3</folder>` -> `/folder`."""
    return word[word.index("<") + 1 : -1] if word.endswith(">") and "<" in word else ""


def _path(words: Sequence[str], base: int | None, at: int, process: _Process) -> str:
    text = words[at].strip('"') if words[at].startswith('"') else ""
    folder = process.folder if base is None else (_of_descriptor(words[base]) or process.folder)
    return os.path.normpath(os.path.join(folder, text))  # noqa: PTH118 - of a process that may have ended


@cache
def refusal() -> str:
    """Why nothing can be traced here; "" if it can."""
    if shutil.which("strace") is None:
        return "strace is not installed"
    done = subprocess.run(
        ["strace", "-f", "-qq", "-o", os.devnull, "true"], capture_output=True, text=True, check=False
    )
    return "" if done.returncode == 0 else f"strace: {done.stderr.strip()}"


@dataclass(frozen=True)
class Traced:
    """How a program ended, and what it and all that it started touched."""

    code: int
    out: str
    err: str
    touches: list[Touch] = field(default_factory=list)


def traced(words: Sequence[str], folder: Path, environment: Mapping[str, str], trace: Path) -> Traced:
    """Runs a program in `folder`, its trace in the file `trace`."""
    # With --seccomp-bpf only the calls that are asked for stop a process: a third of the time otherwise.
    strace = ["strace", "-f", "-qq", "-y", "-s", "4096", "--seccomp-bpf", "--decode-pids=pidns"]
    strace += ["-e", "trace=%file,%network,%process,fchdir", "-o", str(trace), *words]
    done = subprocess.run(
        strace, cwd=folder, env=dict(environment), capture_output=True, text=True, timeout=1800, check=False
    )
    return Traced(done.returncode, done.stdout, done.stderr, touches(trace, folder))
