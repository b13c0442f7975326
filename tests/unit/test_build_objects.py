# SPDX-License-Identifier: Apache-2.0
"""Files by their content, what a linker takes and says, whose package a file is, and the words for what differs."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

import msgspec
import pytest

from cipherstone.build.objects import LinkedFile, content_hash, link_inputs, linked_files, still_there
from cipherstone.build.packages import _APK, _owned, owners, with_packages
from cipherstone.build.systems import SYSTEMS, this_system
from cipherstone.model.identity import changes, code_text, object_changes
from cipherstone.model.records import Build, CodeObject

OLD, NEW = "a" * 64, "b" * 64


def test_a_file_is_known_by_its_content_whatever_its_times_say(tmp_path: Path) -> None:
    """A package manager restores times, and both contents may be of one length."""
    file, fresh = tmp_path / "libx.so", tmp_path / "new"
    file.write_bytes(b"one")
    times = file.stat()
    assert content_hash(file) == hashlib.sha256(b"one").hexdigest()
    fresh.write_bytes(b"two")
    os.utime(fresh, ns=(times.st_atime_ns, times.st_mtime_ns))
    fresh.replace(file)
    assert file.stat().st_mtime_ns == times.st_mtime_ns and file.stat().st_size == times.st_size
    assert content_hash(file) == hashlib.sha256(b"two").hexdigest()
    file.write_bytes(b"six")  # in place: the same inode
    os.utime(file, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert content_hash(file) == hashlib.sha256(b"six").hexdigest()


def test_what_is_no_file_has_no_content(tmp_path: Path) -> None:
    """A worker may name anything: a pipe would never end, a device neither."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, tmp_path / "nothing", Path("/dev/zero"), Path("/x" * 5000)):
        assert content_hash(path) == ""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="asks gcc where it looks")
