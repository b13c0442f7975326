# SPDX-License-Identifier: Apache-2.0
"""A slip: one place of one file read otherwise. What both languages share."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Slip:
    """`path` from the checkout's root; characters `begin` to `end` of its text become `now`. `within`: the function, or "". `kind`: which sort of slip. `row`: the line of the text, `nth`: which of several alike."""

    path: str
    within: str
    kind: str
    begin: int
    end: int
    line: int
    was: str
    now: str
    row: str
    nth: int = 0

    @property
    def id(self) -> str:
        """Stays as it is when the file changes elsewhere, or moves to another folder."""
        name = self.path.rpartition("/")[2]
        parts = (name, self.within, self.kind, self.was, self.now, self.row, str(self.nth))
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]

    def applied(self, text: str) -> str:
        """The file with this slip."""
        return text[: self.begin] + self.now + text[self.end :]

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.within or '-'} [{self.kind}] {_short(self.was)} -> {_short(self.now)}"


def numbered(slips: Iterable[Slip]) -> list[Slip]:
    """The same, those that would have one id told apart."""
    seen: Counter[str] = Counter()
    found = []
    for slip in slips:
        found.append(replace(slip, nth=seen[slip.id]))
        seen[slip.id] += 1
    return found


def _short(text: str, most: int = 90) -> str:
    words = " ".join(text.split())
    return words if len(words) <= most else words[: most - 3] + "..."
