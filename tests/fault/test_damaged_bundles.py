# SPDX-License-Identifier: Apache-2.0
"""Bundles that were cut, edited by hand or mixed up, through the commands that read them: one clear line or a right figure, never a trace."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scripts import HASH, MAC, CommandLine, Done, cost, write_worker

from cipherstone.model.errors import StoreError
from cipherstone.store import Bundle, sealindex


@pytest.fixture(scope="module")
def sealed(new_cli: Callable[..., CommandLine], tmp_path_factory: pytest.TempPathFactory) -> tuple[CommandLine, Path]:
    """A command line with one finished run."""
    cli, folder = new_cli("sealed"), tmp_path_factory.mktemp("workers")
    a = write_worker(folder, "alpha", {HASH: cost(1000), MAC: cost(900)})
    b = write_worker(folder, "beta", {HASH: cost(1300)})
    cli.measure("--base", "alpha", "--filter", f"op:({HASH} OR {MAC})", "--worker", a, "--worker", b)
    (path,) = [path for path in cli.runs.iterdir() if path.is_dir()]
    return cli, path


@pytest.fixture
def copy(sealed: tuple[CommandLine, Path], tmp_path: Path) -> tuple[CommandLine, Path]:
    cli, path = sealed
    return cli, Path(shutil.copytree(path, tmp_path / path.name))


def journal(path: Path, change: Callable[[list[dict[str, Any]]], list[Any]]) -> None:
    """Rewrites the packed journal; what is not a string is encoded as JSON."""
    file = path / "journal.jsonl.gz"
    rows = [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]
    lines = [row if isinstance(row, str) else json.dumps(row) for row in change(rows)]
    file.write_bytes(gzip.compress("".join(line + "\n" for line in lines).encode()))


def manifest(path: Path, **changes: Any) -> None:
    file = path / "manifest.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))


def passes_of(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [row for row in rows if row["type"] == "pass"]


def lane(change: Callable[[dict[str, Any]], object]) -> Callable[[list[dict[str, Any]]], list[Any]]:
    """A change of the first lane's samples in every pass."""

    def apply(rows: list[dict[str, Any]]) -> list[Any]:
        for row in passes_of(rows):
            change(row["lanes"][0])
        return rows

    return apply


def fewer(samples: dict[str, Any], count: int) -> None:
    """Without the last `count` readings of both probes."""
    samples.update(chain_ns=samples["chain_ns"][:-count], tput_ns=samples["tput_ns"][:-count])


def each_pass(change: Callable[[dict[str, Any]], object]) -> Callable[[list[dict[str, Any]]], list[Any]]:
    def apply(rows: list[dict[str, Any]]) -> list[Any]:
        for row in passes_of(rows):
            change(row)
        return rows

    return apply


def cut(name: str, keep: float) -> Callable[[Path], None]:
    def apply(path: Path) -> None:
        data = (path / name).read_bytes()
        (path / name).write_bytes(data[: int(len(data) * keep)])

    return apply


# what was done to the bundle -> what the error names; "" where the run can still be shown
DAMAGES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "journal cut": (cut("journal.jsonl.gz", 0.5), "journal.jsonl.gz"),
    "journal empty": (cut("journal.jsonl.gz", 0), ""),
    "journal gone": (lambda p: (p / "journal.jsonl.gz").unlink(), "journal.jsonl.gz is missing"),
    "manifest cut": (cut("manifest.json", 0.5), "manifest.json"),
    "manifest empty": (cut("manifest.json", 0), "manifest.json"),
    "format of the future": (lambda p: manifest(p, format=99), "99"),
    "format of the past": (lambda p: manifest(p, format=1), "format 1, this cipherstone reads format 2"),
    "settings of another type": (lambda p: manifest(p, settings={"rounds": "many"}), "rounds"),
    "plan of nonsense": (lambda p: manifest(p, plan=[{"case": "no case", "lanes": ["x"]}]), "no case"),
    "a line that is no JSON": (lambda p: journal(p, lambda rows: [*rows, "{broken"]), "line "),
    "a record of no kind": (lambda p: journal(p, lambda rows: [*rows, {"type": "gossip"}]), "gossip"),
    "a text for a number": (lambda p: journal(p, lane(lambda one: one.update(calls="many"))), "calls"),
    "a lane of nonsense": (lambda p: journal(p, lane(lambda one: one.update(lane="nonsense"))), "nonsense"),
    "a case of nonsense": (lambda p: journal(p, each_pass(lambda one: one.update(case="a/b/c/d"))), "a/b/c/d"),
    "no calls": (lambda p: journal(p, lane(lambda one: one.update(calls=0))), ""),
    "no times": (lambda p: journal(p, lane(lambda one: one.update(ns=[]))), ""),
    "times of zero": (lambda p: journal(p, lane(lambda one: one.update(ns=[0] * len(one["ns"])))), ""),
    "negative times": (lambda p: journal(p, lane(lambda one: one.update(ns=[-1] * len(one["ns"])))), ""),
    "times of a century": (lambda p: journal(p, lane(lambda one: one.update(ns=[10**18] * len(one["ns"])))), ""),
    "fewer times than rounds": (lambda p: journal(p, lane(lambda one: one.update(rounds=[0, 1]))), ""),
    "one probe only": (lambda p: journal(p, lane(lambda one: one.pop("tput_ns"))), ""),
    "fewer readings than ends": (lambda p: journal(p, lane(lambda one: fewer(one, 1))), ""),
    "one reading in all": (lambda p: journal(p, lane(lambda one: fewer(one, len(one["chain_ns"]) - 1))), ""),
    "readings of zero": (lambda p: journal(p, lane(lambda one: one.update(chain_ns=[0] * len(one["chain_ns"])))), ""),
    "readings of nothing": (lambda p: journal(p, lane(lambda one: one["tput_ns"].__setitem__(3, None))), "tput_ns"),
    "turns of another length": (lambda p: journal(p, lane(lambda one: one.update(per_turn=5))), ""),
    "turns of no length": (lambda p: journal(p, lane(lambda one: one.update(per_turn=0))), ""),
    "turns of less than nothing": (lambda p: journal(p, lane(lambda one: one.update(per_turn=-6))), ""),
    "no lanes": (lambda p: journal(p, each_pass(lambda one: one.update(lanes=[], order=[]))), ""),
    "the same passes twice": (lambda p: journal(p, lambda rows: [*rows, *passes_of(rows)]), ""),
    "no proofs": (lambda p: journal(p, lambda rows: [row for row in rows if row["type"] != "proof"]), ""),
    "tables gone": (lambda p: [file.unlink() for file in p.glob("*.parquet")], ""),
}


