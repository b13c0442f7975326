# SPDX-License-Identifier: Apache-2.0
"""A stored run once more, from its pages alone: `python recompute.py RUN_FOLDER` computes every time, ratio, interval, verdict, rank group and word from the batches, and holds them against what the run published.

Written from docs/concepts/recompute.md, verdicts.md, statistics.md, method.md (whose table has the defaults of settings) and docs/reference/bundle.md; it imports nothing of the program. A section here is a section there, so that a changed rule is changed in two places that say the same.
"""

from __future__ import annotations

import math
import statistics
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Decimal
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from recompute_figures import (
    Interval,
    Row,
    Run,
    Values,
    estimate,
    faster_passes,
    figure_of,
    half_width,
    lanes_of_passes,
    logs,
    pass_cycle,
    ratio,
)

TIMED = ("ok", "lax", "strict")


# ---- 4. thresholds, verdicts, words, groups


def threshold(aa: Interval | None) -> float:
    if aa is None:
        return 0.01
    width = half_width(aa)
    return max(0.01, 3 * math.expm1(abs(math.log(aa[0]))), 2 * math.expm1(width) if math.isfinite(width) else 0.0)


def session_aa(known: Iterable[Interval | None]) -> Interval | None:
    found = [one for one in known if one is not None and math.isfinite(half_width(one))]
    if not found:
        return None
    value = math.exp(statistics.median(abs(math.log(one[0])) for one in found))
    width = math.exp(statistics.median(half_width(one) for one in found))
    return value, value / width, value * width


def verdict(one: Interval | None, d: float, target: float) -> str:
    if one is None or one[1] is None or one[2] is None:
        return "unresolved"
    if one[2] < 1 / (1 + d):
        return "faster"
    if one[1] > 1 + d:
        return "slower"
    margin = 1 + min(d, 0.05)
    if one[1] >= 1 / margin and one[2] <= margin:
        return "equal"
    return "undecided" if half_width(one) <= math.log1p(target) and d <= 0.05 else "unresolved"


def percent_up(share: float) -> str:
    percent = 100 * Decimal(repr(share))
    step = Decimal(1).scaleb(percent.adjusted() - 1)
    return f"{(percent / step).to_integral_value(ROUND_CEILING) * step:f} %"


def side(one: Interval | None) -> int:
    if one is None or one[1] is None or one[2] is None:
        return 0
    return 1 if one[1] > 1 else -1 if one[2] < 1 else 0


def words(found: str, one: Interval | None, d: float) -> str:
    def margin(share: float) -> str:
        return percent_up(share).replace(".0 %", " %")

    if found == "equal":
        return f"within {margin(min(d, 0.05))}"
    if found in ("undecided", "unresolved") and side(one):
        return f"{'slower' if side(one) > 0 else 'faster'} or within {margin(d)}"
    return found


def groups_of(
    order: Sequence[str], told: Callable[[str, str], str], known: Callable[[str, str], bool]
) -> list[list[str]]:
    left = [lane for lane in order if lane == order[0] or known(lane, order[0])]
    if len(left) == 1 < len(order):
        return []
    found = []
    while left:
        first = left[0]
        slower = [lane for lane in left[1:] if told(lane, first) == "slower"]
        found.append([lane for lane in left if lane not in slower])
        left = slower
    return found


# ---- 5. flags


def ranks(values: Sequence[float]) -> Any:
    ordered = sorted(values)
    return np.array([ordered.index(v) + (ordered.count(v) + 1) / 2 for v in values])


def drift(values: Sequence[float]) -> bool:
    if len(values) < 9 or len(set(values)) == 1:
        return False
    return abs(float(np.corrcoef(ranks(values), np.arange(len(values)))[0, 1])) > 0.7


def two_heaps(values: Sequence[float]) -> bool:
    ordered = sorted(values)
    for cut in range(2, len(ordered) - 1) if len(ordered) >= 6 else ():
        gap = ordered[cut] - ordered[cut - 1]
        if gap > 0.002 and gap > 3 * max(ordered[cut - 1] - ordered[0], ordered[-1] - ordered[cut]):
            return True
    return False


