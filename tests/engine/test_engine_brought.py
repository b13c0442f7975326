# SPDX-License-Identifier: Apache-2.0
"""A library of the user's own: as a prefix, a build tree, a file, an archive, a commit; verified to be what is measured; refused in one line."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import scripts
from scripts import HASH, CommandLine, Done, newest

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="no gcc")
FOLDER = Path(__file__).parent
HEADER = "#include <stddef.h>\nvoid ownhash_sha256(unsigned char *, const unsigned char *, size_t);\nconst char *ownhash_version(void);\n"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = scripts.bare_root(tmp_path_factory.mktemp("brought"))
    shutil.copytree(FOLDER / "ownhash", target / "libraries" / "ownhash")
    return target


@pytest.fixture
def here(root: Path, new_cli: Callable[..., CommandLine]) -> CommandLine:
    return new_cli("brought", root)


def sources(folder: Path, version: str = "1.0") -> Path:
    """Upstream's tree: the toy's SHA-256 in one file."""
    core = FOLDER / "twobuilds" / "core"
    folder.mkdir(parents=True)
    adapter = (FOLDER / "twobuilds" / "hash.c").read_text()
    body = adapter[adapter.index("static int call") : adapter.index("static const cs_op")]
    body = body.replace(
        "static int call(cs_case *c)", "void ownhash_sha256(unsigned char *out, const unsigned char *data, size_t len)"
    )
    for old, new in (
        ("c->msg.len", "len"),
        ("c->msg.data", "data"),
        ("c->out[i]", "out[i]"),
        ("    return CS_OK;\n", ""),
    ):
        body = body.replace(old, new)
    text = (core / "hash.c").read_text().replace('#include "hash.h"', (core / "hash.h").read_text())
    text = text.replace('#include "constants.inc"', (core / "constants.inc").read_text())
    end = f'const char *ownhash_version(void) {{ return "{version}"; }}\n'
    (folder / "ownhash.c").write_text(f'#include "ownhash.h"\n{text}\n{body}\n{end}')
    (folder / "ownhash.h").write_text(HEADER)
    return folder


def compiled(folder: Path, *words: str) -> None:
    subprocess.run(["gcc", *words], cwd=folder, check=True, capture_output=True)


def prefix(place: Path, version: str = "1.0") -> Path:
    """Installed, shared."""
    tree = sources(place / "tree", version)
    for name in ("lib", "include"):
        (place / name).mkdir()
    compiled(tree, "-O1", "-fPIC", "-shared", "ownhash.c", "-o", str(place / "lib" / "libownhash.so"))
    shutil.copy(tree / "ownhash.h", place / "include")
    return place


def lanes(done: Done) -> dict[str, str]:
    assert done.no_trace().code == 0, done.err
    return {row["lane"]: row["outcome"] for row in json.loads(done.out)}


def check(cli: CommandLine, *words: str) -> Done:
    return cli("check", "--format", "json", "--filter", f"op:{HASH.partition('/bytes')[0]}", *words)


def test_a_prefix_is_measured_and_is_what_is_mapped(here: CommandLine, tmp_path: Path) -> None:
    place = prefix(tmp_path / "opt")
    done = here.measure("--op", "sha-256/hash", "--library", f"ownhash+mine={place}", "--base", "ownhash").no_trace()
    builds = newest(here.runs).manifest.builds
    (build,) = builds
    assert build.build == "1.0+mine" and build.title == "Own hash, mine", done.err
    mapped = {Path(one.path).name: one.sha256 for one in build.objects}
    assert "libownhash.so" in mapped and len(mapped["libownhash.so"]) == 64
    assert "without Own hash: not installed" in done.err  # the system has none; the other goes on


@pytest.mark.parametrize("kind", ["file", "archive", "tree"])
def test_whatever_has_it_will_do(kind: str, here: CommandLine, tmp_path: Path) -> None:
    place = prefix(tmp_path / "opt")
    where = {
        "file": place / "lib" / "libownhash.so",
        "archive": place / "lib" / "libownhash.a",
        "tree": place / "tree",
    }[kind]
    if kind != "file":
        compiled(place / "tree", "-O1", "-c", "ownhash.c")
        archive = where if kind == "archive" else place / "tree" / "libownhash.a"
        subprocess.run(["ar", "rcs", str(archive), "ownhash.o"], cwd=place / "tree", check=True)
    if kind == "archive":
        (place / "lib" / "libownhash.so").unlink()
    assert lanes(check(here, "--library", f"ownhash={where}")) == {"ownhash@1.0+own": "ok"}


def test_two_commits_and_an_archive_of_source_are_built_by_the_recipe(here: CommandLine, tmp_path: Path) -> None:
    def git(*words: str) -> str:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        done = subprocess.run(["git", *identity, *words], cwd=tree, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    tree = sources(tmp_path / "tree")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "one")
    first = git("rev-parse", "HEAD")
    (tree / "ownhash.c").write_text((tree / "ownhash.c").read_text().replace('"1.0"', '"1.1"'))
    git("commit", "-qam", "two")
    (tree / "ownhash.c").write_text("not committed, and not built")
    archive = shutil.make_archive(
        str(tmp_path / "ownhash-1.2"), "gztar", sources(tmp_path / "pack" / "ownhash-1.2", "1.2").parent
    )
    found = lanes(
        check(
            here,
            *("--library", f"ownhash@old=git:{tree}@{first[:8]}", "--library", f"ownhash+new=git:{tree}"),
            *("--library", f"ownhash+packed={archive}"),
        )
    )
    assert found == {"ownhash@1.0+old": "ok", "ownhash@1.1+new": "ok", "ownhash@1.2+packed": "ok"}


def test_a_mask_is_a_build_of_its_own_with_its_environment(here: CommandLine, tmp_path: Path) -> None:
    """A mask is put on whatever build; its setting reaches the worker, and the identity holds it."""
    place = prefix(tmp_path / "opt")
    done = here.measure(
        "--op", "sha-256/hash", "--library", f"ownhash={place}", "--build", "ownhash+own~plain", "--base", "ownhash+own"
    )
    builds = {one.build: one for one in newest(here.runs).manifest.builds}
    assert set(builds) == {"1.0+own", "1.0+own~plain"}, done.err
    assert (
        builds["1.0+own~plain"].environment["OWNHASH_PLAIN"] == "1"
        and "OWNHASH_PLAIN" not in builds["1.0+own"].environment
    )
    assert builds["1.0+own"].worker_hash == builds["1.0+own~plain"].worker_hash
    assert builds["1.0+own"].identity != builds["1.0+own~plain"].identity


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("ownhash=/nowhere", "/nowhere is not there"),
        ("ownhosh=/", "no library 'ownhosh'"),
        ("ownhash+a b=/", "'a b' is not a name for a build"),
        ("ownhash=git:/@x", "no commit 'x' in /"),
        ("ownhash@7=git:{here}", "no commit 'HEAD'"),
        ("=x", "is not NAME[@CALLED]=WHERE"),
        ("ownhash={here}/text", "text is neither a library nor an archive of source"),
        ("ownhash@7={here}/x.tar.gz", "has no source '7'"),
    ],
)
def test_a_word_that_means_nothing_is_one_line(word: str, said: str, here: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "text").touch()
    (tmp_path / "x.tar.gz").touch()
    done = check(here, "--library", word.format(here=tmp_path)).no_trace()
    assert done.code == 2 and said in done.err and len(done.err.splitlines()) <= 2, done.err


def test_two_of_one_name_are_refused(here: CommandLine, tmp_path: Path) -> None:
    place = prefix(tmp_path / "opt")
    done = check(here, "--library", f"ownhash={place}", "--library", f"ownhash={place}").no_trace()
    assert done.code == 2 and "has a build 'own' already" in done.err and "ownhash@mine=" in done.err


def broken(place: Path, how: str) -> Path:
    """A prefix with one thing wrong."""
    library = place / "lib" / "libownhash.so"
    if how == "architecture":
        data = bytearray(library.read_bytes())
        data[18:20] = (243).to_bytes(2, "little")  # e_machine: RISC-V
        library.write_bytes(data)
    elif how == "empty":
        library.write_bytes(b"")
    elif how == "headers":
        shutil.rmtree(place / "include")
        (place / "tree" / "ownhash.h").unlink()
    elif how == "symbols":
        (place / "tree" / "less.c").write_text('const char *ownhash_version(void) { return "1.0"; }\n')
        compiled(place / "tree", "-shared", "-fPIC", "less.c", "-o", str(library))
    elif how == "library":
        library.unlink()
    elif how == "archive":
        library.unlink()
        shutil.make_archive(str(place / "bad"), "gztar", place / "include")
        return place / "bad.tar.gz"
    elif how == "garbage":
        (place / "garbage.tar.gz").write_bytes(b"\x1f\x8b garbage")
        return place / "garbage.tar.gz"
    return place


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("architecture", "is for riscv64, this machine is"),
        ("empty", "is not a shared library"),
        ("headers", "no ownhash.h in it, nor on the system"),
        ("symbols", "ownhash_sha256"),
        ("library", "no libownhash.so and no libownhash.a in it"),
        ("archive", "upstream/build.sh ended with status"),
        ("garbage", "is not an archive that can be unpacked"),
    ],
)
def test_what_cannot_be_linked_is_said_and_the_rest_goes_on(
    how: str, said: str, here: CommandLine, tmp_path: Path
) -> None:
    good, bad = prefix(tmp_path / "good"), broken(prefix(tmp_path / "bad"), how)
    done = check(here, "--library", f"ownhash+good={good}", "--library", f"ownhash+bad={bad}")
    assert lanes(done) == {"ownhash@1.0+good": "ok"}
    (line,) = (text for text in done.err.splitlines() if text.startswith("without Own hash, bad: "))
    assert said in line, line


def repository(place: Path, slow_from: int, length: int, broken_at: int = -1) -> tuple[Path, list[str]]:
    """A checkout of `length` commits after the first; from one of them on every hash is computed three times."""

    def git(*words: str) -> str:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        done = subprocess.run(["git", *identity, *words], cwd=tree, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    tree = sources(place)
    text = (tree / "ownhash.c").read_text()
    once = "void ownhash_sha256(unsigned char *out, const unsigned char *data, size_t len)"
    slow = text.replace(once, once.replace("void ownhash_sha256", "static void one"))
    slow += f"{once}\n{{\n    for (int i = 0; i < 3; i++)\n        one(out, data, len);\n}}\n"
    git("init", "-q")
    commits = []
    for i in range(length + 1):
        body = "not C" if i == broken_at else slow if i >= slow_from else text
        (tree / "ownhash.c").write_text(f"/* {i} */\n{body}")
        git("add", ".")
        git("commit", "-qm", f"number {i}")
        commits.append(git("rev-parse", "HEAD"))
    return tree, commits


def test_bisect_finds_the_commit_that_made_it_slower(here: CommandLine, tmp_path: Path) -> None:
    """Built by the recipe, measured beside the good one; a commit that does not compile is stepped over."""
    tree, commits = repository(tmp_path / "tree", slow_from=3, length=5, broken_at=4)
    cli = scripts.opened(here)
    words = (
        "--good",
        commits[0],
        "--git",
        str(tree),
        "--op",
        "sha-256/hash/bytes=16384",
        "--threshold",
        "20%",
        "--passes",
        "6",
    )
    done = cli("bisect", "ownhash", *words).no_trace()
    assert done.code == 0, done.out + done.err
    assert done.out.splitlines()[-1].startswith(f"first slower commit: {commits[3][:7]}") and "number 3" in done.out
    assert f"{commits[5][:12]}  slower" in done.out and f"{commits[2][:12]}  as fast" in done.out
    found = json.loads(cli("bisect", "ownhash", *words, "--bad", commits[2], "--format", "json").out)
    assert found["first"] is None and found["left"] == [] and found["tried"][0]["answer"] == "as fast"


def test_build_makes_sources_once_and_one_failure_stops_nothing(here: CommandLine, tmp_path: Path) -> None:
    tree, commits = repository(tmp_path / "tree", slow_from=9, length=1, broken_at=1)
    words = (f"ownhash+good=git:{tree}@{commits[0]}", f"ownhash+bad=git:{tree}@{commits[1]}", "--format", "json")
    done = here("build", *words).no_trace()
    made = {row["name"]: row for row in json.loads(done.out)}
    assert done.code == 1 and made["ownhash@good"]["state"] == "built" and made["ownhash@good"]["wall_s"] is not None
    assert made["ownhash@bad"]["state"] == "failed" and "upstream/build.sh ended with" in made["ownhash@bad"]["problem"]
    log = Path(made["ownhash@bad"]["log"].removeprefix("its log: "))
    assert "ownhash.c" in log.read_text()  # the log is kept
    again = json.loads(here("build", *words).out)
    assert {row["name"]: row["state"] for row in again} == {"ownhash@good": "ready", "ownhash@bad": "failed"}
    alone = here("build").no_trace()
    assert alone.code == 2 and "nothing to build" in alone.err  # its only source is one that the user brings


def test_lines_are_counted_once_and_later_for_what_was_built_before(here: CommandLine, tmp_path: Path) -> None:
    """Into the record of the build; a build without a count, as older ones are, gets one when it is used; one without a record has none."""
    cache = tmp_path / "cache"  # with one build, this one
    tree, commits = repository(tmp_path / "tree", slow_from=9, length=0)
    listing = ("list", "--libraries", "--library", f"ownhash+lines=git:{tree}@{commits[0]}", "--format", "json")

    def lines() -> dict[str, int]:
        done = here(*listing, "--cache", cache).no_trace()
        assert done.code == 0, done.err
        (row,) = (row for row in json.loads(done.out) if row["name"] == "ownhash@lines")
        return row["lines"]  # type: ignore[no-any-return]

    first = lines()
    assert set(first) == {"C"} and 50 < first["C"] < len((tree / "ownhash.c").read_text().splitlines()) + 3
    (record,) = (cache / "upstream").glob("ownhash-*/recipe.json")
    before = json.loads(record.read_text())
    assert before["lines"] == first
    record.write_text(json.dumps({key: before[key] for key in ("wall_s", "cpu_s", "disk_mib")}))
    assert lines() == first and json.loads(record.read_text()) == before
    record.unlink()
    assert lines() == {}


def test_upgrade_is_one_page(here: CommandLine, tmp_path: Path) -> None:
    """Two versions in one run: what is slower is named with its ratio; a third that is alike is not told apart."""
    tree, commits = repository(tmp_path / "tree", slow_from=1, length=1)
    cli = scripts.opened(here)
    old, new = (f"ownhash@{name}=git:{tree}@{commit}" for name, commit in zip(("old", "new"), commits, strict=True))
    words = ("--filter", "op:sha-256/hash", "--passes", "12", "--max-time", "none", "--target", "5%")
    done = cli("upgrade", old, new, "--from", "old", *words).no_trace()
    assert done.code == 0, done.err
    assert done.out.startswith("ownhash in run ") and "1.0 -> new: 2 cases faster" not in done.out
    (line,) = (text for text in done.out.splitlines() if text.startswith("sha-256/hash 16 KiB"))
    change, _, to, _, word = line.split()[-5:]
    assert (to, word) == ("to", "slower") and 2.0 < float(change) < 4.0
    assert "1.0 -> new: 0 cases faster, 2 slower, 0 within 1 %" in done.out
    long = [text for text in done.out.splitlines() if len(text) > 80]  # a folder stays whole, to be copied
    assert all(text.strip().startswith("git:") for text in long)
    again = cli("upgrade", old, new, "--from", "old", "--format", "json", *words).no_trace()
    assert again.code == 0, again.err
    page = json.loads(again.out)
    steps = [step for version in page["versions"] for step in version["steps"]]
    assert [step["verdict"] for step in steps] == ["slower", "slower"], steps


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("ownhash",), "nothing to measure"),
        (("nohash",), "no library 'nohash'"),
        (("ownhash", "--from", "3"), "has no such build"),
    ],
)
def test_an_upgrade_of_nothing_is_one_line(words: tuple[str, ...], said: str, here: CommandLine) -> None:
    done = here("upgrade", *words).no_trace()
    assert done.code != 0 and said in done.err


def test_a_run_with_a_build_of_ones_own_is_gone_on_with_when_it_is_brought_again(
    here: CommandLine, tmp_path: Path
) -> None:
    """The bundle names no place; what is not there is said with the word that brings it."""
    place = prefix(tmp_path / "opt")
    word = f"ownhash+mine={place}"
    done = scripts.opened(here).measure("--op", "sha-256/hash", "--library", word, "--base", "ownhash", "--passes", "6")
    assert done.no_trace().code in (0, 1), done.err  # 1: on a busy machine it may end without a figure
    run = newest(here.runs)
    assert run.finished
    alone = here("run", "--resume", run.path.name).no_trace()
    assert alone.code == 2 and "--library ownhash@mine=WHERE" in alone.err, alone.err
