# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from collections.abc import Mapping

import msgspec
import pytest
from test_views_passes import manifest, pass_record, samples

from cipherstone.model.deviations import Deviation
from cipherstone.model.errors import UsageError
from cipherstone.model.ids import Lane
from cipherstone.model.outcomes import Outcome, Verdict
from cipherstone.model.records import CodeObject, OutcomeRecord, ProofRecord, Record, Settings
from cipherstone.model.summary import Estimate, RunSummary
from cipherstone.report.render.comparison import render_comparison
from cipherstone.views.compare import code_changes, compare_lanes, compare_runs, lane_ratio, state_changes
from cipherstone.views.comparison import Comparison, divide
from cipherstone.views.run.summarise import summarise

CASE = "sha-256/hash/bytes=8192"
OLD, NEW, ANCHOR, OTHER = "openssl@3.0", "openssl@3.1", "nettle@3.8", "botan@2"
SPREAD = [1.0, 0.999, 1.001, 0.998, 1.002, 0.997, 1.003, 0.9, 1.1]  # 2nd 0.997, 8th 1.003


def run(
    costs: Mapping[str, float],
    run_id: str = "run-1",
    *more: Record,
    scale: float = 1.0,
    spread: str = "",
    **other: object,
) -> RunSummary:
    """Nine passes at `costs` times `scale`; the lane `spread` varies from pass to pass by SPREAD."""
    records: list[Record] = [
        pass_record(CASE, p, {lane: ns * scale * (SPREAD[p] if lane == spread else 1.0) for lane, ns in costs.items()})
        for p in range(9)
    ]
    fields = {"settings": Settings(base="nettle"), "run_id": run_id, **other}
    return summarise(manifest({CASE: tuple(costs)}, **fields), [*records, *more])  # type: ignore[arg-type]


A = run({OLD: 1000.0, ANCHOR: 2000.0, OTHER: 500.0}, "old")


def row(comparison: Comparison, label: str) -> tuple[float | None, Verdict]:
    (found,) = [r for r in comparison.rows if r.lane == label]
    return (None if found.ratio is None else round(found.ratio.value, 6)), found.verdict


def test_runs_are_compared_through_the_anchor_not_by_nanoseconds() -> None:
    # The second session is 1.5 times slower as a whole; openssl lost another 5 %, botan nothing.
    b = run({NEW: 1050.0, ANCHOR: 2000.0, OTHER: 500.0}, "new", scale=1.5)
    c = compare_runs(A, b)
    assert (c.a, c.b, c.base, c.refused, c.warnings) == ("old", "new", "nettle", "", ())
    assert row(c, "openssl") == (1.05, Verdict.SLOWER)
    assert row(c, "botan") == (1.0, Verdict.EQUAL)
    assert {r.lane for r in c.rows} == {"openssl", "botan"}  # the anchor has no row
    first = c.rows[0]
    assert (first.case, first.lane_a, first.lane_b, first.threshold) == (CASE, OLD, NEW, 0.01)
    assert c.worst_slowdown == pytest.approx(0.05)


def test_intervals_of_two_sessions_are_the_widest_that_both_allow() -> None:
    a = run({OLD: 1000.0, ANCHOR: 1000.0}, "old", spread=OLD)
    b = run({NEW: 1000.0, ANCHOR: 1000.0}, "new", spread=NEW)
    ratio = compare_runs(a, b).rows[0].ratio
    assert ratio is not None and ratio.low is not None and ratio.high is not None
    assert (ratio.value, ratio.low, ratio.high) == pytest.approx((1.0, 0.997 / 1.003, 1.003 / 0.997))
    assert divide(Estimate(4.0, 3.0, 5.0), Estimate(2.0)) == Estimate(2.0)


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        (0.01, 0.01, Verdict.UNDECIDED),
        (0.01, 0.001, Verdict.UNDECIDED),
        (0.001, 0.01, Verdict.UNDECIDED),
        (0.001, 0.001, Verdict.UNRESOLVED),
    ],
)
def test_the_wider_of_two_targets_holds(one: float, other: float, said: Verdict) -> None:
    """An interval that crosses the limit is as narrow as it was to be in the run that asked for less."""
    a = run({OLD: 1000.0, ANCHOR: 1000.0}, "old", spread=OLD, settings=Settings(base="nettle", target=one))
    b = run({NEW: 1008.0, ANCHOR: 1000.0}, "new", spread=NEW, settings=Settings(base="nettle", target=other))
    assert compare_runs(a, b).rows[0].verdict is said


