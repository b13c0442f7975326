# SPDX-License-Identifier: Apache-2.0
"""Whole processes as figures and in every form of the report."""

from __future__ import annotations

import csv
import io
import random
import re
import statistics

import msgspec
import pytest
from test_views_summarise import CASE, EXTRA, NTL, OSSL, TWIN, cell, passes, run

from cipherstone.model.ids import Case
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import EMPTY_CASE, Build, CodeObject, OutcomeRecord, ProcessRecord, Record
from cipherstone.model.summary import CaseSummary, CellSummary, Estimate, RunSummary
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.processes import CSV_HEAD, processes_section
from cipherstone.report.export.rows import tidy_rows
from cipherstone.report.render.html import render_html
from cipherstone.report.render.markdown import render_markdown
from cipherstone.report.render.terminal import render_terminal
from cipherstone.report.words.method import method_paragraphs
from cipherstone.views.run.processes import linked, process_lines, spread, summary, with_processes

MS = 1_000_000


def samples(lane: str, cpu: list[float], beyond_empty: list[float], rss: int = 4000) -> list[ProcessRecord]:
    """One a round; the empty process of the lane's build takes so much less."""
    empty = f"{lane}:sdk"
    rows = [ProcessRecord(CASE, lane, n, round(3 * c), round(c), rss + n) for n, c in enumerate(cpu)]
    return rows + [
        ProcessRecord(EMPTY_CASE, empty, n, round(3 * c - 2 * b), round(c - b), rss - 1000)
        for n, (c, b) in enumerate(zip(cpu, beyond_empty, strict=True))
    ]


def example(*more: Record) -> RunSummary:
    drift = [MS * (1 + 0.2 * n) for n in range(9)]  # the machine becomes slower and slower
    records = samples(OSSL, [2 * d for d in drift], [500_000.0 + 1000 * n for n in range(9)], 5000)
    records += samples(NTL, drift, [20_000.0] * 9)
    return run([*passes(), *records, *more, *EXTRA])


def test_spread_is_as_publications_have_it() -> None:
    values = [5.0, 1.0, 2.0, 4.0, 3.0, 100.0]
    found = spread(values)
    assert (found.mean, found.sd) == (statistics.mean(values), pytest.approx(statistics.stdev(values)))
    assert found.median == Estimate(3.5, 1.0, 100.0)
    assert (found.q10, found.q25, found.q75, found.q90) == (1.5, 2.25, 4.75, 52.5)
    alone = spread([7.0])
    assert (alone.mean, alone.sd, alone.median.low, alone.q90) == (7.0, None, None, 7.0)
    with pytest.raises(ValueError, match="no values"):
        spread([])


def test_lanes_are_compared_within_a_round() -> None:
    """The drift of the machine, 2.6 times from first to last, is in no quotient and in no difference."""
    found = example()
    slow, fast = cell(found, OSSL).process, cell(found, NTL).process
    assert slow is not None and fast is not None and cell(found, TWIN).process is None
    assert slow.samples == fast.samples == 9
    assert fast.ratio is None and slow.ratio == Estimate(2.0, 2.0, 2.0)
    assert fast.beyond_cpu == Estimate(20_000.0, 20_000.0, 20_000.0)
    assert slow.beyond_cpu == Estimate(504_000.0, 501_000.0, 507_000.0)
    assert slow.beyond_wall is not None and slow.beyond_wall.value == 1_008_000.0
    assert slow.beyond_rss == Estimate(1004.0, 1001.0, 1007.0)
    assert (slow.rss.mean, slow.rss.median.value) == (5004.0, 5004.0)
    assert slow.cpu.median.value == 3.6 * MS and slow.wall.median.value == 10.8 * MS


def test_only_rounds_that_both_have_make_pairs() -> None:
    rows = [ProcessRecord(CASE, OSSL, n, 10, 10, 10) for n in range(4)]
    others = [ProcessRecord(CASE, NTL, n, 4, 4, 4) for n in range(3, 6)]
    found = summary(rows, others)
    assert found.beyond_cpu == Estimate(6.0) and found.samples == 4
    assert summary(rows).beyond_cpu is None


