# SPDX-License-Identifier: Apache-2.0
"""A folder that somebody sent: its links, pipes and second names lead nothing of ours out of it, neither to be read nor to be written."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from scripts import HASH, CommandLine, Done, cost, write_worker

KEYS = "ssh-ed25519 AAAA nobody@nowhere\nand a line without its end"
# Every command that reads a run, as far as it needs no further one.
READS: dict[str, tuple[str, ...]] = {
    "show": ("show", "RUN"),
    "show json": ("show", "RUN", "--format", "json"),
    "show sql": ("show", "RUN", "--sql", "select count(*) from cells"),
    "verify": ("show", "RUN", "--verify"),
    "report": ("report", "RUN", "-o", "page.html"),
    "export": ("export", "RUN"),
    "compare": ("compare", "RUN", "RUN"),
    "compare lanes": ("compare", "alpha", "alpha#2", "--run", "RUN"),
    "machine": ("machine", "--run", "RUN"),
}


@pytest.fixture(scope="module")
def measured(new_cli: Callable[..., CommandLine], tmp_path_factory: pytest.TempPathFactory) -> tuple[CommandLine, Path]:
    """A command line with one finished run."""
    cli = new_cli("received")
    worker = write_worker(tmp_path_factory.mktemp("workers"), "alpha", {HASH: cost(1000)})
    assert cli.measure("--base", "alpha", "--op", HASH, "--worker", worker).code == 0
    (path,) = [path for path in cli.runs.iterdir() if path.is_dir()]
    return cli, path


@pytest.fixture
def received(measured: tuple[CommandLine, Path], tmp_path: Path) -> tuple[CommandLine, Path, Path]:
    """The command line, a copy of its run in a folder `received`, and a file of ours beside that."""
    cli, path = measured
    ours = tmp_path / "victim" / "authorized_keys"
    ours.parent.mkdir()
    ours.write_text(KEYS)
    return cli, Path(shutil.copytree(path, tmp_path / "received" / path.name)), ours


def unfinished(path: Path) -> Path:
    """Makes the run in `path` one that was interrupted; its journal."""
    text = gzip.decompress((path / "journal.jsonl.gz").read_bytes())
    for file in path.iterdir():
        if file.name != "manifest.json":
            file.unlink()
    (path / "journal.jsonl").write_bytes(text)
    changed = {**json.loads((path / "manifest.json").read_text()), "status": "interrupted"}
    (path / "manifest.json").write_text(json.dumps(changed))
    return path / "journal.jsonl"


def refused(done: Done, *names: str) -> None:
    done.no_trace()
    assert done.code in (1, 2) and done.out == "", done
    lines = [text for text in done.err.splitlines() if "error:" in text or "changed since" in text]
    assert lines and all(name in done.err for name in names), done.err
    assert len(done.err.splitlines()) <= 4, done.err


def resume(cli: CommandLine, path: Path, worker: Path) -> Done:
    return cli.measure("--resume", path, "--worker", worker)


def worker_of(tmp_path: Path) -> Path:
    return write_worker(tmp_path / "workers", "alpha", {HASH: cost(1000)})


@pytest.mark.parametrize("there", [True, False])
def test_a_report_is_not_written_through_a_link_beside_the_run(
    received: tuple[CommandLine, Path, Path], there: bool
) -> None:
    cli, path, ours = received
    if not there:
        ours.unlink()
    link = path.with_name(path.name + ".html")
    link.symlink_to(Path("..") / "victim" / "authorized_keys")
    done = cli.inside("report", "--runs", path.parent, "latest")
    refused(done, str(link), "symbolic link", "-o")
    assert link.is_symlink() and (ours.read_text() == KEYS if there else not ours.exists())


def test_a_report_does_not_wait_for_a_pipe_beside_the_run(received: tuple[CommandLine, Path, Path]) -> None:
    cli, path, _ = received
    pipe = path.with_name(path.name + ".html")
    os.mkfifo(pipe)
    refused(cli("report", "--runs", path.parent, "latest", timeout_s=120), str(pipe), "not a regular file")


def test_a_report_leaves_the_other_name_of_what_it_replaces_alone(received: tuple[CommandLine, Path, Path]) -> None:
    """A second name of a file of ours, with a mode that gives its reader our rights."""
    cli, path, ours = received
    page = path.with_name(path.name + ".html")
    ours.chmod(0o4755)
    page.hardlink_to(ours)
    assert cli.inside("report", "--runs", path.parent, "latest").no_trace().code == 0
    assert ours.read_text() == KEYS and "alpha" in page.read_text() and page.stat().st_mode & 0o7000 == 0


def test_what_the_user_names_is_written_through(received: tuple[CommandLine, Path, Path]) -> None:
    cli, path, ours = received
    link = ours.parent / "link"
    link.symlink_to(ours)
    assert cli.inside("report", path, "-o", link).no_trace().code == 0
    assert link.is_symlink() and "alpha" in ours.read_text()


@pytest.mark.parametrize(
    "name", ["journal.jsonl.gz", "manifest.json", "cells.parquet", "summary.json.gz", "SHA256SUMS"]
)
@pytest.mark.parametrize("kind", ["out", "circle", "pipe"])
def test_a_file_of_a_run_that_is_none(received: tuple[CommandLine, Path, Path], name: str, kind: str) -> None:
    cli, path, ours = received
    file = path / name
    if kind == "out":
        ours.write_bytes(file.read_bytes())  # what it leads to is what was sealed: only the link is wrong
    file.unlink()
    if kind == "pipe":
        os.mkfifo(file)
    else:
        file.symlink_to(ours if kind == "out" else file.name)
    for words in READS.values():
        done = cli.inside(*(str(path) if word == "RUN" else word for word in words))
        refused(done)
        assert name in done.err or (name == "manifest.json" and kind != "out"), (words, done.err)


@pytest.mark.parametrize("name", ["journal.jsonl.gz", "cells.parquet", "samples.parquet"])
@pytest.mark.parametrize("kind", ["out", "circle", "pipe"])
def test_also_where_the_seal_is_not_looked_at(received: tuple[CommandLine, Path, Path], name: str, kind: str) -> None:
    cli, path, ours = received
    file = path / name
    ours.write_bytes(file.read_bytes())
    file.unlink()
    if kind == "pipe":
        os.mkfifo(file)
    else:
        file.symlink_to(ours if kind == "out" else file.name)
    if name != "journal.jsonl.gz":  # of which a finished run's tables are made
        refused(cli.inside("show", path, "--no-verify", "--sql", "select count(*) from samples"), name)
    done = cli.inside("show", path, "--no-verify").no_trace()
    assert done.code == (1 if name == "journal.jsonl.gz" else 0)


def test_a_folder_that_leads_elsewhere_is_no_run_of_where_it_lies(received: tuple[CommandLine, Path, Path]) -> None:
    cli, path, _ = received
    elsewhere = path.rename(path.parent.parent / "elsewhere")
    link = path.parent / "20990101-000000-aaaa"
    link.symlink_to(elsewhere)
    for text in ("latest", link.name):
        refused(cli.inside("show", "--runs", link.parent, text), link.name)
    assert cli.inside("show", link).no_trace().code == 0  # whoever names the link means where it leads
    assert cli.inside("show", elsewhere).no_trace().code == 0


def test_a_journal_that_leads_out_is_not_cut(received: tuple[CommandLine, Path, Path], tmp_path: Path) -> None:
    cli, path, ours = received
    journal = unfinished(path)
    journal.unlink()
    journal.symlink_to(ours)
    refused(resume(cli, path, worker_of(tmp_path)), "journal.jsonl", "symbolic link")
    assert ours.read_text() == KEYS


def test_a_journal_that_is_none_is_not_cut(received: tuple[CommandLine, Path, Path], tmp_path: Path) -> None:
    """Its lines are read before its end is cut off: what is no journal stays as it is."""
    from cipherstone.model.errors import StoreError
    from cipherstone.store import BundleWriter

    _, path, _ = received
    journal = unfinished(path)
    journal.write_text(KEYS)
    with pytest.raises(StoreError, match="line 1"):
        BundleWriter.resume(path)
    assert journal.read_text() == KEYS


def test_a_journal_with_a_second_name_is_not_written(received: tuple[CommandLine, Path, Path], tmp_path: Path) -> None:
    cli, path, ours = received
    journal = unfinished(path)
    text = journal.read_text() + '{"type":"noi'
    journal.write_text(text)
    ours.unlink()
    ours.hardlink_to(journal)
    refused(resume(cli, path, worker_of(tmp_path)), "journal.jsonl", "second name")
    assert ours.read_text() == text


@pytest.mark.parametrize(
    "name",
    (
        *("manifest.json.tmp", "SHA256SUMS.tmp", "cells.parquet.tmp", "cells.jsonl.tmp", "journal.jsonl.gz.tmp"),
        *("summary.json.gz.tmp", "samples.parquet.tmp", "cells.parquet", "SHA256SUMS", "journal.jsonl.gz"),
    ),
)
def test_what_a_resumed_run_writes_goes_through_no_link(
    received: tuple[CommandLine, Path, Path], tmp_path: Path, name: str
) -> None:
    cli, path, ours = received
    unfinished(path)
    (path / name).symlink_to(ours)
    done = resume(cli, path, worker_of(tmp_path)).no_trace()
    assert ours.read_text() == KEYS
    assert done.code == 0, done.err
    assert not [file for file in path.iterdir() if file.is_symlink() or file.suffix == ".tmp"]


def test_where_a_resumed_run_spills_is_no_folder_of_ours(
    received: tuple[CommandLine, Path, Path], tmp_path: Path
) -> None:
    cli, path, ours = received
    unfinished(path)
    (path / "spill.tmp").symlink_to(ours.parent)
    assert resume(cli, path, worker_of(tmp_path)).no_trace().code == 0
    assert [file.name for file in ours.parent.iterdir()] == [ours.name] and not (path / "spill.tmp").is_symlink()


def test_a_manifest_that_leads_out_is_neither_read_nor_replaced(
    received: tuple[CommandLine, Path, Path], tmp_path: Path
) -> None:
    cli, path, ours = received
    unfinished(path)
    ours.write_bytes((path / "manifest.json").read_bytes())
    (path / "manifest.json").unlink()
    (path / "manifest.json").symlink_to(ours)
    before = ours.read_text()
    refused(resume(cli, path, worker_of(tmp_path)), "manifest.json", "symbolic link")
    assert ours.read_text() == before


def test_a_report_of_the_folder_that_one_is_in(received: tuple[CommandLine, Path, Path]) -> None:
    """Its name is not what was typed: `.` has none, and `..` is that of another."""
    cli, path, _ = received
    for typed, place in ((".", path), ("..", path / "below")):
        place.mkdir(exist_ok=True)
        done = subprocess.run(
            cli.command("report", typed), cwd=place, env=cli.env(), capture_output=True, text=True, check=False
        )
        assert done.returncode == 0 and path.with_name(path.name + ".html").exists(), done.stderr
        path.with_name(path.name + ".html").unlink()
