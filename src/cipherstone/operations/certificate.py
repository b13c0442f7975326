# SPDX-License-Identifier: Apache-2.0
"""X.509 certificates (RFC 5280): written, read, and paths of them validated, with the signatures of PyCryptodome.

Written and read is DER (X.690) alone. A path is what section 6.1 makes of certificates in their order below a trust anchor, without policies, name constraints and revocation, which nothing that is timed has; host names are those of RFC 9525.
"""

from __future__ import annotations

import calendar
import hashlib
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from cipherstone.model.errors import NotAuthentic
from cipherstone.operations.key_import import BIT_STRING, INTEGER, OCTET_STRING, OID, SEQUENCE, der, der_integer
from cipherstone.operations.scheme import Scheme

BOOLEAN, UTF8, PRINTABLE, UTC_TIME, GENERALIZED_TIME, SET = 0x01, 0x0C, 0x13, 0x17, 0x18, 0x31
VERSION_TAG, EXTENSIONS_TAG, DNS_NAME_TAG, KEY_ID_TAG = 0xA0, 0xA3, 0x82, 0x80
COMMON_NAME, COUNTRY, ORGANIZATION = "550403", "550406", "55040a"
SUBJECT_KEY_ID, KEY_USAGE, ALT_NAME, BASIC_CONSTRAINTS, POLICIES, AUTHORITY_KEY_ID = "551d0e", "551d0f", "551d11", "551d13", "551d20", "551d23"  # fmt: skip
PROCESSED = frozenset({KEY_USAGE, ALT_NAME, BASIC_CONSTRAINTS, POLICIES})  # where they are critical
DIGITAL_SIGNATURE, KEY_CERT_SIGN, CRL_SIGN = 0x80, 0x04, 0x02  # in the first byte of KeyUsage
VERSION_3 = 2
SERIAL_BYTES, TIME_BYTES = 20, 8
_YEAR_2050 = calendar.timegm((2050, 1, 1, 0, 0, 0))

Names = tuple[tuple[str, str], ...]  # type and text, in the order of the name
Moment = int  # seconds since 1970


class Kind(NamedTuple):
    """Of which keys and signatures certificates are. `scheme`: of the signatures; `algorithm`: its AlgorithmIdentifier; `spki`: a public key as the catalogue encodes it as SubjectPublicKeyInfo; `public`: the way back, which raises NotAuthentic."""

    scheme: Scheme
    algorithm: bytes
    spki: Callable[[bytes], bytes]
    public: Callable[[bytes], bytes]

    def key_pair(self, number: int) -> tuple[bytes, bytes]:
        """Private and public key of this number."""
        return self.scheme.key_pair(number)

    def sign(self, pair: tuple[bytes, bytes], message: bytes) -> bytes:
        """Always the same signature: RFC 6979 where there are others."""
        return self.scheme.make["sign"]({"key": pair[0], "pub": pair[1], "msg": message}, "der")

    def is_signed(self, pub: bytes, message: bytes, signature: bytes) -> bool:
        """Whether the signature verifies with PyCryptodome."""
        return not self.scheme.judge["sign"]({"pub": pub, "msg": message}, signature, "der")


# Writing


class CertificateFields(NamedTuple):
    """What a certificate says. Of the writer's; `_replace` makes one that must be refused."""

    subject: Names
    issuer: Names
    serial: int
    since: Moment
    until: Moment
    pub: bytes
    extensions: tuple[bytes, ...]


def written(kind: Kind, told: CertificateFields, signer: tuple[bytes, bytes]) -> bytes:
    """The certificate, signed with the private key of the pair `signer`."""
    return signed(kind, to_be_signed(kind, told), signer)


def signed(kind: Kind, tbs: bytes, signer: tuple[bytes, bytes]) -> bytes:
    """A certificate around what is to be signed."""
    return der(SEQUENCE, tbs, kind.algorithm, der(BIT_STRING, b"\0", kind.sign(signer, tbs)))


