# SPDX-License-Identifier: Apache-2.0
"""The workers that the self-check grows its runs with are taken for workers: what they answer is proven, and what they claim to have taken went by."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest
import scripts
from bench.growth_run import VERBS, cut, lanes_for, scripted

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.suites import load_suite
from cipherstone.catalogue.vectors import load_vectors
from cipherstone.measure.plan import plan_run
from cipherstone.measure.pool import PassPool
from cipherstone.measure.proof import Expectations, ProvenCase, members, prove_case
from cipherstone.model.ids import Case
from cipherstone.model.outcomes import Outcome
from cipherstone.protocol.messages import Empty

CATALOGUE = load_catalogue(scripts.ROOT)


@pytest.mark.parametrize("cells", [50, 500])
def test_a_plan_has_about_as_many_cells_as_were_asked_for(cells: int) -> None:
    found = [scripted("alpha", lanes_for(cells))]
    whole = plan_run(
        CATALOGUE,
        {},
        [one.offer(CATALOGUE) for one in found],
        load_suite(scripts.ROOT, "full", CATALOGUE),
        None,
        "alpha",
    )
    plan = cut(whole, cells, lanes_for(cells))
    assert sum(len(one.lanes) for one in plan.cases) == cells
    assert {Case.parse(one.case).operation.partition("/")[2] for one in plan.cases} <= VERBS


def test_a_scripted_worker_is_proven_and_lets_pass_what_it_claims() -> None:
    found = scripted("alpha", 2)
    assert found.launch is not None
    offer = found.offer(CATALOGUE)
    suite = load_suite(scripts.ROOT, "full", CATALOGUE)
    plan = cut(plan_run(CATALOGUE, {}, [offer], suite, None, "alpha"), 50, 2)
    launches = {lane.build_id: found.launch for lane in plan.lanes.values()}
    with PassPool(launches, lambda algorithm: load_vectors(scripts.ROOT, algorithm).vectors, None, True, 0) as pool:
        for number, planned in enumerate(plan.cases):
            case, lane = Case.parse(planned.case), plan.lanes[planned.lanes[0]]
            capability = plan.capabilities[case.operation, lane.id]
            proof = pool.prove(lane, capability)
            assert proof is not None and proof.outcome is Outcome.OK and proof.accepted, (planned.case, proof)
            worker = pool.worker(lane)
            expected = Expectations()
            known = [
                expected.of(case, capability.form, member)
                for member in range(members(case, capability, worker.capabilities))
            ]
            proven = prove_case(worker, number * 100, case, capability, known[0], known[1:])
            assert isinstance(proven, ProvenCase), proven
            began = time.perf_counter_ns()
            batch = worker.run(number * 100, 10, 0)
            assert 0 < batch.ns <= time.perf_counter_ns() - began
            proven.close()


def test_its_claims_hold_while_others_have_its_core() -> None:
    launch = scripted("alpha", 1).launch
    assert launch is not None
    with launch.start() as worker:
        hello = worker.hello()
        worker.ask("prepare", {"case": 1, "op": "harness/empty", "impl": "sdk"}, Empty)

        def halt() -> None:
            time.sleep(0.005)
            os.kill(worker._process.pid, signal.SIGSTOP)
            time.sleep(0.1)
            os.kill(worker._process.pid, signal.SIGCONT)

        halting = threading.Thread(target=halt)
        halting.start()
        batch = worker.run(1, 40_000_000)
        halting.join()
    assert hello.library == "alpha" and batch.cpu_ns is not None and batch.cpu_ns >= 50_000_000
