# SPDX-License-Identifier: Apache-2.0
"""A process of one call, as its asker sees it: what the launcher is told, what its report means, what is read of the output. The launcher is a script of this file."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from cipherstone.model.errors import WorkerError
from cipherstone.protocol.messages import Computed
from cipherstone.worker import single as module
from cipherstone.worker.single import Single, Starter, _computed, _tail

FIELDS = {"op": "sha-256/hash", "impl": "default", "known": 1, "form": None}


def start(folder: Path, script: str, cpu: int | None = 3, patience: float = 1.0) -> Single:
    """By a launcher that does this; it writes down what it was told."""
    launcher = folder / "launcher"
    launcher.write_text(
        f'#!/bin/sh\nfor word in "$@"; do echo "$word"; done > {folder}/told\nout=$2 err=$3\n{script}\n'
    )
    launcher.chmod(0o755)
    return Starter(launcher, folder, cpu).start(("worker", "--more"), FIELDS, {"NAME": "value"}, patience)


def test_what_a_process_took_and_gave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Times of user and system come in microseconds."""
    monkeypatch.chdir(tmp_path)
    found = start(tmp_path, 'printf abc > "$out"; echo 5000 300 20 4096 exited 0')
    assert found == Single(5000, 320_000, 4096, Computed("ok", out="616263"))
    cpu, out, err, *words = (tmp_path / "told").read_text().splitlines()
    assert (cpu, out, err) == ("3", str(tmp_path / "output"), str(tmp_path / "errors"))
    place = words.index("--")
    assert words[place:] == [
        "--",
        str(tmp_path / "worker"),
        "--more",
        "--once",
        "op=sha-256/hash",
        "impl=default",
        "known=1",
    ]
    environment = dict(word.split("=", 1) for word in words[:place])
    assert environment["NAME"] == "value" and set(environment["CS_PAD"]) <= {"x"} and len(environment["CS_PAD"]) < 4096
    start(tmp_path, 'printf "" > "$out"; echo 1 2 3 4 exited 0', cpu=None)
    assert (tmp_path / "told").read_text().splitlines()[0] not in ("3", "None")


@pytest.mark.parametrize(
    ("script", "outcome", "said"),
    [
        ("echo last words > $err; echo 1 2 3 4 signalled 11", "crashed", "killed by SIGSEGV"),
        ("echo 1 2 3 4 exited", "crashed", "the launcher says '1 2 3 4 exited'"),
        ("echo 1 2 x 4 exited 0", "crashed", "the launcher says '1 2 x 4 exited 0'"),
        ("echo", "crashed", "the launcher says ''"),
        ("echo no such file >&2; exit 3", "crashed", "no such file"),
        ("echo bad key > $err; echo 1 2 3 4 exited 4", "crashed", "refused what it did before: bad key"),
    ],
)
def test_what_may_become_of_it(tmp_path: Path, script: str, outcome: str, said: str) -> None:
    with pytest.raises(WorkerError) as caught:
        start(tmp_path, script)
    assert (caught.value.outcome, caught.value.message) == (outcome, said)
    assert caught.value.stderr == ("last words" if "SEGV" in said else "")


def test_one_that_does_not_end_is_ended(tmp_path: Path) -> None:
    """With all that it started. Its time is what patience makes of two minutes."""
    with pytest.raises(WorkerError) as caught:
        start(tmp_path, "echo still here > $err; sleep 99 & wait", patience=0.5 / module.TIMEOUT_S)
    assert (caught.value.outcome, caught.value.message) == ("timed-out", "did not end within 0.5 s")
    assert caught.value.stderr == "still here" and module.TIMEOUT_S == 120.0


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (0, Computed("ok", out="6f7574")),
        (3, Computed("rejected")),
        (1, Computed("error", detail="some words")),
        (2, Computed("error", detail="some words")),
        (5, Computed("error", detail="some words")),
    ],
)
def test_what_its_status_means(tmp_path: Path, status: int, said: Computed) -> None:
    (tmp_path / "out").write_bytes(b"out")
    (tmp_path / "err").write_text("some\nwords\n")
    assert _computed(status, tmp_path / "out", tmp_path / "err") == said
    assert _computed(7, tmp_path / "out", tmp_path / "none") == Computed("error", detail="ended with status 7")


def test_a_long_output_is_told_by_its_length_and_checksum(tmp_path: Path) -> None:
    """From a byte above 4 MiB on; above 256 MiB it is none."""
    out, err = tmp_path / "out", tmp_path / "err"
    data = bytes(range(256)) * (4 << 12)
    out.write_bytes(data)
    assert _computed(0, out, err) == Computed("ok", out=data.hex())
    out.write_bytes(data + b"x")
    assert _computed(0, out, err) == Computed("ok", len=len(data) + 1, crc32=f"{zlib.crc32(data + b'x'):08x}")
    with out.open("wb") as file:
        file.truncate((256 << 20) + 1)
    with pytest.raises(WorkerError, match="printed 268435457 bytes"):
        _computed(0, out, err)


def test_the_end_of_what_it_said(tmp_path: Path) -> None:
    (tmp_path / "err").write_text("x" * 100_000 + " last\n\twords ")
    said = _tail(tmp_path / "err")
    assert len(said) <= 400 and "\n" not in said and _tail(tmp_path / "none") == ""
    (tmp_path / "short").write_text("a\n b")
    assert _tail(tmp_path / "short") == "a b"
