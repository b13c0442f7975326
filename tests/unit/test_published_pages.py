# SPDX-License-Identifier: Apache-2.0
"""A suite made after a published page: every figure of the page is there, and a run beside it is compared by how far rows part, in every form of the report."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import msgspec
import pytest
from store_example import manifest
from test_roofline_view import NOISE

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.published_pages import PublishedPage, load_page
from cipherstone.catalogue.suites import load_suite
from cipherstone.measure.plan import Offer, plan_run
from cipherstone.measure.proof import Capability
from cipherstone.model.errors import DataError
from cipherstone.model.ids import Case
from cipherstone.model.outcomes import Outcome
from cipherstone.model.published import Beside
from cipherstone.model.records import Settings
from cipherstone.model.summary import CaseSummary, CellSummary, Estimate, ProcessSummary, RunSummary, Spread
from cipherstone.report.blocks.published import apart_lines, lead, published_table
from cipherstone.report.render.html import render_html
from cipherstone.report.render.markdown import render_markdown
from cipherstone.report.render.terminal import render_terminal
from cipherstone.views.derive import derive
from cipherstone.views.published import NO_PROCESSES, NOT_IN_RUN, _parted, beside

ROOT = data_root()


def page() -> PublishedPage:
    found = load_page(ROOT, load_suite(ROOT, "bearssl"))
    assert found is not None
    return found


def test_every_figure_of_the_page_is_there() -> None:
    """76 rows; 69, 66, 69 and 59 figures of the four platforms. What its text tells of Clang is a row beside them, what it says of ECDSA two tables behind."""
    found = page()
    assert [one.id for one in found.platform] == ["amd64", "i386", "pwr8", "m0+"]
    rows = [(table, row) for table in found.table[:5] for row in table.row if "text" not in row.note]
    assert len(rows) == 76 and all(row.case for _, row in rows)
    counts = [sum(table.value(row, number) is not None for table, row in rows) for number in range(4)]
    assert counts == [69, 66, 69, 59]


def test_figures_have_the_unit_of_their_table() -> None:
    hashes, _, _, curves, rsa, ecdhe, *_, ecdsa, sums = page().table
    assert (hashes.unit, curves.unit, rsa.unit) == ("MB/s", "call/s", "call/s")
    assert (ecdhe.unit, ecdsa.unit, sums.unit) == ("call/s", "call/s", "ratio")
    assert hashes.value(hashes.row[2], 0) == 211.60 and hashes.value(hashes.row[2], 3) == pytest.approx(0.32008)
    assert rsa.row[3].label == "private, i62" and rsa.value(rsa.row[3], 1) is None


def test_every_implementation_that_it_names_is_one_of_the_library() -> None:
    """Those that this machine lacks are known by the library's own list too: what no worker lists would never be found in a run."""
    catalogue = load_catalogue(ROOT)
    adapter = "".join(path.read_text() for path in (ROOT / "libraries" / "bearssl").glob("*.[ch]"))
    words = set(re.findall(r"\w+", adapter))
    words |= {f"ec_{word}" for word in words}  # a macro writes "ec_" #EC
    assert "bearssl" in load_libraries(ROOT)
    for table in page().table:
        for row in table.row:
            if row.case:
                assert catalogue.known(Case.parse(row.case).operation), row.label
                for part in row.implementation.split("+"):
                    assert part == "default" or part in words, row.label


def test_a_suite_of_our_own_is_made_after_no_page() -> None:
    assert load_page(ROOT, load_suite(ROOT, "default")) is None


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"516.80"', '"-516.80"', "'md5': values: '-516.80' is no positive figure"),
        ('"516.80"', '"0.00"', "'md5': values: '0.00' is no positive figure"),
        ('"516.80", ', "", "'md5': 3 values"),
        ('label = "sha1"', 'label = "md5"', "'md5': stands twice"),
        ('case = "md5/hash/bytes=8192", ', "", "'md5': needs a case and an implementation, or why"),
        ("md5/hash/bytes=8192", "md5/hash/bytes=16", "'md5/hash/bytes=16' is not measured by the suite"),
        ('["MB/s", "MB/s", "MB/s", "kB/s"]', '["MB/s", "MB/s", "MB/s", "call/s"]', "'Hash functions': units"),
        ('["MB/s", "MB/s", "MB/s", "kB/s"]', '["MB/s", "MB/s", "kB/s"]', "'Hash functions': units"),
        ('["MB/s", "MB/s", "MB/s", "kB/s"]', '["MiB/s", "MB/s", "MB/s", "kB/s"]', "MiB/s"),
        ('build = "bearssl@0.6+Os"', 'build = "bearssl@0.6+O3"', "'bearssl@0.6+O3' is not measured by the suite"),
        ('parts = ["P-256, p256_m15 (FP)"]', 'parts = ["md5"]', "over its multiplications': over, parts"),
        ('parts = ["P-256, p256_m15 (FP)"]', 'under = "no such row"', "over its multiplications': over, under"),
    ],
)
def test_a_page_that_is_wrong_is_one_line(old: str, new: str, says: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "references", tmp_path / "references")
    (tmp_path / "algorithms").symlink_to(ROOT / "algorithms")
    path = tmp_path / "references" / "bearssl" / "tables.toml"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(DataError) as caught:
        load_page(tmp_path, load_suite(ROOT, "bearssl"))
    assert says in caught.value.message and "\n" not in caught.value.message


