# SPDX-License-Identifier: Apache-2.0
"""The functions of statistics one by one, against their slow forms: quantiles, intervals, two speeds, learning, verdicts, limits, groups, the level of an undisturbed core, lines and crossings, single calls."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import obvious
import pytest
from generated_runs import examples
from hypothesis import given
from hypothesis import strategies as st
from obvious import near

from cipherstone.model.agreement import Repetitions
from cipherstone.model.estimate import Estimate
from cipherstone.model.outcomes import Verdict
from cipherstone.model.records import LaneSamples
from cipherstone.stats import (
    agreement,
    distribution,
    flags,
    gate,
    interval,
    levels,
    line,
    passvalue,
    probes,
    quantiles,
    rate,
    stopping,
)
from cipherstone.stats import learning as learned
from cipherstone.stats import verdict as verdicts
from cipherstone.stats.verdictwords import verdict_words

some = st.floats(0.1, 1e6)
# Few different ones, so that some are the same.
steps = st.integers(1, 12).map(float)
lists = st.lists(st.one_of(some, steps), min_size=1, max_size=41)
near_one = st.sampled_from((0.93, 0.985, 0.992, 0.998, 1.0, 1.0015, 1.004, 1.0101, 1.03, 1.06))


@st.composite
def told(draw: st.DrawFn) -> Estimate:
    """A ratio with an interval on either side of limits that matter; sometimes without one."""
    low, value, high = sorted(draw(near_one) * draw(st.floats(0.999, 1.001)) for _ in range(3))
    return Estimate(value, low, high) if draw(st.integers(0, 7)) else Estimate(value)


def ends(one: Estimate | None) -> obvious.Told | None:
    return None if one is None else (one.value, one.low, one.high)


@given(lists, st.floats(0, 1))
@examples(150)
def test_quantiles_and_intervals(values: list[float], q: float) -> None:
    assert near(quantiles.quantile(values, q), obvious.quantile(values, q))
    assert near(quantiles.median(values), obvious.median(values))
    assert near(ends(interval.median_estimate(values)), obvious.told(values))
    assert interval.sign_rank(len(values)) == (obvious.places(len(values)) if len(values) > 5 else 0)


def spearman(values: Sequence[float]) -> float:
    """Pearson's correlation of ranks; equal values have the mean of their ranks."""
    ranks = [sum(other < one for other in values) + (sum(other == one for other in values) + 1) / 2 for one in values]
    order = range(1, len(values) + 1)
    middle = (len(values) + 1) / 2
    both = math.fsum((a - middle) * (b - middle) for a, b in zip(ranks, order, strict=True))
    own = math.fsum((a - middle) ** 2 for a in ranks), math.fsum((b - middle) ** 2 for b in order)
    return both / math.sqrt(own[0] * own[1]) if own[0] and own[1] else 0.0


@given(st.lists(steps, min_size=1, max_size=14), st.lists(st.floats(-0.05, 0.05), min_size=1, max_size=14))
@examples(150)
def test_flags(values: list[float], logs: list[float]) -> None:
    assert near(flags.spearman(values), spearman(values), 1e-6)
    assert flags.drift(values) == (len(values) >= 9 and abs(spearman(values)) > 0.7)
    ordered = sorted(logs)
    cuts = [(ordered[:n], ordered[n:]) for n in range(2, len(logs) - 1)] if len(logs) >= 6 else []
    two = any(
        b[0] - a[-1] > 0.002 and b[0] - a[-1] > 3 * (a[-1] - a[0]) and b[0] - a[-1] > 3 * (b[-1] - b[0])
        for a, b in cuts
    )
    assert flags.bimodal(logs) == two


@st.composite
def quantile_rows(draw: st.DrawFn) -> list[list[float]]:
    """Ten quantiles in each of some passes: one speed or two, by pass or by share, each with a spread of its own; or one far pass. Some lie between, some passes have none."""
    gap, between = draw(st.sampled_from((0.005, 0.02, 0.2))), draw(st.sampled_from((0.0, 0.0, 0.06, 0.2)))
    spread = draw(st.tuples(*[st.sampled_from((0.0005, 0.004, 0.09))] * 2))
    kind = draw(st.sampled_from(("one", "pass", "pass", "share", "share", "far")))
    rng = random.Random(draw(st.integers(0, 2**32)))
    rows = []
    for p in range(draw(st.integers(5, 12))):
        share = {"one": 0.0, "pass": float(rng.random() < 0.4), "share": rng.random(), "far": float(p == 2)}[kind]
        row = []
        for _ in range(10):
            high = rng.random() < share
            level = 1 + gap * (0.5 if rng.random() < between else high)
            row.append(100.0 * level * (1 + spread[high] * rng.random()))
        rows.append(sorted(row) if rng.random() > 0.1 else [])
    return rows