def test_faster_is_no_slowdown() -> None:
    c = compare_runs(A, run({NEW: 900.0, ANCHOR: 2000.0}, "new"))
    assert row(c, "openssl") == (0.9, Verdict.FASTER)
    assert c.worst_slowdown == 0.0
    assert any("in one run only" in w and "botan" in w for w in c.warnings)


def test_exchanged_runs_mirror() -> None:
    b = run({NEW: 1050.0, ANCHOR: 2000.0, OTHER: 500.0}, "new")
    value, found = row(compare_runs(b, A), "openssl")
    assert value == pytest.approx(1 / 1.05, abs=1e-6) and found is Verdict.FASTER


@pytest.mark.parametrize(
    "field,value,reason", [("fingerprint", "bb", "machines differ"), ("method", "cbm-1", "methods differ")]
)
def test_other_machines_and_methods_are_refused(field: str, value: str, reason: str) -> None:
    other: dict[str, object] = {field: value}
    b = run({NEW: 1050.0, ANCHOR: 2000.0}, "new", **other)  # type: ignore[arg-type]
    c = compare_runs(A, b)
    assert reason in c.refused and c.rows == () and c.worst_slowdown is None
    forced = compare_runs(A, b, force=True)
    assert forced.refused == "" and row(forced, "openssl") == (1.05, Verdict.SLOWER)
    assert reason in forced.warnings[0]


def test_another_state_of_the_machine_is_named() -> None:
    """Kernel, microcode and mitigations may change between two runs of one machine; what only one run recorded is no change."""
    machine = msgspec.structs.replace(A.manifest.machine, kernel="Linux 6.1", microcode="0x1", mitigations={"a": "x"})
    assert state_changes(machine, machine) == []
    assert state_changes(machine, msgspec.structs.replace(machine, microcode=None, mitigations={})) == []
    other = msgspec.structs.replace(machine, kernel="Linux 6.6", microcode="0x2", mitigations={"b": "y"})
    assert state_changes(machine, other) == [
        "the machine was in another state: kernel Linux 6.1 -> Linux 6.6; microcode 0x1 -> 0x2; a x -> Not affected; b Not affected -> y"
    ]
    b = run({NEW: 1050.0, ANCHOR: 2000.0}, "new")
    later = msgspec.structs.replace(b.manifest.machine, kernel="Linux 99", microcode="0x2")
    b = msgspec.structs.replace(b, manifest=msgspec.structs.replace(b.manifest, machine=later))
    (said,) = [text for text in compare_runs(A, b).warnings if "in another state" in text]
    assert said.endswith(" -> Linux 99")  # the first run did not record its microcode


def test_an_anchor_of_another_build_is_warned_of() -> None:
    b = run({OLD: 1000.0, "nettle@3.9": 2000.0}, "new")
    assert "not the same build" in compare_runs(A, b).warnings[0]
    assert row(compare_runs(A, b), "openssl") == (
        1.0,
        Verdict.EQUAL,
    )  # it is divided by all the same, in each run by its own
    rebuilt = run({OLD: 1000.0, ANCHOR: 2000.0}, "new", hashes={ANCHOR: "other flags"})
    assert "not the same build" in compare_runs(A, rebuilt).warnings[0]


def test_choice_of_the_anchor() -> None:
    costs = {NEW: 1050.0, ANCHOR: 2000.0, OTHER: 500.0}
    none = Settings(base=None)
    a = run({OLD: 1000.0, ANCHOR: 2000.0, OTHER: 500.0}, "old", settings=none)
    assert (
        compare_runs(a, run(costs, "new", settings=none)).base == "botan"
    )  # same executable, first by name; openssl changed
    assert compare_runs(a, run(costs, "new", settings=none), anchor="nettle").base == "nettle"
    assert row(compare_runs(a, run(costs, "new", settings=none), anchor=OLD), "botan")[0] == pytest.approx(
        1 / 1.05, abs=1e-6
    )
    rebuilt = run(costs, "new", settings=none, hashes={OTHER: "other flags"})
    assert compare_runs(a, rebuilt).base == "nettle"  # botan is another executable now
    assert "nothing to divide by" in compare_runs(a, run({"mbedtls@3": 1.0}, "new", settings=none)).refused
    with pytest.raises(UsageError) as error:
        compare_runs(a, a, anchor="nettel")
    assert "nettle" in error.value.hint


