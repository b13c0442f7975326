# SPDX-License-Identifier: Apache-2.0
"""Which lane leads in a case while a run measures: what the progress line says, by the rule of the ranking."""

from __future__ import annotations

import statistics
from collections.abc import Mapping

from cipherstone.measure.progress import Lead
from cipherstone.model.ids import TWIN
from cipherstone.stats.pairing import LanePasses, itself, pair
from cipherstone.stats.verdict import rank, threshold, verdict


def lead_of(lanes: Mapping[str, LanePasses], target: float) -> Lead | None:
    """The first group of the lanes that have a figure, A/A lanes aside; None where fewer than two have one. `target`: the half-width asked of ratios, as a fraction.

    Takes no reading and asks no worker. The session calls it between two passes, when all processes of a pass have ended.
    """
    known = {lane: one for lane, one in lanes.items() if one.figures and not lane.endswith(TWIN)}
    if len(known) < 2:
        return None
    ordered = sorted(known, key=lambda lane: middle(known[lane]))
    twin = next((lane for lane in lanes if lane.endswith(TWIN) and lane.removesuffix(TWIN) in known), None)
    d = threshold(itself(lanes[twin], known[twin.removesuffix(TWIN)]) if twin is not None else None)
    ratios = {lane: pair(known[lane], known[ordered[0]]) for lane in ordered[1:]}
    # Of the groups only the first is read, and in that all pairs are with the fastest lane.
    groups = rank(
        ordered,
        lambda lane, first: verdict(ratios.get(lane), d, target),
        lambda lane, first: (ratio := ratios[lane]) is not None and ratio.low is not None,
    )
    return Lead(groups[0], True) if groups else Lead((ordered[0],), False)


def middle(lane: LanePasses) -> float:
    """The median in ns per call, of the passes at the faster speed where there are two: what ranks the lane."""
    return statistics.median(ns for key, ns in lane.ns.items() if lane.fast is None or key in lane.fast)