def case(name: str, ns: dict[str, float]) -> CaseSummary:
    """A case with a lane of BearSSL for each implementation, with an interval of 1 %."""
    cells = tuple(
        CellSummary(
            name,
            "bearssl@0.6" if implementation == "default" else f"bearssl@0.6:{implementation}",
            Outcome.OK,
            ns=Estimate(value, value * 0.99, value * 1.01),
        )
        for implementation, value in ns.items()
    )
    parsed = Case.parse(name)
    return CaseSummary(name, parsed.operation, parsed.operation, "hash", parsed.verb, parsed.size_bytes, "", (), cells)


def run() -> RunSummary:
    """Twice as fast as amd64, MD5 thrice, SHA-512 without a figure, X25519 by i15 as fast."""
    ns = {name: 8192e3 / rate for name, rate in {"md5": 3 * 516.80, "sha-1": 2 * 331.05, "sha-256": 2 * 211.60}.items()}
    cases = [case(f"{name}/hash/bytes=8192", {"default": value}) for name, value in ns.items()]
    failed = CellSummary(
        "sha-512/hash/bytes=8192", "bearssl@0.6", Outcome.OK, refused="0 of 16 batches undisturbed, 8 needed"
    )
    cases.append(msgspec.structs.replace(case("sha-512/hash/bytes=8192", {}), cells=(failed,)))
    cases.append(case("x25519/derive", {"default": 1e9 / 4, "ec_c25519_i15": 1e9 / 704.80, "ec_c25519_m31": 5e8 / 5708.51}))  # fmt: skip
    base = manifest()
    machine = msgspec.structs.replace(base.machine, architecture="x86_64")
    made = msgspec.structs.replace(base, machine=machine, suite="bearssl", spectrum=None)
    return RunSummary(made, tuple(cases), (), (), NOISE, "indicative", "")


def found() -> Beside:
    return beside(page(), run())


def test_rows_are_compared_by_how_far_they_part_from_the_others() -> None:
    one = found()
    amd64 = one.platforms[one.nearest]
    assert (amd64.id, amd64.rows) == ("amd64", 5) and amd64.factor == pytest.approx(2.0)
    rows = {row.label: row for table in one.tables for row in table.rows}
    assert rows["md5"].cells[0].ratio == pytest.approx(3.0) and rows["md5"].cells[0].apart == pytest.approx(1.5)
    assert rows["sha256"].cells[0].apart == pytest.approx(1.0)
    assert rows["Curve25519, c25519_i15"].cells[0].apart == pytest.approx(0.5)
    assert [text.partition(":")[0] for text in apart_lines(one)] == ["Curve25519, c25519_i15", "md5"]
    assert "in the median this run reaches 2.00 times amd64 (5 rows)" in lead(one)


def test_an_interval_of_a_time_is_one_of_a_rate() -> None:
    ours = found().tables[0].rows[0].ours
    assert ours is not None and ours.low is not None and ours.high is not None
    assert ours.low < ours.value < ours.high and ours.value == pytest.approx(3 * 516.80)


def test_a_row_without_a_figure_says_why() -> None:
    rows = {row.label: row for table in found().tables for row in table.rows}
    assert rows["sha512"].why == "0 of 16 batches undisturbed, 8 needed" and rows["sha512"].ours is None
    assert rows["private, i62"].why == NOT_IN_RUN
    assert rows["Poly1305, i15"].why == NOT_IN_RUN and rows["Poly1305, i15"].cells[0].published == 49.32


