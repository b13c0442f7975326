# SPDX-License-Identifier: Apache-2.0
"""The page with libraries across: cryptobench's 17 reports are whole, each row beside what computes the same, and a run of its suite shows one machine, folds the others, and has ratios and scores."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest
from store_example import manifest
from test_roofline_view import NOISE

from cipherstone.catalogue.libraries import load_labs, load_libraries
from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.published_pages import PublishedPage, is_scored, kernels_of, load_page
from cipherstone.catalogue.suites import load_suite
from cipherstone.isa.table import ISAS
from cipherstone.model.errors import DataError
from cipherstone.model.ids import Case, read_build
from cipherstone.model.outcomes import Outcome
from cipherstone.model.published import Beside, InstructionLine, PublishedLine
from cipherstone.model.records import KernelFigure, Spectrum
from cipherstone.model.summary import CaseSummary, CellSummary, Estimate, RunSummary
from cipherstone.operations.kernels import kernel_catalogue
from cipherstone.report.blocks.published import lead
from cipherstone.report.render.html import render_html
from cipherstone.report.render.markdown import render_markdown
from cipherstone.report.render.terminal import render_terminal
from cipherstone.views.derive import derive
from cipherstone.views.published import beside
from cipherstone.views.published_instructions import beside_instructions

ROOT = data_root()
I7, LAPTOP = 3, 2  # places of two x86-64 machines


def page() -> PublishedPage:
    found = load_page(ROOT, load_suite(ROOT, "cryptobench"))
    assert found is not None
    return found


def test_every_time_of_the_reports_is_there() -> None:
    """17 reports; 20 RSA rows of five libraries, 4 AES rows of five and of Arm64's, 18 of arithmetic, less those that were given up."""
    found = page()
    assert len(found.platform) == 17 and len({one.id for one in found.platform}) == 17
    assert all(one.reference_us > 0 and "OpenSSL" in one.versions for one in found.platform)
    times = [row for table in found.table if table.unit == "us" for row in table.row if set(row.values) != {"-"}]
    assert len(times) == 20 * 5 + 4 * 6 + 18
    i7 = {row.label: row.values[I7] for row in times}
    # 5,124,485 us in 297,621 iterations; 5,000,685 in 11,646
    assert i7["OpenSSL, RSA-2048 encryption"] == "17.22"
    assert i7["OpenSSL, AES-128-CBC encryption, context per call"] == "429.4"
    assert i7["Arm64 intrinsics, AES-128-CBC encryption, context per call"] == "-"


def test_a_row_stands_beside_the_padding_that_it_has() -> None:
    """Mbed TLS signs with PSS whatever its author says; GnuTLS encrypts with v1.5; the others with OAEP."""
    rows = {row.label: row for table in page().table for row in table.row}
    assert rows["Mbed TLS, RSA-2048 signature"].case == "rsa-2048-pss-sha256/sign"
    assert rows["GnuTLS, RSA-2048 encryption with rekeying"].case == "rsa-2048-pkcs1/public-encrypt/key=fresh"
    assert rows["OpenSSL, RSA-4096 decryption"].case == "rsa-4096-oaep-sha256/private-decrypt"
    assert "2048 bits alone" in rows["GnuTLS, RSA-4096 encryption"].why


def test_libraries_and_implementations_are_ours() -> None:
    libraries = load_libraries(ROOT) | load_labs(ROOT)
    adapter = (ROOT / "libraries" / "openssl" / "adapter_bignum.c").read_text()
    for table in page().table:
        for row in table.row:
            assert not row.case or read_build(row.library)[0] in libraries, row.label
            assert row.implementation in ("", "default") or f'"{row.implementation}"' in adapter, row.label


def test_only_suites_of_scored_pages_need_the_reference_test() -> None:
    assert is_scored(ROOT, "cryptobench")
    assert not any(is_scored(ROOT, name) for name in ("bearssl", "default", "no-such-suite"))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('over = "OpenSSL, RSA-2048 decryption"', 'over = "OpenSSL, RSA-1024"', "over, under: needs two labels"),
        ('operation = "encryption", column = "OpenSSL"', 'operation = "encryption"', "operation, column: both"),
        ('operation = "encryption", column = "Mbed TLS"', 'operation = "encryption", column = "OpenSSL"', "no place twice"),
        ('units = ["us"]', 'units = ["us", "us"]', "units one for each platform, or one for all"),
    ],
)  # fmt: skip
def test_a_page_that_is_wrong_is_one_line(old: str, new: str, says: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "references", tmp_path / "references")
    (tmp_path / "algorithms").symlink_to(ROOT / "algorithms")
    path = tmp_path / "references" / "cryptobench" / "tables.toml"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(DataError) as caught:
        load_page(tmp_path, load_suite(ROOT, "cryptobench"))
    assert says in f"{caught.value.message} {caught.value.hint}" and "\n" not in caught.value.message


