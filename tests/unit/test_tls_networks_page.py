# SPDX-License-Identifier: Apache-2.0
"""Handshakes over networks: what comes of turns whose figures are known, and what the page says of a network."""

from __future__ import annotations

import csv
import io

import msgspec
import pytest
from test_views_passes import manifest

from cipherstone.labs.tls.network import NETWORKS
from cipherstone.labs.tls.networks.measured import FIGURES, LOSSY, ROUNDS, TRIED, Setting, seed_of
from cipherstone.labs.tls.networks.page import notes
from cipherstone.labs.tls.networks.results import INSTRUMENT, Details, Networked, Place, networked_of
from cipherstone.labs.tls.room import ROOM
from cipherstone.model.ids import Case
from cipherstone.model.instruments import InstrumentCase, InstrumentLane, InstrumentPlan, LeftOut, TurnRecord
from cipherstone.model.summary import RunSummary
from cipherstone.report.blocks.figure import Sketchbook
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.render.html import render_html
from cipherstone.report.render.terminal import render_terminal
from cipherstone.views.run.summarise import summarise

OPENSSL, MBEDTLS = "tls@3.0.19+openssl", "tls@3.6.5+mbedtls-3.6"
LANES = (OPENSSL, MBEDTLS, f"{OPENSSL}#2")
TIMES = {OPENSSL: 110.0, MBEDTLS: 132.0, f"{OPENSSL}#2": 110.0}
SPEEDS = (1.0, 1.2, 0.8, 3.0, 1.1, 0.9)  # pass by pass
PLACES = [Place(network, TRIED[1]) for network in (NETWORKS[2], LOSSY)]


def turn(place: Place, lane: str, number: int, at: int, counted: bool) -> TurnRecord:
    """On the lossy network the second handshake of every pass of Mbed TLS fails; 1 of 20 packets is dropped there."""
    lossy = place.network.loss > 0
    figures = {"done_ms": TIMES[lane] * SPEEDS[number], "model_ms": 100.0, "round_trips": 2.0, "processor_us": 800.0}
    carried = {"packets": 20.0, "dropped": float(lossy), "late_us": 20.0, "late_99_us": 90.0} if counted else {}
    fails = lossy and lane == MBEDTLS and at == 1
    return TurnRecord(instrument=INSTRUMENT, case=place.case.id, lane=lane, pass_index=number, turn=at, start_s=0.0, wall_s=0.1, figures={} if fails else figures | carried, failed="a handshake failed (server: time-out)" if fails else "")  # fmt: skip


def run_of(link: str = "wire", title: str = "OpenSSL 3.0.19", passes: int = 6) -> RunSummary:
    lanes = (InstrumentLane(OPENSSL, title), InstrumentLane(MBEDTLS, "Mbed TLS 3.6.5"))
    cases = tuple(InstrumentCase(one.case.id, one.title, LANES, OPENSSL) for one in PLACES)
    details = Details(link, "reno", 7, (0, 1), {one.case.id: one for one in PLACES})
    left = (LeftOut("openssl", "TLS 1.3, X25519, ML-DSA-65: none"),)
    plan = InstrumentPlan(INSTRUMENT, "TLS over networks", FIGURES, lanes, cases, passes, ROUNDS, left_out=left, details=msgspec.to_builtins(details))  # fmt: skip
    turns = [
        turn(place, lane, number, at, link == "wire")
        for place in PLACES
        for number in range(passes)
        for at in range(ROUNDS)
        for lane in LANES
    ]
    return summarise(msgspec.structs.replace(manifest({}), suite="tls", instruments=(plan,)), turns)


def networked(link: str = "wire", passes: int = 6) -> Networked:
    found = networked_of(run_of(link, passes=passes))
    assert found is not None
    return found


