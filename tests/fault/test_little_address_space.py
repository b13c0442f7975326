# SPDX-License-Identifier: Apache-2.0
"""`ulimit -v`: the renderer of charts, which sets aside gigabytes, aborts its process. The page is written without its charts, and one line says so."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from scripts import HASH, CommandLine, cost, write_worker

from cipherstone.report.charts import drawing as module
from cipherstone.report.charts.drawing import drawing
from cipherstone.report.charts.svg import draw

SPEC: dict[str, Any] = {
    "data": {"values": [{"a": 1}]},
    "mark": "point",
    "encoding": {"x": {"field": "a", "type": "quantitative"}},
}


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the limit does not hold")
def test_a_report_under_a_limit(cli: CommandLine, tmp_path: Path) -> None:
    workers = [write_worker(tmp_path, name, {HASH: cost(ns)}) for name, ns in (("alpha", 1000), ("beta", 1300))]
    done = cli.measure("--base", "alpha", "--op", HASH, "--worker", workers[0], "--worker", workers[1])
    assert done.code == 0, done.err
    words = shlex.join(cli.command("report", "-o", tmp_path / "page.html"))
    limited = ["sh", "-c", f"ulimit -v 3000000; exec {words}"]
    ended = subprocess.run(limited, cwd=cli.home, env=cli.env(), capture_output=True, text=True, check=False)
    page = (tmp_path / "page.html").read_text()
    assert ended.returncode == 0 and "alpha" in page, ended.stderr[-500:]
    note, report = ended.stderr.splitlines()
    assert note.startswith("note: some charts are missing: their renderer ended with ") and "ulimit -v" in note
    assert report.startswith("report: ")
    assert cli.inside("report", "-o", tmp_path / "whole.html").no_trace().err.startswith("report: ")
    assert len((tmp_path / "whole.html").read_text()) > len(page)


def test_one_renderer_draws_all_and_one_that_broke_is_not_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with drawing() as pictures:
        first = draw(SPEC, "one")
        assert first.startswith("<svg") and draw(SPEC, "one") == first
        with pytest.raises(ValueError, match=r"."):
            draw({"data": 5, "mark": [], "encoding": "x"}, "no chart")
        assert draw(SPEC, "one") == first and pictures.problem == "" and pictures.lost == 0
    broken = tmp_path / "renderer.py"
    broken.write_text(f"open({str(tmp_path / 'starts')!r}, 'a').write('x')\n")
    monkeypatch.setattr(module.renderer, "__file__", str(broken))
    with drawing() as pictures:
        assert draw(SPEC, "one") == draw(SPEC, "two") == ""
        assert pictures.lost == 2 and "their renderer ended with 0" in pictures.problem
    assert (tmp_path / "starts").read_text() == "x"
