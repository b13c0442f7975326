# SPDX-License-Identifier: Apache-2.0
"""Which known answers of DSA with 2048 and 256 bits and SHA-256 are kept: NIST's (CAVP) and Wycheproof's. Each key has the domain parameters that its source has; the adapters' own are compared with the file of RFC 5114's numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import vector_keys
from Crypto.Util.asn1 import DerSequence
from vector_sources import NEGATIVES, POSITIVES, Entry, Sources, cover, flags, make_entry, told

from cipherstone.operations.dsa import P_BYTES, Q_BYTES, RFC5114, Domain, written

FOLDER = "asymmetric/DSA/FIPS_186-3"
SIZES = "mod = L=2048, N=256, SHA-256"
SIGN_SOURCE, VERIFY_SOURCE = "NIST CAVP SigGen.txt, key and message", "NIST CAVP SigVer.rsp"
FOREIGN = Callable[[list[Entry], str], list[Entry]]


def dsa(foreign: FOREIGN) -> Callable[[Sources], list[Entry]]:
    """`foreign`: makes negatives of valid signatures."""

    def select(sources: Sources) -> list[Entry]:
        _compare_group(sources)
        entries = list(_sign(sources))
        for form, suffix in (("der", ""), ("p1363", "_p1363")):
            entries += _wycheproof(sources, form, f"dsa_2048_256_sha256{suffix}")
            nist = list(_nist(sources, form))
            entries += nist + foreign(nist, VERIFY_SOURCE)
        return [*entries, *vector_keys.curve(sources), vector_keys.drawn("paramgen")]

    return select


def _compare_group(sources: Sources) -> None:
    """The numbers that timed keys are in must be those of the file."""
    found = [
        Domain(*(int(record[name], 16) for name in "PQG"))
        for record in sources.records("asymmetric/DH/RFC5114.txt")
        if "256-bit" in record["section"] and "P" in record
    ]
    if found != [RFC5114]:
        raise SystemExit("dsa-2048-sha256: the domain parameters are not those of RFC5114.txt")


def _records(sources: Sources, name: str) -> Iterator[tuple[str, dict[str, str]]]:
    """(domain parameters, record) of the sizes that are measured."""
    domain = ""
    for record in sources.records(f"{FOLDER}/{name}"):
        if record["section"] != SIZES:
            continue
        if "P" in record:
            domain = written(Domain(*(int(record[part], 16) for part in "PQG"))).hex()
        else:
            yield domain, record


def _number(record: dict[str, str], name: str, size: int) -> str:
    return record[name].zfill(2 * size)


def _sign(sources: Sources) -> Iterator[Entry]:
    for index, (domain, record) in enumerate(_records(sources, "SigGen.txt"), 1):
        inputs = {"key": domain + _number(record, "X", Q_BYTES), "pub": domain + _number(record, "Y", P_BYTES)}
        yield make_entry(f"sign-cavp-{index}", "sign", inputs | {"msg": record["MSG"]}, SIGN_SOURCE)


def _nist(sources: Sources, form: str) -> Iterator[Entry]:
    """Signatures are published as two numbers: here as bytes, and as DER."""
    for index, (domain, record) in enumerate(_records(sources, "SigVer.rsp"), 1):
        pair = [_number(record, name, Q_BYTES) for name in "RS"]
        sig = "".join(pair) if form == "p1363" else DerSequence([int(number, 16) for number in pair]).encode().hex()
        inputs = {"pub": domain + _number(record, "Y", P_BYTES), "msg": record["MSG"], "sig": sig}
        result, _, note = record["RESULT"].partition(" ")
        yield make_entry(
            f"verify-cavp-{form}-{index}",
            "verify",
            inputs,
            VERIFY_SOURCE,
            form=form,
            expect="" if result == "P" else "rejected",
            note=note.strip("() "),
        )


def _wycheproof(sources: Sources, form: str, name: str) -> list[Entry]:
    """What it calls acceptable (r without its leading zero, which DER reads as negative) is no DER: X.690 section 8.3.3. It calls the same invalid for ECDSA."""
    source, pairs = sources.wycheproof(name)
    entries = []
    for expect, count in (("", POSITIVES), ("rejected", NEGATIVES)):
        chosen = [pair for pair in pairs if (pair[1]["result"] == "valid") == (expect == "")]
        for group, test in cover(chosen, flags, count):
            key = group["publicKey"]
            domain = Domain(*(int(key[part], 16) for part in "pqg"))
            pub = written(domain) + int(key["y"], 16).to_bytes(P_BYTES, "big")
            inputs = {"pub": pub.hex(), "msg": test["msg"], "sig": test["sig"]}
            entries.append(
                make_entry(
                    f"verify-{form}-{test['tcId']}", "verify", inputs, source, form=form, expect=expect, **told(test)
                )
            )
    return entries
