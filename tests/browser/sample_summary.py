# SPDX-License-Identifier: Apache-2.0
"""A run written by hand for the tests of the report: seven libraries, every outcome, ties, an A/A lane. The figures are invented."""

from __future__ import annotations

import random
import statistics
from collections.abc import Sequence

from cipherstone import METHOD_VERSION
from cipherstone.model.ids import Case, Lane
from cipherstone.model.outcomes import CaseEnd, Outcome, Verdict
from cipherstone.model.records import (
    BUNDLE_FORMAT,
    Build,
    FirstCallRecord,
    Machine,
    Manifest,
    MemoryRecord,
    PlannedCase,
    Settings,
)
from cipherstone.model.summary import (
    CaseSummary,
    CellSummary,
    Crossover,
    Estimate,
    FirstCallSummary,
    FitSummary,
    LevelSummary,
    NoiseSummary,
    RatioSummary,
    RunSummary,
)
from cipherstone.views.run.firstcall import first_call_summary

SIZES = (16, 64, 256, 1024, 1350, 8192, 16384, 1048576)
VERSIONS = {
    "bearssl": ("0.6", "BearSSL", "MIT"),
    "botan": ("2.19.3", "Botan", "BSD-2-Clause"),
    "libgcrypt": ("1.10.1", "Libgcrypt", "LGPL-2.1-or-later"),
    "libsodium": ("1.0.18", "libsodium", "ISC"),
    "mbedtls": ("2.28.3", "Mbed TLS", "Apache-2.0"),
    "nettle": ("3.8.1", "Nettle", "LGPL-3.0-or-later"),
    "openssl": ("3.0.19", "OpenSSL", "Apache-2.0"),
}
# operation -> (title, family, timed, sizes, {lane label: (overhead ns, ns per byte) | outcome word}); libraries left out are unsupported.
OPERATIONS: dict[str, tuple[str, str, str, tuple[int | None, ...], dict[str, tuple[float, float] | str]]] = {
    "sha-256/hash": (
        "SHA-256", "hash", "initialise, update with the whole message, finish and write the digest, on a context that exists", SIZES,
        {"openssl": (62.8, 0.495), "libgcrypt": (38.1, 0.488), "nettle": (31.8, 0.551), "botan": (95, 0.502), "mbedtls": (60, 3.9), "libsodium": (35, 3.1), "bearssl": (70, 4.7)},
    ),
    "sha-512/hash": (
        "SHA-512", "hash", "initialise, update with the whole message, finish and write the digest, on a context that exists", (16384,),
        {"openssl": (150, 1.30), "libgcrypt": (140, 1.31), "nettle": (120, 1.62), "botan": (170, 1.9), "mbedtls": (150, 2.6), "libsodium": (110, 2.0), "bearssl": (160, 3.0)},
    ),
    "hmac-sha-256/mac": (
        "HMAC-SHA-256", "mac", "set the key schedule, update with the whole message, write the tag", (16384,),
        {"openssl": (350, 0.497), "libgcrypt": (180, 0.489), "nettle": (90, 0.552), "botan": (200, 0.503), "mbedtls": (300, 3.9), "libsodium": (200, 3.1), "bearssl": (300, 4.7)},
    ),
    "ghash/mac": (
        "GHASH", "mac", "the whole message through GHASH with a key that is set", (16384,),
        {"bearssl:ctmul": (40, 2.6), "bearssl:ctmul64": (30, 1.1), "bearssl:pclmul": (22, 0.26)},
    ),
    "aes-128-cbc/encrypt": (
        "AES-128-CBC encryption", "cipher", "set the IV, encrypt the whole message into another buffer", (16384,),
        {"openssl": (110, 0.96), "libgcrypt": (60, 0.975), "nettle": (20, 1.21), "botan": (80, 1.25), "mbedtls": (50, 1.9),
         "bearssl:aes_big": (20, 5.6), "bearssl:aes_small": (20, 21.0), "bearssl:aes_ct": (60, 24.0), "bearssl:aes_ct64": (60, 17.2), "bearssl:aes_x86ni": (10, 0.99), "bearssl:aes_pwr8": "unavailable"},
    ),
    "aes-128-gcm/seal": (
        "AES-128-GCM seal", "aead", "set the nonce, process 13 bytes of associated data, encrypt the whole message into another buffer, write the tag", SIZES,
        {"openssl": (154, 0.1685), "libgcrypt": (252, 0.152), "nettle": (41.8, 0.3839), "botan": (310, 0.41), "mbedtls": (120, 2.9), "bearssl:aes_x86ni+pclmul": (90, 0.71), "bearssl:aes_ct64+ctmul64": (180, 11.0)},
    ),
    "aes-128-gcm/open": (
        "AES-128-GCM open", "aead", "set the nonce, process 13 bytes of associated data, decrypt the whole message into another buffer, check the tag", (16384,),
        {"openssl": (160, 0.1690), "libgcrypt": (260, 0.1680), "nettle": "wrong", "botan": (320, 0.42), "mbedtls": (125, 2.9), "bearssl:aes_x86ni+pclmul": (95, 0.72), "bearssl:aes_ct64+ctmul64": (185, 11.0)},
    ),
    "chacha20-poly1305/seal": (
        "ChaCha20-Poly1305 seal", "aead", "set the nonce, process 13 bytes of associated data, encrypt the whole message into another buffer, write the tag", SIZES,
        {"openssl": (260, 0.42), "libgcrypt": (320, 0.55), "nettle": (180, 1.1), "botan": (400, 0.82), "mbedtls": (200, 3.4), "libsodium": (150, 0.80), "bearssl:chacha20_sse2": (200, 1.4), "bearssl:chacha20_ct": (210, 3.3)},
    ),
    "x25519/derive": (
        "X25519 key agreement", "dh", "compute the shared secret from a parsed private key and the peer's parsed public key", (None,),
        {"openssl": (28500, 0), "libgcrypt": "timed-out", "nettle": (37400, 0), "botan": (45000, 0), "mbedtls": (310000, 0), "libsodium": (29100, 0), "bearssl:ec_c25519_m62": (42000, 0), "bearssl:ec_c25519_m31": (120000, 0)},
    ),
    "ed25519/sign": ("Ed25519 sign", "sig", "sign a message of 32 bytes with a parsed key", (None,), {"openssl": (33000, 0), "libgcrypt": (210000, 0), "nettle": (39000, 0), "botan": (36000, 0), "libsodium": (20500, 0)}),
    "ed25519/verify": ("Ed25519 verify", "sig", "verify a signature of a message of 32 bytes with a parsed key", (None,), {"openssl": (92000, 0), "libgcrypt": (420000, 0), "nettle": (98000, 0), "botan": "crashed", "libsodium": (52000, 0)}),
    "ecdsa-p256/sign": ("ECDSA-P-256 sign", "sig", "sign a digest of 32 bytes with a parsed key", (None,), {"openssl": (21000, 0), "libgcrypt": (480000, 0), "nettle": (38000, 0), "botan": (140000, 0), "mbedtls": (640000, 0), "bearssl:ec_p256_m64": (68000, 0), "bearssl:ec_p256_m31": (390000, 0)}),
    "ecdsa-p256/verify": ("ECDSA-P-256 verify", "sig", "verify a signature of a digest of 32 bytes with a parsed key", (None,), {"openssl": (65000, 0), "libgcrypt": (560000, 0), "nettle": (110000, 0), "botan": (160000, 0), "mbedtls": (2100000, 0), "bearssl:ec_p256_m64": (150000, 0), "bearssl:ec_p256_m31": (850000, 0)}),
}  # fmt: skip
CONTENDED_CASE = "sha-512/hash/bytes=16384"
TWO_SPEEDS = ("chacha20-poly1305/seal/bytes=16384", "botan")
CARDS = (
    ("Hash a file", "sha-256/hash/bytes=16384"),
    ("Encrypt and authenticate a record", "aes-128-gcm/seal/bytes=16384"),
    ("The same without AES hardware", "chacha20-poly1305/seal/bytes=16384"),
    ("Agree on a key", "x25519/derive"),
    ("Sign", "ed25519/sign"),
    ("Verify a signature", "ecdsa-p256/verify"),
)
REPRODUCE = "cipherstone run default --seed 7"
PASSES = 12
GHZ = 2.9


