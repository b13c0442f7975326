# SPDX-License-Identifier: Apache-2.0
"""The published table over sockets: what is asked for, and what comes of times that are known."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

import msgspec
import pytest
from test_views_passes import manifest

from cipherstone.catalogue.paths import data_root
from cipherstone.labs.tls.room import ROOM
from cipherstone.labs.tls.sockets.measured import FIGURES
from cipherstone.labs.tls.sockets.page import notes
from cipherstone.labs.tls.sockets.plan import DOWN, INSTRUMENT, UP, SocketPlan, Task, plan
from cipherstone.labs.tls.sockets.results import (
    APART,
    COUNTS,
    LATENCIES,
    SEGMENTS,
    TOGETHER,
    Details,
    Sockets,
    base_of,
    sockets_of,
)
from cipherstone.labs.tls.words import versioned
from cipherstone.model.ids import Case
from cipherstone.model.instruments import InstrumentCase, InstrumentLane, InstrumentPlan, LeftOut, TurnRecord
from cipherstone.model.summary import RunSummary
from cipherstone.report.blocks.figure import Sketchbook
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.render.html import render_html
from cipherstone.report.render.terminal import render_terminal
from cipherstone.views.run.summarise import summarise

PLAN = plan(data_root())
DEFAULT = PLAN.tasks[0]
COUNTED = dict(zip(COUNTS, (4.0, 9.0, 300.0, 1500.0), strict=True))
SINGLE = dict(zip(LATENCIES, (1.0e6, 1.5e6, 4.0e6), strict=True))
MBEDTLS, BORINGSSL, COALESCED = "tls@3.6.5+mbedtls-3.6", "tls@44+boringssl", "tls@3.6.5+mbedtls-3.6:together"
Times = Mapping[tuple[str, str], Sequence[float]]  # by case and lane, milliseconds of a handshake, pass by pass


def run_of(times: Times, of: SocketPlan = PLAN, title: str = "BoringSSL 44") -> RunSummary:
    """A run whose turns took so much of a processor, twice as much by the clock, and half as much of the server's."""
    lanes = (
        InstrumentLane(BORINGSSL, title),
        InstrumentLane(MBEDTLS, "Mbed TLS 3.6.5"),
        InstrumentLane(COALESCED, "Mbed TLS 3.6.5"),
    )
    ids = dict.fromkeys(case for case, _ in times)
    titles = {task.case.id: task.title for task in of.tasks}
    cases = tuple(
        InstrumentCase(id, titles.get(id, id), tuple(lane for case, lane in times if case == id), BORINGSSL)
        for id in ids
    )
    details = Details(of.tasks, of.quotients, "BoringSSL 44", "boringssl", (0, 1), 12, ("mbedtls-3.6",))
    found = InstrumentPlan(
        INSTRUMENT,
        "TLS over sockets",
        FIGURES,
        lanes,
        cases,
        6,
        2,
        left_out=(LeftOut("bearssl", "Ed25519: it has none"),),
        details=msgspec.to_builtins(details),
    )
    data = {task.case.id for task in of.tasks if task.data}
    turns = [
        TurnRecord(
            instrument=INSTRUMENT,
            case=case,
            lane=lane,
            pass_index=number,
            turn=0,
            start_s=0.0,
            wall_s=1.0,
            figures={
                "cpu_ns": ms * 1e6,
                "elapsed_ns": 2 * ms * 1e6,
                "server_cpu_ns": ms * 0.5e6,
                "user_us": 3000.0,
                "system_us": 1000.0,
            }
            | COUNTED
            | ({} if case in data else SINGLE),
        )
        for (case, lane), some in times.items()
        for number, ms in enumerate(some)
    ]
    return summarise(msgspec.structs.replace(manifest({}), suite="tls", instruments=(found,)), turns)


def found_of(times: Times, of: SocketPlan = PLAN) -> Sockets:
    found = sockets_of(run_of(times, of))
    assert found is not None
    return found


