# SPDX-License-Identifier: Apache-2.0
"""The one place that pairs lanes: ratios of their costs by pass, with what two speeds and long calls do to them.

A lane comes as its figures by pass; whatever names a pass (an index with a start, a number in its case) may be the key, as long as it is the same for both lanes.
Views, laboratories, comparisons and the engine's stopping rule all ask here, so that one pair has one ratio.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from cipherstone.model.summary import Estimate
from cipherstone.stats.flags import BIMODAL, CONTENTION_SENSITIVE, bimodal, contention_sensitive
from cipherstone.stats.interval import SMALLEST_K
from cipherstone.stats.ratio import log_estimate, log_ratios, ratio_estimate


@dataclass(frozen=True)
class PassFigure:
    """A lane in a pass: `ns` per call, `median_ns` of its clean batches (None: not known), `long`: a call outlasts two batches."""

    ns: float
    median_ns: float | None = None
    long: bool = False


@dataclass(frozen=True)
class LanePasses:
    """A lane's figures by pass, in pass order. `fast`: the passes at the faster speed of a lane whose processes keep one of two, None for any other."""

    figures: Mapping[Hashable, PassFigure]
    fast: frozenset[Hashable] | None = None

    @property
    def ns(self) -> dict[Hashable, float]:
        """ns per call by pass."""
        return {key: figure.ns for key, figure in self.figures.items()}


def unseen(figures: Sequence[PassFigure]) -> float:
    """What the lower quartile of calls that are longer than a batch may have missed, in logarithms: the distance to their median, median over passes. 0 for shorter calls.

    A short disturbance inside a long call is not seen by the probes at its ends; the calls then scatter upwards. The interval is widened by as much (decision 0013).
    """
    found = [math.log(one.median_ns / one.ns) for one in figures if one.long and one.median_ns is not None]
    return statistics.median(found) if found else 0.0


def common(i: LanePasses, j: LanePasses) -> list[Hashable]:
    """The passes that both lanes have, in the order of `i`."""
    return [key for key in i.figures if key in j.figures]


def _both_fast(i: LanePasses, j: LanePasses) -> list[Hashable] | None:
    """The common passes in which each side that keeps one of two speeds has its faster one; None if neither does, or if there is none."""
    sides = [one.fast for one in (i, j) if one.fast is not None]
    chosen = [key for key in common(i, j) if all(key in side for side in sides)]
    return chosen if sides and chosen else None


def pair(i: LanePasses, j: LanePasses) -> Estimate | None:
    """Cost of i over cost of j: the median over common passes with its interval; None without a common pass.

    Where a lane's processes keep one of two speeds: the median over passes at the faster one, the interval over all. Long calls: widened by what may have gone unseen.
    """
    logs = log_ratios(i.ns, j.ns)
    estimate = log_estimate(list(logs.values()))
    if estimate is None or estimate.low is None or estimate.high is None:
        return estimate
    fast = _both_fast(i, j)
    value = estimate.value if fast is None else math.exp(statistics.median(logs[key] for key in fast))
    wide = _widened(estimate, i, j, list(logs))
    return Estimate(value, min(wide.low or value, value), max(wide.high or value, value))


def _widened(estimate: Estimate, i: LanePasses, j: LanePasses, keys: Sequence[Hashable]) -> Estimate:
    """With room for what may have gone unseen in passes `keys`: i may be faster than its quartile says, which lowers the low end, and so may j, which raises the high one."""
    if estimate.low is None or estimate.high is None:
        return estimate
    low = estimate.low / math.exp(unseen([i.figures[key] for key in keys]))
    return Estimate(estimate.value, low, estimate.high * math.exp(unseen([j.figures[key] for key in keys])))


def pair_flags(i: LanePasses, j: LanePasses) -> tuple[str, ...]:
    """`contention-sensitive`, `bimodal`: what the ratios of the passes tell beyond their median."""
    keys = common(i, j)
    logs = list(log_ratios(i.ns, j.ns).values())
    medians = [
        math.log(mine.median_ns / theirs.median_ns)
        for mine, theirs in ((i.figures[key], j.figures[key]) for key in keys)
        if mine.median_ns is not None and theirs.median_ns is not None
    ]
    flags = []
    if len(medians) == len(logs) and contention_sensitive(logs, medians):
        flags.append(CONTENTION_SENSITIVE)
    if bimodal(logs):
        flags.append(BIMODAL)
    return tuple(flags)


def alike(i: LanePasses, j: LanePasses) -> Estimate | None:
    """As `pair`, of passes alone in which both have their faster speed, if there are six of them, and not widened: for whether more passes would narrow a figure.

    Where processes keep one of two speeds, two lanes may have got different ones, which is no noise.
    """
    chosen = _alike_passes(i, j)
    return ratio_estimate({key: ns for key, ns in i.ns.items() if key in chosen}, j.ns)


def itself(i: LanePasses, j: LanePasses) -> Estimate | None:
    """A lane over another process of the same: as `alike`, widened for long calls as every other ratio, because the threshold that it gives is held against widened ones."""
    found = alike(i, j)
    return None if found is None else _widened(found, i, j, _alike_passes(i, j))


def _alike_passes(i: LanePasses, j: LanePasses) -> list[Hashable]:
    """The common passes at the faster speed of lanes that keep one of two, if there are six of them; else all."""
    fast = _both_fast(i, j)
    return common(i, j) if fast is None or len(fast) < SMALLEST_K else fast
