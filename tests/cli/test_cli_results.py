# SPDX-License-Identifier: Apache-2.0
"""Exit codes, comparing, exporting, querying: with scripted clocks, so that every ratio is known."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scripts import HASH, MAC, CommandLine, Done, cost, write_worker

SELECTION = f"op:({HASH} OR {MAC})"


@pytest.fixture(scope="module")
def two_runs(new_cli: Callable[..., CommandLine], tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    """Two runs. In the second everything takes 1.5 times as long (another day, a slower clock), and beta's HMAC another 1.2 times on top."""
    cli = new_cli("two")
    for name, slower, regression in (("before", 1.0, 1.0), ("after", 1.5, 1.2)):
        folder = tmp_path_factory.mktemp("workers")
        harness = {"harness_ns": 1.0}
        a = write_worker(folder, "alpha", {HASH: cost(1000 * slower), MAC: cost(2000 * slower)}, **harness)
        beta = {HASH: cost(1300 * slower), MAC: cost(1500 * slower * regression)}
        b = write_worker(folder, "beta", beta, **harness)
        done = cli.measure("--name", name, "--base", "alpha", "--filter", SELECTION, "--worker", a, "--worker", b)
        assert done.code == 0 and f", called {name}\n" in done.err, done.err
    return cli


def rows(done: Done) -> dict[str, Any]:
    """Rows of `compare --format json` by case and lane."""
    return {f"{row['case'].partition('/')[0]} {row['lane']}": row for row in done.json()["rows"]}


def test_two_lanes_of_a_run(two_runs: CommandLine) -> None:
    done = two_runs.inside("compare", "alpha", "beta", "--format", "json").no_trace()
    assert done.code == 0
    found = rows(done)
    mac, sha = found["hmac-sha-256 beta / alpha"], found["sha-256 beta / alpha"]
    assert sha["ratio"]["value"] == pytest.approx(1.3) and sha["verdict"] == "slower"
    assert mac["ratio"]["value"] == pytest.approx(0.9) and mac["verdict"] == "faster"
    earlier = rows(two_runs.inside("compare", "alpha", "beta", "--run", "latest~1", "--format", "json"))
    assert earlier["hmac-sha-256 beta / alpha"]["ratio"]["value"] == pytest.approx(0.75)


def test_two_runs_are_compared_through_their_anchor(two_runs: CommandLine) -> None:
    """The slower clock cancels: beta's hash is alike, its HMAC takes 1.2 times as long."""
    done = two_runs.inside("compare", "latest~1", "latest", "--format", "json").no_trace()
    assert done.code == 0
    assert done.json()["base"] == "alpha"
    found = rows(done)
    assert set(found) == {"sha-256 beta", "hmac-sha-256 beta"}
    assert found["sha-256 beta"]["ratio"]["value"] == pytest.approx(1.0) and found["sha-256 beta"]["verdict"] == "equal"
    assert found["hmac-sha-256 beta"]["ratio"]["value"] == pytest.approx(1.2)
    assert found["hmac-sha-256 beta"]["verdict"] == "slower"
    assert done.json()["worst_slowdown"] == pytest.approx(0.2)
    text = two_runs.inside("compare", "latest~1", "latest").out
    assert "1.20" in text and "slower" in text and "~ within 1 %" in text


def test_another_anchor_turns_the_tables(two_runs: CommandLine) -> None:
    found = rows(two_runs.inside("compare", "latest~1", "latest", "--base", "beta", "--format", "json"))
    assert found["hmac-sha-256 alpha"]["ratio"]["value"] == pytest.approx(1 / 1.2)
    done = two_runs.inside("compare", "latest~1", "latest", "--base", "gamma").no_trace()
    assert done.code == 2 and "--base gamma: in neither run" in done.err


