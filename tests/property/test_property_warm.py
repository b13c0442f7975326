# SPDX-License-Identifier: Apache-2.0
"""How many untimed calls lead a turn in, how a turn is cut, and when a process has settled: against docs/concepts/warm.md in its slow form."""

from __future__ import annotations

from generated_runs import examples
from hypothesis import given
from hypothesis import strategies as st

from cipherstone.measure.warm import Calls, cut_turn, lead_calls, settled
from cipherstone.model.records import Settings

ns_of_call = st.one_of(st.floats(20, 8e6), st.sampled_from((6_250.0, 100_000.0, 312_500.0, 1e6, 5e6)))
kept = st.builds(
    Settings,
    lead_us=st.sampled_from((5.0, 20.0)),
    lead_calls=st.sampled_from((1, 16)),
    lead_most_us=st.sampled_from((500.0, 5000.0)),
    batch_us=st.sampled_from((50.0, 100.0)),
    batches_per_turn=st.sampled_from((4, 8)),
)


def lead(ns: float, ring: int, settings: Settings, alone: bool = False) -> int:
    """So many calls (four times as many of those that are a figure each), or once around the ring, as long as they take no more than is allowed; but for short calls as many as take the least time."""
    calls = 0
    while (
        calls < max(settings.lead_calls * (4 if alone else 1), ring)
        and (calls + 1) * ns <= settings.lead_most_us * 1000
    ):
        calls += 1
    return max(calls, round(settings.lead_us * 1000 / ns))


def near(ns: float, settings: Settings, alone: bool) -> int:
    """After the wait: two, or as many as take the least time, of calls that fit into a batch. Of those that are a figure each as many as take a millisecond, one to sixteen; none of a call that nothing leads in."""
    if not alone:
        return max(2, round(settings.lead_us * 1000 / ns)) if ns <= settings.batch_us * 1000 else 0
    if ns > settings.lead_most_us * 1000:
        return near(ns, settings, False)
    return next((calls for calls in range(16, 1, -1) if calls * ns <= 1e6), 1)


@given(ns_of_call, st.sampled_from((1, 1, 16, 64)), kept, st.booleans())
@examples(200)
def test_calls_that_lead_in(ns: float, ring: int, settings: Settings, alone: bool) -> None:
    assert lead_calls(Calls(ns, ring=ring, alone=alone), settings) == lead(ns, ring, settings, alone)
    assert lead_calls(Calls(0.0, ring=ring, alone=alone), settings) == 0


@given(ns_of_call, st.sampled_from((1, 1, 16)), st.integers(1, 40), st.booleans(), kept, st.booleans())
@examples(200)
def test_turns(ns: float, ring: int, needed: int, slow: bool, settings: Settings, alone: bool) -> None:
    """A short lead-in stands within the request, a longer one in a request of its own before three; calls longer than a batch have all that is needed in one turn, in requests of a few, and no turn takes more than 60 ms that has a choice."""
    batch_ns = settings.batch_us * 1000
    before = lead(ns, ring, settings, alone)
    found = cut_turn(Calls(ns, 3, ring, slow, alone), needed, settings)
    assert found.calls == 3
    if ns <= batch_ns:
        assert found.batches == settings.batches_per_turn
        if before * ns <= batch_ns:
            assert (found.lead, found.near, found.requests) == (0, before, 1)
        else:
            assert (found.lead, found.near) == (before, near(ns, settings, alone))
            assert found.requests == 3
        return
    assert (found.lead, found.near) == (before, near(ns, settings, alone))
    if slow:
        assert found.batches == 1
    else:
        fit = int(settings.batches_per_turn * batch_ns / ns)
        assert found.batches == max(fit, 4 if ns <= 1e6 else 2)
    assert found.requests == 1 or found.requests * found.batches * ns <= 60e6
    enough = found.requests * found.batches >= needed
    assert enough or (found.requests + 1) * found.batches * ns > 60e6
    assert found.requests == 1 or (found.requests - 1) * found.batches < needed


cycles = st.lists(st.sampled_from((100.0, 108.0, 112.0, 124.0, 128.0, 200.0, 400.0)), min_size=1, max_size=6)


@given(cycles, st.one_of(st.none(), st.sampled_from((100.0, 185.0))))
@examples(300)
def test_settled(one: list[float], known: float | None) -> None:
    """The last cycle is within a tenth of what is known, or not 3 % below the one before; one far above what is known has four cycles at least."""
    near = known is not None and one[-1] <= known * 1.1
    falls = len(one) == 1 or one[-1] < 0.97 * one[-2]
    far = known is not None and one[-1] > 1.25 * known
    assert settled(one, known) == (near or (not falls and not (far and len(one) < 4)))
