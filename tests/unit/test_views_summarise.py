# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping

import msgspec
import pytest
from test_views_passes import BATCHES, manifest, pass_record, samples, uneven

from cipherstone.catalogue.algorithms import Catalogue, Operation
from cipherstone.model.deviations import Deviation, outcome_with
from cipherstone.model.outcomes import CaseEnd, Outcome, Verdict
from cipherstone.model.records import (
    CaseEndRecord,
    FactsRecord,
    ForeignRecord,
    LaneSamples,
    MemoryRecord,
    NoiseRecord,
    OutcomeRecord,
    PassRecord,
    ProofRecord,
    Record,
    Settings,
)
from cipherstone.model.summary import CaseSummary, CellSummary, RunSummary
from cipherstone.views.run.summarise import summarise

CASE = "sha-256/hash/bytes=8192"
OSSL, NTL, TWIN = "openssl@3.0", "nettle@3.8", "openssl@3.0#2"
LANES = (OSSL, NTL, TWIN)
PLAN = {CASE: LANES}
FACTORS = [1.30, 1.31, 1.29, 1.32, 1.28, 1.33, 1.27, 1.90, 1.10]  # median 1.30, 2nd 1.27, 8th 1.33
EXTRA: tuple[Record, ...] = (CaseEndRecord(CASE, CaseEnd.CONVERGED, 9, 9), NoiseRecord(0, 0.0, 20.0, 1.5, 0.001, 3.0))


def passes(
    count: int = 9, cost: Callable[[int], Mapping[str, float]] | None = None, case: str = CASE
) -> list[PassRecord]:
    costs = cost or (lambda p: {OSSL: 100.0, NTL: 130.0, TWIN: 100.0})
    return [pass_record(case, p, costs(p)) for p in range(count)]


def run(records: Iterable[Record], plan: Mapping[str, tuple[str, ...]] = PLAN, **more: object) -> RunSummary:
    return summarise(manifest(plan, **more), records)  # type: ignore[arg-type]


def cell(summary: RunSummary, lane: str, case: str = CASE) -> CellSummary:
    return next(c for k in summary.cases for c in k.cells if (c.case, c.lane) == (case, lane))


def only(summary: RunSummary) -> CaseSummary:
    (case,) = summary.cases
    return case


def test_exact_figures_of_a_plain_run() -> None:
    costs = [{OSSL: 100.0 + p, NTL: (100.0 + p) * FACTORS[p], TWIN: 100.0 + p} for p in range(9)]
    summary = run([*passes(9, lambda p: costs[p]), *EXTRA])
    case = only(summary)
    c = cell(summary, OSSL)
    assert c.ns is not None and (c.ns.value, c.ns.low, c.ns.high) == (104.0, 101.0, 107.0)
    assert c.cycles is not None and (c.cycles.value, c.cycles.low, c.cycles.high) == pytest.approx((416, 404, 428))
    assert c.typical_ns == 104.0 and c.passes_used == 9 and c.batches == 9 * 60 and c.calls_per_batch == 1000
    assert c.pass_ns == tuple(100.0 + p for p in range(9))
    assert c.flags == ("drift",)  # it rises with every pass
    best, other = case.to_best
    assert (best.lane, best.base, best.verdict) == (OSSL, OSSL, Verdict.EQUAL)
    assert other.ratio is not None and (other.lane, other.base, other.verdict) == (NTL, OSSL, Verdict.SLOWER)
    assert (other.ratio.value, other.ratio.low, other.ratio.high) == pytest.approx((1.30, 1.27, 1.33), rel=1e-4)
    assert case.to_base == case.to_best
    assert case.ranking == ((OSSL,), (NTL,))
    assert case.aa is not None and case.aa.ratio is not None
    assert (case.aa.lane, case.aa.base, case.aa.verdict, case.aa.ratio.value) == (TWIN, OSSL, Verdict.EQUAL, 1.0)
    assert case.threshold == 0.01
    assert (case.end, case.passes_tried, case.passes_valid) == (CaseEnd.CONVERGED, 9, 9)
    assert (case.operation, case.verb, case.size_bytes, case.title) == ("sha-256/hash", "hash", 8192, "sha-256/hash")


def test_titles_come_from_the_catalogue() -> None:
    operation = Operation(
        "sha-256", "hash", "SHA-256", "hash", "FIPS 180-4", "all of it", "", "byte", (8192,), 8192, ""
    )
    case = only(summarise(manifest(PLAN), passes(), Catalogue({"sha-256/hash": operation}, {})))
    assert (case.title, case.family, case.timed) == ("SHA-256", "hash", "all of it")


