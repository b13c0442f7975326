# SPDX-License-Identifier: Apache-2.0
"""A library that is missing, too old, or does not compile; no compiler; a disk that is full; a folder that is none; two runs at once."""

from __future__ import annotations

import compileall
import resource
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import scripts
from scripts import HASH, CommandLine, cells, cost, gone, interrupt_when, newest, passes, summary, write_worker

LIBRARY = """# SPDX-License-Identifier: Apache-2.0
id = "{id}"
title = "The {id} library"
homepage = "https://example.org/"
licence = "MIT"
language = "c"
sources = ["adapter.c"]
min_version = "{min_version}"
notes = "for a test"

[distribution]
pkg_config = [{pkg_config}]
header = "{header}"
libs = ["-lm"]

[distribution.packages]
debian = ["{id}-dev"]
"""
# An adapter without operations: what is tested is whether it builds and starts.
ADAPTER = """/* SPDX-License-Identifier: Apache-2.0 */
#include "cipherstone.h"
#include <{header}>
static const char *version(void) {{ return "1.0"; }}
static const cs_op ops[] = {{{{"toy/hash", "default", "toy", 0, 0, 0, 0, 0, 0, 0}}}};
static const cs_library library = {{CS_ABI, "{id}", version, "library", 0, 0, CS_ROWS(ops)}};
{more}
CS_WORKER_MAIN(library)
"""


def add_library(
    root: Path, name: str, *, header: str = "math.h", more: str = "", pkg_config: str = "", min_version: str = "0.1"
) -> None:
    folder = root / "libraries" / name
    folder.mkdir()
    (folder / "NOTES.md").write_text("For a test.\n")
    facts = {"id": name, "header": header, "pkg_config": pkg_config, "min_version": min_version}
    (folder / "library.toml").write_text(LIBRARY.format(**facts))
    (folder / "adapter.c").write_text(ADAPTER.format(id=name, header=header, more=more))


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with four libraries: one works, one is not installed, one is too old, one does not compile."""
    if shutil.which("pkg-config") is None:
        pytest.skip("no pkg-config")
    root = scripts.bare_root(tmp_path_factory.mktemp("four"))
    add_library(root, "works", pkg_config='"works"')
    add_library(root, "absent", header="no/such/header.h")
    add_library(root, "ancient", pkg_config='"ancient"', min_version="3.0")
    add_library(root, "broken", more="int oops(void) { return undeclared_thing; }")
    (root / "pc").mkdir()
    (root / "pc" / "ancient.pc").write_text("Name: ancient\nDescription: old\nVersion: 2.9.1\nLibs:\nCflags:\n")
    (root / "pc" / "works.pc").write_text("Name: works\nDescription: new\nVersion: 1.0.7\nLibs:\nCflags:\n")
    return root


@pytest.fixture
def builder(four: Path, new_cli: Callable[..., CommandLine], tmp_path: Path) -> CommandLine:
    cli = new_cli("builder", four, PKG_CONFIG_PATH=str(four / "pc"))
    cli.cache = tmp_path / "cache" / "cipherstone"
    return cli


def test_one_library_in_trouble_does_not_stop_the_others(builder: CommandLine, tmp_path: Path) -> None:
    """One line each, the package that would help, the compiler's own message; the run goes on with what is there."""
    good = write_worker(tmp_path, "good")
    done = builder.measure("--base", "good", "--op", HASH, "--worker", good).no_trace()
    assert done.code == 0, done.err
    lines = done.err.splitlines()
    assert "without The absent library: not installed (no no/such/header.h); install: absent-dev" in lines
    (old,) = [line for line in lines if line.startswith("without The ancient library")]
    assert "version 2.9.1 is too old; the adapter is written for 3.0 and later" in old
    (broken,) = [line for line in lines if line.startswith("without The broken library")]
    assert "compiling adapter.c" in broken and "undeclared_thing" in broken
    assert any(line.startswith("    ") and "undeclared_thing" in line for line in lines)
    assert "built the worker of The works library 1.0" in lines, (
        "the library's own version, as in the report, not its package's"
    )
    found = summary(done)
    assert cells(found)["works@1.0"].outcome == "unsupported"
    assert cells(found)["good@1.0"].ns is not None
    notes = " ".join(found.manifest.notes)
    assert all(word in notes for word in ("absent: missing", "ancient: missing", "broken: failed"))


