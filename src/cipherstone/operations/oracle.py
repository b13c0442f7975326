# SPDX-License-Identifier: Apache-2.0
"""The independent verifier: PyCryptodome, which shares no code with the libraries measured.

The folder of each algorithm brings its own part (algorithm_folders.py); those with key pairs are schemes (schemes.py). What PyCryptodome does not offer alone is computed with integers.
What an instruction kernel must leave is computed by the interpreter of the kernel table.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from cipherstone.catalogue.algorithms import catalogue_of_checkout
from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.verbs import Verb, verb_named, verbs
from cipherstone.model.errors import NotAuthentic as NotAuthentic
from cipherstone.model.errors import UsageError, nearest
from cipherstone.model.ids import Case
from cipherstone.operations import algorithm_folders
from cipherstone.operations.kernel_proof import kernel_output
from cipherstone.operations.kernels import is_kernel
from cipherstone.operations.scheme import Inputs, Scheme
from cipherstone.operations.scheme import MustNotBeUsed as MustNotBeUsed
from cipherstone.operations.schemes import schemes

Compute = Callable[[Inputs], bytes]


def expected_output(operation: str, inputs: Inputs, form: str | None = None) -> bytes | None:
    """What `operation` (`ALGORITHM/VERB`) must leave in the output buffer; b"" for `verify`.

    None: the output is randomised (`ecdsa-*/sign`, key generation). `form`: encoding of an ECDSA signature. Raises NotAuthentic where a library must reject, and
    UsageError for an operation that the oracle does not know or inputs that are no inputs of it.
    """
    if is_kernel(operation):
        return kernel_output(operation, inputs, form)
    compute = _compute(operation) or _varied(operation)
    if compute is None and not is_known(operation):
        raise UsageError(f"oracle: '{operation}' is not known", nearest(operation, operations()))
    verb = verb_of(operation)
    for name in verb.needed:
        if name not in inputs:
            raise UsageError(f"oracle: {operation}: input '{name}' is missing", "see protocol/PROTOCOL.md, section 2")
    try:
        if compute is not None:
            return compute(inputs)
        due = _scheme(operation).due.get(operation.split("/")[1])
        if verb.proof == "decides" and due is None:
            if not signature_is_valid(operation, inputs, inputs["sig"], form):
                raise NotAuthentic("the signature is not valid")
            return b""
        return due(inputs) if due is not None else None
    except KeyError as error:
        raise UsageError(
            f"oracle: {operation}: input {error} is missing", "see protocol/PROTOCOL.md, section 2"
        ) from None
    except NotAuthentic as error:
        raise type(error)(f"oracle: {operation}: {error}") from None
    except ValueError as error:
        raise UsageError(f"oracle: {operation}: {error}", "are these inputs of the operation?") from None


# A kernel takes the state that it starts from and leaves the one that the interpreter computes.
KERNEL_VERB = Verb("kernel", ("msg",), ("msg",), ("msg",), "known-answer")


def verb_of(operation: str) -> Verb:
    """The verb of `ALGORITHM/VERB[/NAME=VALUE...]`; of a kernel the one that all of them have. Raises UsageError."""
    if is_kernel(operation):
        return KERNEL_VERB
    name = operation.split("/")[1] if "/" in operation else operation
    verb = verb_named(name)
    if verb is None:
        raise UsageError(f"oracle: '{operation}': '{name}' is not a verb", nearest(name, verbs(data_root())))
    return verb


def random_output_problem(operation: str, inputs: Inputs, output: bytes, form: str | None = None) -> str:
    """ "" if an `output` that differs from call to call is right: a signature that verifies, a key pair or an encapsulated secret that stands the round trip. Else what is wrong in one line."""
    judge = _scheme(operation).judge.get(operation.split("/")[1])
    if judge is None:
        raise UsageError(f"oracle: '{operation}' draws nothing", nearest(operation, operations()))
    return judge(inputs, output, form)


def signature_is_valid(operation: str, inputs: Inputs, signature: bytes, form: str | None = None) -> bool:
    """Whether `signature` over `msg` verifies with `pub`. `operation` is a `sign` or a `verify`; `form`: `der` (also if None) or `p1363`, for ECDSA."""
    algorithm, verb = operation.split("/")[:2]
    signs = verb_of(operation).undoes or verb
    return not random_output_problem(f"{algorithm}/{signs}", inputs, signature, form)


def made(operation: str, inputs: Inputs, form: str | None = None) -> bytes:
    """One right output of an operation whose outputs are drawn, the same every time: RFC 6979 for ECDSA, a fixed seed for encapsulation."""
    return _scheme(operation).make[operation.split("/")[1]](inputs, form)


def _scheme(operation: str) -> Scheme:
    algorithm = operation.partition("/")[0]
    if algorithm not in schemes():
        raise UsageError(f"oracle: '{operation}' has no keys", nearest(operation, operations()))
    return schemes()[algorithm]


def _compute(operation: str) -> Compute | None:
    """An algorithm's folder is read when it is asked for first."""
    return algorithm_folders.folder_code(operation.partition("/")[0]).compute.get(operation)


def _varied(operation: str) -> Compute | None:
    """Of an operation that no catalogue has, but one that differs in parameters which known answers have with any value."""
    case = Case.parse(operation) if "/" in operation else Case(operation, "")
    at = algorithm_folders.folder_code(case.algorithm).at.get(case.listed)
    params = dict(case.params)
    if at is None or not any(one.answers(params) for one in catalogue_of_checkout().listed(case.listed)):
        return None
    return lambda inputs: at(inputs, params)


@lru_cache(maxsize=1)
def operations() -> frozenset[str]:
    """What is computed, and of schemes what they know: right outputs, drawn ones that they judge, and the verbs that undo those."""
    found = set(algorithm_folders.checkout_code().compute)
    for algorithm, scheme in schemes().items():
        found |= {f"{algorithm}/{verb}" for verb in _verbs_of(scheme)}
    return frozenset(found)


def is_known(operation: str) -> bool:
    """Whether it is one of `operations`, of which no other is read."""
    algorithm, _, verb = operation.partition("/")
    scheme = schemes().get(algorithm)
    return _compute(operation) is not None or (scheme is not None and verb in _verbs_of(scheme))


def _verbs_of(scheme: Scheme) -> set[str]:
    known = {*scheme.due, *scheme.judge}
    return known | {
        name for name, verb in verbs(data_root()).items() if verb.proof == "decides" and verb.undoes in known
    }
