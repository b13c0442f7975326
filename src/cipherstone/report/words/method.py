# SPDX-License-Identifier: Apache-2.0
"""The method of a run in words, made from the run's own settings, so that it cannot say what was not done."""

from __future__ import annotations

from cipherstone.model.records import Manifest
from cipherstone.model.units import format_time, significant
from cipherstone.report.words.numbers import percent_text


def method_paragraphs(manifest: Manifest) -> list[tuple[str, str]]:
    """(heading, sentences) in the order in which a run does things."""
    s = manifest.settings
    counts = [("Counts", _counts(manifest))] if manifest.counting is not None else []
    if not s.timed:
        return counts
    where = f"pinned to CPU {s.cpu}" if s.cpu is not None else "not pinned to a CPU"
    limit = f" The run was bounded to {format_time(s.max_time_s * 1e9)}." if s.max_time_s is not None else ""
    base = (
        f" The tables also show every competitor against {s.base}, which the command asked for."
        if s.base is not None
        else ""
    )
    memory = (
        "Heap, stack and random bytes are counted in fresh processes of their own, never while timing. What a cell costs once is timed in others: opening the library, seeding its generator, "
        "fetching its algorithms, set-up and the first call, each apart, in processes in which nothing of the library ran before; the figures are medians over them. "
        "A generator inside of a library is not seen: then it is not known how much a call draws."
        if s.memory
        else "Memory was not measured in this run."
    )
    return [
        (
            "Proof first",
            "Every function is checked in the same process in which it is then timed: published known answers, invalid inputs that it must reject, and the timed input itself against an "
            "independent library. A competitor that fails is shown as wrong, is not timed and not ranked. "
            + (
                "In this run that holds also for one that accepts what its standard forbids, though no forgery, or refuses a rare valid input."
                if s.strict
                else "One that accepts what its standard forbids, though no forgery (lax), or refuses a rare valid input (strict), is timed and ranked with a mark that names the vector."
            ),
        ),
        (
            "Side by side",
            f"All competitors of a pass run interleaved on one CPU ({where}). A batch lasts about {significant(s.batch_us, 3)} \u00b5s. A turn is led in by untimed calls, {s.lead_calls} of them or once around a ring of inputs, {significant(s.lead_us, 2)} \u00b5s at least and {significant(s.lead_most_us / 1e3, 2)} ms at most, so that caches and predictors are the lane's own; before the first, calls go on until they fall no more. "
            f"A round is one turn of every competitor, {s.batches_per_turn} batches each, in fresh random order; calls longer than a batch have all of a pass in one turn; the number of calls in a batch varies by \u00b1{percent_text(s.jitter)}. A pass is fresh processes, and goes on until every competitor has {s.rounds * s.batches_per_turn} undisturbed batches"
            f"{f', after {s.dropped_batches} that only warm up' if s.dropped_batches else ''}. The passes of all cases are shuffled over the whole run (seed {s.seed}).",
        ),
        (
            "Slow operations",
            f"An operation of more than {format_time(s.slow_ns)} is timed one call a batch by CPU time, up to {s.slow_rounds} undisturbed calls; of more than {format_time(s.very_slow_ns)}, {s.very_slow_rounds}. "
            "Inside a call that is longer than a batch nothing can be watched: its interval is widened by the distance from the lower quartile to the median of its calls.",
        ),
        (
            "Is anyone disturbing?",
            f"Two probes before and after every batch show the core's clock and whether a neighbour uses the same core. A batch counts only if both ends reach {percent_text(s.clean_threshold)} of "
            f"the undisturbed rate of instructions per cycle; other batches are kept, counted and not used. A turn waits up to {s.wait_us / 1e3:g} ms for a free core by looking"
            + (", and the run goes to the CPU that is freest." if s.move else "."),
        ),
        ("Cycles", _cycles(manifest)),
        (
            "From passes to figures",
            "A pass gives the lower quartile of its undisturbed batches for every competitor, each divided by the length of a core cycle that was seen at its ends. The relative cost is the median over passes of the ratio within a pass, so that what disturbs both cancels. "
            "The interval is made of ordered pass values and holds the true median with at least 95 % confidence; it assumes no distribution.",
        ),
        (
            "When it stops",
            f"A case ends when it has at least {s.min_passes} passes and every printed ratio is known to \u00b1{percent_text(s.target)}; after {s.max_passes} passes it ends as it is.{limit}{base}",
        ),
        (
            "Who wins",
            "One competitor is called faster only if the whole interval lies beyond a threshold: 1 %, or three times what the same library differs from itself in this run (the A/A lane), whichever is more. "
            "Competitors that are not shown to be slower than the first of a group by this are a tie, and their order means nothing: `within 1 %` may still be a difference, which the interval then shows.",
        ),
        ("Memory and first call", memory),
        *([("Whole processes", _processes(manifest))] if s.processes else []),
        *counts,
    ]


def _counts(manifest: Manifest) -> str:
    """How instructions are counted in this run."""
    targets = ", ".join(manifest.counting.targets) if manifest.counting is not None else ""
    return (
        f"Instructions of the same operations are counted on other machines ({targets}), under emulation: the library is compiled for the machine from its pinned source, with the same adapter, and every implementation is proven there "
        "by known answers and by the inputs that are counted. A fresh process, or a board that begins anew, makes the call twice; the instructions of the second one, less those of an empty call, are the count, and another process must give the same. "
        "Counts repeat to the last digit, have no interval, and are compared with no tolerance. They are no times: caches, wait states and how many instructions a cycle takes are not in them."
    )


def _processes(manifest: Manifest) -> str:
    """How programs of their own are measured in this run."""
    return (
        f"Beside that every competitor does its task in {manifest.settings.processes} whole processes, one after another: a fresh process starts, loads its library, reads the message from a file, makes one call, writes the result and ends. "
        "A round is one process of every competitor of every case and an empty one of every build, in fresh random order. Wall time, CPU time (user and system) and the largest resident set are the "
        "system's own, taken by a small program that starts them; the result of each is compared with what was proven, and one that is not right ends the competitor there as wrong."
    )


def _cycles(manifest: Manifest) -> str:
    """Where cycles come from in this run."""
    named = {build.counter for build in manifest.builds}
    if named and None not in named:
        return f"Cycles are core cycles by the hardware counter ({', '.join(sorted(filter(None, named)))})."
    return (
        "Cycles are core cycles from a chain of dependent additions, one a cycle, timed before and after every batch; this machine gives no hardware counter. "
        "They are shown only if a chain of multiplications takes 3.00 times as long, within 2 %. The time-stamp counter is never called cycles."
    )
