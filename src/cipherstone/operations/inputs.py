# SPDX-License-Identifier: Apache-2.0
"""The inputs that are timed: the same bytes for every library, machine and run.

Symmetric keys, nonces and messages are SplitMix64 streams (PROTOCOL.md section 2), so that a request names them in a few characters. Private keys are such
streams too; the peer's public value, the ciphertext, the tag and the signature that belong to them come from the oracle, once a process.
Numbers of modular arithmetic are fixed too (bignum_inputs.py). Key generation has no inputs: it draws from the library's own generator.
AEADs get 13 bytes of associated data, the length that TLS 1.2 has (RFC 5246 section 6.2.3.3); sign and verify get a message of 32 bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache

from cipherstone.catalogue.algorithms import catalogue_of_checkout
from cipherstone.catalogue.conditions import bare
from cipherstone.catalogue.verbs import Verb
from cipherstone.model.errors import UsageError, nearest
from cipherstone.model.ids import Case
from cipherstone.operations import algorithm_folders, bignum_oracle, kernel_proof, oracle
from cipherstone.operations.bignum_inputs import bignum_inputs
from cipherstone.operations.kernels import is_kernel
from cipherstone.operations.scheme import PEER
from cipherstone.operations.schemes import schemes
from cipherstone.operations.splitmix import splitmix64 as splitmix64
from cipherstone.operations.values import InputValue

AAD_BYTES = 13
SIGNED_BYTES = 32
_KEY_SEED, _IV_SEED, _AAD_SEED, _MSG_SEED = 1, 2, 3, 4

# Where an algorithm takes keys of any length: what its `keys` says of the timed one.
_TIMED_KEY_BYTES = 32


def timed_inputs(case: Case, form: str | None = None) -> dict[str, InputValue]:
    """The inputs of `case` by name, as its verb has them (PROTOCOL.md section 2).

    `form`: encoding of an ECDSA signature, `der` (also if None) or `p1363`. Raises UsageError for a case that this module knows no inputs for.
    A kernel's inputs follow its implementation, which is its `form`. Of conditions `aad` changes an input, the others none.
    """
    aad_bytes, case = int(case.param("aad") or AAD_BYTES), bare(case)
    return kernel_proof.kernel_inputs(case, form) if is_kernel(case.algorithm) else dict(_inputs(case, form, aad_bytes))


@lru_cache(maxsize=512)
def _inputs(case: Case, form: str | None, aad_bytes: int = AAD_BYTES) -> dict[str, InputValue]:
    if not oracle.is_known(case.operation):
        raise UsageError(f"inputs: '{case.operation}' is not known", nearest(case.operation, oracle.operations()))
    operation = catalogue_of_checkout().operation(case.operation)
    if (case.size_bytes is None) == bool(operation.sizes):
        wrong = "needs bytes=N" if operation.sizes else "has no sizes"
        raise UsageError(f"inputs: '{case.id}': {case.operation} {wrong}", "see `cipherstone list --operations`")
    if case.algorithm in bignum_oracle.BY_ALGORITHM:
        return {name: InputValue(data) for name, data in bignum_inputs(case).items()}
    verb = oracle.verb_of(case.operation)
    params = dict(case.params)
    made = {
        name: data(params) if callable(data) else data
        for (_, name), data in algorithm_folders.folder_code(case.algorithm).inputs.items()
    }
    given = {name: InputValue(data) for name, data in made.items() if data is not None}
    needed = verb.needed_with(operation.lengths)
    if "aad" in needed:
        given["aad"] = InputValue.generated(_AAD_SEED, aad_bytes)
    given |= _undone(case, verb, form, aad_bytes) if verb.undoes else {}
    names = [name for name in verb.inputs if name in needed or name in given]
    return {name: given[name] if name in given else _INPUTS[name](case, operation.lengths) for name in names}


def _undone(case: Case, verb: Verb, form: str | None, aad_bytes: int) -> dict[str, InputValue]:
    """Inputs of a verb that undoes another: the inputs of that one, and its outputs in their places."""
    before = Case(case.algorithm, verb.undoes, case.size_bytes, case.params)
    inputs = _inputs(before, form, aad_bytes)
    return inputs | undone(before, {name: value.data for name, value in inputs.items()}, form)


def undone(before: Case, inputs: Mapping[str, bytes], form: str | None) -> dict[str, InputValue]:
    """What the verb that undoes `before` is given of its outputs at `inputs`, by name."""
    first = oracle.verb_of(before.operation)
    whole = (
        oracle.made(before.operation, inputs, form)
        if first.proof in ("verified", "round-trip") and "seed" not in inputs
        else oracle.expected_output(before.operation, inputs, form)
    )
    assert whole is not None, before.id
    parts = _parts(first.outputs, catalogue_of_checkout().operation(before.operation).lengths, whole)
    undoing = next(verb for verb in catalogue_of_checkout().verbs.values() if verb.undoes == first.name)
    return {name: InputValue(parts[output]) for output, name in undoing.undone(first.outputs).items()}


def _parts(outputs: tuple[str, ...], lengths: Mapping[str, int], whole: bytes) -> dict[str, bytes]:
    """`whole`, which holds `outputs` one after another; the one without a stated length has what the others leave."""
    if len(outputs) == 1:
        return {outputs[0]: whole}
    rest = len(whole) - sum(lengths.get(name, 0) for name in outputs)
    found, at = {}, 0
    for name in outputs:
        end = at + lengths.get(name, rest)
        found[name], at = whole[at:end], end
    return found


@lru_cache(maxsize=512)
def timed_output(case: Case, form: str | None = None) -> bytes | None:
    """What the oracle says about the timed inputs of `case`: the output, or None where it is randomised. Computed once a process."""
    return oracle.expected_output(
        case.operation, {name: value.data for name, value in _inputs(case, form).items()}, form
    )


@lru_cache(maxsize=32)
def _message(size_bytes: int) -> InputValue:
    return InputValue.generated(_MSG_SEED, size_bytes)


def _key(case: Case, lengths: Mapping[str, int]) -> InputValue:
    stream = InputValue.generated(_KEY_SEED, lengths.get("key", _TIMED_KEY_BYTES))
    if case.algorithm not in schemes():
        return stream
    private, _ = schemes()[case.algorithm].key_pair(0)
    return stream if stream.data == private else InputValue(private)


def _pub(case: Case, lengths: Mapping[str, int]) -> InputValue:
    """The other side's public value where a secret is agreed on, else the one of the timed pair."""
    _, public = schemes()[case.algorithm].key_pair(
        PEER if oracle.verb_of(case.operation).proof == "known-answer" else 0
    )
    return InputValue(public)


def _msg(case: Case, lengths: Mapping[str, int]) -> InputValue:
    return _message(SIGNED_BYTES if case.size_bytes is None else case.size_bytes)


_INPUTS: dict[str, Callable[[Case, Mapping[str, int]], InputValue]] = {
    "key": _key,
    "iv": lambda case, lengths: InputValue.generated(_IV_SEED, lengths["iv"]),
    "msg": _msg,
    "pub": _pub,
}
