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


def number(fields: dict[str, str], key: str, least: int, most: int = MASK, default: str | None = None) -> int:
    """The number that a key holds; a ValueError or KeyError, which `main` answers, if there is none in range."""
    text = fields[key] if default is None else fields.get(key, default)
    if not (text.isascii() and text.isdigit()) or not least <= int(text) <= most:
        raise ValueError(f"{key} is not a number from {least} to {most}")
    return int(text)


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
    "protocol": 2,
    "sdk": "example 2",
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


def without_readings(fields: dict[str, str], probed: bool) -> dict[str, Any]:
    """What a worker without probes says of them. What is asked is checked all the same."""
    if "quiet" in fields or "wait" in fields:
        number(fields, "quiet", 1)
        number(fields, "wait", 0, 1_000_000)
        if not probed:
            raise ValueError("quiet and wait need probe=1")
    return {"chain_ns": None, "tput_ns": None, "waited_ns": 0}


def answer(verb: str, fields: dict[str, str]) -> dict[str, Any]:
    """The reply to one request."""
    match verb:
        case "hello":
            if number(fields, "protocol", 0) != HELLO["protocol"]:
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
            calls, lead = number(fields, "calls", 1), number(fields, "lead", 0)
            batches = number(fields, "batches", 1, 64, "1")
            probed = number(fields, "probe", 0, 1, "0") == 1
            readings, case = without_readings(fields, probed), case_of(fields)
            case.timed(lead)
            each = [case.timed(calls) for _ in range(batches)]
            reply: dict[str, Any] = {"ns": sum(each), "failed": 0} | ({"each": each} if batches > 1 else {})
            return reply | dict.fromkeys(("cpu_ns", "ref", "cycles", "nivcsw")) | readings
        case "probe":
            number(fields, "count", 1, 1024, "1")
            return without_readings(fields, True)
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
            first, verb, *words = line.split()
            seq, fields = int(first), dict(word.split("=", 1) for word in words)
            if len(fields) < len(words):
                raise ValueError("a key appears twice")
            reply = {"ok": True} | answer(verb, fields)
        except RefusedError as refused:
            reply = {"ok": False, "error": refused.code, "detail": str(refused)}
        except (KeyError, ValueError) as error:
            reply = {"ok": False, "error": "bad-request", "detail": repr(error)}
        print(json.dumps({"seq": seq} | reply), file=replies, flush=True)
        if verb == "bye":
            return


if __name__ == "__main__":
    main()