def test_records_may_come_in_any_order() -> None:
    """What counts is judged once everything is known, so no pass profits from being first."""
    costs = [{OSSL: 100.0 + p, NTL: (100.0 + p) * FACTORS[p], TWIN: 100.0 + p} for p in range(9)]
    records: list[Record] = [*passes(9, lambda p: costs[p]), *disturbed(2), *EXTRA]
    expected = run(records)
    assert cell(expected, OSSL).ns is not None and expected.noise.disturbed_ratio == pytest.approx(2 / 11)
    for seed in range(5):
        random.Random(seed).shuffle(records)
        assert run(records) == expected


def disturbed(count: int, first: int = 9, **more: object) -> list[PassRecord]:
    """Passes in which no batch counts, with times that would spoil every figure."""
    costs = {OSSL: 900.0, NTL: 100.0, TWIN: 900.0}
    return [pass_record(CASE, first + k, costs, ipc=4.0, **more) for k in range(count)]


def test_contended_passes_are_counted_and_not_used() -> None:
    summary = run([*disturbed(2), *passes()])
    case = only(summary)
    assert (case.passes_tried, case.passes_valid) == (11, 9)
    c = cell(summary, OSSL)
    assert c.ns is not None and c.ns.value == 100.0 and c.passes_used == 9 and c.batches == 9 * 60
    assert case.ranking == ((OSSL,), (NTL,))
    assert (summary.noise.passes_tried, summary.noise.passes_valid) == (11, 9)
    assert summary.noise.disturbed_ratio == pytest.approx(2 / 11)


def test_a_pass_in_which_one_lane_fell_short_gives_the_others_their_figure() -> None:
    """Batches are judged, not passes: openssl keeps all eleven passes, nettle the nine in which it had enough."""
    short = [
        pass_record(CASE, 9 + k, {}, lanes=(samples(OSSL, 100.0), samples(NTL, 900.0, ipc=4.0), samples(TWIN, 100.0)))
        for k in range(2)
    ]
    summary = run([*passes(), *short])
    case = only(summary)
    assert (case.passes_tried, case.passes_valid) == (11, 9)
    assert (cell(summary, OSSL).passes_used, cell(summary, NTL).passes_used) == (11, 9)
    other = case.to_best[1]
    assert other.ratio is not None and (other.ratio.value, other.passes_used) == (pytest.approx(1.3), 9)


def test_a_retried_pass_keeps_its_index() -> None:
    (first,) = disturbed(1, first=0, start_s=-5.0)
    case = only(run([first, *passes()]))
    assert (case.passes_tried, case.passes_valid) == (10, 9)


def test_fewer_than_six_passes_give_no_figure() -> None:
    summary = run(passes(5))
    c = cell(summary, OSSL)
    assert c.outcome is Outcome.OK and c.ns is None and c.cycles is None and c.pass_ns == () and c.typical_ns is None
    assert c.refused == "5 passes with a figure, 6 needed for an interval"
    assert only(summary).ranking == () and only(summary).to_best == ()
    assert {r.verdict for r in only(summary).to_base} == {Verdict.UNRESOLVED}
    assert cell(run(passes(6)), OSSL).ns is not None


def test_all_contended() -> None:
    summary = run([*disturbed(9, first=0), CaseEndRecord(CASE, CaseEnd.CONTENDED, 9, 0)])
    assert cell(summary, NTL).refused == "contended: 0 of 60 batches undisturbed, 16 needed"
    assert {r.verdict for r in only(summary).to_base} == {Verdict.CONTENDED}
    assert summary.trust == "contended"


def test_a_lane_that_was_contended_too_often_says_so_and_not_unresolved() -> None:
    summary = run([*passes(5), *disturbed(6)])
    assert cell(summary, NTL).refused == (
        "5 passes with a figure, 6 needed for an interval; the last other one: contended: 0 of 60 batches undisturbed, 16 needed"
    )
    assert {r.verdict for r in only(summary).to_base} == {Verdict.CONTENDED}
    assert summary.trust == "contended" and "0 of 2 cells" in summary.trust_reason


