# SPDX-License-Identifier: Apache-2.0
"""Runs that Hypothesis makes: records as an engine writes them, in which nothing coincides that need not.

The base is seldom the best lane, and seldom the one that has the A/A lane. Beside each other stand lanes with and without a probe, with and without a CPU clock, with a counter in all passes, in some, in none.
CPU time and wall time have another ratio in each pass. Passes are missing, disturbed, in doubt, tried again. Batches that are alike have another cost than those that are not. Some lanes run at two speeds, kept
by process, turn or moment; some learn; some are wrong, lax, strict, unavailable or crashed. What is drawn are the lives of lanes; their samples come from a seed that is drawn as well.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from msgspec.structs import replace as replace_struct

from cipherstone import METHOD_VERSION
from cipherstone.model.deviations import Deviation
from cipherstone.model.outcomes import CaseEnd, Outcome
from cipherstone.model.records import (
    BUNDLE_FORMAT,
    Build,
    CaseEndRecord,
    CodeObject,
    LaneSamples,
    Machine,
    Manifest,
    NoiseRecord,
    OutcomeRecord,
    PassRecord,
    PlannedCase,
    ProofRecord,
    Record,
    Settings,
    Spectrum,
)
from cipherstone.model.summary import CaseSummary, RunSummary
from cipherstone.views.run.noise import NoiseTally, noise_summary

OPENSSL, NETTLE, BOTAN, PORTABLE = "openssl@3.0", "nettle@3.8", "botan@2.19", "botan@2.19:portable"
LANES = (OPENSSL, NETTLE, BOTAN, PORTABLE)
CASES = (
    "sha-256/hash/bytes=16384",
    "aes-128-gcm/seal/bytes=1024",
    "ed25519/verify",
    "rsa-2048/sign",
    "rsa-2048/keygen",
)
DRAWN = "rsa-2048/keygen"
IPC, CYCLE_NS = 5.0, 0.4
BY_PROCESS, BY_TURN, BY_MOMENT = "process", "turn", "moment"


def examples(number: int) -> Callable[[Any], Any]:
    """The same examples each time, however long one takes."""
    return settings(
        max_examples=number,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )


@dataclass(frozen=True)
class Life:
    """How a lane lives in a case. `ns`: of a call; `clock`: `wall`, `cpu` (slow calls with CPU time), `slow` (slow calls without), `both` (short calls that have CPU time too). `counter`: by pass, whether one counted. `unlike`: cost of batches that are not alike, over that of those that are."""

    ns: float
    calls: int
    clock: str
    probed: bool
    requests: int
    per_turn: int
    requests_a_turn: int
    scatter: float
    noise: float
    drift: float
    speeds: str
    gap: float
    unlike: float
    harness: float
    counter: frozenset[int]
    absent: frozenset[int]
    busy: frozenset[int]
    doubted: frozenset[int]
    settling: tuple[float, ...]
    cycle_calls: int
    switching: bool


@dataclass(frozen=True)
class Lived:
    """A case: its lanes, passes, and how it ended. `again`: passes that are tried twice."""

    case: str
    lanes: dict[str, Life]
    passes: int
    end: CaseEnd | None
    again: frozenset[int]


NEVER: frozenset[int] = frozenset()
EVER = frozenset(range(30))
some_passes = st.frozensets(st.integers(0, 13), min_size=1, max_size=3)


def rarely(some: st.SearchStrategy[frozenset[int]], one_in: int) -> st.SearchStrategy[frozenset[int]]:
    return st.integers(1, one_in).flatmap(lambda number: some if number == one_in else st.just(NEVER))


@st.composite
def lives(draw: st.DrawFn, base_ns: float, slow_calls: bool) -> Life:
    """A lane's life in a case whose calls take about `base_ns`."""
    ns = base_ns * draw(st.sampled_from((0.9, 0.985, 0.996, 1.0, 1.004, 1.008, 1.02, 1.3)))
    clock = (
        draw(st.sampled_from(("cpu", "cpu", "slow", "wall")))
        if slow_calls
        else draw(st.sampled_from(("wall", "wall", "both")))
    )
    slow = clock in ("cpu", "slow")
    calls = 1 if slow_calls else max(1, round(100_000 / ns))
    per_turn = draw(st.sampled_from((1, 2))) if slow else draw(st.sampled_from((4, 5)))
    return Life(
        ns=ns,
        calls=calls,
        clock=clock,
        probed=draw(st.sampled_from((True, True, True, False))),
        requests=draw(st.sampled_from((10, 22) if slow else (8, 12))),
        per_turn=per_turn,
        requests_a_turn=draw(st.sampled_from((1, 1, 2))),
        scatter=draw(st.sampled_from((0.0005, 0.0005, 0.003, 0.02))),
        noise=draw(st.sampled_from((0.001, 0.004, 0.03))),
        drift=draw(st.sampled_from((0.0, 0.0, 0.0, 0.004))),
        speeds=draw(st.sampled_from(("", "", "", BY_PROCESS, BY_PROCESS, BY_PROCESS, BY_TURN, BY_MOMENT))),
        gap=draw(st.sampled_from((0.2, 0.2, 0.03))),
        unlike=draw(st.sampled_from((1.0, 1.06, 0.95))),
        harness=draw(st.sampled_from((0.5, 2.0, 0.0))),
        counter=draw(st.sampled_from((NEVER, EVER, EVER - {0, 1, 2}))),
        absent=draw(rarely(some_passes, 3)),
        busy=draw(rarely(st.one_of(some_passes, some_passes, st.just(EVER)), 3)),
        doubted=draw(rarely(some_passes, 5)),
        settling=draw(st.sampled_from(((), (), (1.02,), (3.0, 1.5, 1.0), (2.0, 0.9, 1.3, 1.0), (1.2, 1.2)))),
        cycle_calls=draw(st.sampled_from((4, 16))),
        switching=draw(st.booleans()),
    )


