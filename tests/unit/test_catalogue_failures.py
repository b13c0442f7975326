# SPDX-License-Identifier: Apache-2.0
"""What a vector's failure means: every flag is mapped, what is lax is no forgery, and what matters stays wrong."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterator

import pytest
from Crypto.Hash import SHA256
from Crypto.PublicKey import RSA
from Crypto.Signature import pss
from Crypto.Signature.pss import MGF1
from Crypto.Util.strxor import strxor

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.failures import ORDINARY, class_of, load_classes
from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.vectors import Vector, load_vectors
from cipherstone.model.errors import DataError
from cipherstone.model.outcomes import Outcome
from cipherstone.operations import mldsa, mlkem
from cipherstone.operations.ec_import import EC_PUBLIC_KEY, curve_identifier
from cipherstone.operations.key_import import OID, RSA_ENCRYPTION, SEQUENCE, Reader, algorithm_identifier, der
from cipherstone.operations.oracle import NotAuthentic, expected_output

ROOT = data_root()
CATALOGUE = load_catalogue(ROOT)
CLASSES = load_classes(ROOT)
VECTORS = [
    (f"{algorithm}/{vector.verb}", vector)
    for algorithm in CATALOGUE.algorithms
    for vector in load_vectors(ROOT, algorithm, CATALOGUE).vectors
]
OTHER_ALGORITHMS = ("2a8648ce380401", "2a8648ce3d0201", "2a864886f70d010163")  # DSA, EC, and one that is none's
UNKNOWN_CURVE = bytes.fromhex("2a8648ce3d030163")
ED25519_ORDER = 2**252 + 27742317777372353535851937790883648493
ED25519_PRIME = 2**255 - 19
ED448_ORDER = 2**446 - 13818066809895115352007386748515426880336692474882178609894547503885
P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
SECP256K1_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
NEXT_JANUARY = 1735689600  # seconds, of the first of 2025
NUMBERS = (32, 48, 66)  # bytes of r and s of P-256, P-384 and P-521


def test_every_flag_of_every_vector_is_mapped_and_every_mapped_flag_is_used() -> None:
    carried = {(operation.partition("/")[0].partition("-")[0], flag) for operation, v in VECTORS for flag in v.flags}
    for scheme, flag in carried:
        assert any(flag in one.flags and one.speaks_of(scheme) for one in CLASSES), (scheme, flag)
    for one in CLASSES:
        for flag in one.flags:
            assert any(flag == known and one.speaks_of(scheme) for scheme, known in carried), (one.id, flag)


def test_wycheproof_s_vectors_carry_its_flags() -> None:
    """What was taken over as it stands has flags, but of ML-KEM, ML-DSA and RSA, where the source flags some only; what was derived by changing it has lost what they say, and is ordinary."""
    some = {"modexp", "bignum", *mlkem.SETS, *mldsa.SETS}
    for operation, vector in VECTORS:
        unflagged = vector.expect == "ok" and (operation.startswith("rsa-") or "/import-" in operation)
        if vector.source.startswith("Wycheproof") and not unflagged and operation.partition("/")[0] not in some:
            assert vector.flags, (operation, vector.id)
        if vector.expect == "rejected" and vector.source.startswith("derived"):
            assert not vector.flags and vector.failure is ORDINARY, (operation, vector.id)


def test_vectors_that_a_class_names_are_there_with_its_flag() -> None:
    """And nowhere else of its scheme: a class by name is for what was looked at one by one. RSA has the same vectors for every length of the modulus, and ECDH the same first ones for every curve of NIST."""
    for one in CLASSES:
        for name in one.vectors:
            found = [v for o, v in VECTORS if v.id == name and o.partition("-")[0].partition("/")[0] == one.scheme]
            flagged = [v for v in found if set(v.flags) & set(one.flags)]  # another curve numbers its own
            failures = [v.failure for v in flagged]
            alike = len(flagged) if one.scheme in ("rsa", "p") else 1
            assert failures == [one] * alike != [], (one.id, name)


def test_a_flag_of_some_named_vectors_alone_is_still_to_be_mapped_for_the_others() -> None:
    long_tag = [one for one in CLASSES if one.id == "long-tag"]
    words = ("ecdsa-p256-sha256", ["InvalidEncoding"], "rejected", "vectors/x.json: vectors[3]")
    assert class_of(long_tag, *words, "verify-der-474").outcome is Outcome.LAX
    with pytest.raises(DataError, match="'InvalidEncoding' of a vector that must be rejected is in no class of ecdsa"):
        class_of(long_tag, *words, "verify-der-10")


def test_an_unmapped_flag_is_one_line() -> None:
    with pytest.raises(DataError) as caught:
        class_of(CLASSES, "ecdsa-p256-sha256", ["PointDuplication", "NeverSeen"], "ok", "vectors/x.json: vectors[3]")
    assert caught.value.message.startswith("vectors/x.json: vectors[3].flags: 'NeverSeen'")
    assert "vectors/CLASSES.toml" in caught.value.hint and "\n" not in caught.value.message + caught.value.hint
    with pytest.raises(DataError, match=r"must be rejected is in no class of x25519"):
        class_of(CLASSES, "x25519", ["EdgeCasePublicKey"], "rejected", "here")


def test_the_same_flag_means_another_thing_for_a_forgery() -> None:
    """Point duplication: refusing the valid one is strict, accepting the forged one is wrong."""
    found = {
        (v.expect, v.failure.outcome) for o, v in VECTORS if o.startswith("ecdsa") and "PointDuplication" in v.flags
    }
    assert found == {("ok", Outcome.STRICT), ("rejected", Outcome.WRONG)}


@pytest.mark.parametrize(
    "flag", ["RangeCheck", "InvalidSignature", "ModifiedInteger", "IntegerOverflow", "InvalidEncoding", "TruncatedSignature", "ModifiedTag"]
)  # fmt: skip
def test_what_may_let_a_forgery_through_stays_wrong(flag: str) -> None:
    found = [v for _, v in VECTORS if flag in v.flags and v.expect == "rejected" and not v.failure.vectors]
    assert found and all(v.failure.outcome is Outcome.WRONG for v in found)


def test_every_class_says_what_it_means_and_by_which_clause() -> None:
    for one in CLASSES:
        assert one.means.endswith(".") and one.standard.endswith("."), one.id
        if one.outcome is not Outcome.WRONG:
            assert "section" in one.standard or one.scheme == "random", one.id
            assert one.does.startswith("accepts " if one.outcome is Outcome.LAX else "refuses "), one.id
        if one.outcome is Outcome.LAX and one.scheme != "random":
            assert one.means.startswith("No message can be forged"), one.id


LAX = [
    pytest.param(o, v, id=f"{o.partition('-')[0]}-{v.id}")
    for o, v in VECTORS
    if v.failure.outcome is Outcome.LAX and "fork" not in v.inputs
]


@pytest.mark.parametrize(("operation", "vector"), LAX)
def test_what_is_lax_is_a_genuine_signature_in_another_form(operation: str, vector: Vector) -> None:
    """The independent library rejects it as it stands, and accepts it brought to the one form that the standard allows: same key, same message, hence no forgery."""
    assert vector.expect == "rejected"
    with pytest.raises(NotAuthentic):
        expected_output(operation, vector.inputs, vector.form)
    if "/import-" in operation:
        form = ec_form if operation.startswith("p-") else import_form
        assert expected_output(operation, {"msg": form(vector)}) is not None
        return
    if operation.startswith("x509"):
        read = expected_output(operation, {"msg": month_form(vector)})
        assert read is not None and read[1:9] == NEXT_JANUARY.to_bytes(8, "big")
        return
    if vector.failure.id == "any-salt-length":
        assert_salted(operation, vector)
        return
    if operation.startswith("rsa"):
        given = vector.inputs | rsa_form(operation, vector)
        assert given != vector.inputs and expected_output(operation, given) is not None
        return
    for signature in forms(operation, vector.inputs["sig"]):
        try:
            expected_output(operation, vector.inputs | {"sig": signature}, vector.form)
        except NotAuthentic:
            continue
        return
    pytest.fail(f"{vector.id} ({vector.note}): no canonical form of it verifies")


def assert_salted(operation: str, vector: Vector) -> None:
    """A signature by the key's owner over this message, with a salt of the length that the vector names."""
    size, length = int(operation.split("-")[1]) // 8, int(vector.note.rpartition(" ")[2])
    n, e = (int.from_bytes(part, "big") for part in (vector.inputs["pub"][:size], vector.inputs["pub"][size:]))
    assert length != 32
    pss.new(RSA.construct((n, e)), salt_bytes=length).verify(SHA256.new(vector.inputs["msg"]), vector.inputs["sig"])