def test_cells_of_the_plan_that_no_record_mentions() -> None:
    other = "md5/hash"
    summary = run(
        [*passes(), CaseEndRecord(other, CaseEnd.TIME_BOUND, 0, 0)], {CASE: (*LANES, "botan@2"), other: LANES}
    )
    assert cell(summary, "botan@2").refused == "not measured: no pass of this case holds this lane"
    assert cell(summary, OSSL, other).refused == "not measured: the time bound came before this case"
    assert cell(summary, OSSL, other).ns is None
    assert only(run([])).cells[0].refused == "not measured: no pass of this case is on record"


def test_too_few_batches_zero_times_and_slow_clocks_are_refused() -> None:
    def with_samples(samples: LaneSamples) -> RunSummary:
        good = passes()
        return run([pass_record(CASE, p.index, {}, lanes=(*p.lanes, samples)) for p in good])

    short = cell(with_samples(LaneSamples("botan@2", 1000, (5000,) * 17)), "botan@2")
    assert (short.refused, short.ns) == ("15 batches, 16 needed", None)
    zero = cell(with_samples(LaneSamples("botan@2", 1000, (0,) * BATCHES)), "botan@2")
    assert zero.refused == "a batch of 0 ns"
    coarse = summarise(manifest(PLAN), passes(), clock_step_ns=2000)  # batches of 100 us
    assert "steps of 2000 ns" in cell(coarse, OSSL).refused and only(coarse).ranking == ()
    assert cell(summarise(manifest(PLAN), passes(), clock_step_ns=1000), OSSL).refused == ""


@pytest.mark.parametrize("twin,shown,verdict", [(102.0, "1.020", Verdict.SLOWER), (98.0, "0.980", Verdict.FASTER)])
def test_aa_outside_one_percent_refuses_the_case(twin: float, shown: str, verdict: Verdict) -> None:
    summary = run(passes(cost=lambda p: {OSSL: 100.0, NTL: 130.0, TWIN: twin}))
    assert f"against itself came out at {shown}" in cell(summary, NTL).refused
    case = only(summary)
    assert case.ranking == () and case.aa is not None and case.aa.verdict is verdict
    assert (summary.noise.aa_false_positives, summary.noise.aa_cases) == (1, 1)
    assert summary.trust == "empty"  # and it says why
    assert summary.trust_reason.startswith(
        f"0 of 2 cells have a figure: the library against itself came out at {shown}"
    )
    other = passes(case="md5/hash")
    both = run(
        [*passes(cost=lambda p: {OSSL: 100.0, NTL: 130.0, TWIN: twin}), *other], {CASE: LANES, "md5/hash": LANES}
    )
    assert both.trust == "indicative" and "1 of 2 libraries measured against themselves" in both.trust_reason
    assert cell(both, NTL, "md5/hash").ns is not None and cell(both, NTL).ns is None


def test_threshold_grows_with_the_aa_offset() -> None:
    # A/A at 1.008: d = 2.4 %, so a lane at 1.02 is equal and one at 1.03 is slower.
    summary = run(passes(cost=lambda p: {OSSL: 1000.0, NTL: 1020.0, TWIN: 1008.0, "botan@2": 1030.0}))
    case = only(summary)
    assert case.threshold == pytest.approx(0.024)
    assert [r.verdict for r in case.to_best] == [Verdict.EQUAL, Verdict.EQUAL, Verdict.SLOWER]
    assert case.ranking == ((OSSL, NTL), ("botan@2",))


def test_a_case_without_aa_takes_the_threshold_of_the_run() -> None:
    other = "md5/hash"
    records = passes(cost=lambda p: {OSSL: 1000.0, NTL: 1300.0, TWIN: 1008.0})
    records += passes(cost=lambda p: {OSSL: 1000.0, NTL: 1020.0}, case=other)
    summary = run(records, {CASE: LANES, other: (OSSL, NTL)})
    assert summary.cases[1].aa is None
    assert summary.cases[1].threshold == pytest.approx(0.024)


def test_the_threshold_of_the_run_knows_the_width_of_its_aa() -> None:
    other = "md5/hash"
    twin = [0.98, 0.99, 0.995, 1.0, 1.0, 1.0, 1.005, 1.01, 1.02]  # half-width ln(1/0.99)
    records = passes(cost=lambda p: {OSSL: 1000.0, NTL: 1300.0, TWIN: 1000.0 * twin[p]})
    # The other case's A/A lane is in three passes only: no interval, so it cannot say how wide its noise is.
    records += passes(cost=lambda p: {OSSL: 1000.0, NTL: 1020.0, **({TWIN: 1000.0} if p < 3 else {})}, case=other)
    summary = run(records, {CASE: LANES, other: LANES})
    assert [c.threshold for c in summary.cases] == pytest.approx([2 * (1 / 0.99 - 1)] * 2)
    assert summary.noise.aa_cases == 1


