# SPDX-License-Identifier: Apache-2.0
"""Several builds of one library, really compiled: side by side in one run, chosen by name, refused in one line where they cannot be made."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
import scripts
from scripts import HASH, ROOT, CommandLine, cells, newest, opened, summary

from cipherstone.build.seals import write_seal
from cipherstone.build.sources import fetch_source
from cipherstone.build.toolchain import find_toolchain
from cipherstone.build.upstream import build_problem, prepare
from cipherstone.build.workers import WorkerJob, build_worker
from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.libraries import Library, load_library
from cipherstone.model.errors import BuildError

FOLDER = Path(__file__).with_name("twobuilds")
pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="the builds name gcc")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout whose only library has several builds, and which has a laboratory with the same code."""
    target = scripts.bare_root(tmp_path_factory.mktemp("builds"))
    shutil.copytree(FOLDER, target / "libraries" / "twobuilds")
    lab = target / "labs" / "ownlab"
    shutil.copytree(FOLDER, lab)
    text = (FOLDER / "library.toml").read_text().replace('id = "twobuilds"', 'id = "ownlab"')
    (lab / "library.toml").write_text(text.replace('homepage = "https://example.org/"\n', ""))
    source = (FOLDER / "hash.c").read_text()
    (lab / "hash.c").write_text(source.replace('"twobuilds"', '"ownlab"'))
    return target


@pytest.fixture
def here(root: Path, new_cli: Callable[..., CommandLine]) -> CommandLine:
    """With its gate open: whether this machine is quiet is not what these tests ask."""
    return opened(new_cli("builds", root))


@pytest.fixture(scope="module")
def library() -> Library:
    return load_library(FOLDER, load_catalogue(ROOT))


def builds(cli: CommandLine) -> dict[str, object]:
    return {f"{one.library}@{one.build}": one for one in newest(cli.runs).manifest.builds}


def test_two_builds_compete_in_one_run(here: CommandLine) -> None:
    """Each with its own lane, its own flags in the bundle, and the A/A lane on the build that the base names."""
    done = here.measure("--op", HASH, "--build", "O0", "--base", "twobuilds+O0").no_trace()
    assert done.code == 0, done.err
    found = summary(done)
    lanes = cells(found)
    assert set(lanes) == {"twobuilds@1.0+O2", "twobuilds@1.0+O0", "twobuilds@1.0+O0#2"}
    assert all(cell.outcome == "ok" for cell in lanes.values()), done.err
    one = builds(here)
    assert {name: build.flags for name, build in one.items()} == {  # type: ignore[attr-defined]
        "twobuilds@1.0+O2": '-O2 -DBUILD_NAME="fast"',
        "twobuilds@1.0+O0": '-O0 -DBUILD_NAME="slow"',
    }
    assert one["twobuilds@1.0+O2"].worker_hash != one["twobuilds@1.0+O0"].worker_hash  # type: ignore[attr-defined]
    assert one["twobuilds@1.0+O0"].package == "sources in libraries/twobuilds"  # type: ignore[attr-defined]
    assert one["twobuilds@1.0+O0"].title == "Two builds, not optimised"  # type: ignore[attr-defined]
    assert "gcc" in one["twobuilds@1.0+O0"].compiler  # type: ignore[attr-defined]
    (case,) = found.cases
    assert "twobuilds@1.0+O2" in {row.lane for row in case.to_base}
    shown = here("compare", "twobuilds+O2", "twobuilds+O0", "--run", "latest").no_trace()
    assert shown.code == 0 and "A: twobuilds+O2" in shown.out and "B: twobuilds+O0" in shown.out, shown.out + shown.err


def test_a_plain_run_takes_the_default_builds(here: CommandLine) -> None:
    done = here.measure("--op", HASH, "--base", "twobuilds").no_trace()
    assert set(cells(summary(done))) == {"twobuilds@1.0+O2", "twobuilds@1.0+O2#2"}


def test_a_filter_names_builds_and_laboratories(here: CommandLine) -> None:
    """`build:O0` measures that one alone; a laboratory takes part when it is named."""
    done = here.measure("--filter", "build:O0", "--op", HASH, "--base", "twobuilds").no_trace()
    assert set(cells(summary(done))) == {"twobuilds@1.0+O0", "twobuilds@1.0+O0#2"}
    done = here.measure("--filter", "library:(twobuilds OR ownlab) build:/O/", "--op", HASH, "--base", "ownlab")
    lanes = {name for name in cells(summary(done.no_trace())) if not name.endswith("#2")}
    assert lanes == {f"{name}@1.0+{build}" for name in ("twobuilds", "ownlab") for build in ("O0", "O2")}
    again = here.measure("--filter", "build:O5", "--op", HASH, "--base", "twobuilds").no_trace()
    assert again.code == 2 and "unknown build 'O5'" in again.err and "did you mean 'O2'?" in again.err
    again = here.measure("--build", "O1", "--op", HASH).no_trace()
    assert again.code == 2 and "--build: no library has a build 'O1'" in again.err