def test_list_says_what_is_missing_and_why(builder: CommandLine) -> None:
    done = builder("list", "--format", "json", "--cache", builder.cache).no_trace()
    assert done.code == 0
    rows = {row["library"]: row for row in done.json() if row["operation"] == HASH}
    assert {name: row["state"] for name, row in rows.items()} == {
        "works": "unsupported",
        "absent": "unavailable",
        "ancient": "unavailable",
        "broken": "unavailable",
    }
    assert "not installed" in rows["absent"]["reason"] and "too old" in rows["ancient"]["reason"]
    text = builder("list", "--cache", builder.cache).no_trace().out
    assert "install: absent-dev" in text and "undeclared_thing" in text.replace("\n", "")


def test_a_second_build_takes_what_the_first_made(builder: CommandLine) -> None:
    first = builder("list", "--library", "works", "--cache", builder.cache)
    again = builder("list", "--library", "works", "--cache", builder.cache)
    assert "built the worker of" in first.err and "built" not in again.err
    # What goes in decides: another flag, another worker.
    (adapter,) = (builder.root / "libraries" / "works").glob("adapter.c")
    text = adapter.read_text()
    try:
        adapter.write_text(text + "\n/* changed */\n")
        assert "built the worker of" in builder("list", "--library", "works", "--cache", builder.cache).err
    finally:
        adapter.write_text(text)


def test_without_a_compiler(builder: CommandLine, tmp_path: Path) -> None:
    """Nothing can be built; a worker made elsewhere is measured all the same."""
    builder.environment |= {"CC": "/nonexistent/cc", "CXX": "/nonexistent/c++"}
    good = write_worker(tmp_path, "good")
    one = ("--base", "good", "--op", HASH, "--size", 16384, "--passes", 6)
    done = builder("run", *one, "--worker", good, "--cache", builder.cache)
    done.no_trace()
    assert done.code == 0, done.err
    assert done.err.count("no C compiler ('/nonexistent/cc' does not run)") >= 2
    assert "name one with CC=" in done.err
    alone = builder("run", "--base", "works", "--op", HASH, "--cache", builder.cache).no_trace()
    assert alone.code == 2 and "nothing to measure" in alone.err
    doctor = builder("doctor", "--seconds", "0.1").no_trace()
    assert doctor.code == 1 and "compiler" in doctor.out and "none found" in doctor.out


def test_a_worker_of_the_wrong_name(builder: CommandLine, tmp_path: Path) -> None:
    """A worker made elsewhere that calls itself like a library which is measured already."""
    twin = write_worker(tmp_path, "works")
    done = builder.measure("--base", "works", "--op", HASH, "--worker", twin).no_trace()
    assert done.code == 2
    assert (
        "it calls itself 'works', which is measured already" in done.err
        and "hint: give it a name of its own" in done.err
    )


