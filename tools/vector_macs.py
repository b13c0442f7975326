# SPDX-License-Identifier: Apache-2.0
"""Vectors of further MACs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from Crypto.Cipher import ChaCha20
from vector_sources import POSITIVES, Entry, Sources, cover, flags, make_entry, spread, told
from vector_symmetric import hmac

# Appendix A of the paper: key 00 01 .. 0f, message 00 01 .. 0e; the tag is written there as a number.
PAPER = (bytes(range(16)), bytes(range(15)), 0xA129CA6149BE45E5)


def siphash(sources: Sources) -> list[Entry]:
    key, message, tag = PAPER
    inputs = {"key": key.hex(), "msg": message.hex()}
    source, pairs = sources.wycheproof("siphash_2_4")
    paper = "Aumasson and Bernstein, SipHash: a fast short-input PRF, appendix A"
    good = [test for _, test in pairs if test["result"] == "valid"]
    return [
        make_entry("paper", "mac", inputs, paper, tag.to_bytes(8, "little").hex()),
        *(
            make_entry(
                f"siphash-{test['tcId']}",
                "mac",
                {"key": test["key"], "msg": test["msg"]},
                source,
                test["tag"],
                **told(test),
            )
            for test in spread(good, POSITIVES)
        ),
    ]


def poly1305_framed(sources: Sources) -> list[Entry]:
    """What is published of the AEAD, RFC 8439's example first: the one-time key is the first 32 bytes of block 0 (section 2.6), and ciphertext and tag are the MAC's input and output."""
    source, pairs = sources.wycheproof("chacha20_poly1305")
    fits = [(g, t) for g, t in pairs if g["ivSize"] == 96 and g["tagSize"] == 128 and t["result"] == "valid"]
    entries = []
    for _, test in cover(fits, flags, POSITIVES):
        key = ChaCha20.new(key=bytes.fromhex(test["key"]), nonce=bytes.fromhex(test["iv"])).encrypt(bytes(32))
        inputs = {"key": key.hex(), "aad": test["aad"], "msg": test["ct"]}
        said = f"derived from {source}: one-time key"
        entries.append(make_entry(f"aead-{test['tcId']}", "mac", inputs, said, test["tag"], **told(test)))
    return entries


MACS: dict[str, Callable[[Sources], list[Entry]]] = {
    "hmac-sha-1": partial(hmac, rfc=2202, digest="sha1", bits=160),
    "hmac-sha-384": partial(hmac, digest="sha384", bits=384),
    "siphash-2-4": siphash,
    "poly1305-framed": poly1305_framed,
    "hmac-sha-512": partial(hmac, digest="sha512", bits=512),
}