def import_form(vector: Vector) -> bytes:
    """A key with the outer tag, or the algorithm's name, that the standard has."""
    data = vector.inputs["msg"]
    if "OtherTag" in vector.flags:
        return bytes((SEQUENCE,)) + data[1:]
    other = next(name for name in map(bytes.fromhex, OTHER_ALGORITHMS) if algorithm_identifier(name) in data)
    return der(SEQUENCE, data[4:].replace(algorithm_identifier(other), algorithm_identifier(), 1))


def ec_form(vector: Vector) -> bytes:
    """A key with the name of algorithm and curve that the standard has."""
    whole = Reader(vector.inputs["msg"]).take(SEQUENCE)
    names = [curve_identifier(bytes.fromhex(one)) for one in (*OTHER_ALGORITHMS, RSA_ENCRYPTION.hex())]
    names += [algorithm_identifier(), der(SEQUENCE, der(OID, EC_PUBLIC_KEY)), curve_identifier(curve=UNKNOWN_CURVE)]
    other = next(name for name in names if name in whole)
    return der(SEQUENCE, whole.replace(other, curve_identifier(), 1))


def month_form(vector: Vector) -> bytes:
    """A certificate with the date that a thirteenth month of 2024 is read as; parsing looks at no signature."""
    assert vector.inputs["msg"].count(b"241301000000Z") == 1
    return vector.inputs["msg"].replace(b"241301000000Z", b"250101000000Z")


