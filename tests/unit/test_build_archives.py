# SPDX-License-Identifier: Apache-2.0
"""Archives of any origin: plain ones are unpacked as they are, by every Python that is promised; others are refused in one line, and nothing is written outside."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from cipherstone.build import archives, compressed
from cipherstone.build.archives import unpack
from cipherstone.model.errors import BuildError

ROOT = Path(__file__).resolve().parents[2]
Packed = list[tuple[tarfile.TarInfo, bytes]]


def pythons() -> Iterator[str]:
    """Every Python of the machine that is promised, each version once: the distribution's own first, not the one that runs this."""
    places = [Path("/usr/bin/python3"), *sorted(Path.home().glob(".pyenv/versions/*/bin/python3"))]
    places += [Path(found) for minor in range(11, 16) if (found := shutil.which(f"python3.{minor}"))]
    seen = {sys.version}
    told = "import sys; print(sys.version); sys.exit(sys.version_info < (3, 11))"
    for place in places:
        if place.is_file():
            done = subprocess.run([place, "-c", told], capture_output=True, text=True, check=False)
            if done.returncode == 0 and done.stdout.rstrip("\n") not in seen:
                seen.add(done.stdout.rstrip("\n"))
                yield str(place)


def item(name: str, content: bytes = b"", kind: bytes = tarfile.REGTYPE, link: str = "", mode: int = 0o644) -> tuple[tarfile.TarInfo, bytes]:  # fmt: skip
    one = tarfile.TarInfo(name)
    one.type, one.linkname, one.mode, one.size, one.mtime = kind, link, mode, len(content), 1_000_000_000
    return one, content


