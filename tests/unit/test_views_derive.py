# SPDX-License-Identifier: Apache-2.0
"""What a run keeps of the data beside the code: its report is the same wherever, and whenever, it is rendered."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import modexp_example as example
import msgspec
import pytest
import spectrum_example as machine

from cipherstone.catalogue.libraries import load_labs, load_libraries
from cipherstone.catalogue.paths import data_root
from cipherstone.cli.lab_discovery import rooms
from cipherstone.model.errors import StoreError
from cipherstone.model.summary import RunSummary
from cipherstone.report.render.html import render_html
from cipherstone.store.bundle import Bundle
from cipherstone.store.layout import SUMMARY_GZ
from cipherstone.store.summary_tables import result_tables
from cipherstone.store.writer import BundleWriter
from cipherstone.views.derive import derive, digest

sys.path.insert(0, str(Path(__file__).parents[1] / "browser"))
import sample_summary as sample


def derive_all(one: RunSummary, root: Path) -> RunSummary:
    return derive(one, root, load_libraries(root) | load_labs(root))


def with_spectrum() -> RunSummary:
    run = sample.sample_run()
    here = msgspec.structs.replace(run.manifest.machine, cpu_features=machine.FEATURES)
    return msgspec.structs.replace(
        run, manifest=msgspec.structs.replace(run.manifest, spectrum=machine.spectrum(), machine=here)
    )


def test_a_run_keeps_its_roofline_with_the_hash_of_the_models() -> None:
    run = derive_all(with_spectrum(), data_root())
    assert any(row.tiers for row in run.roofline)
    assert run.models["roofline"] == digest((data_root() / "roofline").glob("*.toml"))
    assert derive_all(sample.sample_run(), data_root()).roofline == ()


def test_another_model_has_another_hash_and_leaves_a_stored_run_alone(tmp_path: Path) -> None:
    for folder in ("roofline", "libraries", "labs", "suites", "algorithms", "references", "vectors"):
        shutil.copytree(data_root() / folder, tmp_path / folder)
    before = derive_all(with_spectrum(), tmp_path)
    page = render_html(before, (), "x")
    for file in (tmp_path / "roofline").glob("*.toml"):
        file.write_text(file.read_text().replace("count = ", "count = 7"))
    after = derive_all(with_spectrum(), tmp_path)
    assert after.models["roofline"] != before.models["roofline"] and after.roofline != before.roofline
    assert render_html(before, (), "x") == page


def test_cells_keep_what_is_known_of_their_implementation() -> None:
    run = derive_all(sample.sample_run(), data_root())
    known = {cell.lane.partition(":")[2]: cell.properties for case in run.cases for cell in case.cells}
    table, default = known["aes_big"], known[""]
    assert table is not None and (table.constant_time, table.tables) == ("no", True)
    assert default is None


def test_a_finished_bundle_gives_its_summary_back(tmp_path: Path) -> None:
    run = derive_all(with_spectrum(), data_root())
    writer = BundleWriter.create(tmp_path, msgspec.structs.replace(run.manifest, status="running"))
    assert Bundle.open(writer.path).summary() is None
    writer.finish(result_tables(run), run)
    bundle = Bundle.open(writer.path)
    assert bundle.summary() == msgspec.structs.replace(run, manifest=bundle.manifest)
    assert bundle.verify() == []
    (writer.path / SUMMARY_GZ).write_bytes(b"\x1f\x8b not packed")
    assert Bundle.open(writer.path, verify=False).summary() is None
    with pytest.raises(StoreError, match=r"summary\.json\.gz"):
        Bundle.open(writer.path)


def test_a_laboratory_s_page_needs_nothing_but_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    run = msgspec.json.decode(msgspec.json.encode(example.modexp_run()), type=RunSummary)
    assert run.models.keys() >= {"references/modexp-emcrypt/modexp.toml"}
    monkeypatch.setattr("cipherstone.catalogue.paths.data_root", lambda: Path("/nowhere"))
    assert "386.33 ms" in render_html(run, (), "x", rooms())