def test_the_forms_save_no_forgery() -> None:
    """The other way round: a signature over another message or by another key is saved by none of these means."""
    for operation, vector in VECTORS:
        if vector.expect != "rejected" or vector.failure is not ORDINARY or not operation.endswith("verify"):
            continue
        for signature in forms(operation, vector.inputs["sig"]):
            with pytest.raises(NotAuthentic):
                expected_output(operation, vector.inputs | {"sig": signature}, vector.form)


def rsa_form(operation: str, vector: Vector) -> dict[str, bytes]:
    """A signature or a ciphertext reduced modulo n and as long; where it is that already, a ciphertext of OAEP with zeros where the standard has them."""
    name = "sig" if operation.endswith("verify") else "msg"
    given, key = vector.inputs[name], vector.inputs["pub" if name == "sig" else "key"]
    size = int(operation.split("-")[1]) // 8
    n = int.from_bytes(key[:size], "big")
    number = int.from_bytes(given, "big")
    if number >= n or len(given) != size:
        return {name: (number % n).to_bytes(size, "big")}
    e, d = (int.from_bytes(key[at : at + length], "big") for at, length in ((size, 4), (size + 4, size)))
    encoded = pow(number, d, n).to_bytes(size, "big")
    masked_seed, masked = encoded[1:33], encoded[33:]
    block = strxor(masked, MGF1(strxor(masked_seed, MGF1(masked, 32, SHA256)), len(masked), SHA256))
    block = block[:32] + bytes(block.index(b"\x01", 32) - 32) + block[block.index(b"\x01", 32) :]
    seed = strxor(masked_seed, MGF1(masked, 32, SHA256))
    masked = strxor(block, MGF1(seed, len(block), SHA256))
    again = b"\x00" + strxor(seed, MGF1(masked, 32, SHA256)) + masked
    return {name: pow(int.from_bytes(again, "big"), e, n).to_bytes(size, "big")}


def forms(operation: str, signature: bytes) -> Iterator[bytes]:
    known = {"ed25519": ed25519_forms, "ed448": ed448_forms}
    return known.get(operation.partition("/")[0], ecdsa_forms)(signature)


def ed448_forms(signature: bytes) -> Iterator[bytes]:
    """S reduced modulo the order, as it stands or without its last byte, which is zero in every genuine signature (RFC 8032 section 5.2.6)."""
    if len(signature) == 114:
        for s in (signature[57:], signature[57:113]):
            yield signature[:57] + (int.from_bytes(s, "little") % ED448_ORDER).to_bytes(57, "little")


