# SPDX-License-Identifier: Apache-2.0
"""The build ID in the notes of an object, wherever it stands among them; `objects` as a whole: tests/contract/test_objects.py."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from sdk_build import COMPILER, SDK, compile_c, sdk_object


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="notes are read on Linux")
def test_a_build_id_is_one_of_the_notes(tmp_path: Path) -> None:
    import subprocess

    target, source = tmp_path / "notes", Path(__file__).with_name("notes.c")
    others = [path for path in sorted((SDK / "src").glob("*.c")) if path.stem != "identity"]
    objects = [str(sdk_object(COMPILER, path, ())) for path in others]
    include = ["-I", str(SDK / "include"), "-I", str(SDK / "src")]
    compile_c(COMPILER, *include, str(source), *objects, "-o", str(target), "-lpthread", "-ldl")
    done = subprocess.run([str(target)], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "c0ffee01020304\n"
