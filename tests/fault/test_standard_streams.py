# SPDX-License-Identifier: Apache-2.0
"""Standard streams that are closed, full, or whose reader has gone: one line at most, and no measurement is lost to them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from scripts import HASH, CommandLine, cost, newest, write_worker

VERBS = [
    "show",
    "show --format json",
    "list --operations",
    "export",
    "compare alpha beta",
    "report --markdown",
    "--help",
    "--version",
    "compare --help",
]


@pytest.fixture(scope="module")
def measured(new_cli: Callable[..., CommandLine], tmp_path_factory: pytest.TempPathFactory) -> tuple[CommandLine, Path]:
    cli, folder = new_cli("streams"), tmp_path_factory.mktemp("workers")
    worker = write_worker(folder, "alpha", {HASH: cost(1000)})
    other = write_worker(folder, "beta", {HASH: cost(1300)})
    assert cli.measure("--base", "alpha", "--op", HASH, "--worker", worker, "--worker", other).code == 0
    return cli, worker


def shell(cli: CommandLine, line: str) -> subprocess.CompletedProcess[str]:
    """`line` with `$C` for the command, in a shell."""
    script = f'C() {{ {" ".join(cli.command())} "$@"; }}\n{line}'
    return subprocess.run(
        ["bash", "-c", script], cwd=cli.home, env=cli.env(), capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize("words", VERBS)
def test_a_closed_standard_output_is_told_in_one_line(measured: tuple[CommandLine, Path], words: str) -> None:
    done = shell(measured[0], f"C {words} >&-")
    assert done.returncode == 1 and done.stderr == "cipherstone: error: standard output: Bad file descriptor\n"


@pytest.mark.parametrize("words", VERBS)
def test_a_full_standard_output_is_told_in_one_line(measured: tuple[CommandLine, Path], words: str) -> None:
    done = shell(measured[0], f"C {words} >/dev/full")
    assert done.returncode == 1 and done.stderr == "cipherstone: error: standard output: No space left on device\n"


@pytest.mark.parametrize("words", VERBS)
def test_a_reader_that_has_gone_is_no_failure(measured: tuple[CommandLine, Path], words: str) -> None:
    done = shell(measured[0], f"set -o pipefail; C {words} | true; echo ${{PIPESTATUS[0]}}")
    assert (done.stdout, done.stderr) == ("0\n", "")


@pytest.fixture(scope="module")
def plain(measured: tuple[CommandLine, Path]) -> Callable[[str], subprocess.CompletedProcess[str]]:
    """What a command says where all streams are open; asked once."""
    return cache(lambda words: shell(measured[0], f"C {words}"))


@pytest.mark.parametrize("words", ["show", "show nosuch", "nosuch"])
@pytest.mark.parametrize("stream", ["2>&-", "2>/dev/full", "<&-", "<&- 2>&-"])
def test_a_closed_or_full_standard_error_and_input(
    measured: tuple[CommandLine, Path],
    plain: Callable[[str], subprocess.CompletedProcess[str]],
    words: str,
    stream: str,
) -> None:
    """Words for people never end up among the results."""
    done, due = shell(measured[0], f"C {words} {stream}"), plain(words)
    assert (done.returncode, done.stdout) == (due.returncode, due.stdout)


@pytest.mark.parametrize("streams", [">&-", ">/dev/full", "2>&-", "2>/dev/full", ">&- 2>&- <&-", "2>&1 | true"])
def test_a_run_whose_streams_are_closed_or_full_is_measured_and_sealed(
    cli: CommandLine, measured: tuple[CommandLine, Path], streams: str
) -> None:
    """Above all, its journal is not the file that takes the number of a closed stream."""
    worker = measured[1]
    words = f"run --no-memory --passes 6 --size 16384 --op {HASH} --base alpha --worker {worker} --cache {cli.cache}"
    done = shell(cli, f"C {words} {streams}")
    assert "Traceback" not in done.stderr
    bundle = newest(cli.runs)
    assert bundle.finished and bundle.verify() == [] and len(list(bundle.records())) > 6
