# SPDX-License-Identifier: Apache-2.0
"""The suite made after a comparison of two TLS libraries: every figure, and a run beside it, whose figures are those of client and server together."""

from __future__ import annotations

import msgspec
import pytest
from store_example import manifest
from test_roofline_view import NOISE

from cipherstone.catalogue.algorithms import catalogue_of_checkout
from cipherstone.catalogue.composed import composed
from cipherstone.catalogue.libraries import load_labs
from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.published_pages import PublishedPage, load_page
from cipherstone.catalogue.suites import load_suite
from cipherstone.model.errors import UsageError
from cipherstone.model.ids import Case
from cipherstone.model.outcomes import Outcome
from cipherstone.model.published import Beside
from cipherstone.model.summary import CaseSummary, CellSummary, Estimate, RunSummary
from cipherstone.report.blocks.published import published_table
from cipherstone.report.render.html import render_html
from cipherstone.report.render.markdown import render_markdown
from cipherstone.report.render.terminal import render_terminal
from cipherstone.views.derive import derive
from cipherstone.views.published import NOT_IN_RUN, beside

ROOT = data_root()
SUITE = "tls-blog"
MS = 1e6
X25519, P256, P384, ED25519 = (
    f"version=1.2,group={group},cert={cert},mode=full,suite=aes-256-gcm,chain=1,ca=rsa-2048"
    for group, cert in (("x25519", "p-256"), ("p-256", "p-256"), ("p-384", "p-256"), ("x25519", "ed25519"))
)


def page() -> PublishedPage:
    found = load_page(ROOT, load_suite(ROOT, SUITE))
    assert found is not None
    return found


def case(side: str, params: str, **ms: float) -> CaseSummary:
    """Builds by name, with _ for -, and an interval of 1 %."""
    name = f"tls/handshake-{side}/{params}"
    cells = tuple(
        CellSummary(
            name, f"tls@1.0{variant}", Outcome.OK, ns=Estimate(value * MS, value * 0.99 * MS, value * 1.01 * MS)
        )
        for variant, value in ms.items()
    )
    parsed = Case.parse(name)
    title = catalogue_of_checkout().operations[parsed.operation].title
    return CaseSummary(name, parsed.operation, title, "tls", parsed.verb, None, "", (), cells)


def run() -> RunSummary:
    """Mbed TLS takes 2 ms, BoringSSL's client 0.3 ms and its server 0.1 ms; without instructions 0.4 and 0.2 ms."""
    boringssl, masked = "+boringssl", "+boringssl~noaccel"
    cases = (
        case("client", X25519, **{boringssl: 0.3, masked: 0.4}),
        case("client", P384, **{"+mbedtls": 2.0, "+mbedtls-3.6+noasm": 2.2}),
        case("server", P384, **{boringssl: 0.1, masked: 0.2}),
        case("server", X25519, **{"+mbedtls": 1.0, boringssl: 0.1, masked: 0.2}),
        case("client", P256, **{"+mbedtls": 2.0, boringssl: 0.3}),
        case("client", ED25519, **{boringssl: 0.2}),
        case("server", ED25519, **{boringssl: 0.1}),
    )
    made = msgspec.structs.replace(manifest(), suite=SUITE, spectrum=None)
    return RunSummary(made, cases, (), (), NOISE, "indicative", "")


def rows(found: Beside) -> dict[str, float | None]:
    return {row.label: row.ours.value if row.ours is not None else None for table in found.tables for row in table.rows}


def test_every_figure_of_the_page_is_there() -> None:
    """Three tables of two libraries, and data of two of them; three kinds of certificates, and quotients."""
    found = page()
    assert [len(table.row) for table in found.table] == [4, 4, 4, 3, 2, 4, 4, 4]
    assert [table.unit for table in found.table] == ["s/200"] * 3 + ["s/500", "ratio", "s/16384", "s/16384", "ratio"]
    times = [[table.value(row, 0) for row in table.row] for table in found.table if table.unit != "ratio"]
    assert times[0] == [21.69, 3.12, 24.34, 1.38] and times[4] == [16.28, 3.94, 17.49, 3.92]
    assert times[1] == [20.89, 4.89, 23.80, 1.66] and times[5] == [16.41, 13.79, 17.51, 13.72]
    assert times[2] == [16.88, 3.56, 20.26, 1.89]
    assert times[3] == [2.72, 3.47, 7.83]


def test_every_handshake_is_below_a_ca_of_rsa_with_the_suite_of_the_page() -> None:
    suite = load_suite(ROOT, SUITE)
    handshakes = [dict(one.params) for one in suite.cases if one.verb.startswith("handshake")]
    assert {(one["version"], one["suite"], one["chain"], one["ca"]) for one in handshakes} == {
        ("1.2", "aes-256-gcm", "1", "rsa-2048")
    }
    assert {one["cert"] for one in handshakes} == {"p-256", "rsa-2048", "ed25519"}
    rows = [row for table in page().table if table.unit in ("s/200", "s/500") for row in table.row]
    assert {Case.parse(row.case) for row in rows} <= set(suite.cases)


def test_what_is_known_to_be_wrong_is_told() -> None:
    told = " ".join(page().note)
    for word in ("P-384", "108.1", "187.9 %", "27.6 %", "70 to 72 bytes", "57 %", "few hundred megabytes", "RSA-2048"):
        assert word in told
    assert "256 bits" in page().table[3].row[0].label and "2048" in page().table[3].row[2].label


