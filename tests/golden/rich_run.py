# SPDX-License-Identifier: Apache-2.0
"""A run in which everything happens that happens to runs, and every number that the views make of it: `rich-run.json` beside this file. Busy, at two speeds, drifting, wrong, lax, crashed, tried again, short of time, without a probe, with a counter.

The samples come from a seed. What the rules make of each situation is asserted by name elsewhere; here a number that moves is seen, wherever it is.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from rich_page import PAGE, SPECTRUM

from cipherstone import METHOD_VERSION
from cipherstone.model.deviations import Deviation
from cipherstone.model.ids import Lane
from cipherstone.model.outcomes import CaseEnd, Outcome
from cipherstone.model.records import (
    BUNDLE_FORMAT,
    EMPTY_CASE,
    Build,
    CaseEndRecord,
    CodeObject,
    FactsRecord,
    FirstCallRecord,
    ForeignRecord,
    LaneSamples,
    Machine,
    Manifest,
    MemoryRecord,
    NoiseRecord,
    OutcomeRecord,
    PassRecord,
    PlannedCase,
    ProcessRecord,
    ProofRecord,
    Record,
    Settings,
)
from cipherstone.model.summary import CaseSummary, RunSummary
from cipherstone.views.compare import compare_lanes, compare_runs
from cipherstone.views.comparison import Comparison
from cipherstone.views.foreign import measured_machine
from cipherstone.views.published import beside, furthest, likest
from cipherstone.views.run.leaders import overall, standing, standing_of, standing_order
from cipherstone.views.run.summarise import summarise

GOLDEN = Path(__file__).resolve().with_name("rich-run.json")
OPENSSL, NETTLE, BOTAN, PORTABLE = "openssl@3.0", "nettle@3.8", "botan@2.19", "botan@2.19:portable"
BUILT = "botan@2.19+O3"
TWIN, REFERENCE = "openssl@3.0#2", "reference@1.0"
PASSES, TURNS, PER_TURN, CYCLE_NS, IPC = 11, 6, 4, 0.4, 5.0
AT_HIGH = (1, 2, 5, 8, 9)  # passes in which a process got the slower of two speeds


@dataclass(frozen=True)
class Lived:
    """How a lane takes its batches in a case. `factor`: of its cost, by pass; `busy`: by pass, the share of probes beside a neighbour; `mixed`: share of batches at a speed of 1.2."""

    ns: float
    factor: Callable[[int], float] = lambda p: 1.0
    busy: Callable[[int], float] = lambda p: 0.03
    mixed: float = 0.0
    probed: bool = True
    counted: bool = False
    slow: bool = False
    alone: bool = False
    calls: int = 0
    doubt: Callable[[int], str] = lambda p: ""


@dataclass(frozen=True)
class Happening:
    """A case: how its lanes live, which passes hold them, and how it ended."""

    lanes: dict[str, Lived]
    end: CaseEnd | None = CaseEnd.CONVERGED
    holds: Callable[[int, str], bool] = lambda p, lane: True
    again: tuple[int, ...] = ()
    distribution: bool = False
    more: tuple[Record, ...] = field(default_factory=tuple)


def late_busy(p: int) -> float:
    """Passes 6 to 10 have a neighbour throughout."""
    return 1.0 if p >= 6 else 0.02


def hashing(size: int) -> Happening:
    """Over sizes: a line, one with a step at 4 KiB, one that does not grow, and lanes that change places."""
    step = 1.0 if size < 4096 else 2.0
    return Happening(
        {
            OPENSSL: Lived(80 + 0.45 * size),
            NETTLE: Lived(40 + 0.55 * size, probed=False),
            BOTAN: Lived((60 + 0.3 * size) * step),
            PORTABLE: Lived(900.0 - size / 2000),
            TWIN: Lived(80 + 0.45 * size, factor=lambda p: 1.0 + 0.0004 * (p % 3)),
        }
    )


HAPPENINGS: dict[str, Happening] = {
    **{f"sha-256/hash/bytes={size}": hashing(size) for size in (16, 64, 1024, 4096, 16384)},
    "aes-128-gcm/seal/bytes=16384": Happening(  # two speeds: by process, and from batch to batch
        {
            OPENSSL: Lived(3000.0),
            NETTLE: Lived(3100.0, factor=lambda p: 1.2 if p in AT_HIGH else 1.0),
            BOTAN: Lived(3050.0, mixed=0.4),
            TWIN: Lived(3000.0, factor=lambda p: 1.003),
        },
        CaseEnd.MAX_PASSES,
    ),
    "aes-128-gcm/open/bytes=16384": Happening(  # drift, and a lane that one neighbour disturbs more
        {
            OPENSSL: Lived(3300.0, factor=lambda p: 1 + 0.004 * p),
            NETTLE: Lived(3400.0, busy=late_busy),
            BOTAN: Lived(3350.0, factor=lambda p: 1 + 0.01 * (p % 4)),
            TWIN: Lived(3300.0, factor=lambda p: 1 + 0.004 * p),
        },
        CaseEnd.MAX_PASSES,
        again=(3, 7),
    ),
    "chacha20-poly1305/seal/bytes=16384": Happening(  # nobody had the core
        {lane: Lived(9000.0, busy=lambda p: 1.0) for lane in (OPENSSL, NETTLE, TWIN)}, CaseEnd.CONTENDED
    ),
    "rsa-2048/sign": Happening(  # calls longer than a batch, one in the clock of its thread, one counted
        {
            OPENSSL: Lived(900_000.0, calls=1, counted=True),
            NETTLE: Lived(5_000_000.0, calls=1, slow=True),
            BOTAN: Lived(1_100_000.0, calls=1, mixed=0.3),
            BUILT: Lived(950_000.0, calls=1),
            TWIN: Lived(901_000.0, calls=1),
        },
        more=(
            ProofRecord("rsa-2048/sign", BOTAN, 0, Outcome.CRASHED, accepted=3),  # once; started again
            FactsRecord("rsa-2048/sign", OPENSSL, {"mul": 12, "leak": "none"}),
        ),
    ),
    "rsa-2048/keygen": Happening(
        {lane: Lived(60_000_000.0, calls=1, slow=True, alone=True) for lane in (OPENSSL, NETTLE, TWIN)},
        CaseEnd.MAX_PASSES,
        distribution=True,
    ),
    "ed25519/verify": Happening(  # what becomes of lanes
        {
            OPENSSL: Lived(120_000.0),
            NETTLE: Lived(121_200.0),
            BOTAN: Lived(118_000.0),
            PORTABLE: Lived(1.0),
            TWIN: Lived(120_000.0),
        },
        holds=lambda p, lane: lane != PORTABLE,
        more=(
            ProofRecord(
                "ed25519/verify",
                NETTLE,
                0,
                Outcome.LAX,
                accepted=40,
                rejected=12,
                oracle=2,
                sources=("RFC 8032", "Wycheproof"),
                deviations=(Deviation(Outcome.LAX, "unreduced-scalar", "accepts S + L", "It can.", "RFC.", ("v-63",)),),
            ),
            ProofRecord("ed25519/verify", NETTLE, 1, Outcome.OK, accepted=8, oracle=1, sources=("RFC 8032",)),
            ProofRecord(
                "ed25519/verify",
                TWIN,
                0,
                Outcome.STRICT,
                accepted=40,
                deviations=(
                    Deviation(
                        Outcome.STRICT,
                        "point-duplication",
                        "refuses a doubling",
                        "It refuses.",
                        "SEC 1.",
                        ("v-204", "v-7"),
                    ),
                ),
            ),
            ProofRecord("ed25519/verify", PORTABLE, 0, Outcome.TIMED_OUT, accepted=7),
            OutcomeRecord("ed25519/verify", BOTAN, Outcome.CRASHED, "signal 11", "at line 3"),
            OutcomeRecord("ed25519/verify", REFERENCE, Outcome.UNSUPPORTED, "no Ed25519 in this library"),
            OutcomeRecord("ed25519/verify", "reference@1.0:neon", Outcome.UNAVAILABLE, "no NEON here"),
        ),
    ),
    "ed25519/sign": Happening(  # wrong: by its proof, by what a timed call left, and the base by its twin
        {OPENSSL: Lived(40_000.0), NETTLE: Lived(41_000.0), BOTAN: Lived(43_000.0), TWIN: Lived(40_000.0)},
        more=(
            ProofRecord(
                "ed25519/sign", NETTLE, 2, Outcome.WRONG, accepted=3, failures=("v-1: bad", "v-2: bad", "v-3: bad")
            ),
            OutcomeRecord("ed25519/sign", TWIN, Outcome.WRONG, "after the timed calls: other bytes"),
            OutcomeRecord("ed25519/sign", TWIN, Outcome.CRASHED, "signal 9"),
        ),
    ),
    "x25519/derive": Happening(  # the library against itself stands apart
        {OPENSSL: Lived(30_000.0), NETTLE: Lived(33_000.0), TWIN: Lived(30_000.0, factor=lambda p: 1.03 + 0.001 * p)}
    ),
    "p-256/derive": Happening(  # short of time, with lanes that were not always there
        {
            OPENSSL: Lived(50_000.0),
            NETTLE: Lived(52_000.0, busy=late_busy),
            BOTAN: Lived(55_000.0),
            TWIN: Lived(50_000.0),
        },
        CaseEnd.TIME_BOUND,
        holds=lambda p, lane: p >= 2 and (lane != BOTAN or p >= 7) and (lane != TWIN or p % 2 == 0),
    ),
    "p-256/keygen": Happening(
        {OPENSSL: Lived(20_000.0, doubt=lambda p: "its clock runs behind" if p % 2 else ""), NETTLE: Lived(0.4)},
        CaseEnd.MAX_PASSES,
    ),
    "p-384/derive": Happening(
        {OPENSSL: Lived(1.0), NETTLE: Lived(1.0)}, CaseEnd.TIME_BOUND, holds=lambda p, lane: False
    ),
    "p-521/derive": Happening({OPENSSL: Lived(1.0)}, CaseEnd.INTERRUPTED, holds=lambda p, lane: False),
    "x448/derive": Happening({OPENSSL: Lived(1.0)}, CaseEnd.NO_LANES, holds=lambda p, lane: False),
    "dsa-2048-sha256/paramgen": Happening({OPENSSL: Lived(1.0)}, CaseEnd.PROCESSES, holds=lambda p, lane: False),
    "poly1305/authenticate/bytes=16": Happening({OPENSSL: Lived(1.0)}, None, holds=lambda p, lane: False),
}


def taken(rng: random.Random, p: int, lane: str, lived: Lived) -> LaneSamples:
    """The batches of a lane in a pass, noise upwards only."""
    ns = lived.ns * lived.factor(p)
    calls = lived.calls or max(1, round(100_000 / ns))
    per_turn = 1 if lived.slow else PER_TURN
    times: list[int] = []
    chain: list[float] = []
    tput: list[float] = []
    for _ in range(TURNS):
        cycle = CYCLE_NS * rng.choice((1.0, 1.0, 1.001, 1.1))
        dirty = [rng.random() < lived.busy(p) for _ in range(per_turn + 1)]
        chain += [cycle] * len(dirty)
        tput += [cycle / (rng.uniform(2.0, 4.0) if one else IPC) for one in dirty]
        for i in range(per_turn):
            slower = 1.5 if dirty[i] or dirty[i + 1] else 1.2 if rng.random() < lived.mixed else 1.0
            drawn = rng.lognormvariate(0, 0.4) if lived.alone else 1 + rng.random() * 0.01
            times.append(round(calls * ns * slower * drawn * cycle / CYCLE_NS))
    turns = range(TURNS)
    return LaneSamples(
        lane=lane,
        calls=calls,
        ns=tuple(times),
        cpu_ns=tuple(round(one * 0.9) for one in times) if lived.slow else (),
        cycles=tuple(sum(times[per_turn * t : per_turn * (t + 1)]) * 2 for t in turns) if lived.counted else (),
        rounds=tuple(turn for turn in turns for _ in range(per_turn)),
        nivcsw=rng.randrange(3),
        cpu_total_ns=round(sum(times) * 0.98),
        slow=lived.slow,
        per_turn=per_turn,
        chain_ns=tuple(chain) if lived.probed else (),
        tput_ns=tuple(tput) if lived.probed else (),
        doubt=lived.doubt(p),
    )


def records(seed: int) -> Iterator[Record]:
    """In the order of events."""
    rng = random.Random(seed)
    for happening in HAPPENINGS.values():
        yield from happening.more
    for p in range(PASSES):
        for number, (case, one) in enumerate(HAPPENINGS.items()):
            for attempt in range(2 if p in one.again else 1):
                lanes = [lane for lane in one.lanes if one.holds(p, lane)]
                if not lanes:
                    continue
                busy = {lane: Lived(one.lanes[lane].ns, busy=lambda p: 0.9) for lane in lanes}
                lived = busy if p in one.again and not attempt else one.lanes
                yield PassRecord(
                    case, p, 100.0 * p + 5.0 * number + 2.0 * attempt, 1.5 + 0.1 * number, 1.0 + 0.05 * p,
                    tuple(taken(rng, p, lane, lived[lane]) for lane in lanes),
                    tuple(tuple(range(len(lanes))) for _ in range(TURNS)),
                    harness_ns=tuple(0.5 + 0.1 * place for place in range(len(lanes))) if number % 4 else (),
                    cpus=(1,) * TURNS if p < 8 else (1, 1, 3, 3, 0, 3),
                    waited_s=0.25 * (p == 4),
                )  # fmt: skip
        yield NoiseRecord(p, 100.0 * p, 60.0, 0.5 + 0.1 * p, None if p == 3 else 0.001 * p, 3.0 + 0.002 * (p % 4))
    for case, one in HAPPENINGS.items():
        if one.end is not None:
            yield CaseEndRecord(case, one.end, PASSES, PASSES - len(one.again))
    hashed = [case for case in HAPPENINGS if case.startswith("sha-256")]
    yield MemoryRecord(hashed[0], OPENSSL, 100, 200, 10, 1, 900, 4000, 32, 1, 2, 3)
    for lane, first in ((OPENSSL, 9000), (NETTLE, 4000)):
        values = [tuple(first * k + 7 * p * (k % 3 - 1) for p in range(7)) for k in range(1, 7)]
        yield FirstCallRecord(
            case=hashed[0],
            lane=lane,
            first_call_ns=values[0],
            steady_call_ns=(500.5, 501.0, 502.5, 499.0, 500.0, 500.25, 501.5),
            open_ns=values[1],
            seed_ns=values[2],
            fetch_ns=values[3],
            setup_ns=values[4],
            available_ns=values[5],
        )
    for lane, start_ms in ((OPENSSL, 5.0), (NETTLE, 2.0), (BOTAN, 3.0)):
        for number in range(9):
            if lane != BOTAN:
                noise = 1 + 0.01 * (number * 7 % 5)
                yield ProcessRecord(
                    EMPTY_CASE, f"{lane}:sdk", number, round(start_ms * noise * 1e6), round(start_ms * 9e5), 2000
                )
            for case in hashed:
                size = int(case.partition("bytes=")[2])
                ms = (start_ms + size * 1e-3) * (1 + 0.02 * ((number + size) % 3))
                yield ProcessRecord(case, lane, number, round(ms * 1.2e6), round(ms * 1e6), 2100 + size // 16 + number)
    yield ForeignRecord(hashed[0], "cryptobench@2016", 0.25, 10, "clock of 15 ms")


def build(library: str, version: str, **more: object) -> Build:
    return Build(library, version, version, "library", library, "MIT", "gcc 12", "-O2", None, f"{library}-{version}", **more)  # type: ignore[arg-type]  # fmt: skip


def manifest(run_id: str, base: str, **builds: Build) -> Manifest:
    """Of a machine that does not exist."""
    machine = Machine("0123", "Example CPU", "x86_64", 4, (), None, None, "linux", "6", None, None, None, None, "none", 20000)  # fmt: skip
    shared = (
        CodeObject("/lib/libcrypto.so.3", "library", "ab" * 32),
        CodeObject("/lib/libc.so.6", "runtime", "cd" * 32),
    )
    known = {
        "openssl": build("openssl", "3.0", objects=shared, clock_step_ns=20),
        "nettle": build("nettle", "3.8", objects=(CodeObject("/lib/libnettle.a", "archive", "ef" * 32),)),
        "botan": build("botan", "2.19", clock_step_ns=40),
    }
    plan = tuple(
        PlannedCase(case, tuple(one.lanes), ("section",), one.distribution) for case, one in HAPPENINGS.items()
    )
    return Manifest(
        BUNDLE_FORMAT, METHOD_VERSION, "0.1", run_id, "now", "run", "rich", "finished", Settings(base=base), machine,
        tuple((known | builds).values()), plan, IPC, "shipped table", spectrum=SPECTRUM,
    )  # fmt: skip


def runs() -> tuple[RunSummary, RunSummary]:
    """The run, and one of other builds on another day."""
    renewed = build("openssl", "3.0", objects=(CodeObject("/lib/libcrypto.so.3", "library", "12" * 32),))
    other = msgspec.structs.replace(renewed, environment={"OPENSSL_ia32cap": "0"})
    return (
        summarise(manifest("before", "openssl"), records(1)),
        summarise(manifest("after", "nettle", openssl=other), records(2)),
    )


def told(value: object) -> object:
    """Eight digits, so that another CPU's last bit is no change."""
    match value:
        case float():
            return float(f"{value:.8g}")
        case list() | tuple():
            return [told(one) for one in value]
        case dict():
            return {str(key): told(one) for key, one in value.items()}
        case _:
            return value


