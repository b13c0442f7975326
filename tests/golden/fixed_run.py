# SPDX-License-Identifier: Apache-2.0
"""Two fixed runs as bundles, and what the command line makes of them: the golden outputs beside this file. As a program (`make golden`) it writes them anew.

The samples come from a seed and every figure in them is invented. What is compared is the way from a journal to a reader: views, words, tables, exporters.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "engine")]

import msgspec  # noqa: E402
import rich_run  # noqa: E402
from scripts import ROOT, CommandLine  # noqa: E402

from cipherstone import METHOD_VERSION  # noqa: E402
from cipherstone.catalogue.algorithms import load_catalogue  # noqa: E402
from cipherstone.cli.derived_summary import derived  # noqa: E402
from cipherstone.model.deviations import Deviation  # noqa: E402
from cipherstone.model.outcomes import CaseEnd, Outcome, RunStatus  # noqa: E402
from cipherstone.model.records import (  # noqa: E402
    BUNDLE_FORMAT,
    Build,
    CaseEndRecord,
    FirstCallRecord,
    LaneSamples,
    Machine,
    Manifest,
    MemoryRecord,
    NoiseRecord,
    OutcomeRecord,
    PassRecord,
    PlannedCase,
    ProofRecord,
    Record,
    Settings,
)
from cipherstone.store.bundle import Bundle  # noqa: E402
from cipherstone.store.summary_tables import result_tables  # noqa: E402
from cipherstone.store.writer import BundleWriter  # noqa: E402
from cipherstone.views.run.summarise import summarise  # noqa: E402

BEFORE, AFTER = "20260131-154502-3fa9", "20260201-101112-77c0"
OPENSSL, NETTLE, SMALL, TWIN = "openssl@3.0.19", "nettle@3.8.1", "bearssl@0.6:sha_small", "openssl@3.0.19#2"
LANES = (OPENSSL, NETTLE, SMALL, TWIN)
# ns a call, and ns a byte, of the lanes of a case.
Costs = dict[str, tuple[float, float]]
HASHING: Costs = {OPENSSL: (60.0, 0.45), NETTLE: (30.0, 0.55), SMALL: (70.0, 4.5), TWIN: (60.0, 0.45)}
SEALING: Costs = {OPENSSL: (300.0, 0.20), NETTLE: (200.0, 0.45), SMALL: (500.0, 2.5), TWIN: (300.0, 0.20)}
VERIFYING: Costs = {OPENSSL: (120_000.0, 0.0), NETTLE: (120_100.0, 0.0), TWIN: (120_000.0, 0.0)}
CASES: dict[str, Costs] = {
    **{f"sha-256/hash/bytes={size}": HASHING for size in (16, 64, 256, 1024, 16384)},
    "aes-128-gcm/seal/bytes=16384": SEALING,
    "ed25519/verify": VERIFYING,
    "chacha20-poly1305/seal/bytes=16384": SEALING,  # contended from beginning to end
}
CONTENDED = "chacha20-poly1305/seal/bytes=16384"
PASSES, TURNS, PER_TURN = 9, 7, 6
CYCLE_NS, IPC = 0.4, 5.0
LAX = Deviation(Outcome.LAX, "unreduced-scalar", "accepts S + L", "A signature can be changed.", "RFC 8032", ("v-63",))


def samples(rng: random.Random, case: str, lane: str, cost: tuple[float, float]) -> LaneSamples:
    """The batches of a lane in a pass: a little noise upwards, one batch in ten disturbed, with the readings that tell so."""
    size = int(case.partition("bytes=")[2] or 0)
    ns = cost[0] + cost[1] * size
    calls = max(1, round(100_000 / ns))
    times: list[int] = []
    chain: list[float] = []
    tput: list[float] = []
    for _ in range(TURNS):
        dirty = [case == CONTENDED or rng.random() < 0.05 for _ in range(PER_TURN + 1)]
        chain += [CYCLE_NS] * (PER_TURN + 1)
        tput += [round(CYCLE_NS / (IPC / 2 if one else IPC), 5) for one in dirty]
        for i in range(PER_TURN):
            slower = 1.6 if dirty[i] or dirty[i + 1] else 1.0
            times.append(round(calls * ns * (1 + rng.random() * 0.01) * slower))
    return LaneSamples(
        lane=lane,
        calls=calls,
        ns=tuple(times),
        rounds=tuple(turn for turn in range(TURNS) for _ in range(PER_TURN)),
        cpu_total_ns=sum(times),
        per_turn=PER_TURN,
        chain_ns=tuple(chain),
        tput_ns=tuple(tput),
    )


def records(seed: int, slower: float) -> Iterator[Record]:
    """A run in the order of events; `slower`: factor on every time of Nettle's."""
    rng = random.Random(seed)
    for operation in sorted({case.partition("/bytes=")[0] for case in CASES}):
        for lane in LANES:
            wrong = lane == SMALL and operation.startswith("aes")
            lax = lane == NETTLE and operation.startswith("ed25519")
            yield ProofRecord(
                operation,
                lane,
                0,
                Outcome.WRONG if wrong else Outcome.LAX if lax else Outcome.OK,
                accepted=12,
                rejected=3,
                sources=("FIPS 180-4",),
                failures=("vector 3 (wrong): got 00..., expected 11...",) if wrong else (),
                deviations=(LAX,) if lax else (),
            )
    yield OutcomeRecord("ed25519/verify", SMALL, Outcome.UNSUPPORTED, "no Ed25519 in this library")
    yield OutcomeRecord(
        "aes-128-gcm/seal/bytes=16384", SMALL, Outcome.WRONG, "its vectors failed: see the proof record"
    )
    for index in range(PASSES):
        for case, costs in CASES.items():
            lanes = [lane for lane in costs if not (lane == SMALL and case.startswith("aes"))]
            factor = {lane: slower if lane == NETTLE else 1.0 for lane in lanes}
            taken = [
                samples(rng, case, one, (costs[one][0] * factor[one], costs[one][1] * factor[one])) for one in lanes
            ]
            order = tuple(tuple(rng.sample(range(len(lanes)), len(lanes))) for _ in range(TURNS))
            yield PassRecord(
                case=case,
                index=index,
                start_s=float(index),
                wall_s=0.5,
                timed_s=0.4,
                lanes=tuple(taken),
                order=order,
                harness_ns=tuple(1.0 for _ in lanes),
                cpus=(1,) * TURNS,
            )
        yield NoiseRecord(index, float(index), 3.0, load_1min=0.5, imul_ratio=3.0)
    for case, costs in CASES.items():
        end = CaseEnd.CONTENDED if case == CONTENDED else CaseEnd.CONVERGED
        yield CaseEndRecord(case, end, PASSES, 0 if case == CONTENDED else PASSES)
        for place, lane in enumerate(costs):
            if lane != TWIN:
                yield MemoryRecord(case, lane, 100 + place, 200 + place, place, 0, 900 + place, 4000)
                once = (15_000 + place, 15_100, 14_900, 15_200, 14_800, 15_050, 14_950)
                yield FirstCallRecord(
                    case=case, lane=lane, first_call_ns=once, steady_call_ns=(1000.0 + place,) * 7, setup_ns=once
                )


