# SPDX-License-Identifier: Apache-2.0
"""Which known answers of signatures after quantum computers are kept.

Signatures and keys have thousands of bytes, so that few are kept, over all flags of the source. Those with a context, or of a message representative alone, are no inputs of our operations.
"""

from __future__ import annotations

from collections.abc import Callable

from vector_keys import DRAWN, KEPT, drawn, ml_kem
from vector_sources import Entry, Sources, cover, flags, make_entry, spread, told

from cipherstone.operations import slhdsa
from cipherstone.operations.oracle import expected_output
from cipherstone.operations.scheme import key_stream
from cipherstone.operations.schemes import schemes
from cipherstone.operations.slhdsa_scheme import TIMED
from cipherstone.operations.splitmix import splitmix64

SIGNED, VERIFIED, REJECTED, PAIRS = 12, 12, 24, 10
POSITIVES = 9  # of SLH-DSA, beside the timed one
TIMED_MESSAGE = 4  # the seed of timed messages
SIGN_FLAGS = ("Internal", "Randomized")  # of a message representative; with a given random number


def ml_dsa(algorithm: str) -> Callable[[Sources], list[Entry]]:
    """Of Wycheproof: seeds with their public keys, deterministic signatures, and what verification takes and rejects."""

    def select(sources: Sources) -> list[Entry]:
        name = algorithm.replace("ml-dsa-", "mldsa_")
        return [drawn(), *_pairs(sources, f"{name}_sign_seed"), *_sign(sources, f"{name}_sign_seed"), *_verify(sources, f"{name}_verify")]  # fmt: skip

    return select


def _pairs(sources: Sources, name: str) -> list[Entry]:
    source, pairs = sources.wycheproof(name)
    public = {
        group["privateSeed"]: group["publicKey"]
        for group, _ in pairs
        if len(group["privateSeed"]) == 64 and group["publicKey"]
    }
    return [
        make_entry(
            f"keygen-{number}",
            "keygen",
            {"seed": seed},
            source,
            seed + public[seed],
            note="the key pair of a group of tests",
        )
        for number, seed in enumerate(spread(list(public), PAIRS), 1)
    ]


def _sign(sources: Sources, name: str) -> list[Entry]:
    source, pairs = sources.wycheproof(name)
    fitting = [
        (group, test)
        for group, test in pairs
        if test["result"] == "valid" and "msg" in test and "ctx" not in test and not {*SIGN_FLAGS} & {*test["flags"]}
    ]
    entries = []
    for group, test in cover(fitting, flags, SIGNED):
        inputs = {"key": group["privateSeed"], "pub": group["publicKey"], "msg": test["msg"]}
        entries.append(make_entry(f"sign-{test['tcId']}", "sign", inputs, source, test["sig"], **told(test)))
    return entries


def _verify(sources: Sources, name: str) -> list[Entry]:
    source, pairs = sources.wycheproof(name)
    fitting = [pair for pair in pairs if "ctx" not in pair[1]]
    entries = []
    for result, expect, count in (("valid", "", VERIFIED), ("invalid", "rejected", REJECTED)):
        for group, test in cover([pair for pair in fitting if pair[1]["result"] == result], flags, count):
            inputs = {"pub": group["publicKey"], "msg": test["msg"], "sig": test["sig"]}
            entries.append(make_entry(f"verify-{test['tcId']}", "verify", inputs, source, expect=expect, **told(test)))
    return entries


def hybrid(sources: Sources) -> list[Entry]:
    """Nobody publishes answers of X25519MLKEM768, which is two exchanges side by side: published answers of both, put together as the draft's section 4 says."""
    name, curves = sources.wycheproof("x25519")
    tests = [test for _, test in curves if test["result"] == "valid" and test["flags"] == ["EdgeCaseMultiplication"]]
    entries = []
    for number, entry in enumerate(ml_kem("ml-kem-768")(sources)):
        entries.append(
            _joined(
                entry, tests[number % len(tests)], f"derived from {entry['source']} and {name.split()[1]}: put together"
            )
        )
    return entries


