# SPDX-License-Identifier: Apache-2.0
"""Worker executables: the SDK and an adapter (or sources of our own), linked to one library, cached by the content of all that goes in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from cipherstone.build import operation_code
from cipherstone.build.baremetal import Bare, bare_files, bare_includes, bare_sources
from cipherstone.build.cache import digest_of, file_digest, kept, publish, scratch_beside
from cipherstone.build.disassembly import check_kernels
from cipherstone.build.heap_counting import twin_of, twin_source, twin_words
from cipherstone.build.installed import Installation
from cipherstone.build.language_workers import build_language_worker, language_worker_folder
from cipherstone.build.minimal import minimal_objects, minimal_source
from cipherstone.build.objects import LinkedFile, content_hash, link_inputs, linked_files, still_there
from cipherstone.build.processors import hiding_source, hiding_words
from cipherstone.build.toolchain import (
    CROSS,
    NARROW,
    NARROW_SDK,
    OPTIMISATION,
    Toolchain,
    linker_of,
    run_tool,
    target_machine,
    toolchain_of,
)
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.libraries import Library
from cipherstone.isa.sources import generated_sources
from cipherstone.model.errors import BuildError
from cipherstone.model.text import UNREADABLE

WARNINGS = ("-Wall", "-Wextra", "-Wshadow")
C_STANDARD = ("-std=c11", "-D_GNU_SOURCE")
CXX_STANDARD = ("-std=c++20",)
SOURCE_SUFFIXES = frozenset({".c", ".h", ".S", ".inc", ".cpp", ".hpp"})
NOTE = "checked.txt"  # beside a worker of generated code
LINKED = "linked.json"  # beside every worker: the libraries that it was linked with
_LINKED = msgspec.json.Decoder(tuple[LinkedFile, ...])  # here and not in the threads that read it (protocol.messages)
ISAS: dict[str, Literal["x86-64", "aarch64"]] = {
    "x86_64": "x86-64",
    "amd64": "x86-64",
    "aarch64": "aarch64",
    "arm64": "aarch64",
}

__all__ = [
    "CXX_STANDARD",
    "C_STANDARD",
    "Stamp",
    "WorkerExecutable",
    "WorkerJob",
    "build_worker",
    "file_digest",
    "heap_preload",
    "sdk_objects",
]


class WorkerExecutable(msgspec.Struct, frozen=True):
    """A built worker. `digest`: SHA-256 prefix of the executable; `flags`: how its sources were compiled; `fresh`: compiled just now.

    `note`: what was checked of generated code after linking, or why it was not; "" where nothing is generated. `linked`: the libraries and archives that
    the linker took, empty where it does not say. `command`: the words that start one that is more than its path, with an interpreter for instance.
    """

    library: str
    path: Path
    digest: str
    flags: str
    installation: Installation
    fresh: bool = False
    note: str = ""
    linked: tuple[LinkedFile, ...] = ()
    command: tuple[str, ...] = ()

    @property
    def words(self) -> tuple[str, ...]:
        """What starts it."""
        return self.command or (str(self.path),)


class WorkerJob(msgspec.Struct, frozen=True):
    """A worker that is to be made, or found in the cache. `toolchain` compiles the SDK, alike for every build; the adapter is compiled by the build's own compiler with the build's flags.

    `spec`: the build, the library's first if None. `bare`: for a machine without an operating system. `twin`: with one beside it that tells the heap (`build.twin`). `lacks`: of a machine that lacks what its emulator has (`build.processors`). `minimal`: not a worker, but the minimal program around the same objects of the adapter (`build.minimal`).
    """

    library: Library
    installation: Installation
    toolchain: Toolchain
    root: Path
    cache: Path
    spec: BuildSpec | None = None
    bare: Bare | None = None
    twin: bool = False
    lacks: str = ""
    minimal: bool = False

    @property
    def build(self) -> BuildSpec:
        """What is built."""
        return self.spec or self.library.builds[0]

    @property
    def own(self) -> Toolchain:
        """What compiles the adapter."""
        return toolchain_of(self.build, self.toolchain)

    @property
    def optimisation(self) -> tuple[str, ...]:
        """How the adapter is compiled, but for what the library asks for."""
        return self.build.flags or OPTIMISATION

    @property
    def flags(self) -> str:
        """How the adapter is compiled, as `hello` reports it."""
        return " ".join((*self.optimisation, *self.installation.cflags))

    @property
    def sources(self) -> tuple[str, ...]:
        """Of the adapter, as the library names them."""
        return self.build.sources or self.library.sources

    @property
    def sized(self) -> bool:
        """Whether a note says what each operation brings into a program."""
        return self.twin or self.bare is not None

    @property
    def linker(self) -> str:
        """The command that links."""
        return linker_of(self.own, self.toolchain, self.library.language == "c++", self.build.flags)


def build_worker(job: WorkerJob) -> WorkerExecutable:
    """Builds a worker, or finds it in the cache. Raises BuildError with the compiler's message. What it is linked with counts by its content: a library that was built anew, in the same version and place, is linked anew."""
    library, installation = job.library, job.installation
    if library.worker is not None:
        language_worker = build_language_worker(library, job.cache)
        path = Path(language_worker.command[0])
        return WorkerExecutable(
            library.id,
            path,
            language_worker.digest,
            "",
            installation,
            language_worker.fresh,
            command=language_worker.command,
        )
    _need_compilers(library.id, job.toolchain, job.own, library.language == "c++")
    generated = _generated(library, job.own)
    target = worker_path(job, generated)
    linked = _linked(target)
    beside = [
        LINKED,
        *([NOTE] if generated else []),
        *([operation_code.FILE] if job.sized else []),
        *([twin_of(target).name] if job.twin else []),
    ]
    fresh = linked is None or not kept(target) or not all(kept(target.parent / name) for name in beside)
    if fresh:
        with scratch_beside(target.parent) as scratch:
            linked = _made(job, generated, target, scratch)
    digest = file_digest(target)
    return WorkerExecutable(
        library.id, target, digest, job.flags, installation, fresh, _noted(target), linked=linked or ()
    )


