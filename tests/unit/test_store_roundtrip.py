# SPDX-License-Identifier: Apache-2.0
"""Journal -> Parquet -> the same numbers, and the seal that plain tools check."""

from __future__ import annotations

import gzip
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import get_args

import duckdb
import msgspec
import pytest
import store_example as example
from hypothesis import given
from hypothesis import strategies as st

from cipherstone.model.counts import Count, CountedTarget
from cipherstone.model.errors import StoreError
from cipherstone.model.ids import Case, Lane
from cipherstone.model.outcomes import RunStatus
from cipherstone.model.records import (
    FactsRecord,
    FirstCallRecord,
    LaneSamples,
    MemoryRecord,
    NoiseRecord,
    OutcomeRecord,
    PassRecord,
    ProcessRecord,
    ProofRecord,
    Record,
)
from cipherstone.store import Bundle, BundleWriter
from cipherstone.store.database import open_duckdb
from cipherstone.store.journal import longest_line_bytes, shape
from cipherstone.store.journal_sql import journal_select, kind_of
from cipherstone.store.sql_text import case_columns, lane_columns
from cipherstone.store.summary_tables import result_tables
from cipherstone.store.tables import TABLES, parquet_name


def write(root: Path, finish: bool = True, run_id: str = "20260131-154502-3fa9") -> Path:
    with BundleWriter.create(root, example.manifest(run_id)) as writer:
        for record in example.records():
            writer.append(record)
        writer.set_status(RunStatus.FINISHED if finish else RunStatus.INTERRUPTED, 12.5)
        if finish:
            writer.finish(result_tables(example.summary()))
        return writer.path


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("runs"))


def rows(path: Path, table: str, columns: str, tail: str = "") -> list[tuple[object, ...]]:
    """Through a plain DuckDB, as a user opens it."""
    with duckdb.connect() as connection:
        file = str(path / parquet_name(table)).replace("'", "''")
        return connection.execute(f"SELECT {columns} FROM '{file}' {tail}").fetchall()


def test_every_record_comes_back_from_journal_and_packed_journal(tmp_path: Path, finished: Path) -> None:
    unfinished = write(tmp_path, finish=False)
    assert list(Bundle.open(unfinished).records()) == example.records()
    assert list(Bundle.open(finished).records()) == example.records()
    assert not (finished / "journal.jsonl").exists()
    assert not list(finished.glob("*.tmp"))


def test_manifest_says_finished_and_time(finished: Path) -> None:
    manifest = Bundle.open(finished).manifest
    assert manifest == msgspec.structs.replace(example.manifest(), status="finished", wall_s=12.5)
    text = (finished / "manifest.json").read_text()
    assert text.startswith('{\n  "format": 2,\n') and text.endswith("}\n")


def test_samples_are_the_batches_of_the_journal(finished: Path) -> None:
    expected = []
    for record in example.records():
        if not isinstance(record, PassRecord):
            continue
        case = Case.parse(record.case)
        for place, samples in enumerate(record.lanes):
            lane = Lane.parse(samples.lane)
            for k, ns in enumerate(samples.ns):
                round_index = samples.rounds[k] if samples.rounds else k
                position = record.order[round_index].index(place)
                cpu_ns = samples.cpu_ns[k] if samples.cpu_ns else None
                words = (record.case, case.operation, case.size_bytes, {}, samples.lane, lane.library, lane.build)
                how = (lane.implementation, lane.twin, record.index, k, round_index, position)
                cpu = record.cpus[round_index] if record.cpus else None
                times = (cpu, samples.calls, ns, cpu_ns)
                request, first = divmod(k, samples.per_turn)
                alike = 2 * k >= len(samples.ns) - 1 and (samples.per_turn == 1 or first > 0)
                ends = (*probe_ends(samples, k), alike and request not in samples.switched, record.valid)
                expected.append(("20260131-154502-3fa9", *words, *how, *times, *ends))
    found = rows(finished, "samples", "*")
    assert len(found) == len(expected) > 300
    assert sorted(found, key=repr) == sorted(expected, key=repr)
    with_probe = [row for row in expected if row[-3] is not None]
    assert 300 < len(with_probe) < len(expected), "the example has lanes with and without a probe"


