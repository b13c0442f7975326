# SPDX-License-Identifier: Apache-2.0
"""What a step costs in time: the very files that were proven and measured, their main called again and again by a library that is loaded before them (`labs/footprint/watch/repeat.c`).

The steps of a ladder take turns: a pass starts a fresh process for each of them, in an order of its own, so that what slows the machine down meets all alike. A process gives the lower quartile of its batches of CPU time;
a step is compared with `default` pass by pass. Where there is an emulator with its counter the instructions of a call are counted as well, twice; a count that does not repeat is none.
"""

from __future__ import annotations

import platform
import random
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from cipherstone.build.counter import counting_plugin, plugin_words, tallies
from cipherstone.build.store import digest_of, file_digest, kept, publish, scratch_beside
from cipherstone.build.targets import TARGETS
from cipherstone.build.toolchain import OPTIMISATION, find_toolchain, program_version, run_tool
from cipherstone.fleet.workshop import Workshop
from cipherstone.labs.footprint.asked import REFERENCE
from cipherstone.labs.footprint.ladder import FOLDER, TLS_CLIENT, Tls
from cipherstone.labs.footprint.machine import Machine
from cipherstone.labs.footprint.proof import BROKEN, NO, YES, Setting, handshakes, meeting, run_program
from cipherstone.labs.footprint.questions import Drawn, timed_question
from cipherstone.labs.footprint.results import Timed
from cipherstone.model.errors import BuildError
from cipherstone.model.ids import Case
from cipherstone.stats.interval import median_estimate
from cipherstone.stats.quantiles import quantile
from cipherstone.stats.ratio import ratio_estimate

PASSES = 9  # the smallest number whose interval leaves the lowest and the highest out
BATCH_NS, LOW = 1_500_000, 0.25
_MOST_CALLS, _SLOW_NS = 2000, 5_000_000
_WARM, _BATCHES, _SLOW_BATCHES, _HANDSHAKES = 3, 8, 3, 6
_COUNTED_CALLS, _FEEDS = 3, 2
_NAME = "librepeat.so"
_DIFFERS = "its instructions do not repeat"
_MEANS = {NO: ": it refuses", BROKEN: ": it cannot be asked for this"}
_DRAWS = "draws what it computes with: its instructions do not repeat"


class Task(NamedTuple):
    """One input of a program, which is called alike in every library; `case`: of the catalogue, None for a handshake."""

    title: str
    case: Case | None = None


# Sizes are those of the publication beside whose ladders ours stand; inputs are those that every other run times.
TASKS: dict[str, tuple[Task, ...]] = {
    TLS_CLIENT: (Task("handshake"),),
    "sha256": (Task("8192 bytes", Case("sha-256", "hash", 8192)),),
    "aead": (
        Task("AES-128, 1350 bytes", Case("aes-128-gcm", "open", 1350)),
        Task("AES-256, 1350 bytes", Case("aes-256-gcm", "open", 1350)),
    ),
    "verify": (Task("P-256", Case("ecdsa-p256-sha256", "verify")),),
    "rsa-verify": (
        Task("2048 bits", Case("rsa-2048-pkcs1-sha256", "verify")),
        Task("4096 bits", Case("rsa-4096-pkcs1-sha256", "verify")),
    ),
    "agree": (Task("X25519", Case("x25519", "derive")),),
    "ml-kem": (Task("768", Case("ml-kem-768", "decaps")),),
    "chacha": (Task("1350 bytes", Case("chacha20-poly1305", "open", 1350)),),
    "ed25519-verify": (Task("Ed25519", Case("ed25519", "verify")),),
    "sha512": (Task("8192 bytes", Case("sha-512", "hash", 8192)),),
    "random": (Task("8192 bytes", Case("random", "fetch", 8192)),),
    "sign": (Task("P-256", Case("ecdsa-p256-sha256", "sign")),),
    "rsa-sign": (
        Task("2048 bits", Case("rsa-2048-pkcs1-sha256", "sign")),
        Task("4096 bits", Case("rsa-4096-pkcs1-sha256", "sign")),
    ),
    "ecdh": (Task("P-256", Case("p-256", "derive")),),
    "ecdhe": (Task("P-256", Case("p-256", "agree")), Task("X25519", Case("x25519", "agree"))),
}


class Plan(NamedTuple):
    """What a process does. `warm`: calls before the first batch; `calls`: of a batch."""

    warm: int
    batches: int
    calls: int

    @property
    def told(self) -> int:
        """How many outputs are looked at: of every warm call, and the last one of a batch."""
        return self.warm + self.batches

    def __str__(self) -> str:
        return f"{self.warm} {self.batches} {self.calls}"


class Told(NamedTuple):
    """What a process told. `problem`: why it is no result; `at`: addresses between which a counter counts."""

    batches: tuple[float, ...] = ()
    at: tuple[int, int] = (0, 0)
    problem: str = ""


class Runner(NamedTuple):
    """A proven file. `step`: its name."""

    step: str
    program: Path
    tls: Tls


