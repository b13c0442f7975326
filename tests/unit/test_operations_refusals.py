# SPDX-License-Identifier: Apache-2.0
"""What the oracle must not take: lengths, tags and times that are none, keys of another curve. A vector that is refused for another reason would not show that the check is gone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from Crypto.PublicKey import ECC
from Crypto.Signature import eddsa

from cipherstone.model.errors import NotAuthentic
from cipherstone.operations import aes_modes, curve448, handshakes, key_import, mldsa, slhdsa, weierstrass
from cipherstone.operations.certificate import GENERALIZED_TIME, UTC_TIME, Element, Kind, _moment, elements, read
from cipherstone.operations.certificates import chain, p256
from cipherstone.operations.key_import import BIT_STRING, SEQUENCE, der, der_integer
from cipherstone.operations.oracle import _verbs_of
from cipherstone.operations.scheme import Scheme


@pytest.mark.parametrize(
    ("data", "found"),
    [
        ("", []),
        ("0200", [(2, "", "0200")]),
        ("0201050402aabb", [(2, "05", "020105"), (4, "aabb", "0402aabb")]),
        ("04817f" + "00" * 127, "shortest"),  # a length that one byte tells
        ("048180" + "00" * 128, [(4, "00" * 128, "048180" + "00" * 128)]),
        ("04820080" + "00" * 128, "shortest"),
        ("048200ff" + "00" * 255, "shortest"),
        ("04820100" + "00" * 256, [(4, "00" * 256, "04820100" + "00" * 256)]),
        ("0480" + "0000", "shortest"),  # of indefinite length
        ("02", "no tag and length"),
        ("1f810100", "no tag and length"),  # a tag of several bytes
        ("3f810100", "no tag and length"),
        ("1e00", [(0x1E, "", "1e00")]),
        ("0202aa", "ends too early"),
        ("02010502", "no tag and length"),
    ],
)
def test_elements_of_der(data: str, found: object) -> None:
    """X.690 sections 8.1 and 10.1."""
    if isinstance(found, str):
        with pytest.raises(NotAuthentic, match=found):
            list(elements(bytes.fromhex(data)))
        return
    told = [(one.tag, one.body.hex(), one.whole.hex()) for one in elements(bytes.fromhex(data))]
    assert told == found


@pytest.mark.parametrize(
    ("tag", "text", "seconds"),
    [
        (UTC_TIME, "700101000001Z", 1),
        (UTC_TIME, "491231235959Z", 2524607999),
        (UTC_TIME, "500101000000Z", -631152000),
        (GENERALIZED_TIME, "19700101000001Z", 1),
        (UTC_TIME, "19700101000001Z", None),
        (GENERALIZED_TIME, "700101000001Z", None),
        (GENERALIZED_TIME, "1970010100000Z", None),
        (GENERALIZED_TIME, "19700101000001ZZ", None),
        (GENERALIZED_TIME, "19700101000001+", None),
        (GENERALIZED_TIME, "1970010100000.Z", None),
        (GENERALIZED_TIME, "19701301000001Z", None),
        (GENERALIZED_TIME, "", None),
        (UTC_TIME, "7001010000Z", None),
        (0x16, "19700101000001Z", None),
    ],
)
def test_times_have_one_form(tag: int, text: str, seconds: int | None) -> None:
    """RFC 5280 section 4.1.2.5."""
    element = Element(tag, text.encode(), b"")
    if seconds is None:
        with pytest.raises(NotAuthentic):
            _moment(element)
    else:
        assert _moment(element) == seconds


@pytest.mark.parametrize(
    ("body", "serial"), [("05", 5), ("00", 0), ("0080", 128), ("ff", -1), ("", None), ("0005", None), ("007f", None)]
)
def test_a_serial_number_is_an_integer(body: str, serial: int | None) -> None:
    """Of as few bytes as it takes, and of one at least."""
    (outer,) = elements(chain(p256())[0])
    tbs, algorithm, value = elements(outer.body)
    version, _, *rest = elements(tbs.body)
    number = der(0x02, bytes.fromhex(body))
    made = der(
        SEQUENCE,
        der(SEQUENCE, version.whole, number, *(one.whole for one in rest)),
        algorithm.whole,
        value.whole,
    )
    if serial is None:
        with pytest.raises(NotAuthentic, match="no INTEGER of DER"):
            read(made)
    else:
        assert read(made).serial == serial


@pytest.mark.parametrize(
    ("exponent", "taken"), [(3, True), (0xFFFFFFFF, True), (1 << 32 | 1, False), (2, False), (1, False)]
)
def test_an_exponent_has_room_in_four_bytes(exponent: int, taken: bool) -> None:
    n = key_import.numbers_of(2048)[0]
    inner = der(SEQUENCE, der_integer(n), der_integer(exponent))
    data = der(SEQUENCE, key_import.algorithm_identifier(key_import.RSA_ENCRYPTION), der(BIT_STRING, b"\0", inner))
    if taken:
        assert key_import.rsa_public(2048, data)[-4:] == exponent.to_bytes(4, "big")
    else:
        with pytest.raises(NotAuthentic, match="out of range"):
            key_import.rsa_public(2048, data)
    with pytest.raises(NotAuthentic, match="a modulus of 2048 bits"):
        key_import.rsa_public(2047, data)


def test_a_key_of_the_other_edwards_curve_is_none() -> None:
    """With a signature that is right for it."""
    other = ECC.construct(curve="Ed25519", seed=bytes(32))
    pub = other.public_key().export_key(format="raw")
    signature = eddsa.new(other, "rfc8032").sign(b"message")
    judge = curve448.ed448().judge["sign"]
    assert judge({"pub": pub, "msg": b"message"}, signature, None) != ""
    for wrong in (pub, bytes(56), bytes(58), b""):
        with pytest.raises(ValueError, match="pub is not 57 bytes"):
            curve448._ed448_public(wrong)


def test_both_sides_of_x448_agree() -> None:
    key = bytes(range(56))
    pub = curve448._x448_public(key)
    assert curve448._x448_agrees(key, pub) == ""
    assert curve448._x448_agrees(key, curve448._x448_public(bytes(range(1, 57)))) == "the public key is not the private one's"  # fmt: skip


def test_keys_and_signatures_of_another_length_are_none() -> None:
    of = slhdsa.SETS["slh-dsa-sha2-128f"]
    right = bytes(slhdsa.PUBLIC_BYTES), bytes(of.signature_bytes)
    for pk, signature in ((right[0][1:], right[1]), (right[0], right[1][1:]), (right[0] + b"x", right[1]), (right[0], right[1] + b"x"), (b"", b"")):  # fmt: skip
        assert slhdsa.verify(of, pk, b"m", signature) is False
    lattice = next(iter(mldsa.SETS.values()))
    for seed in (bytes(31), bytes(33), b""):
        with pytest.raises(ValueError, match="not 32"):
            mldsa.keygen(lattice, seed)


@pytest.mark.parametrize(("kind", "oid", "length"), [(handshakes.ed25519, "2b6570", 32), (handshakes.ml_dsa_65, "608648016503040312", 1952)])  # fmt: skip
def test_keys_that_are_bytes_alone(kind: Callable[[], Kind], oid: str, length: int) -> None:
    """RFC 8410 section 4, RFC 9881 section 4: an identifier without parameters, and a bit string of whole bytes."""
    algorithm, pub = der(SEQUENCE, der(0x06, bytes.fromhex(oid))), bytes(range(32)) * (length // 32)
    assert kind().spki(pub) == der(SEQUENCE, algorithm, der(BIT_STRING, b"\0", pub))
    assert kind().public(kind().spki(pub)) == pub and kind().algorithm == algorithm
    other = der(SEQUENCE, der(0x06, bytes.fromhex(oid)), der(0x05))
    for head, tag, body in (
        (other, BIT_STRING, b"\0" + pub),
        (algorithm, 0x04, b"\0" + pub),
        (algorithm, BIT_STRING, b"\0" + pub[1:]),
        (algorithm, BIT_STRING, b"\0" + pub + b"\0"),
        (algorithm, BIT_STRING, b"\1" + pub),
    ):
        with pytest.raises(NotAuthentic, match="no key of this kind"):
            kind().public(der(SEQUENCE, head, der(tag, body)))


@pytest.mark.parametrize("length", [0, 1, 15, 17])
def test_xts_is_of_whole_blocks(length: int) -> None:
    inputs = {"key": bytes(range(32)), "iv": bytes(16), "msg": bytes(length)}
    for verb in ("encrypt", "decrypt"):
        with pytest.raises(ValueError, match=f"{length} bytes are no whole blocks"):
            aes_modes.XTS[verb](inputs)
    whole = {**inputs, "msg": bytes(range(48))}
    sealed = aes_modes.XTS["encrypt"](whole)
    assert sealed != whole["msg"] and aes_modes.XTS["decrypt"]({**whole, "msg": sealed}) == whole["msg"]


def test_a_scheme_can_what_it_computes_and_decides_what_it_makes() -> None:
    """A signature is verified by the judge of signing; nothing else is to be had for nothing."""
    none = dict.fromkeys(("sign",), lambda *_: "")
    assert _verbs_of(Scheme(lambda number: (b"", b""), judge=none)) == {"sign", "verify"}  # type: ignore[arg-type]
    for verb in ("seal", "encapsulate", "encrypt", "keygen", "derive"):
        assert _verbs_of(Scheme(lambda number: (b"", b""), due={verb: lambda inputs: None})) == {verb}


@pytest.mark.parametrize("number", [0, weierstrass.ORDER, weierstrass.ORDER + 1, 2**256 - 1])
@pytest.mark.parametrize("place", [0, 1])
def test_numbers_of_a_signature_are_below_the_order(number: int, place: int) -> None:
    """Of Brainpool, in both forms; none and the order itself are not."""
    key, message = bytes(31) + b"\5", b"abc"
    fixed = weierstrass._sign({"key": key, "msg": message}, "p1363")
    numbers = [int.from_bytes(fixed[:32], "big"), int.from_bytes(fixed[32:], "big")]
    assert len(fixed) == 64
    coded = weierstrass._sign({"key": key, "msg": message}, "der")
    assert coded == weierstrass._sign({"key": key, "msg": message}, None) == der(SEQUENCE, *map(der_integer, numbers))
    x, y = weierstrass._multiply(5, weierstrass.BASE) or (0, 0)
    pub = b"\4" + x.to_bytes(32, "big") + y.to_bytes(32, "big")
    weierstrass._verify(pub, message, fixed, "p1363")
    weierstrass._verify(pub, message, coded, "der")
    numbers[place] = number
    with pytest.raises(ValueError, match="r or s is not from 1"):
        weierstrass._verify(pub, message, b"".join(one.to_bytes(32, "big") for one in numbers), "p1363")
    with pytest.raises(ValueError, match="r or s is not from 1"):
        weierstrass._verify(pub, message, der(SEQUENCE, *map(der_integer, numbers)), "der")
    for length in (63, 65, 0):
        with pytest.raises(ValueError, match=f"signature of {length} bytes"):
            weierstrass._verify(
                pub, message, fixed[:63] + bytes(length - 63) if length > 63 else fixed[:length], "p1363"
            )


def test_a_signature_of_der_is_two_integers() -> None:
    """In their shortest form. A sequence of digits is no number, though its bytes are one to Python."""
    right = der_integer(5) + der_integer(7)
    assert weierstrass._read_der(der(SEQUENCE, right)) == (5, 7)
    digits = der(SEQUENCE, b"1" * 49)
    assert int(digits) > 0
    for wrong in (
        der(SEQUENCE, der_integer(5)),
        der(SEQUENCE, right, der_integer(7)),
        der(SEQUENCE, der_integer(5), digits),
        der(SEQUENCE, digits, der_integer(5)),
        b"\x30\x81\x06" + right,
        der(SEQUENCE, der_integer(5), b"\2\2\0\7"),
        der(SEQUENCE, right) + b"\0",
        b"\x30",
        b"",
    ):
        with pytest.raises(ValueError):
            weierstrass._read_der(wrong)