def test_the_files_that_a_linker_will_take(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    for folder in (first, second):
        folder.mkdir()
        (folder / "libcstoy.a").write_text("archive")
    shared = tmp_path / "libcstoy.so.1"
    shared.write_text("shared")
    (second / "libcstoy.so").symlink_to(shared)
    words = (f"-L{first}", f"-L{second}", "-lcstoy", "-lm", "-lpthread", "-Wl,--as-needed", "-lno-such-library-9")
    assert link_inputs(words, "gcc") == [first / "libcstoy.a"]  # the first folder, as the linker does
    assert link_inputs(words[1:], "gcc") == [shared]
    assert link_inputs(words[1:], "gcc", static=True) == [second / "libcstoy.a"]
    assert link_inputs((words[1], "-l:libcstoy.a"), "gcc") == [second / "libcstoy.a"]
    assert link_inputs((str(first / "libcstoy.a"), str(tmp_path / "absent.a")), "gcc") == [first / "libcstoy.a"]
    assert link_inputs(("-lcstoy",), "/nonexistent/gcc") == []


def test_what_a_linker_says_that_it_took(tmp_path: Path) -> None:
    """GNU ld, gold and lld, old and new: a shared object, members of an archive in either spelling, our own objects, the runtime."""
    lines = [
        "/usr/lib/x/Scrt1.o",
        f"{tmp_path}/own/000-adapter.o",
        f"{tmp_path}/own/libown.a",
        f"{tmp_path}/lib/../lib/libcstoy.a(aes.o)",
        f"({tmp_path}/lib/libcstoy.a)sha.o",
        f"-lother ({tmp_path}/lib/libother.so)",
        f"{tmp_path}/lib/libc.so.6",
        f"{tmp_path}/lib/libgcc.a",
        f"{tmp_path}/lib/libc_nonshared.a",
        "/lib64/ld-linux-x86-64.so.2",
        f"{tmp_path}/lib/libcrypto.so.3",
        f"{tmp_path}/lib/libcaption.so",
    ]
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libcstoy.a").write_text("archive")
    found = linked_files("\n".join(lines), tmp_path / "own")
    assert [Path(one.path).name for one in found] == ["libcstoy.a", "libother.so", "libcrypto.so.3", "libcaption.so"]
    assert [one.is_archive for one in found] == [True, False, False, False]
    assert found[0].sha256 == hashlib.sha256(b"archive").hexdigest() and found[1].sha256 == ""


def test_a_worker_is_good_while_its_files_are(tmp_path: Path) -> None:
    archive = tmp_path / "libx.a"
    archive.write_text("one")
    linked = (LinkedFile(str(archive), content_hash(archive)),)
    assert still_there(linked) and still_there(())
    archive.write_text("two")
    assert not still_there(linked)


def test_nobody_knows_the_package_of_a_strangers_file(tmp_path: Path) -> None:
    (tmp_path / "libx.so").touch()
    paths = [str(tmp_path / "libx.so"), str(tmp_path / "gone")]
    assert owners(paths, None) == {}
    for system in SYSTEMS.values():  # the tools of other systems are not here
        assert owners(paths, system) == {} and owners([], system) == {}


@pytest.mark.skipif(shutil.which("dpkg-query") is None, reason="asks dpkg")
def test_the_package_of_a_file_with_its_revision() -> None:
    """Whichever of /lib and /usr/lib the package names, and beside files that nobody has."""
    path = str(Path(shutil.which("dpkg-query") or "").resolve())
    found = owners([path, "/no/such/file"], this_system())
    assert list(found) == [path] and found[path][0] == "dpkg" and found[path][1][0].isdigit()
    told = with_packages([CodeObject(path, "library", OLD), CodeObject("/no/such/file", "other", OLD)], found)
    assert (told[0].package, told[0].package_version) == found[path] and told[1].package == ""


def test_what_other_package_managers_say() -> None:
    import re

    pacman = _owned(
        "/usr/lib/libcrypto.so.3 is owned by openssl 3.5.0-1\n", re.compile(r"(?P<package>\S+) (?P<version>\S+)\Z")
    )
    assert pacman == {"/usr/lib/libcrypto.so.3": ("openssl", "3.5.0-1")}
    apk = _owned("/usr/lib/libcrypto.so.3 is owned by libcrypto3-3.1.4-r5\nERROR: /x: Could not find owner\n", _APK)
    assert apk == {"/usr/lib/libcrypto.so.3": ("libcrypto3", "3.1.4-r5")}


def described(*objects: CodeObject, **fields: object) -> Build:
    build = Build("x", "1.0", "1.0", "library", "X", "MIT", "cc", "-O2", None, "w1", objects=objects)
    return msgspec.structs.replace(build, **fields)


def test_two_builds_differ_in_what_runs_and_not_in_where_it_lies() -> None:
    one = CodeObject("/usr/lib/libx.so.1", "library", OLD, "aa", "libx1", "1.0-1")
    moved = CodeObject("/opt/libx.so.1", "library", OLD, "aa")
    rebuilt = CodeObject("/usr/lib/libx.so.1", "library", NEW, "bb", "libx1", "1.0-2")
    libc = CodeObject("/lib/libc.so.6", "runtime", OLD)
    before = described(one, libc)
    assert changes(before, described(libc, moved)) == []
    assert before.identity == described(libc, moved).identity
    assert changes(before, described(rebuilt, libc)) == [
        f"libx.so.1 was libx1 1.0-1, sha256 {OLD[:12]}, is libx1 1.0-2, sha256 {NEW[:12]}"
    ]
    assert changes(before, described(one, msgspec.structs.replace(libc, sha256=NEW))) == [
        f"libc.so.6 was /lib/libc.so.6, sha256 {OLD[:12]}, is /lib/libc.so.6, sha256 {NEW[:12]}"
    ]
    assert changes(before, described(one, libc, environment={"A": "1"})) == ["A was not set, is '1'"]
    assert changes(before, described(one, libc, worker_hash="w2")) == ["the worker was w1, is w2"]
    gone, came = object_changes([one], [CodeObject("/usr/lib/libx.so.2", "library", "")])
    assert gone == f"libx.so.1 is no longer there (libx1 1.0-1, sha256 {OLD[:12]})"
    assert came == "libx.so.2 is new (/usr/lib/libx.so.2, sha256 unreadable)"
    identities = [
        described(one, libc),
        described(rebuilt, libc),
        described(one),
        described(one, libc, environment={"A": "1"}),
    ]
    assert len({build.identity for build in identities}) == 4
    assert changes(before, described()) == []  # one that cannot tell differs from nothing
    assert code_text(before) == f"libx.so.1 {OLD[:12]}" and code_text(described()) == "worker w1"


def test_an_archive_and_an_object_of_one_name_are_two() -> None:
    both = [CodeObject("/a/libx.a", "archive", OLD), CodeObject("/b/libx.a", "other", NEW)]
    assert list(object_changes(both, both)) == []