def _made(job: WorkerJob, generated: Mapping[str, str], target: Path, scratch: Path) -> tuple[LinkedFile, ...]:
    """Compiles and links in `scratch`, and publishes the worker with notes beside it."""
    sdk = _sdk_of(job)
    made = scratch / "generated"
    made.mkdir()
    for file, text in generated.items():
        (made / file).write_text(text, encoding="utf-8")
    objects = _compiled(job, generated, made, scratch, "")
    executable = scratch / target.name
    linked = _link(job, [*objects, *map(str, sdk)], executable, target, scratch)
    if job.sized:
        read = objects if job.bare is not None else _compiled(job, generated, made, scratch, "apart")
        archives = [Path(word) for word in job.installation.libs if word.endswith(".a")]
        brought = scratch / operation_code.FILE
        brought.write_bytes(msgspec.json.encode(operation_code.one_links(list(map(Path, read)), archives)))
        publish(brought, target.parent / operation_code.FILE)
    record = scratch / LINKED
    record.write_bytes(msgspec.json.encode(linked))
    if generated:
        # What the table says must be what the assembler made: a worker that differs is never published.
        note = scratch / NOTE
        note.write_text(_disassembled(job.library, job.own, executable), encoding="utf-8")
        publish(note, target.parent / NOTE)
    publish(record, target.parent / LINKED)
    publish(executable, target)
    return linked


def _sdk_of(job: WorkerJob) -> list[Path]:
    """What is linked with the adapter's objects."""
    machine = NARROW_SDK if NARROW in job.build.flags else ()
    if job.minimal:
        return minimal_objects(job.toolchain, job.root, job.cache, machine)
    version = job.own.cxx_version if job.library.language == "c++" else job.own.cc_version
    return sdk_objects(job.toolchain, job.root, job.cache, Stamp(job.flags, version), machine, job.bare)


def _compiled(job: WorkerJob, generated: Mapping[str, str], made: Path, scratch: Path, kind: str) -> list[str]:
    """The adapter's objects; files of different folders may have one name. `kind` "apart": every function in a section of its own."""
    name, library, root = _named(job.library, job.build), job.library, job.root
    sources = [(source, library.path_of(source)) for source in job.sources]
    sources += [(file, made / file) for file in sorted(generated) if Path(file).suffix in (".c", ".S")]
    includes = [*(bare_includes(root) if job.bare is not None else ()), "-I", str(root / "sdk/c/include")]
    includes += [word for folder in library.code_folders for word in ("-I", str(folder))]
    includes += ["-I", str(made)] if generated else []
    includes += [word for folder in job.installation.includes for word in ("-isystem", folder)]
    more = operation_code.apart(scratch) if kind else ()
    flags = (*job.optimisation, *more, *WARNINGS, *includes, *job.installation.cflags)
    found = []
    for number, (shown, source) in enumerate(sources):
        output = scratch / f"{kind}{number:03d}-{source.stem}.o"
        words = [*_compile(source, job.own), *flags, _version_define(job.installation), "-c", str(source)]
        run_tool([*words, "-o", str(output)], f"{name}: compiling {shown}")
        found.append(str(output))
    return found


