# SPDX-License-Identifier: Apache-2.0
"""A small run for the tests of the store and the exporters: every record type, every odd shape that a measurement may yield."""

from __future__ import annotations

import random

from cipherstone.model.outcomes import CaseEnd, Outcome, Verdict
from cipherstone.model.records import (
    BUNDLE_FORMAT,
    Build,
    CaseEndRecord,
    FactsRecord,
    ForeignRecord,
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
from cipherstone.model.summary import (
    CaseSummary,
    CellSummary,
    Crossover,
    Estimate,
    FitSummary,
    NoiseSummary,
    RatioSummary,
    RunSummary,
)

HASH = "sha-256/hash/bytes=16384"
SIGN = "ed25519/sign"
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
        method="cbm-1",
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
    )


def pass_record(rng: random.Random, case: str, lanes: tuple[str, ...], index: int, rounds: int = 20) -> PassRecord:
    """A pass as a measurement yields it; every third pass is cut (some rounds are missing) and not valid."""
    cut = index % 3 == 2
    counted = tuple(sorted(rng.sample(range(rounds), rounds - 3))) if cut else ()
    slow = case == SIGN
    samples = tuple(
        LaneSamples(
            lane=lane,
            calls=rng.randint(1, 5),
            ns=tuple(rng.randint(200_000, 400_000) for _ in range(len(counted) or rounds)),
            cpu_ns=tuple(rng.randint(1, 300_000) for _ in range(len(counted) or rounds)) if slow else (),
            rounds=counted,
            nivcsw=rng.randint(0, 2),
            cpu_total_ns=rng.randint(0, 10**9),
            slow=slow,
        )
        for lane in lanes
    )
    return PassRecord(
        case=case,
        index=index,
        start_s=index * 1.5,
        wall_s=rng.random(),
        timed_s=rng.random(),
        lanes=samples,
        order=tuple(tuple(rng.sample(range(len(lanes)), len(lanes))) for _ in range(rounds)),
        chain_ns=() if slow else tuple(rng.uniform(0.3, 0.5) for _ in range(rounds)),
        tput_ns=() if slow else tuple(rng.uniform(0.1, 0.2) for _ in range(rounds)),
        harness_ns=() if slow else tuple(rng.random() for _ in lanes),
        valid=not cut,
        reason="cut: 17 of 20 rounds" if cut else "",
        cpu=None if slow else 1,
    )


def records(passes: int = 6, seed: int = 1) -> list[Record]:
    """All records of the example run in the order of events."""
    rng = random.Random(seed)
    found: list[Record] = [
        ProofRecord("sha-256/hash", OPENSSL, 0, Outcome.OK, accepted=12, oracle=2, sources=("FIPS 180-4", 'it\'s "x"')),
        ProofRecord("sha-256/hash", BEARSSL, 0, Outcome.INCORRECT, accepted=11, failures=("vector 3: wrong digest",)),
        OutcomeRecord(SIGN, BEARSSL, Outcome.UNSUPPORTED, "no Ed25519 in this library"),
        OutcomeRecord(HASH, BEARSSL, Outcome.CRASHED, "signal 11", stderr="line one\nline two\u2028 \u0000end"),
        MemoryRecord(HASH, OPENSSL, live_bytes=112, warm_allocations=0, stack_bytes=None),
        FactsRecord(HASH, OPENSSL, {"mul": 1 << 53, "table_bytes": 0, "leak": 'it\'s "none" \u00e9', "empty": ""}),
        FactsRecord(SIGN, OPENSSL, {"limb_bits": 64, "digits": "12"}),
        ForeignRecord(SIGN, "cryptobench@2016:ed25519", 1234.5, 1000, "clock of 15 ms"),
        ForeignRecord(HASH, "cryptobench@2016", 0.25),
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
            memory=MemoryRecord(case, lane, live_bytes=112, warm_allocations=0),
            facts={"mul": 12, "table_bytes": 4096, "leak": "exponent bits, by branch"} if lane == OPENSSL else {},
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
    wrong = CellSummary(SIGN, BEARSSL, Outcome.INCORRECT, 'signature does not verify, says "oracle", twice')
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
        10, 9, 3.9, None, 1.9, 2.1, 0.01, 0.0, None, 1.01, 0.4, 0.001, 0.002, 0.003, 0, 1, 0.8, 0.66, 3.0
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
