# SPDX-License-Identifier: Apache-2.0
"""A worker whose answers are right and whose clock is a script, so that a whole run gives figures that are known beforehand.

Copied beside `behaviour.json` by `scripts.write_worker`, with scripted_answers.py and scripted_faults.py; no environment reaches a worker, so the file is where the script stands. Standard
library only.
Keys of `behaviour.json`, all but the first with a default:

library, version    who it says it is
costs               {"sha-256/hash": {"default": {"ns": 1000, "per_block": 0.0, "drift": 0.0}}}: wall ns per call; `drift`: share that each process adds
harness_ns          ns per empty call, contained in every other call too
noise               share by which a batch is longer at most; drawn from `seed` and the number of the process
cpu_share           cpu_ns over ns, or null for a worker without a CPU clock
probe               {"chain": 0.25, "tput": 0.03125}: what a reading on a free core tells, or null
dirty               who else uses the core: a share, drawn reading by reading, or the numbers of the readings of a turn (0 is the one before its first batch)
contended           numbers of passes in which every reading of a turn is dirty; the scout sees a free core all the same
busy                {"cpus": [1], "from_pass": 0}: on these CPUs every reading is dirty from that pass on, the scout's too
dirty_factor        a dirty reading tells `tput` times this (1.5)
slowdown            share by which a batch is longer that has a dirty reading at either end (0)
clock               {"factor": 1.05, "share": 0.4, "again": 0.1}: with probability `share` the core's clock is slower, chain and times longer by `factor`; drawn before each turn, and
                    with probability `again` anew before each reading within
speeds              {"factor": 1.08, "passes": [0, 3]}: in these passes every call takes `factor` times as long, with the probes none the wiser; with a `share` in place of `passes` it is drawn batch by batch
counted             cycles a ns that a hardware counter tells (null)
imul_ratio          answer of `check-probe` (3.0)
starts_per_pass     processes that a pass starts of this worker (2 for the base library), to tell the pass
busy_ns             without a CPU clock: a turn up to this length computes for as long as it claims, a longer one sleeps (20000000)
sleep_s             real seconds that every turn of a pass sleeps; calibration does not
takes_s             seconds that a turn of a pass takes by the clock of `scripts.timed_by_script`
once_s              seconds that a process takes in which a cell is measured once (first calls, memory), by the same clock
log                 whether every request is appended to `requests.log`, as `PROCESS LINE`
wrong               [{"op": ..., "impl": ..., "min_bytes": 0, "exact_bytes": 3, "after_runs": 0, "after_calls": 1, "key": 3}]: where the output gets a flipped bit
                    (`after_calls`: from the call of a case that follows so many on; `key`: calls so far, modulo the keys of a ring)
form                encoding of ECDSA signatures that `list` tells (null)
rejects             [sha256 of pub, msg and sig]: what an operation `verify` rejects; it accepts all else
forgiving           true: every tag is taken for authentic
refuse              {"op": "code"}: prepare of this operation is refused
faults              [{"at": verb, "do": name, "op": ..., "impl": ..., "after": 0, "times": 1, "from": 1, "processes": [1]}]: what `Faults` has, at such requests
                    (of that operation) after the first `after` of a process, `times` times at most, in the processes named or from one on
setup_ns            what `prepare` tells, by the number of the process (null)
first_ns            wall ns of the first `run` of a process, by its number; a later one takes what `costs` says
memory              answers to `memory` of a process, in order, the last one for all that follow: {"heap_peak_bytes": [700, 500]}, each by the number of the process (nulls)
facts               {"op": {"impl": {"mul": 12}}}: what `facts` tells of an implementation, which is then listed with it
listed              rows added to the answer of `list`
hello               keys of the answer to `hello` that differ
hello_of            the same for some processes: {"4": {"version": "1.1"}, "*": {...}}, by the number of the process; `*` for all others
single              {"wrong_from": 3, "sleep_s": 0.1}: started for one call (`--once`, which is then a capability), it sleeps so long, and from that process on its output has a flipped bit
phases              {"open_ns": 500, ..., "first_ns": 9000, "grow": 1}: ns of the steps of `prepare` and, as `teardown_ns`, of `close`, and what the first call of a case takes longer; each grows by so much with every
                    process (and is then named as a capability)
memory              keys of the answer to `memory` that are known
"""

