# SPDX-License-Identifier: Apache-2.0
"""The commands machine and import: a real spectrum on this machine, published figures that nothing ranks, the classic test."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from scripts import HASH, ROOT, CommandLine, cost, write_worker

REPORT = """system: arch: x86_64
system: cpu: Example CPU
system: os: Linux
system: date: 2023-09-07
openssl: version=3.0.8 (CPUINFO: N/A)
reference: iterations=1,000: usec-total=5,000,000: usec/iter=5,000
openssl: rsa-2048: sign: iterations=10,000: usec-total=5,500,000: usec/iter=550: score=110
openssl: aes-128: encrypt=1,000,000: iterations=7,500: usec-total=5,000,000: usec/iter=666: score=133
math: mod-2048: add: iterations=10: usec-total=0: usec/iter=0.000: score=0.000
"""


@pytest.fixture
def imported(cli: CommandLine, tmp_path: Path) -> CommandLine:
    report = tmp_path / "1-example-linux.txt"
    report.write_text(REPORT, encoding="utf-8")
    done = cli("import", "cryptobench", report).no_trace()
    assert done.code == 0 and "2 figures, 1 missing" in done.out, done.err
    return cli


def test_a_foreign_run_is_shown_and_nothing_else(imported: CommandLine) -> None:
    done = imported("show", "cryptobench-1-example-linux").no_trace()
    assert done.code == 0 and done.out.startswith("FOREIGN:") and "550 µs" in done.out
    assert max(map(len, done.out.splitlines())) <= 80
    for arguments in (("report", "latest"), ("export", "latest"), ("machine", "--run", "latest")):
        refused = imported(*arguments).no_trace()
        assert refused.code == 2 and "published figures" in refused.err, arguments
    figures = imported("show", "latest", "--format", "json").json()["figures"]
    assert [one.get("ns") for one in figures] == [550_000.0, pytest.approx(666_666.7), None]
    counted = imported("show", "latest", "--sql", "select count(*) from cells where outcome = 'unavailable'")
    assert counted.out.split() == ["count_star()", "1"]


def test_a_foreign_run_is_not_compared_and_never_the_latest(
    imported: CommandLine, tmp_path: Path, worker_cache: Path
) -> None:
    worker = write_worker(tmp_path, "alpha", {HASH: cost(1000)}, harness_ns=1.0)
    assert imported.measure("--base", "alpha", "--filter", f"op:{HASH}", "--worker", worker).code == 0
    assert not imported("show", "latest").out.startswith("FOREIGN")
    done = imported("compare", "latest", "cryptobench-1").no_trace()
    assert done.code == 2 and "not ranked or compared" in done.err


def test_what_cannot_be_imported(imported: CommandLine, tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_text("hello\n", encoding="utf-8")
    cases = (
        (("cryptobench", bad), 1, "neither a cryptobench report nor"),
        (("cryptobench", tmp_path / "none"), 1, "is no file"),
        (("supercap", bad), 2, "'supercap' is no program"),
        (("supercop", bad), 1, "is not a data line of SUPERCOP"),
        (("cryptobench", tmp_path / "1-example-linux.txt"), 1, "already"),
        (("cryptobench", bad, tmp_path / "none"), 1, "2 of 2 files were not imported"),
    )
    for arguments, code, said in cases:
        done = imported("import", *arguments).no_trace()
        assert (done.code, said in done.err) == (code, True), (arguments, done.err)


def test_cycles_of_another_program_are_imported_and_shown(imported: CommandLine, tmp_path: Path) -> None:
    data = tmp_path / "genji.txt"
    data.write_text("20260330 genji amd64 20260401 crypto_hash sha256/timingleaks cycles 1024 5400 +0-1+2\n")
    assert imported("import", "supercop", data).no_trace().out == "supercop-genji: genji, 1 figures\n"
    shown = imported("show", "supercop-genji").no_trace()
    assert shown.code == 0 and "FOREIGN: supercop report genji" in shown.out
    assert "sha-256/hash, 1024 B" in shown.out and "5400 cyc" in shown.out
    figures = json.loads(imported("show", "supercop-genji", "--format", "json").no_trace().out)["figures"]
    assert figures == [{"case": "sha-256/hash/bytes=1024", "lane": "supercop@20260330+timingleaks", "cycles": 5400.0}]


def test_machines_beside_each_other(new_cli: Callable[..., CommandLine], tmp_path: Path) -> None:
    cli = new_cli("machines", ROOT)
    report = tmp_path / "1-example-linux.txt"
    report.write_text(REPORT, encoding="utf-8")
    assert cli("import", "cryptobench", report).code == 0
    found = cli("machine", "--classic", "--against", "cryptobench-1", "--format", "json").no_trace()
    assert found.code == 0, found.err
    answer = json.loads(found.out)
    spectrum, times, (mine, other) = answer["spectrum"], answer["classic"], answer["machines"]
    if spectrum.get("refused"):
        assert not spectrum.get(
            "figures"
        )  # no cycles here (emulation, chains that differ): the reason stands in their place
    else:
        figures = {figure["kernel"]: figure["cycles"] for figure in spectrum["figures"]}
        assert figures and all(cycles > 0 for cycles in figures.values())
        # A busy machine leaves some unseen: each of the vector has a figure, or stands among those that have none.
        missing, unavailable = spectrum.get("missing", []), spectrum.get("unavailable", [])
        assert not set(figures) & {*missing, *unavailable} and len({*figures, *missing, *unavailable}) > 15
    assert (other["name"], other["published"], other["classic_us"]) == ("Example CPU, Linux", True, 5000.0)
    assert len(times) >= 3 and len({one["checksum"] for one in times}) == 1 and mine["classic_us"] == times[0]["us"]
    assert all(one["low_us"] <= one["us"] <= one["high_us"] for one in times)


def test_no_such_run(cli: CommandLine) -> None:
    for arguments in (("--run", "nothing"), ("--against", "nothing")):
        done = cli("machine", *arguments).no_trace()
        assert done.code == 1 and "'nothing'" in done.err


def reference(loops: int) -> int:
    """The classic loop in plain words, and its checksum."""
    mask = 2**64 - 1
    w = [(3 + 7 * k) & mask for k in range(1024)]
    for _ in range(loops):
        for k in range(1023):
            w[k] = (w[k] + w[k + 1]) & mask
        for k in range(1023):
            w[k] = (w[k] * w[k + 1]) & mask
        for _ in range(2):
            for k in range(1023):
                w[k] = (w[k] - w[k + 1]) & mask
        for k in range(1, 1023):
            w[k] = ((w[k - 1] << 3) & mask) ^ (w[k + 1] >> 2)
    total = 0
    for value in w:
        total = (((total << 7) | (total >> 57)) & mask) ^ value
    return total


@pytest.mark.parametrize("flags", [["-O2"], ["-O3"], ["-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all"]])
def test_the_classic_test_computes_what_it_says(tmp_path: Path, flags: list[str]) -> None:
    program = tmp_path / "classic"
    strict = ["-std=c11", "-Wall", "-Wextra", "-Wshadow", "-Werror"]
    source = ROOT / "labs" / "classic" / "classic.c"
    subprocess.run(["gcc", *strict, *flags, "-o", str(program), str(source)], check=True)
    done = subprocess.run([str(program), "3", "5"], capture_output=True, text=True, check=True)
    *times, word, checksum = done.stdout.split()
    assert len(times) == 3 and all(int(time) > 0 for time in times) and word == "checksum"
    assert int(checksum, 16) == reference(5)
    for wrong in ([], ["0"], ["x"], ["1", "-1"]):
        assert subprocess.run([str(program), *wrong], capture_output=True, check=False).returncode == 2
