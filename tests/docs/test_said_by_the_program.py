# SPDX-License-Identifier: Apache-2.0
"""Sentences of the pages that the program says, or that its data decide."""

from __future__ import annotations

import re

from pages import ROOT

from cipherstone.catalogue.algorithms import catalogue_of_checkout
from cipherstone.cli.lab import lab
from cipherstone.cli.lab_discovery import room_names
from cipherstone.cli.progress_line import describe
from cipherstone.measure.progress import Progress

GUIDES = ROOT / "docs" / "guides"
PROGRESS = Progress(
    case="aes-128-gcm/seal/bytes=16384",
    pass_index=2,
    min_passes=9,
    case_number=11,
    cases_open=87,
    cases_done=0,
    cases_all=87,
    passes_valid=185,
    passes_tried=186,
    elapsed_s=60.0,
    left_s=142.0,
    disturbed=0.41,
)


def test_the_progress_line_is_the_program_s() -> None:
    assert f"\n{describe(PROGRESS)}\n" in (GUIDES / "first-run.md").read_text(encoding="utf-8")


def test_the_families_are_those_of_the_catalogue() -> None:
    page = (GUIDES / "select.md").read_text(encoding="utf-8")
    (row,) = re.findall(r"^\| `family` \| (.*) \|$", page, re.MULTILINE)
    told = re.findall(r"`([\w-]+)`", row)
    known = {operation.family for operation in catalogue_of_checkout().operations.values()}
    assert set(told) == known and len(told) == len(known), f"missing: {known - set(told)}; unknown: {set(told) - known}"


def test_the_help_names_every_laboratory() -> None:
    assert lab.info.help is not None
    assert [name for name in room_names() if name in lab.info.help] == list(room_names())
