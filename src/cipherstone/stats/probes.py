# SPDX-License-Identifier: Apache-2.0
"""What the two probes tell: the core clock, and whether another program uses the core.

`chain_ns`: nanoseconds per addition in a chain of dependent additions, one cycle each on current cores. `tput_ns`: nanoseconds per addition in eight
independent chains. Their quotient is additions per cycle (IPC); it falls when a sibling thread takes issue slots, which nothing else in a guest shows
(no steal, no context switch), and which shifts ratios by up to 30 %. Source: sections 4.2-4.4 of the method's study; decision 0013 for the clean level.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cipherstone.model.later import Later
from cipherstone.stats.quantiles import FloatArray, median, quantile

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")


EXPECTED_IMUL_RATIO = 3.0  # multiplication chain over addition chain on current x86-64 and Arm application cores
IMUL_TOLERANCE = 0.02
# Eight chains of dependent additions cannot give more additions than this for each one of a single chain.
MAX_IPC = 8.0
# A level: a band this wide (2 %) with so many readings, which hold so much of the band three times as wide. An undisturbed core reads the same IPC
# to a few tenths of a percent; a shared one reads anything over tens of percent.
BAND = 0.02
LEAST_READINGS = 20
LEAST_SHARE = 0.02
TIGHT = 0.7
# A level with this share of the readings is the core's own, even a little below what was stored: what was stored is then too high.
SURE_SHARE = 0.2
STALE_WITHIN = 0.85


def ipc(chain_ns: Sequence[float] | FloatArray, tput_ns: Sequence[float] | FloatArray) -> FloatArray:
    """Additions per cycle, reading by reading; NaN where a reading is missing (not positive or not finite). ValueError for unequal lengths."""
    chain = np.asarray(chain_ns, dtype=np.float64)
    tput = np.asarray(tput_ns, dtype=np.float64)
    if chain.shape != tput.shape:
        raise ValueError(f"probes: {chain.size} chain readings against {tput.size}")
    good = np.isfinite(chain) & np.isfinite(tput) & (chain > 0) & (tput > 0)
    result: FloatArray = np.full(chain.shape, np.nan)
    np.divide(chain, tput, out=result, where=good)
    return result


def median_ipc(values: FloatArray) -> float | None:
    """Median additions per cycle of readings, NaN left out; None without usable readings."""
    seen = values[np.isfinite(values)]
    return median(seen) if seen.size else None


def cycle_ns(chain_ns: Sequence[float]) -> float | None:
    """g_p: nanoseconds per core cycle in a pass, the 10 % quantile of the chain readings; None without usable readings."""
    good = [v for v in chain_ns if 0.0 < v < float("inf")]
    return quantile(good, 0.1) if good else None


def ghz(chain_ns: Sequence[float]) -> float | None:
    """Core clock in GHz of a pass, from `cycle_ns`; None without usable readings."""
    period = cycle_ns(chain_ns)
    return None if period is None else 1.0 / period


@dataclass(frozen=True)
class Level:
    """A level of IPC readings: its median, and the share of all readings in its band."""

    ipc: float
    share: float


def clean_level(readings: FloatArray) -> Level | None:
    """The IPC of the undisturbed core: the highest narrow band in which readings crowd; None if they crowd nowhere.

    Readings on a core of one's own agree within a few tenths of a percent, those beside a busy sibling scatter over tens. So a band of 2 % counts if it holds at least 2 % of
    the readings (and 20) and 70 % of what the band of 6 % around it holds. Missing readings (NaN) and impossible ones (above `MAX_IPC`) do not count.
    It fails where a sibling is busy so evenly that its readings crowd as well, and nothing undisturbed was seen: only a stored reference tells then.
    """
    with np.errstate(invalid="ignore"):
        values = np.sort(readings[(readings > 0) & (readings <= MAX_IPC)])
    if values.size < LEAST_READINGS:
        return None
    narrow = np.searchsorted(values, values * (1 + BAND), "right") - np.arange(values.size)
    centre = values * (1 + BAND / 2)
    wide = np.searchsorted(values, centre * (1 + 1.5 * BAND), "right") - np.searchsorted(
        values, centre * (1 - 1.5 * BAND)
    )
    crowded = (narrow >= max(LEAST_READINGS, LEAST_SHARE * values.size)) & (narrow >= TIGHT * wide)
    if not crowded.any():
        return None
    top = float(values[crowded][-1])
    near = np.flatnonzero(crowded & (values >= top / (1 + BAND)))
    first = int(near[np.argmax(narrow[near])])
    band = values[first : first + int(narrow[first])]
    return Level(median(band), band.size / readings.size)


def session_reference(level: Level | None, stored: float | None = None) -> float | None:
    """IPC reference of a session: the larger of the `stored` one and the level that the session sees; None if there is neither.

    Where a fifth of all readings crowd at a level up to 15 % below what is stored, the level counts: no neighbour takes so little so evenly, so what was stored is too high, and every
    batch would be called disturbed for ever.
    """
    if level is None or stored is None:
        return stored if level is None else level.ipc
    if level.share >= SURE_SHARE and level.ipc >= STALE_WITHIN * stored:
        return level.ipc
    return max(level.ipc, stored)


def cycles_refusal(
    imul_ratio: float | None, expected: float = EXPECTED_IMUL_RATIO, tolerance: float = IMUL_TOLERANCE
) -> str:
    """Why cycles may not be shown, or "". `imul_ratio`: multiplication chain over addition chain, None if this machine has no probe.

    The chain counts cycles only if an addition takes exactly one; a wrong ratio means that it does not, or that the clock moved in between.
    """
    if imul_ratio is None:
        return "no cycles: no probe for this instruction set"
    if not abs(imul_ratio / expected - 1.0) <= tolerance:
        return f"no cycles: multiplication over addition chain is {imul_ratio:.2f}, not {expected:.2f} within {tolerance:.0%}"
    return ""
