# SPDX-License-Identifier: Apache-2.0
"""Modelled cycles of a Cortex-M0+: code whose cycles were worked out by hand, from Arm's table, executed on the emulated board; equal to the last cycle."""

from __future__ import annotations

from pathlib import Path

import pytest
from counted import PATIENCE, TOOLCHAIN, need, toy_for
from scripts import ROOT

from cipherstone.build.counter import Watching, counting_plugin, markers, plugin_words, stretches, tallies
from cipherstone.build.targets import TARGETS, emulator_of
from cipherstone.isa.modelled import MODELS
from cipherstone.worker import WorkerProcess

TARGET = "cortex-m0plus"
# (line, cycles of all its executions).
CODE = [
    ("push {r4, r5, lr}", 1 + 3),
    ("movs r4, #5", 1),
    ("1: subs r4, #1", 5),
    ("bne 1b", 4 * 2 + 1),
    ("movs r4, #6", 1),
    ("1: movs r5, #1", 6),
    ("tst r4, r5", 6),
    ("beq 2f", 3 * 2 + 3),  # every second time
    ("nop", 3),
    ("2: subs r4, #1", 6),
    ("bne 1b", 5 * 2 + 1),
    ("bl 8f", 3),
    ("ldr r3, =(9f + 1)", 2),
    ("blx r3", 2),
    ("sub sp, #16", 1),
    ("mov r3, sp", 1),
    ("stm r3!, {r0, r1, r2, r4}", 1 + 4),
    ("mov r3, sp", 1),
    ("ldm r3!, {r1, r2}", 1 + 2),
    ("str r1, [sp, #4]", 2),
    ("mov r3, sp", 1),
    ("ldrb r1, [r3, #1]", 2),
    ("strh r1, [r3, #2]", 2),
    ("muls r1, r2", 1),
    ("mrs r1, primask", 3),
    ("dmb sy", 3),
    ("uxtb r1, r1", 1),
    ("rsbs r1, r1, #0", 1),
    ("add sp, #16", 1),
    ("ldr r3, =3f", 2),
    ("b 1f", 2),
    (".pool", 0),
    ("1: mov pc, r3", 2),
    ("nop", 0),
    ("3: movs r4, #3", 1),  # more than is translated at a time, three times
    ("4: .rept 600", 0),
    ("nop", 3 * 600),
    (".endr", 0),
    ("subs r4, #1", 3),
    ("beq 5f", 2 + 2),
    ("b 4b", 2 * 2),
    ("5: cmp r0, r0", 1),
    ("beq 1f", 2),
    ("nop", 0),
    ("1: nop", 1),
    ("cs_here: movs r4, #3", 1),  # counting may begin and end in the middle of what is executed to its end
    ("1: subs r4, #1", 3),
    ("bne 1b", 2 * 2 + 1),
    ("nop", 1),
    ("cmp r0, r0", 1),
    ("beq 1f", 2),
    ("nop", 0),
    ("1: nop", 1),
    ("cs_there: nop", 1),
    ("movs r0, #0", 1),
    ("pop {r4, r5, pc}", 3 + 3),
    ("8: bx lr", 2),
    ("9: push {lr}", 1 + 1),
    ("pop {pc}", 3 + 1),
]
NOTHING = [("movs r0, #0", 1), ("bx lr", 2)]
ADAPTER = """
#include "cipherstone.h"
static int none(cs_case *c)
{
    c->out_len = 0;
    return CS_OK;
}
FUNCTIONS
static const cs_op ops[] = {
    {.id = "toy-sum/hash", .impl = "code", .name = "code", .setup = none, .call = code},
    {.id = "toy-sum/hash", .impl = "nothing", .name = "nothing", .setup = none, .call = nothing},
};
static const char *version(void)
{
    return "1";
}
static const cs_library library = {.abi = CS_ABI, .id = "toy", .version = version, .version_from = "library", .tables = CS_ROWS(ops)};
CS_WORKER_MAIN(library)
"""


def function(name: str, lines: list[tuple[str, int]]) -> str:
    text = "\n".join(f'    "{line}\\n\\t"' for line, _ in [(".syntax unified", 0), *lines])
    return f"__attribute__((naked, noinline)) static int {name}(cs_case *c)\n{{\n    __asm__ volatile(\n{text});\n}}\n"


@pytest.fixture
def toy(tmp_path: Path, worker_cache: Path) -> Path:
    need(TARGET)
    functions = function("code", CODE) + function("nothing", NOTHING)
    (tmp_path / "toy.c").write_text(ADAPTER.replace("FUNCTIONS", functions))
    return toy_for(TARGET, tmp_path, worker_cache, tmp_path / "toy.c")


def cycles(toy: Path, between: tuple[int, int], impls: list[str], cache: Path) -> list[int | None]:
    emulator, _ = emulator_of(TARGETS[TARGET])
    out = toy.parent / "calls"
    out.unlink(missing_ok=True)
    plugin = plugin_words(counting_plugin(TOOLCHAIN, ROOT, cache), between, out, Watching(taken=True))
    with WorkerProcess(TARGETS[TARGET].words(emulator, str(toy), plugin), padding_bytes=0, patience=PATIENCE) as worker:
        for number, impl in enumerate(impls):
            worker.prepare(number, "toy-sum/hash", impl, {"msg": "hex:00"})
            assert worker.compute(number).result == "ok"
    return [one.cycles for one in tallies(out, TARGETS[TARGET].isa, model=MODELS[TARGET])]


def test_every_cycle_of_a_call_is_as_worked_out(toy: Path, worker_cache: Path) -> None:
    """Less what a call of nothing takes, in whatever order they are made."""
    due = sum(one for _, one in CODE) - sum(one for _, one in NOTHING)
    first, nothing, again = cycles(toy, markers(toy), ["code", "nothing", "code"], worker_cache)
    assert first is not None and nothing is not None
    assert (first - nothing, again) == (due, first) and due > 1800


def test_counting_may_begin_and_end_anywhere(toy: Path, worker_cache: Path) -> None:
    """The branch that was taken before does not count, the one that led to the end does."""
    lines = [line for line, _ in CODE]
    begin, end = (next(k for k, line in enumerate(lines) if line.startswith(name)) for name in ("cs_here", "cs_there"))
    ((here, _),), ((there, _),) = (stretches(toy, (name,)) for name in ("cs_here", "cs_there"))
    (found,) = cycles(toy, (here, there), ["code"], worker_cache)
    assert found == sum(one for _, one in CODE[begin:end])
