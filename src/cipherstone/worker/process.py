# SPDX-License-Identifier: Apache-2.0
"""A worker process and its pipes.

Lines are bounded, every request has a deadline, standard error is drained into a bounded tail, and whatever goes wrong becomes
one WorkerError with outcome `crashed` or `timed-out`; the process is dead by then.
"""

from __future__ import annotations

import functools
import os
import random
import select
import signal
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from cipherstone.model.awake_clock import awake_s
from cipherstone.model.errors import WorkerError
from cipherstone.model.outcomes import UNTRUE
from cipherstone.protocol.messages import (
    MAX_FACT_TEXT,
    MAX_LINE_BYTES,
    PROTOCOL_VERSION,
    Batch,
    Closed,
    Computed,
    Empty,
    Facts,
    Hello,
    Listed,
    Listing,
    Mapped,
    Memory,
    Objects,
    Prepared,
    ProbeCheck,
    ProtocolError,
    Readings,
    Refusal,
    decode_reply,
    encode_request,
    one_line,
)
from cipherstone.worker import descendants
from cipherstone.worker.claims import Seen, SystemCount, TurnOverhead, impossible_readings, impossible_turn
from cipherstone.worker.ended import ended_how, reap, replies_in
from cipherstone.worker.environment import BASE_ENVIRONMENT, LENT, widen
from cipherstone.worker.pinning import pin_process
from cipherstone.worker.terms import DEFAULT_TIMEOUT_S, UNPROBED, Terms

Reply = TypeVar("Reply")

STDERR_TAIL_BYTES = 4096
# Requests that are sent ahead of their answers: small enough that neither pipe can fill up and block both sides.
PIPELINE_DEPTH = 16
PIPELINE_BYTES = 32 * 1024
LONGEST_POLL_S = 86_400.0  # poll() counts milliseconds in 32 bits
_running: set[int] = set()  # process groups of workers that were started and not yet ended


def end_workers() -> None:
    """Kills every worker of this process: for a program that ends at once."""
    for group in tuple(_running):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)


