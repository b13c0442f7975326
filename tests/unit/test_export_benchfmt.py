# SPDX-License-Identifier: Apache-2.0
"""The Go benchmark format by its written rules, and by the real benchstat where it is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
import store_example as example

from cipherstone import METHOD_VERSION
from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.paths import data_root
from cipherstone.model.ids import Case, Lane
from cipherstone.model.summary import RunSummary
from cipherstone.report.export.benchfmt import benchmark_name, export_benchfmt


class Result(NamedTuple):
    name: str
    iterations: int
    values: dict[str, float]


def parse(text: str) -> tuple[dict[str, str], list[Result]]:
    """golang.org/design/14313-benchmark-format: configuration lines `key: value`, result lines, all other lines are ignored."""
    configuration: dict[str, str] = {}
    results: list[Result] = []
    assert text.endswith("\n") and text.isascii()
    for line in text.splitlines():
        if re.match(r"Benchmark([A-Z]\S*)?\s", line):
            name, iterations, *pairs = line.split()
            assert pairs and len(pairs) % 2 == 0
            values = {unit: float(value) for value, unit in zip(pairs[::2], pairs[1::2], strict=True)}
            results.append(Result(name, int(iterations), values))
        elif match := re.match(r"([a-z][^\sA-Z:]*):[ \t]+(.*)", line):
            assert not results, "a configuration line after results would begin another table"
            configuration[match[1]] = match[2]
        else:
            assert line == "" or line.startswith("# ")
    return configuration, results


def test_one_line_per_pass_with_its_figure() -> None:
    configuration, results = parse(export_benchfmt(example.summary()))
    assert configuration == {
        "pkg": "cipherstone",
        "goarch": "x86_64",
        "cpu": "Example CPU @ 2.00GHz",
        "method": METHOD_VERSION,
    }
    cells = [cell for case in example.summary().cases for cell in case.cells if cell.pass_ns]
    assert [r.values["ns/op"] for r in results] == [ns for cell in cells for ns in cell.pass_ns]
    assert {r.name for r in results} == {
        "BenchmarkSHA256Hash/library=openssl/impl=default/bytes=16384",
        "BenchmarkSHA256Hash/library=bearssl/impl=sha_big/bytes=16384",
        "BenchmarkSHA256Hash/library=openssl#2/impl=default/bytes=16384",
        "BenchmarkED25519Sign/library=openssl/impl=default",
    }
    assert {r.iterations for r in results} == {37 * 540 // 9}
    for result in results:
        if "bytes=" in result.name:
            assert result.values["MB/s"] * result.values["ns/op"] == pytest.approx(16384 * 1000)
        else:
            assert set(result.values) == {"ns/op"}


def test_what_has_no_figure_is_named_in_an_ignored_line() -> None:
    text = export_benchfmt(example.summary())
    (line,) = [line for line in text.splitlines() if "wrong" in line]
    assert line.startswith(f"# {example.SIGN} {example.BEARSSL}: wrong: signature does not verify")


def test_refused_figures_are_not_exported() -> None:
    run = example.summary()
    cells = tuple(msgspec.structs.replace(cell, refused="K < 6") for cell in run.cases[0].cells)
    run = msgspec.structs.replace(run, cases=(msgspec.structs.replace(run.cases[0], cells=cells),))
    text = export_benchfmt(run)
    assert parse(text)[1] == [] and text.count(": K < 6") == 3


def test_facts_with_line_breaks_stay_on_their_line() -> None:
    run = example.summary()
    machine = msgspec.structs.replace(run.manifest.machine, cpu_model="Odd\nBenchmarkX 1 2 ns/op")
    run = msgspec.structs.replace(run, manifest=msgspec.structs.replace(run.manifest, machine=machine))
    configuration, results = parse(export_benchfmt(run))
    assert configuration["cpu"] == "Odd BenchmarkX 1 2 ns/op" and all(r.name != "BenchmarkX" for r in results)


def test_several_builds_of_a_library_have_names_of_their_own() -> None:
    run = example.summary()
    case = run.cases[1]
    newer = msgspec.structs.replace(case.cells[0], lane="openssl@3.5.0")
    run = msgspec.structs.replace(run, cases=(msgspec.structs.replace(case, cells=(case.cells[0], newer)),))
    names = {result.name for result in parse(export_benchfmt(run))[1]}
    assert names == {f"BenchmarkED25519Sign/library=openssl/build={v}/impl=default" for v in ("3.0.19", "3.5.0")}


@pytest.mark.parametrize(
    ("case", "lane", "name"),
    [
        ("3des-cbc/decrypt/bytes=64", "a@1", "BenchmarkOp3DESCBCDecrypt/library=a/impl=default/bytes=64"),
        ("aes-128-gcm/import-key", "a@1", "BenchmarkAES128GCMImportKey/library=a/impl=default"),
        ("x25519/derive", "a@1:path-64", "BenchmarkX25519Derive/library=a/impl=path-64-1"),
        ("x25519/derive", "a@1:path-64-x", "BenchmarkX25519Derive/library=a/impl=path-64-x"),
    ],
)
def test_names(case: str, lane: str, name: str) -> None:
    assert benchmark_name(Case.parse(case), Lane.parse(lane), with_build=False) == name


def test_no_two_operations_of_the_catalogue_share_a_name() -> None:
    operations = list(load_catalogue(data_root()).operations)
    names = {benchmark_name(Case.parse(operation), Lane("a", "1"), False) for operation in operations}
    assert len(names) == len(operations) > 10


def benchstat(tmp_path: Path, run: RunSummary, *options: str) -> str:
    tool = shutil.which("benchstat")
    if tool is None:
        pytest.skip("benchstat is not installed; the format's written rules are checked by the other tests")
    (tmp_path / "run.txt").write_text(export_benchfmt(run))
    command = [tool, *options, "run.txt"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0 and ran.stderr == ""
    return ran.stdout


def test_benchstat_compares_libraries(tmp_path: Path) -> None:
    said = benchstat(tmp_path, example.summary(), "-col", "/library", "-row", ".name,/bytes", "-ignore", "/impl")
    (line,) = [line for line in said.splitlines() if line.startswith("SHA256Hash") and "µ" in line]
    assert "7.654µ" in line and "19.136µ" in line and "+150.00% (p=0.000 n=9)" in line
    assert "~" in line  # the A/A lane cannot be told from its original


def test_benchstat_gives_the_median_of_the_passes(tmp_path: Path) -> None:
    said = benchstat(tmp_path, example.summary(), "-row", ".fullname", "-format", "csv")
    medians = [float(line.split(",")[1]) for line in said.splitlines() if line.startswith("ED25519Sign/")]
    assert medians == [pytest.approx(41000.5e-9, rel=1e-6)]
