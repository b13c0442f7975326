# SPDX-License-Identifier: Apache-2.0
"""Latencies of single handshakes: quantiles by hand, how few calls tell them, and the page's table."""

from __future__ import annotations

import random
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from test_views_passes import manifest, pass_record

from cipherstone.catalogue.algorithms import catalogue_at
from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.suites import load_suite
from cipherstone.labs.tls.latency_page import latency_figure, with_latencies
from cipherstone.labs.tls.page import _times
from cipherstone.labs.tls.results import Handshake, Side, handshakes_of
from cipherstone.measure.rounds import batches_for
from cipherstone.model.records import PassRecord, Settings
from cipherstone.model.summary import Estimate, LatencySummary
from cipherstone.report.blocks.room_page import NO_FIGURE
from cipherstone.report.export.rows import tidy_rows
from cipherstone.report.rooms import NoCharts
from cipherstone.stats.distribution import P90, P99, firm_calls, latency, told_calls
from cipherstone.store.summary_tables import result_tables
from cipherstone.views.run.summarise import summarise

CASE = "tls/handshake-client/version=1.3,group=x25519,cert=p-256,mode=full"
OTHER = CASE.replace("client", "server")
LANES = ("tls@3+openssl", "tls@1+bearssl")


def test_by_hand_in_any_order() -> None:
    """Type 7: of 1 to 101 the quantile q is 1 + 100 q."""
    calls = [float(ns) for ns in range(1, 102)]
    random.Random(1).shuffle(calls)
    assert latency(calls) == LatencySummary(51.0, pytest.approx(91.0), pytest.approx(100.0), 101)  # type: ignore[arg-type]
    assert latency([]) is None and latency([7.0]) == LatencySummary(7.0, None, None, 1)


@pytest.mark.parametrize(("q", "told", "firm"), [(P90, 10, 29), (P99, 100, 299)])
def test_as_many_calls_as_a_quantile_needs(q: float, told: int, firm: int) -> None:
    assert (told_calls(q), firm_calls(q)) == (told, firm)
    assert 1 - q**firm >= 0.95 > 1 - q ** (firm - 1)
    for calls in (told - 1, told):
        found = latency([1.0] * calls)
        assert found is not None and ((found.p90_ns if q == P90 else found.p99_ns) is None) == (calls < told)


def passed(case: str, index: int, calls: Sequence[int]) -> PassRecord:
    """A pass whose batches have so many calls, by lane; single ones take 1 to 1.1 ms, each of several as long."""
    base = pass_record(case, index, dict.fromkeys(LANES, 1000.0))
    lanes = []
    for samples, many in zip(base.lanes, calls, strict=True):
        times = tuple(many * (1_000_000 + 1000 * (place % 101)) for place in range(len(samples.ns)))
        lanes.append(msgspec.structs.replace(samples, calls=many, ns=times))
    return msgspec.structs.replace(base, lanes=tuple(lanes))


def run_of(passes: int, calls: Sequence[int] = (1, 4)) -> Any:
    return summarise(
        manifest(dict.fromkeys((CASE, OTHER), LANES)),
        [passed(case, index, calls) for case in (CASE, OTHER) for index in range(passes)],
    )


def test_calls_that_are_batches_of_their_own_have_quantiles_and_others_none() -> None:
    run = run_of(7)
    quick, several = run.cases[0].cells
    assert quick.latency is not None and quick.latency.calls == quick.batches and quick.distribution is None
    assert several.latency is None and several.calls_per_batch == 4 and several.ns is not None
    assert quick.latency.p50_ns < quick.latency.p90_ns < (quick.latency.p99_ns or 0)
    rows = {(row.lane, row.metric): row.value for row in tidy_rows(run) if row.case == CASE}
    assert rows[LANES[0], "call_time_p90"] == quick.latency.p90_ns
    assert rows[LANES[0], "single_calls"] == quick.latency.calls and (LANES[1], "call_time_p50") not in rows
    table = [row for row in result_tables(run)["cells"] if row["case_id"] == CASE]
    told = [[row[f"single_{name}"] for name in ("p50_ns", "p90_ns", "p99_ns", "count")] for row in table]
    assert told == [list(msgspec.structs.astuple(quick.latency)), [None] * 4]


def test_an_operation_without_sides_has_none() -> None:
    case = "sha-256/hash/bytes=64"
    run = summarise(manifest({case: LANES}), [passed(case, index, (1, 1)) for index in range(7)])
    assert all(cell.latency is None and cell.distribution is None and cell.ns for cell in run.cases[0].cells)