def test_a_clock_that_saw_nothing_makes_no_quotient() -> None:
    cells = {one.lane: one for one in example().cases[0].cells}
    rows = {(CASE, lane): [ProcessRecord(CASE, lane, 0, 10, cpu, 10)] for lane, cpu in ((OSSL, 0), (NTL, 5))}
    told = with_processes(cells, rows)
    assert told[NTL].process is not None and told[NTL].process.ratio is None


def test_a_lane_that_was_wrong_as_a_process_has_no_figure_at_all() -> None:
    wrong = OutcomeRecord(CASE, OSSL, Outcome.WRONG, "as a process of its own: output has length 0")
    found = example(wrong)
    lost = cell(found, OSSL)
    assert (lost.outcome, lost.process, lost.ns) == (Outcome.WRONG, None, None)
    kept = cell(found, NTL)
    assert kept.process is not None and kept.process.ratio is None


@pytest.mark.parametrize(
    ("objects", "words"),
    [
        ((("worker", "cs"), ("library", "libcrypto.so.3"), ("runtime", "libc.so.6")), "dynamic: libcrypto.so.3"),
        ((("worker", "cs"), ("archive", "libgcrypt.a"), ("archive", "libgpg-error.a")), "static: libgcrypt.a, libgpg-error.a"),
        ((("worker", "cs"), ("runtime", "libc.so.6")), "static"),
        ((), ""),
    ],
)  # fmt: skip
def test_linkage_is_told_from_the_files(objects: tuple[tuple[str, str], ...], words: str) -> None:
    files = tuple(CodeObject(f"/lib/{name}", role, "00") for role, name in objects)
    build = Build("a", "1", "1", "library", "A", "licence", "cc", "-O2", None, "00", objects=files)
    assert linked(build) == words


def test_every_form_of_the_report_shows_them() -> None:
    found = example()
    html, text = render_html(found, (), ""), render_terminal(found, 200, False)
    assert 'id="processes"' in html and 'href="#processes"' in html
    row = r"nettle +1\.80 ms +548 µs +1\.80 ms +1 +4004 KiB"
    assert re.search(row, text, re.IGNORECASE), text
    assert "| 3.60 ms | 1.10 ms | 3.60 ms | 2.000 (2.000 to 2.000) | 5004 KiB |" in render_markdown(found)
    assert "What does one task cost" not in render_terminal(run([*passes(), *EXTRA]), 100, False)


def test_the_data_of_a_table_holds_every_figure() -> None:
    section = processes_section(RunView(example()), "")
    assert section is not None
    empty, one = section.figures
    assert isinstance(empty.data, str) and isinstance(one.data, str)
    rows = list(csv.DictReader(io.StringIO(one.data)))
    assert tuple(rows[0]) == CSV_HEAD and len(rows) == 2
    nettle = next(row for row in rows if row["lane"] == NTL)
    assert (nettle["samples"], nettle["cpu_ns_median"], nettle["beyond_cpu_ns"]) == ("9", "1800000.0", "20000.0")
    assert float(nettle["in_process_ns"]) == pytest.approx(130, rel=0.05) and nettle["ratio"] == ""


def test_an_export_has_a_row_a_figure() -> None:
    rows = {(row.lane, row.metric): row for row in tidy_rows(example()) if row.metric.startswith("process_")}
    assert len(rows) == 2 * (3 * 7 + 3) + 1  # the fastest lane has no ratio
    beyond = rows[OSSL, "process_cpu_beyond_empty"]
    assert (beyond.value, beyond.low, beyond.high, beyond.unit) == (504_000.0, 501_000.0, 507_000.0, "ns")
    assert rows[NTL, "process_max_rss_mean"].value == 4004.0 and rows[NTL, "process_max_rss_mean"].unit == "KiB"
    assert rows[OSSL, "process_ratio"].value == 2.0 and (NTL, "process_ratio") not in rows


