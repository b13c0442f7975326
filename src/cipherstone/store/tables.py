# SPDX-License-Identifier: Apache-2.0
"""The tables of a finished bundle: name, meaning and unit of every column. The reference page and the Parquet files come from this list."""

from __future__ import annotations

from typing import NamedTuple


class Column(NamedTuple):
    """A column: DuckDB type, unit ("" if it has none) and meaning."""

    name: str
    type: str
    unit: str
    meaning: str


class Table(NamedTuple):
    """A table: `from_journal` says that its rows are the journal's own figures, else they are computed from them."""

    name: str
    meaning: str
    from_journal: bool
    columns: tuple[Column, ...]


_RUN = Column("run", "VARCHAR", "", "run id")
_CASE = (
    _RUN,
    Column("case_id", "VARCHAR", "", "`ALGORITHM/VERB[/NAME=VALUE,...]`, the size first as `bytes=N`"),
    Column("operation", "VARCHAR", "", "the case without its size"),
    Column("bytes", "BIGINT", "bytes", "message length; null for operations without sizes"),
    Column("params", "MAP(VARCHAR, VARCHAR)", "", "every other parameter: `params['bits']`"),
)
_LANE = (
    Column("lane", "VARCHAR", "", "`LIBRARY@VERSION[:IMPLEMENTATION]`; the A/A lane ends in `#2`"),
    Column("library", "VARCHAR", "", "folder name of the library"),
    Column("build", "VARCHAR", "", "`VERSION[+VARIANT]`"),
    Column("implementation", "VARCHAR", "", "named code path; `default` where the library chooses"),
    Column("twin", "BOOLEAN", "", "true for the A/A lane: the same implementation in a second process"),
)
_BASE = (
    Column("base", "VARCHAR", "", "lane that is divided by"),
    Column("base_library", "VARCHAR", "", "its library"),
    Column("base_implementation", "VARCHAR", "", "its implementation"),
)
_TARGET = Column("target", "VARCHAR", "", "the machine, as `--on` calls it")
_PASS = Column("pass", "BIGINT", "count", "index of the pass over the run, from 0")
_VALID = Column("valid", "BOOLEAN", "", "false: no lane of the pass had enough undisturbed batches; kept, not used")
_DEVIATIONS = (
    Column(
        "deviations", "VARCHAR[]", "", "classes (`vectors/CLASSES.toml`) that make it `lax` or `strict`; else empty"
    ),
    Column("deviation_vectors", "VARCHAR[]", "", "the vectors of these classes that were not met"),
)
_MEMORY = (
    Column("live_bytes", "BIGINT", "bytes", "heap held by the prepared operation"),
    Column("first_peak_bytes", "BIGINT", "bytes", "heap peak of the first call of a process"),
    Column("warm_peak_bytes", "BIGINT", "bytes", "heap peak of a later call"),
    Column("warm_allocations", "BIGINT", "count", "allocations of a later call"),
    Column("stack_bytes", "BIGINT", "bytes", "stack used by a call"),
    Column("max_rss_kib", "BIGINT", "KiB", "largest resident set of the process"),
    Column(
        "random_bytes",
        "BIGINT",
        "bytes",
        "what a later call drew from the generator that its adapter gave to the library; null where that is not seen",
    ),
    Column(
        "opening_system_random_bytes", "BIGINT", "bytes", "what the process asked of the system before the first call"
    ),
    Column("first_system_random_bytes", "BIGINT", "bytes", "and during the first call"),
    Column("warm_system_random_bytes", "BIGINT", "bytes", "and during a later call"),
)


def _estimate(name: str, unit: str, meaning: str) -> tuple[Column, ...]:
    bounds = "null with too few passes for a 95 % interval"
    return (
        Column(name, "DOUBLE", unit, meaning),
        Column(f"{name}_low", "DOUBLE", unit, f"lower end of its interval; {bounds}"),
        Column(f"{name}_high", "DOUBLE", unit, f"upper end of its interval; {bounds}"),
    )


