# SPDX-License-Identifier: Apache-2.0
"""What a run says, once computed: the one structure that the terminal, Markdown, HTML and the exporters show.

Computed by `views.summarise` from a bundle's records. Ratios are costs: ratio 1.30 of lane i over lane j means that i takes 1.30 times as long.
A missing figure is None, never 0.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from cipherstone.model.bounds import Float, Int, Ratio
from cipherstone.model.counts import Count, CountedTarget
from cipherstone.model.declared import INLINE, column, columns_of
from cipherstone.model.deviations import Deviations
from cipherstone.model.estimate import Estimate as Estimate
from cipherstone.model.instruments import FigureSummary
from cipherstone.model.outcomes import CaseEnd, Outcome, Verdict
from cipherstone.model.published import Beside, PlatformPairs
from cipherstone.model.records import ForeignRecord, Manifest, MemoryRecord
from cipherstone.model.roofline import RooflineRow


class LevelSummary(msgspec.Struct, frozen=True):
    """One of the two speeds of a lane: ns per call, and the share of its batches at it (0..1)."""

    ns: Annotated[
        Float, column("ns/call", "the two speeds of a lane that has two, faster first; else empty", "level_ns")
    ]
    share: Annotated[Ratio, column("0..1", "share of its batches at each of them", "level_share")]


class Properties(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is known of an implementation. `constant_time`: what its documentation or source says of secrets and time, not a finding of ours; `tables`: it reads tables at places that
    depend on secrets; `hardware`: instructions that it needs; `note`: one clause more."""

    constant_time: Literal["yes", "no", "unknown"] = "unknown"
    tables: bool = False
    hardware: str = ""
    note: str = ""


def _step(metric: str, meaning: str, before: str = "") -> msgspec.Meta:
    return column("ns", meaning, f"{metric}_ns", before=before and f"{before}_ns", metric=metric)


