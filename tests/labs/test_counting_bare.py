# SPDX-License-Identifier: Apache-2.0
"""Counts of machines without an operating system: a second counter agrees, what faults ends, known answers are proven there, the stack is what the lowest store says."""

from __future__ import annotations

import functools
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from counted import BARE, PATIENCE, TOOLCHAIN, emulated, need, toy_for
from scripts import ROOT

from cipherstone.build.counter import Tally, counting_plugin, markers, plugin_words, tallies
from cipherstone.build.systems import this_system
from cipherstone.build.targets import TARGETS, emulator_of
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.libraries import load_library
from cipherstone.execute.counting.board import BoardEmulator
from cipherstone.execute.counting.cell import CountingBench, Problem
from cipherstone.execute.counting.jobs import CountRequest, Job, count_everything
from cipherstone.model.counts import Count, CountedTarget, Counting
from cipherstone.model.errors import WorkerError
from cipherstone.protocol.messages import Prepared
from cipherstone.worker import WorkerProcess


@pytest.fixture(scope="session")
def toys(tmp_path_factory: pytest.TempPathFactory, worker_cache: Path) -> Callable[[str], Path]:
    """The SDK's library that is none, for a target."""
    return functools.cache(lambda target: toy_for(target, tmp_path_factory.mktemp(target), worker_cache))


def stepped(target: str, toy: Path, sizes: list[int], folder: Path) -> list[int]:
    """What an emulator without a plugin says that it executes, an instruction a line, between the two functions; less the empty call."""
    emulator, _ = emulator_of(TARGETS[target])
    log = folder / "steps"
    lines = ["1 prepare case=0 op=harness/empty impl=sdk", "2 compute case=0"]
    for size in sizes:
        lines += [f"1 prepare case=1 op=toy-sum/hash impl=default msg=gen:7:{size}", "2 compute case=1"]
    words = TARGETS[target].words(emulator, str(toy), ("-singlestep", "-d", "exec,nochain", "-D", str(log)))
    done = subprocess.run(words, input="\n".join([*lines, "3 bye\n"]), capture_output=True, text=True, check=True)
    assert done.stdout.count('"result":"ok"') == 1 + len(sizes)
    begin, end = markers(toy)
    found, seen = [], 0
    with log.open() as file:
        for line in file:
            at = int(line.split("/", 2)[1], 16)
            if at == begin:
                seen = 0
            elif at == end:
                found.append(seen)
            seen += 1
    null, *rest = found
    return [one - null for one in rest]


@pytest.mark.parametrize("target", BARE)
def test_two_counters_agree_without_an_operating_system(
    target: str, toys: Callable[[str], Path], worker_cache: Path, tmp_path: Path
) -> None:
    """The plugin, and the emulator's own log of single steps: the same numbers to the last digit."""
    toy, sizes = toys(target), [1, 100, 1500]
    ours = [one.instructions for one in emulated(target, toy, sizes, tmp_path, worker_cache)]
    assert ours == stepped(target, toy, sizes, tmp_path) and ours[0] > 0


FAULTS = """
#include "cipherstone.h"
static int none(cs_case *c)
{
    c->out_len = 0;
    return CS_OK;
}
static int fault(cs_case *c)
{
    (void)c;
    __asm__ volatile("udf #0");
    return CS_OK;
}
static int endless(cs_case *c)
{
    volatile char page[4096];
    page[0] = 1;
    return endless(c) + page[0];
}
static const cs_op ops[] = {
    {.id = "toy-sum/hash", .impl = "fault", .name = "fault", .setup = none, .call = fault},
    {.id = "toy-sum/hash", .impl = "endless", .name = "endless", .setup = none, .call = endless},
};
static const char *version(void)
{
    return "1";
}
static const cs_library library = {.abi = CS_ABI, .id = "toy", .version = version, .version_from = "library", .tables = CS_ROWS(ops)};
CS_WORKER_MAIN(library)
"""


