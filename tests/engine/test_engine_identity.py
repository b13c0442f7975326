# SPDX-License-Identifier: Apache-2.0
"""What is measured is known: a library that is rebuilt, relinked, replaced, spoilt or steered by the environment, with real shared objects and archives."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import scripts
from scripts import HASH, CommandLine, Done, cells, cost, interrupt_when, newest, opened, options, summary, write_worker
from test_engine_resume import journal_lines, passes_so_far

from cipherstone.host.private import Private
from cipherstone.model.ids import Lane
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import Build, CodeObject

HERE = Path(__file__).parent
FOLDER = HERE / "sharedlib"
SONAME = "libcstoy.so.1"
LANE = "sharedlib@1.0"


def stored(path: Path | str) -> str:
    """As a bundle has it: pytest's folder is called after the user (tests/fault/test_private_paths.py)."""
    return Private.here().path(str(path))


pytestmark = [
    pytest.mark.skipif(shutil.which("gcc") is None, reason="builds libraries with gcc"),
    pytest.mark.skipif(shutil.which("pkg-config") is None, reason="is found by pkg-config"),
    pytest.mark.skipif(not Path("/proc/self/exe").exists(), reason="the loader of this system keeps no list"),
]


class Prefix:
    """Where the library is installed, in one version, from sources that differ in a mark only."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.lib = folder, folder / "lib"
        (folder / "include").mkdir(parents=True)
        self.lib.mkdir()
        shutil.copy(FOLDER / "library" / "cstoy.h", folder / "include")
        (self.lib / "cstoy.pc").write_text(
            f"Name: cstoy\nDescription: a test's\nVersion: 1.0\nCflags: -I{folder}/include\n"
            f"Libs: -L{self.lib} -Wl,-rpath,{self.lib} -lcstoy\n"
        )

    @property
    def shared(self) -> Path:
        return self.lib / SONAME

    def build(self, target: Path, mark: str, *flags: str) -> Path:
        """Made beside its place and renamed into it, as package managers do."""
        sources = [FOLDER / "library" / "cstoy.c", HERE / "twobuilds" / "core" / "hash.c"]
        fresh = target.with_name(f".{target.name}.new")
        command = ["gcc", "-O1", "-fPIC", f'-DCSTOY_MARK="{mark}"', *flags, *map(str, sources), "-o", str(fresh)]
        subprocess.run(command, check=True)
        fresh.replace(target)
        return target

    def install(self, mark: str) -> None:
        self.build(self.shared, mark, "-shared", f"-Wl,-soname,{SONAME}")
        if not (self.lib / "libcstoy.so").exists():
            (self.lib / "libcstoy.so").symlink_to(SONAME)

    def install_archive(self, mark: str) -> Path:
        """Both sources in one object: nothing but the archive is there to link."""
        member = self.build(self.lib / "cstoy.o", mark, "-r", "-nostdlib")
        archive = self.lib / "libcstoy.a"
        archive.unlink(missing_ok=True)
        subprocess.run(["ar", "rc", str(archive), str(member)], check=True)
        return archive


@pytest.fixture
def prefix(tmp_path: Path) -> Prefix:
    return Prefix(tmp_path / "prefix")


@pytest.fixture
def here(prefix: Prefix, tmp_path: Path, new_cli: Callable[..., CommandLine]) -> CommandLine:
    """A checkout whose only library is found below `prefix`."""
    root = scripts.bare_root(tmp_path / "checkout")
    shutil.copytree(FOLDER, root / "libraries" / "sharedlib", ignore=shutil.ignore_patterns("library"))
    return opened(new_cli("identity", root, PKG_CONFIG_PATH=str(prefix.lib)))


def measured(cli: CommandLine, **environment: str) -> Done:
    cli.environment.update(environment)
    done = cli.measure("--op", HASH, "--base", "sharedlib").no_trace()
    assert done.code == 0, done.err
    assert cells(summary(done))[LANE].outcome is Outcome.OK
    return done


def the_build(cli: CommandLine) -> Build:
    (found,) = newest(cli.runs).manifest.builds
    return found


def with_role(build: Build, role: str) -> list[CodeObject]:
    return [one for one in build.objects if one.role == role]


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def spoilt(source: Path, folder: Path) -> Path:
    """A folder that holds a library of the same name that no loader of this machine takes: of the other word size."""
    folder.mkdir()
    data = bytearray(source.read_bytes())
    data[4] ^= 3  # EI_CLASS: 32 or 64 bits
    (folder / SONAME).write_bytes(data)
    return folder


def test_the_bundle_tells_which_file_holds_the_library(here: CommandLine, prefix: Prefix) -> None:
    prefix.install("one")
    measured(here)
    build = the_build(here)
    (library,) = with_role(build, "library")
    assert (library.path, library.sha256) == (stored(prefix.shared), sha256(prefix.shared))
    notes = subprocess.run(["readelf", "-n", str(prefix.shared)], capture_output=True, text=True, check=False).stdout
    assert library.build_id is not None and f"Build ID: {library.build_id}" in notes
    assert library.package == "" and build.package == "1.0"  # nobody's file
    assert any(one.name.startswith("libc.") for one in with_role(build, "runtime"))
    assert [Path(one.path).name for one in with_role(build, "worker")] == ["cs-sharedlib"]
    assert with_role(build, "archive") == []


def test_a_rebuilt_library_of_the_same_version_is_another_build(here: CommandLine, prefix: Prefix) -> None:
    """Same version, same place, same lane: the bundles tell them apart, and so does `compare`."""
    prefix.install("one")
    measured(here)
    first, run_a = the_build(here), newest(here.runs).path.name
    prefix.install("two")
    measured(here)
    second, run_b = the_build(here), newest(here.runs).path.name
    assert (first.library, first.build, first.version) == (second.library, second.build, second.version)
    assert first.identity != second.identity
    assert with_role(first, "library")[0].sha256 != with_role(second, "library")[0].sha256
    shown = here("compare", run_a, run_b, "--base", "sharedlib").no_trace()
    said = " ".join(shown.out.split())
    assert "warning: sharedlib: version 1.0 in both runs, but not the same code: " in said, shown.out + shown.err
    assert (
        first.objects
        and f"{SONAME} was {stored(prefix.shared)}, sha256 {with_role(first, 'library')[0].sha256[:12]}, is" in said
    )
    assert "the anchor is not the same build in both runs" in said
    refused = here("compare", run_a, run_a, "--base", "sharedlib").no_trace()
    assert refused.code == 1 and "are the same run" in refused.err and "hint: --force" in refused.err
    again = here("compare", run_a, run_a, "--base", "sharedlib", "--force").no_trace()
    assert "not the same code" not in again.out and "not the same build" not in again.out


def test_an_interrupted_run_is_not_resumed_with_another_library(here: CommandLine, prefix: Prefix) -> None:
    prefix.install("one")
    words = ["run", "--no-memory", "--max-time", "none", "--passes", "40", "--op", HASH, "--size", "16,64,256"]
    process = here.start(*words, "--target", "0.01%", "--base", "sharedlib", "--cache", here.cache)
    interrupt_when(process, lambda: passes_so_far(here) >= 2)
    _, err = process.communicate(timeout=600)
    assert process.returncode == 130 and "Resume it" in err, err
    before = journal_lines(here)
    prefix.install("two")
    done = here.measure("--resume", "latest").no_trace()
    assert done.code == 2, done.err
    assert (
        f"resume: {Lane.parse(LANE).words} is not here as it was measured: {SONAME} was {stored(prefix.shared)}, sha256 "
        in done.err
    )
    assert journal_lines(here) == before
    prefix.install("one")  # the same content again is the same code
    process = here.start("run", "--resume", "latest", "--cache", here.cache)
    interrupt_when(process, lambda: passes_so_far(here) > sum(b'"type":"pass"' in line for line in before))
    _, err = process.communicate(timeout=600)
    assert "is not here as it was measured" not in err and "Resume it" in err, err
    told = [json.loads(line) for line in journal_lines(here) if b'"type":"build"' in line]
    first, second = ({**one, "crc": ""} for one in told)  # once in each part
    assert first == second
    assert (told[0]["build"], told[0]["objects"][1]["path"]) == (LANE, stored(prefix.shared))


def test_a_library_that_is_replaced_while_it_is_measured_is_an_outcome(here: CommandLine, prefix: Prefix) -> None:
    """Every case of it ends in one line with both contents; nothing of the second one is in a figure."""
    prefix.install("one")
    old = sha256(prefix.shared)
    words = ["run", "--no-memory", "--max-time", "none", "--passes", "40", "--op", HASH, "--size", "16,64"]
    process = here.start(*words, "--target", "0.01%", "--base", "sharedlib", "--cache", here.cache, "--format", "json")
    interrupt_when(process, lambda: passes_so_far(here) >= 2, 0)  # waits; no signal
    prefix.install("two")
    out, err = process.communicate(timeout=600)
    assert process.returncode == 1 and "Traceback" not in err, err
    found = summary(Done(process.returncode, out, err))
    new = sha256(prefix.shared)
    assert len(found.cases) == 2
    for case in found.cases:
        cell = cells(found, case.case)[LANE]
        assert cell.outcome is Outcome.UNAVAILABLE and cell.ns is None
        assert cell.detail == (
            f"its code changed while the run measured: {SONAME} was {stored(prefix.shared)}, sha256 {old[:12]}, is {stored(prefix.shared)}, sha256 {new[:12]}"
        )
    assert with_role(the_build(here), "library")[0].sha256 == old


def test_a_worker_is_not_reused_with_an_archive_that_was_built_anew(here: CommandLine, prefix: Prefix) -> None:
    """Static code is in the executable: with another archive it is another worker, and the archive stands in the bundle."""
    archive = prefix.install_archive("one")
    measured(here)
    first = the_build(here)
    assert with_role(first, "library") == []
    assert [(one.path, one.sha256) for one in with_role(first, "archive")] == [(stored(archive), sha256(archive))]
    (worker,) = with_role(first, "worker")
    assert b"one\0" in Path(worker.path).expanduser().read_bytes()
    prefix.install_archive("two")
    assert "built the worker of Shared 1.0" in measured(here).err
    second = the_build(here)
    assert second.worker_hash != first.worker_hash and second.identity != first.identity
    assert with_role(second, "archive")[0].sha256 == sha256(archive)
    assert "built the worker" not in measured(here).err
    assert the_build(here).identity == second.identity


def test_a_worker_is_linked_anew_with_a_library_that_comes_first_now(here: CommandLine, prefix: Prefix) -> None:
    """The archive was linked; then a shared library stands in the same folder, which the linker prefers."""
    prefix.install_archive("one")
    measured(here)
    prefix.install("two")
    measured(here)
    assert with_role(the_build(here), "archive") == []
    assert [one.path for one in with_role(the_build(here), "library")] == [stored(prefix.shared)]


def test_the_callers_environment_is_left_out_and_said_to_be(here: CommandLine, prefix: Prefix, tmp_path: Path) -> None:
    """A damaged library first on the caller's path is not measured, and not passed over in silence."""
    prefix.install("one")
    bad = spoilt(prefix.shared, tmp_path / "bad")
    done = measured(here, LD_LIBRARY_PATH=str(bad), MALLOC_PERTURB_="165", CSTOY_MARK="caller")
    assert "note: LD_LIBRARY_PATH, MALLOC_PERTURB_: set here, not passed to workers; " in done.err
    line = next(line for line in done.err.splitlines() if str(bad) in line)
    assert line.startswith(
        f"note: sharedlib: {bad / SONAME} is not what is measured, but {prefix.shared} (LD_LIBRARY_PATH of the caller"
    )
    build = the_build(here)
    assert build.environment == {"LC_ALL": "C"} and build.cpu_path is None
    quiet = measured(here, LD_LIBRARY_PATH=str(prefix.lib))
    assert "is not what is measured" not in quiet.err  # the very file