def probe_ends(samples: LaneSamples, batch: int) -> tuple[float | None, ...]:
    """(chain, tput) before and after a batch, by walking through the turns."""
    if not samples.chain_ns:
        return (None,) * 4
    at = 0  # of the reading before the batch
    for k in range(batch):
        at += 1 if (k + 1) % samples.per_turn else 2
    chain, tput = samples.chain_ns, samples.tput_ns
    return chain[at], tput[at], chain[at + 1], tput[at + 1]


def test_a_batch_stands_between_the_readings_of_its_own_turn(tmp_path: Path) -> None:
    """Written out: two turns of two batches have three readings each; the last of one turn is not the first of the next."""
    chain, tput = (0.31, 0.32, 0.33, 0.41, 0.42, 0.43), (0.061, 0.062, 0.063, 0.071, 0.072, 0.073)
    lanes = (
        LaneSamples("a@1", 10, (5, 6, 7, 8), rounds=(0, 0, 3, 3), per_turn=2, chain_ns=chain, tput_ns=tput),
        LaneSamples("b@1", 10, (1, 2), rounds=(1, 2), chain_ns=chain[:4], tput_ns=tput[:4]),
        LaneSamples("c@1", 10, (3, 4), rounds=(1, 1), per_turn=2),
    )
    record = PassRecord(example.HASH, 0, 0.0, 1.0, 1.0, lanes, ((0,), (2, 1), (1,), (0,)))
    expected = [
        ("a@1", 0, 0, 0, 0.31, 0.061, 0.32, 0.062),
        ("a@1", 1, 0, 0, 0.32, 0.062, 0.33, 0.063),
        ("a@1", 2, 3, 0, 0.41, 0.071, 0.42, 0.072),
        ("a@1", 3, 3, 0, 0.42, 0.072, 0.43, 0.073),
        ("b@1", 0, 1, 1, 0.31, 0.061, 0.32, 0.062),
        ("b@1", 1, 2, 0, 0.33, 0.063, 0.41, 0.071),
        ("c@1", 0, 1, 0, None, None, None, None),
        ("c@1", 1, 1, 0, None, None, None, None),
    ]
    columns = "lane, batch, round, position, chain_before_ns, tput_before_ns, chain_after_ns, tput_after_ns"
    with BundleWriter.create(tmp_path, example.manifest()) as writer:
        writer.append(record)
        with open_duckdb([writer.path]) as connection:
            query = f"SELECT {columns} FROM samples ORDER BY lane, batch"
            assert connection.execute(query).fetchall() == expected
        writer.finish({})
    assert rows(writer.path, "samples", columns, "ORDER BY lane, batch") == expected


def test_passes(finished: Path) -> None:
    journal = [record for record in example.records() if isinstance(record, PassRecord)]
    expected = [
        (
            *(r.case, s.lane, r.index, r.valid, r.reason, r.start_s, r.wall_s, r.timed_s, r.waited_s),
            sorted(set(r.cpus)),
            *(s.calls, len(s.ns), sum(s.ns), s.cpu_total_ns, sum(s.cycles) if s.cycles else None),
            *(r.harness_ns[i] if r.harness_ns else None, s.nivcsw, s.slow),
        )
        for r in journal
        for i, s in enumerate(r.lanes)
    ]
    columns = (
        "case_id, lane, pass, valid, reason, start_s, wall_s, timed_s, waited_s, cpus, calls, batches, total_ns, "
        "cpu_total_ns, total_cycles, harness_ns, nivcsw, slow"
    )
    assert sorted(rows(finished, "passes", columns), key=repr) == sorted(expected, key=repr)


