# SPDX-License-Identifier: Apache-2.0
"""Records: what a measurement yields and a bundle stores, one JSON object a line in `journal.jsonl`. Units stand in the names.

The journal is the truth of a run. Every record is complete in itself; the order of lines is the order of events.
"""

from __future__ import annotations

import hashlib
from typing import Annotated

import msgspec

from cipherstone.model.bounds import Float, Int, Length, Share, Times
from cipherstone.model.counts import Count, CountedTarget, CountingPlan
from cipherstone.model.declared import column
from cipherstone.model.deviations import Deviations
from cipherstone.model.instruments import InstrumentPlan, TurnRecord
from cipherstone.model.outcomes import CaseEnd, Outcome
from cipherstone.model.passes import LaneSamples as LaneSamples
from cipherstone.model.passes import PassRecord as PassRecord
from cipherstone.model.request import RunRequest

PASS = column("count", "index of the pass over the run, from 0", "pass")


class LaneBreadth(msgspec.Struct, frozen=True, omit_defaults=True):
    """Random inputs beyond the vectors that one lane was asked, each answer held against the independent library. `failures` name the input (`cipherstone check --from`)."""

    lane: str
    genuine: Annotated[Int, column("count", "answers to genuine inputs that were looked at")] = 0
    forged: Annotated[Int, column("count", "answers to inputs with one bit changed that were looked at")] = 0
    wrong: Annotated[Int, column("count", "how many of all these were wrong")] = 0
    failures: Annotated[
        tuple[str, ...], column("", "the first of them, one line each, with the number of the input")
    ] = ()

    @property
    def looked(self) -> int:
        """Answers in all."""
        return self.genuine + self.forged


class BreadthRecord(msgspec.Struct, frozen=True, tag="breadth", tag_field="type", omit_defaults=True):
    """What random inputs showed of an operation in one pass, in the processes that were timed, after its batches."""

    operation: str
    pass_index: Annotated[Int, PASS]
    lanes: tuple[LaneBreadth, ...]


class ProofRecord(msgspec.Struct, frozen=True, tag="proof", tag_field="type", omit_defaults=True):
    """What was checked before (and after) timing, for one operation on one lane in one process. `deviations`: classes of vectors in which the lane differs from its standard."""

    operation: str
    lane: str
    pass_index: Annotated[Int, PASS]
    outcome: Annotated[Outcome, column("", "`ok`, `lax`, `strict`, or why not")]
    accepted: Annotated[Int, column("count", "known answers reproduced")] = 0
    rejected: Annotated[Int, column("count", "negative vectors rejected as they must be")] = 0
    oracle: Annotated[Int, column("count", "outputs at timed inputs confirmed by the independent library")] = 0
    sources: Annotated[tuple[str, ...], column("", "where the vectors are from")] = ()
    failures: Annotated[
        tuple[str, ...], column("", "what makes it `wrong`: vector, class and what happened, one line each")
    ] = ()
    deviations: Deviations = ()
    breadth: LaneBreadth | None = None  # of a check alone; a run has records of its own


class OutcomeRecord(msgspec.Struct, frozen=True, tag="outcome", tag_field="type", omit_defaults=True):
    """A cell that is not (or no longer) `ok`, and why."""

    case: str
    lane: str
    outcome: Annotated[Outcome, column("", "`wrong`, `unavailable`, `unsupported`, `crashed`, `timed-out`")]
    detail: Annotated[str, column("", "what happened")]
    stderr: Annotated[str, column("", "end of what the worker printed")] = ""


