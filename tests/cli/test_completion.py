# SPDX-License-Identifier: Apache-2.0
"""What a shell offers for a word that is begun: by the real shell, with what `cipherstone completion` prints."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cipherstone.cli import complete

BIN = Path(sys.executable).parent
ASK = """
eval "$(cipherstone completion bash)"
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cipherstone_completion cipherstone
printf '%s\\n' "${COMPREPLY[@]}"
"""


def offered(cwd: Path, *words: str) -> list[str]:
    """What bash offers for the last of `words`."""
    environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", ASK, "ask", "cipherstone", *words], cwd=cwd, env=environment, capture_output=True, text=True, check=True)  # fmt: skip
    return [line for line in done.stdout.splitlines() if line]


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("ru",), ["run", "runs"]),
        (("run", "--sui"), ["--suite"]),
        (("run", "-l", "openssl,net"), ["openssl,nettle"]),
        (("check", "--op", "sha-256/"), ["sha-256/hash"]),
        (("run", "--suite", "qui"), ["quick"]),
        (("nett",), ["nettle"]),
        (("show", "lat"), ["latest"]),
        (("show", "2031"), ["20310101-000000-abcd"]),
        (("compare", "bef"), ["before"]),
    ],
)
def test_bash_offers(tmp_path: Path, words: tuple[str, ...], expected: list[str]) -> None:
    run = tmp_path / "runs" / "20310101-000000-abcd"
    run.mkdir(parents=True)
    (run / "manifest.json").write_text('{"name": "before", "status": "finished"}')
    assert offered(tmp_path, *words) == expected


def test_builds_are_offered_once_their_library_is_said() -> None:
    assert "openssl@4.0" in complete.words("openssl@") and complete.words("openssl") == ["openssl"]
    assert "openssl@4.0" in complete.builds("openssl@4")
    assert complete.families("ae") == ["aead"] and "sha-256" in complete.algorithms("md5,sha-2")[0]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_what_is_printed_names_the_program_and_says_where_it_belongs(shell: str) -> None:
    done = subprocess.run([BIN / "cipherstone", "completion", shell], capture_output=True, text=True, check=True)
    first, rest = done.stdout.split("\n", 1)
    assert first.startswith("# ") and f"cipherstone completion {shell}" in first
    assert f"_CIPHERSTONE_COMPLETE=complete_{shell}" in rest
    if shutil.which(shell):  # the shell reads it without an error
        subprocess.run([shell, "-n"], input=done.stdout, text=True, check=True)