class FirstCallSummary(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a cell costs once, ns: medians over fresh processes with their intervals. None: there is no such step, or the worker cannot tell.

    `once`: opening, seeding, fetching, set-up and first call of a process, added up process by process. `available`: asking whether the operation can run, which no program has to; `teardown`: giving contexts back and erasing keys, at the end; in no sum.
    """

    processes: Int
    call: Annotated[Estimate, _step("first_call", "the first call of a process")]
    steady: Annotated[Estimate, _step("steady_call", "a later call of the same process")]
    once: Annotated[Estimate, _step("once", "opening, seeding, fetching, set-up and first call of a process together")]
    open: Annotated[
        Estimate | None, _step("open", "starting the library and the interface, once a process", before="first_call")
    ] = None
    seed: Annotated[Estimate | None, _step("seed", "seeding its generator, once a process", before="first_call")] = None
    fetch: Annotated[
        Estimate | None, _step("fetch", "looking up its algorithms, once a process", before="first_call")
    ] = None
    setup: Annotated[Estimate | None, _step("setup", "keys and contexts", before="first_call")] = None
    available: Annotated[
        Estimate | None,
        _step("available", "asking whether the operation can run: median over fresh processes", before="open"),
    ] = None
    teardown: Annotated[
        Estimate | None, _step("teardown", "giving contexts back and erasing keys, after the last call")
    ] = None

    def steps(self) -> dict[str, Estimate | None]:
        """The figures by `FIRST_CALL_STEPS`, in its order."""
        return {told.metric: getattr(self, one.name) for one, told in columns_of(FirstCallSummary)}


# The steps of a first call, in the order in which they happen, by the names that columns and metrics have.
FIRST_CALL_STEPS = tuple(told.metric for _, told in columns_of(FirstCallSummary))


class Spread(msgspec.Struct, frozen=True):
    """What single values are spread like: `sd` is the standard deviation of a sample (n - 1), None of one value; `q10` to `q90` are quantiles of type 7; `median` has its 95 % interval."""

    mean: Float
    sd: Float | None
    median: Estimate
    q10: Float
    q25: Float
    q75: Float
    q90: Float


class ProcessSummary(msgspec.Struct, frozen=True, omit_defaults=True):
    """Whole processes that did one task each: `samples` of them; `wall` and `cpu` in ns (user and system time together), `rss` in KiB (the largest resident set).

    `beyond_*`: what the task took beyond the empty process of the same build and round, medians of the differences; None without such a process. `ratio`: CPU time over that of the
    lane of the case with the smallest median, None for this one, median of the quotients of a round.
    """

    samples: Int
    wall: Spread
    cpu: Spread
    rss: Spread
    beyond_wall: Estimate | None = None
    beyond_cpu: Estimate | None = None
    beyond_rss: Estimate | None = None
    ratio: Estimate | None = None


class EmptyProcess(msgspec.Struct, frozen=True, omit_defaults=True):
    """Processes of a build that start, load its library and end. `linked`: `dynamic` with the names of the library's files, or `static`; "" where nothing tells."""

    build: str
    linked: str
    process: ProcessSummary


class ProcessLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """Whole processes of one lane over the sizes of an operation, each a median, as lines through them: CPU time is `start` ns and `per_byte` ns for each byte of the message, the largest resident set
    `start_kib` KiB and `bytes_per_byte` for each byte. Intervals come from refits of every round that has all sizes, `rounds` of them. `rms_relative_error`: of the line of time over the sizes.
    """

    operation: str
    lane: str
    start: Estimate
    per_byte: Estimate
    start_kib: Estimate
    bytes_per_byte: Estimate
    rms_relative_error: Float
    sizes: tuple[Int, ...]
    rounds: Int


def _calls(name: str, meaning: str, metric: str) -> msgspec.Meta:
    return column("ns", meaning, name, metric=f"call_time_{metric}", metric_unit="ns/call")


class DistributionSummary(msgspec.Struct, frozen=True):
    """Single calls of a lane whose calls differ by what they draw, in ns: over all clean calls of a run. `low_ns`, `high_ns`: 10 % and 90 % quantile; `calls`: how many there are."""

    median_ns: Annotated[
        Float,
        _calls("call_median_ns", "median of single calls, where calls differ by what they draw; else null", "median"),
    ]
    mean_ns: Annotated[Float, _calls("call_mean_ns", "their mean", "mean")]
    low_ns: Annotated[Float, _calls("call_q10_ns", "their 10 % quantile", "q10")]
    high_ns: Annotated[Float, _calls("call_q90_ns", "their 90 % quantile", "q90")]
    calls: Annotated[
        Int, column("count", "how many clean calls there are", "call_count", metric="single_calls", metric_unit="calls")
    ]


class LearningSummary(msgspec.Struct, frozen=True):
    """A lane whose first calls in a process cost more than its later ones, in ns. `steps`: after so many calls a call took so much, over the next `cycle_calls`; `settled_after`: calls from which on it takes `steady_ns`, which is what ranks."""

    cycle_calls: Int
    steps: tuple[tuple[Int, Float], ...]
    settled_after: Int
    steady_ns: Float


class LatencySummary(msgspec.Struct, frozen=True, omit_defaults=True):
    """Single calls of a lane that are long enough to be timed one by one, in ns: quantiles over all clean calls of a run, None where there are too few; `calls`: how many there are."""

    p50_ns: Annotated[
        Float,
        _calls("single_p50_ns", "median of the clean batches that are single calls, where one call is long enough for that; else null", "p50"),
    ]  # fmt: skip
    p90_ns: Annotated[Float | None, _calls("single_p90_ns", "their 90 % quantile; null where they are too few", "p90")]
    p99_ns: Annotated[Float | None, _calls("single_p99_ns", "their 99 % quantile; null where they are too few", "p99")]
    calls: Annotated[
        Int, column("count", "how many there are", "single_count", metric="single_calls", metric_unit="calls")
    ]


class CellSummary(msgspec.Struct, frozen=True, omit_defaults=True):
    """One lane in one case. `ns` and `cycles` are per call, None unless the outcome is one that is timed and passes were used.

    `typical_ns`: median over passes of the per-pass median (contention included). `refused`: why no figure is published, or "".
    `pass_ns`: the per-pass values behind `ns`, in pass order, and `passes` the numbers of these passes in the case (0: the first that was tried): what is paired is paired by them, and by nothing else.
    `pass_median_ns`: medians of the clean batches, beside `pass_ns`; `long_passes`: those of `passes` in which a call outlasts two batches; `fast_passes`: those at the faster speed, None for a lane whose processes do not keep one of two. `levels`: the two speeds of a lane that has two, faster first; `ns` is then the faster one where processes keep their speed, with an interval over both; `levels_by`: who keeps a speed, `process`, `turn` or `moment`, "" without two. `learning`: of a lane whose first calls cost more than its later ones. `facts`: what the worker told of the cell beyond time and memory, counted and not measured.
    `breadth_genuine`, `breadth_forged`: answers to random inputs that were looked at in the whole run, `breadth_wrong` of them wrong.
    `deviations`: why it is `lax` or `strict`, with the vectors. `properties`: of the implementation, None where nothing is known. `distribution`: of single calls, where they differ by what they
    draw; `ns` is then the median over passes of each pass's median call. `latency`: of single calls of an operation of two sides, where a batch was one call.
    """

    case: str
    lane: str
    outcome: Annotated[Outcome, column("", "`ok`, `lax`, `strict`, or why there is no figure")]
    detail: Annotated[
        str, column("", "what happened, or what a lax or strict lane does, with a vector; else empty")
    ] = ""
    ns: Annotated[Estimate | None, column("ns/call", "time of a call: median over passes of the pass figure")] = None
    cycles: Annotated[Estimate | None, column("cycles/call", "core cycles of a call", metric="cycles")] = None
    typical_ns: Annotated[
        Float | None,
        column("ns/call", "median over passes of the median over all batches: what disturbance adds is in it", metric="typical_time"),
    ] = None  # fmt: skip
    pass_ns: Annotated[tuple[Float, ...], column("ns/call", "the pass figures behind `ns`, in pass order")] = ()
    passes: tuple[Int, ...] = ()
    pass_median_ns: tuple[Float | None, ...] = ()
    long_passes: tuple[Int, ...] = ()
    fast_passes: Annotated[
        tuple[Int, ...] | None,
        column("count", "of a lane whose processes keep one of two speeds: the passes of the case at the faster one, counted from 0 in the order of `pass`; null for any other"),
    ] = None  # fmt: skip
    passes_used: Annotated[Int, column("count", "passes behind the figure")] = 0
    batches: Annotated[Int, column("count", "batches behind the figure")] = 0
    calls_per_batch: Annotated[Int, column("count", "calls in a batch")] = 0
    slow: Annotated[bool, column("", "calls of more than 3 ms: CPU time is the primary clock")] = False
    proof_accepted: Annotated[Int, column("count", "known answers reproduced")] = 0
    proof_rejected: Annotated[Int, column("count", "negative vectors rejected as they must be")] = 0
    proof_oracle: Annotated[Int, column("count", "outputs confirmed by the independent library")] = 0
    proof_sources: Annotated[tuple[str, ...], column("", "where the vectors are from")] = ()
    breadth_genuine: Annotated[Int, column("count", "answers to random genuine inputs that were looked at")] = 0
    breadth_forged: Annotated[Int, column("count", "answers to random forged inputs that were looked at")] = 0
    breadth_wrong: Annotated[Int, column("count", "how many of all these were wrong")] = 0
    memory: Annotated[MemoryRecord | None, INLINE] = None
    first: Annotated[FirstCallSummary | None, INLINE] = None
    process: ProcessSummary | None = None
    facts: dict[str, Int | str] = {}
    flags: Annotated[tuple[str, ...], column("", "`drift`, `bimodal` and the like")] = ()
    refused: Annotated[str, column("", "why no figure is published, or empty")] = ""
    levels: Annotated[tuple[LevelSummary, ...], INLINE] = ()
    levels_by: str = ""
    learning: LearningSummary | None = None
    distribution: Annotated[DistributionSummary | None, INLINE] = None
    latency: Annotated[LatencySummary | None, INLINE] = None
    deviations: Deviations = ()
    properties: Properties | None = None


class RatioSummary(msgspec.Struct, frozen=True, omit_defaults=True):
    """Cost of `lane` over cost of `base` in one case, from passes in which both were measured. `threshold`: d of the verdict rule (0.01 = 1 %)."""

    case: str
    lane: str
    base: str
    verdict: Annotated[
        Verdict, column("", "how `lane` stands to `base`: `faster`, `slower`, `equal`, or why that is not known")
    ]
    ratio: Annotated[Estimate | None, column("ratio", "1.3: `lane` takes 1.3 times as long")] = None
    passes_used: Annotated[Int, column("count", "passes in which both were measured")] = 0
    threshold: Annotated[Float, column("ratio - 1", "differences up to this are called equal")] = 0.01
    flags: Annotated[tuple[str, ...], column("", "`contention-sensitive` and the like")] = ()


class CaseSummary(msgspec.Struct, frozen=True, omit_defaults=True):
    """One case. `ranking`: groups of lane ids, fastest group first; lanes inside a group cannot be told apart (their order means nothing).

    A lane whose ratio to the fastest has no interval is in no group. If that is so of all others, there are no groups.
    `to_best`: each lane with a figure over the one whose figure is smallest, which is the first of the first group where there are groups; `to_base`: each over the lane named by --base, if it is there.
    `aa`: the A/A lane over its original. `counts`: instructions on other machines, of lanes that need not be among `cells`.
    """

    case: str
    operation: str
    title: Annotated[str, column("", "the operation in words", before="lane")]
    family: Annotated[str, column("", "family of the algorithm", before="lane")]
    verb: Annotated[str, column("", "verb of the operation", before="lane")]
    size_bytes: Int | None
    timed: str
    groups: tuple[str, ...]
    cells: tuple[CellSummary, ...]
    ranking: tuple[tuple[str, ...], ...] = ()
    to_best: tuple[RatioSummary, ...] = ()
    to_base: tuple[RatioSummary, ...] = ()
    aa: RatioSummary | None = None
    threshold: Annotated[Float, column("ratio - 1", "differences up to this are called equal (0.01 is 1 %)")] = 0.01
    end: Annotated[
        CaseEnd | None, column("", "why no further pass of the case was made; null: not ended", "case_end")
    ] = None
    passes_tried: Annotated[Int, column("count", "passes of the case that were made")] = 0
    passes_valid: Annotated[Int, column("count", "of them with enough undisturbed batches for every lane")] = 0
    counts: tuple[Count, ...] = ()


class FitSummary(msgspec.Struct, frozen=True, omit_defaults=True):
    """`ns(n) = overhead_ns + per_byte_ns * n` over the sizes of one operation on one lane (weights 1/t^2); hashes run over the padded length.

    `half_size_bytes`: where overhead equals work. `rms_relative_error`: of the fit over the sizes. `withheld`: why the rate is not given, or "".
    """

    operation: str
    lane: str
    overhead_ns: Annotated[Estimate | None, column("ns/call", "cost of a call without data")]
    per_byte_ns: Annotated[Estimate | None, column("ns/byte", "cost of a further byte")]
    half_size_bytes: Annotated[Float | None, column("bytes", "where overhead equals work")]
    rms_relative_error: Annotated[Float, column("0..1", "of the line over the sizes")]
    sizes: Annotated[tuple[Int, ...], column("bytes", "sizes that the line goes through")]
    withheld: Annotated[str, column("", "why the rate is not given, or empty")] = ""


class WireSizes(msgspec.Struct, frozen=True, omit_defaults=True):
    """Bytes that the parties of an algorithm with public keys send each other, by its standard: points uncompressed, signatures in DER at their longest, an RSA key as modulus and exponent."""

    algorithm: Annotated[str, column("", "algorithm of the operations")]
    title: Annotated[str, column("", "the algorithm in words")]
    public_key: Annotated[Int | None, column("bytes", "public key; null: none is sent", "public_key_bytes")] = None
    ciphertext: Annotated[Int | None, column("bytes", "ciphertext or encapsulated key", "ciphertext_bytes")] = None
    signature: Annotated[Int | None, column("bytes", "signature, the longest", "signature_bytes")] = None


class Crossover(msgspec.Struct, frozen=True):
    """From `size_bytes` up `large` is faster than `small`, which is faster below. Interpolated between two measured sizes whose verdicts differ."""

    operation: str
    small: Annotated[str, column("", "lane that is faster below")]
    large: Annotated[str, column("", "lane that is faster above")]
    size_bytes: Annotated[Float, column("bytes", "where they meet, interpolated")]
    below_bytes: Annotated[Int, column("bytes", "measured size below")]
    above_bytes: Annotated[Int, column("bytes", "measured size above")]


class NoiseSummary(msgspec.Struct, frozen=True, omit_defaults=True):
    """The noise line and panel. Ratios 0..1; None where the machine cannot tell.

    `passes_valid`: passes in which every lane had enough undisturbed batches. `disturbed_ratio`: share of batches that the probes call disturbed, which are not used. `waited_s`: time of the passes spent looking for a free core.
    `cpus`: those that were measured on, in order of first use.
    """

    passes_tried: Int
    passes_valid: Int
    disturbed_ratio: Ratio | None
    waited_s: Float
    cpus: tuple[Int, ...]
    ipc_median: Float | None
    ipc_reference: Float | None
    ghz_low: Float | None
    ghz_high: Float | None
    slow_batches_ratio: Ratio | None
    nivcsw_per_batch: Float | None
    steal_ratio: Ratio | None
    wall_over_cpu: Float | None
    load_1min: Float | None
    aa_offset_median: Float | None
    aa_halfwidth_median: Float | None
    aa_worst: Float | None
    aa_false_positives: Int
    aa_cases: Int
    harness_ns: Float | None
    timed_share: Ratio | None
    imul_ratio: Float | None
    ipc_by_pass: tuple[tuple[Float, Float], ...] = ()  # (start_s, median IPC of the pass)


class RunSummary(msgspec.Struct, frozen=True, omit_defaults=True):
    """Everything that a report shows, so that the report of a stored run does not change with the checkout that renders it. `trust`: `publishable`, `indicative` or `contended`, with its reason in words. `foreign`: published figures of other programs, never ranked.

    `cards`: (question, case id) of the first screen. `roofline`: results against what the machine's instructions allow. `room`: what the run's laboratory derives, in its own shape. `published`: the page that the run's suite is made after, beside the run; `pairs`: its pairs of implementations of one function beside counts, by platform. `empty_processes`: of each build whose tasks were whole processes; `process_lines`: of each lane whose tasks had sizes enough. `counted`: each build on each machine that instructions were counted on, or why they were not. `figures`: of the manifest's instruments.
    `wire_sizes`: of each algorithm with public keys that has a cell. `models`: content hashes of the data that these were derived from, by folder or file.
    """

    manifest: Manifest
    cases: tuple[CaseSummary, ...]
    fits: tuple[FitSummary, ...]
    crossovers: tuple[Crossover, ...]
    noise: NoiseSummary
    trust: str
    trust_reason: str
    warnings: tuple[str, ...] = ()
    foreign: tuple[ForeignRecord, ...] = ()
    cards: tuple[tuple[str, str], ...] = ()
    wire_sizes: tuple[WireSizes, ...] = ()
    roofline: tuple[RooflineRow, ...] = ()
    room: dict[str, Any] | None = None
    published: Beside | None = None
    pairs: tuple[PlatformPairs, ...] = ()
    empty_processes: tuple[EmptyProcess, ...] = ()
    process_lines: tuple[ProcessLine, ...] = ()
    counted: tuple[CountedTarget, ...] = ()
    figures: tuple[FigureSummary, ...] = ()
    models: dict[str, str] = {}