def ed25519_forms(signature: bytes) -> Iterator[bytes]:
    """S reduced modulo the order or the prime, with its highest bits cleared, and what is left of a longer signature."""
    texts = [signature[:64], signature[-64:]]
    for cut in range(len(signature) - 63):
        texts += [signature[:at] + signature[at + cut :] for at in (0, 32, 64) if len(signature) - cut == 64]
    for text in texts:
        head, s = text[:32], int.from_bytes(text[32:], "little")
        numbers = {
            s % ED25519_ORDER,
            s % ED25519_PRIME,
            *(s & ~(1 << bit) for bit in (253, 254, 255)),
            s - ED25519_PRIME,
        }
        for number in numbers:
            if 0 <= number < 2**256:
                yield head + number.to_bytes(32, "little")


def ecdsa_forms(signature: bytes) -> Iterator[bytes]:
    """r and s of a lenient reading of BER, as unsigned numbers in DER; or, of two numbers of equal length, padded to as many bytes as a curve's have."""
    half = len(signature) // 2
    for number in NUMBERS:
        if len(signature) % 2 == 0 and half <= number:
            yield signature[:half].rjust(number, b"\0") + signature[half:].rjust(number, b"\0")
    try:
        body, _ = ber(signature, 0x30)
        r, rest = ber(body, 0x02)
        s, _ = ber(rest, 0x02)
    except (ValueError, IndexError):
        return
    numbers = b"".join(integer(number) for number in (r, s))
    yield bytes([0x30, *([0x81] if len(numbers) > 127 else []), len(numbers)]) + numbers


def ber(data: bytes, tag: int) -> tuple[bytes, bytes]:
    """Contents and rest of a BER element: any length form (X.690 section 8.1.3), and the tag in the long form too (section 8.1.2.4), which is due to larger ones alone."""
    if data[:2] == bytes([tag | 0x1F, tag & 0x1F]):
        data = data[1:]
    elif data[0] != tag:
        raise ValueError
    length, at = data[1], 2
    if length == 0x80:
        end = data.index(b"\0\0", at + 2 + data[at + 1])
        return data[at:end], data[end + 2 :]
    if length > 0x80:
        at += length - 0x80
        length = int.from_bytes(data[2:at], "big")
    return data[at : at + length], data[at + length :]


def integer(contents: bytes) -> bytes:
    """A non-negative INTEGER in DER."""
    digits = contents.lstrip(b"\0") or b"\0"
    digits = (b"\0" if digits[0] & 0x80 else b"") + digits
    return bytes([0x02, len(digits)]) + digits


def test_a_point_that_is_written_as_none_is_no_genuine_signature_in_another_form() -> None:
    """R of verify-151 brought to the one form of y = 1: its bytes are hashed, so that S no longer fits, whatever is done to it."""
    (vector,) = (v for o, v in VECTORS if o == "ed25519/verify" and v.failure.id == "non-canonical-r")
    assert vector.inputs["sig"][:32] == b"\1" + bytes(30) + b"\x80"
    for signature in ed25519_forms(b"\1" + bytes(31) + vector.inputs["sig"][32:]):
        with pytest.raises(NotAuthentic):
            expected_output("ed25519/verify", vector.inputs | {"sig": signature})


def test_keys_and_points_that_may_be_refused_are_those_that_nobody_draws() -> None:
    """By their numbers: n - 2, a secret of zeros and a public x of zero, each for its curve alone; and the ordinary edges beside them stay wrong."""
    near = {o: v for o, v in VECTORS if v.failure.id.startswith("key-near-order")}
    orders = {"p-256/derive": P256_ORDER, "secp256k1/derive": SECP256K1_ORDER}
    assert {o: int.from_bytes(v.inputs["key"], "big") for o, v in near.items()} == {o: n - 2 for o, n in orders.items()}
    zero = {o: v for o, v in VECTORS if v.failure.id == "zero-coordinate"}
    assert set(zero) == {"p-256/derive", "p-384/derive", "p-521/derive"}
    assert not any(any(v.output or b"\1") for v in zero.values())
    public = [(o, v) for o, v in VECTORS if v.failure.id == "zero-public"]
    assert [o for o, _ in public] == ["p-521/derive"]
    assert not any(any(v.inputs["pub"][1:67]) for _, v in public)
    beside = [v for o, v in VECTORS if o == "p-521/derive" and "EdgeCaseEphemeralKey" in v.flags]
    assert len(beside) >= 5 and [v.failure.outcome for v in beside].count(Outcome.STRICT) == 1
    others = [v for o, v in VECTORS if o in orders and "AdditionChain" in v.flags and v not in near.values()]
    assert len(others) >= 5 and all(v.failure.outcome is Outcome.WRONG for v in others)