class MemoryRecord(msgspec.Struct, frozen=True, tag="memory", tag_field="type", omit_defaults=True):
    """Memory and random bytes of a cell in a fresh process of its own, never timed. None: this machine or worker cannot tell."""

    case: str
    lane: str
    held_bytes: Annotated[Int | None, column("bytes", "heap held by the prepared operation", metric="heap_live")] = (
        msgspec.field(name="live_bytes", default=None)
    )
    first_peak_bytes: Annotated[Int | None, column("bytes", "heap peak of the first call of a process", metric="heap_peak_first")] = None  # fmt: skip
    warm_peak_bytes: Annotated[Int | None, column("bytes", "heap peak of a later call", metric="heap_peak_warm")] = None
    warm_allocations: Annotated[Int | None, column("count", "allocations of a later call", metric="allocations_warm", metric_unit="allocations/call")] = None  # fmt: skip
    stack_bytes: Annotated[Int | None, column("bytes", "stack used by a call", metric="stack")] = None
    max_rss_kib: Annotated[Int | None, column("KiB", "largest resident set of the process", metric="max_rss")] = None
    random_bytes: Annotated[
        Int | None,
        column("bytes", "what a later call drew from the generator that its adapter gave to the library; null where that is not seen", metric="random", metric_unit="B/call"),
    ] = None  # fmt: skip
    opening_system_random_bytes: Annotated[Int | None, column("bytes", "what the process asked of the system before the first call", metric="system_random_opening")] = None  # fmt: skip
    first_system_random_bytes: Annotated[Int | None, column("bytes", "and during the first call", metric="system_random_first")] = None  # fmt: skip
    warm_system_random_bytes: Annotated[Int | None, column("bytes", "and during a later call", metric="system_random_warm", metric_unit="B/call")] = None  # fmt: skip


class FirstCallRecord(
    msgspec.Struct, frozen=True, kw_only=True, tag="first-call", tag_field="type", omit_defaults=True
):
    """What a cell costs once: a value a process, in the order in which they ran. Nothing of the library ran in them before, and no figure holds a part of another. Empty: there is no such step, or the worker cannot tell."""

    case: str
    lane: str
    available_ns: Annotated[
        tuple[Int, ...], column("ns", "asking whether the operation can run, in a process of its own")
    ] = ()
    open_ns: Annotated[
        tuple[Int, ...], column("ns", "starting the library, and the interface behind the operation")
    ] = ()
    seed_ns: Annotated[tuple[Int, ...], column("ns", "seeding the generator that its calls draw from")] = ()
    fetch_ns: Annotated[tuple[Int, ...], column("ns", "looking up its algorithms")] = ()
    setup_ns: Annotated[tuple[Int, ...], column("ns", "keys and contexts")] = ()
    first_call_ns: Annotated[
        tuple[Int, ...],
        column("count", "index of the process, from 0", "process", "range(len(first_call_ns))", before="available_ns"),
        column("ns", "the first call"),
    ]
    steady_call_ns: Annotated[tuple[float, ...], column("ns", "a later call in the same process")]
    teardown_ns: Annotated[
        tuple[Int, ...], column("ns", "giving contexts back and erasing keys, after the last call")
    ] = ()


EMPTY_CASE = "harness/empty"  # of a process that starts, loads its library and ends


class ProcessRecord(msgspec.Struct, frozen=True, tag="process", tag_field="type", omit_defaults=True):
    """One whole process that did one task, from its start to its end; `case` is EMPTY_CASE where it did none. CPU time has steps of 1000 ns."""

    case: str
    lane: str
    round: Annotated[Int, column("count", "index of the round, from 0; every lane has one process in each")]
    wall_ns: Annotated[Int, column("ns", "from its start to its end")]
    cpu_ns: Annotated[Int, column("ns", "user and system time together")]
    max_rss_kib: Annotated[Int, column("KiB", "its largest resident set")]


class CaseEndRecord(msgspec.Struct, frozen=True, tag="case-end", tag_field="type", omit_defaults=True):
    """No further pass of this case was made, and why."""

    case: str
    end: CaseEnd
    passes_tried: Int
    passes_valid: Int


class NoiseRecord(msgspec.Struct, frozen=True, tag="noise", tag_field="type", omit_defaults=True):
    """The machine around one pass over all cases. None: not known."""

    pass_index: Annotated[Int, PASS]
    start_s: Annotated[Float, column("s", "start since the run began")]
    wall_s: Annotated[Float, column("s", "length")]
    load_1min: Annotated[Float | None, column("count", "load average")] = None
    steal_ratio: Annotated[Float | None, column("0..1", "share of CPU time that the host took")] = None
    imul_ratio: Annotated[Float | None, column("ratio", "multiply latency over add latency: checks the core clock")] = (
        None
    )


