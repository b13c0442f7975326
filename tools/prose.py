# SPDX-License-Identifier: Apache-2.0
"""`python -m tools.prose`: words that `docs/style.md` does not allow, in pages, messages, docstrings and comments. Prints FILE:LINE and the word; 1 if there is any."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/**/*.md", "src/**/*.py", "src/**/templates/*", "vectors/*.toml", "suites/*.toml")  # fmt: skip
FOLDERS = ("sdk", "libraries", "labs", "protocol", "roofline", "algorithms", "references")
SUFFIXES = ("c", "h", "cpp", "md", "toml", "sh", "S", "py")
READ = (*PAGES, *(f"{folder}/**/*.{suffix}" for folder in FOLDERS for suffix in SUFFIXES))
# Patterns of files that are not read.
EXEMPT = ("docs/style.md",)  # shows the words
# Pattern -> what to write instead.
WORDS = {
    r"nobody": "no user, no program, not",
    r"somebody|someone": "a user, another program",
    r"whoever|whomever": "any user, the caller",
    r"g(?:o|oes|one) on with": "continue, resume",
    r"dear(?:er|est)?": "slow, expensive",
    r"hangs? on": "depends on",
    r"(?:is|are|was|were|be|been) told(?! apart|\.[A-Z])": "reported, shown, known",
    r"(?:is|are|was|were) due": "expected, right",
}
_ANY = re.compile("|".join(rf"(?P<w{n}>\b(?:{pattern})\b)" for n, pattern in enumerate(WORDS)), re.IGNORECASE)


def found(text: str) -> Iterator[tuple[int, str, str]]:
    """(line from 1, the words, what to write instead) of each place in a text."""
    for number, line in enumerate(text.splitlines(), 1):
        for match in _ANY.finditer(line):
            assert match.lastgroup is not None
            yield number, match.group(), list(WORDS.values())[int(match.lastgroup[1:])]


def main() -> int:
    """0 if nothing is found, else 1."""
    files = sorted({path for pattern in READ for path in ROOT.glob(pattern) if path.is_file()})
    status = 0
    for path in files:
        name = str(path.relative_to(ROOT))
        if any(fnmatchcase(name, pattern) for pattern in EXEMPT) or path.suffix in (".pyc", ".woff2"):
            continue
        for line, words, instead in found(path.read_text(encoding="utf-8")):
            print(f"{name}:{line}: '{words}': write {instead} (docs/style.md)")
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