def test_a_suite_asks_for_builds_and_laboratories(
    here: CommandLine, root: Path, tmp_path: Path, new_cli: Callable[..., CommandLine]
) -> None:
    other = tmp_path / "checkout"
    shutil.copytree(root, other, symlinks=True)
    (other / "suites").unlink()
    shutil.copytree(ROOT / "suites", other / "suites")
    section = f'[[section]]\nid = "a"\ntitle = "A"\nquestion = "Which?"\noperations = ["{HASH}"]\nsizes = [64]\n'
    text = f'title = "Own"\ndescription = "Builds."\nlabs = ["ownlab"]\nbuilds = ["O0"]\n{section}lanes = "build:O0"\n'
    (other / "suites" / "own.toml").write_text(text)
    cli = opened(new_cli("suite", other))
    done = cli(
        "run",
        "--suite",
        "own",
        "--passes",
        6,
        "--no-memory",
        "--max-time",
        "none",
        "--base",
        "ownlab",
        "--format",
        "json",
    )
    assert done.no_trace().code == 0, done.err
    lanes = {name for name in cells(summary(done)) if not name.endswith("#2")}
    assert lanes == {"twobuilds@1.0+O0", "ownlab@1.0+O0"}
    (other / "suites" / "own.toml").write_text(text.replace('"ownlab"', '"ownlap"'))
    done = cli("run", "--suite", "own").no_trace()
    assert done.code == 1 and "labs[0]: 'ownlap' is not a folder in labs/" in done.err and "ownlab" in done.err


def test_an_interrupted_run_goes_on_with_the_builds_that_it_had(here: CommandLine) -> None:
    words = ("--op", HASH, "--size", 16384, "--build", "O0", "--passes", 9, "--no-memory", "--max-time", "none")
    process = here.start("run", *words, "--base", "twobuilds", "--cache", here.cache)
    scripts.interrupt_when(
        process, lambda: list(here.runs.glob("*/manifest.json")) and scripts.passes(newest(here.runs))
    )
    process.communicate()
    done = here.measure("--resume", "latest").no_trace()
    assert done.code == 0, done.err
    assert set(cells(summary(done))) == {"twobuilds@1.0+O2", "twobuilds@1.0+O0", "twobuilds@1.0+O2#2"}


def test_every_build_is_listed_with_its_reason(here: CommandLine) -> None:
    rows = {row["name"]: row for row in here("list", "--builds", "--format", "json").no_trace().json()}
    assert rows["twobuilds@O2"]["state"] == "ready" and rows["twobuilds@O2"]["default"]
    assert rows["twobuilds@O0"]["why"] == "what the optimiser is worth" and not rows["twobuilds@O0"]["default"]
    assert rows["twobuilds@absent"]["state"] == "missing"
    assert rows["twobuilds@absent"]["problem"] == "no compiler 'no-such-compiler-7'"
    assert "ownlab@O2" in rows
    text = here("list", "--builds", "-l", "twobuilds").no_trace().out
    assert "twobuilds@O0  ready, on request" in text and "what the optimiser is worth" in text and "ownlab" not in text


def test_what_a_build_needs_is_named_when_asked_for(here: CommandLine) -> None:
    """`setup` speaks of the builds of plain runs; `setup --builds` of all."""
    plain, whole = here("setup", "--no-install").no_trace(), here("setup", "--no-install", "--builds").no_trace()
    assert "compiler" not in plain.err
    assert "no-such-compiler" in whole.err


def test_a_build_whose_compiler_is_absent_is_missing(here: CommandLine) -> None:
    done = here.measure("--build", "absent", "--op", HASH, "--base", "twobuilds").no_trace()
    assert done.code == 0 and "without Two builds, absent: no compiler 'no-such-compiler-7'" in done.err


def test_a_change_in_any_folder_is_a_new_worker(library: Library, worker_cache: Path, tmp_path: Path) -> None:
    """Files of one name in two folders do not meet, and what one of them includes counts."""
    copy = tmp_path / "twobuilds"
    shutil.copytree(FOLDER, copy)
    mine, toolchain = load_library(copy, load_catalogue(ROOT)), find_toolchain()

    def made(name: str) -> Path:
        (build,) = (one for one in mine.builds if one.variant == name)
        installation = prepare(mine, build, toolchain, None, worker_cache, lambda _: None)
        return build_worker(WorkerJob(mine, installation, toolchain, ROOT, worker_cache, build)).path

    first, other = made("O2"), made("O0")
    assert first == made("O2") != other
    (copy / "core" / "constants.inc").write_text((copy / "core" / "constants.inc").read_text() + "/* changed */\n")
    assert made("O2") != first


