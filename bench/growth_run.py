# SPDX-License-Identifier: Apache-2.0
"""One run of many cells with scripted workers, in a process of its own so that its memory is its own: `growth_run CELLS FOLDER`; prints one JSON object."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from cipherstone.build.systems import this_system
from cipherstone.build.toolchain import Toolchain
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.suites import load_suite
from cipherstone.cli.derived_summary import derived
from cipherstone.execute.run import PreparedRun, choose_cpu, new_run
from cipherstone.execute.survey import Found
from cipherstone.measure.plan import Plan, plan_run
from cipherstone.measure.pool import Launch
from cipherstone.model.ids import Case
from cipherstone.model.records import Build, PassRecord, PlannedCase, Settings
from cipherstone.report.render.html import render_html
from cipherstone.report.render.terminal import render_terminal
from cipherstone.store.bundle import Bundle
from cipherstone.views.run.summarise import summarise
from cipherstone.worker import WorkerProcess

LIBRARIES = ("alpha", "beta")
BATCH_US = 20.0  # what is asked for passes: how long it is does not matter here
VERBS = frozenset(
    {"hash", "mac", "encrypt", "decrypt", "seal", "open"}
)  # what the oracle computes at once, and at many sizes
LARGEST_BYTES = 16384  # the oracle takes seconds for some operations at a mebibyte
Value = TypeVar("Value")


class Growth(msgspec.Struct):
    """What one run of `cells` cells took; MiB of this process at their largest, after measuring and after the report."""

    cells: int
    cases: int
    passes: int
    measure_s: float
    timed_requests: int
    memory_mib: float
    bundle_bytes: int
    journal_bytes: int
    summarise_s: float
    terminal_s: float
    html_s: float
    html_bytes: int
    memory_after_mib: float


def main() -> None:
    """Plans, measures, reads the bundle back and reports."""
    cells, folder = int(sys.argv[1]), Path(sys.argv[2])
    root = data_root()
    catalogue = load_catalogue(root)
    suite = load_suite(root, "full", catalogue)
    lanes = lanes_for(cells)
    implementations = -(-lanes // len(LIBRARIES))
    found = [scripted(name, implementations) for name in LIBRARIES]
    whole = plan_run(catalogue, {}, [one.offer(catalogue) for one in found], suite, None, LIBRARIES[0])
    plan = cut(whole, cells, lanes)
    settings = Settings(cpu=choose_cpu(None), base=LIBRARIES[0], memory=False, batch_us=BATCH_US)
    # The cache is a folder of this run: what scripted probes say must not be learnt as this machine's.
    workshop = Workshop(root, folder / "cache", Toolchain("cc", "c++", None, None), this_system())
    prepared = PreparedRun(plan, settings, tuple(found))
    job = new_run(workshop, catalogue, suite.name, prepared, folder / "runs", f"growth_run {cells}")
    began = time.monotonic()
    ended = job.measure(derived)
    measure_s = time.monotonic() - began
    after_measure = peak_mib()
    del ended
    bundle = Bundle.open(job.path)
    summary, summarise_s = timed(lambda: summarise(bundle.manifest, bundle.records(), catalogue))
    cards = [
        (card.question, card.case.id) for card in suite.cards if any(c.case == card.case.id for c in summary.cases)
    ]
    _, terminal_s = timed(lambda: render_terminal(summary, 80, False, cards))
    page, html_s = timed(lambda: render_html(summary, cards, "growth"))
    records = [record for record in bundle.records() if isinstance(record, PassRecord)]
    print(
        msgspec.json.encode(
            Growth(
                cells=sum(len(case.lanes) for case in plan.cases),
                cases=len(plan.cases),
                passes=max(case.passes_tried for case in summary.cases),
                measure_s=measure_s,
                timed_requests=sum(len(turn) for record in records for turn in record.order),
                memory_mib=after_measure,
                bundle_bytes=sum(path.stat().st_size for path in job.path.iterdir()),
                journal_bytes=bundle.journal.stat().st_size,
                summarise_s=summarise_s,
                terminal_s=terminal_s,
                html_s=html_s,
                html_bytes=len(page.encode()),
                memory_after_mib=peak_mib(),
            )
        ).decode()
    )


def lanes_for(cells: int) -> int:
    """Lanes of a case, the A/A lane not counted: more of them as the run grows, as more libraries and implementations would give."""
    return 4 if cells <= 50 else 9 if cells <= 500 else 28


def cut(whole: Plan, cells: int, lanes: int) -> Plan:
    """The first `lanes` lanes and the A/A lane of as many cases as make `cells` cells, taken evenly from the catalogue."""
    fitting = [
        planned
        for planned in whole.cases
        if (case := Case.parse(planned.case)).operation.partition("/")[2] in VERBS
        and (case.size_bytes or 0) <= LARGEST_BYTES
    ]
    count = min(len(fitting), max(1, round(cells / (lanes + 1))))
    cases = [fitting[i * len(fitting) // count] for i in range(count)]
    chosen = tuple(PlannedCase(case.case, _some(case.lanes, lanes), case.groups) for case in cases)
    return Plan(chosen, whole.lanes, whole.capabilities, ())


def _some(names: Sequence[str], lanes: int) -> tuple[str, ...]:
    """The first `lanes` of a case's lanes, and its A/A lane."""
    return (*[n for n in names if not n.endswith("#2")][:lanes], *(n for n in names if n.endswith("#2")))


def scripted(library: str, implementations: int) -> Found:
    """A scripted worker as the survey would have found it."""
    program = Path(__file__).with_name("scripted_worker.py")
    # A worker gets no environment; the package must be found all the same.
    path = ":".join(entry for entry in sys.path if entry)
    launch = Launch((sys.executable, str(program), library, str(implementations)), {"PYTHONPATH": path})
    with WorkerProcess(launch.command, environment=launch.environment) as worker:
        hello, listed = worker.hello(), worker.operations()
    build = Build(
        library=library,
        build=hello.version,
        version=hello.version,
        version_from=hello.version_from,
        title=library,
        licence="",
        compiler=hello.compiler,
        flags=hello.flags,
        cpu_path=None,
        worker_hash="",
    )
    return Found(library, library, "ready", hello=hello, listed=tuple(listed), launch=launch, build=build)


def peak_mib() -> float:
    """Largest resident memory of this process so far."""
    kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return kib / 1024 if sys.platform != "darwin" else kib / 1024**2


def timed(work: Callable[[], Value]) -> tuple[Value, float]:
    """What `work` gives, and how many seconds it took."""
    began = time.monotonic()
    value = work()
    return value, time.monotonic() - began


if __name__ == "__main__":
    main()
