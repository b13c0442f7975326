# SPDX-License-Identifier: Apache-2.0
"""A worker without a library: `scripted_worker.py LIBRARY IMPLEMENTATIONS`. It computes with the orchestrator's own oracle, so that its answers pass every
check, and invents its times, which it lets pass because no claim is believed that is longer than what its asker saw. Its figures say nothing about anything.
"""

from __future__ import annotations

import random
import sys
import time
import zlib
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import msgspec

from cipherstone.model.errors import UsageError
from cipherstone.operations.oracle import NotAuthentic, expected_output, made, operations
from cipherstone.operations.values import InputValue

Reply = dict[str, Any]
EMPTY = "harness/empty"
EMPTY_NS = 1.25
CHAIN_NS, TPUT_NS = 0.25, 0.05
NOISE = 0.002


def form_of(operation: str) -> str | None:
    """The encoding of its signatures."""
    return "der" if operation.startswith("ecdsa") else None


@lru_cache(maxsize=4096)
def decoded(text: str) -> bytes:
    """The bytes of an input."""
    return InputValue.parse(text).data


@lru_cache(maxsize=8192)
def computed(operation: str, texts: tuple[tuple[str, str], ...]) -> tuple[str, bytes, str]:
    """(result, output, its CRC-32) of an operation at inputs: computed once, whatever the implementation."""
    inputs = {name: decoded(text) for name, text in texts}
    try:
        output = expected_output(operation, inputs, form_of(operation))
        if output is None:
            output = made(operation, inputs, form_of(operation))
    except (NotAuthentic, UsageError):
        return "rejected", b"", ""
    return "ok", output, f"{zlib.crc32(output):08x}"


def readings(count: int) -> Reply:
    """`count` probe readings, up to 0.2 % long. Nothing is ever waited for."""

    def spread(ns: float) -> list[float]:
        return [ns * (1.0 + NOISE * random.random()) for _ in range(count)]

    return {"chain_ns": spread(CHAIN_NS), "tput_ns": spread(TPUT_NS), "waited_ns": 0}


class Prepared(msgspec.Struct):
    """A case: its operation, its inputs as texts, and what a call costs in ns."""

    operation: str
    texts: tuple[tuple[str, str], ...]
    ns: float


class Worker:
    """Answers requests; one method a verb."""

    def __init__(self, library: str, implementations: int) -> None:
        self.library = library
        self.names = ["default", *(f"impl{i:02d}" for i in range(1, implementations))]
        self.cases: dict[int, Prepared] = {}
        self.factor = 1.0 + 0.13 * (zlib.crc32(library.encode()) % 7)

    def hello(self, fields: dict[str, str]) -> Reply:
        """Who it is."""
        return {
            "protocol": 2,
            "sdk": "scripted",
            "library": self.library,
            "version": "1.0",
            "version_from": "library",
            "compiler": "none",
            "flags": "",
            "clock": "invented",
            "clock_step_ns": 1,
            "probe": "invented",
        }

    def list(self, fields: dict[str, str]) -> Reply:
        """Every operation of the oracle, in every implementation."""
        rows = [
            {"op": operation, "impl": name, "status": "ok", "name": name, "form": form_of(operation)}
            for operation in sorted(operations())
            for name in self.names
        ]
        return {"operations": [*rows, {"op": EMPTY, "impl": "sdk", "status": "ok"}]}

    def prepare(self, fields: dict[str, str]) -> Reply:
        """Keeps the texts; invents a cost from operation, size and implementation."""
        operation, impl = fields["op"], fields["impl"]
        texts = tuple((name, text) for name, text in fields.items() if text.startswith(("hex:", "gen:")))
        if operation == EMPTY:
            ns = EMPTY_NS
        else:
            size = len(decoded(fields["msg"])) if "msg" in fields else 20000
            ns = (60.0 + 0.4 * size) * self.factor * (1.0 + 0.07 * self.names.index(impl))
        self.cases[int(fields["case"])] = Prepared(operation, texts, ns)
        return {}

    def compute(self, fields: dict[str, str]) -> Reply:
        """The oracle's answer."""
        case = self.cases[int(fields["case"])]
        result, output, crc = computed(case.operation, case.texts)
        if result != "ok":
            return {"result": result}
        if fields.get("form", "hex") == "hex":
            return {"result": "ok", "out": output.hex()}
        return {"result": "ok", "len": len(output), "crc32": crc}

    def output(self, fields: dict[str, str]) -> Reply:
        """The same: every call leaves the same output."""
        return self.compute({"form": "crc32", **fields})

    def run(self, fields: dict[str, str]) -> Reply:
        """Invented times, up to 0.2 % long, after as much CPU time: what is claimed of it is held against the system's count, which stands while others have the core."""
        began = time.process_time_ns()
        case = self.cases[int(fields["case"])]
        base = int(fields["calls"]) * case.ns
        each = [round(base * (1.0 + NOISE * random.random())) for _ in range(int(fields.get("batches", "1")))]
        reply: Reply = {"ns": sum(each), "failed": 0, "cpu_ns": sum(each), "nivcsw": 0}
        if len(each) > 1:
            reply["each"] = each
        while time.process_time_ns() - began < reply["ns"]:
            pass
        return reply | (readings(len(each) + 1) if fields.get("probe") == "1" else {})

    def probe(self, fields: dict[str, str]) -> Reply:
        """Readings of a core that nobody shares."""
        return readings(int(fields.get("count", "1")))

    def check_probe(self, fields: dict[str, str]) -> Reply:
        """As it should be."""
        return {"imul_ratio": 3.0}

    def close(self, fields: dict[str, str]) -> Reply:
        """Forgets a case."""
        self.cases.pop(int(fields["case"]), None)
        return {}

    def bye(self, fields: dict[str, str]) -> Reply:
        """Ends."""
        return {}


def main() -> None:
    """Reads requests until `bye` or the end of input."""
    worker = Worker(sys.argv[1], int(sys.argv[2]))
    encode = msgspec.json.Encoder().encode
    for line in sys.stdin.buffer:
        seq, verb, *words = line.decode("ascii").split()
        fields = dict(word.split("=", 1) for word in words)
        answer: Callable[[dict[str, str]], Reply] | None = getattr(worker, verb.replace("-", "_"), None)
        if answer is None:
            reply: Reply = {"ok": False, "error": "unknown-verb"}
        else:
            reply = {"ok": True, **answer(fields)}
        sys.stdout.buffer.write(encode({"seq": int(seq), **reply}) + b"\n")
        sys.stdout.buffer.flush()
        if verb == "bye":
            return


if __name__ == "__main__":
    main()
