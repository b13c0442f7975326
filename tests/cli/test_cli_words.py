# SPDX-License-Identifier: Apache-2.0
"""Words and options mean one thing everywhere: workers made elsewhere, suites and selections, bases, letters; and what is said before and after."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from scripts import HASH, MAC, CommandLine, cost, options, summary, write_worker

from cipherstone.cli.main import app

SEAL, SHA1 = "aes-128-gcm/seal", "sha-1/hash"


def commands() -> dict[str, list[Any]]:
    """Parameters by command, those of groups by both names."""
    group = typer.main.get_command(app)
    found = dict(getattr(group, "commands", {}))
    found |= {f"lab {name}": part for name, part in getattr(found.pop("lab"), "commands", {}).items()}
    return {name: list(command.params) for name, command in found.items()}


# -- letters and help ---------------------------------------------------------------------------------------------------------------


def test_a_letter_means_one_option_everywhere() -> None:
    meant: dict[str, set[str]] = {}
    for parameters in commands().values():
        for one in parameters:
            long = [name for name in one.opts if name.startswith("--")]
            for letter in (name for name in one.opts if re.fullmatch(r"-[a-z]", name)):
                meant.setdefault(letter, set()).update(long)
    assert meant == {
        "-f": {"--filter"},
        "-l": {"--library"},
        "-a": {"--algorithm"},
        "-s": {"--size"},
        "-i": {"--impl"},
        "-p": {"--program"},
        "-o": {"--output"},
    }


def test_an_option_of_one_name_is_the_same_in_every_command() -> None:
    """Files, folders, workers, names of runs; `--impl` are the implementations that are listed, or measured."""
    kinds: dict[str, set[str]] = {}
    for parameters in commands().values():
        for one in parameters:
            for name in one.opts:
                if name in (
                    "--output",
                    "--runs",
                    "--worker",
                    "--base",
                    "--cache",
                    "--name",
                    "--format",
                    "--filter",
                    "--impl",
                    "--resume",
                ):
                    kinds.setdefault(name, set()).add(str(one.metavar))
    assert all(len(kind) == 1 for kind in kinds.values()), kinds
    named = {name for name, parameters in commands().items() if any("--name" in one.opts for one in parameters)}
    assert named == {"run", "plan", "upgrade", "footprint", "interop", "lab modexp", "lab instructions", "lab tls"}
    with_worker = {name for name, parameters in commands().items() if any("--worker" in one.opts for one in parameters)}
    assert with_worker >= {"run", "list", "check"}


@pytest.mark.parametrize("command", [*commands(), ""])
def test_help_leaves_room_for_text(cli: CommandLine, command: str) -> None:
    """At 80 columns the text has at least 45 of them, no line is longer, and no summary is cut."""
    done = cli.inside(*command.split(), "--help")
    lines = done.out.splitlines()
    assert done.code == 0 and max(map(len, lines)) <= 80
    assert not [line for line in lines[1:] if line.endswith("...")]
    begins = [found.end() for line in lines if (found := re.match(r"  -\S+( \S+)*?(, --\S+)?( \S+)*  +(?=\S)", line))]
    assert begins and max(begins) <= 35, begins


# -- workers made elsewhere ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["list", "check", "run"])
def test_a_worker_that_does_not_start_is_the_error(cli: CommandLine, tmp_path: Path, command: str) -> None:
    """Its library is not unknown: it cannot be known."""
    mute = tmp_path / "cs-mine"
    mute.write_text("#!/bin/sh\necho 'libmine.so.7: not found' >&2\nexit 3\n")
    mute.chmod(0o755)
    done = cli(command, "--library", "mine", "--worker", mute, "--cache", cli.cache).no_trace()
    assert done.code == 1 and done.out == ""
    (error,) = [line for line in done.err.splitlines() if "error:" in line]
    assert error.startswith("cipherstone: error: --worker cs-mine: the worker does not start: ")
    assert "libmine.so.7: not found" in done.err
    missing = cli(command, "--worker", tmp_path / "nothing", "--cache", cli.cache).no_trace()
    assert missing.code == 2 and "no such file" in missing.err


@pytest.mark.parametrize("command", ["list", "check", "run"])
def test_a_worker_is_named_alike_everywhere(cli: CommandLine, tmp_path: Path, command: str) -> None:
    a, b = (
        write_worker(tmp_path, name, {HASH: cost(ns, per_block=20)}) for name, ns in (("alpha", 1000), ("beta", 1300))
    )
    few = ("--base", "beta", "--passes", 6, "--op", HASH, "--no-memory") if command == "run" else ()
    done = cli(command, "--library", "beta", *options(a, b), *few, "--cache", cli.cache).no_trace()
    assert done.code == 0, done.err
    assert "beta" in done.out and "alpha" not in done.out
    wrong = cli(command, "--library", "gamma", *options(a), *few, "--cache", cli.cache).no_trace()
    assert wrong.code == 2 and "unknown library 'gamma'" in wrong.err


def test_nothing_that_is_right_is_no_success(cli: CommandLine, tmp_path: Path) -> None:
    a = write_worker(tmp_path, "alpha", {HASH: cost(1000)})
    for words in ((), ("--worker", a, "--filter", "gcm")):
        done = cli("check", *words, "--cache", cli.cache).no_trace()
        assert done.code == 1 and done.out == "" and "check: nothing was proven" in done.err
    assert cli("check", "--worker", a, "--cache", cli.cache).out.endswith(
        "1 of 1 implementation of operations is right\n"
    )


# -- suites, selections, bases ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def two(
    new_cli: Callable[..., CommandLine], tmp_path_factory: pytest.TempPathFactory
) -> tuple[CommandLine, list[Path]]:
    """Two workers with two operations of the quick suite and one that is not in it."""
    folder = tmp_path_factory.mktemp("workers")
    costs = {HASH: cost(1000, per_block=20), MAC: cost(2000, per_block=20), SHA1: cost(500, per_block=20)}
    return new_cli("words"), [write_worker(folder, name, costs) for name in ("alpha", "beta")]


def planned(two: tuple[CommandLine, list[Path]], *words: str) -> tuple[set[str], set[str], str]:
    """(cases, libraries, what was said) of a run."""
    cli, workers = two
    done = cli(
        "run", *words, *options(*workers), "--passes", 1, "--no-memory", "--format", "json", "--cache", cli.cache
    )
    cases = summary(done.no_trace()).cases
    return {c.case for c in cases}, {cell.lane.partition("@")[0] for c in cases for cell in c.cells}, done.err


def test_quick_is_quick_when_libraries_are_named(two: tuple[CommandLine, list[Path]]) -> None:
    quick = {f"{HASH}/bytes=16384", f"{MAC}/bytes=16384"}
    assert planned(two, "--quick", "--base", "alpha")[:2] == (quick, {"alpha", "beta"})
    cases, libraries, said = planned(two, "--quick", "--library", "beta", "--base", "beta")
    assert (cases, libraries) == (quick, {"beta"})
    assert "plan: 2 operations, 2 cases, 1 library: 4 cells, 2 of them A/A (suite quick)" in said
    assert planned(two, "--quick", "--size", "1kb", "--base", "alpha")[0] == {f"{HASH}/bytes=1024", f"{MAC}/bytes=1024"}
    # What names operations is what is measured, in the suite or not.
    assert planned(two, "--quick", "-f", "sha1 beta", "--base", "beta")[:2] == ({f"{SHA1}/bytes=16384"}, {"beta"})
    everything = planned(two, "--base", "alpha")[0]
    assert planned(two, "--library", "beta", "--base", "beta")[0] == everything > quick | {f"{SHA1}/bytes=16384"}


def test_what_people_type_selects(two: tuple[CommandLine, list[Path]]) -> None:
    cases, libraries, said = planned(two, "-f", "hmac 16kb alpha", "--base", "alpha")
    assert (cases, libraries) == ({f"{MAC}/bytes=16384"}, {"alpha"})
    assert f"  {MAC} 16 KiB\n" in said
    assert planned(two, "-a", "SHA256", "-s", "16k", "--base", "alpha")[0] == {f"{HASH}/bytes=16384"}
    assert planned(two, "-f", "op:sha1 size:<=16kb", "--base", "alpha")[0] <= {
        f"{SHA1}/bytes={size}" for size in (16, 64, 256, 1024, 1350, 8192, 16384)
    }


def test_a_base_that_is_not_measured_is_told(two: tuple[CommandLine, list[Path]]) -> None:
    cli, workers = two
    common = ("run", *options(*workers), "--op", HASH, "--passes", 1, "--cache", cli.cache)
    before = len(list(cli.runs.iterdir())) if cli.runs.exists() else 0
    done = cli(*common, "--library", "alpha", "--base", "beta").no_trace()
    assert done.code == 2 and "--base beta: not among what is selected" in done.err and "alpha" in done.err
    for base in ("alpha:nosuch", "alpha@2.0"):
        done = cli(*common, "--base", base).no_trace()
        assert done.code == 2 and f"--base {base}: not among what is selected" in done.err
    assert (len(list(cli.runs.iterdir())) if cli.runs.exists() else 0) == before
    # A lane id is a base in `run` as it is in `compare`.
    done = cli(*common, "--base", "alpha@1.0", "--no-memory", "--format", "json").no_trace()
    assert summary(done).manifest.settings.base == "alpha@1.0"
    assert [lane for case in summary(done).manifest.plan for lane in case.lanes][-1] == "alpha@1.0#2"


# -- what is said -------------------------------------------------------------------------------------------------------------------


def test_the_machine_comes_first_and_the_answer_last(two: tuple[CommandLine, list[Path]]) -> None:
    cli, workers = two
    words = ("--op", f"{HASH},{MAC}", "--base", "alpha", "--passes", 6, "--no-memory", "--name", "order", "--all")
    done = cli("run", *words, *options(*workers), "--cache", cli.cache).no_trace()
    assert done.code == 0, done.err
    shown = cli.inside("show", "order", "--format", "json").json()["manifest"]
    out = done.out
    assert out.startswith(shown["machine"]["cpu_model"])
    marks = ["run order, ", "Cost relative to the best", "noise: ", "publishable: ", "Which library is fastest here?"]
    places = [out.index(mark) for mark in marks]
    assert places == sorted(places)
    assert "as fast as each other" in " ".join(" ".join(out.splitlines()[-4:]).split()) and "\x1b" not in out
    # Of what is said of the run nothing but where it is comes after the answer.
    plan, run = done.err.index("plan: "), done.err.index("run: ")
    assert plan < run and ", called order\n" in done.err
    assert "into runs/" in done.err