def manifest(run_id: str) -> Manifest:
    """Of a machine that does not exist, with two threads."""
    builds = tuple(
        Build(name, build, version, "library", name, licence, "gcc 12.2.0", "-O2", None, "00ff")
        for name, build, version, licence in (
            ("openssl", "3.0.19", "3.0.19", "Apache-2.0"),
            ("nettle", "3.8.1", "3.8.1", "LGPL-3.0-or-later"),
            ("bearssl", "0.6", "0.6", "MIT"),
        )
    )
    machine = Machine(
        fingerprint="0123456789abcdef",
        cpu_model="Example CPU @ 2.00GHz",
        architecture="x86_64",
        logical_cpus=2,
        cpu_features=("aes", "sha_ni"),
        hypervisor="kvm",
        memory_bytes=8 << 30,
        system="Debian GNU/Linux 12",
        kernel="Linux 6.1.0",
        governor=None,
        turbo=None,
        smt="on",
        autogroup=None,
        counters="none",
    )
    plan = tuple(PlannedCase(case, tuple(costs)) for case, costs in CASES.items())
    return Manifest(
        format=BUNDLE_FORMAT,
        method=METHOD_VERSION,
        tool_version="0.1.0",
        run_id=run_id,
        created=f"{run_id[:4]}-{run_id[4:6]}-{run_id[6:8]}T{run_id[9:11]}:{run_id[11:13]}:{run_id[13:15]}+00:00",
        command="cipherstone run",
        suite="golden",
        status=RunStatus.RUNNING,
        settings=Settings(base="openssl"),
        machine=machine,
        builds=builds,
        plan=plan,
        ipc_reference=IPC,
        ipc_reference_from="shipped table",
    )


def write(runs: Path) -> None:
    """Both bundles, sealed."""
    for run_id, seed, slower in ((BEFORE, 1, 1.0), (AFTER, 2, 1.1)):
        with BundleWriter.create(runs, manifest(run_id)) as writer:
            for record in records(seed, slower):
                writer.append(record)
            writer.set_status(RunStatus.FINISHED, 30.0)
            found = Bundle.open(writer.path)
            finished = msgspec.structs.replace(found.manifest, status=RunStatus.FINISHED)  # once it is sealed
            told = derived(summarise(finished, found.records(), load_catalogue(ROOT)))
            writer.finish(result_tables(told), told)


COMMANDS: dict[str, tuple[str, ...]] = {
    "show.txt": ("show", BEFORE),
    "show.json": ("show", BEFORE, "--format", "json"),
    "report.md": ("report", BEFORE, "--markdown", "-o", "-"),
    "compare.txt": ("compare", BEFORE, AFTER),
    "compare-lanes.txt": ("compare", "openssl", "nettle", "--run", BEFORE),
}


def outputs(home: Path) -> dict[str, str]:
    """What each command prints, by the name of its golden file."""
    cli = CommandLine(ROOT, home, home / "cache")
    write(cli.runs)
    os.environ |= {"COLUMNS": "80", "LINES": "50", "NO_COLOR": "1"}
    found = {}
    for name, command in COMMANDS.items():
        done = cli.inside(*command)
        assert done.code == 0, done.err
        found[name] = _small_json(done.out) if name.endswith(".json") else done.out
    return found


def _small_json(text: str) -> str:
    """Nine digits, so that another CPU's last bit is no change; lists of numbers on one line."""

    def rounded(value: object) -> object:
        match value:
            case float():
                return float(f"{value:.9g}")
            case list():
                return [rounded(one) for one in value]
            case dict():
                return {key: rounded(one) for key, one in value.items()}
            case _:
                return value

    document = rounded(json.loads(text))
    assert isinstance(document, dict)
    lines = []
    for key, value in document.items():
        if isinstance(value, list) and value:
            lines.append(f"{json.dumps(key)}: [\n" + ",\n".join(json.dumps(one) for one in value) + "\n]")
        else:
            lines.append(f"{json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        for written, said in outputs(Path(folder)).items():
            (HERE / written).write_text(said, encoding="utf-8")
            print(f"tests/golden/{written}")
    rich_run.GOLDEN.write_text(rich_run.outputs(), encoding="utf-8")
    print(f"tests/golden/{rich_run.GOLDEN.name}")