def run(classic_us: float | None = 2000.0) -> RunSummary:
    """Every row takes half of what it took on the i7-8565U; LibTomCrypt with GMP a quarter; OpenSSL's kept AES 100 us."""
    cells: dict[str, dict[str, float]] = {}
    for table in page().table:
        for row in table.row:
            if row.case:
                library, variant = read_build(row.library)
                lane = f"{library}@1.0{'+' + variant if variant else ''}"
                lane += "" if row.implementation == "default" else f":{row.implementation}"
                us = table.value(row, LAPTOP)
                cells.setdefault(row.case, {})[lane] = 1e3 * (100.0 if us is None else us / (4 if variant else 2))
    cases = []
    for name, lanes in cells.items():
        case = Case.parse(name)
        found = tuple(CellSummary(name, lane, Outcome.OK, ns=Estimate(ns, ns * 0.999, ns * 1.001)) for lane, ns in lanes.items())  # fmt: skip
        cases.append(CaseSummary(name, case.operation, case.operation, "sig", case.verb, case.size_bytes, "", (), found))  # fmt: skip
    base = manifest()
    made = msgspec.structs.replace(
        base,
        machine=msgspec.structs.replace(base.machine, architecture="x86_64"),
        suite="cryptobench",
        spectrum=Spectrum("x86-64", classic_us=classic_us),
    )
    return RunSummary(made, tuple(cases), (), (), NOISE, "indicative", "")


def rows(found: Beside) -> dict[str, PublishedLine]:
    return {row.label: row for table in found.tables for row in table.rows}


def test_times_are_compared_as_times() -> None:
    """Half the time is twice as fast."""
    found = beside(page(), run())
    laptop = found.platforms[LAPTOP]
    assert laptop.factor == pytest.approx(2.0) and laptop.id == "i7-8565U, Linux"
    line = rows(found)["OpenSSL, RSA-2048 signature"]
    assert line.cells[LAPTOP].ratio == pytest.approx(2.0) and line.cells[LAPTOP].apart == pytest.approx(1.0)
    assert line.ours is not None and line.ours.value == pytest.approx((line.cells[LAPTOP].published or 0) / 2)
    gmp = rows(found)["LibTomCrypt, GMP, RSA-2048 signature"]
    assert gmp.lane == "libtomcrypt@1.0+gmp" and gmp.cells[LAPTOP].ratio == pytest.approx(4.0)


def test_the_nearest_is_the_machine_of_this_kind_whose_median_is_closest() -> None:
    found = beside(page(), run())
    factors = {one.id: one.factor or 0.0 for one in found.platforms if one.id.startswith(("i7", "Xeon"))}
    nearest = found.platforms[found.nearest]
    assert nearest.id == min(factors, key=lambda name: max(factors[name], 1 / factors[name]))
    assert f"{nearest.id} (" in lead(found) and "the likest of 17" in lead(found)


def test_ratios_are_of_rows() -> None:
    found = beside(page(), run())
    line = rows(found)["OpenSSL, RSA-2048 signature over verification"]
    sign, verify = (rows(found)[f"OpenSSL, RSA-2048 {verb}"].cells[LAPTOP].published or 0 for verb in ("signature", "verification"))  # fmt: skip
    assert line.ours is not None and line.ours.value == pytest.approx(sign / verify)
    assert line.cells[LAPTOP].ratio == pytest.approx(1.0) and line.cells[LAPTOP].apart is None


def test_a_kept_context_has_no_published_time() -> None:
    line = rows(beside(page(), run()))["OpenSSL, AES-128-CBC encryption, kept context"]
    assert line.ours is not None and line.ours.value == pytest.approx(100.0)
    assert {cell.printed for cell in line.cells} == {"-"}


def test_every_form_of_the_report_has_it() -> None:
    summary = derive(run(), ROOT, {})
    assert summary.published is not None and summary.published.reference_us == 2000.0
    for width in (80, 120):
        text = render_terminal(summary, width, False)
        assert max(map(len, text.splitlines())) <= width and "the likest of 17" in " ".join(text.split())
    marked = render_markdown(summary)
    assert "| us a call | OpenSSL | Mbed TLS | GnuTLS | LibTomCrypt | LibTomCrypt, GMP |" in marked
    html = render_html(summary, (), "")
    assert html.count('id="published-') >= 16 and "Arm64 intrinsics" in html and len(html) < 3_000_000
    # 100 us of 2000
    assert "The publication&#39;s score" in html and "50.0" in html and "divisions subtract" in html
    without = render_html(derive(run(None), ROOT, {}), (), "")
    assert "the reference test was not run with this run" in without


def costs(kernels: dict[str, float], isa: str = "x86-64", ghz: float | None = 2.0) -> Spectrum:
    return Spectrum(isa, tuple(KernelFigure(name, value, value, value) for name, value in kernels.items()), ghz=ghz)


def instructions(spectrum: Spectrum | None) -> dict[str, dict[str, InstructionLine]]:
    tables = beside_instructions(page().instructions, spectrum)
    return {table.title: {row.label: row for row in table.rows} for table in tables}