class FactsRecord(msgspec.Struct, frozen=True, tag="facts", tag_field="type", omit_defaults=True):
    """What a worker says of a prepared cell beyond time and memory: counted, not measured (operation counts, table bytes, leak label)."""

    case: str
    lane: str
    facts: Annotated[
        dict[str, Int | str],
        column("", "name of the fact; what ends in `_bytes` or `_bits` has that unit, other numbers are counts", "key", "map_keys(facts)", type="VARCHAR[]"),
        column("", "its value, null for a text", "number", "[CASE WHEN json_type(v) <> 'VARCHAR' THEN try_cast(v AS BIGINT) END FOR v IN map_values(facts)]", type="BIGINT[]"),
        column("", "its text, null for a number", "text", "[CASE WHEN json_type(v) = 'VARCHAR' THEN json_extract_string(v, '$') END FOR v IN map_values(facts)]", type="VARCHAR[]"),
    ]  # fmt: skip


class ForeignRecord(msgspec.Struct, frozen=True, tag="foreign", tag_field="type", omit_defaults=True):
    """A published figure of another program: no samples, no interval, not ours."""

    case: str
    lane: str
    ns: Annotated[Float | None, column("ns/call", "time of a call as published; null where cycles were")] = None
    iterations: Annotated[Int | None, column("count", "calls behind it; null if not published")] = None
    note: Annotated[str, column("", "what is known to be wrong with it, or empty")] = ""
    cycles: Annotated[
        Float | None,
        column("cycles/call", "cycles of a call as published, of whatever counter; null where a time was"),
    ] = None


class CodeObject(msgspec.Struct, frozen=True, omit_defaults=True):
    """A file that code of a worker was mapped from, or an archive that was linked into it.

    `role`: `worker` (the executable), `library` (holds what the worker calls), `archive` (linked into the executable), `runtime` (of the language), `other` (mapped along).
    `sha256`: of the whole file, 64 hexadecimal digits, "" if it could not be read; `build_id`: the linker's, None where it has none. `package` and `package_version` with the
    distribution's revision: "" where no package manager knows the file.
    """

    path: str
    role: str
    sha256: str
    build_id: str | None = None
    package: str = ""
    package_version: str = ""

    @property
    def name(self) -> str:
        """`libcrypto.so.3`."""
        return self.path.rpartition("/")[2]


class BuildRecord(msgspec.Struct, frozen=True, tag="build", tag_field="type", omit_defaults=True):
    """What ran, at the beginning of each part of a run: a run that is resumed has one more for every build. `build`: `LIBRARY@BUILD`; `identity`: as `Build.identity`."""

    build: str
    identity: str
    objects: tuple[CodeObject, ...] = ()


Record = (
    ProofRecord
    | BreadthRecord
    | OutcomeRecord
    | PassRecord
    | MemoryRecord
    | FirstCallRecord
    | ProcessRecord
    | CaseEndRecord
    | NoiseRecord
    | FactsRecord
    | ForeignRecord
    | BuildRecord
    | CountedTarget
    | Count
    | TurnRecord
)


class KernelFigure(msgspec.Struct, frozen=True, omit_defaults=True):
    """One kernel of the instruction laboratory: core cycles per instruction (per element of a sequence), with its interval. `kernel`: `x86-64.mulx/throughput`."""

    kernel: str
    cycles: float
    low: float | None = None
    high: float | None = None


class Spectrum(msgspec.Struct, frozen=True, omit_defaults=True):
    """The machine as a vector, measured with fixed kernels. `agreement`: second calibrating chain over the first, per instruction, 1.0 where they agree.

    `refused`: why there are no cycles (the chains disagree, emulation), or ""; `figures` is empty then. `ghz`: core clock seen by the first chain.
    `earlier`: kernels that were never seen undisturbed in this run and whose figures are an earlier run's of the same CPU model: cycles of an instruction do not change. `missing`: kernels without either.
    `classic_us`: time of the classic reference test of cryptobench as re-implemented here, None where it was not run.
    """

    isa: str
    figures: tuple[KernelFigure, ...] = ()
    agreement: float | None = None
    refused: str = ""
    ghz: float | None = None
    classic_us: float | None = None
    unavailable: tuple[str, ...] = ()
    earlier: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


