# SPDX-License-Identifier: Apache-2.0
"""Conditions of operations: which there are, when they are part of a selection, what a worker can be asked for, and the keys of a ring."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from kept import WORTH_S, answered, judge

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.conditions import KEYS, bare, conditions_of, filter_terms, without_conditions
from cipherstone.catalogue.filter import FILTER_KEYS, parse_filter
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.suites import load_suite
from cipherstone.cli.select_options import select
from cipherstone.cli.selection import known_values
from cipherstone.measure.plan import Offer, Plan, plan_run
from cipherstone.measure.proof import Capability
from cipherstone.model.errors import UsageError
from cipherstone.model.ids import Case
from cipherstone.model.outcomes import Outcome
from cipherstone.operations import mlkem, oracle
from cipherstone.operations.ring import has_keys, member_inputs
from cipherstone.operations.schemes import schemes
from cipherstone.protocol.messages import Listed

CATALOGUE = load_catalogue(data_root())
EVERYTHING = ("params", "rekey", "offset", "cold", "in-place")
SEAL = "aes-128-gcm/seal"


def plan_of(text: str, *rows: Listed, able: tuple[str, ...] = EVERYTHING) -> Plan:
    known = known_values(CATALOGUE, ("openssl",))
    offer = Offer.from_listing("openssl", "1.0", rows, CATALOGUE, able=able)
    suite = load_suite(data_root(), "default", CATALOGUE)
    return plan_run(CATALOGUE, load_libraries(data_root()), [offer], suite, parse_filter(text, known), None)


def cases_of(text: str) -> list[str]:
    rows = (Listed(SEAL, "default", "ok", rekey="function"), Listed("sha-256/hash", "default", "ok"))
    return [planned.case for planned in plan_of(text, *rows).cases]


def test_what_holds_without_a_word_is_in_no_id() -> None:
    assert list(CATALOGUE.conditions) == ["key", "offset", "cache", "place", "aad"]
    assert not any(name in CATALOGUE.conditions for o in CATALOGUE.operations.values() for name, _ in o.params)
    fresh = CATALOGUE.known(f"{SEAL}/key=fresh,cache=cold")
    assert fresh is not None and fresh.base_id == SEAL
    assert fresh.title == "AES-128-GCM seal, fresh key, cold" and fresh.timed.startswith("take the next of 16 keys")
    assert fresh.case(64).id == f"{SEAL}/bytes=64,key=fresh,cache=cold"
    assert bare(fresh.case(64)).id == f"{SEAL}/bytes=64"


@pytest.mark.parametrize(
    "operation",
    [
        f"{SEAL}/key=kept",
        f"{SEAL}/key=stale",
        f"{SEAL}/cache=cold,key=fresh",
        f"{SEAL}/offset=64",
        "sha-256/hash/key=fresh",
        "sha-256/hash/place=same",
        "modexp/public/bits=512,key=fresh",
        "none/seal/key=fresh",
        "no operation",
    ],
)
def test_what_is_no_operation_under_conditions(operation: str) -> None:
    assert CATALOGUE.known(operation) is None


@pytest.mark.parametrize("suite", ["default", "quick", "full", "modexp"])
def test_suites_have_none(suite: str) -> None:
    assert not any(one.params != bare(one).params for one in load_suite(data_root(), suite, CATALOGUE).cases)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"op:{SEAL} bytes:64", [""]),
        (f"op:{SEAL} bytes:64 key:fresh", [",key=fresh"]),
        (f"op:{SEAL} bytes:64 key:(kept OR fresh)", ["", ",key=fresh"]),
        (f"op:{SEAL} bytes:64 -key:fresh", [""]),
        (f"op:{SEAL} bytes:64 key:fresh offset:(1 OR 8)", [",key=fresh,offset=1", ",key=fresh,offset=8"]),
        (f"op:{SEAL} bytes:64 cache:cold place:same", [",cache=cold,place=same"]),
        ("bytes:64 place:same", [",place=same"]),
    ],
)
def test_a_selection_names_conditions(text: str, expected: list[str]) -> None:
    assert cases_of(text) == [f"{SEAL}/bytes=64{one}" for one in expected]


def test_sizes_and_lanes_are_those_of_the_plain_operation() -> None:
    plain, fresh = cases_of(f"op:{SEAL}"), cases_of(f"op:{SEAL} key:fresh")
    assert fresh == [f"{one},key=fresh" for one in plain] and len(plain) > 1


def test_options_write_the_filter() -> None:
    text = select(operation=[SEAL], size=["64"], param=["key=fresh", "offset=1,offset=8"]).filter
    assert text == f"op:{SEAL} bytes:64 key:fresh offset:(1 OR 8)"
    with pytest.raises(UsageError, match="--param: 'fresh' is not NAME=VALUE"):
        select(param=["fresh"])
    with pytest.raises(UsageError, match="unknown key 'stale'"):
        parse_filter("key:stale", {**dict.fromkeys(FILTER_KEYS, ()), **CATALOGUE.keys})


def test_the_terms_of_an_operation_select_it() -> None:
    text = " ".join(filter_terms(f"{SEAL}/key=fresh,offset=1"))
    assert cases_of(f"{text} bytes:64") == [f"{SEAL}/bytes=64,key=fresh,offset=1"]


@pytest.mark.parametrize(
    ("row", "able", "text", "why"),
    [
        (Listed(SEAL, "default", "ok", rekey="function"), ("params",), "key:fresh", "this worker has no 'rekey'"),
        (Listed(SEAL, "default", "ok"), EVERYTHING, "key:fresh", "the adapter has no function"),
        (Listed(SEAL, "default", "ok", cannot="place: they overlap"), EVERYTHING, "place:same", "they overlap"),
        (Listed(SEAL, "default", "ok"), ("params", "rekey"), "offset:1", "this worker has no 'offset'"),
    ],
)
def test_what_cannot_be_asked_for_is_unsupported_with_its_reason(
    row: Listed, able: tuple[str, ...], text: str, why: str
) -> None:
    other = Listed(SEAL, "other", "ok", rekey="setup")
    found = Offer.from_listing("openssl", "1.0", [row], CATALOGUE, able=able)
    name, value = text.split(":")
    operation = CATALOGUE.known(f"{SEAL}/{name}={value}")
    assert operation is not None
    refused = found.capability(operation, "default")
    assert isinstance(refused, str) and why in refused and refused.startswith(f"{name}={value}: ")
    if able == EVERYTHING:
        plan = plan_of(f"op:{SEAL} bytes:64 impl:/./ {text}", row, other)
        (told,) = [record for record in plan.outcomes if record.lane.endswith("1.0")]
        assert told.outcome is Outcome.UNSUPPORTED and told.detail == refused
        assert [lane for lane in plan.cases[0].lanes if not lane.endswith("#2")] == ["openssl@1.0:other"]


def test_a_capability_under_conditions_is_asked_for_by_its_own_name() -> None:
    offer = Offer.from_listing(
        "a", "1.0", [Listed("ed25519/verify", "default", "ok", rekey="call")], CATALOGUE, able=EVERYTHING
    )
    for name, ring in (("key=fresh", 1), ("cache=cold", 16)):
        operation = CATALOGUE.known(f"ed25519/verify/{name}")
        assert operation is not None
        found = offer.capability(operation, "default")
        assert isinstance(found, Capability) and (found.operation, found.ring) == (operation.id, ring)


KEYED = [
    operation.case(64 if operation.sizes else None)
    for base in CATALOGUE.operations.values()
    if (operation := CATALOGUE.known(f"{base.id}/key=fresh")) is not None
]


@pytest.mark.parametrize("case", KEYED, ids=lambda case: case.id)
def test_keys_of_a_ring_differ_and_the_oracle_takes_them(case: Case) -> None:
    form = "p1363" if case.algorithm.startswith("ecdsa") else None
    if case.algorithm == "slh-dsa-sha2-128s":  # a signature takes the judge some ten seconds
        assert not has_keys(case, form)
        return
    assert has_keys(case, form)
    if case.param("n") == "131072":  # 16 answers take half a minute; the lower cost has the same keys
        return
    plain = bare(case)

    def ring() -> list[tuple[dict[str, str], str]]:
        """Of each key the digests of its inputs, and the output; "none" of what is drawn."""
        found = []
        for member in range(KEYS):
            inputs = {name: value.data for name, value in member_inputs(case, form, member).items()}
            output = oracle.expected_output(plain.operation, inputs, form)  # NotAuthentic would be raised
            digests = {name: hashlib.sha256(data).hexdigest() for name, data in inputs.items()}
            found.append((digests, "none" if output is None else hashlib.sha256(output).hexdigest()))
        return found

    inputs = (judge(), case.id, Path(__file__))
    with answered("ring", inputs, list[tuple[dict[str, str], str]], ring, least_s=WORTH_S) as members:
        key = "pub" if case.verb in ("verify", "agree", "encaps", "public-encrypt") else "key"
        assert len({one[key] for one, _ in members}) == KEYS
        for one, _ in members:
            # OCB and GCM-SIV are no stream ciphers, whose ciphertext can be one for all keys.
            of_key = case.verb == "open" and case.algorithm.endswith(("-ocb", "-gcm-siv"))
            if case.verb not in ("verify", "agree", "encaps", "decaps", "private-decrypt") and not of_key:
                same = next(name for name in ("msg", "pub", "salt") if name in one)
                assert one[same] == members[0][0][same]
        drawn = case.verb == "sign" and "sign" not in schemes()[case.algorithm].due
        alike = (
            case.verb in ("verify", "agree", "encaps", "public-encrypt", "private-decrypt") or drawn
        )  # right, random, one message
        assert len({output for _, output in members}) == (1 if alike else KEYS)


def test_the_judge_looks_into_ciphertexts_for_every_key_of_the_ring() -> None:
    """What is encapsulated with a key of the ring is right for it alone; with a key that is not in the ring nothing is."""
    case, of = Case.parse("ml-kem-512/encaps/key=fresh"), mlkem.SETS["ml-kem-512"]
    keys = [member_inputs(case, None, member)["pub"].data for member in range(KEYS)]
    for number in (0, 1, KEYS - 1):
        ciphertext, secret = mlkem.encaps(of, keys[number], bytes(32))
        judged = [oracle.random_output_problem("ml-kem-512/encaps", {"pub": key}, ciphertext + secret) for key in keys]
        assert [not problem for problem in judged] == [other == number for other in range(KEYS)]
        swapped = ciphertext + bytes([secret[0] ^ 1]) + secret[1:]
        assert "secret" in oracle.random_output_problem("ml-kem-512/encaps", {"pub": keys[number]}, swapped)
    _, foreign = mlkem.keygen(of, bytes(64))
    output = b"".join(mlkem.encaps(of, foreign, bytes(32)))
    assert "does not know" in oracle.random_output_problem("ml-kem-512/encaps", {"pub": foreign}, output)


def test_a_ciphertext_of_the_ring_is_genuine_for_its_private_key() -> None:
    of = mlkem.SETS["ml-kem-768"]
    for member in (0, 1, KEYS - 1):
        one = member_inputs(Case.parse("ml-kem-768/decaps/key=fresh"), None, member)
        assert not mlkem.is_rejected(of, one["key"].data, one["msg"].data)


def test_there_are_keys_for_all_that_can_be_asked_for() -> None:
    verbs = {case.verb for case in KEYED}
    assert verbs == set(CATALOGUE.conditions["key"].verbs)


def test_conditions_are_told_from_other_parameters() -> None:
    params = (("bits", "2048"), ("crt", "no"), ("key", "fresh"), ("offset", "3"))
    assert conditions_of(params) == {"key": "fresh", "offset": "3"} and without_conditions(params) == params[:2]
    assert filter_terms("modexp/private/bits=2048,crt=no,key=fresh") == [
        "op:modexp/private/bits=2048,crt=no",
        "key:fresh",
    ]