class WorkerProcess:
    """A running worker. Use as a context manager, or call `close`.

    `command`: the executable and its arguments. `cpu`: the CPU to pin to, or None.
    `environment`: what it gets beside LC_ALL and CS_PAD; nothing is inherited from this process but `descriptors`, under their numbers.
    `padding_bytes`: length of the environment padding (0..4095), random if None. `patience`: factor on every time limit (2 on a machine that is slow or emulated).
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        cpu: int | None = None,
        padding_bytes: int | None = None,
        environment: Mapping[str, str] | None = None,
        patience: float = 1.0,
        descriptors: Sequence[int] = (),
    ) -> None:
        padding = random.randrange(4096) if padding_bytes is None else padding_bytes
        env = {**BASE_ENVIRONMENT, **LENT, **(environment or {}), "CS_PAD": "x" * padding}
        self.name = Path(command[0]).name
        self.told: Hello | None = None  # how it introduced itself
        self.capabilities: frozenset[str] = frozenset()  # as `hello` tells them
        self.seen = Seen(0)  # of the last request
        self.turn_overhead: TurnOverhead | None = None  # as `measure.clock` found it
        self.clock_note = ""  # why it could not judge the clock
        self.clock_step_ns = 0
        self.pin_error = ""
        self._patience = patience
        self._seq = self._answered = 0
        self._buffer = bytearray()
        self._stderr = bytearray()
        self._dead: WorkerError | None = None
        try:
            with descendants.starting() as workers:
                self._process = subprocess.Popen(
                    list(command),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    env=env,
                    bufsize=0,
                    start_new_session=True,
                    pass_fds=tuple(descriptors),
                )
                self.pid = self._process.pid
                workers.add(self.pid)
                _running.add(self.pid)
        except OSError as error:
            raise WorkerError("crashed", f"worker could not be started: {command[0]}: {error.strerror}") from None
        self._count = SystemCount(self._process.pid)
        # Pinning from outside: no code of ours between fork and exec, and a refusal is only a note.
        if cpu is not None:
            self.pin(cpu)
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._in = self._process.stdin.fileno()
        self._out = self._process.stdout.fileno()
        self._err = self._process.stderr.fileno()
        for descriptor in (self._in, self._out, self._err):
            os.set_blocking(descriptor, False)
        widen(self._in)
        self._asked_s = awake_s()
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)

    # -- the verbs -----------------------------------------------------------------------------------------------------------

    def hello(self) -> Hello:
        """Who the worker is; refuses another protocol version."""
        hello = self.ask("hello", {"protocol": PROTOCOL_VERSION}, Hello)
        if hello.protocol != PROTOCOL_VERSION:
            raise self._broken(f"speaks protocol {hello.protocol}, not {PROTOCOL_VERSION}")
        self.told, self.capabilities = hello, frozenset(hello.capabilities)
        self.clock_step_ns = hello.clock_step_ns
        return hello

    def operations(self) -> list[Listed]:
        """What it offers."""
        return self.ask("list", {}, Listing).operations

    def prepare(self, case: int, operation: str, implementation: str, inputs: Mapping[str, str]) -> Prepared:
        """Prepares case number `case`; `inputs` are protocol texts (`hex:` or `gen:`). Raises Refusal."""
        fields = {"case": case, "op": operation, "impl": implementation, **inputs}
        reply = self.ask("prepare", fields, Prepared)
        self._need_shorter(reply.setup_ns, "set-up")
        return reply

    def compute(self, case: int, form: str = "hex", timeout_s: float = DEFAULT_TIMEOUT_S) -> Computed:
        """One call; its output."""
        return self.ask("compute", {"case": case, "form": form}, Computed, timeout_s)

    def run(
        self, case: int, calls: int, lead: int = 0, batches: int = 1, ring: int = 1, terms: Terms = UNPROBED
    ) -> Batch:
        """`batches` timed batches of `calls` calls, after `lead` calls that are not timed. With `ring` that many cases, from this one on, take the calls in turn. A reply with another number of batches or readings breaks the protocol."""
        probe = terms.probe
        fields = {"case": case, "calls": calls, "lead": lead, "batches": batches if batches > 1 else None}
        fields["ring"] = ring if ring > 1 else None
        waiting = _waiting(terms.quiet, terms.wait_us) if probe else {}
        reply = self.ask("run", {**fields, "probe": 1 if probe else None, **waiting}, Batch, terms.timeout_s)
        if batches > 1 and len(reply.each) != batches:
            raise self._broken(f"{len(reply.each)} batches in the reply, {batches} were asked for")
        if batches > 1 and sum(reply.each) != reply.ns:
            raise self._broken(f"the batches take {sum(reply.each)} ns together, the reply says {reply.ns}")
        if probe:
            self._count_readings(reply, batches + 1)
        self._need_possible(impossible_turn(reply, self.seen, batches, self.clock_step_ns))
        return reply

    def probe(self, count: int, quiet: float | None = None, wait_us: float = 0.0) -> Readings:
        """`count` probe readings, after waiting as `run` does. Both lists are None from a worker without probes."""
        reply = self.ask("probe", {"count": count, **_waiting(quiet, wait_us)}, Readings)
        self._count_readings(reply, count)
        self._need_possible(impossible_readings(reply, self.seen))
        return reply

    def _need_possible(self, problem: str) -> None:
        if problem:
            raise self._fail("crashed", UNTRUE + problem)

    def _need_shorter(self, ns: int | None, what: str) -> None:
        if (ns or 0) > self.seen.longest_ns:
            self._need_possible(f"claims {ns} ns for a {what} that took {self.seen.wall_ns} ns")

    def _count_readings(self, reply: Batch | Readings, due: int) -> None:
        chain, tput = reply.chain_ns, reply.tput_ns
        if (chain is None) != (tput is None) or (chain is not None and not len(chain) == len(tput or ()) == due):
            raise self._broken(f"{len(chain or ())} and {len(tput or ())} probe readings in the reply, expected {due}")

    def output(self, case: int) -> Computed:
        """Length and CRC-32 of what the last call left."""
        return self.ask("output", {"case": case}, Computed)

    def memory(self, case: int, timeout_s: float = DEFAULT_TIMEOUT_S) -> Memory:
        """Memory figures of one call."""
        return self.ask("memory", {"case": case}, Memory, timeout_s)

    def facts(self, case: int, timeout_s: float = DEFAULT_TIMEOUT_S) -> dict[str, int | str]:
        """What the worker tells of a prepared case; nothing from one that is older than the verb. Raises Refusal for what is no fact."""
        try:
            told = self.ask("facts", {"case": case}, Facts, timeout_s).facts
        except Refusal as refusal:
            if refusal.code != "unknown-verb":
                raise
            return {}
        return {key: one_line(fact, MAX_FACT_TEXT) if isinstance(fact, str) else fact for key, fact in told.items()}

    def objects(self) -> list[Mapped] | None:
        """The files that its code was mapped from; None from a worker that cannot tell, or is older than the verb. WorkerError from one that refuses."""
        try:
            return self.ask("objects", {}, Objects).objects
        except Refusal as refusal:
            if refusal.code != "unknown-verb":
                raise self._broken(f"refuses to tell its objects: {refusal}") from None
            return None

    def check_probe(self) -> ProbeCheck:
        """The calibrating chain against its witness."""
        return self.ask("check-probe", {}, ProbeCheck)

    def close_case(self, case: int) -> Closed:
        """Frees a case."""
        reply = self.ask("close", {"case": case}, Closed)
        self._need_shorter(reply.teardown_ns, "teardown")
        return reply

    def pin(self, cpu: int) -> bool:
        """Pins the process to another CPU, from outside, and every thread that its library has started. True if it was elsewhere; a refusal is only noted in `pin_error`."""
        try:
            return pin_process(self._process.pid, cpu)
        except (OSError, AttributeError) as error:
            self.pin_error = f"not pinned to CPU {cpu}: {error}"
            return False

    # -- talking -------------------------------------------------------------------------------------------------------------

    def ask(
        self, verb: str, fields: Mapping[str, object], kind: type[Reply], timeout_s: float = DEFAULT_TIMEOUT_S
    ) -> Reply:
        """One request and its reply. Raises Refusal, or WorkerError with the process dead."""
        self._seq += 1
        deadline = self._deadline(timeout_s)
        request = encode_request(self._seq, verb, fields)
        before = self._count.read()
        self._send(request, deadline, verb)
        reply = self._receive(self._seq, verb, kind, deadline)
        self.seen = self._count.since(before)
        return reply

    def ask_ahead(
        self, verb: str, fields: Mapping[str, object], kind: type[Reply], timeout_s: float = DEFAULT_TIMEOUT_S
    ) -> Callable[[], Reply]:
        """Sends one request; the reply is what the function that is returned waits for. For workers that answer only together."""
        self._seq += 1
        deadline = self._deadline(timeout_s)
        self._send(encode_request(self._seq, verb, fields), deadline, verb)
        return functools.partial(self._receive, self._seq, verb, kind, deadline)

    def ask_many(
        self,
        requests: Iterable[tuple[str, Mapping[str, object], type[Reply]]],
        timeout_s: float = DEFAULT_TIMEOUT_S,
        answers: list[Reply | Refusal] | None = None,
    ) -> list[Reply | Refusal]:
        """Many requests, pipelined in bounded groups; one entry each, in order, also in `answers`, which has those that came before a WorkerError. `timeout_s` is for each reply."""
        answers = [] if answers is None else answers
        waiting: list[tuple[int, str, type[Reply]]] = []
        sent_bytes = 0

        def drain() -> None:
            nonlocal sent_bytes
            self._collected(waiting, timeout_s, answers)
            waiting.clear()
            sent_bytes = 0

        for verb, fields, kind in requests:
            self._seq += 1
            line = encode_request(self._seq, verb, fields)
            if waiting and (len(waiting) >= PIPELINE_DEPTH or sent_bytes + len(line) > PIPELINE_BYTES):
                drain()
            try:
                self._send(line, self._deadline(timeout_s), verb)
            except WorkerError:
                answers.extend(replies_in(self._buffer, waiting))
                raise
            sent_bytes += len(line)
            waiting.append((self._seq, verb, kind))
        drain()
        return answers

    def ask_many_ahead(
        self, requests: Iterable[tuple[str, Mapping[str, object], type[Reply]]], timeout_s: float = DEFAULT_TIMEOUT_S
    ) -> Callable[[], list[Reply | Refusal]]:
        """Sends some requests at once; the function that is returned waits for their replies, one entry each. Both sides can compute meanwhile."""
        waiting: list[tuple[int, str, type[Reply]]] = []
        lines = []
        for verb, fields, kind in requests:
            self._seq += 1
            lines.append(encode_request(self._seq, verb, fields))
            waiting.append((self._seq, verb, kind))
        self._send(b"".join(lines), self._deadline(timeout_s), waiting[-1][1] if waiting else "")
        return functools.partial(self._collected, waiting, timeout_s, [])

    def _collected(
        self, waiting: Sequence[tuple[int, str, type[Reply]]], timeout_s: float, found: list[Reply | Refusal]
    ) -> list[Reply | Refusal]:
        for seq, verb, kind in waiting:
            try:
                found.append(self._receive(seq, verb, kind, self._deadline(timeout_s)))
            except Refusal as refusal:
                found.append(refusal)
        return found

    def close(self, timeout_s: float = 2.0) -> float:
        """Says bye, waits, kills what is left. Never raises. A worker that still owes an answer (the asker was interrupted) is killed at once. Returns the seconds waited in vain for a worker that did not end when asked to; 0 if it did."""
        orderly = self._dead is None and self._answered == self._seq
        if orderly:
            try:
                self.ask("bye", {}, Empty, timeout_s)
            except WorkerError as error:
                return error.lost_s
            except Refusal:
                pass
        return self._kill(graceful_s=timeout_s if orderly and self._dead is None else 0.0)

    def __enter__(self) -> WorkerProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def alive(self) -> bool:
        """False once an error or `close` has ended it."""
        return self._dead is None and self._process.poll() is None

    # -- inside --------------------------------------------------------------------------------------------------------------

    def _deadline(self, timeout_s: float) -> float:
        self._asked_s = awake_s()
        return self._asked_s + timeout_s * self._patience

    def _send(self, data: bytes, deadline: float, verb: str) -> None:
        if self._dead is not None:
            raise self._dead
        view = memoryview(data)
        while view:
            try:
                written = os.write(self._in, view)
                view = view[written:]
            except BlockingIOError:
                # A full pipe: wait for room, and keep draining so that a chatty worker cannot block both sides.
                poll = select.poll()
                poll.register(self._in, select.POLLOUT)
                poll.register(self._err, select.POLLIN)
                poll.register(self._out, select.POLLIN)
                poll.poll(max(0.0, deadline - awake_s()) * 1000)
                self._drain_stderr()
                if awake_s() >= deadline:
                    raise self._timed_out(verb) from None
                self._read_available(verb)
            except (BrokenPipeError, OSError):
                raise self._ended(verb) from None

    def _receive(self, seq: int, verb: str, kind: type[Reply], deadline: float) -> Reply:
        line = self._read_line(verb, deadline)
        self._answered = seq
        try:
            return decode_reply(line, seq, kind)
        except ProtocolError as error:
            raise self._broken(str(error)) from None

    def _read_line(self, verb: str, deadline: float) -> bytes:
        searched = 0
        while True:
            end = self._buffer.find(b"\n", searched)
            if end >= 0:
                line = bytes(self._buffer[:end])
                del self._buffer[: end + 1]
                return line
            searched = len(self._buffer)
            if searched > MAX_LINE_BYTES:
                raise self._broken(f"sent a line of more than {MAX_LINE_BYTES} bytes")
            remaining = deadline - awake_s()
            if remaining <= 0:
                raise self._timed_out(verb)
            for descriptor, _ in self._poll.poll(min(remaining, LONGEST_POLL_S) * 1000):
                if descriptor == self._err:
                    self._drain_stderr()
                else:
                    self._read_available(verb)

    def _read_available(self, verb: str) -> None:
        try:
            data = os.read(self._out, 1 << 16)
        except BlockingIOError:
            return
        if not data:
            raise self._ended(verb)
        self._buffer += data
        if len(self._buffer) > 4 * MAX_LINE_BYTES:
            raise self._broken(f"sent {len(self._buffer)} bytes without a request")

    def _drain_stderr(self) -> None:
        try:
            data = os.read(self._err, 1 << 16)
        except (BlockingIOError, OSError):
            return
        if not data:
            with suppress(KeyError):
                self._poll.unregister(self._err)
            return
        self._stderr += data
        del self._stderr[:-STDERR_TAIL_BYTES]

    def stderr_tail(self) -> str:
        """The last 4 KiB of what the worker printed, as text without control characters."""
        lines = self._stderr.decode("utf-8", "replace").splitlines()
        return "\n".join(one_line(line, STDERR_TAIL_BYTES) for line in lines).strip()

    def _timed_out(self, verb: str) -> WorkerError:
        return self._fail("timed-out", f"no answer to '{verb}' in time", awake_s() - self._asked_s)

    def _broken(self, text: str) -> WorkerError:
        return self._fail("crashed", f"protocol: {text}")

    def _ended(self, verb: str) -> WorkerError:
        with suppress(OSError):  # what it had answered before: nothing more is asked of it
            while len(self._buffer) <= 4 * MAX_LINE_BYTES and (data := os.read(self._out, 1 << 16)):
                self._buffer += data
        try:
            code = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            return self._fail("crashed", f"closed its output during '{verb}'")
        return self._fail("crashed", f"{ended_how(code)} during '{verb}'")

    def _fail(self, outcome: str, message: str, lost_s: float = 0.0) -> WorkerError:
        self._kill()
        self._dead = WorkerError(outcome, message, self.stderr_tail(), lost_s)
        return self._dead

    def _kill(self, graceful_s: float = 0.0) -> float:
        lingered_s = 0.0
        for _ in range(64):  # what it said last is worth keeping
            before = bytes(self._stderr)
            self._drain_stderr()
            if bytes(self._stderr) == before:
                break
        if graceful_s and self._process.stdin is not None:
            with suppress(OSError):  # who does not know `bye` knows the end of its input
                self._process.stdin.close()
        try:
            self._process.wait(graceful_s)
        except subprocess.TimeoutExpired:
            lingered_s = graceful_s
        try:  # the group, even if its leader has ended: a broken worker may leave children behind
            os.killpg(self._process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            if self._process.returncode is None:
                self._process.kill()
        reap(self._process)
        self._count.close()
        _running.discard(self._process.pid)
        descendants.ended(self._process.pid, in_order=graceful_s > 0 and lingered_s == 0)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        if self._dead is None:
            self._dead = WorkerError("crashed", "the worker was closed")
        return lingered_s


def _waiting(quiet: float | None, wait_us: float) -> dict[str, object]:
    return {"quiet": max(1, round(quiet * 1000)), "wait": round(wait_us)} if quiet is not None and wait_us > 0 else {}
