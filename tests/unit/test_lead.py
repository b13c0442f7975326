# SPDX-License-Identifier: Apache-2.0
"""Who leads in a case while it is measured, and how the progress line says it at every width."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import msgspec
import pytest
from test_measure_cases import A, B, passes, state_of

from cipherstone.cli.progress_line import ProgressLine, describe, lead_text
from cipherstone.measure.lead import lead_of
from cipherstone.measure.progress import Lead, Progress
from cipherstone.stats.pairing import LanePasses, PassFigure

FAST, SLOW, OTHER, TWIN = "openssl@4.0.3+4.0", "nettle@3.8", "bearssl@0.6:aes_ct64", "openssl@4.0.3+4.0#2"
PROGRESS = Progress(
    case="aes-128-gcm/seal/bytes=16384",
    pass_index=7,
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
    lead=Lead((FAST,), True),
)


def lane(*ns: float) -> LanePasses:
    figures: Mapping[Hashable, PassFigure] = {number: PassFigure(one) for number, one in enumerate(ns)}
    return LanePasses(figures)


STEADY = lane(*[1000.0] * 8)


@pytest.mark.parametrize(
    ("lanes", "lead"),
    [
        ({FAST: STEADY, SLOW: lane(*[1300.0] * 8)}, Lead((FAST,), True)),
        ({SLOW: lane(*[1300.0] * 8), FAST: STEADY}, Lead((FAST,), True)),
        ({FAST: STEADY, SLOW: lane(*[1004.0] * 8)}, Lead((FAST, SLOW), True)),  # within 1 %
        ({FAST: STEADY, SLOW: lane(*[990.0, 1300.0] * 4)}, Lead((FAST, SLOW), True)),  # the interval holds 1
        ({FAST: STEADY, SLOW: lane(*[1300.0] * 8), OTHER: lane(*[1002.0] * 8)}, Lead((FAST, OTHER), True)),
        ({FAST: lane(*[1000.0] * 5), SLOW: lane(*[1300.0] * 5)}, Lead((FAST,), False)),  # no interval below six passes
        (
            {FAST: STEADY, TWIN: lane(*[900.0] * 8), SLOW: lane(*[1300.0] * 8)},
            Lead((FAST, SLOW), True),
        ),  # A/A 10 % apart
        ({FAST: STEADY, TWIN: STEADY}, None),
        ({FAST: STEADY, SLOW: lane()}, None),
        ({}, None),
    ],
)
def test_the_first_group_leads(lanes: dict[str, LanePasses], lead: Lead | None) -> None:
    assert lead_of(lanes, 0.01) == lead


def test_a_case_has_its_lead_when_a_pass_has_ended() -> None:
    """It is found with what decides whether the case ends, and stays as it is while batches are added."""
    state = state_of(max_passes=40, min_passes=40)
    assert state.lead is None
    passes(state, [{A: 1000.0, B: 1300.0}] * 3)
    assert state.lead is None
    state.decide()
    assert state.lead == Lead((A,), False)
    passes(state, [{A: 1000.0, B: 1300.0}] * 3)
    assert state.lead == Lead((A,), False)
    state.decide()
    assert state.lead == Lead((A,), True)


@pytest.mark.parametrize(
    ("lead", "text"),
    [
        (Lead((FAST,), True), "openssl@4.0 ahead"),
        (Lead((FAST,), False), "openssl@4.0 first, no interval yet"),
        (Lead((FAST, SLOW), True), "openssl@4.0 = nettle so far"),
        (Lead((FAST, SLOW, OTHER), True), "openssl@4.0 = nettle = bearssl:aes_ct64 so far"),
        (Lead((FAST, SLOW, OTHER, "botan@3"), True), "openssl@4.0 = nettle = 2 more so far"),
    ],
)
def test_words(lead: Lead, text: str) -> None:
    assert lead_text(lead) == text


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        (120, "[##........] 30 %, 2 min left  pass 8/9  12/87  aes-128-gcm/seal/bytes=16384  openssl@4.0 ahead  41 % disturbed"),
        (100, "[##........] 30 %, 2 min left  pass 8/9  12/87  aes-128-gcm/seal/bytes=16384  openssl@4.0 ahead"),
        (79, "[##........] 30 %, 2 min left  aes-128-gcm/seal/bytes=16384  openssl@4.0 ahead"),
        (60, "[##........] 30 %, 2 min left  aes-128-gcm/seal/bytes=16384"),
        (40, "[##........] 30 %, 2 min left"),
        (None, "[##........] 30 %, 2 min left  pass 8/9  12/87  aes-128-gcm/seal/bytes=16384  41 % disturbed"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_left_out(columns: int | None, text: str) -> None:
    assert describe(PROGRESS, columns) == text
    assert columns is None or len(text) <= columns


def test_without_a_lead_the_line_is_as_it_was() -> None:
    assert describe(msgspec.structs.replace(PROGRESS, lead=None), 200) == describe(PROGRESS)


def test_a_pipe_does_not_hear_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    ProgressLine()(PROGRESS)
    told = capsys.readouterr()
    assert told.out == "" and told.err.splitlines() == [describe(PROGRESS)] and "ahead" not in told.err
