# SPDX-License-Identifier: Apache-2.0
"""The sources, compiled: warnings as errors, what an adapter may not do, what a worker is linked with."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from kept import answered, headers
from scripts import ROOT, skip_or_fail, source_cache

from cipherstone.build.installed import Installation, find_installation
from cipherstone.build.systems import this_system
from cipherstone.build.toolchain import find_toolchain, program_version
from cipherstone.build.upstream import prepare
from cipherstone.build.workers import C_STANDARD, CXX_STANDARD, WorkerJob, build_worker
from cipherstone.catalogue.libraries import Library, load_libraries

LIBRARIES = load_libraries(ROOT)
# The others have no headers before their source is built.
PACKAGED = [name for name, one in LIBRARIES.items() if one.distribution is not None]
TOOLCHAIN, SYSTEM = find_toolchain(), this_system()
ADAPTERS = sorted(path for path in (ROOT / "libraries").rglob("*") if path.suffix in (".c", ".h", ".cpp", ".hpp"))
# A row of a table of operations ends where its hooks do: members that a row does not name are NULL by the SDK's contract.
WARNINGS = ("-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Wpedantic", "-Wshadow", "-Werror")
C_WARNINGS = ("-Wstrict-prototypes", "-Wmissing-prototypes")
COMPILERS = [pair for pair in (("gcc", "g++"), ("clang", "clang++")) if all(map(shutil.which, pair))]


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def compile_only(command: list[str], source: Path) -> str:
    done = subprocess.run([*command, "-fsyntax-only", str(source)], capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


@pytest.mark.parametrize("compiler", [pair[0] for pair in COMPILERS])
def test_the_sdk_compiles_without_a_warning(compiler: str) -> None:
    includes = ["-I", str(ROOT / "sdk/c/include"), "-I", str(ROOT / "sdk/c/src")]
    sources = sorted((ROOT / "sdk/c/src").glob("*.c"))
    assert len(sources) > 8
    strict = ["-O2", *WARNINGS, *C_WARNINGS, *includes]
    found = {name(path): compile_only([compiler, *C_STANDARD, *strict], path) for path in sources}
    for beside in sorted(
        path for folder in ("preload", "launch", "count") for path in (ROOT / "sdk/c" / folder).glob("*.c")
    ):
        found[name(beside)] = compile_only([compiler, "-std=c11", *strict], beside)
    assert {path: said for path, said in found.items() if said} == {}


def installed(library: Library) -> Installation:
    """How to compile against a library; skips where it is not installed, or, if only its source is to be had, not built."""
    build = library.builds[0]
    if build.source is not None:
        return prepare(library, build, TOOLCHAIN, SYSTEM, source_cache(library), print)
    found = find_installation(library, TOOLCHAIN, SYSTEM)
    if found.problem:
        skip_or_fail(f"{library.id}: {found.problem}")
    return found


@pytest.mark.libraries
@pytest.mark.parametrize("compilers", COMPILERS, ids=lambda pair: pair[0])
@pytest.mark.parametrize("library", PACKAGED)
def test_an_adapter_compiles_without_a_warning(library: str, compilers: tuple[str, str], tmp_path: Path) -> None:
    """What was compiled so, of files that are all the same still, need not be again."""
    one = LIBRARIES[library]
    # A library's own headers are not ours to mend.
    found = installed(one)
    cflags = [flag.replace("-I", "-isystem", 1) if flag.startswith("-I") else flag for flag in found.cflags]
    cflags += [word for folder in found.includes for word in ("-isystem", folder)]
    cxx = one.language == "c++"
    # What adapters share is C, which g++ takes for C++ without a word, and clang++ with a warning.
    command = [
        compilers[cxx],
        *(("-x", "c++", *CXX_STANDARD) if cxx else (*C_STANDARD, *C_WARNINGS)),
        "-O2",
        *WARNINGS,
        *cflags,
    ]
    folders = (ROOT / "sdk/c/include", *one.code_folders)
    command += [*(f"-I{folder}" for folder in folders), '-DCS_PACKAGE_VERSION="1.0"']
    listed = {path: tmp_path / f"{number}.d" for number, path in enumerate(one.source_paths)}

    def compute() -> dict[str, str]:
        said = {path: compile_only([*command, "-MD", "-MF", str(file)], path) for path, file in listed.items()}
        return {name(path): text for path, text in said.items() if text}

    inputs = (*command, program_version(command[0]) or "", *one.source_paths)
    with answered("warnings", inputs, dict[str, str], compute, lambda: headers(*listed.values())) as said:
        assert said == {}


def test_gcc_refuses_a_row_whose_members_are_not_named(tmp_path: Path) -> None:
    """In C the SDK's header makes it a warning, and warnings are errors above; it can fail only where GCC is there."""
    if shutil.which("gcc") is None:
        skip_or_fail("no gcc")
    found = {}
    for row in ('{"a/hash", "default"}', '{.id = "a/hash", .impl = "default"}'):
        source = tmp_path / "row.c"
        source.write_text(f'#include "cipherstone.h"\nextern const cs_op rows[];\nconst cs_op rows[] = {{{row}}};\n')
        found[row] = compile_only(["gcc", *C_STANDARD, *WARNINGS, "-I", str(ROOT / "sdk/c/include")], source)
    positional, named = found.values()
    assert "designated" in positional and named == ""


def test_rows_in_cxx_name_their_members() -> None:
    """C++ has no such warning: a brace before the id of an operation, or before what a function was given for it, is a row without names."""
    pattern = re.compile(r'\{\s*("[a-z0-9-]+/[a-z-]+"|id)\s*,')
    assert pattern.search('{"md5/hash", "default"') and pattern.search("return {id, spec")
    cxx = [path for path in ADAPTERS if (one := LIBRARIES.get(path.parent.name)) is not None and one.language == "c++"]
    assert len(cxx) > 3 and not [name(path) for path in cxx if pattern.search(path.read_text())]