def test_quotients_part_from_nothing() -> None:
    """They are of one machine each: how fast it is has gone out of them."""
    one = found()
    table = next(table for table in one.tables if table.unit == "ratio")
    row = table.rows[0]
    known = msgspec.structs.replace(row, cells=tuple(msgspec.structs.replace(cell, ratio=2.0) for cell in row.cells))
    kept = _parted(msgspec.structs.replace(table, rows=(known,)), one.platforms)
    assert [(cell.ratio, cell.apart) for cell in kept.rows[0].cells] == [(2.0, None)] * len(row.cells)


def of_builds(name: str, implementation: str, **ns: float) -> CaseSummary:
    """A case of one implementation in several builds, named with _ for +."""
    lanes = {f"bearssl@0.6{word.replace('_', '+')}:{implementation}": value for word, value in ns.items()}
    cells = tuple(
        CellSummary(name, lane, Outcome.OK, ns=Estimate(value, value, value)) for lane, value in lanes.items()
    )
    return msgspec.structs.replace(case(name, {}), cells=cells)


def test_a_platform_may_have_a_build_of_its_own() -> None:
    """The system's library as fast as amd64, the one compiled as the page's twice as fast, and for 32 bits four times as fast as i386."""
    name = "p-256/multiply-base"
    made = msgspec.structs.replace(
        run(),
        cases=(of_builds(name, "ec_p256_m31", **{"": 1e9 / 2791.22, "_0.6_Os": 5e8 / 2791.22, "_0.6_Os_i386": 2.5e8 / 1409.64}),),
    )  # fmt: skip
    one = beside(page(), made)
    rows = {row.label: row for table in one.tables for row in table.rows}
    row = rows["P-256, p256_m31 (FP)"]
    assert row.lane == "bearssl@0.6+0.6+Os:ec_p256_m31"
    assert [cell.ratio for cell in row.cells[:2]] == pytest.approx([2.0, 4.0])
    assert row.cells[1].ours is not None and row.cells[1].ours.value == pytest.approx(4 * 1409.64)
    assert row.cells[0].ours is None and rows["P-256, p256_m15 (FP)"].cells[1].ours is None
    table = next(table for table in one.tables if row in table.rows)
    assert published_table(one, table).head[:8] == ("row", "here, call/s", "amd64", "ours/it", "apart", "i386", "bearssl@0.6+Os+i386", "ours/it")  # fmt: skip


def test_a_signature_stands_beside_the_sum_of_its_multiplications() -> None:
    """Of 2, 4 and 7 ms: 7 over 6 ms; nothing where one of them is missing, and the same by the build of 32 bits alone."""
    cases = (
        of_builds("p-256/multiply-base", "ec_p256_m31", **{"_0.6_Os": 2e6, "_0.6_Os_i386": 20e6}),
        of_builds("p-256/derive", "ec_p256_m31", **{"_0.6_Os": 4e6, "_0.6_Os_i386": 40e6}),
        of_builds("ecdsa-p256-sha256/verify", "ecdsa_i31+ec_p256_m31", **{"_0.6_Os": 7e6, "_0.6_Os_i386": 72e6}),
        of_builds("ecdsa-p256-sha256/verify", "ecdsa_i15+ec_p256_m15", **{"_0.6_Os": 7e6}),
    )
    merged = (*cases[:2], msgspec.structs.replace(cases[2], cells=cases[2].cells + cases[3].cells))
    one = beside(page(), msgspec.structs.replace(run(), cases=merged))
    rows = {row.label: row for row in one.tables[-1].rows}
    row = rows["ECDSA verify, i31, p256_m31, over its multiplications"]
    assert row.ours is not None and row.ours.value == pytest.approx(7 / 6) and not row.why
    assert row.cells[1].ours is not None and row.cells[1].ours.value == pytest.approx(1.2)
    assert row.cells[0].published is None and "10 to 20 %" in row.note
    missing = rows["ECDSA verify, i15, p256_m15, over its multiplications"]
    assert missing.ours is None and missing.why == NOT_IN_RUN


