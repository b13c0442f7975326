# SPDX-License-Identifier: Apache-2.0
"""Over the sizes of an operation: overhead and rate of each lane, and sizes at which the leading lanes change places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from cipherstone.model.summary import CellSummary, Crossover, FitSummary
from cipherstone.stats.line import LARGEST_RMS, SMALLEST_SIZES, LineFit, crossover, fit_line, fit_passes, padded_size
from cipherstone.views.run.estimates import CaseValues
from cipherstone.views.run.pairs import Pairs

# Hashes work on whole padded blocks: (block bytes, padding bytes) of FIPS 180-4, RFC 1321, FIPS 202 and RFC 7693. Their lines run over the padded
# length, and so do those of HMACs built on them. Without it a message of 16 bytes seems cheap per byte and spoils the line.
BLOCKS = {
    **dict.fromkeys(("md5", "sha-1", "sha-224", "sha-256", "hmac-sha-1", "hmac-sha-256", "ripemd-160", "sm3"), (64, 9)),
    **dict.fromkeys(("sha-384", "sha-512", "sha-512-256", "hmac-sha-384", "hmac-sha-512"), (128, 17)),
    "sha3-256": (136, 1),
    "sha3-384": (104, 1),
    "sha3-512": (72, 1),
    "shake128": (168, 1),
    "shake256": (136, 1),
    "blake2b-512": (128, 0),
    "blake2s-256": (64, 0),
}
ASYMPTOTIC_BYTES = 1024
ROUNDING = 1e-9  # growth over all sizes, as a share of the time: less is that of sums of doubles


@dataclass(frozen=True)
class SizedCase:
    """One size of an operation: the cells by lane, the values and the pairs of its case, and the ranking."""

    size_bytes: int
    cells: Mapping[str, CellSummary]
    values: CaseValues
    pairs: Pairs
    ranking: Sequence[Sequence[str]]


def line_length(operation: str, size_bytes: int) -> int:
    """What the line of an operation runs over: bytes of the message, or the padded length for hashes that work on blocks and their HMACs."""
    block = BLOCKS.get(operation.partition("/")[0])
    return size_bytes if block is None else padded_size(size_bytes, *block)


def fit_lane(operation: str, lane: str, cases: Sequence[SizedCase]) -> FitSummary | None:
    """The line of one lane; None below 4 sizes with a figure.

    Intervals come from refits of the run's passes that measured every one of these sizes. Above 5 % relative error one line does not describe the
    lane: overhead, rate and half size are withheld, and the text gives the rate from 1 KiB up. Where the time does not grow with the size the rate
    is withheld and the overhead stays.
    """
    points = [
        (c.size_bytes, c.cells[lane].ns, c.values.rows(lane))
        for c in cases
        if lane in c.cells and c.cells[lane].ns is not None
    ]
    if len(points) < SMALLEST_SIZES:
        return None
    sizes = tuple(size for size, _, _ in points)
    x = [float(line_length(operation, size)) for size in sizes]
    t = [ns.value for _, ns, _ in points if ns is not None]
    if len(set(x)) < 2:
        return None
    by_index = [{row.pass_index: row.floor_ns for row in rows if row.floor_ns is not None} for _, _, rows in points]
    common = sorted(set.intersection(*(set(column) for column in by_index)))
    fit = fit_passes(x, t, [[column[index] for column in by_index] for index in common])
    return _summary(operation, lane, sizes, x, t, fit)


def _summary(
    operation: str, lane: str, sizes: tuple[int, ...], x: Sequence[float], t: Sequence[float], fit: LineFit
) -> FitSummary:
    rms = fit.rms_relative
    if rms > LARGEST_RMS:
        text = f"the times do not lie on one line (relative error {rms:.1%})"
        large = [(a, b) for size, a, b in zip(sizes, x, t, strict=True) if size >= ASYMPTOTIC_BYTES]
        if len({a for a, _ in large}) >= 3:
            tail = fit_line([a for a, _ in large], [b for _, b in large])
            if tail.rms_relative <= LARGEST_RMS and tail.per_byte > 0.0:
                text += f"; from 1 KiB up {tail.per_byte:.3g} ns per byte"
        return FitSummary(operation, lane, None, None, None, rms, sizes, text)
    grown = fit.per_byte_ns.value * max(x)
    if grown <= ROUNDING * max(t) or (fit.per_byte_ns.low is not None and fit.per_byte_ns.low <= 0.0):
        return FitSummary(
            operation, lane, fit.overhead_ns, None, None, rms, sizes, "the time does not measurably grow with the size"
        )
    return FitSummary(operation, lane, fit.overhead_ns, fit.per_byte_ns, fit.half_size_bytes, rms, sizes)


def fits(operation: str, cases: Sequence[SizedCase]) -> list[FitSummary]:
    """Lines of all lanes of an operation; the A/A lane is left out. `cases` by rising size."""
    lanes = dict.fromkeys(lane for case in cases for lane in case.cells if not lane.endswith("#2"))
    found = (fit_lane(operation, lane, cases) for lane in lanes)
    return [fit for fit in found if fit is not None]


def crossovers(operation: str, cases: Sequence[SizedCase]) -> list[Crossover]:
    """Where leading lanes change places. A lane leads that is in the first group at some size; each pair of them is looked at over the sizes where
    both have a figure. `cases` by rising size."""
    leading = dict.fromkeys(lane for case in cases if case.ranking for lane in case.ranking[0])
    found: list[Crossover] = []
    for i, j in combinations(leading, 2):
        shared = []
        for case in cases:
            a, b = case.cells.get(i), case.cells.get(j)
            if a is not None and b is not None and a.ns is not None and b.ns is not None:
                shared.append((case.size_bytes, a.ns.value, b.ns.value, case.pairs.verdict(i, j)))
        if len(shared) < 2:
            continue
        sizes, f_i, f_j, verdicts = zip(*shared, strict=True)
        for crossing in crossover(sizes, f_i, f_j, verdicts):
            small, large = (i, j) if crossing.i_first else (j, i)
            found.append(
                Crossover(operation, small, large, crossing.size_bytes, crossing.below_bytes, crossing.above_bytes)
            )
    return found