def test_a_handshake_is_that_of_the_client_and_of_the_server_that_it_waits_for() -> None:
    found = beside(page(), run())
    ours = rows(found)
    assert ours["Default: ECDSA P-256, 200 handshakes, Mbed TLS"] == pytest.approx(200 * 2.1e-3)
    assert ours["Default: ECDSA P-256, 200 handshakes, BoringSSL"] == pytest.approx(200 * 0.4e-3)
    assert ours["Software only: ECDSA P-256, 200 handshakes, BoringSSL"] == pytest.approx(200 * 0.6e-3)
    assert ours["Software only: ECDSA P-256, 200 handshakes, Mbed TLS"] == pytest.approx(200 * 2.4e-3)
    assert ours["Ed25519 (key of 256 bits, signature of 512)"] == pytest.approx(500 * 0.3e-3)
    row = next(row for row in found.tables[0].rows if row.label.endswith("ECDSA P-256, 200 handshakes, BoringSSL"))
    assert row.ours is not None and row.ours.low == pytest.approx(200 * 0.396e-3)
    assert row.cells[0].ratio == pytest.approx(1.38 / 0.08)  # less is better: so many times as fast here


def test_without_the_server_there_is_the_client_and_no_ratio() -> None:
    found = beside(page(), run())
    row = next(row for row in found.tables[2].rows if row.label.endswith("ECDSA P-256, 200 handshakes, BoringSSL"))
    assert row.ours is not None and row.ours.value == pytest.approx(200 * 0.3e-3) and row.cells[0].ratio is None
    assert row.incomparable.endswith(f"tls/handshake-server/{P256}: {NOT_IN_RUN}")


def test_data_of_an_amount_that_is_not_known_have_no_ratio_but_quotients() -> None:
    """A call of 16 KiB, 0.01 ms by who writes, 0.02 ms by who reads: 16384 of both."""
    params = "bytes=16384,version=1.2,suite=aes-256-gcm,write=16384"
    made = run()
    cells = [
        (verb, msgspec.structs.replace(one, case=f"tls/{verb}/{params}", cells=one.cells))
        for verb, one in (
            (
                "bulk-write",
                case("client", X25519, **{"+mbedtls": 0.04, "+boringssl": 0.01, "+boringssl~noaccel": 0.05}),
            ),
            ("bulk-read", case("client", X25519, **{"+mbedtls": 0.05, "+boringssl": 0.02, "+boringssl~noaccel": 0.06})),
        )
    ]
    found = beside(page(), msgspec.structs.replace(made, cases=(*made.cases, *(one for _, one in cells))))
    ours = rows(found)
    assert ours["Default: Write, BoringSSL"] == pytest.approx(16384 * 0.03e-3)
    assert ours["Default: Write, Mbed TLS"] == pytest.approx(16384 * 0.06e-3)
    assert ours["Software only: Read, BoringSSL"] == pytest.approx(16384 * 0.11e-3)
    assert ours["Software only: Read, Mbed TLS"] is None, "another build of it stands for none"
    data = [row for table in found.tables if table.unit == "s/16384" for row in table.rows]
    assert len(data) == 8 and all(row.cells[0].ratio is None for row in data)
    assert all("256 MiB here" in row.note and "does not say" in row.note for row in data)
    quotient = next(row for row in found.tables[-1].rows if row.label == "Write: Mbed TLS over BoringSSL")
    assert quotient.ours is not None and quotient.ours.value == pytest.approx(2.0)
    assert quotient.cells[0].printed == "4.13"
    assert found.platforms[0].rows == beside(page(), made).platforms[0].rows, "they are no part of the median"


def test_degradation_is_recomputed() -> None:
    ecdsa, rsa = beside(page(), run()).tables[4].rows
    assert (ecdsa.cells[0].printed, rsa.cells[0].printed) == ("1.28", "2.88")
    assert ecdsa.ours is not None and ecdsa.ours.value == pytest.approx(4 / 3)
    assert "27.6 %" in ecdsa.note and "287.9 %" in rsa.note and rsa.ours is None


def test_every_form_of_the_report_has_it() -> None:
    summary = derive(run(), ROOT, {})
    for width in (80, 120):
        text = render_terminal(summary, width, False)
        assert max(map(len, text.splitlines())) <= width and "24.3" in text
    table = published_table(summary.published or beside(page(), run()), beside(page(), run()).tables[0])
    assert table.head == ("s for 200", "Mbed TLS", "BoringSSL")
    assert "s for 200" in render_markdown(summary) and "theirs over ours" in render_html(summary, (), "")


def test_a_mask_is_of_the_builds_that_have_a_switch() -> None:
    laboratory = load_labs(ROOT, catalogue_of_checkout())["tls"]
    masked = composed(laboratory, "boringssl~noaccel")
    assert masked.variant == "boringssl~noaccel" and masked.env["OPENSSL_ia32cap"].startswith("~0x2")
    with pytest.raises(UsageError, match="'mbedtls' has no switch for 'noaccel'"):
        composed(laboratory, "mbedtls~noaccel")
    names = {one.name for one in laboratory.builds}
    assert set(laboratory.masks["noaccel"].builds) <= names
