# SPDX-License-Identifier: Apache-2.0
"""Random inputs beyond the vectors: key and message both vary, every one is named by a number, and its right answer is known.

A number below 2^64 decides everything, so that the same question can be asked again. Every fourth number of an operation that can refuse is a forgery: a genuine input with one bit changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from cipherstone.catalogue.conditions import KEYS, bare
from cipherstone.catalogue.verbs import Verb
from cipherstone.model.errors import NotAuthentic, UsageError
from cipherstone.model.ids import Case
from cipherstone.operations import algorithm_folders, bignum_oracle, oracle
from cipherstone.operations.inputs import timed_inputs, undone
from cipherstone.operations.kernels import is_kernel
from cipherstone.operations.ring import member_inputs, members_known
from cipherstone.operations.scheme import Scheme
from cipherstone.operations.schemes import schemes
from cipherstone.operations.splitmix import stream_number
from cipherstone.operations.values import InputValue

LARGEST_BYTES = 1350  # sizes above it are left to the timed inputs: an error in a thousand is not one of length
FORGED_EVERY = 4
_PRIVATE, _PEER, _STREAM, _PLACE = 11, 12, 13, 14  # what streams of a number are for
_EDGE_BYTES = 8  # of a signature at either end, which hold encodings and bytes that lax libraries do not look at
_MIDDLE_BYTES = 4  # tag, length, and what may be a zero byte before the number
_COUNTER_BYTES = 4  # of CTR's first block, which must not overflow within the message


class RandomInput(NamedTuple):
    """One random input. `due`: the output, None where it is drawn; `refused`: it must be refused; `forged`: it is a forgery."""

    number: int
    case: Case
    inputs: Mapping[str, InputValue]
    due: bytes | None
    refused: bool = False
    forged: bool = False

    @property
    def data(self) -> dict[str, bytes]:
        """The inputs as bytes."""
        return {name: value.data for name, value in self.inputs.items()}


def can_ask(case: Case) -> bool:
    """Whether there are random inputs of an operation, or outputs that are drawn: not of certificates, handshakes and kernels, whose inputs are given."""
    plain = bare(case)
    if is_kernel(plain.algorithm) or plain.algorithm == "harness":
        return False
    verb = oracle.verb_of(plain.operation)
    if verb.aside or verb.proof == "counted" or verb.name in ("parse", "verify-chain", "issue"):
        return False
    if verb.proof == "round-trip":
        return True
    few = schemes()[plain.algorithm].key_pairs == 0 if plain.algorithm in schemes() else False
    return not few and members_known(plain, None) > 1


def sizes_of(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Of the sizes of an operation those that are asked, the smallest at least; none where it has none."""
    return tuple(size for size in sizes if size <= LARGEST_BYTES) or sizes[:1]


def question(case: Case, form: str | None, number: int) -> RandomInput:
    """The random input `number` (below 2^64) of a case. `form`: encoding of an ECDSA signature."""
    plain = bare(case)
    verb = oracle.verb_of(plain.operation)
    inputs = _genuine(plain, verb, form, number)
    forges = bool(verb.undoes) and bool(verb.rejects & {"not-authentic", "implicit"})
    if forges and number % FORGED_EVERY == FORGED_EVERY - 1:
        forged = _forged(verb, inputs, number)
        try:
            due = _due(plain, forged, form)
        except (NotAuthentic, UsageError):  # UsageError: a ciphertext that is no number below the modulus
            return RandomInput(number, case, forged, None, refused=True, forged=True)
        if "implicit" in verb.rejects:
            return RandomInput(number, case, forged, due, forged=True)
        # What implicit rejection makes of a padding may be refused as well: it says nothing of a library.
    return RandomInput(number, case, inputs, _due(plain, inputs, form) if verb.proof != "decides" else b"")


def _due(case: Case, inputs: Mapping[str, InputValue], form: str | None) -> bytes | None:
    return oracle.expected_output(case.operation, {name: value.data for name, value in inputs.items()}, form)


def _genuine(case: Case, verb: Verb, form: str | None, number: int) -> dict[str, InputValue]:
    scheme = schemes().get(case.algorithm)
    if (
        case.algorithm in bignum_oracle.BY_ALGORITHM
        or (case.algorithm, case.verb) in algorithm_folders.folder_code(case.algorithm).members
    ):
        return member_inputs(case, form, number)
    if not verb.undoes:
        return {name: _value(case, scheme, name, old, number) for name, old in timed_inputs(case, form).items()}
    before = Case(case.algorithm, verb.undoes, case.size_bytes, case.params)
    first = _genuine(before, oracle.verb_of(before.operation), form, number)
    if scheme is not None:
        key, pub = _pair(scheme, number, _PRIVATE)
        first |= {"key": InputValue(key), "pub": InputValue(pub)}
        if seed := scheme.seed_bytes.get(verb.undoes):
            first["seed"] = InputValue.generated(stream_number(_STREAM, number), seed)
    made = undone(before, {name: value.data for name, value in first.items()}, form)
    return {name: value for name, value in (first | made).items() if name in verb.inputs and name != "seed"}


def _value(case: Case, scheme: Scheme | None, name: str, old: InputValue, number: int) -> InputValue:
    if scheme is not None and (name == "key" or name == "pub"):
        is_peer = name == "pub" and case.verb == "derive"
        if case.verb == "agree":  # the judge has to know the private key
            return InputValue(scheme.key_pair(number % KEYS)[1])
        return InputValue(_pair(scheme, number, _PEER if is_peer else _PRIVATE)[name == "pub"])
    made = InputValue.generated(stream_number(_STREAM + len(name) + ord(name[0]), number), len(old.data))
    if name == "iv" and case.algorithm.endswith("-ctr"):
        return InputValue(made.data[:-_COUNTER_BYTES] + bytes(_COUNTER_BYTES))
    return made


def _pair(scheme: Scheme, number: int, what: int) -> tuple[bytes, bytes]:
    return scheme.key_pair(stream_number(what, number) if scheme.endless else number // FORGED_EVERY % KEYS)


def _forged(verb: Verb, inputs: dict[str, InputValue], number: int) -> dict[str, InputValue]:
    """One bit of what is authenticated, or of what authenticates it: of anything but the keys."""
    place = stream_number(_PLACE, number)
    names = [name for name in inputs if name not in verb.secret and name != "pub" and inputs[name].data]
    name = names[place % len(names)]
    data = bytearray(inputs[name].data)
    free = _told_bytes(inputs[name].data) if name == "sig" else range(len(data))
    at = (place >> 8) % (8 * len(free))
    data[free[at // 8]] ^= 1 << at % 8
    return inputs | {name: InputValue(bytes(data))}


def _told_bytes(signature: bytes) -> list[int]:
    """Where the numbers of a signature are. A pair in DER has the tag and the length of the second between them: of these libraries that read BER make the same numbers."""
    free = range(_EDGE_BYTES, len(signature) - _EDGE_BYTES)
    head = 3 if signature[1] == 0x81 else 2
    if signature[0] != 0x30 or signature[head - 1] != len(signature) - head or signature[head] != 0x02:
        return [*free]
    second = head + 2 + signature[head + 1]
    return [place for place in free if not second <= place < second + _MIDDLE_BYTES]
