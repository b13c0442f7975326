# SPDX-License-Identifier: Apache-2.0
"""Writes scripted workers and runs the command line: what the tests of engine, faults and command line share."""

from __future__ import annotations

import compileall
import contextlib
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cipherstone.build.toolchain import find_toolchain
from cipherstone.build.upstream import is_built
from cipherstone.catalogue.libraries import Library
from cipherstone.cli.environment import cache_folder
from cipherstone.cli.main import main
from cipherstone.model.outcomes import CaseEnd
from cipherstone.model.records import PassRecord, ProofRecord, Record
from cipherstone.model.summary import RunSummary
from cipherstone.store.bundle import Bundle

ROOT = Path(__file__).resolve().parents[2]
HASH, MAC, OPEN = "sha-256/hash", "hmac-sha-256/mac", "chacha20-poly1305/open"
PYTHON = sys.executable
# A program: the command line with every batch taken for undisturbed, and with no case withheld because two lanes of the same code stand apart. For tests that measure real code and do not ask whether this machine is quiet.
OPEN_GATE = """import msgspec

from cipherstone.catalogue.suites import Suite
from cipherstone.cli.main import main
from cipherstone.views.run import summarise

summarise.AA_LOW, summarise.AA_HIGH = 0.0, float("inf")
apply = Suite.apply
Suite.apply = lambda suite, settings: msgspec.structs.replace(apply(suite, settings), clean_threshold=0.01)
main()
"""
# A program: the command line whose run knows no time but what its workers' scripts say that a turn takes (`takes_s`), or a process in which a cell is measured once (`once_s`). For tests of time bounds, which no busy machine may decide.
SCRIPTED_TIME = """import json
from pathlib import Path

from cipherstone.cli.main import main
from cipherstone.measure import pass_control, aftertiming, rounds, session
from cipherstone.worker import WorkerProcess
from cipherstone.worker.terms import UNPROBED


class Clock:
    passed_s = 0.0


def run(worker, case, calls, lead=0, batches=1, ring=1, terms=UNPROBED):
    batch = asked(worker, case, calls, lead, batches, ring, terms)
    behaviour = json.loads((Path(worker._process.args[0]).parent / "behaviour.json").read_text())
    waits = terms.probe and terms.wait_us > 0  # a turn of a pass may wait for a free core; what looks at its clock afterwards does not
    Clock.passed_s += behaviour.get("takes_s", 0.0) if waits and case < rounds.HARNESS_CASE else 0.0
    return batch


def prepare(worker, number, operation, implementation, texts):
    behaviour = json.loads((Path(worker._process.args[0]).parent / "behaviour.json").read_text())
    Clock.passed_s += behaviour.get("once_s", 0.0) if "known" in texts else 0.0
    return prepared(worker, number, operation, implementation, texts)


asked, WorkerProcess.run = WorkerProcess.run, run
prepared, WorkerProcess.prepare = WorkerProcess.prepare, prepare
for module in (pass_control, aftertiming, rounds, session):
    module.awake_s = lambda: Clock.passed_s
main()
"""


def cost(ns: float, **more: float) -> dict[str, dict[str, float]]:
    """One implementation, `default`."""
    return {"default": {"ns": ns, **more}}


def write_worker(folder: Path, library: str, costs: dict[str, Any] | None = None, **behaviour: Any) -> Path:
    """A scripted worker in `folder/library`; the behaviour is described in scripted_worker.py."""
    home = folder / library
    home.mkdir(parents=True)
    here = Path(__file__).parent
    for part in ("scripted_worker.py", "scripted_answers.py", "scripted_faults.py"):
        shutil.copy(here / part, home)
    path = home / f"cs-{library}"
    # An isolated interpreter does not look beside its script. What it imports is compiled once, not at every start.
    path.write_text(
        f"#!{PYTHON} -IS\nimport os, sys\n"
        "sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))\n"
        "import scripted_worker\nscripted_worker.main()\n"
    )
    path.chmod(0o755)
    script = {"library": library, "costs": costs if costs is not None else {HASH: cost(1000)}, **behaviour}
    (home / "behaviour.json").write_text(json.dumps(script))
    return path


