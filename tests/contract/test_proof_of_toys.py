# SPDX-License-Identifier: Apache-2.0
"""The orchestrator's judgement of real workers: keys that must not be used, parameters that a row is not made for, faults that only canaries see."""

from __future__ import annotations

import pytest

from cipherstone.catalogue.vectors import Vector
from cipherstone.measure.proof import Capability, prove_operation
from cipherstone.model.outcomes import Outcome
from cipherstone.worker import WorkerProcess

SUM = bytes.fromhex("af63dc4c8601ec8c")  # of the byte 0x61


def vector(name: str, verb: str, expect: str, output: bytes | None, params: str = "", **inputs: bytes) -> Vector:
    named = dict(part.split("=") for part in params.split(",") if part)
    return Vector(name, verb, inputs, output, expect, None, True, "by hand", params=named)  # type: ignore[arg-type]


GOOD = vector("good", "hash", "ok", SUM, msg=b"a")


def proved(worker: list[str], operation: str, *vectors: Vector) -> tuple[Outcome, int, int, str]:
    with WorkerProcess(worker) as process:
        proof = prove_operation(process, Capability(operation, "default"), vectors)
    return proof.outcome, proof.accepted, proof.rejected, "; ".join(proof.failures)


def test_a_key_that_must_be_refused_is_refused_at_set_up_or_by_the_call(worker: list[str]) -> None:
    agreed = vector("agreed", "derive", "ok", bytes.fromhex("089c4407b545986a"), key=b"a", pub=b"b")
    refused = [
        vector("no key", "derive", "rejected", None, key=b"", pub=b"b"),
        vector("no point", "derive", "rejected", None, key=b"a", pub=b""),
    ]
    outcome, accepted, rejected, failures = proved(worker, "toy-pair/derive", agreed, *refused)
    assert (accepted, rejected, failures) == (1, 2, "") and outcome is Outcome.OK
    taken = vector("taken", "derive", "rejected", None, key=b"a", pub=b"b")
    outcome, _, _, failures = proved(worker, "toy-pair/derive", agreed, taken)
    assert outcome is Outcome.WRONG and "taken" in failures and "must be rejected" in failures


@pytest.mark.parametrize(
    ("params", "output"), [("out=4,mode=sum", SUM[:4]), ("out=8,mode=sum", SUM), ("mode=copy", b"a")]
)
def test_an_operation_is_proven_by_the_vectors_of_its_own_parameters(
    worker: list[str], params: str, output: bytes
) -> None:
    mine = vector("mine", "hash", "ok", output, params, msg=b"a")
    other = vector("other", "hash", "ok", b"never", "out=2,mode=sum", msg=b"a")
    assert proved(worker, f"toy-cut/hash/{params}", mine, other) == (Outcome.OK, 1, 0, "")


def test_parameters_that_no_row_is_made_for_are_not_judged(worker: list[str]) -> None:
    five = vector("five", "hash", "ok", SUM[:5], "out=5,mode=sum", msg=b"a")
    outcome, accepted, _, failures = proved(worker, "toy-cut/hash/out=5,mode=sum", five)
    assert (outcome, accepted) == (Outcome.WRONG, 0) and "no known answer could be computed" in failures


@pytest.mark.parametrize("operation", ["toy-changing/hash", "toy-beside/hash", "toy-overrun/hash"])
def test_a_right_result_beside_a_stray_write_is_wrong(worker: list[str], operation: str) -> None:
    assert proved(worker, "toy-sum/hash", GOOD)[0] is Outcome.OK
    outcome, accepted, _, failures = proved(worker, operation, GOOD)
    assert (outcome, accepted) == (Outcome.WRONG, 0) and "the call" in failures
