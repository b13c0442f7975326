# SPDX-License-Identifier: Apache-2.0
"""Modules that are imported at their first use: when, and what a signal does meanwhile."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cipherstone.model.later import Later, imported

HEAVY = ("numpy", "Crypto", "duckdb", "jinja2", "rich", "elftools", "vl_convert")


def test_a_module_is_imported_when_it_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "some_module_of_others.py").write_text("answer = 42\n")
    monkeypatch.syspath_prepend(tmp_path)
    later = Later("some_module_of_others")
    assert "some_module_of_others" not in sys.modules
    assert later.answer == 42
    assert "some_module_of_others" in sys.modules
    with pytest.raises(AttributeError, match="nothing"):
        later.nothing  # noqa: B018


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_waits_for_the_end_of_an_import(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    """The module swallows every exception, as some do; the signal comes right behind it."""
    name = f"module_that_swallows_{number.name.lower()}"
    (tmp_path / f"{name}.py").write_text(
        f"import os\ntry:\n    os.kill(os.getpid(), {int(number)})\n    whole = True\nexcept BaseException:\n    whole = False\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    before = signal.signal(number, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            imported(name)
        assert signal.getsignal(number) is signal.default_int_handler
    finally:
        signal.signal(number, before)
    assert sys.modules[name].whole


@pytest.mark.parametrize("words", ["--version", "--help", "show nothing"])
def test_a_command_loads_what_it_needs(tmp_path: Path, words: str) -> None:
    """What only measuring, proving or drawing needs takes longer to load than such a command to run."""
    program = f"""import sys
from cipherstone.cli.main import main
sys.argv = ["cipherstone", *{words.split()!r}]
try:
    main()
except SystemExit:
    pass
print(*sorted(set(sys.modules) & set({HEAVY!r})), file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.stderr.splitlines()[-1] == "", done.stderr
