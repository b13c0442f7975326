# SPDX-License-Identifier: Apache-2.0
"""The published table over sockets: what is asked for, and what comes of times that are known."""

from __future__ import annotations

import csv
import html
import io
import re
from urllib.parse import unquote

import msgspec
import pytest

from cipherstone.catalogue.paths import data_root
from cipherstone.labs.tls.servers.load import Left, Shown
from cipherstone.labs.tls.sockets.page import sockets_html
from cipherstone.labs.tls.sockets.plan import DOWN, UP, Plan, Task, plan
from cipherstone.labs.tls.sockets.results import (
    APART,
    COUNTS,
    LATENCIES,
    TOGETHER,
    All,
    Lane,
    Nagled,
    Sockets,
    Spent,
    base_of,
    divided,
    rows_of,
)
from cipherstone.labs.tls.sockets.table import sockets_text
from cipherstone.labs.tls.words import versioned

PLAN = plan(data_root())
DEFAULT = PLAN.tasks[0]
COUNTED = dict(zip(COUNTS, (4.0, 9.0, 300.0, 1500.0), strict=True))
SINGLE = dict(zip(LATENCIES, (1.0e6, 1.5e6, 4.0e6), strict=True))
MBEDTLS, BORINGSSL = ("mbedtls-3.6", APART), ("boringssl", APART)


def spent(ms: float, more: dict[str, float] | None = None) -> Spent:
    """Of one: so much of a processor, twice as much by the clock."""
    return Spent(ms * 1e6, 2 * ms * 1e6, ms * 0.5e6, 3000.0, 1000.0, COUNTED | (SINGLE if more is None else more))


def passes(*ms: float) -> dict[int, Spent]:
    return {number: spent(one) for number, one in enumerate(ms)}


def found(times: All, of: Plan = PLAN, base: str = "boringssl") -> Sockets:
    clients = (Shown("boringssl", "BoringSSL 44"), Shown("mbedtls-3.6", "Mbed TLS 3.6.5"))
    return Sockets(
        of.tasks,
        clients[0],
        clients,
        (Left("bearssl", "Ed25519: it has none"),),
        base,
        tuple(rows_of(of, times, base)),
        tuple(divided(of, times)),
        (Nagled("mbedtls-3.6", 1.25, 44.1),),
        6,
        2,
        (0, 1),
        12,
        ("mbedtls-3.6",),
    )


def test_the_plan_is_the_page() -> None:
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
    both: All = {
        (DEFAULT.key, BORINGSSL): passes(*speeds),
        (DEFAULT.key, MBEDTLS): passes(*(one * by for one, by in zip(speeds, times, strict=True))),
        (DEFAULT.key, ("mbedtls-3.6", TOGETHER)): passes(*speeds),
    }
    base, other, coalesced = rows_of(PLAN, both, "boringssl")
    assert base.cpu_s.value == pytest.approx(200 * 1.05e-3) and base.elapsed_s.value == pytest.approx(400 * 1.05e-3)
    assert base.server_cpu_s == pytest.approx(100 * 1.05e-3)
    assert (base.over_cpu, base.printed_s, base.printed_over, base.system) == (None, 3.12, None, 0.25)
    assert other.over_cpu is not None and other.over_elapsed is not None
    assert 2.5 <= other.over_cpu.value <= 2.6 and other.over_cpu.low == pytest.approx(2.5)
    assert other.over_cpu.high == pytest.approx(2.6)
    assert other.printed_s == 21.69 and other.printed_over == pytest.approx(21.69 / 3.12)
    assert coalesced.printed_s is None and coalesced.over_cpu is not None
    assert coalesced.over_cpu.value == pytest.approx(1.0)
    assert (other.sends, other.receives, other.latency_ms) == (4.0, 9.0, (1.0, 1.5, 4.0))


def test_one_pass_has_no_interval() -> None:
    one: All = {(DEFAULT.key, BORINGSSL): passes(1.0), (DEFAULT.key, MBEDTLS): passes(3.0)}
    row = list(rows_of(PLAN, one, "boringssl"))[1]
    assert row.over_cpu is not None and row.over_cpu.value == pytest.approx(3.0) and row.over_cpu.low is None


def test_degradation_is_that_of_one_client() -> None:
    kinds = [task for task in PLAN.tasks if task.many == 500]
    times: All = {(task.key, BORINGSSL): passes(*[by] * 6) for task, by in zip(kinds, (1.0, 1.5, 4.0), strict=True)}
    ecdsa, rsa = divided(PLAN, times)
    assert ecdsa.name == "ECDSA over Ed25519" and ecdsa.cpu.value == pytest.approx(1.5)
    assert rsa.elapsed.value == pytest.approx(4.0) and rsa.printed == pytest.approx(2.88, abs=0.01)
    without: All = {key: value for key, value in times.items() if key[0] != kinds[0].key}
    assert not list(divided(PLAN, without))


def test_the_base_is_the_page_s_else_the_first() -> None:
    assert base_of(PLAN, ["mbedtls-3.6", "boringssl"]) == "boringssl"
    assert base_of(PLAN, ["openssl", "mbedtls"]) == "openssl"


def test_the_page_has_what_the_text_has() -> None:
    times: All = {(DEFAULT.key, BORINGSSL): passes(*[1.0] * 6), (DEFAULT.key, MBEDTLS): passes(*[7.0] * 6)}
    made = msgspec.structs.replace(found(times), clients=(Shown("boringssl", "Boring<SSL>"), found(times).clients[1]))
    page = sockets_html(made)
    assert "Boring&lt;SSL&gt;" in page and "<SSL>" not in page and "6.95" in page and "44.10" in page
    assert "<script" not in page and "http://" not in page.replace("http://www.w3.org", "")
    (data,) = re.findall(r'href="data:text/csv[^,]*,([^"]*)"', page)
    lines = list(csv.DictReader(io.StringIO(unquote(html.unescape(data)))))
    assert [(one["build"], one["printed_s"]) for one in lines] == [("boringssl", "3.12"), ("mbedtls-3.6", "21.69")]
    assert [one["over_cpu"][:4] for one in lines] == ["", "7.00"]


@pytest.mark.parametrize("width", [80, 120])
def test_the_table_fits_and_has_every_figure(width: int) -> None:
    lanes: list[Lane] = [BORINGSSL, MBEDTLS]
    times: All = {
        (task.key, lane): {n: spent(by * (1 + n / 100), {} if task.data else None) for n in range(6)}
        for task in PLAN.tasks
        for lane, by in zip(lanes, (0.2, 1.4), strict=True)
    }
    text = sockets_text(found(times), width)
    assert max(map(len, text.splitlines())) <= width
    for word in (
        "21.69",
        "6.95",
        "44.10",
        "Write, 256 MiB",
        "ECDSA over Ed25519",
        "without bearssl: Ed25519: it has none",
        "finds: Mbed TLS",
    ):
        assert word in " ".join(text.split()), word
    assert "Software only" in text and "7.00" in text and "RSA-2048, 200 handshakes" in text


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
