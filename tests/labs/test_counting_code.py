# SPDX-License-Identifier: Apache-2.0
"""Code that one operation brings into a program: what the linker itself takes for it, through functions, tables and archives, on boards and on machines that have a system."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from counted import TOOLCHAIN, need
from scripts import ROOT

from cipherstone.build.operation_code import FILE, OneLinks, apart, links_of, one_links
from cipherstone.build.targets import TARGETS, Target, toolchain_for

ADAPTER = """
#include "cipherstone.h"
extern int lib_one(int), lib_two(int);
extern const struct { int (*f)(int); } lib_table;
static const int own[3] = {1, 2, 3};
int ready(cs_case *c) { c->out_len = 1; return CS_OK; }
int call_one(cs_case *c) { c->out[0] = (uint8_t)lib_one(own[c->out_len]); return CS_OK; }
int call_two(cs_case *c) { c->out[0] = (uint8_t)lib_table.f((int)c->out_len); return CS_OK; }
const cs_op ops[] = {
    {.id = "toy-sum/hash", .impl = "one", .name = "lib_one", .setup = ready, .call = call_one},
    {.id = "toy-sum/hash", .impl = "two", .name = "lib_two", .setup = ready, .call = call_two, .params = "bits=8"},
    {.id = "toy-copy/hash", .impl = "two", .name = "x", .setup = ready, .call = call_one, .params = "bits=8"},
    {.id = "toy-copy/hash", .impl = "two", .name = "x", .setup = ready, .call = call_two, .params = "bits=16"},
};
"""
LIBRARY = {
    "one": "extern int lib_both(int); int lib_one(int x) { return lib_both(x) + 1; } int unused(void) { return 7; }",
    "two": "extern int lib_both(int); int lib_two(int x) { return lib_both(x) * 3; }\n"
    "const struct { int (*f)(int); } lib_table = {lib_two};",
    "both": 'static const char text[] = "no text"; static const int big[50] = {1};\n'
    "int lib_both(int x) { return big[x] + text[x]; }",
}


def run(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


HOSTED = ("x86-64", "i386", "aarch64", "armv7a", "armv7a-thumb", "ppc64le", "riscv64")


def compiler(target: Target, *words: str) -> str:
    """What the target's compiler says to these words."""
    flags = target.native if target.is_native else target.flags
    return run(toolchain_for(target, TOOLCHAIN).cc, *flags, *words)


@pytest.fixture(params=["cortex-m0plus", "cortex-m4", *HOSTED])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Target, Path, Path]:
    """(target, the adapter's object, the library's archive). The library of a machine with a system is compiled as its makefile does it: a file is one section."""
    target = TARGETS[request.param]
    need(target.id)
    (tmp_path / "adapter.c").write_text(ADAPTER)
    for name, text in LIBRARY.items():
        (tmp_path / f"{name}.c").write_text(text)
    for name in ("adapter", *LIBRARY):
        source, output = str(tmp_path / f"{name}.c"), str(tmp_path / f"{name}.o")
        bare = ("-I", str(ROOT / "sdk/c/bare/include")) if target.board is not None else ()
        sections = apart(tmp_path) if name == "adapter" and target.board is None else ()
        includes = ("-I", str(ROOT / "sdk/c/include"), *bare)
        compiler(target, "-std=c11", "-O2", *sections, *includes, "-c", source, "-o", output)
    archive = tmp_path / "lib.a"
    run("ar", "rcs", str(archive), *(str(tmp_path / f"{name}.o") for name in LIBRARY))
    return target, tmp_path / "adapter.o", archive


@pytest.mark.parametrize(("row", "call"), [("one", "call_one"), ("two", "call_two")])
def test_it_is_what_the_linker_takes(row: str, call: str, made: tuple[Target, Path, Path]) -> None:
    """By name, to the word: the linker is given the row's functions as its roots and collects the rest. Told not to relax, which shortens calls on RISC-V."""
    target, adapter, archive = made
    found = one_links([adapter], [archive])
    brought = found.of("toy-sum/hash", row)
    assert brought is not None
    program = adapter.with_name("program")
    words = ("--gc-sections", "-e", call, "-u", "ready", "--no-relax")
    linking = ("-static", "-no-pie", "-nostdlib", *(f"-Wl,{word}" for word in words))
    compiler(target, *linking, str(adapter), str(archive), "-o", str(program))
    nm = "nm" if target.is_native else f"{target.prefix}nm"
    lines = [line.split() for line in run(nm, "-S", "--defined-only", str(program)).splitlines()]
    sizes = {words[3]: int(words[1], 16) for words in lines if len(words) == 4}
    helpers = {words[2] for words in lines if len(words) == 3}  # of the compiler: what they take is not told there
    named = {name: size for name, size in brought.items() if " " not in name and name not in helpers}
    rest = {name: size for name, size in brought.items() if " " in name}  # of files: what lies between
    # A section ends at a whole word, a function may end before.
    assert sizes and named == {name: size + (named[name] - size) % 8 for name, size in sizes.items()}
    whole = target.board is None
    assert ("unused" in brought, "lib_two" in brought, "lib_one" in brought) == (whole and row == "one", row == "two", row == "one")  # fmt: skip
    assert {"ready", call, "lib_both", "big"} <= brought.keys() and all(0 < size < 16 for size in rest.values())
    assert bool(rest) <= whole


def test_what_has_no_one_figure(made: tuple[Target, Path, Path]) -> None:
    """Rows of one name that bring different code for different parameters, and rows that are in no table."""
    _, adapter, archive = made
    found = one_links([adapter], [archive])
    assert found.of("toy-copy/hash", "two") is None and found.of("toy-sum/hash", "none") is None


def test_what_cannot_be_read_is_nothing(tmp_path: Path) -> None:
    """A text, an archive that breaks off, an object of a big-endian machine: no objects; no file beside a worker: no rows."""
    (tmp_path / "text.a").write_bytes(b"!<arch>\n" + b"x" * 30)
    (tmp_path / "wide.o").write_bytes(b"\x7fELF\x02\x02" + b"\0" * 60)
    assert one_links([tmp_path / "wide.o"], [tmp_path / "text.a"]) == OneLinks()
    assert links_of(tmp_path / "worker") == OneLinks()
    (tmp_path / FILE).write_text("{")
    assert links_of(tmp_path / "worker") == OneLinks()
