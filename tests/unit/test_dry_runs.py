# SPDX-License-Identifier: Apache-2.0
"""`--dry-run` says what would be built and measured, and does nothing: nothing is left in the cache, and no run is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from cipherstone.cli.main import app
from cipherstone.model.errors import UsageError


def dry(folder: Path, capsys: pytest.CaptureFixture[str], *words: str, runs: bool = True) -> str:
    """What the command prints. It finds an empty cache, and must leave it empty of all that is compiled."""
    more = ["--cache", str(folder / "cache"), *(["--runs", str(folder / "runs")] if runs else [])]
    app([*words, "--dry-run", *more], standalone_mode=False)
    assert not (folder / "runs").exists()
    left = [path for path in (folder / "cache").rglob("*") if path.is_file() and "workers" in path.parts]
    assert left == [] and not (folder / "cache" / "upstream").exists()
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("lab modexp --quick", ("would measure", "(suite modexp)", "modexp@gcc-O3", "of measuring at most")),
        ("lab tls --quick", ("would measure", "(suite tls)", "60 s of measuring at most")),
        ("interop", ("would try", "kinds of handshakes", "nothing is timed", "waits 5 s for the other at most")),
        ("interop --peers openssl --deadline 2", ("of 1 peer", "tls@openssl", "waits 2 s for the other at most")),
    ],
)
def test_what_would_be_built_and_measured(
    words: str, told: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = dry(tmp_path, capsys, *words.split())
    assert all(text in out for text in told), out


def test_what_would_be_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("count", "-l", "bearssl", "--op", "sha-256/hash", "--build", "bearssl@0.6+Os", "--on", "x86-64")
    out = dry(tmp_path, capsys, *words, runs=False)
    assert "to build first, from upstream's source" in out and "bearssl@0.6+Os on x86-64" in out
    assert "up to 1 operation," in out and "no bound on time" in out


def test_what_is_not_planned_ahead_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="only for handshakes in memory"):
        app(["lab", "tls", "--sockets", "--dry-run", "--runs", str(tmp_path)], standalone_mode=False)
    with pytest.raises(UsageError, match="not with --on"):
        app(["lab", "modexp", "--on", "cortex-m4", "--dry-run", "--runs", str(tmp_path)], standalone_mode=False)
