# SPDX-License-Identifier: Apache-2.0
"""What lies in the cache is looked at before it is run, linked or built: a file that is another now is refused in one line, and so is a folder that others may write to."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from scripts import HASH, CommandLine, bare_root, cells, opened, summary

from cipherstone.build.cache import kept, publish, scratch_beside
from cipherstone.build.seals import check_private, seal_of, write_seal
from cipherstone.build.sources import source_folder
from cipherstone.build.toolchain import find_toolchain
from cipherstone.build.upstream import prepare
from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.libraries import Library, load_library
from cipherstone.model.errors import BuildError

ROOT = Path(__file__).resolve().parents[2]
TOY = ROOT / "tests/engine/twobuilds"
needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="the builds name gcc")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A program in a cache."""
    target = tmp_path / "cache" / "workers" / "a-1" / "cs-a"
    with scratch_beside(target.parent) as scratch:
        (scratch / "made").write_text("built")
        publish(scratch / "made", target)
    return target


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A prefix in a cache."""
    target = tmp_path / "cache" / "upstream" / "b-1"
    with scratch_beside(target.parent) as scratch:
        made = scratch / "prefix"
        (made / "lib").mkdir(parents=True)
        (made / "lib/libb.a").write_text("built")
        (made / "lib/libb.so").symlink_to("libb.a")
        (made / "recipe.json").write_text("{}")
        publish(made, target)
    return target


def test_what_is_as_it_was_is_taken(file: Path, folder: Path) -> None:
    assert kept(file) and kept(folder) and kept(file)
    (folder / "recipe.json").write_text('{"lines": {}}')  # what is said of it may be completed
    assert kept(folder)
    assert not kept(file.with_name("other"))


def test_what_was_replaced_is_refused_with_what_helps(file: Path) -> None:
    """Though length and time are the same."""
    assert kept(file)
    before = file.stat()
    file.write_text("other")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(BuildError) as caught:
        kept(file)
    assert "cs-a: is not what was put there: " in caught.value.message and "\n" not in caught.value.message
    assert f"rm -r {file}" in caught.value.hint
    file.unlink()
    file.symlink_to("/bin/true")
    with pytest.raises(BuildError, match="-> /bin/true now"):
        kept(file)
    file.unlink()
    assert not kept(file)  # what the hint says helps


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda at: (at / "lib/libb.a").write_text("built?"), "lib/libb.a: is not what was put there"),
        (lambda at: (at / "lib/b.h").write_text("#include"), "lib/b.h: is not what was put there: nothing then"),
        (lambda at: (at / "lib/libb.a").unlink(), "nothing now"),
        (lambda at: ((at / "lib/libb.so").unlink(), (at / "lib/libb.so").symlink_to("/lib/x")), "-> /lib/x now"),
        (lambda at: seal_of(at).write_text("{"), "its seal cannot be read"),
    ],
)
def test_a_folder_is_refused_for_any_file(folder: Path, change: Callable[[Path], object], said: str) -> None:
    assert kept(folder)
    change(folder)
    with pytest.raises(BuildError) as caught:
        kept(folder)
    assert said in caught.value.message


def test_what_has_no_seal_is_made_anew(file: Path, folder: Path, tmp_path: Path) -> None:
    """As from before there were seals: no trust, and no fuss."""
    for target in (file, folder):
        seal_of(target).unlink()
        assert not kept(target)
    (folder / "evil").touch()
    with scratch_beside(folder.parent) as scratch:
        (scratch / "prefix").mkdir()
        publish(scratch / "prefix", folder)
    assert kept(folder) and not (folder / "evil").exists()


@pytest.mark.parametrize(("mode", "said"), [(0o777, "everybody may write"), (0o1777, "everybody may write")])
def test_a_folder_of_everybody_is_refused(file: Path, mode: int, said: str) -> None:
    file.parent.chmod(mode)
    with pytest.raises(BuildError, match=said) as caught:
        kept(file)
    assert "--cache" in caught.value.hint
    file.parent.chmod(0o755)
    assert kept(file)
    file.parents[2].chmod(0o777)
    with pytest.raises(BuildError, match=said):
        kept(file)


@pytest.mark.skipif(os.geteuid() != 0, reason="gives a folder away")
def test_a_folder_of_another_is_refused(file: Path) -> None:
    os.chown(file.parent, 65534, -1)
    with pytest.raises(BuildError, match=r"belongs to another user \(65534\)"):
        check_private(file.parent)
    os.chown(file.parent, 0, 65534)
    file.parent.chmod(0o775)
    with pytest.raises(BuildError, match="its group may write"):
        check_private(file.parent)


def test_what_is_made_is_closed_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        target = tmp_path / "cache" / "workers" / "a" / "cs-a"
        with scratch_beside(target.parent) as scratch:
            (scratch / "made").write_text("x")
            publish(scratch / "made", target)
        assert kept(target) and target.stat().st_mode & 0o022 == 0
    finally:
        os.umask(before)


@needs_gcc
def test_a_worker_that_was_replaced_is_not_run(tmp_path: Path, new_cli: Callable[..., CommandLine]) -> None:
    """It was timed, and called publishable."""
    root = bare_root(tmp_path / "root")
    shutil.copytree(TOY, root / "libraries" / "twobuilds")
    here = opened(new_cli("trusted", root))
    cache = ("--cache", tmp_path / "cache")
    assert here("list", *cache).no_trace().code == 0
    (worker,) = (tmp_path / "cache" / "workers").glob("twobuilds-*/cs-twobuilds")
    ran = tmp_path / "ran"
    real = worker.with_name("real")
    worker.rename(real)
    worker.write_text(f'#!/bin/sh\ntouch {ran}\nexec {real} "$@"\n')
    worker.chmod(0o755)
    done = here("run", "--op", HASH, "--base", "twobuilds", "--size", 64, "--passes", 6, *cache).no_trace()
    assert done.code != 0 and not ran.exists(), done.out + done.err
    assert "is not what was put there" in done.err and "rm -r" in done.err, done.err
    shutil.rmtree(worker.parent)
    done = here(
        "run",
        "--op",
        HASH,
        "--base",
        "twobuilds",
        "--size",
        64,
        "--passes",
        6,
        "--no-memory",
        "--format",
        "json",
        *cache,
    )
    assert set(cells(summary(done.no_trace()))) == {"twobuilds@1.0+O2", "twobuilds@1.0+O2#2"}
    (tmp_path / "cache").chmod(0o777)
    done = here("run", "--op", HASH, *cache).no_trace()
    assert done.code == 1 and "everybody may write to it (mode 777)" in done.err and done.err.count("\n") <= 3, done.err


@pytest.fixture
def crate(tmp_path: Path) -> tuple[Library, BuildSpec, Path]:
    """A library with a source that is in the cache."""
    folder = tmp_path / "twobuilds"
    shutil.copytree(TOY, folder)
    (folder / "upstream/build.sh").write_text('mkdir -p "$PREFIX/lib" "$PREFIX/include"\ncat a.c >"$PREFIX/lib/libnothing.a"\n')  # fmt: skip
    library = load_library(folder, load_catalogue(ROOT))
    build = next(one for one in library.builds if one.source)
    assert build.source is not None
    source = source_folder(build.source.archive, tmp_path / "cache")
    source.mkdir(parents=True)
    (source / "a.c").write_text("int a;\n")
    write_seal(source)
    return library, build, source


@needs_gcc
def test_a_source_that_was_changed_is_not_built(crate: tuple[Library, BuildSpec, Path], tmp_path: Path) -> None:
    """A constructor at the end of an unpacked source was built into the library."""
    library, build, source = crate
    with (source / "a.c").open("a") as file:
        file.write("__attribute__((constructor)) static void evil(void) {}\n")
    with pytest.raises(BuildError, match=r"a\.c: is not what was put there") as caught:
        prepare(library, build, find_toolchain(), None, tmp_path / "cache", lambda _: None)
    assert f"rm -r {source}" in caught.value.hint and not list((tmp_path / "cache" / "upstream").iterdir())


@needs_gcc
def test_a_library_that_was_changed_is_not_linked(crate: tuple[Library, BuildSpec, Path], tmp_path: Path) -> None:
    library, build, _ = crate
    words = (library, build, find_toolchain(), None, tmp_path / "cache", lambda _: None)
    archive = Path(prepare(*words).libs[0])
    assert prepare(*words).libs == (str(archive),)
    archive.write_text("other")
    with pytest.raises(BuildError, match=r"lib/libnothing\.a: is not what was put there"):
        prepare(*words)
