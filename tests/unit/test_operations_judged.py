# SPDX-License-Identifier: Apache-2.0
"""What judges and readers of keys say of what is wrong in one place only: each of their sentences is reached."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_der_private_key

from cipherstone.model.errors import NotAuthentic, UsageError
from cipherstone.model.ids import Case
from cipherstone.operations import certificates, ec_import, handshakes, hybrid, key_import, mlkem, ring, rsa
from cipherstone.operations.certificate import ALT_NAME, BASIC_CONSTRAINTS, KEY_USAGE, UTF8, elements, read
from cipherstone.operations.certificates import _names, _purpose_problem, fields, issued, p256, timed
from cipherstone.operations.key_import import BIT_STRING, INTEGER, OCTET_STRING, OID, SEQUENCE, der
from cipherstone.operations.scheme import PEER, judge_of_pair, judge_of_signature, key_stream
from cipherstone.operations.schemes import schemes
from cipherstone.operations.values import InputValue

SMALL = mlkem.SETS["ml-kem-512"]


def test_a_secret_that_is_not_the_public_keys() -> None:
    """With everything else as it must be: the public key inside, its hash, a small secret."""
    private, _ = mlkem.keygen(SMALL, bytes(64))
    _, other = mlkem.keygen(SMALL, b"\1" * 64)
    secret, rejection = private[: 384 * SMALL.k], private[-32:]
    mixed = secret + other + hashlib.sha3_256(other).digest() + rejection
    assert mlkem.belongs_together(SMALL, mixed, other) == "the public key is not the private one's"


def test_a_judge_of_pairs_says_what_the_library_says() -> None:
    def check(key: bytes, pub: bytes) -> str:
        if key == b"?":
            raise ValueError("not today")
        return f"{key!r} {pub!r}"

    judge = judge_of_pair((1, 2), check)
    assert judge({}, b"abc", None) == "b'a' b'bc'"
    assert judge({}, b"?bc", None) == "the independent library refuses the key: not today"
    for wrong in (b"", b"ab", b"abcd"):
        assert judge({}, wrong, None) == f"key pair of {len(wrong)} bytes, not 1 and 2"
    signature = judge_of_signature(lambda *_: None)
    assert signature({"pub": b"", "msg": b""}, b"", None) == ""


def test_streams_of_keys() -> None:
    """The first key, those of a ring and the peer's are of streams of their own."""
    found = [key_stream(number, 32) for number in (0, 1, 2, PEER)]
    assert len(set(found)) == 4 and all(len(one) == 32 for one in found)


def test_keys_of_rsa_that_the_library_refuses() -> None:
    n, e, d, p, q, dp, dq, qinv = key_import.numbers_of(2048)
    assert key_import.rsa_public(2048, key_import.spki(n, e)) == rsa.encoded_public(2048, n, e)
    with pytest.raises(NotAuthentic, match="not supported"):  # an even modulus
        key_import.rsa_public(2048, key_import.spki(n - 1, e))
    right = (n, e, d, p, q, dp, dq, qinv)
    assert len(key_import.rsa_private(2048, key_import.pkcs8(right))) == 256
    changed = {
        "n": (n + 2, e, d, p, q, dp, dq, qinv),
        "dp": (n, e, d, p, q, dp + 1, dq, qinv),
        "dq": (n, e, d, p, q, dp, dq + 1, qinv),
        "qinv": (n, e, d, p, q, dp, dq, qinv + 1),
    }
    for numbers in changed.values():
        with pytest.raises(NotAuthentic, match="numbers that are no key of this length"):
            key_import.rsa_private(2048, key_import.pkcs8(numbers))
    with pytest.raises(NotAuthentic, match="no key of this length"):
        key_import.rsa_private(2047, key_import.pkcs8(right))
    other = d + 2
    with pytest.raises(NotAuthentic) as caught:
        key_import.rsa_private(2048, key_import.pkcs8((n, e, other, p, q, other % (p - 1), other % (q - 1), qinv)))
    assert "no key of this length" not in str(caught.value)


