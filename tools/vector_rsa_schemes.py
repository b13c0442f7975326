# SPDX-License-Identifier: Apache-2.0
"""Which known answers of RSA signatures and RSA encryption are kept.

Signing: the keys, messages and, where the standard fixes them, signatures of NIST's SigGen files; these publish n, e and d, and the primes follow from them. Verification and decryption: Wycheproof.
What is encrypted for a public key is drawn: its vectors are messages of the shortest and the longest lengths for the timed keys, whose private keys the judge knows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from Crypto.PublicKey import RSA
from vector_keys import DRAWN
from vector_sources import Entry, Sources, cover, flags, make_entry, split, spread, told

from cipherstone.catalogue.conditions import KEYS
from cipherstone.operations.rsa import encoded_key, encoded_public, key_pair, rsa_pkcs1, rsa_pkcs1_sha256
from cipherstone.operations.splitmix import splitmix64

BRIEF = 6  # of an operation, shared by its positives and negatives
EXPONENT_BYTES = 4
MESSAGE_SEED = 1
SIGNED = {"pkcs1": "SigGen15_186-2.txt", "pss": "SigGenPSS_186-2.txt"}
VERIFIED = {"pkcs1": "rsa_signature_{bits}_sha256", "pss": "rsa_pss_{bits}_sha256_mgf1_32"}
DECRYPTED = {"oaep": "rsa_oaep_{bits}_sha256_mgf1sha256", "pkcs1": "rsa_pkcs1_{bits}"}
# Bytes of the modulus that a message cannot have: RFC 8017 sections 7.1.1 and 7.2.1.
OVERHEAD = {"oaep": 66, "pkcs1": 11}


def signing(bits: int, padding: str) -> Callable[[Sources], list[Entry]]:
    """`padding`: `pkcs1` or `pss`."""

    def select(sources: Sources) -> list[Entry]:
        return _brief([*_sign(sources, bits, padding), *_verify(sources, bits, padding)])

    return select


def encrypting(bits: int, padding: str) -> Callable[[Sources], list[Entry]]:
    """`padding`: `oaep` or `pkcs1`."""

    def select(sources: Sources) -> list[Entry]:
        return _brief([*_encrypt(bits, padding), *_decrypt(sources, bits, padding)])

    return select


def _brief(entries: list[Entry]) -> list[Entry]:
    """Marks a few of each operation, evenly spread over what is expected of them."""
    for verb in dict.fromkeys(entry["verb"] for entry in entries):
        mine = [entry for entry in entries if entry["verb"] == verb]
        kinds = list(dict.fromkeys(entry.get("expect", "ok") for entry in mine))
        for kind in kinds:
            group = [entry for entry in mine if entry.get("expect", "ok") == kind]
            for entry in spread(group, BRIEF // len(kinds)):
                entry["brief"] = True
    return entries


def _sign(sources: Sources, bits: int, padding: str) -> Iterator[Entry]:
    """A signature that is drawn has no known answer: the keys and messages alone."""
    name = SIGNED[padding]
    key, pub, signed = _siggen(sources, padding, bits)
    what = "" if padding == "pkcs1" else ", key and message"
    for index, (message, signature) in enumerate(signed, 1):
        inputs = {"key": key.hex(), "pub": pub.hex(), "msg": message}
        output = signature if padding == "pkcs1" else None
        yield make_entry(f"sign-cavp-{index}", "sign", inputs, f"NIST CAVP {name}{what}", output)


def _siggen(sources: Sources, padding: str, bits: int) -> tuple[bytes, bytes, list[tuple[str, str]]]:
    """(key, public key, messages and signatures with SHA-256) of the section of a modulus of `bits`."""
    text = sources.text(f"asymmetric/RSA/FIPS_186-2/{SIGNED[padding]}")
    section = re.split(r"\[mod = (\d+)\]", text)
    text = section[section.index(str(bits)) + 1]
    numbers = {name: int(value, 16) for name, value in re.findall(r"^([ned]) = ([0-9a-fA-F]+)", text, re.MULTILINE)}
    n, e, d = (numbers[name] for name in "ned")
    whole = RSA.construct((n, e, d))
    one = r"^SHAAlg = SHA256\s+(?:SaltVal = [0-9a-f]+\s+)?Msg = ([0-9a-f]+)\s+S = ([0-9a-f]+)"
    signed = re.findall(one, text, re.MULTILINE)
    return encoded_key(bits, n, e, d, int(whole.p), int(whole.q)), encoded_public(bits, n, e), signed


def _verify(sources: Sources, bits: int, padding: str) -> Iterator[Entry]:
    if padding == "pkcs1":
        _, pub, signed = _siggen(sources, padding, bits)
        for index, (message, signature) in enumerate(signed, 1):
            inputs = {"pub": pub.hex(), "msg": message, "sig": signature}
            yield make_entry(f"verify-cavp-{index}", "verify", inputs, f"NIST CAVP {SIGNED[padding]}")
    source, pairs = sources.wycheproof(VERIFIED[padding].format(bits=bits))
    good, bad = split(pairs)
    for group, test in good + bad:
        inputs = {"pub": _pub(group["publicKey"], bits).hex(), "msg": test["msg"], "sig": test["sig"]}
        # What Wycheproof calls acceptable: RFC 8017 appendix A.2.4 has NULL, its section 9.2 leaves older forms open.
        expect = {"valid": "", "acceptable": "ok-or-rejected", "invalid": "rejected"}[test["result"]]
        name = f"verify-{test['tcId']}" + ("-unreduced" if _is_unreduced(bits, inputs) else "")
        yield make_entry(name, "verify", inputs, source, expect=expect, **told(test))


def _is_unreduced(bits: int, inputs: dict[str, str]) -> bool:
    """Whether a signature is not below the modulus, and is genuine below it: classes name such vectors."""
    n, signature = int(inputs["pub"][: -2 * EXPONENT_BYTES], 16), int(inputs["sig"] or "0", 16)
    if signature < n or len(inputs["sig"]) != bits // 4:
        return False
    reduced = {name: bytes.fromhex(value) for name, value in inputs.items()}
    reduced["sig"] = (signature % n).to_bytes(bits // 8, "big")
    return rsa_pkcs1_sha256(bits).judge["sign"](reduced, reduced["sig"], None) == ""


def _pub(key: Entry, bits: int) -> bytes:
    return encoded_public(bits, int(key["modulus"], 16), int(key["publicExponent"], 16))


def _encrypt(bits: int, padding: str) -> Iterator[Entry]:
    longest = bits // 8 - OVERHEAD[padding]
    for number, length in enumerate((32, 1, 2, 16, 31, 33, 48, 64, longest - 1, longest)):
        inputs = {
            "pub": key_pair(bits, number % KEYS)[1].hex(),
            "msg": splitmix64(MESSAGE_SEED + number, length).hex(),
        }
        yield make_entry(f"encrypt-{length}", "public-encrypt", inputs, DRAWN, note=f"{length} bytes")


def _decrypt(sources: Sources, bits: int, padding: str) -> Iterator[Entry]:
    source, pairs = sources.wycheproof(DECRYPTED[padding].format(bits=bits))
    good = [pair for pair in pairs if pair[1]["result"] == "valid" and not pair[1].get("label")]
    labelled = [pair for pair in pairs if pair[1]["result"] == "valid" and pair[1].get("label")]
    bad = [pair for pair in pairs if pair[1]["result"] == "invalid"]
    for group, test in cover(good, flags, 20):
        yield make_entry(_id(test), "private-decrypt", _inputs(group, test, bits), source, test["msg"], **told(test))
    for group, test in labelled:
        derived, note = f"derived from {source}: without its label", "encrypted with a label, decrypted without it"
        inputs = _inputs(group, test, bits)
        yield make_entry(_id(test), "private-decrypt", inputs, derived, expect="rejected", note=note)
    for group, test in bad:
        inputs = _inputs(group, test, bits)
        if padding == "pkcs1" and len(test["ct"]) <= bits // 4:
            raw = {name: bytes.fromhex(value) for name, value in inputs.items()}
            implicit = rsa_pkcs1(bits).due["private-decrypt"](raw)
            assert implicit is not None
            yield make_entry(
                _id(test),
                "private-decrypt",
                inputs,
                f"{source}; output: draft-irtf-cfrg-rsa-guidance-04 section 7",
                implicit.hex(),
                expect="ok-or-rejected",
                **told(test),
            )
        else:
            yield make_entry(_id(test), "private-decrypt", inputs, source, expect="rejected", **told(test))


def _id(test: Entry) -> str:
    return f"decrypt-{test['tcId']}"


def _inputs(group: Entry, test: Entry, bits: int) -> dict[str, str]:
    names = ("modulus", "publicExponent", "privateExponent", "prime1", "prime2")
    n, e, d, p, q = (int(group["privateKey"][name], 16) for name in names)
    return {"key": encoded_key(bits, n, e, d, p, q).hex(), "msg": test["ct"]}


RSA_SCHEMES: dict[str, Callable[[Sources], list[Entry]]] = {
    **{f"rsa-{bits}-{padding}-sha256": signing(bits, padding) for bits in (2048, 3072, 4096) for padding in SIGNED},
    **{f"rsa-{bits}-oaep-sha256": encrypting(bits, "oaep") for bits in (2048, 3072, 4096)},
    "rsa-2048-pkcs1": encrypting(2048, "pkcs1"),
}