def to_be_signed(kind: Kind, told: CertificateFields) -> bytes:
    """TBSCertificate, section 4.1."""
    return der(SEQUENCE, *parts_to_be_signed(kind, told))


def parts_to_be_signed(kind: Kind, told: CertificateFields) -> list[bytes]:
    """Its elements: version, serial, algorithm, issuer, validity, subject, key, extensions."""
    return [
        der(VERSION_TAG, der_integer(VERSION_3)),
        der_integer(told.serial),
        kind.algorithm,
        der_name(told.issuer),
        der(SEQUENCE, der_time(told.since), der_time(told.until)),
        der_name(told.subject),
        kind.spki(told.pub),
        der(EXTENSIONS_TAG, der(SEQUENCE, *told.extensions)),
    ]


def der_name(names: Names) -> bytes:
    """A country as PrintableString, as appendix A.1 has it, all others as UTF8String."""
    return der(SEQUENCE, *(der(SET, der(SEQUENCE, der(OID, bytes.fromhex(oid)), der(PRINTABLE if oid == COUNTRY else UTF8, text.encode()))) for oid, text in names))  # fmt: skip


def der_time(moment: Moment) -> bytes:
    """UTCTime until 2049, then GeneralizedTime: section 4.1.2.5."""
    text = time.strftime("%Y%m%d%H%M%SZ", time.gmtime(moment))
    return der(UTC_TIME, text[2:].encode()) if moment < _YEAR_2050 else der(GENERALIZED_TIME, text.encode())


def extension(oid: str, value: bytes, critical: bool = False) -> bytes:
    """Section 4.2: `value` is what the OCTET STRING holds."""
    return der(SEQUENCE, der(OID, bytes.fromhex(oid)), der(BOOLEAN, b"\xff") if critical else b"", der(OCTET_STRING, value))  # fmt: skip


def basic_constraints(ca: bool, path_length: int | None = None, critical: bool = True) -> bytes:
    """Section 4.2.1.9."""
    parts = [der(BOOLEAN, b"\xff")] if ca else []
    parts += [] if path_length is None else [der_integer(path_length)]
    return extension(BASIC_CONSTRAINTS, der(SEQUENCE, *parts), critical)


def key_usage(bits: int) -> bytes:
    """Named bits of the first byte, the highest first, as short as they can be (X.690 section 11.2.2)."""
    unused = (bits & -bits).bit_length() - 1
    return extension(KEY_USAGE, der(BIT_STRING, bytes((unused, bits))), True)


def dns_names(*hosts: str) -> bytes:
    """A subjectAltName with these names, section 4.2.1.6."""
    return extension(ALT_NAME, der(SEQUENCE, *(der(DNS_NAME_TAG, host.encode()) for host in hosts)))


def key_id(pub: bytes) -> bytes:
    """20 bytes that stand for a key: how they are derived is left open by section 4.2.1.2."""
    return hashlib.sha256(pub).digest()[:20]


def subject_key_id(pub: bytes) -> bytes:
    """Section 4.2.1.2."""
    return extension(SUBJECT_KEY_ID, der(OCTET_STRING, key_id(pub)))


def authority_key_id(pub: bytes) -> bytes:
    """Section 4.2.1.1, by the issuer's key."""
    return extension(AUTHORITY_KEY_ID, der(SEQUENCE, der(KEY_ID_TAG, key_id(pub))))


# Reading


class Element(NamedTuple):
    """`whole`: with tag and length."""

    tag: int
    body: bytes
    whole: bytes


def elements(data: bytes) -> Iterator[Element]:
    """DER elements one after another. Raises NotAuthentic for what is none."""
    at = 0
    while at < len(data):
        start = at
        if at + 2 > len(data) or data[at] & 0x1F == 0x1F:
            raise NotAuthentic("no tag and length")
        tag, length, at = data[at], data[at + 1], at + 2
        if length >= 0x80:
            count = length & 0x7F
            length = int.from_bytes(data[at : at + count], "big")
            at += count
            if not count or length < 0x80 or length.bit_length() <= 8 * (count - 1):
                raise NotAuthentic("a length that is not the shortest")
        if at + length > len(data):
            raise NotAuthentic("it ends too early")
        yield Element(tag, data[at : at + length], data[start : at + length])
        at += length