def test_points_and_scalars_that_the_library_refuses() -> None:
    key, pub = ec_import.pair(0)
    assert ec_import.ec_public(ec_import.ec_spki(pub)) == pub
    for point, said in ((b"\4" + b"\1" * 64, "[Pp]oint|EC"), (b"\2" + pub[1:], "no uncompressed"), (pub[:-1], "no uncompressed"), (pub + b"\0", "no uncompressed")):  # fmt: skip
        with pytest.raises(NotAuthentic, match=said):
            ec_import.ec_public(ec_import.ec_spki(point))
    assert ec_import.ec_private(ec_import.ec_pkcs8(key, pub)) == key
    for scalar, said in ((bytes(32), "[Dd] must|EC|key"), (key[:-1], "no scalar"), (key + b"\0", "no scalar")):
        with pytest.raises(NotAuthentic, match=said):
            ec_import.ec_private(ec_import.ec_pkcs8(scalar, pub))


def test_ciphertexts_of_rsa_are_judged() -> None:
    scheme = rsa.rsa_oaep_sha256(2048)
    judge, (_, pub) = scheme.judge["public-encrypt"], scheme.key_pair(0)
    inputs = {"pub": pub, "msg": b"a message"}
    right = scheme.make["public-encrypt"](inputs, None)
    assert judge(inputs, right, None) == ""
    assert judge({**inputs, "msg": b"other"}, right, None) == "the ciphertext decrypts to another message"
    assert judge(inputs, right[:-1] + bytes([right[-1] ^ 1]), None).startswith("the ciphertext does not decrypt")
    unknown = pub[:-5] + bytes([pub[-5] ^ 2]) + pub[-4:]
    assert judge({**inputs, "pub": unknown}, right, None).startswith("the judge does not know")


def test_hybrid_encapsulations_are_judged() -> None:
    scheme = hybrid.x25519_mlkem768()
    judge, pub = scheme.judge["encaps"], scheme.key_pair(0)[1]
    right = scheme.make["encaps"]({"pub": pub}, None)
    assert judge({"pub": pub}, right, None) == "" and len(right) == 1120 + 64
    for wrong in (right[:-1], right + b"\0"):
        assert judge({"pub": pub}, wrong, None) == f"{len(wrong)} bytes, not 1120 and 64"
    assert judge({"pub": pub[:-1] + b"\0"}, right, None).startswith("the judge does not know")
    assert "X25519" in judge({"pub": pub}, right[:-1] + bytes([right[-1] ^ 1]), None)
    for place in (0, 1120):
        changed = right[:place] + bytes([right[place] ^ 1]) + right[place + 1 :]
        assert judge({"pub": pub}, changed, None) not in ("", judge({"pub": pub}, right[:-1] + b"\0", None))


def test_what_a_handshake_is_given_goes_by_its_mode() -> None:
    with pytest.raises(ValueError, match="no certificates of dsa"):
        handshakes.certified("dsa")
    usual = {"leaf", "intermediates", "root", "host", "time", "key"}
    assert set(handshakes.timed({})) == usual
    psk, early = handshakes.timed({"mode": "psk"}), handshakes.timed({"mode": "early"})
    assert set(psk) == usual | {"psk"} and len(psk["psk"]) == 32
    assert set(early) == usual | {"early"} and len(early["early"]) == 256
    assert set(handshakes.timed({"chain": "1"})) == usual - {"intermediates"}
    assert set(handshakes.timed({"auth": "mutual"})) == usual | {"client", "client-key"}


@pytest.mark.parametrize(("cert", "bits"), [("p-256", 256), ("p-384", 384), ("rsa-2048", 2048), ("rsa-3072", 3072), ("ed25519", 255)])  # fmt: skip
def test_another_library_reads_the_keys_of_handshakes(cert: str, bits: int) -> None:
    """Each is that of its certificate."""
    one = handshakes.certified(cert)
    key = load_der_private_key(one.pkcs8, None)
    assert getattr(key, "key_size", 255) == bits
    pub = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    assert pub == one.kind.spki(one.kind.key_pair(0)[1]) and one.private(0) == one.pkcs8 != one.private(1)
    assert one.is_rsa == cert.startswith("rsa")


