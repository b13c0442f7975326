# SPDX-License-Identifier: Apache-2.0
"""Corners of the views that a whole run seldom reaches: a figure without its companion, a lane without a figure, a counter without a probe."""

from __future__ import annotations

import msgspec
import pytest
from test_roofline_view import MODELS, SPECTRUM, case, only, run
from test_views_compare import CASE, OLD, OTHER
from test_views_passes import manifest, pass_record, reduced, samples

from cipherstone.catalogue.published_pages import PageRow, Platform, PublishedPage, PublishedTable
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import ForeignRecord, ProcessRecord, Record, Settings
from cipherstone.model.summary import CellSummary, Estimate, RunSummary
from cipherstone.views.compare import compare_runs
from cipherstone.views.comparison import divide
from cipherstone.views.foreign import published_machine
from cipherstone.views.published import beside
from cipherstone.views.roofline import roofline_rows
from cipherstone.views.run.processes import with_processes
from cipherstone.views.run.summarise import summarise

ANCHOR = "nettle@3.8"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"refused": "contended: 0 of 60"}, "contended: 0 of 60"),
        ({"ns": None, "refused": "too few passes"}, "too few passes"),
        ({"ns": None}, "no figure in this run"),
        ({"cycles": None}, "no cycles in this run: its core clock is not known"),
    ],
)
def test_a_cell_without_a_figure_or_cycles_has_no_bound_and_says_why(changes: dict[str, object], why: str) -> None:
    whole = case("aes-128-ctr/encrypt", 16384, openssl=0.3446)
    cell = msgspec.structs.replace(whole.cells[0], **changes)
    row = only(run(msgspec.structs.replace(whole, cells=(cell,))))
    assert (row.reason, row.tiers, row.measured, row.sentence) == (why, (), None, "")


@pytest.mark.parametrize(("size", "bounded"), [(8192, True), (8191, False), (4096, False)])
def test_a_byte_is_judged_from_eight_kib_on(size: int, bounded: bool) -> None:
    row = only(run(case("aes-128-ctr/encrypt", size, openssl=0.3446)))
    assert bool(row.tiers) is bounded and row.reason.startswith("measured up to") is not bounded


def test_without_a_spectrum_no_bound_is_known() -> None:
    for spectrum, why in (
        (None, "this run holds no spectrum"),
        (msgspec.structs.replace(SPECTRUM, refused="an emulator"), "no spectrum: an emulator"),
        (msgspec.structs.replace(SPECTRUM, figures=()), "this run holds no spectrum"),
    ):
        summary = run(case("aes-128-ctr/encrypt", 16384, openssl=0.3446), spectrum=spectrum)
        assert only(summary).reason.startswith(why)
    summary = run(case("aes-128-ctr/encrypt", 16384, openssl=0.3446), spectrum=None)
    (row,) = roofline_rows(MODELS, summary, SPECTRUM)
    assert row.tiers and not row.reason


def test_cycles_of_a_counter_without_a_probe_keep_the_harness() -> None:
    """How many cycles that takes is not known without a clock: it is left in, and nothing else is taken off."""
    lane = msgspec.structs.replace(samples("openssl@3.0", 100.0, ipc=None), cycles=(800_000,) * 31)
    (row,) = reduced(pass_record("md5/hash", 0, {}, lanes=(lane,), harness_ns=(2.0,)))
    assert (row.counted_cycles, row.cycle_ns, row.floor_ns) == (400.0, None, 98.0)
    probed = msgspec.structs.replace(samples("openssl@3.0", 100.0), cycles=(800_000,) * 31)
    (row,) = reduced(pass_record("md5/hash", 0, {}, lanes=(probed,), harness_ns=(2.0,)))
    assert (row.counted_cycles, row.cycle_ns) == (pytest.approx(392.0), 0.25)


def test_a_lane_without_a_figure_is_no_anchor() -> None:
    """Though its executable is the same in both runs, and it stands first by name."""

    def of(run_id: str, openssl: str) -> RunSummary:
        records: list[Record] = []
        for p in range(9):
            lanes = (samples(openssl, 1000.0), samples(ANCHOR, 2000.0), samples(OTHER, 500.0, ipc=4.0))
            records.append(pass_record(CASE, p, {}, lanes=lanes))
        plan = {CASE: (openssl, ANCHOR, OTHER)}
        return summarise(manifest(plan, settings=Settings(base=None), run_id=run_id), records)

    found = compare_runs(of("old", OLD), of("new", "openssl@3.1"))
    assert (found.base, [row.lane for row in found.rows if row.ratio]) == ("nettle", ["openssl"])


