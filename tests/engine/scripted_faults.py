# SPDX-License-Identifier: Apache-2.0
"""What may go wrong with a scripted worker, by name. Standard library only."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any, Protocol


class Worker(Protocol):
    """What a fault may use of the worker that has it. `out`: the descriptor of its replies."""

    out: int

    def write(self, data: bytes) -> None: ...

    def send(self, reply: dict[str, object]) -> None: ...

    def timed(self, reply: dict[str, object], ns: object) -> dict[str, object]: ...

    def read(self, reply: dict[str, object], change: Callable[[Any, Any], tuple[Any, Any]]) -> dict[str, object]: ...


class Faults:
    """What may go wrong, by name. Each gets the worker and the reply that was due; a reply that is returned is sent."""

    @staticmethod
    def segv(worker: Worker, reply: dict[str, object]) -> None:
        print("about to read address zero", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)

    @staticmethod
    def abort(worker: Worker, reply: dict[str, object]) -> None:
        print("assertion failed: key != NULL", file=sys.stderr, flush=True)
        os.abort()

    @staticmethod
    def exit(worker: Worker, reply: dict[str, object]) -> None:
        os._exit(0)

    @staticmethod
    def hang(worker: Worker, reply: dict[str, object]) -> None:
        print("going to sleep", file=sys.stderr, flush=True)
        time.sleep(3600)

    @staticmethod
    def stubborn(worker: Worker, reply: dict[str, object]) -> None:
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(number, signal.SIG_IGN)
        os.close(0)
        Faults.hang(worker, reply)

    @staticmethod
    def orphan(worker: Worker, reply: dict[str, object]) -> None:
        """Leaves a child behind that holds no pipe."""
        if os.fork() == 0:
            null = os.open(os.devnull, os.O_RDWR)
            for descriptor in (0, 1, 2, worker.out):
                os.dup2(null, descriptor)
            time.sleep(3600)
        os.kill(os.getpid(), signal.SIGKILL)

    @staticmethod
    def daemon(worker: Worker, reply: dict[str, object], fault: dict[str, Any]) -> dict[str, object]:
        """Leaves a process behind in a session of its own whose parent is gone, and which ignores what it can. With `bare` it is another program without the worker's environment, with `then` the worker ends by that signal."""
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                    signal.signal(number, signal.SIG_IGN)
                if not fault.get("pipes"):
                    null = os.open(os.devnull, os.O_RDWR)
                    for descriptor in (0, 1, 2, worker.out):
                        os.dup2(null, descriptor)
                if fault.get("bare"):
                    words = [sys.executable, "-IS", "-c", "import time; time.sleep(3600)", sys.argv[0]]
                    os.execve(words[0], words, {})
                time.sleep(3600)
            os._exit(0)
        os.wait()
        if fault.get("then"):
            os.kill(os.getpid(), fault["then"])
        return reply

    @staticmethod
    def garbage(worker: Worker, reply: dict[str, object]) -> None:
        worker.write(b"\xff\xfe\x00 Segmentation fault \x1b[31m(core dumped)\n")

    @staticmethod
    def long_line(worker: Worker, reply: dict[str, object]) -> None:
        for _ in range(10):
            worker.write(b"x" * (1 << 20))
        worker.write(b"\n")

    @staticmethod
    def many_lines(worker: Worker, reply: dict[str, object]) -> None:
        worker.write(b'{"debug":"' + b"x" * 1000 + b'"}\n')

    @staticmethod
    def chatter(worker: Worker, reply: dict[str, object]) -> dict[str, object]:
        """100 MB on standard error, and the right answer."""
        for _ in range(1600):
            os.write(2, b"debug output of the library\n" * 2341)
        return reply

    @staticmethod
    def wrong_seq(worker: Worker, reply: dict[str, object]) -> dict[str, object]:
        return {**reply, "seq": 77_777}

    @staticmethod
    def next_seq(worker: Worker, reply: dict[str, object]) -> dict[str, object]:
        """Answers as if the next request had come before this one."""
        return {**reply, "seq": int(str(reply["seq"])) + 1}

    @staticmethod
    def twice(worker: Worker, reply: dict[str, object]) -> dict[str, object]:
        worker.send(reply)
        return reply

    @staticmethod
    def close_stdout(worker: Worker, reply: dict[str, object]) -> None:
        os.close(worker.out)
        Faults.hang(worker, reply)

    @staticmethod
    def zero(worker: Worker, reply: dict[str, object]) -> dict[str, object]:
        return worker.timed(reply, 0)

    @staticmethod
    def negative(worker: Worker, reply: dict[str, object]) -> dict[str, object]:
        return worker.timed(reply, -5)

    @staticmethod
    def nan(worker: Worker, reply: dict[str, object]) -> dict[str, object]:
        return worker.timed(reply, float("nan"))

    @staticmethod
    def huge(worker: Worker, reply: dict[str, object]) -> dict[str, object]:
        return worker.timed(reply, 10**40)

    @staticmethod
    def century(worker: Worker, reply: dict[str, object]) -> dict[str, object]:
        return worker.timed(reply, (1 << 63) - 1)

    @staticmethod
    def fraction(worker: Worker, reply: dict[str, object]) -> dict[str, object]:
        return worker.timed(reply, 0.5)

    @staticmethod
    def missing(worker: Worker, reply: dict[str, object]) -> dict[str, object]:
        return {"seq": reply["seq"], "ok": True}

    @staticmethod
    def failed(worker: Worker, reply: dict[str, object]) -> dict[str, object]:
        return {**reply, "failed": 2}

    @staticmethod
    def refused(worker: Worker, reply: dict[str, object]) -> dict[str, object]:
        """A refusal whose detail is no line."""
        detail = "first line\nsecond line \x1b[31mred\x07"
        return {"seq": reply["seq"], "ok": False, "error": "unavailable", "detail": detail}

    @staticmethod
    def boundless(worker: Worker, reply: dict[str, object]) -> dict[str, object]:
        """Probe readings that no core can give: a thousand additions a cycle."""
        return worker.read(reply, lambda chain, tput: ([0.25 for _ in chain], [0.00025 for _ in tput]))

    @staticmethod
    def old_readings(worker: Worker, reply: dict[str, object]) -> dict[str, object]:
        """One number each, as protocol 1 had it."""
        return worker.read(reply, lambda chain, tput: (chain[0], tput[0]))

    @staticmethod
    def few_readings(worker: Worker, reply: dict[str, object]) -> dict[str, object]:
        return worker.read(reply, lambda chain, tput: (chain[1:], tput[1:]))

    @staticmethod
    def half_readings(worker: Worker, reply: dict[str, object]) -> dict[str, object]:
        return worker.read(reply, lambda chain, tput: (chain, None))

    @staticmethod
    def holes(worker: Worker, reply: dict[str, object]) -> dict[str, object]:
        """The second reading of a turn is missing: null in one list, zero in the other."""
        return worker.read(reply, lambda chain, tput: ([chain[0], None, *chain[2:]], [tput[0], 0, *tput[2:]]))

    @staticmethod
    def put(worker: Worker, reply: dict[str, object], fault: dict[str, Any]) -> dict[str, object]:
        """Other values for `keys`; one for a list stands for each of its entries."""
        changed = dict(reply)
        for key, value in fault["keys"].items():
            due = reply.get(key)
            changed[key] = [value for _ in due] if isinstance(due, list) and not isinstance(value, list) else value
        if "ns" in fault["keys"] and reply.get("each"):
            changed["each"] = [fault["keys"]["ns"] for _ in reply["each"]]  # type: ignore[attr-defined]
            changed["ns"] = sum(changed["each"])  # type: ignore[call-overload]
        return changed

    @staticmethod
    def scaled(worker: Worker, reply: dict[str, object], fault: dict[str, Any]) -> dict[str, object]:
        """The times named times `factor`; with `every`, of every so many batches only."""
        factor, every = fault["factor"], fault.get("every", 1)
        changed = dict(reply)
        for key in fault["scaled"]:
            if isinstance(reply[key], int):
                changed[key] = round(reply[key] * factor)  # type: ignore[operator]
        if "each" in fault["scaled"] and reply["each"]:
            each = [round(x * factor) if i % every == 0 else x for i, x in enumerate(reply["each"])]  # type: ignore[arg-type, var-annotated]
            changed["each"], changed["ns"] = each, sum(each)
        return changed

    # -- of who means harm (tests/fault/hostile_kinds.py)

    @staticmethod
    def raw(worker: Worker, reply: dict[str, object], fault: dict[str, Any]) -> None:
        """`text` in the place of the reply, SEQ being the number that is due, `times` over; then it goes on, or ends as `then` says."""
        text = fault["text"].replace("SEQ", str(reply["seq"])).encode("latin-1")
        worker.write(text * fault.get("repeat", 1))
        if fault.get("then") is not None:
            getattr(Faults, fault["then"])(worker, reply)

    @staticmethod
    def half_line(worker: Worker, reply: dict[str, object], fault: dict[str, Any]) -> None:
        """Half of the right answer; then it ends as `then` says."""
        whole = repr(reply).replace("'", '"').encode()
        worker.write(whole[: len(whole) // 2])
        getattr(Faults, fault["then"])(worker, reply)

    @staticmethod
    def drips(worker: Worker, reply: dict[str, object]) -> None:
        """A byte now and then, never a line."""
        for byte in b'{"seq":' + b"1" * 100_000:
            worker.write(bytes((byte,)))
            time.sleep(0.05)

    @staticmethod
    def spin(worker: Worker, reply: dict[str, object]) -> None:
        while True:
            pass

    @staticmethod
    def answer_and_spin(worker: Worker, reply: dict[str, object]) -> None:
        worker.send(reply)
        Faults.spin(worker, reply)

    @staticmethod
    def eats(worker: Worker, reply: dict[str, object]) -> dict[str, object]:
        """A quarter of a gigabyte, touched, for as long as it lives."""
        if not Faults.eaten:
            Faults.eaten.append(bytearray(b"x") * (1 << 28))
        return reply

    eaten: list[bytearray] = []  # noqa: RUF012

    @staticmethod
    def leave_child(worker: Worker, reply: dict[str, object], fault: dict[str, Any]) -> dict[str, object] | None:
        """`count` children that hold the pipes (unless `quiet`), in a session of their own with `setsid`; the worker then answers, or ends as `then` says."""
        for _ in range(fault.get("count", 1)):
            if os.fork() == 0:
                if fault.get("setsid"):
                    os.setsid()
                if fault.get("quiet"):
                    null = os.open(os.devnull, os.O_RDWR)
                    for descriptor in (0, 1, 2, worker.out):
                        os.dup2(null, descriptor)
                time.sleep(30)
                os._exit(0)
        if fault.get("then") is None:
            return reply
        getattr(Faults, fault["then"])(worker, reply)
        return None

    @staticmethod
    def flood(worker: Worker, reply: dict[str, object], fault: dict[str, Any]) -> None:
        """`text` without end, to standard error or where replies go (`to`)."""
        block = fault["text"].encode() * 4096
        while True:
            if fault.get("to") == "err":
                os.write(2, block)
            else:
                worker.write(block)

    @staticmethod
    def close_end(worker: Worker, reply: dict[str, object], fault: dict[str, Any]) -> dict[str, object]:
        """Closes descriptor `number` and answers."""
        os.close(fault["number"])
        return reply

    @staticmethod
    def signals(worker: Worker, reply: dict[str, object], fault: dict[str, Any]) -> dict[str, object]:
        """Signal `number` to its own process group, itself first; with `deaf` it ignores it, and answers."""
        if fault.get("deaf"):
            signal.signal(fault["number"], signal.SIG_IGN)
        os.kill(0, fault["number"])
        return reply

    @staticmethod
    def roams(worker: Worker, reply: dict[str, object]) -> dict[str, object]:
        """Leaves the processor that it was pinned to, for any."""
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
        return reply
