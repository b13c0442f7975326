# SPDX-License-Identifier: Apache-2.0
"""Which published vectors of brainpoolP256r1 are kept: of Wycheproof, and the example of RFC 7027."""

from __future__ import annotations

from collections.abc import Callable

import vector_keys
from vector_sources import Entry, Sources, cover, flags, make_entry, spread, told

KEPT = 24  # of each encoding, valid and not: plain Python verifies them, some 50 ms each
SIGNED = 12
# Before an uncompressed point (RFC 5480: id-ecPublicKey, brainpoolP256r1), which is all that the catalogue has.
_HEAD = "305a301406072a8648ce3d020106092b2403030208010107034200"
_POINT = 130  # hexadecimal digits
_SCALAR = 64


def keys(off_curve: Callable[[list[Entry], str], list[Entry]]) -> Callable[[Sources], list[Entry]]:
    """`off_curve`: what makes points that are none of valid entries."""

    def select(sources: Sources) -> list[Entry]:
        entries = []
        for record in _example(sources):
            for mine, theirs in (("A", "B"), ("B", "A")):
                pub = "04" + record[f"X_Q{theirs}"] + record[f"Y_Q{theirs}"]
                inputs = {"key": record[f"D{mine}"], "pub": pub}
                source = "RFC 7027 appendix A.1 (brainpool.txt)"
                entries.append(make_entry(f"derive-rfc7027-{mine.lower()}", "derive", inputs, source, record["X_Z"]))
        source, pairs = sources.wycheproof("ecdh_brainpoolP256r1")
        points = [p for p in pairs if p[1]["public"].startswith(_HEAD) and len(p[1]["public"]) == len(_HEAD) + _POINT]
        for expect, result in (("", "valid"), ("bad-key", "invalid")):
            for _, test in cover([p for p in points if p[1]["result"] == result], flags, KEPT):
                key = test["private"][-_SCALAR:].zfill(_SCALAR)
                inputs = {"key": key, "pub": test["public"][len(_HEAD) :]}
                shared = None if expect else test["shared"]
                name = f"derive-{test['tcId']}"
                entries.append(make_entry(name, "derive", inputs, source, shared, expect=expect, **told(test)))
        return entries + off_curve(entries, source) + vector_keys.curve(sources)

    return select


def signatures(foreign: Callable[[list[Entry], str], list[Entry]]) -> Callable[[Sources], list[Entry]]:
    """`foreign`: what makes signatures over other messages and by other keys of valid ones."""

    def select(sources: Sources) -> list[Entry]:
        name = "ecdsa_brainpoolP256r1_sha256"
        entries = list(_signed(sources, name))
        for form, suffix in (("der", ""), ("p1363", "_p1363")):
            source, pairs = sources.wycheproof(name + suffix)
            verify = []
            for expect, result in (("", "valid"), ("rejected", "invalid")):
                for group, test in cover([p for p in pairs if p[1]["result"] == result], flags, KEPT):
                    inputs = {"pub": group["publicKey"]["uncompressed"], "msg": test["msg"], "sig": test["sig"]}
                    said = {"form": form, "expect": expect, **told(test)}
                    verify.append(make_entry(f"verify-{form}-{test['tcId']}", "verify", inputs, source, **said))
            entries += verify + foreign(verify, source)
        return entries

    return select


def _example(sources: Sources) -> list[dict[str, str]]:
    records = sources.records("asymmetric/ECDH/brainpool.txt")
    return [record for record in records if record["CURVE"] == "brainpoolP256r1"]


def _signed(sources: Sources, name: str) -> list[Entry]:
    """Keys and messages alone: a library may sign with or without randomness, and the oracle verifies what comes out."""
    (record,) = _example(sources)
    _, pairs = sources.wycheproof(name)
    messages = [test["msg"] for _, test in spread(pairs, SIGNED)]
    entries = []
    for number, message in enumerate(messages):
        mine = "AB"[number % 2]
        inputs = {"key": record[f"D{mine}"], "pub": "04" + record[f"X_Q{mine}"] + record[f"Y_Q{mine}"], "msg": message}
        source = f"key of RFC 7027 appendix A.1 (brainpool.txt), message of Wycheproof {name}_test.json"
        entries.append(make_entry(f"sign-{number + 1}", "sign", inputs, source))
    return entries
