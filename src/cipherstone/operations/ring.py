# SPDX-License-Identifier: Apache-2.0
"""More inputs of the shape of the timed ones: one input for ever teaches branch predictors the path of a call that depends on its operands, which no application gets to see
(bench/ring.py measures how much: half of the time of a modular inverse of GMP's)."""

from __future__ import annotations

from functools import lru_cache
from math import gcd

from cipherstone.catalogue.conditions import bare
from cipherstone.model.errors import UsageError
from cipherstone.model.ids import Case
from cipherstone.operations import mlkem, oracle, round_trip
from cipherstone.operations.inputs import timed_inputs
from cipherstone.operations.splitmix import splitmix64
from cipherstone.operations.values import InputValue

_KEY, _MESSAGE, _DIVIDEND, _NUMBER = 3000, 4000, 6000, 7000  # seeds; a ring has fewer members than lie between them


@lru_cache(maxsize=1024)
def member_inputs(case: Case, form: str | None, member: int) -> dict[str, InputValue]:
    """Inputs of a member of a ring: number 0 has the timed inputs, the others what an application would have anew in each call (operands; public key, message and signature; with key=fresh the key and what belongs to it)."""
    fresh, case = case.param("key") == "fresh", bare(case)
    inputs = timed_inputs(case, form)
    if member == 0:
        return inputs
    if _verified(case):
        key, message = splitmix64(_KEY + member, 32), splitmix64(_MESSAGE + member, len(inputs["msg"].data))
        return {
            "pub": InputValue(oracle.public_key(case.algorithm, key)),
            "msg": InputValue(message),
            "sig": InputValue(oracle.sign(case.algorithm, key, message, form or "der")),
        }
    if fresh:
        return inputs | _of_key(case, inputs, member)
    return inputs | {"msg": InputValue(_operands(case, member, inputs["pub"].data, len(inputs["msg"].data)))}


def has_keys(case: Case, form: str | None) -> bool:
    """Whether there are further keys for a case: they are known for keys that are streams of bytes, for verification and for ML-KEM."""
    kem = case.algorithm in mlkem.SETS
    return kem or _verified(case) or timed_inputs(case, form).get("key", InputValue(b"")).seed is not None


def _verified(case: Case) -> bool:
    return oracle.verb_of(case.operation).proof == "decides"


def _of_key(case: Case, inputs: dict[str, InputValue], member: int) -> dict[str, InputValue]:
    """A key and what belongs to it; the message is the same for all keys where that can be, so that a ring of keys takes no more of the caches than one."""
    if case.algorithm in mlkem.SETS:
        return _of_pair(case, inputs, member)
    if inputs["key"].seed is None:
        raise UsageError(f"inputs: '{case.id}' has no further keys", "keys that are streams of bytes have")
    key = InputValue.generated(_KEY + member, len(inputs["key"].data))
    verb = oracle.verb_of(case.operation)
    if verb.proof == "verified":
        return {"key": key, "pub": InputValue(oracle.public_key(case.algorithm, key.data))}
    if "not-authentic" not in verb.rejects:
        return {"key": key}
    seal = f"{case.algorithm}/{verb.undoes}"
    length = len(inputs["msg"].data)
    given = {name: value.data for name, value in inputs.items()} | {"key": key.data}
    # A stream cipher turns the ciphertext of another key into the plaintext that it belongs to.
    plain = oracle.expected_output(seal, given)
    assert plain is not None
    sealed = oracle.expected_output(seal, given | {"msg": plain[:length]})
    assert sealed is not None
    message = inputs["msg"] if sealed[:length] == inputs["msg"].data else InputValue(sealed[:length])
    return {"key": key, "msg": message, "tag": InputValue(sealed[length:])}


def _of_pair(case: Case, inputs: dict[str, InputValue], member: int) -> dict[str, InputValue]:
    """A public key to encapsulate with, or a private one with a ciphertext that is genuine for it."""
    dk, ek = round_trip.timed_pair(case.algorithm, member)
    if case.verb == "encaps":
        return {"pub": InputValue(ek)}
    genuine = round_trip.timed_encapsulation(case.algorithm, member)
    return {"key": InputValue(dk), "msg": InputValue(genuine[: len(inputs["msg"].data)])}


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