def test_cases_have_the_house_s_names() -> None:
    id = "tls/networks/rtt-ms=50,mbit-s=20,loss=0.02,version=1.3,group=x25519,cert=p-256,mode=ticket"
    assert PLACES[1].case.id == id and Case.parse(id).id == id
    assert PLACES[0].title == "50 ms, 20 Mbit/s: TLS 1.3, resumed"
    every = [Place(network, kind).case.id for network in Setting("wire", (None, None), 1).networks for kind in TRIED]
    assert len(set(every)) == len(every) == 25 and all(Case.parse(one).id == one for one in every)
    stored = msgspec.convert(msgspec.to_builtins(PLACES[1]), Place)
    assert stored == PLACES[1] and stored.case == PLACES[1].case


def test_a_seed_is_that_of_a_turn_s_place_in_its_pass() -> None:
    """No two turns of a lane have one, and no lane has one of its own: nothing of the lane is asked."""
    seeds = [seed_of(7, number, at) for number in range(6) for at in range(ROUNDS)]
    assert seeds == list(range(7, 7 + 6 * ROUNDS))


def test_times_are_divided_by_pass_and_stand_beside_the_model() -> None:
    base, other, again = networked().rows[:3]
    assert base.measured_ms.value == pytest.approx(110 * 1.05) and base.over is None
    assert (base.model_ms, base.round_trips, base.processor_us) == (100.0, 2, 800.0)
    assert other.over is not None and other.over.value == pytest.approx(1.2) == other.over.low
    assert again.over is not None and again.over.value == pytest.approx(1.0)
    assert (base.turns, base.failed, base.lost) == (12, 0, 0.0)


def test_what_failed_on_a_lossy_network_is_counted() -> None:
    found = networked()
    base, other, _ = found.rows[3:]
    assert (base.turns, base.failed, base.lost) == (12, 0, 0.05)
    assert (other.turns, other.failed, other.lost) == (6, 6, 0.05)
    assert any(one.startswith("6 handshakes failed") for one in notes(found))


def test_one_pass_has_no_interval() -> None:
    found = networked(passes=1)
    assert found.rows[1].over is not None and found.rows[1].over.low is None
    assert any("One pass: no intervals" in one for one in notes(found))
    assert networked_of(summarise(manifest({}), [])) is None


@pytest.mark.parametrize(
    ("tier", "link", "words"), [(1, "wire", "a wire in user space"), (2, "netem", "the kernel's netem")]
)
def test_the_table_says_which_tier_it_is(tier: int, link: str, words: str) -> None:
    run = run_of(link)
    text = render_terminal(run, 120, False, (), [ROOM])
    flat = [" ".join(line.split()) for line in text.splitlines()]
    assert f"50 ms, 20 Mbit/s: tier {tier} ({words}), milliseconds" in text
    assert max(map(len, render_terminal(run, 80, False, (), [ROOM]).splitlines())) <= 80
    lost = "0.0%" if tier == 1 else "\u2013"
    assert any(line.startswith("TLS 1.3, resumed OpenSSL 3.0.19 2 100 116 88.0-330 +16%") and line.endswith(lost) for line in flat)  # fmt: skip
    assert any(line.startswith("TLS 1.3, resumed Mbed TLS 3.6.5 2 100 139") and " 1.200 " in line for line in flat)
    assert "without openssl: TLS 1.3, X25519, ML-DSA-65: none" in text
    assert ("the wire on CPU 1" in " ".join(flat)) is (tier == 1)
    assert ("20 us later than due" in " ".join(flat)) is (tier == 1)


def test_the_page_s_data_have_every_line_and_what_is_hostile_is_text() -> None:
    run = run_of(title="Open<SSL>")
    page = ROOM.page(RunView(run), Sketchbook(), "")
    assert page is not None and not page.competition and len(page.sections[0].figures) == 2
    data = page.sections[0].figures[0].data
    assert isinstance(data, str)
    lines = list(csv.DictReader(io.StringIO(data)))
    assert [(one["lane"], one["failed"]) for one in lines] == [
        *((lane, "0") for lane in LANES),
        (OPENSSL, "0"),
        (MBEDTLS, "6"),
        (f"{OPENSSL}#2", "0"),
    ]
    html = render_html(run, (), "", [ROOM])
    assert "Open&lt;SSL&gt;" in html and "<SSL>" not in html
