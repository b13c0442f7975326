# SPDX-License-Identifier: Apache-2.0
"""CSV and JSON exports keep every figure, with units, and tell missing from zero."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import duckdb
import msgspec
import pytest
import store_example as example

from cipherstone.model.summary import RunSummary
from cipherstone.report.export.csv import COLUMNS, export_csv
from cipherstone.report.export.json import export_json


def read(run: RunSummary) -> list[dict[str, str]]:
    reader = csv.DictReader(io.StringIO(export_csv(run)))
    assert tuple(reader.fieldnames or ()) == COLUMNS
    return list(reader)


def one(rows: list[dict[str, str]], **wanted: str) -> dict[str, str]:
    (row,) = [row for row in rows if all(row[key] == value for key, value in wanted.items())]
    return row


def test_every_row_has_all_columns_and_a_unit() -> None:
    rows = read(example.summary())
    assert all(None not in row.values() and row["unit"] and row["metric"] and row["library"] for row in rows)
    keys = [(row["case"], row["lane"], row["metric"], row["base"]) for row in rows]
    assert len(set(keys)) == len(keys)


def test_times_and_rates() -> None:
    rows = read(example.summary())
    time = one(rows, case=example.HASH, lane=example.OPENSSL, metric="time")
    assert (time["value"], time["low"], time["unit"], time["bytes"]) == ("7654.321", "7646.666679", "ns/call", "16384")
    rate = one(rows, case=example.HASH, lane=example.OPENSSL, metric="throughput")
    assert rate["unit"] == "MB/s"
    assert float(rate["value"]) == pytest.approx(16384 / 7654.321e-9 / 1e6)
    assert float(rate["low"]) < float(rate["value"]) < float(rate["high"])
    calls = one(rows, case=example.SIGN, metric="rate")
    assert calls["unit"] == "calls/s" and float(calls["value"]) == pytest.approx(1e9 / 41000.5) and calls["bytes"] == ""
    assert not [row for row in rows if row["case"] == example.SIGN and row["metric"] == "throughput"]


def test_a_wrong_result_has_its_reason_and_no_figure() -> None:
    rows = read(example.summary())
    wrong = one(rows, case=example.SIGN, lane=example.BEARSSL)
    assert wrong["outcome"] == "wrong" and wrong["value"] == wrong["low"] == wrong["high"] == ""
    assert wrong["note"] == 'signature does not verify, says "oracle", twice'


def test_a_lane_of_two_speeds_has_both_with_their_shares() -> None:
    rows = read(example.summary())
    lane = example.summary().cases[0].cells[1]
    assert lane.lane == example.BEARSSL and len(lane.levels) == 2
    for speed, level in zip(("faster", "slower"), lane.levels, strict=True):
        time = one(rows, case=example.HASH, lane=example.BEARSSL, metric=f"time_at_{speed}_speed")
        share = one(rows, case=example.HASH, lane=example.BEARSSL, metric=f"share_at_{speed}_speed")
        assert (float(time["value"]), time["unit"]) == (pytest.approx(level.ns), "ns/call")
        assert (float(share["value"]), share["unit"]) == (level.share, "share")
    assert not [row for row in rows if row["lane"] == example.OPENSSL and "speed" in row["metric"]]


def test_zero_and_missing_are_not_the_same() -> None:
    rows = read(example.summary())
    assert one(rows, case=example.HASH, lane=example.TWIN, metric="allocations_warm")["value"] == "0"
    assert not [row for row in rows if row["metric"] in ("stack", "max_rss", "random", "seed")]


def test_steps_of_a_first_call_are_told_apart_with_their_intervals() -> None:
    """A step that the lane has not gives no row; the whole is the median of sums, not the sum of medians."""
    rows = read(example.summary())
    steps = {row["metric"]: row for row in rows if row["case"] == example.HASH and row["lane"] == example.OPENSSL}
    first = example.FIRST
    sums = map(sum, zip(first.open_ns, first.fetch_ns, first.setup_ns, first.first_call_ns, strict=True))
    assert {name: float(steps[name]["value"]) for name in ("available", "open", "fetch", "setup")} == {
        "available": 63,
        "open": 702,
        "fetch": 30,
        "setup": 3,
    }
    assert [float(steps["first_call"][key]) for key in ("value", "low", "high")] == [9020, 8990, 12000]
    assert float(steps["once"]["value"]) == sorted(sums)[3] and steps["once"]["unit"] == "ns"
    assert float(steps["steady_call"]["value"]) == 500.5
    assert "seed" not in steps
    assert not [row for row in rows if row["lane"] == example.BEARSSL and row["metric"] in ("first_call", "once")]


def test_ratios_name_their_base_and_verdict() -> None:
    rows = read(example.summary())
    ratio = one(rows, metric="ratio_to_best", lane=example.BEARSSL)
    assert (ratio["value"], ratio["base"], ratio["note"]) == ("2.5", example.OPENSSL, "slower")
    assert one(rows, metric="ratio_to_itself")["twin"] == "true"


def test_refused_figures_and_withheld_lines_say_why() -> None:
    run = example.summary()
    case = run.cases[0]
    cell = msgspec.structs.replace(case.cells[0], ns=None, cycles=None, typical_ns=None, refused="5 passes, 6 needed")
    fit = msgspec.structs.replace(run.fits[0], per_byte_ns=None, withheld="rms 7 %")
    case = msgspec.structs.replace(case, cells=(cell,), to_best=(), to_base=(), aa=None, ranking=())
    rows = read(msgspec.structs.replace(run, cases=(case,), fits=(fit,)))
    time = one(rows, metric="time")
    assert (time["value"], time["note"], time["outcome"]) == ("", "5 passes, 6 needed", "ok")
    slope = one(rows, metric="slope")
    assert (slope["value"], slope["note"], slope["unit"]) == ("", "rms 7 %", "ns/B")


def test_csv_opens_in_duckdb(tmp_path: Path) -> None:
    file = tmp_path / "run.csv"
    file.write_text(export_csv(example.summary()))
    query = f"SELECT sum(value) FROM '{file}' WHERE metric = 'time' AND NOT twin"
    with duckdb.connect() as connection:
        assert connection.execute(query).fetchone() == (pytest.approx(7654.321 + 19135.8 + 41000.5),)


def test_json_is_the_summary_and_comes_back() -> None:
    text = export_json(example.summary())
    assert msgspec.json.decode(text, type=RunSummary) == example.summary()
    tree = json.loads(text)
    assert tree["cases"][0]["cells"][0]["ns"] == {"value": 7654.321, "low": 7646.666679, "high": 7661.975320999999}
    assert text.startswith('{\n  "manifest": {\n') and text.endswith("}\n")
    empty = msgspec.structs.replace(example.summary(), cases=(), fits=(), crossovers=())
    assert msgspec.json.decode(export_json(empty), type=RunSummary) == empty
    assert export_csv(empty) == ",".join(COLUMNS) + "\n"


def test_facts_are_figures_with_units_or_texts() -> None:
    rows = [row for row in read(example.summary()) if row["case"] == example.HASH and row["metric"].startswith("fact_")]
    found = {(row["metric"], row["value"], row["unit"], row["note"], row["lane"]) for row in rows}
    assert found == {
        ("fact_mul", "12", "count", "", example.OPENSSL),
        ("fact_table_bytes", "4096", "B", "", example.OPENSSL),
        ("fact_leak", "", "text", "exponent bits, by branch", example.OPENSSL),
    }
    cells = json.loads(export_json(example.summary()))["cases"][0]["cells"]
    assert [cell.get("facts", {}).get("mul") for cell in cells if cell["lane"] == example.OPENSSL] == [12]
