# SPDX-License-Identifier: Apache-2.0
"""Compilers that are not there, tools that fail, packaging systems by their release file, versions and their order."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec
import pytest

from cipherstone.build import installed
from cipherstone.build.systems import SYSTEMS, package_version, this_system
from cipherstone.build.toolchain import find_toolchain, run_tool
from cipherstone.build.workers import file_digest
from cipherstone.catalogue.composed import composed
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.catalogue.paths import data_root
from cipherstone.model.errors import BuildError


def test_a_compiler_that_is_not_there_has_no_version() -> None:
    found = find_toolchain("/nonexistent/cc", sys.executable)
    assert found.cc_version is None and found.cc == "/nonexistent/cc"
    assert found.cxx_version is not None and found.cxx_version.startswith("Python")


def test_a_tool_that_fails_shows_its_own_words() -> None:
    program = "import sys; print('note: before', file=sys.stderr); print('x.c:3: error: no such thing', file=sys.stderr); sys.exit(3)"
    with pytest.raises(BuildError) as caught:
        run_tool([sys.executable, "-c", program], "toy: compiling x.c")
    assert caught.value.message.startswith("toy: compiling x.c: ") and caught.value.message.endswith(
        "ended with status 3: x.c:3: error: no such thing"
    )
    assert caught.value.output.splitlines() == ["note: before", "x.c:3: error: no such thing"]


def test_a_tool_that_says_nothing_or_is_none(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="ended with status 1: no message"):
        run_tool([sys.executable, "-c", "raise SystemExit(1)"], "toy")
    with pytest.raises(BuildError, match="no program '/nonexistent/cc'") as caught:
        run_tool(["/nonexistent/cc"], "toy")
    assert "CC=" in caught.value.hint
    (tmp_path / "cc").write_text("not a program")
    with pytest.raises(BuildError, match="Permission denied"):
        run_tool([str(tmp_path / "cc")], "toy")


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("ID=debian\n", "debian"),
        ('ID=ubuntu\nID_LIKE="debian"\n', "debian"),
        ('ID="rocky"\nID_LIKE="rhel centos fedora"\n', "fedora"),
        ("ID=arch\n", "arch"),
        ("ID=alpine\n", "alpine"),
        ("ID=manjaro\nID_LIKE=arch\n", "arch"),
        ("ID=plan9\n", None),
        ("", None),
    ],
)
@pytest.mark.skipif(sys.platform == "darwin", reason="macOS has no release file")
def test_the_packaging_system_by_its_release_file(tmp_path: Path, text: str, key: str | None) -> None:
    (tmp_path / "os-release").write_text(text)
    found = this_system(tmp_path / "os-release")
    assert (found.key if found else None) == key
    assert this_system(tmp_path / "nothing") is None


def test_a_package_that_nobody_has() -> None:
    assert package_version(None, "gcc") is None
    for system in SYSTEMS.values():  # the tool of another system is not here, or does not know the package
        assert package_version(system, "no-such-package-anywhere") is None


@pytest.mark.parametrize(
    ("version", "minimum", "older"),
    [
        ("2.9.1", "3.0", True),
        ("3.0", "3.0", False),
        ("3.10", "3.9", False),
        ("1.1.1w", "1.1.1", False),
        ("0.6", "0.10", True),
    ],
)
def test_versions_are_compared_as_numbers(version: str, minimum: str, older: bool) -> None:
    assert installed._older(version, minimum) is older


def test_an_executable_is_known_by_its_content(tmp_path: Path) -> None:
    for name, text in (("a", "x"), ("b", "x"), ("c", "y")):
        (tmp_path / name).write_text(text)
    assert file_digest(tmp_path / "a") == file_digest(tmp_path / "b") != file_digest(tmp_path / "c")


def test_a_masked_build_alone_needs_the_packages_of_the_systems_library() -> None:
    """Selected by itself it is the only build of its library: `-f build:~noaesni` asked it for its own packages without end."""
    gnutls = load_libraries(data_root())["gnutls"]
    masked = composed(gnutls, "~noaesni")
    alone = msgspec.structs.replace(gnutls, builds=(masked,))
    for key, names in {"debian": ("libgnutls28-dev",), "fedora": ("gnutls-devel",)}.items():
        assert installed.packages_for(alone, SYSTEMS[key], masked) == names
    assert installed.packages_for(alone, None, masked) == ()