def test_an_exchange_of_keys_stands_beside_two_multiplications() -> None:
    """Of 2 and 4 ms: 6 ms; on the page of 1857 and 2791.22 a second. It counts in no median, since its parts do."""
    cases = (
        of_builds("p-256/multiply-base", "ec_p256_m31", **{"_0.6_Os": 2e6}),
        of_builds("p-256/derive", "ec_p256_m31", **{"_0.6_Os": 4e6}),
    )
    one = beside(page(), msgspec.structs.replace(run(), cases=cases))
    rows = {row.label: row for table in one.tables for row in table.rows}
    row = rows["ECDHE on P-256, a side, p256_m31"]
    assert row.ours is not None and row.ours.value == pytest.approx(1e3 / 6)
    assert row.cells[0].published == pytest.approx(1 / (1 / 1857 + 1 / 2791.22)) and one.platforms[0].rows == 2
    assert row.cells[0].ratio == pytest.approx(row.ours.value / row.cells[0].published)
    missing = rows["ECDHE on P-256, a side, p256_m15"]
    assert (missing.ours, missing.why, missing.cells[0].ratio) == (None, NOT_IN_RUN, None)


def test_figures_of_two_tasks_have_no_ratio_but_a_reason() -> None:
    """The published division divides nothing, whatever the run's takes."""
    found_page = load_page(ROOT, load_suite(ROOT, "cryptobench"))
    assert found_page is not None
    division = of_builds("bignum/div-mod/bits=2048", "default", **{"": 2000.0})
    cells = tuple(msgspec.structs.replace(one, lane="openssl@3.0.19") for one in division.cells)
    made = msgspec.structs.replace(run(), cases=(msgspec.structs.replace(division, cells=cells),))
    one = beside(found_page, made)
    (row,) = (row for table in one.tables for row in table.rows if row.label == "OpenSSL, Divide (reciprocal)")
    assert row.ours is not None and row.cells[0].published == 0.03026 and row.cells[0].ratio is None
    assert "nothing is divided" in row.incomparable and all(platform.rows == 0 for platform in one.platforms)
    text = " ".join(render_terminal(msgspec.structs.replace(made, published=one), 120, False).split())
    assert "no ratio" in text and "OpenSSL, Divide (reciprocal): the dividend there is shorter" in text


def test_small_machines_are_compared_in_the_same_unit() -> None:
    m0 = found().platforms[3]
    assert m0.factor is not None and 500 < m0.factor < 2000  # sha256: 423.2 over 0.320 MB/s


def test_every_form_of_the_report_has_it() -> None:
    summary = derive(run(), ROOT, {})
    assert summary.published == found() and "references/bearssl/tables.toml" in summary.models
    for width in (80, 120):
        text = render_terminal(summary, width, False)
        assert max(map(len, text.splitlines())) <= width
        assert "And beside the published figures?" in text and "516.80" in text
        assert "Curve25519, c25519_i15: 0.50 times what amd64" in " ".join(text.split())
        assert "355.03" in text  # of RSA, which the run has not
        assert f"private, i15; private, i31; private, i32 and 6 more: {NOT_IN_RUN}." in " ".join(text.split())
    marked = render_markdown(summary)
    assert "| md5 | 1600 | 516.80 | 3.0 | 1.5 |" in marked
    page_text = render_html(summary, (), "")
    assert 'id="published"' in page_text and "516.80" in page_text and 'href="#published"' in page_text


def test_other_runs_have_none_of_it() -> None:
    summary = run()
    summary = derive(msgspec.structs.replace(summary, manifest=msgspec.structs.replace(summary.manifest, suite="default")), ROOT, {})  # fmt: skip
    assert summary.published is None
    assert "published" not in render_terminal(summary, 80, False) and 'id="published"' not in render_html(summary, (), "")  # fmt: skip


# -- the survey of whole programs ------------------------------------------------------------------------------------------------


def survey_page() -> PublishedPage:
    found = load_page(ROOT, load_suite(ROOT, "survey"))
    assert found is not None
    return found


def whole(name: str, lane: str, cpu_ms: float | None, rss_kib: float = 0.0) -> CellSummary:
    """A lane with whole processes; without them where `cpu_ms` is None."""
    if cpu_ms is None:
        return CellSummary(name, lane, Outcome.OK, ns=Estimate(1.0))

    def like(mean: float) -> Spread:
        return Spread(mean, mean / 10, Estimate(mean / 2), mean, mean, mean, mean)

    return CellSummary(name, lane, Outcome.OK, process=ProcessSummary(30, like(9e9), like(cpu_ms * 1e6), like(rss_kib)))


