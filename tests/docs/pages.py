# SPDX-License-Identifier: Apache-2.0
"""Reading Markdown pages: fences, code spans, headings, links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    path
    for pattern in ("*.md", "docs/**/*.md", "libraries/*/*.md", "sdk/**/*.md", "protocol/**/*.md", "bench/**/*.md")
    for path in ROOT.glob(pattern)
)
GENERATED = "<!-- generated"

_FENCE = re.compile(r"^```(.*)$")


@dataclass(frozen=True)
class Fence:
    """A fenced block: the word after the fence, the number of its first line, its lines."""

    kind: str
    line: int
    lines: tuple[str, ...]


def name(page: Path) -> str:
    """The page's path in the checkout."""
    return page.relative_to(ROOT).as_posix()


def fences(text: str) -> Iterator[Fence]:
    """Every fenced block. ValueError if the last one is never closed."""
    inside: list[str] | None = None
    kind, begin = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        found = _FENCE.match(line)
        if found and inside is None:
            inside, kind, begin = [], found[1].strip(), number + 1
        elif found and inside is not None:
            yield Fence(kind, begin, tuple(inside))
            inside = None
        elif inside is not None:
            inside.append(line)
    if inside is not None:
        raise ValueError(f"the block at line {begin} is never closed")


def prose(text: str) -> str:
    """The page without fenced blocks."""
    kept, inside = [], False
    for line in text.splitlines():
        if _FENCE.match(line):
            inside = not inside
        elif not inside:
            kept.append(line)
    return "\n".join(kept)


def spans(text: str) -> list[str]:
    """The code spans outside of fences."""
    return re.findall(r"`([^`\n]+)`", prose(text))


def links(text: str) -> list[str]:
    """Targets of links and pictures, code spans left out."""
    return re.findall(r"\]\(([^()\s]+)\)", re.sub(r"`[^`\n]*`", "", prose(text)))


def anchors(text: str) -> set[str]:
    """The anchors that a page's headings get on the usual forges."""
    found: set[str] = set()
    for heading in re.findall(r"^#{1,6} (.+?)\s*$", prose(text), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        base = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        anchor, count = base, 0
        while anchor in found:
            count += 1
            anchor = f"{base}-{count}"
        found.add(anchor)
    return found