def _joined(entry: Entry, test: Entry, source: str) -> Entry:
    """An answer of ML-KEM with one of X25519 behind each of its parts. `private` of the test is the side that is drawn, or that has the private key."""
    inputs, output, sizes = dict(entry["inputs"]), entry.get("output"), (2 * 2400, 2 * 1088)
    public = expected_output(
        "x25519/derive", {"key": bytes.fromhex(test["private"]), "pub": (9).to_bytes(32, "little")}
    )
    assert public is not None
    behind = {"keygen": {"seed": "private"}, "encaps": {"pub": "public", "seed": "private"}, "decaps": {"key": "private", "msg": "public"}}  # fmt: skip
    for part, value in behind[entry["verb"]].items():
        if part in inputs:
            inputs[part] += test[value]
    if "seed" not in inputs and entry["verb"] == "encaps" and entry["source"] == DRAWN:
        inputs["pub"] = schemes()["x25519mlkem768"].key_pair(0)[1].hex()
    if output is not None:
        first = {"keygen": sizes[0], "encaps": sizes[1], "decaps": 0}[entry["verb"]]
        between = {"keygen": test["private"], "encaps": public.hex(), "decaps": ""}[entry["verb"]]
        last = public.hex() if entry["verb"] == "keygen" else test["shared"]
        output = output[:first] + between + output[first:] + last
    more = {name: entry[name] for name in ("expect", "note") if name in entry}
    return make_entry(entry["id"], entry["verb"], inputs, DRAWN if entry["source"] == DRAWN else source, output, **more)


def slh_dsa(algorithm: str) -> Callable[[Sources], list[Entry]]:
    """NIST's ACVP answers: key pairs; keys and messages to sign; signatures with an empty context, of which there are two. The other positives are signed by the judge's own code, deterministically,
    which takes some seconds each with `s`: it runs after it gave every published answer of the parameter set, with contexts too. What must be rejected is one positive, changed."""
    of = slhdsa.SETS[algorithm]

    def select(sources: Sources) -> list[Entry]:
        made, signed, verified = (_acvp(sources, algorithm, name) for name in ("keyGen", "sigGen", "verify"))
        _prove_slh_dsa(of, signed, verified, fast=algorithm.endswith("f"))
        entries = [drawn()]
        for test in spread(made, PAIRS if algorithm.endswith("f") else KEPT):
            inputs = {"seed": test["skSeed"] + test["skPrf"] + test["pkSeed"]}
            entries.append(make_entry(f"keygen-{test['tcId']}", "keygen", inputs, "NIST ACVP SLH-DSA-keyGen-FIPS205", test["sk"] + test["pk"]))  # fmt: skip
        keys = sorted(signed, key=lambda test: (len(test["message"]), test["tcId"]))[:SIGNED]
        for test in keys:
            inputs = {"key": test["sk"], "pub": test["sk"][64:], "msg": test["message"]}
            entries.append(make_entry(f"sign-{test['tcId']}", "sign", inputs, f"{_SIG_GEN}, key and message"))
        positives = [_published(test) for test in signed if not test["context"]]
        positives += [_overhead(of, test) for test in keys if test["context"]][: POSITIVES - len(positives)]
        return entries + positives + [_timed(algorithm)] + _changed(positives)

    return select


_SIG_GEN = "NIST ACVP SLH-DSA-sigGen-FIPS205"
_OWN = "signed by the judge's own code from FIPS 205, deterministically"


def _acvp(sources: Sources, algorithm: str, name: str) -> list[Entry]:
    """Tests of one parameter set, of whole messages by the external interface."""
    return [
        test
        for group, test in sources.acvp("sign/slhdsa/testdata", name)
        if group["parameterSet"].lower() == algorithm
        and group.get("preHash", "pure") == "pure"
        and group.get("signatureInterface") != "internal"
    ]


def _prove_slh_dsa(of: slhdsa.ParameterSet, signed: list[Entry], verified: list[Entry], fast: bool) -> None:
    """Every published answer: signatures verify, are made again where that is fast, and what is rejected is."""
    for test in signed:
        sk, message, sig, context, random = (
            bytes.fromhex(test.get(name, ""))
            for name in ("sk", "message", "signature", "context", "additionalRandomness")
        )
        right = slhdsa.verify(of, sk[32:], message, sig, context)
        if not right or (fast and slhdsa.sign(of, sk, message, random or None, context) != sig):
            raise SystemExit(f"{_SIG_GEN}: {test['tcId']}: the oracle does not agree")
    for test in verified:
        pk, message, sig, context = (bytes.fromhex(test[name]) for name in ("pk", "message", "signature", "context"))
        if slhdsa.verify(of, pk, message, sig, context) != test["testPassed"]:
            raise SystemExit(f"NIST ACVP SLH-DSA-sigVer-FIPS205: {test['tcId']}: the oracle does not agree")