class Bench(NamedTuple):
    """A program's input and its answer, and how a file is called with it. `drawn`: what is right where there is no one answer."""

    name: str
    given: bytes
    answer: bytes
    machine: Machine
    library: Path
    drawn: Drawn | None = None

    def run(self, runner: Runner, plan: Plan, words: Sequence[str] = ()) -> Told:
        """One process. `words`: the emulator's, beside its own."""
        with tempfile.TemporaryDirectory() as folder:
            told = Path(folder) / "told"
            setting = {
                "LD_PRELOAD": str(self.library),
                "LD_BIND_NOW": "1",
                "FOOTPRINT_TOLD": str(told),
                "FOOTPRINT_PLAN": str(plan),
            }
            command, environment = self.machine.command(runner.program, setting)
            command = [command[0], *words, *command[1:]]
            if self.name == TLS_CLIENT:
                calls = plan.warm + plan.batches * plan.calls
                ended, _, tokens = handshakes(command, meeting(runner.tls), Setting(environment), calls)
                status, due = ended.status, [(YES, token) for token in tokens]
            else:
                status, due = run_program(command, self.given, Setting(environment)).status, [(YES, self.answer)]
            try:
                text = told.read_text(encoding="ascii")
            except OSError:
                text = ""
        return read_told(text, status, self.drawn or due, plan)


def read_told(text: str, status: int | None, due: Sequence[tuple[int, bytes]] | Drawn, plan: Plan) -> Told:
    """What a process wrote. `due`: (status, output) of its calls, where several in a row are alike once, or what is right of outputs that are drawn."""
    if status is None:
        return Told(problem="did not end in time")
    if status != 0 or not text:
        return Told(problem=f"ended with status {status} when it was called again")
    lines = [line.split(" ") for line in text.splitlines()]
    seen = [(int(words[1]), bytes.fromhex(words[2])) for words in lines if words[0] == "call"]
    if problem := _drawn_problem(seen, due, plan) if isinstance(due, Drawn) else _known_problem(seen, due):
        return Told(problem=problem)
    begin, end = next((int(words[1], 16), int(words[2], 16)) for words in lines if words[0] == "at")
    feed = next(int(words[1]) for words in lines if words[0] == "feed")
    return Told(tuple(int(words[1]) / plan.calls - feed for words in lines if words[0] == "batch"), (begin, end))


def _ended(status: int) -> str:
    return f"a call ended with status {status}{_MEANS.get(status, '')}"


def _known_problem(seen: Sequence[tuple[int, bytes]], due: Sequence[tuple[int, bytes]]) -> str:
    if list(seen) == list(due):
        return ""
    wrong = next((one for one, right in zip(seen, due, strict=False) if one != right), None)
    return _ended(wrong[0]) if wrong and wrong[0] else "a call was not right"


def _drawn_problem(seen: Sequence[tuple[int, bytes]], drawn: Drawn, plan: Plan) -> str:
    """A call whose output is that of the one before is not told."""
    if wrong := next((status for status, _ in seen if status != YES), None):
        return _ended(wrong)
    if not seen or (drawn.differs and len(seen) != plan.told):
        return "drew the same twice"
    return drawn.problem([output for _, output in seen])


def timed(
    runners: Sequence[Runner],
    program: str,
    ecdsa: Literal["p1363", "der"],
    machine: Machine,
    workshop: Workshop,
    passes: int = PASSES,
) -> dict[str, tuple[Timed, ...]]:
    """By step what each input of the program costs it."""
    found: dict[str, tuple[Timed, ...]] = {runner.step: () for runner in runners}
    try:
        library = repeater(workshop, machine)
    except BuildError:  # another C library than glibc
        return found
    of_machine = None if program == TLS_CLIENT else counter(machine, workshop)
    beside = _references(runners, program)
    for task in TASKS[program]:
        bench = _bench(task, program, ecdsa, machine, library)
        everyone = list(dict.fromkeys((*runners, *beside.values())))
        told = {} if machine.emulator else by_pass(bench, everyone, passes)
        for runner in runners:
            own, reference = told.get(runner, ""), beside.get(runner.step)
            theirs = told.get(reference, "") if reference is not None else ""
            # What draws what it computes with, as a handshake does: its instructions do not repeat.
            counting = None if bench.drawn else of_machine
            count, reason = counting(bench, runner) if counting else (None, _DRAWS if bench.drawn and not told else "")
            missing = f"of its step default: {theirs}" if isinstance(theirs, str) and theirs else reason
            same = _same_file(runner, reference) if reference is not None else ""
            one = Timed(
                task=task.title if runner.tls.cert == Tls().cert else f"{task.title}, {runner.tls.cert}",
                ns=None if isinstance(own, str) else median_estimate(list(own.values())),
                over=None if same or isinstance(own, str) or isinstance(theirs, str) else ratio_estimate(own, theirs),
                instructions=count,
                why=own if isinstance(own, str) and own else missing or same,
            )
            found[runner.step] = (*found[runner.step], one)
    return found


def _same_file(runner: Runner, reference: Runner) -> str:
    """Why a step is not compared with `default`, where both are one file; else ""."""
    image = file_digest(runner.program)
    return (
        f"the same code as default (image {image}): nothing to compare"
        if image == file_digest(reference.program)
        else ""
    )