@pytest.mark.parametrize(("limit", "code"), [("10%", 3), ("0.1", 3), ("19%", 3), ("21%", 0), ("100%", 0)])
def test_fail_above(two_runs: CommandLine, limit: str, code: int) -> None:
    done = two_runs.inside("compare", "latest~1", "latest", "--fail-above", limit).no_trace()
    assert done.code == code
    share = float(limit.rstrip("%")) * (1 if "%" in limit else 100)
    told = f"slower by 20.0 % (20.0 to 20.0 %), more than the {share:g} % allowed"
    assert (f"{told}: {MAC}/bytes=16384 beta\n" in done.err) == (code == 3)
    assert "hmac-sha-256" in done.out  # the comparison is shown all the same


def test_a_run_and_a_lane_cannot_be_compared(two_runs: CommandLine) -> None:
    done = two_runs.inside("compare", "latest", "alpha").no_trace()
    assert done.code == 1 and "run: 'alpha': not found" in done.err
    nobody = two_runs.inside("compare", "alpha", "delta").no_trace()
    assert nobody.code == 2 and "'delta' is neither a run nor a lane of run" in nobody.err


def test_runs_have_names(two_runs: CommandLine) -> None:
    named = two_runs.inside("compare", "before", "after", "--format", "json").no_trace()
    assert named.code == 0 and named.err == ""
    assert named.json() == two_runs.inside("compare", "latest~1", "latest", "--format", "json").json()
    assert two_runs.inside("show", "before").out == two_runs.inside("show", "latest~1").out
    lost = two_runs.inside("compare", "befor", "after").no_trace()
    assert lost.code == 1 and "did you mean 'before'?" in lost.err


def test_a_part_of_a_run_is_shown_compared_and_exported(two_runs: CommandLine) -> None:
    shown = two_runs.inside("show", "before", "-f", "sha256").no_trace()
    assert "SHA-256" in shown.out and "HMAC" not in shown.out and "note: -f sha256: 1 of 2 cases\n" in shown.err
    found = rows(two_runs.inside("compare", "before", "after", "-f", "hmac", "--format", "json"))
    assert set(found) == {"hmac-sha-256 beta"}
    table = list(csv.DictReader(io.StringIO(two_runs.inside("export", "before", "-f", "sha256").out)))
    assert {row["operation"] for row in table} == {HASH}
    lost = two_runs.inside("show", "before", "-f", "gcm").no_trace()
    assert lost.code == 2 and "no case of the run" in lost.err
    query = two_runs.inside("show", "before", "-f", "gcm", "--sql", "select 1").no_trace()
    assert query.code == 2 and "--filter: not with --sql" in query.err


def test_sorted_by_change_and_as_markdown(two_runs: CommandLine) -> None:
    """What got slower most comes first; the table of Markdown has the same rows."""
    by_case, by_change = (
        two_runs.inside("compare", "before", "after", "--format", "json", "--sort", order).json()["rows"]
        for order in ("case", "change")
    )
    assert [row["case"].partition("/")[0] for row in by_change] == ["hmac-sha-256", "sha-256"]
    assert sorted(row["case"] for row in by_case) == sorted(row["case"] for row in by_change)
    text = two_runs.inside("compare", "before", "after", "--sort", "change", "--markdown").no_trace().out
    lines = [line for line in text.splitlines() if line.startswith("|")]
    assert lines[0] == "| case | B is | B / A | interval |"
    assert lines[2].startswith(f"| {MAC}/bytes=16384 | slower | 1.20 |") and "within 1 %" in lines[3]
    assert f"Geometric mean of B / A: **{1.2**0.5:.3f}** over 2 ratios" in text
    both = two_runs.inside("compare", "before", "after", "--markdown", "--format", "json").no_trace()
    assert both.code == 2 and "--markdown: not with --format json" in both.err


