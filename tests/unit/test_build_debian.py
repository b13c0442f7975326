# SPDX-License-Identifier: Apache-2.0
"""Upstream's archive out of a Debian source package: a client in PATH that does what the real one does, and once the real one."""

from __future__ import annotations

import fcntl
import hashlib
import io
import shutil
import sys
import tarfile
import threading
from pathlib import Path

import pytest

from cipherstone.build import debian
from cipherstone.build.sources import fetch_source
from cipherstone.catalogue.sources import Archive, DebianSource
from cipherstone.model.errors import BuildError

# What the real client was seen to do, version by version of an archive in a folder: lists in the root that it is given, files into its own folder,
# status 100 and a line with `E:` where a file or a version is not there.
SCRIPT = """#!{python}
import shutil, sys
from pathlib import Path
shelf, program, words = Path("{shelf}"), Path(sys.argv[0]).name, sys.argv[1:]
if words[0] == "indextargets":
    print((shelf / "targets").read_text(), end="")
    raise SystemExit
settings = dict(words[i + 1].split("=", 1) for i, word in enumerate(words) if word == "-o")
with (shelf / "settings").open("a") as told:
    print(*(value for name, value in settings.items() if name.startswith("Dir::")), file=told)
parts = Path(settings["Dir::Etc::sourceparts"])
suite = next(line.split()[1] for line in (parts / "suite.sources").read_text().splitlines() if line.startswith("Suites:"))
here = shelf / suite
if not here.is_dir():
    print("E: The repository 'forky Release' does not have a Release file.", file=sys.stderr)
    raise SystemExit(100)
if "update" in words:
    (Path(settings["Dir::State::Lists"]) / suite).touch()
    raise SystemExit
assert (Path(settings["Dir::State::Lists"]) / suite).exists(), "asked before the lists were there"
if program == "apt-cache":
    for version in sorted(path.name for path in here.iterdir()):
        print(f"Package: {{words[-1]}}\\nBinary: x\\nVersion: {{version}}\\nFormat: 3.0 (quilt)\\n")
    raise SystemExit
package, _, version = words[-1].partition("=")
if not (here / version).is_dir():
    print(f"E: Can not find version '{{version}}' of package '{{package}}'", file=sys.stderr)
    raise SystemExit(100)
for file in (here / version).iterdir():
    if file.name.endswith(".404"):
        print(f"E: Failed to fetch {{file.name[:-4]}}  404  Not Found", file=sys.stderr)
        raise SystemExit(100)
    shutil.copyfile(file, file.name)
"""
OURS = "Debian|main|http://localhost/debian/|oldstable\n"
UPSTREAM = "1.2.3"


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What the client's archive has: folders SUITE/VERSION."""
    shelf, programs, keyring = tmp_path / "shelf", tmp_path / "bin", tmp_path / "keyring.gpg"
    programs.mkdir()
    for name in ("apt-get", "apt-cache"):
        program = programs / name
        program.write_text(SCRIPT.format(python=sys.executable, shelf=shelf))
        program.chmod(0o755)
    keyring.touch()
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setattr(debian, "KEYRING", keyring)
    put(shelf, f"{UPSTREAM}-4")
    (shelf / "targets").write_text("Other|main|http://localhost/other/|stable\n" + OURS)
    return shelf


def packed(text: str) -> bytes:
    """An archive of one folder with one file."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:xz") as archive:
        entry = tarfile.TarInfo("some-1.2.3/README")
        entry.size = len(text)
        archive.addfile(entry, io.BytesIO(text.encode()))
    return data.getvalue()


def put(shelf: Path, version: str, text: str = "upstream's") -> str:
    """A version of the package on the shelf; the SHA-256 of upstream's archive in it."""
    folder = shelf / "trixie" / version
    folder.mkdir(parents=True)
    upstream = folder / f"some_{version.rpartition('-')[0]}.orig.tar.xz"
    upstream.write_bytes(packed(text))
    upstream.with_name(upstream.name + ".asc").write_text("a signature")
    (folder / f"some_{version}.debian.tar.xz").write_bytes(packed("the distribution's"))
    (folder / f"some_{version}.dsc").write_text(f"Version: {version}\n")
    return hashlib.sha256(upstream.read_bytes()).hexdigest()


def of(version: str = f"{UPSTREAM}-4", suite: str = "trixie", sha256: str | None = None) -> Archive:
    good = hashlib.sha256(packed("upstream's")).hexdigest()
    return Archive(debian=DebianSource(package="some", version=version, suite=suite, sha256=sha256 or good))


def fetched(archive: Archive, cache: Path) -> Path:
    return fetch_source("some+1.2", archive, cache, lambda _: None)


