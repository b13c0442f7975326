# SPDX-License-Identifier: Apache-2.0
"""A run of the shape of the default suite with every library: its 87 cases, its lanes, memory, first calls, roofline, properties. The figures are invented from a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any, cast

import msgspec
import sample_summary as sample
import spectrum_example as machine

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.suites import load_suite
from cipherstone.cli.derived_summary import derived
from cipherstone.model.records import PlannedCase
from cipherstone.model.summary import CaseSummary, Crossover, Estimate, FitSummary, RunSummary
from cipherstone.views.run.fits import SizedCase, crossovers
from cipherstone.views.run.pairs import case_pairs

ALL = "bearssl botan libgcrypt libsodium mbedtls nettle openssl"
USUAL = "bearssl botan libgcrypt mbedtls nettle openssl"
AES = f"{USUAL} bearssl:aes_big bearssl:aes_ct bearssl:aes_ct64 bearssl:aes_small bearssl:aes_x86ni bearssl:two_copies !aes_pwr8"
DES = f"{USUAL} bearssl:des_ct bearssl:des_tab bearssl:two_copies"
GCM = (
    f"{USUAL} bearssl:aes_big+ghash_ctmul bearssl:aes_ct+ghash_ctmul bearssl:aes_ct64+ghash_ctmul32 bearssl:aes_ct64+ghash_ctmul64 bearssl:aes_ct64+ghash_pclmul "
    "bearssl:aes_small+ghash_ctmul bearssl:aes_x86ni+ghash_pclmul bearssl:two_copies !aes_pwr8+ghash_pwr8"
)
POLY = f"{ALL} bearssl:two_copies " + " ".join(
    f"bearssl:poly1305_{mac}+chacha20_{cipher}"
    for mac in ("ctmul", "ctmul32", "ctmulq", "i15")
    for cipher in ("ct", "sse2")
)
CURVE = f"{ALL} bearssl:ec_c25519_i15 bearssl:ec_c25519_i31 bearssl:ec_c25519_m15 bearssl:ec_c25519_m31 !ec_c25519_m62 !ec_c25519_m64"
ECDSA = (
    f"{USUAL} bearssl:ecdsa_i15+ec_p256_m15 bearssl:ecdsa_i15+ec_prime_i15 bearssl:ecdsa_i31+ec_p256_m31 bearssl:ecdsa_i31+ec_prime_i31 "
    "!ecdsa_i31+ec_p256_m62 !ecdsa_i31+ec_p256_m64"
)
EDWARDS = "botan libgcrypt libsodium nettle openssl"
# operation -> lanes at its headline size, as the libraries of a current distribution offer them; `!` is one of BearSSL's that this CPU has not. Other sizes have the lanes without a name.
OFFERED = {
    "md5/hash": USUAL, "sha-1/hash": USUAL, "sha-256/hash": ALL, "sha-512/hash": ALL,
    "sha3-256/hash": "botan libgcrypt nettle openssl", "blake2b-512/hash": "botan libgcrypt libsodium openssl",
    "hmac-sha-256/mac": ALL, "cmac-aes-128/mac": "botan libgcrypt mbedtls nettle openssl", "cmac-aes-256/mac": "botan libgcrypt mbedtls nettle openssl",
    "ghash/mac": "bearssl bearssl:ghash_ctmul bearssl:ghash_ctmul32 bearssl:ghash_ctmul64 bearssl:ghash_pclmul botan !ghash_pwr8",
    "poly1305/mac": "botan libgcrypt libsodium mbedtls openssl",
    "aes-128-cbc/encrypt": AES, "aes-128-cbc/decrypt": AES, "aes-256-cbc/encrypt": AES, "aes-256-cbc/decrypt": AES, "3des-cbc/encrypt": DES, "3des-cbc/decrypt": DES,
    "aes-128-ctr/encrypt": AES, "aes-256-ctr/encrypt": AES, "chacha20/encrypt": f"{ALL} bearssl:chacha20_ct bearssl:chacha20_sse2 bearssl:two_copies",
    "aes-128-gcm/seal": GCM, "aes-128-gcm/open": GCM, "aes-256-gcm/seal": f"{GCM} libsodium", "aes-256-gcm/open": f"{GCM} libsodium",
    "chacha20-poly1305/seal": POLY, "chacha20-poly1305/open": POLY, "x25519/derive": CURVE, "ed25519/sign": EDWARDS, "ed25519/verify": EDWARDS,
    "ecdsa-p256-sha256/sign": ECDSA, "ecdsa-p256-sha256/verify": ECDSA,
}  # fmt: skip
NO_INSTRUCTIONS = "unavailable"


def _costs(operation: str, sized: bool, named: bool) -> dict[str, tuple[float, float] | str]:
    """(overhead in ns, ns a byte) of each lane; those with a name only where `named`."""
    draw = random.Random(operation)
    found: dict[str, tuple[float, float] | str] = {}
    for word in OFFERED[operation].split():
        label = f"bearssl:{word[1:]}" if word.startswith("!") else word
        factor = draw.choice((1.0, 1.01, 1.4, 2.2, 6.5, 14.0)) * draw.uniform(0.97, 1.06)
        if label != word:
            cost: tuple[float, float] | str = NO_INSTRUCTIONS
        else:
            cost = (draw.uniform(30, 300), 0.4 * factor) if sized else (30_000 * factor, 0.0)
        if named or ":" not in label:
            found[label] = cost
    return found


def _near(value: float) -> Estimate:
    return Estimate(value, value * 0.996, value * 1.004)


def _lines(operation: str, sizes: tuple[int, ...]) -> Iterator[FitSummary]:
    for label, cost in _costs(operation, True, False).items():
        if not isinstance(cost, str):
            overhead, per_byte = cost
            yield FitSummary(operation, sample.lane_of(label).id, _near(overhead), _near(per_byte), overhead / per_byte, 0.012, sizes)  # fmt: skip


def _crossings(operation: str, cases: Sequence[CaseSummary]) -> list[Crossover]:
    """By the rule of the method, which looks at cells and pairs alone."""
    nothing = cast(Any, None)
    sized = [
        SizedCase(c.size_bytes or 0, {cell.lane: cell for cell in c.cells}, nothing, case_pairs(c), c.ranking)
        for c in cases
    ]
    return crossovers(operation, sized)


def _with_twin(case: CaseSummary) -> CaseSummary:
    """The case with its A/A lane among the cells, as a run has it."""
    twins = (msgspec.structs.replace(c, lane=f"{c.lane}#2", memory=None, first=None) for c in case.cells if c.lane == "openssl@3.0.19" and c.ns is not None)  # fmt: skip
    return msgspec.structs.replace(case, cells=(*case.cells, *twins))


def full_run() -> RunSummary:
    """The run, with all that a report derives of it."""
    catalogue, suite = load_catalogue(data_root()), load_suite(data_root(), "default")
    cases: list[CaseSummary] = []
    for case in suite.cases:
        if case.operation in OFFERED:
            operation = catalogue.operations[case.operation]
            costs = _costs(case.operation, bool(operation.sizes), case == operation.headline)
            head = (operation.title, operation.family, operation.timed)
            cases.append(_with_twin(sample._case(case, costs, head, "")))
    fits: list[FitSummary] = []
    crossings: list[Crossover] = []
    for name in OFFERED:
        mine = sorted((c for c in cases if c.operation == name), key=lambda c: c.size_bytes or 0)
        if len(mine) > 3:
            fits += _lines(name, tuple(c.size_bytes or 0 for c in mine))
            crossings += _crossings(name, mine)
    plain = sample.sample_run()
    here = msgspec.structs.replace(plain.manifest.machine, cpu_features=machine.FEATURES)

    planned = tuple(PlannedCase(c.case, tuple(cell.lane for cell in c.cells), ()) for c in cases)
    manifest = msgspec.structs.replace(plain.manifest, spectrum=machine.spectrum(), machine=here, plan=planned)
    whole = msgspec.structs.replace(plain, manifest=manifest, cases=tuple(cases), fits=tuple(fits), crossovers=tuple(crossings))  # fmt: skip
    return derived(whole)


def large_run(least: int) -> RunSummary:
    """A run of `least` cells and few more: the cases of the suite `full`, each with what the libraries of a distribution offer."""
    catalogue, suite = load_catalogue(data_root()), load_suite(data_root(), "full")
    cases: list[CaseSummary] = []
    count = 0
    for case in suite.cases:
        operation = catalogue.operations[case.operation]
        costs = _large_costs(case.operation, bool(operation.sizes))
        made = _with_twin(sample._case(case, costs, (operation.title, operation.family, operation.timed), ""))
        cases.append(made)
        count += len(made.cells)
        if count >= least:
            break
    plain = full_run()
    planned = tuple(PlannedCase(c.case, tuple(cell.lane for cell in c.cells), ()) for c in cases)
    manifest = msgspec.structs.replace(plain.manifest, plan=planned)
    return derived(msgspec.structs.replace(plain, manifest=manifest, cases=tuple(cases)))


def _large_costs(operation: str, sized: bool) -> dict[str, tuple[float, float] | str]:
    """Of seven libraries and three implementations more."""
    if operation in OFFERED:
        return _costs(operation, sized, True)
    draw = random.Random(operation)
    names = [*ALL.split(), *(f"bearssl:{name}" for name in ("first", "second", "third"))]
    factors = [draw.choice((1.0, 1.01, 1.4, 2.2, 6.5, 14.0)) * draw.uniform(0.97, 1.06) for _ in names]
    return {n: (draw.uniform(30, 300), 0.4 * f) if sized else (30_000 * f, 0.0) for n, f in zip(names, factors, strict=True)}  # fmt: skip


def wide_run(columns: int) -> RunSummary:
    """A full run with so many builds: those of OpenSSL that it lacks stand for other libraries."""
    plain = full_run()
    more = columns - len(plain.manifest.builds)
    return with_builds(plain, {f"3.{number}.0": 1.0 + number / 4 for number in range(1, more + 1)})


TWO_MORE = {"3.0.19+noasm": 2.0, "3.6.0": 4.0}


def with_builds(run: RunSummary, extra: dict[str, float] = TWO_MORE) -> RunSummary:
    """The run with more builds of OpenSSL, half and a quarter as fast: three lanes of one library in every chart. `extra`: build and how many times as long it takes."""
    own = next(b for b in run.manifest.builds if b.library == "openssl")
    builds = tuple(msgspec.structs.replace(own, build=name, title=f"OpenSSL {name}") for name in extra)
    manifest = msgspec.structs.replace(run.manifest, builds=(*run.manifest.builds, *builds))
    return msgspec.structs.replace(run, manifest=manifest, cases=tuple(_with_builds(case, extra) for case in run.cases))


def _with_builds(case: CaseSummary, extra: dict[str, float]) -> CaseSummary:
    found = [c for c in case.cells if c.lane == "openssl@3.0.19"]
    cells = list(case.cells)
    ranking, to_best = list(case.ranking), list(case.to_best)
    for cell in found:
        for build, factor in extra.items():
            lane = f"openssl@{build}"
            if cell.ns is None or not case.ranking:
                cells.append(msgspec.structs.replace(cell, lane=lane))
                continue
            scaled = tuple(ns * factor for ns in cell.pass_ns)
            cells.append(msgspec.structs.replace(cell, lane=lane, pass_ns=scaled, ns=_scaled(cell.ns, factor)))
            ranking.append((lane,))
            mine = next((r for r in to_best if r.lane == cell.lane), None)
            if mine is not None and mine.ratio is not None:
                to_best.append(msgspec.structs.replace(mine, lane=lane, ratio=_scaled(mine.ratio, factor)))
    ns = {c.lane: c.ns.value for c in cells if c.ns is not None}
    ranking.sort(key=lambda group: ns.get(group[0], 0.0))
    return msgspec.structs.replace(case, cells=tuple(cells), ranking=tuple(ranking), to_best=tuple(to_best))


def _scaled(of: Estimate, factor: float) -> Estimate:
    ends = (None if v is None else v * factor for v in (of.low, of.high))
    return Estimate(of.value * factor, *ends)