from __future__ import annotations

import os
import sys
import time
import zlib

import scripted_answers
from scripted_answers import Reading, RefusedError, RejectedError, compute, decoded, encoded, sha256, spend, splitmix64

# A run starts dozens of these processes, and most of their time was that of imports: `json` brings `re`, a Path half of the library, faults the signals' names.
TYPE_CHECKING = False
if TYPE_CHECKING:
    import random
    from typing import Any

HERE = os.path.dirname(os.path.realpath(__file__))  # noqa: PTH120
BUSY_NS = 20e6
PROBE = {"chain": 0.25, "tput": 0.03125}


class Case:
    def __init__(self, op: str, impl: str, inputs: dict[str, bytes]) -> None:
        self.op = op
        self.impl = impl
        self.inputs = inputs
        self.runs = 0
        self.called = False
        self.known: bytes | None = None
        self.keys = [inputs]
        self.made = 0

    def count(self, calls: int) -> None:
        """That many calls: the inputs are those of the last one's key."""
        self.made += calls
        if len(self.keys) > 1:
            self.inputs, self.known = self.keys[(self.made - 1) % len(self.keys)], None


class Worker:
    def __init__(self, behaviour: dict[str, object], out: int, number: int) -> None:
        self.script = behaviour
        self.out = out
        self.number = number
        self.cases: dict[int, Case] = {}
        self.seen: dict[int, int] = {}
        self.pass_number = -1
        self.asked_memory = 0
        self.has_run = False
        self.stepped = False
        # Reading, working out and writing a turn takes 30 us, and up to 250 where neighbours have the caches meanwhile: some more in a long turn than in a short one, and at a load of 30 a few of some thousand honest
        # processes were accused of a clock that is behind. So it is a part of what they claim. Who is to be found out claims its calls alone.
        self.lies = any(fault["do"] == "scaled" for fault in behaviour.get("faults", ()))  # type: ignore[attr-defined]
        self.claims: tuple[float, float] | None = None  # of the turn that is answered: ns of wall time and of CPU time
        self.drawn: dict[str, random.Random] = {}
        self.log = open(f"{HERE}/requests.log", "a", buffering=1) if behaviour.get("log") else None  # noqa: PTH123, SIM115

    def draws(self, what: str) -> random.Random:
        """What `what` is drawn from. What the core does is drawn for itself: lanes that differ in nothing else draw the same noise."""
        if what not in self.drawn:
            import random

            self.drawn[what] = random.Random(f"{self.script.get('seed', 1)} {self.number}{what}")
        return self.drawn[what]

    @property
    def random(self) -> random.Random:
        return self.draws("")

    @property
    def core(self) -> random.Random:
        return self.draws(" core")

    def write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(self.out, view) :]

    def send(self, reply: dict[str, object]) -> None:
        self.write(encoded(reply) + b"\n")

    def serve(self, line: str) -> bool:
        """Answers one request; False after `bye`."""
        if self.log is not None:
            self.log.write(f"{self.number} {line}\n")
        began = time.thread_time_ns()
        seq, verb, *words = line.split(" ")
        fields = dict(word.split("=", 1) for word in words)
        try:
            reply = {"seq": int(seq), "ok": True, **getattr(self, "on_" + verb.replace("-", "_"))(fields)}
        except RefusedError as error:
            reply = {"seq": int(seq), "ok": False, "error": error.code, "detail": str(error)}
        changed = self.faulty(verb, fields, reply)
        if changed is not None:
            told = encoded(changed) + b"\n"
            if self.claims is not None:
                spend(*self.claims, time.thread_time_ns() if self.lies else began)
            self.write(told)
        self.claims = None
        return verb != "bye"

    def faulty(self, verb: str, fields: dict[str, str], reply: dict[str, object]) -> dict[str, object] | None:
        case = self.cases.get(int(fields.get("case", "-1")))
        op = fields.get("op") or (case.op if case else "")
        for index, fault in enumerate(self.script.get("faults", ())):  # type: ignore[arg-type, var-annotated]
            if fault["at"] != verb or fault.get("op", op if op != "harness/empty" else None) != op:
                continue
            if fault.get("impl", fields.get("impl")) != fields.get("impl"):
                continue
            if self.number not in fault.get("processes", [self.number]) or self.number < fault.get("from", 0):
                continue
            self.seen[index] = self.seen.get(index, 0) + 1
            if 0 < self.seen[index] - fault.get("after", 0) <= fault.get("times", self.seen[index]):
                from scripted_faults import Faults

                do = getattr(Faults, fault["do"])
                asks = do.__code__.co_argcount == 3  # how it is to be done
                result: dict[str, object] | None = do(self, reply, fault) if asks else do(self, reply)
                return result
        return reply

    # -- verbs

    def on_hello(self, fields: dict[str, str]) -> dict[str, object]:
        return {
            "protocol": 2,
            "sdk": "scripted/1",
            "library": self.script["library"],
            "version": self.script.get("version", "1.0"),
            "version_from": "library",
            "compiler": "none",
            "flags": "",
            "cpu_path": None,
            "clock": "script",
            "clock_step_ns": 1,
            "cpu_clock": "script",
            "ref_counter": None,
            "probe": "script" if self.script.get("probe", True) else None,
            "heap": False,
            "stack": False,
            "capabilities": [name for name, key in (("phases", "phases"), ("once", "single")) if self.script.get(key)],
            **self.script.get("hello", {}),  # type: ignore[dict-item]
            **self.hello_of_this_process(),
        }

    def hello_of_this_process(self) -> dict[str, object]:
        told: dict[str, dict[str, object]] = self.script.get("hello_of", {})  # type: ignore[assignment]
        words = told.get(str(self.number), told.get("*", {}))
        return {
            key: value.replace("NUMBER", str(self.number)) if isinstance(value, str) else value
            for key, value in words.items()
        }

    def on_list(self, fields: dict[str, str]) -> dict[str, object]:
        rows = [{"op": "harness/empty", "impl": "sdk", "name": "", "status": "ok", "form": None, "reason": None}]
        costs: dict[str, dict[str, object]] = self.script["costs"]  # type: ignore[assignment]
        for op, implementations in costs.items():
            for impl in implementations:
                form = self.script.get("form") if op.startswith("ecdsa") else None
                row = {"op": op, "impl": impl, "name": op, "status": "ok", "form": form, "reason": None}
                rows.append(row | ({"facts": True} if self.facts(op, impl) else {}))  # type: ignore[operator]
        return {"operations": rows + list(self.script.get("listed", ()))}  # type: ignore[call-overload]

    def facts(self, op: str, impl: str) -> dict[str, object]:
        return self.script.get("facts", {}).get(op, {}).get(impl, {})  # type: ignore[attr-defined, no-any-return]

    def on_facts(self, fields: dict[str, str]) -> dict[str, object]:
        case = self.case(fields)
        return {"facts": self.facts(case.op, case.impl)}

    def on_objects(self, fields: dict[str, str]) -> dict[str, object]:
        return {"objects": self.script.get("objects")}

    def on_prepare(self, fields: dict[str, str]) -> dict[str, object]:
        refused = self.script.get("refuse", {}).get(fields["op"])  # type: ignore[attr-defined]
        if refused:
            raise RefusedError(refused, "the script says so")
        if self.pass_number < 0:
            self.pass_number = enter_pass(int(self.script.get("starts_per_pass", 1)))  # type: ignore[call-overload]
        self.cases[int(fields["case"])] = Case(fields["op"], fields["impl"], self.inputs(fields))
        told = self.steps(fields.get("known") == "1")
        return {"setup_ns": self.by_process("setup_ns")} | told

    def inputs(self, fields: dict[str, str]) -> dict[str, bytes]:
        found = {}
        for name, text in fields.items():
            kind, _, rest = text.partition(":")
            if kind == "hex":
                found[name] = bytes.fromhex(rest)
            elif kind == "file":
                with open(rest, "rb") as file:  # noqa: PTH123
                    found[name] = file.read()
            elif kind == "gen":
                seed, length = rest.split(":")
                found[name] = splitmix64(int(seed), int(length))
        return found

    def on_add_key(self, fields: dict[str, str]) -> dict[str, object]:
        case = self.case(fields)
        case.keys.append(case.keys[0] | self.inputs(fields))
        return {}

    def by_process(self, key: str) -> int | None:
        """The entry of a list of the script for this process; the list begins anew behind its end."""
        told: list[int] | None = self.script.get(key)  # type: ignore[assignment]
        return None if told is None else told[self.number % len(told)]

    def steps(self, known: bool) -> dict[str, object]:
        """What the process takes once is told once; it is asked every time whether it can run the operation."""
        phases: dict[str, int] = self.script.get("phases", {})  # type: ignore[assignment]
        told = {}
        for step in ("open_ns", "available_ns", "seed_ns", "fetch_ns", "setup_ns"):
            once = step in ("open_ns", "seed_ns", "fetch_ns")
            if step in phases and not (once and self.stepped) and not (step == "available_ns" and known):
                told[step] = phases[step] + phases.get("grow", 0) * self.number
        self.stepped = True
        return told  # type: ignore[return-value]

    def result(self, case: Case, form: str) -> dict[str, object]:
        try:
            if case.op == "harness/empty":
                return {"result": "ok", "out": ""}
            if case.known is None and case.op.endswith("/verify"):
                parts = b"".join(case.inputs[name] for name in ("pub", "msg", "sig"))
                if sha256(parts).hexdigest() in self.script.get("rejects", ()):  # type: ignore[operator]
                    raise RejectedError
                case.known = b""
            if case.known is None:
                case.known = compute(case.op, case.inputs, bool(self.script.get("forgiving")))
            out = case.known
        except RejectedError:
            return {"result": "rejected"}
        for wrong in self.script.get("wrong", ()):  # type: ignore[attr-defined]
            size = len(case.inputs["msg"])
            here = wrong.get("op", case.op) == case.op and wrong.get("impl", case.impl) == case.impl
            here = here and wrong.get("key", case.made % len(case.keys)) == case.made % len(case.keys)
            sized = size >= wrong.get("min_bytes", 0) and size == wrong.get("exact_bytes", size)
            late = case.runs >= wrong.get("after_runs", 0) and case.made > wrong.get("after_calls", -1)
            if here and sized and late:
                out = bytes([out[0] ^ 1]) + out[1:]
        if form == "hex":
            return {"result": "ok", "out": out.hex()}
        return {"result": "ok", "len": len(out), "crc32": f"{zlib.crc32(out):08x}"}

    def case(self, fields: dict[str, str]) -> Case:
        found = self.cases.get(int(fields["case"]))
        if found is None:
            raise RefusedError("no-such-case", "not prepared")
        return found

    def on_compute(self, fields: dict[str, str]) -> dict[str, object]:
        case = self.case(fields)
        case.count(1)
        return self.result(case, fields.get("form", "hex"))

    def on_output(self, fields: dict[str, str]) -> dict[str, object]:
        return self.result(self.case(fields), fields.get("form", "crc32"))

    def on_run(self, fields: dict[str, str]) -> dict[str, object]:
        case, calls, batches = self.case(fields), int(fields["calls"]), int(fields.get("batches", "1"))
        case.count(int(fields["lead"]) + calls * batches)
        probe = self.script.get("probe", PROBE) if fields.get("probe") == "1" else None
        waited_us = self.wait(fields) if probe else 0
        turn = self.turn(batches + 1) if probe else [Reading()] * (batches + 1)
        per_call, speeds, noise = float(self.script.get("harness_ns", 1.0)), [1.0] * batches, [0.0] * batches  # type: ignore[arg-type]
        if case.op != "harness/empty":
            case.runs += 1
            phases: dict[str, float] = self.script.get("phases", {})  # type: ignore[assignment]
            if case.runs == 1 and not case.called and fields.get("probe") != "1":
                per_call += phases.get("first_ns", 0) + phases.get("grow", 0) * self.number
            costs: dict[str, dict[str, dict[str, float]]] = self.script["costs"]  # type: ignore[assignment]
            cost = costs[case.op][case.impl]
            blocks = (len(case.inputs["msg"]) + 9 + 63) // 64  # of SHA-256, padding included
            own = cost["ns"] + cost.get("per_block", 0.0) * blocks
            per_call += own * (1 + cost.get("drift", 0.0) * self.number)
            speeds = [self.speed() for _ in range(batches)]
            if self.script.get("noise"):
                noise = [float(self.script["noise"]) * self.random.random() for _ in range(batches)]  # type: ignore[arg-type]
            if self.script.get("sleep_s") and fields.get("probe") == "1":
                time.sleep(float(self.script["sleep_s"]))  # type: ignore[arg-type]
        slowdown = float(self.script.get("slowdown", 0.0))  # type: ignore[arg-type]
        each = []
        for k, (before, after) in enumerate(zip(turn, turn[1:])):  # noqa: B905, RUF007
            shared = 1 + slowdown if before.dirty or after.dirty else 1.0
            # The clock changes right before a reading, so a batch runs at that of the reading before it.
            each.append(max(1, round(per_call * calls * speeds[k] * (1 + noise[k]) * shared * before.clock)))
        first = self.by_process("first_ns")
        if first is not None and not self.has_run:
            each[0] = first
        self.has_run = True
        ns, share = sum(each), self.script.get("cpu_share", 1.0)
        busy = ns * float(1.0 if share is None else share)  # type: ignore[arg-type]
        if share is None and ns > float(self.script.get("busy_ns", BUSY_NS)):  # type: ignore[arg-type]
            busy = 0.0
        self.claims = (ns, busy)
        counted: float | None = self.script.get("counted")  # type: ignore[assignment]
        return {
            "ns": ns,
            "each": each if batches > 1 else [],
            "cpu_ns": None if share is None else round(ns * float(share)),  # type: ignore[arg-type]
            "ref": None,
            "nivcsw": 0,
            "failed": 0,
            "cycles": None if counted is None else round(ns * counted),
            **self.told(turn if probe else None),
            "waited_ns": waited_us * 1000,
        }

    def on_probe(self, fields: dict[str, str]) -> dict[str, object]:
        """What the scout asks for. It prepares nothing, so it belongs to no pass."""
        if self.script.get("probe", PROBE) is None:
            return {**self.told(None), "waited_ns": 0}
        waited_us = self.wait(fields)
        return {**self.told([self.reading() for _ in range(int(fields["count"]))]), "waited_ns": waited_us * 1000}

    # -- the core

    def turn(self, count: int) -> list[Reading]:
        """The readings of a turn, in order."""
        clock: dict[str, float] = self.script.get("clock", {})  # type: ignore[assignment]
        found: list[Reading] = []
        factor = 1.0
        for number in range(count):
            if clock and (number == 0 or self.core.random() < clock.get("again", 0.0)):
                factor = clock["factor"] if self.core.random() < clock["share"] else 1.0
            found.append(self.reading(number, factor))
        return found

    def reading(self, number: int | None = None, clock: float = 1.0) -> Reading:
        """Reading `number` of a turn; None for one of the scout or of a wait."""
        dirty = self.script.get("dirty", 0.0)
        seen = number in dirty if isinstance(dirty, list) else dirty and self.core.random() < dirty  # type: ignore[operator]
        if number is not None and self.pass_number in self.script.get("contended", ()):  # type: ignore[operator]
            seen = True
        return Reading(seen or self.busy(), clock)

    def busy(self) -> bool:
        """Whether the CPU that this process is pinned to is in use."""
        busy = self.script.get("busy")
        if not busy or not os.sched_getaffinity(0) <= set(busy["cpus"]):  # type: ignore[call-overload, index]
            return False
        entered = f"{HERE}/entered"
        per_pass = int(self.script.get("starts_per_pass", 1))  # type: ignore[call-overload]
        latest = (os.stat(entered).st_size - 1) // per_pass if os.path.exists(entered) else 0  # noqa: PTH110, PTH116
        return (latest if self.pass_number < 0 else self.pass_number) >= busy.get("from_pass", 0)  # type: ignore[attr-defined, no-any-return]

    def wait(self, fields: dict[str, str]) -> int:
        """Microseconds that a wait for a clean reading takes: ten for each reading; a request without `quiet` has none."""
        waited_us = 0
        if "quiet" in fields:
            while self.reading().dirty and waited_us < int(fields["wait"]):
                waited_us += 10
        if waited_us:
            time.sleep(waited_us / 1e6)
        return waited_us

    def told(self, turn: list[Reading] | None) -> dict[str, object]:
        if turn is None:
            return {"chain_ns": None, "tput_ns": None}
        probe: dict[str, float] = self.script.get("probe", PROBE)  # type: ignore[assignment]
        factor = float(self.script.get("dirty_factor", 1.5))  # type: ignore[arg-type]
        return {
            "chain_ns": [probe["chain"] * one.clock for one in turn],
            "tput_ns": [probe["tput"] * one.clock * (factor if one.dirty else 1.0) for one in turn],
        }

    def speed(self) -> float:
        """How many times as long a call of the next batch takes."""
        speeds = self.script.get("speeds")
        if speeds is None:
            return 1.0
        slow = self.random.random() < speeds["share"] if "share" in speeds else self.pass_number in speeds["passes"]  # type: ignore[operator, call-overload, index]
        return float(speeds["factor"]) if slow else 1.0  # type: ignore[call-overload, index]

    # -- for faults

    def timed(self, reply: dict[str, object], ns: object) -> dict[str, object]:
        """The reply with another time."""
        return {**reply, "ns": ns, "each": [ns for _ in reply["each"]]}  # type: ignore[attr-defined]

    def read(self, reply: dict[str, object], change: Any) -> dict[str, object]:
        """The reply with other readings, if it has any."""
        if reply.get("chain_ns") is None:
            return reply
        chain, tput = change(reply["chain_ns"], reply["tput_ns"])
        return {**reply, "chain_ns": chain, "tput_ns": tput}

    # -- verbs again

    def on_check_probe(self, fields: dict[str, str]) -> dict[str, object]:
        return {"imul_ratio": self.script.get("imul_ratio", 3.0) if self.script.get("probe", PROBE) else None}

    def on_memory(self, fields: dict[str, str]) -> dict[str, object]:
        heap = ("heap_live_bytes", "heap_peak_bytes", "allocations", "stack_bytes", "max_rss_kib")
        names = (*heap, "random_bytes", "system_random_bytes", "system_random_before")
        script = self.script.get("memory", [])
        if isinstance(script, dict):  # the same at every asking
            return dict.fromkeys(names) | script
        told: list[dict[str, list[int]]] = script  # type: ignore[assignment]
        answer = told[min(self.asked_memory, len(told) - 1)] if told else {}
        self.asked_memory += 1
        return {name: answer[name][self.number % len(answer[name])] if name in answer else None for name in names}

    def on_close(self, fields: dict[str, str]) -> dict[str, object]:
        if self.cases.pop(int(fields["case"]), None) is None:
            raise RefusedError("no-such-case", "not prepared")
        phases: dict[str, int] = self.script.get("phases", {})  # type: ignore[assignment]
        grown = phases.get("grow", 0) * self.number
        return {"teardown_ns": phases["teardown_ns"] + grown} if "teardown_ns" in phases else {}

    def on_bye(self, fields: dict[str, str]) -> dict[str, object]:
        return {}


