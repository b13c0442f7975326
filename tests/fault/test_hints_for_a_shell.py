# SPDX-License-Identifier: Apache-2.0
"""Commands that a hint shows can be typed as they stand, whatever the folders are called."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from scripts import HASH, CommandLine, cost, write_worker

RUNS = '-o my $(touch gone) `runs`; it\'s "mine" & \\'
BSSL = '[{"description": "SHA-256", "numCalls": 100, "microseconds": 1000}]'


def commands(text: str) -> list[list[str]]:
    """The words of each command of ours in a text, as a shell has them."""
    found = re.findall(r"cipherstone ((?:show|report|run|machine) .*?)(?:   |`, or |`$|$)", text, re.MULTILINE)
    return [shlex.split(one) for one in found]


@pytest.fixture(scope="module")
def cli(new_cli: object, tmp_path_factory: pytest.TempPathFactory) -> CommandLine:
    """A command line with one finished run, in a folder of a hostile name, and what it said."""
    made: CommandLine = new_cli("hints")  # type: ignore[operator]
    worker = write_worker(tmp_path_factory.mktemp("workers"), "alpha", {HASH: cost(1000)})
    done = made.measure("--base", "alpha", "--op", HASH, "--worker", worker, f"--runs={RUNS}", "--format", "text")
    assert done.code == 0, done.err
    (made.home / "said").write_text(done.err)
    return made


def test_after_a_run(cli: CommandLine) -> None:
    found = commands((cli.home / "said").read_text())
    assert [words[0] for words in found] == ["show", "report"]
    for words in found:
        assert cli.inside(*words).no_trace().code == 0
    assert not (cli.home / "gone").exists()


def test_after_a_report(cli: CommandLine) -> None:
    (run,) = [path for path in (cli.home / RUNS).iterdir() if path.is_dir()]
    (words,) = commands(cli.inside("report", f"./{run.relative_to(cli.home)}").no_trace().err)
    assert cli.inside(*words).no_trace().code == 0


def test_of_another_programs_figures(cli: CommandLine, tmp_path: Path) -> None:
    report = tmp_path / "odd name.json"
    report.write_text(BSSL)
    assert cli.inside("import", "bssl-speed", report, f"--runs={RUNS}").no_trace().code == 0
    (run,) = [path for path in (cli.home / RUNS).iterdir() if path.name.startswith("bssl")]
    refused = cli.inside("report", f"./{run.relative_to(cli.home)}").no_trace()
    found = commands(refused.err)
    assert refused.code == 2 and [words[0] for words in found] == ["show", "machine"]
    assert cli.inside(*found[0]).no_trace().code == 0


def test_a_run_of_a_laboratory_is_gone_on_with_by_its_command(cli: CommandLine) -> None:
    (run,) = [path for path in (cli.home / RUNS).iterdir() if path.is_dir() and not path.name.startswith("bssl")]
    done = cli.inside("lab", "tls", f"--resume=./{run.relative_to(cli.home)}").no_trace()
    found = commands(done.err)
    assert found and found[0][:2] == ["run", "--resume"] and Path(cli.home, found[0][2]).is_dir()
