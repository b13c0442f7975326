# SPDX-License-Identifier: Apache-2.0
"""Every adapter as a minimal program: it is built without the SDK's timing, and what it computes is what the oracle says, for some operations of each family by lot."""

from __future__ import annotations

import random

import pytest
import scripts
from scripts import skip_or_fail

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.cli import environment as env
from cipherstone.execute.opinion.loops import LoopPrograms
from cipherstone.execute.survey import Found, survey
from cipherstone.measure.minimal import Before, MinimalProgram, run_minimal
from cipherstone.measure.proof import Capability, Expectations, Expected
from cipherstone.model.errors import WorkerError
from cipherstone.model.ids import Lane

pytestmark = pytest.mark.libraries

CATALOGUE = load_catalogue(scripts.ROOT)
LIBRARIES = load_libraries(scripts.ROOT, CATALOGUE)
# Dear to compute once, and proven elsewhere.
LONG = ("argon2id", "scrypt", "keygen", "paramgen", "slh-dsa")
# What these versions compute is wrong in workers too (`cipherstone check`).
WRONG = {("mbedtls", "x509-p256/issue"), ("wolfssl", "x509-p256/verify-chain"), ("wolfssl", "x509-rsa-2048/verify-chain")}  # fmt: skip


@pytest.fixture(scope="module")
def here(worker_cache: object) -> tuple[LoopPrograms, list[Found]]:
    workshop = env.workshop(worker_cache)  # type: ignore[arg-type]
    ready = [one for one in survey(workshop, LIBRARIES) if one.status == "ready"]
    return LoopPrograms(workshop, ready), ready


@pytest.mark.parametrize("library", [name for name, one in LIBRARIES.items() if one.default_builds])
def test_it_computes_what_the_oracle_says(library: str, here: tuple[LoopPrograms, list[Found]]) -> None:
    programs, found = here
    builds = [one for one in found if one.id == library]
    if not builds:
        skip_or_fail(f"{library} is not installed here")
    expectations, lot = Expectations(), random.Random(library)
    for one in builds:
        assert one.build is not None
        program = programs.of(Lane(library, one.build.build))
        assert isinstance(program, MinimalProgram), program
        by_family: dict[str, list[tuple[str, str]]] = {}
        for operation, implementation in sorted(one.offer(CATALOGUE).capabilities):
            known = CATALOGUE.known(operation)
            if known is not None and not any(word in operation for word in LONG) and (library, operation) not in WRONG:
                by_family.setdefault(known.family, []).append((operation, implementation))
        tried: list[tuple[Capability, Expected]] = []
        for rows in by_family.values():
            for operation, implementation in lot.sample(rows, min(2, len(rows))):
                capability = one.offer(CATALOGUE).capabilities[operation, implementation]
                case = CATALOGUE.operation(operation).cases[0]
                members = [expectations.of(case, capability.form, n) for n in range(capability.ring)]
                try:
                    before = Before(len(tried), tuple(tried[-3:]), warm_us=100)
                    taken = run_minimal(program, capability, members, None, repeats=2, before=before)
                except WorkerError as error:
                    pytest.fail(f"{operation} {implementation}: {error}")
                assert len(taken.wall_ns) == 2 and min(taken.wall_ns) > 0
                tried.append((capability, members[0]))
        assert tried
