# SPDX-License-Identifier: Apache-2.0
"""A minimal program in a process of its own: one case, proven by the oracle, timed by a plain loop that shares nothing with a worker's."""

from __future__ import annotations

import os
import random
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from cipherstone.catalogue.conditions import call_conditions, worker_params
from cipherstone.measure.proof import Capability, Expected
from cipherstone.model.agreement import Repetitions
from cipherstone.model.errors import WorkerError
from cipherstone.protocol.messages import Computed
from cipherstone.worker.environment import BASE_ENVIRONMENT, BOUND, LENT

WARM_US, REPEAT_US, REPEATS = 20_000, 100, 100
MOST_S = 120.0
_RESULTS = {0: "ok", 1: "rejected", 4: "bad-key"}


class MinimalProgram(msgspec.Struct, frozen=True):
    """A minimal program and what it is started with."""

    path: Path
    environment: Mapping[str, str] = {}


def not_for_loops(capability: Capability) -> str:
    """Why a plain loop cannot do what is timed; "" if it can."""
    conditions = call_conditions(capability.case.params)
    if conditions:
        return f"{', '.join(conditions)}: something is done between calls"
    return ""


class Before(msgspec.Struct, frozen=True):
    """What a process does before the calls that are timed. `heap` other than 0 draws a used heap; `once`: other cases, each called once; `warm_us`: microseconds of untimed calls of its own case."""

    heap: int = 0
    once: tuple[tuple[Capability, Expected], ...] = ()
    warm_us: int = WARM_US


NOTHING = Before()


def job_text(
    capability: Capability, members: Sequence[Expected], once: Sequence[tuple[Capability, Expected]] = ()
) -> bytes:
    """What the program reads: other cases that are called `once` before; then the row, its parameters, the inputs of each case."""
    parts = [_part("once", one, [expected]) + b"end\n" for one, expected in once]
    return b"".join([*parts, _part("op", capability, members)])


def _part(word: str, capability: Capability, members: Sequence[Expected]) -> bytes:
    asked = capability.case
    lines = [f"{word} {asked.listed} {capability.implementation}\n".encode()]
    lines += [f"param {name} {value}\n".encode() for name, value in worker_params(asked.params)]
    if room := members[0].texts.get("room"):
        lines.append(f"room {room}\n".encode())
    for one in members:
        lines.append(b"case\n")
        for name, data in one.inputs.items():
            lines += [f"input {name} {len(data)}\n".encode(), data, b"\n"]
    return b"".join(lines)


def run_minimal(
    program: MinimalProgram,
    capability: Capability,
    members: Sequence[Expected],
    cpu: int | None,
    repeats: int = REPEATS,
    before: Before = NOTHING,
) -> Repetitions:
    """One fresh process. `members`: what each of the inputs that take the calls in turn must give. WorkerError if it breaks or computes something else, before or after the calls that are timed."""
    with tempfile.NamedTemporaryFile(prefix="cipherstone-loop-") as job:
        job.write(job_text(capability, members, before.once))
        job.flush()
        words = [str(program.path), job.name, str(before.warm_us), str(REPEAT_US), str(repeats), str(before.heap)]
        text = output_of(words, program.environment, cpu)
    return read_repetitions(text, members, f"{program.path.name}: {capability.operation}")


def output_of(words: Sequence[str], environment: Mapping[str, str], cpu: int | None) -> str:
    """What a program prints on a CPU. WorkerError if it ends with an error, or not at all."""
    env = {**BASE_ENVIRONMENT, **LENT, **BOUND, **environment, "CS_PAD": "x" * random.randrange(4096)}
    try:
        child = subprocess.Popen(words, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    except OSError as error:
        raise WorkerError("crashed", f"{words[0]}: {error.strerror}") from None
    with child:
        try:
            if cpu is not None:
                os.sched_setaffinity(child.pid, {cpu})
            text, errors = child.communicate(timeout=MOST_S)
        except subprocess.TimeoutExpired:
            raise WorkerError("timed-out", f"{Path(words[0]).name}: no end within {MOST_S:g} s") from None
        finally:
            child.kill()
    if child.returncode:
        raise WorkerError("crashed", f"{Path(words[0]).name}: {errors.strip()[-200:] or f'status {child.returncode}'}")
    return text


def read_repetitions(text: str, members: Sequence[Expected], what: str) -> Repetitions:
    """What a program printed; its outputs, before and after, must be those of the members. WorkerError if not."""
    outputs: list[Computed] = []
    calls, empty = 0, 0.0
    rows: list[tuple[float, ...]] = []
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "output":
            status, _, digits = rest.partition(" ")
            outputs.append(Computed(_RESULTS.get(int(status), "error"), out=digits))
        elif kind == "calls":
            calls = int(rest)
        elif kind == "empty":
            empty = float(rest)
        elif kind == "rep":
            rows.append(tuple(map(float, rest.split())))
    due = [*members, *members]
    if len(outputs) != len(due) or len(rows) < 2 or calls < 1:
        raise WorkerError("crashed", f"{what}: its output ends early")
    for expected, computed in zip(due, outputs, strict=True):
        if problem := expected.problem(computed):
            raise WorkerError("crashed", f"{what}: {problem}")
    wall, cpu, chain, wide = zip(*rows, strict=True)
    return Repetitions(calls, empty, tuple(map(int, wall[:-1])), tuple(map(int, cpu[:-1])), chain, wide)
