# SPDX-License-Identifier: Apache-2.0
"""Known answers of handshakes: what both sides must agree on, and certificates that a client must not accept. Made out of the timed chains, one thing changed at a time; the standards say what is right (RFC 8446, RFC 5246, RFC 5280 section 6.1, RFC 9525)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from vector_sources import Entry, Sources, make_entry

from cipherstone.operations.certificate import (
    KEY_CERT_SIGN,
    Kind,
    basic_constraints,
    dns_names,
    key_usage,
    written,
)
from cipherstone.operations.certificates import HOST, INTERMEDIATE, LEAF, ROOT, SINCE, UNTIL, time_bytes, told
from cipherstone.operations.handshakes import GROUPS, VERSIONS, agreed, certified, timed

MADE = "tools/vector_tls.py: made out of the timed chain"
CERTS, MODES = ("p-256", "rsa-2048", "ed25519"), ("full", "ticket")
STRANGER = 3  # number of a key pair that no certificate of the chain has
DAY = 86400
BRIEF_ACCEPTED = (
    ("1.3", "x25519", "p-256", "full"),
    ("1.2", "x25519", "p-256", "full"),
    ("1.3", "x25519", "rsa-2048", "full"),
    ("1.2", "p-256", "rsa-2048", "full"),
)
BRIEF_REFUSED = ("expired", "another-host", "another-root")


def _forged(kind: Kind) -> Iterator[tuple[str, dict[str, bytes], str]]:
    """Name, what is another input than the timed one, and why a client must refuse."""
    leaf, intermediate = kind.key_pair(LEAF), kind.key_pair(INTERMEDIATE)
    stranger = kind.key_pair(STRANGER)
    plain = told(kind, LEAF)
    good = written(kind, plain, intermediate)
    yield "expired", {"time": time_bytes(UNTIL + DAY)}, "a day after the last"
    yield "not-yet-valid", {"time": time_bytes(SINCE - DAY)}, "a day before the first"
    yield "another-host", {"host": b"www.another.example"}, "the name of another host"
    yield "host-above", {"host": f"sub.{HOST}".encode()}, "a name below the host's"
    other = told(kind, ROOT)._replace(pub=stranger[1])
    yield "another-root", {"root": written(kind, other, stranger)}, "a trust anchor of the same name with another key"
    yield "no-intermediate", {"intermediates": b""}, "no path to the trust anchor"
    yield "leaf-by-stranger", {"leaf": written(kind, plain, stranger)}, "the leaf is signed by another key"
    changed = bytearray(good)
    changed[-1] ^= 1
    yield "leaf-signature", {"leaf": bytes(changed)}, "the last bit of the leaf's signature is another one"
    late = plain._replace(until=SINCE + DAY)
    yield "leaf-expired", {"leaf": written(kind, late, intermediate)}, "the leaf was valid for a day"
    issuer = told(kind, INTERMEDIATE)
    old = issuer._replace(until=SINCE + DAY)
    yield "issuer-expired", {"intermediates": written(kind, old, kind.key_pair(ROOT))}, "its issuer was valid for a day"
    no_ca = issuer._replace(extensions=(basic_constraints(False), key_usage(KEY_CERT_SIGN), *issuer.extensions[2:]))
    yield "issuer-is-no-ca", {"intermediates": written(kind, no_ca, kind.key_pair(ROOT))}, "its issuer is no CA"
    names = (*plain.extensions[:2], dns_names("www.another.example"), *plain.extensions[3:])
    yield "leaf-for-another", {"leaf": written(kind, plain._replace(extensions=names), intermediate)}, "another name"
    assert leaf != stranger


def _hex(inputs: dict[str, bytes]) -> dict[str, str]:
    return {name: data.hex() for name, data in inputs.items()}


def _accepted(verb: str) -> Iterator[Entry]:
    for combination in product(VERSIONS, GROUPS, CERTS, MODES):
        version, group, cert, mode = combination
        params = {"version": version, "group": group, "cert": cert, "mode": mode}
        inputs = timed(cert)
        name = f"{verb.removeprefix('handshake-')}-{'-'.join(combination)}"
        entry = make_entry(name, verb, _hex(inputs), MADE, output=agreed(inputs, params).hex())
        entry["params"] = params
        if combination in BRIEF_ACCEPTED:
            entry["brief"] = True
        yield entry


def _refused(verb: str) -> Iterator[Entry]:
    for cert, version in (("p-256", "1.2"), ("p-256", "1.3"), ("rsa-2048", "1.2"), ("ed25519", "1.3")):
        for name, other, why in _forged(certified(cert).kind):
            inputs = {one: data for one, data in (timed(cert) | other).items() if data}
            entry = make_entry(f"{name}-{cert}-{version}", verb, _hex(inputs), MADE, expect="rejected", note=why)
            entry["params"] = {"version": version, "group": "p-256", "cert": cert, "mode": "full"}
            if name in BRIEF_REFUSED and (cert, version) == ("p-256", "1.2"):
                entry["brief"] = True
            yield entry


def handshakes(sources: Sources) -> list[Entry]:
    """All of them; a client is tried with what it must refuse, in both versions and with every kind of key."""
    return [*_accepted("handshake-client"), *_refused("handshake-client"), *_accepted("handshake-server")]


TLS = {"tls": handshakes}