def one_clear_line(done: Done, names: str) -> None:
    done.no_trace()
    assert done.code in (1, 2) and done.out == ""
    (line,) = [text for text in done.err.splitlines() if "error:" in text]
    assert names in line, line
    assert len(done.err.splitlines()) <= 3


@pytest.mark.parametrize("damage", DAMAGES)
def test_show_of_a_damaged_bundle(copy: tuple[CommandLine, Path], damage: str) -> None:
    cli, path = copy
    change, names = DAMAGES[damage]
    change(path)
    done = cli.inside("show", path, "--no-verify")
    if names:
        one_clear_line(done, names)
    else:
        done.no_trace()
        assert done.code == 0, done.err


@pytest.mark.parametrize(
    "damage", ["journal cut", "manifest cut", "a lane of nonsense", "one probe only", "turns of no length", "no times"]
)
def test_report_export_and_compare_of_a_damaged_bundle(
    copy: tuple[CommandLine, Path], tmp_path: Path, damage: str
) -> None:
    cli, path = copy
    change, names = DAMAGES[damage]
    change(path)
    page = tmp_path / "page.html"
    for words in (
        ("report", path, "--output", page),
        ("export", path),
        ("compare", path, path, "--force"),
        ("compare", "alpha", "beta", "--run", path),
    ):
        done = cli.inside(*words, "--no-verify")
        if names:
            one_clear_line(done, names)
            assert not page.exists()
        else:
            assert done.no_trace().code == 0, (words, done.err)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        ("one probe only", "81 and 0 probe readings for 72 batches, expected 81"),
        ("fewer readings than ends", "80 and 80 probe readings for 72 batches, expected 81"),
        ("readings of zero", "contended: 0 of 70 batches undisturbed, 16 needed"),
        ("turns of another length", "72 batches are no turns of 5"),
        ("turns of no length", "72 batches are no turns of 0"),
        ("no times", "0 times for 72 rounds"),
        ("no calls", "0 calls a batch"),
    ],
)
def test_a_damaged_lane_has_no_figure_and_the_others_keep_theirs(
    copy: tuple[CommandLine, Path], damage: str, reason: str
) -> None:
    cli, path = copy
    DAMAGES[damage][0](path)
    found = cli.inside("show", path, "--no-verify", "--format", "json").no_trace().json()
    assert [case["operation"] for case in found["cases"]] == [HASH, MAC]
    for case in found["cases"]:
        lanes = {cell["lane"]: cell for cell in case["cells"]}
        assert lanes["beta@1.0"]["outcome"] == ("ok" if case["operation"] == HASH else "unsupported")
        assert "ns" not in lanes["alpha@1.0"] and reason in lanes["alpha@1.0"]["refused"], lanes["alpha@1.0"]
        for lane, ns in (("beta@1.0", 1300), ("alpha@1.0#2", 1000 if case["operation"] == HASH else 900)):
            if lanes[lane]["outcome"] == "ok":
                assert lanes[lane]["ns"]["value"] == pytest.approx(ns)