@st.composite
def cases(draw: st.DrawFn, case: str, retried: bool) -> Lived:
    """A case of two to four lanes, mostly with an A/A lane of one of them."""
    base_ns = {"rsa-2048/sign": 900_000.0, DRAWN: 6_000_000.0, "ed25519/verify": 40_000.0}.get(case, 2_000.0)
    slow_calls = base_ns > 500_000
    names = draw(st.permutations(LANES))[: draw(st.integers(2, 4))]
    found = {name: draw(lives(base_ns, slow_calls)) for name in names}
    twin = draw(st.sampled_from((*names, None, None)))
    if twin is not None:
        like = draw(lives(base_ns, slow_calls))
        mine, apart = found[twin], draw(st.sampled_from((1.0, 1.0, 1.0, 1.002, 1.002, 1.03)))
        found[twin + "#2"] = Life(
            **{
                **vars(like),
                "ns": mine.ns * apart,
                "clock": mine.clock,
                "speeds": mine.speeds,
                "gap": mine.gap,
                "noise": min(like.noise, 0.004),
                "scatter": min(like.scatter, 0.003),
            }
        )
    end = draw(
        st.sampled_from(
            (CaseEnd.CONVERGED, CaseEnd.CONVERGED, CaseEnd.MAX_PASSES, CaseEnd.TIME_BOUND, CaseEnd.CONTENDED, None)
        )
    )
    again = draw(st.sampled_from((frozenset(), frozenset((2, 5))))) if retried else frozenset()
    return Lived(case, found, draw(st.sampled_from((14, 12, 9, 7))), end, again)


class GeneratedRun:
    """No dataclass, of which Hypothesis would show all fields."""

    def __init__(self, manifest: Manifest, records: tuple[Record, ...], lived: tuple[Lived, ...]) -> None:
        self.manifest, self.records, self.lived = manifest, records, lived

    def __repr__(self) -> str:
        """Its lives: records are thousands of numbers."""
        return f"{self.manifest.settings} {self.lived}"


@st.composite
def runs(
    draw: st.DrawFn, most_cases: int = 2, retried: bool = True, run_id: str = "20260101-000000-0001"
) -> GeneratedRun:
    """A run of one or two cases with everything around."""
    names = draw(st.permutations(CASES))[: draw(st.integers(1, most_cases))]
    lived = tuple(draw(cases(name, retried)) for name in names)
    kept = Settings(
        base=draw(st.sampled_from(("openssl", "nettle", "botan", "botan:portable", None))),
        dropped_batches=draw(st.integers(0, 3)),
        target=draw(st.sampled_from((0.002, 0.01, 0.03))),
        batch_us=draw(st.sampled_from((100.0, 400.0))),
        clean_threshold=draw(st.sampled_from((0.97, 0.93))),
    )
    rng = random.Random(draw(st.integers(0, 2**32)))
    facts = tuple(record for one in lived for record in draw(fates(one)))
    machine = Machine(
        "0123", "Example CPU", "x86_64", 4, (), None, None, "linux", "6", None, None, None, None, "none", 20000
    )
    manifest = Manifest(
        BUNDLE_FORMAT,
        METHOD_VERSION,
        "0.1",
        run_id,
        "now",
        "run",
        "generated",
        draw(st.sampled_from(("finished", "finished", "interrupted"))),
        kept,
        machine,
        tuple(
            build(name, draw(st.sampled_from((*(None, 20, 30) * 4, 1300)))) for name in ("openssl", "nettle", "botan")
        ),
        tuple(PlannedCase(one.case, tuple(one.lanes), (), one.case == DRAWN) for one in lived),
        IPC,
        "shipped table",
    )
    imul = draw(st.sampled_from((3.0, 3.0, 3.3, None)))
    return GeneratedRun(manifest, (*facts, *passes_of(rng, lived, imul)), lived)


