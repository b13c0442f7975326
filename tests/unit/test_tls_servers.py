# SPDX-License-Identifier: Apache-2.0
"""What handshakes cost servers: what comes of turns whose figures are known, and the page."""

from __future__ import annotations

import csv
import io

import msgspec
import pytest
from test_views_passes import manifest

from cipherstone.labs.tls.interop.grid import Kind
from cipherstone.labs.tls.room import ROOM
from cipherstone.labs.tls.servers.load import KINDS, question_of
from cipherstone.labs.tls.servers.measured import FIGURES, case_of
from cipherstone.labs.tls.servers.page import notes
from cipherstone.labs.tls.servers.results import INSTRUMENT, Details, servers_of
from cipherstone.model.ids import Case, is_lane_id, params_text
from cipherstone.model.instruments import InstrumentLane, InstrumentPlan, LeftOut, TurnRecord
from cipherstone.model.summary import RunSummary
from cipherstone.report.blocks.figure import Sketchbook
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.render.html import render_html
from cipherstone.report.render.terminal import render_terminal
from cipherstone.views.run.summarise import summarise

MEMORY, BARE, NGINX = "tls@3.0.19+openssl:memory", "tls@3.0.19+openssl:bare", "nginx@1.22.1"
LANES = (MEMORY, BARE, NGINX, f"{BARE}#2")
COSTS = {MEMORY: 100.0, BARE: 200.0, NGINX: 260.0, f"{BARE}#2": 200.0}  # microseconds
SPEEDS = (1.0, 1.2, 0.8, 3.0, 1.1, 0.9)  # of the machine, pass by pass
FULL, RESUMED = (case_of(question_of(kind), LANES, BARE) for kind in KINDS[:2])


def turn(case: str, lane: str, number: int, speed: float) -> TurnRecord:
    """A quarter of it is the system's, none in memory, where nothing is received."""
    system = 0.0 if lane == MEMORY else 0.25
    figures = {
        "cpu_ns": COSTS[lane] * speed * 1e3,
        "user_us": 1e5 * speed * (1 - system),
        "system_us": 1e5 * speed * system,
        "handshakes": 640.0,
    }
    received = {} if lane == MEMORY else {"received_bytes": 1200.0}
    return TurnRecord(instrument=INSTRUMENT, case=case, lane=lane, pass_index=number, turn=0, start_s=0.0, wall_s=0.5, figures=figures | received)  # fmt: skip


def run_of(title: str = "nginx 1.22.1", passes: int = 6) -> RunSummary:
    lanes = (
        InstrumentLane(MEMORY, "OpenSSL 3.0.19, in memory"),
        InstrumentLane(BARE, "OpenSSL 3.0.19, sockets"),
        InstrumentLane(NGINX, title),
    )
    left = (LeftOut("haproxy", "no haproxy (package haproxy)"),)
    details = msgspec.to_builtins(Details("OpenSSL 3.0.19", (0, 1)))
    plan = InstrumentPlan(INSTRUMENT, "TLS servers", FIGURES, lanes, (FULL, RESUMED), passes, left_out=left, details=details)  # fmt: skip
    turns = [
        turn(case.id, lane, number, speed)
        for case in (FULL, RESUMED)
        for number, speed in enumerate(SPEEDS[:passes])
        for lane in LANES
    ]
    return summarise(msgspec.structs.replace(manifest({}), suite="tls", instruments=(plan,)), turns)


def test_cases_and_lanes_have_the_house_s_names() -> None:
    assert Case.parse(FULL.id).id == FULL.id == "tls/servers/version=1.3,group=x25519,cert=p-256,mode=full"
    assert (FULL.title, RESUMED.title) == ("TLS 1.3, X25519, P-256", "TLS 1.3, X25519, P-256, resumed")
    assert all(map(is_lane_id, LANES))
    kind = question_of(KINDS[0]).kind
    assert kind == Kind(params_text(tuple(KINDS[0].items())), dict(KINDS[0]))


def test_costs_are_divided_by_pass() -> None:
    """Every pass is of another machine's speed; 1.3 times in each."""
    found = servers_of(run_of())
    assert found is not None and [one.title for one in found.kinds] == [FULL.title, RESUMED.title]
    memory, bare, nginx, again = found.kinds[0].costs
    assert bare.cpu_us.value == pytest.approx(210.0) and bare.over is None
    assert nginx.over is not None and nginx.over.value == pytest.approx(1.3) == nginx.over.low
    assert memory.over is not None and memory.over.value == pytest.approx(0.5)
    assert again.over is not None and again.over.value == pytest.approx(1.0)
    assert (nginx.user_us, nginx.system_us) == (pytest.approx(273.0 * 0.75), pytest.approx(273.0 * 0.25))
    assert (memory.user_us, memory.system_us) == (pytest.approx(105.0), 0.0)
    assert (memory.added_us, nginx.added_us) == (None, pytest.approx(160 * 1.05))
    assert (memory.received_bytes, nginx.received_bytes, nginx.handshakes) == (None, 1200.0, 640.0)
    assert [one.title for one in found.kinds[0].costs][1::2] == [
        "OpenSSL 3.0.19, sockets",
        "OpenSSL 3.0.19, sockets, again",
    ]


def test_a_lane_without_a_figure_is_no_gap() -> None:
    run = run_of()
    received = [one for one in run.figures if one.figure == "received_bytes"]
    assert {one.lane for one in received} == {BARE, NGINX, f"{BARE}#2"} and all(one.value for one in received)


def test_another_run_has_nothing_of_it() -> None:
    assert servers_of(summarise(manifest({}), [])) is None


@pytest.mark.parametrize("width", [80, 120])
def test_the_page_has_every_figure_and_what_is_hostile_is_text(width: int) -> None:
    run = run_of("ng<inx>")
    page = ROOM.page(RunView(run), Sketchbook(), "")
    assert page is not None and not page.competition and len(page.sections[0].figures) == 2
    data = page.sections[0].figures[0].data
    assert isinstance(data, str)
    lines = list(csv.DictReader(io.StringIO(data)))
    assert [one["lane"] for one in lines] == [*LANES, *LANES]
    assert [one["over_bare"] and round(float(one["over_bare"]), 9) for one in lines[:4]] == [0.5, "", 1.3, 1.0]
    html = render_html(run, (), "", [ROOM])
    assert "ng&lt;inx&gt;" in html and "<inx>" not in html
    text = render_terminal(run, width, False, (), [ROOM])
    assert max(map(len, text.splitlines())) <= width
    for word in ("1.30", "+168", "without haproxy: no haproxy", "6 passes of fresh processes", "servers on CPU 1"):
        assert word in " ".join(text.split()), word


def test_one_pass_has_no_interval() -> None:
    found = servers_of(run_of(passes=1))
    assert found is not None
    nginx = found.kinds[0].costs[2]
    assert nginx.over is not None and nginx.over.low is None
    assert any("One pass: no intervals" in one for one in notes(found))
