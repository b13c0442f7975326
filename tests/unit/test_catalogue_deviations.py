# SPDX-License-Identifier: Apache-2.0
"""Known deviations in library.toml, and the deviations of a proof that are new beside them."""

from __future__ import annotations

import msgspec
import pytest
import scripts

from cipherstone.catalogue.algorithms import catalogue_at
from cipherstone.catalogue.deviations import Deviating, KnownDeviation, check_deviations, known_deviations
from cipherstone.catalogue.failures import load_classes
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.model.deviations import Deviation
from cipherstone.model.errors import DataError
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import ProofRecord
from cipherstone.report.words.deviations import surprise_words
from cipherstone.views.deviations import surprises

CATALOGUE = catalogue_at(scripts.ROOT)
LAX = KnownDeviation("2.1", "lax", ("ed25519/verify",), ("unreduced-scalar",))
ENTRIES = (
    LAX,
    KnownDeviation("2.1", "lax", ("ed25519/verify",), ("ber-encoding",)),
    KnownDeviation("2.1", "wrong", ("x448/*",), (), ("avx2", "adx")),
    KnownDeviation("3", "strict", ("x25519/derive",), ("unmasked-special",)),
)


@pytest.mark.parametrize(
    ("version", "features", "due"),
    [
        ("2.1.7", (), {"ed25519/verify"}),
        ("2.1", ("avx2",), {"ed25519/verify"}),
        ("2.1", ("adx", "avx2", "sse"), {"ed25519/verify", "x448/derive", "x448/keygen"}),
        ("3.0", (), {"x25519/derive"}),
        ("2.10", (), None),
        ("30", (), None),
    ],
)
def test_versions_that_begin_so(version: str, features: tuple[str, ...], due: set[str] | None) -> None:
    found = known_deviations(("2.1", "3"), ENTRIES, version, features, CATALOGUE)
    assert (None if found is None else set(found)) == due


def test_entries_of_one_operation_are_joined() -> None:
    found = known_deviations(("2.1",), ENTRIES[:2], "2.1.0", (), CATALOGUE)
    assert found == {"ed25519/verify": Deviating("lax", frozenset({"unreduced-scalar", "ber-encoding"}))}


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (msgspec.structs.replace(LAX, version="2.2"), ["deviations[0].version", "'2.2'", "judged"]),
        (msgspec.structs.replace(LAX, ops=()), ["deviations[0].ops", "empty"]),
        (msgspec.structs.replace(LAX, ops=("ed25519/verrify",)), ["deviations[0].ops", "ed25519/verify"]),
        (msgspec.structs.replace(LAX, ops=("nothing/*",)), ["deviations[0].ops", "covers nothing"]),
        (msgspec.structs.replace(LAX, kinds=()), ["deviations[0].kinds", "empty", "wrong"]),
    ],
)
def test_a_broken_entry_is_one_line(entry: KnownDeviation, words: list[str]) -> None:
    with pytest.raises(DataError) as caught:
        check_deviations("libraries/x/library.toml", ("2.1",), [entry], CATALOGUE)
    text = f"{caught.value.message} {caught.value.hint}"
    assert "\n" not in text and all(word in text for word in words), text


def test_classes_of_all_libraries_are_known() -> None:
    """A class that no vector has is never found."""
    known = {one.id for one in load_classes(scripts.ROOT)}
    named = {kind for one in load_libraries(scripts.ROOT).values() for entry in one.deviations for kind in entry.kinds}
    assert named and named <= known


def proof(lane: str, operation: str, outcome: Outcome, *kinds: str) -> ProofRecord:
    told = tuple(Deviation(outcome, kind, "", "", "", ("v",)) for kind in kinds)
    return ProofRecord(f"{operation}", lane, 0, outcome, deviations=told)


def test_what_is_new_and_what_is_gone() -> None:
    ber, long = frozenset({"ber"}), frozenset({"ber", "long"})
    known = {
        "a@1": {"x/verify": Deviating("lax", long), "y/verify": Deviating("lax", ber), "z/hash": Deviating("wrong")}
    }
    results = [
        proof("a@1", "x/verify", Outcome.LAX, "ber"),  # fewer classes than known: as known
        proof("a@1:slow", "x/verify", Outcome.OK),
        proof("a@1", "y/verify", Outcome.OK),
        proof("a@1", "z/hash", Outcome.WRONG),
        proof("a@1", "w/verify", Outcome.STRICT, "odd"),
        proof("a@1", "v/verify", Outcome.CRASHED),  # no statement about results
        proof("b@1", "w/verify", Outcome.LAX, "odd"),  # a version that is not judged
    ]
    told = {one.operation: surprise_words(one) for one in surprises(results, known, {("a@1", "x/verify"): 2})}
    assert told == {
        "y/verify": "right here; this version is known to be lax (ber)",
        "w/verify": "strict (odd) here; this version is known to be right",
    }
    more = surprises([proof("a@1", "y/verify", Outcome.LAX, "ber", "long")], known, {})
    assert surprise_words(more[0]) == "lax (ber, long) here; this version is known to be lax (ber)"
    other = surprises([proof("a@1", "y/verify", Outcome.WRONG)], known, {})
    assert surprises([proof("a@1", "y/verify", Outcome.OK)], known, {("a@1", "y/verify"): 2}) == []  # one lane of two
    assert surprise_words(other[0]) == "wrong here; this version is known to be lax (ber)"
