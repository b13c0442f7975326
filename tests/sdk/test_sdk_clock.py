# SPDX-License-Identifier: Apache-2.0
"""With a scripted clock the figures of a turn are exact, and the readings come in the order that the method asks for."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conversation import Conversation
from sdk_build import COMPILER, SDK, compile_c

Program = Callable[..., list[str]]

PREPARE = "1 prepare case=0 op=clock/hash impl=default msg=hex:"
SECOND = 10**9
# Additions of one probe reading, and what a reading, a look while waiting and a batch of two calls leave in the journal.
CHAIN, THROUGHPUT = 200 * 64, 256 * 128
READ, LOOK, BATCH = "WWWW", "WWWWW", "WkkW"


def reading(ns: int) -> str:
    return f"{ns // SECOND}.{ns % SECOND:09d}"


def scripted(command: list[str], wall: list[int], cpu: list[int], request: str) -> tuple[dict[str, Any], str]:
    """The reply to `request` under a clock that gives these readings (ns), and the journal of what was read and called.

    Preparing takes the two readings before them: the set-up lasts 7 ns.
    """
    script = ",".join(map(reading, [3, 10, *wall])) + ";" + ",".join(map(reading, cpu))
    with Conversation(command, env={**os.environ, "CS_SCRIPT": script}) as talk:
        assert talk.ask(PREPARE)["setup_ns"] == 7
        reply = talk.ask(request)
        assert talk.end() == (0, b"")
        talk.drain.join()
        journal = talk.errors.decode().strip()
        assert journal.startswith("WW")
        return reply, journal[2:]


@pytest.fixture(scope="session")
def clock_worker(program: Program) -> list[str]:
    return program("clock_worker.c")


@pytest.mark.parametrize("start", [0, 2**32 - 1, 2**32 * SECOND - 3, 2**63 - 500, 2**63 - 1, 2**64 - 1])
@pytest.mark.parametrize("span", [1, 300_000, 2**32 - 1, 2**32 + 7, 3600 * SECOND + 1, 2**53 + 1])
def test_figures_are_exact(clock_worker: list[str], start: int, span: int) -> None:
    wall, cpu = [start, start + span], [start + 9, start + 9 + span // 3]
    reply, _ = scripted(clock_worker, wall, cpu, "2 run case=0 calls=3 lead=0")
    assert (reply["ns"], reply["cpu_ns"], reply["nivcsw"], reply["failed"]) == (span, span // 3, 5 * SECOND, 0)


def test_readings_come_in_order(clock_worker: list[str]) -> None:
    """Lead-in first; then context switches, CPU clock, wall clock; nothing but the calls; and back out."""
    _, journal = scripted(clock_worker, [5, 6], [7, 8], "2 run case=0 calls=4 lead=2")
    assert journal == "kk" + "SCW" + "kkkk" + "WCS"


class Script:
    """Readings of the wall clock, one after another; `now` is the last one."""

    def __init__(self) -> None:
        self.now = 1000
        self.wall: list[int] = []

    def step(self, *spans: int) -> Script:
        """A reading after each of these nanoseconds."""
        for span in spans:
            self.now += span
            self.wall.append(self.now)
        return self

    def probe(self, chain_ns: float, tput_ns: float) -> Script:
        """A probe reading of so many ns an addition; 3 ns between any two readings that bound nothing."""
        return self.step(3, round(chain_ns * CHAIN), 3, round(tput_ns * THROUGHPUT))

    def batch(self, ns: int) -> Script:
        return self.step(3, ns)


def probed(command: list[str], script: Script, cpu: list[int], request: str) -> tuple[dict[str, Any], str]:
    """As `scripted`, of a worker with probes."""
    reply, journal = scripted(command, script.wall, cpu, request)
    if reply["chain_ns"] is None:
        pytest.skip("no probe for this instruction set")
    return reply, journal


def test_a_probe_before_the_first_batch_and_after_each(clock_worker: list[str]) -> None:
    """Each batch has two readings of its own: what the probes between them take is in no batch."""
    turn = Script().step(0).probe(2, 0.5).batch(350).probe(2.5, 0.75).batch(7).probe(0.25, 0.0625).batch(2**33)
    turn.probe(4, 1).step(3)
    reply, journal = probed(clock_worker, turn, [0, SECOND], "2 run case=0 calls=2 lead=1 batches=3 probe=1")
    assert (reply["each"], reply["ns"]) == ([350, 7, 2**33], 2**33 + 357)
    assert (reply["chain_ns"], reply["tput_ns"]) == ([2.0, 2.5, 0.25, 4.0], [0.5, 0.75, 0.0625, 1.0])
    assert (reply["failed"], reply["waited_ns"], reply["nivcsw"]) == (0, 0, 5 * SECOND)
    assert journal == "k" + "SC" + "W" + READ + (BATCH + READ) * 3 + "W" + "CS"


@pytest.mark.parametrize("batches", [1, 2, 64])
def test_one_reading_more_than_batches(clock_worker: list[str], batches: int) -> None:
    turn = Script().step(0).probe(1, 0.25)
    for i in range(batches):
        turn.batch(10 + i).probe(2 + i, 0.5)
    turn.step(3)
    asked = f"2 run case=0 calls=2 lead=0 batches={batches} probe=1"
    reply, journal = probed(clock_worker, turn, [0, SECOND], asked)
    assert reply.get("each", [reply["ns"]]) == [10 + i for i in range(batches)]
    assert reply["chain_ns"] == [1.0, *(2.0 + i for i in range(batches))]
    assert reply["tput_ns"] == [0.25] + [0.5] * batches
    assert journal == "SCW" + READ + (BATCH + READ) * batches + "WCS"


@pytest.mark.parametrize("interrupted", [None, 0, 1, 2])
def test_cpu_time_is_that_of_the_batches(clock_worker: list[str], interrupted: int | None) -> None:
    """A turn of two batches of 400 and 500 us in a thread that runs for 900 us and for what three probes take. One that is interrupted lasts longer by the wall, and takes no more from the thread."""
    outside = Script().probe(0.5, 0.125).now - 1000 + 3
    turn = Script().step(0)
    for number, ns in enumerate((None, 400_000, 500_000)):
        if ns is not None:
            turn.batch(ns)
        if number == interrupted:
            turn.now += 4_000_000
        turn.probe(0.5, 0.125)
    turn.step(3)
    cpu = [0, 900_000 + 3 * outside]
    reply, _ = probed(clock_worker, turn, cpu, "2 run case=0 calls=1 lead=0 batches=2 probe=1")
    assert (reply["ns"], reply["cpu_ns"]) == (900_000, 900_000)


def test_cpu_time_that_the_probes_swallow_is_zero(clock_worker: list[str]) -> None:
    turn = Script().step(0).probe(1, 0.25).batch(100).probe(1, 0.25).step(3)
    reply, _ = probed(clock_worker, turn, [0, 50], "2 run case=0 calls=1 lead=0 probe=1")
    assert (reply["ns"], reply["cpu_ns"]) == (100, 0)


def test_a_clock_that_stands_still_in_a_probe_is_no_reading(clock_worker: list[str]) -> None:
    turn = Script().step(0).probe(0, 0.25).batch(100).probe(1, 0).step(3)
    reply, _ = probed(clock_worker, turn, [0, SECOND], "2 run case=0 calls=1 lead=0 probe=1")
    assert (reply["chain_ns"], reply["tput_ns"]) == ([None, 1.0], [0.25, None])


def test_waiting_ends_with_two_quiet_readings_in_a_row(clock_worker: list[str]) -> None:
    """Looks of 2, 4, 3.999, 4 and 4 additions a cycle, when 4 are asked for. It comes before the lead-in, and none of it is in the readings."""
    turn = Script().step(0)
    for tput in (0.5, 0.25, 0.2500763, 0.25, 0.25):
        turn.probe(1, tput).step(11)
    took = turn.wall[-1] - turn.wall[0]
    turn.step(3).probe(1, 0.5).batch(20).probe(2, 0.5).step(3)
    asked = "2 run case=0 calls=2 lead=1 probe=1 quiet=4000 wait=1000000"
    reply, journal = probed(clock_worker, turn, [0, SECOND], asked)
    assert (reply["waited_ns"], reply["ns"]) == (took, 20)
    assert (reply["chain_ns"], reply["tput_ns"]) == ([1.0, 2.0], [0.5, 0.5])
    assert journal == "W" + LOOK * 5 + "k" + "SCW" + READ + BATCH + READ + "WCS"


@pytest.mark.parametrize("longer", [1.03, 3.0, 100.0])
def test_an_interrupted_chain_is_not_quiet(clock_worker: list[str], longer: float) -> None:
    """It makes a core look free that reads 3.96 additions a cycle. One that grew by less did so with the core's clock."""
    script = Script().step(0)
    for chain, tput in ((0.99, 0.25), (0.99 * longer, 0.25), (0.99, 0.25), (1.0, 0.25), (1.0, 0.25)):
        script.probe(chain, tput).step(5)
    script.probe(1, 0.5)
    reply, journal = probed(clock_worker, script, [], "2 probe quiet=4000 wait=1000000")
    assert (reply["chain_ns"], reply["tput_ns"], journal) == ([1.0], [0.5], "W" + LOOK * 5 + READ)


