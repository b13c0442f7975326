# SPDX-License-Identifier: Apache-2.0
"""Which known answers of key import are kept: keys that Wycheproof publishes in DER, keys of the catalogue's ring, and what must be refused, each made out of a published key with the reason in its note.

Refused must be what holds no key of this kind: what ends too early, another algorithm, another type in the place of a part, lengths that do not fit, parts that are missing.
Values are not judged (a modulus of zero, an INTEGER without bytes, which several libraries read as zero): they are for functions that check keys. What BER has beyond DER, and what standards do not speak of (bytes behind the key, an unknown version), may be taken or refused, but what is taken is the key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from vector_sources import Entry, Sources, make_entry, spread

from cipherstone.model.errors import NotAuthentic
from cipherstone.operations.key_import import (
    BIT_STRING,
    INTEGER,
    NULL,
    OCTET_STRING,
    OID,
    RSA_ENCRYPTION,
    SEQUENCE,
    algorithm_identifier,
    der,
    der_integer,
    numbers_of,
    pkcs8,
    rsa_private,
    rsa_public,
    spki,
)

POSITIVES = 12
OURS = "tools/vector_imports.py: a key of algorithms/rsa-primes.json in DER"
MADE = "tools/vector_imports.py: made out of a key of algorithms/rsa-primes.json"
PUBLIC = (
    "rsa_signature_{bits}_sha256",
    "rsa_signature_{bits}_sha512",
    "rsa_signature_{bits}_sha512_256",
    "rsa_signature_{bits}_sha3_256",
    "rsa_pss_{bits}_sha256_mgf1_32",
    "rsa_pss_{bits}_sha384_mgf1_48",
    "rsa_pss_{bits}_sha512_mgf1_32",
    "rsa_pss_{bits}_shake256",
)
PRIVATE = ("rsa_pkcs1_{bits}", "rsa_oaep_{bits}_sha256_mgf1sha1", "rsa_oaep_{bits}_sha512_mgf1sha1")
DSA, EC, UNKNOWN = "2a8648ce380401", "2a8648ce3d0201", "2a864886f70d010163"
SET, BOOLEAN = 0x31, 0x01
# Of those that differ from a genuine key in a tag or a name alone: classes of failures speak of them.
FLAGS = {"outer-set": "OtherTag", **dict.fromkeys(("algorithm-dsa", "algorithm-ec", "algorithm-unknown"), "OtherAlgorithm")}  # fmt: skip
Mutant = tuple[str, bytes, str]  # name, bytes, why it must be refused
BRIEF_OK, BRIEF_REFUSED, BRIEF_OPEN = 3, 3, 1


def importing(bits: int, kind: str) -> Callable[[Sources], list[Entry]]:
    """`kind`: `spki` or `pkcs8`."""

    def select(sources: Sources) -> list[Entry]:
        verb, read = ("import-public", rsa_public) if kind == "spki" else ("import-private", rsa_private)
        found = []
        for name, data, source in [*_published(sources, bits, kind), *_ours(bits, kind)][:POSITIVES]:
            found.append(make_entry(name, verb, {"msg": data.hex()}, source, read(bits, data).hex()))
        numbers = numbers_of(bits, 1)
        whole = spki(*numbers[:2]) if kind == "spki" else pkcs8(numbers)
        refused = [*cut(whole), *(_public_refused(*numbers[:2]) if kind == "spki" else _private_refused(numbers))]
        for name, data, why in refused:
            told = {"note": why, "flags": [FLAGS[name]]} if name in FLAGS else {"note": why}
            found.append(make_entry(name, verb, {"msg": data.hex()}, MADE, expect="rejected", **told))
        for name, data, why in _public_open(*numbers[:2]) if kind == "spki" else _private_open(numbers):
            output = read(bits, data).hex()
            found.append(make_entry(name, verb, {"msg": data.hex()}, MADE, output, expect="ok-or-rejected", note=why))
        return brief(found)

    return select


def brief(entries: list[Entry]) -> list[Entry]:
    """Marks a few of each kind."""
    for expect, count in (("ok", BRIEF_OK), ("rejected", BRIEF_REFUSED), ("ok-or-rejected", BRIEF_OPEN)):
        for entry in spread([one for one in entries if one.get("expect", "ok") == expect], count):
            entry["brief"] = True
    return entries


def _published(sources: Sources, bits: int, kind: str) -> Iterator[tuple[str, bytes, str]]:
    """(name, DER, source), each key once. Keys that name another algorithm, as those for PSS alone do, are none of this kind."""
    seen: set[str] = set()
    field, read = ("publicKeyDer", rsa_public) if kind == "spki" else ("privateKeyPkcs8", rsa_private)
    for pattern in PUBLIC if kind == "spki" else PRIVATE:
        name = pattern.format(bits=bits)
        try:
            source, pairs = sources.wycheproof(name)
        except FileNotFoundError:
            continue
        taken = 0
        for group, _ in pairs:
            text = group.get(field, "")
            if not text or text in seen or taken == POSITIVES // 3:
                continue
            seen.add(text)
            try:
                read(bits, bytes.fromhex(text))
            except NotAuthentic:
                continue
            taken += 1
            yield f"wycheproof-{name.replace('_', '-')}-{taken}", bytes.fromhex(text), f"{source}: {field}"


def _ours(bits: int, kind: str) -> Iterator[tuple[str, bytes, str]]:
    for number in range(POSITIVES):
        numbers = numbers_of(bits, number)
        yield f"ring-{number}", spki(*numbers[:2]) if kind == "spki" else pkcs8(numbers), OURS


def cut(whole: bytes) -> Iterator[Mutant]:
    """What ends too early."""
    for length in (1, 2, 4, 15, 22, 24, 30, len(whole) // 2, len(whole) - 6, len(whole) - 1):
        yield f"cut-{length}", whole[:length], "it ends too early"


def _other_algorithms() -> Iterator[tuple[str, bytes, str]]:
    for name, oid in (("dsa", DSA), ("ec", EC), ("unknown", UNKNOWN)):
        yield name, algorithm_identifier(bytes.fromhex(oid)), "the algorithm is not RSA"
    yield "no", b"", "there is no algorithm"
    yield "text", der(SEQUENCE, der(OCTET_STRING, RSA_ENCRYPTION), der(NULL)), "the algorithm is no OBJECT IDENTIFIER"


def _public_refused(n: int, e: int) -> Iterator[Mutant]:
    pair = der(SEQUENCE, der_integer(n), der_integer(e))

    def info(key: bytes, algorithm: bytes | None = None, tag: int = BIT_STRING, outer: int = SEQUENCE) -> bytes:
        return der(outer, algorithm_identifier() if algorithm is None else algorithm, der(tag, key))

    def inner(*parts: bytes, tag: int = SEQUENCE) -> bytes:
        return info(b"\0" + der(tag, *parts))

    for name, algorithm, why in _other_algorithms():
        yield f"algorithm-{name}", info(b"\0" + pair, algorithm), why
    yield "outer-set", info(b"\0" + pair, outer=SET), "the whole is no SEQUENCE"
    yield "key-octets", info(b"\0" + pair, tag=OCTET_STRING), "the key is no BIT STRING"
    yield "key-empty", info(b""), "the BIT STRING has no count of unused bits"
    yield "key-nothing", info(b"\0"), "the BIT STRING holds nothing"
    yield "key-missing", der(SEQUENCE, algorithm_identifier()), "there is no key"
    yield "inner-octets", inner(der_integer(n), der_integer(e), tag=OCTET_STRING), "the numbers are in no SEQUENCE"
    yield "modulus-octets", inner(der(OCTET_STRING, der_integer(n)[4:]), der_integer(e)), "the modulus is no INTEGER"
    yield "exponent-boolean", inner(der_integer(n), der(BOOLEAN, b"\xff")), "the exponent is no INTEGER"
    yield "exponent-missing", inner(der_integer(n)), "there is no exponent"
    yield "numbers-missing", inner(), "there are no numbers"
    longer = bytearray(pair)
    longer[3] += 1
    yield "inner-longer", info(b"\0" + bytes(longer)), "the numbers' SEQUENCE is longer than what holds it"


def _public_open(n: int, e: int) -> Iterator[Mutant]:
    pair, whole = der(SEQUENCE, der_integer(n), der_integer(e)), spki(n, e)
    yield "behind", whole + b"\0", "a byte behind the key: not the key's"
    yield "no-null", der(SEQUENCE, der(SEQUENCE, der(OID, RSA_ENCRYPTION)), der(BIT_STRING, b"\0", pair)), "NULL is missing: RFC 3279 section 2.3.1 asks for it, but old programs leave it out"  # fmt: skip
    yield "zeros", der(SEQUENCE, algorithm_identifier(), der(BIT_STRING, b"\0", der(SEQUENCE, der(INTEGER, b"\0\0", n.to_bytes(n.bit_length() // 8, "big")), der_integer(e)))), "a zero byte too many before the modulus: BER is not that either, but nothing is ambiguous"  # fmt: skip
    yield "more-numbers", der(SEQUENCE, algorithm_identifier(), der(BIT_STRING, b"\0", der(SEQUENCE, der_integer(n), der_integer(e), der_integer(1)))), "a third number behind the exponent"  # fmt: skip
    yield "long-length", bytes((SEQUENCE, 0x83, 0)) + whole[2:4] + whole[4:], "a length with a zero byte before it: BER, not DER"  # fmt: skip


def _private_refused(numbers: list[int]) -> Iterator[Mutant]:
    version, key = der_integer(0), der(SEQUENCE, der_integer(0), *map(der_integer, numbers))

    def info(key: bytes, algorithm: bytes | None = None, tag: int = OCTET_STRING, outer: int = SEQUENCE) -> bytes:
        return der(outer, version, algorithm_identifier() if algorithm is None else algorithm, der(tag, key))

    for name, algorithm, why in _other_algorithms():
        yield f"algorithm-{name}", info(key, algorithm), why
    yield "outer-set", info(key, outer=SET), "the whole is no SEQUENCE"
    yield "key-integer", info(key, tag=INTEGER), "the key is no OCTET STRING"
    yield "key-empty", info(b""), "the OCTET STRING holds nothing"
    yield "key-missing", der(SEQUENCE, version, algorithm_identifier()), "there is no key"
    inner = [der_integer(0), *map(der_integer, numbers)]
    yield "inner-octets", info(der(OCTET_STRING, *inner)), "the numbers are in no SEQUENCE"
    for place, name in ((1, "modulus"), (3, "exponent"), (4, "prime"), (8, "coefficient")):
        changed = [*inner]
        changed[place] = der(OCTET_STRING, changed[place][4:])
        yield f"{name}-octets", info(der(SEQUENCE, *changed)), f"the {name} is no INTEGER"
    yield "numbers-three", info(der(SEQUENCE, *inner[:4])), "primes and all behind them are missing"
    yield "numbers-missing", info(der(SEQUENCE, inner[0])), "there are no numbers"
    longer = bytearray(key)
    longer[3] += 1
    yield "inner-longer", info(bytes(longer)), "the numbers' SEQUENCE is longer than what holds it"


def _private_open(numbers: list[int]) -> Iterator[Mutant]:
    key, whole = der(SEQUENCE, der_integer(0), *map(der_integer, numbers)), pkcs8(numbers)
    yield "behind", whole + b"\0", "a byte behind the key: not the key's"
    yield "no-null", der(SEQUENCE, der_integer(0), der(SEQUENCE, der(OID, RSA_ENCRYPTION)), der(OCTET_STRING, key)), "NULL is missing: RFC 3279 section 2.3.1 asks for it, but old programs leave it out"  # fmt: skip
    yield "version-7", der(SEQUENCE, der_integer(7), algorithm_identifier(), der(OCTET_STRING, key)), "a version that no standard has"  # fmt: skip
    yield "long-length", bytes((SEQUENCE, 0x83, 0)) + whole[2:4] + whole[4:], "a length with a zero byte before it: BER, not DER"  # fmt: skip


IMPORTS: dict[str, Callable[[Sources], list[Entry]]] = {
    f"rsa-{bits}-{kind}": importing(bits, kind) for bits in (2048, 4096) for kind in ("spki", "pkcs8")
}
