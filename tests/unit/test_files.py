# SPDX-License-Identifier: Apache-2.0
"""The files of the sources: licence lines and lengths. Needs no compiler, so that it is seen before every commit."""

from __future__ import annotations

import re
from pathlib import Path

from scripts import ROOT

FOLDERS = (
    "src",
    "sdk",
    "libraries",
    "tests",
    "tools",
    "bench",
    "labs",
    "roofline",
    "algorithms",
    "references",
    "suites",
    "vectors",
    "protocol",
)
SOURCES = sorted(
    path
    for folder in FOLDERS
    for path in (ROOT / folder).rglob("*")
    if path.is_file()
    and path.suffix in (".py", ".c", ".h", ".cpp", ".hpp", ".toml", ".sh")
    and not {"__pycache__", "build"} & set(path.parts)
)
# Lines: what is longer does more than one thing. The number stands where people read it.
LONGEST = int(re.findall(r"none passes (\d+)", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))[0])


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_every_source_begins_with_its_licence() -> None:
    """In the first line, or the second after `#!`."""
    assert len(SOURCES) > 100
    missing = []
    for path in SOURCES:
        lines = path.read_text(encoding="utf-8").splitlines()
        first = lines[1] if lines and lines[0].startswith("#!") else "".join(lines[:1])
        if not re.match(r"(#|/\*|//) SPDX-License-Identifier: Apache-2\.0( \*/)?$", first):
            missing.append(name(path))
    assert missing == []


def test_no_source_is_too_long() -> None:
    lengths = {name(path): path.read_text(encoding="utf-8").count("\n") for path in SOURCES}
    pages = (ROOT / "src" / "cipherstone" / "report" / "render" / "templates").iterdir()
    lengths |= {name(path): path.read_text(encoding="utf-8").count("\n") for path in pages if path.is_file()}
    assert {path: n for path, n in lengths.items() if n > LONGEST} == {}