@pytest.mark.parametrize(
    "record",
    [
        ProofRecord("sha-256/hash", NTL, 4, Outcome.WRONG, failures=("vector 3: wrong digest", "more")),
        OutcomeRecord(CASE, NTL, Outcome.WRONG, "vector 3: wrong digest"),
    ],
)
def test_a_wrong_result_is_never_timed_nor_ranked(record: Record) -> None:
    later = OutcomeRecord(CASE, NTL, Outcome.CRASHED, "signal 9")
    summary = run([*passes(), record, later] if isinstance(record, OutcomeRecord) else [*passes(), record])
    c = cell(summary, NTL)
    detail = "vector 3: wrong digest" + (" (and 1 more)" if isinstance(record, ProofRecord) else "")
    assert (c.outcome, c.detail, c.ns, c.pass_ns) == (Outcome.WRONG, detail, None, ())
    assert only(summary).ranking == ((OSSL,),)
    assert [r.verdict for r in only(summary).to_base] == [Verdict.EQUAL, Verdict.WRONG]
    assert any("wrong result" in w and NTL in w for w in summary.warnings)


LAX = Deviation(Outcome.LAX, "ber-encoding", "accepts BER", "Spellings.", "X.690 section 10.1.", ("v-8", "v-68"))
STRICT = Deviation(
    Outcome.STRICT, "point-duplication", "refuses a doubling", "Rare.", "SEC 1 section 4.1.4.", ("v-204",)
)


def deviating(lane: str, pass_index: int, *found: Deviation) -> ProofRecord:
    return ProofRecord("sha-256/hash", lane, pass_index, outcome_with(found), accepted=40, deviations=found)


def test_what_is_lax_or_strict_is_timed_and_ranked() -> None:
    summary = run([*passes(), deviating(NTL, 0, STRICT)])
    c = cell(summary, NTL)
    assert (c.outcome, c.detail, c.deviations) == (Outcome.STRICT, "refuses a doubling (v-204)", (STRICT,))
    assert c.ns is not None and NTL in {lane for group in only(summary).ranking for lane in group}
    assert Verdict.WRONG not in {r.verdict for r in only(summary).to_base}
    assert any("lax or strict" in w and NTL in w for w in summary.warnings)
    assert not any("wrong result" in w for w in summary.warnings)
    assert cell(summary, OSSL).outcome is Outcome.OK and cell(summary, OSSL).deviations == ()


def test_what_one_process_showed_counts_for_all() -> None:
    """The first pass asks every vector, later ones a few: what any of them told, of the twin's process too, is joined by class, lax before strict."""
    few = msgspec.structs.replace(LAX, vectors=("v-68", "v-115"))
    records = [deviating(OSSL, 0, STRICT, LAX), deviating(OSSL, 1), deviating(TWIN, 2, few)]
    summary = run([*passes(), *records])
    for lane in (OSSL, TWIN):
        c = cell(summary, lane)
        assert c.outcome is Outcome.LAX
        assert [d.kind for d in c.deviations] == ["ber-encoding", "point-duplication"]
        assert {v for d in c.deviations for v in d.vectors} == {"v-8", "v-68", "v-115", "v-204"}
    assert f"1 operations are lax or strict, and ranked with a mark: {OSSL}" in summary.warnings  # the twin is no other


def test_an_ordinary_failure_makes_it_wrong_whatever_else_it_is() -> None:
    wrong = ProofRecord("sha-256/hash", NTL, 3, Outcome.WRONG, failures=("v-1 (ordinary): bad",), deviations=(LAX,))
    c = cell(run([*passes(), deviating(NTL, 0, LAX), wrong]), NTL)
    assert (c.outcome, c.detail, c.ns, c.deviations) == (Outcome.WRONG, "v-1 (ordinary): bad", None, ())
    crashed = OutcomeRecord(CASE, NTL, Outcome.CRASHED, "signal 11")
    assert cell(run([*passes(), deviating(NTL, 0, LAX), crashed]), NTL).outcome is Outcome.CRASHED