def without_comments(text: str) -> str:
    """C or C++ code without comments and texts."""
    pattern = r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"'
    return re.sub(pattern, lambda match: '""' if match[0][0] == '"' else " ", text, flags=re.DOTALL)


FORBIDDEN = {
    "a clock": r"\b(clock_gettime|clock|gettimeofday|time|rdtsc|__rdtsc|__rdtscp|std::chrono\w*)\s*\(|<chrono>|<time\.h>",
    "printing": r"\b(printf|fprintf|puts|putchar|fputs|perror|write)\s*\(|std::c(out|err)|<iostream>",
    "memory of its own": r"\b(malloc|calloc|realloc|free|alloca)\s*\(",
    "the environment": r"\b(getenv|setenv|system|popen)\s*\(",
    "threads or processes": r"\b(fork|pthread_create)\s*\(|<thread>",
    "the end of the process": r"\b(exit|_exit|abort)\s*\(",
}


# The library gives a block of malloc's, which its caller has to free; it has no function for that.
FREES = {"libraries/hacl/adapter_ffdh.c": "free(c->state);"}


@pytest.mark.parametrize("path", ADAPTERS, ids=name)
def test_an_adapter_has_no_clock_no_printing_no_allocation(path: Path) -> None:
    code = without_comments(path.read_text())
    allowed = FREES.get(name(path), "")
    assert allowed in code
    code = code.replace(allowed, "") if allowed else code
    found = {what: match[0] for what, pattern in FORBIDDEN.items() if (match := re.search(pattern, code))}
    assert found == {}


@pytest.mark.parametrize("path", ADAPTERS, ids=name)
def test_an_adapter_includes_the_public_header_only(path: Path) -> None:
    """Its own headers, the SDK's public ones, and nothing that the SDK keeps to itself."""
    private = {header.name for header in (ROOT / "sdk/c/src").glob("*.h")}
    included = re.findall(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', path.read_text(), re.MULTILINE)
    assert not [header for header in included if Path(header).name in private or "sdk/" in header or ".." in header]
    quoted = re.findall(r'^\s*#\s*include\s*"([^"]+)"', path.read_text(), re.MULTILINE)
    # In a folder that libraries share: what each of them has, too.
    folders = {folder for one in LIBRARIES.values() if path.parent in one.code_folders for folder in one.code_folders}
    own = {header.name for folder in folders for header in folder.glob("*.h*")}
    assert folders and set(quoted) <= own | {header.name for header in (ROOT / "sdk/c/include").glob("*.h")}


def test_the_checks_of_adapters_see_what_they_are_for() -> None:
    bad = ["clock_gettime(CLOCK_MONOTONIC, &t)", 'printf("x")', "p = malloc(3)", 'getenv("X")', "fork ()", "abort()"]
    for text in bad:
        assert any(re.search(pattern, without_comments(text)) for pattern in FORBIDDEN.values()), text
    assert not any(
        re.search(p, without_comments('/* malloc(1) */ f("printf(x)"); // free(p)')) for p in FORBIDDEN.values()
    )


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_library_folder_is_complete(library: str) -> None:
    """Who it is, an adapter, and notes that say which interface was chosen and what is known about it."""
    folder = ROOT / "libraries" / library
    notes = (folder / "NOTES.md").read_text()
    assert notes.startswith("# ") and len(notes.splitlines()) > 15
    document = tomllib.loads((folder / "library.toml").read_text())
    own = {source for source in document["sources"] if not source.startswith("_")}
    sources = document.get("source", ())
    worker = document.get("worker")
    if worker is None:
        assert own == {path.name for path in folder.iterdir() if path.suffix in (".c", ".cpp")}
    ways = [worker] if worker else [document["distribution"]] if "distribution" in document else sources
    assert ways and all(way["packages"]["debian"] for way in ways)
    known = {
        "library.toml",
        "NOTES.md",
        *(Path(source).parts[0] for source in own),
        *(path.name for path in folder.iterdir() if path.suffix in (".c", ".cpp", ".h", ".hpp")),
        # Scripts of builds from upstream's source, in a folder of their own.
        *(Path(source["script"]).parts[0] for source in sources),
    }
    assert {path.name for path in folder.iterdir()} == known


# What every program in C or C++ is linked with. `ld-linux`: where the loader is asked for thread storage.
RUNTIME = re.compile(r"lib(c|m|pthread|dl|rt|gcc_s|stdc\+\+|c\+\+|c\+\+abi)\.so|ld-linux|ld-musl")


@pytest.mark.libraries
@pytest.mark.parametrize("library", PACKAGED)
def test_a_worker_is_linked_with_its_library_alone(library: str, worker_cache: Path) -> None:
    """What it needs itself, not what its library needs: the objects of the library's own link line, and no other library that is measured. No list says what they are called."""
    one = LIBRARIES[library]
    installation = installed(one)
    worker = build_worker(WorkerJob(one, installation, TOOLCHAIN, ROOT, worker_cache))
    if shutil.which("readelf") is None:
        pytest.skip("no readelf")
    said = subprocess.run(["readelf", "-d", str(worker.path)], capture_output=True, text=True, check=True).stdout
    needed = [file for file in re.findall(r"\(NEEDED\).*\[(.*)\]", said) if not RUNTIME.match(file)]
    own = [f"lib{word[2:]}.so" for word in installation.libs if word.startswith("-l")]
    assert installation.libs and [file for file in needed if not file.startswith(tuple(own))] == []