KEM = [(mlkem.SETS[o.partition("/")[0]], v) for o, v in VECTORS if o.startswith("ml-kem") and v.expect == "bad-key"]


def test_a_public_key_that_is_not_reduced_is_no_other_form_of_the_reduced_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the check of FIPS 203 section 7.2 the bytes are hashed as they are: another secret, and a ciphertext that who holds the key rejects without a word."""
    unreduced = [(of, v.inputs["pub"]) for of, v in KEM if v.verb == "encaps"]
    assert len(unreduced) >= len(mlkem.SETS)
    for of in mlkem.SETS.values():
        dk, ek = mlkem.keygen(of, bytes(64))
        place, value = next((i, v) for i, v in enumerate(coefficients(ek)) if v + mlkem.Q < 1 << 12)
        number = int.from_bytes(ek[:-32], "little") + (mlkem.Q << 12 * place)
        changed = number.to_bytes(len(ek) - 32, "little") + ek[-32:]
        assert reduced(changed) == ek and value < mlkem.Q
        with pytest.raises(mlkem.BadKey, match="not below q"):
            mlkem.encaps(of, changed, bytes(32))
        genuine = mlkem.encaps(of, ek, bytes(32))
        assert mlkem.decaps(of, dk, genuine[0]) == genuine[1]
        with monkeypatch.context() as unchecked:
            unchecked.setattr(mlkem, "check_public", lambda *_: None)
            ciphertext, secret = mlkem.encaps(of, changed, bytes(32))
        assert secret != genuine[1] and mlkem.is_rejected(of, dk, ciphertext)
        assert mlkem.decaps(of, dk, ciphertext) not in (secret, genuine[1])
    for of, ek in unreduced:
        good = mlkem.encaps(of, reduced(ek), bytes(32))
        with monkeypatch.context() as unchecked:
            unchecked.setattr(mlkem, "check_public", lambda *_: None)
            assert mlkem.encaps(of, ek, bytes(32))[1] != good[1]


def test_a_private_key_with_another_hash_gives_secrets_that_nobody_shares() -> None:
    """Algorithm 18 without the check of section 7.3, with the hash that is stored, for a genuine ciphertext of the key that was damaged: one byte of its hash, or of its public key."""
    damaged = [(of, v.inputs["key"]) for of, v in KEM if v.verb == "decaps" and "InvalidDecapsulationKey" in v.flags]
    assert len(damaged) >= len(mlkem.SETS)
    good = [v.inputs["key"] for _, v in VECTORS if v.verb == "decaps" and v.expect == "ok"]
    for of, dk in damaged:
        (genuine,) = {one for one in good if len(one) == len(dk) and sum(map(operator.ne, one, dk)) == 1}
        ciphertext, secret = mlkem.encaps(of, mlkem.public_of(of, genuine), bytes(32))
        assert mlkem.decaps(of, genuine, ciphertext) == secret
        message = mlkem._pke_decrypt(of, dk[: 384 * of.k], ciphertext)
        assert message == bytes(32)
        r = mlkem._g(message + dk[-64:-32])[1]
        assert mlkem._pke_encrypt(of, mlkem.public_of(of, dk), message, r) != ciphertext  # hence J(z || c)
        assert mlkem.rejection_secret(dk, ciphertext) != secret


def coefficients(ek: bytes) -> list[int]:
    """Of an encapsulation key: 12 bits each, the lowest first."""
    number = int.from_bytes(ek[:-32], "little")
    return [number >> 12 * i & 0xFFF for i in range(len(ek[:-32]) * 8 // 12)]


def reduced(ek: bytes) -> bytes:
    """The key with every coefficient modulo q."""
    number = sum(value % mlkem.Q << 12 * i for i, value in enumerate(coefficients(ek)))
    return number.to_bytes(len(ek) - 32, "little") + ek[-32:]


def test_there_are_some_of_each() -> None:
    kinds = {v.failure.id for _, v in VECTORS if v.failure.outcome is not Outcome.WRONG}
    assert kinds == {one.id for one in CLASSES if one.outcome is not Outcome.WRONG}
    assert all(a.id != b.id for a, b in itertools.combinations(CLASSES, 2))
