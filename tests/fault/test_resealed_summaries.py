# SPDX-License-Identifier: Apache-2.0
"""A finished run whose summary was edited and sealed again: each command that reads it says in one line what cannot be, or shows it."""

from __future__ import annotations

import copy
import gzip
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scripts import CommandLine

sys.path.insert(0, str(Path(__file__).parents[1] / "golden"))

import fixed_run

from cipherstone.store.seal import file_digest, format_sums, sealed_names

ROW = {
    "operation": "sha-256/hash",
    "title": "SHA-256",
    "family": "hash",
    "case": "sha-256/hash/bytes=4096",
    "lane": "openssl@3.0",
    "who": "OpenSSL",
    "per": "byte",
}
# Where it is edited, to what; then what is said of it: the place, and nothing of a trace.
EDITS: list[tuple[tuple[str | int, ...], Any, str]] = [
    (("noise", "timed_share"), 1e308, "$.noise.timed_share"),
    (("noise", "timed_share"), -0.5, "$.noise.timed_share"),
    (("noise", "disturbed_ratio"), 1e9, "$.noise.disturbed_ratio"),
    (("noise", "aa_halfwidth_median"), -1.0, "noise.aa_halfwidth_median is -1"),
    (("noise", "aa_cases"), 1 << 70, "$.noise.aa_cases"),
    (("noise", "ipc_by_pass"), [[1e300, 1.0]], "$.noise.ipc_by_pass"),
    (("cases", 0, "threshold"), -1.0, "cases[0].threshold is -1"),
    (("cases", 0, "cells", 0, "ns", "value"), 0.0, "cases[0].cells[0].ns.value is 0"),
    (("cases", 0, "cells", 0, "ns", "high"), -3.0, "cases[0].cells[0].ns.high is -3"),
    (("cases", 0, "cells", 0, "ns", "low"), 1e-300, "cases[0].cells[0].ns.low is 1e-300"),
    (("cases", 0, "cells", 0, "pass_ns", 1), 0, "cases[0].cells[0].pass_ns[1] is 0"),
    (("cases", 0, "cells", 0, "case"), "sha-256/hash/bytes=5", "cases[0].cells[0].case 'sha-256/hash/bytes=5'"),
    (("cases", 0, "cells", 0, "lane"), "other@1", "is not one of its lanes"),
    (("cases", 0, "aa", "ratio", "high"), 0, "cases[0].aa.ratio.high is 0"),
    (("fits", 0, "per_byte_ns", "value"), 1e-300, "fits[0].per_byte_ns.value is 1e-300"),
    (("fits", 0, "operation"), "a/b", "fits[0].operation 'a/b' belongs to no case of the run"),
    (("crossovers", 0, "size_bytes"), 0, "crossovers[0].size_bytes is 0"),
    (("roofline",), [ROW | {"case": "sha-256/hash/bytes=77"}], "roofline[0]: no 'openssl@3.0' in a case"),
    (("roofline",), [ROW | {"lane": "other@1"}], "roofline[0]: no 'other@1' in a case"),
    (("roofline",), [ROW | {"left": 1e300}], "$.roofline[0].left"),
]


@pytest.fixture(scope="module")
def sealed(new_cli: Callable[..., CommandLine]) -> tuple[CommandLine, Path, dict[str, Any]]:
    """A run with every kind of finding, and its summary."""
    cli = new_cli("resealed")
    fixed_run.write(cli.runs)
    path = sorted(cli.runs.iterdir())[-1]
    return cli, path, json.loads(gzip.decompress((path / "summary.json.gz").read_bytes()))


def write(path: Path, summary: object) -> None:
    """The bundle with another summary, sealed as if it were its own."""
    (path / "summary.json.gz").write_bytes(gzip.compress(json.dumps(summary).encode()))
    sums = {name: file_digest(path / name) for name in sealed_names(path)}
    (path / "SHA256SUMS").write_bytes(format_sums(sums))


def commands(path: Path, page: Path) -> list[tuple[object, ...]]:
    return [("show", path), ("export", path), ("compare", "openssl", "nettle", "--run", path), ("report", path, "-o", page)]  # fmt: skip


@pytest.mark.parametrize(
    ("at", "value", "said"), EDITS, ids=[f"{n}-{said[:30]}" for n, (_, _, said) in enumerate(EDITS)]
)
def test_what_cannot_be_is_one_line(
    sealed: tuple[CommandLine, Path, dict[str, Any]],
    tmp_path: Path,
    at: tuple[str | int, ...],
    value: object,
    said: str,
) -> None:
    cli, original, summary = sealed
    edited: Any = copy.deepcopy(summary)
    place = edited
    for step in at[:-1]:
        place = place[step]
    place[at[-1]] = value
    path = Path(shutil.copytree(original, tmp_path / original.name))
    write(path, edited)
    for words in commands(path, tmp_path / "page.html"):
        done = cli.inside(*words).no_trace()
        error, hint = done.err.splitlines()
        assert done.code == 1 and done.out == "" and said in error, (words, done.err)
        assert error.startswith(f"cipherstone: error: summary: {path}/summary.json.gz: ") and "--no-verify" in hint
    assert cli.inside("show", path, "--no-verify").no_trace().code == 0


def test_what_can_be_is_shown(sealed: tuple[CommandLine, Path, dict[str, Any]], tmp_path: Path) -> None:
    cli, original, summary = sealed
    path = Path(shutil.copytree(original, tmp_path / original.name))
    write(path, summary)
    for words in commands(path, tmp_path / "page.html"):
        assert cli.inside(*words).no_trace().code == 0
