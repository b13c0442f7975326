# SPDX-License-Identifier: Apache-2.0
"""All pairs of a case as the page stores them: a column for each part, ends of intervals as distances from the ratio, figures with as many digits as a sentence needs. In rows of text the same pairs take three times the bytes when packed."""

from __future__ import annotations

import math
from collections.abc import Sequence

FEWEST_DIGITS = 5
MOST_DIGITS = 16
DECIMALS = range(-3, 5)  # that a sentence of the page may round a ratio to
PERCENT_DECIMALS = (0, 1)
BOUNDS = (0.98, 1.0, 1.02, 1.1, 10.0, 100.0)  # at which a sentence changes its words or its digits
SELF = "1.00 - - e"
COLUMNS = ("ratio", "low", "high", "verdict", "figures")


def columns_of(pairs: Sequence[Sequence[str]]) -> dict[str, str]:
    """`pairs`, a square of `RATIO LOW HIGH VERDICT [FIGURES]` and "" for none, in columns, by rows, without the diagonal: `ratio`, `low` and `high` parted by blanks, `verdict` a letter each (`-`: no pair), `figures` parted by blanks and commas ("" if no pair has any)."""
    parts = [pair.split(" ") for i, row in enumerate(pairs) for j, pair in enumerate(row) if i != j]
    whole = [part if len(part) > 1 else ["", "=", "=", "-"] for part in parts]
    figures = " ".join(",".join(part[4:]) for part in whole)
    return {
        "ratio": " ".join(part[0] for part in whole),
        "low": " ".join(_distance(part[0], part[1]) for part in whole),
        "high": " ".join(_distance(part[0], part[2]) for part in whole),
        "verdict": "".join(part[3] for part in whole),
        "figures": figures if figures.strip() else "",
    }


def _distance(ratio: str, end: str) -> str:
    """How many units of the ratio's last digit `end` lies above it; `=END` where that does not give the same text."""
    beside = ratio.partition("/")[0]
    places = len(beside.partition(".")[2])
    try:
        units = round(float(end) * 10**places) - round(float(beside) * 10**places)
        again = (round(float(beside) * 10**places) + units) / 10**places
    except ValueError:
        return f"={end}"
    return str(units) if f"{again:.{places}f}" == end else f"={end}"


def figure(value: float) -> str:
    """`value` with the fewest digits that a sentence cannot tell from all of them: the same at every number of decimals, in percent, and beside every bound."""
    for digits in range(FEWEST_DIGITS, MOST_DIGITS):
        text = f"{value:.{digits}g}"
        if _alike(value, float(text)) and "e" not in text:
            return text
    return repr(value)


def _alike(value: float, other: float) -> bool:
    if any((value > bound) != (other > bound) or (value < bound) != (other < bound) for bound in BOUNDS):
        return False
    # Ties are rounded to even here and upwards by the page.
    rounded = [(value, other, places) for places in DECIMALS]
    rounded += [((value - 1) * 100, (other - 1) * 100, places) for places in PERCENT_DECIMALS]
    return all(round(a, p) == round(b, p) and _upwards(a, p) == _upwards(b, p) for a, b, p in rounded)


def _upwards(value: float, places: int) -> int:
    return math.floor(value * 10.0**places + 0.5)