@st.composite
def run_pairs(draw: st.DrawFn) -> tuple[GeneratedRun, GeneratedRun]:
    """A run and one of another day: some lanes cost another share, some are gone; some builds hold other code."""
    one = draw(runs(retried=False))
    lived = []
    for case in draw(st.sampled_from((one.lived, one.lived, one.lived[:1]))):
        factor = {lane: draw(st.sampled_from((1.0, 1.0, 1.003, 1.03, 1.3, 0.9))) for lane in case.lanes}
        gone = draw(st.sampled_from((None, None, None, *case.lanes)))
        lanes = {lane: replace(life, ns=life.ns * factor[lane]) for lane, life in case.lanes.items() if lane != gone}
        lived.append(Lived(case.case, lanes, draw(st.sampled_from((9, 12))), case.end, frozenset()))
    known = tuple(replace_struct(one_build, objects=(code(one_build, 0),)) for one_build in one.manifest.builds)
    now = tuple(replace_struct(one_build, objects=(code(one_build, draw(st.integers(0, 1))),)) for one_build in known)
    kept = replace_struct(
        one.manifest.settings,
        base=draw(st.sampled_from(("botan", "nettle", None))),
        target=draw(st.sampled_from((0.002, 0.03))),
    )
    base = draw(st.sampled_from((None, one.manifest.settings.base)))
    before = replace_struct(one.manifest, builds=known, settings=replace_struct(one.manifest.settings, base=base))
    after = replace_struct(one.manifest, builds=now, settings=kept, run_id="20260102-000000-0002")
    rng = random.Random(draw(st.integers(0, 2**32)))
    facts = tuple(record for case in lived for record in draw(fates(case)))
    return (
        GeneratedRun(before, one.records, one.lived),
        GeneratedRun(after, (*facts, *passes_of(rng, tuple(lived), 3.0)), tuple(lived)),
    )


def code(one: Build, version: int) -> CodeObject:
    return CodeObject(f"/lib/lib{one.library}.so", "library", f"{version}{one.library[0].encode().hex()}" * 8)


def build(library: str, clock_step_ns: int | None, **more: object) -> Build:
    version = {"openssl": "3.0", "nettle": "3.8", "botan": "2.19"}[library]
    return Build(
        library,
        version,
        version,
        "library",
        library,
        "MIT",
        "gcc 12",
        "-O2",
        None,
        f"{library}-{version}",
        clock_step_ns=clock_step_ns,
        **more,
    )  # type: ignore[arg-type]


@st.composite
def fates(draw: st.DrawFn, lived: Lived) -> list[Record]:
    """Proofs and outcomes of the lanes of a case: mostly right."""
    operation = lived.case.partition("/bytes=")[0]
    found: list[Record] = []
    for lane in lived.lanes:
        fate = draw(
            st.sampled_from((*("ok",) * 20, "lax", "strict", "both", "wrong", "later", "crashed", "gone", "mended"))
        )
        deviations = tuple(
            Deviation(outcome, f"{outcome}-kind", "what", "why", "RFC", ("v-1",))
            for outcome, when in ((Outcome.LAX, ("lax", "both")), (Outcome.STRICT, ("strict", "both")))
            if fate in when
        )
        proof = {
            "lax": Outcome.LAX,
            "both": Outcome.LAX,
            "strict": Outcome.STRICT,
            "wrong": Outcome.WRONG,
            "mended": Outcome.CRASHED,
        }
        found.append(
            ProofRecord(
                operation,
                lane,
                0,
                proof.get(fate, Outcome.OK),
                accepted=3,
                deviations=deviations,
                failures=("v-9",) * (fate == "wrong"),
            )
        )
        if fate == "later":
            found += [
                OutcomeRecord(lived.case, lane, Outcome.WRONG, "other bytes"),
                OutcomeRecord(lived.case, lane, Outcome.CRASHED, "signal 9"),
            ]
        elif fate in ("crashed", "gone"):
            found.append(
                OutcomeRecord(lived.case, lane, {"crashed": Outcome.CRASHED, "gone": Outcome.UNAVAILABLE}[fate], "no")
            )
    return found