def set_environment(cli: CommandLine, text: str) -> None:
    document = cli.root / "libraries" / "sharedlib" / "library.toml"
    document.write_text((FOLDER / "library.toml").read_text() + f"\n[distribution.env]\n{text}\n")


def test_a_build_sets_the_environment_of_its_workers(here: CommandLine, prefix: Prefix, tmp_path: Path) -> None:
    """It decides what is loaded, it stands in the bundle, and it makes another build."""
    prefix.install("one")
    measured(here)
    plain = the_build(here)
    other = tmp_path / "other"
    other.mkdir()
    prefix.build(other / SONAME, "two", "-shared", f"-Wl,-soname,{SONAME}")
    set_environment(here, f'CSTOY_MARK = "of the build"\nLD_LIBRARY_PATH = "{other}"')
    done = measured(here, CSTOY_MARK="caller")
    build = the_build(here)
    assert build.environment == {"LC_ALL": "C", "CSTOY_MARK": "of the build", "LD_LIBRARY_PATH": stored(other)}
    assert build.cpu_path == "of the build"
    assert with_role(build, "library")[0].path == str(other / SONAME)
    assert f"note: sharedlib: linked with {prefix.shared}, but {other / SONAME} is what was loaded" in done.err
    assert build.identity != plain.identity