def survey_run() -> RunSummary:
    """OpenSSL takes half of the published time, for RSA a quarter, and twice the memory; Libgcrypt has no processes, wolfSSL was wrong."""
    cells = {
        "sha-256/hash/bytes=4096": (0.31, 2 * 2581.33),
        "aes-128-cbc/encrypt/bytes=4096": (0.325, 2 * 2686.27),
        "rsa-2048/keygen": (78.3 / 4, 2 * 3845.7),
    }
    cases = []
    for name, (cpu_ms, rss_kib) in cells.items():
        lanes = [whole(name, "openssl@3.0.19", cpu_ms, rss_kib), whole(name, "libgcrypt@1.10.1", None)]
        lanes.append(CellSummary(name, "wolfssl@5.5.4", Outcome.WRONG, "as a process of its own: rejected"))
        cases.append(msgspec.structs.replace(case(name, {}), cells=tuple(lanes)))
    base = manifest()
    machine = msgspec.structs.replace(base.machine, architecture="x86_64")
    made = msgspec.structs.replace(base, machine=machine, suite="survey", spectrum=None)
    return RunSummary(made, tuple(cases), (), (), NOISE, "indicative", "")


def test_the_survey_has_every_mean_of_the_report() -> None:
    """Five tables of four libraries and one of three, a time and a memory each."""
    found = survey_page()
    rows = [(table, row) for table in found.table for row in table.row]
    assert [sum(table.value(row, number) is not None for table, row in rows) for number in (0, 1)] == [23, 23]
    by_label = {row.label: (table, row) for table, row in rows}
    table, row = by_label["Libgcrypt: P-256 key, time"]
    assert (table.unit, table.library, table.value(row, 0)) == ("ms/process", "libgcrypt", 12.31)
    table, row = by_label["wolfSSL: RSA-2048 key, memory"]
    assert (table.unit, table.value(row, 0), table.value(row, 1)) == ("KiB/process", None, 2278.0)
    # Parameter generation is what takes the time of its key.
    assert {row.case for _, row in rows if "DSA" in row.label} == {"dsa-2048-sha256/paramgen"}
    assert all(not row.case for _, row in rows if "X.509" in row.label)
    assert "repeats table IV" in by_label["OpenSSL: X.509 certificate, time"][1].why


def test_the_suite_measures_whole_processes_of_the_reports_tasks() -> None:
    suite = load_suite(ROOT, "survey")
    settings = suite.apply(Settings())
    assert (settings.processes, settings.max_time_s) == (30, 560)
    later = {f"dsa-2048-sha256/{verb}" for verb in ("keygen", "sign", "verify")}  # what the report leaves to later work
    published = {row.case for table in survey_page().table for row in table.row} - {""}
    certificate = {"x509-rsa-2048/issue"}  # a task of the report, whose table repeats another one's figures
    assert {case.id for case in suite.cases} == published | later | certificate
    assert not published & (later | certificate)


def test_a_suite_is_planned_at_sizes_of_its_own() -> None:
    """4 KiB is on the curve of neither operation."""
    suite = load_suite(ROOT, "survey")
    catalogue = load_catalogue(ROOT)
    offer = Offer("openssl", "3.0", {(case.operation, "default"): Capability(case.operation, "default") for case in suite.cases}, {})  # fmt: skip
    plan = plan_run(catalogue, load_libraries(ROOT, catalogue), [offer], suite, None, "openssl")
    assert {planned.case for planned in plan.cases} == {case.id for case in suite.cases}


def test_of_processes_less_is_better_and_time_is_not_mixed_with_memory() -> None:
    one = beside(survey_page(), survey_run())
    time, memory = one.platforms
    assert (time.id, time.rows, memory.id, memory.rows) == ("time", 3, "memory", 3)
    assert time.factor == pytest.approx(2.0) and memory.factor == pytest.approx(0.5)
    rows = {row.label: row for table in one.tables for row in table.rows}
    rsa = rows["OpenSSL: RSA-2048 key, time"]
    assert rsa.ours is not None and rsa.ours.value == pytest.approx(78.3 / 4)
    assert rsa.cells[0].ratio == pytest.approx(4.0) and rsa.cells[0].apart == pytest.approx(2.0)
    assert rows["OpenSSL: SHA-256, 4 KiB, memory"].cells[1].ratio == pytest.approx(0.5)
    assert rows["Libgcrypt: SHA-256, 4 KiB, time"].why == NO_PROCESSES
    assert rows["wolfSSL: SHA-256, 4 KiB, time"].why == "as a process of its own: rejected"
    assert rows["BoringSSL: SHA-256, 4 KiB, time"].why == NOT_IN_RUN
    assert [text.partition(": 2")[0] for text in apart_lines(one)] == ["OpenSSL: RSA-2048 key, time"]


