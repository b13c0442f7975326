# SPDX-License-Identifier: Apache-2.0
"""Zig as a compiler of builds: one command, the architecture's least CPU unless a build says otherwise, one line where it is not there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cipherstone.build.installed import compiler_problem
from cipherstone.build.toolchain import find_toolchain, linker_of, toolchain_of
from cipherstone.build.zig import HINT
from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.composed import composed
from cipherstone.catalogue.libraries import load_library
from cipherstone.catalogue.paths import data_root

ROOT = data_root()
# What stands in the place of zig's program tells what it was called with.
TELLS = """#!{python}
import json, os, sys
print(json.dumps([sys.argv[1:], os.environ["ZIG_GLOBAL_CACHE_DIR"]]))
"""


def call(function: str, *words: str, path: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    """One of the commands; without `path` in an environment that has no zig."""
    code = f"import sys\nif {path is None}: sys.modules['ziglang'] = None\nfrom cipherstone.cli.zig import {function}\n{function}()"
    known = {**os.environ, **environment, **({"PYTHONPATH": str(path)} if path else {})}
    return subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, env=known, check=False, timeout=60
    )


@pytest.fixture
def zig(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    (folder / "ziglang").mkdir(parents=True)
    (folder / "ziglang" / "__init__.py").write_text("")
    program = folder / "ziglang" / "zig"
    program.write_text(TELLS.format(python=sys.executable))
    program.chmod(0o755)
    return folder


@pytest.mark.parametrize(("function", "which"), [("cc", "cc"), ("cxx", "c++")])
def test_what_the_build_says_comes_behind_the_least_cpu(zig: Path, tmp_path: Path, function: str, which: str) -> None:
    done = call(function, "-march=native", "-c", "a b.c", path=zig, XDG_CACHE_HOME=str(tmp_path / "cache"))
    words, cache = json.loads(done.stdout)
    assert words == [which, "-mcpu=baseline", "-march=native", "-c", "a b.c"]
    assert cache == str(tmp_path / "cache" / "cipherstone" / "zig")
    kept = call(function, path=zig, ZIG_GLOBAL_CACHE_DIR="elsewhere")
    assert json.loads(kept.stdout)[1] == "elsewhere"


def test_without_zig_it_says_how_to_get_it() -> None:
    done = call("cc", "--version")
    assert (done.returncode, done.stdout) == (127, "")
    assert done.stderr == f"cipherstone: error: no ziglang in this environment\nhint: {HINT}\n"


def test_a_worker_is_linked_by_the_compiler_that_tells_what_it_takes() -> None:
    """Which files a worker holds is a part of what it is; zig's linker does not say."""
    plain = find_toolchain()
    library = load_library(ROOT / "libraries" / "micro-ecc", load_catalogue(ROOT))
    own = toolchain_of(composed(library, "1.0+zig+O3"), plain)
    assert Path(own.cc).parent == Path(sys.executable).parent and own.cc.endswith("cipherstone-zig-cc")
    assert linker_of(own, plain, cxx=False) == plain.cc
    clang = toolchain_of(composed(library, "1.0+clang14"), plain)
    assert linker_of(clang, plain, cxx=False) == "clang-14" and linker_of(clang, plain, cxx=True) == "clang++-14"


def test_what_it_cannot_build_is_said_in_one_line() -> None:
    plain = find_toolchain()
    library = load_library(ROOT / "libraries" / "botan", load_catalogue(ROOT))
    problem = compiler_problem(library, composed(library, "3.13+zig"), plain)
    assert "zig builds libraries in C" in problem and "\n" not in problem