def lane_of(label: str) -> Lane:
    """`bearssl:aes_big` -> its lane."""
    library, _, implementation = label.partition(":")
    return Lane(library, VERSIONS[library][0], implementation or "default")


def _interval(values: Sequence[float]) -> Estimate:
    ordered = sorted(values)
    if len(ordered) < 6:
        return Estimate(statistics.median(ordered))
    return Estimate(statistics.median(ordered), ordered[2], ordered[-3])


def _memory(case: Case, lane: Lane, ns: float, draw: random.Random) -> MemoryRecord:
    heap = {"openssl": 1408, "libgcrypt": 900, "botan": 700, "nettle": 0, "bearssl": 0, "libsodium": 0, "mbedtls": 380}[
        lane.library
    ]
    return MemoryRecord(
        case.id, lane.id, held_bytes=heap, first_peak_bytes=heap * 3, warm_peak_bytes=heap, warm_allocations=heap // 400,
        stack_bytes=400 + draw.randrange(12) * 64, max_rss_kib=4200,
        random_bytes=None if lane.library == "openssl" else 64 if case.verb == "sign" else 0, warm_system_random_bytes=0,
    )  # fmt: skip


def _first(case: Case, lane: Lane, ns: float, draw: random.Random) -> FirstCallSummary | None:
    """Seven processes; only OpenSSL fetches, and only signing needs a seed."""
    near = [1 + 0.02 * draw.random() for _ in range(7)]
    return first_call_summary(
        FirstCallRecord(
            case=case.id,
            lane=lane.id,
            first_call_ns=tuple(int((ns * 1.6 + 9000) * factor) for factor in near),
            steady_call_ns=tuple(ns * factor for factor in near),
            open_ns=tuple(int(700_000 * factor) for factor in near) if lane.library == "openssl" else (),
            seed_ns=tuple(int(90_000 * factor) for factor in near) if case.verb == "sign" else (),
            fetch_ns=tuple(int(1_000_000 * factor) for factor in near) if lane.library == "openssl" else (),
            setup_ns=tuple(int(900 * factor) for factor in near),
        )
    )


