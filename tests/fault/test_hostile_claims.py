# SPDX-License-Identifier: Apache-2.0
"""Workers that lie about figures: what cannot be true is an outcome of that lane, and the run beside it goes on."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from scripts import HASH, CommandLine, Done, cells, cost, gone, newest, options, passes, summary, write_worker

from cipherstone.measure.rounds import TIMEOUT_MOST_S, time_limit_s
from cipherstone.model.errors import CipherstoneError, WorkerError
from cipherstone.model.outcomes import Outcome
from cipherstone.protocol.messages import Refusal
from cipherstone.worker import WorkerProcess
from cipherstone.worker.terms import PROBED

OK, WRONG, CRASHED = Outcome.OK, Outcome.WRONG, Outcome.CRASHED
UNEVEN = "contended: claims"
# A clock that lies in everything is found when its rate is looked at, or by a turn: a busy machine decides which comes first.
CLOCK = "its clock runs at 0.|where the system counted"
SLOW = 8_000_000  # ns: a call of which CPU time is the figure


def put(verb: str, keys: dict[str, object], **more: Any) -> dict[str, Any]:
    return {"at": verb, "do": "put", "keys": keys, **more}


def everywhere(factor: float) -> list[dict[str, Any]]:
    """A clock that lies in everything, the empty call included."""
    return [times(factor, op=op) for op in ("harness/empty", HASH)]


def times(factor: float, *keys: str, **more: Any) -> dict[str, Any]:
    return {"at": "run", "do": "scaled", "factor": factor, "scaled": keys or ("ns", "each"), **more}


RUN = {"op": HASH}
CASES: dict[str, tuple[dict[str, Any], Outcome, str]] = {
    "half": ({"faults": everywhere(0.5)}, CRASHED, CLOCK),
    "tenth": ({"faults": everywhere(0.1)}, CRASHED, CLOCK),
    "threequarters": ({"faults": everywhere(0.75)}, CRASHED, CLOCK),
    "nineteen": ({"faults": everywhere(0.95)}, CRASHED, CLOCK),
    # A hundredfold, for on a busy machine much more time passes than the worker has the core. A quiet one sees 3 % (test_worker_claims.py).
    "hundredfold": ({"faults": everywhere(100)}, CRASHED, "for a request that took"),
    # One that lies about the operation only: the rate of the clock is right when it is looked at.
    "halfcall": ({"faults": [times(0.5, **RUN)]}, CRASHED, CLOCK),
    "ninecall": ({"faults": [times(0.9, **RUN)]}, CRASHED, CLOCK),
    "ninetenths": ({"costs": {HASH: cost(400_000)}, "faults": [times(0.9, **RUN)]}, CRASHED, CLOCK),
    "slownineteen": (
        {"costs": {HASH: cost(SLOW)}, "faults": [times(0.94, "cpu_ns", "ns", "each", **RUN)], "busy_ns": 1e12},
        CRASHED,
        CLOCK,
    ),
    "tenthcall": ({"faults": [times(0.1, **RUN)]}, CRASHED, CLOCK),
    "afterwards": ({"faults": [times(0.5, **RUN, after=5)]}, CRASHED, CLOCK),
    "hundredcall": ({"faults": [times(100, **RUN)]}, CRASHED, "for a request that took"),
    "slowhalf": ({"costs": {HASH: cost(SLOW)}, "faults": [times(0.5, **RUN)], "busy_ns": 1e12}, CRASHED, "counted"),
    # CPU time is the figure of a slow call.
    "cpuhalf": (
        {"costs": {HASH: cost(SLOW)}, "faults": [times(0.5, "cpu_ns", **RUN)], "busy_ns": 1e12},
        CRASHED,
        "where the system counted",
    ),
    # More than the system counted; more than passed, where nothing else took time.
    "cpudouble": (
        {"costs": {HASH: cost(SLOW)}, "faults": [times(2, "cpu_ns", **RUN)]},
        CRASHED,
        "ns of CPU time ",
    ),
    # Claims of one reply.
    "most": ({"faults": [put("run", {"ns": 1 << 53}, **RUN)]}, CRASHED, "untrue: claims"),
    "hundred": ({"faults": [put("run", {"ns": 10**11}, **RUN)]}, CRASHED, "for a request that took"),
    "harness": (
        {"faults": [put("run", {"ns": 10**11}, op="harness/empty")]},
        CRASHED,
        "claims 100000000000 ns for a request",
    ),
    "waited": ({"faults": [put("run", {"waited_ns": 10**11}, **RUN)]}, CRASHED, "100000000000 ns of waiting"),
    "waitedless": ({"faults": [put("run", {"waited_ns": -1}, **RUN)]}, CRASHED, "protocol: incomplete reply"),
    "cpumost": ({"faults": [put("run", {"cpu_ns": 10**11}, **RUN)]}, CRASHED, "100000000000 ns of CPU time"),
    "cpuless": ({"faults": [put("run", {"cpu_ns": -1}, **RUN)]}, CRASHED, "protocol: incomplete reply"),
    "cycles": ({"faults": [put("run", {"cycles": 1 << 53}, **RUN)]}, CRASHED, "cycles for a request"),
    "ticks": ({"faults": [put("run", {"ref": 1 << 53}, **RUN)]}, CRASHED, "ticks of its counter for a request"),
    "switches": ({"faults": [put("run", {"nivcsw": 1 << 53}, **RUN)]}, CRASHED, "context switches for a request"),
    "setup": ({"faults": [put("prepare", {"setup_ns": 10**11}, **RUN)]}, CRASHED, "for a set-up that took"),
    "status": ({"faults": [put("run", {"failed": 1 << 53}, **RUN)]}, WRONG, "a timed call failed"),
    "longadds": ({"faults": [put("run", {"chain_ns": 1e308}, **RUN)]}, CRASHED, "protocol: incomplete reply"),
    # Times that are right in sum, and spread unevenly over the batches of a turn: so looks a neighbour that comes and goes as well. Believed neither way.
    "halfof": ({"faults": [times(0.5, **RUN, every=2)]}, OK, UNEVEN),
    "onefifth": ({"faults": [times(0.4, **RUN, every=4)]}, OK, UNEVEN),
    # A worker that fell asleep in its library tells the truth, and so does one without a CPU clock.
    "sleeper": ({"sleep_s": 0.001}, OK, ""),
    "noclock": ({"cpu_share": None}, OK, ""),
    "slow": ({"costs": {HASH: cost(SLOW)}}, OK, ""),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile")


@pytest.fixture(scope="module")
def ran(new_cli: Any, folder: Path) -> tuple[Done, Any, CommandLine]:
    cli = new_cli("hostile-run")
    workers = [write_worker(folder, "good", {HASH: cost(1000)})]
    workers += [
        write_worker(folder, name, **{"costs": {HASH: cost(700)}, **what}) for name, (what, *_) in CASES.items()
    ]
    done = cli.measure("--base", "good", "--op", HASH, *options(*workers), timeout_s=300)
    assert done.out, done.err
    return done.no_trace(), summary(done), cli


@pytest.mark.parametrize("library", CASES)
def test_a_claim_that_cannot_be_is_the_lanes_outcome(ran: tuple[Done, Any, CommandLine], library: str) -> None:
    """In one line that says what is claimed and what was seen; nothing of it is kept as a figure."""
    _, found, cli = ran
    what, outcome, detail = CASES[library]
    cell = cells(found)[f"{library}@1.0"]
    if (
        detail == UNEVEN
    ):  # accused where its turns are below what was counted too, which a busy machine decides; believed never
        assert "the system counted" in (cell.detail or cell.refused) and cell.ns is None
        assert cell.outcome in (OK, CRASHED)
        assert cell.lane not in [lane for group in found.cases[0].ranking for lane in group]
        return
    assert cell.outcome is outcome, cell.detail
    assert any(words in cell.detail for words in detail.split("|")) and "\n" not in cell.detail
    if outcome is OK:
        expected = what.get("costs", {HASH: cost(700)})[HASH]["default"]["ns"]
        assert cell.ns is not None and cell.ns.value == pytest.approx(expected)
        return
    assert cell.ns is None
    assert cell.lane not in [lane for group in found.cases[0].ranking for lane in group]
    # A clock is accused in the first pass that is quiet enough to see it: earlier ones stay as they were recorded.
    *_, last = passes(newest(cli.runs))
    assert cell.lane not in [samples.lane for samples in last.lanes]


def test_the_good_one_beside_them_has_its_figure(ran: tuple[Done, Any, CommandLine], folder: Path) -> None:
    done, found, _ = ran
    assert cells(found)["good@1.0"].ns.value == pytest.approx(1000)
    assert found.manifest.status == "finished" and done.code == 4  # for the status that says that a call failed
    assert gone(folder) == []


def test_a_claim_does_not_set_its_own_time_limit() -> None:
    """Whatever a call is believed to take."""
    assert time_limit_s(0) == 20 and time_limit_s(1e9) == 30
    assert time_limit_s(float(1 << 53)) == time_limit_s(1e300) == TIMEOUT_MOST_S


# -- every number of every reply


NUMBERS = {
    "hello": ("protocol", "clock_step_ns", "seq"),
    "prepare": ("setup_ns", "seq"),
    "close": ("teardown_ns", "seq"),
    "compute": ("len", "seq"),
    "run": ("ns", "each", "cpu_ns", "ref", "cycles", "nivcsw", "failed", "chain_ns", "tput_ns", "waited_ns", "seq"),
    "probe": ("chain_ns", "tput_ns", "waited_ns", "seq"),
    "check-probe": ("imul_ratio", "seq"),
    "memory": ("heap_live_bytes", "heap_peak_bytes", "allocations", "stack_bytes", "max_rss_kib", "seq"),
    "facts": ("facts", "seq"),
    "output": ("len", "seq"),
}
EXTREMES = [
    "0", "-0", "-1", "1", "0.5", "9007199254740992", "9007199254740993", "-9007199254740993", "9223372036854775807",
    "9223372036854775808", "18446744073709551615", "18446744073709551616", "1e308", "-1e308", "1e-308", "1e400", "NaN",
    "Infinity", "-Infinity", "true", "null", '"1"', '""', "[]", "[1]", "{}", '{"a":1}', '"' + "9" * 100_000 + '"',
    "9" * 5000, "[" * 2000 + "]" * 2000, "[" * 200_000,
]  # fmt: skip
REPLIES: dict[str, dict[str, object]] = {
    "hello": {
        **{"protocol": 2, "sdk": "s", "library": "l", "version": "1", "version_from": "library", "compiler": "c"},
        **{"flags": "", "clock": "c", "clock_step_ns": 1},
    },
    "run": {"ns": 30, "each": [10, 20], "failed": 0, "chain_ns": [0.3] * 3, "tput_ns": [0.1] * 3, "waited_ns": 0},
    "probe": {"chain_ns": [0.3], "tput_ns": [0.1], "waited_ns": 0},
    "check-probe": {"imul_ratio": 3.0},
    "compute": {"result": "ok", "out": "00"},
    "output": {"result": "ok", "out": "00"},
    "facts": {"facts": {}},
}
# Begun for every value: it loads nothing, its replies were written beforehand, a verb and its reply in turn; "default" is that to any other verb.
FUZZED = """
import sys, time
lines = open(sys.argv[1]).read().split("\\n")
replies = dict(zip(lines[::2], lines[1::2]))
for line in sys.stdin:
    seq, verb = line.split()[:2]
    if verb == "run":
        time.sleep(0.0001)
    print(replies.get(verb, replies["default"]).replace('"SEQ"', seq), flush=True)
    if verb == "bye":
        break
