# SPDX-License-Identifier: Apache-2.0
"""A run of the modexp laboratory written by hand: times follow a known cost model, so that views and pages can be judged. The figures are invented."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from cipherstone import METHOD_VERSION
from cipherstone.cli.derived_summary import derived
from cipherstone.labs.modexp.names import Method
from cipherstone.model.ids import Case, Lane
from cipherstone.model.outcomes import CaseEnd, Outcome, Verdict
from cipherstone.model.records import (
    BUNDLE_FORMAT,
    Build,
    Machine,
    Manifest,
    MemoryRecord,
    PlannedCase,
    Settings,
    Spectrum,
)
from cipherstone.model.summary import CaseSummary, CellSummary, NoiseSummary, RatioSummary, RunSummary
from cipherstone.stats.interval import median_estimate
from cipherstone.views.run.pairs import paired_ratio

PASSES = 9
CRT = "modexp/private/bits=2048,crt=yes"
LAB_BUILD = "1.0+gcc-O3"
# ns of a multiplication, a squaring, a separate reduction of 1024 bits with 64-bit limbs.
COSTS = {
    "basic": (620.0, 560.0, 0.0),
    "barrett": (430.0, 380.0, 0.0),
    "mont": (110.0, 80.0, 100.0),
    "cios": (235.0, 235.0, 0.0),
    "ifma": (60.0, 60.0, 0.0),
}
LIMB_FACTOR = {15: 14.0, 31: 3.6, 32: 3.4, 64: 1.0, 52: 1.0}
FORMS = ("fast", "ladder", *(f"fw{k}" for k in range(1, 8)), *(f"rm{k}" for k in range(1, 8)))
LIBRARIES = {
    "openssl@3.0.19": 355_000.0,
    "openssl@3.0.19+noasm": 1_250_000.0,
    "mbedtls@2.28.3+noasm:w5": 2_900_000.0,
    "libtommath@1.2.0": 1_900_000.0,
    "bearssl@0.6:i62": 1_300_000.0,
    "gmp@6.2.1": 640_000.0,
}


def counts(form: str, bits: int = 1024) -> tuple[int, int]:
    """(multiplications, squarings) of one exponentiation with an exponent of `bits`."""
    if form == "fast":
        return bits // 2, bits - 1
    if form == "ladder":
        return bits, bits
    window = int(form[2:])
    if form.startswith("fw"):
        return bits // window + 2**window - 2, bits
    return bits // (window + 1) + 2 ** (window - 1), bits


def parse_method(name: str) -> Method:
    """`mont-64-fw5.ct`: rows of this example are named as the laboratory names its own; what the program knows of them are their facts."""
    reduction, limb, scan = name.split("-")
    form, masked = scan.removesuffix(".ct"), scan.endswith(".ct")
    window = int(form[2:]) if form[:2] in ("fw", "rm") else None
    return Method(reduction, int(limb), form if window is None else form[:2], window, masked)


def facts(implementation: str) -> dict[str, int | str]:
    """What the laboratory's worker would count for 2048 bits with CRT."""
    method = parse_method(implementation)
    mul, sqr = (2 * n for n in counts(method.exponentiation))
    window = method.window or 0
    entries = {"fw": 2**window, "rm": 2 ** max(0, window - 1)}.get(method.form, 0)
    blocks = (7 if method.reduction == "barrett" else 5) + entries + (method.form == "ladder")
    return {
        "mul": mul,
        "sqr": sqr,
        "red": mul + sqr if method.reduction == "mont" else 0,
        "limb_mul": (mul + sqr) * (1024 // method.limb_bits) ** 2 * 2,
        "arena_bytes": 136 * blocks,
        "table_bytes": 136 * entries,
        "limb_bits": method.limb_bits,
        "window": window,
        "method": method.reduction,
        "reduction": method.reduction,
        "scan": method.form,
        "masked": int(method.constant_time),
        "leak": "constant-time by construction" if method.constant_time or method.form == "ladder" else "exponent bits by branch",
        "symbols": "mx_mul mx_redc",
        "code_bytes": 2100,
    }  # fmt: skip


def exact_ns(implementation: str) -> float:
    """The time that the costs above give."""
    method = parse_method(implementation)
    mul, sqr = (2 * n for n in counts(method.exponentiation))
    per = COSTS[method.reduction]
    work = mul * per[0] + sqr * per[1] + (mul + sqr) * per[2]
    scan = 0.05 * mul * 2 ** (method.window or 0) * 16 if method.constant_time else 0.0
    return (4000.0 + work + scan) * LIMB_FACTOR[method.limb_bits]


def cell(
    case: str,
    lane: str,
    ns: float,
    draw: random.Random,
    spread: float = 0.002,
    memory: tuple[int, int] | None = None,
    counted: dict[str, int | str] | None = None,
) -> CellSummary:
    """One timed cell."""
    values = tuple(ns * (1 + draw.gauss(0, spread)) for _ in range(PASSES))
    record = None
    if memory is not None:
        record = MemoryRecord(case, lane, held_bytes=memory[0], warm_peak_bytes=memory[1], stack_bytes=900)
    return CellSummary(
        case, lane, Outcome.OK, ns=median_estimate(values), typical_ns=ns, pass_ns=values, passes=tuple(range(PASSES)), passes_used=PASSES, batches=360, calls_per_batch=1,
        proof_accepted=20, memory=record, facts=counted or {},
    )  # fmt: skip


def case_of(case_id: str, cells: Sequence[CellSummary], title: str = "") -> CaseSummary:
    """A case with its ranking: every lane a group of its own."""
    case = Case.parse(case_id)
    timed = sorted((c for c in cells if c.ns is not None), key=lambda c: c.ns.value if c.ns else 0.0)
    ratios = tuple(
        RatioSummary(case_id, c.lane, timed[0].lane, Verdict.SLOWER, paired_ratio(c, timed[0]), PASSES) for c in timed
    )
    return CaseSummary(
        case_id, case.operation, title or case_id, "bignum", case.verb, None, "the arithmetic alone", ("table",), tuple(cells),
        tuple((c.lane,) for c in timed), ratios, end=CaseEnd.CONVERGED, passes_tried=PASSES, passes_valid=PASSES,
    )  # fmt: skip


def lab_rows(
    implementations: Iterable[str], case: str = CRT, build: str = LAB_BUILD, scale: float = 1.0
) -> list[CellSummary]:
    """Cells of the laboratory at times from the cost model."""
    out = []
    for name in implementations:
        draw = random.Random(f"{case}{build}{name}")
        lane = Lane("modexp", build, name).id
        out.append(cell(case, lane, exact_ns(name) * scale, draw, memory=(0, 0), counted=facts(name)))
    return out


def main_implementations() -> list[str]:
    """The rows of the table, and a few of every other kind."""
    rows = [f"{reduction}-64-{form}" for reduction in ("basic", "barrett", "mont", "cios") for form in FORMS]
    rows += [f"cios-{limb}-{form}" for limb in (15, 31, 32) for form in ("fw5", "rm5")]
    return [*rows, "mont-64-fw4.ct", "mont-64-fw5.ct", "ifma-52-fw5", "ifma-52-rm5"]


def machine() -> Machine:
    """A machine that does not exist."""
    return Machine(
        fingerprint="3f9a1c22", cpu_model="AMD EPYC 7B13", architecture="x86_64", logical_cpus=2, cpu_features=("avx512ifma",), hypervisor="kvm",
        memory_bytes=8 * 10**9, system="Debian GNU/Linux 12 (bookworm)", kernel="6.1.0-18", governor=None, turbo=None, smt="on", autogroup="1", counters="none",
    )  # fmt: skip


def run_of(cases: Sequence[CaseSummary], suite: str, spectrum: Spectrum | None = None) -> RunSummary:
    """A run of these cases, with what is derived of it."""
    builds = {}
    for case in cases:
        for one in case.cells:
            lane = Lane.parse(one.lane)
            builds[lane.build_id] = Build(
                lane.library, lane.build, lane.build.partition("+")[0], "itself", {"modexp": "Modexp laboratory", "openssl": "OpenSSL", "gmp": "GMP"}.get(lane.library, lane.library),
                "Apache-2.0", "gcc 12.2.0", "-O3", None, "ab" * 6,
            )  # fmt: skip
    manifest = Manifest(
        BUNDLE_FORMAT, METHOD_VERSION, "0.1.0", "20250301-101500-3f9a", "2025-03-01T10:15:00Z", f"cipherstone lab {suite}", suite, "finished", Settings(seed=7, cpu=1), machine(),
        tuple(builds.values()), tuple(PlannedCase(c.case, tuple(x.lane for x in c.cells), c.groups) for c in cases), wall_s=290.0, spectrum=spectrum,
    )  # fmt: skip
    noise = NoiseSummary(
        passes_tried=90, passes_valid=88, disturbed_ratio=0.08, waited_s=0.0, cpus=(1,), ipc_median=3.9, ipc_reference=3.92, ghz_low=2.87, ghz_high=2.93, slow_batches_ratio=0.02,
        nivcsw_per_batch=0.002, steal_ratio=0.004, wall_over_cpu=1.01, load_1min=0.35, aa_offset_median=0.0002, aa_halfwidth_median=0.001, aa_worst=0.0018, aa_false_positives=0,
        aa_cases=5, harness_ns=0.41, timed_share=0.66, imul_ratio=3.001,
    )  # fmt: skip
    return derived(RunSummary(manifest, tuple(cases), (), (), noise, "indicative", "2 of 9 cases are not settled"))


def modexp_run() -> RunSummary:
    """A run of suite `modexp`: the table, other compilers, libraries, two moduli, single operations."""
    crt = lab_rows(main_implementations())
    crt += lab_rows(("mont-64-fw5", "mont-64-rm5", "cios-64-fw5"), build="1.0+clang-O2", scale=0.93)
    crt += lab_rows(("mont-64-fw5", "mont-64-rm5"), build="1.0+gcc-Os", scale=1.9)
    draw = random.Random(5)
    crt += [cell(CRT, lane, ns, draw, memory=(3200, 9000)) for lane, ns in LIBRARIES.items()]
    crt.append(CellSummary(CRT, "nettle@3.8.1", Outcome.UNSUPPORTED, "the library does not offer it"))
    plain, small = "modexp/private/bits=2048,crt=no", "modexp/private/bits=1024,crt=yes"
    rows = ("mont-64-rm5", "cios-64-fw5", "ifma-52-fw5")
    others = [
        case_of(plain, lab_rows(rows, plain, scale=3.7) + [cell(plain, lane, ns * 3.6, draw, memory=(3200, 9000)) for lane, ns in LIBRARIES.items()]),
        case_of(small, lab_rows(rows, small, scale=0.14)),
    ]  # fmt: skip
    arithmetic = []
    for verb, ns in (("mod-add", 41.0), ("mod-mul", 700.0), ("montmul", 900.0), ("mod-inv", 31_000.0)):
        case = f"bignum/{verb}/bits=2048"
        lanes = {"openssl@3.0.19": ns, "gmp@6.2.1": ns * 0.9, "modexp@1.0+gcc-O3:mont-64": ns * 1.4}
        arithmetic.append(case_of(case, [cell(case, lane, t, draw) for lane, t in lanes.items()], verb))
    return run_of([case_of(CRT, crt, "Modular exponentiation, 2048 bits, CRT"), *others, *arithmetic], "modexp")