def test_other_journal_tables(finished: Path) -> None:
    everything = example.records()
    proofs = [
        (
            p.operation,
            p.lane,
            p.pass_index,
            p.outcome,
            p.accepted,
            p.rejected,
            p.oracle,
            list(p.sources),
            list(p.failures),
            [d.kind for d in p.deviations],
            [vector for d in p.deviations for vector in d.vectors],
        )
        for p in everything
        if isinstance(p, ProofRecord)
    ]
    columns = (
        "operation, lane, pass, outcome, accepted, rejected, oracle, sources, failures, deviations, deviation_vectors"
    )
    assert rows(finished, "proofs", columns) == proofs
    outcomes = [(o.case, o.lane, o.outcome, o.detail, o.stderr) for o in everything if isinstance(o, OutcomeRecord)]
    assert rows(finished, "outcomes", "case_id, lane, outcome, detail, stderr") == outcomes
    memory = [msgspec.structs.astuple(m) for m in everything if isinstance(m, MemoryRecord)]
    assert rows(finished, "memory", "case_id, lane, COLUMNS('_(bytes|allocations|kib|ns)$')") == memory
    first = [
        (one.case, one.lane, process, *(values[process] if values else None for values in step_values(one)))
        for one in everything
        if isinstance(one, FirstCallRecord)
        for process in range(len(one.first_call_ns))
    ]
    columns = ", ".join(("case_id", "lane", "process", *FIRST_CALL_COLUMNS))
    assert rows(finished, "first_calls", columns) == first
    processes = [msgspec.structs.astuple(one) for one in everything if isinstance(one, ProcessRecord)]
    columns = "case_id, lane, round, wall_ns, cpu_ns, max_rss_kib"
    assert rows(finished, "processes", columns) == processes
    noise = [msgspec.structs.astuple(n) for n in everything if isinstance(n, NoiseRecord)]
    assert rows(finished, "noise", "* EXCLUDE run") == noise
    classes = ("load", "store", "branch", "multiply", "divide")
    counts = [
        (
            *(c.case, c.lane, c.target, c.outcome, c.instructions),
            *map(c.classes.get, classes),
            *(c.stack_bytes, c.heap_bytes, c.held_bytes, c.code_bytes),
            *(c.proof, list(c.seen), c.reason),
        )
        for c in everything
        if isinstance(c, Count)
    ]
    sizes = "stack_bytes, heap_bytes, held_bytes, code_bytes"
    columns = f"case_id, lane, target, outcome, instructions, {', '.join(classes)}, {sizes}, proof, seen, reason"
    assert rows(finished, "counts", columns) == counts and len(counts) == 2 and counts[0][10:14] == (96, 640, 32, 756)
    targets = [msgspec.structs.astuple(t)[:-2] for t in everything if isinstance(t, CountedTarget)]
    assert rows(finished, "targets", "* EXCLUDE run") == targets and len(targets) == 2


FIRST_CALL_COLUMNS = (
    "available_ns",
    "open_ns",
    "seed_ns",
    "fetch_ns",
    "setup_ns",
    "first_call_ns",
    "steady_call_ns",
)


def step_values(record: FirstCallRecord) -> list[tuple[float, ...]]:
    """Its values, a list a column."""
    return [getattr(record, column) for column in FIRST_CALL_COLUMNS]


@pytest.mark.parametrize("table", ["cells", "ratios", "fits", "crossovers"])
def test_result_tables_keep_every_figure(finished: Path, table: str) -> None:
    given_rows = result_tables(example.summary())[table]
    names = [column.name for column in TABLES[table].columns]
    plain = msgspec.json.decode(msgspec.json.encode(given_rows))
    assert all(set(row) == set(names) for row in plain)
    found = rows(finished, table, "*")
    assert found == [tuple(row[name] for name in names) for row in plain]
    assert found


