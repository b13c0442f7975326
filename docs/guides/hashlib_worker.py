#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A worker in another language, as small as one can be: SHA-256 of Python's hashlib, behind protocol/PROTOCOL.md."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
import time
import zlib
from typing import Any

MASK = (1 << 64) - 1


class RefusedError(Exception):
    """A request that cannot be served: one of the protocol's error codes, and why."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(detail)
        self.code = code


def decoded(value: str) -> bytes:
    """`hex:...` or `gen:SEED:LENGTH`, the two forms of an input."""
    form, _, rest = value.partition(":")
    if form == "hex":
        return bytes.fromhex(rest)
    seed, _, length = rest.partition(":")
    state, out = int(seed), bytearray()
    while len(out) < int(length):
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        out += (z ^ (z >> 31)).to_bytes(8, "little")
    return bytes(out[: int(length)])


class Case:
    """A prepared operation: a call, and what it left behind."""

    def __init__(self, op: str, msg: bytes) -> None:
        self.out: bytes | None = None
        self.call = self.nothing if op == "harness/empty" else self.digest
        self.msg = msg

    def nothing(self) -> None:
        """The empty operation."""
        self.out = b""

    def digest(self) -> None:
        """SHA-256."""
        self.out = hashlib.sha256(self.msg).digest()

    def timed(self, calls: int) -> int:
        """Nanoseconds of a batch."""
        self.out = None  # stale output must not pass for work
        call, many = self.call, range(calls)
        begin = time.perf_counter_ns()
        for _ in many:
            call()
        return time.perf_counter_ns() - begin

    def result(self, form: str) -> dict[str, Any]:
        """What the last call left, as a reply."""
        if self.out is None:
            return {"result": "error", "detail": "nothing was called"}
        if form == "hex":
            return {"result": "ok", "out": self.out.hex()}
        return {"result": "ok", "len": len(self.out), "crc32": f"{zlib.crc32(self.out):08x}"}


HELLO = {
    "protocol": 1,
    "sdk": "example 1",
    "library": "hashlib",
    "version": platform.python_version(),
    "version_from": "library",
    "compiler": platform.python_compiler(),
    "flags": "",
    "cpu_path": None,
    "clock": "perf_counter_ns",
    "clock_step_ns": 100,
    "cpu_clock": None,
    "ref_counter": None,
    "probe": None,
    "heap": False,
    "stack": False,
}
LIST = [
    {"op": op, "impl": impl, "name": name, "status": "ok", "form": None, "reason": None}
    for op, impl, name in (("harness/empty", "sdk", "nothing"), ("sha-256/hash", "default", "hashlib.sha256"))
]
CASES: dict[str, Case] = {}


def case_of(fields: dict[str, str]) -> Case:
    """The prepared case that a request names."""
    if fields["case"] not in CASES:
        raise RefusedError("no-such-case")
    return CASES[fields["case"]]


def answer(verb: str, fields: dict[str, str]) -> dict[str, Any]:
    """The reply to one request."""
    match verb:
        case "hello":
            if fields["protocol"] != "1":
                raise RefusedError("protocol-version")
            return HELLO
        case "list":
            return {"operations": LIST}
        case "prepare":
            CASES.pop(fields["case"], None)
            if fields["op"] not in (row["op"] for row in LIST):
                raise RefusedError("unknown-operation", fields["op"])
            CASES[fields["case"]] = Case(fields["op"], decoded(fields.get("msg", "hex:")))
            return {}
        case "compute":
            case_of(fields).call()
            return case_of(fields).result(fields.get("form", "hex"))
        case "run":
            case_of(fields).timed(int(fields["lead"]))
            each = [case_of(fields).timed(int(fields["calls"])) for _ in range(int(fields.get("batches", "1")))]
            reply: dict[str, Any] = {"ns": sum(each), "failed": 0} | ({"each": each} if len(each) > 1 else {})
            return reply | dict.fromkeys(("cpu_ns", "ref", "nivcsw", "chain_ns", "tput_ns"))
        case "output":
            return case_of(fields).result(fields.get("form", "crc32"))
        case "check-probe":
            return {"imul_ratio": None}
        case "memory":
            names = ("heap_live_bytes", "heap_peak_bytes", "allocations", "stack_bytes", "max_rss_kib")
            return dict.fromkeys(names)
        case "close":
            CASES.pop(fields["case"], None)
            return {}
        case "bye":
            return {}
    raise RefusedError("unknown-verb", verb)


def main() -> None:
    """One reply for every line, until the input ends."""
    # Nothing but replies may reach the channel, whatever a library prints.
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    for line in sys.stdin:
        seq, verb = 0, ""
        try:
            number, verb, *words = line.split()
            seq = int(number)
            reply = {"ok": True} | answer(verb, dict(word.split("=", 1) for word in words))
        except RefusedError as refused:
            reply = {"ok": False, "error": refused.code, "detail": str(refused)}
        except (KeyError, ValueError) as error:
            reply = {"ok": False, "error": "bad-request", "detail": repr(error)}
        print(json.dumps({"seq": seq} | reply), file=replies, flush=True)
        if verb == "bye":
            return


if __name__ == "__main__":
    main()
