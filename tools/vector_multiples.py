# SPDX-License-Identifier: Apache-2.0
"""Which known answers of multiples of a generator are kept: published key pairs, whose public key is the answer."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from vector_sources import Entry, Sources, make_entry, spread

KEPT = 16
PAIRS = "asymmetric/ECDSA/FIPS_186-3/KeyPair.rsp"
HPKE = "HPKE/test-vectors.json"
HPKE_KEM = {"x25519": 32, "p-256": 16, "p-521": 18}  # RFC 9180 section 7.1
SECP256K1 = "asymmetric/ECDSA/SECP256K1/SigGen.txt"


def multiples(algorithm: str, curve: str = "", size: int = 32) -> Callable[[Sources], list[Entry]]:
    """`curve`: NIST's name, "" for those that NIST has not; `size`: bytes of a scalar."""

    def select(sources: Sources) -> list[Entry]:
        found = _nist(sources, curve, size) if curve else []
        found += _hpke(sources, algorithm) if algorithm in HPKE_KEM else []
        found += _secp256k1(sources) if algorithm == "secp256k1" else []
        found += _rfc7748(sources) if algorithm == "x25519" else []
        return found

    return select


def _entry(name: str, key: str, pub: str, source: str) -> Entry:
    return make_entry(f"multiply-base-{name}", "multiply-base", {"key": key}, source, pub)


def _nist(sources: Sources, curve: str, size: int) -> list[Entry]:
    section = re.search(rf"\[{curve}\]\s*\[B\.4\.2.*?\](.*?)(\n\[|\Z)", sources.text(PAIRS), re.DOTALL)
    if section is None:
        raise SystemExit(f"{PAIRS}: no {curve}")
    entries = []
    for number, triple in enumerate(re.findall(r"d = (\w+)\s+Qx = (\w+)\s+Qy = (\w+)", section[1]), 1):
        key, x, y = (text[-2 * size :].zfill(2 * size) for text in triple)
        entries.append(_entry(f"cavp-{number}", key, "04" + x + y, "NIST CAVP KeyPair.rsp"))
    return entries


def _hpke(sources: Sources, algorithm: str) -> list[Entry]:
    tests = [test for test in json.loads(sources.text(HPKE)) if test["kem_id"] == HPKE_KEM[algorithm]]
    pairs = dict.fromkeys((test[f"sk{side}m"], test[f"pk{side}m"]) for test in tests for side in "ER" if f"sk{side}m" in test)  # fmt: skip
    return [
        _entry(f"hpke-{number}", key, pub, "RFC 9180 (test-vectors.json), a key pair")
        for number, (key, pub) in enumerate(spread(list(pairs), KEPT), 1)
    ]


def _secp256k1(sources: Sources) -> list[Entry]:
    records = [r for r in sources.records(SECP256K1) if r["section"] == "K-256,SHA-256"]
    pairs = dict.fromkeys(tuple(r[name].zfill(64) for name in ("D", "QX", "QY")) for r in records)
    return [
        _entry(f"cryptography-{number}", key, "04" + x + y, "cryptography's SECP256K1/SigGen.txt, a key pair")
        for number, (key, x, y) in enumerate(spread(list(pairs), KEPT), 1)
    ]


def _rfc7748(sources: Sources) -> list[Entry]:
    """The first iteration of section 5.2, whose point is the generator."""
    record = sources.records("asymmetric/X25519/rfc7748.txt")[2]
    return [_entry("rfc7748-3", record["INPUT_SCALAR"], record["OUTPUT_U"], "RFC 7748 section 5.2 (rfc7748.txt)")]
