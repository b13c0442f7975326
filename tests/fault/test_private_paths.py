# SPDX-License-Identifier: Apache-2.0
"""A bundle that is mailed: no home folder, no user's name, no machine's name in any of its files."""

from __future__ import annotations

import gzip
import os
import platform
import pwd
import shutil
from collections.abc import Callable

import pytest
from scripts import HASH, MAC, CommandLine, cost, newest, write_worker

from cipherstone.host.private import Private
from cipherstone.model.records import Build, CodeObject, OutcomeRecord

ALICE = Private(("/net/home/alice", "/home/alice"), "alice", ("wonder.example.org", "wonder"))


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("cipherstone run --worker /home/alice/w/cs-x", "cipherstone run --worker ~/w/cs-x"),
        ("'/home/alice/my folder/x'", "'~/my folder/x'"),
        ("-I/home/alice/include -L/net/home/alice/lib", "-I~/include -L~/lib"),
        ("--output=/home/alice", "--output=~"),
        ("/home/alice2/x /home/alice-b/x", "/home/alice2/x /home/alice-b/x"),
        ("/scratch/alice/x:/tmp/pytest-of-alice/y", "/scratch/USER/x:/tmp/pytest-of-USER/y"),
        ("/scratch/malice/x alice", "/scratch/malice/x alice"),
        ("ssh wonder.example.org; wonder", "ssh HOST; HOST"),
        ("wonderful wonder-2", "wonderful wonder-2"),
        ("aes-128-gcm/seal openssl@3.0.20", "aes-128-gcm/seal openssl@3.0.20"),
    ],
)
def test_private_parts_of_a_text_are_replaced(text: str, stored: str) -> None:
    assert ALICE.text(text) == stored
    assert ALICE.text(stored) == stored


def test_private_parts_of_a_build_and_of_what_a_worker_printed_are_replaced() -> None:
    build = Build(
        *("openssl", "3.0.20", "3.0.20", "library", "OpenSSL", "Apache-2.0", "/home/alice/gcc 12", "-I/home/alice/i"),
        cpu_path=None,
        worker_hash="12",
        package="/home/alice/cs-x",
        objects=(CodeObject("/home/alice/.cache/cs-openssl", "worker", "ab"), CodeObject("/usr/lib/x.so", "other", "")),
        environment={"LD_LIBRARY_PATH": "/home/alice/lib"},
    )
    stored = ALICE.build(build)
    assert "alice" not in repr(stored) and stored.objects[1] == build.objects[1]
    record = OutcomeRecord("a/b", "x@1", "crashed", "/home/alice/x.c:12", "at /home/alice/x.c on wonder")  # type: ignore[arg-type]
    assert ALICE.record(record) == OutcomeRecord("a/b", "x@1", "crashed", "~/x.c:12", "at ~/x.c on HOST")  # type: ignore[arg-type]


def test_names_that_name_nobody_are_left_alone() -> None:
    here = Private.here()
    assert "/" not in here.homes and "" not in here.homes and here.user != "root"
    assert here.path("/usr/lib/x /") == "/usr/lib/x /"


@pytest.fixture
def at_home(new_cli: Callable[..., CommandLine]) -> CommandLine:
    """A command line whose user has its home, its workers and its cache in one folder with a name of its own."""
    cli = new_cli("alice-in-her-home")
    cli.environment = {"HOME": str(cli.home)}
    return cli


def test_a_stored_run_names_nobody(at_home: CommandLine) -> None:
    good = write_worker(at_home.home / "workers", "alpha", {HASH: cost(1000)})
    bad = write_worker(at_home.home / "workers", "beta", {HASH: cost(900)}, crash=[{"verb": "run"}])
    dead = at_home.home / "workers" / "dead"
    dead.write_text(f"#!/bin/sh\necho {at_home.home}/dead: no >&2; exit 3\n")
    dead.chmod(0o755)
    workers = [word for path in (good, bad, dead) for word in ("--worker", path)]
    done = at_home.measure("--base", "alpha", "--filter", f"op:({HASH} OR {MAC})", *workers)
    assert "Traceback" not in done.err
    bundle = newest(at_home.runs)
    assert "--worker '~/workers" in bundle.manifest.command or "--worker ~/workers" in bundle.manifest.command
    names = {str(at_home.home), platform.node(), pwd.getpwuid(os.getuid()).pw_dir}
    for file in bundle.path.iterdir():
        content = file.read_bytes()
        content = gzip.decompress(content) if file.suffix == ".gz" else content
        for name in names:
            if len(name) > 3 and name != "localhost":
                assert name.encode() not in content, (file.name, name)


def test_a_run_stored_without_private_parts_goes_on(at_home: CommandLine) -> None:
    worker = write_worker(at_home.home / "workers", "alpha", {HASH: cost(1000)})
    done = at_home.measure("--base", "alpha", "--op", HASH, "--worker", worker)
    assert done.code == 0, done.err
    path = newest(at_home.runs).path
    with gzip.open(path / "journal.jsonl.gz") as packed, (path / "journal.jsonl").open("wb") as journal:
        shutil.copyfileobj(packed, journal)
    manifest = path / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"finished"', '"interrupted"'))
    again = at_home.measure("--resume", "latest", "--worker", worker)
    assert again.code == 0 and newest(at_home.runs).verify() == [], again.err
