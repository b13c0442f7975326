# SPDX-License-Identifier: Apache-2.0
"""The toy library of sdk/c/tests/toy_adapter.c in Python: the same operations, the same outputs, the same ways to go wrong."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field

MASK = (1 << 64) - 1
REJECTED, ERROR, BAD_KEY = 1, 2, 4


class Refused(Exception):
    """A request that cannot be served: `code` as in PROTOCOL.md section 1, and one line of detail."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


@dataclass
class Case:
    op: Operation
    inputs: dict[str, bytes]
    out: bytes = b""
    status: int = 0
    detail: str = "no call since prepare"
    called: bool = False
    counter: int = 0
    kept: int = 0
    params: dict[str, str] = field(default_factory=dict)
    room: int = 0
    keys: list[dict[str, bytes]] = field(default_factory=list)  # of key=fresh: the inputs with each
    turn: int = 0


def no_facts(case: Case) -> dict[str, int | str]:
    return {}


@dataclass(frozen=True)
class Operation:
    op: str
    impl: str
    name: str
    call: Callable[[Case], int]
    setup: Callable[[Case], None] = lambda case: None
    form: str | None = None
    reason: str | None = None
    seeded: bool = False
    block: int = 1
    steps: int = 0
    finish: Callable[[Case], int] | None = None
    facts: Callable[[Case], dict[str, int | str]] = no_facts
    params: str | None = None
    rekey: str | None = None
    cannot: str | None = None
    once: bool = False  # has steps that a process takes once

    def fits(self, params: dict[str, str]) -> bool:
        """Whether the row is made for these parameters."""
        parts = (part.partition("=") for part in self.params.split(",")) if self.params else ()
        return all(params.get(name) in values.split("|") for name, _, values in parts)


def splitmix64(seed: int, length: int) -> bytes:
    """`length` bytes of the stream of PROTOCOL.md section 2; `seed` below 2^64."""
    words = bytearray()
    state = seed
    while len(words) < length:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        words += (z ^ (z >> 31)).to_bytes(8, "little")
    return bytes(words[:length])


def fnv(*parts: bytes) -> int:
    """FNV-1a, 64 bit, of the parts one after the other."""
    state = 0xCBF29CE484222325
    for part in parts:
        for byte in part:
            state = ((state ^ byte) * 0x100000001B3) & MASK
    return state


def xor(a: bytes, b: bytes) -> bytes:
    return bytes(x ^ y for x, y in zip(a, b, strict=True))


# ---- operations: each leaves its output in case.out and returns a status ----


def empty(case: Case) -> int:
    return 0


def hash_call(case: Case) -> int:
    case.out = fnv(case.inputs["msg"]).to_bytes(8, "big")
    return 0


def copy_call(case: Case) -> int:
    case.out = case.inputs["msg"]
    return 0


def busy_call(case: Case) -> int:
    x = case.op.steps
    for _ in range(case.op.steps):
        x = (x * 6364136223846793005 + 1442695040888963407) & MASK
    return hash_call(case)


def noisy_call(case: Case) -> int:
    line = '{"seq":0,"ok":false,"error":"from the library"}\n'
    print(line, end="", flush=True)
    os.write(1, line.encode())
    return hash_call(case)


def failing_call(case: Case) -> int:
    case.detail = "the toy fails on every call"
    return ERROR


def overrun_call(case: Case) -> int:
    case.detail = "the call wrote outside of its output buffer"
    return ERROR


def changing_call(case: Case) -> int:
    case.detail = "the call changed its input msg"
    return ERROR if case.inputs["msg"] else hash_call(case)


def cut_setup(case: Case) -> None:
    if int(case.params["out"]) > 8:
        raise Refused("setup-failed", "out is more than 8")


def cut_call(case: Case) -> int:
    case.out = fnv(case.inputs["msg"]).to_bytes(8, "big")[: int(case.params["out"])]
    return 0


def keygen_call(case: Case) -> int:
    key = fnv(case.inputs.get("seed", b"")).to_bytes(8, "big")
    case.out = key + fnv(key).to_bytes(8, "big")
    return 0


def derive_setup(case: Case) -> None:
    if not case.inputs["key"]:
        raise Refused("bad-key", "the library refused the inputs")


def derive_call(case: Case) -> int:
    pub = case.inputs.get("pub", b"")
    case.out = fnv(case.inputs["key"], pub).to_bytes(8, "big")
    return 0 if pub else BAD_KEY


def refuse_setup(case: Case) -> None:
    raise Refused("setup-failed", "the toy refuses every input")


def keyed_setup(case: Case) -> None:
    if len(case.inputs["key"]) != 16:
        raise Refused("setup-failed", "key must have 16 bytes")