@given(quantile_rows(), st.lists(st.sampled_from((None, 0.001, 0.02, 0.04, 0.06, 0.15)), max_size=5))
@examples(250)
def test_two_speeds(rows: list[list[float]], turns: list[float | None]) -> None:
    found = levels.two_levels(rows, turns)
    mine = obvious.two_speeds({p: row for p, row in enumerate(rows) if row}, [one for one in turns if one is not None])
    if mine is None or found is None:
        assert mine is None and found is None
        return
    assert near((found.low, found.high, found.low_share), mine[:3]) and near(found.high_share, 1 - mine[2])
    assert found.kept_by == mine[3] and set(found.low_passes) == mine[4] and found.kept == (mine[3] == "process")


@st.composite
def settling(draw: st.DrawFn) -> list[tuple[list[tuple[int, float]], float]]:
    """By pass (cycles as calls and ns of a call, figure): one way of settling, in which a pass may stop earlier than others, or have no cycles at all."""
    calls = draw(st.sampled_from((4, 7, 8, 16)))
    way = draw(st.lists(st.sampled_from((0.8, 1.0, 1.05, 1.12, 1.4, 1.6, 3.0)), min_size=1, max_size=4))
    rng = random.Random(draw(st.integers(0, 2**32)))
    rows = []
    for _ in range(draw(st.integers(5, 11))):
        figure = rng.uniform(90, 110)
        length = rng.choice((0, len(way), len(way), len(way), max(1, len(way) - 1)))
        rows.append(([(calls, figure * share * rng.uniform(0.99, 1.2)) for share in way[:length]], figure))
    return rows


@given(settling())
@examples(250)
def test_learning(passes: list[tuple[list[tuple[int, float]], float]]) -> None:
    found, mine = learned.learning(passes), obvious.learning(passes)
    if mine is None or found is None:
        assert mine is None and found is None
        return
    calls, costs, after, steady = mine
    assert (found.cycle_calls, found.settled_after) == (calls, after) and near(found.steady_ns, steady)
    assert near([list(one) for one in found.steps], [[k * calls, ns] for k, ns in enumerate(costs)])


thresholds = st.sampled_from((0.01, 0.0173, 0.03, 0.05, 0.07, 0.2))


@given(told(), thresholds, st.sampled_from((0.002, 0.01, 0.05)))
@examples(300)
def test_verdicts_and_words(ratio: Estimate, d: float, target: float) -> None:
    found = verdicts.verdict(ratio, d, target)
    assert found == obvious.verdict(ends(ratio), d, target)
    assert near(verdicts.threshold(ratio), max(0.01, obvious.margin(ends(ratio))))
    words = verdict_words(found, ratio, d)
    side = 0 if ratio.low is None or ratio.high is None else (ratio.low > 1) - (ratio.high < 1)
    if found in ("faster", "slower"):
        assert words == found
    elif found == "equal":
        shown = Fraction(words.removeprefix("within ").removesuffix(" %")) / 100
        assert Fraction(str(min(d, 0.05))) <= shown < Fraction(str(min(d, 0.05))) * Fraction(11, 10)
    elif side:
        assert words.startswith(("faster or within ", "slower or within ")) and words.startswith("slower") == (side > 0)
        shown = Fraction(words.partition("within ")[2].removesuffix(" %")) / 100
        assert Fraction(str(d)) <= shown < Fraction(str(d)) * Fraction(11, 10)
    else:
        assert words == found


limits = st.sampled_from((0.001, 0.002, 0.005, 0.01, 0.0208, 0.05, 0.1))