def test_an_edited_figure_breaks_the_seal(copy: tuple[CommandLine, Path]) -> None:
    cli, path = copy
    assert cli.inside("show", path, "--verify").code == 0
    journal(path, lane(lambda one: one.update(ns=[t // 2 for t in one["ns"]])))
    done = cli.inside("show", path, "--verify").no_trace()
    assert done.code == 1 and "changed since it was sealed: journal.jsonl.gz" in done.err


@pytest.mark.parametrize("words", [(), ("--sql", "select count(*) from cells"), ("--format", "json")])
@pytest.mark.parametrize("damage", [name for name, (_, says) in DAMAGES.items() if "manifest" not in says])
def test_a_finished_bundle_is_verified_when_it_is_read(
    copy: tuple[CommandLine, Path], damage: str, words: tuple[str, ...]
) -> None:
    """Above all an emptied journal, which looked like an empty run, and figures that look like figures."""
    cli, path = copy
    DAMAGES[damage][0](path)
    one_clear_line(cli.inside("show", path, *words), "")


@pytest.mark.parametrize(
    "name", ["cells.parquet", "samples.parquet", "journal.jsonl.gz", "manifest.json", "SHA256SUMS"]
)
def test_a_flipped_bit_changes_no_number_silently(copy: tuple[CommandLine, Path], name: str, tmp_path: Path) -> None:
    cli, path = copy
    content = bytearray((path / name).read_bytes())
    content[len(content) // 2] ^= 1
    (path / name).write_bytes(content)
    page = tmp_path / "page.html"
    for words in (
        ("show", path),
        ("show", path, "--sql", "select * from cells"),
        ("report", path, "-o", page),
        ("export", path),
        ("compare", path, path),
        ("compare", "alpha", "beta", "--run", path),
        ("machine", "--run", path),
        ("machine", "--against", path, "--run", path),
    ):
        one_clear_line(cli.inside(*words), "")
    assert not page.exists()


def test_a_verified_file_is_not_hashed_again_unless_it_was_touched(
    copy: tuple[CommandLine, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, path = copy
    hashed: list[str] = []
    digest = sealindex.file_digest
    monkeypatch.setattr(sealindex, "file_digest", lambda file: hashed.append(file.name) or digest(file))
    monkeypatch.setattr(sealindex, "_SETTLED_NS", 0)

    def looked_at() -> list[str]:
        hashed.clear()
        index = sealindex.SealIndex(tmp_path / "cache" / "seals.json")
        Bundle.open(path, index=index)
        index.save()
        return list(hashed)

    everything = sorted(looked_at())
    assert "cells.parquet" in everything and "journal.jsonl.gz" in everything
    assert looked_at() == []
    (path / "cells.parquet").touch()
    assert looked_at() == ["cells.parquet"]
    (tmp_path / "cache" / "seals.json").write_text("[" * 100_000)
    assert sorted(looked_at()) == everything
    content = (path / "cells.parquet").read_bytes()
    (path / "cells.parquet").write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(StoreError, match=r"cells\.parquet: changed since the run was sealed"):
        looked_at()


def test_what_was_learnt_is_written_once(
    copy: tuple[CommandLine, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, path = copy
    monkeypatch.setattr(sealindex, "_SETTLED_NS", 0)
    index = sealindex.SealIndex(tmp_path / "seals.json")
    index.digest(path / "cells.parquet")
    index.save()
    (tmp_path / "seals.json").unlink()
    index.digest(path / "cells.parquet")
    index.save()
    assert not (tmp_path / "seals.json").exists()


def test_a_file_written_just_now_is_hashed_at_the_next_look(copy: tuple[CommandLine, Path], tmp_path: Path) -> None:
    """Its clock may not have ticked when it is written again."""
    _, path = copy
    (path / "cells.parquet").touch()
    index = sealindex.SealIndex(tmp_path / "seals.json")
    index.digest(path / "cells.parquet")
    index.save()
    assert not (tmp_path / "seals.json").exists()


@pytest.mark.parametrize("name", ["cells.parquet", "journal.jsonl.gz", "SHA256SUMS"])
def test_a_pipe_in_place_of_a_file_does_not_wait_for_ever(copy: tuple[CommandLine, Path], name: str) -> None:
    cli, path = copy
    (path / name).unlink()
    os.mkfifo(path / name)
    one_clear_line(cli.inside("show", path), "not a regular file")


def test_tables_that_are_gone_are_told_to_who_asks_for_them(copy: tuple[CommandLine, Path]) -> None:
    cli, path = copy
    cut("samples.parquet", 0.3)(path)
    one_clear_line(cli.inside("show", path, "--no-verify", "--sql", "select count(*) from samples"), "samples")
    (path / "samples.parquet").unlink()
    one_clear_line(cli.inside("show", path, "--no-verify", "--sql", "select count(*) from samples"), "samples")


def test_a_folder_that_is_no_bundle(sealed: tuple[CommandLine, Path], tmp_path: Path) -> None:
    cli, _ = sealed
    one_clear_line(cli.inside("show", tmp_path), "no manifest.json there")