class KnownAdvisory(msgspec.Struct, frozen=True, omit_defaults=True):
    """A published advisory that upstream's version has, and that touches what is measured. `ops`: operations, or patterns; `mended`: the package's changelog names it, so that the distribution has mended it."""

    id: str
    date: str
    what: str
    ops: tuple[str, ...]
    source: str
    mended: bool = False


class Build(msgspec.Struct, frozen=True, omit_defaults=True):
    """One library as it was measured: what the worker's `hello` said, and where it came from. `worker_hash`: SHA-256 prefix of the executable; `note`: what was checked of generated code.

    `objects`: the files its code was mapped from and the archives that were linked, empty from a worker that cannot tell. `environment`: all that the worker got of one, but for
    the padding `CS_PAD` (0 to 4095 bytes, random in every process). `upkeep`: that upstream maintains this version no longer, "" if it does or nothing is known. `advisories`: those known of it that touch what is measured, of a list
    made up to the day `advisories_as_of` ("": there is no list). `lines`: language -> lines of code of the source that was built, without tests; empty if they were not counted. `emulated`: by what its worker is emulated on this machine, "" if it runs by itself.
    """

    library: str
    build: str
    version: str
    version_from: str
    title: str
    licence: str
    compiler: str
    flags: str
    cpu_path: str | None
    worker_hash: str
    package: str = ""
    clock: str = ""
    probe: str | None = None
    clock_step_ns: int | None = None
    counter: str | None = None
    note: str = ""
    objects: tuple[CodeObject, ...] = ()
    environment: dict[str, str] = {}
    upkeep: str = ""
    advisories: tuple[KnownAdvisory, ...] = ()
    advisories_as_of: str = ""
    lines: dict[str, Int] = {}
    emulated: str = ""

    @property
    def identity(self) -> str:
        """24 hexadecimal digits for worker, mapped and linked code, and environment: two builds share them only if they run the same code. Where files lie does not count."""
        words = [self.worker_hash]
        words += sorted(f"{one.role}:{one.name}:{one.sha256}" for one in self.objects if one.role != "worker")
        words += sorted(f"{name}={value}" for name, value in self.environment.items())
        return hashlib.sha256("\0".join(words).encode()).hexdigest()[:24]


NOT_AFFECTED = "Not affected"  # the kernel's words of a flaw that a processor does not have


class Machine(msgspec.Struct, frozen=True, omit_defaults=True):
    """Host facts. `fingerprint`: SHA-256 prefix over the facts that make results comparable (CPU, features, hypervisor, memory, system). `own_cache_bytes`: size of the second-level cache, the last one before those that all cores share. `emulated`: by what the machine is emulated, "" if nothing says so.
    `microcode`: its revision as the kernel tells it (x86-64; a hypervisor may tell its guests another). `mitigations`: what the kernel does about each flaw of the processor that it is affected by, in the kernel's words."""

    fingerprint: str
    cpu_model: str
    architecture: str
    logical_cpus: int
    cpu_features: tuple[str, ...]
    hypervisor: str | None
    memory_bytes: int | None
    system: str
    kernel: str
    governor: str | None
    turbo: str | None
    smt: str | None
    autogroup: str | None
    counters: str
    own_cache_bytes: int | None = None
    emulated: str = ""
    microcode: str | None = None
    mitigations: dict[str, str] = {}


