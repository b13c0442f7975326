# SPDX-License-Identifier: Apache-2.0
"""More inputs of the shape of the timed ones: one input for ever teaches branch predictors the path of a call that depends on its operands, which no application gets to see
(bench/ring.py measures how much: half of the time of a modular inverse of GMP's)."""

from __future__ import annotations

from functools import lru_cache
from math import gcd

from cipherstone.catalogue import oracle
from cipherstone.catalogue.inputs import InputValue, timed_inputs
from cipherstone.catalogue.splitmix import splitmix64
from cipherstone.model.ids import Case

_KEY, _MESSAGE, _DIVIDEND, _NUMBER = 3000, 4000, 6000, 7000  # seeds; a ring has fewer members than lie between them


@lru_cache(maxsize=1024)
def member_inputs(case: Case, form: str | None, member: int) -> dict[str, InputValue]:
    """Inputs of a member of a ring: number 0 has the timed inputs, the others what an application would have anew in each call (operands; public key, message and signature)."""
    inputs = timed_inputs(case, form)
    if member == 0:
        return inputs
    if oracle.verb_of(case.operation).proof == "decides":
        key, message = splitmix64(_KEY + member, 32), splitmix64(_MESSAGE + member, len(inputs["msg"].data))
        return {
            "pub": InputValue(oracle.public_key(case.algorithm, key)),
            "msg": InputValue(message),
            "sig": InputValue(oracle.sign(case.algorithm, key, message, form or "der")),
        }
    return inputs | {"msg": InputValue(_operands(case, member, inputs["pub"].data, len(inputs["msg"].data)))}


def _operands(case: Case, member: int, pub: bytes, length: int) -> bytes:
    size, modulus = len(pub), int.from_bytes(pub, "big")
    if case.verb == "div-mod":
        return splitmix64(_DIVIDEND + member, length)
    parts = []
    for index in range(length // size):
        value = int.from_bytes(splitmix64(_NUMBER + 100 * index + member, size), "big") % modulus
        if case.verb == "mod-sqrt":
            value = value * value % modulus
        while case.verb == "mod-inv" and gcd(value, modulus) != 1:
            value += 1
        parts.append(value.to_bytes(size, "big"))
    return b"".join(parts)