def enter_pass(starts_per_pass: int) -> int:
    """The pass of a process that prepares its first case; one that only introduces itself, and the scout, prepare none."""
    return scripted_answers.count_up(f"{HERE}/entered") // starts_per_pass


def single(script: dict[str, Any]) -> int:
    """One call, whose output is all that is written; the exit status."""
    told, worker = script["single"], Worker(script, 1, 0)
    fields = dict(word.split("=", 1) for word in sys.argv[2:])
    case = Case(fields["op"], fields["impl"], worker.inputs(fields))
    out = bytes.fromhex(str(worker.result(case, "hex")["out"]))
    if scripted_answers.count_up(f"{HERE}/singles") >= told.get("wrong_from", 1 << 30) and out:
        out = bytes([out[0] ^ 1]) + out[1:]
    time.sleep(told.get("sleep_s", 0.0))
    os.write(1, out)
    return 0


def main() -> None:
    out = os.dup(1)
    os.dup2(2, 1)
    with open(f"{HERE}/behaviour.json", encoding="utf-8") as file:  # noqa: PTH123
        script = decoded(file.read())
    if sys.argv[1:2] == ["--once"]:
        os.dup2(out, 1)
        sys.exit(single(script))
    worker = Worker(script, out, scripted_answers.count_up(f"{HERE}/starts"))
    worker.faulty("start", {}, {})
    for line in sys.stdin:
        if not worker.serve(line.rstrip("\n")):
            return


if __name__ == "__main__":
    main()
