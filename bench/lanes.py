# SPDX-License-Identifier: Apache-2.0
"""Does a ratio depend on what should not matter: how many lanes race, the lead-in, warm-up batches, batches in a turn?"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import msgspec

from bench.field import Field
from bench.result import Result, middle, spread_percent, tell
from cipherstone.model.ids import DEFAULT_IMPLEMENTATION, Case, Lane
from cipherstone.model.records import Settings
from cipherstone.model.summary import Estimate

ABOUT_S = 240
BASE = "openssl"
COUNTS = (2, 5, 15)
REPEATS = 3
TURN_RUNS = 8
TURNS = (1, 4, 8, 12)  # batches a turn
LIMIT = 0.005
RACES = (("sha-256/hash/bytes=16384", "nettle"), ("sha-256/hash/bytes=64", "nettle"), ("x25519/derive", "libsodium"))
Variant = tuple[str, int, dict[str, object]]  # label, number of lanes, changes of the settings


def run(field: Field, result: Result, fast: bool) -> None:
    """The same ratio under each condition, conditions alternating."""
    races = [(case, other) for case, other in RACES if field.has(BASE, other)][: 1 if fast else None]
    if not races:
        result.check("within 0.5 %, or in each other's intervals", "OpenSSL and Nettle or libsodium are needed", None)
        return
    repeats = 1 if fast else REPEATS
    result.say(
        "Ratio to OpenSSL in cases of 2, 5 and 15 lanes: besides the pair, the other libraries, then BearSSL's implementations, then more processes of those."
    )
    by_count = _measure(field, races, [(f"{count} lanes", count, {}) for count in COUNTS], repeats)
    _table(result, by_count)
    apart = _farthest(by_count, [f"{count} lanes" for count in COUNTS])
    met = all(distance <= LIMIT or overlap for distance, overlap in apart)
    text = f"farthest {100 * max(d for d, _ in apart):.2f} % apart; {sum(d <= LIMIT or o for d, o in apart)} of {len(apart)} ratios hold"
    result.check("2, 5 and 15 lanes within 0.5 %, or in each other's intervals", text, met)

    fields = Settings.__struct_fields__
    result.say()
    result.say(
        "The same with 5 lanes, by lead-in (untimed calls before each turn) and by batches left out at the start:"
    )
    variants: list[Variant] = [(f"lead {lead} us", 5, {"lead_us": float(lead)}) for lead in (0, 20, 100)]
    if "dropped_batches" in fields:
        variants.append(("drop 0", 5, {"dropped_batches": 0}))
    _table(result, lead := _measure(field, races, variants, repeats))
    result.data |= {"by_lanes": _plain(by_count), "by_lead": _plain(lead)}
    if "batches_per_turn" in fields:
        _turns(field, result, races, 2 if fast else TURN_RUNS)


def _turns(field: Field, result: Result, races: Sequence[tuple[str, str]], runs: int) -> None:
    """Batches a turn, at the same number of batches in all."""
    total = Settings().rounds * Settings().batches_per_turn
    variants: list[Variant] = [
        (f"{turn} a turn", 5, {"batches_per_turn": turn, "rounds": total // turn}) for turn in TURNS
    ]
    shares: dict[str, list[float]] = {}
    by_turn = _measure(field, races, variants, runs, shares)
    rows = []
    for (case, other), (label, _, _) in itertools.product(races, variants):
        values = [estimate.value for estimate in by_turn[_name(case, other)][label]]
        rows.append(
            [
                f"{_name(case, other)}, {label}",
                f"{middle(values):.4f}",
                f"{spread_percent(values):.3f}",
                f"{100 * middle(shares[label]):.0f}",
            ]
        )
    result.say()
    result.say(
        f"Batches in a turn, {total} batches a pass in all, 5 lanes, {runs} runs each; share: of a run's wall time in batches, processes and proofs included:"
    )
    result.table(["ratio", "median", "CV %", "share %"], rows)
    result.data["by_turn"] = {"ratios": _plain(by_turn), "share": shares}


Found = dict[str, dict[str, list[Estimate]]]  # ratio -> condition -> one estimate a run


def _measure(
    field: Field,
    races: Sequence[tuple[str, str]],
    variants: Sequence[Variant],
    repeats: int,
    shares: dict[str, list[float]] | None = None,
) -> Found:
    found: Found = {_name(case, other): {label: [] for label, _, _ in variants} for case, other in races}
    for number in range(repeats):
        for label, count, changes in variants:
            cases = [(case, crowd(field, case, other, count)) for case, other in races]
            settings = msgspec.structs.replace(field.settings(base=BASE, max_time_s=120.0), **changes)
            measured = field.run(cases, settings)
            if shares is not None:
                shares.setdefault(label, []).append(measured.timed_s / measured.wall_s)
            for case, other in races:
                ratio = measured.over_base(case, field.lane(other)).ratio
                assert ratio is not None
                found[_name(case, other)][label].append(ratio)
            tell(f"  {label}, run {number + 1} of {repeats}: {measured.wall_s:.1f} s")
    return found


def crowd(field: Field, case_id: str, other: str, count: int) -> list[Lane]:
    """`count` lanes of a case: the pair first, then other libraries, then BearSSL's other implementations, then more processes of those."""
    operation = Case.parse(case_id).operation
    lanes = [field.lane(BASE), field.lane(other)]
    fillers = [
        field.lane(library)
        for library in field.found
        if library not in (BASE, other) and DEFAULT_IMPLEMENTATION in field.offers(operation, library)
    ]
    fillers += [
        field.lane("bearssl", name) for name in field.offers(operation, "bearssl") if name != DEFAULT_IMPLEMENTATION
    ]
    fillers = fillers or lanes[1:]
    copies = (
        msgspec.structs.replace(lane, build=f"{lane.build}+copy{turn}")
        for turn in itertools.count(1)
        for lane in fillers
    )
    return list(itertools.islice(itertools.chain(lanes, fillers if fillers != lanes[1:] else [], copies), count))


def _name(case: str, other: str) -> str:
    return f"{case.replace('/hash/bytes=', ' ').replace('/derive', '')} {other}"


def _table(result: Result, found: Found) -> None:
    rows = []
    for name, conditions in found.items():
        for label, estimates in conditions.items():
            one = sorted(estimates, key=lambda e: e.value)[len(estimates) // 2]
            interval = f"[{one.low:.4f}, {one.high:.4f}]" if one.low is not None and one.high is not None else "-"
            values = [e.value for e in estimates]
            rows.append([f"{name}, {label}", f"{one.value:.4f}", interval, f"{min(values):.4f}", f"{max(values):.4f}"])
    result.table(["ratio", "median run", "its interval", "least", "most"], rows)


def _farthest(found: Found, labels: Sequence[str]) -> list[tuple[float, bool]]:
    """For each ratio: how far the medians of the conditions lie apart, and whether each lies in an interval of every other condition."""
    answers = []
    for conditions in found.values():
        medians = {label: middle([e.value for e in conditions[label]]) for label in labels}
        distance = max(medians.values()) / min(medians.values()) - 1
        overlap = all(
            any(
                e.low is not None and e.high is not None and e.low <= medians[label] <= e.high
                for e in conditions[other]
            )
            for label in labels
            for other in labels
            if label != other
        )
        answers.append((distance, overlap))
    return answers


def _plain(found: Found) -> dict[str, dict[str, list[tuple[float, float | None, float | None]]]]:
    return {
        name: {label: [(e.value, e.low, e.high) for e in es] for label, es in c.items()} for name, c in found.items()
    }
