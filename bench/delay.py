# SPDX-License-Identifier: Apache-2.0
"""Detection: a library made 3 % slower must be found slower, beside a busy neighbour too; one made 1 % slower is said how often it is found."""

from __future__ import annotations

from contextlib import nullcontext

from bench.field import Field
from bench.hog import Hogs
from bench.result import Result, middle, tell
from cipherstone.model.ids import Lane
from cipherstone.model.outcomes import Verdict

ABOUT_S = 90
RUNS = 20
NEEDED = 0.95
CASE = "sha-256/hash/bytes=16384"
LIBRARY = "nettle"
WEATHERS = ("as found", "bursts on all CPUs")
ASKED_PERCENT, SMALLER_PERCENT = 3, 1


def run(field: Field, result: Result, fast: bool) -> None:
    """Whole runs of one case: Nettle, the slower Nettle (a worker like any other, proven like any other), the A/A lane."""
    runs = 3 if fast else RUNS
    if not field.has(LIBRARY):
        result.check(f"`slower` in at least {round(NEEDED * RUNS)} of {RUNS}", "Nettle is not here", None)
        return
    result.say(
        f"Nettle's SHA-256 of 16 KiB with 3.00 and 1.00 % more compressions a call, against Nettle, in {runs} whole runs each with the A/A lane and the default settings, as the machine is found and beside "
        "bursts of 22 to 418 ms on every CPU. (1.03 and 1.01 or a little less are due: the added compressions read the same first blocks again and pad nothing.)"
    )
    rows = []
    for percent in (ASKED_PERCENT, SMALLER_PERCENT):
        slower = field.lane(field.adopt(field.worker_program("slower_nettle", LIBRARY, f"PERCENT={percent}")))
        for weather in WEATHERS:
            around = nullcontext() if weather == WEATHERS[0] else Hogs(field.program("hog"))
            with around:
                verdicts, ratios, widths = _runs(field, slower, runs, f"{percent} %, {weather}")
            hits = verdicts.get(Verdict.SLOWER, 0)
            rows.append(
                [
                    f"+{percent} %, {weather}",
                    f"{hits}/{runs}",
                    f"{middle(ratios):.4f}",
                    f"{min(ratios, default=0):.4f} to {max(ratios, default=0):.4f}",
                    f"{middle(widths):.2f}",
                ]
            )
            if percent == ASKED_PERCENT:
                target = f"`slower` in at least {round(NEEDED * RUNS)} of {RUNS}, {weather}"
                result.check(target, f"`slower` in {hits} of {runs}", hits >= NEEDED * runs)
            result.data[f"+{percent} %, {weather}"] = {"verdicts": verdicts, "ratios": ratios}
        del field.found[slower.library]
    result.table(["planted", "slower", "median", "ratios", "±%"], rows)


def _runs(field: Field, slower: Lane, runs: int, title: str) -> tuple[dict[str, int], list[float], list[float]]:
    """Verdicts with how often each was given, ratios, and half-widths of their intervals in percent."""
    lanes = [field.lane(LIBRARY), slower, field.lane(LIBRARY, twin=True)]
    verdicts: dict[str, int] = {}
    ratios: list[float] = []
    widths: list[float] = []
    for number in range(runs):
        measured = field.run([(CASE, lanes)], field.settings(base=LIBRARY, max_time_s=60.0))
        found = next(one for one in measured.case(CASE).to_base if one.lane == slower.id)
        verdicts[found.verdict] = verdicts.get(found.verdict, 0) + 1
        if found.ratio is not None:
            ratios.append(found.ratio.value)
            if found.ratio.low is not None and found.ratio.high is not None:
                widths.append(100 * (found.ratio.high - found.ratio.low) / 2)
        tell(f"  {title}: run {number + 1} of {runs}: {found.verdict} {found.ratio.value if found.ratio else 0:.4f}")
    return verdicts, ratios, widths