def test_a_spoilt_library_first_on_the_builds_own_path_is_told(
    here: CommandLine, prefix: Prefix, tmp_path: Path
) -> None:
    """The loader passes one of another machine over without a word; cipherstone does not. One that is no library at all it refuses itself."""
    prefix.install("one")
    bad = spoilt(prefix.shared, tmp_path / "bad")
    set_environment(here, f'LD_LIBRARY_PATH = "{bad}"')
    done = measured(here)
    assert (
        f"note: sharedlib: {bad / SONAME} is not what is measured, but {prefix.shared} (LD_LIBRARY_PATH of its environment"
        in done.err
    )
    (bad / SONAME).write_bytes(b"no library at all\n" * 300)
    broken = here.measure("--op", HASH, "--base", "sharedlib").no_trace()
    assert broken.code != 0
    assert "without Shared: the worker does not start" in broken.err and "invalid ELF header" in broken.err, broken.err


def test_a_worker_that_breaks_over_its_objects_ends_alone(cli: CommandLine, tmp_path: Path) -> None:
    """At the first look it is left out in one line; later its cell has an outcome, and the lane beside it its figure. All of them in one run, which is a test of "alone" too."""
    beta = write_worker(tmp_path, "beta", {HASH: cost(1000)})
    told = [{"path": str(beta), "role": "library"}]
    workers, faults = [beta], ("segv", "garbage", "refused", "exit")
    for fault in faults:
        at = {"at": "objects", "do": fault}
        workers.append(write_worker(tmp_path, f"never{fault}", {HASH: cost(1000)}, faults=[at]))
        # The first process is the survey's, the second begins the first pass.
        later = [at | {"from": 2}]
        workers.append(write_worker(tmp_path, f"later{fault}", {HASH: cost(1000)}, faults=later, objects=told))
    done = cli.measure("--op", HASH, "--base", "beta", *options(*workers)).no_trace()
    left_out = [line for line in done.err.splitlines() if "the worker does not start" in line]
    assert sorted(line.partition(":")[0] for line in left_out) == sorted(f"without cs-never{fault}" for fault in faults)
    found = cells(summary(done))
    assert set(found) == {"beta@1.0", "beta@1.0#2", *(f"later{fault}@1.0" for fault in faults)}
    for fault in faults:
        later_on = found[f"later{fault}@1.0"]
        assert later_on.outcome is Outcome.CRASHED and later_on.ns is None, done.err
    assert found["beta@1.0"].ns is not None


def test_a_worker_may_name_anything(cli: CommandLine, tmp_path: Path) -> None:
    """Pipes, devices, folders, what is not there: nothing is waited for, and what cannot be read has no hash."""
    os.mkfifo(tmp_path / "pipe")
    names = [str(tmp_path / "pipe"), "/dev/zero", str(tmp_path), "/no/such/file", "/" + "x" * 4000]
    objects = [{"path": name, "role": "library"} for name in names]
    alpha = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, objects=objects)
    done = cli.measure("--op", HASH, "--base", "alpha", *options(alpha)).no_trace()
    assert done.code == 0, done.err
    (build,) = newest(cli.runs).manifest.builds
    assert [(one.path, one.sha256) for one in build.objects] == [(stored(name), "") for name in names]


def test_what_is_no_list_of_objects_breaks_the_protocol(cli: CommandLine, tmp_path: Path) -> None:
    alpha = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, objects=[{"path": "relative", "role": "library"}])
    beta = write_worker(tmp_path, "beta", {HASH: cost(1000)})
    done = cli.measure("--op", HASH, "--base", "beta", *options(alpha, beta)).no_trace()
    assert done.code == 0 and "the worker does not start: protocol: incomplete reply" in done.err, done.err
