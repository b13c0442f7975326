# SPDX-License-Identifier: Apache-2.0
"""X.509 as operations: certificates that are parsed, verified as a path and issued. Which keys they have is the algorithm's.

Pair 0 of the signature scheme is the leaf's, 1 the intermediate's, 2 the root's, so that every certificate that is timed is made anew, always the same.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from cipherstone.model.errors import NotAuthentic
from cipherstone.model.later import Later
from cipherstone.operations import elliptic
from cipherstone.operations.certificate import (
    ALT_NAME,
    BASIC_CONSTRAINTS,
    COMMON_NAME,
    COUNTRY,
    CRL_SIGN,
    DIGITAL_SIGNATURE,
    KEY_CERT_SIGN,
    KEY_USAGE,
    ORGANIZATION,
    PRINTABLE,
    SERIAL_BYTES,
    SET,
    TIME_BYTES,
    UTF8,
    VERSION_3,
    Certificate,
    CertificateFields,
    Kind,
    Names,
    authority_key_id,
    basic_constraints,
    contents,
    dns_names,
    elements,
    key_usage,
    path_problem,
    read,
    subject_key_id,
    whole,
    written,
)
from cipherstone.operations.ec_import import curve_identifier
from cipherstone.operations.key_import import BIT_STRING, NULL, OID, SEQUENCE, der, rsa_public, spki
from cipherstone.operations.rsa import EXPONENT_BYTES, rsa_pkcs1_sha256
from cipherstone.operations.scheme import Inputs, Scheme

if TYPE_CHECKING:
    from Crypto.Hash import SHA256, SHA384
else:
    SHA256, SHA384 = Later("Crypto.Hash.SHA256"), Later("Crypto.Hash.SHA384")

LEAF, INTERMEDIATE, ROOT = 0, 1, 2
SINCE, UNTIL, NOW = 1704067200, 2019686400, 1767225600  # 1 January of 2024, 2034 and 2026
HOST = "www.cipherstone.example"
SERIAL = 0x1D2C3B4A5968778695A4B3C2D1E0F00F
SECP384R1 = bytes.fromhex("2b81040022")  # 1.3.132.0.34
_ECDSA_SHA256 = der(SEQUENCE, der(OID, bytes.fromhex("2a8648ce3d040302")))
_ECDSA_SHA384 = der(SEQUENCE, der(OID, bytes.fromhex("2a8648ce3d040303")))
_RSA_SHA256 = der(SEQUENCE, der(OID, bytes.fromhex("2a864886f70d01010b")), der(NULL))
_ISSUED = {BASIC_CONSTRAINTS, KEY_USAGE, ALT_NAME}
_NAME_INPUTS = ((COMMON_NAME, "name"), (ORGANIZATION, "organization"), (COUNTRY, "country"))


@lru_cache(maxsize=1)
def p256() -> Kind:
    """Keys on P-256, signatures by ECDSA with SHA-256 (RFC 5758 section 3.2)."""
    return _on_curve(elliptic.ecdsa("P-256", 32, SHA256), _ECDSA_SHA256, curve_identifier(), 65)


@lru_cache(maxsize=1)
def p384() -> Kind:
    """Keys on P-384, signatures by ECDSA with SHA-384 (RFC 5758 section 3.2)."""
    return _on_curve(elliptic.ecdsa("P-384", 48, SHA384), _ECDSA_SHA384, curve_identifier(curve=SECP384R1), 97)


@lru_cache(maxsize=2)
def rsa(bits: int) -> Kind:
    """Keys of RSA, signatures by PKCS#1 v1.5 with SHA-256 (RFC 4055 section 5)."""
    return Kind(rsa_pkcs1_sha256(bits), _RSA_SHA256, _rsa_spki, lambda data: rsa_public(bits, data))


def rsa_2048() -> Kind:
    """Those with 2048 bits."""
    return rsa(2048)


def _on_curve(scheme: Scheme, algorithm: bytes, curve: bytes, length: int) -> Kind:
    """`curve`: its AlgorithmIdentifier; `length`: of a point, uncompressed."""

    def public(data: bytes) -> bytes:
        head, point = elements(whole(data, SEQUENCE))
        bits = contents(point, BIT_STRING)
        if head.whole != curve or len(bits) != 1 + length or bits[:2] != b"\0\4":
            raise NotAuthentic("no uncompressed point of the curve")
        return bits[1:]

    return Kind(scheme, algorithm, lambda pub: der(SEQUENCE, curve, der(BIT_STRING, b"\0", pub)), public)


def _rsa_spki(pub: bytes) -> bytes:
    n, e = pub[:-EXPONENT_BYTES], pub[-EXPONENT_BYTES:]
    return spki(int.from_bytes(n, "big"), int.from_bytes(e, "big"))


def certificates(kind: Kind) -> Scheme:
    """The operations with certificates of this kind."""
    return Scheme(
        kind.key_pair,
        due={"parse": lambda inputs: fields(kind, inputs["msg"]), "verify-chain": lambda inputs: _verified(kind, inputs)},
        make={"issue": lambda inputs, form: issued(kind, inputs)},
        judge={"issue": lambda inputs, output, form: _issued_problem(kind, inputs, output)},
        key_pairs=0,
    )  # fmt: skip