def passes_of(rng: random.Random, lived: tuple[Lived, ...], imul: float | None) -> Iterator[Record]:
    for p in range(max((one.passes for one in lived), default=0)):
        for number, one in enumerate(lived):
            for attempt in range(2 if p in one.again else 1):
                lanes = [lane for lane, life in one.lanes.items() if p < one.passes and p not in life.absent]
                if not lanes:
                    continue
                clock = CYCLE_NS * rng.uniform(0.97, 1.03)
                yield PassRecord(
                    one.case,
                    p,
                    100.0 * p + 10.0 * number + 3.0 * attempt,
                    1.5,
                    1.0,
                    tuple(samples(rng, p, lane, one.lanes[lane], clock, attempt < (p in one.again)) for lane in lanes),
                    (),
                    harness_ns=tuple(one.lanes[lane].harness for lane in lanes) if p % 4 != 3 else (),
                    cpus=(p % 2,),
                    waited_s=0.1 * p,
                )
        yield NoiseRecord(p, 100.0 * p, 60.0, 0.5 + 0.1 * p, 0.001 * p, imul)
    for one in lived:
        if one.end is not None:
            yield CaseEndRecord(one.case, one.end, one.passes, one.passes)


def samples(rng: random.Random, p: int, lane: str, life: Life, clock: float, spoilt: bool) -> LaneSamples:
    """A lane's batches in a pass. `spoilt`: of a try that a neighbour disturbed."""
    slow = life.clock in ("cpu", "slow")
    at_pass = life.ns * math.exp(rng.gauss(0, life.scatter)) * (1 + life.drift * p)
    high_pass = rng.random() < 0.4
    busy = 0.95 if spoilt or p in life.busy else 0.03
    times: list[int] = []
    chain: list[float] = []
    tput: list[float] = []
    number = life.requests * life.per_turn
    high_turn = {turn: rng.random() < 0.5 for turn in range(life.requests)}
    switched = tuple(sorted(rng.sample(range(life.requests), 2))) if life.switching else ()
    for request in range(life.requests):
        turn = request // life.requests_a_turn
        cycle = clock * rng.choice((1.0, 1.001, 1.01, 1.1))
        dirty = [rng.random() < busy for _ in range(life.per_turn + 1)]
        # Ends of one batch may differ by more than 2 %: the shorter reading is then the clock.
        ends = [cycle * rng.choice((1.0, 1.0, 1.005, 1.025)) for _ in dirty]
        chain += [0.0 if rng.random() < 0.004 else one for one in ends]
        tput += [
            cycle / (rng.uniform(2.0, 4.0) if one else IPC * rng.choice((1.0, 1.0, 1.0, rng.uniform(0.9, 0.99))))
            for one in dirty
        ]
        for i in range(life.per_turn):
            k = request * life.per_turn + i
            alike = k >= number // 2 and (life.per_turn == 1 or i > 0) and request not in switched
            at_high = {BY_PROCESS: high_pass, BY_TURN: high_turn[turn], BY_MOMENT: rng.random() < 0.5}.get(
                life.speeds, False
            )
            factor = (
                (1 + life.gap * at_high) * (1.0 if alike else life.unlike) * (1.5 if dirty[i] or dirty[i + 1] else 1.0)
            )
            times.append(round(life.calls * at_pass * factor * (1 + rng.random() * life.noise) * cycle / CYCLE_NS))
    share = rng.uniform(0.5, 0.97)  # CPU time over wall time: another in each pass and lane
    count = [
        sum(times[life.per_turn * r : life.per_turn * (r + 1)]) * rng.uniform(2.0, 2.1) for r in range(life.requests)
    ]
    base = life.ns
    return LaneSamples(
        lane=lane,
        calls=life.calls,
        ns=tuple(times),
        cpu_ns=tuple(round(one * share * rng.uniform(0.99, 1.0)) for one in times)
        if life.clock in ("cpu", "both")
        else (),
        cycles=tuple(map(round, count)) if p in life.counter else (),
        rounds=tuple(k // life.per_turn // life.requests_a_turn for k in range(number)),
        nivcsw=rng.randrange(3),
        cpu_total_ns=round(sum(times) * 0.98),
        slow=slow,
        per_turn=life.per_turn,
        chain_ns=tuple(chain) if life.probed else (),
        tput_ns=tuple(tput) if life.probed else (),
        doubt="its clock runs behind" if p in life.doubted else "",
        settling_calls=(life.cycle_calls,) * len(life.settling),
        settling_ns=tuple(round(life.cycle_calls * base * one * rng.uniform(0.98, 1.02)) for one in life.settling),
        switched=switched,
    )


def summary_of(
    cases: Iterable[CaseSummary], features: Iterable[str] = (), spectrum: Spectrum | None = None
) -> RunSummary:
    """A run with these cases, of one build, on a CPU with these features."""
    machine = Machine(
        "0", "CPU", "x86_64", 4, tuple(sorted(features)), None, None, "linux", "6", None, None, None, None, "none"
    )
    builds = (build("openssl", 20),)
    manifest = Manifest(BUNDLE_FORMAT, METHOD_VERSION, "0.1", "r", "now", "run", "s", "finished", Settings(), machine, builds, (), spectrum=spectrum)  # fmt: skip
    return RunSummary(manifest, tuple(cases), (), (), noise_summary(NoiseTally(), (), (), None), "indicative", "")
