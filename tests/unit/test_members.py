# SPDX-License-Identifier: Apache-2.0
"""Further inputs of every operation, by numbers of any size: of the same shape, different, and taken by the oracle."""

from __future__ import annotations

from itertools import pairwise

import pytest

from cipherstone.catalogue.algorithms import catalogue_of_checkout
from cipherstone.catalogue.conditions import KEYS
from cipherstone.measure.proof import Expectations
from cipherstone.model.ids import Case
from cipherstone.operations import mlkem, oracle, ring
from cipherstone.operations.inputs import timed_inputs
from cipherstone.operations.ring import MOST_MEMBERS, member_cost_s, member_inputs, members_known
from cipherstone.operations.splitmix import stream_number

LARGE = 10**15 + 7
# An answer of the oracle takes seconds, or half a gigabyte.
DEAR = ("slh-dsa", "scrypt", "argon2id", "modexp/private")
CASES = [
    operation.case(min(operation.sizes) if operation.sizes else None)
    for operation in catalogue_of_checkout().operations.values()
    if not operation.id.startswith(("harness/", "tls/"))
]
NOTHING_VARIES = {"keygen", "paramgen", "encaps", "fetch", "parse", "verify-chain", "issue"}


def shape(case: Case, member: int) -> dict[str, int]:
    """Lengths of the inputs; of DER none, whose numbers may begin with zeros."""
    inputs = member_inputs(case, None, member)
    free = {"sig"} | ({"msg"} if case.verb.startswith("import") else set())
    return {name: 0 if name in free else len(value.data) for name, value in inputs.items()}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_members_of_any_number_are_inputs_of_the_same_shape(case: Case) -> None:
    known = members_known(case, None)
    assert (known == 1) == (case.verb in NOTHING_VARIES or case.algorithm == "slh-dsa-sha2-128s")
    if case.algorithm.startswith("slh-dsa") and case.verb == "verify":
        return
    numbers = (0, 1, LARGE, LARGE + 1)
    found = [{name: value.data for name, value in member_inputs(case, None, one).items()} for one in numbers]
    assert found[0] == {name: value.data for name, value in timed_inputs(case, None).items()}
    assert all(shape(case, one) == shape(case, two) for one, two in pairwise(numbers))
    assert all((one == two) == (known == 1) for one, two in pairwise(found))
    if not case.id.startswith(DEAR):
        oracle.expected_output(case.operation, found[2], None)  # raises where the inputs are refused


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_key_stays_where_only_the_message_is_new(case: Case) -> None:
    inputs, new = timed_inputs(case, None), member_inputs(case, None, LARGE) if "verify" not in case.verb else {}
    if new and case.verb not in ("derive", "multiply-base", "agree", "import-private", "import-public"):
        assert {name for name in inputs if inputs[name] != new[name]} <= {"msg", "tag"}


def test_where_members_are_few_they_come_again() -> None:
    for text in ("x25519/agree", "rsa-2048-spki/import-public"):
        case = Case.parse(text)
        assert members_known(case, None) == KEYS
        assert member_inputs(case, None, KEYS + 3) == member_inputs(case, None, 2 * KEYS + 3)
    keyed = Case.parse("ml-kem-512/decaps/key=fresh")
    assert members_known(keyed, None) == KEYS
    assert members_known(Case.parse("aes-128-gcm/seal/bytes=64,key=fresh"), None) == MOST_MEMBERS


def test_a_ciphertext_of_any_member_is_genuine_and_another() -> None:
    for text, is_tagged in (("ml-kem-512/decaps", False), ("aes-128-gcm/open/bytes=64", True)):
        case = Case.parse(text)
        one, two = (member_inputs(case, None, member) for member in (LARGE, LARGE + 1))
        assert one["key"] == two["key"] and one["msg"] != two["msg"] and ("tag" in one) == is_tagged
        first, second = (oracle.expected_output(case.operation, {n: v.data for n, v in x.items()}) for x in (one, two))
        assert first != second
    assert (
        "implicit" in oracle.verb_of("ml-kem-512/decaps").rejects
    )  # a forgery would give an output as well: see below

    assert not mlkem.is_rejected(
        mlkem.SETS["ml-kem-512"],
        *(member_inputs(Case.parse("ml-kem-512/decaps"), None, LARGE)[name].data for name in ("key", "msg")),
    )


def test_the_cost_of_a_member_is_what_the_oracle_took(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 5.0, 7.0, 8.5, 10.0, 10.25, 20.0, 20.01, 30.0, 30.02, 40.0, 40.9, 50.0, 50.01])
    monkeypatch.setattr(ring.time, "thread_time", lambda: next(clock))
    member_cost_s.cache_clear()
    assert member_cost_s(Case.parse("sha-256/hash/bytes=64"), None) == 5.0
    # A signature: its inputs, and judging one; making that one does not count.
    assert member_cost_s(Case.parse("ecdsa-p256-sha256/sign"), None) == pytest.approx(1.75)
    # A short one is taken again, because the first may have read modules: nine tenths of a second of a slow machine.
    for operation in ("md5/hash", "sha-512/hash"):
        assert member_cost_s(Case.parse(f"{operation}/bytes=64"), None) == pytest.approx(0.01)
    member_cost_s.cache_clear()


def test_streams_of_large_numbers_lie_anywhere() -> None:
    seeds = {stream_number(base, LARGE + number) for base in (3000, 4000) for number in range(500)}
    assert len(seeds) == 1000 and min(seeds) < 1 << 60 and max(seeds) > 1 << 63


def test_what_is_kept_of_members_has_an_end() -> None:
    long, short = Case.parse("md5/hash/bytes=1048576"), Case.parse("md5/hash/bytes=64")
    before = ring._kept.cache_info().currsize
    for number in range(3):
        member_inputs(long, None, LARGE + number)
    assert ring._kept.cache_info().currsize == before
    assert member_inputs(short, None, LARGE)["msg"] is member_inputs(short, None, LARGE)["msg"]
    assert ring._kept.cache_info().maxsize is not None
    expectations = Expectations()
    one = expectations.of(short, None, LARGE)
    assert expectations.of(short, None, LARGE) is one
    assert expectations.of(short, None, LARGE + 1) is not one and expectations.of(short, None, LARGE) is one
    other = Case.parse("md5/hash/bytes=16")
    expectations.of(other, None, LARGE)
    assert expectations.of(short, None, LARGE) is not one
    assert expectations.of(short, None, 3) is expectations.of(short, None, 3)
