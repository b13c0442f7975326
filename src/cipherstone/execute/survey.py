# SPDX-License-Identifier: Apache-2.0
"""What can be measured here: which libraries are installed, build, start, and what they offer. A library that fails says why; the others go on."""

from __future__ import annotations

import platform
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from cipherstone.build.installed import Installation, packages_for
from cipherstone.build.objects import identified
from cipherstone.build.packages import named_in_changelog, owners, with_packages
from cipherstone.build.systems import System
from cipherstone.build.upstream import lines_of, prepare
from cipherstone.build.workers import ISAS, WorkerExecutable, build_worker, file_digest
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.advisories import known_advisories
from cipherstone.catalogue.algorithms import Catalogue
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.libraries import Library
from cipherstone.catalogue.upkeep import upkeep_words
from cipherstone.host.emulation import emulation_of
from cipherstone.host.facts import cpu_features
from cipherstone.measure.plan import Offer
from cipherstone.measure.pool import Launch
from cipherstone.model.errors import BuildError, UsageError, WorkerError
from cipherstone.model.identity import library_objects
from cipherstone.model.ids import Lane, build_label, is_lane_id, joined_build
from cipherstone.model.records import Build, CodeObject
from cipherstone.protocol.messages import Hello, Listed, Refusal, one_line
from cipherstone.worker.environment import BASE_ENVIRONMENT


class Found(msgspec.Struct, frozen=True):
    """One build of a library here. `status`: `ready`, `missing` (not installed, too old), `failed` (does not compile) or `crashed` (does not start).

    `problem`: one line unless ready; `output`: the compiler's or worker's own last lines; `packages`: what would install it. `variant`: which build
    ("": the distribution's); `id` is the library's and is shared by its builds. `linked`: the shared libraries that the linker took.
    """

    id: str
    title: str
    status: str
    problem: str = ""
    output: str = ""
    packages: tuple[str, ...] = ()
    library: Library | None = None
    hello: Hello | None = None
    listed: tuple[Listed, ...] = ()
    launch: Launch | None = None
    build: Build | None = None
    fresh: bool = False
    variant: str = ""
    linked: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """`openssl`, `openssl@noasm`: no two builds have one name."""
        return build_label(self.id, self.variant)

    def offer(self, catalogue: Catalogue) -> Offer:
        """What a ready library offers of the catalogue's operations, and what else it lists."""
        if self.build is None:
            raise ValueError(f"{self.id} is not ready")
        able = self.hello.capabilities if self.hello is not None else ()
        return Offer.from_listing(self.id, self.build.build, self.listed, catalogue, "params" in able, able)


Announce = Callable[[str], None]


def survey(
    workshop: Workshop,
    libraries: Mapping[str, Library],
    workers: Sequence[Path] = (),
    announce: Announce | None = None,
    patience: float = 1.0,
    builds: Collection[str] | None = None,
) -> list[Found]:
    """Every library, and every worker executable made elsewhere, in the order of their ids.

    `builds`: which builds of a library, by name (`distribution`, or a variant); None: those that a plain run takes. `patience`: factor on the time limits of the workers, here and when they measure.
    Raises UsageError if two of them go by the same id.
    """
    tell = announce or (lambda _: None)
    chosen = [
        (library, build)
        for library in libraries.values()
        for build in library.builds
        if (build.default if builds is None else build.name in builds)
    ]

    def one(pair: tuple[Library, BuildSpec]) -> Found:
        return _build(workshop, *pair, tell, patience)

    # Two compilers at once: adapters are small, and the machine may be a laptop.
    with ThreadPoolExecutor(2) as threads:
        found = list(threads.map(one, chosen))
    for path in workers:
        outside = _outside_worker(path, patience)
        if any(other.id == outside.id for other in found):
            found = [other for other in found if other.id != outside.id or other.status == "ready"]
            if any(other.id == outside.id for other in found):
                raise UsageError(
                    f"--worker {path}: it calls itself '{outside.id}', which is measured already",
                    "give it a name of its own: `library` in its answer to `hello`; a filter cannot tell two of one name apart",
                )
        found.append(outside)
    return sorted(_with_packages(found, workshop.system), key=lambda f: f.id)


