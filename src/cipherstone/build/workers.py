# SPDX-License-Identifier: Apache-2.0
"""Worker executables: the SDK and an adapter (or sources of our own), linked to one library, cached by the content of all that goes in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from cipherstone.build import onelink
from cipherstone.build.baremetal import Bare, bare_files, bare_includes, bare_sources
from cipherstone.build.disassembly import check_kernels
from cipherstone.build.installed import Installation
from cipherstone.build.minimal import minimal_objects, minimal_source
from cipherstone.build.objects import LinkedFile, content_hash, link_inputs, linked_files, still_there
from cipherstone.build.ownworker import build_own_worker, own_worker_folder
from cipherstone.build.processors import hiding_source, hiding_words
from cipherstone.build.store import digest_of, file_digest, kept, publish, scratch_beside
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
from cipherstone.build.twin import twin_of, twin_source, twin_words
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
    "WorkerExecutable",
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


def build_worker(
    library: Library,
    installation: Installation,
    toolchain: Toolchain,
    root: Path,
    cache: Path,
    build: BuildSpec | None = None,
    bare: Bare | None = None,
    twin: bool = False,
    lacks: str = "",
    minimal: bool = False,
) -> WorkerExecutable:
    """Builds (or finds in the cache) the worker of a build (the library's first, if None). Raises BuildError with the compiler's message. `bare`: for a machine without an operating system. `twin`: with one beside it that tells the heap (`build.twin`). `lacks`: of a machine that lacks what its emulator has (`build.processors`). `minimal`: not a worker, but the minimal program around the same objects of the adapter (`build.minimal`).

    What the worker is linked with counts by its content: a library that was built anew, in the same version and place, is linked anew. The adapter is compiled by the build's compiler with the build's flags; the SDK, which holds the timed loop, by `toolchain` alike for every build.
    """
    build = build or library.builds[0]
    if library.worker is not None:
        own_worker = build_own_worker(library, cache)
        path = Path(own_worker.command[0])
        return WorkerExecutable(
            library.id, path, own_worker.digest, "", installation, own_worker.fresh, command=own_worker.command
        )
    own = toolchain_of(build, toolchain)
    cxx = library.language == "c++"
    _need_compilers(library.id, toolchain, own, cxx)
    version = own.cxx_version if cxx else own.cc_version
    optimisation = build.flags or OPTIMISATION
    flags = " ".join((*optimisation, *installation.cflags))
    version_define = _version_define(installation)
    generated = _generated(library, own)
    name = _named(library, build)
    target = worker_path(library, installation, toolchain, root, cache, build, generated, bare, twin, lacks, minimal)
    linked = _linked(target)
    told = twin or bare is not None  # what each operation brings into a program
    beside = [
        LINKED,
        *([NOTE] if generated else []),
        *([onelink.FILE] if told else []),
        *([twin_of(target).name] if twin else []),
    ]
    if linked is not None and kept(target) and all(kept(target.parent / name) for name in beside):
        return WorkerExecutable(
            library.id, target, file_digest(target), flags, installation, note=_noted(target), linked=linked
        )
    machine = NARROW_SDK if NARROW in build.flags else ()
    if minimal:
        sdk = minimal_objects(toolchain, root, cache, machine)
    else:
        sdk = sdk_objects(toolchain, root, cache, flags, version, machine, bare)
    with scratch_beside(target.parent) as scratch:
        made = scratch / "generated"
        made.mkdir()
        for file, text in generated.items():
            (made / file).write_text(text, encoding="utf-8")
        sources = [(source, library.path_of(source)) for source in build.sources or library.sources]
        sources += [(file, made / file) for file in sorted(generated) if Path(file).suffix in (".c", ".S")]
        includes = [*(bare_includes(root) if bare is not None else ()), "-I", str(root / "sdk/c/include")]
        includes += [word for folder in library.code_folders for word in ("-I", str(folder))]
        includes += ["-I", str(made)] if generated else []
        includes += [word for folder in installation.includes for word in ("-isystem", folder)]

        def compiled(kind: str, more: Sequence[str] = ()) -> list[str]:
            """The adapter's objects; files of different folders may have one name."""
            found = []
            for number, (shown, source) in enumerate(sources):
                output = scratch / f"{kind}{number:03d}-{source.stem}.o"
                flags = (*optimisation, *more, *WARNINGS, *includes, *installation.cflags, version_define)
                words = [*_compile(source, own), *flags, "-c", str(source), "-o", str(output)]
                run_tool(words, f"{name}: compiling {shown}")
                found.append(str(output))
            return found

        objects = compiled("")
        executable = scratch / target.name
        # The flags once more: some of them, such as -flto, mean something to the linker.
        system = bare.link_words(root) if bare is not None else ("-lpthread", "-ldl")
        linker = linker_of(own, toolchain, cxx, build.flags)
        linking = [flag for flag in build.flags if not flag.startswith(CROSS)]
        hidden = hiding_words(toolchain, root, scratch, linking) if lacks else []
        words = [*hidden, *objects, *map(str, sdk), *installation.libs, *system]
        trace = run_tool([linker, *linking, "-Wl,-t", "-o", str(executable), *words], f"{name}: linking")
        linked = linked_files(trace, cache / "sdk", scratch)
        if twin:
            also = twin_words(toolchain, root, scratch, bare.flags if bare is not None else linking, bare is None)
            run_tool([linker, *linking, "-o", str(scratch / "twin"), *also, *words], f"{name}: linking its twin")
            publish(scratch / "twin", twin_of(target))
        if told:
            read = objects if bare is not None else compiled("apart", onelink.apart(scratch))
            brought = scratch / onelink.FILE
            archives = [Path(word) for word in installation.libs if word.endswith(".a")]
            brought.write_bytes(msgspec.json.encode(onelink.one_links(list(map(Path, read)), archives)))
            publish(brought, target.parent / onelink.FILE)
        record = scratch / LINKED
        record.write_bytes(msgspec.json.encode(linked))
        if generated:
            # What the table says must be what the assembler made: a worker that differs is never published.
            note = scratch / NOTE
            note.write_text(_disassembled(library, own, executable), encoding="utf-8")
            publish(note, target.parent / NOTE)
        publish(record, target.parent / LINKED)
        publish(executable, target)
    return WorkerExecutable(library.id, target, file_digest(target), flags, installation, True, _noted(target), linked)


def worker_path(
    library: Library,
    installation: Installation,
    toolchain: Toolchain,
    root: Path,
    cache: Path,
    build: BuildSpec,
    generated: Mapping[str, str] | None = None,
    bare: Bare | None = None,
    twin: bool = False,
    lacks: str = "",
    minimal: bool = False,
) -> Path:
    """Where the worker of a build (a folder, if it is not linked with the C SDK) is kept, built or not: a path that names all that it is made of. `generated`: sources that are made for it, if they are known already."""
    if library.worker is not None:
        return own_worker_folder(library, cache)
    own = toolchain_of(build, toolchain)
    compiler = linker_of(own, toolchain, library.language == "c++", build.flags)
    optimisation = build.flags or OPTIMISATION
    made = _generated(library, own) if generated is None else generated
    key = digest_of(
        [
            *_sdk_files(root),
            *_files_of(library),
            *(bare_files(root) if bare is not None else ()),
            *([("heap_wrap.c", twin_source(root))] if twin else []),
            *([("getauxval_wrap.c", hiding_source(root))] if lacks else []),
            *([("minimal.c", minimal_source(root))] if minimal else []),
        ],
        [
            *((*bare.flags, *bare.places) if bare is not None else ()),
            " ".join((*optimisation, *installation.cflags)),
            _version_define(installation),
            *installation.includes,
            *installation.libs,
            own.cc_version or "",
            own.cxx_version or "",
            toolchain.cc_version or "",
            *WARNINGS,
            *(build.sources or library.sources),
            *(word for item in sorted(made.items()) for word in item),
            *(
                f"{path.name}:{content_hash(path)}"
                for path in link_inputs(installation.libs, compiler, "-static" in optimisation)
            ),
        ],
    )
    name = _named(library, build)
    folder = cache / ("minimal" if minimal else "workers") / f"{name}-{key}"
    return folder / f"{'loop' if minimal else 'cs'}-{library.id}"


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


def sdk_objects(
    toolchain: Toolchain,
    root: Path,
    cache: Path,
    worker_flags: str,
    worker_compiler: str | None = None,
    machine: Sequence[str] = (),
    bare: Bare | None = None,
) -> list[Path]:
    """The SDK's objects. `worker_flags` and `worker_compiler` (None: this one) are what `hello` reports: how the measured code was compiled. `machine`: flags that choose another one, which all objects of a program must have. `bare`: what stands in for a system comes with them."""
    headers = _headers(root)
    if bare is not None:
        machine = (*machine, *bare.flags, *bare_includes(root))
        headers += [(name, path) for name, path in bare_files(root) if path.suffix == ".h"]
    stamp = (
        f'-DCS_COMPILER="{_quoted((worker_compiler or toolchain.cc_version or "")[:120])}"',
        f'-DCS_FLAGS="{_quoted(worker_flags[:200])}"',
    )
    objects = []
    for source in [*_sdk_sources(root), *(bare_sources(root) if bare is not None else ())]:
        # One source holds the stamp; the others, with the timed loop among them, are the same object in every worker.
        own = (*machine, *(stamp if b"CS_COMPILER" in source.read_bytes() else ()))
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
