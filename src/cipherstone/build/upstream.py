# SPDX-License-Identifier: Apache-2.0
"""Libraries from upstream's source: a script in the library's folder builds them once, under a name made of all that goes in."""

from __future__ import annotations

import os
import resource
import shlex
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from cipherstone.build.cache import digest_of, kept, publish, scratch_beside
from cipherstone.build.installed import Installation, compiler_problem, find_installation
from cipherstone.build.lines_of_code import lines_of_code
from cipherstone.build.sandbox import SandboxFolders, run_confined
from cipherstone.build.seals import is_sealed
from cipherstone.build.sources import (
    Announce,
    archives,
    content_key,
    fetch_source,
    is_fetched,
    lay_out,
    lay_out_own,
    missing_client,
    source_folder,
)
from cipherstone.build.systems import System
from cipherstone.build.toolchain import OPTIMISATION, Toolchain, binutils_of, toolchain_of
from cipherstone.build.user_library import find_brought
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.libraries import Library
from cipherstone.catalogue.sources import Source
from cipherstone.model.errors import BuildError
from cipherstone.model.text import UNREADABLE

SCRIPT_TIMEOUT_S = 45 * 60
GIB_A_JOB = 1.0  # what a compiler of C++ takes at its largest, with room for a linker
RECORD, LOG = "recipe.json", "build.log"


class Recipe(msgspec.Struct, frozen=True):
    """What building once took. `wall_s`, `cpu_s`: seconds; `disk_mib`: of source, objects and result at the end. `lines`: language -> lines of code of the source; empty: not counted."""

    wall_s: float
    cpu_s: float
    disk_mib: float
    lines: dict[str, int] = {}


_RECIPE = msgspec.json.Decoder(Recipe)  # here and not in the threads that read it (protocol.messages)


def prepare(
    library: Library, build: BuildSpec, toolchain: Toolchain, system: System | None, cache: Path, announce: Announce
) -> Installation:
    """What compiling against a build takes; upstream's source is fetched and built if need be. Raises BuildError where that fails."""
    source = build.source
    if source is None and build.own is not None:
        return find_brought(library, build, build.own, toolchain, system)
    if source is None:
        return find_installation(library, toolchain, system, build)
    if problem := build_problem(library, build, toolchain, cache):
        return Installation(problem=problem)
    prefix = _build(library, build, source, toolchain, cache, announce)
    return Installation(
        build.version or source.version,
        tuple(f"-D{define}" for define in build.defines),
        (*(str(prefix / lib) if lib.startswith("lib/") else lib for lib in source.libs), *build.libs),
        includes=tuple(str(prefix / folder) for folder in source.include),
        origin=origin_of(build),
    )


def origin_of(build: BuildSpec) -> str:
    """Where the source of a build is from, for people."""
    if build.own is not None:
        return f"git:{build.own.path}@{build.own.commit[:12]}" if build.own.commit else build.own.path
    return build.source.said if build.source is not None else ""


def build_problem(library: Library, build: BuildSpec, toolchain: Toolchain, cache: Path) -> str:
    """One line if a build from upstream's source cannot be made here; nothing is fetched to find out."""
    if problem := compiler_problem(library, build, toolchain):
        return problem
    source = build.source
    if source is None or is_built(library, build, toolchain, cache):
        return ""
    if source.tarball and build.own is None:
        return f"no package registry has its source ({source.tried}); bring it: --library {library.id}=ARCHIVE"
    if client := missing_client(build, cache):
        return f"no {client}, which fetches the source"
    missing = [tool for tool in source.tools if shutil.which(tool) is None]
    if source.cxx and (own := toolchain_of(build, toolchain)).cxx_version is None:
        missing.append(own.cxx)
    return f"no {missing[0]}, which its build needs" if missing else ""


def is_built(library: Library, build: BuildSpec, toolchain: Toolchain, cache: Path) -> bool:
    """Whether upstream's source is built already."""
    if build.source is None or (build.source.tarball and build.own is None):
        return False
    prefix = prefix_of(library, build, toolchain, cache)
    return prefix.is_dir() and is_sealed(prefix)


