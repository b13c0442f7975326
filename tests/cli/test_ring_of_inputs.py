# SPDX-License-Identifier: Apache-2.0
"""Operations whose path depends on their operands are timed over a ring of inputs, each of them proven, with the real libraries."""

from __future__ import annotations

from pathlib import Path

import pytest
import scripts
from scripts import skip_or_fail

from cipherstone.catalogue.algorithms import MAX_RING, load_catalogue
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.cli import environment as env
from cipherstone.execute.survey import Found, survey
from cipherstone.measure.proof import Expectations, ProvenCase, prove_case
from cipherstone.measure.rounds import harness_cost_ns, timed_batch
from cipherstone.model.ids import Case
from cipherstone.operations import oracle
from cipherstone.operations.inputs import timed_inputs
from cipherstone.operations.ring import member_inputs
from cipherstone.protocol.messages import Refusal
from cipherstone.worker.terms import Terms

CATALOGUE = load_catalogue(scripts.ROOT)
RINGS = [operation.headline for operation in CATALOGUE.operations.values() if operation.ring > 1]


def test_which_operations_have_a_ring() -> None:
    ecdsa = {"ecdsa-p256-sha256", "ecdsa-secp256k1-sha256", "ecdsa-p384-sha384", "ecdsa-p521-sha512"}
    ecdsa.add("ecdsa-brainpoolp256r1-sha256")
    ml_dsa = {"ml-dsa-44", "ml-dsa-65", "ml-dsa-87"}  # how often signing begins anew depends on the message
    verifying = {case.algorithm for case in RINGS if case.verb == "verify"}
    signing = {case.algorithm for case in RINGS if case.verb == "sign"}
    rsa = {f"rsa-{bits}-{padding}-sha256" for bits in (2048, 3072, 4096) for padding in ("pkcs1", "pss")}
    assert (verifying, signing) == ({"ed25519", "ed448", "dsa-2048-sha256"} | ecdsa | ml_dsa | rsa, ml_dsa)
    assert {case.algorithm for case in RINGS} == {"bignum"} | verifying | signing
    assert all(1 <= operation.ring <= MAX_RING for operation in CATALOGUE.operations.values())


def taken(operation: str, inputs: dict[str, bytes], form: str | None) -> bool:
    """Whether the oracle takes the inputs: what is due is there, or something right can be drawn from them."""
    if oracle.expected_output(operation, inputs, form) is not None:
        return True
    drawn = oracle.made(operation, inputs, form)
    return not oracle.random_output_problem(operation, inputs, drawn, form)


@pytest.mark.parametrize("case", RINGS, ids=lambda case: case.id)
def test_members_are_inputs_of_the_same_shape_and_all_differ(case: Case) -> None:
    forms = ("der", "p1363") if case.algorithm.startswith("ecdsa") else (None,)
    for form in forms:
        members = [member_inputs(case, form, member) for member in range(MAX_RING)]
        assert members[0] == timed_inputs(case, form)
        assert len({tuple(value.data for value in one.values()) for one in members}) == MAX_RING
        for one in members[1:]:
            assert {name: len(value.data) for name, value in one.items() if name != "sig"} == {
                name: len(value.data) for name, value in members[0].items() if name != "sig"
            }
            inputs = {name: value.data for name, value in one.items()}
            assert taken(case.operation, inputs, form)


@pytest.fixture(scope="module")
def found(worker_cache: Path) -> dict[str, Found]:
    workshop = env.workshop(worker_cache)
    libraries = load_libraries(workshop.root, CATALOGUE)
    chosen = {name: libraries[name] for name in ("gmp", "openssl", "libsodium")}
    ready = {one.id: one for one in survey(workshop, chosen) if one.launch is not None}
    return ready or skip_or_fail("none of these libraries is installed here")


@pytest.mark.libraries
@pytest.mark.parametrize(
    ("library", "operation"),
    [
        ("gmp", "bignum/mod-inv/bits=2048"),
        ("openssl", "bignum/mod-add/bits=2048"),
        ("libsodium", "ed25519/verify"),
        ("openssl", "ecdsa-p256-sha256/verify"),
    ],
)
def test_every_member_is_proven_called_and_looked_at_again(
    found: dict[str, Found], library: str, operation: str
) -> None:
    if library not in found:
        skip_or_fail(f"{library} is not installed here")
    one = found[library]
    assert one.launch is not None
    capability = one.offer(CATALOGUE).capabilities[operation, "default"]
    assert capability.ring == CATALOGUE.operation(operation).ring > 1
    case, expectations = Case.parse(operation), Expectations()
    expected, *ring = (expectations.of(case, capability.form, member) for member in range(capability.ring))
    with one.launch.start() as worker:
        worker.hello()
        assert "ring" in worker.capabilities
        alone, turn = harness_cost_ns(worker)
        assert alone > 0 and turn > 0
        proven = prove_case(worker, 3, case, capability, expected, ring)
        assert isinstance(proven, ProvenCase) and proven.ring == capability.ring
        assert timed_batch("lane", proven, 40, 8, Terms(True, 60.0), 2).ns > 0
        assert proven.still_right() == ""
        # A member whose result is not its own is noticed, whichever it is.
        worker.close_case(3 + 7)
        wrong = ring[0]
        worker.prepare(3 + 7, case.listed, "default", wrong.texts)
        worker.compute(3 + 7)
        assert (proven.still_right() == "") is (case.verb == "verify")  # what verifies leaves no output
        worker.close_case(3 + 7)
        with pytest.raises(Refusal, match="no-such-case"):
            proven.still_right()
