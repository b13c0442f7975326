# SPDX-License-Identifier: Apache-2.0
"""Keys, seeds and numbers at the ends of what an operation takes: the last that is right, and the first that is not, with what is said of it."""

from __future__ import annotations

import itertools

import pytest
from Crypto.PublicKey import ECC, RSA

from cipherstone.model.errors import NotAuthentic, UsageError
from cipherstone.operations import (
    aes_modes,
    bignum_oracle,
    curve448,
    dsa,
    elliptic,
    finite_field,
    key_import,
    mldsa,
    mlkem,
    oracle,
    random_bytes,
    rsa,
    slhdsa,
    weierstrass,
)
from cipherstone.operations.key_import import INTEGER, Reader, der
from cipherstone.operations.mldsa_scheme import RING_MESSAGES
from cipherstone.operations.schemes import schemes
from cipherstone.operations.splitmix import splitmix64

P256 = int(ECC._curves["P-256"].order)
GROUP = finite_field.group(2048)
ML_KEM = mlkem.SETS["ml-kem-512"]


@pytest.mark.parametrize("length", [0, 1, 7, 8, 9, 15, 17, 20])
def test_key_wrap_is_of_whole_halves_of_a_block(length: int) -> None:
    key = bytes(range(16))
    with pytest.raises(ValueError, match=f"{length} bytes are no two halves"):
        aes_modes._wrap({"key": key, "msg": bytes(length)})
    with pytest.raises(ValueError, match="are no three halves"):
        aes_modes._unwrap({"key": key, "msg": bytes(length)} if length else {"key": key, "msg": bytes(8)})


@pytest.mark.parametrize("length", [16, 24, 40])
def test_the_shortest_key_that_is_wrapped(length: int) -> None:
    key, data = bytes(range(16)), bytes(range(length))
    wrapped = aes_modes._wrap({"key": key, "msg": data})
    assert len(wrapped) == length + 8 and aes_modes._unwrap({"key": key, "msg": wrapped}) == data
    with pytest.raises(NotAuthentic):
        aes_modes._unwrap({"key": key, "msg": wrapped[:-1] + bytes([wrapped[-1] ^ 1])})


@pytest.mark.parametrize(
    ("word", "taken"), [(0, True), (1, True), (0xFFFFFFFF, True), (1 << 32, False), (1 << 40, False)]
)
def test_a_word_has_32_bits(word: int, taken: bool) -> None:
    """On every machine."""
    inputs = {"pub": b"\xff" * 256, "msg": word.to_bytes(256, "big")}
    if taken:
        assert bignum_oracle._one_word(lambda bits, same: bits + len(same), 2048, inputs) == 2050
    else:
        with pytest.raises(ValueError, match="msg has more than 32 bits"):
            bignum_oracle._one_word(lambda bits, same: 0, 2048, inputs)


def test_roots_are_of_primes_that_are_3_modulo_4() -> None:
    odd = (1 << 2047) + 1
    for pub, said in ((odd, "3 modulo 4"), (odd - 1, "odd number")):
        with pytest.raises(ValueError, match=said):
            bignum_oracle._mod_sqrt(2048, {"pub": pub.to_bytes(256, "big"), "msg": bytes(256)})


@pytest.mark.parametrize("length", [0, 31, 33, 55, 57])
def test_a_public_value_of_a_montgomery_curve_has_its_length(length: int) -> None:
    with pytest.raises(ValueError, match="pub is not 56 bytes"):
        curve448._x448({"key": bytes(range(56)), "pub": bytes(length)})
    with pytest.raises(ValueError, match="pub is not 32 bytes"):
        elliptic._x25519({"key": bytes(range(32)), "pub": bytes(length)})
    assert curve448._x448({"key": bytes(range(56)), "pub": bytes(56)}) == bytes(56)
    assert elliptic._x25519({"key": bytes(range(32)), "pub": bytes(32)}) == bytes(32)


