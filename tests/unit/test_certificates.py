# SPDX-License-Identifier: Apache-2.0
"""Certificates: our writer and reader against a second one, the judge of issued ones, paths refused for the reason that they were made for, and vectors that are made the same again."""

from __future__ import annotations

import datetime
from collections.abc import Callable

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.vectors import load_vectors
from cipherstone.model.errors import NotAuthentic
from cipherstone.operations import key_import
from cipherstone.operations.certificate import Kind, is_host, path_problem, read, written
from cipherstone.operations.certificates import (
    _NAME_INPUTS,
    HOST,
    LEAF,
    NOW,
    certificates,
    chain,
    issued,
    p256,
    rsa_2048,
    time_bytes,
    timed,
    told,
)
from cipherstone.operations.oracle import expected_output

KINDS = {"x509-p256": p256, "x509-rsa-2048": rsa_2048}
ALGORITHMS = pytest.mark.parametrize("algorithm", KINDS)
# What the oracle says of a path -> what stands in the note of a vector that is refused for it.
REASONS = {
    "not from the subject": ("issuer", "anchor", "missing", "did not sign"),
    "signature": ("bit of", "signed with", "another key"),
    "at this time": ("second", "expired", "not valid yet"),
    "critical extension": ("critical extension",),
    "no CA": ("6.1.4 k",),
    "too long": ("6.1.4 m",),
    "must not sign": ("6.1.4 n",),
    "another host": ("host", "label", "wildcard", "name without"),
}


@ALGORITHMS
def test_a_second_reader_finds_what_was_written(algorithm: str) -> None:
    for der in chain(KINDS[algorithm]()):
        theirs, ours = x509.load_der_x509_certificate(der), read(der)
        assert theirs.serial_number == ours.serial and theirs.version is x509.Version.v3
        assert theirs.not_valid_before_utc == datetime.datetime.fromtimestamp(ours.since, datetime.UTC)
        assert theirs.not_valid_after_utc == datetime.datetime.fromtimestamp(ours.until, datetime.UTC)
        assert theirs.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo) == ours.spki
        constraints = theirs.extensions.get_extension_for_class(x509.BasicConstraints).value
        assert (constraints.ca, constraints.path_length) == (ours.is_ca, ours.path_length)
        assert theirs.signature == ours.signature and theirs.tbs_certificate_bytes == ours.tbs


@ALGORITHMS
def test_the_chain_is_one_to_a_second_verifier(algorithm: str) -> None:
    leaf, intermediate, root = map(x509.load_der_x509_certificate, chain(KINDS[algorithm]()))
    leaf.verify_directly_issued_by(intermediate)
    intermediate.verify_directly_issued_by(root)
    root.verify_directly_issued_by(root)
    names = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert HOST in names.get_values_for_type(x509.DNSName)


@ALGORITHMS
def test_each_path_is_refused_for_its_own_reason(algorithm: str) -> None:
    seen = set()
    for vector in load_vectors(data_root(), algorithm).of("verify-chain"):
        if vector.expect != "rejected" or not vector.note:
            continue
        with pytest.raises(NotAuthentic) as caught:
            expected_output(f"{algorithm}/verify-chain", vector.inputs)
        reason = next(key for key in REASONS if key in str(caught.value))
        assert any(word in vector.note for word in REASONS[reason]), (vector.id, vector.note, str(caught.value))
        seen.add(reason)
    assert seen == set(REASONS)


@ALGORITHMS
def test_vectors_that_are_made_are_made_the_same_again(algorithm: str) -> None:
    kind = KINDS[algorithm]()
    made = next(v for v in load_vectors(data_root(), algorithm).vectors if v.id == "chain-timed")
    leaf, intermediate, root = chain(kind)
    assert (made.inputs["leaf"], made.inputs["intermediates"], made.inputs["root"]) == (leaf, intermediate, root)
    assert path_problem(kind, [read(leaf), read(intermediate)], read(root), NOW, HOST) == ""


def _other(inputs: dict[str, bytes], kind: Kind) -> list[tuple[str, dict[str, bytes]]]:
    key, pub = kind.key_pair(1)
    changes = {
        "serial number": {"serial": b"\2"},
        "subject": {"organization": b"another"},
        "validity": {"until": time_bytes(NOW)},
        "host": {"host": b"b.example"},
        "key": {"key": key, "pub": pub},
    }
    return [(word, {**inputs, **change}) for word, change in changes.items()]


@ALGORITHMS
def test_the_judge_of_issued_certificates(algorithm: str) -> None:
    kind = KINDS[algorithm]()
    judge: Callable[..., str] = certificates(kind).judge["issue"]
    key, pub = kind.key_pair(0)
    inputs = {**timed(kind), "key": key, "pub": pub}
    good = issued(kind, inputs)
    assert judge(inputs, good, None) == ""
    for word, other in _other(inputs, kind):
        assert word in judge(inputs, issued(kind, other), None)
    assert "signature" in judge(inputs, issued(kind, {**inputs, "key": kind.key_pair(1)[0]}), None)
    assert "extensions" in judge(
        {**inputs, "serial": read(inputs["leaf"]).serial.to_bytes(16, "big")}, _self_signed(kind), None
    )
    for broken in (good[:-1], good[1:], b"", good + b"\0"):
        assert "no certificate" in judge(inputs, broken, None)


@ALGORITHMS
def test_a_name_that_says_something_twice_is_another_subject(algorithm: str) -> None:
    kind = KINDS[algorithm]()
    key, pub = kind.key_pair(0)
    inputs = {**timed(kind), "key": key, "pub": pub}
    good = read(issued(kind, inputs))
    names = tuple((oid, inputs[name].decode()) for oid, name in _NAME_INPUTS)
    twice = told(kind, LEAF)._replace(
        subject=(*names, names[0]), issuer=names, serial=good.serial, since=good.since, until=good.until, pub=pub
    )
    judge: Callable[..., str] = certificates(kind).judge["issue"]
    assert judge(inputs, written(kind, twice, (key, pub)), None) == "another subject"


@ALGORITHMS
def test_a_signature_counts_only_under_the_algorithm_of_its_kind(algorithm: str) -> None:
    """Valid, and said to be by another: RFC 5280 section 6.1.3 a."""
    kind = KINDS[algorithm]()
    leaf, intermediate, root = map(read, chain(kind))
    another = kind._replace(algorithm=key_import.algorithm_identifier(bytes.fromhex("2a8648ce3d040304")))
    other = read(written(another, told(kind, LEAF), kind.key_pair(LEAF + 1)))
    assert kind.is_signed(kind.public(intermediate.spki), other.tbs, other.signature)
    assert path_problem(kind, [leaf, intermediate], root, NOW, HOST) == ""
    assert path_problem(kind, [other, intermediate], root, NOW, HOST) == "the signature of certificate 0 is not valid"


def _self_signed(kind: Kind) -> bytes:
    """The timed leaf as its own issuer: with two extensions more than are asked for."""
    leaf = told(kind, LEAF)
    return written(kind, leaf._replace(issuer=leaf.subject), kind.key_pair(0))


@pytest.mark.parametrize(
    ("pattern", "host", "is_so"),
    [
        ("a.example", "A.Example", True),
        ("*.example.com", "a.example.com", True),
        ("*.example.com", "a.b.example.com", False),
        ("*.example.com", "example.com", False),
        ("*.com", "*.com", True),
        ("a*.example.com", "ab.example.com", False),
        ("a.*.com", "a.b.com", False),
    ],
)
def test_hosts(pattern: str, host: str, is_so: bool) -> None:
    assert is_host(pattern, host) == is_so
