# SPDX-License-Identifier: Apache-2.0
"""Energy counters, by folders of the shape that systems have: which are taken, that they begin again, and what is said where there are none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from test_views_summarise import CASE, EXTRA, NTL, OSSL, cell, passes, run

from cipherstone.host.energy import Counter, between, find_counters, read
from cipherstone.model.records import FactsRecord
from cipherstone.report.render.html import render_html
from cipherstone.report.words.numbers import energy_text


def files(folder: Path, **texts: str) -> None:
    folder.mkdir(parents=True)
    for name, text in texts.items():
        (folder / name).write_text(text + "\n")


def rapl(root: Path, uj: str = "262143000000") -> None:
    """Two packages, parts of one, and psys, as /sys/class/powercap has them."""
    zones = {"intel-rapl:0": "package-0", "intel-rapl:1": "package-1", "intel-rapl:0:0": "core", "intel-rapl:2": "psys"}
    for zone, name in zones.items():
        files(root / "powercap" / zone, name=name, energy_uj=uj, max_energy_range_uj="262143328850")
    files(root / "powercap" / "intel-rapl", enabled="1")


def test_packages_are_taken_and_their_parts_are_not(tmp_path: Path) -> None:
    rapl(tmp_path)
    found, why = find_counters(tmp_path)
    assert [one.name for one in found] == ["package-0", "package-1"] and why == ""
    assert read(found) == (262143000000, 262143000000)
    assert {one.range_uj for one in found} == {262143328850}


def test_sockets_of_amd_energy_are_taken_and_cores_are_not(tmp_path: Path) -> None:
    files(tmp_path / "hwmon/hwmon0", name="k10temp")
    files(
        tmp_path / "hwmon/hwmon1",
        name="amd_energy",
        energy1_label="Ecore000",
        energy1_input="5",
        energy65_label="Esocket0",
        energy65_input="77",
    )
    found, why = find_counters(tmp_path)
    assert [one.name for one in found] == ["Esocket0"] and read(found) == (77,) and why == ""
    assert found[0].range_uj is None


def test_a_counter_begins_again(tmp_path: Path) -> None:
    two = [Counter("a", tmp_path, 1000), Counter("b", tmp_path, 500)]
    assert between(two, (10, 20), (30, 40)) == 40
    assert between(two, (990, 20), (30, 40)) == 40 + 20
    with pytest.raises(ValueError, match="went back from 9 to 8"):
        between([Counter("c", tmp_path)], (9,), (8,))


def test_where_there_are_none_it_is_one_line(tmp_path: Path) -> None:
    assert find_counters(tmp_path) == ((), "neither RAPL (powercap) nor amd_energy (hwmon) is exposed here")


@pytest.mark.parametrize("how", ["forbidden", "empty"])
def test_one_that_cannot_be_read_is_one_line(tmp_path: Path, how: str) -> None:
    rapl(tmp_path, "" if how == "empty" else "1")
    if how == "forbidden":
        if os.geteuid() == 0:
            for file in tmp_path.glob("powercap/*/energy_uj"):
                file.unlink()
                file.mkdir()  # nobody may read a folder as a file, not even root
        else:
            for file in tmp_path.glob("powercap/*/energy_uj"):
                file.chmod(0)
    found, why = find_counters(tmp_path)
    assert found == () and "energy_uj: " in why and "\n" not in why


def test_energy_stands_beside_the_figures_only_where_there_is_one() -> None:
    told = FactsRecord(CASE, NTL, {"energy_pj": 4_560_000, "energy_idle_pj": 1_000_000})
    with_one, without = run([*passes(), told, *EXTRA]), run([*passes(), *EXTRA])
    page = render_html(with_one, (), "")
    assert ">energy</th>" in page and "4.56 \u00b5J" in page and "of which 1.00 \u00b5J would go without it" in page
    assert ">energy</th>" not in render_html(without, (), "")
    assert cell(with_one, OSSL).ns == cell(without, OSSL).ns


def test_joules_are_written_short() -> None:
    assert [energy_text(j) for j in (2.0, 0.00123, 4.5e-6, 7.89e-9)] == ["2.00 J", "1.23 mJ", "4.50 \u00b5J", "7.89 nJ"]
