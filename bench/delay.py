# SPDX-License-Identifier: Apache-2.0
"""Detection: a library made 3 % slower must be found slower."""

from __future__ import annotations

from bench.field import Field
from bench.result import Result, middle, tell
from cipherstone.model.outcomes import Verdict

ABOUT_S = 30
RUNS = 20
NEEDED = 0.95
CASE = "sha-256/hash/bytes=16384"
LIBRARY = "nettle"


def run(field: Field, result: Result, fast: bool) -> None:
    """Whole runs of one case: Nettle, the slower Nettle (a worker like any other, proven like any other), the A/A lane."""
    runs = 3 if fast else RUNS
    target = f"`slower` in at least {round(NEEDED * RUNS)} of {RUNS}"
    if not field.has(LIBRARY):
        result.check(target, "Nettle is not here", None)
        return
    slower = field.lane(field.adopt(field.worker_program("plus3_nettle", LIBRARY)))
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
        tell(f"  run {number + 1} of {runs}: {found.verdict} {found.ratio.value if found.ratio else 0:.4f}")
    del field.found[slower.library]
    result.say(
        f"Nettle's SHA-256 of 16 KiB with 3.00 % more compressions a call, against Nettle, in {runs} whole runs with the A/A lane and the default "
        f"settings: verdicts {', '.join(f'{word} {count}' for word, count in sorted(verdicts.items()))}."
    )
    result.say(
        f"Ratio: median {middle(ratios):.4f}, from {min(ratios, default=0):.4f} to {max(ratios, default=0):.4f}; half-width of the interval: "
        f"median {middle(widths):.2f} %. (1.03 or a little less is due: the added compressions read the same first blocks again and pad nothing.)"
    )
    hits = verdicts.get(Verdict.SLOWER, 0)
    result.check(target, f"`slower` in {hits} of {runs}", hits >= NEEDED * runs)
    result.data = {"verdicts": verdicts, "ratios": ratios}
