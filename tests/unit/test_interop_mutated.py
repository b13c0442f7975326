# SPDX-License-Identifier: Apache-2.0
"""Mutated flights without a library: what a process answers, breaks over or hangs on, and where a run goes on."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from cipherstone.catalogue.paths import data_root
from cipherstone.labs.tls.interop.grid import Broken, Grid, Mutated, Name, Result
from cipherstone.labs.tls.interop.mutated import CHUNK, MOST_BROKEN, MutationProgress, attacked, attacks
from cipherstone.labs.tls.interop.page import grid_html
from cipherstone.labs.tls.interop.peers import Peer
from cipherstone.labs.tls.interop.tables import grid_markdown, grid_text
from cipherstone.labs.tls.interop.trial import questions
from cipherstone.model.errors import DataError

KINDS = questions(data_root())[0:4:2]  # of both versions
# Three of four end, one completes; number 700 of any seed is one that it does not get over.
PROGRAM = """
import json, os, sys
seed, first, count, ms, fd = map(int, os.environ["TLS_MUTATED"].split(","))
def say(seq, **more):
    print(json.dumps({"seq": seq, "ok": True, **more}), flush=True)
for line in sys.stdin:
    seq, verb = line.split()[:2]
    if verb == "prepare" and HAS not in line:
        print(json.dumps({"seq": int(seq), "ok": False, "error": "unavailable", "detail": "it has none"}), flush=True)
    elif verb == "compute":
        for number in range(first, first + count):
            os.pwrite(fd, number.to_bytes(8, "little"), 0)
            if number in BREAKS:
                os.kill(os.getpid(), 11)
        out = b"".join(n.to_bytes(4, "big") for n in (count // 4, 0, count - count // 4, 0))
        say(int(seq), result="ok", out=out.hex())
    else:
        say(int(seq))
        if verb == "bye":
            break
"""


def peer(tmp_path: Path, breaks: tuple[int, ...] = (), has: str = "") -> Peer:
    path = tmp_path / "peer.py"
    path.write_text(f"HAS, BREAKS = {has!r}, {breaks!r}\n{PROGRAM}")
    return Peer("p0", "Library 0", "1", (sys.executable, str(path)))


def run(one: Peer, number: int, progress: MutationProgress) -> list[Mutated]:
    return [attacked(of, progress) for of in attacks([one], KINDS, number)]


def test_all_are_tried_in_equal_parts_and_counted(tmp_path: Path) -> None:
    found = run(peer(tmp_path), 2002, MutationProgress(None, 7))
    assert [(one.side, one.tried) for one in found] == [("client", 501), ("client", 500), ("server", 501), ("server", 500)]  # fmt: skip
    (older, _) = run(peer(tmp_path, has="version=1.2"), 40, MutationProgress(None, 7))
    assert "version=1.2" in older.kind and older.tried == 20
    assert all(one.right and one.completed + one.ended == one.tried and one.seed == 7 for one in found)


def test_what_breaks_a_process_is_named_and_the_rest_is_tried(tmp_path: Path) -> None:
    (first, *_) = run(peer(tmp_path, (30,)), 4 * CHUNK, MutationProgress(None, 1))
    assert first.tried == CHUNK and [one.number for one in first.broken] == [30]
    assert first.broken[0].result is Result.CRASHED and "SIGSEGV" in first.broken[0].why and not first.right
    assert first.completed + first.ended == CHUNK - 31, "of those before it nobody told"


def test_after_some_that_break_it_a_side_is_left_alone(tmp_path: Path) -> None:
    found = run(peer(tmp_path, tuple(range(100)), "version=1.3"), 800, MutationProgress(None, 1))
    assert all(len(one.broken) == MOST_BROKEN and one.tried == MOST_BROKEN for one in found)


def test_a_run_goes_on_where_it_was_left(tmp_path: Path) -> None:
    state = tmp_path / "state.json"
    one = peer(tmp_path, has="version=1.3")
    run(one, 800, MutationProgress(state, 3))
    again = MutationProgress(state, 3)
    before = again.of("p0", "client", KINDS[0].kind.name)
    assert before.tried == 400
    found = run(one, 1201, again)
    assert [one.tried for one in found] == [601, 600]
    assert run(peer(tmp_path, tuple(range(601)), "version=1.3"), 1201, MutationProgress(state, 3)) == found, (
        "nothing is left"
    )
    with pytest.raises(DataError, match="another seed"):
        MutationProgress(state, 4)
    state.write_text("no json")
    with pytest.raises(DataError):
        MutationProgress(state, 3)


def test_they_are_shown() -> None:
    told = (
        Mutated("p0", "client", "a", 1, tried=100, completed=3, ended=97),
        Mutated("p0", "server", "a", 1, tried=41, ended=40, broken=(Broken(40, Result.CRASHED, "killed by SIGSEGV"),)),
    )
    grid = Grid((Name("p0", "Library 0", "1"),), (), (), (), 5.0, (), told)
    assert grid.worst is Result.FAILED
    for text in (grid_text(grid, 80), grid_markdown(grid), grid_html(grid)):
        assert "number 40" in " ".join(text.split()) and "97" in text and "Mutated flights" in text
    assert max(map(len, grid_text(grid, 80).splitlines())) <= 80
