# SPDX-License-Identifier: Apache-2.0
"""A request is a value: a file that `plan` writes is what `run` measures, and a stored run says what it was asked for."""

from __future__ import annotations

import tomllib
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripts import HASH, CommandLine, cells, cost, newest, options, summary, write_worker

from cipherstone.catalogue.document import read_toml
from cipherstone.cli.planfile import plan_text
from cipherstone.model.request import RunRequest

WORDS = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)
REQUESTS = st.builds(
    RunRequest,
    suite=WORDS,
    filter=WORDS,
    options=st.dictionaries(WORDS, WORDS | st.booleans() | st.integers(-(2**40), 2**40), max_size=3),
    build=st.lists(WORDS, max_size=3).map(tuple),
    target=st.none() | WORDS,
    passes=st.none() | st.integers(1, 99),
    memory=st.booleans(),
    patience=st.floats(0.01, 1000),
)


@given(REQUESTS)
def test_a_plan_is_read_as_it_was_written(request_: RunRequest) -> None:
    """By a parser that shares nothing with the writer."""
    assert msgspec.convert(tomllib.loads(plan_text(request_)), RunRequest) == request_


def test_what_is_not_asked_for_is_not_in_the_file() -> None:
    assert tomllib.loads(plan_text(RunRequest(base="alpha"))) == {"base": "alpha"}


def test_a_plan_is_measured_as_its_options_are(cli: CommandLine, tmp_path: Path) -> None:
    """The same request by options and by a file: the same plan, settings and figures; only the moment differs."""
    worker = write_worker(tmp_path, "alpha", {HASH: cost(1000)})
    words = ("--base", "alpha", "--op", HASH, "--size", "16384", "--seed", "7", "--passes", "6", *options(worker))
    file = tmp_path / "work.toml"
    written = cli("plan", *words, "-o", file).no_trace()
    assert written.code == 0, written.err
    assert read_toml(file, "work.toml", RunRequest).worker == (str(worker),)
    # By the words of `run` itself: `measure` adds options of the tests.
    first = summary(cli("run", *words, "--format", "json", "--runs", cli.runs).no_trace())
    second = summary(cli("run", "--plan", file, "--name", "again", "--format", "json", "--runs", cli.runs).no_trace())
    assert second.manifest.name == "again"
    assert (second.manifest.plan, second.manifest.settings) == (first.manifest.plan, first.manifest.settings)
    for found in (first, second):
        cell = cells(found)["alpha@1.0"]
        assert cell.ns is not None and cell.ns.value == pytest.approx(1000)
    kept = newest(cli.runs).manifest.request
    assert kept is not None and msgspec.structs.replace(kept, name="") == first.manifest.request
    asked = cli("plan", "--of", "again", "--runs", cli.runs).no_trace()
    assert msgspec.convert(tomllib.loads(asked.out), RunRequest) == kept


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("base = 3\n", "base: expected str, got int"),
        ("bases = 'alpha'\n", "bases"),
        ("lab = 'nothing'\n", "lab: no laboratory 'nothing'"),
        ("lab = 'footprint'\n[options]\npage = 'none'\n", "--page: no suite 'none'"),
        ("max_time = 'soon'\n", "--max-time: 'soon' is not a time"),
        ("suite = '../default'\n", "suite: '../default' does not exist"),
        ("patience = 0.0\n", "patience"),
        ("[", "not TOML"),
    ],
)
def test_a_plan_that_means_nothing_is_one_line(cli: CommandLine, tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "work.toml").write_text(text)
    done = cli("run", "--plan", tmp_path / "work.toml", "--runs", cli.runs).no_trace()
    assert done.code in (1, 2) and said in done.err.splitlines()[0], done.err
    assert not any(cli.runs.glob("*")) if cli.runs.exists() else True


def test_a_plan_says_all_of_it(cli: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "work.toml").write_text("")
    done = cli("run", "--plan", tmp_path / "work.toml", "--op", HASH, "--max-time", "4s").no_trace()
    assert done.code == 2 and "with --filter, --max-time" in done.err.splitlines()[0]


def test_a_plan_is_checked_before_it_is_written(cli: CommandLine, tmp_path: Path) -> None:
    done = cli("plan", "--op", "sha-257/hash", "-o", tmp_path / "work.toml").no_trace()
    assert done.code == 2 and "unknown op 'sha-257/hash'" in done.err and not (tmp_path / "work.toml").exists()