def _cell(case: Case, lane: Lane, cost: tuple[float, float] | str, draw: random.Random, detail: str) -> CellSummary:
    if isinstance(cost, str):
        reasons = {
            "unavailable": "this CPU does not have the POWER8 crypto instructions",
            "wrong": "tag of vector wycheproof/aes-gcm/91 accepted, must be rejected",
            "timed-out": "no reply within 20 s",
            "crashed": "signal 11 in the first call",
        }
        return CellSummary(case.id, lane.id, Outcome(cost), detail or reasons[cost])
    if case.id == CONTENDED_CASE:
        return CellSummary(
            case.id,
            lane.id,
            Outcome.OK,
            proof_accepted=40,
            refused="2 passes with a figure, 6 needed for an interval; the last other one: contended: 7 of 250 batches undisturbed, 16 needed",
            passes_used=2,
        )
    exact = cost[0] + cost[1] * (case.size_bytes or 0)
    spread = 0.0015 if lane.library != "mbedtls" else 0.02
    values = tuple(exact * (1 + draw.gauss(0, spread)) for _ in range(PASSES))
    ns = _interval(values)
    cycles = _interval([v * GHZ * (1 + draw.gauss(0, 0.0005)) for v in values])
    two = (case.id, lane.library) == TWO_SPEEDS
    drifts = lane.library == "mbedtls" and case.size_bytes == 64
    flags = ("drift",) * drifts + ("bimodal",) * two
    levels = (LevelSummary(exact, 0.58), LevelSummary(exact * 1.09, 0.42)) if two else ()
    return CellSummary(
        case.id, lane.id, Outcome.OK, ns=ns, cycles=cycles, typical_ns=ns.value * 1.02, pass_ns=values, passes=tuple(range(PASSES)), passes_used=PASSES, batches=PASSES * 58,
        calls_per_batch=max(1, int(300000 / exact)), proof_accepted=256, proof_rejected=66, proof_oracle=12, proof_sources=("NIST CAVP", "Wycheproof"),
        memory=_memory(case, lane, exact, draw), first=_first(case, lane, exact, draw), flags=flags, levels=levels,
    )  # fmt: skip


