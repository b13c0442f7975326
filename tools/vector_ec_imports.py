# SPDX-License-Identifier: Apache-2.0
"""Which known answers of key import on P-256 are kept: as those of RSA (vector_imports.py), and by the same rules.

Values are not judged here either, which what stands in the place of the point is: of several libraries those functions look at it that compute with the key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from Crypto.PublicKey import ECC
from vector_imports import BOOLEAN, DSA, SET, UNKNOWN, Mutant, brief, cut
from vector_sources import Entry, Sources, make_entry

from cipherstone.operations.ec_import import (
    EC_PUBLIC_KEY,
    PRIME256V1,
    WITH_PUBLIC,
    curve_identifier,
    ec_pkcs8,
    ec_private,
    ec_private_key,
    ec_public,
    ec_spki,
    pair,
)
from cipherstone.operations.key_import import (
    BIT_STRING,
    INTEGER,
    OCTET_STRING,
    OID,
    RSA_ENCRYPTION,
    SEQUENCE,
    algorithm_identifier,
    der,
    der_integer,
)

POSITIVES = 12
OURS = "tools/vector_ec_imports.py: a key of the timed ring in DER"
MADE = "tools/vector_ec_imports.py: made out of a key of the timed ring"
PUBLIC = ("ecdsa_secp256r1_sha256", "ecdsa_secp256r1_sha512", "ecdsa_secp256r1_sha3_256")
PRIVATE = "asymmetric/ECDSA/RFC6979/evppkey_ecdsa_rfc6979.txt"
UNKNOWN_CURVE = "2a8648ce3d030163"
FLAGS = {
    **dict.fromkeys(("algorithm-rsa", "algorithm-rsa-curve", "algorithm-dsa", "algorithm-unknown"), "OtherAlgorithm"),
    **dict.fromkeys(("algorithm-no-curve", "algorithm-unknown-curve"), "OtherCurve"),
}


def importing(kind: str) -> Callable[[Sources], list[Entry]]:
    """`kind`: `spki` or `pkcs8`."""

    def select(sources: Sources) -> list[Entry]:
        public = kind == "spki"
        verb, read = ("import-public", ec_public) if public else ("import-private", ec_private)
        scalar, point = pair(1)
        published = _published_public(sources) if public else _published_private(sources)
        found = []
        for name, data, source in [*published, *_ours(public)][:POSITIVES]:
            found.append(make_entry(name, verb, {"msg": data.hex()}, source, read(data).hex()))
        whole = ec_spki(point) if public else ec_pkcs8(scalar, point)
        for name, data, why in [*cut(whole), *(_public_refused(point) if public else _private_refused(scalar, point))]:
            told = {"note": why, "flags": [FLAGS[name]]} if name in FLAGS else {"note": why}
            found.append(make_entry(name, verb, {"msg": data.hex()}, MADE, expect="rejected", **told))
        for name, data, why in _public_open(point) if public else _private_open(scalar, point):
            output = (point if public else scalar).hex()
            found.append(make_entry(name, verb, {"msg": data.hex()}, MADE, output, expect="ok-or-rejected", note=why))
        return brief(found)

    return select


def _published_public(sources: Sources) -> Iterator[Mutant]:
    """Each key once, a third of all out of each file."""
    seen: set[str] = set()
    for name in PUBLIC:
        source, pairs = sources.wycheproof(name)
        keys = dict.fromkeys(group["publicKeyDer"] for group, _ in pairs)
        for number, text in enumerate([key for key in keys if key not in seen][: POSITIVES // 4], 1):
            seen.add(text)
            yield f"wycheproof-{name.replace('_', '-')}-{number}", bytes.fromhex(text), f"{source}: publicKeyDer"


def _published_private(sources: Sources) -> Iterator[Mutant]:
    pem = re.search(r"PrivateKey=P-256_PRIV\n(-----BEGIN.*?END PRIVATE KEY-----)", sources.text(PRIVATE), re.DOTALL)
    if pem is None:
        raise SystemExit(f"{PRIVATE}: no P-256 key")
    key = ECC.import_key(pem[1]).export_key(format="DER", use_pkcs8=True)
    yield "rfc6979", bytes(key), "RFC 6979 appendix A.2.5 (evppkey_ecdsa_rfc6979.txt), written anew in DER"


def _ours(public: bool) -> Iterator[Mutant]:
    for number in range(POSITIVES):
        scalar, point = pair(number)
        yield f"ring-{number}", ec_spki(point) if public else ec_pkcs8(scalar, point), OURS


def _other_algorithms() -> Iterator[Mutant]:
    yield "rsa", algorithm_identifier(), "the algorithm is RSA"
    for name, oid in (("rsa-curve", RSA_ENCRYPTION.hex()), ("dsa", DSA), ("unknown", UNKNOWN)):
        yield name, curve_identifier(bytes.fromhex(oid)), "the algorithm is none of elliptic curves"
    yield "no", b"", "there is no algorithm"
    yield "text", der(SEQUENCE, der(OCTET_STRING, EC_PUBLIC_KEY), der(OID, PRIME256V1)), "the algorithm is no OBJECT IDENTIFIER"  # fmt: skip
    yield "no-curve", der(SEQUENCE, der(OID, EC_PUBLIC_KEY)), "there is no curve"
    yield "unknown-curve", curve_identifier(curve=bytes.fromhex(UNKNOWN_CURVE)), "the curve is none that there is"
    yield "number-curve", der(SEQUENCE, der(OID, EC_PUBLIC_KEY), der_integer(256)), "the curve is a number"


def _public_refused(point: bytes) -> Iterator[Mutant]:
    def info(key: bytes, algorithm: bytes | None = None, tag: int = BIT_STRING, outer: int = SEQUENCE) -> bytes:
        return der(outer, curve_identifier() if algorithm is None else algorithm, der(tag, key))

    for name, algorithm, why in _other_algorithms():
        yield f"algorithm-{name}", info(b"\0" + point, algorithm), why
    yield "outer-set", info(b"\0" + point, outer=SET), "the whole is no SEQUENCE"
    yield "key-octets", info(b"\0" + point, tag=OCTET_STRING), "the key is no BIT STRING"
    yield "key-empty", info(b""), "the BIT STRING has no count of unused bits"
    yield "key-nothing", info(b"\0"), "the BIT STRING holds nothing"
    yield "key-missing", der(SEQUENCE, curve_identifier()), "there is no key"


def _public_open(point: bytes) -> Iterator[Mutant]:
    whole = ec_spki(point)
    yield "behind", whole + b"\0", "a byte behind the key: not the key's"
    yield "long-length", bytes((SEQUENCE, 0x81)) + whole[1:], "a length in two bytes where one is enough: BER, not DER"


def _private_refused(scalar: bytes, point: bytes) -> Iterator[Mutant]:
    key = ec_private_key(scalar, point)
    public = der(WITH_PUBLIC, der(BIT_STRING, b"\0", point))

    def info(key: bytes, algorithm: bytes | None = None, tag: int = OCTET_STRING, outer: int = SEQUENCE) -> bytes:
        return der(outer, der_integer(0), curve_identifier() if algorithm is None else algorithm, der(tag, key))

    for name, algorithm, why in _other_algorithms():
        yield f"algorithm-{name}", info(key, algorithm), why
    yield "outer-set", info(key, outer=SET), "the whole is no SEQUENCE"
    yield "key-integer", info(key, tag=INTEGER), "the key is no OCTET STRING"
    yield "key-empty", info(b""), "the OCTET STRING holds nothing"
    yield "key-missing", der(SEQUENCE, der_integer(0), curve_identifier()), "there is no key"
    yield "inner-octets", info(der(OCTET_STRING, key[2:])), "the key's parts are in no SEQUENCE"
    yield "scalar-integer", info(der(SEQUENCE, der_integer(1), der(INTEGER, b"\0", scalar), public)), "the scalar is no OCTET STRING"  # fmt: skip
    yield (
        "scalar-boolean",
        info(der(SEQUENCE, der_integer(1), der(BOOLEAN, b"\xff"), public)),
        "the scalar is a BOOLEAN",
    )
    yield "scalar-missing", info(der(SEQUENCE, der_integer(1))), "there is no scalar"
    longer = bytearray(key)
    longer[1] += 1
    yield "inner-longer", info(bytes(longer)), "the key's SEQUENCE is longer than what holds it"


def _private_open(scalar: bytes, point: bytes) -> Iterator[Mutant]:
    whole, key = ec_pkcs8(scalar, point), ec_private_key(scalar, point)
    alone = der(SEQUENCE, der_integer(1), der(OCTET_STRING, scalar))

    def info(key: bytes, version: int = 0) -> bytes:
        return der(SEQUENCE, der_integer(version), curve_identifier(), der(OCTET_STRING, key))

    yield "behind", whole + b"\0", "a byte behind the key: not the key's"
    yield "no-public", info(alone), "the public point is missing, as RFC 5915 section 3 lets it be, but asks of no one"
    yield "version-7", info(key, 7), "a version that no standard has"
    yield "inner-version-7", info(der(SEQUENCE, der_integer(7), key[5:])), "a version of the key that no standard has"
    yield "long-length", bytes((SEQUENCE, 0x82, 0)) + whole[2:], "a length with a zero byte before it: BER, not DER"


EC_IMPORTS: dict[str, Callable[[Sources], list[Entry]]] = {
    f"p-256-{kind}": importing(kind) for kind in ("spki", "pkcs8")
}
