# SPDX-License-Identifier: Apache-2.0
"""What a comparison is: rows of ratios, what each side is, the answer. Made by `compare` and `compare_figures`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from cipherstone.model.counts import Difference
from cipherstone.model.ids import Lane
from cipherstone.model.outcomes import Verdict
from cipherstone.model.summary import Estimate
from cipherstone.stats.verdict import SMALLEST_THRESHOLD


@dataclass(frozen=True)
class ComparedRow:
    """One case and lane: cost in b over cost in a (1.05: b takes 1.05 times as long). `lane` is a label for people, `lane_a` and `lane_b` are ids.

    `ratio` is None where a side has no figure; `note` says why then, and `lost` whether side a has one. `threshold`: d of the verdict rule, the larger of both sides. `passes` behind the ratio, of the side that has fewer.
    `resolution`: the least slowdown that can be seen here, as a fraction (`stats.gate`).
    """

    case: str
    lane: str
    lane_a: str
    lane_b: str
    ratio: Estimate | None
    verdict: Verdict
    threshold: float
    note: str = ""
    passes: int = 0
    resolution: float = SMALLEST_THRESHOLD
    lost: bool = False


@dataclass(frozen=True)
class Side:
    """What one side of a comparison is. `builds`: library and version of what is compared, the base among them; `trust` and `trust_reason` of its run; `name`: what its maker calls it, or ""."""

    run_id: str
    name: str
    created: str
    suite: str
    machine: str
    trust: str
    trust_reason: str
    builds: tuple[str, ...]


@dataclass(frozen=True)
class Mean:
    """Geometric mean of the ratios of one lane over the cases in which it has one. `label` as in `ComparedRow`, "" for all lanes; every case counts the same."""

    label: str
    value: float
    cases: int


@dataclass(frozen=True)
class Comparison:
    """`base`: label of the lane that both runs were divided by, "" for two lanes of one run. `refused`: why there are no rows, or "".

    `changes`: one line for each operation in which the two have different outcomes (`ok` in a, `lax` in b), or deviate in different classes of vectors.
    `counts`: of two runs every count that is another one, of two lanes every pair; `counts_compared`: how many both sides have; `counts_lost`: a line for each build and machine that A counted on and B could not.
    `texts_compared`: how many outcomes and other texts of instruments both sides have; `changes` holds a line for each that differs.
    `worst_slowdown`: largest ratio - 1 among rows with verdict `slower` (0.05: 5 % slower), 0 if no row is slower, None if no row has a ratio.
    """

    a: str
    b: str
    base: str
    rows: tuple[ComparedRow, ...]
    warnings: tuple[str, ...] = ()
    refused: str = ""
    changes: tuple[str, ...] = ()
    sides: tuple[Side, ...] = ()
    counts: tuple[Difference, ...] = ()
    counts_compared: int = 0
    counts_lost: tuple[str, ...] = ()
    texts_compared: int = 0

    @property
    def worst_slowdown(self) -> float | None:
        """See the class."""
        if all(row.ratio is None for row in self.rows):
            return None
        return max((slowdown for slowdown, _ in self.slower), default=0.0)

    @property
    def slower(self) -> tuple[tuple[float, ComparedRow], ...]:
        """(ratio - 1, row) of the rows with verdict `slower`, the worst first."""
        found = [(row.ratio.value - 1.0, row) for row in self.rows if row.verdict is Verdict.SLOWER and row.ratio]
        return tuple(sorted(found, key=lambda one: -one[0]))

    @property
    def by_change(self) -> Comparison:
        """The same with its rows sorted: the largest ratio first, rows without one last."""
        return replace(self, rows=tuple(sorted(self.rows, key=lambda row: -row.ratio.value if row.ratio else math.inf)))

    @property
    def means(self) -> tuple[Mean, ...]:
        """Of all rows that have a ratio, then of each lane where there are several."""
        ratios = [(row.lane, row.ratio.value) for row in self.rows if row.ratio is not None]
        labels = dict.fromkeys(label for label, _ in ratios)
        wanted = ["", *labels] if len(labels) > 1 else [""] if ratios else []
        groups = ((label, [ratio for one, ratio in ratios if label in ("", one)]) for label in wanted)
        return tuple(
            Mean(label, math.exp(math.fsum(map(math.log, mine)) / len(mine)), len(mine)) for label, mine in groups
        )


def divide(over: Estimate, under: Estimate) -> Estimate:
    """Ratio of two figures measured independently of each other, with the widest interval that theirs allow.

    low = over.low / under.high, high = over.high / under.low: both true values lie in their intervals with at least 90 % (0.95 squared), and the quotient
    is inside whenever they do and often when they do not, so that it covers more than 95 % where the two are of similar width. No interval if either has none.
    """
    value = over.value / under.value
    if over.low is None or over.high is None or under.low is None or under.high is None:
        return Estimate(value)
    return Estimate(value, over.low / under.high, over.high / under.low)


def by_role(lanes: Iterable[str]) -> dict[str, str]:
    """Label -> lane id, A/A left out; a label with several builds in one run is left out as well: which is meant cannot be known."""
    found: dict[str, list[str]] = {}
    for lane in lanes:
        parsed = Lane.parse(lane)
        if not parsed.twin:
            found.setdefault(parsed.label, []).append(lane)
    return {label: ids[0] for label, ids in found.items() if len(ids) == 1}