"""
ASK = {
    "hello": lambda worker: worker.hello(),
    "prepare": lambda worker: worker.prepare(0, HASH, "default", {}),
    "close": lambda worker: worker.close_case(0),
    "compute": lambda worker: worker.compute(0),
    "run": lambda worker: worker.run(0, 10, batches=2, terms=PROBED),
    "probe": lambda worker: worker.probe(1),
    "check-probe": lambda worker: worker.check_probe(),
    "memory": lambda worker: worker.memory(0),
    "facts": lambda worker: worker.facts(0),
    "output": lambda worker: worker.output(0),
}


def written(verb: str, key: str, value: str) -> str:
    """The replies of a worker which says `value` for `key` of `verb`."""
    lines = []
    for one in dict.fromkeys(("default", *REPLIES, verb)):
        reply = {"seq": "SEQ", "ok": True, **REPLIES.get(one, {}), **({key: "MARK"} if one == verb else {})}
        lines += [one, json.dumps(reply).replace('"MARK"', value)]
    return "\n".join(lines)


def figures(value: object) -> Iterator[float]:
    """Every number in a reply."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield value
    for inner in value if isinstance(value, list | tuple) else value.values() if isinstance(value, dict) else ():
        yield from figures(inner)
    for name in getattr(value, "__struct_fields__", ()):
        yield from figures(getattr(value, name))


@pytest.mark.parametrize(("verb", "key"), [(verb, key) for verb, keys in NUMBERS.items() for key in keys])
def test_every_number_of_every_reply_may_be_anything(tmp_path: Path, verb: str, key: str) -> None:
    """It is taken, and then it is one that sums and files hold; or it breaks the protocol in one short line. Nothing else is raised."""
    script = tmp_path / "fuzzed.py"
    script.write_text(FUZZED)
    for number, value in enumerate(EXTREMES):
        (tmp_path / str(number)).write_text(written(verb, key, value))
        try:
            # Whoever waited for something in vain would have waited for minutes, and say so.
            command = [sys.executable, "-IS", str(script), str(tmp_path / str(number))]
            with WorkerProcess(command, patience=10.0) as worker:
                reply = ASK[verb](worker)
                assert all(abs(one) <= 1 << 53 for one in figures(reply)), (value[:40], reply)
        except (WorkerError, Refusal) as error:
            told = error.message if isinstance(error, CipherstoneError) else str(error)
            assert len(told) < 800 and "\n" not in told, (value[:40], told[:900])
            assert not (isinstance(error, WorkerError) and error.outcome == "timed-out"), (value[:40], told)
