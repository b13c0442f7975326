# SPDX-License-Identifier: Apache-2.0
"""Corners of a run that only a refusing worker, another object to preload or an offer without keys reaches."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.paths import data_root
from cipherstone.measure import plan, session
from cipherstone.measure.plan import Offer
from cipherstone.measure.pool import Launch
from cipherstone.measure.processes import _started
from cipherstone.measure.proof import NOT_FOR_THIS, Capability
from cipherstone.measure.session import Session
from cipherstone.model.errors import WorkerError
from cipherstone.model.ids import Lane
from cipherstone.model.outcomes import Outcome
from cipherstone.protocol.messages import Refusal

LANE = Lane("a", "1", "default")


@pytest.mark.parametrize(
    ("asked", "has_keys", "without", "found"),
    [
        ("key=fresh", True, {}, "hmac-sha-256/mac/key=fresh"),
        ("key=fresh", False, {}, "key=fresh: no further keys are known here"),
        ("offset=3", False, {}, "hmac-sha-256/mac/offset=3"),
        ("key=fresh", True, {"key": "no"}, "key=fresh: no"),
        ("key=fresh,offset=3", True, {"offset": "odd"}, "offset=3: odd"),
        ("offset=3", True, {"key": "no"}, "hmac-sha-256/mac/offset=3"),
    ],
)
def test_what_a_build_offers_under_conditions(
    monkeypatch: pytest.MonkeyPatch, asked: str, has_keys: bool, without: dict[str, str], found: str
) -> None:
    catalogue = load_catalogue(data_root())
    operation = catalogue.known(f"hmac-sha-256/mac/{asked}")
    assert operation is not None
    monkeypatch.setattr(plan, "has_keys", lambda *_: has_keys)
    capability = Capability("hmac-sha-256/mac", "default", None, "a name", 5, without)
    offer = Offer("a", "1", {("hmac-sha-256/mac", "default"): capability}, {})
    told = offer.capability(operation, "default")
    assert (told if isinstance(told, str) else told and told.operation) == found
    assert offer.capability(catalogue.operation("hmac-sha-256/mac"), "default") is capability
    assert offer.capability(operation, "other") is None


@pytest.mark.parametrize(
    ("preload", "environment", "found"),
    [(None, {"A": "1"}, {"A": "1"}), ("/x.so", {"A": "1"}, {"A": "1", "LD_PRELOAD": "/x.so"}), ("/x.so", {"LD_PRELOAD": "/y.so"}, {"LD_PRELOAD": "/x.so:/y.so"}), ("/x.so", {"LD_PRELOAD": ""}, {"LD_PRELOAD": "/x.so"})],
)  # fmt: skip
def test_a_process_of_one_call_has_what_the_worker_has(
    preload: str | None, environment: dict[str, str], found: dict[str, str]
) -> None:
    asked: list[Any] = []
    starter = SimpleNamespace(start=lambda *values: asked.append(values) or "started")
    launch = Launch(("worker",), environment, Path(preload) if preload else None, 2.0)
    assert _started(starter, launch, {"op": "x"}) == "started"  # type: ignore[arg-type, comparison-overlap]
    assert asked == [(("worker",), {"op": "x"}, found, 2.0)]


class Pool:
    """Says that a lane is proven, or not; `discarded`: lanes."""

    def __init__(self, proven: bool = True) -> None:
        self.proven = proven
        self.discarded: list[Lane] = []

    def is_proven(self, *_: object) -> bool:
        return self.proven

    def failure(self, *_: object) -> tuple[Outcome, str]:
        return Outcome.WRONG, "no"

    def worker(self, *_: object) -> Any:
        return SimpleNamespace(capabilities=frozenset())

    def discard(self, lane: Lane) -> None:
        self.discarded.append(lane)


def entered(monkeypatch: pytest.MonkeyPatch, pool: Pool, said: Any) -> tuple[Any, list[Any]]:
    def proved(*_: object) -> Any:
        if isinstance(said, Exception):
            raise said
        return said

    monkeypatch.setattr(session, "prove_case", proved)
    monkeypatch.setattr(session, "members", lambda *_: 1)
    one: Any = SimpleNamespace(_expectations=SimpleNamespace(of=lambda *_: "due"))
    state: Any = SimpleNamespace(case=None, case_id="md5/hash", distribution=False)
    contestants: list[Any] = []
    record = Session._enter(one, state, LANE, SimpleNamespace(form=None), pool, contestants)  # type: ignore[arg-type]
    return record, contestants


@pytest.mark.parametrize("code", [*sorted(NOT_FOR_THIS), "out-of-memory", "unavailable"])
def test_a_case_that_is_refused_is_not_for_the_build_or_not_there(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    record, contestants = entered(monkeypatch, Pool(), Refusal(code, "why"))
    due = Outcome.UNSUPPORTED if code in NOT_FOR_THIS else Outcome.UNAVAILABLE
    assert (record.case, record.lane, record.outcome) == ("md5/hash", LANE.id, due) and "why" in record.detail
    assert contestants == []


def test_a_lane_that_is_wrong_does_not_compete(monkeypatch: pytest.MonkeyPatch) -> None:
    record, contestants = entered(monkeypatch, Pool(), "got 00, expected 01")
    assert (record.outcome, record.detail, contestants) == (Outcome.WRONG, "got 00, expected 01", [])
    record, contestants = entered(monkeypatch, Pool(proven=False), None)
    assert (record.outcome, record.detail, contestants) == (Outcome.WRONG, "no", [])


@pytest.mark.parametrize("error", [WorkerError("crashed", "x"), Refusal("x", "y"), None])
def test_a_worker_that_breaks_when_its_case_is_closed_is_replaced(error: Exception | None) -> None:
    """Its figures stand: they were taken and checked before."""

    def close() -> None:
        if error is not None:
            raise error

    one: Any = SimpleNamespace(_lanes={"a@1": LANE})
    pool: Any = Pool()
    Session._release(one, SimpleNamespace(lane="a@1", all_places=(SimpleNamespace(close=close),)), pool)  # type: ignore[arg-type]
    assert pool.discarded == ([] if error is None else [LANE])


@pytest.mark.parametrize(
    ("base", "original"),
    [(None, "a@1:x"), ("b", "b@1:y"), ("b@1:z", "b@1:z"), ("c", "c@2"), ("a", "a@1:x"), ("d", "a@1:x")],
)
def test_the_twin_is_of_the_base(base: str | None, original: str) -> None:
    """Of a library with several lanes, none of them the default, the first; of the first lane where the base has none."""
    chosen = ("a@1:x", "b@1:y", "b@1:z", "c@2", "c@2:w")
    twin = plan._twin(chosen, {name: Lane.parse(name) for name in chosen}, base)
    assert twin.id == f"{original}#2"
