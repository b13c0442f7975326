# SPDX-License-Identifier: Apache-2.0
"""Operations under conditions with the real libraries: proven for every key, timed, looked at again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
import scripts
from scripts import skip_or_fail
from undisturbed import least

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.conditions import KEYS, conditions_of
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.cli import environment as env
from cipherstone.execute.survey import Found, survey
from cipherstone.measure.proof import Capability, Expectations, ProvenCase, members, prove_case
from cipherstone.measure.rounds import harness_cost_ns, harness_under_ns, timed_batch
from cipherstone.model.ids import Case
from cipherstone.worker import WorkerProcess
from cipherstone.worker.terms import Terms

CATALOGUE = load_catalogue(scripts.ROOT)
EXPECTED = Expectations()


@pytest.fixture(scope="module")
def openssl(worker_cache: Path) -> Found:
    workshop = env.workshop(worker_cache)
    libraries = load_libraries(workshop.root, CATALOGUE)
    ready = [one for one in survey(workshop, {"openssl": libraries["openssl"]}) if one.launch is not None]
    return ready[0] if ready else skip_or_fail("OpenSSL is not installed here")


def proven(worker: WorkerProcess, found: Found, case: Case) -> ProvenCase | str:
    operation = CATALOGUE.known(case.operation)
    assert operation is not None
    capability = found.offer(CATALOGUE).capability(operation, "default")
    assert isinstance(capability, Capability)
    count = members(case, capability, worker.capabilities)
    first, *more = (EXPECTED.of(case, capability.form, member) for member in range(count))
    return prove_case(worker, 3, case, capability, first, more)


CASES = [
    "aes-128-gcm/seal/bytes=64,key=fresh",
    "aes-128-gcm/open/bytes=64,key=fresh",
    "aes-256-cbc/decrypt/bytes=64,key=fresh,offset=1",
    "chacha20-poly1305/open/bytes=64,key=fresh,place=same",
    "hmac-sha-256/mac/bytes=64,key=fresh",
    "aes-128-gcm/open/bytes=64,place=same",
    "aes-128-gcm/seal/bytes=64,cache=cold",
    "sha-256/hash/bytes=64,offset=63",
    "ed25519/verify/key=fresh",
    "ed25519/verify/cache=cold",
    "ecdsa-p256-sha256/sign/key=fresh",
    "x25519/derive/key=fresh,cache=cold",
]


@pytest.mark.libraries
@pytest.mark.parametrize("text", CASES)
def test_cases_under_conditions_are_proven_timed_and_still_right(openssl: Found, text: str) -> None:
    case = Case.parse(text)
    assert openssl.launch is not None
    with openssl.launch.start(None) as worker:
        worker.hello()
        one = proven(worker, openssl, case)
        assert isinstance(one, ProvenCase), one
        assert one.cold == (case.param("cache") == "cold")
        for calls, lead, batches in ((1, 0, 1), (5, 2, 3), (3, 0, 2)):
            batch = timed_batch("lane", one, calls, 0 if one.cold else lead, Terms(True, 60.0), batches)
            assert batch.ns > 0 and (batch.cycles is None or not one.cold)
            assert one.still_right() == ""
        cost = harness_under_ns(worker, tuple(conditions_of(case.params).items()), min(one.ring, 2))
        assert cost > 0
        one.close()


class KeepsItsKey(WorkerProcess):
    """A worker to which every further key is the first one's again: what a lane would be whose `rekey` does nothing."""

    def ask(self, verb: str, fields: Mapping[str, object], kind: type, timeout_s: float = 60.0):  # type: ignore[no-untyped-def]
        kept = {"case": fields["case"]} if verb == "add-key" else fields
        return super().ask(verb, kept, kind, timeout_s)


@pytest.mark.libraries
@pytest.mark.parametrize("text", ["aes-128-gcm/seal/bytes=64,key=fresh", "ed25519/sign/key=fresh"])
def test_a_lane_that_keeps_its_key_is_wrong(openssl: Found, text: str) -> None:
    assert openssl.launch is not None
    with KeepsItsKey(openssl.launch.command) as worker:
        worker.hello()
        said = proven(worker, openssl, Case.parse(text))
        assert isinstance(said, str) and "expected" in said


@pytest.mark.libraries
def test_the_last_key_is_known_by_counting(openssl: Found) -> None:
    """Calls that nobody told of make the last output that of another key."""
    assert openssl.launch is not None
    with openssl.launch.start(None) as worker:
        worker.hello()
        one = proven(worker, openssl, Case.parse("aes-128-gcm/seal/bytes=64,key=fresh"))
        assert isinstance(one, ProvenCase)
        timed_batch("lane", one, KEYS + 3, 0, Terms(False, 60.0))
        assert one.still_right() == ""
        worker.run(one.number, 1)
        assert "expected" in one.still_right()


@pytest.mark.libraries
def test_what_conditions_add_is_measured_in_the_process(openssl: Found) -> None:
    assert openssl.launch is not None
    with openssl.launch.start(None) as worker:
        worker.hello()

        def under(condition: tuple[str, str], ring: int) -> Callable[[], float]:
            return lambda: harness_under_ns(worker, (condition,), ring)

        # The message there again and a cold cache: the clock is read twice around every call.
        conditions = under(("key", "fresh"), 1), under(("place", "same"), 1), under(("cache", "cold"), 2)
        least(lambda alone, *more: min(more) > alone, lambda: harness_cost_ns(worker)[0], *conditions, at_least=3)
