# SPDX-License-Identifier: Apache-2.0
"""Which known answers of key generation and key encapsulation are kept.

A key pair that is drawn has no known answer: its vectors have no output, and the judge makes the round trip. Wycheproof's decapsulation tests are named by a seed; here they have the key that
it gives. Which of them must be rejected implicitly is looked up with the judge's own ML-KEM, and their published secret is kept as what must come out.
"""

from __future__ import annotations

from collections.abc import Callable

from vector_sources import Entry, Sources, cover, make_entry, spread, told

from cipherstone.operations import mlkem
from cipherstone.operations.schemes import schemes
from cipherstone.operations.splitmix import splitmix64

DRAWN = "no known answer: round trip with the independent library"
KEPT = 5
PEERS = 12
SEED_STREAM_BYTES = 512  # more than two candidates of any curve take


def drawn(verb: str = "keygen", inputs: dict[str, str] | None = None) -> Entry:
    """An answer that only the round trip can judge."""
    return make_entry(f"{verb}-drawn", verb, inputs or {}, DRAWN, note="drawn anew in every call", brief=True)


def curve(sources: Sources) -> list[Entry]:
    """A drawn pair, and two streams of random bytes for generators that the caller supplies: what comes of them is the library's, but it is the same twice."""
    return [drawn()] + [
        make_entry(
            f"keygen-stream-{number}",
            "keygen",
            {"seed": splitmix64(number, SEED_STREAM_BYTES).hex()},
            DRAWN,
            note="from a generator that the caller supplies",
            brief=number == 1,
        )
        for number in (1, 2)
    ]


def agreement(algorithm: str, derived: list[Entry]) -> list[Entry]:
    """Agreements with a key that is drawn: peers whose private keys the judge knows, and the public values of `derived`, answers of derivation, that must or may be refused. None without `algorithm`."""
    if not algorithm:
        return []
    note = "a pair of the ring; drawn anew in every call"
    pairs = [schemes()[algorithm].key_pair(number)[1].hex() for number in range(PEERS)]
    found = [make_entry(f"agree-{n}", "agree", {"pub": pub}, DRAWN, note=note) for n, pub in enumerate(pairs)]
    seen = set()
    for entry in derived:
        pub = entry["inputs"]["pub"]
        if "expect" in entry and pub not in seen:
            seen.add(pub)
            told = {name: entry[name] for name in ("expect", "note", "flags") if name in entry}
            found.append(make_entry(f"agree-of-{entry['id']}", "agree", {"pub": pub}, entry["source"], **told))
    return found


def ed25519(sources: Sources) -> list[Entry]:
    """The seed is the private key (RFC 8032 section 5.1.5)."""
    lines, entries = sources.text("asymmetric/Ed25519/sign.input").split(), [drawn()]
    for index in (0, 1, 2, 31, 127, 255, 511, 767, 1000, 1023):
        key, pub = lines[index].split(":")[:2]
        source = "ed25519 sign.input (RFC 8032 section 7.1 has its first three)"
        entries.append(make_entry(f"keygen-{index + 1}", "keygen", {"seed": key[:64]}, source, key[:64] + pub))
    return entries


def ml_kem(algorithm: str) -> Callable[[Sources], list[Entry]]:
    def select(sources: Sources) -> list[Entry]:
        of, name = mlkem.SETS[algorithm], algorithm.replace("ml-kem-", "mlkem_")
        entries = [drawn(), drawn("encaps", {"pub": schemes()[algorithm].key_pair(0)[1].hex()})]
        source, pairs = sources.wycheproof(f"{name}_keygen_seed")
        for _, test in spread(pairs, KEPT):
            entries.append(
                make_entry(f"keygen-{test['tcId']}", "keygen", {"seed": test["seed"]}, source, test["dk"] + test["ek"])
            )
        return entries + _encaps(sources, f"{name}_encaps") + _decaps(sources, of, name)

    return select


def _flags(pair: tuple[Entry, Entry]) -> object:
    return tuple(pair[1].get("flags", ()))


def _told(test: Entry) -> Entry:
    return told({"comment": "", "flags": []} | test)


def _encaps(sources: Sources, name: str) -> list[Entry]:
    source, pairs = sources.wycheproof(name)
    good = [test for _, test in pairs if test["result"] == "valid"]
    long = {len(test["ek"]) for test in good}.pop()
    overflow = [test for _, test in pairs if test["result"] == "invalid" and len(test["ek"]) == long]
    lengths = [test for _, test in pairs if test["result"] == "invalid" and len(test["ek"]) != long]
    entries = []
    for test in spread(good, KEPT):
        inputs = {"pub": test["ek"], "seed": test["m"]}
        entries.append(
            make_entry(f"encaps-{test['tcId']}", "encaps", inputs, source, test["c"] + test["K"], **_told(test))
        )
    # Without their seed, so that libraries that take none are asked too.
    flagged = [test for test in overflow if test["flags"]]
    for test in spread(flagged, 3) + spread([test for test in overflow if not test["flags"]], 2):
        entries.append(
            make_entry(f"encaps-{test['tcId']}", "encaps", {"pub": test["ek"]}, source, expect="bad-key", **_told(test))
        )
    for test in spread(lengths, 2):
        entries.append(
            make_entry(
                f"encaps-{test['tcId']}", "encaps", {"pub": test["ek"]}, source, expect="rejected", **_told(test)
            )
        )
    return entries


def _decaps(sources: Sources, of: mlkem.ParameterSet, name: str) -> list[Entry]:
    source, pairs = sources.wycheproof(name)
    tests = [
        test | {"dk": mlkem.keygen(of, bytes.fromhex(test["seed"]))[0].hex()}
        for _, test in pairs
        if len(test["seed"]) == 4 * mlkem.SEED_BYTES
    ]
    source_dk, pairs_dk = sources.wycheproof(f"{name}_semi_expanded_decaps")
    kinds: dict[str, list[tuple[str, str, Entry]]] = {}
    for prefix, where, found in (
        ("decaps", source, tests),
        ("decaps-dk", source_dk, [test for _, test in pairs_dk]),
    ):
        for test in found:
            kinds.setdefault(_kind(of, test), []).append((prefix, where, test))
    entries = []
    for kind, count in (("ok", KEPT), ("implicit", KEPT), ("bad-key", 2), ("rejected", 4)):
        for prefix, where, test in cover(kinds[kind], lambda one: tuple(one[2].get("flags", ())), count):
            inputs, output = {"key": test["dk"], "msg": test["c"]}, test["K"] if kind in ("ok", "implicit") else None
            expect = "" if kind == "ok" else kind
            entries.append(
                make_entry(f"{prefix}-{test['tcId']}", "decaps", inputs, where, output, expect=expect, **_told(test))
            )
    return entries


def _kind(of: mlkem.ParameterSet, test: Entry) -> str:
    """How decapsulation of a test ends, by the source's word; the judge's own ML-KEM tells only which rejection is implicit."""
    dk, c = bytes.fromhex(test["dk"]), bytes.fromhex(test["c"])
    if test["result"] == "invalid":
        return "bad-key" if len(dk) == of.private_bytes and len(c) == of.ciphertext_bytes else "rejected"
    return "implicit" if mlkem.is_rejected(of, dk, c) else "ok"
