# SPDX-License-Identifier: Apache-2.0
"""Objects of a process as the unit itself reads them: notes, segments, relocations, roles; `objects` as a whole: tests/contract/test_objects.py."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from sdk_build import COMPILER, SDK, compile_c, sdk_object


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    if not sys.platform.startswith("linux"):
        pytest.skip("notes are read on Linux")
    target, source = tmp_path_factory.mktemp("notes") / "notes", Path(__file__).with_name("notes.c")
    others = [path for path in sorted((SDK / "src").glob("*.c")) if path.stem != "identity"]
    objects = [str(sdk_object(COMPILER, path, ())) for path in others]
    include = ["-I", str(SDK / "include"), "-I", str(SDK / "src")]
    compile_c(COMPILER, *include, str(source), *objects, "-o", str(target), "-lpthread", "-ldl")
    return subprocess.run([str(target)], capture_output=True, text=True, timeout=60, check=True).stdout.splitlines()


def test_a_build_id_is_one_of_the_notes(told: list[str]) -> None:
    """The last that is whole, of this type and name, with as many bytes as there is room for; a note that ends behind the others is none."""
    assert told[0].split(".") == ["c1" * 7, "c3" * 3, "c4" * 3, "c6", "", "cc" * 64, "", "", ""]


def test_segments_tell_where_an_object_is(told: list[str]) -> None:
    assert told[1:3] == ["1000 3010 1 4000 d1d1 0 0", "101 199 100"]


def test_an_object_is_called_where_it_holds_the_symbol(told: list[str]) -> None:
    assert told[3].split() == ["010", "000", "000", "010"]


def test_what_relocations_refer_to_is_called(told: list[str]) -> None:
    """Both forms of entries, in each of the three tables; symbol 0 is none, and what is defined in the executable is its own."""
    found = dict(zip(told[4].split()[::2], told[4].split()[1::2], strict=True))
    assert found == {"rela": "01000", "rel": "00010", "plt-rela": "01000", "plt-rel": "00010", "no-symbols": "00000", "no-names": "00000"}  # fmt: skip


def test_what_languages_bring_along_is_no_library(told: list[str]) -> None:
    runtime = ["runtime"] * 6
    assert told[5].split() == ["worker", *runtime, "library", "other", "library", "other", "library", "runtime"]


def test_what_the_loader_lists(told: list[str]) -> None:
    """The executable by its own path, what has a path, and what is no file any more; as many as there is room for."""
    assert told[6] == "00000 0 1 3 1 0 /nowhere/at/all.so"