@pytest.mark.parametrize(
    ("scalar", "taken"), [(0, False), (1, True), (P256 - 1, True), (P256, False), (2**256 - 1, False)]
)
def test_scalars_of_p_256_are_below_its_order(scalar: int, taken: bool) -> None:
    key = scalar.to_bytes(32, "big")
    scheme = elliptic.with_multiples(elliptic.ecdh("P-256", 32), "P-256")
    base = ECC.construct(curve="P-256", d=1).public_key().export_key(format="SEC1")
    calls = (lambda: scheme.due["multiply-base"]({"key": key}), lambda: scheme.due["derive"]({"key": key, "pub": base}))
    judged = scheme.judge["keygen"]({}, key + base, None)
    if not taken:
        for call in calls:
            with pytest.raises(ValueError, match="key is not from 1 to the order less 1"):
                call()
        assert judged == "the private key is not from 1 to the order less 1"
        return
    point = calls[0]()
    assert point is not None and calls[1]() == point[1:33]
    assert scheme.judge["keygen"]({}, key + point, None) == ""
    assert judged == ("" if scalar == 1 else "the public key is not the private one's")


@pytest.mark.parametrize("scalar", [0, weierstrass.ORDER, weierstrass.ORDER + 1])
def test_scalars_of_brainpool_are_below_its_order(scalar: int) -> None:
    key, (right, pub) = scalar.to_bytes(32, "big"), weierstrass._pair(0)
    for call in (lambda: weierstrass._public(key), lambda: weierstrass._derive({"key": key, "pub": pub})):
        with pytest.raises(ValueError, match="key is not from 1 to the order less 1"):
            call()
    assert weierstrass._serves(key, pub) == "the private key is not from 1 to the order less 1"
    assert weierstrass._serves(right, pub) == ""
    last = (weierstrass.ORDER - 1).to_bytes(32, "big")
    assert weierstrass._serves(last, weierstrass._public(last)) == "" == weierstrass._serves(bytes(31) + b"\1", weierstrass._public(bytes(31) + b"\1"))  # fmt: skip
    with pytest.raises(ValueError, match="key is not from 1"):
        weierstrass._public(last + b"\0")


@pytest.mark.parametrize(
    ("key", "pub", "said"),
    [
        (0, 2, "no number of the group"),
        (GROUP.p - 1, 2, "no number of the group"),
        (1, 2, ""),
        (GROUP.p - 2, 2, ""),
        (5, 0, "from 2 to p - 2"),
        (5, 1, "from 2 to p - 2"),
        (5, GROUP.p - 2, ""),
        (5, GROUP.p - 1, "from 2 to p - 2"),
    ],
)
def test_numbers_of_a_group_at_its_ends(key: int, pub: int, said: str) -> None:
    """SP 800-56A section 5.6.2.3.1."""
    inputs = {"key": key.to_bytes(GROUP.size, "big"), "pub": pub.to_bytes(GROUP.size, "big")}
    if said:
        with pytest.raises(Exception, match=said):
            finite_field._shared(2048, inputs)
    else:
        assert int.from_bytes(finite_field._shared(2048, inputs), "big") == pow(pub, key, GROUP.p)
    with pytest.raises(ValueError, match="no number of the group"):
        finite_field._shared(2048, {**inputs, "pub": inputs["pub"] + b"\0"})


@pytest.mark.parametrize(("exponent", "said"), [(0, "from 1 to p - 2"), (GROUP.p - 1, "from 1 to p - 2"), (GROUP.p - 2, ""), (1, "1 bits")])  # fmt: skip
def test_exponents_of_a_group_are_judged(exponent: int, said: str) -> None:
    pub = pow(GROUP.g, exponent, GROUP.p).to_bytes(GROUP.size, "big")
    found = finite_field._check(2048, exponent.to_bytes(GROUP.size, "big"), pub)
    assert said in found and bool(said) == bool(found)


