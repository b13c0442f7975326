# SPDX-License-Identifier: Apache-2.0
"""Where lanes disagree: vectors with the same sides stand together, what is due comes first, who was not asked is on no side."""

from __future__ import annotations

from cipherstone.catalogue.failures import ORDINARY, Expectation
from cipherstone.catalogue.vectors import Vector
from cipherstone.views.disagreements import disagreements, short_names


def vector(name: str, expect: Expectation = "ok", verb: str = "verify", note: str = "") -> Vector:
    return Vector(name, verb, {}, None, expect, None, False, "a source", note, failure=ORDINARY)


VECTORS = {
    "ed25519": (
        vector("a"),
        vector("b", "rejected", note="S too large"),
        vector("c", "rejected", note="S too large"),
        vector("d", "rejected"),
        vector("e", "ok-or-rejected"),
        vector("a2", verb="sign"),
    )
}


def test_the_same_sides_stand_together_and_what_is_due_comes_first() -> None:
    strict = {"a": "accepts", "b": "rejects", "c": "rejects", "d": "rejects", "e": "rejects"}
    lax = {"a": "accepts", "b": "accepts", "c": "accepts", "d": "rejects", "e": "accepts"}
    found = disagreements({"ed25519/verify": {"one@1": strict, "two@2": lax, "three@3": {"a": "fails"}}}, VECTORS)
    assert [(one.vectors, one.expect, one.notes) for one in found] == [
        (("a",), "ok", ()),
        (("b", "c"), "rejected", ("S too large",)),
        (("e",), "ok-or-rejected", ()),
    ]
    assert list(found[0].sides.items()) == [("accepts", ("one@1", "two@2")), ("fails", ("three@3",))]
    assert list(found[1].sides.items()) == [("rejects", ("one@1",)), ("accepts", ("two@2",))]
    assert list(found[2].sides) == ["accepts", "rejects"]


def test_agreement_and_a_lane_alone_are_no_disagreement() -> None:
    said = {"a": "accepts", "b": "accepts"}
    assert disagreements({"ed25519/verify": {"one@1": said, "two@2": dict(said)}}, VECTORS) == []
    assert disagreements({"ed25519/verify": {"one@1": said}}, VECTORS) == []
    assert disagreements({"ed25519/sign": {"one@1": {"a": "accepts"}, "two@2": {"a": "rejects"}}}, VECTORS) == []


def test_a_build_is_named_once_where_all_of_it_agrees() -> None:
    everywhere = ["one@1", "one@1:fast", "two@2", "two@2:slow"]
    assert short_names(["one@1", "one@1:fast", "two@2:slow"], everywhere) == ["one@1", "two@2:slow"]