def test_the_anchor_is_what_is_the_same_in_most_cases() -> None:
    """Not the first by name, nor what has most figures of another executable; where none is the same, what has most figures."""
    none = Settings(base=None)

    def over(lanes_by_size: Mapping[int, tuple[str, ...]], run_id: str) -> RunSummary:
        plan = {f"aes-128-gcm/seal/bytes={size}": lanes for size, lanes in lanes_by_size.items()}
        records: list[Record] = [
            pass_record(case, p, dict.fromkeys(lanes, 1000.0)) for case, lanes in plan.items() for p in range(9)
        ]
        return summarise(manifest(plan, settings=none, run_id=run_id), records)

    old = {16: (OLD, ANCHOR, OTHER), 64: (OLD, ANCHOR), 256: (OLD,)}
    new = {16: (NEW, ANCHOR, OTHER), 64: (NEW, ANCHOR), 256: (NEW,)}
    assert compare_runs(over(old, "old"), over(new, "new")).base == "nettle"
    changed = {16: (NEW, "nettle@3.9"), 64: (NEW, "nettle@3.9"), 256: (NEW,)}
    assert compare_runs(over(old, "old"), over(changed, "new")).base == "openssl"


def test_a_changed_outcome_is_a_line_and_no_slowdown() -> None:
    lax = Deviation(Outcome.LAX, "ber-encoding", "accepts BER", "Spellings.", "X.690 section 10.1.", ("v-8", "v-68"))
    operation = CASE.partition("/bytes")[0]
    proof = ProofRecord(operation, NEW, 0, Outcome.LAX, accepted=40, deviations=(lax,))
    b = run({NEW: 1000.0, ANCHOR: 2000.0, OTHER: 500.0}, "new", proof)
    c = compare_runs(A, b)
    assert c.changes == (f"{operation} openssl: ok in A, lax in B: accepts BER (v-8 and 1 more)",)
    assert row(c, "openssl")[1] is Verdict.EQUAL and c.worst_slowdown == 0.0
    assert compare_runs(b, A).changes == (f"{operation} openssl: lax in A, ok in B: accepts BER (v-8 and 1 more)",)
    assert compare_runs(b, b).changes == ()
    gone = run({NEW: 1000.0, ANCHOR: 2000.0, OTHER: 500.0}, "new", OutcomeRecord(CASE, NEW, Outcome.CRASHED, "signal"))
    assert compare_runs(A, gone).changes == ()  # a crash says nothing of results
    other = msgspec.structs.replace(lax, kind="missing-zero", does="accepts no zero")
    d = run({NEW: 1000.0, ANCHOR: 2000.0, OTHER: 500.0}, "new", msgspec.structs.replace(proof, deviations=(other,)))
    assert "accepts no zero" in compare_runs(b, d).changes[0]  # lax in both, in another way
    assert "changed: " + c.changes[0] in render_comparison(c, 200, False)


def test_rows_without_a_figure_say_why() -> None:
    wrong = OutcomeRecord(CASE, NEW, Outcome.WRONG, "wrong digest")
    crashed = OutcomeRecord(CASE, OTHER, Outcome.CRASHED, "signal 11")
    c = compare_runs(A, run({NEW: 1050.0, ANCHOR: 2000.0, OTHER: 500.0}, "new", wrong, crashed))
    assert row(c, "openssl") == (None, Verdict.WRONG)
    assert row(c, "botan") == (None, Verdict.UNAVAILABLE)
    assert {r.note for r in c.rows} == {"openssl 3.1: wrong digest", "botan 2: signal 11"}
    assert c.worst_slowdown is None
    anchor_gone = OutcomeRecord(CASE, ANCHOR, Outcome.CRASHED, "signal 11")
    c = compare_runs(A, run({NEW: 1050.0, ANCHOR: 2000.0, OTHER: 500.0}, "new", anchor_gone), anchor="nettle")
    assert {(r.verdict, r.note) for r in c.rows} == {
        (Verdict.UNRESOLVED, "the anchor nettle has no figure in this case of both runs")
    }


