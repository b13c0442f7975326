# SPDX-License-Identifier: Apache-2.0
"""More inputs of the shape of the timed ones. One input for ever teaches branch predictors the path of a call that depends on its operands, which no application gets to see
(bench/ring.py measures how much: half of the time of a modular inverse of GMP's), and lets a library look up what it computed before.

`member_inputs` gives them by number, any number of them for most operations (`members_known`); `member_cost` says what one costs the independent library.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import lru_cache
from math import gcd
from typing import NamedTuple

from cipherstone.catalogue.conditions import KEYS, bare
from cipherstone.model.errors import UsageError
from cipherstone.model.ids import Case
from cipherstone.operations import algorithm_folders, bignum_oracle, oracle
from cipherstone.operations.inputs import timed_inputs, undone
from cipherstone.operations.kernels import is_kernel
from cipherstone.operations.scheme import SEEDS, SMALL
from cipherstone.operations.schemes import schemes
from cipherstone.operations.splitmix import splitmix64, stream_number
from cipherstone.operations.values import InputValue

# Seeds of members below SMALL, which a ring has; larger numbers have streams of their own.
_KEY, _MESSAGE, _DIVIDEND, _NUMBER, _DRAWN = 3000, 4000, 6000, 7000, 5500
MOST_MEMBERS = SEEDS  # where there is no end to them
_COST_MEMBER = (1 << 63) + 1  # that the cost of a member is measured with
_MOST_KEPT_BYTES = 32 * 1024  # of a member that is kept: a thousand of them take 32 MiB at most
_COLD_S = 1.0  # a first reading below this is taken again: it may have read modules


def member_inputs(case: Case, form: str | None, member: int) -> dict[str, InputValue]:
    """Inputs of a member of a ring: number 0 has the timed inputs, the others what an application would have anew in each call (the message, and what belongs to it; operands; the peer of an agreement; with key=fresh the key and what belongs to it).

    `member` is any number below `MOST_MEMBERS`; from `members_known` on inputs come again, and are the timed ones where nothing can vary.
    """
    if member == 0:
        return timed_inputs(case, form)
    is_short = sum(len(value.data) for value in timed_inputs(case, form).values()) <= _MOST_KEPT_BYTES
    return dict(_kept(case, form, member)) if is_short else _made(case, form, member)


def _made(case: Case, form: str | None, member: int) -> dict[str, InputValue]:
    inputs = timed_inputs(case, form)
    fresh, case = case.param("key") == "fresh", bare(case)
    if _verified(case):
        return _signed(case, form, member, len(inputs["msg"].data))
    if fresh:
        return inputs | _of_key(case, inputs, member)
    vary = _varies(case)
    return inputs if vary is None else inputs | vary.new(case, form, inputs, member)


_kept = lru_cache(maxsize=1024)(_made)


def members_known(case: Case, form: str | None) -> int:
    """How many different inputs there are for a case: 1 where it has the timed ones only (keys are drawn, a certificate is given), `MOST_MEMBERS` where there is no end to them."""
    fresh, case = case.param("key") == "fresh", bare(case)
    if _verified(case):
        return MOST_MEMBERS if case.algorithm in schemes() and schemes()[case.algorithm].key_pairs else 1
    if fresh:
        return MOST_MEMBERS if timed_inputs(case, form)["key"].seed is not None and case.algorithm not in schemes() else KEYS  # fmt: skip
    vary = _varies(case)
    return 1 if vary is None else vary.known(case)


@lru_cache(maxsize=1024)
def member_cost_s(case: Case, form: str | None) -> float:
    """CPU seconds that the independent library needs for one more member: it makes the inputs and the expected output, or judges an output. Measured once a process; plain Python takes up to seconds. Not by the clock, which a busy machine lengthens."""
    first = _cost(case, form, _COST_MEMBER)
    return min(first, _cost(case, form, _COST_MEMBER + 1)) if first < _COLD_S else first


def _cost(case: Case, form: str | None, member: int) -> float:
    began = time.thread_time()
    inputs = {name: value.data for name, value in _made(case, form, member).items()}
    operation = bare(case).operation
    if oracle.expected_output(operation, inputs, form) is not None:
        return time.thread_time() - began
    spent = time.thread_time() - began
    try:
        output = oracle.made(operation, inputs, form)
    except KeyError:  # keys are drawn, and none is known that was
        return spent
    began = time.thread_time()
    oracle.random_output_problem(operation, inputs, output, form)
    return spent + time.thread_time() - began


class _Vary(NamedTuple):
    """`new`: the inputs that are others in a member. `known`: how many members there are."""

    new: Callable[[Case, str | None, dict[str, InputValue], int], dict[str, InputValue]]
    known: Callable[[Case], int]


def _varies(case: Case) -> _Vary | None:
    """What is new in a member of a case whose key stays; None where there is nothing."""
    if is_kernel(case.algorithm) or case.algorithm == "harness":
        return None
    if case.algorithm in bignum_oracle.BY_ALGORITHM:
        return _Vary(_new_operands, _endless)
    if (case.algorithm, case.verb) in algorithm_folders.folder_code(case.algorithm).members:
        return _Vary(
            _new_of_folder,
            lambda case: algorithm_folders.folder_code(case.algorithm).members[case.algorithm, case.verb][1],
        )
    verb = oracle.verb_of(case.operation)
    if (
        (case.algorithm, "msg") in algorithm_folders.folder_code(case.algorithm).inputs
        or verb.aside
        or case.verb == "fetch"
    ):
        return None  # certificates, keys in DER, handshakes; of random bytes only the number is asked
    scheme = schemes().get(case.algorithm)
    if verb.undoes:
        return _Vary(_new_undone, lambda case: _known_before(case, verb.undoes))
    if scheme is None:
        return _Vary(_new_stream, _endless)
    if "msg" in verb.needed and scheme.key_pairs:
        return _Vary(_new_message, _endless)
    if case.verb in ("derive", "agree"):
        return _Vary(_new_peer, lambda case: KEYS if case.verb == "agree" else scheme.different_pairs)
    if case.verb == "multiply-base":
        return _Vary(_new_private, lambda case: scheme.different_pairs)
    return None


def _endless(case: Case) -> int:
    return MOST_MEMBERS


def _known_before(case: Case, verb: str) -> int:
    before = Case(case.algorithm, verb, case.size_bytes, case.params)
    scheme = schemes().get(case.algorithm)
    if scheme is not None and verb in scheme.seed_bytes:
        return MOST_MEMBERS
    vary = _varies(before)
    return 1 if vary is None else vary.known(before)


def stream_seed(base: int, member: int) -> int:
    """The stream of a member: small ones count up from `base`, as rings always did, larger ones lie anywhere."""
    return base + member if member < SMALL else stream_number(base, member)


def _new_of_folder(case: Case, form: str | None, inputs: dict[str, InputValue], member: int) -> dict[str, InputValue]:
    return {
        name: InputValue(data)
        for name, data in algorithm_folders.folder_code(case.algorithm)
        .members[case.algorithm, case.verb][0](member)
        .items()
    }


def _new_operands(case: Case, form: str | None, inputs: dict[str, InputValue], member: int) -> dict[str, InputValue]:
    length = len(inputs["msg"].data)
    if "pub" in inputs:
        modulus = inputs["pub"].data
    else:  # with CRT the key holds the primes, which begin it
        half = length // 2
        p, q = (int.from_bytes(inputs["key"].data[at : at + half], "big") for at in (0, half))
        modulus = (p * q).to_bytes(length, "big")
    return {"msg": InputValue(_operands(case, member, modulus, length))}


def _new_stream(case: Case, form: str | None, inputs: dict[str, InputValue], member: int) -> dict[str, InputValue]:
    """Another message; of what derives keys another secret, because there is no message."""
    name = "msg" if "msg" in inputs else "key"
    return {name: InputValue.generated(stream_seed(_MESSAGE, member), len(inputs[name].data))}


def _new_message(case: Case, form: str | None, inputs: dict[str, InputValue], member: int) -> dict[str, InputValue]:
    return {"msg": InputValue(_signed_message(case, member, len(inputs["msg"].data)))}


def _new_undone(case: Case, form: str | None, inputs: dict[str, InputValue], member: int) -> dict[str, InputValue]:
    """What another call of the verb that is undone gives under the same key: ciphertext and tag."""
    verb = oracle.verb_of(case.operation)
    before = Case(case.algorithm, verb.undoes, case.size_bytes, case.params)
    given = timed_inputs(before, form) | {name: inputs[name] for name in ("aad",) if name in inputs}
    scheme = schemes().get(case.algorithm)
    if scheme is not None and verb.undoes in scheme.seed_bytes:
        new = {"seed": InputValue.generated(stream_seed(_DRAWN, member), scheme.seed_bytes[verb.undoes])}
    else:
        vary = _varies(before)
        new = {} if vary is None else vary.new(before, form, given, member)
    plain = {name: value.data for name, value in (given | new).items()}
    return undone(before, plain, form)


def _new_peer(case: Case, form: str | None, inputs: dict[str, InputValue], member: int) -> dict[str, InputValue]:
    number = member % KEYS if case.verb == "agree" else member % schemes()[case.algorithm].different_pairs
    return {"pub": InputValue(schemes()[case.algorithm].key_pair(number)[1])}


def _new_private(case: Case, form: str | None, inputs: dict[str, InputValue], member: int) -> dict[str, InputValue]:
    return {"key": InputValue(schemes()[case.algorithm].key_pair(member)[0])}


def has_keys(case: Case, form: str | None) -> bool:
    """Whether there are further keys for a case: they are known for keys that are streams of bytes, and for algorithms with pairs enough."""
    if case.algorithm in schemes():
        pairs = schemes()[case.algorithm].key_pairs
        return pairs >= KEYS or (_verified(case) and pairs > 0)
    return timed_inputs(case, form).get("key", InputValue(b"")).seed is not None


def _verified(case: Case) -> bool:
    verb = oracle.verb_of(case.operation)
    return verb.proof == "decides" and bool(verb.undoes)


def _signed(case: Case, form: str | None, member: int, length: int) -> dict[str, InputValue]:
    """A public key, a message of `length` bytes and a signature of it; where pairs are few, other messages under the same key."""
    scheme, signing = schemes()[case.algorithm], Case(case.algorithm, oracle.verb_of(case.operation).undoes)
    few = min(scheme.key_pairs, KEYS)
    key, pub = scheme.key_pair(member if member < few else member % few if member >= SMALL and few else 0)
    message = splitmix64(stream_seed(_MESSAGE, member), length)
    given = {"key": key, "pub": pub, "msg": message}
    return {name: InputValue(data) for name, data in given.items() if name != "key"} | undone(signing, given, form)


def _signed_message(case: Case, member: int, length: int) -> bytes:
    """What a member of a ring of signing signs, under the one key."""
    message = schemes()[case.algorithm].message
    return splitmix64(stream_seed(_MESSAGE, member), length) if message is None else message(member, length)


def _of_key(case: Case, inputs: dict[str, InputValue], member: int) -> dict[str, InputValue]:
    """A key and what belongs to it; the message is the same for all keys where that can be, so that a ring of keys takes no more of the caches than one."""
    if case.algorithm in schemes():
        return _of_pair(case, inputs, member)
    if inputs["key"].seed is None:
        raise UsageError(f"inputs: '{case.id}' has no further keys", "keys that are streams of bytes have")
    key = InputValue.generated(stream_seed(_KEY, member), len(inputs["key"].data))
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
    key, pub = schemes()[case.algorithm].key_pair(member % KEYS)
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
        return splitmix64(stream_seed(_DIVIDEND, member), length)
    parts = []
    for index in range(length // size):
        value = int.from_bytes(splitmix64(stream_seed(_NUMBER + 100 * index, member), size), "big") % modulus
        if case.algorithm == "modexp-word":
            value &= (1 << bignum_oracle.WORD_BITS) - 1
        if case.verb == "mod-sqrt":
            value = value * value % modulus
        while case.verb == "mod-inv" and gcd(value, modulus) != 1:
            value += 1
        parts.append(value.to_bytes(size, "big"))
    return b"".join(parts)
