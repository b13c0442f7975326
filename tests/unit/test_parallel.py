# SPDX-License-Identifier: Apache-2.0
"""What is counted and not timed: several at a time, told in order, ended when nobody takes more; and of two verbs with the same facts only one is asked."""

from __future__ import annotations

from threading import Barrier, Event
from typing import Any

import pytest

from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.verbs import load_verbs
from cipherstone.execute import run
from cipherstone.measure import parallel
from cipherstone.measure.facts import TOGETHER, needed, tell_facts
from cipherstone.measure.parallel import MOST, counting_cpus, each
from cipherstone.measure.proof import Capability
from cipherstone.model.errors import DataError, WorkerError
from cipherstone.model.ids import Case, Lane

PARAMS = (("version", "1.3"), ("mode", "full"))
CLIENT, SERVER = Case("tls", "handshake-client", params=PARAMS), Case("tls", "handshake-server", params=PARAMS)
OTHER = Case("tls", "handshake-server", params=(("version", "1.2"), ("mode", "full")))
A, B = Lane("tls", "alpha"), Lane("tls", "beta")
SIDE = Capability("tls/handshake-client", "default")


def cell(case: Case, lane: Lane) -> Any:
    return case, lane, SIDE


def test_results_come_in_order_however_long_each_takes() -> None:
    """The first of the two can only end once the second has."""
    second = Event()

    def do(item: int, cpu: int | None) -> tuple[int, int | None]:
        if item == 0:
            assert second.wait(60)
        if item == 1:
            second.set()
        return item, cpu

    found = list(each(do, range(6), (4, 7)))
    assert [item for item, _ in found] == list(range(6)) and {cpu for _, cpu in found} <= {4, 7}


def test_as_many_at_a_time_as_cpus_and_each_has_its_own() -> None:
    """All three have to be there at once, or the barrier breaks."""
    barrier = Barrier(3)

    def do(item: int, cpu: int | None) -> int | None:
        barrier.wait(60)
        return cpu

    assert sorted(map(str, each(do, range(3), (0, 1, None)))) == ["0", "1", "None"]


def test_one_cpu_means_one_after_the_other_as_they_are_taken() -> None:
    asked: list[int] = []
    found = each(lambda item, cpu: asked.append(item) or cpu, range(3), (5,))
    assert asked == [] and next(found) == 5 and asked == [0]
    assert list(found) == [5, 5] and asked == [0, 1, 2]


@pytest.mark.parametrize("how", ["interrupted", "left", "failed"])
def test_who_takes_no_more_ends_what_runs(monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    stop, ended, begun = Event(), Event(), []
    monkeypatch.setattr(parallel, "end_workers", ended.set)

    def do(item: int, cpu: int | None) -> int:
        begun.append(item)
        if item == 1:
            assert ended.wait(60), "its worker is killed"
        if item == 0 and how == "failed":
            raise KeyError
        return item

    found = each(do, range(50), (0, 1), stop)
    if how == "failed":
        with pytest.raises(KeyError):
            next(found)
    else:
        assert next(found) == 0
        if how == "left":
            found.close()
        else:
            with pytest.raises(KeyboardInterrupt):
                found.throw(KeyboardInterrupt)
    assert stop.is_set() and ended.is_set() and 1 in begun


def test_cpus_are_the_measuring_one_and_the_allowed_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program keeps off the measuring CPU meanwhile, so that it is not among the allowed ones."""
    monkeypatch.setattr(parallel, "allowed_cpus", lambda: [1])
    assert counting_cpus(0) == (0, 1) and counting_cpus(1) == (1,) and counting_cpus(None) == (1,)
    monkeypatch.setattr(parallel, "allowed_cpus", lambda: [])
    assert counting_cpus(None) == (None,)
    monkeypatch.setattr(parallel, "allowed_cpus", lambda: list(range(100)))
    assert counting_cpus(3) == tuple(range(MOST))


def test_a_cell_is_left_out_only_where_the_other_verb_tells_the_same() -> None:
    cells = [cell(CLIENT, A), cell(SERVER, A), cell(SERVER, B), cell(OTHER, A)]
    assert needed(cells, (), run._facts_of) == [cells[0], *cells[2:]]
    assert needed(cells[1:], [(CLIENT.id, B.id)], run._facts_of) == [cells[1], cells[3]]
    assert needed(cells, (), lambda verb: "") == cells


def test_a_verb_of_nobody_has_facts_of_its_own() -> None:
    assert run._facts_of("no-such-verb") == "" and run._facts_of("handshake-server") == "handshake-client"


def test_the_other_verb_must_be_one(tmp_path: Any) -> None:
    (tmp_path / "algorithms").mkdir()
    text = (data_root() / "algorithms" / "verbs.toml").read_text()
    line = 'facts_of = "handshake-client"'
    assert line in text
    for name in ("handshake-clint", "handshake-server"):  # unknown, and itself
        (tmp_path / "algorithms" / "verbs.toml").write_text(text.replace(line, f'facts_of = "{name}"'))
        with pytest.raises(DataError, match=r"verb.handshake-server.facts_of: '" + name):
            load_verbs(tmp_path)


def test_a_build_with_many_cells_is_asked_by_several_processes() -> None:
    """The build's worker does not start: what was tried is seen."""
    started: list[int | None] = []

    class Launch:
        def start(self, cpu: int | None, preload: Any) -> Any:
            started.append(cpu)
            raise WorkerError("crashed", "it does not start")

    cells = [cell(Case("tls", "handshake-client", params=(("n", str(n)),)), A) for n in range(2 * TOGETHER + 1)]
    assert list(tell_facts(cells, {A.build_id: Launch()}, None, (3,))) == []  # type: ignore[dict-item]
    assert started == [3, 3, 3]
