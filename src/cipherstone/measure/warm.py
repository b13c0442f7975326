# SPDX-License-Identifier: Apache-2.0
"""Warm means warm, for calls of every length: how many untimed calls come before the timed ones of a turn, how a turn is cut into requests, and when a process counts as settled (decision 0046).

A lane runs right after others, which leave their own code, tables and branches in the caches and predictors. What that costs is 1 to 60 us, about the same whatever the call takes, and it is spread
over more calls than one: the first is 1 to 300 % too long, the second up to 16 %, and where paths depend on data the predictors learn for some twenty calls. Between two requests of one lane stands
the orchestrator alone; what that costs is over after two calls.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from cipherstone.catalogue.conditions import call_conditions
from cipherstone.model.ids import Case
from cipherstone.model.records import Settings
from cipherstone.operations.ring import member_cost_s, members_known

NEAR_CALLS = 2  # after the wait for a free core, where a call is not longer than a batch
# Where the median of single calls is the figure, no quartile leaves out those that are still a percent too long: four times the lead-in, and after each wait for the core as many calls as take 1 ms.
ALONE_TIMES = 4
ALONE_NEAR_NS, ALONE_NEAR_CALLS = 1e6, 16
LONG_BATCHES = 4  # of one call each in a request: the first, which follows the wait, is then no quarter of them
LONGEST_FOR_FOUR_NS = 1e6
LONGEST_TURN_NS = 60e6
REQUESTS_OF_MIDDLE = 3
PLACES = 4  # inputs at other addresses, from turn to turn
LONGEST_AT_PLACES_NS = 20e6
LARGEST_AT_PLACES_BYTES = 4 << 20
DEAREST_PLACE_S = 0.05  # of the independent library
SETTLED = 0.97  # of the cycle before, or within as much of what is known: it falls no more
NEAR_KNOWN = 1.1  # a cold first call among sixteen is in a cycle
FAR = 1.25
PLATEAU_CYCLES = 4
MOST_CYCLES = 12
MOST_SETTLING_NS = 300e6


class Calls(msgspec.Struct, frozen=True):
    """What the calls of a lane are: about `ns` each, `batch` of them a batch, their inputs in turn from a ring of `ring`. `slow`: CPU time is their clock, which is read once a request. `alone`: a batch is one call, and the median of single calls is the figure."""

    ns: float
    batch: int = 1
    ring: int = 1
    slow: bool = False
    alone: bool = False


def lead_calls(calls: Calls, settings: Settings) -> int:
    """Untimed calls that bring a lane to its steady state after others had the core: as long as `lead_us`, `lead_calls` of them (alone `ALONE_TIMES` as many) or once around the ring, but no longer than `lead_most_us`; 0 for a call that is longer than that, because what it suffers is then below 1 %."""
    if not calls.ns > 0:
        return 0
    most = int(settings.lead_most_us * 1e3 / calls.ns)
    wanted = settings.lead_calls * ALONE_TIMES if calls.alone else settings.lead_calls
    return max(round(settings.lead_us * 1e3 / calls.ns), min(most, max(wanted, calls.ring)))


def near_calls(calls: Calls, settings: Settings) -> int:
    """Untimed calls between the wait for a free core and the batches of a request, where a lead-in has a request of its own: the program that was waited for has used the caches and predictors too."""
    ns = calls.ns
    if calls.alone and ns <= settings.lead_most_us * 1e3:
        return max(1, min(ALONE_NEAR_CALLS, int(ALONE_NEAR_NS / ns)))
    return max(NEAR_CALLS, round(settings.lead_us * 1e3 / ns)) if ns <= settings.batch_us * 1e3 else 0


class Turn(msgspec.Struct, frozen=True):
    """How a turn is cut: `lead` untimed calls in a request of their own (0: none), then `requests` requests, each with a wait for a free core, `near` untimed calls and `batches` batches of `calls` calls."""

    lead: int
    requests: int
    near: int
    batches: int
    calls: int


def cut_turn(calls: Calls, needed: int, settings: Settings) -> Turn:
    """The turn of a lane with such calls, which needs `needed` batches in a pass.

    Short calls are led in within the request. A longer lead-in has a request of its own, so that what was waited for is not gone when it is over; then the lane stays for several requests, since leading
    in is what it pays for. Calls longer than a batch have all of theirs in one turn, as far as that takes `LONGEST_TURN_NS`.
    """
    batch_ns = settings.batch_us * 1e3
    ns, lead, near = calls.ns, lead_calls(calls, settings), near_calls(calls, settings)
    if ns <= batch_ns and lead * ns <= batch_ns:
        return Turn(0, 1, lead, settings.batches_per_turn, calls.batch)
    if ns <= batch_ns:
        return Turn(lead, REQUESTS_OF_MIDDLE, near, settings.batches_per_turn, calls.batch)
    fitting = int(settings.batches_per_turn * batch_ns / ns)
    batches = 1 if calls.slow else max(fitting, LONG_BATCHES if ns <= LONGEST_FOR_FOUR_NS else 2)
    most = max(1, int(LONGEST_TURN_NS / (batches * ns)))
    return Turn(lead, min(most, math.ceil(needed / batches)), near, batches, calls.batch)


def places_of(case: Case, form: str | None, ring: int, ns: float, alone: bool) -> int:
    """How many places, each with inputs of its own, the turns of a lane with calls of `ns` are taken at; 1 where a ring has other inputs in each call, where each call draws, under conditions, and where further inputs are not known, or too slow to prove."""
    plain = ring == 1 and not alone and not call_conditions(case.params)
    if not plain or ns > LONGEST_AT_PLACES_NS or (case.size_bytes or 0) > LARGEST_AT_PLACES_BYTES:
        return 1
    if members_known(case, form) < PLACES or member_cost_s(case, form) > DEAREST_PLACE_S:
        return 1
    return PLACES


def settled(cycles_ns: Sequence[float], known_ns: float | None) -> bool:
    """Whether a process falls no more after these cycles (ns a call of each): the last is near what is known of the lane, or not below the one before. One that is still far above what is known has `PLATEAU_CYCLES` to fall: a cache may be filled at the third use of a key."""
    last = cycles_ns[-1]
    if known_ns is not None and last <= NEAR_KNOWN * known_ns:
        return True
    far = known_ns is not None and last > FAR * known_ns and len(cycles_ns) < PLATEAU_CYCLES
    return not far and len(cycles_ns) > 1 and last >= SETTLED * cycles_ns[-2]