def test_disturbed_calls_are_left_out() -> None:
    """One batch of the first lane took nine times as long on a core that gave half of what it can."""
    passes = []
    for index in range(7):
        record = passed(CASE, index, (1, 1))
        one = record.lanes[0]
        batch = len(one.ns) - 1
        ns = (*one.ns[:batch], 9_000_000)
        readings = len(one.chain_ns)
        tput = (*one.tput_ns[: readings - 2], *(2 * reading for reading in one.tput_ns[readings - 2 :]))
        hurt = msgspec.structs.replace(one, ns=ns, tput_ns=tput)
        passes.append(msgspec.structs.replace(record, lanes=(hurt, record.lanes[1])))
    hurt_cell, other = summarise(manifest({CASE: LANES}), passes).cases[0].cells
    assert hurt_cell.latency is not None and other.latency is not None
    assert hurt_cell.latency.calls < other.latency.calls and hurt_cell.batches == hurt_cell.latency.calls
    assert (hurt_cell.latency.p99_ns or 0) < 2e6


def view() -> Any:
    return SimpleNamespace(
        builds={}, build_title=lambda build: "TLS, A library 1", variant=lambda build: "", lane_title=lambda lane: lane
    )


def texts(rows: Sequence[Handshake]) -> list[list[str]]:
    figure = latency_figure(view(), rows, "")
    return [[cell.text for cell in line][2:] for line in figure.table.rows]


def row(client: Side, server: Side) -> Handshake:
    return Handshake({"version": "1.3", "mode": "full"}, LANES[0], client, server)


def test_the_table_says_how_firm_a_figure_is() -> None:
    ns = Estimate(1e6, 0.9e6, 1.1e6)
    firm = Side(ns, latency=LatencySummary(1e6, 1.1e6, 1.2e6, 299))
    soft = Side(ns, latency=LatencySummary(1e6, 1.1e6, 1.2e6, 298))
    few = Side(ns, latency=LatencySummary(1e6, 1.1e6, None, 28))
    fast = Side(ns, together=12)
    assert texts([row(firm, soft), row(few, fast), row(Side(why="no"), firm)]) == [
        ["client", "1.00 ms", "1.10 ms", "1.20 ms", "299"],
        ["server", "1.00 ms", "1.10 ms", "~1.20 ms", "298"],
        ["client", "1.00 ms", "~1.10 ms", "too few", "28"],
        ["server", *[NO_FIGURE] * 3, "12 at a time"],
        ["server", "1.00 ms", "1.10 ms", "1.20 ms", "299"],
    ]
    assert not with_latencies([row(fast, fast)]) and with_latencies([row(fast, firm)])


def test_the_rows_of_a_run_have_them() -> None:
    several, quick = handshakes_of(run_of(7)).rows
    assert quick.client.latency is not None and quick.server.latency == quick.client.latency
    assert several.client.latency is None and several.client.together == 4


def test_the_table_of_handshakes_has_the_cycles_of_each_side() -> None:
    """Beside the times, in the table and in its CSV; a side of which nobody knows the clock has none."""
    cycles = Estimate(4_000_000.0, 3_990_000.0, 4_010_000.0)
    run = run_of(7)
    client, server = run.cases
    known = msgspec.structs.replace(
        client, cells=tuple(msgspec.structs.replace(c, cycles=cycles) for c in client.cells)
    )
    rows = handshakes_of(msgspec.structs.replace(run, cases=(known, server))).rows
    assert [(one.client.cycles, one.server.cycles) for one in rows] == [(cycles, None)] * 2
    figure = _times(view(), rows[:1], NoCharts(), "")
    *_, first, second = figure.table.rows[0]
    assert (first.number, first.text, second.text) == (cycles.value, "4000000", NO_FIGURE)
    head, line = (text.split(",") for text in str(figure.data).splitlines()[:2])
    told = dict(zip(head[-6:], line[-6:], strict=True))
    assert told == {"client_cycles": "4000000.0", "client_cycles_low": "3990000.0", "client_cycles_high": "4010000.0", "server_cycles": "", "server_cycles_low": "", "server_cycles_high": ""}  # fmt: skip


@pytest.mark.parametrize("suite", ["tls", "tls-blog"])
@pytest.mark.parametrize("ns", [25_000, 36_000, 60_000, 200_000, 1_000_000])
def test_a_batch_is_one_handshake_and_a_pass_as_long_as_elsewhere(suite: str, ns: float) -> None:
    """As many handshakes as would fit into the batches of a suite that sets neither; four from 1 ms on would be too few, so that there are twenty."""
    root = data_root()
    settings = load_suite(root, suite, catalogue_at(root)).apply(Settings())
    usual = msgspec.structs.replace(
        settings, batch_us=Settings().batch_us, batches_per_turn=Settings().batches_per_turn
    )
    assert round(settings.batch_us * 1e3 * (1 + settings.jitter) / ns) <= 1
    handshakes = usual.rounds * usual.batches_per_turn * usual.batch_us * 1e3 / ns
    if ns < settings.batch_us * 1e3:
        handshakes = settings.rounds * settings.batches_per_turn
    assert batches_for(ns, settings) == pytest.approx(max(settings.slow_rounds, handshakes), rel=0.04)
