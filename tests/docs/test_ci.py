# SPDX-License-Identifier: Apache-2.0
"""The ready workflows for a library's repository: what they call exists, and the one that runs a stranger's code may write nothing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pages import ROOT
from test_console import options, targets, unknown_names

FILES = sorted((ROOT / "tools" / "ci").glob("*.yml"))
GATE, COMMENT = ROOT / "tools" / "ci" / "gate.yml", ROOT / "tools" / "ci" / "comment.yml"


def commands(path: Path) -> list[str]:
    """The lines of a workflow that call the program."""
    return [found[1] for found in re.finditer(r"^ +(?:- )?(?:run: )?(cipherstone .*)$", path.read_text(), re.MULTILINE)]


def test_the_program_is_called_with_options_that_exist() -> None:
    lines = commands(GATE)
    assert {line.split()[1] for line in lines} == {"setup", "check", "run", "compare", "report"}
    known, made = options(), targets()
    assert [wrong for line in lines for wrong in unknown_names(line, known, made)] == []
    assert list(unknown_names(lines[0] + " --nosuch", known, made))


def test_what_a_fork_made_is_run_without_rights_and_read_without_being_run() -> None:
    gate, comment = GATE.read_text(), COMMENT.read_text()
    assert "on: pull_request\n" in gate and "pull_request_target" not in gate + comment
    assert re.search(r"^permissions:\n  contents: read\b", gate, re.MULTILINE) and "write" not in gate
    assert "secrets." not in gate and "github.token" not in gate
    assert "checkout" not in comment and commands(COMMENT) == []
    # A title or a branch of a stranger, put into a script by the service, would be run.
    for script in re.findall(r"run: (.*)", comment):
        assert not re.search(r"\$\{\{ *github\.event\.(?!workflow_run\.id\b)", script)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_indented_as_the_format_wants(path: Path) -> None:
    lines = path.read_text().splitlines()
    assert not [line for line in lines if "\t" in line or line != line.rstrip()]
    assert all((len(line) - len(line.lstrip())) % 2 == 0 for line in lines)
