# SPDX-License-Identifier: Apache-2.0
"""Results against what a machine's instructions allow, as a run stores them."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from cipherstone.model.bounds import Float, Int, Ratio
from cipherstone.model.estimate import Estimate

SAME_BOUND = 1.02  # tiers whose bounds differ by less are as good as each other: the one that asks for less is named


class TierShare(msgspec.Struct, frozen=True, omit_defaults=True):
    """One tier of one result. `bound`: cycles per byte or per call. `share`: bound / measured, 1.0 = at the bound; above 1 the tier is not what runs.

    `limiting`: kernel of the heaviest term in the limiting group `unit`. `reason`: why there is no bound here, or "".
    """

    tier: str
    kind: str
    bound: Float | None = None
    share: Ratio | None = None
    limiting: str = ""
    unit: str = ""
    reason: str = ""


class RooflineRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """One lane of one operation at its largest size. `per`: `byte` or `call`; `measured`: core cycles per that. `place`: in the ranking of the case, 0 first.

    `tiers`: those that this CPU has, weakest (highest bound) first. `fits`: the weakest tier that allows the result (what runs may be a better one, badly used), `left`: measured over the bound of the best
    tier. `flag`: that no model is right for this result; it has no finding then. `reason`: why there is no row of figures, or "".
    """

    operation: str
    title: str
    family: str
    case: str
    lane: str
    who: str
    per: str
    measured: Estimate | None = None
    tiers: tuple[TierShare, ...] = ()
    fits: str = ""
    left: Float | None = None
    flag: str = ""
    sentence: str = ""
    why: str = ""
    reason: str = ""
    place: Int = 0

    @property
    def best(self) -> TierShare | None:
        """The tier with the lowest bound, of equal ones the one that asks for least; None without any."""
        return lowest(self.tiers)

    @property
    def fitting(self) -> TierShare | None:
        """The tier named by `fits`."""
        return next((tier for tier in self.tiers if tier.tier == self.fits), None)


def lowest(tiers: Sequence[TierShare]) -> TierShare | None:
    """The tier with the lowest bound, of equal ones the one that asks for least; None without any."""
    bounds = [tier.bound for tier in tiers if tier.bound is not None]
    least = min(bounds, default=0.0)
    return next((tier for tier in tiers if tier.bound is not None and tier.bound <= least * SAME_BOUND), None)
