# SPDX-License-Identifier: Apache-2.0
"""False positives: how often the same code in two processes is told apart."""

from __future__ import annotations

from bench.field import Field
from bench.result import Result, middle, tell
from cipherstone.model.outcomes import Verdict
from cipherstone.stats.verdict import offset

ABOUT_S = 90
RUNS = 20
CASES = ("sha-256/hash/bytes=16384", "aes-128-gcm/seal/bytes=16384", "x25519/derive", "ecdsa-p256-sha256/sign")
LIBRARY, OTHER = "openssl", "nettle"
LIMIT = 0.05


def run(field: Field, result: Result, fast: bool) -> None:
    """Whole runs of four cases with the base library, its A/A lane and one lane more."""
    runs = 3 if fast else RUNS
    if not field.has(LIBRARY):
        result.check("at most 5 %", "OpenSSL is not here", None)
        return
    lanes = [field.lane(LIBRARY), field.lane(LIBRARY, twin=True)]
    if field.has(OTHER):
        lanes.insert(1, field.lane(OTHER))
    counts: dict[str, int] = {}
    offsets: dict[str, list[float]] = {case: [] for case in CASES}
    outside = with_interval = tried = valid = 0
    for number in range(runs):
        measured = field.run([(case, lanes) for case in CASES], field.settings(base=LIBRARY, max_time_s=60.0))
        tried += measured.summary.noise.passes_tried
        valid += measured.summary.noise.passes_valid
        for case in CASES:
            aa = measured.case(case).aa
            word = aa.verdict.value if aa is not None else "none"
            counts[word] = counts.get(word, 0) + 1
            if aa is not None and aa.ratio is not None:
                offsets[case].append(100 * offset(aa.ratio))
                if aa.ratio.low is not None and aa.ratio.high is not None:
                    with_interval += 1
                    outside += not aa.ratio.low <= 1.0 <= aa.ratio.high
        tell(f"  run {number + 1} of {runs}: {measured.wall_s:.1f} s, so far {counts}")
    false = counts.get(Verdict.FASTER, 0) + counts.get(Verdict.SLOWER, 0)
    told = sum(counts.get(word, 0) for word in (Verdict.FASTER, Verdict.SLOWER, Verdict.EQUAL, Verdict.UNDECIDED))
    result.say(f"{LIBRARY} against itself in a second process, {runs} whole runs of {len(CASES)} cases, threshold 1 %:")
    result.table(
        ["case", "ratios", "median offset %", "largest offset %"],
        [[case, str(len(v)), f"{middle(v):.3f}", f"{max(v, default=0.0):.3f}"] for case, v in offsets.items()],
    )
    result.say("Verdicts: " + ", ".join(f"{word} {count}" for word, count in sorted(counts.items())) + ".")
    result.say(
        f"Intervals that leave out 1: {outside} of {with_interval}. Nominal is 5 % or less; verdicts need more than that: an interval wholly beyond 1 %. "
        f"{valid} of {tried} passes were valid."
    )
    share = false / told if told else 0.0
    text = f"{false} of {told} A/A verdicts are false ({100 * share:.1f} %)"
    result.check("at most 5 %", text, share <= LIMIT if told else None)
    result.data = {
        "verdicts": counts,
        "offset_percent": offsets,
        "intervals_without_1": outside,
        "passes_tried": tried,
        "passes_valid": valid,
    }