@pytest.mark.parametrize(("wait_us", "looks"), [(0, 1), (39, 1), (40, 1), (41, 2), (80, 2), (81, 3)])
def test_waiting_ends_when_its_time_is_over(clock_worker: list[str], wait_us: int, looks: int) -> None:
    """A look takes 40 us here, and none is quiet enough: the time is looked at after each, so that there is always one."""
    script = Script().step(0)
    for _ in range(looks):
        begin = script.now
        script.probe(1, 0.25).step(0)
        script.wall[-1] = script.now = begin + 40_000
    script.probe(1, 0.5)
    reply, journal = probed(clock_worker, script, [], f"2 probe quiet=4001 wait={wait_us}")
    assert (reply["waited_ns"], reply["chain_ns"], reply["tput_ns"]) == (looks * 40_000, [1.0], [0.5])
    assert journal == "W" + LOOK * looks + READ


def test_a_look_without_a_reading_is_not_quiet(clock_worker: list[str]) -> None:
    script = Script().step(0).probe(0, 0.25).step(5).probe(1, 0).step(5)
    script.probe(1, 0.25).step(5).probe(1, 0.25).step(5).probe(3, 1)
    reply, journal = probed(clock_worker, script, [], "2 probe quiet=4000 wait=1000000")
    assert (reply["chain_ns"], reply["tput_ns"]) == ([3.0], [1.0])
    assert journal == "W" + LOOK * 4 + READ


