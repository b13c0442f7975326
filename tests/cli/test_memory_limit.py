# SPDX-License-Identifier: Apache-2.0
"""A limit on the memory of a worker's process: what needs more is one outcome that says so, and the rest goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
import scripts
from scripts import skip_or_fail

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.catalogue.vectors import load_vectors
from cipherstone.cli import environment as env
from cipherstone.execute.survey import survey
from cipherstone.measure.proof import Capability, Expectations, ProvenCase, prove_case, prove_operation
from cipherstone.model.outcomes import Outcome
from cipherstone.protocol.messages import Refusal
from cipherstone.worker import WorkerProcess

CATALOGUE = load_catalogue(scripts.ROOT)
MOST_KIB = (
    65_000  # of address space: less than the larger case has in blocks alone, enough for the smaller and the library
)
LARGER, SMALLER = "argon2id/derive/m=65536,t=3,p=4", "argon2id/derive/m=19456,t=2,p=1"


@pytest.mark.libraries
def test_argon2id_without_its_memory(worker_cache: Path) -> None:
    workshop = env.workshop(worker_cache)
    libraries = {name: one for name, one in load_libraries(workshop.root, CATALOGUE).items() if name == "libgcrypt"}
    found = [one for one in survey(workshop, libraries) if one.launch is not None]
    if not found:
        skip_or_fail("Libgcrypt is not installed here")
    launch = found[0].launch
    assert launch is not None
    limited = ["/bin/sh", "-c", f'ulimit -v {MOST_KIB}; exec "$@"', "sh", *launch.command]
    vectors = load_vectors(scripts.ROOT, "argon2id", CATALOGUE).vectors
    expectations = Expectations()
    with WorkerProcess(limited, environment=launch.environment) as worker:
        worker.hello()
        for name in (LARGER, SMALLER):
            capability, case = Capability(name, "default"), CATALOGUE.operation(name).headline
            # Its known answers need little.
            assert prove_operation(worker, capability, vectors).outcome in (Outcome.OK, Outcome.STRICT)
            expected = expectations.of(case, None)
            if name == SMALLER:
                assert isinstance(prove_case(worker, 0, case, capability, expected), ProvenCase)
                continue
            with pytest.raises(Refusal) as caught:
                prove_case(worker, 0, case, capability, expected)
            assert caught.value.code == "out-of-memory"
            assert str(caught.value) == "out-of-memory: the system has no 67108864 bytes for a call"


@pytest.mark.libraries
def test_answers_that_there_is_no_memory_for_say_nothing_of_the_others(worker_cache: Path) -> None:
    """A limit below the largest known answer of scrypt, 16 MiB: the others prove the operation."""
    workshop = env.workshop(worker_cache)
    libraries = {name: one for name, one in load_libraries(workshop.root, CATALOGUE).items() if name == "libgcrypt"}
    found = [one for one in survey(workshop, libraries) if one.launch is not None]
    if not found:
        skip_or_fail("Libgcrypt is not installed here")
    launch = found[0].launch
    assert launch is not None
    limited = ["/bin/sh", "-c", 'ulimit -v 20000; exec "$@"', "sh", *launch.command]
    name = "scrypt/derive/n=16384,r=8,p=1"
    vectors = load_vectors(scripts.ROOT, "scrypt", CATALOGUE).vectors
    with WorkerProcess(limited, environment=launch.environment) as worker:
        worker.hello()
        proof = prove_operation(worker, Capability(name, "default"), vectors)
    assert (proof.outcome, proof.failures) == (Outcome.OK, ())
    assert "rfc7914-2" not in proof.verdicts and "rfc7914-1" in proof.verdicts
