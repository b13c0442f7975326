# SPDX-License-Identifier: Apache-2.0
"""Which known answers of certificates are kept: published ones (NIST's PKITS, and certificates that cryptography tests with), and what is made here out of the timed chain, each with the reason in its note.

Refused must be what RFC 5280 and RFC 9525 refuse without leaving a choice: what is no Certificate of section 4.1, a path that section 6.1 does not validate, another host. What they leave to an implementation may be taken or refused: BER where DER is due, bytes behind
a certificate, a CA whose constraints are not critical (it breaks section 4.2.1.9, but section 6.1 does not look), a host name in the common name (which RFC 6125 allowed), a wildcard in a part of a label (the same). Names of issuer and subject
are equal byte for byte wherever a path must be valid: how else they may be equal (section 7.1) is not tried.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from vector_sources import Entry, Sources, make_entry, spread

from cipherstone.model.errors import NotAuthentic
from cipherstone.operations.certificate import (
    BASIC_CONSTRAINTS,
    DIGITAL_SIGNATURE,
    EXTENSIONS_TAG,
    GENERALIZED_TIME,
    KEY_CERT_SIGN,
    KEY_USAGE,
    PRINTABLE,
    PROCESSED,
    UTC_TIME,
    UTF8,
    Certificate,
    CertificateFields,
    Kind,
    basic_constraints,
    dns_names,
    elements,
    extension,
    key_usage,
    parts_to_be_signed,
    read,
    signed,
    subject_key_id,
    to_be_signed,
    whole,
    written,
)
from cipherstone.operations.certificate import authority_key_id as issuer_id
from cipherstone.operations.certificates import (
    HOST,
    INTERMEDIATE,
    LEAF,
    NOW,
    ROOT,
    SERIAL,
    SINCE,
    UNTIL,
    fields,
    p256,
    rsa_2048,
    subject_of,
    time_bytes,
    timed,
    told,
)
from cipherstone.operations.key_import import BIT_STRING, INTEGER, OCTET_STRING, OID, SEQUENCE, der

MADE = "tools/vector_x509.py: made out of the timed chain"
DAY = 86400
IA5 = 0x16
ECDSA = bytes.fromhex("2a8648ce3d04")  # what the names of its signatures begin with
STRANGER = 3  # number of a key pair that no certificate of the chain has
UNKNOWN = "2a864886f70d010163"  # of an extension that nobody knows
MOST_PUBLISHED = 12
PKITS, PKITS_NOW = "x509/PKITS_data/certs", 1577836800  # 1 January 2020: they are valid from 2010 to 2030
OTHERS = "x509"
BRIEF = {"ok": 3, "rejected": 3, "ok-or-rejected": 1}
FLAGS = {
    "until-9999": ["NoExpiration"],
    "time-month": ["InvalidMonth"],
}  # of what vectors/CLASSES-x509.toml has classes for

# Of PKITS: the intermediates (the upper one first), the leaf, and whether the path is valid, by number of the test. Without revocation, policies and name constraints.
PATHS = {
    "4.1.1": ("GoodCACert", "ValidCertificatePathTest1EE", True),
    "4.1.2": ("BadSignedCACert", "InvalidCASignatureTest2EE", False),
    "4.1.3": ("GoodCACert", "InvalidEESignatureTest3EE", False),
    "4.2.1": ("BadnotBeforeDateCACert", "InvalidCAnotBeforeDateTest1EE", False),
    "4.2.2": ("GoodCACert", "InvalidEEnotBeforeDateTest2EE", False),
    "4.2.3": ("GoodCACert", "Validpre2000UTCnotBeforeDateTest3EE", True),
    "4.2.4": ("GoodCACert", "ValidGeneralizedTimenotBeforeDateTest4EE", True),
    "4.2.5": ("BadnotAfterDateCACert", "InvalidCAnotAfterDateTest5EE", False),
    "4.2.6": ("GoodCACert", "InvalidEEnotAfterDateTest6EE", False),
    "4.2.7": ("GoodCACert", "Invalidpre2000UTCEEnotAfterDateTest7EE", False),
    "4.2.8": ("GoodCACert", "ValidGeneralizedTimenotAfterDateTest8EE", True),
    "4.3.1": ("GoodCACert", "InvalidNameChainingTest1EE", False),
    "4.3.9": ("UTF8StringEncodedNamesCACert", "ValidUTF8StringEncodedNamesTest9EE", True),
    "4.6.1": ("MissingbasicConstraintsCACert", "InvalidMissingbasicConstraintsTest1EE", False),
    "4.6.2": ("basicConstraintsCriticalcAFalseCACert", "InvalidcAFalseTest2EE", False),
    "4.6.3": ("basicConstraintsNotCriticalcAFalseCACert", "InvalidcAFalseTest3EE", False),
    "4.6.5": ("pathLenConstraint0CACert pathLenConstraint0subCACert", "InvalidpathLenConstraintTest5EE", False),
    "4.6.7": ("pathLenConstraint0CACert", "ValidpathLenConstraintTest7EE", True),
    "4.6.8": ("pathLenConstraint0CACert", "ValidpathLenConstraintTest8EE", True),
    "4.7.1": ("keyUsageCriticalkeyCertSignFalseCACert", "InvalidkeyUsageCriticalkeyCertSignFalseTest1EE", False),
    "4.7.2": ("keyUsageNotCriticalkeyCertSignFalseCACert", "InvalidkeyUsageNotCriticalkeyCertSignFalseTest2EE", False),
    "4.7.3": ("keyUsageNotCriticalCACert", "ValidkeyUsageNotCriticalTest3EE", True),
    "4.16.1": ("", "ValidUnknownNotCriticalCertificateExtensionTest1EE", True),
    "4.16.2": ("", "InvalidUnknownCriticalCertificateExtensionTest2EE", False),
}


class Path(NamedTuple):
    """A path to try. `host`, `between` (the intermediates, the leaf's issuer first): None where they are not given; `now`: the time."""

    leaf: bytes
    between: bytes | None
    root: bytes
    host: str | None = HOST
    now: int = NOW

    @property
    def inputs(self) -> dict[str, str]:
        found = {"leaf": self.leaf, "root": self.root, "time": time_bytes(self.now)}
        if self.between is not None:
            found["intermediates"] = self.between
        if self.host is not None:
            found["host"] = self.host.encode()
        return {name: value.hex() for name, value in found.items()}


Tried = tuple[str, Path, str]  # name, path, why


def certificates_of(kind: Kind, is_rsa: bool) -> Callable[[Sources], list[Entry]]:
    def select(sources: Sources) -> list[Entry]:
        return [*_parse(sources, kind, is_rsa), *_verify(sources, kind, is_rsa), *_issue(kind)]

    return select


def _brief(entries: list[Entry]) -> list[Entry]:
    for expect, count in BRIEF.items():
        for entry in spread([one for one in entries if one.get("expect", "ok") == expect], count):
            entry["brief"] = True
    return entries


# parse


def _parse(sources: Sources, kind: Kind, is_rsa: bool) -> list[Entry]:
    found = []
    for name, data, source in [*_published(sources, kind, is_rsa), *_ours(kind)]:
        found.append(make_entry(f"parse-{name}", "parse", {"msg": data.hex()}, source, fields(kind, data).hex(), flags=FLAGS.get(name)))  # fmt: skip
    for name, data, why in _malformed(kind):
        found.append(make_entry(f"parse-{name}", "parse", {"msg": data.hex()}, MADE, expect="rejected", note=why, flags=FLAGS.get(name)))  # fmt: skip
    good = written(kind, told(kind, LEAF), kind.key_pair(INTERMEDIATE))
    output = fields(kind, good).hex()
    for name, data, why in (
        ("behind", good + b"\0", "a byte behind the certificate"),
        ("long-length", bytes((good[0], good[1] + 1, 0)) + good[2:], "a length with a zero byte before it: BER, not DER"),
    ):  # fmt: skip
        found.append(make_entry(f"parse-{name}", "parse", {"msg": data.hex()}, MADE, output, expect="ok-or-rejected", note=why))  # fmt: skip
    return _brief(found)


def _published(sources: Sources, kind: Kind, is_rsa: bool) -> Iterator[tuple[str, bytes, str]]:
    """Certificates of this kind of key with fields that the standard allows: of PKITS, else those in PEM that cryptography tests with."""
    if is_rsa:
        names = dict.fromkeys(name for ca, leaf, _ in PATHS.values() for name in (*ca.split(), leaf))
        candidates = [(f"{PKITS}/{name}.crt", name) for name in names]
    else:
        candidates = [(path, path.rsplit("/", 1)[-1].removesuffix(".pem")) for path in sources.listed(OTHERS, ".pem")]
    taken = []
    for path, name in candidates:
        try:
            data = sources.peek(path)
            data = data if is_rsa else _of_pem(data)
            fields(kind, data)
            if not _is_usual(read(data)):
                continue
        except (NotAuthentic, ValueError):
            continue
        taken.append((_word(name), data, path))
    for name, data, path in spread(taken, MOST_PUBLISHED):
        sources.bytes_of(path)
        yield name, data, f"cryptography-vectors {path}"


def _is_usual(one: Certificate) -> bool:
    """Whether a parser has no reason to refuse it: times after 1970, names in the usual strings, no empty list of purposes, no NULL where RFC 5758 has none, no key that signs certificates without a CA (section 4.2.1.9), no critical extension that is not known (which section 4.2 forbids to use, not to parse)."""
    strings = {text.tag for name in (one.issuer, one.subject) for part in elements(whole(name, SEQUENCE)) for pair in elements(part.body) for text in list(elements(pair.body))[1:]}  # fmt: skip
    known = all(oid in PROCESSED or not critical for oid, (critical, _) in one.extensions.items())
    empty = any(value == der(SEQUENCE) for oid, (_, value) in one.extensions.items() if oid != BASIC_CONSTRAINTS)
    null = ECDSA in one.algorithm and one.algorithm.endswith(b"\5\0")
    contradicts = KEY_USAGE in one.extensions and one.may(KEY_CERT_SIGN) and not one.is_ca
    return one.since >= 0 and strings <= {UTF8, PRINTABLE, IA5} and known and not (empty or null or contradicts)


def _word(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def _of_pem(data: bytes) -> bytes:
    found = re.search(rb"-----BEGIN CERTIFICATE-----(.*?)-----END", data, re.DOTALL)
    if found is None:
        raise ValueError("no certificate")
    return base64.b64decode(found[1])


def _ours(kind: Kind) -> Iterator[tuple[str, bytes, str]]:
    """Validity and serial numbers of all lengths that there are."""
    leaf, pair = told(kind, LEAF), kind.key_pair(INTERMEDIATE)
    for name, one in (
        ("chain-leaf", leaf),
        ("chain-intermediate", told(kind, INTERMEDIATE)),
        ("serial-1", leaf._replace(serial=1)),
        ("serial-high-bit", leaf._replace(serial=0x80)),
        ("serial-20-bytes", leaf._replace(serial=(1 << 159) - 1)),
        ("until-2050", leaf._replace(until=2524608000)),
        ("until-9999", leaf._replace(until=253402300799)),
        ("since-1970", leaf._replace(since=0)),
        ("no-constraints", leaf._replace(extensions=leaf.extensions[1:])),
    ):
        yield name, written(kind, one, pair), MADE


def _malformed(kind: Kind) -> Iterator[tuple[str, bytes, str]]:
    pair, what = kind.key_pair(INTERMEDIATE), told(kind, LEAF)
    good = written(kind, what, pair)
    for length in (1, 2, 4, 8, 20, 60, 120, len(good) // 2, len(good) - 40, len(good) - 1):
        yield f"cut-{length}", good[:length], "it ends too early"
    parts = parts_to_be_signed(kind, what)
    serial, issuer, validity, subject, spki, extensions = 1, 3, 4, 5, 6, 7

    def changed(place: int, new: bytes) -> bytes:
        return signed(kind, der(SEQUENCE, *parts[:place], new, *parts[place + 1 :]), pair)

    signature = der(BIT_STRING, b"\0", kind.sign(pair, to_be_signed(kind, what)))
    tbs = to_be_signed(kind, what)
    yield "outer-octets", der(OCTET_STRING, tbs, kind.algorithm, signature), "the whole is no SEQUENCE"
    yield "tbs-octets", signed(kind, der(OCTET_STRING, *parts), pair), "what is signed is no SEQUENCE"
    yield "no-signature", der(SEQUENCE, tbs, kind.algorithm), "there is no signature"
    yield "signature-octets", der(SEQUENCE, tbs, kind.algorithm, der(OCTET_STRING, signature[4:])), "the signature is no BIT STRING"  # fmt: skip
    yield "no-algorithm", der(SEQUENCE, tbs, signature), "there is no algorithm of the signature"
    yield "serial-octets", changed(serial, der(OCTET_STRING, b"\1")), "the serial number is no INTEGER"
    yield "no-issuer", signed(kind, der(SEQUENCE, *parts[:issuer], *parts[issuer + 1 :]), pair), "there is no issuer"
    yield (
        "no-validity",
        signed(kind, der(SEQUENCE, *parts[:validity], *parts[validity + 1 :]), pair),
        "there is no validity",
    )
    yield (
        "no-subject",
        signed(kind, der(SEQUENCE, *parts[:subject], *parts[subject + 1 :]), pair),
        "there is no subject",
    )
    yield "no-key", signed(kind, der(SEQUENCE, *parts[:spki], *parts[spki + 1 :]), pair), "there is no key"
    for name, since, why in (
        ("time-integer", der(INTEGER, b"240101000000Z"), "not before is no time"),
        ("time-month", der(UTC_TIME, b"241301000000Z"), "not before is in the thirteenth month"),
        ("time-letters", der(UTC_TIME, b"24ab01000000Z"), "not before has letters"),
        ("time-short", der(GENERALIZED_TIME, b"2024"), "not before is a year alone"),
    ):
        yield name, changed(validity, der(SEQUENCE, since, der(UTC_TIME, b"340101000000Z"))), why
    yield "validity-one", changed(validity, der(SEQUENCE, der(UTC_TIME, b"240101000000Z"))), "there is no not after"
    body = parts[spki]
    yield "key-octets", changed(spki, body[: body.rindex(kind.key_pair(LEAF)[1][:4]) - 2]), "the key's SEQUENCE is longer than what holds it"  # fmt: skip
    yield "key-algorithm", changed(spki, der(SEQUENCE, der(SEQUENCE, der(OID, bytes.fromhex(UNKNOWN))), der(BIT_STRING, b"\0", what.pub))), "the key is of another algorithm"  # fmt: skip
    yield "extension-octets", changed(extensions, der(EXTENSIONS_TAG, der(SEQUENCE, der(OCTET_STRING, b"\1")))), "an extension is no SEQUENCE"  # fmt: skip


# verify-chain


def _verify(sources: Sources, kind: Kind, is_rsa: bool) -> list[Entry]:
    found = []
    if is_rsa:
        found += [_pkits(sources, number, *path) for number, path in PATHS.items()]
        found.append(_pkits(sources, "4.6.4", "basicConstraintsNotCriticalCACert", "ValidbasicConstraintsNotCriticalTest4EE", None))  # fmt: skip
    for expect, tried in (("ok", _valid), ("rejected", _invalid), ("ok-or-rejected", _open)):
        for name, path, why in tried(kind):
            told_of = {} if expect == "ok" else {"expect": expect}
            found.append(make_entry(f"chain-{name}", "verify-chain", path.inputs, MADE, note=why, **told_of))
    return _brief(found)


def _pkits(sources: Sources, number: str, ca: str, leaf: str, valid: bool | None) -> Entry:
    names = (leaf, *reversed(ca.split()), "TrustAnchorRootCertificate")
    first, *between, root = (sources.bytes_of(f"{PKITS}/{name}.crt") for name in names)
    more = {} if valid else {"expect": "ok-or-rejected" if valid is None else "rejected"}
    path = Path(first, b"".join(between) or None, root, host=None, now=PKITS_NOW)
    return make_entry(f"pkits-{number}", "verify-chain", path.inputs, f"NIST PKITS {number}, {leaf}.crt", **more)


def _timed(kind: Kind) -> Path:
    inputs = timed(kind)
    return Path(inputs["leaf"], inputs["intermediates"], inputs["root"])


def _leaf(kind: Kind, one: CertificateFields | None = None, signer: int = INTERMEDIATE) -> bytes:
    return written(kind, one or told(kind, LEAF), kind.key_pair(signer))


def _between(kind: Kind, one: CertificateFields, signer: int = ROOT) -> bytes:
    return written(kind, one, kind.key_pair(signer))


def _hosts(one: CertificateFields, *hosts: str) -> CertificateFields:
    return one._replace(extensions=(*one.extensions[:2], dns_names(*hosts), *one.extensions[3:]))


def _ca(one: CertificateFields, place: int, new: bytes | None) -> CertificateFields:
    """The intermediate with another extension at this place: 0 for its constraints, 1 for the use of its key; None: without it."""
    return one._replace(extensions=(*one.extensions[:place], *(() if new is None else (new,)), *one.extensions[place + 1 :]))  # fmt: skip


def _valid(kind: Kind) -> Iterator[Tried]:
    path, leaf, between = _timed(kind), told(kind, LEAF), told(kind, INTERMEDIATE)
    yield "timed", path, "the timed chain"
    yield "no-host", path._replace(host=None), "no host is asked for"
    yield "second-host", path._replace(host="cipherstone.example"), "the second alternative name"
    yield "host-case", path._replace(host="WWW.CipherStone.Example"), "RFC 9525 section 6.3: without regard to case"
    yield "wildcard", path._replace(leaf=_leaf(kind, _hosts(leaf, "*.cipherstone.example"))), "a wildcard for the leftmost label"  # fmt: skip
    yield "first-second", path._replace(now=SINCE), "the first second of all"
    yield (
        "last-seconds",
        path._replace(now=UNTIL - 1),
        "a second before the last one, which section 4.1.2.5 counts in and OpenSSL 3.0 does not",
    )
    yield "no-path-length", path._replace(between=_between(kind, _ca(between, 0, basic_constraints(True)))), "a CA without a limit for the path"  # fmt: skip
    yield "path-length-5", path._replace(between=_between(kind, _ca(between, 0, basic_constraints(True, 5)))), "a CA whose limit is not reached"  # fmt: skip
    yield "until-2060", path._replace(leaf=_leaf(kind, leaf._replace(until=2840140800))), "GeneralizedTime"
    yield "unknown-extension", path._replace(leaf=_leaf(kind, leaf._replace(extensions=(*leaf.extensions, extension(UNKNOWN, b"\5\0"))))), "an extension that is not known and not critical"  # fmt: skip
    yield "cert-sign-alone", path._replace(between=_between(kind, _ca(between, 1, key_usage(KEY_CERT_SIGN)))), "a CA that signs certificates and no CRL"  # fmt: skip
    yield "four", _two_cas(kind, 1), "a CA below one that allows one"
    yield "four-no-limit", _two_cas(kind, None), "a CA below one without a limit"
    root = told(kind, ROOT)
    direct = leaf._replace(issuer=root.subject, extensions=(*leaf.extensions[:4], issuer_id(root.pub)))
    yield "two", Path(_leaf(kind, direct, ROOT), None, path.root), "a leaf from the trust anchor itself"


def _invalid(kind: Kind) -> Iterator[Tried]:
    path, leaf, between = _timed(kind), told(kind, LEAF), told(kind, INTERMEDIATE)

    def other_leaf(one: CertificateFields, signer: int = INTERMEDIATE) -> Path:
        return path._replace(leaf=_leaf(kind, one, signer))

    def other_ca(one: CertificateFields, signer: int = ROOT) -> Path:
        return path._replace(between=_between(kind, one, signer))

    yield "expired", path._replace(now=UNTIL + 1), "a second after all have expired"
    yield "early", path._replace(now=SINCE - 1), "a second before all begin"
    yield "leaf-expired", other_leaf(leaf._replace(until=NOW - 1)), "the leaf has expired"
    yield "leaf-early", other_leaf(leaf._replace(since=NOW + 1)), "the leaf is not valid yet"
    yield "ca-expired", other_ca(between._replace(until=NOW - DAY)), "the intermediate has expired"
    yield "ca-early", other_ca(between._replace(since=NOW + DAY)), "the intermediate is not valid yet"
    for name, host, why in (
        ("other-host", "www.example.com", "another host"),
        ("longer-host", "a.www.cipherstone.example", "a label more"),
        ("shorter-host", "example", "the last label alone"),
        ("end-of-host", "ww.cipherstone.example", "the name without its first letter"),
    ):
        yield name, path._replace(host=host), why
    wild = other_leaf(_hosts(leaf, "*.cipherstone.example"))
    yield "wildcard-two-labels", wild._replace(host="a.www.cipherstone.example"), "RFC 9525 section 6.3: a wildcard stands for one label"  # fmt: skip
    yield "wildcard-no-label", wild._replace(host="cipherstone.example"), "a wildcard stands for a label"
    yield "wildcard-inside", other_leaf(_hosts(leaf, "www.*.example")), "RFC 9525 section 6.3: the leftmost label alone"
    yield "wildcard-other", other_leaf(_hosts(leaf, "*.example.com")), "a wildcard for others"
    for level, name in enumerate(("leaf", "ca")):
        der_of = (path.leaf, path.between or b"")[level]
        for what, bad, why in (
            ("signature", _flipped(der_of, len(der_of) - 9), "a bit of the signature"),
            ("serial", _flipped(der_of, der_of.index((SERIAL + level).to_bytes(16, "big")) + 15), "a bit of the serial number"),
            ("key", _flipped(der_of, der_of.index(kind.key_pair(level)[1][40:60]) + 4), "a bit of the key"),
        ):  # fmt: skip
            yield f"{name}-{what}", path._replace(leaf=bad) if level == LEAF else path._replace(between=bad), f"{why} of the {name} is another"  # fmt: skip
    yield (
        "leaf-other-signer",
        other_leaf(leaf, STRANGER),
        "the leaf is signed with a key that is not the intermediate's",
    )
    yield "ca-other-signer", other_ca(between, STRANGER), "the intermediate is signed with a key that is not the root's"
    yield "leaf-self-signed", other_leaf(leaf, LEAF), "the leaf is signed with its own key"
    yield "no-ca", other_ca(_ca(between, 0, basic_constraints(False))), "section 6.1.4 k: the issuer is no CA"
    yield "no-constraints", other_ca(_ca(between, 0, None)), "section 6.1.4 k: the issuer does not say that it is a CA"
    yield "no-cert-sign", other_ca(_ca(between, 1, key_usage(DIGITAL_SIGNATURE))), "section 6.1.4 n: the issuer's key is not for certificates"  # fmt: skip
    stranger = told(kind, ROOT)._replace(pub=kind.key_pair(STRANGER)[1], subject=subject_of("Other"), issuer=subject_of("Other"))  # fmt: skip
    other_root = written(kind, _with_ids(kind, stranger, STRANGER, STRANGER), kind.key_pair(STRANGER))
    yield "unknown-root", path._replace(root=other_root), "another trust anchor"
    namesake = _with_ids(kind, told(kind, ROOT)._replace(pub=kind.key_pair(STRANGER)[1]), STRANGER, STRANGER)
    yield "same-name-root", path._replace(root=written(kind, namesake, kind.key_pair(STRANGER))), "a trust anchor with the root's name and another key"  # fmt: skip
    yield "no-intermediate", path._replace(between=None), "the intermediate is missing"
    yield (
        "other-intermediate",
        path._replace(between=path.root),
        "the root in the intermediate's place, which did not sign the leaf",
    )
    unknown = extension(UNKNOWN, b"\5\0", True)
    yield "leaf-critical", other_leaf(leaf._replace(extensions=(*leaf.extensions, unknown))), "section 4.2: a critical extension that is not known"  # fmt: skip
    yield "ca-critical", other_ca(between._replace(extensions=(*between.extensions, unknown))), "section 4.2: a critical extension that is not known"  # fmt: skip
    other_name = subject_of("Another")
    yield "leaf-other-issuer", other_leaf(leaf._replace(issuer=other_name)), "section 6.1.3 a 4: the leaf names another issuer"  # fmt: skip
    yield "ca-other-issuer", other_ca(between._replace(issuer=other_name)), "the intermediate names another issuer"
    yield "too-long", _two_cas(kind, 0), "section 6.1.4 m: a CA below one that allows none"


def _with_ids(kind: Kind, one: CertificateFields, subject: int, issuer: int) -> CertificateFields:
    ids = (subject_key_id(kind.key_pair(subject)[1]), issuer_id(kind.key_pair(issuer)[1]))
    return one._replace(extensions=(*one.extensions[:-2], *ids))


def _two_cas(kind: Kind, first_limit: int | None) -> Path:
    """A chain of four; the upper CA limits the path to this many below it."""
    path, between = _timed(kind), told(kind, INTERMEDIATE)
    upper = _ca(between, 0, basic_constraints(True, first_limit))
    lower = _with_ids(kind, _ca(between, 0, basic_constraints(True))._replace(subject=subject_of("Second"), issuer=between.subject, serial=SERIAL + 9, pub=kind.key_pair(STRANGER)[1]), STRANGER, INTERMEDIATE)  # fmt: skip
    leaf = _with_ids(kind, told(kind, LEAF)._replace(issuer=lower.subject), LEAF, STRANGER)
    both = written(kind, lower, kind.key_pair(INTERMEDIATE)) + written(kind, upper, kind.key_pair(ROOT))
    return Path(written(kind, leaf, kind.key_pair(STRANGER)), both, path.root)


def _open(kind: Kind) -> Iterator[Tried]:
    path, leaf, between = _timed(kind), told(kind, LEAF), told(kind, INTERMEDIATE)
    yield "common-name", path._replace(leaf=_leaf(kind, leaf._replace(extensions=(*leaf.extensions[:2], *leaf.extensions[3:])))), "the host in the common name alone: RFC 6125 section 6.4.4 allowed it, RFC 9525 does not"  # fmt: skip
    yield "wildcard-part", path._replace(leaf=_leaf(kind, _hosts(leaf, "w*.cipherstone.example"))), "a wildcard for a part of a label: RFC 6125 section 6.4.3 allowed it, RFC 9525 does not"  # fmt: skip
    yield "not-critical", path._replace(between=_between(kind, _ca(between, 0, basic_constraints(True, 0, False)))), "a CA whose constraints are not critical: section 4.2.1.9 forbids to issue it, section 6.1 does not look"  # fmt: skip


def _flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes((data[at] ^ 1,)) + data[at + 1 :]


# issue


def _issue(kind: Kind) -> list[Entry]:
    """Names, hosts, serial numbers and times of all lengths; other keys."""
    usual = timed(kind)
    found = []
    for name, number, more in (
        ("timed", 0, {}),
        ("key-1", 1, {}),
        ("key-2", 2, {}),
        ("key-3", 3, {}),
        ("serial-1", 0, {"serial": b"\1"}),
        ("serial-8-bytes", 1, {"serial": bytes.fromhex("7fffffffffffffff")}),
        ("until-2049", 0, {"until": time_bytes(2524607999)}),
        ("until-2050", 0, {"until": time_bytes(2524608000)}),
        ("other-name", 2, {"name": b"a.example", "organization": b"A", "country": b"DE"}),
        (
            "long-name",
            3,
            {"name": b"n" * 60, "organization": b"An organization whose name has more than fifty letters"},
        ),
        ("other-host", 0, {"host": b"b.example"}),
        ("long-host", 1, {"host": b"a-rather-long-label-of-a-host." + b"another-long-label-of-the-same-host.example"}),
    ):
        key, pub = kind.key_pair(number)
        inputs = {one: usual[one] for one in ("serial", "name", "organization", "country", "host", "since", "until")}
        inputs |= {"key": key, "pub": pub} | more
        found.append(make_entry(f"issue-{name}", "issue", {one: value.hex() for one, value in inputs.items()}, "tools/vector_x509.py: inputs of the timed kind"))  # fmt: skip
    for entry in spread(found, 5):
        entry["brief"] = True
    return found


X509: dict[str, Callable[[Sources], list[Entry]]] = {
    "x509-p256": certificates_of(p256(), False),
    "x509-rsa-2048": certificates_of(rsa_2048(), True),
}
