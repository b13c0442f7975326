# SPDX-License-Identifier: Apache-2.0
"""Timed inputs: the same bytes everywhere, of the shape that each verb has, and accepted by the oracle."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from Crypto.Cipher import AES
from hypothesis import given
from hypothesis import strategies as st
from kept import WORTH_S, answered, judge

from cipherstone.catalogue.algorithms import catalogue_of_checkout, load_catalogue
from cipherstone.catalogue.families import load_families
from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.verbs import load_verbs
from cipherstone.model.errors import UsageError
from cipherstone.model.ids import Case
from cipherstone.operations.inputs import AAD_BYTES, timed_inputs, timed_output
from cipherstone.operations.oracle import expected_output, signature_is_valid
from cipherstone.operations.ring import member_inputs
from cipherstone.operations.schemes import schemes
from cipherstone.operations.splitmix import splitmix64
from cipherstone.operations.values import InputValue

CATALOGUE = load_catalogue(data_root())
CASES = [case for operation in CATALOGUE.operations.values() for case in operation.cases]
ORDERS = {
    "ecdsa-p256-sha256": 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551,
    "ecdsa-p384-sha384": 2**384 - 1388124618062372383947042015309946732620727252194336364173,
    "ecdsa-p521-sha512": 2**521 - 657877501894328237357444332315020117536923257219387276263472201219398408051703,
    "ecdsa-secp256k1-sha256": 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141,
}
LINE_LIMIT = 8 * 1024 * 1024


def _splitmix64(seed: int, length: int) -> bytes:
    """The specification, word by word."""
    mask, out = (1 << 64) - 1, b""
    state = seed
    while len(out) < length:
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        out += (z ^ (z >> 31)).to_bytes(8, "little")
    return out[:length]


@pytest.mark.parametrize("aad_bytes", [0, 13, 64, 1024])
@pytest.mark.parametrize("member", [0, 3])
def test_associated_data_of_any_length_is_authenticated(aad_bytes: int, member: int) -> None:
    """What is sealed with so many bytes opens with these alone, in the timed inputs and in a further member of a ring."""
    condition = (("aad", str(aad_bytes)),) if aad_bytes != AAD_BYTES else ()
    seal, opening = (Case("aes-128-gcm", verb, 1024, condition) for verb in ("seal", "open"))
    sealed = {name: value.data for name, value in member_inputs(seal, None, member).items()}
    assert len(sealed["aad"]) == aad_bytes and sealed["aad"] == timed_inputs(seal)["aad"].data
    cipher = AES.new(sealed["key"], AES.MODE_GCM, nonce=sealed["iv"])
    cipher.update(sealed["aad"])
    text, tag = cipher.encrypt_and_digest(sealed["msg"])
    opened = {name: value.data for name, value in member_inputs(opening, None, member).items()}
    assert (opened["aad"], len(opened["msg"])) == (sealed["aad"], len(text))
    again = AES.new(opened["key"], AES.MODE_GCM, nonce=opened["iv"])
    again.update(opened["aad"])
    plain = again.decrypt_and_verify(opened["msg"], opened["tag"])
    if member == 0:
        assert (opened["msg"], opened["tag"], plain) == (text, tag, sealed["msg"])


def test_the_stream_is_that_of_the_protocol() -> None:
    assert splitmix64(0, 16).hex() == "afcd1d7b39a820e2f465b9a16a9e786e"
    assert splitmix64(1, 12).hex() == "c15c0289ec2d0a9167ec8e65"


@given(seed=st.integers(0, 2**64 - 1), length=st.integers(0, 100))
def test_the_stream_agrees_with_the_specification(seed: int, length: int) -> None:
    assert splitmix64(seed, length) == _splitmix64(seed, length)


@given(seed=st.integers(0, 2**64 - 1), length=st.integers(0, 300))
def test_generated_values_round_trip(seed: int, length: int) -> None:
    value = InputValue.generated(seed, length)
    assert value.protocol_text() == f"gen:{seed}:{length}" and InputValue.parse(value.protocol_text()) == value


@given(data=st.binary(max_size=300))
def test_literal_values_round_trip(data: bytes) -> None:
    value = InputValue(data)
    assert value.protocol_text() == "hex:" + data.hex() and InputValue.parse(value.protocol_text()) == value


@pytest.mark.parametrize(
    "text", ["", "hex", "hex:0", "hex:0G", "hex:AA", "gen:1", "gen::3", "gen:-1:3", f"gen:{2**64}:1", "raw:00"]
)
def test_malformed_values_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        InputValue.parse(text)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_inputs_have_the_shape_of_the_verb(case: Case) -> None:
    inputs = timed_inputs(case)
    verb = load_verbs(data_root())[case.verb]
    assert set(verb.needed) <= set(inputs) <= set(verb.inputs)
    assert inputs == timed_inputs(case)
    if case.size_bytes is not None:
        check_value = 8 if case.verb == "unwrap" else 0  # a wrapped key is longer than what it holds, which is the size
        assert len(inputs["msg"].data) == case.size_bytes + check_value
    if "aad" in inputs:
        assert len(inputs["aad"].data) == AAD_BYTES == 13
    if "aad" in inputs and "iv" in verb.needed:
        assert len(inputs["iv"].data) == catalogue_of_checkout().lengths[case.algorithm]["iv"]
    line = sum(len(value.protocol_text()) + 8 for value in inputs.values())
    assert line < LINE_LIMIT
    for value in inputs.values():
        assert InputValue.parse(value.protocol_text()).data == value.data


# The numbers of modular arithmetic have a test of their own.
ACCEPTED = [c for c in CASES if c.size_bytes in (None, 16384) and not c.algorithm.startswith("bignum")]


class Judged(msgspec.Struct, frozen=True):
    """What the oracle says of timed inputs: digests of the output that is due and of the one that runs are held against, None of what is drawn; whether a signature is valid, None where there is none to verify."""

    output: str | None
    timed: str | None
    valid: bool | None


def sha256(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()


def judged(case: Case, form: str | None) -> Judged:
    inputs = {name: value.data for name, value in timed_inputs(case, form).items()}
    valid = signature_is_valid(case.operation, inputs, inputs["sig"], form) if case.verb == "verify" else None
    output = expected_output(case.operation, inputs, form)
    return Judged(sha256(output), sha256(timed_output(case, form)), valid)


@pytest.mark.parametrize("case", ACCEPTED, ids=lambda case: case.id)
def test_the_oracle_accepts_the_timed_inputs(case: Case) -> None:
    forms = ("der", "p1363") if case.algorithm in ORDERS else (None,)
    inputs = (judge(), case.id, Path(__file__))
    with answered(
        "timed", inputs, list[Judged], lambda: [judged(case, form) for form in forms], least_s=WORTH_S
    ) as said:
        assert len(said) == len(forms)
        for one in said:
            assert one.output == one.timed
            drawn = case.verb == "sign" and "sign" not in schemes()[case.algorithm].due
            draws = ("keygen", "paramgen", "agree", "encaps", "public-encrypt", "fetch", "issue")
            assert (one.output is None) == (drawn or case.verb in draws)
            if case.verb in ("decrypt", "open"):
                plain = "encrypt" if case.verb == "decrypt" else "seal"
                due = timed_inputs(Case(case.algorithm, plain, case.size_bytes))["msg"].data
                assert one.output == sha256(due)
            assert one.valid is (True if case.verb == "verify" else None)


def test_the_counter_does_not_overflow_in_its_last_32_bits() -> None:
    for algorithm in ("aes-128-ctr", "aes-256-ctr"):
        iv = timed_inputs(Case(algorithm, "encrypt", 1048576))["iv"].data
        assert int.from_bytes(iv[12:], "big") + 1048576 // 16 < 2**32


@pytest.mark.parametrize("algorithm", ORDERS)
def test_the_scalar_is_in_range(algorithm: str) -> None:
    key = timed_inputs(Case(algorithm, "sign"))["key"].data
    assert 0 < int.from_bytes(key, "big") < ORDERS[algorithm]


def test_triple_des_has_three_different_keys() -> None:
    key = timed_inputs(Case("3des-cbc", "encrypt", 16))["key"].data
    assert len({bytes(b & 0xFE for b in key[at : at + 8]) for at in (0, 8, 16)}) == 3


def test_another_process_makes_the_same_inputs() -> None:
    program = (
        "import sys; from cipherstone.operations.inputs import timed_inputs; from cipherstone.model.ids import Case\n"
        "for line in sys.stdin:\n"
        "    c = Case.parse(line.strip())\n"
        "    print(c.id, *sorted(f'{k}={v.protocol_text()}' for k, v in timed_inputs(c).items()))\n"
    )
    families = load_families(data_root(), CATALOGUE.sizes, CATALOGUE.verbs).values()
    first = {algorithm for family in families for algorithm in family.first}
    cases = [case for case in CASES if case.size_bytes in (None, 64) and case.algorithm in first]
    first_bignum = next(index for index, case in enumerate(cases) if case.algorithm == "modexp")
    mine = "".join(
        " ".join([case.id, *sorted(f"{k}={v.protocol_text()}" for k, v in timed_inputs(case).items())]) + "\n"
        for case in cases
    )
    asked = "".join(f"{case.id}\n" for case in cases)
    other = subprocess.run(
        [sys.executable, "-c", program], input=asked, capture_output=True, text=True, check=True
    ).stdout
    assert other == mine
    # Changing an input changes what is measured: that is a new method version, not a slip.
    lines = mine.splitlines(keepends=True)
    assert hashlib.sha256("".join(lines[:first_bignum]).encode()).hexdigest() == FINGERPRINT
    assert hashlib.sha256("".join(lines[first_bignum:]).encode()).hexdigest() == BIGNUM_FINGERPRINT


FINGERPRINT = "a9b1ea2afb2caa722e36f625ab56225450197ce358b0fe491ca4be2336fab6ce"

BIGNUM_FINGERPRINT = "3bb52f442bea4d8f21fefc92a9b3dade7b9a719a7ddb335498f57a44cb2a8ec2"


@pytest.mark.parametrize(
    "case",
    [
        Case("modexp", "private", 16, (("bits", "2048"), ("crt", "no"))),
        Case("bignum", "montmul", None, (("bits", "8192"),)),
        Case("sha-256", "hash"),
        Case("x25519", "derive", 16),
        Case("sha-265", "hash", 16),
        Case("sha-256", "seal", 16),
    ],
)
def test_cases_without_inputs_are_one_line(case: Case) -> None:
    with pytest.raises(UsageError, match="inputs:"):
        timed_inputs(case)
