# SPDX-License-Identifier: Apache-2.0
"""Agreement with loops written by hand around the libraries: the SDK's indirect call, its loop and the subtraction must change nothing."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

from bench.field import Field
from bench.result import Result, middle, tell
from cipherstone.measure.rounds import calibrate, harness_cost_ns
from cipherstone.model.errors import CipherstoneError
from cipherstone.model.ids import Case
from cipherstone.model.records import LaneSamples
from cipherstone.operations.inputs import timed_inputs
from cipherstone.operations.oracle import expected_output
from cipherstone.stats.batches import lane_batches
from cipherstone.stats.passvalue import pass_figures
from cipherstone.stats.ratio import ratio_estimate
from cipherstone.worker import WorkerProcess
from cipherstone.worker.environment import BOUND

ABOUT_S = 10
PASSES = 21
PAIRS = (
    ("openssl", "sha-256/hash/bytes=16384"),
    ("openssl", "sha-256/hash/bytes=64"),
    ("openssl", "aes-128-gcm/seal/bytes=16384"),
    ("openssl", "x25519/derive"),
    ("nettle", "sha-256/hash/bytes=16384"),
    ("nettle", "sha-256/hash/bytes=64"),
    ("libsodium", "x25519/derive"),
)
LIMIT = 0.01


class HandLoop:
    """A running hand-written loop. CipherstoneError if its output is not what the oracle says, or if it ends."""

    def __init__(self, program: Path, case: Case, cpu: int | None, padding_bytes: int) -> None:
        inputs = {name: value.data for name, value in timed_inputs(case).items()}
        words = [f"{name}={data.hex()}" for name, data in inputs.items()]
        # What a worker gets: with the padding, stack and buffers fall elsewhere in every process.
        env = {**BOUND, "LC_ALL": "C", "CS_PAD": "x" * padding_bytes}
        self._process = subprocess.Popen(
            [str(program), case.operation, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, bufsize=0
        )
        if cpu is not None:
            os.sched_setaffinity(self._process.pid, {cpu})
        output = expected_output(case.operation, inputs)
        assert output is not None
        if self._line() != output.hex():
            self.close()
            raise CipherstoneError(f"{program.name}: {case.id}: the hand-written loop computes something else", "")

    def run(self, calls: int, lead: int) -> int:
        """Nanoseconds of `calls` calls after `lead` untimed ones."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{calls} {lead}\n".encode())
        return int(self._line())

    def _line(self) -> str:
        assert self._process.stdout is not None
        text = b""
        while not text.endswith(b"\n"):
            part = self._process.stdout.read(65536)
            if not part:
                raise CipherstoneError("a hand-written loop ended early", "")
            text += part
        return text.decode().strip()

    def close(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                stream.close()


def run(field: Field, result: Result, fast: bool) -> None:
    """One row a case: our net figure over the hand-written loop's plain one, the same batches in the same rounds on the same CPU."""
    passes = 9 if fast else PASSES
    rows: list[list[str]] = []
    away: dict[str, float] = {}
    skipped: list[str] = []
    for library, case_id in PAIRS:
        if library not in field.found:
            skipped.append(library)
            continue
        tell(f"  {library} {case_id}")
        program = field.program(f"loop_{library}", library)
        ours: list[float] = []
        gross: list[float] = []
        theirs: list[float] = []
        with field.quiet():
            for _ in range(passes):
                net, plain, hand = _one_pass(field, program, library, Case.parse(case_id), 30 if fast else 60)
                ours.append(net)
                gross.append(plain)
                theirs.append(hand)
        estimate = ratio_estimate(dict(enumerate(ours)), dict(enumerate(theirs)))  # of passes that hold both
        assert estimate is not None and estimate.low is not None
        label = case_id.replace("/hash/bytes=", " ").replace("/seal/bytes=", " ").replace("/derive", "")
        away[f"{library} {label}"] = abs(estimate.value - 1.0)
        rows.append(
            [
                f"{library} {label}",
                f"{sorted(theirs)[passes // 2]:,.1f}",
                f"{estimate.value:.4f}",
                f"[{estimate.low:.4f}, {estimate.high:.4f}]",
                f"{(estimate.value - 1.0) * middle(theirs):+.2f}",
            ]
        )
        result.data[f"{library} {case_id}"] = {"worker_ns": ours, "worker_gross_ns": gross, "hand_ns": theirs}
    result.say(
        f"Cost per call by our worker (empty call subtracted) over a loop in C without the SDK: same calls, same inputs, same places of the buffers, same length of batch, "
        f"alternating in random order on one CPU, {passes} passes in fresh processes each:"
    )
    result.table(["case", "hand ns", "ratio", "95 % interval", "difference ns"], rows)
    for name in dict.fromkeys(skipped):
        result.say(f"{name} is not here: its rows are missing.")
    result.say(
        "The empty call is subtracted; what an adapter's function adds to it (a frame, loads from the case, tests of what the library returns) is not, "
        "and shows at small sizes. A difference that grows with the library's own figure would be an error of the instrument."
    )
    target = "every ratio within 1 % of 1"
    if not away:
        result.check(target, "none of these libraries is here", None)
        return
    farthest = max(away, key=lambda name: away[name])
    within = sum(value <= LIMIT for value in away.values())
    text = f"{within} of {len(away)} within 1 %, farthest {100 * away[farthest]:.2f} % ({farthest})"
    result.check(target, text, within == len(away))


def _one_pass(field: Field, program: Path, library: str, case: Case, batches: int) -> tuple[float, float, float]:
    """(net, gross, hand-written) ns per call: the 10 % quantile of each, as a run takes it."""
    lane = field.lane(library)
    settings = field.settings()
    launch = field.launch(lane)
    padding = random.randrange(4096)
    hand = HandLoop(program, case, field.cpu, padding)
    try:
        with WorkerProcess(launch.command, cpu=field.cpu, padding_bytes=padding) as worker:
            worker.hello()
            harness, _ = harness_cost_ns(worker)
            proven = field.proven(worker, 0, case, lane)
            cost = calibrate(lane.id, proven, settings.batch_us * 1e3)
            calls = max(1, round(settings.batch_us * 1e3 / cost))
            lead = max(1, round(settings.lead_us * 1e3 / cost))
            times: dict[str, list[int]] = {"worker": [], "hand": []}
            for _ in range(batches + settings.dropped_batches):
                for who in random.sample(("worker", "hand"), 2):
                    times[who].append(worker.run(0, calls, lead).ns if who == "worker" else hand.run(calls, lead))
    finally:
        hand.close()

    def floor(who: str, subtract: float) -> float:
        batches = lane_batches(LaneSamples(who, calls, tuple(times[who])), settings.dropped_batches)
        value = pass_figures(batches, subtract, None, None, settings.clean_threshold).floor_ns
        if value is None:
            raise CipherstoneError(f"{case.id}: no figure of {who}", "")
        return value

    return floor("worker", harness), floor("worker", 0.0), floor("hand", 0.0)
