# SPDX-License-Identifier: Apache-2.0
"""How a proven file is called to be timed: its main again and again, by a library that is loaded before it (`labs/footprint/watch/repeat.c`), with every answer held against the right one.

Where there is an emulator with its counter the instructions of a call are counted as well, twice; a count that does not repeat is none.
"""

from __future__ import annotations

import platform
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from cipherstone.build.cache import digest_of, kept, publish, scratch_beside
from cipherstone.build.counter import counting_plugin, plugin_words, tallies
from cipherstone.build.targets import TARGETS
from cipherstone.build.toolchain import OPTIMISATION, find_toolchain, program_version, run_tool
from cipherstone.build.workshop import Workshop
from cipherstone.labs.footprint.ladder import FOLDER, TLS_CLIENT, Ladder, Tls
from cipherstone.labs.footprint.machine import TargetMachine
from cipherstone.labs.footprint.proof import BROKEN, NO, YES, Setting, handshakes, meeting, run_program
from cipherstone.labs.footprint.questions import Drawn, timed_question
from cipherstone.model.errors import BuildError
from cipherstone.model.ids import Case
from cipherstone.stats.quantiles import quantile

BATCH_NS, LOW = 1_500_000, 0.25
_MOST_CALLS, _SLOW_NS = 2000, 5_000_000
_WARM, _BATCHES, _SLOW_BATCHES, _HANDSHAKES = 3, 8, 3, 6
_COUNTED_CALLS, _FEEDS = 3, 2
_NAME = "librepeat.so"
_DIFFERS = "its instructions do not repeat"
_MEANS = {NO: ": it refuses", BROKEN: ": it cannot be asked for this"}
DRAWS = "draws what it computes with: its instructions do not repeat"


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


class CallPlan(NamedTuple):
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
    """What a process wrote. `problem`: why it is no result; `wrong`: an answer was not right; `at`: addresses between which a counter counts."""

    batches: tuple[float, ...] = ()
    at: tuple[int, int] = (0, 0)
    problem: str = ""
    wrong: bool = False

    @property
    def ns(self) -> float:
        """Of a call: the lower quartile of the batches; 0 for none."""
        return quantile(self.batches, LOW) if self.batches else 0.0


class Runner(NamedTuple):
    """A proven file. `step`: its name."""

    step: str
    program: Path
    tls: Tls


class Site(NamedTuple):
    """Where programs are called again and again. `library`: what calls their main; `cpu`: where they are pinned, None for any."""

    machine: TargetMachine
    library: Path
    cpu: int | None = None


class Bench(NamedTuple):
    """A program's input and its answer, and how a file is called with it. `drawn`: what is right where there is no one answer."""

    name: str
    given: bytes
    answer: bytes
    site: Site
    drawn: Drawn | None = None

    def run(self, runner: Runner, plan: CallPlan, words: Sequence[str] = ()) -> Told:
        """One process. `words`: the emulator's, beside its own."""
        with tempfile.TemporaryDirectory() as folder:
            told = Path(folder) / "told"
            setting = {
                "LD_PRELOAD": str(self.site.library),
                "LD_BIND_NOW": "1",
                "FOOTPRINT_TOLD": str(told),
                "FOOTPRINT_PLAN": str(plan),
            }
            command, environment = self.site.machine.command(runner.program, setting)
            command = [command[0], *words, *command[1:]]
            if self.name == TLS_CLIENT:
                calls = plan.warm + plan.batches * plan.calls
                ended, _, tokens = handshakes(command, meeting(runner.tls), Setting(environment, self.site.cpu), calls)
                status, due = ended.status, [(YES, token) for token in tokens]
            else:
                status, due = (
                    run_program(command, self.given, Setting(environment, self.site.cpu)).status,
                    [(YES, self.answer)],
                )
            try:
                text = told.read_text(encoding="ascii")
            except OSError:
                text = ""
        return read_told(text, status, self.drawn or due, plan)


def read_told(text: str, status: int | None, due: Sequence[tuple[int, bytes]] | Drawn, plan: CallPlan) -> Told:
    """What a process wrote. `due`: (status, output) of its calls, where several in a row are alike once, or what is right of outputs that are drawn."""
    if status is None:
        return Told(problem="did not end in time")
    if status != 0 or not text:
        return Told(problem=f"ended with status {status} when it was called again")
    lines = [line.split(" ") for line in text.splitlines()]
    seen = [(int(words[1]), bytes.fromhex(words[2])) for words in lines if words[0] == "call"]
    if problem := _drawn_problem(seen, due, plan) if isinstance(due, Drawn) else _known_problem(seen, due):
        return Told(problem=problem, wrong=True)
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


def _drawn_problem(seen: Sequence[tuple[int, bytes]], drawn: Drawn, plan: CallPlan) -> str:
    """A call whose output is that of the one before is not told."""
    if wrong := next((status for status, _ in seen if status != YES), None):
        return _ended(wrong)
    if not seen or (drawn.differs and len(seen) != plan.told):
        return "drew the same twice"
    return drawn.problem([output for _, output in seen])


def bench_of(task: Task, ladder: Ladder, program: str, site: Site) -> Bench:
    """The bench of one input. `site`: where its programs run."""
    if task.case is None:
        return Bench(program, b"", b"", site)
    asked = timed_question(program, task.case, ladder.ecdsa)
    assert asked.answer is not None  # nothing that is timed is refused
    return Bench(program, asked.given, asked.answer, site, asked.drawn)


def plan_of(program: str, ns: float) -> CallPlan:
    """What a process does whose calls take about `ns`: batches of a length that a clock can tell."""
    if program == TLS_CLIENT:
        return CallPlan(_WARM, _HANDSHAKES, 1)  # each is reported, and held against what the server drew for it
    calls = max(1, min(_MOST_CALLS, round(BATCH_NS / max(ns, 1.0))))
    return CallPlan(_WARM if ns < _SLOW_NS else 1, _BATCHES if ns < _SLOW_NS else _SLOW_BATCHES, calls)


# Counts


def counter(machine: TargetMachine, workshop: Workshop) -> Callable[[Bench, Runner], tuple[int | None, str]] | None:
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
        own, plan = bench._replace(site=bench.site._replace(machine=emulated)), CallPlan(_COUNTED_CALLS, 0, 1)
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


def repeater(workshop: Workshop, machine: TargetMachine) -> Path:
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