def contents(element: Element, tag: int) -> bytes:
    """Of an element that must have this tag."""
    if element.tag != tag:
        raise NotAuthentic(f"tag {element.tag:02x}, not {tag:02x}")
    return element.body


def parts(data: bytes, *tags: int) -> list[Element]:
    """Elements with these tags, and no others."""
    found = list(elements(data))
    if [one.tag for one in found] != list(tags):
        raise NotAuthentic(f"tags {[f'{one.tag:02x}' for one in found]}")
    return found


def whole(data: bytes, tag: int) -> bytes:
    """Contents of the one element that `data` is."""
    return parts(data, tag)[0].body


class Certificate(NamedTuple):
    """What was read. `tbs`: the bytes that are signed; `issuer`, `subject`, `spki`: whole elements; `extensions`: by type, whether it is critical and its contents."""

    tbs: bytes
    signature: bytes
    algorithm: bytes
    version: int
    serial: int
    issuer: bytes
    subject: bytes
    since: Moment
    until: Moment
    spki: bytes
    extensions: dict[str, tuple[bool, bytes]]

    @property
    def is_ca(self) -> bool:
        """What basicConstraints says; without them it is none."""
        return self._constraints()[0]

    @property
    def path_length(self) -> int | None:
        """How many intermediates may follow; None: any number."""
        return self._constraints()[1]

    def _constraints(self) -> tuple[bool, int | None]:
        found = list(elements(whole(self.extensions[BASIC_CONSTRAINTS][1], SEQUENCE))) if BASIC_CONSTRAINTS in self.extensions else []  # fmt: skip
        ca = bool(found) and found[0].tag == BOOLEAN and found[0].body == b"\xff"
        length = found[-1].body if found and found[-1].tag == INTEGER else None
        return ca, None if length is None else int.from_bytes(length, "big", signed=True)

    def may(self, usage: int) -> bool:
        """Whether the key may be used so: without the extension for everything."""
        if KEY_USAGE not in self.extensions:
            return True
        bits = whole(self.extensions[KEY_USAGE][1], BIT_STRING)
        return len(bits) > 1 and bool(bits[1] & usage)

    @property
    def hosts(self) -> list[str]:
        """Its dNSName entries."""
        if ALT_NAME not in self.extensions:
            return []
        found = elements(whole(self.extensions[ALT_NAME][1], SEQUENCE))
        return [one.body.decode("ascii") for one in found if one.tag == DNS_NAME_TAG]


def read(data: bytes) -> Certificate:
    """A certificate of version 3. Raises NotAuthentic for what is none."""
    tbs, algorithm, value = parts(whole(data, SEQUENCE), SEQUENCE, SEQUENCE, BIT_STRING)
    inside = list(elements(tbs.body))
    wanted = (VERSION_TAG, INTEGER, SEQUENCE, SEQUENCE, SEQUENCE, SEQUENCE, SEQUENCE)
    if tuple(one.tag for one in inside) not in (wanted, (*wanted, EXTENSIONS_TAG)):
        raise NotAuthentic("no TBSCertificate, or one with the identifiers that section 4.1.2.8 forbids")
    version, serial, inner, issuer, validity, subject, spki = inside[:7]
    if inner.whole != algorithm.whole or value.body[:1] != b"\0":
        raise NotAuthentic("two algorithms, or a signature that is no string of bytes")
    if not serial.body or (len(serial.body) > 1 and serial.body[0] == 0 and serial.body[1] < 0x80):
        raise NotAuthentic("the serial number is no INTEGER of DER")
    since, until = (_moment(one) for one in _two(validity.body))
    for name in (issuer, subject):
        _check_name(name.body)
    extensions = _extensions(inside[-1].body) if inside[-1].tag == EXTENSIONS_TAG else {}
    number = int.from_bytes(serial.body, "big", signed=True)
    return Certificate(tbs.whole, value.body[1:], algorithm.whole, int.from_bytes(whole(version.body, INTEGER), "big"), number, issuer.whole, subject.whole, since, until, spki.whole, extensions)  # fmt: skip


