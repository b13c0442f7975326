#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A worker in another language, as small as one can be: SHA-256 of Python's hashlib, behind protocol/PROTOCOL.md."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import sys
import time
import zlib
from typing import Any

MASK = (1 << 64) - 1
LINE_MAX, INPUT_MAX, MOST_FIELDS = 8 << 20, 256 << 20, 64
INPUT = re.compile("(hex|gen):")
PARAMS = re.compile(r"[\w.+-]{1,63}=[\w.+-]{1,63}(,[\w.+-]{1,63}=[\w.+-]{1,63}){0,7}", re.ASCII)


class RefusedError(Exception):
    """A request that cannot be served: one of the protocol's error codes, and why."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(detail)
        self.code = code


def number(fields: dict[str, str], key: str, least: int, most: int = MASK, default: str | None = None) -> int:
    """The number that a key holds; a ValueError or KeyError, which `served` answers, if there is none in range."""
    text = fields[key] if default is None else fields.get(key, default)
    value = int(text.lstrip("0")[:21] or "0") if text.isascii() and text.isdigit() else -1
    if not least <= value <= most:
        raise ValueError(f"{key} is not a number from {least} to {most}")
    return value


def decoded(value: str) -> bytes:
    """`hex:...` or `gen:SEED:LENGTH`, the two forms of an input."""
    form, _, rest = value.partition(":")
    if form == "hex" and re.fullmatch("([0-9a-f]{2})*", rest):
        return bytes.fromhex(rest)
    if form != "gen" or rest.count(":") != 1:
        raise ValueError("an input is hex:... or gen:SEED:LENGTH")
    parts = dict(zip(("seed", "length"), rest.split(":"), strict=True))
    state, length, out = number(parts, "seed", 0), number(parts, "length", 0), bytearray()
    if length > INPUT_MAX:
        raise RefusedError("unsupported-size", "an input over 256 MiB")
    while len(out) < length:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        out += (z ^ (z >> 31)).to_bytes(8, "little")
    return bytes(out[:length])


class Case:
    """A prepared operation: a call, and what it left behind."""

    def __init__(self, op: str, msg: bytes, room: int) -> None:
        self.out: bytes | None = None
        self.call = self.nothing if op == "harness/empty" else self.digest
        self.msg, self.room = msg, room

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
        if len(self.out) > self.room:
            return {"result": "error", "detail": "the output is longer than its room"}
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
    "counter": None,
    "probe": None,
    "heap": False,
    "stack": False,
    "capabilities": ["room", "inputs"],
}
LIST = [
    {
        "op": op,
        "impl": impl,
        "name": name,
        "status": "ok",
        "form": None,
        "reason": None,
        "params": None,
        "facts": False,
        "rekey": None,
        "cannot": None,
    }
    for op, impl, name in (("harness/empty", "sdk", "nothing"), ("sha-256/hash", "default", "hashlib.sha256"))
]
CASES: dict[int, Case] = {}


def case_of(fields: dict[str, str]) -> Case:
    """The prepared case that a request names."""
    place = number(fields, "case", 0, 1023)
    if place not in CASES:
        raise RefusedError("no-such-case", "this case is not prepared")
    return CASES[place]


def prepared(fields: dict[str, str]) -> Case:
    """A new case. An input that the operation has not is refused, never measured as if it were not there."""
    op, wanted = fields["op"], {"sha-256/hash": {"msg"}, "harness/empty": set()}
    if (op, fields["impl"]) not in ((row["op"], row["impl"]) for row in LIST):
        raise RefusedError("unknown-operation", "it is not in list")
    if "params" in fields and not PARAMS.fullmatch(fields["params"]):
        raise ValueError("params is not NAME=WORD,...")
    if unknown := {key for key, text in fields.items() if INPUT.match(text)} - wanted[op]:
        raise ValueError(f"this operation has no input {min(unknown)}")
    room = number(fields, "room", 0, INPUT_MAX, str(INPUT_MAX))
    return Case(op, decoded(fields["msg"]) if wanted[op] else b"", room)


def formed(fields: dict[str, str], default: str) -> str:
    """The form of an output that is asked for."""
    form = fields.get("form", default)
    if form not in ("hex", "crc32"):
        raise ValueError("form is neither hex nor crc32")
    return form


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
                raise RefusedError("protocol-version", "this worker speaks version 2")
            return HELLO
        case "list":
            return {"operations": LIST}
        case "prepare":
            place = number(fields, "case", 0, 1023)
            CASES.pop(place, None)
            CASES[place] = prepared(fields)
            return {}
        case "compute":
            form, case = formed(fields, "hex"), case_of(fields)
            case.call()
            return case.result(form)
        case "run":
            calls, lead = number(fields, "calls", 1), number(fields, "lead", 0)
            batches = number(fields, "batches", 1, 64, "1")
            probed = number(fields, "probe", 0, 1, "0") == 1
            readings, case = without_readings(fields, probed), case_of(fields)
            case.timed(lead)
            each = [case.timed(calls) for _ in range(batches)]

            reply: dict[str, Any] = {"ns": sum(each), "each": each, "failed": 0}
            return reply | dict.fromkeys(("cpu_ns", "ref", "cycles", "nivcsw")) | readings
        case "probe":
            number(fields, "count", 1, 1024, "1")
            return without_readings(fields, True)
        case "output":
            return case_of(fields).result(formed(fields, "crc32"))
        case "check-probe":
            return {"imul_ratio": None}
        case "memory":
            case_of(fields).call()
            names = ("heap_live_bytes", "heap_peak_bytes", "allocations", "stack_bytes", "max_rss_kib")
            drawn = ("random_bytes", "system_random_bytes", "system_random_before")
            return dict.fromkeys((*names, *drawn))
        case "facts":
            case_of(fields).out = None
            return {"facts": {}}
        case "objects":
            return {"objects": None}
        case "close":
            case_of(fields)
            del CASES[number(fields, "case", 0, 1023)]
            return {}
        case "bye":
            return {}
    raise RefusedError("unknown-verb", "no such verb")


def parsed(line: bytes) -> tuple[str, dict[str, str]]:
    """The verb and the fields of a request; a ValueError if it is none."""
    if len(line) > LINE_MAX or not all(0x20 <= byte <= 0x7E for byte in line[:-1]):
        raise ValueError("longer than 8 MiB, or not printable ASCII")
    seq, verb, *words = line[:-1].decode("ascii").split(" ")
    number({"SEQ": seq}, "SEQ", 0)
    pairs = [word.partition("=") for word in words]
    fields = {key: text for key, _, text in pairs}
    if not verb or len(fields) < len(words) or len(words) > MOST_FIELDS or not all(key and eq for key, eq, _ in pairs):
        raise ValueError("no verb, or a field that is not key=value, or one too many")
    return verb, fields


def served(line: bytes) -> tuple[dict[str, Any], str]:
    """The reply to one line, and its verb."""
    digits = re.match(rb"([0-9]{1,20})(?= |\n)", line)
    seq, verb = int(digits[1]) if digits and int(digits[1]) <= MASK else 0, ""
    try:
        verb, fields = parsed(line)
        return {"seq": seq, "ok": True} | answer(verb, fields), verb
    except RefusedError as refused:
        code, detail = refused.code, str(refused)
    except KeyError as error:
        code, detail = "bad-request", f"missing key {error.args[0]}"
    except ValueError as error:
        code, detail = "bad-request", str(error)
    return {"seq": seq, "ok": False, "error": code, "detail": detail}, verb


def main() -> None:
    """One reply for every line, until the input ends or nobody reads the replies."""
    # Nothing but replies may reach the channel, whatever a library prints.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # One byte more than a line may have tells one that is too long.
    while line := sys.stdin.buffer.readline(LINE_MAX + 1):
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = sys.stdin.buffer.readline(LINE_MAX)
        if not rest:
            return  # the input ended within a line, which is no request
        reply, verb = served(line if line is rest else line + b"\n")
        text = json.dumps(reply).encode() + b"\n"
        if len(text) > LINE_MAX:
            said = {"error": "unsupported-size", "detail": "the reply would pass 8 MiB; ask for form=crc32"}
            text = json.dumps({"seq": reply["seq"], "ok": False, **said}).encode() + b"\n"
        try:
            replies.write(text)
            replies.flush()
        except BrokenPipeError:
            os._exit(0)
        if verb == "bye" and reply["ok"]:
            return


if __name__ == "__main__":
    main()
