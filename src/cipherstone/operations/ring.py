# SPDX-License-Identifier: Apache-2.0
"""More inputs of the shape of the timed ones: one input for ever teaches branch predictors the path of a call that depends on its operands, which no application gets to see
(bench/ring.py measures how much: half of the time of a modular inverse of GMP's)."""

from __future__ import annotations

from functools import lru_cache
from math import gcd

from cipherstone.catalogue.conditions import KEYS, bare
from cipherstone.model.errors import UsageError
from cipherstone.model.ids import Case
from cipherstone.operations import oracle
from cipherstone.operations.inputs import timed_inputs, undone
from cipherstone.operations.schemes import schemes
from cipherstone.operations.splitmix import splitmix64
from cipherstone.operations.values import InputValue

_KEY, _MESSAGE, _DIVIDEND, _NUMBER = 3000, 4000, 6000, 7000  # seeds; a ring has fewer members than lie between them


@lru_cache(maxsize=1024)
def member_inputs(case: Case, form: str | None, member: int) -> dict[str, InputValue]:
    """Inputs of a member of a ring: number 0 has the timed inputs, the others what an application would have anew in each call (operands; the message to sign; public key, message and signature; with key=fresh the key and what belongs to it)."""
    fresh, case = case.param("key") == "fresh", bare(case)
    inputs = timed_inputs(case, form)
    if member == 0:
        return inputs
    if _verified(case):
        return _signed(case, form, member, len(inputs["msg"].data))
    if fresh:
        return inputs | _of_key(case, inputs, member)
    if oracle.verb_of(case.operation).proof == "verified":
        return inputs | {"msg": InputValue(_signed_message(case, member, len(inputs["msg"].data)))}
    return inputs | {"msg": InputValue(_operands(case, member, inputs["pub"].data, len(inputs["msg"].data)))}


def has_keys(case: Case, form: str | None) -> bool:
    """Whether there are further keys for a case: they are known for keys that are streams of bytes, and for algorithms with pairs enough."""
    if case.algorithm in schemes():
        pairs = schemes()[case.algorithm].key_pairs
        return pairs >= KEYS or (_verified(case) and pairs > 0)
    return timed_inputs(case, form).get("key", InputValue(b"")).seed is not None


def _verified(case: Case) -> bool:
    return oracle.verb_of(case.operation).proof == "decides"


def _signed(case: Case, form: str | None, member: int, length: int) -> dict[str, InputValue]:
    """A public key, a message of `length` bytes and a signature of it; where pairs are few, other messages under the same key."""
    scheme, signing = schemes()[case.algorithm], Case(case.algorithm, oracle.verb_of(case.operation).undoes)
    key, pub = scheme.key_pair(member if member < scheme.key_pairs else 0)
    given = {"key": key, "pub": pub, "msg": splitmix64(_MESSAGE + member, length)}
    return {name: InputValue(data) for name, data in given.items() if name != "key"} | undone(signing, given, form)


def _signed_message(case: Case, member: int, length: int) -> bytes:
    """What a member of a ring of signing signs, under the one key."""
    message = schemes()[case.algorithm].message
    return splitmix64(_MESSAGE + member, length) if message is None else message(member, length)


def _of_key(case: Case, inputs: dict[str, InputValue], member: int) -> dict[str, InputValue]:
    """A key and what belongs to it; the message is the same for all keys where that can be, so that a ring of keys takes no more of the caches than one."""
    if case.algorithm in schemes():
        return _of_pair(case, inputs, member)
    if inputs["key"].seed is None:
        raise UsageError(f"inputs: '{case.id}' has no further keys", "keys that are streams of bytes have")
    key = InputValue.generated(_KEY + member, len(inputs["key"].data))
    verb = oracle.verb_of(case.operation)
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
    """A key pair: of an agreement the private key alone, because the other side stays; for what undoes another verb also what that one gives with this pair."""
    verb = oracle.verb_of(case.operation)
    key, pub = schemes()[case.algorithm].key_pair(member)
    pair = {"key": key} if verb.proof == "known-answer" and not verb.undoes else {"key": key, "pub": pub}
    found = {name: InputValue(data) for name, data in pair.items() if name in inputs}
    if not verb.undoes:
        return found
    before = Case(case.algorithm, verb.undoes, case.size_bytes, case.params)
    given = {name: value.data for name, value in timed_inputs(before).items()}
    return found | undone(before, given | pair, None)


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
