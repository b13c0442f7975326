# SPDX-License-Identifier: Apache-2.0
"""What a report says of the turns of a run's instruments."""

from __future__ import annotations

import msgspec
from test_views_figures import KINDS, PLAN, run_of, turns

from cipherstone.report.words.sentences import turns_words


def test_turns_that_had_a_free_core() -> None:
    assert turns_words(run_of(turns())) == "36 of 36 turns had a free core before and after"
    busy = [msgspec.structs.replace(one, ipc_after=3.0) if one.turn == 0 else one for one in turns()]
    # Disturbed turns are in the total, although they give no figure where a pass has free ones.
    assert turns_words(run_of(busy)) == "18 of 36 turns had a free core before and after"


def test_no_probe_and_nothing_timed() -> None:
    blind = [msgspec.structs.replace(one, ipc_before=None, ipc_after=None) for one in turns()]
    assert turns_words(run_of(blind)) == "36 turns, no probe watched the core"
    exact = tuple(msgspec.structs.replace(kind, exact=True) for kind in KINDS)
    assert turns_words(run_of(blind, msgspec.structs.replace(PLAN, figures=exact))) == "36 turns, nothing is timed"