def ratio_flags(i: Values, j: Values) -> list[str]:
    floors, medians = list(logs(i, j).values()), list(logs(i, j, "median").values())
    found = []
    ends = [estimate(part) for part in (floors, medians)]
    if len(floors) >= 6 and all(one is not None and one[1] is not None for one in ends):
        widths = [
            max(one[2] - one[0], one[0] - one[1]) for one in ends if one and one[1] is not None and one[2] is not None
        ]
        if abs(statistics.median(floors) - statistics.median(medians)) > max(math.log1p(0.01), *widths):
            found.append("contention-sensitive")
    return [*found, "bimodal"] if two_heaps(floors) else found


# ---- 6. outcomes, refusals, trust


def pair_of(lane: str) -> tuple[str, str]:
    return (lane, lane[:-2]) if lane.endswith("#2") else (lane, lane + "#2")


class Outcomes:
    """What became of each cell: by the proofs, then by what happened later."""

    def __init__(self, run: Run) -> None:
        self.proofs: dict[tuple[str, str], list[Row]] = defaultdict(list)
        for row in run.rows("proofs"):
            self.proofs[row["operation"], row["lane"]].append(row)
        self.later: dict[tuple[str, str], str] = {}
        for row in run.rows("outcomes"):
            if self.later.get((row["case_id"], row["lane"])) != "wrong":
                self.later[row["case_id"], row["lane"]] = row["outcome"]

    def of(self, case: str, operation: str, lane: str, measured: bool) -> str:
        proofs = [row for name in pair_of(lane) for row in self.proofs[operation, name]]
        if any(row["outcome"] == "wrong" for row in proofs):
            return "wrong"
        if "wrong" in (self.later.get((case, name)) for name in pair_of(lane)):
            return "wrong"
        if (case, lane) in self.later:
            return self.later[case, lane]
        own = self.proofs[operation, lane]
        if not measured and own and own[-1]["outcome"] not in TIMED:
            return str(own[-1]["outcome"])
        seen = {row["outcome"] for row in proofs}
        return "lax" if "lax" in seen else "strict" if "strict" in seen else "ok"


@dataclass
class Case:
    """A case with everything that is computed of it. `cells`: lane -> (outcome, time); a time is None where it is refused."""

    name: str
    end: str | None
    values: dict[str, Values]
    outcomes: dict[str, str]
    times: dict[str, Interval | None]
    aa: Interval | None
    d: float
    target: float
    groups: list[list[str]] = field(default_factory=list)

    def ratio(self, i: str, j: str) -> Interval | None:
        return (1.0, 1.0, 1.0) if i == j else ratio(self.values[i], self.values[j])

    def told(self, i: str, j: str) -> str:
        return "equal" if i == j else verdict(self.ratio(i, j), self.d, self.target)

    def known(self, i: str, j: str) -> bool:
        return math.isfinite(half_width(self.ratio(i, j)))

    def order(self) -> list[str]:
        return [
            lane
            for _, lane in sorted((one[0], lane) for lane, one in self.times.items() if one and not lane.endswith("#2"))
        ]

    def missing(self, lane: str) -> str | None:
        """The verdict in the place of a ratio of a lane without a figure."""
        if self.times[lane] is not None:
            return None
        if self.outcomes[lane] not in TIMED:
            return "wrong" if self.outcomes[lane] == "wrong" else "unavailable"
        return "contended" if self.end == "contended" or self.values[lane].contended else "unresolved"

    def tie(self, library: Callable[[str], str]) -> str:
        """How the tie of the first group is said, up to its figures and names; "" without one."""
        leaders = {library(lane): lane for lane in reversed(self.groups[0])} if self.groups else {}
        lanes = (
            [lane for lane in self.groups[0] if lane in leaders.values()]
            if len(leaders) > 1
            else self.groups[0]
            if self.groups
            else []
        )
        if len(lanes) < 2:
            return ""
        two, pairs = len(lanes) == 2, list(combinations(lanes, 2))
        if all(self.told(b, a) == "equal" for a, b in pairs):
            within = f"within {percent_up(min(self.d, 0.05))}"
            if any(side(self.ratio(b, a)) for a, b in pairs):
                return f"{within} of each other" if two else f"all {within} of each other"
            return f"{'as fast as each other' if two else 'all equally fast'}, to {within}"
        if any(self.told(b, a) in ("faster", "slower") for a, b in pairs):
            return "none is shown to be slower than "
        known = [self.ratio(lane, lanes[0]) for lane in lanes[1:]]
        if any(not math.isfinite(half_width(one)) for one in known):
            return "cannot be told apart here"
        if any(map(side, known)):
            return (
                f"not shown to differ by more than {percent_up(self.d)}" if two else "none is shown to be slower than "
            )
        return "cannot be told apart here" if two else "no clear winner"