def test_exponents_have_the_bits_of_their_group_but_for_a_few() -> None:
    least = finite_field.EXPONENT_BITS[2048] - finite_field._FEWEST_BITS
    for bits, right in ((least, True), (least - 1, False)):
        exponent = 1 << bits - 1
        pub = pow(GROUP.g, exponent, GROUP.p).to_bytes(GROUP.size, "big")
        assert (finite_field._check(2048, exponent.to_bytes(GROUP.size, "big"), pub) == "") is right


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("0280" + "00" * 128, "an indefinite length"),
        ("0200", "empty or negative"),
        ("020180", "empty or negative"),
        ("0201ff", "empty or negative"),
        ("0301ff", "tag 03, not 02"),
        ("0202ff", "ends too early"),
        ("02", "ends too early"),
    ],
)
def test_what_is_no_number_of_der(data: str, said: str) -> None:
    with pytest.raises(NotAuthentic, match=said):
        Reader(bytes.fromhex(data)).number()


@pytest.mark.parametrize("number", [0, 127, 128, 1 << 1015, (1 << 1016) - 1, 1 << 1023, 1 << 3000])
def test_numbers_of_der_are_read_as_they_are_written(number: int) -> None:
    """Also where the length takes a byte, two or three."""
    assert Reader(key_import.der_integer(number)).number() == number
    assert Reader(der(INTEGER, b"\x7f") + b"more").number() == 127


def test_seeds_and_keys_of_another_length() -> None:
    lattice = next(iter(mldsa.SETS.values()))
    hashed = slhdsa.SETS["slh-dsa-sha2-128f"]
    public = mlkem.keygen(ML_KEM, bytes(64))[1]
    for more in (-1, 1):
        with pytest.raises(ValueError, match=f"seed is {64 + more} bytes, not 64"):
            mlkem.keygen(ML_KEM, bytes(64 + more))
        with pytest.raises(ValueError, match=f"seed is {32 + more} bytes, not 32"):
            mlkem.encaps(ML_KEM, public, bytes(32 + more))
        with pytest.raises(
            ValueError, match=f"key is {lattice.private_bytes + more} bytes, not {lattice.private_bytes}"
        ):
            mldsa._private(lattice, bytes(lattice.private_bytes + more))
        with pytest.raises(ValueError, match=f"seed is {slhdsa.SEED_BYTES + more} bytes"):
            slhdsa.keygen(hashed, bytes(slhdsa.SEED_BYTES + more))
        with pytest.raises(ValueError, match=f"key is {slhdsa.PRIVATE_BYTES + more} bytes"):
            slhdsa.sign(hashed, bytes(slhdsa.PRIVATE_BYTES + more), b"m")
        with pytest.raises(ValueError, match="key has"):
            rsa._private(2048, bytes(256 + 4 + 256 + 5 * 128 + more))


@pytest.mark.parametrize("more", [-1, 1])
def test_a_public_key_of_dsa_is_its_domain_and_y(more: int) -> None:
    with pytest.raises(ValueError, match="pub is not p, q, g and y"):
        dsa._public(bytes(dsa.DOMAIN_BYTES + dsa.P_BYTES + more))


def test_a_pair_of_ml_kem_that_is_none_says_why() -> None:
    private, public = mlkem.keygen(ML_KEM, bytes(64))
    other = mlkem.keygen(ML_KEM, b"\1" * 64)[1]
    assert mlkem.belongs_together(ML_KEM, private, public) == ""
    assert (
        mlkem.belongs_together(ML_KEM, private[:-1], public) == f"key is {len(private) - 1} bytes, not {len(private)}"
    )
    assert mlkem.belongs_together(ML_KEM, private, other) == "key holds another public key"
    large = b"\xff" * 3 + private[3:]
    assert mlkem.belongs_together(ML_KEM, large, public) == "key has a coefficient that is not below q"


def test_a_public_key_that_nobody_times_is_refused() -> None:
    other = mlkem.keygen(ML_KEM, b"\7" * 64)[1]
    with pytest.raises(ValueError, match="pub is none of the timed ones"):
        oracle.made("ml-kem-512/encaps", {"pub": other})
    told = oracle.random_output_problem("ml-kem-512/encaps", {"pub": other}, bytes(768 + 32))
    assert told == "the judge does not know the private key of this public one"
    timed = schemes()["ml-kem-512"].key_pair(0)[1]
    right = oracle.made("ml-kem-512/encaps", {"pub": timed})
    assert oracle.random_output_problem("ml-kem-512/encaps", {"pub": timed}, right) == ""
    assert oracle.random_output_problem("ml-kem-512/encaps", {"pub": timed}, right[:-1]) == "799 bytes, not 768 and 32"