def _case(
    case: Case, costs: dict[str, tuple[float, float] | str], head: tuple[str, str, str], detail: str
) -> CaseSummary:
    draw = random.Random(case.id)
    cells = [_cell(case, lane_of(label), cost, draw, detail) for label, cost in costs.items()]
    missing = set(VERSIONS) - {label.partition(":")[0] for label in costs}
    cells += [
        CellSummary(
            case.id, lane_of(name).id, Outcome.UNSUPPORTED, detail or "the library does not offer this operation"
        )
        for name in sorted(missing)
    ]
    timed = sorted((c for c in cells if c.ns is not None), key=lambda c: c.ns.value if c.ns else 0.0)
    ranking: list[tuple[str, ...]] = []
    ratios: list[RatioSummary] = []
    for cell in timed:
        relative = _interval([a / b for a, b in zip(cell.pass_ns, timed[0].pass_ns, strict=True)])
        lead = next(c for c in timed if not ranking or c.lane == ranking[-1][0])
        tied = bool(ranking) and cell.ns is not None and lead.ns is not None and cell.ns.value / lead.ns.value < 1.016
        if tied:
            ranking[-1] += (cell.lane,)
        else:
            ranking.append((cell.lane,))
        verdict = Verdict.SLOWER
        if len(ranking) == 1:
            verdict = Verdict.EQUAL if relative.high is not None and relative.high < 1.01 else Verdict.UNDECIDED
        ratios.append(RatioSummary(case.id, cell.lane, timed[0].lane, verdict, relative, PASSES))
    aa = None
    if timed:
        aa = RatioSummary(
            case.id,
            timed[0].lane + "#2",
            timed[0].lane,
            Verdict.EQUAL,
            Estimate(1 + draw.gauss(0, 0.0004), 0.999, 1.001),
            PASSES,
        )
    contended = case.id == CONTENDED_CASE
    title, family, timed_text = head
    return CaseSummary(
        case.id, case.operation, title, family, case.verb, case.size_bytes, timed_text, (family,), tuple(cells), tuple(ranking), tuple(ratios),
        aa=aa, end=CaseEnd.CONTENDED if contended else CaseEnd.CONVERGED, passes_tried=40 if contended else PASSES + 1, passes_valid=2 if contended else PASSES,
    )  # fmt: skip


def _fits() -> tuple[FitSummary, ...]:
    fits = []
    for operation, (_, _, _, sizes, costs) in OPERATIONS.items():
        if len(sizes) < 3:
            continue
        for label, cost in costs.items():
            if isinstance(cost, str):
                continue
            a, b = cost
            withheld = (
                "the points leave the line by 9.2 % (bulk code starts late)"
                if (operation, label) == ("aes-128-gcm/seal", "libgcrypt")
                else ""
            )
            fits.append(
                FitSummary(
                    operation,
                    lane_of(label).id,
                    Estimate(a, a * 0.996, a * 1.004),
                    None if withheld else Estimate(b, b * 0.998, b * 1.002),
                    None if withheld else a / b,
                    0.092 if withheld else 0.012,
                    SIZES,
                    withheld,
                )
            )
    return tuple(fits)


