# SPDX-License-Identifier: Apache-2.0
"""What each kind of contention does to a result that the gate lets through: planted neighbours, against the quiet machine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import NamedTuple

from bench.field import Cases, Field, Measured
from bench.hog import BURSTS, Habit, Hogs
from bench.result import Result, middle, spread_percent, tell
from cipherstone.host.facts import allowed_cpus
from cipherstone.model.ids import Case, Lane
from cipherstone.model.outcomes import Verdict

ABOUT_S = 700
RUNS = 8
RUN_S = 12.0
BASE = "openssl"
RACES = (
    ("aes-128-cbc/decrypt/bytes=16384", ("openssl", "nettle", "libgcrypt")),
    ("sha-256/hash/bytes=16384", ("openssl", "nettle")),
    ("x25519/derive", ("openssl", "libsodium")),
)
LARGE = ("aes-128-ctr/encrypt/bytes=1048576", ("openssl", "nettle"))  # more than a second-level cache holds
ERROR_LIMIT_PERCENT = 0.5
COVERAGE = 0.94
FALSE_LIMIT = 0.05


class Weather(NamedTuple):
    """A kind of contention: who does what where. `where`: `other` (the CPU beside), `same` (the one that is measured on, which the run may not leave), `all`, or "" for nobody."""

    name: str
    where: str
    habit: Habit = BURSTS


WEATHERS = (
    Weather("quiet (as found)", ""),
    Weather("busy, other CPU", "other", Habit(1000, 0)),
    Weather("bursts, same CPU", "same"),
    Weather("busy, same CPU", "same", Habit(1000, 0)),
    Weather("bursts, all CPUs", "all"),
    Weather("busy, all CPUs", "all", Habit(1000, 0)),
    Weather("20 us bursts, all", "all", Habit(0.02, 0.08)),
    Weather("500 ms bursts, all", "all", Habit(500, 500)),
    Weather("copies 64 MiB, other", "other", Habit(1000, 0, 64)),
    Weather("copies 8 MiB, other", "other", Habit(1000, 0, 8)),
)


class _Seen:
    """What the runs of one weather gave. `ratios[pair]`: (value, low, high) of each run; `due`: ratios that there should be."""

    def __init__(self) -> None:
        self.ratios: dict[str, list[tuple[float, float, float]]] = {}
        self.due = self.whole = self.runs = self.false = self.told = 0
        self.disturbed: list[float] = []

    def add(self, measured: Measured, cases: Cases) -> None:
        """Takes a run in."""
        self.runs += 1
        found = due = 0
        for case_id, _ in cases:
            case = measured.case(case_id)
            for ratio in case.to_base:
                if ratio.lane == ratio.base:
                    continue
                due += 1
                estimate = ratio.ratio
                if estimate is not None and estimate.low is not None and estimate.high is not None:
                    found += 1
                    values = self.ratios.setdefault(_pair(case_id, Lane.parse(ratio.lane)), [])
                    values.append((estimate.value, estimate.low, estimate.high))
            if case.aa is not None and case.aa.ratio is not None and case.aa.ratio.low is not None:
                self.told += 1
                self.false += case.aa.verdict in (Verdict.FASTER, Verdict.SLOWER)
        self.due += due
        self.whole += found == due
        if measured.summary.noise.disturbed_ratio is not None:
            self.disturbed.append(measured.summary.noise.disturbed_ratio)


def run(field: Field, result: Result, fast: bool) -> None:
    """Round after round, a run in each weather, so that what the machine itself does meets all of them."""
    races = (*RACES, LARGE)
    cases = [(case, [field.lane(name) for name in names if name in field.found]) for case, names in races]
    cases = [(case, lanes) for case, lanes in cases if len(lanes) > 1 and lanes[0].library == BASE]
    if not cases or field.cpu is None:
        result.check("every weather", "OpenSSL, another library and pinning are needed", None)
        return
    cases = [(case, [*lanes, field.lane(BASE, twin=True)]) for case, lanes in cases]
    seen = {weather.name: _Seen() for weather in WEATHERS}
    program = field.program("hog")
    for number in range(2 if fast else RUNS):
        for weather in WEATHERS:
            settings = field.settings(base=BASE, max_time_s=RUN_S, move=weather.where != "same")
            with _around(field, weather, program):
                seen[weather.name].add(field.run(cases, settings), cases)
        tell(f"  round {number + 1}: " + ", ".join(f"{name} {one.whole}/{one.runs}" for name, one in seen.items()))
    _report(result, seen)


def _around(field: Field, weather: Weather, program: Path) -> AbstractContextManager[object]:
    allowed = allowed_cpus()
    others = [cpu for cpu in allowed if cpu != field.cpu]
    places: dict[str, list[int]] = {"other": others, "all": allowed}
    if field.cpu is not None:
        places["same"] = [field.cpu]
    chosen = places.get(weather.where, [])
    return Hogs(program, weather.habit, chosen) if chosen else nullcontext()


def _report(result: Result, seen: dict[str, _Seen]) -> None:
    quiet = seen[WEATHERS[0].name]
    truth = {pair: middle([value for value, _, _ in values]) for pair, values in quiet.ratios.items()}
    result.say(
        f"{quiet.runs} runs of {RUN_S:.0f} s in each weather, in turns. Whole: runs in which every ratio has a figure. Used: share of the batches that counted. Error: of the ratios to OpenSSL against "
        "the median of the quiet runs, %, median and largest. Covered: intervals that hold the quiet value, which is known to within the standard error of its median. Large: both for 1 MiB, which the "
        "core's own caches do not hold, so that what neighbours do to the shared ones is in it; the probes do not see that, and it is in no check. A/A: false verdicts."
    )
    doubt = {pair: _standard_error([value for value, _, _ in values]) for pair, values in quiet.ratios.items()}
    rows = []
    small_errors: dict[str, list[float]] = {}
    covered = intervals = false = told = 0
    for name, one in seen.items():
        errors = {
            large: [
                abs(100 * math.log(value / truth[pair]))
                for pair, values in one.ratios.items()
                for value, _, _ in values
                if pair in truth and pair.endswith("1 MiB") is large
            ]
            for large in (False, True)
        }
        hits = {
            large: [
                low * (1 - doubt[pair]) <= truth[pair] <= high * (1 + doubt[pair])
                for pair, values in one.ratios.items()
                for _, low, high in values
                if pair in truth and pair.endswith("1 MiB") is large
            ]
            for large in (False, True)
        }
        small_errors[name] = errors[False]
        if one is not quiet:
            covered, intervals = covered + sum(hits[False]), intervals + len(hits[False])
            false, told = false + one.false, told + one.told
        used = 1 - middle(one.disturbed) if one.disturbed else math.nan
        rows.append(
            [
                name,
                f"{one.whole}/{one.runs}",
                f"{used:.0%}",
                _two(errors[False]),
                f"{sum(hits[False])}/{len(hits[False])}",
                _two(errors[True]),
                f"{sum(hits[True])}/{len(hits[True])}",
                f"{one.false}/{one.told}",
            ]
        )
    result.table(["weather", "whole", "used", "error", "covered", "large", "covered", "A/A"], rows)
    bursts = seen["bursts, all CPUs"]
    worst = {name: max(values, default=math.nan) for name, values in small_errors.items()}
    result.check(
        "at least 95 % of runs whole beside bursts on all CPUs",
        f"{bursts.whole} of {bursts.runs}",
        bursts.whole >= 0.95 * bursts.runs if bursts.runs else None,
    )
    result.check(
        f"error at most {ERROR_LIMIT_PERCENT} % in the median of every weather",
        ", ".join(f"{name} {middle(values):.2f}" for name, values in small_errors.items() if values),
        all(middle(values) <= ERROR_LIMIT_PERCENT for values in small_errors.values() if values),
    )
    result.check(
        f"coverage at least {COVERAGE:.0%}",
        f"{covered} of {intervals}",
        covered >= COVERAGE * intervals if intervals else None,
    )
    result.check("at most 5 % false A/A verdicts", f"{false} of {told}", false <= FALSE_LIMIT * told if told else None)
    result.data = {
        "truth": truth,
        "worst_percent": worst,
        "ratios": {name: one.ratios for name, one in seen.items()},
        "whole": {name: [one.whole, one.runs] for name, one in seen.items()},
        "disturbed": {name: one.disturbed for name, one in seen.items()},
    }


def _standard_error(values: Sequence[float]) -> float:
    """Of the median, relative to it; for a normal distribution it is 1.25 times that of the mean."""
    return 1.25 * spread_percent(values) / 100 / math.sqrt(len(values)) if len(values) > 1 else 0.0


def _two(values: Sequence[float]) -> str:
    return f"{middle(values):.2f} {max(values):.2f}" if values else "-"


def _pair(case_id: str, lane: Lane) -> str:
    case = Case.parse(case_id)
    size = " 1 MiB" if case.size_bytes == 1 << 20 else ""
    return f"{case.operation} {lane.library}{size}"