def masked(case: Case) -> bytes:
    msg = case.inputs["msg"]
    return xor(msg, splitmix64(fnv(case.inputs["key"], case.inputs["iv"]), len(msg)))


def tag_of(case: Case, sealed: bytes) -> bytes:
    return fnv(case.inputs["key"], case.inputs["iv"], case.inputs["aad"], sealed).to_bytes(8, "big")


def encrypt_call(case: Case) -> int:
    case.out = masked(case)
    return 0


def seal_call(case: Case) -> int:
    sealed = masked(case)
    case.out = sealed + tag_of(case, sealed)
    return 0


def open_call(case: Case) -> int:
    if tag_of(case, case.inputs["msg"]) != case.inputs["tag"]:
        return REJECTED
    case.out = masked(case)
    return 0


def sign_setup(case: Case) -> None:
    case.counter = time.time_ns() & MASK


def sign_call(case: Case) -> int:
    case.counter = (case.counter + 1) & MASK
    nonce = case.counter.to_bytes(8, "big")
    case.out = nonce + fnv(case.inputs["key"], nonce, case.inputs["msg"]).to_bytes(8, "big")
    return 0


def verify_call(case: Case) -> int:
    sig = case.inputs["sig"]
    expected = fnv(case.inputs["pub"], sig[:8], case.inputs["msg"]).to_bytes(8, "big")
    case.out = b""
    return 0 if len(sig) == 16 and sig[8:] == expected else REJECTED


def late_call(case: Case) -> int:
    case.kept = fnv(case.inputs["msg"])
    return 0


def idle_setup(case: Case) -> None:
    late_call(case)


def late_finish(case: Case) -> int:
    case.out, case.kept = case.kept.to_bytes(8, "big"), 0
    return 0


def failing_finish(case: Case) -> int:
    case.detail = "the toy cannot encode its result"
    return ERROR


def late_facts(case: Case) -> dict[str, int | str]:
    return {"mul": len(case.inputs["msg"]), "leak": "length of msg by loop"}


def babbling_facts(case: Case) -> dict[str, int | str]:
    raise Refused("bad-facts", "a key is not a word")


OPERATIONS = (
    Operation("harness/empty", "sdk", "empty call", empty, rekey="call"),
    Operation("toy-sum/hash", "default", "toy_sum", hash_call),
    Operation("toy-copy/hash", "default", "toy_copy", copy_call),
    Operation("toy-seal/seal", "default", "toy_seal", seal_call, keyed_setup, rekey="function"),
    Operation("toy-seal/open", "default", "toy_open", open_call, keyed_setup, rekey="setup"),
    Operation(
        "toy-blocks/encrypt",
        "default",
        "toy_encrypt",
        encrypt_call,
        keyed_setup,
        block=16,
        cannot="place: the toy reads behind what it writes",
    ),
    Operation("toy-random/sign", "default", "toy_sign", sign_call, sign_setup, form="p1363"),
    Operation("toy-random/verify", "default", "toy_verify", verify_call, form="p1363"),
    Operation("toy-slow/hash", "default", "toy_slow", busy_call, steps=60000),
    Operation("toy-delay/hash", "base", "toy_delay", busy_call, steps=1000),
    Operation("toy-delay/hash", "plus3", "toy_delay_plus3", busy_call, steps=1030),
    Operation("toy-refused/hash", "default", "toy_refused", hash_call, reason="the toy refuses this on every CPU"),
    Operation("toy-once/hash", "default", "toy_once", hash_call, once=True),
    Operation("toy-unset/hash", "default", "toy_unset", hash_call, refuse_setup),
    Operation("toy-failing/hash", "default", "toy_failing", failing_call),
    Operation("toy-noisy/hash", "default", "toy_noisy", noisy_call),
    Operation("toy-overrun/hash", "default", "toy_overrun", overrun_call),
    Operation("toy-late/hash", "default", "toy_late", late_call, finish=late_finish, facts=late_facts),
    Operation("toy-late/hash", "idle", "toy_late_idle", empty, idle_setup, finish=late_finish),
    Operation("toy-late/hash", "stuck", "toy_late_stuck", late_call, finish=failing_finish, facts=babbling_facts),
    Operation("toy-changing/hash", "default", "toy_changing", changing_call),
    Operation("toy-beside/hash", "default", "toy_beside", overrun_call),
    Operation("toy-cut/hash", "default", "toy_cut", cut_call, cut_setup, params="out=4|8,mode=sum"),
    Operation("toy-cut/hash", "default", "toy_copy", copy_call, params="mode=copy"),
    Operation("toy-pair/keygen", "default", "toy_keygen", keygen_call, seeded=True),
    Operation("toy-pair/keygen", "unseeded", "toy_keygen", keygen_call),
    Operation("toy-pair/derive", "default", "toy_derive", derive_call, derive_setup),
)