def test_a_published_machine_has_what_its_report_told() -> None:
    records = [
        ForeignRecord("rsa-2048/sign", "openssl@1.1", 5000.0),
        ForeignRecord("aes-128-cbc/encrypt/bytes=1000", "openssl@1.1", 2000.0),
        ForeignRecord("aes-128-cbc/encrypt/bytes=1000", "openssl@1.1:slow", 9000.0),
        ForeignRecord("aarch64.seq-mul/sequence", "instructions@1", 4.0),
        ForeignRecord("rsa-2048/verify", "openssl@1.1", cycles=100.0),
    ]
    told = manifest({})
    spectrum = msgspec.structs.replace(SPECTRUM, isa="aarch64", ghz=2.0, classic_us=1500.0)
    machine = msgspec.structs.replace(
        told.machine, cpu_model="Cortex; eight of them", system="Linux 5", hypervisor="guest"
    )
    found = published_machine(msgspec.structs.replace(told, spectrum=spectrum, machine=machine), records)
    assert (found.name, found.run_id, found.published, found.emulated) == ("Cortex, Linux guest", "run-1", True, False)
    assert (found.classic_us, found.ghz, found.isa) == (1500.0, 2.0, "aarch64")
    assert found.ns == {"rsa-2048/sign": {"openssl": 5000.0}, "aes-128-cbc/encrypt": {"openssl": 2e6}}
    assert (found.sequence_ns, found.sequence_cycles) == ({"mul": 4.0}, {"mul": 8.0})
    assert found.ratio("rsa-2048/sign", "aes-128-cbc/encrypt") == 0.0025 and found.paired == {}
    emulated = msgspec.structs.replace(told, machine=msgspec.structs.replace(machine, hypervisor="emulated"))
    bare = published_machine(emulated, records)
    assert (bare.name, bare.emulated, bare.ghz, bare.isa, bare.sequence_cycles) == ("Cortex, Linux", True, None, "", {})


def test_a_row_without_processes_says_what_became_of_its_lane() -> None:
    """Its detail, or its outcome where there is none."""
    rows = tuple(PageRow(name, ("1.0",), "md5/hash", "default", library=name) for name in ("openssl", "nettle"))
    page = PublishedPage("", "", "openssl", "", (), (Platform("a", "b", "c", "x86_64"),), (PublishedTable("t", ("ms/process",), rows),))  # fmt: skip
    cells = (
        CellSummary("md5/hash", "openssl@3.0", Outcome.UNSUPPORTED),
        CellSummary("md5/hash", ANCHOR, Outcome.UNSUPPORTED, "no MD5 here"),
    )
    made = run(msgspec.structs.replace(case("md5/hash", 16), case="md5/hash", size_bytes=None, cells=cells))
    (table,) = beside(page, made).tables
    assert [row.why for row in table.rows] == ["unsupported", "no MD5 here"]
    timed = msgspec.structs.replace(page, table=(msgspec.structs.replace(page.table[0], units=("us",)),))
    refused = (msgspec.structs.replace(cells[0], outcome=Outcome.OK, refused="contended"), cells[1])
    made = msgspec.structs.replace(made, cases=(msgspec.structs.replace(made.cases[0], cells=refused),))
    assert [row.why for row in beside(timed, made).tables[0].rows] == ["contended", "no MD5 here"]


@pytest.mark.parametrize("half", [Estimate(2.0, 1.0), Estimate(2.0, None, 3.0), Estimate(2.0)])
def test_half_an_interval_is_none(half: Estimate) -> None:
    assert divide(half, Estimate(1.0, 0.9, 1.1)) == divide(half, Estimate(1.0)) == Estimate(2.0)
    assert divide(Estimate(4.0, 3.0, 5.0), half) == Estimate(2.0)
    assert divide(Estimate(4.0, 3.0, 5.0), Estimate(2.0, 1.0, 4.0)) == Estimate(2.0, 0.75, 5.0)


def test_a_spectrum_that_lacks_nothing_is_no_warning() -> None:
    records = [pass_record(CASE, p, {OLD: 1000.0}) for p in range(9)]
    told = msgspec.structs.replace(manifest({CASE: (OLD,)}), spectrum=SPECTRUM)
    assert not any("instruction kernels" in one for one in summarise(told, records).warnings)
    spectrum = msgspec.structs.replace(SPECTRUM, missing=("x86-64.mulx/latency",))
    (said,) = [one for one in summarise(msgspec.structs.replace(told, spectrum=spectrum), records).warnings if "kernels" in one]  # fmt: skip
    assert said.startswith(f"1 of {1 + len(SPECTRUM.figures)} instruction kernels were never seen undisturbed")


def test_a_process_of_one_nanosecond_has_a_ratio_and_one_of_none_has_not() -> None:
    def cells(cpu_ns: int) -> dict[str, CellSummary]:
        told = {
            (CASE, lane): [ProcessRecord(CASE, lane, number, 10, ns, 5) for number in range(6)]
            for lane, ns in ((OLD, cpu_ns), (OTHER, 3))
        }
        return with_processes({lane: CellSummary(CASE, lane, Outcome.OK) for lane in (OLD, OTHER)}, told)

    one, other = cells(1).values()
    assert one.process is not None and one.process.ratio is None
    assert other.process is not None and other.process.ratio == Estimate(3.0, 3.0, 3.0)
    _, other = cells(0).values()
    assert other.process is not None and other.process.ratio is None


def test_the_interval_of_a_byte_is_that_of_its_call_over_its_bytes() -> None:
    row = only(run(case("aes-128-ctr/encrypt", 16384, openssl=0.5)))
    assert row.measured is not None
    assert (row.measured.value, row.measured.low, row.measured.high) == pytest.approx((0.5, 0.495, 0.505))
    assert only(run(case("aes-128-ctr/encrypt", 16384, openssl=0.5))).per == "byte"
