# SPDX-License-Identifier: Apache-2.0
"""Builds that are put together from words: what they mean, one name whatever the order, one line for what means nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from scripts import ROOT

from cipherstone.build.installed import compiler_problem
from cipherstone.build.toolchain import Toolchain
from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.composed import composed
from cipherstone.catalogue.libraries import Library, load_library
from cipherstone.model.errors import UsageError
from cipherstone.model.ids import Lane, build_label, joined_build, variant_of, version_of

NARROW = ("-m32", "-idirafter/usr/include/x86_64-linux-gnu")
EXAMPLE = ROOT / "tests" / "engine" / "ownhash"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = tmp_path_factory.mktemp("composed") / "libraries" / "ownhash"
    shutil.copytree(EXAMPLE, folder)
    text = (folder / "library.toml").read_text()
    more = '\n[mask.bare]\nenv = { OWNHASH_BARE = "1" }\nhides = ["fpu"]\nwhy = "bare"\n[mask.other]\nenv = { OWNHASH_PLAIN = "2" }\nhides = ["none"]\nwhy = "other"\n'
    text += '\n[[build]]\nvariant = "named"\nsource = "1"\nwhy = "written out"\nflags = ["-O3", "-fwrapv"]\n'
    (folder / "library.toml").write_text(text + more)
    return load_library(folder, load_catalogue(ROOT))


@pytest.mark.parametrize(
    ("text", "variant", "cc", "flags", "options", "masks"),
    [
        ("1", "1", "", ("-O2",), (), ()),
        ("1.0", "1", "", ("-O2",), (), ()),
        ("1+O3", "1+O3", "", ("-O3",), (), ()),
        ("1.0+Os+clang16", "1+clang16+Os", "clang-16", ("-Os",), (), ()),
        ("1+lto+gcc-12+slow+O1", "1+gcc12+O1+lto+slow", "gcc-12", ("-O1", "-flto"), ("slow",), ()),
        ("1+O1+O3", "1+O3", "", ("-O3",), (), ()),
        ("1+clang", "1+clang", "clang", ("-O2",), (), ()),
        ("1+Os+zig", "1+zig+Os", "cipherstone-zig-cc", ("-Os",), (), ()),
        ("1+zig+gcc12", "1+gcc12", "gcc-12", ("-O2",), (), ()),
        ("1+i386+Os", "1+Os+i386", "", ("-Os", *NARROW), (), ()),
        ("1+i386+gcc11", "1+gcc11+i386", "gcc-11", ("-O2", *NARROW), (), ()),
        ("named+O0", "named+O0", "", ("-O0", "-fwrapv"), (), ()),
        ("1~plain", "1~plain", "", ("-O2",), (), ("plain",)),
        ("1+O3~bare~plain", "1+O3~plain~bare", "", ("-O3",), (), ("plain", "bare")),
        ("~plain", "~plain", "", (), (), ("plain",)),
        ("distribution~plain", "~plain", "", (), (), ("plain",)),
        ("", "", "", (), (), ()),
    ],
)
def test_words_and_what_they_make(
    library: Library,
    text: str,
    variant: str,
    cc: str,
    flags: tuple[str, ...],
    options: tuple[str, ...],
    masks: tuple[str, ...],
) -> None:
    build = composed(library, text)
    assert (build.variant, build.cc, build.flags, build.options, build.masks) == (variant, cc, flags, options, masks)
    assert composed(library, build.variant) == build  # a run that is resumed has the name alone
    lane = Lane("ownhash", joined_build("1.0", build.variant))
    assert Lane.parse(lane.id) == lane and lane.variant == build.variant == variant_of(lane.build)
    assert version_of(lane.build) == "1.0" and lane.label == build_label("ownhash", build.variant)
    assert ("OWNHASH_PLAIN" in build.env) == ("plain" in masks)


@pytest.mark.parametrize(
    ("text", "package"),
    [
        ("1+i386", "gcc-12-multilib"),
        ("1+i386+gcc11", "gcc-11-multilib"),
        ("1+clang16+i386", "gcc-12-multilib"),
    ],
)
def test_code_of_32_bits_asks_for_its_libraries(library: Library, text: str, package: str) -> None:
    assert package in composed(library, text).packages.debian
    assert not any("multilib" in name for name in composed(library, text.replace("i386", "O3")).packages.debian)


def test_a_compiler_without_those_libraries_is_one_line(library: Library, tmp_path: Path) -> None:
    """A compiler that knows no -m32, as on another processor, or has nothing to link with."""
    compiler = tmp_path / "gcc-9"
    compiler.write_text('#!/bin/sh\ncase " $* " in *" -m32 "*) echo "cannot find -lgcc" >&2; exit 1 ;; esac\necho 9\n')
    compiler.chmod(0o755)
    here = Toolchain(str(compiler), "g++", "9", None)
    problem = compiler_problem(library, composed(library, "1+i386"), here)
    assert "makes no programs of 32 bits here" in problem and "multilib" in problem and "\n" not in problem
    assert compiler_problem(library, composed(library, "1+O3"), here) == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("2+O3", ["no build '2'", "known:"]),
        ("1+O9", ["unknown word 'O9'", "'1+O9'"]),
        ("1+slwo", ["unknown word 'slwo'", "did you mean 'slow'?"]),
        ("+O3", ["needs a source", "ownhash@1+O3"]),
        ("distribution+O3", ["needs a source"]),
        ("1~plian", ["no mask 'plian'", "did you mean 'plain'?"]),
        ("1~plain~other", ["set OWNHASH_PLAIN differently"]),
    ],
)
def test_what_means_nothing_is_one_line(library: Library, text: str, words: list[str]) -> None:
    with pytest.raises(UsageError) as caught:
        composed(library, text)
    said = f"{caught.value.message} | {caught.value.hint}"
    assert "\n" not in said and all(word in said for word in words), said


def test_the_worker_of_a_mask_is_the_same(library: Library, tmp_path: Path) -> None:
    """A mask acts when the worker runs: nothing is built again."""
    plain, masked = composed(library, "1"), composed(library, "1~plain")
    assert (plain.source, plain.flags, plain.options) == (masked.source, masked.flags, masked.options)
    assert library.environment(masked) == {"OWNHASH_PLAIN": "1"} and library.environment(plain) == {}