def test_runs_are_listed(two_runs: CommandLine) -> None:
    found = two_runs.inside("runs", "--format", "json").no_trace().json()
    assert [(run["name"], run["libraries"], run["cases"]) for run in found] == [("after", ["alpha", "beta"], 2), ("before", ["alpha", "beta"], 2)]  # fmt: skip
    text = two_runs.inside("runs", "befo").no_trace().out.splitlines()
    assert len(text) == 2 and text[1].startswith("before (") and max(map(len, text)) <= 80
    nothing = two_runs.inside("runs", "gamma").no_trace()
    assert nothing.out == "" and "none of 2 runs" in nothing.err


def test_what_is_compared_is_named(two_runs: CommandLine) -> None:
    """Both runs with name, trust and machine, the versions, the mean of the ratios 1.0 and 1.2, and the answer last."""
    out = two_runs.inside("compare", "before", "after").no_trace().out
    a, b = (two_runs.inside("show", name, "--format", "json").json()["manifest"] for name in ("before", "after"))
    for letter, name, run in (("A", "before", a), ("B", "after", b)):
        assert f"{letter}: {name} ({run['run_id']}, suite default)" in out
    assert out.count("publishable: 6 of 6 cells have a figure") + out.count("publishable: ") >= 2
    assert "both: alpha 1.0, beta 1.0\n" in out and f"both on {a['machine']['cpu_model']}" in " ".join(out.split())
    lines = out.splitlines()
    assert lines[-2] == f"geometric mean of B / A: {1.2**0.5:.3f} over 2 ratios, each of the same weight"
    assert lines[-1] == "B is: 1 slower, 1 within 1 %"
    assert max(map(len, lines)) <= 80
    lanes = two_runs.inside("compare", "alpha", "beta").no_trace().out
    assert lanes.startswith(
        f"A: alpha (alpha 1.0)\nB: beta (beta 1.0)\nrun after ({b['run_id']}, suite default)\npublishable: "
    )
    assert f"geometric mean of B / A: {(1.3 * 0.9) ** 0.5:.3f} over 2 ratios" in lanes
    means = two_runs.inside("compare", "before", "after", "--format", "json").json()["means"]
    assert means == [{"label": "", "value": pytest.approx(1.2**0.5), "cases": 2}]


def test_a_base_is_for_two_runs(two_runs: CommandLine) -> None:
    done = two_runs.inside("compare", "alpha", "beta", "--base", "alpha").no_trace()
    assert done.code == 2 and "'alpha' and 'beta' are lanes of one run" in done.err


def test_a_gate_without_figures_is_not_passed(two_runs: CommandLine, tmp_path: Path) -> None:
    """The only lane of the second run is its base, which every ratio is divided by."""
    lonely = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, harness_ns=1.0)
    more = CommandLine(two_runs.root, tmp_path / "home", two_runs.cache)
    done = more.measure("--base", "alpha", "--op", HASH, "--worker", lonely)
    assert done.code == 0, done.err
    path = next(more.runs.iterdir())
    done = two_runs.inside("compare", "after", path, "--fail-above", "5%").no_trace()
    assert done.code == 1 and "no case has a figure on both sides" in done.err
    assert two_runs.inside("compare", "after", path).code == 0


def test_an_unrelated_or_interrupted_run_is_never_taken_in_silence(two_runs: CommandLine, tmp_path: Path) -> None:
    """`latest~1` of three: one of another operation between the two, one that was cut short, and two with one name."""
    runs = tmp_path / "runs"
    shutil.copytree(two_runs.runs, runs)
    before, after = (
        two_runs.inside("show", n, "--format", "json").json()["manifest"]["run_id"] for n in ("before", "after")
    )

    def changed(run: str, **fields: object) -> None:
        path = runs / run / "manifest.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))

    def said(*words: str) -> str:
        return " ".join(two_runs.inside(*words, "--runs", runs).no_trace().err.split())

    assert said("compare", "latest~1", "latest") == ""
    changed(before, status="interrupted", plan=[{"case": "md5/hash", "lanes": ["alpha@1.0"]}])
    note = f"note: latest~1: {before}: "
    assert f"{note}was interrupted {note}shares no operation and size with the latest" in said("show", "latest~1")
    assert f"{note}was interrupted" in said("compare", "latest~1", "latest")
    assert f"note: before: {before}: was interrupted" in said("show", "before")
    changed(before, plan=json.loads((runs / after / "manifest.json").read_text())["plan"][:1])
    assert f"{note}shares 1 of 2 operations and sizes with the latest" in said("show", "latest~1")
    changed(after, status="running")
    assert f"note: latest: {after}: is not finished, or was killed" in said("show")
    changed(before, name="after", status="finished")
    assert f"note: after: {after}: 2 runs are called after: {after} is the newest" in said("show", "after")