def _link(
    job: WorkerJob, objects: Sequence[str], executable: Path, target: Path, scratch: Path
) -> tuple[LinkedFile, ...]:
    """Links the worker, and its twin if there is one; gives the libraries that the linker took."""
    name, root, bare = _named(job.library, job.build), job.root, job.bare
    # The flags once more: some of them, such as -flto, mean something to the linker.
    linking = [flag for flag in job.build.flags if not flag.startswith(CROSS)]
    hidden = hiding_words(job.toolchain, root, scratch, linking) if job.lacks else []
    system = bare.link_words(root) if bare is not None else ("-lpthread", "-ldl")
    words = [*hidden, *objects, *job.installation.libs, *system]
    trace = run_tool([job.linker, *linking, "-Wl,-t", "-o", str(executable), *words], f"{name}: linking")
    linked = linked_files(trace, job.cache / "sdk", scratch)
    if job.twin:
        also = twin_words(job.toolchain, root, scratch, bare.flags if bare is not None else linking, bare is None)
        run_tool([job.linker, *linking, "-o", str(scratch / "twin"), *also, *words], f"{name}: linking its twin")
        publish(scratch / "twin", twin_of(target))
    return linked


def worker_path(job: WorkerJob, generated: Mapping[str, str] | None = None) -> Path:
    """Where a worker (a folder, if it is not linked with the C SDK) is kept, built or not: a path that names all that it is made of. `generated`: sources that are made for it, if they are known already."""
    library, installation, root, bare = job.library, job.installation, job.root, job.bare
    if library.worker is not None:
        return language_worker_folder(library, job.cache)
    made = _generated(library, job.own) if generated is None else generated
    key = digest_of(
        [
            *_sdk_files(root),
            *_files_of(library),
            *(bare_files(root) if bare is not None else ()),
            *([("heap_wrap.c", twin_source(root))] if job.twin else []),
            *([("getauxval_wrap.c", hiding_source(root))] if job.lacks else []),
            *([("minimal.c", minimal_source(root))] if job.minimal else []),
        ],
        [
            *((*bare.flags, *bare.places) if bare is not None else ()),
            job.flags,
            _version_define(installation),
            *installation.includes,
            *installation.libs,
            job.own.cc_version or "",
            job.own.cxx_version or "",
            job.toolchain.cc_version or "",
            *WARNINGS,
            *job.sources,
            *(word for item in sorted(made.items()) for word in item),
            *(
                f"{path.name}:{content_hash(path)}"
                for path in link_inputs(installation.libs, job.linker, "-static" in job.optimisation)
            ),
        ],
    )
    folder = job.cache / ("minimal" if job.minimal else "workers") / f"{_named(library, job.build)}-{key}"
    return folder / f"{'loop' if job.minimal else 'cs'}-{library.id}"


def _named(library: Library, build: BuildSpec) -> str:
    """What a worker is called in the cache. Masks are set when it starts: they make no other worker."""
    variant = build.variant.partition("~")[0] if build.masks else build.variant
    return f"{library.id}-{variant}" if variant else library.id


def _version_define(installation: Installation) -> str:
    return f'-DCS_PACKAGE_VERSION="{installation.version}"'


def _linked(target: Path) -> tuple[LinkedFile, ...] | None:
    """What a worker in the cache was linked with; None if that is not known, or one of these files is another one now."""
    try:
        linked = _LINKED.decode((target.parent / LINKED).read_bytes())
    except (OSError, *UNREADABLE):
        return None
    return linked if still_there(linked) else None


def _disassembled(library: Library, toolchain: Toolchain, executable: Path) -> str:
    isa = ISAS[target_machine(toolchain.cc)]
    return check_kernels(executable, library.folder.parent.parent, isa, toolchain.cc)


def _noted(target: Path) -> str:
    note = target.parent / NOTE
    return note.read_text(encoding="utf-8") if note.is_file() else ""


def _need_compilers(name: str, toolchain: Toolchain, own: Toolchain, cxx: bool) -> None:
    for command, version in ((toolchain.cc, toolchain.cc_version), (own.cc, own.cc_version)):
        if version is None:
            raise BuildError(f"{name}: no C compiler ('{command}' does not run)", "install one, or name one with CC=")
    if cxx and own.cxx_version is None:
        raise BuildError(f"{name}: no C++ compiler ('{own.cxx}' does not run)", "install one, or name one with CXX=")


def _compile(source: Path, toolchain: Toolchain) -> list[str]:
    """The compiler and the language standard of a source."""
    if source.suffix == ".cpp":
        return [toolchain.cxx, *CXX_STANDARD]
    return [toolchain.cc, *(() if source.suffix == ".S" else C_STANDARD)]


