# SPDX-License-Identifier: Apache-2.0
"""What one input for ever hides: branch predictors learn the path of a call whose time depends on its operands. A case alone against a ring of cases, in the same process, turn by turn."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping

from bench.field import Field
from bench.result import Result, tell
from cipherstone.measure.proof import case_texts
from cipherstone.model.errors import CipherstoneError
from cipherstone.model.ids import Case, Lane
from cipherstone.operations import oracle
from cipherstone.operations.inputs import timed_inputs
from cipherstone.operations.ring import member_inputs
from cipherstone.operations.schemes import schemes
from cipherstone.operations.splitmix import splitmix64
from cipherstone.protocol.messages import Batch, Computed, Refusal
from cipherstone.worker import WorkerProcess
from cipherstone.worker.terms import Terms

ABOUT_S = 240
RING = 32
PROCESSES = 7
TURNS = 24
BATCHES = 6
BATCH_NS = 200_000
WAIT_US = 2000
ALONE, FIRST = 0, 100  # numbers of the case alone and of the ring's first
TOLD_PERCENT = 1.0
LANES = (
    ("sha-256/hash/bytes=64", "openssl", "default"),
    ("x25519/derive", "openssl", "default"),
    ("ed25519/verify", "openssl", "default"),
    ("ed25519/verify", "libsodium", "default"),
    ("ecdsa-p256-sha256/verify", "openssl", "default"),
    ("ecdsa-p256-sha256/verify", "nettle", "default"),
    ("ecdsa-p256-sha256/verify", "mbedtls", "default"),
    ("bignum/mod-inv/bits=2048", "openssl", "default"),
    ("bignum/mod-inv/bits=2048", "gmp", "default"),
    ("bignum/mod-inv/bits=2048", "libtommath", "default"),
    ("bignum/mod-add/bits=2048", "gmp", "default"),
    ("bignum/div-mod/bits=2048", "openssl", "default"),
    ("modexp/private/bits=512,crt=no", "openssl", "default"),
    ("modexp/private/bits=512,crt=no", "gmp", "default"),
)
Inputs = Mapping[str, bytes]


def run(field: Field, result: Result, fast: bool) -> None:
    """Each lane in fresh processes; a line for each."""
    rows: list[list[str]] = []
    data: dict[str, list[float]] = {}
    reference = field.ipc_reference
    for case_id, library, implementation in LANES:
        if not field.has(library) or implementation not in field.offers(Case.parse(case_id).operation, library):
            continue
        lane = field.lane(library, implementation)
        name = f"{library}, {case_id}"
        values = [_one_process(field, lane, Case.parse(case_id), reference) for _ in range(2 if fast else PROCESSES)]
        seen = [value for value in values if value is not None]
        if not seen:
            rows.append([name, "-", "-", ""])
            continue
        percent = [100 * math.log(value) for value in seen]
        data[name] = percent
        middle = statistics.median(percent)
        said = "*" if abs(middle) > TOLD_PERCENT and min(map(abs, percent)) > TOLD_PERCENT / 2 else ""
        rows.append([name, f"{middle:+.2f}", f"{min(percent):+.2f} to {max(percent):+.2f}", said])
        tell(f"  {name}: {middle:+.2f} %")
    result.say(
        f"Cycles a call of {RING} cases in turn over one case for ever, %, in {2 if fast else PROCESSES} fresh processes (median, range); the ring's own cost is in it, about two nanoseconds a call. "
        f"Only batches with a free core at both ends; -: too few. *: more than {TOLD_PERCENT:g} %."
    )
    result.table(["lane", "median", "range", ""], rows)
    result.data = {"percent": data}


def variant(case: Case, number: int, form: str | None) -> Inputs:
    """Inputs of the same shape as the timed ones, `number` (from 1) of them; what an application would have anew in each call."""
    inputs = {name: value.data for name, value in timed_inputs(case, form).items()}
    if case.verb == "derive":
        key_pair = schemes()[case.algorithm].key_pair
        return {"key": key_pair(number)[0], "pub": key_pair(1000 + number)[1]}
    if case.verb == "private":
        modulus = int.from_bytes(inputs["pub"], "big")
        base = int.from_bytes(splitmix64(5000 + number, len(inputs["msg"])), "big") % modulus
        return inputs | {"msg": base.to_bytes(len(inputs["msg"]), "big")}
    if case.verb == "hash":
        return {"msg": splitmix64(5000 + number, len(inputs["msg"]))}
    return {name: value.data for name, value in member_inputs(case, form, number).items()}


def _one_process(field: Field, lane: Lane, case: Case, reference: float | None) -> float | None:
    """Cycles of the ring over those of the case alone; None if too little was undisturbed."""
    capability = field.capability(case.operation, lane)
    terms = Terms(True, 60.0, 0.97 * reference if reference is not None else None, WAIT_US)
    with field.launch(lane).start(field.cpu) as worker:
        worker.hello()
        for index in range(RING):
            _prepare(worker, FIRST + index, case, lane, variant(case, index + 1, capability.form), capability.form)
        _prepare(worker, ALONE, case, lane, variant(case, 1, capability.form), capability.form)
        calls = max(1, round(BATCH_NS / max(1, worker.run(ALONE, 8, 4).ns / 8)))
        taken: dict[int, list[float]] = {1: [], RING: []}
        for turn in range(TURNS):
            for size in (1, RING) if turn % 2 else (RING, 1):
                start = ALONE if size == 1 else FIRST
                batch = worker.run(start, calls, max(2 * size, calls // 4), BATCHES, size, terms)
                if batch.failed:
                    raise CipherstoneError(f"ring: {lane.id} {case.id}: a call failed (status {batch.failed})", "")
                if turn > 1:
                    taken[size] += _clean_cycles(batch, calls, reference)
    least = TURNS  # of 132 batches each
    if min(map(len, taken.values())) < least:
        return None
    return _quartile(taken[RING]) / _quartile(taken[1])


def _quartile(values: list[float]) -> float:
    return sorted(values)[len(values) // 4]


def _prepare(worker: WorkerProcess, number: int, case: Case, lane: Lane, inputs: Inputs, form: str | None) -> None:
    """Prepares and proves one case. Raises CipherstoneError for a wrong result."""
    texts = {name: f"hex:{data.hex()}" for name, data in inputs.items()} | case_texts(case, inputs)
    try:
        worker.prepare(number, case.listed, lane.implementation, texts)
        said = worker.ask("compute", {"case": number}, Computed)
    except Refusal as refusal:
        raise CipherstoneError(f"ring: {lane.id} {case.id}: {refusal}", "") from None
    due = oracle.expected_output(case.operation, inputs, form)
    if said.result != "ok" or (due is not None and bytes.fromhex(said.out or "") != due):
        raise CipherstoneError(f"ring: {lane.id} {case.id}: a wrong result for input {number}", "")


def _clean_cycles(batch: Batch, calls: int, reference: float | None) -> list[float]:
    """Cycles a call of the batches that had a free core at both ends."""
    if batch.chain_ns is None or batch.tput_ns is None or reference is None:
        return []
    found = []
    for index, ns in enumerate(batch.each or (batch.ns,)):
        ends = list(zip(batch.chain_ns[index : index + 2], batch.tput_ns[index : index + 2], strict=True))
        if any(not chain or not tput for chain, tput in ends):
            continue
        chains, tputs = [chain or 0.0 for chain, _ in ends], [tput or 0.0 for _, tput in ends]
        if 0.97 * reference <= min(chains) / max(tputs) and min(chains) / min(tputs) <= 1.05 * reference:
            found.append(ns / calls / statistics.mean(chains))
    return found