def test_two_lanes_of_one_run() -> None:
    c = compare_lanes(A, "openssl", "nettle")
    (found,) = c.rows
    assert found.ratio is not None and found.ratio.value == pytest.approx(2.0)
    assert (found.lane, found.lane_a, found.lane_b, found.verdict) == ("nettle / openssl", OLD, ANCHOR, Verdict.SLOWER)
    assert c.base == "" and c.worst_slowdown == pytest.approx(1.0)
    assert row(compare_lanes(A, ANCHOR, OTHER), "botan / nettle") == (0.25, Verdict.FASTER)


@pytest.mark.parametrize("without", [OLD, ANCHOR])
def test_a_lane_without_a_figure_says_so_on_either_side(without: str) -> None:
    crashed = run({OLD: 1000.0, ANCHOR: 2000.0}, "one", OutcomeRecord(CASE, without, Outcome.CRASHED, "signal 11"))
    (found,) = compare_lanes(crashed, "openssl", "nettle").rows
    assert (found.ratio, found.verdict, found.note) == (
        None,
        Verdict.UNAVAILABLE,
        f"{Lane.parse(without).words}: signal 11",
    )


def test_lanes_without_a_common_pass_are_unresolved() -> None:
    records: list[Record] = [pass_record(CASE, p, {(OLD, ANCHOR)[p % 2]: 1000.0}) for p in range(18)]
    (found,) = compare_lanes(summarise(manifest({CASE: (OLD, ANCHOR)}), records), "openssl", "nettle").rows
    assert (found.ratio, found.verdict, found.note) == (None, Verdict.UNRESOLVED, "no pass holds both lanes")


def test_two_lanes_are_paired_by_pass() -> None:
    """Both lanes share the drift of the machine; the ratio does not show it."""
    records: list[Record] = [
        pass_record(CASE, p, {OLD: 1000.0 * s, OTHER: 1250.0 * s, ANCHOR: 1.0}) for p, s in enumerate(SPREAD)
    ]
    ratio = compare_lanes(summarise(manifest({CASE: (OLD, OTHER, ANCHOR)}), records), "openssl", "botan").rows[0].ratio
    assert ratio is not None
    assert (ratio.value, ratio.low, ratio.high) == pytest.approx((1.25, 1.25, 1.25))


def test_lanes_that_missed_passes_are_paired_by_those_that_both_have() -> None:
    """botan lacks the first pass, nettle the last: position would pair each pass with the next."""
    last = len(SPREAD) - 1
    records: list[Record] = [
        pass_record(
            CASE,
            p,
            {**({OLD: 1000.0 * s} if p != last else {}), **({OTHER: 1250.0 * s} if p else {}), ANCHOR: 1.0},
        )
        for p, s in enumerate(SPREAD)
    ]
    (case,) = summarise(manifest({CASE: (OLD, OTHER, ANCHOR)}, Settings()), records).cases
    ratio = lane_ratio(msgspec.structs.replace(case, to_best=()), OTHER, OLD)
    assert ratio is not None and (ratio.value, ratio.low, ratio.high) == pytest.approx((1.25, 1.25, 1.25))


def test_a_third_lane_that_fell_short_unpairs_nobody() -> None:
    """Both lanes have all passes; that another one lacks some says nothing of them."""
    records: list[Record] = [
        pass_record(
            CASE,
            p,
            {},
            lanes=(
                samples(OLD, 1000.0 * s),
                samples(OTHER, 1250.0 * s),
                samples(ANCHOR, 1.0, ipc=4.0 if p == 3 else 5.0),
            ),
        )
        for p, s in enumerate(SPREAD)
    ]
    (case,) = summarise(manifest({CASE: (OLD, OTHER, ANCHOR)}, Settings()), records).cases
    assert (case.passes_tried, case.passes_valid) == (9, 8)
    ratio = lane_ratio(msgspec.structs.replace(case, to_best=()), OTHER, OLD)
    assert ratio is not None and (ratio.value, ratio.low, ratio.high) == pytest.approx((1.25, 1.25, 1.25))