def test_a_look_far_above_is_not_quiet(clock_worker: list[str]) -> None:
    """4.5 additions a cycle twice, when 4 are asked for: the chain was slowed, by something that lasts. 4.25 twice is quiet."""
    script = Script().step(0)
    for tput in (1 / 4.5, 1 / 4.5, 1 / 4.25, 1 / 4.25):
        script.probe(1, tput).step(5)
    script.probe(1, 0.5)
    reply, journal = probed(clock_worker, script, [], "2 probe quiet=4000 wait=1000000")
    assert (reply["tput_ns"], journal) == ([0.5], "W" + LOOK * 4 + READ)


def test_the_verb_probe_reads_and_does_nothing_else(clock_worker: list[str]) -> None:
    script = Script()
    for i in range(1, 6):
        script.probe(i, i / 4)
    reply, journal = probed(clock_worker, script, [], "2 probe count=5")
    assert reply["chain_ns"] == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert reply["tput_ns"] == [0.25, 0.5, 0.75, 1.0, 1.25]
    assert (reply["waited_ns"], journal) == (0, READ * 5)


def test_worker_without_probes_reads_and_waits_for_nothing(program: Program) -> None:
    """Its batches share their clock readings also with probe=1: there is nothing between them."""
    command = program("clock_worker.c", "-DCS_POSIX_ONLY")
    asked = "2 run case=0 calls=2 lead=1 batches=2 probe=1 quiet=4000 wait=1000000"
    reply, journal = scripted(command, [5, 12, 20], [3, 18], asked)
    assert (reply["each"], reply["cpu_ns"], journal) == ([7, 8], 15, "k" + "SCW" + "kkW" * 2 + "CS")
    assert (reply["chain_ns"], reply["tput_ns"], reply["waited_ns"]) == (None, None, 0)
    reply, journal = scripted(command, [], [], "2 probe count=7 quiet=4000 wait=1000000")
    assert (reply["chain_ns"], reply["tput_ns"], reply["waited_ns"], journal) == (None, None, 0, "")