def test_the_proof_names_the_vector() -> None:
    proof = ProofRecord("sha-256/hash", NTL, 4, Outcome.WRONG, failures=("vector 3: wrong digest",))
    record = OutcomeRecord(CASE, NTL, Outcome.WRONG, "its vectors failed")
    assert cell(run([*passes(), proof, record]), NTL).detail == "vector 3: wrong digest"


def test_a_wrong_result_of_the_twin_is_one_of_its_library() -> None:
    summary = run([*passes(), ProofRecord("sha-256/hash", TWIN, 0, Outcome.WRONG, failures=("bad",))])
    assert cell(summary, OSSL).outcome is Outcome.WRONG and TWIN in cell(summary, OSSL).detail
    assert only(summary).ranking == ((NTL,),) and only(summary).aa is None
    assert {r.verdict for r in only(summary).to_base} == {Verdict.WRONG}


def test_outcomes_of_lanes_that_were_not_planned() -> None:
    summary = run([*passes(), OutcomeRecord(CASE, "libsodium@1", Outcome.UNSUPPORTED, "has none")])
    c = cell(summary, "libsodium@1")
    assert (c.outcome, c.detail, c.refused) == (Outcome.UNSUPPORTED, "has none", "")
    assert [x.lane for x in only(summary).cells] == [OSSL, NTL, "libsodium@1", TWIN]  # the A/A lane stays last
    assert only(summary).to_base[-1].verdict is Verdict.UNAVAILABLE


def test_a_crash_after_good_passes_takes_the_cell_out() -> None:
    c = cell(run([*passes(), OutcomeRecord(CASE, NTL, Outcome.CRASHED, "signal 11")]), NTL)
    assert (c.outcome, c.ns) == (Outcome.CRASHED, None)
    # A proof that crashed once, with passes before and after, does not.
    assert cell(run([*passes(), ProofRecord("sha-256/hash", NTL, 3, Outcome.CRASHED)]), NTL).ns is not None
    assert cell(run([ProofRecord("sha-256/hash", NTL, 0, Outcome.TIMED_OUT)]), NTL).outcome is Outcome.TIMED_OUT


def test_proof_and_memory_stand_in_the_cell() -> None:
    memory = MemoryRecord(CASE, OSSL, held_bytes=80)
    proofs = [
        ProofRecord("sha-256/hash", OSSL, p, Outcome.OK, accepted=10, oracle=p, sources=("wycheproof",))
        for p in range(3)
    ]
    c = cell(run([*passes(), *proofs, memory]), OSSL)
    assert (c.proof_accepted, c.proof_rejected, c.proof_oracle, c.proof_sources) == (10, 0, 2, ("wycheproof",))
    assert c.memory == memory


def test_slow_lanes_are_ranked_by_cpu_time() -> None:
    def record(p: int) -> PassRecord:
        quick = LaneSamples(OSSL, 1, (60_000_000,) * 7, (50_000_000,) * 7, rounds=tuple(range(0, 56, 8)), slow=True)
        slow = LaneSamples(NTL, 1, (61_000_000,) * 7, (60_000_000,) * 7, rounds=tuple(range(0, 56, 8)), slow=True)
        return pass_record(CASE, p, {}, lanes=(quick, slow))

    summary = run([record(p) for p in range(9)], {CASE: (OSSL, NTL)})
    c = cell(summary, NTL)
    assert c.ns is not None and c.ns.value == 60_000_000 and c.slow and c.flags == ("slow-op",)
    assert only(summary).ranking == ((OSSL,), (NTL,))
    other = only(summary).to_best[1]
    assert other.ratio is not None and other.ratio.value == pytest.approx(1.2)  # by the wall it would be 1.017


def test_a_ratio_that_quartile_and_median_tell_differently_is_flagged() -> None:
    """Half of nettle's batches take 3 % more: its lower quartile does not show it, its median does."""

    def record(p: int, longer: int) -> PassRecord:
        disturbed = uneven(NTL, (130_000,) * 32 + (longer,) * 32)
        return pass_record(CASE, p, {}, lanes=(samples(OSSL, 100.0), disturbed))

    for longer, flags in ((133_900, ("contention-sensitive",)), (131_000, ())):
        other = only(run([record(p, longer) for p in range(9)], {CASE: (OSSL, NTL)})).to_best[1]
        assert other.ratio is not None and other.ratio.value == pytest.approx(1.3) and other.flags == flags


