# SPDX-License-Identifier: Apache-2.0
"""Code that one operation brings into a program for a board: what the linker itself takes for it, through functions, tables and archives."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from counted import TOOLCHAIN, need
from scripts import ROOT

from cipherstone.build.onelink import FILE, OneLinks, links_of, one_links
from cipherstone.build.targets import TARGETS, toolchain_for

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


@pytest.fixture(params=["cortex-m0plus", "cortex-m4"])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path, Path]:
    """(prefix of the tools, the adapter's object, the library's archive)."""
    target = TARGETS[request.param]
    need(target.id)
    toolchain_for(target, TOOLCHAIN)
    (tmp_path / "adapter.c").write_text(ADAPTER)
    for name, text in LIBRARY.items():
        (tmp_path / f"{name}.c").write_text(text)
    for name in ("adapter", *LIBRARY):
        source, output = str(tmp_path / f"{name}.c"), str(tmp_path / f"{name}.o")
        includes = ("-I", str(ROOT / "sdk/c/include"), "-I", str(ROOT / "sdk/c/bare/include"))
        run(f"{target.prefix}gcc", "-std=c11", "-O2", *target.flags, *includes, "-c", source, "-o", output)
    archive = tmp_path / "lib.a"
    run(f"{target.prefix}ar", "rcs", str(archive), *(str(tmp_path / f"{name}.o") for name in LIBRARY))
    return target.prefix, tmp_path / "adapter.o", archive


@pytest.mark.parametrize(("row", "call"), [("one", "call_one"), ("two", "call_two")])
def test_it_is_what_the_linker_takes(row: str, call: str, made: tuple[str, Path, Path]) -> None:
    """By name, to the word: the linker is given the row's functions as its roots and collects the rest."""
    prefix, adapter, archive = made
    found = one_links([adapter], [archive])
    brought = found.of("toy-sum/hash", row)
    assert brought is not None
    program = adapter.with_name("program")
    run(f"{prefix}ld", "--gc-sections", "-e", call, "-u", "ready", str(adapter), str(archive), "-o", str(program))
    lines = [line.split() for line in run(f"{prefix}nm", "-S", "--defined-only", str(program)).splitlines()]
    sizes = {words[3]: int(words[1], 16) for words in lines if len(words) == 4}
    # A section ends at a whole word, a function may end before.
    assert sizes and brought == {name: size + (brought[name] - size) % 4 for name, size in sizes.items()}
    assert ("unused" in brought, "lib_two" in brought, "lib_one" in brought) == (False, row == "two", row == "one")
    assert {"ready", call, "lib_both", "big"} <= brought.keys()


def test_what_has_no_one_figure(made: tuple[str, Path, Path]) -> None:
    """Rows of one name that bring different code for different parameters, and rows that are in no table."""
    _, adapter, archive = made
    found = one_links([adapter], [archive])
    assert found.of("toy-copy/hash", "two") is None and found.of("toy-sum/hash", "none") is None


def test_what_cannot_be_read_is_nothing(tmp_path: Path) -> None:
    """A text, an archive that breaks off, an object of a 64-bit machine: no objects; no file beside a worker: no rows."""
    (tmp_path / "text.a").write_bytes(b"!<arch>\n" + b"x" * 30)
    (tmp_path / "wide.o").write_bytes(b"\x7fELF\x02\x01" + b"\0" * 60)
    assert one_links([tmp_path / "wide.o"], [tmp_path / "text.a"]) == OneLinks()
    assert links_of(tmp_path / "worker") == OneLinks()
    (tmp_path / FILE).write_text("{")
    assert links_of(tmp_path / "worker") == OneLinks()