@pytest.mark.parametrize(
    "request_line",
    ["2 probe count=0", "2 probe count=1025", "2 probe quiet=1", "2 probe wait=1", "2 probe quiet=1 wait=1000001"],
)
def test_what_is_refused_reads_nothing(clock_worker: list[str], request_line: str) -> None:
    reply, journal = scripted(clock_worker, [], [], request_line)
    assert (reply["error"], journal) == ("bad-request", "")


@pytest.mark.parametrize(
    "how", ["quiet=1 wait=1", "probe=0 quiet=1 wait=1", "probe=1 quiet=1", "probe=1 wait=1", "probe=1 quiet=0 wait=1"]
)
def test_a_run_that_is_refused_calls_nothing(clock_worker: list[str], how: str) -> None:
    reply, journal = scripted(clock_worker, [], [], f"2 run case=0 calls=1 lead=1 {how}")
    assert (reply["error"], journal) == ("bad-request", "")


@pytest.fixture(scope="session", params=[False, True], ids=["no-probes", "probes"])
def turn_program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """turn.c, without and with probes."""
    target = str(tmp_path_factory.mktemp("turn") / "turn")
    parts = (SDK / "src" / name for name in ("loop.c", "clock.c", "aside.c"))
    sources = [*map(str, parts), str(Path(__file__).with_name("turn.c"))]
    flags = ["-DTURN_PROBES"] if request.param else []
    compile_c(COMPILER, *flags, "-I", str(SDK / "include"), "-I", str(SDK / "src"), *sources, "-o", target)
    return target


@pytest.mark.parametrize("batches", [1, 6, 64])
@pytest.mark.parametrize("interrupted", [-1, 0, 1])
@pytest.mark.parametrize("chain_ps", [250, 390, 0, -1])
@pytest.mark.parametrize("counter", [0, 1])
def test_time_and_cycles_of_a_turn_hold_no_probe(
    turn_program: str, batches: int, interrupted: int, chain_ps: int, counter: int
) -> None:
    """In a world where a call takes 1000 ns and 4000 cycles, the figures are those of the calls, whatever a probe reads that was interrupted. A worker that has a hardware counter and no probes keeps its cycles."""
    done = subprocess.run(
        [turn_program, str(counter), str(batches), str(interrupted), str(chain_ps)],
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    ns = 3 * 1000 * batches
    assert done.stdout.split() == [str(ns), str(ns), str(4 * ns) if counter else "null"]


def test_one_reading_ends_a_batch_and_begins_the_next(clock_worker: list[str]) -> None:
    reply, journal = scripted(
        clock_worker, [5, 12, 12 + 2**33, 13 + 2**33], [0, 1], "2 run case=0 calls=2 lead=1 batches=3"
    )
    assert (reply["each"], reply["ns"]) == ([7, 2**33, 1], 2**33 + 8)
    assert journal == "k" + "SCW" + "kkW" * 3 + "CS"


def test_clock_that_stands_still_is_reported_as_zero(clock_worker: list[str]) -> None:
    reply, _ = scripted(clock_worker, [5, 5], [7, 7], "2 run case=0 calls=1 lead=0")
    assert (reply["ns"], reply["cpu_ns"]) == (0, 0)


def test_clock_that_runs_backwards_is_reported_as_zero(clock_worker: list[str]) -> None:
    reply, _ = scripted(clock_worker, [5 * SECOND, 4 * SECOND], [7, 6], "2 run case=0 calls=1 lead=0")
    assert (reply["ns"], reply["cpu_ns"]) == (0, 0)


def test_step_of_the_clock_is_the_smallest_that_was_seen(clock_worker: list[str]) -> None:
    reply, _ = scripted(clock_worker, [0, 40, 40, 65, 165], [], "2 hello protocol=2")
    assert reply["clock_step_ns"] == 25
