# SPDX-License-Identifier: Apache-2.0
"""Results of laboratories against slow versions: the cycles that a published page implies, handshakes beside what they must compute, and handshakes on a network and by threads."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import obvious
from generated_runs import examples, summary_of
from hypothesis import given
from hypothesis import strategies as st
from obvious import Told, near

from cipherstone.catalogue.published_pages import PageRow, Platform, PublishedPage, PublishedTable
from cipherstone.labs.tls.network import Network, extra_round_trips, round_trips, until_request_ms
from cipherstone.labs.tls.primitives import sums_of
from cipherstone.labs.tls.results import Scaled, Side, Wire, handshakes_of, speedup
from cipherstone.model.counts import Count, Counting
from cipherstone.model.estimate import Estimate
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import MemoryRecord
from cipherstone.model.summary import CaseSummary, CellSummary, RunSummary
from cipherstone.views.implied_cycles import implied


def ends(one: Estimate | None) -> Told | None:
    return None if one is None else (one.value, one.low, one.high)


estimates = st.builds(
    lambda value, below, above: (
        Estimate(value, None, None) if below is None else Estimate(value, value / below, value * above)
    ),
    st.floats(100.0, 1e6),
    st.sampled_from((None, 1.0, 1.01, 1.1)),
    st.sampled_from((1.0, 1.02, 1.3)),
)


# ---- a published page beside counts

UNITS = ("MB/s", "kB/s", "call/s", "us")
PAGE_CASES = ("sha-256/hash/bytes=8192", "aes-128-ctr/encrypt/bytes=1024", "sha-1/hash/bytes=64", "")
shown = st.sampled_from(("-", "12.5", "0.75", "110", "3000"))


@st.composite
def pages(draw: st.DrawFn) -> tuple[PublishedPage, list[Count]]:
    """Two platforms of one architecture and one of another; units that differ by platform; rows of other libraries, without a figure, without a count."""
    platforms = (
        Platform("a", "Some Core, 72 MHz", "gcc", "arm"),
        Platform("b", "Another, 1.5 GHz", "gcc", "arm"),
        Platform("c", "A third", "gcc", "arm"),
        Platform("d", "Last, 400 MHz", "gcc", "riscv"),
    )
    tables = tuple(
        PublishedTable(
            f"table {number}",
            draw(st.one_of(st.tuples(*[st.sampled_from(UNITS)] * 4), st.tuples(st.sampled_from(UNITS)))),
            tuple(
                PageRow(
                    f"row {number} {k}",
                    draw(st.tuples(*[shown] * 4)),
                    draw(st.sampled_from(PAGE_CASES)),
                    draw(st.sampled_from(("default", "small"))),
                    library=draw(st.sampled_from(("", "", "bearssl", "other"))),
                )
                for k in range(draw(st.integers(1, 4)))
            ),
        )
        for number in range(draw(st.integers(1, 2)))
    )
    page = PublishedPage(
        "Page", "", "bearssl", "", (), platforms, tables, build=draw(st.sampled_from(("", "bearssl+Os")))
    )
    counts = [
        Count(
            target=target,
            case=case,
            lane=f"{lane}{impl}",
            outcome=Counting.COUNTED,
            instructions=draw(st.sampled_from((None, 500, 7000, 90_000))),
            modelled_cycles=draw(st.sampled_from((None, 800, 9000))),
        )
        for target in ("arm-target", "riscv-target")
        for case in PAGE_CASES[:3]
        for lane in ("bearssl@0.6+O2", "bearssl@0.6+Os", "other@1")
        for impl in ("", ":small")
        if draw(st.booleans())
    ]
    return page, counts


def mean_of_logs(values: Sequence[float]) -> tuple[float | None, float | None]:
    if len(values) < 2:
        return None, None
    logs = [math.log(one) for one in values]
    middle = math.fsum(logs) / len(logs)
    return math.exp(middle), math.sqrt(math.fsum((one - middle) ** 2 for one in logs) / (len(logs) - 1))


@given(pages())
@examples(120)
def test_cycles_that_a_page_implies(one: tuple[PublishedPage, list[Count]]) -> None:
    page, counts = one
    found = {
        (it.platform.id, it.target): it for it in implied(page, counts, {"arm-target": "arm", "riscv-target": "riscv"})
    }
    assert set(found) == {("a", "arm-target"), ("b", "arm-target"), ("d", "riscv-target")}
    for (name, target), it in found.items():
        number, hertz = {"a": (0, 72e6), "b": (1, 1.5e9), "d": (3, 400e6)}[name]
        mine = [
            count
            for count in counts
            if count.target == target and count.lane.startswith("bearssl") and count.instructions
        ]
        # Of one build alone: the page's, or the first that was counted.
        own = [count for count in mine if "+Os" in count.lane] if page.build else []
        own = own or [count for count in mine if count.lane.partition(":")[0] == mine[0].lane.partition(":")[0]]
        expected = []
        for table in page.table:
            unit = table.units[number] if len(table.units) > 1 else table.units[0]
            for row in table.row:
                if row.values[number] == "-" or not row.case or row.library not in ("", "bearssl") or unit == "us":
                    continue
                bytes_a_call = int(row.case.partition("bytes=")[2])
                calls = {"MB/s": 1e6 / bytes_a_call, "kB/s": 1e3 / bytes_a_call, "call/s": 1.0}[unit] * float(
                    row.values[number]
                )
                count = next(
                    (
                        c
                        for c in own
                        if c.case == row.case and (c.lane.partition(":")[2] or "default") == row.implementation
                    ),
                    None,
                )
                cycles = hertz / calls
                expected.append(
                    (
                        row.label,
                        cycles,
                        count.instructions if count else None,
                        cycles / count.instructions if count and count.instructions else None,
                        cycles / count.modelled_cycles if count and count.modelled_cycles else None,
                    )
                )
        assert near(
            [(row.label, row.cycles, row.instructions, row.per_instruction, row.per_modelled) for row in it.rows],
            expected,
        )
        quotients = [row[3] for row in expected if row[3] is not None]
        assert near((it.mean, it.spread), mean_of_logs(quotients), 1e-6)
        assert near(it.median, obvious.median(quotients) if len(quotients) > 1 else None)
        assert near(it.modelled, mean_of_logs([row[4] for row in expected if row[4] is not None]), 1e-6)
        for row, (_, _, _, quotient, _) in zip(it.rows, expected, strict=True):
            apart = quotient / obvious.median(quotients) if quotient is not None and len(quotients) > 1 else None
            assert near(it.apart(row), apart)


# ---- handshakes


def run_of(cells: Mapping[str, Sequence[CellSummary]]) -> RunSummary:
    """A run of these cells, by case; every lane ranked as it stands."""
    cases = []
    for case, mine in cells.items():
        algorithm, verb, *_ = case.split("/")
        params = case.partition(f"{verb}/")[2]
        operation = "/".join(
            part
            for part in (algorithm, verb, ",".join(p for p in params.split(",") if p and not p.startswith("bytes=")))
            if part
        )
        ranking = tuple(
            (cell.lane,) for cell in sorted((c for c in mine if c.ns), key=lambda c: c.ns.value if c.ns else 0.0)
        )
        cases.append(CaseSummary(case, operation, "", "", verb, None, "", (), tuple(mine), ranking))
    return summary_of(cases)


# What a full handshake of a side computes, and a resumed one: (operation, times). TLS 1.3: 3 extractions, 6 secrets, 8 keys and nonces, 2 keys and 2 values of Finished; a binder 4 more. TLS 1.2: 88 bytes and two
# values of Finished from the PRF, 8 + 4 HMACs; resumed without the master secret. HKDF is two of them.
SHARE = {"x25519": ("x25519/keygen", "x25519/derive"), "p-256": ("p-256/keygen", "p-256/derive")}
RSA, EC = ("rsa-2048-pkcs1-sha256", "rsa-2048-pss-sha256"), ("ecdsa-p256-sha256", "ecdsa-p256-sha256")
HMACS = {
    ("1.3", "full"): 3 + 6 + 8 + 2 + 2,
    ("1.3", "ticket"): 3 + 6 + 8 + 2 + 2 + 4,
    ("1.2", "full"): 4 + 4 + 2 + 2,
    ("1.2", "ticket"): 4 + 2 + 2,
}
OPERATIONS = (
    "hkdf-sha-256/derive",
    *SHARE["x25519"],
    *SHARE["p-256"],
    *(f"{name}/{verb}" for name in {*RSA, *EC} for verb in ("sign", "verify")),
)


def computed(version: str, group: str, cert: str, mode: str, side: str) -> list[tuple[str, str, float]]:
    found = [("key schedule", "hkdf-sha-256/derive", HMACS[version, mode] / 2)]
    if (version, mode) != ("1.2", "ticket"):
        found += [("key share", one, 1.0) for one in SHARE[group]]
    if mode == "full":
        path, proof = RSA if cert == "rsa-2048" else EC
        proof = proof if version == "1.3" else path
        signed = (
            [(path, "verify", 2.0), (proof, "verify", 1.0)] if side == "handshake-client" else [(proof, "sign", 1.0)]
        )
        found += [("signatures", f"{name}/{verb}", times) for name, verb, times in signed]
    return found


@given(
    st.sampled_from(("1.2", "1.3")),
    st.sampled_from(("x25519", "p-256")),
    st.sampled_from(("p-256", "rsa-2048")),
    st.sampled_from(("full", "ticket")),
    st.dictionaries(st.sampled_from(OPERATIONS), estimates, min_size=5),
    estimates,
    estimates,
    estimates,
)
@examples(150)
def test_handshakes_beside_what_they_compute(
    version: str,
    group: str,
    cert: str,
    mode: str,
    alone: dict[str, Estimate],
    client: Estimate,
    server: Estimate,
    other: Estimate,
) -> None:
    """The rest has an interval as if all errors pulled one way; another library's, another version's and an implementation that nobody chose count for nothing."""
    cells: dict[str, list[CellSummary]] = {}
    for operation, ns in alone.items():
        cells[operation] = [
            CellSummary(operation, "openssl@3.0", Outcome.OK, ns=ns),
            CellSummary(operation, "openssl@3.0#2", Outcome.OK, ns=other),
            CellSummary(operation, "openssl@3.6", Outcome.OK, ns=other),
            CellSummary(operation, "nettle@3.0", Outcome.OK, ns=other),
            CellSummary(operation, "openssl@3.0:slow", Outcome.OK, ns=other),
        ]
    params = f"version={version},group={group},cert={cert},mode={mode}"
    whole = {"handshake-client": client, "handshake-server": server}
    for side, ns in whole.items():
        case = f"tls/{side}/{params}"
        cells[case] = [
            CellSummary(case, "tls@3.0+openssl", Outcome.OK, ns=ns),
            CellSummary(case, "tls@3.0+openssl#2", Outcome.OK, ns=other),
        ]
    found = {one.side: one for one in sums_of(run_of(cells))}
    assert set(found) == set(whole)
    for side, ns in whole.items():
        needed = computed(version, group, cert, mode, side)
        told = found[side]
        lacking = {operation for _, operation, _ in needed if operation not in alone}
        assert set(told.missing) == lacking
        parts: dict[str, list[float]] = {}
        for kind, operation, times in needed:
            if operation in alone:
                parts.setdefault(kind, []).append(times * alone[operation].value)
        assert near(sorted(told.parts), sorted(parts)) and all(
            near(told.parts[kind], math.fsum(mine)) for kind, mine in parts.items()
        )
        if lacking:
            assert told.rest is None
            continue
        intervals = [(alone[operation], times) for _, operation, times in needed]
        low = high = None
        if ns.low is not None and all(one.high is not None for one, _ in intervals):
            low = ns.low - math.fsum(times * (one.high or 0) for one, times in intervals)
            high = (ns.high or 0) - math.fsum(times * (one.low or 0) for one, times in intervals)
        assert near(
            ends(told.rest), (ns.value - math.fsum(times * one.value for one, times in intervals), low, high), 1e-6
        )


@given(
    st.integers(0, 300_000),
    st.integers(0, 4000),
    st.integers(0, 6),
    st.floats(0, 1e7),
    st.floats(0.1, 300),
    st.floats(1, 1e4),
)
@examples(150)
def test_handshakes_on_a_network(
    server: int, client: int, flights: int, processor: float, trip: float, mbit: float
) -> None:
    """Segments go out as the window allows, which doubles each round trip: by counting them off, window after window."""
    waits, left, window = 0, server - 14_600, 2 * 14_600
    while left > 0:
        waits, left, window = waits + 1, left - window, 2 * window
    # A window of ten segments, then so many more for each round trip as came before, and again as many.
    sent, most, slow = 14_600, 14_600, 0
    while sent < server:
        slow, most = slow + 1, most * 2
        sent += most
    assert extra_round_trips(server) == slow == waits
    wire = Wire(client, server, 1, 1, 1, 1, flights, 200)
    trips = 1 + flights // 2 + slow
    assert round_trips(wire) == trips
    line_ms = (client + server) / 1460 * 1500 * 8 / (mbit * 1e6) * 1e3
    assert near(until_request_ms(wire, processor, Network("n", trip, mbit)), trips * trip + line_ms + processor * 1e-6)


@given(st.integers(1, 8), st.one_of(st.none(), estimates), st.one_of(st.none(), estimates))
@examples(100)
def test_threads(threads: int, ns: Estimate | None, alone: Estimate | None) -> None:
    found = speedup(Scaled({}, "tls@1", threads, "shared", Side(ns=ns)), alone)
    if ns is None or alone is None:
        assert found is None
        return
    both = ns.low is not None and alone.low is not None
    low = threads * (alone.low or 0) / (ns.high or 1) if both else None
    high = threads * (alone.high or 0) / (ns.low or 1) if both else None
    assert near(ends(found), (threads * alone.value / ns.value, low, high))


FACTS = {
    "client_bytes": 1,
    "server_bytes": 2,
    "client_records": 3,
    "server_records": 4,
    "client_sends": 5,
    "server_sends": 6,
    "flights": 3,
    "client_hello_bytes": 7,
}


@given(
    st.sets(st.sampled_from(sorted(FACTS)), max_size=2).map(lambda lost: FACTS.keys() - lost),
    st.sets(st.sampled_from(sorted(FACTS))),
    estimates,
    st.booleans(),
    st.booleans(),
)
@examples(80)
def test_two_sides_of_a_handshake(
    by_client: set[str], by_server: set[str], ns: Estimate, timed: bool, one_sided: bool
) -> None:
    """Facts may be told by one side or by both; a wire is known only as a whole. A side without a time says why, one that is not there as well."""
    cells = {}
    for side, facts in (("client", by_client), ("server", by_server)):
        case = f"tls/handshake-{side}/version=1.3,mode=full"
        memory = MemoryRecord(
            case, "tls@1+x", held_bytes=5, warm_peak_bytes=70 if side == "client" else 90, warm_allocations=3
        )
        cells[case] = [
            CellSummary(
                case,
                "tls@1+x",
                Outcome.OK,
                ns=ns if timed or side == "client" else None,
                refused="" if timed or side == "client" else "contended: all",
                facts={name: FACTS[name] for name in facts},
                memory=memory,
                calls_per_batch=4,
            )
        ]
    if one_sided:
        del cells["tls/handshake-server/version=1.3,mode=full"]
    (row,) = handshakes_of(run_of(cells)).rows
    told = by_client if one_sided else by_client | by_server
    assert (row.wire is not None) == (told == set(FACTS))
    if row.wire is not None:
        assert (row.wire.client_bytes, row.wire.server_sends, row.wire.hello_bytes) == (1, 6, 7)
    assert (row.client.ns, row.client.peak_bytes, row.client.together) == (ns, 70, 4)
    if one_sided:
        assert row.server.ns is None and row.server.why == "not measured" and row.server.peak_bytes is None
    else:
        assert row.server.peak_bytes == 90 and (row.server.ns == ns if timed else row.server.why == "contended: all")
