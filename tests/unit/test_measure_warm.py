# SPDX-License-Identifier: Apache-2.0
"""How much leads a turn in, when a process counts as settled, and where turns are taken: the law of decision 0046, at its edges."""

from __future__ import annotations

import pytest

from cipherstone.measure import warm
from cipherstone.measure.warm import Calls, cut_turn, lead_calls, places_of, settled
from cipherstone.model.ids import Case
from cipherstone.model.records import Settings


@pytest.mark.parametrize(
    ("ns", "ring", "calls"),
    [
        (0.0, 1, 0), (1.0, 1, 5000), (312.5, 1, 16), (300.0, 1, 17), (100_000.0, 1, 16), (70_000.0, 64, 64),
        (312_500.0, 1, 16), (312_501.0, 16, 15), (2_500_000.0, 1, 2), (5_000_000.0, 1, 1), (5_000_001.0, 1, 0),
    ],
)  # fmt: skip
def test_how_many_calls_lead_in(ns: float, ring: int, calls: int) -> None:
    """5 us, sixteen or once around the ring, 5 ms at most."""
    assert lead_calls(Calls(ns, ring=ring), Settings()) == calls
    assert lead_calls(Calls(ns, ring=ring), Settings(lead_us=0.0, lead_calls=0, lead_most_us=0.0)) == 0


@pytest.mark.parametrize(
    ("ns", "lead", "near"),
    [
        (20_000.0, 64, 16), (54_000.0, 64, 16), (78_125.0, 64, 12), (100_001.0, 49, 9), (337_000.0, 14, 2),
        (1_000_001.0, 4, 1), (5_000_000.0, 1, 1), (5_000_001.0, 0, 0),
    ],
)  # fmt: skip
def test_calls_that_are_a_figure_each_are_led_in_for_longer(ns: float, lead: int, near: int) -> None:
    """A median does not leave out calls that are still too long: 64 calls lead in, and 1 ms of calls follows the wait."""
    cut = cut_turn(Calls(ns, alone=True), 22, Settings())
    assert (cut.lead, cut.near) == (lead, near)
    assert cut_turn(Calls(ns), 22, Settings()).near == (2 if ns <= 100_000 else 0)


@pytest.mark.parametrize(
    "ns", [10.0, 1000.0, 7000.0, 99_000.0, 101_000.0, 400_000.0, 999_000.0, 2e6, 2.9e6, 5e6, 60e6, 1e9]
)
@pytest.mark.parametrize("ring", [1, 16])
def test_a_turn_is_never_longer_than_it_says_and_never_without_calls(ns: float, ring: int) -> None:
    settings = Settings()
    calls = max(1, round(1e5 / ns))
    cut = cut_turn(Calls(ns, calls, ring, ns > settings.slow_ns), 22, settings)
    assert min(cut.requests, cut.batches, cut.calls) >= 1 and min(cut.lead, cut.near) >= 0
    assert cut.requests * cut.batches * calls * ns <= max(60e6, cut.batches * calls * ns)
    assert cut.lead * ns <= max(5e6, 5e3)


@pytest.mark.parametrize(
    ("cycles", "known", "answer"),
    [
        ([100.0], None, False),
        ([110.0], 100.0, True),
        ([111.0], 100.0, False),
        ([50.0], 100.0, True),
        ([100.0, 97.0], None, True),
        ([100.0, 96.9], None, False),
        ([400.0, 400.0], None, True),
        ([400.0, 400.0], 100.0, False),  # four times what is known: it may yet fall
        ([400.0, 400.0, 400.0, 400.0], 100.0, True),
        ([124.0, 124.0], 100.0, True),
    ],
)
def test_when_a_process_falls_no_more(cycles: list[float], known: float | None, answer: bool) -> None:
    assert settled(cycles, known) is answer


def test_turns_have_places_where_inputs_can_be_others_and_are_cheap(monkeypatch: pytest.MonkeyPatch) -> None:
    def count(case: str, ns: float = 1000.0, ring: int = 1, alone: bool = False) -> int:
        return places_of(Case.parse(case), None, ring, ns, alone)

    assert count("sha-256/hash/bytes=64") == count("aes-128-gcm/open/bytes=1024") == warm.PLACES
    assert count("sha-256/hash/bytes=64", ring=2) == count("sha-256/hash/bytes=64", alone=True) == 1
    assert count("sha-256/hash/bytes=64", ns=20e6) == warm.PLACES and count("sha-256/hash/bytes=64", ns=21e6) == 1
    assert count("sha-256/hash/bytes=64,offset=1") == 1
    assert count("sha-256/hash/bytes=4194304") == warm.PLACES and count("sha-256/hash/bytes=4194305") == 1
    monkeypatch.setattr(warm, "member_cost_s", lambda case, form: 0.06)
    assert count("sha-256/hash/bytes=64") == 1
    monkeypatch.setattr(warm, "member_cost_s", lambda case, form: 0.0)
    monkeypatch.setattr(warm, "members_known", lambda case, form: warm.PLACES - 1)
    assert count("sha-256/hash/bytes=64") == 1