def test_the_archive_comes_once_and_nothing_of_the_system_is_touched(shelf: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    folder = fetched(of(), cache)
    assert folder.parent == cache / "sources" and folder.name.startswith(f"debian-some-{UPSTREAM}-4-")
    assert [path.name for path in folder.iterdir()] == ["README"]
    told = (shelf / "settings").read_text().split()
    assert len(told) == 12 and all(Path(word).is_relative_to(cache / "apt" / "trixie") for word in told)
    (shelf / "targets").unlink()
    assert fetched(of(), cache) == folder


def test_an_archive_is_good_although_another_file_is_missing(shelf: Path, tmp_path: Path) -> None:
    """The client says so with its status; the pinned hash says what counts."""
    (shelf / "trixie" / f"{UPSTREAM}-4" / "some_zz.dsc.404").touch()
    assert (fetched(of(), tmp_path / "cache") / "README").read_text() == "upstream's"


def test_another_revision_has_the_same_archive(shelf: Path, tmp_path: Path) -> None:
    """A suite goes on: the revision that was pinned is gone, upstream's archive is not."""
    assert (fetched(of(f"{UPSTREAM}-2"), tmp_path / "cache") / "README").read_text() == "upstream's"


def test_upstreams_part_alone_decides(shelf: Path, tmp_path: Path) -> None:
    put(shelf, "1.2-4", "older")
    with pytest.raises(
        BuildError, match=r"some\+1\.2: Debian source some 1\.2\.4-1: E: Can not find version '1\.2\.4-1'"
    ):
        fetched(of("1.2.4-1"), tmp_path / "cache")


@pytest.mark.parametrize(
    ("change", "archive", "words"),
    [
        (None, of(sha256="0" * 64), ["its checksum is", "library.toml says 000000"]),
        (None, of(suite="forky"), ["lists of forky: apt-get ended with status 100: E: The repository"]),
        ("Other|main|http://localhost/other/|stable\n", of(), ["this system has no archive of Debian's"]),
        (OURS.replace("oldstable", "oldstable-security"), of(), ["this system has no archive of Debian's"]),
    ],
)  # fmt: skip
def test_what_cannot_be_had_is_one_line(
    change: str | None, archive: Archive, words: list[str], shelf: Path, tmp_path: Path
) -> None:
    if change is not None:
        (shelf / "targets").write_text(change)
    with pytest.raises(BuildError) as caught:
        fetched(archive, tmp_path / "cache")
    assert "\n" not in caught.value.message and all(word in caught.value.message for word in words), caught.value
    assert not list((tmp_path / "cache" / "sources").iterdir())


def test_without_debians_keys_nothing_is_asked(shelf: Path, tmp_path: Path) -> None:
    debian.KEYRING.unlink()
    with pytest.raises(BuildError, match=r"no keyring\.gpg, which signs Debian's lists"):
        fetched(of(), tmp_path / "cache")
    assert not (shelf / "settings").exists()


def test_two_at_once_wait_for_each_other(shelf: Path, tmp_path: Path) -> None:
    """The real client refuses a root that another one has at work."""
    root, done = tmp_path / "cache" / "apt" / "trixie", threading.Event()
    root.mkdir(parents=True)

    def fetch() -> None:
        fetched(of(), tmp_path / "cache")
        done.set()

    other = threading.Thread(target=fetch)
    with (root / "in-use").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        other.start()
        assert not done.wait(2) and not (shelf / "settings").exists()
    assert done.wait(60)
    other.join()


@pytest.mark.packages
@pytest.mark.skipif(
    shutil.which("apt-get") is None or not debian.KEYRING.is_file(), reason="not a system with Debian's client"
)
def test_the_real_client_brings_a_small_one(tmp_path: Path) -> None:
    """Of another suite than the system's, whose own lists stay as they are."""
    lists = Path("/var/lib/apt/lists")
    before = sorted((path.name, path.stat().st_mtime_ns) for path in lists.glob("*_Sources*"))
    small = DebianSource(
        package="libtommath",
        version="1.3.0-1",
        suite="trixie",
        sha256="6d099e93ff00fa9b18346f4bcd97dcc48c3e91286f7e16c4ac5515a7171c3149",
    )
    try:
        folder = fetched(Archive(debian=small), tmp_path)
    except BuildError as error:
        if "lists of" not in error.message:
            raise
        pytest.skip(f"the client cannot ask: {error.message}")
    assert (folder / "tommath.h").is_file()
    assert sorted((path.name, path.stat().st_mtime_ns) for path in lists.glob("*_Sources*")) == before
