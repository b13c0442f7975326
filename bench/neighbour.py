# SPDX-License-Identifier: Apache-2.0
"""What a user gets beside a bursty neighbour: short runs of four AES-CBC cells, against the same runs on the machine as found."""

from __future__ import annotations

import math
from contextlib import nullcontext

from bench.field import Cases, Field, Measured
from bench.hog import Hogs
from bench.result import Result, middle, spread_percent, tell
from cipherstone.model.ids import Lane

ABOUT_S = 400
RUNS = 16
RUN_S = 12.0
MOST_PASSES = 200
TARGET = 0.0005  # never reached: a run uses its whole time, so that what differs is how long a figure may be had, and not when it was good enough
BASE = "openssl"
LIBRARIES = (BASE, "nettle", "libgcrypt")
CELLS = tuple(
    f"aes-{bits}-cbc/{verb}/bytes=1048576"  # as in the published comparison of AES in several libraries
    for bits in (128, 256)
    for verb in ("encrypt", "decrypt")
)
WEATHERS = ("as found", "bursts on all CPUs")
WHOLE = 0.95
ERROR_LIMIT_PERCENT = 0.5
CV_LIMIT_PERCENT = 0.1
Ratios = dict[str, list[float]]  # pair -> one ratio a run that has it


def run(field: Field, result: Result, fast: bool) -> None:
    """In turns, so that what the machine itself does meets both weathers."""
    lanes = [field.lane(name) for name in LIBRARIES if name in field.found]
    if len(lanes) < 2 or lanes[0].library != BASE:
        result.check("every run whole", "OpenSSL and another library are needed", None)
        return
    cases: Cases = [(case, lanes) for case in CELLS]
    runs = 2 if fast else RUNS
    program = field.program("hog")
    ratios: dict[str, Ratios] = {weather: {} for weather in WEATHERS}
    whole = dict.fromkeys(WEATHERS, 0)
    walls: dict[str, list[float]] = {weather: [] for weather in WEATHERS}
    for number in range(runs):
        for weather in WEATHERS:
            with nullcontext() if weather == WEATHERS[0] else Hogs(program):
                measured = field.run(
                    cases, field.settings(base=BASE, max_time_s=RUN_S, target=TARGET, max_passes=MOST_PASSES, move=True)
                )
            found = _ratios(measured, cases)
            for pair, value in found.items():
                ratios[weather].setdefault(pair, []).append(value)
            whole[weather] += len(found) == len(CELLS) * (len(lanes) - 1)
            walls[weather].append(measured.wall_s)
        tell(f"  run {number + 1} of {runs}: " + ", ".join(f"{name} {count}" for name, count in whole.items()))
    _report(result, ratios, whole, walls, runs)


def _ratios(measured: Measured, cases: Cases) -> dict[str, float]:
    return {
        f"{case} {Lane.parse(ratio.lane).library}": ratio.ratio.value
        for case, _ in cases
        for ratio in measured.case(case).to_base
        if ratio.lane != ratio.base and ratio.ratio is not None and ratio.ratio.low is not None
    }


def _report(
    result: Result, ratios: dict[str, Ratios], whole: dict[str, int], walls: dict[str, list[float]], runs: int
) -> None:
    truth = {pair: middle(values) for pair, values in ratios[WEATHERS[0]].items()}
    result.say(
        f"{runs} runs of at most {RUN_S:.0f} s in each weather, in turns: AES-CBC of 1 MiB with keys of 128 and 256 bits, both ways. Whole: runs in which every ratio has a figure. Error: of the ratios to OpenSSL "
        "against the median of the runs as found, %, median and largest. CV: from run to run, %, median and largest of the ratios."
    )
    rows = []
    errors, spreads = {}, {}
    for weather in WEATHERS:
        errors[weather] = [
            abs(100 * math.log(value / truth[pair]))
            for pair, values in ratios[weather].items()
            for value in values
            if pair in truth
        ]
        spreads[weather] = [spread_percent(values) for values in ratios[weather].values() if len(values) > 1]
        rows.append(
            [
                weather,
                f"{whole[weather]}/{runs}",
                f"{middle(errors[weather]):.3f} {max(errors[weather], default=math.nan):.2f}",
                f"{middle(spreads[weather]):.3f} {max(spreads[weather], default=math.nan):.2f}",
                f"{middle(walls[weather]):.1f}",
            ]
        )
    result.table(["weather", "whole", "error", "CV", "seconds"], rows)
    beside = WEATHERS[1]
    result.check(
        f"at least {WHOLE:.0%} of runs whole beside bursts",
        f"{whole[beside]} of {runs}",
        whole[beside] >= WHOLE * runs,
    )
    within = sum(one <= ERROR_LIMIT_PERCENT for one in errors[beside])
    result.check(
        f"error at most {ERROR_LIMIT_PERCENT} % in {WHOLE:.0%} of ratios",
        f"{within} of {len(errors[beside])}",
        within >= WHOLE * len(errors[beside]) if errors[beside] else None,
    )
    result.check(
        f"CV at most {CV_LIMIT_PERCENT} % in the median",
        f"{middle(spreads[beside]):.3f} %",
        middle(spreads[beside]) <= CV_LIMIT_PERCENT if spreads[beside] else None,
    )
    result.data = {"ratios": ratios, "whole": whole, "wall_s": walls}