def test_the_tables_of_instructions_are_as_published() -> None:
    """Of the README: four latencies, three forms of a function, twelve sequences on six cores, of which two are printed as 0.000."""
    latency, exchanged, sequences = page().instructions
    assert [row.values for row in latency.row] == [("2(1)", "2(1)"), ("2(1)", "2(1)"), ("4(3)", "2(1)"), ("5(3)", "3")]
    assert [row.values[0] for row in exchanged.row] == ["4.82", "4.13", "1.06"]
    assert len(sequences.row) == 12 and len(sequences.cores) == 6
    rows = {row.label: row.values for row in sequences.row}
    assert rows["NOP"] == ("0.419", "0.043", "0.000", "0.000", "0.020", "0.011")
    assert rows["MUL ADD UMULH ADD"] == ("0.835", "0.501", "0.092", "0.064", "0.064", "0.035")


def test_every_kernel_beside_them_is_in_the_laboratory() -> None:
    for isa in ISAS:
        assert page().kernels(isa) and page().kernels(isa) <= set(kernel_catalogue(ROOT, isa).operations)
        assert kernels_of(ROOT, "cryptobench", isa) == page().kernels(isa) and not kernels_of(ROOT, "default", isa)
    assert {"aarch64.mul-w/latency", "aarch64.madd-w/latency"} <= page().kernels("aarch64")


def test_ours_stand_in_the_unit_of_the_table() -> None:
    sums = {"x86-64.mont-inner/sequence": 1.2, "x86-64.mont-inner-imul/sequence": 0.9}
    found = instructions(costs({"x86-64.imul-32/latency": 3.0, "x86-64.imul/throughput": 1.0, **sums}))
    short = found["Latency of multiplications"]["MUL, W form (32 bits)"]
    assert (short.ours, short.kernel, short.why) == (3.0, "x86-64.imul-32/latency", "")
    assert found["Mean time of an instruction in a sequence"]["MUL"].ours == 0.5
    whole = found["Montgomery multiplication with instructions exchanged"]
    assert whole["OpenSSL's code"].ours == 1.0 and whole["MUL in place of UMULH"].ours == pytest.approx(0.75)
    arm = instructions(costs({"aarch64.mul-w/latency": 2.0}, "aarch64"))
    assert arm["Latency of multiplications"]["MUL, W form (32 bits)"].ours == 2.0


def test_a_row_without_a_figure_says_why() -> None:
    found = instructions(costs({"x86-64.imul/throughput": 1.0}, ghz=None))
    assert "x86-64 has no such instruction" in found["Latency of multiplications"]["MADD, W form (32 bits)"].why
    assert [row.label for table in page().instructions for row in table.row if "x86-64" not in row.here] == [
        "MADD, W form (32 bits)",
        "ADC",
    ]
    assert found["Latency of multiplications"]["UMULH"].why == "never seen undisturbed in this run"
    assert found["Mean time of an instruction in a sequence"]["MUL"].why == "the core clock is not known"
    assert {row.why for table in instructions(None).values() for row in table.values()} == {
        "the run measured no instructions"
    }
    refused = instructions(Spectrum("x86-64", refused="emulated"))
    assert refused["Latency of multiplications"]["UMULH"].why == "emulated"


def test_a_kernel_of_products_stands_by_its_instructions() -> None:
    """6 cycles a product of three instructions, at 2 GHz: 1 ns an instruction, and 55 of them in 16 products of the inner loop."""
    seen = costs(
        {"x86-64.mulx-adc-adc/sequence": 6.0, "x86-64.mont-inner/sequence": 5.5, "x86-64.nop/sequence": 0.2}, ghz=2.0
    )
    rows = instructions(seen)["Mean time of an instruction in a sequence"]
    assert rows["MUL ADCS UMULH ADCS"].ours == pytest.approx(1.0)
    assert rows["Full OpenSSL sequence (MUL, ADCS)"].ours == pytest.approx(5.5 * 16 / 55 / 2)
    assert rows["NOP"].ours == pytest.approx(0.1)


def test_the_tables_stand_in_every_form_of_the_report() -> None:
    made = msgspec.structs.replace(run(), published=beside(page(), run()))
    for text in (render_html(made, (), "x"), render_markdown(made), render_terminal(made, 120, False)):
        assert "Latency of multiplications" in text and "4(3)" in text.replace("\\", "")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('values = ["5(3)", "3"]', 'values = ["5(3)"]', "1 values"),
        ('values = ["5(3)", "3"]', 'values = ["5(3", "3"]', "is no cost"),
        ('x86-64 = "x86-64.imul-32/latency"', 'x86-64 = "aarch64.mul/latency"', "is no kernel of 'x86-64'"),
    ],
)
def test_a_table_of_instructions_that_is_wrong_is_one_line(old: str, new: str, says: str, tmp_path: Path) -> None:
    test_a_page_that_is_wrong_is_one_line(old, new, says, tmp_path)