def state_of(library: Library, build: BuildSpec, toolchain: Toolchain, cache: Path) -> str:
    """`ready`, `to build` or `to fetch`."""
    if build.source is None or is_built(library, build, toolchain, cache):
        return "ready"
    return "to build" if is_fetched(build, cache) else "to fetch"


def recipe_of(library: Library, build: BuildSpec, toolchain: Toolchain, cache: Path) -> Recipe | None:
    """What building it took here; None if it was not built."""
    try:
        return _RECIPE.decode((prefix_of(library, build, toolchain, cache) / RECORD).read_bytes())
    except (OSError, *UNREADABLE):
        return None


def lines_of(library: Library, build: BuildSpec, toolchain: Toolchain, cache: Path) -> dict[str, int]:
    """Language -> lines of code of the source that a build was made of; counted now if it was built before lines were, and its source is still here. Empty if it is not built, or not counted."""
    if build.source is None or not is_built(library, build, toolchain, cache):
        return {}
    took = recipe_of(library, build, toolchain, cache)
    if took is None or took.lines or not is_fetched(build, cache):
        return took.lines if took is not None else {}
    target = prefix_of(library, build, toolchain, cache)
    try:
        with scratch_beside(target.parent) as scratch:
            fetched = [source_folder(archive, cache) for archive in archives(build)]
            counted = lines_of_code(_laid_out(build, build.source, fetched, scratch)[0])
            record = scratch / RECORD
            record.write_bytes(msgspec.json.encode(msgspec.structs.replace(took, lines=counted)))
            record.replace(target / RECORD)
    except (BuildError, OSError):  # a cache that cannot be written to, an archive that is gone: it is not counted
        return {}
    return counted


def prefix_of(library: Library, build: BuildSpec, toolchain: Toolchain, cache: Path) -> Path:
    """Where what is built is kept, built or not. Named by sources, script (with its folder, if it has one of its own), compiler, flags and options; masks make no other."""
    own, source = toolchain_of(build, toolchain), build.source
    if source is None:
        raise ValueError(f"{library.id} {build.name} is not built from upstream's source")
    script = library.folder / source.script
    files = [script] if script.parent == library.folder else sorted(p for p in script.parent.rglob("*") if p.is_file())
    words = [content_key(build), source.name, *build.options, "", source.script, own.cc_version or ""]
    words += [_flags(build), own.cxx_version or ""] if library.language == "c++" or source.cxx else [_flags(build)]
    key = digest_of([(str(path.relative_to(library.folder)), path) for path in files], words)
    return cache / "upstream" / f"{library.id}-{'-'.join((source.name, *build.options))}-{key}"


def _flags(build: BuildSpec) -> str:
    return shlex.join((*(build.flags or OPTIMISATION), *(f"-D{define}" for define in build.defines)))


