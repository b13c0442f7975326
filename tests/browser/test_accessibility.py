# SPDX-License-Identifier: Apache-2.0
"""Reports under axe-core: no finding that it calls serious or critical, at the widths of a phone, a desk and a wall."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
import sample_full
import sample_summary as sample
import spectrum_example as machine
from playwright.sync_api import Browser

from cipherstone.catalogue.paths import data_root
from cipherstone.cli.derived_summary import derived
from cipherstone.cli.lab_discovery import rooms
from cipherstone.report.render.html import render_html

SERIOUS = ("serious", "critical")
ASK = """async () => {
    const found = await axe.run(document, { resultTypes: ['violations'] });
    return { passed: found.passes.length, violations: found.violations.map((v) => ({ id: v.id, impact: v.impact, where: v.nodes.slice(0, 5).map((n) => n.html.slice(0, 160) + ' ' + (n.failureSummary || '').slice(0, 160)) })) };
}"""


@pytest.fixture(scope="module")
def axe() -> str:
    """The script that `tools/axe.sh` brought when the tests were set up."""
    file = data_root() / "build/axe/node_modules/axe-core/axe.min.js"
    if not file.exists() and not os.environ.get("CS_REQUIRE_BROWSER"):
        pytest.skip("axe-core is not here: run tools/axe.sh, which needs npm")
    assert file.exists(), "CS_REQUIRE_BROWSER is set, but axe-core is not here: run tools/axe.sh, which needs npm"
    lock = json.loads((Path(__file__).parent / "axe/package-lock.json").read_text(encoding="utf-8"))
    pinned = lock["packages"]["node_modules/axe-core"]["version"]
    text = file.read_text(encoding="utf-8")
    assert text.startswith(f"/*! axe v{pinned}\n"), "build/axe has another version than the lock file: run tools/axe.sh"
    return text


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Every outcome, three builds of a library and a roofline; and sixteen builds."""
    folder = tmp_path_factory.mktemp("axe")
    plain = sample_full.with_builds(sample.sample_run())
    here = msgspec.structs.replace(plain.manifest.machine, cpu_features=machine.FEATURES)
    manifest = msgspec.structs.replace(plain.manifest, spectrum=machine.spectrum(), machine=here)
    runs = {"outcomes": derived(msgspec.structs.replace(plain, manifest=manifest)), "builds": sample_full.wide_run(16)}
    for name, run in runs.items():
        text = render_html(run, run.cards or sample.CARDS, sample.REPRODUCE, rooms())
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return {name: (folder / f"{name}.html").as_uri() for name in runs}


def findings(browser: Browser, axe: str, address: str, width: int, dark: bool, unfold: bool) -> dict[str, Any]:
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light", bypass_csp=True
    )
    page = context.new_page()
    page.goto(address)
    page.locator("#base").wait_for(state="attached")
    if unfold:  # the first ones of each section: the others are of the same make
        page.evaluate(
            "document.querySelectorAll('section').forEach((s) => { [...s.querySelectorAll('details.fam')].slice(0, 2).forEach((d) => { d.open = true; [...d.querySelectorAll('details')].slice(0, 2).forEach((e) => { e.open = true; }); }); })"
        )
        page.wait_for_function("[...document.querySelectorAll('details[open]')].every((d) => d.children.length > 1)")
    page.evaluate(axe)
    found = page.evaluate(ASK)
    context.close()
    return dict(found)


@pytest.mark.parametrize("width", [390, 1280, 1920])
@pytest.mark.parametrize("name", ["outcomes", "builds"])
def test_nothing_serious(browser: Browser, axe: str, addresses: dict[str, str], name: str, width: int) -> None:
    """As the page opens, and with a part of each section unfolded; once in the dark."""
    for dark, unfold in ((False, False), (width == 1280, True)):
        found = findings(browser, axe, addresses[name], width, dark, unfold)
        assert found["passed"] > 15
        assert [one for one in found["violations"] if one["impact"] in SERIOUS] == []