def _references(runners: Sequence[Runner], program: str) -> dict[str, Runner]:
    """By step the file of the step `default` that it is compared with: a client with the same server, so that version and certificates are alike."""
    first = next((runner for runner in runners if runner.step == REFERENCE), None)
    if first is None:
        return {}
    others = [runner for runner in runners if runner is not first]
    if program != TLS_CLIENT:
        return {runner.step: first for runner in others}
    return {
        runner.step: first._replace(tls=msgspec.structs.replace(runner.tls, pinned=first.tls.pinned))
        for runner in others
    }


def _bench(task: Task, program: str, ecdsa: Literal["p1363", "der"], machine: Machine, library: Path) -> Bench:
    if task.case is None:
        return Bench(program, b"", b"", machine, library)
    asked = timed_question(program, task.case, ecdsa)
    assert asked.answer is not None  # nothing that is timed is refused
    return Bench(program, asked.given, asked.answer, machine, library, asked.drawn)


# Time


def by_pass(bench: Bench, runners: Sequence[Runner], passes: int) -> dict[Runner, dict[int, float] | str]:
    """Nanoseconds of a call in each pass, or why there are none."""
    plans: dict[Runner, Plan] = {}
    found: dict[Runner, dict[int, float] | str] = {}
    for runner in runners:
        first = bench.run(runner, Plan(1, 2, 1))
        if first.problem:
            found[runner] = first.problem
            continue
        plans[runner], found[runner] = _plan(bench.name, min(first.batches)), {}
    order = list(plans)
    for number in range(passes):
        random.Random(number).shuffle(order)
        for runner in order:
            kept = found[runner]
            if isinstance(kept, str):
                continue
            told = bench.run(runner, plans[runner])
            value = quantile(told.batches, LOW) if told.batches else 0.0
            if told.problem or not value > 0.0:
                found[runner] = told.problem or "takes no longer than reading and writing alone"
            else:
                kept[number] = value
    return found


def _plan(program: str, ns: float) -> Plan:
    if program == TLS_CLIENT:
        return Plan(_WARM, _HANDSHAKES, 1)  # each is reported, and held against what the server drew for it
    calls = max(1, min(_MOST_CALLS, round(BATCH_NS / max(ns, 1.0))))
    return Plan(_WARM if ns < _SLOW_NS else 1, _BATCHES if ns < _SLOW_NS else _SLOW_BATCHES, calls)


# Counts


def counter(machine: Machine, workshop: Workshop) -> Callable[[Bench, Runner], tuple[int | None, str]] | None:
    """What gives a file's instructions of a call, or why there are none; None where no emulator with its counter is here."""
    here = [target for target in TARGETS.values() if target.is_native and target.architecture == platform.machine()]
    target = TARGETS.get(machine.id) or (here[0] if here else None)
    if target is None or program_version(target.emulator) is None:
        return None
    try:
        plugin = counting_plugin(
            find_toolchain(), workshop.root, workshop.cache
        )  # for this machine, whatever is emulated
    except BuildError:
        return None
    emulated = machine
    if not machine.emulator:
        emulated = msgspec.structs.replace(machine, emulator=(target.emulator, "-cpu", target.processor))

    def count(bench: Bench, runner: Runner) -> tuple[int | None, str]:
        own, plan = bench._replace(machine=emulated), Plan(_COUNTED_CALLS, 0, 1)
        first = own.run(runner, plan)
        if first.problem:
            return None, f"under emulation: {first.problem}"
        seen = []
        for _ in range(2):
            with tempfile.TemporaryDirectory() as folder:
                out = Path(folder) / "calls"
                between = tuple(at & ~1 if target.isa == "arm" else at for at in first.at)
                told = own.run(runner, plan, plugin_words(plugin, (between[0], between[1]), out))
                lines = tallies(out, target.isa) if out.is_file() else []
            if told.problem or len(lines) != _COUNTED_CALLS + _FEEDS:
                return None, told.problem or f"its calls lie elsewhere each time: {len(lines)} counted"
            seen.append(lines[_COUNTED_CALLS - 1].instructions - lines[-1].instructions)
        if seen[0] != seen[1]:
            return None, _DIFFERS
        return seen[0], ""

    return count


# What is loaded before


def repeater(workshop: Workshop, machine: Machine) -> Path:
    """The library that calls main again, compiled once. Raises BuildError."""
    toolchain, source = workshop.toolchain, workshop.root / FOLDER / "watch/repeat.c"
    key = digest_of([(source.name, source)], [toolchain.cc_version or "", *machine.flags])
    target = workshop.cache / "footprint" / f"repeat-{key}" / _NAME
    if not kept(target):
        with scratch_beside(target.parent) as scratch:
            output = scratch / _NAME
            words = [toolchain.cc, "-std=c11", *OPTIMISATION, *machine.flags, "-shared", "-fPIC", str(source)]
            run_tool([*words, "-o", str(output), "-ldl"], "footprint: compiling what calls a program again")
            publish(output, target)
    return target