def _build(
    library: Library, build: BuildSpec, source: Source, toolchain: Toolchain, cache: Path, announce: Announce
) -> Path:
    own, name = toolchain_of(build, toolchain), f"{library.id}+{build.variant}"
    target = prefix_of(library, build, toolchain, cache)
    if kept(target):
        return target
    fetched = [fetch_source(name, archive, cache, announce) for archive in archives(build)]
    with _slot(), scratch_beside(target.parent) as scratch:
        if kept(target):
            return target
        announce(f"building {library.title} {build.variant} from source ({_expected(source)})")
        began, cpu = time.monotonic(), _children_cpu_s()
        prefix, log = scratch / "prefix", scratch / LOG
        prefix.mkdir()
        tree, also = _laid_out(build, source, fetched, scratch)
        lines = lines_of_code(tree)  # before anything is generated in it
        settings = {
            "CC": own.cc,
            "CXX": own.cxx,
            **binutils_of(own),
            "CFLAGS": _flags(build),
            "CXXFLAGS": _flags(build),
            "JOBS": str(_jobs()),
            "PREFIX": str(prefix),
            "OPTIONS": " ".join(build.options),
            **also,
            "SOURCE_DATE_EPOCH": "1",  # no date of building in what is built: the same recipe gives the same worker
        }
        script = (library.folder / source.script).resolve()
        try:
            _run(script, tree, settings, log, name, source.script)
            for place in (*(lib for lib in source.libs if lib.startswith("lib/")), *source.include):
                if not (prefix / place).exists():
                    raise BuildError(f"{name}: {source.script} did not install {place}", "see the script", _tail(log))
        except BuildError as error:
            raise BuildError(error.message, f"its log: {_kept(log, cache, target.name)}", error.output) from None
        took = Recipe(time.monotonic() - began, _children_cpu_s() - cpu, _disk_mib(scratch), lines)
        (prefix / RECORD).write_bytes(msgspec.json.encode(took))
        log.replace(prefix / LOG)
        publish(prefix, target)
        announce(f"built {library.title} {build.variant} from source in {took.wall_s:.0f} s")
    return target


def _laid_out(build: BuildSpec, source: Source, fetched: Sequence[Path], scratch: Path) -> tuple[Path, dict[str, str]]:
    """Upstream's tree, and the others by the names that the script knows them by."""
    rest = list(fetched)
    tree = lay_out_own(build.own, scratch / "source") if build.own is not None else None
    if tree is None:
        tree = lay_out(rest.pop(0), source.archive, scratch / "source")
    also = {
        f"WITH_{part.upper()}": str(lay_out(folder, archive, scratch / f"with-{part}"))
        for (part, archive), folder in zip(source.also.items(), rest, strict=True)
    }
    return tree, also


def _expected(source: Source) -> str:
    """What is known of how long it takes."""
    if not source.cpu_s:
        return "once; seconds to minutes"
    return (
        f"once; about {max(1, round(source.cpu_s / 60))} min of processor time, {source.disk_mib} MiB while it builds"
    )


def _kept(log: Path, cache: Path, name: str) -> str:
    """The log of a build that failed, kept under its own name until the next failure."""
    place = cache / "logs" / f"{name}.log"
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(log, place)
    except OSError as error:
        return f"not kept, {error.strerror}"
    return str(place)


def _children_cpu_s() -> float:
    """Processor time of all programs that ended so far; two builds at once are not told apart."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _disk_mib(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink()) / 2**20


def _run(path: Path, folder: Path, settings: dict[str, str], log: Path, name: str, script: str) -> None:
    """The script, confined: what it leaves running is ended."""
    with log.open("wb") as output:
        try:
            place = SandboxFolders(folder, log.parent, (path.parent,))
            status = run_confined(["sh", str(path)], place, settings, output, SCRIPT_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            raise BuildError(
                f"{name}: {script} did not end within {SCRIPT_TIMEOUT_S // 60} minutes", "", _tail(log)
            ) from None
    if status != 0:
        raise BuildError(f"{name}: {script} ended with status {status}: {_said(log)}", "", _tail(log))


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


def _memory_gib() -> float:
    """Memory that could be had now; generous where the system does not say."""
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) / 2**20
    return 4.0


def _jobs() -> int:
    """Compilers side by side in one build: one a processor, as far as memory reaches for two builds."""
    return max(1, min(_cpus(), int(_memory_gib() / GIB_A_JOB / 2)))


_SLOTS = threading.Condition()
_taken = 0


@contextmanager
def _slot() -> Iterator[None]:
    """Two builds at once, the one configuring while the other compiles, where memory reaches; else one."""
    global _taken
    with _SLOTS:
        _SLOTS.wait_for(lambda: _taken == 0 or (_taken < 2 and _memory_gib() > 2 * GIB_A_JOB * _cpus()))
        _taken += 1
    try:
        yield
    finally:
        with _SLOTS:
            _taken -= 1
            _SLOTS.notify_all()
