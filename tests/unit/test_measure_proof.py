# SPDX-License-Identifier: Apache-2.0
"""What is proven before it is timed: every input of a ring, every key of a ring of keys, at first and after the timed calls. With a scripted worker."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scripts import HASH, MAC, cost, write_worker

from cipherstone.catalogue.conditions import KEYS
from cipherstone.catalogue.failures import ORDINARY, Expectation
from cipherstone.catalogue.vectors import Vector
from cipherstone.measure.proof import (
    Between,
    Capability,
    Expectations,
    ProvenCase,
    _Tally,
    _verdict,
    members,
    prove_case,
)
from cipherstone.measure.rounds import timed_batch
from cipherstone.model.ids import Case
from cipherstone.model.outcomes import Outcome
from cipherstone.operations import oracle
from cipherstone.operations.inputs import timed_inputs
from cipherstone.protocol.messages import Computed, Empty, Refusal
from cipherstone.worker import WorkerProcess
from cipherstone.worker.terms import UNPROBED

FRESH, VERIFY = f"{MAC}/bytes=64,key=fresh", "ed25519/verify"


def asked(folder: Path) -> list[list[str]]:
    """Requests about cases, as words."""
    lines = [line.split()[2:] for line in (folder / "alpha" / "requests.log").read_text().splitlines()]
    return [words for words in lines if words[0] in ("prepare", "add-key", "compute", "close", "output")]


def proved(folder: Path, name: str, ring: int = 1, **script: Any) -> tuple[WorkerProcess, ProvenCase | str]:
    costs = {MAC: cost(1000), HASH: cost(1000), VERIFY: cost(9000)}
    worker = WorkerProcess([str(write_worker(folder, "alpha", costs, log=True, **script))])
    worker.hello()
    case = Case.parse(name)
    capability = Capability(case.operation, "default", None, "", ring)
    able = ("ring",) if ring > 1 else ()
    expectations = Expectations()
    expected, *others = (expectations.of(case, None, member) for member in range(members(case, capability, able)))
    return worker, prove_case(worker, 5, case, capability, expected, others)


def test_every_key_of_a_ring_is_proven(tmp_path: Path) -> None:
    worker, proven = proved(tmp_path, FRESH)
    assert isinstance(proven, ProvenCase) and proven.ring == 1 and proven.number == 5
    requests = asked(tmp_path)
    assert [words[0] for words in requests] == ["prepare"] + ["add-key"] * (KEYS - 1) + ["compute"] * KEYS
    keys = {word for words in requests[:KEYS] for word in words if word.startswith("key=gen:")}
    assert len(keys) == KEYS and all("case=5" in words for words in requests)
    for calls, lead in ((3, 0), (KEYS, 2), (1, 0)):
        worker.run(5, calls, lead)
        proven.count(calls + lead)
        assert proven.still_right() == ""
    worker.close()


@pytest.mark.parametrize("key", [0, 1, KEYS - 1])
def test_one_wrong_key_is_no_proof(tmp_path: Path, key: int) -> None:
    worker, proven = proved(tmp_path, FRESH, wrong=[{"op": MAC, "key": key}])
    assert isinstance(proven, str) and "expected" in proven
    worker.close()


def test_a_key_that_goes_wrong_while_timed_is_noticed(tmp_path: Path) -> None:
    worker, proven = proved(tmp_path, FRESH, wrong=[{"op": MAC, "key": 7, "after_runs": 1}])
    assert isinstance(proven, ProvenCase)
    worker.run(5, 1, 0)
    proven.count(1)
    assert "expected" in proven.still_right()
    worker.close()


def test_timed_calls_are_counted_with_those_that_lead_in(tmp_path: Path) -> None:
    """Who looks at what they left must know which key the last one had."""
    worker, proven = proved(tmp_path, FRESH)
    assert isinstance(proven, ProvenCase)
    for calls, lead, batches in ((3, 1, 1), (2, 0, 3), (KEYS - 1, 2, 1)):
        timed_batch("alpha@1.0", proven, calls, lead, UNPROBED, batches)
        assert proven.still_right() == ""
    worker.close()


def test_members_of_a_ring_are_cases_of_their_own(tmp_path: Path) -> None:
    worker, proven = proved(tmp_path, VERIFY, ring=3)
    assert isinstance(proven, ProvenCase) and proven.ring == 3
    requests = asked(tmp_path)
    assert [(words[0], words[1]) for words in requests] == [
        (verb, f"case={number}") for number in (5, 6, 7) for verb in ("prepare", "compute")
    ]
    assert len({tuple(words[2:]) for words in requests if words[0] == "prepare"}) == 3
    assert proven.still_right() == ""
    proven.close()
    assert [words for words in asked(tmp_path) if words[0] == "close"] == [["close", f"case={n}"] for n in (5, 6, 7)]
    worker.close()


def test_without_a_ring_there_is_one_input() -> None:
    case, capability = Case.parse(VERIFY), Capability(VERIFY, "default", None, "", 16)
    assert members(case, capability, ("ring",)) == 16 and members(case, capability, ()) == 1
    assert members(Case.parse(FRESH), capability, ()) == KEYS


@pytest.mark.parametrize(
    ("name", "cold", "parted"),
    [
        (f"{MAC}/bytes=64", False, False),
        (f"{MAC}/bytes=64,cache=cold", True, True),
        (f"{MAC}/bytes=64,place=same", False, True),
        (FRESH, False, False),
        (f"{MAC}/bytes=64,key=fresh,cache=cold", True, True),
    ],
)
def test_what_is_timed_call_by_call(tmp_path: Path, name: str, cold: bool, parted: bool) -> None:
    worker, proven = proved(tmp_path, name)
    assert isinstance(proven, ProvenCase) and (proven.cold, proven.parted) == (cold, parted)
    worker.close()


def test_nothing_else_makes_a_proven_case(tmp_path: Path) -> None:
    worker, proven = proved(tmp_path, f"{MAC}/bytes=64")
    assert isinstance(proven, ProvenCase)
    with pytest.raises(TypeError, match="prove_case only"):
        ProvenCase(worker, 0, (proven.expected,), (), Between(), object())
    worker.close()


OK, NOT = Computed("ok", out=""), Computed("rejected")


@pytest.mark.parametrize(
    ("expect", "prepared", "computed", "problem", "said"),
    [
        ("ok", Empty(), OK, "", "accepts"),
        ("ok", Empty(), OK, "got another", "answers otherwise"),
        ("ok-or-rejected", Empty(), OK, "got another", "answers otherwise"),
        ("implicit", Empty(), OK, "", "accepts"),
        ("rejected", Empty(), OK, "must be rejected", "accepts"),
        ("bad-key", Empty(), OK, "must be refused", "accepts"),
        ("rejected", Empty(), NOT, "", "rejects"),
        ("ok", Empty(), Computed("bad-key"), "result 'bad-key'", "rejects"),
        ("rejected", Empty(), Computed("error"), "must be rejected", "fails"),
        ("ok", Empty(), Refusal("unavailable", ""), "no result", "fails"),
        ("bad-key", Refusal("bad-key", ""), NOT, "", "rejects"),
        ("ok", Refusal("unknown-operation", ""), NOT, "refused", "fails"),
    ],
)
def test_what_became_of_a_vector_is_told_whatever_was_due(
    expect: Expectation, prepared: object, computed: object, problem: str, said: str
) -> None:
    """By that lanes are held against each other."""
    vector = Vector("v", "verify", {}, None, expect, None, False, "a source", "", failure=ORDINARY)
    assert _verdict(vector, prepared, computed, problem) == said


@pytest.mark.parametrize(("others", "outcome"), [(True, Outcome.OK), (False, Outcome.WRONG)])
def test_vectors_of_other_parameters_may_be_unavailable(others: bool, outcome: Outcome) -> None:
    """A worker need not have these; of its own operation it must answer all."""
    vector = Vector("v", "hash", {"msg": b""}, hashlib.sha256().digest(), "ok", None, False, "a source", "", failure=ORDINARY)  # fmt: skip
    tally, refused = _Tally(), Refusal("unavailable", "no memory for these")
    tally.add(Capability(HASH, "default"), vector, Empty(), Computed("ok", out=hashlib.sha256().hexdigest()))
    tally.add(Capability(HASH, "default"), vector, refused, refused, None, others)
    assert tally.proof(False).outcome is outcome


@pytest.mark.parametrize("form", ["der", "p1363"])
def test_what_is_random_is_proven_by_its_verification(form: str) -> None:
    """At the timed inputs any signature that verifies is right, and nothing else."""
    case = Case.parse("ecdsa-p256-sha256/sign")
    expected = Expectations().of(case, form)
    inputs = {name: value.data for name, value in timed_inputs(case, form).items()}
    signature = oracle.made("ecdsa-p256-sha256/sign", inputs, form)
    assert expected.random and expected.problem(Computed("ok", out=signature.hex())) == ""
    for out in (None, "", "zz", (signature[:-1] + bytes([signature[-1] ^ 1])).hex()):
        assert expected.problem(Computed("ok", out=out)).startswith(("at the timed inputs: ", "output at the timed"))
    assert "result 'error' (no luck)" in expected.problem(Computed("error", detail="no luck"))


@pytest.mark.parametrize(
    ("computed", "problem"),
    [
        (lambda out: Computed("ok", out=out.hex()), ""),
        (lambda out: Computed("ok", len=len(out), crc32=f"{zlib.crc32(out):08x}"), ""),
        (lambda out: Computed("ok", out=out[:-1].hex()), "has length 31"),
        (lambda out: Computed("ok", out="zz"), "has length None"),
        (lambda out: Computed("ok", len=33, crc32=f"{zlib.crc32(out):08x}"), "has length 33"),
        (lambda out: Computed("ok", len=32, crc32="00000000"), "CRC-32 00000000"),
        (lambda out: Computed("ok"), "has length None and CRC-32 None"),
        (lambda out: Computed("rejected", out=out.hex()), "result 'rejected'"),
    ],
)
def test_what_is_fixed_is_proven_by_length_and_checksum(computed: Callable[[bytes], Computed], problem: str) -> None:
    case = Case.parse(f"{HASH}/bytes=64")
    out = hashlib.sha256(timed_inputs(case)["msg"].data).digest()
    said = Expectations().of(case, None).problem(computed(out))
    assert problem in said and bool(said) == bool(problem)


def test_what_the_timed_calls_left_is_looked_at_itself(tmp_path: Path) -> None:
    """Not only what further calls give: of a ring of keys, and of one input."""
    for number, name in enumerate((FRESH, f"{MAC}/bytes=64")):
        spoilt = [{"at": "output", "do": "put", "keys": {"crc32": "00000000"}}]
        worker, proven = proved(tmp_path / str(number), name, faults=spoilt)
        assert isinstance(proven, ProvenCase)
        worker.run(5, 3, 0)
        proven.count(3)
        assert "CRC-32 00000000" in proven.still_right()
        worker.close()
