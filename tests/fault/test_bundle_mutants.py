# SPDX-License-Identifier: Apache-2.0
"""A bounded part of the damaged runs, the same at every call, each with one of its commands; `make bundle-mutants` is the whole."""

from __future__ import annotations

from pathlib import Path

from bundle_mutants import campaign, made

MUTANTS, SEED, EVERY = 100, 20261126, 4


def test_no_damage_is_silent_or_a_trace(tmp_path: Path) -> None:
    found = list(campaign(MUTANTS, SEED, made(tmp_path), tmp_path, EVERY))
    assert len(found) >= MUTANTS * 3 // 4
    assert [(one.kind, one.what, str(words[0]), said) for one, words, said in found if said] == []
