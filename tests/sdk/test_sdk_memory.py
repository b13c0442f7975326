# SPDX-License-Identifier: Apache-2.0
"""Memory figures against known uses of heap and stack."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conversation import Conversation

Program = Callable[..., list[str]]


@pytest.fixture
def counted(odd: list[str], heap_preload: Path) -> Iterator[Conversation]:
    with Conversation(odd, env={**os.environ, "LD_PRELOAD": str(heap_preload)}) as talk:
        yield talk


def test_heap_counts_a_known_pattern(counted: Conversation) -> None:
    assert counted.ask("1 hello protocol=2")["heap"] is True
    counted.ask("2 prepare case=0 op=odd-heap/hash impl=default msg=hex:")
    for _ in range(3):
        reply = counted.ask("3 memory case=0")
        # The call left in its output what malloc_usable_size told it: that may vary by a few bytes from call to call.
        promised = int(bytes.fromhex(counted.ask("4 output case=0 form=hex")["out"]))
        assert reply["heap_peak_bytes"] == promised > 200_000
        assert reply["allocations"] == 9
        assert reply["heap_live_bytes"] == 0


def test_resident_memory_is_the_workers_own(odd: list[str]) -> None:
    """The system counts what the starting process held as the new one's until it has its own memory."""
    held = b"x" * (200 << 20)
    with Conversation(odd) as talk:
        talk.ask("1 prepare case=0 op=harness/empty impl=sdk")
        assert len(held) and 500 < talk.ask("2 memory case=0")["max_rss_kib"] < 50_000


def test_mappings_count_as_heap(counted: Conversation) -> None:
    """Some libraries map the working memory of a password hash: 1 000 000 and 300 000 bytes in whole pages, of which the second stays."""
    counted.ask("1 prepare case=0 op=odd-maps/hash impl=default msg=hex:")
    page = os.sysconf("SC_PAGESIZE")
    both, stays = (
        sum(-(-length // page) * page for length in lengths) for lengths in ((1_000_000, 300_000), (300_000,))
    )
    for turn in (1, 2):
        reply = counted.ask("2 memory case=0")
        assert (reply["heap_peak_bytes"], reply["allocations"]) == (both, 2)
        assert reply["heap_live_bytes"] == turn * stays


def test_memory_that_is_not_there_is_said_and_the_worker_goes_on(odd: list[str]) -> None:
    limited = ["/bin/sh", "-c", 'ulimit -v 200000; exec "$@"', "sh", *odd]
    with Conversation(limited) as talk:
        for number, asked in ((1, 300_000_000), (2, 10**19)):
            given = str(asked).encode().hex()
            reply = talk.ask(f"{number} prepare case=0 op=odd-asks/hash impl=default msg=hex:{given}")
            assert reply["ok"] is False and reply["error"] == "out-of-memory"
            assert reply["detail"] == f"the system has no {asked} bytes for a call"
        given = str(10_000_000).encode().hex()
        assert talk.ask(f"3 prepare case=0 op=odd-asks/hash impl=default msg=hex:{given}")["ok"] is True
        assert talk.ask("4 compute case=0")["result"] == "ok"


def test_heap_held_by_setup_and_by_calls(counted: Conversation) -> None:
    counted.ask("1 prepare case=0 op=odd-leak/hash impl=default msg=hex:")
    counted.ask("2 prepare case=1 op=odd-leak/hash impl=default msg=gen:1:100000")
    first = counted.ask("3 memory case=0")
    assert 5700 <= first["heap_live_bytes"] < 5800
    assert 700 <= first["heap_peak_bytes"] < 720 and first["allocations"] == 1
    counted.ask("4 run case=0 calls=7 lead=2")
    counted.ask("5 compute case=0")
    grown = counted.ask("6 memory case=0")["heap_live_bytes"] - first["heap_live_bytes"]
    assert 11 * 700 <= grown < 11 * 720
    # What the SDK itself allocates, and what other cases hold, is not in the figure.
    assert 5700 <= counted.ask("7 memory case=1")["heap_live_bytes"] < 5800


def test_heap_figures_do_not_hold_the_probes(counted: Conversation) -> None:
    counted.ask("1 prepare case=0 op=odd-leak/hash impl=default msg=hex:")
    first = counted.ask("2 memory case=0")["heap_live_bytes"]
    counted.ask("3 run case=0 calls=1 lead=1 batches=10 probe=1 quiet=1000000000000 wait=100")
    counted.ask("4 probe count=1024")
    grown = counted.ask("5 memory case=0")["heap_live_bytes"] - first
    assert 12 * 700 <= grown < 12 * 720


def test_empty_call_uses_nothing(counted: Conversation) -> None:
    counted.ask("1 prepare case=0 op=harness/empty impl=sdk")
    reply = counted.ask("2 memory case=0")
    assert [reply[key] for key in ("heap_live_bytes", "heap_peak_bytes", "allocations", "stack_bytes")] == [0, 0, 0, 0]
    assert reply["max_rss_kib"] > 500


def test_heap_is_unknown_without_the_counter(odd: list[str]) -> None:
    with Conversation(odd) as talk:
        assert talk.ask("1 hello protocol=2")["heap"] is False
        talk.ask("2 prepare case=0 op=odd-heap/hash impl=default msg=hex:")
        reply = talk.ask("3 memory case=0")
        assert [reply[key] for key in ("heap_live_bytes", "heap_peak_bytes", "allocations")] == [None, None, None]


@pytest.mark.parametrize("machine", ["native", "aarch64"])
@pytest.mark.parametrize("used", [2000, 8000, 30_000, 300_000, 900_000])
def test_painted_stack_finds_a_known_use(program: Program, machine: str, used: int) -> None:
    with Conversation(program("odd_worker.c", machine=machine)) as talk:
        talk.ask(f"1 prepare case=0 op=odd-stack/hash impl=default msg=hex:{str(used).encode().hex()}")
        talk.ask("2 compute case=0")
        assert talk.ask("3 memory case=0")["stack_bytes"] == pytest.approx(used, rel=0.1)
        assert talk.ask("4 memory case=0")["stack_bytes"] == pytest.approx(used, rel=0.1)


def test_stack_that_is_too_deep_ends_the_worker(odd: list[str]) -> None:
    """By a signal at the guard page, not by writing over something else."""
    with Conversation(odd) as talk:
        talk.ask(f"1 prepare case=0 op=odd-stack/hash impl=default msg=hex:{b'1100000'.hex()}")
        assert talk.ask("2 compute case=0")["result"] == "ok"
        with pytest.raises(AssertionError, match="the worker ended: -11"):
            talk.ask("3 memory case=0")