def cases_of(run: Run) -> list[Case]:
    settings, outcomes = run.settings, Outcomes(run)
    by_case: dict[str, dict[str, Values]] = defaultdict(lambda: defaultdict(Values))
    for (name, number), lanes in sorted(lanes_of_passes(run).items()):
        cycle = pass_cycle(lanes.values())
        for lane, batches in lanes.items():
            figure = figure_of(batches, cycle, name in run.drawn, settings["batch_us"] * 1e3)
            by_case[name][lane].all[number] = figure
    step = max((b["clock_step_ns"] for b in run.manifest["builds"] if b.get("clock_step_ns") is not None), default=None)
    published: dict[str, list[Row]] = defaultdict(list)
    for row in run.rows("cells"):
        published[row["case_id"]].append(row)
    found: list[Case] = []
    for name, rows in published.items():
        values = by_case[name]
        for one in values.values():
            one.levels, one.fast = faster_passes(one.figures)
        told = {
            row["lane"]: outcomes.of(name, row["operation"], row["lane"], bool(values[row["lane"]].figures))
            for row in rows
        }
        twin = next((lane for lane in told if lane.endswith("#2") and lane[:-2] in told), None)
        aa = None
        if twin is not None and told[twin] in TIMED and told[twin[:-2]] in TIMED:
            aa = ratio(values[twin], values[twin[:-2]], itself=True)
        found.append(Case(name, rows[0]["case_end"], values, told, {}, aa, 0.01, settings["target"]))
    session = session_aa(case.aa for case in found)
    for case in found:
        own = case.aa if math.isfinite(half_width(case.aa)) else session
        case.d = threshold(own)
        apart = case.name not in run.drawn and outside(case.aa)
        case.times = {
            lane: None
            if outcome not in TIMED or apart or refused(case.values[lane], step)
            else case.values[lane].time()
            for lane, outcome in case.outcomes.items()
        }
        case.groups = groups_of(case.order(), case.told, case.known) if case.order() else []
    return found


def outside(aa: Interval | None) -> bool:
    """Whether a library is told from itself by more than 1 %."""
    return aa is not None and aa[1] is not None and aa[2] is not None and (aa[1] > 1.01 or aa[2] < 0.99)


def refused(values: Values, clock_step_ns: float | None) -> bool:
    mine = values.figures
    if len(mine) < 6:
        return True
    batch = statistics.median((one.ns or 0.0) * one.calls for one in mine.values())
    return clock_step_ns is not None and clock_step_ns > 0.01 * batch


def counted(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"


def trust(run: Run, cases: Sequence[Case]) -> tuple[str, str]:
    """The trust word and its reason."""
    timed = [case for case in cases if case.end != "processes"]
    cells = [
        (case, lane)
        for case in timed
        for lane, told in case.outcomes.items()
        if told in TIMED and not lane.endswith("#2")
    ]
    measured = [(case, lane) for case, lane in cells if case.values[lane].all]
    if not measured:
        return "empty", "nothing was measured"
    figures = sum(case.times[lane] is not None for case, lane in measured)
    contended = sum(case.times[lane] is None and case.values[lane].contended for case, lane in measured)
    told = f"{figures} of {counted(len(measured), 'cell has', 'cells have')} a figure"
    if contended > len(measured) / 2:
        return "contended", f"only {told}: something else used the core"
    if not figures:
        return "empty", f"{told}: "
    every = [one for case in cases for lane in case.values.values() for one in lane.all.values() if one.probed]
    seen, used = sum(one.seen for one in every), sum(one.used for one in every)
    aa = [case.aa for case in cases if math.isfinite(half_width(case.aa))]
    false = sum(verdict(one, 0.01, 0.01) in ("faster", "slower") for one in aa)
    settled = [case.end in ("converged", "processes") or all(o not in TIMED for o in case.outcomes.values()) or (bool(case.order()) and all(case.told(lane, case.order()[0]) in ("faster", "slower", "equal", "undecided") for lane in case.order())) for case in cases]  # fmt: skip
    open_cases = settled.count(False)
    width = statistics.median(math.expm1(half_width(one)) for one in aa) if aa else 0.0
    most = 2 * run.manifest["settings"].get("target", 0.01)
    missing = [
        *([f"the run is {run.manifest['status']}"] if run.manifest["status"] != "finished" else []),
        *(["no probe could watch for contention"] if not every else []),
        *([f"{1 - used / seen:.0%} of the batches were disturbed"] if seen and 1 - used / seen > 0.9 else []),
        *([f"only {figures} of {counted(len(cells), 'cell has', 'cells have')} a figure"] if figures < 0.95 * len(cells) else []),
        *(["no library was measured against itself"] if not aa else []),
        *([f"{false} of {len(aa)} libraries measured against themselves came out different"] if aa and false > 0.05 * len(aa) else []),
        *([f"libraries are the same as themselves to \u00b1{100 * width:.2g} % in the median, more than \u00b1{100 * most:.2g} %"] if width > most else []),
        *([f"{open_cases} of {counted(len(cases), 'case')} {'is' if open_cases == 1 else 'are'} not settled"] if open_cases else []),
    ]  # fmt: skip
    if missing:
        return "indicative", "; ".join(missing)
    return (
        "publishable",
        f"{told}, {len(aa) - false} of {counted(len(aa), 'A/A comparison')} came out alike, every case is settled",
    )


# ---- held against what was published


def same(a: object, b: object) -> bool:
    if isinstance(a, float) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=1e-9)
    return a == b


