# SPDX-License-Identifier: Apache-2.0
"""Laboratories are found by their folder, and loaded by whom they concern."""

from __future__ import annotations

import subprocess
import sys

import modexp_example as example

from cipherstone.cli.lab_discovery import room_names, rooms, rooms_of


def test_a_room_has_the_name_of_its_folder() -> None:
    assert [room.name for room in rooms()] == list(room_names()) == sorted(room_names()) != []


def test_a_run_has_the_room_of_its_suite_alone() -> None:
    for room in rooms():
        assert rooms_of(example.run_of([], room.name)) == (room,)
    assert rooms_of(example.run_of([], "default")) == ()


def test_what_measures_loads_no_laboratory() -> None:
    """Nor what reads C declarations for the oracle, which those find who ask for it themselves."""
    program = """import sys
from cipherstone.cli import derived_summary, output, run
from cipherstone.operations.oracle import expected_output
assert expected_output("sha-256/hash", {"msg": b"abc"}).hex().startswith("ba7816bf")
print([name for name in sys.modules if name.startswith(("cipherstone.labs.", "cffi", "pycparser"))])
import cffi
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=600)
    assert (done.stdout, done.stderr) == ("[]\n", "")
