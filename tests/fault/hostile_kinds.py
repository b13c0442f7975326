# SPDX-License-Identifier: Apache-2.0
"""Workers that mean harm, as data: what each does, at which moment of a conversation. `KINDS`: library -> (its script, outcomes that it may have; none: it is left out of the run before there are lanes).

Which of several outcomes it is depends on what is seen first. What claims of figures a worker may make is in test_hostile_claims.py; how workers break without meaning to, in test_broken_workers.py.
"""

from __future__ import annotations

import signal
from typing import Any

from scripts import HASH, cost

from cipherstone.model.outcomes import Outcome

OK, WRONG, CRASHED, TIMED_OUT = Outcome.OK, Outcome.WRONG, Outcome.CRASHED, Outcome.TIMED_OUT
Kind = tuple[dict[str, Any], frozenset[Outcome]]


def at(verb: str, do: str, **more: Any) -> dict[str, Any]:
    return {"faults": [{"at": verb, "do": do, **more}]}


def put(verb: str, **keys: object) -> dict[str, Any]:
    return at(verb, "put", keys=keys)


def raw(verb: str, text: str, **more: Any) -> dict[str, Any]:
    return at(verb, "raw", text=text, **more)


def one(*outcomes: Outcome) -> frozenset[Outcome]:
    return frozenset(outcomes)


LEFT_OUT: frozenset[Outcome] = frozenset()
LATE: dict[str, Any] = {"from": 2}  # not the processes that introduce a worker or scout

KINDS: dict[str, Kind] = {
    # It hangs, at each moment.
    "hangs-start": (at("start", "hang"), LEFT_OUT),
    "hangs-list": (at("list", "hang"), LEFT_OUT),
    "hangs-prepare": (at("prepare", "hang"), one(TIMED_OUT)),
    "hangs-compute": (at("compute", "hang"), one(TIMED_OUT)),
    "hangs-output": (at("output", "hang"), one(TIMED_OUT)),
    "hangs-close": (at("close", "hang"), one(TIMED_OUT, OK)),
    "hangs-probe-check": (at("check-probe", "hang"), one(TIMED_OUT, OK)),
    "spins": (at("run", "spin"), one(TIMED_OUT)),
    "spins-after-bye": (at("bye", "answer_and_spin", **LATE), one(TIMED_OUT)),
    "stops-itself": (at("run", "signals", number=signal.SIGSTOP), one(TIMED_OUT)),
    # Lines that are none.
    "half-hangs": (at("run", "half_line", then="hang"), one(TIMED_OUT)),
    "half-ends": (at("run", "half_line", then="exit"), one(CRASHED)),
    "drips": (at("run", "drips"), one(TIMED_OUT)),
    "blank-lines": (raw("run", "\n\n\n"), one(CRASHED)),
    "zeros": (raw("run", "\0\0\0\0\n"), one(CRASHED)),
    "nested": (raw("run", "[" * 200_000 + "\n"), one(CRASHED)),
    "nested-inside": (raw("run", '{"seq":SEQ,"ok":true,"x":' + "[" * 200_000 + "\n"), one(CRASHED)),
    "no-text": (raw("run", '{"seq":SEQ,"ok":true,"\xff\xfe":1}\n'), one(CRASHED)),
    "floods-replies": (at("run", "flood", text="{}\n"), one(CRASHED)),
    "floods-one-line": (at("run", "flood", text="x" * 64), one(CRASHED)),
    "floods-errors": (at("run", "flood", text="no newline ", to="err"), one(TIMED_OUT)),
    # Replies that are none.
    "seq-text": (put("run", seq="7"), one(CRASHED)),
    "seq-negative": (put("run", seq=-1), one(CRASHED)),
    "seq-twice": (raw("run", '{"seq":SEQ,"ok":true,"seq":9,"ns":1,"failed":0}\n'), one(CRASHED)),
    "ok-text": (put("run", ok="yes"), one(CRASHED)),
    "ahead": (raw("start", '{"seq":1,"ok":true}\n'), LEFT_OUT),
    "refuses-at-length": (put("run", ok=False, error="x" * 100_000, detail="\x1b]0;" + "y\n" * 100_000), one(CRASHED)),
    "out-no-hex": (put("compute", out="zz"), one(CRASHED, WRONG)),
    "out-odd": (put("compute", out="000"), one(CRASHED, WRONG)),
    "out-long": (put("compute", out="00" * (1 << 20)), one(WRONG)),
    "result-unknown": (put("compute", result="maybe\x1b[2J"), one(CRASHED, WRONG)),
    "crc-no-hex": (put("output", crc32="\u00e9\n"), one(CRASHED)),
    "batches-missing": (put("run", each=[]), one(CRASHED)),
    "another-later": ({"hello_of": {"3": {"version": "9.9"}, "4": {"library": "other"}}}, one(CRASHED, OK, WRONG, Outcome.UNAVAILABLE)),
    # What it does beside answering.
    "eats-memory": (at("prepare", "eats"), one(OK)),
    "child-keeps-pipes": (at("run", "leave_child", then="exit"), one(CRASHED, TIMED_OUT)),
    "child-gone-keeps-pipes": (at("run", "leave_child", setsid=True, then="exit"), one(CRASHED, TIMED_OUT)),
    "daemons": (at("prepare", "leave_child", setsid=True, quiet=True, count=2, times=1), one(OK)),
    "many-children": (at("prepare", "leave_child", quiet=True, count=40, times=1, processes=[2, 3]), one(OK)),
    "closes-errors": (at("prepare", "close_end", number=2), one(OK, CRASHED)),
    "closes-requests": (at("run", "close_end", number=0), one(CRASHED)),
    "ends-its-group": (at("run", "signals", number=signal.SIGTERM), one(CRASHED)),
    "hangs-up": (at("run", "signals", number=signal.SIGHUP, deaf=True), one(OK)),
    "roams": (at("prepare", "roams"), one(OK)),
}  # fmt: skip


def script(name: str) -> dict[str, Any]:
    """What the scripted worker of a kind does."""
    return {"costs": {HASH: cost(700)}, **KINDS[name][0]}