def test_the_method_says_it_where_it_was_done() -> None:
    manifest = example().manifest
    assert "Whole processes" not in dict(method_paragraphs(manifest))
    settings = msgspec.structs.replace(manifest.settings, processes=30)
    told = dict(method_paragraphs(msgspec.structs.replace(manifest, settings=settings)))
    assert "30 whole processes" in told["Whole processes"]


def test_any_order_of_records_gives_the_same() -> None:
    records = samples(OSSL, [float(n) for n in range(9, 0, -1)], [1.0] * 9)
    mixed = records[:]
    random.Random(1).shuffle(mixed)
    plain, other = (run([*passes(), *rows, *EXTRA]) for rows in (records, mixed))
    first, second = cell(plain, OSSL).process, cell(other, OSSL).process
    assert first is not None and second is not None
    assert first.cpu.median == second.cpu.median and first.beyond_cpu == second.beyond_cpu


def sized(lane: str, sizes: list[int], rounds: int = 9) -> dict[tuple[str, str], list[ProcessRecord]]:
    """Starting takes 2 ms and 3000 KiB, a byte 1.5 ns and two bytes; every round is a little slower than the one before."""
    return {
        (f"sha-256/hash/bytes={size}", lane): [
            ProcessRecord(f"sha-256/hash/bytes={size}", lane, n, 1, round((2e6 + 1.5 * size) * (1 + n / 100)), 3000 + 2 * size // 1024)
            for n in range(rounds)
        ]
        for size in sizes
    }  # fmt: skip


def cases_of(samples: dict[tuple[str, str], list[ProcessRecord]]) -> list[CaseSummary]:
    """One a size, with the lane's cell."""
    found = []
    for (name, lane), rows in samples.items():
        case = Case.parse(name)
        one = CellSummary(name, lane, Outcome.OK, process=summary(rows))
        found.append(CaseSummary(name, case.operation, "SHA-256", "hash", "hash", case.size_bytes, "", (), (one,)))
    return found


def test_starting_and_a_byte_are_told_apart() -> None:
    sizes = [4096, 65536, 1 << 20, 1 << 26]
    samples = sized(OSSL, sizes)
    (line,) = process_lines(cases_of(samples), samples)
    assert line.sizes == tuple(sizes) and line.rounds == 9
    assert line.start.value == pytest.approx(2e6 * 1.04, rel=1e-3) and line.per_byte.value == pytest.approx(
        1.5 * 1.04, rel=1e-3
    )
    assert line.start.low is not None and line.start.low < line.start.value < (line.start.high or 0)
    assert line.start_kib.value == pytest.approx(3000, rel=1e-3) and line.bytes_per_byte.value == pytest.approx(
        2, rel=1e-3
    )
    assert line.rms_relative_error < 1e-3


def test_three_sizes_are_too_few_and_a_clock_that_saw_nothing_gives_no_line() -> None:
    few = sized(OSSL, [4096, 65536, 1 << 20])
    assert process_lines(cases_of(few), few) == ()
    blind = sized(OSSL, [1, 2, 3, 4]) | {
        ("sha-256/hash/bytes=1", OSSL): [ProcessRecord("sha-256/hash/bytes=1", OSSL, 0, 1, 0, 5)]
    }
    assert process_lines(cases_of(blind), blind) == ()


def test_the_lines_stand_in_every_form_of_the_report() -> None:
    sizes = [4096, 65536, 1 << 20, 1 << 26]
    samples = sized(OSSL, sizes)
    cases = cases_of(samples)
    made = msgspec.structs.replace(
        example(), cases=(*example().cases, *cases), process_lines=process_lines(cases, samples)
    )
    title = ": start-up and cost of a byte, 4 KiB to 64 MiB a process"
    assert (
        title in render_html(made, (), "")
        and title in render_terminal(made, 200, False)
        and title in render_markdown(made)
    )
    assert "1.56 ns" in render_terminal(made, 200, False)