def _two(data: bytes) -> list[Element]:
    found = list(elements(data))
    if len(found) != 2:
        raise NotAuthentic("not two times")
    return found


def _moment(element: Element) -> Moment:
    """Seconds since 1970 of a UTCTime or GeneralizedTime in the one form that section 4.1.2.5 allows."""
    text = element.body.decode("ascii", "replace")
    if element.tag == UTC_TIME and len(text) == 13:
        text = ("19" if text[:2] >= "50" else "20") + text
    elif element.tag != GENERALIZED_TIME:
        raise NotAuthentic("no time")
    if len(text) != 15 or text[14] != "Z" or not text[:14].isdecimal():
        raise NotAuthentic("no time in Z with seconds")
    try:
        return calendar.timegm(time.strptime(text, "%Y%m%d%H%M%SZ"))
    except ValueError as error:
        raise NotAuthentic(str(error)) from None


def _check_name(data: bytes) -> None:
    for one in elements(data):
        for pair in elements(contents(one, SET)):
            kind, _ = elements(contents(pair, SEQUENCE))
            contents(kind, OID)


def _extensions(data: bytes) -> dict[str, tuple[bool, bytes]]:
    found: dict[str, tuple[bool, bytes]] = {}
    for one in elements(whole(data, SEQUENCE)):
        inside = list(elements(contents(one, SEQUENCE)))
        oid = contents(inside[0], OID).hex() if inside else ""
        critical = len(inside) == 3 and contents(inside[1], BOOLEAN) == b"\xff"
        if len(inside) not in (2, 3) or oid in found:
            raise NotAuthentic("an extension that is none, or stands twice")
        found[oid] = (critical, contents(inside[-1], OCTET_STRING))
    return found


# Paths


def path_problem(kind: Kind, path: list[Certificate], anchor: Certificate, moment: Moment, host: str | None) -> str:
    """ "" if `path`, the leaf first, is valid below the trust anchor at that time, for that host; else what is wrong. Section 6.1."""
    for depth, (one, issuer) in enumerate(zip(path, [*path[1:], anchor], strict=True)):
        if one.issuer != issuer.subject:
            return f"certificate {depth} is not from the subject of the next"
        if one.algorithm != kind.algorithm or not kind.is_signed(kind.public(issuer.spki), one.tbs, one.signature):
            return f"the signature of certificate {depth} is not valid"
        if not one.since <= moment <= one.until:
            return f"certificate {depth} is not valid at this time"
        if any(critical and oid not in PROCESSED for oid, (critical, _) in one.extensions.items()):
            return f"certificate {depth} has a critical extension that is not known"
    # None of a path is issued by its own subject: each counts.
    for between, one in enumerate(path[1:]):
        if one.version != VERSION_3 or not one.is_ca:
            return "an issuer is no CA (6.1.4 k)"
        if one.path_length is not None and between > one.path_length:
            return "the path is too long (6.1.4 m)"
        if not one.may(KEY_CERT_SIGN):
            return "an issuer's key must not sign certificates (6.1.4 n)"
    if host is not None and not any(is_host(pattern, host) for pattern in path[0].hosts):
        return "another host"
    return ""


def is_host(pattern: str, host: str) -> bool:
    """RFC 9525 section 6.3: labels without regard to case; a wildcard is the whole of the leftmost one and stands for one."""
    wanted, given = pattern.lower().split("."), host.lower().split(".")
    if wanted[0] == "*" and len(wanted) > 2:
        wanted, given = wanted[1:], given[1:]
    return wanted == given
