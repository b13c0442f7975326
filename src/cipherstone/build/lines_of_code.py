# SPDX-License-Identifier: Apache-2.0
"""Lines of code of a library's source: neither blank nor comment alone, by language, without what tests, shows or documents it.

Of a counter only this is needed, and for four languages: those to be had are another program to install (cloc, tokei), or bring lexers of hundreds of languages (pygount). Tests hold it against the
lexers of Pygments, line by line.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

LANGUAGES = {
    ".c": "C", ".h": "C", ".inc": "C",
    ".cc": "C++", ".cpp": "C++", ".cxx": "C++", ".hh": "C++", ".hpp": "C++",
    ".s": "assembly", ".asm": "assembly",
    ".pl": "assembly in Perl",
}  # fmt: skip
# Folders that hold no code of the library itself.
_ASIDE = re.compile(
    r"\.|(?:test|fuzz|bench|wycheproof)|(?:docs?|documentation|examples?|demos?|apps|programs|tools?|tune|cmake|contrib|third_party)\Z"
)
_MAKES_ASSEMBLY = ("asm", "perlasm")  # Perl elsewhere serves the build
_C_WORDS = re.compile(r'/\*.*?\*/|//(?:\\\n|[^\n])*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
_POD = re.compile(r"^=[a-z].*?(?:^=cut\b[^\n]*|\Z)", re.MULTILINE | re.DOTALL)
_PREPROCESSOR = r"(?!\s*(?:include|define|undef|if|ifdef|ifndef|elif|else|endif|error|warning|pragma|line)\b)"
_COMMENT_LINE = {
    "assembly": re.compile(rf"\s*(?:#{_PREPROCESSOR}|//|;|@|dnl\b|C(?:\s|$))"),
    "assembly in Perl": re.compile(r"\s*#"),
}


def lines_of_code(tree: Path) -> dict[str, int]:
    """Language -> lines, in the order of `LANGUAGES`; of all processors and systems that the tree has code for."""
    found = dict.fromkeys(LANGUAGES.values(), 0)
    for path, language in _files(tree):
        found[language] += code_lines(path.read_text(encoding="utf-8", errors="replace"), language)
    return {language: count for language, count in found.items() if count}


def _files(tree: Path) -> Iterator[tuple[Path, str]]:
    for place, folders, names in os.walk(tree):
        folders[:] = sorted(name for name in folders if not _ASIDE.match(name.lower()))
        folder = Path(place)
        for name in sorted(names):
            path = folder / name
            language = LANGUAGES.get(path.suffix.lower())
            aside = name.lower().startswith(("test", "bench")) or path.stem.lower().endswith(("_test", "_tests"))
            if language is None or aside or path.is_symlink() or not path.is_file():
                continue
            if language != "assembly in Perl" or folder.name in _MAKES_ASSEMBLY:
                yield path, language


def code_lines(text: str, language: str) -> int:
    """Lines of `text` that are neither blank nor comment alone."""
    clean: Callable[[str], str] = {"assembly in Perl": lambda it: _POD.sub("", it)}.get(language, _without_comments)
    comment = _COMMENT_LINE.get(language)
    return sum(
        bool(line.strip()) and not (comment is not None and comment.match(line)) for line in clean(text).splitlines()
    )


def _without_comments(text: str) -> str:
    """Comments of C gone, their line ends and all that is between quotes kept."""
    return _C_WORDS.sub(lambda found: found[0] if found[0][0] in "\"'" else "\n" * found[0].count("\n"), text)
