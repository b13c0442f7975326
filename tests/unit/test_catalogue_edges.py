# SPDX-License-Identifier: Apache-2.0
"""What the loaders of the catalogue refuse before anything is made of it, and the nearest that they take."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from cipherstone.catalogue.algorithms import _combinations
from cipherstone.catalogue.machines import load_published_machines
from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.suites import _names
from cipherstone.model.errors import DataError


@pytest.mark.parametrize(
    ("params", "found"),
    [
        ({}, [()]),
        ({"mode": ["a"]}, [(("mode", "a"),)]),
        ({"mode": ["a", "b"]}, [(("mode", "a"),), (("mode", "b"),)]),
        ({"n": [2, 1], "m": ["x", "y"]}, [(("n", n), ("m", m)) for n in "21" for m in "xy"]),
        ({"mode": []}, "is empty, has a value twice"),
        ({"bytes": [1]}, "or is the size"),
        ({"mode": ["a", "a"]}, "has a value twice"),
        ({"mode": ["a", "b", "a"]}, "has a value twice"),
        ({"mode": ["a b"]}, "where.mode: "),
        ({"mode": ["a", "b c"]}, "where.mode: "),
        ({"mode": ["a", "b", "c d"]}, "where.mode: "),
        ({"MODE=": ["a"]}, "where.MODE="),
    ],
)
def test_combinations_of_parameters(params: dict[str, list[str | int]], found: object) -> None:
    """All of them in the order of the file; every value is looked at."""
    if isinstance(found, str):
        with pytest.raises(DataError) as caught:
            _combinations("where", params)
        assert found in caught.value.message
    else:
        assert _combinations("where", params) == found


@pytest.mark.parametrize(
    ("names", "at"),
    [([], None), (["a"], None), (["a", "b"], None), (["a", "b", "a"], 2), (["a", "a"], 1), (["a", " "], 1), ([""], 0)],
)
def test_names_in_a_suite_stand_once(names: list[str], at: int | None) -> None:
    if at is None:
        assert _names("builds", names) == tuple(names)
    else:
        with pytest.raises(DataError, match=rf"builds\[{at}\]: .* is empty or stands twice"):
            _names("builds", names)


MACHINES = """[[machine]]
report = "1"
name = "one"
reference_us = 2.0
us = { "rsa-2048/sign" = 1.0, "rsa-2048/verify" = 1.0 }

[[core]]
report = "2"
word = "b"
name = "two"
ghz = 1.0
ns = { add = 1.0, mul = 2.0 }
"""


@pytest.mark.parametrize(
    ("old", "new", "of"),
    [
        ("", "", ""),
        ("reference_us = 2.0", "reference_us = 0.0", "1"),
        ("reference_us = 2.0", "reference_us = -1.0", "1"),
        ('"rsa-2048/verify" = 1.0', '"rsa-2048/verify" = 0.0', "1"),
        ('"rsa-2048/sign" = 1.0', '"rsa-2048/sign" = -1.0', "1"),
        ("mul = 2.0", "mul = 0.0", "2"),
        ("add = 1.0", "add = -2.0", "2"),
        ("ns = { add = 1.0, mul = 2.0 }", "ns = {}", "2"),
        ("reference_us = 2.0", "reference_us = 0.001", ""),
    ],
)
def test_times_of_published_machines_are_positive(tmp_path: Path, old: str, new: str, of: str) -> None:
    shutil.copytree(data_root() / "references" / "cryptobench", tmp_path / "references" / "cryptobench")
    path = tmp_path / "references" / "cryptobench" / "machines.toml"
    path.write_text(MACHINES.replace(old, new) if old else MACHINES)
    if not of:
        found = load_published_machines(tmp_path)
        assert [one.name for one in (*found.machine, *found.core)] == ["one", "two"]
        return
    with pytest.raises(DataError, match=rf"references/cryptobench/machines\.toml: {of}: a time is not positive"):
        load_published_machines(tmp_path)