@given(told(), limits, st.one_of(st.none(), told()), st.integers(0, 30))
@examples(400)
def test_limits(ratio: Estimate, limit: float, aa: Estimate | None, passes: int) -> None:
    """docs/guides/gate.md, docs/decisions/0049."""
    with_interval = obvious.half_width(ends(aa)) < math.inf
    least = max(0.002 if with_interval else 0.01, obvious.margin(ends(aa)))
    assert near(gate.resolution(aa), least)
    found = gate.judged(ratio, limit, least)
    if ratio.low is None or ratio.high is None:
        assert found == "not told"
    elif ratio.low > 1 + limit and ratio.low > 1 + least:
        assert found == "above"
    elif ratio.high <= 1 + limit and limit >= least:
        assert found == "within"
    else:
        assert found == "not told"
    more = gate.passes_that_tell(ratio, limit, passes)
    if ratio.low is None or ratio.high is None or passes < 1 or ratio.value == 1 + limit:
        assert more is None
    else:
        # The half-width on the side of the limit shrinks with the root of the passes: the first number that clears it.
        away = math.log(ratio.value) - math.log(1 + limit)
        width = math.log(ratio.value / ratio.low) if away > 0 else math.log(ratio.high / ratio.value)
        assert more is not None and more > passes
        assert width * math.sqrt(passes / more) <= abs(away) * (1 + 1e-6)
        assert more <= passes + 1 or width * math.sqrt(passes / (more - 1.999)) >= abs(away) * (1 - 1e-6)


@given(st.lists(st.tuples(near_one, st.lists(near_one, min_size=12, max_size=12)), min_size=1, max_size=5), thresholds)
@examples(150)
def test_groups(lanes: list[tuple[float, list[float]]], d: float) -> None:
    names = [f"lane{number}" for number in range(len(lanes))]
    values = {name: [base * one for one in rows] for name, (base, rows) in zip(names, lanes, strict=True)}
    # A lane of few passes has no interval over anybody.
    kept = {
        name: (rows[:5] if base == 1.004 else rows)
        for (name, rows), (base, _) in zip(values.items(), lanes, strict=True)
    }

    def pair(i: str, j: str) -> obvious.Told | None:
        return obvious.told_by_logs([a / b for a, b in zip(kept[i], kept[j], strict=False)])

    order = sorted(names, key=lambda name: obvious.median(kept[name]))
    found = verdicts.rank(
        order,
        lambda i, j: Verdict(obvious.verdict(pair(i, j), d, 0.01)),
        lambda i, j: obvious.half_width(pair(i, j)) < math.inf,
    )
    assert [set(group) for group in found] == obvious.groups(order, pair, d, 0.01)


@given(st.lists(st.one_of(st.none(), told()), max_size=4), st.integers(0, 12), st.sampled_from((0.002, 0.01, 0.05)))
@examples(150)
def test_stopping(pairs: list[Estimate | None], passes: int, target: float) -> None:
    found = stopping.Stopping(6, 10, target).state(pairs, passes)
    narrow = all(obvious.half_width(ends(one)) <= math.log(1 + target) for one in pairs)
    assert found == ("converged" if narrow and passes >= 6 else "max-passes" if passes >= 10 else "continue")


@st.composite
def readings(draw: st.DrawFn) -> list[float]:
    """A level or two, beside what scatters."""
    rng = random.Random(draw(st.integers(0, 2**32)))
    found: list[float] = []
    for centre, count in draw(
        st.lists(st.tuples(st.sampled_from((3.0, 4.6, 5.0, 5.04, 9.0)), st.sampled_from((0, 10, 25, 80))), max_size=3)
    ):
        found += [centre * (1 + 0.004 * rng.random()) for _ in range(count)]
    found += [rng.uniform(2.0, 5.6) for _ in range(draw(st.sampled_from((0, 15, 160))))]
    # Readings that crowd as much around as within.
    found += [5.2 * rng.uniform(0.97, 1.03) for _ in range(draw(st.sampled_from((0, 0, 70))))]
    found += [math.nan, -1.0, 0.0] * draw(st.integers(0, 2))
    return found