def test_csv_has_a_row_for_each_figure(two_runs: CommandLine) -> None:
    done = two_runs.inside("export", "latest~1").no_trace()
    table = list(csv.DictReader(io.StringIO(done.out)))
    assert done.code == 0
    times = {(row["case"], row["lane"]): row for row in table if row["unit"] == "ns/call" and row["metric"] == "time"}
    assert len(times) == 6, {(row["metric"], row["unit"]) for row in table}
    assert float(times[HASH + "/bytes=16384", "beta@1.0"]["value"]) == pytest.approx(1300)


def test_json_and_benchfmt_and_markdown(two_runs: CommandLine, tmp_path: Path) -> None:
    assert json.loads(two_runs.inside("export", "--as", "json").out)["manifest"]["suite"] == "default"
    bench = two_runs.inside("export", "--as", "benchfmt").no_trace().out
    lines = [line for line in bench.splitlines() if line.startswith("Benchmark")]
    assert lines and all("ns/op" in line for line in lines)
    assert "| " in two_runs.inside("export", "--as", "markdown").no_trace().out
    target = tmp_path / "out" / "cells.csv"
    done = two_runs.inside("export", "latest", "--output", target).no_trace()
    assert done.code == 0 and done.out == "" and target.read_text() == two_runs.inside("export", "latest").out


def test_a_file_that_cannot_be_written(two_runs: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = two_runs.inside("export", "--output", tmp_path / "file" / "cells.csv").no_trace()
    assert done.code == 1 and "cannot write" in done.err and "hint: choose another file" in done.err


def test_the_report_is_one_file_that_needs_no_network(two_runs: CommandLine, tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    done = two_runs.inside("report", "latest", "--output", target).no_trace()
    assert done.code == 0 and done.out == "" and str(target) in done.err
    page = target.read_text()
    assert "<html" in page and "alpha" in page
    assert not [
        word for word in page.split('"') if word.startswith(("http://", "https://")) and word.endswith((".js", ".css"))
    ]


def test_sql_of_a_run(two_runs: CommandLine) -> None:
    done = two_runs(
        "show", "latest~1", "--sql", "select lane, count(*) as passes from passes group by lane order by lane"
    ).no_trace()
    assert done.code == 0, done.err
    table = list(csv.DictReader(io.StringIO(done.out)))
    assert [row["lane"] for row in table] == ["alpha@1.0", "alpha@1.0#2", "beta@1.0"]
    wrong = two_runs.inside("show", "--sql", "select nosuch from cells").no_trace()
    assert wrong.code == 2 and "nosuch" in wrong.err and "hint:" in wrong.err


def test_exit_codes_have_one_meaning_each(two_runs: CommandLine, tmp_path: Path) -> None:
    """0 done, 1 failed, 2 not understood, 3 past the threshold, 4 a wrong result."""
    wrong = write_worker(tmp_path, "wrong", wrong=[{}])
    assert two_runs.inside("show").code == 0
    assert two_runs.inside("show", "nosuch").code == 1
    assert two_runs("run", "--suite", "nosuch").code == 2
    assert two_runs.inside("compare", "latest~1", "latest", "--fail-above", "1%").code == 3
    assert two_runs("check", "--worker", wrong, "--filter", f"op:{HASH}").code == 4
