# SPDX-License-Identifier: Apache-2.0
"""Lines of code: by hand where it is subtle, against the lexers of Pygments on whole files, and what of a tree is counted at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from pygments.lexers import CLexer, CppLexer
from pygments.token import Comment, Text
from scripts import ROOT

from cipherstone.build.lines_of_code import code_lines, lines_of_code
from cipherstone.report.words.library import lines_short, lines_text


@pytest.mark.parametrize(
    ("language", "text", "lines"),
    [
        ("C", "", 0),
        ("C", "\n  \n\t\n", 0),
        ("C", "int a; /* and\n more */ int b;\n", 2),
        ("C", "/* one\n two\n*/\nint a;\n", 1),
        ("C", 'char *a = "/* not";\nchar *b = "a comment */";\n', 2),
        ("C", "char q = '\"'; // \" \nint a;\n", 2),
        ("C", "// goes on \\\nint not_code;\nint code;\n", 1),
        ("C", "#define A 1 // why\n", 1),
        ("C++", "// a\n\nint a;\n", 1),
        ("assembly", "# a comment\n#ifdef X\n\tmovl $1, %eax # why\n// no\n#endif\n", 3),
        ("assembly", "; no\n\tmov rax, 1 ; yes\n", 1),
        ("assembly", "C The key\ndnl no\ndefine(`KEY', `%rdi')\n", 1),
        ("assembly", "@ arm\n\tadd r0, r0, #1\n/* a\n b */\n", 1),
        ("assembly in Perl", "# no\n$a = 1; # yes\n=pod\n\ntext\n\n=cut\nprint $a;\n", 2),
    ],
)
def test_by_hand(language: str, text: str, lines: int) -> None:
    assert code_lines(text, language) == lines


@pytest.mark.parametrize("path", [p for pattern in ("libraries/*/*.c", "libraries/*/*.cpp", "sdk/c/src/*.[ch]") for p in sorted(ROOT.glob(pattern))], ids=lambda p: "/".join(p.parts[-2:]))  # fmt: skip
def test_against_another_counter(path: Path) -> None:
    """Every line with a token that is neither comment nor blank."""
    lexer = CppLexer(stripnl=False) if path.suffix == ".cpp" else CLexer(stripnl=False)
    text, line, found = path.read_text(), 1, set()
    for kind, value in lexer.get_tokens(text):
        for number, part in enumerate(value.split("\n")):
            comment = kind in Comment and kind not in (Comment.Preproc, Comment.PreprocFile)
            if part.strip() and not comment and kind not in Text:
                found.add(line + number)
        line += value.count("\n")
    assert code_lines(text, "C++" if path.suffix == ".cpp" else "C") == len(found)


def test_what_of_a_tree_is_counted(tmp_path: Path) -> None:
    for name in (
        "src/a.c", "src/a.h", "src/utils/b.cpp", "crypto/asm/c.pl", "crypto/c.S", "include/x/d.hpp",
        # and what is not the library
        "tests/t.c", "src/testing/t.c", "src/a_test.cc", "test.c", "fuzz/f.c", "docs/d.c", "apps/m.c", ".git/x.c",
        "util/u.pl", "crypto/c.py", "README.md",
    ):  # fmt: skip
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("int a;\n")
    (tmp_path / "src" / "link.c").symlink_to(tmp_path / "src" / "a.c")
    (tmp_path / "src" / "latin.c").write_bytes(b"/* \xe9 */\nint a;\n")
    assert lines_of_code(tmp_path) == {"C": 3, "C++": 2, "assembly": 1, "assembly in Perl": 1}


def test_how_it_is_told() -> None:
    assert lines_text({}) == "not counted" and lines_short({}) == "-"
    assert lines_text({"C": 112_345, "assembly": 987}) == "113 000 (C 112 000, assembly 987)"
    assert [lines_short({"C": n}) for n in (2417, 9499, 9500, 861_234)] == ["2.4 k", "9.5 k", "10 k", "861 k"]