def options(*workers: Path) -> list[object]:
    """Command line options that measure these workers."""
    return [word for path in workers for word in ("--worker", path)]


def starts(worker: Path) -> int:
    """Processes of this worker so far."""
    return (worker.parent / "starts").stat().st_size


def heed_signals() -> None:
    """In a new process: signals do what they do by default, whatever the tests were started under (`nohup`, a background job)."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


@dataclass
class Done:
    """What a command did."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        return json.loads(self.out)

    def no_trace(self) -> Done:
        assert "Traceback" not in self.err + self.out, self.err
        return self


@dataclass
class CommandLine:
    """`cipherstone` in a folder of its own: runs in `home/runs`, the lock in `home/tmp`, workers in `cache`. `module`: what Python is to run, from `home` or the path."""

    root: Path
    home: Path
    cache: Path
    environment: dict[str, str] = field(default_factory=dict)
    module: str = "cipherstone"

    def __post_init__(self) -> None:
        (self.home / "tmp").mkdir(parents=True, exist_ok=True)

    @property
    def runs(self) -> Path:
        return self.home / "runs"

    def env(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        # CIPHERSTONE_LOCKS: the machine-wide lock must not meet other runs of this machine.
        ours = {
            "PYTHONPATH": str(self.root / "src"),
            "TMPDIR": str(self.home / "tmp"),
            "CIPHERSTONE_LOCKS": str(self.home / "tmp"),
            "XDG_CACHE_HOME": str(self.cache.parent),
        }
        return {**kept, **ours, **self.environment}

    def command(self, *arguments: object) -> list[str]:
        return [PYTHON, "-m", self.module, *map(str, arguments)]

    def start(self, *arguments: object, **options: Any) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command(*arguments),
            cwd=self.home,
            env=self.env(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )

    def __call__(self, *arguments: object, timeout_s: float = 1800, **options: Any) -> Done:
        process = self.start(*arguments, **options)
        try:
            out, err = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            raise AssertionError(f"no end within {timeout_s} s: {arguments}\n{err}") from None
        return Done(process.returncode, out, err)

    def inside(self, *arguments: object) -> Done:
        """The same without a process of its own, for commands that only read: an exception that nobody caught fails the test."""
        out, err = io.StringIO(), io.StringIO()
        argv, sys.argv = sys.argv, ["cipherstone", *map(str, arguments)]
        code: object = 0
        try:
            with contextlib.chdir(self.home), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                main()
        except SystemExit as ended:
            code = ended.code
        finally:
            sys.argv = argv
        return Done(int(str(code or 0)), out.getvalue(), err.getvalue())

    def measure(self, *arguments: object, **options: Any) -> Done:
        """`run` with what every test wants: few passes, no memory figures, JSON, a fixed seed."""
        words = {str(argument) for argument in arguments}
        defaults: list[object] = []
        if "--resume" not in words:
            defaults += ["--no-memory", "--max-time", "none"]
            for option, value in (("--seed", 7), ("--passes", 6), ("--size", 16384)):
                if option not in words:
                    defaults += [option, value]
        return self("run", *defaults, "--format", "json", "--cache", self.cache, *arguments, **options)


def opened(cli: CommandLine) -> CommandLine:
    """The same with its gate open (`OPEN_GATE`)."""
    (cli.home / "open_gate.py").write_text(OPEN_GATE)
    return replace(cli, module="open_gate")


def timed_by_script(cli: CommandLine) -> CommandLine:
    """The same with the time of its workers' scripts (`SCRIPTED_TIME`)."""
    (cli.home / "scripted_time.py").write_text(SCRIPTED_TIME)
    return replace(cli, module="scripted_time")


def bare_root(target: Path) -> Path:
    """A checkout without libraries: the package copied, the data linked, so that a run measures scripted workers only."""
    source = ROOT / "src" / "cipherstone"
    compileall.compile_dir(source, quiet=2)  # bytecode holds good for a copy, whose files have the same time and size
    shutil.copytree(source, target / "src" / "cipherstone")
    for name in ("algorithms", "references", "vectors", "suites", "sdk"):
        (target / name).symlink_to(ROOT / name)
    (target / "libraries").mkdir()
    return target


def summary(done: Done) -> RunSummary:
    """The summary that a command printed as JSON."""
    return msgspec.json.decode(done.out, type=RunSummary, strict=False)


def cells(found: RunSummary, case: str | None = None) -> dict[str, Any]:
    """Cells by lane id, of one case or of the only one."""
    chosen = [one for one in found.cases if case is None or one.case == case]
    assert len(chosen) == 1, [one.case for one in found.cases]
    return {cell.lane: cell for cell in chosen[0].cells}


def exact(found: RunSummary, *lanes: tuple[str, float]) -> None:
    """The only case has converged, with these ns per call."""
    assert found.cases[0].end is CaseEnd.CONVERGED
    for lane, expected in lanes:
        assert cells(found)[lane].ns.value == pytest.approx(expected), lane


def learn_reference(cli: CommandLine, folder: Path) -> None:
    """A first run on a free core, from which later ones know what an undisturbed core reads."""
    done = cli.measure("--base", "quiet", "--op", HASH, *options(write_worker(folder, "quiet")))
    assert done.code == 0, done.err


def newest(runs: Path) -> Bundle:
    """The run begun last."""
    return Bundle.open(sorted(path for path in runs.iterdir() if (path / "manifest.json").is_file())[-1])


def records(bundle: Bundle, kind: type[Record]) -> list[Any]:
    return [record for record in bundle.records() if isinstance(record, kind)]


def passes(bundle: Bundle) -> list[PassRecord]:
    return records(bundle, PassRecord)


def proofs(bundle: Bundle) -> list[ProofRecord]:
    return records(bundle, ProofRecord)


def alive_in(folder: Path) -> list[str]:
    """Command lines of living processes that have to do with `folder`: what a run left behind."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            words = (entry / "cmdline").read_bytes().decode("utf-8", "replace").replace("\0", " ")
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if str(folder) in words and state != "Z" and entry.name != str(os.getpid()):
            found.append(f"{entry.name} {words}")
    return found


def gone(folder: Path, within_s: float = 300.0) -> list[str]:
    """What is still alive once everything had time to notice that its input ended."""
    end = time.monotonic() + within_s
    while (left := alive_in(folder)) and time.monotonic() < end:
        time.sleep(0.05)
    return left


def interrupt_when(process: subprocess.Popen[str], ready: Any, number: int = signal.SIGINT) -> None:
    """Sends a signal as soon as `ready()` is true."""
    end = time.monotonic() + 600
    while not ready():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, "the run did not get so far"
        time.sleep(0.01)
    process.send_signal(number)


def unsummed(journal: str) -> str:
    """A journal as it was before lines had checksums: for who changes lines on purpose."""
    return re.sub(r',"crc":"[0-9a-f]{8}"\}', "}", journal)


def skip_or_fail(reason: str) -> None:
    """Skips, or fails where the libraries must be there."""
    if os.environ.get("CS_REQUIRE_LIBRARIES") == "1":
        pytest.fail(f"CS_REQUIRE_LIBRARIES=1 and {reason}")
    pytest.skip(reason)


def source_cache(library: Library) -> Path:
    """The user's cache, where the first build of a library that no system ships was made from upstream's source before; skips if it was not."""
    if not is_built(library, library.builds[0], find_toolchain(), cache_folder()):
        pytest.skip(f"{library.id}: {library.builds[0].name} was not built here")
    return cache_folder()