def compared(found: Comparison) -> dict[str, object]:
    rows = [[*(getattr(row, name) for name in ("case", "lane", "lane_a", "lane_b", "verdict", "threshold", "note")), msgspec.to_builtins(row.ratio)] for row in found.rows]  # fmt: skip
    means = [[mean.label, mean.value, mean.cases] for mean in found.means]
    slower = [[by, row.case, row.lane] for by, row in found.slower]
    return {"base": found.base, "rows": rows, "means": means, "slower": slower, "worst": found.worst_slowdown} | {
        "warnings": found.warnings, "changes": found.changes, "refused": found.refused,
        "sides": [[side.run_id, side.suite, side.builds] for side in found.sides],
    }  # fmt: skip


def stood(case: CaseSummary) -> dict[str, object]:
    """How its lanes stand, all of them and those of a library beside the base."""
    all_of_it = standing(case)
    some = standing_of(case, [cell.lane for cell in case.cells if Lane.parse(cell.lane).library != "nettle"])
    lanes = all_of_it.order
    return {
        "order": standing_order(case),
        "groups": all_of_it.groups, "leaders": all_of_it.leaders, "tied": all_of_it.tied, "margin": all_of_it.margin,
        "equal": all_of_it.all_equal(lanes), "told": all_of_it.any_told(lanes[:2]),
        "slower": all_of_it.all_slower(lanes[-1:], lanes[:1]), "without": some.groups,
    }  # fmt: skip


