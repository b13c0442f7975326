# SPDX-License-Identifier: Apache-2.0
"""What the two probes tell: the core clock, and whether somebody else used the core.

`chain_ns`: nanoseconds per addition in a chain of dependent additions, one cycle each on current cores. `tput_ns`: nanoseconds per addition in eight
independent chains. Their quotient is additions per cycle; it falls when a sibling thread takes issue slots, which nothing else in a guest shows
(no steal, no context switch), and which shifts ratios by up to 30 %. Source: sections 4.2-4.4 and 8 of the method. The limits 0.97 and 0.8 were
chosen on one CPU model.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from cipherstone.stats.quantiles import FloatArray, quantile

EXPECTED_IMUL_RATIO = 3.0  # multiplication chain over addition chain on current x86-64 and Arm application cores
IMUL_TOLERANCE = 0.02


def ipc(chain_ns: Sequence[float], tput_ns: Sequence[float]) -> FloatArray:
    """Additions per cycle, round by round; NaN where a reading is missing (not positive or not finite). ValueError for unequal lengths."""
    chain = np.asarray(chain_ns, dtype=np.float64)
    tput = np.asarray(tput_ns, dtype=np.float64)
    if chain.shape != tput.shape:
        raise ValueError(f"probes: {chain.size} chain readings against {tput.size}")
    good = np.isfinite(chain) & np.isfinite(tput) & (chain > 0) & (tput > 0)
    result: FloatArray = np.full(chain.shape, np.nan)
    np.divide(chain, tput, out=result, where=good)
    return result


def median_ipc(chain_ns: Sequence[float], tput_ns: Sequence[float]) -> float | None:
    """Median additions per cycle of a pass; None without usable readings."""
    values = ipc(chain_ns, tput_ns)
    values = values[np.isfinite(values)]
    return float(np.median(values)) if values.size else None


def _reached(values: FloatArray, share: float) -> float:
    """The highest IPC that at least `share` of the rounds reach; 0 if too many readings are missing."""
    # 1e-9: a share of 0.8 of 60 rounds is 48 rounds, whatever the last bit of 0.8 * 60 is.
    needed = max(1, math.ceil(share * values.size - 1e-9))
    ordered = np.sort(np.where(np.isfinite(values), values, 0.0))
    return float(ordered[values.size - needed])


def gate_ipc(chain_ns: Sequence[float], tput_ns: Sequence[float], share: float = 0.8) -> float | None:
    """The highest IPC that at least `share` of a pass's rounds reach; None without readings.

    The pass is valid (`pass_is_valid`) exactly if this is at least threshold x reference, so that a pass can be judged again when a better
    reference turns up, without its readings.
    """
    return _reached(ipc(chain_ns, tput_ns), share) if len(chain_ns) else None


def pass_is_valid(
    chain_ns: Sequence[float],
    tput_ns: Sequence[float],
    reference: float | None,
    threshold: float = 0.97,
    share: float = 0.8,
) -> tuple[bool, str]:
    """Whether the probes call a pass undisturbed: at least `share` of its rounds reach `threshold` x `reference` additions per cycle.

    The reason is "" for a valid pass. Without readings or without a reference contention cannot be seen: the pass is valid, and the run as a whole
    has to say that it had no probe. A round with a missing reading counts as disturbed. `reference` must be the machine's own best (`session_reference`):
    one that is too low lets contended passes through.
    """
    if reference is None or len(chain_ns) == 0:
        return True, ""
    values = ipc(chain_ns, tput_ns)
    if _reached(values, share) >= threshold * reference:
        return True, ""
    good = int(np.count_nonzero(values >= threshold * reference))  # NaN compares false
    seen = values[np.isfinite(values)]
    middle = f"{float(np.median(seen)):.2f}" if seen.size else "none"
    return (
        False,
        f"contended: {good} of {values.size} rounds reach {threshold:g} x IPC {reference:.2f}, {share:.0%} needed; median IPC {middle}",
    )


def cycle_ns(chain_ns: Sequence[float]) -> float | None:
    """g_p: nanoseconds per core cycle in a pass, the 10 % quantile of the chain readings; None without usable readings."""
    good = [v for v in chain_ns if 0.0 < v < float("inf")]
    return quantile(good, 0.1) if good else None


def ghz(chain_ns: Sequence[float]) -> float | None:
    """Core clock in GHz of a pass, from `cycle_ns`; None without usable readings."""
    period = cycle_ns(chain_ns)
    return None if period is None else 1.0 / period


IGNORED_TOP = 10  # one pass in so many may read too high


def session_reference(medians: Sequence[float], stored: float | None = None) -> float | None:
    """IPC reference of a session: the larger of the `stored` one and the highest median IPC of a pass once the highest tenth is left out; None if there is neither.

    Not the very highest (from ten passes on): a single pass whose chain was slowed more than its throughput reads high, and would make every honest pass after it look contended.
    If the machine was contended nearly all the time and nothing is stored the reference is too low, and contention stays unseen; a stored reference of
    the same CPU model is what protects.
    """
    seen = sorted(medians)[-1 - len(medians) // IGNORED_TOP] if len(medians) else None
    return max((value for value in (seen, stored) if value is not None), default=None)


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