LEVELS = [1.10, 1.301, 1.102, 1.302, 1.101, 1.30, 1.30, 1.101, 1.301]


def test_two_levels_are_flagged() -> None:
    summary = run(passes(cost=lambda p: {OSSL: 1000.0, NTL: 1000.0 * LEVELS[p], TWIN: 1000.0}))
    other = only(summary).to_best[1]
    assert other.flags == ("bimodal",) and other.verdict is Verdict.SLOWER
    c = cell(summary, NTL)
    assert c.flags == ("bimodal",) and cell(summary, OSSL).flags == () and cell(summary, OSSL).levels == ()
    low, high = c.levels
    assert (low.ns, high.ns) == pytest.approx((1101.0, 1301.0), rel=1e-6)
    assert (low.share, high.share) == pytest.approx((4 / 9, 5 / 9))


def test_base_by_library_label_or_only_implementation() -> None:
    ct, big = "bearssl@0.6:aes_ct", "bearssl@0.6:aes_big"
    records = passes(cost=lambda p: {OSSL: 100.0, ct: 200.0, big: 400.0})

    def bases(name: str | None, lanes: tuple[str, ...] = (OSSL, ct, big)) -> set[str]:
        summary = run(records, {CASE: lanes}, settings=Settings(base=name))
        return {r.base for r in only(summary).to_base}

    assert bases("openssl") == bases(OSSL) == {OSSL}
    assert bases("bearssl:aes_ct") == {ct}
    assert bases("bearssl") == bases("botan") == bases(None) == set()
    only_ct = passes(cost=lambda p: {OSSL: 100.0, ct: 200.0})
    summary = run(only_ct, {CASE: (OSSL, ct)}, settings=Settings(base="bearssl"))
    assert {r.base for r in only(summary).to_base} == {ct}
    assert [r.ratio.value for r in only(summary).to_base if r.ratio] == pytest.approx([0.5, 1.0])


def test_cycles_need_a_chain_that_counts_them() -> None:
    def cycles(*more: Record) -> bool:
        return cell(run([*passes(), *more]), OSSL).cycles is not None

    assert cycles(NoiseRecord(0, 0.0, 20.0, imul_ratio=3.0))
    assert not cycles(NoiseRecord(0, 0.0, 20.0, imul_ratio=3.2))
    assert not cycles()
    summary = run([pass_record(CASE, p, {OSSL: 100.0, NTL: 130.0}, ipc=None) for p in range(9)])
    assert cell(summary, OSSL).cycles is None and cell(summary, OSSL).ns is not None
    assert any("probe" in w for w in summary.warnings)
    assert summary.trust == "indicative" and "no probe" in summary.trust_reason


def test_facts_stand_in_their_cell_and_the_last_ones_count() -> None:
    told = (FactsRecord(CASE, NTL, {"mul": 1}), FactsRecord(CASE, NTL, {"mul": 12, "leak": "none"}))
    summary = run([*passes(), *EXTRA, *told])
    assert cell(summary, NTL).facts == {"mul": 12, "leak": "none"}
    assert cell(summary, OSSL).facts == {} == cell(summary, TWIN).facts
    assert run([*passes(), *EXTRA]).cases[0].ranking == only(summary).ranking


def test_published_figures_are_shown_beside_and_change_nothing() -> None:
    """Far faster than anything measured, on a lane that is and on one that is not: neither is ranked by them."""
    published = (ForeignRecord(CASE, NTL, 1.0, 5, "clock of 15 ms"), ForeignRecord(CASE, "cryptobench@2016", 0.5))
    with_them, without = run([*passes(), *EXTRA, *published]), run([*passes(), *EXTRA])
    assert with_them.foreign == published and without.foreign == ()
    assert with_them.cases == without.cases and with_them.trust == without.trust


@pytest.mark.parametrize(("own_cache_bytes", "said"), [(None, False), (16384, False), (16383, True)])
def test_messages_beyond_the_cores_own_caches_are_said(own_cache_bytes: int | None, said: bool) -> None:
    """8 KiB and as much of output; without figures there is nothing to say."""
    told = manifest(PLAN)
    told = msgspec.structs.replace(told, machine=msgspec.structs.replace(told.machine, own_cache_bytes=own_cache_bytes))
    assert any("messages of 8 KiB and more" in one for one in summarise(told, [*passes(), *EXTRA]).warnings) is said
    assert not any("messages of" in one for one in summarise(told, list(EXTRA)).warnings)
