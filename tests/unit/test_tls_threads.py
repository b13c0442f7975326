# SPDX-License-Identifier: Apache-2.0
"""Handshakes of several threads: what a call's time says, and what of the suite is for a machine of so many processors."""

from __future__ import annotations

import pytest
from scripts import ROOT

from cipherstone.catalogue.suites import load_suite
from cipherstone.labs.tls.command import narrowed
from cipherstone.labs.tls.results import LAB, THREADS, Scaled, Side, speedup
from cipherstone.labs.tls.threads_page import per_handshake
from cipherstone.model.ids import Case
from cipherstone.model.summary import Estimate
from cipherstone.operations.handshakes import all_made, timed

LANE = "tls@3.0.19+openssl"
PARAMS = {"version": "1.3", "group": "x25519", "cert": "p-256", "mode": "full", "threads": "2", "contexts": "shared"}


def row(threads: int, ns: Estimate | None) -> Scaled:
    return Scaled({**PARAMS, "threads": str(threads)}, LANE, threads, "shared", Side(ns))


def test_a_rate_is_that_of_all_threads() -> None:
    one = per_handshake(row(2, Estimate(8000.0, 7200.0, 8800.0)))
    assert one is not None and (one.value, one.low, one.high) == (500.0, 450.0, 550.0)
    assert per_handshake(row(2, None)) is None


def test_twice_the_handshakes_in_the_same_time_are_the_ideal() -> None:
    alone = Estimate(8000.0, 7900.0, 8100.0)
    ideal = speedup(row(2, Estimate(8000.0)), alone)
    assert ideal is not None and ideal.value == 2.0 and ideal.low is None
    found = speedup(row(2, Estimate(10000.0, 9900.0, 10100.0)), alone)
    assert found is not None and found.value == pytest.approx(1.6)
    assert (found.low, found.high) == pytest.approx((2 * 7900 / 10100, 2 * 8100 / 9900))
    assert speedup(row(2, None), alone) is None and speedup(row(2, alone), None) is None


def test_rows_of_one_kind_differ_in_threads_alone() -> None:
    assert row(1, None).kind == row(2, None).kind
    assert row(1, None).kind != Scaled({**PARAMS, "contexts": "thread"}, LANE, 2, "thread", Side()).kind


@pytest.mark.parametrize(("processors", "threads"), [(1, {"1"}), (2, {"1", "2"}), (6, {"1", "2", "4"})])
def test_a_suite_has_as_many_threads_as_there_are_processors(processors: int, threads: set[str]) -> None:
    suite = load_suite(ROOT, LAB)
    cases = narrowed(suite, False, "threads:/./", processors=processors).cases
    assert {case.param("threads") for case in cases if case.verb == THREADS} == threads
    assert not any(case.verb == THREADS for case in narrowed(suite, False, "", processors=processors).cases)


def test_the_output_says_how_many_there_were() -> None:
    params = dict(Case.parse(f"tls/{THREADS}/" + ",".join(f"{k}={v}" for k, v in PARAMS.items())).params)
    out = all_made(timed(params), params)
    assert len(out) == 24 and out[:11] == out[11:22] and int.from_bytes(out[22:], "big") == 16