def _generated(library: Library, toolchain: Toolchain) -> dict[str, str]:
    """Sources that are made from a table, by file name, for the machine that the compiler compiles for."""
    if library.generated != "kernels":
        return {}
    machine = target_machine(toolchain.cc)
    if machine not in ISAS:
        raise BuildError(
            f"{library.id}: no kernels are written for '{machine or 'this machine'}'",
            f"for: {', '.join(sorted(set(ISAS.values())))}",
        )
    return generated_sources(library.folder.parent.parent, ISAS[machine])


def _files_of(library: Library) -> list[tuple[str, Path]]:
    """Every source and header below a library's folder, by its path in it, and those of the folders that it shares with others."""
    return [
        (str(path.relative_to(library.folder if folder == library.folder else folder.parent)), path)
        for folder in library.code_folders
        for path in sorted(folder.rglob("*"))
        if path.suffix in SOURCE_SUFFIXES and path.is_file()
    ]


class Stamp(msgspec.Struct, frozen=True):
    """How the measured code was compiled, as `hello` reports it: flags, and the version of the compiler (None: the one that compiles the SDK)."""

    flags: str
    compiler: str | None = None


def sdk_objects(
    toolchain: Toolchain,
    root: Path,
    cache: Path,
    stamp: Stamp,
    machine: Sequence[str] = (),
    bare: Bare | None = None,
) -> list[Path]:
    """The SDK's objects. `machine`: flags that choose another one, which all objects of a program must have. `bare`: what stands in for a system comes with them."""
    headers = _headers(root)
    if bare is not None:
        machine = (*machine, *bare.flags, *bare_includes(root))
        headers += [(name, path) for name, path in bare_files(root) if path.suffix == ".h"]
    stamped = (
        f'-DCS_COMPILER="{_quoted((stamp.compiler or toolchain.cc_version or "")[:120])}"',
        f'-DCS_FLAGS="{_quoted(stamp.flags[:200])}"',
    )
    objects = []
    for source in [*_sdk_sources(root), *(bare_sources(root) if bare is not None else ())]:
        # One source holds the stamp; the others, with the timed loop among them, are the same object in every worker.
        own = (*machine, *(stamped if b"CS_COMPILER" in source.read_bytes() else ()))
        words = [toolchain.cc_version or "", *OPTIMISATION, *WARNINGS, *own]
        key = digest_of([(source.name, source), *headers], words)
        target = cache / "sdk" / key / (source.stem + ".o")
        if not kept(target):
            _compile_sdk(toolchain, root, source, target, own)
        objects.append(target)
    return objects


def _compile_sdk(toolchain: Toolchain, root: Path, source: Path, target: Path, own: Sequence[str]) -> None:
    with scratch_beside(target.parent) as scratch:
        output = scratch / target.name
        includes = ["-I", str(root / "sdk/c/include")]
        command = [toolchain.cc, *C_STANDARD, *OPTIMISATION, *WARNINGS, *own, *includes, "-c", str(source)]
        run_tool([*command, "-o", str(output)], f"SDK: compiling {source.name}")
        publish(output, target)


def _quoted(text: str) -> str:
    """`text` inside a C string."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


def heap_preload(toolchain: Toolchain, root: Path, cache: Path) -> Path | None:
    """The shared object that counts heap use and random bytes by LD_PRELOAD, or None where it cannot be built (another C library than glibc)."""
    sources = sorted((root / "sdk/c/preload").glob("*.c"))
    if not sources or toolchain.cc_version is None:
        return None
    named = [(source.name, source) for source in sources]
    target = cache / "preload" / digest_of(named, [toolchain.cc_version]) / "libcsheap.so"
    if kept(target):
        return target
    try:
        with scratch_beside(target.parent) as scratch:
            output = scratch / target.name
            run_tool(
                [
                    toolchain.cc,
                    "-std=c11",  # it asks for the extensions itself
                    *OPTIMISATION,
                    "-shared",
                    "-fPIC",
                    "-I",
                    str(root / "sdk/c/include"),
                    *map(str, sources),
                    "-o",
                    str(output),
                    "-lpthread",
                    "-ldl",
                ],
                "heap counter: compiling",
            )
            publish(output, target)
    except BuildError:
        return None
    return target


def _sdk_files(root: Path) -> list[tuple[str, Path]]:
    return [*((path.name, path) for path in _sdk_sources(root)), *_headers(root)]


def _sdk_sources(root: Path) -> list[Path]:
    sources = sorted((root / "sdk/c/src").glob("*.c"))
    if not sources:
        raise BuildError(f"SDK: no sources in {root / 'sdk/c/src'}", "is this a whole checkout?")
    return sources


def _headers(root: Path) -> list[tuple[str, Path]]:
    headers = sorted([*(root / "sdk/c/include").glob("*.h"), *(root / "sdk/c/src").glob("*.h")])
    return [(path.name, path) for path in headers]