def _machine() -> Machine:
    return Machine(
        fingerprint="3f9a1c22", cpu_model="AMD EPYC 7B13", architecture="x86_64", logical_cpus=2, cpu_features=("aes", "avx2", "pclmulqdq", "sha_ni"),
        hypervisor="kvm", memory_bytes=8 * 10**9, system="Debian GNU/Linux 12 (bookworm)", kernel="6.1.0-18", governor=None, turbo=None, smt="on", autogroup="1", counters="none",
    )  # fmt: skip


def sample_run(detail: str = "", trust: str = "indicative", copies: int = 1) -> RunSummary:
    """The run. `detail` replaces every reason (to try hostile text); `copies` repeats the operations under new names (to try size)."""
    cases = []
    for copy in range(copies):
        for operation, (title, family, timed, sizes, costs) in OPERATIONS.items():
            algorithm, verb = operation.split("/")
            name = algorithm if copy == 0 else f"{algorithm}-x{copy}"
            head = (title if copy == 0 else f"{title} ({copy})", family, timed)
            cases += [_case(Case(name, verb, size), costs, head, detail) for size in sizes]
    builds = tuple(
        Build(
            name,
            version,
            version,
            "version function of the library",
            title,
            licence,
            "gcc 12.2.0",
            "-O2 -g -fstack-protector-strong",
            "aes ssse3 avx2 pclmul sha" if name != "nettle" else None,
            f"{i:x}" * 12,
            package=f"lib{name}-dev {version}",
            clock="clock_gettime(CLOCK_MONOTONIC_RAW)",
            probe="x86-64 add chain",
        )
        for i, (name, (version, title, licence)) in enumerate(VERSIONS.items(), 1)
    )
    manifest = Manifest(
        BUNDLE_FORMAT, METHOD_VERSION, "0.1.0", "20250301-101500-3f9a", "2025-03-01T10:15:00Z", "cipherstone run default", "default", "finished", Settings(seed=7, cpu=1), _machine(), builds,
        tuple(PlannedCase(c.case, tuple(cell.lane for cell in c.cells), c.groups) for c in cases), ipc_reference=3.92, ipc_reference_from="table", wall_s=287.0,
        notes=(detail,) if detail else (),
    )  # fmt: skip
    draw = random.Random(3)
    noise = NoiseSummary(
        passes_tried=320, passes_valid=312, disturbed_ratio=0.134, waited_s=1.25, cpus=(1, 0), ipc_median=3.90, ipc_reference=3.92, ghz_low=2.87, ghz_high=2.93, slow_batches_ratio=0.021,
        nivcsw_per_batch=0.002, steal_ratio=0.004, wall_over_cpu=1.01, load_1min=0.35, aa_offset_median=0.0002, aa_halfwidth_median=0.001, aa_worst=0.0018, aa_false_positives=0,
        aa_cases=33, harness_ns=0.41, timed_share=0.66, imul_ratio=3.001,
        ipc_by_pass=tuple((i * 7.1, 3.9 + draw.gauss(0, 0.015) if i % 13 else 3.55) for i in range(40)),
    )  # fmt: skip
    gcm = "aes-128-gcm/seal"
    crossovers = (
        Crossover(gcm, lane_of("nettle").id, lane_of("openssl").id, 521, 256, 1024),
        Crossover(gcm, lane_of("openssl").id, lane_of("libgcrypt").id, 5930, 1350, 8192),
        Crossover("sha-256/hash", lane_of("nettle").id, lane_of("libgcrypt").id, 100, 64, 256),
        Crossover("chacha20-poly1305/seal", lane_of("libsodium").id, lane_of("openssl").id, 289, 256, 1024),
    )
    return RunSummary(
        manifest, tuple(cases), _fits(), crossovers, noise, trust, "2 of 40 cases are not settled",
        (detail or "governor-not-visible: the CPU governor cannot be seen from inside this virtual machine", "2 cells have no figure; each says why"),
    )  # fmt: skip
