# SPDX-License-Identifier: Apache-2.0
"""Probes and counters on the real machine, with bounds that a busy one keeps too."""

from __future__ import annotations

import os
import statistics
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from conversation import Conversation
from undisturbed import least

pytestmark = pytest.mark.skipif(os.uname().machine not in ("x86_64", "aarch64"), reason="no probes for this machine")


@pytest.fixture
def talk(odd: list[str]) -> Iterator[Conversation]:
    with Conversation(odd) as conversation:
        conversation.ask("1 prepare case=0 op=harness/empty impl=sdk")
        yield conversation


def test_hello_names_clocks_and_probes(talk: Conversation) -> None:
    reply = talk.ask("2 hello protocol=2")
    assert reply["probe"] == os.uname().machine
    assert reply["ref_counter"] == ("tsc" if os.uname().machine == "x86_64" else "cntvct")
    assert reply["clock"] == "CLOCK_MONOTONIC" and 0 < reply["clock_step_ns"] < 10_000_000


def readings(reply: dict[str, Any]) -> tuple[Sequence[float], Sequence[float]]:
    """Both halves of the probe readings of a reply, which has as many of either."""
    chain, throughput = reply["chain_ns"], reply["tput_ns"]
    assert len(chain) == len(throughput)
    return chain, throughput


def plausible(chain: Sequence[float], throughput: Sequence[float]) -> None:
    """0.1 to 10 GHz; eight chains never slower than one, and no core does more than 16 additions in a cycle. The least of many readings: an interruption only adds."""
    assert 0.1 < min(chain) < 10
    assert 1 < min(chain) / min(throughput) < 16


@pytest.mark.parametrize("batches", [1, 2, 6, 64])
def test_readings_around_batches_are_plausible(talk: Conversation, batches: int) -> None:
    """One more than batches, whatever the number."""
    chain: list[float] = []
    throughput: list[float] = []
    for _ in range(40):
        reply = talk.ask(f"2 run case=0 calls=100 lead=1 probe=1 batches={batches}")
        assert len(reply["chain_ns"]) == batches + 1 and min(reply.get("each", [reply["ns"]])) > 0
        chain += readings(reply)[0]
        throughput += readings(reply)[1]
    plausible(chain, throughput)


@pytest.mark.parametrize("count", [1, 128, 1024])
def test_readings_by_the_verb_are_plausible(talk: Conversation, count: int) -> None:
    replies = [talk.ask(f"2 probe count={count}") for _ in range(40)]
    assert {len(reply["chain_ns"]) for reply in replies} == {count}
    plausible(
        [one for reply in replies for one in readings(reply)[0]],
        [one for reply in replies for one in readings(reply)[1]],
    )


def test_both_ways_to_a_reading_agree(talk: Conversation) -> None:
    """The least of many readings of `run` and of `probe` are of one core: the same within a factor that no change of its clock explains."""
    around = [talk.ask("2 run case=0 calls=100 lead=1 probe=1 batches=64") for _ in range(10)]
    alone = [talk.ask("2 probe count=65") for _ in range(10)]
    for half in (0, 1):
        a, b = (min(min(readings(reply)[half]) for reply in replies) for replies in (around, alone))
        assert 0.25 < a / b < 4


def test_readings_are_not_in_the_time_of_the_batches(talk: Conversation) -> None:
    """65 readings take at least ten times as long as 64 batches of one empty call; by their sum they would be most of it. The least of many: both may be interrupted."""
    shares = []
    for _ in range(40):
        reply = talk.ask("2 run case=0 calls=1 lead=1 probe=1 batches=64")
        chain, throughput = readings(reply)
        shares.append(reply["ns"] / sum(200 * 64 * c + 256 * 128 * t for c, t in zip(chain, throughput, strict=True)))
    assert 0 < min(shares) < 0.25


@pytest.mark.parametrize("asked", ["run case=0 calls=100 lead=1 probe=1", "probe count=3"])
def test_waiting_for_what_is_usual_ends_before_its_time(talk: Conversation, asked: str) -> None:
    """What half of the readings of this very moment reach, within a tenth. Least of several: a second of readings in which no two in a row are usual is not usual itself."""
    waited = []
    for _ in range(10):
        chain, throughput = readings(talk.ask("2 probe count=200"))
        usual = statistics.median(c / t for c, t in zip(chain, throughput, strict=True))
        waited.append(talk.ask(f"2 {asked} quiet={round(950 * usual)} wait=1000000")["waited_ns"])
    assert 0 < min(waited) < 1_000_000_000


@pytest.mark.parametrize("asked", ["run case=0 calls=100 lead=1 probe=1", "probe count=3"])
def test_a_reading_far_above_is_no_free_core(talk: Conversation, asked: str) -> None:
    """No core is as slow as a thousandth of an addition a cycle: what reads a thousand times more says nothing of it."""
    assert talk.ask(f"2 {asked} quiet=1 wait=2000")["waited_ns"] >= 2_000_000


@pytest.mark.parametrize("wait", [0, 300, 20_000])
@pytest.mark.parametrize("asked", ["run case=0 calls=100 lead=1 probe=1", "probe count=3"])
def test_waiting_for_what_no_core_reaches_takes_its_time(talk: Conversation, asked: str, wait: int) -> None:
    reply = talk.ask(f"2 {asked} quiet=1000000000000 wait={wait}")
    assert reply["waited_ns"] >= max(1, wait * 1000)
    assert len(reply["chain_ns"]) == len(reply["tput_ns"]) == (2 if asked.startswith("run") else 3)


def test_nothing_is_waited_for_where_nobody_asks(talk: Conversation) -> None:
    for asked in ("run case=0 calls=1 lead=0", "run case=0 calls=1 lead=0 probe=1", "probe"):
        assert talk.ask(f"2 {asked}")["waited_ns"] == 0


def test_multiplication_takes_a_few_additions(talk: Conversation) -> None:
    assert 2.5 < talk.ask("2 check-probe")["imul_ratio"] < 5.5


def test_time_grows_with_the_number_of_calls(talk: Conversation) -> None:
    """The loop makes as many calls as asked for: a hundred times as many take at least 30 times as long."""

    def calls(count: int) -> Callable[[], float]:
        return lambda: float(talk.ask(f"2 run case=0 calls={count} lead=1")["ns"])

    least(lambda short, long: 30 < long / short < 300, calls(10_000), calls(1_000_000))


def test_clocks_agree(talk: Conversation) -> None:
    reply = talk.ask("2 run case=0 calls=3000000 lead=1")
    assert 0 < reply["cpu_ns"] < 2 * reply["ns"]
    assert reply["ref"] > 0 and reply["nivcsw"] >= 0


def test_a_librarys_own_threads_are_its_cost(program) -> None:  # type: ignore[no-untyped-def]
    """The caller waits meanwhile: its thread's own time would say that the call costs next to nothing."""
    with Conversation(program("threads_worker.c", "-pthread")) as own:
        assert own.ask("1 prepare case=0 op=threads/hash impl=default msg=hex:00")["ok"] is True
        reply = own.ask("2 run case=0 calls=5 lead=1")
    assert reply["cpu_ns"] >= 5 * 4_000_000