def _published(test: Entry) -> Entry:
    inputs = {"pub": test["sk"][64:], "msg": test["message"], "sig": test["signature"]}
    return make_entry(f"verify-{test['tcId']}", "verify", inputs, _SIG_GEN)


def _overhead(of: slhdsa.ParameterSet, test: Entry) -> Entry:
    sk, message = bytes.fromhex(test["sk"]), bytes.fromhex(test["message"])
    inputs = {"pub": test["sk"][64:], "msg": test["message"], "sig": slhdsa.sign(of, sk, message).hex()}
    return make_entry(f"verify-{test['tcId']}-own", "verify", inputs, f"{_SIG_GEN}, key and message; {_OWN}")


def _timed(algorithm: str) -> Entry:
    """The inputs that are timed: where signing takes long, a run takes the signature from here."""
    of, seed = slhdsa.SETS[algorithm], key_stream(0, slhdsa.SEED_BYTES)
    sk, pk = slhdsa.keygen(of, seed)
    message = splitmix64(TIMED_MESSAGE, 32)
    inputs = {"pub": pk.hex(), "msg": message.hex(), "sig": slhdsa.sign(of, sk, message).hex()}
    return make_entry(TIMED, "verify", inputs, _OWN, note="the inputs that are timed")


def _changed(positives: list[Entry]) -> list[Entry]:
    """What must be rejected: the shortest positive with one thing changed, in each of its parts."""
    first = min(positives, key=lambda entry: len(entry["inputs"]["msg"]))
    other = next(entry for entry in positives if entry["inputs"]["pub"] != first["inputs"]["pub"])
    sig, msg, pub = (bytes.fromhex(first["inputs"][name]) for name in ("sig", "msg", "pub"))
    places = {"the randomiser": 0, "the first secret of FORS": 16, "a path of FORS": 40}
    places |= {f"{part} sixteenths of the signature": len(sig) * part // 16 for part in range(4, 16, 2)}
    changed = [("sig", _flipped(sig, place), f"a bit of {what} flipped") for what, place in places.items()]
    changed += [
        ("sig", _flipped(sig, len(sig) - 1), "a bit of the last byte flipped"),
        ("sig", sig[:-1], "last byte missing"),
        ("sig", sig + b"\0", "a byte more"),
        ("sig", sig[:16], "the randomiser alone"),
        ("sig", bytes(len(sig)), "zeros"),
        ("sig", sig[16:] + sig[:16], "rotated"),
        ("msg", _flipped(msg, 0), "a bit of the message flipped"),
        ("msg", msg + b"\0", "a byte more of message"),
        ("msg", b"\0\0" + msg, "the message as the internal interface takes it"),
        ("msg", b"", "message left out"),
        ("pub", _flipped(pub, 0), "a bit of the public seed flipped"),
        ("pub", _flipped(pub, 31), "a bit of the root flipped"),
        ("pub", bytes.fromhex(other["inputs"]["pub"]), "public key of another vector"),
    ]
    source = f"derived from {first['source']}: one thing changed"
    return [
        make_entry(
            f"{first['id']}-changed-{number}",
            "verify",
            first["inputs"] | {name: data.hex()},
            source,
            expect="rejected",
            note=note,
        )
        for number, (name, data, note) in enumerate(changed, 1)
    ]


def _flipped(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


POSTQUANTUM: dict[str, Callable[[Sources], list[Entry]]] = {
    "x25519mlkem768": hybrid,
    **{name: ml_dsa(name) for name in ("ml-dsa-44", "ml-dsa-65", "ml-dsa-87")},
    **{name: slh_dsa(name) for name in ("slh-dsa-sha2-128s", "slh-dsa-sha2-128f")},
}