def timed(kind: Kind) -> dict[str, bytes]:
    """What is timed: the chain of three, the leaf of it to parse, and what to issue."""
    leaf, intermediate, root = chain(kind)
    names = {name: text.encode() for (_, name), (_, text) in zip(_NAME_INPUTS, subject_of(HOST), strict=True)}
    return {
        "msg": leaf,
        "leaf": leaf,
        "intermediates": intermediate,
        "root": root,
        "host": HOST.encode(),
        "time": time_bytes(NOW),
        "serial": SERIAL.to_bytes(16, "big"),
        **names,
        "since": time_bytes(SINCE),
        "until": time_bytes(UNTIL),
    }


def time_bytes(moment: int) -> bytes:
    """Seconds since 1970 as the catalogue encodes them."""
    return moment.to_bytes(TIME_BYTES, "big", signed=True)


def _time(data: bytes) -> int:
    return int.from_bytes(data, "big", signed=True)


def subject_of(common_name: str) -> Names:
    """The three fields that every certificate of ours has."""
    return ((COMMON_NAME, common_name), (ORGANIZATION, "cipherstone"), (COUNTRY, "GB"))


def told(kind: Kind, level: int, host: str = HOST) -> CertificateFields:
    """What the timed certificate of a level says."""
    names = [subject_of(name) for name in (host, "Intermediate", "Root")]
    issuer = min(level + 1, ROOT)
    pub, issuer_pub = kind.key_pair(level)[1], kind.key_pair(issuer)[1]
    extensions = [subject_key_id(pub), authority_key_id(issuer_pub)]
    if level == LEAF:
        extensions[:0] = basic_constraints(False), key_usage(DIGITAL_SIGNATURE), dns_names(host, "cipherstone.example")
    else:
        path_length = 0 if level == INTERMEDIATE else None
        extensions[:0] = basic_constraints(True, path_length), key_usage(KEY_CERT_SIGN | CRL_SIGN)
    return CertificateFields(names[level], names[issuer], SERIAL + level, SINCE, UNTIL, pub, tuple(extensions))


def chain(kind: Kind) -> list[bytes]:
    """Leaf, intermediate and root in DER."""
    return [
        written(kind, told(kind, level), kind.key_pair(min(level + 1, ROOT))) for level in (LEAF, INTERMEDIATE, ROOT)
    ]


def fields(kind: Kind, data: bytes) -> bytes:
    """What parsing writes: 1 if it is a CA's, both times, the serial number, the public key. Raises NotAuthentic."""
    found = read(data)
    if not 0 <= found.serial < 1 << (8 * SERIAL_BYTES):
        raise NotAuthentic("a serial number that is negative or too long (section 4.1.2.2)")
    serial = found.serial.to_bytes(SERIAL_BYTES, "big")
    return bytes((found.is_ca,)) + time_bytes(found.since) + time_bytes(found.until) + serial + kind.public(found.spki)


def _verified(kind: Kind, inputs: Inputs) -> bytes:
    path = [read(inputs["leaf"]), *(read(one.whole) for one in elements(inputs.get("intermediates", b"")))]
    host = inputs["host"].decode("ascii") if "host" in inputs else None
    if problem := path_problem(kind, path, read(inputs["root"]), _time(inputs["time"]), host):
        raise NotAuthentic(problem)
    return b""


def issued(kind: Kind, inputs: Inputs) -> bytes:
    """One right certificate for these inputs."""
    names = tuple((oid, inputs[name].decode()) for oid, name in _NAME_INPUTS)
    extensions = (basic_constraints(False), key_usage(DIGITAL_SIGNATURE), dns_names(inputs["host"].decode("ascii")))
    serial = int.from_bytes(inputs["serial"], "big")
    what = CertificateFields(
        names, names, serial, _time(inputs["since"]), _time(inputs["until"]), inputs["pub"], extensions
    )
    return written(kind, what, (inputs["key"], inputs["pub"]))


def _issued_problem(kind: Kind, inputs: Inputs, output: bytes) -> str:
    try:
        found = read(output)
        pub = kind.public(found.spki)
        subject = _names(found.subject)
    except (NotAuthentic, ValueError) as error:
        return f"no certificate: {error}"
    wanted = {bytes.fromhex(oid): inputs[name] for oid, name in _NAME_INPUTS}
    wrong = {
        "not version 3": found.version != VERSION_3,
        "another serial number": found.serial != int.from_bytes(inputs["serial"], "big"),
        "another subject": dict(subject) != wanted or len(subject) != len(wanted),
        "another issuer": found.issuer != found.subject,
        "another validity": (found.since, found.until) != (_time(inputs["since"]), _time(inputs["until"])),
        "another key": pub != inputs["pub"],
        "other extensions than the three": set(found.extensions) != _ISSUED,
    }
    if any(wrong.values()):
        return next(text for text, is_so in wrong.items() if is_so)
    return _purpose_problem(kind, inputs, found)


def _purpose_problem(kind: Kind, inputs: Inputs, found: Certificate) -> str:
    if found.is_ca or not found.may(DIGITAL_SIGNATURE) or found.may(0x7F):
        return "for a CA, or for another use than to sign"
    if found.hosts != [inputs["host"].decode("ascii")]:
        return "another host"
    if found.algorithm != kind.algorithm:
        return f"the algorithm of its signature is {found.algorithm.hex()}, not {kind.algorithm.hex()}"
    if not kind.is_signed(inputs["pub"], found.tbs, found.signature):
        return "its signature does not verify with the independent library"
    return ""


def _names(name: bytes) -> list[tuple[bytes, bytes]]:
    found = []
    for one in elements(whole(name, SEQUENCE)):
        oid, text = elements(whole(contents(one, SET), SEQUENCE))
        if text.tag not in (UTF8, PRINTABLE):
            raise NotAuthentic("a name in another kind of string")
        found.append((contents(oid, OID), text.body))
    return found
