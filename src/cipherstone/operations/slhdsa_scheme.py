# SPDX-License-Identifier: Apache-2.0
"""SLH-DSA as a scheme: pairs, signatures and right answers, from FIPS 205 as slhdsa.py has it."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

from cipherstone.catalogue.conditions import KEYS
from cipherstone.operations import slhdsa
from cipherstone.operations.scheme import Inputs, Pair, Scheme, judge_of_pair, judge_of_signature, key_stream

TIMED = "verify-timed"  # the vector that has the timed public key, message and signature


def slh_dsa(algorithm: str, vectors: Path | None = None) -> Scheme:
    """One of `slhdsa.SETS`: FIPS 205 section 10, whole messages with an empty context. One right signature is the deterministic one.

    `vectors`: of the sets whose signing takes too long for every run, the file with the timed signature, which was computed once by the same code. They have one pair.
    """
    of = slhdsa.SETS[algorithm]

    @lru_cache(maxsize=64)
    def generated(seed: bytes) -> Pair:
        return slhdsa.keygen(of, seed)

    def key_pair(number: int) -> Pair:
        seed = key_stream(number, slhdsa.SEED_BYTES)
        if number or vectors is None:
            return generated(seed)
        pub = _timed(vectors)["pub"]
        return seed + pub[slhdsa.N :], pub

    def keygen(inputs: Inputs) -> bytes | None:
        return b"".join(generated(inputs["seed"])) if "seed" in inputs else None

    def made(inputs: Inputs, form: str | None) -> bytes:
        if vectors is not None:
            timed = _timed(vectors)
            if (inputs["key"][2 * slhdsa.N :], inputs["msg"]) == (timed["pub"], timed["msg"]):
                return timed["sig"]
        return slhdsa.sign(of, inputs["key"], inputs["msg"])

    def check(pub: bytes, message: bytes, signature: bytes, form: str | None) -> None:
        if not slhdsa.verify(of, pub, message, signature):
            raise ValueError("the signature is not valid")

    def belong(key: bytes, pub: bytes) -> str:
        return "" if generated(key[: slhdsa.SEED_BYTES]) == (key, pub) else "the public key is not the private one's"

    return Scheme(
        key_pair,
        due={"keygen": keygen},
        make={"sign": made},
        judge={
            "keygen": judge_of_pair((slhdsa.PRIVATE_BYTES, slhdsa.PUBLIC_BYTES), belong),
            "sign": judge_of_signature(check),
        },
        key_pairs=KEYS if vectors is None else 0,
    )


@lru_cache(maxsize=8)
def _timed(vectors: Path) -> dict[str, bytes]:
    document = json.loads(vectors.read_text())
    inputs = next(entry["inputs"] for entry in document["vectors"] if entry["id"] == TIMED)
    return {name: bytes.fromhex(value) for name, value in inputs.items()}