def test_a_cache_that_cannot_be_written(builder: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    good = write_worker(tmp_path, "good")
    one = ("--base", "good", "--op", HASH, "--size", 16384, "--passes", 6, "--no-memory")
    done = builder("run", *one, "--worker", good, "--cache", tmp_path / "file" / "cache")
    done.no_trace()
    assert "build cache" in done.err and "choose another with --cache" in done.err
    assert done.code == 0


# -- where results go


def test_an_output_folder_that_is_a_file(cli: CommandLine, tmp_path: Path) -> None:
    good = write_worker(tmp_path, "good")
    cli.runs.write_text("not a folder")
    done = cli.measure("--base", "good", "--op", HASH, "--worker", good).no_trace()
    assert done.code == 1 and done.out == ""
    (line,) = [text for text in done.err.splitlines() if "error:" in text]
    assert "runs" in line and cli.runs.read_text() == "not a folder"
    assert (good.parent / "starts").stat().st_size == 1  # told before anything was measured


def test_a_full_disk_loses_nothing_and_the_run_goes_on_later(cli: CommandLine, tmp_path: Path) -> None:
    """No file may pass 40 kB: the journal hits it amid the run; what was written before is whole, and `--resume` finishes."""
    good = write_worker(tmp_path, "good", {HASH: cost(1000)})
    compileall.compile_dir(good.parent, quiet=2)  # else the worker's interpreter leaves half a file of bytecode behind

    def full() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))

    sizes = "16,64,256,1024,8192,16384"
    done = cli.measure("--base", "good", "--op", HASH, "--size", sizes, "--worker", good, preexec_fn=full).no_trace()
    assert done.code == 1
    (line,) = [text for text in done.err.splitlines() if "error:" in text]
    assert "journal" in line and "File too large" in line
    (hint,) = [text for text in done.err.splitlines() if text.startswith("hint:")]
    assert "records written before are safe" in hint and "--resume" in hint
    assert gone(tmp_path) == []
    before = len(passes(newest(cli.runs)))
    assert before > 3
    again = cli.measure("--resume", "latest", "--worker", good).no_trace()
    assert again.code == 0, again.err
    assert len(passes(newest(cli.runs))) == 36 and newest(cli.runs).verify() == []


def test_two_runs_at_once(cli: CommandLine, tmp_path: Path) -> None:
    """The second gets one line and leaves nothing behind; the first does not notice; then the next may run."""
    slow = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, sleep_s=0.02)
    quick = write_worker(tmp_path, "beta", {HASH: cost(1000)})
    first = cli.start("run", "--no-memory", "--base", "alpha", "--op", HASH, "--worker", slow, "--cache", cli.cache)

    def second() -> scripts.Done:
        return cli.measure("--base", "beta", "--op", HASH, "--worker", quick).no_trace()

    while not (cli.runs.is_dir() and list(cli.runs.glob("*/manifest.json"))):
        assert first.poll() is None, first.communicate()
        time.sleep(0.05)
    refused = second()
    assert refused.code == 1 and refused.out == ""
    assert f"another run is measuring on this machine: process {first.pid}" in refused.err
    assert "hint: wait for it" in refused.err and "built the worker" not in refused.err
    assert len(list(cli.runs.iterdir())) == 1
    mistyped = cli.measure("--base", "beta", "--op", "nothing", "--worker", quick).no_trace()
    assert mistyped.code == 2 and "another run" not in mistyped.err
    words = ("--wait", "--no-memory", "--base", "beta", "--op", HASH, "--size", 16, "--passes", 6, "--worker", quick)
    third = cli.start("run", *words, "--cache", cli.cache)
    assert (
        third.stderr is not None
        and third.stderr.readline() == f"waiting: another run is measuring on this machine: process {first.pid}\n"
    )
    interrupt_when(first, lambda: True)
    first.communicate(timeout=600)
    out, err = third.communicate(timeout=600)
    assert third.returncode == 0, out + err
    assert second().code == 0


@pytest.mark.skipif(shutil.which("apt-get") is None, reason="packages are named as this system calls them")
def test_setup_without_a_compiler_names_the_libraries_with_it(
    tmp_path: Path, new_cli: Callable[..., CommandLine]
) -> None:
    """A fresh machine has neither: asked once, it is told of both, or the first run would find no library."""
    root = scripts.bare_root(tmp_path / "checkout")
    add_library(root, "works", pkg_config='"works"')
    done = new_cli("fresh", root, CC="no-such-cc", CXX="no-such-cxx", INSTALL="no")("setup").no_trace()
    (named,) = [line for line in done.err.splitlines() if line.startswith("missing packages: ")]
    assert {"gcc", "works-dev"} <= set(named.split()), done.err
    done = new_cli("later", root, INSTALL="no")("setup").no_trace()
    assert "works-dev" not in done.err