def outputs() -> str:
    """Everything, a line a thing."""
    before, after = runs()
    lines: dict[str, object] = {}
    document = msgspec.to_builtins(before)
    del document["manifest"]
    for case in document.pop("cases"):
        for cell in case.pop("cells"):
            lines[f"{case['case']} {cell['lane']}"] = cell
        lines[case["case"]] = case
    lines |= document
    for case in before.cases:
        lines[f"standing {case.case}"] = stood(case)
    for lane in (OPENSSL, NETTLE, BOTAN):
        one = overall((case, lane) for case in before.cases if any(cell.lane == lane for cell in case.cells))
        lines[f"overall {lane}"] = [one.wins, one.ties, one.cases, one.mean, msgspec.to_builtins(one.worst)]
    lines["compared runs"] = compared(compare_runs(before, after))
    lines["compared runs by botan"] = compared(compare_runs(after, before, anchor="botan"))
    lines["compared lanes"] = compared(compare_lanes(before, "nettle", "openssl"))
    published = beside(PAGE, before)
    for table in published.tables:
        lines |= {f"published {table.title}, {row.label}": msgspec.to_builtins(row) for row in table.rows}
    lines["published"] = msgspec.to_builtins(msgspec.structs.replace(published, tables=()))
    lines["published, likest"] = likest(published)
    lines["published, furthest"] = [[title, row.label, cell.apart] for title, row, cell in furthest(published)]
    lines["as a machine"] = msgspec.to_builtins(measured_machine(before))
    return "{\n" + ",\n".join(f"{json.dumps(key)}: {json.dumps(told(value))}" for key, value in lines.items()) + "\n}\n"
