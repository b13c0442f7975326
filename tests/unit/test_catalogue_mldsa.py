# SPDX-License-Identifier: Apache-2.0
"""ML-DSA as the judge has it, from FIPS 204: every published signature byte for byte, what verification refuses, and a ring of messages that repeats as often as the standard expects."""

from __future__ import annotations

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import mldsa as second

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.vectors import load_vectors
from cipherstone.model.ids import Case
from cipherstone.operations import mldsa
from cipherstone.operations.mldsa_scheme import RING_MESSAGES
from cipherstone.operations.oracle import NotAuthentic, expected_output, made, random_output_problem
from cipherstone.operations.ring import member_inputs
from cipherstone.operations.schemes import schemes

EXPECTED = {"ml-dsa-44": 4.25, "ml-dsa-65": 5.1, "ml-dsa-87": 3.85}  # FIPS 204 table 1: repetitions
AT_ONCE = b"message 2"  # what the key of the seed of zeros signs at the first try
LENGTHS = {"ml-dsa-44": (1312, 2560, 2420), "ml-dsa-65": (1952, 4032, 3309), "ml-dsa-87": (2592, 4896, 4627)}  # table 2


@pytest.mark.parametrize("algorithm", mldsa.SETS)
def test_lengths_are_those_of_the_standard(algorithm: str) -> None:
    of = mldsa.SETS[algorithm]
    assert (of.public_bytes, of.private_bytes, of.signature_bytes) == LENGTHS[algorithm]
    assert [len(part) for part in mldsa.keygen(of, bytes(32))] == [of.private_bytes, of.public_bytes]
    stated = load_catalogue(data_root()).operations[f"{algorithm}/sign"].lengths
    assert stated == {"key": 32, "pub": of.public_bytes, "sig": of.signature_bytes}


@pytest.mark.parametrize("algorithm", mldsa.SETS)
def test_it_gives_every_known_answer(algorithm: str) -> None:
    """What Wycheproof publishes is the deterministic variant."""
    asked: dict[str, int] = {}
    for vector in load_vectors(data_root(), algorithm).vectors:
        operation = f"{algorithm}/{vector.verb}"
        asked[vector.verb + vector.expect] = asked.get(vector.verb + vector.expect, 0) + 1
        if vector.verb == "sign":
            assert made(operation, vector.inputs) == vector.output, vector.id
        elif vector.expect == "rejected":
            with pytest.raises(NotAuthentic):
                expected_output(operation, vector.inputs)
        else:
            assert expected_output(operation, vector.inputs) == (
                vector.output or (b"" if vector.verb == "verify" else None)
            )
    assert (
        asked["keygenok"] > 10 and asked["signok"] >= 10 and asked["verifyok"] >= 10 and asked["verifyrejected"] >= 20
    )


@pytest.mark.parametrize("algorithm", mldsa.SETS)
def test_a_second_opinion_agrees(algorithm: str) -> None:
    """Of a library that shares nothing with the judge, although it is one of those that are measured."""
    key = getattr(second, algorithm.upper().replace("-", "") + "PrivateKey").from_seed_bytes(bytes(range(32)))
    pub = key.public_key().public_bytes_raw()
    inputs = {"key": bytes(range(32)), "pub": pub, "msg": b"a message"}
    assert expected_output(f"{algorithm}/keygen", {"seed": inputs["key"]}) == inputs["key"] + pub
    assert random_output_problem(f"{algorithm}/sign", inputs, key.sign(inputs["msg"])) == ""
    key.public_key().verify(made(f"{algorithm}/sign", inputs), inputs["msg"])
    with pytest.raises(InvalidSignature):
        key.public_key().verify(made(f"{algorithm}/sign", inputs), b"another")


@pytest.mark.parametrize("algorithm", mldsa.SETS)
def test_a_drawn_signature_is_as_good_and_a_changed_one_is_none(algorithm: str) -> None:
    of, operation = mldsa.SETS[algorithm], f"{algorithm}/sign"
    seed, pub = schemes()[algorithm].key_pair(0)
    inputs = {"key": seed, "pub": pub, "msg": b"a message"}
    sk = mldsa.keygen(of, seed)[0]
    hedged = mldsa.sign(of, sk, inputs["msg"], bytes(range(32)))[0]
    assert hedged != made(operation, inputs)
    assert random_output_problem(operation, inputs, hedged) == ""
    for place in (0, of.strength // 4, len(hedged) // 2, len(hedged) - of.k - 1, len(hedged) - 1):
        changed = bytearray(hedged)
        changed[place] ^= 0x01
        assert random_output_problem(operation, inputs, bytes(changed)), place
    assert random_output_problem(operation, inputs | {"msg": b"another"}, hedged)
    assert random_output_problem(operation, inputs | {"pub": schemes()[algorithm].key_pair(1)[1]}, hedged)


def test_a_response_that_reaches_the_bound_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """FIPS 204 algorithm 7, line 23: it would say something of the key. One less may be given."""
    of = mldsa.SETS["ml-dsa-44"]
    sk, norm = mldsa.keygen(of, bytes(32))[0], mldsa._norm
    assert mldsa.sign(of, sk, AT_ONCE)[1] == 1
    for first, tries in ((of.gamma1 - of.beta - 1, 1), (of.gamma1 - of.beta, 2)):
        told = iter((first,))
        monkeypatch.setattr(mldsa, "_norm", lambda v, told=told: next(told, None) or norm(v))
        assert min(mldsa.sign(of, sk, AT_ONCE)[1], 2) == tries


@pytest.mark.parametrize("algorithm", mldsa.SETS)
def test_a_pair_is_judged_by_its_seed(algorithm: str) -> None:
    operation, (seed, pub) = f"{algorithm}/keygen", schemes()[algorithm].key_pair(0)
    assert random_output_problem(operation, {}, seed + pub) == ""
    for place in (0, 31, 32, 64, len(seed + pub) - 1):
        changed = bytearray(seed + pub)
        changed[place] ^= 0x80
        assert random_output_problem(operation, {}, bytes(changed)), place
    assert "bytes" in random_output_problem(operation, {}, (seed + pub)[:-1])


@pytest.mark.parametrize("algorithm", mldsa.SETS)
def test_the_messages_of_the_ring_repeat_as_often_as_the_standard_expects(algorithm: str) -> None:
    """So that who draws and who does not are asked for the same work in the mean."""
    of, sign = mldsa.SETS[algorithm], load_catalogue(data_root()).operations[f"{algorithm}/sign"]
    assert len(RING_MESSAGES[algorithm]) == sign.ring == 16 and sign.distribution
    case = Case(algorithm, "sign")
    given = [member_inputs(case, None, member) for member in range(sign.ring)]
    assert len({one["msg"].data for one in given}) == sign.ring and len({one["key"].data for one in given}) == 1
    sk = mldsa.keygen(of, given[0]["key"].data)[0]
    tries = sorted(mldsa.sign(of, sk, one["msg"].data)[1] for one in given)
    assert abs(sum(tries) / sign.ring - EXPECTED[algorithm]) < 1 / sign.ring
    accepted = 1 / EXPECTED[algorithm]
    for place, count in enumerate(tries[:-1]):  # of the last, which has the long tail, only the mean is asked
        quantile = (place + 0.5) / sign.ring
        assert 1 - (1 - accepted) ** (count - 1) <= quantile <= 1 - (1 - accepted) ** count, (place, count)
    assert set(sign.timed.split("; ")) >= {"16 inputs take the calls in turn", "each call alone"}
