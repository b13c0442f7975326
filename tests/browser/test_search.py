# SPDX-License-Identifier: Apache-2.0
"""The page's search finds what a filter of the command line finds: names as people type them, on a phone and on a desk."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import sample_full
import sample_summary as sample
from playwright.sync_api import Browser, Page

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.paths import data_root
from cipherstone.cli.filtering import narrowed
from cipherstone.model.errors import UsageError
from cipherstone.model.ids import Lane
from cipherstone.model.summary import RunSummary
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.render.html import render_html

# Words that a filter of the command line takes as well.
WORDS = (
    "sha256", "SHA-256", "sha3", "gcm", "AES-GCM", "aes-128-gcm", "aes128gcm", "aead", "hash", "mac", "seal", "sign", "verify", "x25519", "ed25519", "chacha", "chacha20poly1305",
    "ecdsa", "hmac", "sig", "md5", "-gcm", "aead -gcm", "gcm seal", "family:hash", "algo:sha256", "op:sha256", "verb:sign", "-family:cipher", "aes cbc",
)  # fmt: skip
ROWS = "table.grid tr[data-case]:visible"


@pytest.fixture(scope="module")
def run() -> RunSummary:
    return sample_full.full_run()


@pytest.fixture(scope="module", params=[390, 1280, 1920])
def page(request: pytest.FixtureRequest, browser: Browser, run: RunSummary, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:  # fmt: skip
    path = tmp_path_factory.mktemp("search") / "report.html"
    path.write_text(render_html(run, run.cards, sample.REPRODUCE), encoding="utf-8")
    opened = browser.new_page(viewport={"width": request.param, "height": 900})
    opened.goto(path.as_uri())
    opened.locator("#base").wait_for(state="attached")
    yield opened
    opened.close()


def found(page: Page, text: str) -> set[str]:
    """Operations whose rows are drawn."""
    page.fill("#filter", text)
    cases = page.locator(ROWS).evaluate_all("rows => rows.map(r => r.dataset.case)")
    return {"/".join(case.split("/")[:2]) for case in cases}


def expected(run: RunSummary, text: str) -> set[str]:
    """Operations that the command line leaves."""
    try:
        return {case.operation for case in narrowed(run, text, load_catalogue(data_root())).cases}
    except UsageError as error:
        assert "no case of the run" in error.message, text
        return set()


def test_words_mean_what_they_mean_to_a_command(page: Page, run: RunSummary) -> None:
    every = {case.operation for case in run.cases}
    for text in WORDS:
        wanted = expected(run, text)
        assert found(page, text) == wanted, text
        assert wanted and wanted < every, text
    # Names are those of the run: where it has no algorithm P-256 itself, the word means those that have it as a part.
    assert found(page, "p256") == {name for name in every if "-p256-" in name} != set()
    assert found(page, "") == every


def test_a_library_finds_what_it_offers(page: Page, run: RunSummary) -> None:
    """By its name in any case, by a build, and together with an operation."""
    view = RunView(run)
    offered = {
        library: {c.operation for c in view.headline for g in view.grid_row(c) if g.build.startswith(f"{library}@") and g.state not in ("unsupported", "not-run")}
        for library in ("openssl", "libsodium")
    }  # fmt: skip
    assert found(page, "openssl") == found(page, "OpenSSL") == found(page, "openssl@3.0.19") == offered["openssl"]
    assert found(page, "libsodium") == offered["libsodium"] < offered["openssl"] | offered["libsodium"]
    assert found(page, "libsodium aead") == offered["libsodium"] & expected(run, "aead")
    assert found(page, "-libsodium") == {c.operation for c in run.cases} - offered["libsodium"]


def test_a_size_finds_what_was_measured_at_it(page: Page, run: RunSummary) -> None:
    for text, size in (("64b", 64), ("1MiB", 1048576), ("size:64", 64)):
        assert found(page, text) == {c.operation for c in run.cases if c.size_bytes == size}, text


def test_what_is_half_typed_finds_what_begins_so(page: Page, run: RunSummary) -> None:
    """On the way to a name the rows do not all go, and the banner counts those that are left."""
    for whole in ("sha256", "x25519", "chacha20", "poly1305"):
        for end in range(1, len(whole)):
            assert found(page, whole[:end]), whole[:end]
    rows = len(found(page, "aead"))
    assert f"Search: the grid shows {rows} of {len({c.operation for c in run.cases})} operations" in page.locator("#basis").inner_text()  # fmt: skip
    assert found(page, "nonesuch") == set()
    assert "No operation here matches" in page.locator("#nothing").inner_text()
    page.fill("#filter", "")


def test_sections_follow(page: Page, run: RunSummary) -> None:
    """Size charts, first calls and pages of cells, by the same words; `sha256` is no part of ECDSA-P256-SHA256 there either."""
    page.fill("#filter", "sha256")
    shown = "selector => [...document.querySelectorAll(selector)].filter(e => !e.classList.contains('off') && !e.closest('.off')).map(e => e.id)"
    cases = page.evaluate(shown, "#cells details.case")
    assert cases and all(anchor.startswith("case-sha-256-hash") for anchor in cases)
    folds = "selector => [...document.querySelectorAll(selector)].filter(e => !e.classList.contains('off')).map(e => /[a-z0-9-]+\\/[a-z-]+/.exec(e.dataset.search)).filter(Boolean).map(found => found[0])"
    assert page.evaluate(folds, "#sizes details.fam") == ["sha-256/hash"]
    assert page.evaluate(folds, "#first-call details.fam") == ["sha-256/hash"]
    page.fill("#filter", "aead")
    assert set(page.evaluate(folds, "#sizes details.fam")) == {
        case.operation for case in run.cases if case.family == "aead" and len(RunView(run).sizes_of(case.operation)) > 3
    }
    page.fill("#filter", "")
    assert len({Lane.parse(cell.lane).library for case in run.cases for cell in case.cells}) == page.locator("#tools input[type=checkbox]").count()  # fmt: skip