def test_rank_is_null_where_nothing_is_ranked(finished: Path) -> None:
    found = rows(finished, "cells", "lane, rank, ns", "WHERE operation = 'ed25519/sign' ORDER BY rank")
    assert found == [(example.OPENSSL, 1, 41000.5), (example.BEARSSL, None, None)]


def test_both_speeds_of_a_lane_are_kept(finished: Path) -> None:
    found = rows(finished, "cells", "lane, level_ns, level_share", "WHERE case_id = 'sha-256/hash/bytes=16384' ORDER BY lane")  # fmt: skip
    assert found == [
        (example.BEARSSL, [19135.8, 19135.8 * 1.09], [0.6, 0.4]),
        (example.OPENSSL, [], []),
        (example.TWIN, [], []),
    ]


def test_files_have_the_documented_columns_and_types(finished: Path) -> None:
    for table in TABLES.values():
        with duckdb.connect() as connection:
            described = connection.execute(f"DESCRIBE FROM '{finished / parquet_name(table.name)}'").fetchall()
        assert [(row[0], row[1]) for row in described] == [(column.name, column.type) for column in table.columns]


def test_a_run_without_results_has_empty_tables(tmp_path: Path) -> None:
    with BundleWriter.create(tmp_path, example.manifest()) as writer:
        writer.finish({})
    for name in TABLES:
        assert rows(writer.path, name, "*") == []
    assert list(Bundle.open(writer.path).records()) == []


def test_a_journal_says_which_tables_have_rows_and_how_long_its_lines_are(tmp_path: Path) -> None:
    """What has none is not searched for; where a line begins otherwise than ours do, everything is."""
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b"")
    assert shape(path) == (0, frozenset())
    lines = [msgspec.json.encode(record) + b"\n" for record in example.records()]
    path.write_bytes(b"".join(lines) + b'{"type":"unfinished')
    kinds = {str(record.__struct_config__.tag) for record in example.records()}
    assert shape(path) == (longest_line_bytes(path), kinds) == (max(map(len, lines)), kinds)
    assert {kind_of(table.name) for table in TABLES.values() if table.from_journal} <= {
        str(kind.__struct_config__.tag) for kind in get_args(Record)
    }
    path.write_bytes(b"".join(lines) + b'{ "type": "noise"}\n')
    assert shape(path) == (longest_line_bytes(path), None)


def test_a_line_of_another_writer_reaches_the_tables(tmp_path: Path) -> None:
    """Spaces, and its kind at the end."""
    with BundleWriter.create(tmp_path, example.manifest()) as writer:
        journal = writer.path / "journal.jsonl"
        journal.write_text('{ "pass_index": 3, "start_s": 1.5, "wall_s": 2.0, "type": "noise" }\n')
        writer.finish({})
    assert rows(writer.path, "noise", "pass, start_s, wall_s") == [(3, 1.5, 2.0)]
    assert rows(writer.path, "passes", "*") == []


def test_unknown_tables_and_columns_are_refused(tmp_path: Path) -> None:
    with BundleWriter.create(tmp_path, example.manifest()) as writer:
        for tables in ({"cell": []}, {"samples": []}, {"cells": [{"nanoseconds": 1}]}):
            with pytest.raises(ValueError, match="tables: "):
                writer.finish(tables)
        assert Bundle.open(writer.path).manifest.status == "running"


