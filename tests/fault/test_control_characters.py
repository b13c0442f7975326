# SPDX-License-Identifier: Apache-2.0
"""Text of others that would control a terminal, or end the renderer of charts and with it the process: replaced before it gets there."""

from __future__ import annotations

import gzip
import json
import os
import pty
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scripts import HASH, CommandLine, cost, write_worker

from cipherstone.model.text import showable, shown

EVIL = "a\x00b\x1b]0;owned\x07\x1b[2J\x9b31m\x7f\u202egnp\u2028x\ufffe"
ONLY_OURS = re.compile(r"\x1b\[[0-9;]*[mK]")
UNFIT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\ufffe\uffff]")


def test_control_characters_of_a_text_are_replaced_and_line_ends_stay() -> None:
    assert not UNFIT.search(showable(EVIL)) and showable("a\tb\n\u00e9 \U0001f512") == "a\tb\n\u00e9 \U0001f512"
    assert shown({"k\x1b": ["\x07", ("\x9b", 1.5, None)]}) == {"k\ufffd": ["\ufffd", ("\ufffd", 1.5, None)]}


@pytest.mark.parametrize("text", ["\x00", "\x1b", "\x0b", "\ufffe", "\uffff", "\ud800", EVIL], ids=ascii)
def test_a_control_character_does_not_end_the_process_that_draws(text: str) -> None:
    """In a process of its own: the renderer does not raise, it aborts."""
    program = """
import sys
from cipherstone.report.charts.svg import draw
text = eval(sys.argv[1])
spec = {"$schema": "https://vega.github.io/schema/vega-lite/v5.json", "title": text, "mark": "bar",
        "data": {"values": [{"a": text, "b": 1}, {"a": "x", "b": 2}]},
        "encoding": {"y": {"field": "a", "type": "nominal"}, "x": {"field": "b", "type": "quantitative"}}}
svg = draw(spec, text)
assert svg.startswith("<svg") and svg.endswith("</svg>"), svg[:80]
import xml.etree.ElementTree
xml.etree.ElementTree.fromstring(svg)
"""
    done = subprocess.run(
        [sys.executable, "-c", program, ascii(text)], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, (done.returncode, done.stderr[-500:])


@pytest.fixture(scope="module")
def evil(new_cli: Callable[..., CommandLine], tmp_path_factory: pytest.TempPathFactory) -> tuple[CommandLine, Path]:
    """A run whose texts were all made to control who shows them."""
    cli, folder = new_cli("evil"), tmp_path_factory.mktemp("workers")
    a = write_worker(folder, "alpha", {HASH: cost(1000)})
    b = write_worker(folder, "beta", {HASH: cost(1300)})
    assert cli.measure("--base", "alpha", "--op", HASH, "--worker", a, "--worker", b).code == 0
    (made,) = [path for path in cli.runs.iterdir() if path.is_dir()]
    path = Path(shutil.copytree(made, cli.runs / "evil"))
    manifest = json.loads((path / "manifest.json").read_text())
    for key in ("command", "suite", "created", "ipc_reference_from"):
        manifest[key] = EVIL
    manifest["notes"] = [EVIL]
    for build in manifest["builds"]:
        build |= dict.fromkeys(("title", "licence", "compiler", "flags", "package", "note"), EVIL)
    manifest["machine"] |= dict.fromkeys(("cpu_model", "system", "kernel", "governor"), EVIL)
    (path / "manifest.json").write_text(json.dumps(manifest))
    rows = [json.loads(line) for line in gzip.decompress((path / "journal.jsonl.gz").read_bytes()).splitlines()]
    case = next(row["case"] for row in rows if row["type"] == "pass")
    for row in rows:
        if row["type"] == "proof":
            row["sources"] = [EVIL]
    outcome: dict[str, Any] = {"type": "outcome", "case": case, "lane": "beta@1.0", "outcome": "crashed"}
    rows.append(outcome | {"detail": EVIL, "stderr": EVIL + "\n" + EVIL})
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (path / "journal.jsonl.gz").write_bytes(gzip.compress(text.encode()))
    return cli, path


@pytest.mark.parametrize(
    "words",
    [
        ("show",),
        ("show", "--format", "json"),
        ("export",),
        ("export", "--as", "markdown"),
        ("export", "--as", "benchfmt"),
        ("report", "--markdown"),
        ("compare", "alpha", "beta", "--run"),
        ("machine", "--run"),
    ],
)
def test_control_characters_of_a_bundle_reach_no_terminal(
    evil: tuple[CommandLine, Path], words: tuple[str, ...]
) -> None:
    cli, path = evil
    done = cli.inside(*words, path, "--no-verify") if words[0] != "machine" else cli.inside("show", path)
    done.no_trace()
    assert not UNFIT.search(done.out), ascii(UNFIT.findall(done.out))
    assert not UNFIT.search(done.err), ascii(UNFIT.findall(done.err))


def test_control_characters_of_a_bundle_reach_no_page(evil: tuple[CommandLine, Path], tmp_path: Path) -> None:
    """The charts of this page are drawn with them."""
    cli, path = evil
    page = tmp_path / "page.html"
    assert cli.inside("report", path, "--no-verify", "-o", page).no_trace().code == 0
    assert "<svg" in page.read_text() and not UNFIT.search(page.read_text())


def test_control_characters_of_an_argument_reach_no_terminal(evil: tuple[CommandLine, Path]) -> None:
    for words in (("show", "x\x1b[2Jy"), ("list", "--family", "\x9b2J"), ("\x1b[2J",), ("show", "--\x1b[2J")):
        done = evil[0].inside(*words).no_trace()
        assert done.code in (1, 2) and not UNFIT.search(done.err + done.out), ascii(done.err)


def test_control_characters_of_a_query_reach_no_terminal_but_do_reach_a_program(
    evil: tuple[CommandLine, Path],
) -> None:
    cli, path = evil
    words = ("show", str(path), "--no-verify", "--sql", "select chr(27) || '[2J' as a")
    assert "\x1b[2J" in cli(*words).out
    master, slave = pty.openpty()
    process = subprocess.Popen(cli.command(*words), cwd=cli.home, env=cli.env(), stdout=slave, stderr=slave)
    os.close(slave)
    process.wait(60)
    said = os.read(master, 1 << 16).decode()
    os.close(master)
    assert "\ufffd[2J" in said and "\x1b" not in ONLY_OURS.sub("", said)