def findings(run: Run, cases: Sequence[Case]) -> Iterator[tuple[str, str, object, object]]:
    """(kind, where, computed, published) of everything that is held against what was published."""
    by_name = {case.name: case for case in cases}
    for row in run.rows("cells"):
        case, lane = by_name[row["case_id"]], row["lane"]
        where, time = f"{case.name} {lane}", case.times[lane]
        yield "outcomes", where, case.outcomes[lane], row["outcome"]
        yield "times", where, time[0] if time else None, row["ns"]
        for place, end in ((1, "ns_low"), (2, "ns_high")):
            yield "ends of intervals of times", where, time[place] if time else None, row[end]
        rank = next((n for n, group in enumerate(case.groups, 1) if lane in group), None)
        yield "rank groups", where, rank, row["rank"]
        yield "thresholds", where, case.d, row["threshold"]
        mine = case.values[lane]
        rows = list(mine.figures.values())
        flags = [name for name, raised in (("slow-op", any(one.slow for one in rows)), ("drift", time is not None and drift([one.ns or 0.0 for one in rows])), ("bimodal", time is not None and mine.levels)) if raised]  # fmt: skip
        yield "flags of cells", where, flags, row["flags"]
        tried = sorted({number for one in case.values.values() for number in one.all})
        fast = [tried.index(number) for number in sorted(mine.fast)] if time and mine.fast is not None else None
        yield "passes at the faster speed", where, fast, row["fast_passes"]
    for row in run.rows("ratios"):
        case, lane, base, aa = by_name[row["case_id"]], row["lane"], row["base"], row["against"] == "aa"
        where = f"{case.name} {row['against']} {lane}"
        if row["against"] == "best":
            yield "best lanes", where, case.order()[0], base
        gone = None if aa else case.missing(lane) or case.missing(base)
        one = None if gone else case.aa if aa else case.ratio(lane, base)
        d = 0.01 if aa else case.d
        told = gone or ("equal" if lane == base else verdict(one, d, case.target))
        yield "ratios", where, one[0] if one else None, row["ratio"]
        for place, end in ((1, "ratio_low"), (2, "ratio_high")):
            yield "ends of intervals of ratios", where, one[place] if one else None, row[end]
        yield "verdicts", where, told, row["verdict"]
        yield "words", where, words(told, one, d), row["said"]
        if one is not None:
            flags = [] if lane == base else ratio_flags(case.values[lane], case.values[base])
            yield "flags of ratios", where, flags, row["flags"]
    word, reason = trust(run, cases)
    yield "trust", "word", word, run.summary["trust"]
    yield "trust", "reason", reason, run.summary["trust_reason"]


def main(folder: Path) -> int:
    run = Run(folder)
    tally: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for kind, where, computed, published in findings(run, cases_of(run)):
        good = same(computed, published)
        tally[kind][0] += good
        tally[kind][1] += 1
        if not good:
            print(f"{kind}: {where}: computed {computed}, published {published}")
    print("; ".join(f"{good} of {number} {kind}" for kind, (good, number) in tally.items()))
    return int(any(good != number for good, number in tally.values()))


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
