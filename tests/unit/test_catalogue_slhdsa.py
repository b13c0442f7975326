# SPDX-License-Identifier: Apache-2.0
"""SLH-DSA as the judge has it, from FIPS 205: NIST's answers, the stored signature that is timed, and what is refused. (tools/refresh_vectors.py asks all of NIST's answers, with contexts.)"""

from __future__ import annotations

import pytest

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.vectors import load_vectors
from cipherstone.model.ids import Case
from cipherstone.operations import slhdsa
from cipherstone.operations.inputs import timed_inputs
from cipherstone.operations.oracle import made, random_output_problem
from cipherstone.operations.schemes import schemes
from cipherstone.operations.slhdsa_scheme import TIMED

FAST, SMALL = "slh-dsa-sha2-128f", "slh-dsa-sha2-128s"
LENGTHS = {SMALL: 7856, FAST: 17088}  # FIPS 205 table 2


@pytest.mark.parametrize("algorithm", LENGTHS)
def test_lengths_are_those_of_the_standard(algorithm: str) -> None:
    assert slhdsa.SETS[algorithm].signature_bytes == LENGTHS[algorithm]
    stated = load_catalogue(data_root()).operations[f"{algorithm}/sign"].lengths
    assert stated == {"key": 64, "pub": 32, "sig": LENGTHS[algorithm]}


@pytest.mark.parametrize("algorithm", LENGTHS)
def test_the_timed_signature_is_a_vector_and_is_right(algorithm: str) -> None:
    """Of the small set it was computed once; that the key belongs to it is computed here."""
    vector = next(v for v in load_vectors(data_root(), algorithm).vectors if v.id == TIMED)
    timed = {name: value.data for name, value in timed_inputs(Case(algorithm, "verify")).items()}
    assert timed == vector.inputs
    assert slhdsa.verify(slhdsa.SETS[algorithm], timed["pub"], timed["msg"], timed["sig"])
    key, pub = schemes()[algorithm].key_pair(0)
    assert slhdsa.keygen(slhdsa.SETS[algorithm], key[: slhdsa.SEED_BYTES]) == (key, pub)


def test_signing_gives_the_published_signature_and_the_timed_one() -> None:
    """With the fast set, which shares all of its code with the small one."""
    of = slhdsa.SETS[FAST]
    vectors = {v.id: v for v in load_vectors(data_root(), FAST).vectors}
    key = schemes()[FAST].key_pair(0)[0]
    timed = vectors[TIMED]
    assert slhdsa.sign(of, key, timed.inputs["msg"]) == timed.inputs["sig"]
    published = vectors["verify-1"]
    signer = next(v for v in vectors.values() if v.verb == "sign" and v.inputs["pub"] == published.inputs["pub"])
    assert slhdsa.sign(of, signer.inputs["key"], published.inputs["msg"]) == published.inputs["sig"]


@pytest.mark.parametrize("shake", [False, True])
def test_a_drawn_signature_is_as_good_and_a_changed_one_is_none(shake: bool) -> None:
    of = slhdsa.SETS["slh-dsa-shake-128f" if shake else FAST]
    key, pub = slhdsa.keygen(of, bytes(range(48)))
    hedged = slhdsa.sign(of, key, b"a message", bytes(range(16)))
    assert slhdsa.verify(of, pub, b"a message", hedged)
    assert hedged[:16] != slhdsa.sign(of, key, b"another")[:16]
    for place in (0, 16, 40, 4000, len(hedged) - 1):
        assert not slhdsa.verify(
            of, pub, b"a message", hedged[:place] + bytes([hedged[place] ^ 1]) + hedged[place + 1 :]
        )
    assert not slhdsa.verify(of, pub, b"a message", hedged, b"a context")
    assert not slhdsa.verify(of, pub, b"another", hedged) and not slhdsa.verify(of, pub, b"a message", hedged[:-1])
    if not shake:
        inputs = {"key": key, "pub": pub, "msg": b"a message"}
        assert random_output_problem(f"{FAST}/sign", inputs, hedged) == "" and made(f"{FAST}/sign", inputs) != hedged


def test_a_pair_is_judged_by_its_root() -> None:
    key, pub = schemes()[FAST].key_pair(0)
    assert random_output_problem(f"{FAST}/keygen", {}, key + pub) == ""
    for place in (0, 40, 63, 64, 95):
        changed = bytearray(key + pub)
        changed[place] ^= 0x80
        assert random_output_problem(f"{FAST}/keygen", {}, bytes(changed)), place
    assert "bytes" in random_output_problem(f"{FAST}/keygen", {}, (key + pub)[:-1])