def test_lanes_that_are_not_there() -> None:
    with pytest.raises(UsageError) as error:
        compare_lanes(A, "opensll", "nettle")
    assert "openssl" in error.value.hint
    with pytest.raises(UsageError):
        compare_lanes(A, "openssl", OLD)


def with_builds(summary: RunSummary, **changed: object) -> RunSummary:
    """The run, its build of OpenSSL with other fields."""
    builds = tuple(
        msgspec.structs.replace(build, **changed) if build.library == "openssl" else build
        for build in summary.manifest.builds
    )
    return msgspec.structs.replace(summary, manifest=msgspec.structs.replace(summary.manifest, builds=builds))


def test_a_library_whose_version_and_code_disagree_is_warned_of() -> None:
    """Rebuilt under one version, or the same code under two; a new version with new code is what it says."""
    one = CodeObject("/usr/lib/libcrypto.so.3", "library", "a" * 64, None, "libssl3", "3.0-1")
    two = msgspec.structs.replace(one, sha256="b" * 64, package_version="3.0-2")
    libc = CodeObject("/lib/libc.so.6", "runtime", "c" * 64)
    a = with_builds(run({OLD: 1000.0, ANCHOR: 2000.0}, "old"), objects=(one, libc))
    rebuilt = with_builds(run({OLD: 1050.0, ANCHOR: 2000.0}, "new"), objects=(two, libc))
    (version,) = {build.version for build in a.manifest.builds if build.library == "openssl"}
    assert code_changes(a, rebuilt) == [
        f"openssl: version {version} in both runs, but not the same code: libcrypto.so.3 was libssl3 3.0-1, sha256 {'a' * 12}, is libssl3 3.0-2, sha256 {'b' * 12}"
    ]
    assert code_changes(a, rebuilt)[0] in compare_runs(a, rebuilt).warnings
    renamed = with_builds(run({NEW: 1050.0, ANCHOR: 2000.0}, "new"), objects=(one,))
    assert "but the same library code in both runs" in code_changes(a, renamed)[0]
    updated = with_builds(run({NEW: 1050.0, ANCHOR: 2000.0}, "new"), objects=(two, libc))
    assert code_changes(a, updated) == [] == code_changes(a, a)
    steered = with_builds(a, environment={"LC_ALL": "C", "OPENSSL_ia32cap": "0"})
    assert code_changes(a, steered) == ["openssl: its environment was not recorded, is LC_ALL=C OPENSSL_ia32cap=0"]


def test_an_anchor_that_was_rebuilt_is_warned_of() -> None:
    one = CodeObject("/usr/lib/libcrypto.so.3", "library", "a" * 64)
    a = with_builds(run({OLD: 1000.0, ANCHOR: 2000.0}, "old"), objects=(one,))
    b = with_builds(a, objects=(msgspec.structs.replace(one, sha256="b" * 64),))
    assert any("not the same build in both runs" in text for text in compare_runs(a, b, anchor="openssl").warnings)
    assert not any("not the same build" in text for text in compare_runs(a, a, anchor="openssl").warnings)


@pytest.mark.parametrize("wide", ["a", "b"])
def test_the_larger_of_both_thresholds_decides(wide: str) -> None:
    """2 % between two sessions, of which one could not tell its own library from itself to within 3 %: no verdict may rest on the quieter one."""
    b = run({NEW: 1020.0, ANCHOR: 2000.0, OTHER: 500.0}, "new")

    def with_threshold(summary: RunSummary, d: float) -> RunSummary:
        cases = tuple(msgspec.structs.replace(one, threshold=d) for one in summary.cases)
        return msgspec.structs.replace(summary, cases=cases)

    quiet = compare_runs(with_threshold(A, 0.01), with_threshold(b, 0.01))
    assert row(quiet, "openssl") == (1.02, Verdict.SLOWER)
    c = compare_runs(with_threshold(A, 0.03 if wide == "a" else 0.01), with_threshold(b, 0.03 if wide == "b" else 0.01))
    assert {one.threshold for one in c.rows} == {0.03}
    assert row(c, "openssl") == (1.02, Verdict.EQUAL)
    assert c.worst_slowdown == 0.0