def test_a_mean_of_few_that_differ_much_is_no_finding() -> None:
    """60 ms of 6 keys with a deviation of 36: slower by half than all rows lead one to expect, or by chance; of 30 keys it is a finding."""

    def found_of(samples: int) -> list[str]:
        made = survey_run()
        cases = list(made.cases)
        (rsa,) = (one for one in cases if one.case == "rsa-2048/keygen")
        spread = Spread(60e6, 36e6, Estimate(60e6), 1.0, 1.0, 1.0, 1.0)
        memory = Spread(4000.0, 50.0, Estimate(4000.0), 1.0, 1.0, 1.0, 1.0)
        cell = msgspec.structs.replace(rsa.cells[0], process=ProcessSummary(samples, spread, spread, memory))
        cases[cases.index(rsa)] = msgspec.structs.replace(rsa, cells=(cell, *rsa.cells[1:]))
        one = beside(survey_page(), msgspec.structs.replace(made, cases=tuple(cases)))
        rows = {row.label: row for table in one.tables for row in table.rows}
        row = rows["OpenSSL: RSA-2048 key, time"]
        assert (row.deviation, row.samples, row.cells[0].deviation) == (36.0, samples, "36.6")
        ours, theirs = 36 / 60 / samples**0.5, 36.6 / 78.3 / 30**0.5
        assert row.cells[0].noise == pytest.approx((ours**2 + theirs**2) ** 0.5)
        assert row.cells[0].apart == pytest.approx(78.3 / 60 / 2)
        return [text.partition(", time")[0] for text in apart_lines(one) if ", time" in text]

    assert found_of(30) == ["OpenSSL: RSA-2048 key"]
    assert found_of(6) == []


def test_a_table_has_the_columns_of_which_figures_were_published() -> None:
    one = beside(survey_page(), survey_run())
    heads = {table.title: published_table(one, table).head for table in one.tables}
    assert heads["OpenSSL, time"] == ("row", "here, ms/process", "sd", "time", "sd", "ours/it", "apart")
    assert heads["OpenSSL, memory"] == ("row", "here, KiB/process", "sd", "memory", "sd", "ours/it", "apart")
    marked = render_markdown(derive(survey_run(), ROOT, {}))
    assert "| OpenSSL: RSA-2048 key, time | 20 | 1.96 | 78.3 | 36.6 | 4.0 | 2.0 |" in marked


def test_figure_1_is_drawn_from_the_rows() -> None:
    """Six tasks, 23 published bars; ours beside those of which this run has processes."""
    one = beside(survey_page(), survey_run())
    (chart,) = one.bars
    assert chart.title.startswith("Figure 1") and len(chart.groups) == 6
    assert sum(len(group.rows) for group in chart.groups) == 23
    page = render_html(derive(survey_run(), ROOT, {}), (), "")
    drawn = re.search(r'<svg[^>]*class="chart beside".*?</svg>', page)
    assert drawn is not None
    assert drawn[0].count('fill="none" stroke=') - drawn[0].count("<svg") >= 22 and drawn[0].count("<rect") == 23 + 3
    assert "7.51" in drawn[0] and "3.76" in drawn[0]  # MiB: twice 3845.7 KiB, and that


def test_a_chart_of_rows_that_are_not_there_is_refused(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "references", tmp_path / "references")
    (tmp_path / "algorithms").symlink_to(ROOT / "algorithms")
    path = tmp_path / "references" / "survey" / "tables.toml"
    path.write_text(path.read_text().replace('rows = ["OpenSSL: RSA', 'rows = ["Crypto: RSA', 1))
    with pytest.raises(DataError, match="'Crypto: RSA-2048 key, memory' is no row"):
        load_page(tmp_path, load_suite(ROOT, "survey"))


def test_units_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "references", tmp_path / "references")
    (tmp_path / "algorithms").symlink_to(ROOT / "algorithms")
    path = tmp_path / "references" / "survey" / "tables.toml"
    path.write_text(path.read_text().replace('["ms/process", "ms/process"]', '["ms/process", "KiB/process"]', 1))
    with pytest.raises(DataError, match="'OpenSSL, time': units"):
        load_page(tmp_path, load_suite(ROOT, "survey"))
