# SPDX-License-Identifier: Apache-2.0
"""ML-DSA as a scheme: pairs, signatures and right answers, from FIPS 204 as mldsa.py has it. A private key is its seed (RFC 9881 section 6): that is what every library takes and gives."""

from __future__ import annotations

from functools import lru_cache

from cipherstone.operations import mldsa
from cipherstone.operations.scheme import Inputs, Pair, Scheme, judge_of_pair, judge_of_signature, key_stream
from cipherstone.operations.splitmix import splitmix64, stream_number

# Seeds of the messages that are signed in turn. Signing repeats until a candidate leaks nothing, so that its time depends on the message where nothing is drawn. These were searched so that
# under timed key 0 the repetitions are the sixteen quantiles of what FIPS 204 table 1 expects (4.25, 5.1 and 3.85 in the mean): a library that draws and one that does not are asked for the same
# work in the mean. The first is the timed message of every signature.
_BEYOND_RING = 4000  # of messages beyond those, which take what they take
RING_MESSAGES: dict[str, tuple[int, ...]] = {
    "ml-dsa-44": (4, 4001, 4002, 4003, 4004, 4005, 4006, 4007, 4008, 4010, 4011, 4012, 4015, 4044, 4058, 4899),
    "ml-dsa-65": (4, 4002, 4003, 4004, 4005, 4006, 4007, 4008, 4010, 4011, 4012, 4013, 4016, 4025, 4029, 4294),
    "ml-dsa-87": (4, 4001, 4002, 4003, 4004, 4005, 4006, 4009, 4010, 4011, 4013, 4022, 4027, 4043, 4069, 4128),
}


def _message_seed(algorithm: str, number: int) -> int:
    ring = RING_MESSAGES[algorithm]
    return ring[number] if number < len(ring) else stream_number(_BEYOND_RING, number)


def ml_dsa(algorithm: str) -> Scheme:
    """`ml-dsa-44`, `ml-dsa-65` or `ml-dsa-87`: FIPS 204 section 5, whole messages with an empty context. One right signature is the deterministic one."""
    of = mldsa.SETS[algorithm]

    @lru_cache(maxsize=64)
    def expanded(seed: bytes) -> Pair:
        return mldsa.keygen(of, seed)

    def key_pair(number: int) -> Pair:
        seed = key_stream(number, mldsa.SEED_BYTES)
        return seed, expanded(seed)[1]

    def keygen(inputs: Inputs) -> bytes | None:
        return inputs["seed"] + expanded(inputs["seed"])[1] if "seed" in inputs else None

    def made(inputs: Inputs, form: str | None) -> bytes:
        return mldsa.sign(of, expanded(inputs["key"])[0], inputs["msg"])[0]

    def check(pub: bytes, message: bytes, signature: bytes, form: str | None) -> None:
        if not mldsa.verify(of, pub, message, signature):
            raise ValueError("the signature is not valid")

    def belong(seed: bytes, pub: bytes) -> str:
        return "" if expanded(seed)[1] == pub else "the public key is not the private one's"

    return Scheme(
        key_pair,
        due={"keygen": keygen},
        make={"sign": made},
        judge={
            "keygen": judge_of_pair((mldsa.SEED_BYTES, of.public_bytes), belong),
            "sign": judge_of_signature(check),
        },
        message=lambda number, length: splitmix64(_message_seed(algorithm, number), length),
        seed_bytes={"keygen": mldsa.SEED_BYTES},
    )
