# SPDX-License-Identifier: Apache-2.0
"""Run-to-run spread of library ratios: our protocol against sequential fixed-time blocks of the same total time, quiet and beside a bursty process."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext

from bench.field import Cases, Field
from bench.hog import BURSTS, Hogs
from bench.result import Result, middle, spread_percent, tell
from cipherstone.measure.rounds import calibrate
from cipherstone.model.errors import CipherstoneError
from cipherstone.model.ids import Case, Lane
from cipherstone.worker import WorkerProcess
from cipherstone.worker.terms import Terms

ABOUT_S = 150
RUNS = 10
BASE = "openssl"
RACES = (
    ("sha-256/hash/bytes=16384", ("openssl", "nettle")),
    ("aes-128-cbc/encrypt/bytes=16384", ("openssl", "nettle", "libgcrypt", "bearssl")),
    ("aes-128-gcm/seal/bytes=16384", ("openssl", "libgcrypt")),
    ("x25519/derive", ("openssl", "libsodium")),
    ("ecdsa-p256-sha256/sign", ("openssl", "nettle")),
)
CV_LIMIT_PERCENT = 0.1
FACTOR_LIMIT = 50.0
LONGEST_RUN_S = 12.0
Ratios = dict[str, list[float]]  # pair -> one ratio a run


def run(field: Field, result: Result, fast: bool) -> None:
    """Alternates one run of ours with one of sequential blocks, so that both see the same weather."""
    cases = [(case, [field.lane(name) for name in names if name in field.found]) for case, names in RACES]
    cases = [(case, lanes) for case, lanes in cases if len(lanes) > 1 and lanes[0].library == BASE]
    if not cases:
        result.check("median CV at most 0.1 %", "OpenSSL and another library are needed", None)
        return
    if fast:
        cases = cases[:2]
    hogs = Hogs(field.program("hog"))
    runs = 2 if fast else RUNS
    blocks = sum(len(lanes) for _, lanes in cases)
    result.say(
        f"{runs} runs each, alternating. Ours: a whole run, default settings, fresh processes each pass. Sequential: {blocks} blocks one after another, each in one "
        "process, warmed up for a tenth of its time, then timed in one go, calls over time; together they take what our run took, with its processes and proofs. CV: standard "
        "deviation over mean of the ratio to OpenSSL, %."
    )
    for weather, around in (("quiet", nullcontext()), ("bursty", hogs)):
        _weather(field, result, cases, weather, around, runs)


def _weather(
    field: Field, result: Result, cases: Cases, weather: str, around: AbstractContextManager[object], runs: int
) -> None:
    ours: Ratios = {}
    theirs: Ratios = {}
    tried = valid = whole = 0
    walls: list[float] = []
    with around:
        for number in range(runs):
            settings = field.settings(base=BASE, max_time_s=LONGEST_RUN_S, move=True)
            measured = field.run(cases, settings)
            tried += measured.summary.noise.passes_tried
            valid += measured.summary.noise.passes_valid
            walls.append(measured.wall_s)
            missing = 0
            for case, lanes in cases:
                for lane in lanes[1:]:
                    try:
                        ratio = measured.over_base(case, lane).ratio
                    except CipherstoneError:
                        missing += 1  # too few undisturbed passes: no figure is what the protocol then says
                        continue
                    assert ratio is not None
                    ours.setdefault(_pair(case, lane), []).append(ratio.value)
            whole += missing == 0
            for pair, value in _sequential(field, cases, measured.wall_s).items():
                theirs.setdefault(pair, []).append(value)
            tell(
                f"  {weather}: run {number + 1} of {runs}: {measured.wall_s:.1f} s, {missing} ratios missing, IPC reference {field.ipc_reference or 0:.2f}"
            )
    _report(result, weather, ours, theirs, runs)
    result.say(
        f"One run takes {min(walls):.1f} to {max(walls):.1f} s. Passes that fell short of undisturbed batches: {tried - valid} of {tried}; runs with every ratio: {whole} of {runs}."
    )
    result.say()
    result.data[weather] = {
        "ours": ours,
        "sequential": theirs,
        "wall_s": walls,
        "passes_tried": tried,
        "passes_valid": valid,
    }


def _report(result: Result, weather: str, ours: Ratios, theirs: Ratios, runs: int) -> None:
    rows: list[list[str]] = []
    spreads: list[float] = []
    factors: list[float] = []
    for pair, sequential in theirs.items():
        mine = ours.get(pair, [])
        cv, their_cv = spread_percent(mine), spread_percent(sequential)
        rows.append(
            [
                pair,
                f"{middle(mine):.4f}",
                f"{cv:.3f}",
                f"{middle(sequential):.4f}",
                f"{their_cv:.2f}",
                f"{their_cv / cv:.0f}x",
                str(len(mine)),
            ]
        )
        if len(mine) > 1:
            spreads.append(cv)
            factors.append(their_cv / cv)
    name = (
        "quiet (as found)"
        if weather == "quiet"
        else f"beside bursts of {0.1 * BURSTS.busy_ms:.0f} to {1.9 * BURSTS.busy_ms:.0f} ms, half of the time, on every CPU"
    )
    result.say(f"{name}:")
    result.table(["pair", "ours", "CV %", "sequential", "CV %", "factor", "runs"], rows)
    complete = len(spreads) == len(theirs)
    cv, factor = middle(spreads), middle(factors)
    result.check(
        f"median CV at most {CV_LIMIT_PERCENT} % ({weather})",
        f"{cv:.3f} % over {len(spreads)} ratios, worst {max(spreads, default=0):.2f} %",
        cv <= CV_LIMIT_PERCENT if complete else None,
    )
    result.check(
        f"at least {FACTOR_LIMIT:.0f} times tighter than sequential blocks ({weather})",
        f"{factor:.1f} times (median factor), {middle([spread_percent(v) for v in theirs.values()]):.2f} % against {cv:.3f} %",
        factor >= FACTOR_LIMIT if complete else None,
    )


def _sequential(field: Field, cases: Cases, total_s: float) -> dict[str, float]:
    """One block after another, `total_s` in all: the design of cryptobench and `openssl speed`."""
    block_s = total_s / sum(len(lanes) for _, lanes in cases)
    ratios: dict[str, float] = {}
    with field.quiet():
        for case_id, lanes in cases:
            means = _block_means(field, Case.parse(case_id), lanes, block_s)
            ratios |= {_pair(case_id, lane): means[i] / means[0] for i, lane in enumerate(lanes) if i}
    return ratios


def _block_means(field: Field, case: Case, lanes: Sequence[Lane], block_s: float) -> list[float]:
    means: list[float] = []
    for lane in lanes:
        with WorkerProcess(field.launch(lane).command, cpu=field.cpu) as worker:
            worker.hello()
            proven = field.proven(worker, 0, case, lane)
            cost = calibrate(lane.id, proven, 3e5)
            calls = max(1, round(0.9 * block_s * 1e9 / cost))
            batch = worker.run(0, calls, max(1, calls // 9), terms=Terms(timeout_s=60.0 + 20 * block_s))
            means.append(batch.ns / calls)
    return means


def _pair(case: str, lane: Lane) -> str:
    name = Case.parse(case).algorithm.replace("ecdsa-p256-sha256", "ecdsa-p256")
    return f"{name} {lane.library}"
