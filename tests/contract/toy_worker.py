#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The toy library of sdk/c/tests/toy_adapter.c as a worker in Python: written from protocol/PROTOCOL.md alone.

Standard library only and nothing of cipherstone, so that it proves that the orchestrator knows no library and no language.
"""

from __future__ import annotations

import io
import json
import os
import platform
import re
import resource
import sys
import time
import zlib
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import IO

from toy_library import BAD_KEY, ERROR, MASK, OPERATIONS, REJECTED, Case, Refused, no_facts, splitmix64

LINE_MAX = 8 << 20
INPUT_MAX = 256 << 20
CASES = 1024
MAX_FIELDS = 64
WORD = re.compile("[A-Za-z0-9.+_-]{1,63}")
PROTOCOL = 2
# Inputs by verb: needed, optional (PROTOCOL.md section 2).
VERB_INPUTS = {
    "hash": (("msg",), ()),
    "mac": (("key", "msg"), ("iv",)),
    "encrypt": (("key", "iv", "msg"), ()),
    "seal": (("key", "iv", "aad", "msg"), ()),
    "open": (("key", "iv", "aad", "msg", "tag"), ()),
    "sign": (("key", "pub", "msg"), ()),
    "verify": (("pub", "msg", "sig"), ()),
    "derive": (("key",), ("pub", "salt", "info")),
    "keygen": ((), ("seed",)),
    "empty": ((), ()),
}
# What a worker without probes says of them.
NO_READINGS = {"chain_ns": None, "tput_ns": None, "waited_ns": 0}
FILES = False  # whether a value may be file:PATH


# ---- requests ----


def decimal(text: str, what: str, least: int = 0, limit: int = 1 << 64) -> int:
    """The number that `text` writes in decimal digits, `least` <= number < `limit`; bad-request on anything else."""
    digits = text.lstrip("0")[:21] or text[:1]
    if not re.fullmatch("[0-9]+", text) or not least <= int(digits) < limit:
        raise Refused("bad-request", f"{what} is not a number from {least} below {limit}")
    return int(digits)


def value(text: str, name: str) -> bytes:
    kind, _, rest = text.partition(":")
    if kind == "hex" and _ and len(rest) % 2 == 0 and all(c in "0123456789abcdef" for c in rest):
        return bytes.fromhex(rest)
    if kind == "gen" and rest.count(":") == 1:
        seed, length = rest.split(":")
        count = decimal(length, name)
        start = decimal(seed, name)
        if count > INPUT_MAX:
            raise Refused("unsupported-size", "an input over 256 MiB")
        return splitmix64(start, count)
    if kind == "file" and FILES and Path(rest).is_file():
        return Path(rest).read_bytes()
    raise Refused("bad-request", f"not hex:... or gen:SEED:LENGTH: {name}")


def parameters(text: str | None) -> dict[str, str]:
    found: dict[str, str] = {}
    for part in [] if text is None else text.split(","):
        name, _, word = part.partition("=")
        if not WORD.fullmatch(name) or not WORD.fullmatch(word) or name in found or len(found) == 8:
            raise Refused("bad-request", "params is not name=value[,name=value...], each name once")
        found[name] = word
    return found


def sequence(line: bytes) -> int:
    """The number before the first space; 0 if there is none below 2^64."""
    found = re.match(rb"([0-9]{1,20})(?: |\Z)", line)
    number = int(found[1]) if found else 0
    return number if number <= MASK else 0


@dataclass
class Request:
    seq: int = 0
    verb: str = ""
    fields: dict[str, str] = field(default_factory=dict)

    def need(self, key: str) -> str:
        if key not in self.fields:
            raise Refused("bad-request", f"missing key {key}")
        return self.fields[key]

    def parse(self, line: bytes) -> None:
        self.seq = sequence(line)
        if any(not 0x20 <= byte <= 0x7E for byte in line):
            raise Refused("bad-request", "a byte that is not printable ASCII")
        parts = line.decode("ascii").split(" ")
        decimal(parts[0], "SEQ")
        if len(parts) < 2 or "" in parts:
            raise Refused("bad-request", "no verb, or an empty field")
        self.verb = parts[1]
        for part in parts[2:]:
            key, equals, text = part.partition("=")
            if not equals or not key:
                raise Refused("bad-request", "a field is not key=value")
            if key in self.fields:
                raise Refused("bad-request", "a key appears twice")
            if len(self.fields) == MAX_FIELDS:
                raise Refused("bad-request", f"more than {MAX_FIELDS} fields")
            self.fields[key] = text


class Worker:
    def __init__(self, replies: IO[bytes]) -> None:
        self.replies = replies
        self.cases: dict[int, Case] = {}
        self.taken: set[str] = set()  # operations whose steps this process took
        self.verbs = {
            "hello": self.on_hello,
            "list": self.on_list,
            "prepare": self.on_prepare,
            "compute": self.on_compute,
            "output": self.on_output,
            "run": self.on_run,
            "probe": self.on_probe,
            "check-probe": self.on_check_probe,
            "memory": self.on_memory,
            "facts": self.on_facts,
            "objects": self.on_objects,
            "close": self.on_close,
            "add-key": self.on_add_key,
            "bye": self.on_bye,
        }

    def send(self, reply: dict[str, object]) -> None:
        line = json.dumps(reply, separators=(",", ":")).encode() + b"\n"
        if len(line) > LINE_MAX:
            refusal = {"error": "unsupported-size", "detail": "the reply would pass 8 MiB; ask for form=crc32"}
            return self.send({"seq": reply["seq"], "ok": False, **refusal})
        self.replies.write(line)
        self.replies.flush()

    def serve(self, line: bytes) -> bool:
        """Answers one line; False after `bye`."""
        request = Request()
        try:
            if len(line) > LINE_MAX:
                request.seq = sequence(line)
                raise Refused("bad-request", "the line is longer than 8 MiB")
            request.parse(line.removesuffix(b"\n"))
            if request.verb not in self.verbs:
                raise Refused("unknown-verb", "no such verb")
            self.send({"seq": request.seq, "ok": True, **self.verbs[request.verb](request)})
            return request.verb != "bye"
        except Refused as refused:
            self.send({"seq": request.seq, "ok": False, "error": refused.code, "detail": refused.detail})
            return True

    def number(self, request: Request) -> int:
        return decimal(request.need("case"), "case", limit=CASES)

    def case(self, request: Request) -> Case:
        number = self.number(request)
        if number not in self.cases:
            raise Refused("no-such-case", "this case is not prepared")
        return self.cases[number]

    def form(self, request: Request, default: str) -> str:
        form = request.fields.get("form", default)
        if form not in ("hex", "crc32"):
            raise Refused("bad-request", "form is neither hex nor crc32")
        return form

    def called(self, case: Case, status: int) -> None:
        """Encodes what calls without an error left, and keeps how they went."""
        if status == 0 and case.op.finish is not None:
            status = case.op.finish(case)
        if status == 0 and len(case.out) > case.room:
            status, case.detail = ERROR, "the call wrote outside of its output buffer"
        case.status, case.called = status, True

    def result(self, case: Case, form: str) -> dict[str, object]:
        if not case.called or case.status & ERROR:
            return {"result": "error", "detail": case.detail}
        if case.status & BAD_KEY:
            return {"result": "bad-key"}
        if case.status & REJECTED:
            return {"result": "rejected"}
        if form == "hex":
            return {"result": "ok", "out": case.out.hex()}
        return {"result": "ok", "len": len(case.out), "crc32": f"{zlib.crc32(case.out):08x}"}

    def on_hello(self, request: Request) -> dict[str, object]:
        if decimal(request.need("protocol"), "protocol") != PROTOCOL:
            raise Refused("protocol-version", f"this worker speaks version {PROTOCOL}")
        step = min(b - a for a, b in ((time.monotonic_ns(), time.monotonic_ns()) for _ in range(200)) if b > a)
        return {
            "protocol": PROTOCOL,
            "sdk": "toy-python/2.0",
            "library": "toy",
            "version": "1.0",
            "version_from": "library",
            "compiler": platform.python_implementation() + " " + platform.python_version(),
            "flags": "",
            "cpu_path": None,
            "clock": "time.monotonic_ns",
            "clock_step_ns": step,
            "cpu_clock": "time.process_time_ns",
            "ref_counter": None,
            "counter": None,
            "probe": None,
            "heap": False,
            "stack": False,
            "capabilities": ["params", "room", "inputs", "rekey", "phases", "once"],
        }

    def on_list(self, request: Request) -> dict[str, object]:
        rows = [
            {
                "op": op.op,
                "impl": op.impl,
                "name": op.name,
                "status": "ok" if op.reason is None else "unavailable",
                "form": op.form,
                "reason": op.reason,
                "facts": op.facts is not no_facts,
                **({} if op.params is None else {"params": op.params}),
                **({} if op.rekey is None else {"rekey": op.rekey}),
                **({} if op.cannot is None else {"cannot": op.cannot}),
            }
            for op in OPERATIONS
        ]
        return {"operations": rows}

    def on_prepare(self, request: Request) -> dict[str, object]:
        number = self.number(request)
        wanted = request.need("op"), request.need("impl")
        known = request.fields.get("known", "0")
        if known not in ("0", "1"):
            raise Refused("bad-request", "known is neither 0 nor 1")
        self.cases.pop(number, None)
        params = parameters(request.fields.get("params"))
        rows = [op for op in OPERATIONS if (op.op, op.impl) == wanted]
        op = next((op for op in rows if op.fits(params)), None)
        if op is None and rows:
            raise Refused("unsupported-parameters", "listed, but not for these parameters")
        if op is None:
            raise Refused("unknown-operation", "not in list")
        if known == "0" and op.reason is not None:
            raise Refused("unavailable", op.reason)
        needed, optional = VERB_INPUTS[op.op.split("/")[1]]
        for name, text in request.fields.items():
            if text.startswith(("hex:", "gen:")) and name not in (*needed, *optional):
                raise Refused("bad-request", f"this verb has no input {name}")
        if "seed" in request.fields and not op.seeded:
            raise Refused("unsupported-parameters", "the interface takes no seed")
        present = [*needed, *(name for name in optional if name in request.fields)]
        case = Case(op, {name: value(request.need(name), name) for name in present}, params=params)
        case.room = decimal(request.fields.get("room", str(INPUT_MAX)), "room", limit=INPUT_MAX + 1)
        if len(case.inputs.get("msg", b"")) % op.block:
            raise Refused("unsupported-size", "msg is not a whole number of blocks")
        if params.get("key", "kept") not in ("kept", "fresh") or (params.get("key") == "fresh" and op.rekey is None):
            raise Refused("unsupported-parameters", "key is neither kept nor fresh, or no row takes a new key")
        began = time.monotonic_ns()
        op.setup(case)
        took = time.monotonic_ns() - began
        if params.get("key") == "fresh":
            case.keys.append(case.inputs)
        self.cases[number] = case
        steps = 0 if op.once and op.op not in self.taken else None
        self.taken.add(op.op)
        asked = 0 if op.once and known == "0" else None
        return {"open_ns": steps, "available_ns": asked, "seed_ns": steps, "fetch_ns": steps, "setup_ns": took}

    def on_add_key(self, request: Request) -> dict[str, object]:
        """The inputs that come with a further key; those that do not are the first one's."""
        case = self.case(request)
        if not 0 < len(case.keys) < 64:
            raise Refused("bad-request", "the case was not prepared with key=fresh, or has 64 keys")
        more = {name: text for name, text in request.fields.items() if text.startswith(("hex:", "gen:"))}
        found = {name: value(text, name) for name, text in more.items()}
        first = case.keys[0]
        if not found.keys() <= first.keys() or len(found.get("msg", first["msg"])) != len(first["msg"]):
            raise Refused("bad-request", "this case has no such input, or msg has another length")
        case.keys.append(first | found)
        case.turn = 0
        return {}

    def call(self, case: Case) -> int:
        """One call, with the next key if there is a ring of them."""
        if case.keys:
            case.inputs = case.keys[case.turn]
            case.turn = (case.turn + 1) % len(case.keys)
            try:
                case.op.setup(case)
            except Refused as refused:
                case.detail = refused.detail
                return ERROR
        return case.op.call(case)

    def on_compute(self, request: Request) -> dict[str, object]:
        form = self.form(request, "hex")
        case = self.case(request)
        self.called(case, self.call(case))
        return self.result(case, form)

    def on_output(self, request: Request) -> dict[str, object]:
        form = self.form(request, "crc32")
        return self.result(self.case(request), form)

    def on_run(self, request: Request) -> dict[str, object]:
        calls = decimal(request.need("calls"), "calls", least=1)
        lead = decimal(request.need("lead"), "lead")
        batches = decimal(request.fields.get("batches", "1"), "batches", least=1, limit=65)
        if request.fields.get("probe", "0") not in ("0", "1"):
            raise Refused("bad-request", "probe is neither 0 nor 1")
        if self.waits(request) and request.fields.get("probe") != "1":
            raise Refused("bad-request", "quiet and wait need probe=1")
        case = self.case(request)
        call, status = self.call, 0
        for _ in range(lead):
            status |= call(case)
        switches, cpu = resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw, time.process_time_ns()
        clock = [time.monotonic_ns()]
        for _ in range(batches):
            for _ in range(calls):
                status |= call(case)
            clock.append(time.monotonic_ns())
        each = [after - before for before, after in pairwise(clock)]
        cpu, now = time.process_time_ns() - cpu, resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw
        self.called(case, status)
        status = case.status
        figures: dict[str, object] = {
            "ns": sum(each),
            "cpu_ns": cpu,
            "ref": None,
            "cycles": None,
            "nivcsw": now - switches,
        }
        if batches > 1:
            figures["each"] = each
        return {**figures, "failed": status, **NO_READINGS}

    def waits(self, request: Request) -> bool:
        """Whether waiting is asked for; what is asked is checked, though nothing here could be waited for."""
        quiet, wait = request.fields.get("quiet"), request.fields.get("wait")
        if quiet is None and wait is None:
            return False
        if quiet is None or wait is None:
            raise Refused("bad-request", "quiet and wait come together")
        decimal(quiet, "quiet", least=1)
        decimal(wait, "wait", limit=1_000_001)
        return True

    def on_probe(self, request: Request) -> dict[str, object]:
        decimal(request.fields.get("count", "1"), "count", least=1, limit=1025)
        self.waits(request)
        return dict(NO_READINGS)

    def on_check_probe(self, request: Request) -> dict[str, object]:
        return {"imul_ratio": None}

    def on_memory(self, request: Request) -> dict[str, object]:
        case = self.case(request)
        self.called(case, self.call(case))
        unknown = dict.fromkeys(("heap_live_bytes", "heap_peak_bytes", "allocations", "stack_bytes"))
        return {**unknown, "max_rss_kib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}

    def on_facts(self, request: Request) -> dict[str, object]:
        case = self.case(request)
        facts = case.op.facts(case)
        case.called, case.detail = False, "no call since prepare"
        return {"facts": facts}

    def on_objects(self, request: Request) -> dict[str, object]:
        """The toy is text that the interpreter runs: what is mapped is the interpreter's. Nothing to tell without /proc."""
        try:
            with Path("/proc/self/maps").open(encoding="utf-8", errors="replace") as maps:
                paths = [
                    line.split(maxsplit=5)[5].rstrip("\n") for line in maps if line.count("/") and "x" in line[:24]
                ]
        except OSError:
            return {"objects": None}
        found = []
        for path in dict.fromkeys(path for path in paths if path.startswith("/")):
            name = Path(path).name
            runtime = re.match(r"(ld-|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+)[-.])", name) is not None
            role = "worker" if path == str(Path(sys.executable).resolve()) else "runtime" if runtime else "other"
            found.append({"path": path, "build_id": None, "role": role})
        return {"objects": found}

    def on_close(self, request: Request) -> dict[str, object]:
        self.case(request)
        del self.cases[self.number(request)]
        return {}

    def on_bye(self, request: Request) -> dict[str, object]:
        return {}


def execute(worker: Worker, fields: list[str]) -> int:
    """One prepare and one compute; the exit status."""
    worker.serve(f"1 prepare case=0 {' '.join(fields)}\n".encode())
    if 0 not in worker.cases:
        return 1
    worker.serve(b"2 compute case=0 form=crc32\n")
    status = worker.cases[0].status
    return 0 if status == 0 else 1 if status & ERROR else 3


def once(worker: Worker, fields: list[str]) -> int:
    """One call whose output is all that is written; the exit status."""
    globals()["FILES"] = True
    replies, worker.replies = worker.replies, io.BytesIO()
    execute(worker, fields)
    if 0 not in worker.cases:
        return 4
    case = worker.cases[0]
    if case.status == 0:
        replies.write(case.out)
        replies.flush()
    return 0 if case.status == 0 else 1 if case.status & ERROR else 3


def main() -> None:
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    worker = Worker(replies)
    if sys.argv[1:] == ["--describe"]:
        worker.serve(b"1 hello protocol=%d\n" % PROTOCOL)
        worker.serve(b"2 list\n")
        return
    if sys.argv[1:2] == ["--exec"]:
        sys.exit(execute(worker, sys.argv[2:]))
    if sys.argv[1:2] == ["--once"]:
        sys.exit(once(worker, sys.argv[2:]))
    # One byte more than a line may have tells a line that is too long from one that fits.
    while line := sys.stdin.buffer.readline(LINE_MAX + 1):
        if not line.endswith(b"\n"):
            rest = line
            while rest and not rest.endswith(b"\n"):
                rest = sys.stdin.buffer.readline(LINE_MAX)
            if not rest:
                return
        try:
            if not worker.serve(line):
                return
        except BrokenPipeError:
            return


if __name__ == "__main__":
    main()