@given(readings(), st.one_of(st.none(), st.sampled_from((3.5, 4.0, 4.95, 5.6, 6.5))))
@examples(100)
def test_the_level_of_a_free_core(values: list[float], stored: float | None) -> None:
    """The highest band of 2 % that holds 2 % of the readings (20 at least), and 70 % of what the band three times as wide around it holds."""
    good = sorted(one for one in values if 0 < one <= 8)

    def band(low: float, high: float) -> list[float]:
        return [one for one in good if low <= one <= high]

    crowded = {}
    for one in good if len(good) >= 20 else ():
        mine, wide = band(one, one * 1.02), band(one * 1.01 * 0.97, one * 1.01 * 1.03)
        if len(mine) >= max(20, 0.02 * len(good)) and len(mine) >= 0.7 * len(wide):
            crowded[one] = mine
    found = probes.clean_level(np.array(values, dtype=float))
    if not crowded:
        assert found is None
        level, share = None, 0.0
    else:
        # Of those within a band of the highest the one that holds most.
        top = max(crowded)
        best = max((one for one in crowded if one >= top / 1.02), key=lambda one: (len(crowded[one]), -one))
        level, share = obvious.median(crowded[best]), len(crowded[best]) / len(values)
        assert found is not None and near((found.ipc, found.share), (level, share))
    sure = level is not None and stored is not None and share >= 0.2 and level >= 0.85 * stored
    mine = level if sure or stored is None else stored if level is None else max(level, stored)
    assert near(probes.session_reference(found, stored), mine)


@given(
    st.lists(st.tuples(st.integers(1, 60), st.floats(10, 1e5)), min_size=2, max_size=8),
    st.randoms(use_true_random=False),
)
@examples(80)
def test_lines(points: list[tuple[int, float]], rng: random.Random) -> None:
    x, t = [float(16 * a) for a, _ in points], [b for _, b in points]
    if len(set(x)) < 2:
        with pytest.raises(ValueError, match="line"):
            line.fit_line(x, t)
        return
    rows = [[one * rng.uniform(0.97, 1.03) for one in t] for _ in range(rng.choice((0, 5, 6, 9)))]
    found = line.fit_passes(x, t, rows)
    overhead, per_byte, error = obvious.line(x, t)
    lines = [obvious.line(x, row) for row in rows]
    for estimate, value, refits in (
        (found.overhead_ns, overhead, [a for a, _, _ in lines]),
        (found.per_byte_ns, per_byte, [b for _, b, _ in lines]),
    ):
        mine = obvious.holding(obvious.told(refits) or (value, None, None), value) or (value, None, None)
        assert near(ends(estimate), (value, mine[1], mine[2]), 1e-5)
    assert found.rms_relative == pytest.approx(error, rel=1e-5, abs=1e-9)
    if abs(per_byte) * max(x) > 1e-9 * abs(overhead):  # else the sign of the slope is that of what rounding left
        half = overhead / per_byte if overhead > 0 and per_byte > 0 else None
        assert near(found.half_size_bytes, half, 1e-4)


@given(st.integers(0, 5000), st.sampled_from((64, 128, 136)), st.sampled_from((0, 1, 9, 17)))
@examples(100)
def test_padded_lengths(size: int, block: int, padding: int) -> None:
    blocks = 1
    while blocks * block < size + padding:
        blocks += 1
    assert line.padded_size(size, block, padding) == blocks * block


told_words = st.sampled_from((Verdict.FASTER, Verdict.SLOWER, Verdict.EQUAL, Verdict.UNDECIDED, Verdict.UNRESOLVED))


@given(st.lists(st.tuples(st.floats(-0.3, 0.3), told_words), min_size=2, max_size=6))
@examples(200)
def test_crossings(rows: list[tuple[float, Verdict]]) -> None:
    """Between two findings that contradict each other, with none between them: on the straight line of logarithms where the sign changes first."""
    sizes = [16 * 4**k for k in range(len(rows))]
    times_j = [100.0 + size for size in sizes]
    times_i = [ns * math.exp(log) for ns, (log, _) in zip(times_j, rows, strict=True)]
    found = line.crossover(sizes, times_i, times_j, [one for _, one in rows])
    findings = [k for k, (_, one) in enumerate(rows) if one in (Verdict.FASTER, Verdict.SLOWER)]
    mine = []
    for a, b in itertools.pairwise(findings):
        if rows[a][1] is rows[b][1]:
            continue
        for k in range(a, b):
            before, after = math.log(times_i[k] / times_j[k]), math.log(times_i[k + 1] / times_j[k + 1])
            if min(before, after) <= 0 <= max(before, after) and before != after:
                at = math.log(sizes[k]) + before / (before - after) * math.log(sizes[k + 1] / sizes[k])
                mine.append((math.exp(at), sizes[a], sizes[b], rows[a][1] is Verdict.FASTER))
                break
    assert near([(one.size_bytes, one.below_bytes, one.above_bytes, one.i_first) for one in found], mine)


