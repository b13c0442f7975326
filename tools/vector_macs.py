# SPDX-License-Identifier: Apache-2.0
"""Vectors of the MACs that have a folder of their own."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from vector_sources import POSITIVES, Entry, Sources, make_entry, spread, told
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


MACS: dict[str, Callable[[Sources], list[Entry]]] = {
    "hmac-sha-1": partial(hmac, rfc=2202, digest="sha1", bits=160),
    "hmac-sha-384": partial(hmac, digest="sha384", bits=384),
    "siphash-2-4": siphash,
    "hmac-sha-512": partial(hmac, digest="sha512", bits=512),
}