_TABLES = (
    Table(
        "samples",
        "One row per batch.",
        True,
        (
            *_CASE,
            *_LANE,
            _PASS,
            Column(
                "batch", "BIGINT", "count", "index among the lane's batches of the pass, from 0; the first ones warm up"
            ),
            Column("round", "BIGINT", "count", "index of the round in its pass, from 0"),
            Column("position", "BIGINT", "count", "place of the lane in the order of its round, from 0"),
            Column("cpu", "BIGINT", "", "logical CPU of the round; null if not pinned"),
            Column("calls", "BIGINT", "count", "calls in the batch"),
            Column("ns", "BIGINT", "ns", "monotonic wall time of the batch (all its calls)"),
            Column("cpu_ns", "BIGINT", "ns", "CPU time of the batch; null where it was not kept (fast operations)"),
            Column(
                "chain_before_ns",
                "DOUBLE",
                "ns",
                "before the batch: per dependent addition, one core cycle on most processors; null without a probe",
            ),
            Column(
                "tput_before_ns",
                "DOUBLE",
                "ns",
                "before the batch: per independent addition, more when a sibling thread is busy",
            ),
            Column("chain_after_ns", "DOUBLE", "ns", "the same after the batch"),
            Column("tput_after_ns", "DOUBLE", "ns", "the same after the batch"),
            Column(
                "alike",
                "BOOLEAN",
                "",
                "whether it can tell of two speeds: of the later half of its lane's batches of the pass, not the first of a request of several, and nobody else had the CPU in that request",
            ),
            _VALID,
        ),
    ),
    Table(
        "passes",
        "One row per lane of each pass of each case.",
        True,
        (
            *_CASE,
            *_LANE,
            _PASS,
            _VALID,
            Column("reason", "VARCHAR", "", "why the pass is not valid, or empty"),
            Column("start_s", "DOUBLE", "s", "start of the pass since the run began"),
            Column("wall_s", "DOUBLE", "s", "length of the pass, all lanes together"),
            Column("timed_s", "DOUBLE", "s", "of it inside timed batches, all lanes together"),
            Column("waited_s", "DOUBLE", "s", "of it looking for a free core"),
            Column(
                "cpus",
                "BIGINT[]",
                "",
                "logical CPUs that it was measured on, more than one if a freer one was found; empty if not pinned",
            ),
            Column("calls", "BIGINT", "count", "calls in each batch of this lane"),
            Column("batches", "BIGINT", "count", "batches of this lane"),
            Column("total_ns", "BIGINT", "ns", "sum of its batches"),
            Column("cpu_total_ns", "BIGINT", "ns", "CPU time over the pass"),
            Column(
                "total_cycles",
                "BIGINT",
                "cycles",
                "core cycles of its batches by the hardware counter; null without one",
            ),
            Column("harness_ns", "DOUBLE", "ns", "cost of the empty call in this lane's process; null if not measured"),
            Column("nivcsw", "BIGINT", "count", "involuntary context switches over the pass"),
            Column("slow", "BOOLEAN", "", "calls of more than 3 ms: CPU time is the primary clock"),
            Column("doubt", "VARCHAR", "", "why this lane's batches give no figure, clean or not, or empty"),
            Column("settling_calls", "BIGINT[]", "count", "calls of each cycle before the first turn, in no figure"),
            Column("settling_ns", "BIGINT[]", "ns", "what each of these cycles took"),
        ),
    ),
    Table(
        "proofs",
        "One row per check of an operation on a lane in one process, before or after timing.",
        True,
        (
            _RUN,
            Column("operation", "VARCHAR", "", "`ALGORITHM/VERB`"),
            *_LANE,
            _PASS,
            Column("outcome", "VARCHAR", "", "`ok`, `lax`, `strict`, or why not"),
            Column("accepted", "BIGINT", "count", "known answers reproduced"),
            Column("rejected", "BIGINT", "count", "negative vectors rejected as they must be"),
            Column("oracle", "BIGINT", "count", "outputs at timed inputs confirmed by the independent library"),
            Column("sources", "VARCHAR[]", "", "where the vectors are from"),
            Column(
                "failures", "VARCHAR[]", "", "what makes it `wrong`: vector, class and what happened, one line each"
            ),
            *_DEVIATIONS,
        ),
    ),
    Table(
        "breadth",
        "One row per operation, lane and pass in which random inputs beyond the vectors were asked.",
        True,
        (
            _RUN,
            Column("operation", "VARCHAR", "", "`ALGORITHM/VERB`"),
            *_LANE,
            _PASS,
            Column("genuine", "BIGINT", "count", "answers to genuine inputs that were looked at"),
            Column("forged", "BIGINT", "count", "answers to inputs with one bit changed that were looked at"),
            Column("wrong", "BIGINT", "count", "how many of all these were wrong"),
            Column("failures", "VARCHAR[]", "", "the first of them, one line each, with the number of the input"),
        ),
    ),
    Table(
        "outcomes",
        "One row per cell that is not, or no longer, timed.",
        True,
        (
            *_CASE,
            *_LANE,
            Column("outcome", "VARCHAR", "", "`wrong`, `unavailable`, `unsupported`, `crashed`, `timed-out`"),
            Column("detail", "VARCHAR", "", "what happened"),
            Column("stderr", "VARCHAR", "", "end of what the worker printed"),
        ),
    ),
    Table(
        "memory",
        "One row per cell whose memory was measured, in a process of its own. Null: the machine or the worker cannot tell.",
        True,
        (*_CASE, *_LANE, *_MEMORY),
    ),
    Table(
        "first_calls",
        "One row per process in which a cell was called for the first time. Null: there is no such step, or the worker cannot tell. Nothing of the library ran in the process before, and no column holds a part of another.",
        True,
        (
            *_CASE,
            *_LANE,
            Column("process", "BIGINT", "count", "index of the process, from 0"),
            Column(
                "available_ns",
                "BIGINT",
                "ns",
                "asking whether the operation can run, in a process of its own",
            ),
            Column("open_ns", "BIGINT", "ns", "starting the library, and the interface behind the operation"),
            Column("seed_ns", "BIGINT", "ns", "seeding the generator that its calls draw from"),
            Column("fetch_ns", "BIGINT", "ns", "looking up its algorithms"),
            Column("setup_ns", "BIGINT", "ns", "keys and contexts"),
            Column("first_call_ns", "BIGINT", "ns", "the first call"),
            Column("steady_call_ns", "DOUBLE", "ns", "a later call in the same process"),
            Column("teardown_ns", "BIGINT", "ns", "giving contexts back and erasing keys, after the last call"),
        ),
    ),
    Table(
        "processes",
        "One row per whole process that did one task, or none: it starts, loads its library, calls once and ends.",
        True,
        (
            *_CASE,
            *_LANE,
            Column("round", "BIGINT", "count", "index of the round, from 0; every lane has one process in each"),
            Column("wall_ns", "BIGINT", "ns", "from its start to its end"),
            Column("cpu_ns", "BIGINT", "ns", "user and system time together"),
            Column("max_rss_kib", "BIGINT", "KiB", "its largest resident set"),
        ),
    ),
    Table(
        "counts",
        "One row per cell on a machine that it was counted on, under emulation: instructions and no time.",
        True,
        (
            *_CASE,
            *_LANE,
            _TARGET,
            Column("outcome", "VARCHAR", "", "`counted`, `varies`, or why there is no count"),
            Column("instructions", "BIGINT", "count", "of one call, less those of an empty call; null: not counted"),
            *(
                Column(name, "BIGINT", "count", f"of them, or of accesses to memory: {name}")
                for name in ("load", "store", "branch", "multiply", "divide")
            ),
            Column("stack_bytes", "BIGINT", "bytes", "stack that the call uses at its deepest; null: not known"),
            Column("heap_bytes", "BIGINT", "bytes", "the most that the call had allocated; null: not known"),
            Column("held_bytes", "BIGINT", "bytes", "heap that is kept between calls; null: not known"),
            Column(
                "code_bytes",
                "BIGINT",
                "bytes",
                "code and constants that the operation brings into a program for a microcontroller; null: not known",
            ),
            Column(
                "proof", "VARCHAR", "", "`ok`, `lax` or `strict` by the known answers on the target; null: not proven"
            ),
            Column("seen", "BIGINT[]", "count", "what was counted where it varies; else empty"),
            Column("reason", "VARCHAR", "", "why there is no count, or empty"),
        ),
    ),
    Table(
        "targets",
        "One row per build of a library on a machine that is counted on.",
        True,
        (
            _RUN,
            _TARGET,
            Column("build", "VARCHAR", "", "`LIBRARY@VERSION[+VARIANT]`; where nothing was counted, its name"),
            Column("title", "VARCHAR", "", "the machine in words"),
            Column("compiler", "VARCHAR", "", "that made its worker"),
            Column("flags", "VARCHAR", "", "of the compiler"),
            Column("emulator", "VARCHAR", "", "with its version"),
            Column("processor", "VARCHAR", "", "that is emulated"),
            Column("worker_hash", "VARCHAR", "", "of what the worker was made of"),
            Column("null_instructions", "BIGINT", "count", "of an empty call, taken off every count"),
            Column("problem", "VARCHAR", "", "why nothing was counted, or empty"),
        ),
    ),
    Table(
        "facts",
        "One row per fact that a worker told of a timed cell: counted, not measured.",
        True,
        (
            *_CASE,
            *_LANE,
            Column(
                "key",
                "VARCHAR",
                "",
                "name of the fact; what ends in `_bytes` or `_bits` has that unit, other numbers are counts",
            ),
            Column("number", "BIGINT", "", "its value, null for a text"),
            Column("text", "VARCHAR", "", "its text, null for a number"),
        ),
    ),
    Table(
        "foreign_figures",
        "One row per published figure of another program. Nothing of ours is computed from it.",
        True,
        (
            *_CASE,
            *_LANE,
            Column("ns", "DOUBLE", "ns/call", "time of a call as published; null where cycles were"),
            Column("iterations", "BIGINT", "count", "calls behind it; null if not published"),
            Column("note", "VARCHAR", "", "what is known to be wrong with it, or empty"),
            Column(
                "cycles",
                "DOUBLE",
                "cycles/call",
                "cycles of a call as published, of whatever counter; null where a time was",
            ),
        ),
    ),
    Table(
        "noise",
        "One row per pass over all cases: the machine around it.",
        True,
        (
            _RUN,
            _PASS,
            Column("start_s", "DOUBLE", "s", "start since the run began"),
            Column("wall_s", "DOUBLE", "s", "length"),
            Column("load_1min", "DOUBLE", "count", "load average"),
            Column("steal_ratio", "DOUBLE", "0..1", "share of CPU time that the host took"),
            Column("imul_ratio", "DOUBLE", "ratio", "multiply latency over add latency: checks the core clock"),
        ),
    ),
    Table(
        "cells",
        "One row per case and lane: the result.",
        False,
        (
            *_CASE,
            Column("title", "VARCHAR", "", "the operation in words"),
            Column("family", "VARCHAR", "", "family of the algorithm"),
            Column("verb", "VARCHAR", "", "verb of the operation"),
            *_LANE,
            Column("outcome", "VARCHAR", "", "`ok`, `lax`, `strict`, or why there is no figure"),
            Column(
                "detail", "VARCHAR", "", "what happened, or what a lax or strict lane does, with a vector; else empty"
            ),
            *_estimate("ns", "ns/call", "time of a call: median over passes of the pass figure"),
            *_estimate("cycles", "cycles/call", "core cycles of a call"),
            Column(
                "typical_ns",
                "DOUBLE",
                "ns/call",
                "median over passes of the median over all batches: what disturbance adds is in it",
            ),
            Column("pass_ns", "DOUBLE[]", "ns/call", "the pass figures behind `ns`, in pass order"),
            Column(
                "fast_passes",
                "BIGINT[]",
                "count",
                "of a lane whose processes keep one of two speeds: the passes of the case at the faster one, counted from 0 in the order of `pass`; null for any other",
            ),
            Column("passes_used", "BIGINT", "count", "passes behind the figure"),
            Column("batches", "BIGINT", "count", "batches behind the figure"),
            Column("calls_per_batch", "BIGINT", "count", "calls in a batch"),
            Column("slow", "BOOLEAN", "", "calls of more than 3 ms: CPU time is the primary clock"),
            Column(
                "rank",
                "BIGINT",
                "count",
                "group in the case, 1 is fastest; no lane of a group is told slower than its first; null: not ranked",
            ),
            Column("proof_accepted", "BIGINT", "count", "known answers reproduced"),
            Column("proof_rejected", "BIGINT", "count", "negative vectors rejected as they must be"),
            Column("proof_oracle", "BIGINT", "count", "outputs confirmed by the independent library"),
            Column("proof_sources", "VARCHAR[]", "", "where the vectors are from"),
            Column("breadth_genuine", "BIGINT", "count", "answers to random genuine inputs that were looked at"),
            Column("breadth_forged", "BIGINT", "count", "answers to random forged inputs that were looked at"),
            Column("breadth_wrong", "BIGINT", "count", "how many of all these were wrong"),
            *_MEMORY,
            *_estimate("available_ns", "ns", "asking whether the operation can run: median over fresh processes"),
            *_estimate("open_ns", "ns", "starting the library and the interface, once a process"),
            *_estimate("seed_ns", "ns", "seeding its generator, once a process"),
            *_estimate("fetch_ns", "ns", "looking up its algorithms, once a process"),
            *_estimate("setup_ns", "ns", "keys and contexts"),
            *_estimate("first_call_ns", "ns", "the first call of a process"),
            *_estimate("steady_call_ns", "ns", "a later call of the same process"),
            *_estimate("once_ns", "ns", "opening, seeding, fetching, set-up and first call of a process together"),
            *_estimate("teardown_ns", "ns", "giving contexts back and erasing keys, after the last call"),
            Column(
                "level_ns", "DOUBLE[]", "ns/call", "the two speeds of a lane that has two, faster first; else empty"
            ),
            Column("level_share", "DOUBLE[]", "0..1", "share of its batches at each of them"),
            Column(
                "call_median_ns",
                "DOUBLE",
                "ns",
                "median of single calls, where calls differ by what they draw; else null",
            ),
            Column("call_mean_ns", "DOUBLE", "ns", "their mean"),
            Column("call_q10_ns", "DOUBLE", "ns", "their 10 % quantile"),
            Column("call_q90_ns", "DOUBLE", "ns", "their 90 % quantile"),
            Column("call_count", "BIGINT", "count", "how many clean calls there are"),
            Column(
                "single_p50_ns",
                "DOUBLE",
                "ns",
                "median of the clean batches that are single calls, where one call is long enough for that; else null",
            ),
            Column("single_p90_ns", "DOUBLE", "ns", "their 90 % quantile; null where they are too few"),
            Column("single_p99_ns", "DOUBLE", "ns", "their 99 % quantile; null where they are too few"),
            Column("single_count", "BIGINT", "count", "how many there are"),
            *_DEVIATIONS,
            Column(
                "deviation_means",
                "VARCHAR",
                "",
                "what that means for who uses it, and the clause of the standard; or empty",
            ),
            Column("flags", "VARCHAR[]", "", "`drift`, `bimodal` and the like"),
            Column("refused", "VARCHAR", "", "why no figure is published, or empty"),
            Column("case_end", "VARCHAR", "", "why no further pass of the case was made; null: not ended"),
            Column("passes_tried", "BIGINT", "count", "passes of the case that were made"),
            Column("passes_valid", "BIGINT", "count", "of them with enough undisturbed batches for every lane"),
            Column("threshold", "DOUBLE", "ratio - 1", "differences up to this are called equal (0.01 is 1 %)"),
        ),
    ),
    Table(
        "ratios",
        "One row per comparison: cost of `lane` over cost of `base` in one case.",
        False,
        (
            *_CASE,
            Column(
                "against", "VARCHAR", "", "`best` (fastest group), `base` (asked for), `aa` (the lane against itself)"
            ),
            *_LANE,
            *_BASE,
            Column(
                "verdict",
                "VARCHAR",
                "",
                "how `lane` stands to `base`: `faster`, `slower`, `equal`, or why that is not known",
            ),
            Column(
                "said",
                "VARCHAR",
                "",
                "the verdict in words that the interval does not deny: `within 1 %` for `equal`, `slower or within 1 %` where it leaves out 1 and crosses the threshold",
            ),
            *_estimate("ratio", "ratio", "1.3: `lane` takes 1.3 times as long"),
            Column("passes_used", "BIGINT", "count", "passes in which both were measured"),
            Column("threshold", "DOUBLE", "ratio - 1", "differences up to this are called equal"),
            Column("flags", "VARCHAR[]", "", "`contention-sensitive` and the like"),
        ),
    ),
    Table(
        "fits",
        "One row per operation with sizes and lane: `ns(n) = overhead_ns + per_byte_ns * n`.",
        False,
        (
            _RUN,
            Column("operation", "VARCHAR", "", "`ALGORITHM/VERB`"),
            *_LANE,
            *_estimate("overhead_ns", "ns/call", "cost of a call without data"),
            *_estimate("per_byte_ns", "ns/byte", "cost of a further byte"),
            Column("half_size_bytes", "DOUBLE", "bytes", "where overhead equals work"),
            Column("rms_relative_error", "DOUBLE", "0..1", "of the line over the sizes"),
            Column("sizes", "BIGINT[]", "bytes", "sizes that the line goes through"),
            Column("withheld", "VARCHAR", "", "why the rate is not given, or empty"),
        ),
    ),
    Table(
        "crossovers",
        "One row per size at which the faster of two lanes changes.",
        False,
        (
            _RUN,
            Column("operation", "VARCHAR", "", "`ALGORITHM/VERB`"),
            Column("small", "VARCHAR", "", "lane that is faster below"),
            Column("large", "VARCHAR", "", "lane that is faster above"),
            Column("size_bytes", "DOUBLE", "bytes", "where they meet, interpolated"),
            Column("below_bytes", "BIGINT", "bytes", "measured size below"),
            Column("above_bytes", "BIGINT", "bytes", "measured size above"),
        ),
    ),
)

# Bundles sealed before these existed have no file of them, and no rows.
ADDED_LATER = frozenset({"breadth", "counts", "facts", "foreign_figures", "processes", "targets"})
TABLES: dict[str, Table] = {table.name: table for table in _TABLES}


def parquet_name(table: str) -> str:
    """File name of a table in a finished bundle."""
    return f"{table}.parquet"
