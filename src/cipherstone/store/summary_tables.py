# SPDX-License-Identifier: Apache-2.0
"""The tables whose rows are computed from the journal: cells, ratios and what lies over sizes."""

from __future__ import annotations

from cipherstone.model.records import MemoryRecord
from cipherstone.store.columns import BASE, CASE, DEVIATIONS, LANE, OPERATION, RUN, Column, Table, estimate_columns
from cipherstone.store.flat import declared

SUMMARY_TABLES = (
    Table(
        "cells",
        "One row per case and lane: the result.",
        False,
        (
            *CASE,
            Column("title", "VARCHAR", "", "the operation in words"),
            Column("family", "VARCHAR", "", "family of the algorithm"),
            Column("verb", "VARCHAR", "", "verb of the operation"),
            *LANE,
            Column("outcome", "VARCHAR", "", "`ok`, `lax`, `strict`, or why there is no figure"),
            Column(
                "detail", "VARCHAR", "", "what happened, or what a lax or strict lane does, with a vector; else empty"
            ),
            *estimate_columns("ns", "ns/call", "time of a call: median over passes of the pass figure"),
            *estimate_columns("cycles", "cycles/call", "core cycles of a call"),
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
                "group in the case, 1 is fastest; no lane of a group is `slower` than its first; null: not ranked",
            ),
            Column("proof_accepted", "BIGINT", "count", "known answers reproduced"),
            Column("proof_rejected", "BIGINT", "count", "negative vectors rejected as they must be"),
            Column("proof_oracle", "BIGINT", "count", "outputs confirmed by the independent library"),
            Column("proof_sources", "VARCHAR[]", "", "where the vectors are from"),
            Column("breadth_genuine", "BIGINT", "count", "answers to random genuine inputs that were looked at"),
            Column("breadth_forged", "BIGINT", "count", "answers to random forged inputs that were looked at"),
            Column("breadth_wrong", "BIGINT", "count", "how many of all these were wrong"),
            *declared(MemoryRecord),
            *estimate_columns(
                "available_ns", "ns", "asking whether the operation can run: median over fresh processes"
            ),
            *estimate_columns("open_ns", "ns", "starting the library and the interface, once a process"),
            *estimate_columns("seed_ns", "ns", "seeding its generator, once a process"),
            *estimate_columns("fetch_ns", "ns", "looking up its algorithms, once a process"),
            *estimate_columns("setup_ns", "ns", "keys and contexts"),
            *estimate_columns("first_call_ns", "ns", "the first call of a process"),
            *estimate_columns("steady_call_ns", "ns", "a later call of the same process"),
            *estimate_columns(
                "once_ns", "ns", "opening, seeding, fetching, set-up and first call of a process together"
            ),
            *estimate_columns("teardown_ns", "ns", "giving contexts back and erasing keys, after the last call"),
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
            *DEVIATIONS,
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
            *CASE,
            Column(
                "against", "VARCHAR", "", "`best` (fastest group), `base` (asked for), `aa` (the lane against itself)"
            ),
            *LANE,
            *BASE,
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
            *estimate_columns("ratio", "ratio", "1.3: `lane` takes 1.3 times as long"),
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
            RUN,
            OPERATION,
            *LANE,
            *estimate_columns("overhead_ns", "ns/call", "cost of a call without data"),
            *estimate_columns("per_byte_ns", "ns/byte", "cost of a further byte"),
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
            RUN,
            OPERATION,
            Column("small", "VARCHAR", "", "lane that is faster below"),
            Column("large", "VARCHAR", "", "lane that is faster above"),
            Column("size_bytes", "DOUBLE", "bytes", "where they meet, interpolated"),
            Column("below_bytes", "BIGINT", "bytes", "measured size below"),
            Column("above_bytes", "BIGINT", "bytes", "measured size above"),
        ),
    ),
    Table(
        "figures",
        "One row per figure of a lane in a case of an instrument: what is no call in a timing loop.",
        False,
        (
            RUN,
            Column("instrument", "VARCHAR", "", "name of the instrument"),
            *CASE[1:],
            Column("title", "VARCHAR", "", "the case in words"),
            *LANE,
            Column("figure", "VARCHAR", "", "name of the figure"),
            Column("unit", "VARCHAR", "", "unit of its values"),
            *estimate_columns("value", "", "median over passes of the pass value"),
            Column("passes_used", "BIGINT", "count", "passes behind it"),
            Column("turns", "BIGINT", "count", "turns that gave it"),
            Column(
                "undisturbed_turns", "BIGINT", "count", "of them with a free core before and after; null without probes"
            ),
            *BASE,
            *estimate_columns(
                "ratio", "ratio", "1.3: `lane` takes 1.3 times as much; null for the base and where nothing is compared"
            ),
            Column("verdict", "VARCHAR", "", "how `lane` stands to `base`; null where nothing is compared"),
            Column("threshold", "DOUBLE", "ratio - 1", "differences up to this are called equal"),
            Column("note", "VARCHAR", "", "why there is no value or no ratio, or empty"),
            Column("words", "VARCHAR", "", "the text of a figure of words, such as an outcome, or empty"),
        ),
    ),
)