def test_the_plan_is_the_page() -> None:
    assert len({task.case.id for task in PLAN.tasks}) == len(PLAN.tasks) and all(
        Case.parse(task.case.id) == task.case for task in PLAN.tasks
    )
    tables = [[task.name for task in PLAN.tasks if task.table == name] for name in dict.fromkeys(t.table for t in PLAN.tasks)]  # fmt: skip
    assert [len(names) for names in tables] == [2, 2, 2, 3, 2, 2]
    assert (DEFAULT.many, DEFAULT.printed, DEFAULT.masked) == (200, {"mbedtls": 21.69, "boringssl": 3.12}, False)
    assert [task.many for task in PLAN.tasks] == [200] * 6 + [500] * 3 + [16384] * 4
    assert {task.table for task in PLAN.tasks if task.masked} == {"Software only", "Software only: data"}
    assert [task.data for task in PLAN.tasks if task.data] == [UP, DOWN, UP, DOWN] and PLAN.base == "boringssl"
    for task in PLAN.tasks:
        asked = task.params | {"group": "", "cert": "", "write": ""}
        assert asked == {"version": "1.2", "mode": "full", "suite": "aes-256-gcm", "chain": "1", "ca": "rsa-2048", "group": "", "cert": "", "write": ""}  # fmt: skip
    assert {task.params["group"] for task in PLAN.tasks if task.table.startswith("P-256") or task.data} == {"p-256"}
    assert [one.printed for one in PLAN.quotients] == [pytest.approx(3.47 / 2.72), pytest.approx(7.83 / 2.72)]


def test_certificates_are_signed_by_rsa_and_agreed_on_by_their_own_kind() -> None:
    for task in PLAN.tasks:
        question = task.question
        assert question.inputs["root"] == DEFAULT.question.inputs["root"] and "intermediates" not in question.inputs
        assert question.due.suite in (0xC02C, 0xC030) and question.due.resumed == 0
        assert ("msg" in question.inputs) == bool(task.data)
    signatures = {task.params["cert"]: task.question.due.signature for task in PLAN.tasks}
    assert signatures == {"rsa-2048": 0x0401, "p-256": 0x0403, "ed25519": 0x0807}


def test_times_are_of_the_page_s_number_and_divided_by_pass() -> None:
    """Every pass is of another machine's speed; 2.5 to 2.6 times in each."""
    speeds, times = (1.0, 1.2, 0.8, 3.0, 1.1, 0.9), (2.5, 2.6, 2.55, 2.52, 2.58, 2.5)
    case = DEFAULT.case.id
    both = {
        (case, BORINGSSL): speeds,
        (case, MBEDTLS): [one * by for one, by in zip(speeds, times, strict=True)],
        (case, COALESCED): speeds,
    }
    base, other, coalesced = found_of(both).rows
    assert base.cpu_s.value == pytest.approx(200 * 1.05e-3) and base.elapsed_s.value == pytest.approx(400 * 1.05e-3)
    assert base.server_cpu_s == pytest.approx(100 * 1.05e-3)
    assert (base.over_cpu, base.printed_s, base.printed_over, base.system) == (None, 3.12, None, 0.25)
    assert other.over_cpu is not None and other.over_elapsed is not None
    assert 2.5 <= other.over_cpu.value <= 2.6 and other.over_cpu.low == pytest.approx(2.5)
    assert other.over_cpu.high == pytest.approx(2.6)
    assert other.printed_s == 21.69 and other.printed_over == pytest.approx(21.69 / 3.12)
    assert (other.way, coalesced.way, coalesced.printed_s) == (APART, TOGETHER, None)
    assert coalesced.over_cpu is not None and coalesced.over_cpu.value == pytest.approx(1.0)
    assert (other.counts, other.latency_ms) == ((4.0, 9.0, 300.0, 1500.0), (1.0, 1.5, 4.0))


def test_one_pass_has_no_interval() -> None:
    row = found_of({(DEFAULT.case.id, BORINGSSL): [1.0], (DEFAULT.case.id, MBEDTLS): [3.0]}).rows[1]
    assert row.over_cpu is not None and row.over_cpu.value == pytest.approx(3.0) and row.over_cpu.low is None


