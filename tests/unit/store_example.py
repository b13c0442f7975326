# SPDX-License-Identifier: Apache-2.0
"""A small run for the tests of the store and the exporters: every record type, every odd shape that a measurement may yield."""

from __future__ import annotations

import random

from cipherstone import METHOD_VERSION
from cipherstone.model.counts import Count, CountedTarget, Counting
from cipherstone.model.deviations import Deviation
from cipherstone.model.outcomes import CaseEnd, Outcome, Verdict
from cipherstone.model.records import (
    BUNDLE_FORMAT,
    BreadthRecord,
    Build,
    CaseEndRecord,
    FactsRecord,
    FirstCallRecord,
    ForeignRecord,
    LaneBreadth,
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
from cipherstone.model.summary import (
    CaseSummary,
    CellSummary,
    Crossover,
    Estimate,
    FitSummary,
    LevelSummary,
    NoiseSummary,
    RatioSummary,
    RunSummary,
)
from cipherstone.views.run.firstcall import first_call_summary

HASH = "sha-256/hash/bytes=16384"
SIGN = "ed25519/sign"
COUNTED = "bearssl@0.6+Os:sha_big"
CLASSES = {"load": 3, "store": 2, "branch": 1, "multiply": 0, "divide": 0}
OPENSSL, BEARSSL, TWIN = "openssl@3.0.19", "bearssl@0.6+O2:sha_big", "openssl@3.0.19#2"


def manifest(run_id: str = "20260131-154502-3fa9", created: str = "2026-01-31T15:45:02+00:00") -> Manifest:
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
    builds = tuple(
        Build(name, build, build, "library", name, "licence", "gcc 12", "-O2", None, "00ff")
        for name, build in (("openssl", "3.0.19"), ("bearssl", "0.6+O2"))
    )
    return Manifest(
        format=BUNDLE_FORMAT,
        method=METHOD_VERSION,
        tool_version="0.1.0",
        run_id=run_id,
        created=created,
        command="cipherstone run --quick",
        suite="quick",
        status="running",
        settings=Settings(),
        machine=machine,
        builds=builds,
        plan=(PlannedCase(HASH, (OPENSSL, BEARSSL, TWIN)), PlannedCase(SIGN, (OPENSSL,))),
        ipc_reference=5.0,
        ipc_reference_from="shipped table",
    )


def _readings(rng: random.Random, turns: int, per_turn: int, disturbed: float) -> tuple[list[float], list[float]]:
    """Probe readings of `turns` turns: five additions a cycle, less in the share `disturbed` of them; one clock a turn. A few are missing (0)."""
    chain: list[float] = []
    tput: list[float] = []
    for _ in range(turns):
        cycle = rng.uniform(0.3, 0.5)
        for _ in range(per_turn + 1):
            here = cycle * rng.uniform(1.0, 1.003)
            ipc = rng.uniform(2.0, 4.5) if rng.random() < disturbed else rng.uniform(4.98, 5.02)
            chain.append(here if rng.random() > 0.01 else 0.0)
            tput.append(here / ipc)
    return chain, tput


def pass_record(rng: random.Random, case: str, lanes: tuple[str, ...], index: int, rounds: int = 20) -> PassRecord:
    """A pass as a measurement yields it. In every third one nothing counts: the core was busy, and lanes sat out some rounds.

    The second lane has no probe; the third one counts cycles. Fast lanes take two batches a turn, slow ones one.
    """
    busy = index % 3 == 2
    slow = case == SIGN
    per_turn = 1 if slow else 2
    taken = [
        sorted(rng.sample(range(rounds), 6 if place == 1 else rounds - 3)) if busy else list(range(rounds))
        for place in range(len(lanes))
    ]
    samples = []
    for place, lane in enumerate(lanes):
        turns = len(taken[place])
        count = turns * per_turn
        chain, tput = ([], []) if place == 1 else _readings(rng, turns, per_turn, 1.0 if busy else 0.1)
        samples.append(
            LaneSamples(
                lane=lane,
                calls=1 if slow else rng.randint(2, 5),
                ns=tuple(rng.randint(200_000, 400_000) for _ in range(count)),
                cpu_ns=tuple(rng.randint(1, 300_000) for _ in range(count)) if slow else (),
                cycles=tuple(rng.randint(10**5, 10**6) for _ in range(turns)) if place == 2 else (),
                rounds=() if slow and not busy else tuple(r for r in taken[place] for _ in range(per_turn)),
                nivcsw=rng.randint(0, 2),
                cpu_total_ns=rng.randint(0, 10**9),
                slow=slow,
                per_turn=per_turn,
                chain_ns=tuple(chain),
                tput_ns=tuple(tput),
            )
        )
    present = [[place for place in range(len(lanes)) if r in taken[place]] for r in range(rounds)]
    return PassRecord(
        case=case,
        index=index,
        start_s=index * 1.5,
        wall_s=rng.random(),
        timed_s=rng.random(),
        lanes=tuple(samples),
        order=tuple(tuple(rng.sample(places, len(places))) for places in present),
        harness_ns=() if slow else tuple(rng.random() for _ in lanes),
        valid=not busy,
        reason=f"{lanes[0]}: contended: 0 of 32 batches undisturbed, 16 needed" if busy else "",
        cpus=() if slow else tuple(0 if index == 4 and r < 3 else 1 for r in range(rounds)),
        waited_s=rng.random() if busy else 0.0,
    )


DEVIATIONS = (
    Deviation(Outcome.LAX, "unreduced-scalar", "accepts S + L", "It can be fooled.", "RFC 8032.", ("v-63", "v-85")),
    Deviation(Outcome.STRICT, "point-duplication", "refuses a doubling", "It refuses.", "SEC 1.", ("v-204",)),
)


FIRST = FirstCallRecord(
    case=HASH,
    lane=OPENSSL,
    first_call_ns=(9000, 9100, 9050, 8990, 12000, 9010, 9020),
    steady_call_ns=(500.5, 501.0, 502.5, 499.0, 500.0, 500.25, 500.75),
    open_ns=(700, 710, 705, 699, 720, 701, 702),
    fetch_ns=(30, 31, 30, 29, 35, 30, 30),
    setup_ns=(0, 1, 2, 3, 4, 5, 6),
    available_ns=(60, 61, 62, 63, 64, 65, 66),
)


def records(passes: int = 6, seed: int = 1) -> list[Record]:
    """All records of the example run in the order of events."""
    rng = random.Random(seed)
    found: list[Record] = [
        ProofRecord("sha-256/hash", OPENSSL, 0, Outcome.OK, accepted=12, oracle=2, sources=("FIPS 180-4", 'it\'s "x"')),
        ProofRecord("sha-256/hash", BEARSSL, 0, Outcome.WRONG, accepted=11, failures=("vector 3: wrong digest",)),
        ProofRecord("ed25519/verify", OPENSSL, 0, Outcome.LAX, accepted=40, rejected=41, deviations=DEVIATIONS),
        BreadthRecord(
            "sha-256/hash", 0, (LaneBreadth(OPENSSL, genuine=134), LaneBreadth(BEARSSL, 9, 3, 1, ("random input 7",)))
        ),
        OutcomeRecord(SIGN, BEARSSL, Outcome.UNSUPPORTED, "no Ed25519 in this library"),
        OutcomeRecord(HASH, BEARSSL, Outcome.CRASHED, "signal 11", stderr="line one\nline two\u2028 \u0000end"),
        MemoryRecord(HASH, OPENSSL, held_bytes=112, warm_allocations=0, stack_bytes=None, random_bytes=0),
        FIRST,
        FirstCallRecord(case=SIGN, lane=OPENSSL, first_call_ns=(900,), steady_call_ns=(40.25,), setup_ns=(7,)),
        ProcessRecord("harness/empty", "openssl@3.0.19:sdk", 0, 3_000_000, 1_000_000, 2400),
        ProcessRecord(HASH, OPENSSL, 0, 4_500_000, 1_200_000, 2600),
        ProcessRecord(HASH, OPENSSL, 1, 4_000_000, 0, 2604),
        FactsRecord(HASH, OPENSSL, {"mul": 1 << 53, "table_bytes": 0, "leak": 'it\'s "none" \u00e9', "empty": ""}),
        FactsRecord(SIGN, OPENSSL, {"limb_bits": 64, "digits": "12"}),
        CountedTarget("cortex-m4", "bearssl@0.6+Os", "Cortex-M4", "gcc 12", "-Os", "QEMU 7.2", "m4", "00ff", 7),
        CountedTarget("riscv64", "bearssl+0.6+Os", "RISC-V", problem='no compiler, it\'s "gone"'),
        Count(
            target="cortex-m4",
            case=HASH,
            lane=COUNTED,
            outcome=Counting.COUNTED,
            instructions=1 << 40,
            classes=CLASSES,
            stack_bytes=96,
            heap_bytes=640,
            held_bytes=32,
            code={"sha256": 700, "round": 56},
            proof=Outcome.OK,
        ),
        Count(
            target="cortex-m4",
            case=SIGN,
            lane=COUNTED,
            outcome=Counting.VARIES,
            seen=(1, 2),
            reason="does not repeat: 1 and 2",
        ),
        ForeignRecord(SIGN, "cryptobench@2016:ed25519", 1234.5, 1000, "clock of 15 ms"),
        ForeignRecord(HASH, "cryptobench@2016", 0.25),
        ForeignRecord(HASH, "pqm4@2026:m4f", iterations=10, cycles=658754.0),
    ]
    for index in range(passes):
        found.append(pass_record(rng, HASH, (OPENSSL, BEARSSL, TWIN), index))
        found.append(pass_record(rng, SIGN, (OPENSSL,), index, rounds=8))
        found.append(NoiseRecord(index, index * 1.5, 1.25, load_1min=0.5))
    found.append(CaseEndRecord(HASH, CaseEnd.CONVERGED, passes, passes - passes // 3))
    return found


def summary() -> RunSummary:
    """A summary with a ranked case, a case that one library fails, and the A/A lane."""

    def cell(case: str, lane: str, ns: float) -> CellSummary:
        pass_ns = tuple(ns * (1 + 0.001 * k) for k in range(-4, 5))
        cycles = Estimate(ns * 2.5, ns * 2.4, ns * 2.6)
        return CellSummary(
            case,
            lane,
            Outcome.OK,
            ns=Estimate(ns, ns * 0.999, ns * 1.001),
            cycles=cycles,
            typical_ns=ns * 1.02,
            pass_ns=pass_ns,
            passes_used=9,
            batches=540,
            calls_per_batch=37,
            proof_accepted=12,
            proof_sources=("FIPS 180-4",),
            memory=MemoryRecord(case, lane, held_bytes=112, warm_allocations=0),
            first=first_call_summary(FIRST) if lane == OPENSSL else None,
            facts={"mul": 12, "table_bytes": 4096, "leak": "exponent bits, by branch"} if lane == OPENSSL else {},
            levels=(LevelSummary(ns, 0.6), LevelSummary(ns * 1.09, 0.4)) if lane == BEARSSL else (),
            flags=("bimodal",) if lane == BEARSSL else (),
        )

    ratio = RatioSummary(HASH, BEARSSL, OPENSSL, Verdict.SLOWER, Estimate(2.5, 2.49, 2.51), 9)
    twin = RatioSummary(HASH, TWIN, OPENSSL, Verdict.EQUAL, Estimate(1.001, 0.999, 1.002), 9)
    hashing = CaseSummary(
        HASH,
        "sha-256/hash",
        "SHA-256",
        "hash",
        "hash",
        16384,
        "the digest of msg",
        ("hashes",),
        (cell(HASH, OPENSSL, 7654.321), cell(HASH, BEARSSL, 19135.8), cell(HASH, TWIN, 7660.0)),
        ranking=((OPENSSL, TWIN), (BEARSSL,)),
        to_best=(ratio,),
        to_base=(ratio,),
        aa=twin,
        end=CaseEnd.CONVERGED,
        passes_tried=10,
        passes_valid=9,
    )
    wrong = CellSummary(SIGN, BEARSSL, Outcome.WRONG, 'signature does not verify, says "oracle", twice')
    signing = CaseSummary(
        SIGN,
        SIGN,
        "Ed25519 sign",
        "signature",
        "sign",
        None,
        "one signature",
        (),
        (cell(SIGN, OPENSSL, 41000.5), wrong),
        ranking=((OPENSSL,),),
        end=CaseEnd.MAX_PASSES,
    )
    fit = FitSummary(
        "sha-256/hash", OPENSSL, Estimate(60.0, 59.0, 61.0), Estimate(0.46, 0.45, 0.47), 130.4, 0.01, (16, 64)
    )
    noise = NoiseSummary(
        passes_tried=10,
        passes_valid=9,
        disturbed_ratio=0.12,
        waited_s=0.25,
        cpus=(1, 0),
        ipc_median=3.9,
        ipc_reference=None,
        ghz_low=1.9,
        ghz_high=2.1,
        slow_batches_ratio=0.01,
        nivcsw_per_batch=0.0,
        steal_ratio=None,
        wall_over_cpu=1.01,
        load_1min=0.4,
        aa_offset_median=0.001,
        aa_halfwidth_median=0.002,
        aa_worst=0.003,
        aa_false_positives=0,
        aa_cases=1,
        harness_ns=0.8,
        timed_share=0.66,
        imul_ratio=3.0,
    )
    return RunSummary(
        manifest(),
        (hashing, signing),
        (fit,),
        (Crossover("sha-256/hash", BEARSSL, OPENSSL, 40.5, 16, 64),),
        noise,
        "publishable",
        "quiet",
    )