def _with_packages(found: Sequence[Found], system: System | None) -> list[Found]:
    """With the package of each file that one has; a build's own is then the one that holds its library, with the distribution's revision."""
    known = owners((one.path for f in found if f.build is not None for one in f.build.objects), system)
    packed = []
    for one in found:
        if one.build is not None:
            build = msgspec.structs.replace(one.build, objects=with_packages(one.build.objects, known))
            named = [f"{o.package} {o.package_version}" for o in library_objects(build) if o.package]
            if named:
                build = msgspec.structs.replace(build, package=", ".join(dict.fromkeys(named)))
                build = _mended(build)
            one = msgspec.structs.replace(one, build=build)
        packed.append(one)
    return packed


def _mended(build: Build) -> Build:
    """With a mark on the advisories that the changelogs of its packages name: a distribution mends a version without another number."""
    ids = [one.id for one in build.advisories]
    packages = {one.package for one in library_objects(build) if one.package} if ids else ()
    named = {name for package in packages for name in named_in_changelog(package, ids)}
    told = (msgspec.structs.replace(one, mended=one.id in named) for one in build.advisories)
    return msgspec.structs.replace(build, advisories=tuple(told))


def _build(workshop: Workshop, library: Library, build: BuildSpec, tell: Announce, patience: float) -> Found:
    packages = packages_for(library, workshop.system, build)
    absent = Found(
        library.id, _title(library, build), "missing", packages=packages, library=library, variant=build.variant
    )
    if problem := _mask_problem(library, build):
        return msgspec.structs.replace(absent, problem=problem, packages=())
    try:
        installation = prepare(library, build, workshop.toolchain, workshop.system, workshop.cache, tell)
        if installation.problem:
            return msgspec.structs.replace(absent, problem=installation.problem)
        executable = build_worker(workshop.job(library, installation, build))
    except BuildError as error:
        problem = error.message if not error.hint else f"{error.message} ({error.hint})"
        return msgspec.structs.replace(absent, status="failed", problem=problem, output=error.output)
    lines = lines_of(library, build, workshop.toolchain, workshop.cache)
    found = _introduce(executable, absent, library, build, patience, lines)
    if executable.fresh:  # with the version that every page has: a library may state fewer digits than its package
        version = f" {found.build.version}" if found.build is not None else ""
        tell(f"built the worker of {absent.title}{version}".removesuffix(" unknown"))
    return found


def _mask_problem(library: Library, build: BuildSpec) -> str:
    """One line if a mask of the build hides what this processor does not have."""
    isa, features = ISAS.get(platform.machine().lower()), cpu_features()
    problems = ((name, library.masks[name].problem(isa, features)) for name in build.masks)
    return next((f"mask '{name}' {problem}" for name, problem in problems if problem), "")


def _title(library: Library, build: BuildSpec) -> str:
    return f"{library.title}, {build.title or build.variant}" if build.variant else library.title


def _introduce(
    executable: WorkerExecutable,
    absent: Found,
    library: Library,
    spec: BuildSpec,
    patience: float,
    lines: dict[str, int],
) -> Found:
    """`absent`, with what the worker says of itself. `lines`: of the source that was built."""
    launch = Launch(executable.words, library.environment(spec), patience=patience)
    try:
        hello, listed, mapped, by = _ask(launch)
    except (WorkerError, Refusal) as error:
        problem, output = f"the worker does not start: {error}", getattr(error, "stderr", "")
        return msgspec.structs.replace(absent, status="crashed", problem=problem, output=output)
    if library.worker is not None and hello.library != library.id:
        problem = f"its worker calls itself '{one_line(hello.library, 80)}', its folder '{library.id}'"
        return msgspec.structs.replace(absent, status="crashed", problem=problem)
    installation = executable.installation
    if problem := _other_than_asked(installation, hello, mapped) or _systems_file(library, spec, installation, mapped):
        return msgspec.structs.replace(absent, status="failed", problem=problem)
    archives = [CodeObject(one.path, "archive", one.sha256) for one in executable.linked if one.is_archive]
    build = Build(
        library=library.id,
        build=joined_build(hello.version, spec.variant),
        version=hello.version,
        version_from=hello.version_from,
        title=absent.title,
        licence=library.licence,
        compiler=hello.compiler,
        flags=hello.flags,
        cpu_path=hello.cpu_path,
        worker_hash=executable.digest,
        package=installation.origin or f"{installation.package} {installation.version}".strip(),
        note=executable.note,
        clock=hello.clock,
        probe=hello.probe,
        clock_step_ns=hello.clock_step_ns,
        counter=hello.counter,
        objects=(*(mapped or ()), *archives),
        environment={**BASE_ENVIRONMENT, **launch.environment},
        upkeep=upkeep_words(library.upkeep, hello.version, datetime.now(UTC).date()),
        advisories=known_advisories(library.advisories, hello.version),
        advisories_as_of=library.advisories_as_of.isoformat() if library.advisories_as_of else "",
        lines=lines,
        emulated=by,
    )
    return msgspec.structs.replace(
        absent,
        status="ready",
        hello=hello,
        listed=tuple(listed),
        launch=msgspec.structs.replace(launch, objects=mapped, hello=hello),
        build=build,
        linked=tuple(one.path for one in executable.linked if not one.is_archive),
        fresh=executable.fresh,
    )


