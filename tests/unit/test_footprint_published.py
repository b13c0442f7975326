# SPDX-License-Identifier: Apache-2.0
"""Ladders that were published, and what stands beside them: without a compiler."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest
from footprints import footprint_text
from scripts import ROOT

from cipherstone.catalogue.libraries import load_libraries
from cipherstone.labs.footprint.elf import Sizes
from cipherstone.labs.footprint.ladder import load_ladders, load_published
from cipherstone.labs.footprint.page import footprint_html
from cipherstone.labs.footprint.request import asked_by_page, narrowed, of_page
from cipherstone.labs.footprint.results import Footprint, Row, StepOutcome
from cipherstone.labs.footprint.speed_tables import published_rows
from cipherstone.model.errors import DataError, UsageError

LIBRARIES = load_libraries(ROOT)


def row(step: str, size: int | None, agreed: str = "", before: str = "") -> Row:
    """Of Mbed TLS's client."""
    return Row(
        library="mbedtls",
        version="3.6.6",
        program="tls-client",
        step=step,
        title=f"the step {step}",
        outcome=StepOutcome.PROVEN if size is not None else StepOutcome.WRONG,
        sizes=None if size is None else Sizes(size, size // 2, size // 4, 100, 2000),
        agreed=agreed,
        before=before,
    )


def test_the_published_ladders_are_as_printed() -> None:
    found = load_published(ROOT)
    assert [step.program_kib for step in found["mbedtls-2018"].step] == [464, 272, 128, 108]
    assert [step.program_kib for step in found["boringssl-2018"].step] == [7680, 796, 756, 736, 700, 392, 356]
    assert all("2018" in one.source and one.note for one in found.values())
    ladders = load_ladders(ROOT, LIBRARIES)
    for one in found.values():
        steps = [step.name for step in ladders[one.library].steps_of("tls-client")]
        assert all(step.ours in steps for step in one.step) and set(one.further) <= set(steps)


def test_a_page_names_what_stands_beside_it_and_nothing_else() -> None:
    """Each published step's, link-time optimisation with and without sections beside what it is compared with; programs of the rows that it timed only where times are asked for."""
    ladders, page = load_ladders(ROOT, LIBRARIES), of_page("tls-blog", load_published(ROOT))
    sizes = [(one.ladder.library, one.program, one.steps, one.timed) for one in asked_by_page(page, ladders)]
    assert sizes == [
        (
            "mbedtls",
            "tls-client",
            ("default", "sections", "tls12", "cut", "no-rsa", "small", "lto", "lto-alone"),
            False,
        ),
        (
            "boringssl",
            "tls-client",
            ("default", "sections", "small", "no-asm", "buffers", "pinned", "no-rsa", "buffers-no-rsa", "tls12"),
            False,
        ),
    ]
    more = asked_by_page(page, ladders, timed=True)
    assert [(one.program, one.timed) for one in more if one.program == "tls-client"] == [("tls-client", False)] * 2
    timed = [one for one in more if one.timed]
    assert {one.program for one in timed if one.ladder.library == "mbedtls"} == {"sha256", "aead", "rsa-verify", "rsa-sign", "sign", "ecdhe", "ecdh", "agree"}  # fmt: skip
    assert {one.steps for one in timed} == {("default", "cut"), ("default", "no-asm")}
    chosen = narrowed(more, ["boringssl"], ["tls-client", "sha512"], ["no-rsa", "default"])
    assert [(one.program, one.steps) for one in chosen] == [("tls-client", ("default", "no-rsa")), ("sha512", ("default",))]  # fmt: skip


@pytest.mark.parametrize("name", ["tls-bog", "bearssl"])
def test_a_page_without_ladders_is_told(name: str) -> None:
    with pytest.raises(UsageError, match=f"--page: no suite '{name}' is made after a page with ladders") as caught:
        of_page(name, load_published(ROOT))
    assert "tls-blog" in (caught.value.hint or "")


def test_a_published_ladder_of_no_suite_is_told(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "references", tmp_path / "references")
    (tmp_path / "suites").mkdir()
    (tmp_path / "suites/other.toml").write_text("")
    with pytest.raises(
        DataError, match=r"references/tls-blog/ladders\.toml: mbedtls-2018: there is no suite 'tls-blog'"
    ):
        load_published(tmp_path)


def test_what_the_page_left_open_stands_below_its_table() -> None:
    """With the version that was agreed on, since the published client had one alone."""
    rows = (
        msgspec.structs.replace(
            row("default", 783_000, agreed="TLS 1.3, X, P-256"), archives={"libmbedx509.a": 99_000}
        ),
        row("no-rsa", 103_000, agreed="TLS 1.2, Y, P-256"),
        row("small", 90_000, agreed="TLS 1.2, Y, P-256"),
        row("lto", 80_000, before="small", agreed="TLS 1.2, Y, P-256"),
        row("lto-alone", None, before="small"),
    )
    found = Footprint(rows, published=tuple(load_published(ROOT).values()))
    text = " ".join(footprint_text(found, 100).split())
    assert "ours alone: lto - - 78 -" in text and "ours alone: lto-alone" not in text
    assert "Ours agreed on TLS 1.3: default; TLS 1.2: no-rsa, small, lto." in text
    assert "lto against small: -10,000 bytes, code -5,000." in text
    assert "libmbedx509.a 96 (ours 97), libmbedtls.a 260, libmbedcrypto.a 604" in text
    page = footprint_html(found)
    assert "libmbedx509.a 96 (ours 97), libmbedtls.a 260" in page
    assert "ours alone: lto" in page and "lto against small: -10,000 bytes, code -5,000." in page


def test_rates_stand_beside_what_is_counted_a_second() -> None:
    """As printed: 17675.4 operations a second of 1350 bytes are 23.9 MB/s."""
    ladder = load_published(ROOT)["boringssl-2018"]
    rows = {title: printed for title, *printed in published_rows(Footprint(()), ladder)}
    assert rows["AES-128-GCM (1350 bytes), ops/s"][:2] == ["17675.4 (23.9 MB/s)", "291430.3 (393.4 MB/s)"]
    assert rows["RSA 2048 signing, ops/s"][:2] == ["59.5", "108.1"]
    with_rates = [one for one in ladder.speed if one.mb_s]
    assert len(with_rates) == 6
    for one in with_rates:
        size = int(one.task.split()[-2])
        assert one.mb_s == tuple(f"{calls * size / 1e6:.1f}" for calls in (one.reduced, one.default))