def test_a_modulus_has_its_bits() -> None:
    assert rsa._public(2048, (b"\x80" + bytes(254) + b"\1") + b"\0\1\0\1").n.bit_length() == 2048
    for head in (b"\x7f", b"\0"):
        with pytest.raises(ValueError, match="the modulus has"):
            rsa._public(2048, head + b"\xff" * 255 + b"\0\1\0\1")


@pytest.mark.parametrize(("seed", "taken"), [(0, True), (2**64 - 1, True), (2**64, False), (-1, False)])
def test_seeds_of_streams_have_64_bits(seed: int, taken: bool) -> None:
    if taken:
        assert [len(splitmix64(seed, length)) for length in (0, 1, 7, 8, 9, 16, 17)] == [0, 1, 7, 8, 9, 16, 17]
        assert splitmix64(seed, 17)[:9] == splitmix64(seed, 9)
    else:
        with pytest.raises(UsageError, match="is not in 0"):
            splitmix64(seed, 8)


def test_questions_that_the_oracle_cannot_answer() -> None:
    with pytest.raises(UsageError, match="'hsh' is not a verb"):
        oracle.verb_of("sha-256/hsh")
    with pytest.raises(UsageError, match="draws nothing"):
        oracle.random_output_problem("ml-kem-512/decaps", {}, b"")
    with pytest.raises(UsageError, match="has no keys"):
        oracle.made("sha-256/hash", {})
    with pytest.raises(ValueError, match="random bytes have no key pair"):
        random_bytes.random_bytes().key_pair(0)
    with pytest.raises(ValueError, match="none is given"):
        rsa._no_pair(0)
    assert random_bytes.random_bytes().key_pairs == rsa.rsa_keys(2048).key_pairs == 0


def test_numbers_of_an_rsa_key_belong_to_its_primes() -> None:
    """And are the smallest that do."""
    bits, half = 1024, 64
    stream = itertools.count(194_258)
    while True:  # until there is room for dP and p - 1 in one field: from here at once, from 0 after 133 keys
        key = RSA.generate(bits, randfunc=lambda count: splitmix64(77_000 + next(stream), count))
        numbers = [key.p, key.q, key.d % (key.p - 1), key.d % (key.q - 1), pow(key.q, -1, key.p)]
        more = [key.p - 1, key.q - 1, key.p]
        if all(number + one < 1 << 8 * half for number, one in zip(numbers[2:], more, strict=True)):
            break
    pub = rsa.encoded_public(bits, key.n, key.e)

    def said(numbers: list[int]) -> str:
        return rsa._check(bits, b"".join(number.to_bytes(half, "big") for number in numbers), pub)

    assert said([int(number) for number in numbers]) == ""
    for place in (2, 3, 4):
        for other in (numbers[place] + more[place - 2], numbers[place] ^ 2):
            changed = [*numbers[:place], other, *numbers[place + 1 :]]
            assert said([int(number) for number in changed]).startswith("dP, dQ or qInv does not belong")


def test_messages_that_are_signed_in_turn_differ() -> None:
    for algorithm, seeds in RING_MESSAGES.items():
        assert algorithm in mldsa.SETS and len(set(seeds)) == len(seeds) == 16 and seeds[0] == 4


@pytest.mark.parametrize("bits", sorted(finite_field.EXPONENT_BITS))
def test_every_bit_of_an_exponent_but_the_highest_is_drawn(bits: int) -> None:
    long = finite_field.EXPONENT_BITS[bits]
    exponents = [int.from_bytes(finite_field._pair(bits, number)[0], "big") for number in range(12)]
    assert {exponent.bit_length() for exponent in exponents} == {long}
    assert len({exponent >> (long - 9) for exponent in exponents}) > 4
    assert len({exponent & 0xFF for exponent in exponents}) > 4