def test_a_key_of_ml_dsa_is_its_seed() -> None:
    """RFC 9881 section 6."""
    one = handshakes.certified("ml-dsa-65")
    seed = one.kind.key_pair(0)[0]
    algorithm = der(SEQUENCE, der(OID, bytes.fromhex("608648016503040312")))
    assert one.pkcs8 == der(SEQUENCE, b"\2\1\0", algorithm, der(OCTET_STRING, der(0x80, seed)))


def test_a_key_that_is_no_stream_has_no_others() -> None:
    with pytest.raises(UsageError, match="'hmac-sha-256/mac' has no further keys"):
        ring._of_key(Case("hmac-sha-256", "mac"), {"key": InputValue(b"k")}, 1)
    found = ring._of_key(Case("hmac-sha-256", "mac"), {"key": InputValue.generated(1, 32)}, 1)
    assert set(found) == {"key"} and len(found["key"].data) == 32


@pytest.mark.parametrize(("body", "taken"), [("05", True), ("00" + "ff" * 20, True), ("01" + "00" * 20, False), ("ff", False), ("80", False)])  # fmt: skip
def test_serial_numbers_have_twenty_bytes_at_most(body: str, taken: bool) -> None:
    tbs, algorithm, value = elements(next(elements(certificates.chain(p256())[0])).body)
    version, _, *rest = elements(tbs.body)
    number = der(INTEGER, bytes.fromhex(body))
    made = der(SEQUENCE, der(SEQUENCE, version.whole, number, *(one.whole for one in rest)), algorithm.whole, value.whole)  # fmt: skip
    if taken:
        told = fields(p256(), made)
        assert told[17:37] == bytes.fromhex(body)[-20:].rjust(20, b"\0") and len(told) == 37 + 65 and told[0] == 0
    else:
        with pytest.raises(NotAuthentic, match="negative or too long"):
            fields(p256(), made)


def test_what_an_issued_certificate_is_for() -> None:
    kind = p256()
    key, pub = kind.key_pair(0)
    inputs = {**timed(kind), "key": key, "pub": pub}
    good = read(issued(kind, inputs))
    assert _purpose_problem(kind, inputs, good) == ""

    def said(**changes: Any) -> str:
        return _purpose_problem(kind, inputs, good._replace(**changes))

    def with_extension(oid: str, value: bytes) -> str:
        return said(extensions={**good.extensions, oid: (True, value)})

    of_ca = der(SEQUENCE, der(0x01, b"\xff"))
    for found in (
        with_extension(BASIC_CONSTRAINTS, of_ca),
        with_extension(KEY_USAGE, der(BIT_STRING, b"\6\x40")),
        with_extension(KEY_USAGE, der(BIT_STRING, b"\0\x81")),
    ):
        assert found == "for a CA, or for another use than to sign"
    assert with_extension(ALT_NAME, der(SEQUENCE, der(0x82, b"other.example"))) == "another host"
    assert said(algorithm=b"\x30\x00") == f"the algorithm of its signature is 3000, not {kind.algorithm.hex()}"
    assert said(signature=good.signature[:-1] + bytes([good.signature[-1] ^ 1])).startswith("its signature does not")


def test_names_are_in_two_kinds_of_string() -> None:
    def name(tag: int) -> bytes:
        return der(SEQUENCE, der(0x31, der(SEQUENCE, der(OID, b"\x55\x04\x03"), der(tag, b"a"))))

    assert _names(name(UTF8)) == _names(name(0x13)) == [(b"\x55\x04\x03", b"a")]
    for tag in (0x14, 0x16, OCTET_STRING):
        with pytest.raises(NotAuthentic, match="another kind of string"):
            _names(name(tag))


def test_there_are_as_many_schemes_as_names() -> None:
    assert len(schemes()) == len(list(schemes())) > 20
    with pytest.raises(KeyError):
        _ = schemes()["md5"]
