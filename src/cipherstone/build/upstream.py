# SPDX-License-Identifier: Apache-2.0
"""Libraries from upstream's source: a script in the library's folder builds them once, under a name made of all that goes in."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from cipherstone.build.installed import Installation, compiler_problem, find_installation
from cipherstone.build.sources import client_is_here, fetch_source, source_folder
from cipherstone.build.store import digest_of, publish, scratch_beside
from cipherstone.build.systems import System
from cipherstone.build.toolchain import OPTIMISATION, Toolchain, toolchain_of
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.libraries import Library
from cipherstone.model.errors import BuildError

SCRIPT_TIMEOUT_S = 20 * 60
_running: set[subprocess.Popen[bytes]] = set()
_ONE_AT_A_TIME = threading.Lock()  # a script uses every CPU itself
Announce = Callable[[str], None]


def prepare(
    library: Library, build: BuildSpec, toolchain: Toolchain, system: System | None, cache: Path, announce: Announce
) -> Installation:
    """What compiling against a build takes; upstream's source is fetched and built if need be. Raises BuildError where that fails."""
    if not build.crate:
        return find_installation(library, toolchain, system, build)
    if problem := build_problem(library, build, toolchain, cache):
        return Installation(problem=problem)
    prefix = _build(library, build, toolchain, cache, announce)
    return Installation(
        build.version or build.crate_version.partition("+")[2] or build.crate_version,
        tuple(f"-D{define}" for define in build.defines),
        tuple(str(prefix / lib) if lib.startswith("lib/") else lib for lib in build.libs),
        includes=tuple(str(prefix / folder) for folder in build.include),
        origin=f"crate {build.crate} {build.crate_version}",
    )


def build_problem(library: Library, build: BuildSpec, toolchain: Toolchain, cache: Path) -> str:
    """One line if a build from upstream's source cannot be made here; nothing is fetched to find out."""
    if problem := compiler_problem(library, build, toolchain):
        return problem
    if is_built(library, build, toolchain, cache):
        return ""
    if not source_folder(build, cache).is_dir() and not client_is_here():
        return "no cargo, which fetches the source"
    missing = [tool for tool in build.tools if shutil.which(tool) is None]
    return f"no {missing[0]}, which its build needs" if missing else ""


def is_built(library: Library, build: BuildSpec, toolchain: Toolchain, cache: Path) -> bool:
    """Whether upstream's source is built already."""
    return _prefix(library, build, toolchain_of(build, toolchain), cache).is_dir()


def _prefix(library: Library, build: BuildSpec, own: Toolchain, cache: Path) -> Path:
    """Named by source, script (with its folder, if it has one of its own), compiler and flags."""
    script = library.folder / build.script
    files = [script] if script.parent == library.folder else sorted(p for p in script.parent.rglob("*") if p.is_file())
    words = [build.crate, build.crate_version, build.crate_sha256, build.variant, build.script, own.cc_version or ""]
    words += [_flags(build)] if library.language == "c" else [_flags(build), own.cxx_version or ""]
    key = digest_of([(str(path.relative_to(library.folder)), path) for path in files], words)
    return cache / "upstream" / f"{library.id}-{build.variant}-{key}"


def _flags(build: BuildSpec) -> str:
    return shlex.join((*(build.flags or OPTIMISATION), *(f"-D{define}" for define in build.defines)))


def _build(library: Library, build: BuildSpec, toolchain: Toolchain, cache: Path, announce: Announce) -> Path:
    own, name = toolchain_of(build, toolchain), f"{library.id}+{build.variant}"
    target = _prefix(library, build, own, cache)
    if target.is_dir():
        return target
    source = fetch_source(name, build, cache, announce)
    with _ONE_AT_A_TIME, scratch_beside(target.parent) as scratch:
        if target.is_dir():
            return target
        announce(f"building {library.title} {build.variant} from source (once; seconds to minutes)")
        began = time.monotonic()
        tree, prefix, log = scratch / "source", scratch / "prefix", scratch / "log"
        shutil.copytree(source, tree, symlinks=True)
        prefix.mkdir()
        settings = {
            "CC": own.cc,
            "CXX": own.cxx,
            "CFLAGS": _flags(build),
            "CXXFLAGS": _flags(build),
            "JOBS": str(_cpus()),
            "PREFIX": str(prefix),
            "VARIANT": build.variant,
            "LC_ALL": "C",
            "SOURCE_DATE_EPOCH": "1",  # no date of building in what is built: the same recipe gives the same worker
        }
        # A `make` above this one must not hand its flags and job slots down.
        clean = [word for unset in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL") for word in ("-u", unset)]
        command = ["env", *clean, *(f"{key}={value}" for key, value in settings.items())]
        _run([*command, "sh", str((library.folder / build.script).resolve())], tree, log, name, build.script)
        for place in (*(lib for lib in build.libs if lib.startswith("lib/")), *build.include):
            if not (prefix / place).exists():
                raise BuildError(f"{name}: {build.script} did not install {place}", "see the script", _tail(log))
        publish(prefix, target)
        announce(f"built {library.title} {build.variant} from source in {time.monotonic() - began:.0f} s")
    return target


def _run(command: list[str], folder: Path, log: Path, name: str, script: str) -> None:
    """The script, in a process group of its own so that nothing of it is left behind."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True
        )
        _running.add(process)
        try:
            status = process.wait(SCRIPT_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise BuildError(
                f"{name}: {script} did not end within {SCRIPT_TIMEOUT_S // 60} minutes", "", _tail(log)
            ) from None
        finally:
            _running.discard(process)
            _end(process)
    if status != 0:
        raise BuildError(f"{name}: {script} ended with status {status}: {_said(log)}", "", _tail(log))


def end_builds() -> None:
    """Kills every script that runs, with all that it started: for a program that was told to end."""
    for process in tuple(_running):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
        process.wait()


def _tail(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    return "\n".join([line for line in lines if line.strip()][-20:])


def _said(log: Path) -> str:
    """The first line of the log's end that speaks of an error, else the last one."""
    lines = _tail(log).splitlines() or ["no message"]
    return next((line for line in lines if "error" in line.lower()), lines[-1]).strip()[:200]


def _cpus() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