class Settings(msgspec.Struct, frozen=True, omit_defaults=True):
    """How this run measures (docs/concepts/method.md). Times in the unit of the name; `target` is the half-width asked of every ratio (0.01 = 1 %).

    A lane's turn in a round is `batches_per_turn` batches, with a probe before and after each. A batch counts if both probes reach `clean_threshold` of the reference IPC; a pass goes on until every
    lane has what `rounds` undisturbed rounds would give, after turns that make up the `dropped_batches`, which only warm up, and at most `longest_pass` times as many rounds. `wait_us`: how long a turn may wait, probing, for
    the core to be free. `move`: whether the run may change to another CPU when that one is freer. Calls that are
    longer than a batch have a batch each, all in one turn, and fewer of them (`slow_rounds`, or as many as take `slow_most_us`, 8 at least; `very_slow_rounds`). Untimed calls lead a turn in: `lead_us` long, `lead_calls` of them or once around a ring, but no more
    than take `lead_most_us` (`measure.warm`). A pass begins with as many again, until they fall no more.
    `strict`: what is `lax` or `strict` counts as `wrong` and is not timed.
    `processes`: samples of whole processes, a fresh process each, that every cell has after the timing; 0: none.
    `once_share`: first calls and memory, which follow the timing, may go beyond `max_time_s` by this share of it.
    `breadth_share`: share of `max_time_s` that random inputs beyond the vectors may take in all (0: none are asked); `breadth`: how many results of each operation and lane are wanted of the smallest number of passes.
    `timed` False: nothing is timed here, instructions alone are counted. `allow_emulated`: an emulated machine is measured all the same; none of its times becomes a figure.
    """

    batch_us: Length = 100.0
    rounds: Times = 8
    batches_per_turn: Times = 8
    dropped_batches: Times = 2
    lead_us: Length = 5.0
    lead_calls: Times = 16
    lead_most_us: Length = 5000.0
    min_passes: Times = 9
    max_passes: Times = 40
    target: Share = 0.01
    max_time_s: Length | None = None
    slow_ns: Length = 3e6
    slow_rounds: Times = 20
    slow_most_us: Length = 20_000.0
    very_slow_ns: Length = 50e6
    very_slow_rounds: Times = 5
    clean_threshold: Share = 0.97
    longest_pass: Length = 8.0
    wait_us: Length = 2000.0
    move: bool = False
    jitter: Share = 0.1
    seed: int = 0
    base: str | None = None
    cpu: Times | None = None
    memory: bool = True
    processes: Times = 0
    once_share: Length = 0.15
    spectrum: bool = True
    strict: bool = False
    timed: bool = True
    breadth_share: Share = 0.0
    breadth: Int = 1200
    allow_emulated: bool = False


class PlannedCase(msgspec.Struct, frozen=True, omit_defaults=True):
    """A case and its lanes (lane ids; the A/A lane last, if any). `groups`: names of the suite's sections that show it. `distribution`: each call is timed alone, because calls differ by what they draw. `once`: its place, from 1, among the cases whose first calls and memory are measured after the timing; 0: it is none of them. `rank`: where the time is short, cases of a lower one are measured first. `processes_only`: timed as whole processes alone, where the run makes some."""

    case: str
    lanes: tuple[str, ...]
    groups: tuple[str, ...] = ()
    distribution: bool = False
    once: Int = 0
    rank: Int = 0
    processes_only: bool = False


class Manifest(msgspec.Struct, frozen=True, omit_defaults=True):
    """`manifest.json`: what a run is. `status` changes, the rest is written once, before the first pass."""

    format: int
    method: str
    tool_version: str
    run_id: str
    created: str
    command: str
    suite: str
    status: str
    settings: Settings
    machine: Machine
    builds: tuple[Build, ...]
    plan: tuple[PlannedCase, ...]
    ipc_reference: float | None = None
    ipc_reference_from: str = ""
    wall_s: float = 0.0
    notes: tuple[str, ...] = ()
    spectrum: Spectrum | None = None
    foreign: str = ""  # where the figures are from, if they are another program's
    name: str = ""  # what its maker calls it, or ""
    counting: CountingPlan | None = None  # what is counted on other machines, beside what is timed here
    request: RunRequest | None = None  # what was asked for; None of an older bundle, and of what no request made
    instruments: tuple[InstrumentPlan, ...] = ()  # what is measured that is no call in a timing loop

    @property
    def planned_cells(self) -> int:
        """Cells of the plan, A/A lanes among them: the number that the plan, the log and the report give."""
        return sum(len(case.lanes) for case in self.plan)


BUNDLE_FORMAT = 2