def link(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> tuple[tarfile.TarInfo, bytes]:
    return item(name, kind=kind, link=target)


def folder(name: str) -> tuple[tarfile.TarInfo, bytes]:
    return item(name, kind=tarfile.DIRTYPE)


def tar(members: Packed) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for one, content in members:
            archive.addfile(one, io.BytesIO(content))
    return data.getvalue()


GOOD: Packed = [
    folder("some-1"),
    item("some-1/README", b"plain"),
    item("some-1/configure", b"#!/bin/sh\n", mode=0o6777),
    item("some-1/deep/er/file.c", b"int x;\n" * 90_000),
    link("some-1/NEWS", "README"),
    link("some-1/deep/up", "../deep/er"),
    link("some-1/same", "some-1/README", tarfile.LNKTYPE),
    item("some-1/" + "long" * 40 + ".c", b"1"),
]


def check_good(made: Path) -> None:
    top = made / "some-1"
    assert (top / "README").read_text() == "plain" and (top / "same").read_text() == "plain"
    assert (top / "README").stat().st_mtime == 1_000_000_000
    assert (top / "configure").stat().st_mode & 0o7777 == 0o755 and (top / "README").stat().st_mode & 0o7777 == 0o644
    assert (top / "NEWS").readlink() == Path("README") and (top / "deep/up/file.c").stat().st_size == 630_000
    assert len(list(made.rglob("*"))) == 10


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress], ids=["tar", "gz", "bz2", "xz"])
def test_a_plain_archive_is_unpacked(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(pack(tar(GOOD)))
    unpack(file, tmp_path / "made")
    check_good(tmp_path / "made")


def test_an_archive_packed_in_parts_is_one(tmp_path: Path) -> None:
    """As parallel packers write it; padding at the end is no harm."""
    data, file = tar(GOOD), tmp_path / "a"
    for number, pack in enumerate((gzip.compress, bz2.compress, lzma.compress)):
        file.write_bytes(pack(data[:300_000]) + pack(data[300_000:]) + b"\0" * 512)
        unpack(file, tmp_path / f"made{number}")
        check_good(tmp_path / f"made{number}")


def test_a_zip_archive_is_unpacked(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("some/one.txt", "one")
        archive.writestr("some/two/", "")
    unpack(tmp_path / "a", tmp_path / "made")
    assert (tmp_path / "made/some/one.txt").read_text() == "one" and (tmp_path / "made/some/two").is_dir()
    for name, mode, words in (("../out", 0o100644, "leads outside"), ("link", 0o120777, "neither a file")):
        with zipfile.ZipFile(tmp_path / "b", "w") as archive:
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            archive.writestr(info, "/etc")
        with pytest.raises(BuildError, match=words):
            unpack(tmp_path / "b", tmp_path / f"bad{mode}")


# The form of CVE-2025-4517: what `realpath` gives up on leads out.
def too_long_a_way() -> Packed:
    made, path, steps = [], "", "abcdefghijklmnop"
    for step in steps:
        made += [folder(path + "d" * 247), link(path + step, "d" * 247)]
        path += "d" * 247 + "/"
    way = "/".join(steps) + "/" + "l" * 254
    made += [link(way, "../" * len(steps)), link("escape", way + "/../../outside")]
    return [*made, link("flag", "escape", tarfile.LNKTYPE), item("flag", b"overwritten")]


def through_links() -> Packed:
    return [folder("a"), link("a/b", "."), link("a/c", "b/../../outside")]


BAD: dict[str, tuple[Packed, str]] = {
    "absolute": ([item("/outside", b"x")], "'/outside' leads outside"),
    "up": ([item("a/../../outside", b"x")], r"'a/\.\./\.\./outside' leads outside"),
    "link out": ([link("a", "../outside")], r"the link 'a' leads outside: '\.\./outside'"),
    "absolute link": ([link("a", "/etc/passwd")], "the link 'a' leads to '/etc/passwd'"),
    "written through a link": ([link("a", ".."), item("a/outside", b"x")], "has 'a' twice"),
    "replaced folder": ([folder("a"), link("a", "b")], "has 'a' twice"),
    "file over a link": ([link("a", "b"), item("a", b"x")], "has 'a' twice"),
    "link through links": (through_links(), "the link 'a/c' leads through another link"),
    "too long a way": (too_long_a_way(), "is too long or too deep"),
    "hard link out": ([link("a", "../outside", tarfile.LNKTYPE)], r"'\.\./outside' leads outside"),
    "hard link to a link": ([link("a", "b"), link("c", "a", tarfile.LNKTYPE)], "'c' is said to be 'a', which is no"),
    "device": ([item("a", kind=tarfile.CHRTYPE)], "'a' is neither a file nor a folder nor a link"),
    "pipe": ([item("a", kind=tarfile.FIFOTYPE)], "'a' is neither a file"),
    "unknown": ([item("a", kind=b"Z")], "'a' is neither a file"),
    "twice": ([item("a", b"x"), item("./a", b"y")], "has 'a' twice"),
    "name that a terminal obeys": ([item("a\x1b[2Jb", b"x")], r"'a\\x1b\[2Jb' is no name"),
    "deep": ([item("a/" * 60 + "b", b"x")], "too long or too deep"),
    "long": ([item("a" * 300, b"x")], "too long or too deep"),
}


@pytest.mark.parametrize(("members", "words"), BAD.values(), ids=BAD)
def test_a_hostile_archive_is_refused_in_one_line(members: Packed, words: str, tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("mine")
    (tmp_path / "a.tar").write_bytes(tar(members))
    with pytest.raises(BuildError, match=rf"a\.tar: refused: .*{words}") as caught:
        unpack(tmp_path / "a.tar", tmp_path / "made")
    assert "\n" not in caught.value.message and caught.value.message.isprintable()
    assert (tmp_path / "outside").read_text() == "mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.tar", "made", "outside"]


def changed(data: bytes, at: int, to: bytes) -> bytes:
    """A header with other bytes and the checksum that they have."""
    head = bytearray(data[:512])
    head[at : at + len(to)] = to
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    return bytes(head) + data[512:]


def test_what_headers_claim_is_not_believed(tmp_path: Path) -> None:
    """A size below nothing leads a reader in a circle for ever; a long name of a gigabyte would be read into memory."""
    plain = tar([item("a", b"x" * 600), item("b", b"y")])
    longer = tar([item("x" * 200, b"x")])
    cases = {
        "leads back|of a kind": changed(plain, 124, b"\xff" * 11 + b"\x00"),
        "claims 8589934591 bytes|claims 8589934592 bytes": changed(longer, 124, b"77777777777\0"),
        "is damaged": plain[:1536] + b"no header" + plain[1545:],
        "ends in the middle": plain[:700],
    }
    for number, (words, data) in enumerate(cases.items()):
        (tmp_path / "a.tar").write_bytes(data)
        with pytest.raises(BuildError, match=words):
            unpack(tmp_path / "a.tar", tmp_path / str(number))
    for number, data in enumerate((b"", b"no archive\n" * 100, gzip.compress(plain)[:-9], b"PK\3\4" + b"x" * 99)):
        (tmp_path / "a").write_bytes(data)
        with pytest.raises(BuildError, match="is not an archive that can be unpacked: "):
            unpack(tmp_path / "a", tmp_path / f"broken{number}")


def test_little_that_becomes_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By ratio, by bytes, by number: and before it is on the disk."""
    zeros = tar([item("a", bytes(70 << 20))])
    for name, data in (("a.gz", gzip.compress(zeros)), ("a.xz", lzma.compress(zeros, preset=0))):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(BuildError, match=r"unpacks to more than 64 times its \d+ bytes"):
            unpack(tmp_path / name, tmp_path / f"made-{name}")
    monkeypatch.setattr(compressed, "MAX_BYTES", 1 << 20)
    (tmp_path / "b.tar").write_bytes(tar([item(f"{i}", bytes(1 << 18)) for i in range(5)]))
    with pytest.raises(BuildError, match="unpacks to more than 1 MiB"):
        unpack(tmp_path / "b.tar", tmp_path / "b")
    monkeypatch.setattr(archives, "MAX_MEMBERS", 3)
    (tmp_path / "c.tar").write_bytes(tar([folder(f"{i}") for i in range(5)]))
    with pytest.raises(BuildError, match="has more than 3 members"):
        unpack(tmp_path / "c.tar", tmp_path / "c")


def test_every_promised_python_unpacks_and_refuses(tmp_path: Path) -> None:
    """`extractall` took the argument that makes it careful from 3.11.4 on, and let one form out until 3.11.13: neither is asked."""
    others = list(pythons())
    if not others:
        pytest.skip("this Python is the only one")
    (tmp_path / "good.tar.xz").write_bytes(lzma.compress(tar(GOOD)))
    for number, (members, _) in enumerate(BAD.values()):
        (tmp_path / f"bad{number}.tar.gz").write_bytes(gzip.compress(tar(members)))
    (tmp_path / "outside").write_text("mine")
    program = """
import sys
from pathlib import Path
from cipherstone.build.archives import unpack
from cipherstone.model.errors import BuildError
out = Path(sys.argv[1])
unpack(Path("good.tar.xz"), out / "good")
for file in sorted(Path().glob("bad*")):
    try:
        unpack(file, out / file.name)
    except BuildError as error:
        assert "refused: " in error.message, error.message
        print(error.message)
"""
    said = set()
    for number, python in enumerate([sys.executable, *others]):
        words = [python, "-B", "-c", program, str(tmp_path / f"by{number}")]
        env = {"PYTHONPATH": str(ROOT / "src"), "PATH": "/usr/bin:/bin", "LC_ALL": "C"}
        done = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{python}: {done.stderr}"
        check_good(tmp_path / f"by{number}" / "good")
        said.add(done.stdout)
        assert (tmp_path / "outside").read_text() == "mine"
    assert len(said) == 1 and len(said.pop().splitlines()) == len(BAD)


def test_nothing_else_unpacks() -> None:
    """What the standard library writes depends on its patch level: no part of the program, its tools and its tests leaves it to that."""
    words = ("extract" + "all(", "unpack" + "_archive(", ".extract" + "(")
    found = [
        str(path.relative_to(ROOT))
        for part in ("src", "tools", "bench", "tests")
        for path in (ROOT / part).rglob("*.py")
        if any(word in path.read_text(encoding="utf-8") for word in words)
    ]
    assert not found