@pytest.mark.parametrize("target", BARE)
@pytest.mark.parametrize("impl", ["fault", "endless"])
def test_what_faults_without_an_operating_system_ends(
    target: str, impl: str, worker_cache: Path, tmp_path: Path
) -> None:
    """An instruction that is none, a stack that has no end: the worker ends, and says where if it can."""
    need(target)
    (tmp_path / "faults.c").write_text(FAULTS)
    toy = toy_for(target, tmp_path, worker_cache, tmp_path / "faults.c")
    emulator, _ = emulator_of(TARGETS[target])
    with WorkerProcess(TARGETS[target].words(emulator, str(toy)), padding_bytes=0, patience=PATIENCE) as worker:
        worker.prepare(0, "toy-sum/hash", impl, {"msg": "hex:00"})
        with pytest.raises(WorkerError) as error:
            worker.compute(0)
        assert error.value.outcome == "crashed"
        assert impl == "endless" or "fault at 0x" in worker.stderr_tail()


ADAPTER = """
#include "adapter_sha256.h"
#include "cipherstone.h"
static int setup(cs_case *c)
{
    c->out_len = SHA256_DIGEST;
    return CS_OK;
}
static int call(cs_case *c)
{
    struct sha256 hash;
    volatile uint8_t more[BYTES];
    more[0] = 1;
    sha256_begin(&hash);
    sha256_take(&hash, c->msg.data, c->msg.len);
    sha256_end(&hash, c->out);
    c->out[0] ^= (uint8_t)(WRONG * more[0]);
    return CS_OK;
}
static const cs_op ops[] = {
    {.id = "sha-256/hash", .impl = "default", .name = "sha256", .setup = setup, .call = call, .rekey = cs_key_in_call},
};
static const char *version(void)
{
    return "1";
}
static const cs_library library = {.abi = CS_ABI, .id = "small", .version = version, .version_from = "library", .tables = CS_ROWS(ops)};
CS_WORKER_MAIN(library)
"""
LIBRARY = """
id = "small"
title = "A hash"
licence = "Apache-2.0"
language = "c"
sources = ["adapter.c", "_sha256/adapter_sha256.c"]
notes = "a hash of our own"

[[implementation]]
impl = "*"
constant_time = "yes"
hardware = "none"

[[build]]
variant = "O2"
why = "a build"
version = "1.0"
flags = ["-O2"]
default = true
"""


def small(
    target: str, folder: Path, cache: Path, size: int, wrong: int, adapter: str = ADAPTER
) -> tuple[CountedTarget, list[Count]]:
    """A laboratory of one hash, counted."""
    need(target)
    (folder / "labs/small").mkdir(parents=True)
    (folder / "labs/_sha256").symlink_to(ROOT / "libraries/_sha256")
    (folder / "labs/small/library.toml").write_text(LIBRARY)
    (folder / "labs/small/adapter.c").write_text(f"#define BYTES {size}\n#define WRONG {wrong}\n{adapter}")
    catalogue = load_catalogue(ROOT)
    library = load_library(folder / "labs/small", catalogue)
    workshop = Workshop(ROOT, cache, TOOLCHAIN, this_system())
    found = count_everything(
        workshop, [Job(TARGETS[target], library, library.builds[0])], catalogue, CountRequest(), print
    )
    return found.targets[0], list(found.counts)


@pytest.mark.parametrize("target", ["cortex-m0plus", "cortex-m4"])
def test_proven_and_counted_without_an_operating_system(target: str, tmp_path: Path, worker_cache: Path) -> None:
    """The known answers hold there, the count is of one call, and a bigger frame is a deeper stack by as much."""
    told, (one,) = small(target, tmp_path / "1", worker_cache, 1000, 0)
    assert (told.problem, one.outcome, one.proof) == ("", Counting.COUNTED, "ok")
    assert one.instructions and 30 * 16384 < one.instructions < 500 * 16384 and one.stack_bytes
    assert sum(one.classes.values()) < 2 * one.instructions and one.classes["divide"] == 0
    assert "arm-none-eabi" in told.compiler and f"-mcpu={target}" in told.flags
    _, (more,) = small(target, tmp_path / "2", worker_cache, 3000, 0)
    assert more.stack_bytes and more.stack_bytes - one.stack_bytes == 2000


ALLOCATES = """
#include <stdlib.h>
""" + ADAPTER.replace(
    "c->out_len = SHA256_DIGEST;", "c->out_len = SHA256_DIGEST; c->state = malloc(700);"
).replace("sha256_begin(&hash);", "volatile char *two[] = {malloc(3000), calloc(1, 500)}; two[0][0] = two[1][0] = 1; sha256_begin(&hash);").replace(
    "    return CS_OK;\n}\nstatic const cs_op", "    free((void *)two[0]); free((void *)two[1]); return CS_OK;\n}\nstatic const cs_op"
).replace(".call = call,", ".call = call, .teardown = drop,").replace(
    "static int call", "static void drop(cs_case *c) { free(c->state); }\nstatic int call", 1
)  # fmt: skip