@given(st.lists(some, min_size=1, max_size=130))
@examples(60)
def test_single_calls(calls: list[float]) -> None:
    one, few = distribution.latency(calls), distribution.distribution(calls)
    assert one is not None and few is not None and one.calls == few.calls == len(calls)
    assert near(one.p50_ns, obvious.median(calls))
    assert near(one.p90_ns, obvious.quantile(calls, 0.9) if len(calls) >= 10 else None)
    assert near(one.p99_ns, obvious.quantile(calls, 0.99) if len(calls) >= 100 else None)
    assert near((few.low_ns, few.high_ns), (obvious.quantile(calls, 0.1), obvious.quantile(calls, 0.9)))
    assert near(few.mean_ns, math.fsum(calls) / len(calls))


@given(st.integers(1, 3000), st.sampled_from((0.9, 0.95, 0.99)))
@examples(60)
def test_errors_that_would_have_been_seen(looked: int, level: float) -> None:
    found = rate.rate_below(looked, level)
    assert math.isclose((1 - found) ** looked, 1 - level, rel_tol=1e-9)


@given(
    st.lists(st.sampled_from((0, 30, 50, 200, 40_000)), min_size=3, max_size=14), st.integers(0, 9), st.integers(1, 4)
)
@examples(100)
def test_counts_of_the_hardware_counter(turns: list[int], dropped: int, per_turn: int) -> None:
    """Turns that hold no batch that is dropped, three of them at least, none of zero; their 10 % quantile."""
    one = LaneSamples("a@1", 3, (100,) * (len(turns) * per_turn), cycles=tuple(turns), per_turn=per_turn)
    kept = [count for number, count in enumerate(turns) if number * per_turn >= dropped]
    mine = obvious.quantile(kept, 0.1) / (3 * per_turn) - 2.5 if len(kept) >= 3 and min(kept) > 0 else None
    assert near(passvalue.counted_cycles(one, dropped, 2.5), mine if mine is not None and mine > 0 else None)


loops = st.lists(
    st.tuples(
        st.floats(0.9, 1.4),
        st.floats(0.3, 0.95),
        st.sampled_from((0.4, 0.404, 0.41, 0.44)),
        st.sampled_from((0.2, 0.2, 0.201, 0.21, 0.3)),
    ),
    min_size=3,
    max_size=16,
)


@given(loops, st.sampled_from((2e3, 5e6)), st.booleans())
@examples(150)
def test_a_second_opinion(rows: list[tuple[float, float, float, float]], ns: float, draws: bool) -> None:
    """Repetitions between two free ends, by CPU time above 3 ms: the lower quartile of cycles, of draws the median."""
    calls = 1 if ns > 3e6 else 40
    wall = [ns * calls * one for one, _, _, _ in rows[1:]]
    cpu = [ns * calls * one * share for one, share, _, _ in rows[1:]]
    chain = [one for _, _, one, _ in rows]
    wide = [one * width for _, _, one, width in rows]
    taken = Repetitions(calls, 3.0, tuple(wall), tuple(cpu), tuple(chain), tuple(wide))
    found = agreement.call_cycles(taken, 0.2, draws)
    slow = min(wall) / calls > 3e6
    kept = []
    for k in range(len(wall)):
        if wide[k] / chain[k] <= 1.03 * 0.2 and wide[k + 1] / chain[k + 1] <= 1.03 * 0.2:
            a, b = sorted(chain[k : k + 2])
            kept.append(((cpu if slow else wall)[k] / calls - 3.0, (a + b) / 2 if b <= 1.02 * a else a))
    if len(kept) < (3 if slow else 6):
        assert found == (None, None, len(kept))
    else:
        q = 0.5 if draws else 0.25
        assert near(
            found, (obvious.quantile([t / c for t, c in kept], q), obvious.quantile([t for t, _ in kept], q), len(kept))
        )