@pytest.mark.skipif(shutil.which("cargo") is None, reason="no cargo")
def test_setup_tries_its_sources_and_does_without_those_that_fail(
    root: Path, tmp_path: Path, new_cli: Callable[..., CommandLine]
) -> None:
    other = tmp_path / "checkout"
    shutil.copytree(root, other, symlinks=True)
    shutil.rmtree(other / "libraries" / "twobuilds")
    shutil.copytree(FOLDER, other / "libraries" / "twobuilds")
    described = other / "libraries" / "twobuilds" / "library.toml"
    text = described.read_text()
    assert text.count("crate = {") == 1
    described.write_text(text.replace("crate = {", "setup = true\ncrate = {"))
    cli = new_cli("setup", other)
    done = cli("setup", "--no-install").no_trace()
    assert done.code == 0 and "going on without Two builds: " in done.err, done.err
    assert cli("setup", "--no-install", "--builds").no_trace().code == 0


def crate(library: Library) -> BuildSpec:
    return next(build for build in library.builds if build.source)


@pytest.mark.skipif(shutil.which("cargo") is None, reason="no cargo")
def test_source_with_another_checksum_is_refused(here: CommandLine, tmp_path: Path) -> None:
    """Nothing of the package is unpacked, let alone built; the others go on."""
    done = here.measure("--build", "crate", "--op", HASH, "--base", "twobuilds").no_trace()
    if "its checksum is" not in done.err:
        pytest.skip(f"the client cannot ask: {done.err.splitlines()[:2]}")
    (line,) = (text for text in done.err.splitlines() if "its checksum is" in text)
    assert line.startswith("without Two builds, crate: twobuilds+crate: crate cfg-if 1.0.0: its checksum is baf1de43")
    assert "library.toml says 000000" in line
    assert set(cells(summary(done))) == {"twobuilds@1.0+O2", "twobuilds@1.0+O2#2"}
    assert not [*(here.cache / "sources").glob("cfg-if*"), *(here.cache / "upstream").glob("twobuilds*")]


def test_without_the_client_the_build_is_missing(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    build = crate(library)
    assert build_problem(library, build, find_toolchain(), tmp_path) == "no cargo, which fetches the source"


def test_a_script_builds_once_from_source_that_is_here(library: Library, tmp_path: Path) -> None:
    """The source is in the cache under its checksum, so nothing is fetched; the script sees compiler, flags and variant."""
    build = crate(library)
    build = msgspec.structs.replace(build, flags=("-O3",), defines=("X=1",), options=("plain",))
    said: list[str] = []
    source = tmp_path / "sources" / f"cfg-if-1.0.0-{'0' * 16}"
    source.mkdir(parents=True)
    write_seal(source)
    assert build.source is not None
    assert fetch_source("twobuilds+crate", build.source.archive, tmp_path, said.append) == source and said == []
    toolchain = find_toolchain()
    done = prepare(library, build, toolchain, None, tmp_path, said.append)
    assert done.problem == "" and done.origin == "crate cfg-if 1.0.0" and done.version == "1.2"
    (archive,) = map(Path, done.libs)
    assert archive.read_text() == f"{toolchain.cc} -O3 -DX=1 plain\n"
    assert [text.split()[0] for text in said] == ["building", "built"]
    assert prepare(library, build, toolchain, None, tmp_path, said.append) == done and len(said) == 2
    other = msgspec.structs.replace(build, flags=("-O1",))
    assert prepare(library, other, toolchain, None, tmp_path, said.append).libs != done.libs


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo 'x.c:1: error: no such thing' >&2\nexit 3\n", ["ended with status 3: x.c:1: error: no such thing"]),
        ("true\n", ["did not install lib/libnothing.a"]),
    ],
)
def test_a_script_that_fails_is_one_line(script: str, words: list[str], tmp_path: Path) -> None:
    copy = tmp_path / "twobuilds"
    shutil.copytree(FOLDER, copy)
    (copy / "upstream" / "build.sh").write_text(script)
    library = load_library(copy, load_catalogue(ROOT))
    build = crate(library)
    cache = tmp_path / "cache"
    source = cache / "sources" / f"cfg-if-1.0.0-{'0' * 16}"
    source.mkdir(parents=True)
    write_seal(source)
    with pytest.raises(BuildError) as caught:
        prepare(library, build, find_toolchain(), None, cache, lambda _: None)
    assert caught.value.message.startswith("twobuilds+crate: upstream/build.sh ") and "\n" not in caught.value.message
    assert all(word in caught.value.message for word in words)
    assert list((cache / "upstream").iterdir()) == []  # nothing half made is left