def test_degradation_is_that_of_one_client() -> None:
    kinds = [task.case.id for task in PLAN.tasks if task.many == 500]
    times = {(case, BORINGSSL): [by] * 6 for case, by in zip(kinds, (1.0, 1.5, 4.0), strict=True)}
    ecdsa, rsa = found_of(times).quotients
    assert ecdsa.name == "ECDSA over Ed25519" and ecdsa.cpu.value == pytest.approx(1.5)
    assert rsa.elapsed.value == pytest.approx(4.0) and rsa.printed == pytest.approx(2.88, abs=0.01)
    assert not found_of({key: value for key, value in times.items() if key[0] != kinds[0]}).quotients


def test_small_segments_have_cases_of_their_own() -> None:
    ids = [Case("tls", INSTRUMENT, None, (("segments", name),)).id for name in SEGMENTS]
    (one,) = found_of({(case, MBEDTLS): [by] * 6 for case, by in zip(ids, (0.6, 22.0), strict=True)}).nagle
    assert (one.at_once_ms.value, one.nagle_ms.value) == (pytest.approx(1.2), pytest.approx(44.0))


def test_the_base_is_the_page_s_else_the_first() -> None:
    assert base_of(PLAN, ["mbedtls-3.6", "boringssl"]) == "boringssl"
    assert base_of(PLAN, ["openssl", "mbedtls"]) == "openssl"


def test_the_page_has_every_figure_and_what_is_hostile_is_text() -> None:
    case = DEFAULT.case.id
    run = run_of({(case, BORINGSSL): [1.0] * 6, (case, MBEDTLS): [7.0] * 6}, title="Boring<SSL>")
    page = ROOM.page(RunView(run), Sketchbook(), "")
    assert page is not None and not page.competition
    data = page.sections[0].figures[0].data
    assert isinstance(data, str)
    lines = list(csv.DictReader(io.StringIO(data)))
    assert [(one["lane"], one["printed_s"]) for one in lines] == [(BORINGSSL, "3.12"), (MBEDTLS, "21.69")]
    assert [one["over_cpu"][:4] for one in lines] == ["", "7.00"]
    html = render_html(run, (), "", [ROOM])
    assert "Boring&lt;SSL&gt;" in html and "<SSL>" not in html and "6.95" in html


@pytest.mark.parametrize("width", [80, 120])
def test_the_table_fits_and_has_every_figure(width: int) -> None:
    lanes = {BORINGSSL: 0.2, MBEDTLS: 1.4}
    times = {(task.case.id, lane): [by * (1 + n / 100) for n in range(6)] for task in PLAN.tasks for lane, by in lanes.items()}  # fmt: skip
    run = run_of(times)
    text = render_terminal(run, width, False, (), [ROOM])
    assert max(map(len, text.splitlines())) <= width
    for word in ("21.69", "6.95", "Write, 256 MiB", "ECDSA over Ed25519", "without bearssl: Ed25519: it has none"):
        assert word in " ".join(text.split()), word
    assert "Software only" in text and "7.00" in text and "RSA-2048, 200 handshakes" in text
    said = " ".join(notes(found_of(times)))
    assert "finds: Mbed TLS" in said and "12 certificates" in said and "6 passes" in said


def test_a_task_is_told_by_its_name() -> None:
    assert len({task.key for task in PLAN.tasks}) == len(PLAN.tasks)
    assert isinstance(DEFAULT, Task) and DEFAULT.key == ("Default", "RSA-2048, 200 handshakes")


@pytest.mark.parametrize(
    ("title", "version", "words"),
    [
        ("OpenSSL", "3.0.17", "OpenSSL 3.0.17"),
        ("Mbed TLS 3.6", "3.6.5", "Mbed TLS 3.6.5"),
        ("OpenSSL, noaccel", "3.0.17", "OpenSSL 3.0.17, noaccel"),
        ("Mbed TLS 3.6, buffers4k, noasm", "3.6.5", "Mbed TLS 3.6.5, buffers4k, noasm"),
        ("Go crypto/tls", "go1.26", "Go crypto/tls go1.26"),
    ],
)
def test_a_build_keeps_its_name_and_its_words(title: str, version: str, words: str) -> None:
    assert versioned(title, version) == words