# Holds what its set-up allocated; its calls allocate nothing, or give back and take again.
HOLDS = "#include <stdlib.h>\n" + ADAPTER.replace(
    "c->out_len = SHA256_DIGEST;", "c->out_len = SHA256_DIGEST; c->state = malloc(700);"
)
MOVES = HOLDS.replace("sha256_begin(&hash);", "sha256_begin(&hash); c->state = realloc(c->state, 900);")


@pytest.mark.parametrize("target", ["cortex-m4", "aarch64", "armv7a", "ppc64le"])
def test_the_heap_of_a_call_is_told_and_moves_no_count(
    target: str, tmp_path: Path, worker_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the worker's twin: what is held, and the peak of one call above it; the worker that is counted has no wrappers. No call is made for it where those that were counted did not enter the allocator."""
    real, asked = CountingBench.heap, []

    def heap(one: CountingBench, ready: Callable[[WorkerProcess], Prepared], left: Problem, allocates: bool) -> object:
        asked.append(allocates)
        return real(one, ready, left, allocates)

    monkeypatch.setattr(CountingBench, "heap", heap)
    _, (held,) = small(target, tmp_path / "3", worker_cache, 10, 0, HOLDS)
    assert held.heap_bytes == 0 and held.held_bytes is not None and 700 <= held.held_bytes < 800
    _, (moved,) = small(target, tmp_path / "4", worker_cache, 10, 0, MOVES)
    assert moved.held_bytes is not None and 900 <= moved.held_bytes < 1000
    _, (one,) = small(target, tmp_path / "1", worker_cache, 10, 0, ALLOCATES)
    assert one.outcome is Counting.COUNTED and one.heap_bytes is not None and one.held_bytes is not None
    assert 3500 <= one.heap_bytes < 3600 and 700 <= one.held_bytes < 800
    _, (none,) = small(target, tmp_path / "2", worker_cache, 10, 0)
    assert (none.heap_bytes, none.held_bytes) == (0, 0)
    assert asked == [False, True, True, False]


# A page ends behind an IT, and with it the stretch of code that is translated at a time. Of two rounds one loads twice and one stores twice.
CONDITIONAL = """
#include <stdint.h>
__attribute__((naked, noinline)) static void rounds(uint32_t count, volatile uint32_t *words)
{
    (void)count;
    (void)words;
    __asm__ volatile(".syntax unified\\n\\t"
                     "b.w 2f\\n\\t"
                     ".p2align 10\\n\\t"
                     ".space 1014\\n"
                     "2: tst.w r0, #1\\n\\t"
                     "push {r0-r3}\\n\\t"
                     "pop {r0-r3}\\n\\t"
                     "ittee ne\\n\\t"
                     "ldrne r2, [r1]\\n\\t"
                     "ldrne r2, [r1, #4]\\n\\t"
                     "streq r2, [r1]\\n\\t"
                     "streq r2, [r1, #4]\\n\\t"
                     "ldmia.w r1, {r2, r3}\\n\\t"
                     "subs r0, #1\\n\\t"
                     "bne.w 2b\\n\\t"
                     "bx lr");
}
""" + ADAPTER.replace(
    "sha256_begin(&hash);", "static volatile uint32_t words[2]; rounds(BYTES, words); sha256_begin(&hash);"
).replace("more[BYTES]", "more[1]")


@pytest.mark.parametrize("target", ["cortex-m3", "cortex-m33", "armv7a-thumb"])
def test_accesses_on_a_condition_are_counted_where_they_are_made(
    target: str, tmp_path: Path, worker_cache: Path
) -> None:
    """Most accesses are told by the text of an instruction, and how often it is executed; not of one that a condition may leave out."""
    _, (few,) = small(target, tmp_path / "1", worker_cache, 100, 0, CONDITIONAL)
    _, (many,) = small(target, tmp_path / "2", worker_cache, 300, 0, CONDITIONAL)
    assert few.instructions and many.instructions and many.instructions - few.instructions == 200 * 11
    more = {name: many.classes[name] - few.classes[name] for name in ("load", "store")}
    assert more == {"load": 100 * (2 + 2 * 6), "store": 100 * (2 + 2 * 4)}


def test_what_is_wrong_on_a_board_is_not_counted(tmp_path: Path, worker_cache: Path) -> None:
    _, (one,) = small("cortex-m3", tmp_path, worker_cache, 1, 1)
    assert (one.outcome, one.instructions, one.proof) == (Counting.WRONG, None, "wrong")


# The first call of a program makes something for good, as a library that computes its tables when they are needed does.
AT_FIRST = ADAPTER.replace(
    "    sha256_begin(&hash);",
    "    static volatile int made; if (!made) for (int i = 0; i < 999; i++) made++;\n    sha256_begin(&hash);",
)
# What is prepared is drawn, and how long a call takes hangs on it.
DRAWS = (
    "#define _DEFAULT_SOURCE\n#include <sys/random.h>\n#include <unistd.h>\nstatic uint16_t more_work;\n"
    + ADAPTER.replace(
        "    c->out_len = ", "    if (getentropy(&more_work, 2) != 0) return CS_ERROR;\n    c->out_len = "
    ).replace(
        "    sha256_begin(&hash);", "    for (volatile unsigned i = 0; i < more_work; i++) {}\n    sha256_begin(&hash);"
    )
).replace("#define _DEFAULT_SOURCE", "#define _DEFAULT_SOURCE\n#include <stdint.h>", 1)


@pytest.mark.parametrize("target", ["cortex-m0plus", "aarch64"])
def test_what_a_first_call_makes_and_what_is_drawn(target: str, tmp_path: Path, worker_cache: Path) -> None:
    """Where two calls differ it is the second that counts; where each process has its own there is no count, though two calls in one took the same."""
    _, (usual,) = small(target, tmp_path / "1", worker_cache, 10, 0)
    _, (once,) = small(target, tmp_path / "2", worker_cache, 10, 0, AT_FIRST)
    assert usual.instructions and once.instructions and once.outcome is Counting.COUNTED
    assert 0 < once.instructions - usual.instructions < 50
    _, (drawn,) = small(target, tmp_path / "3", worker_cache, 10, 0, DRAWS)
    assert drawn.outcome is Counting.VARIES and len({*drawn.seen}) == 2, drawn


def test_a_board_that_begins_anew_is_as_a_fresh_one(
    tmp_path: Path, worker_cache: Path, toys: Callable[[str], Path]
) -> None:
    """Memory is as it was at first, whatever was done before: the same counts as in an emulator of its own, stack too."""
    target, toy = TARGETS["cortex-m0plus"], toys("cortex-m0plus")
    emulator, _ = emulator_of(target)
    plugin = counting_plugin(TOOLCHAIN, ROOT, worker_cache)

    out = tmp_path / "calls"

    def start() -> WorkerProcess:
        words = target.words(emulator, str(toy), plugin_words(plugin, markers(toy), out), again=True)
        return WorkerProcess(words, padding_bytes=0, patience=PATIENCE)

    def case(kind: str, size: int) -> Callable[[WorkerProcess], None]:
        def ready(worker: WorkerProcess) -> None:
            worker.prepare(0, kind, "default", {"msg": f"gen:7:{size}"})

        return ready

    def count(board: BoardEmulator, ready: Callable[[WorkerProcess], None]) -> tuple[list[Tally], int | None]:
        with board.anew() as worker:
            ready(worker)
            stack = worker.memory(0).stack_bytes
            assert worker.compute(0).result == "ok"
        first, second = tallies(out, target.isa)[-2:]
        return [first, second], stack

    cases = [
        case("toy-sum/hash", 1000),
        case("toy-copy/hash", 5000),
        case("toy-sum/hash", 10),
        case("toy-sum/hash", 1000),
    ]
    shared = BoardEmulator(start)
    together = [count(shared, one) for one in cases]
    alone = []
    for one in cases:
        fresh = BoardEmulator(start)
        alone.append(count(fresh, one))
        fresh.close()
    assert together == alone and together[0] == together[3] != together[2]

    with pytest.raises(ValueError, match="on purpose"), shared.anew():
        raise ValueError("on purpose")
    assert count(shared, cases[0]) == alone[0]
    shared.close()