def _other_than_asked(installation: Installation, hello: Hello, mapped: Sequence[CodeObject] | None) -> str:
    """One line if what runs is not the library that the user named, or not what its headers describe; "" if all is well."""
    paths = {str(Path(one.path).resolve()) for one in mapped or ()}
    for file in installation.mapped:
        if mapped is not None and file not in paths:
            name = Path(file).name.partition(".so")[0]
            instead = sorted(path for path in paths if Path(path).name.startswith(name))
            return f"{file} was linked, but {instead[0] if instead else 'no such library'} was mapped"
    if installation.headers_of and installation.headers_of != hello.version:
        return f"it is {hello.version}, and without headers of its own the system's, of {installation.headers_of}, do not fit: name a prefix with include/"
    return ""


def _systems_file(
    library: Library, spec: BuildSpec, installation: Installation, mapped: Sequence[CodeObject] | None
) -> str:
    """One line if a build from source, or of the user's own, runs the library that the system has; "" if it does not. What it names by `-lNAME` itself is another library that it needs."""
    if library.distribution is None or (spec.source is None and spec.own is None):
        return ""
    wanted = {word[2:] for word in library.distribution.libs if word.startswith("-l")} - {word[2:] for word in installation.libs if word.startswith("-l")}  # fmt: skip
    own = {*installation.mapped, *(str(Path(word).resolve()) for word in installation.libs if word.startswith("/"))}
    for one in mapped or ():
        if one.name.partition(".so")[0].removeprefix("lib") in wanted and str(Path(one.path).resolve()) not in own:
            return f"its worker runs the system's {one.path}, not what was built from {installation.origin}"
    return ""


def _outside_worker(path: Path, patience: float) -> Found:
    """A worker made elsewhere, in any language: it says itself who it is."""
    if not path.is_file():
        raise UsageError(
            f"--worker {path}: no such file", "give the path of an executable that speaks protocol/PROTOCOL.md"
        )
    launch = Launch((str(path.resolve()),), patience=patience)
    try:
        hello, listed, mapped, by = _ask(launch)
        digest = file_digest(path)
    except (WorkerError, Refusal) as error:
        return Found(
            path.stem, path.name, "crashed", f"the worker does not start: {error}", getattr(error, "stderr", "")
        )
    except OSError as error:
        return Found(path.stem, path.name, "crashed", f"the worker cannot be read: {error.strerror}")
    build = Build(
        library=hello.library,
        build=hello.version,
        version=hello.version,
        version_from=hello.version_from,
        title=hello.library,
        licence="",
        compiler=hello.compiler,
        flags=hello.flags,
        cpu_path=hello.cpu_path,
        worker_hash=digest,
        package=str(path),
        clock=hello.clock,
        probe=hello.probe,
        clock_step_ns=hello.clock_step_ns,
        counter=hello.counter,
        objects=mapped or (),
        environment=dict(BASE_ENVIRONMENT),
        emulated=by,
    )
    launch = msgspec.structs.replace(launch, objects=mapped, hello=hello)
    return Found(hello.library, hello.library, "ready", hello=hello, listed=tuple(listed), launch=launch, build=build)


def _ask(launch: Launch) -> tuple[Hello, list[Listed], tuple[CodeObject, ...] | None, str]:
    """Who it is, what it offers, what it was mapped from (None: it cannot tell), by what it is emulated ("": by nothing)."""
    with launch.start() as worker:
        hello, listed, told = worker.hello(), worker.operations(), worker.objects()
        mapped = None if told is None else identified(told)
        by = emulation_of(worker.pid)
    lane = Lane(hello.library, hello.version)
    for text in (lane.id, *(msgspec.structs.replace(lane, implementation=row.impl).id for row in listed)):
        if not is_lane_id(text):
            # Names become parts of ids, requests, tables: one that cannot is a worker that does not speak the protocol.
            raise WorkerError("crashed", f"protocol: '{one_line(text, 80)}' is not LIBRARY@VERSION[:IMPLEMENTATION]")
    return hello, listed, mapped, by