def test_sha256sum_agrees_with_the_seal(finished: Path) -> None:
    assert Bundle.open(finished).verify() == []
    tool = shutil.which("sha256sum")
    if tool is None:
        pytest.skip("no sha256sum on this system")
    ran = subprocess.run(
        [tool, "-c", "--strict", "SHA256SUMS"], cwd=finished, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.count(": OK") == len(TABLES) + 2


def test_packing_is_reproducible_and_plain_gzip(tmp_path: Path, finished: Path) -> None:
    again = write(tmp_path)
    packed = (again / "journal.jsonl.gz").read_bytes()
    assert packed == (finished / "journal.jsonl.gz").read_bytes()
    assert gzip.decompress(packed).count(b"\n") == len(example.records())


def test_many_runs_in_one_connection(tmp_path: Path) -> None:
    first, second = write(tmp_path), write(tmp_path, run_id="20260201-000000-aaaa")
    third = write(tmp_path, finish=False, run_id="20260202-it's [odd]*")
    with (third / "journal.jsonl").open("ab") as journal:
        journal.write(b'{"type":"pass","case":"sha-256/ha')
    with open_duckdb([first, second, third]) as connection:
        per_run = connection.execute("SELECT run, count(*), sum(ns) FROM samples GROUP BY run ORDER BY run").fetchall()
        assert [row[0] for row in per_run] == [first.name, second.name, third.name]
        assert len({row[1:] for row in per_run}) == 1
        cells = connection.execute("SELECT DISTINCT run FROM cells").fetchall()
        assert cells == [(first.name,)]  # the example's summary carries the first run's id
        statuses = connection.execute("SELECT run, status, suite, wall_s FROM runs ORDER BY run").fetchall()
        assert [row[1] for row in statuses] == ["finished", "finished", "interrupted"]
        assert all(row[2:] == ("quick", 12.5) for row in statuses)
    with open_duckdb([third]) as connection:
        assert connection.execute("SELECT count(*) FROM cells").fetchone() == (0,)
        assert connection.execute("SELECT count(*) FROM samples").fetchone() == (per_run[0][1],)


def test_no_runs_and_missing_tables_are_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no run to read"):
        open_duckdb([])
    path = write(tmp_path)
    (path / "ratios.parquet").unlink()
    with pytest.raises(StoreError, match=r"ratios\.parquet: missing"):
        open_duckdb([path])


word = st.from_regex(r"[a-z0-9][a-z0-9.+_-]{0,8}", fullmatch=True)
params = st.dictionaries(
    st.from_regex(r"[a-z][a-z0-9_-]{0,5}", fullmatch=True).filter(lambda name: name != "bytes"),
    st.from_regex(r"[A-Za-z0-9.+_-]{1,6}", fullmatch=True),
    max_size=3,
)


@cache
def connected() -> duckdb.DuckDBPyConnection:
    """One database for all examples: to open it takes longer than all that an example asks."""
    return duckdb.connect()


def selected(columns: str, name: str, ids: list[str]) -> list[tuple[object, ...]]:
    """`columns` of a table whose column `name` has `ids`, in their order."""
    connected().execute(f"CREATE OR REPLACE TABLE t (n INTEGER, {name} VARCHAR)")
    connected().execute("INSERT INTO t SELECT unnest($1::INTEGER[]), unnest($2::VARCHAR[])", [[*range(len(ids))], ids])
    return connected().execute(f"SELECT {columns} FROM t ORDER BY n").fetchall()


@given(
    st.lists(
        st.builds(
            Case, word, word, st.none() | st.integers(0, 1 << 40), params.map(lambda named: tuple(named.items()))
        ),
        min_size=1,
        max_size=30,
    )
)
def test_sql_reads_case_ids_as_the_model_does(cases: list[Case]) -> None:
    found = selected(case_columns(), '"case"', [case.id for case in cases])
    assert found == [(case.id, case.operation, case.size_bytes, dict(case.params)) for case in cases]


@given(
    st.lists(st.builds(Lane, word, word, st.one_of(st.just("default"), word), st.booleans()), min_size=1, max_size=30)
)
def test_sql_reads_lane_ids_as_the_model_does(lanes: list[Lane]) -> None:
    found = selected(lane_columns("id"), "id", [lane.id for lane in lanes])
    parsed = [Lane.parse(lane.id) for lane in lanes]
    assert found == [(p.id, p.library, p.build, p.implementation, p.twin) for p in parsed]


def test_a_very_long_line_reaches_the_tables(tmp_path: Path) -> None:
    rounds = 400_000
    ns = tuple(range(rounds))
    long_pass = PassRecord("harness/empty", 0, 0.0, 1.0, 1.0, (LaneSamples("toy@1", 1, ns),), ((0,),) * rounds)
    with BundleWriter.create(tmp_path, example.manifest()) as writer:
        writer.append(long_pass)
        assert (writer.path / "journal.jsonl").stat().st_size > 4 << 20
        with open_duckdb([writer.path]) as connection:
            assert connection.execute("SELECT count(*) FROM samples").fetchone() == (rounds,)
        writer.finish({})
    assert rows(writer.path, "samples", "count(*), sum(ns), max(position)") == [(rounds, sum(ns), 0)]


def test_facts_are_numbers_and_texts_as_they_were_told(finished: Path) -> None:
    found = rows(finished, "facts", "case_id, lane, library, key, number, text", "ORDER BY ALL")
    expected = [
        (record.case, record.lane, "openssl", key, *((None, value) if isinstance(value, str) else (value, None)))
        for record in example.records()
        if isinstance(record, FactsRecord)
        for key, value in record.facts.items()
    ]
    assert found == sorted(expected) and len(found) == 6


def test_foreign_figures_are_stored_as_published(finished: Path) -> None:
    found = rows(
        finished, "foreign_figures", "case_id, bytes, lane, implementation, ns, iterations, note, cycles", "ORDER BY ns"
    )
    assert found == [
        (example.HASH, 16384, "cryptobench@2016", "default", 0.25, None, "", None),
        (example.SIGN, None, "cryptobench@2016:ed25519", "ed25519", 1234.5, 1000, "clock of 15 ms", None),
        (example.HASH, 16384, "pqm4@2026:m4f", "m4f", None, 10, "", 658754.0),
    ]


def test_a_run_sealed_before_there_were_facts_still_opens(tmp_path: Path, finished: Path) -> None:
    """Together with a younger one: the older has no rows of theirs. A file that its own seal names must be there."""
    older = tmp_path / "older"
    shutil.copytree(finished, older)
    sums = (older / "SHA256SUMS").read_text().splitlines(keepends=True)
    for name in ("facts", "foreign_figures"):
        (older / parquet_name(name)).unlink()
        sums = [line for line in sums if parquet_name(name) not in line]
    damaged = shutil.copytree(older, tmp_path / "damaged")
    (older / "SHA256SUMS").write_text("".join(sums))
    with open_duckdb([older]) as connection:
        assert connection.execute("SELECT count(*) FROM facts").fetchone() == (0,)
        assert connection.execute("SELECT count(*) > 0 FROM cells").fetchone() == (True,)
    with open_duckdb([older, finished]) as connection:
        assert connection.execute("SELECT count(*) FROM facts").fetchone() == (6,)
    with pytest.raises(StoreError, match=r"facts\.parquet: missing"):
        open_duckdb([damaged])


def test_batches_in_doubt_are_told_apart_in_sql(tmp_path: Path) -> None:
    """Their probes may be clean: a query over batches has to know which lanes of a pass to leave out."""
    lanes = (LaneSamples("a@1", 10, (100, 200)), LaneSamples("b@1", 10, (50, 250), doubt="claims 5 ns a call"))
    record = PassRecord("md5/hash/bytes=64", 0, 0.0, 1.0, 0.5, lanes, ((0, 1), (1, 0)), (1.0, 1.0))
    journal = tmp_path / "journal.jsonl"
    journal.write_bytes(msgspec.json.encode(record) + b"\n")
    told = duckdb.sql(f"SELECT library, doubt FROM ({journal_select('passes', journal, 'r', 10_000)})").fetchall()
    assert told == [("a", ""), ("b", "claims 5 ns a call")]
    batches = duckdb.sql(f"SELECT library, ns FROM ({journal_select('samples', journal, 'r', 10_000)})").fetchall()
    assert sorted(batches) == [("a", 100), ("a", 200), ("b", 50), ("b", 250)]
