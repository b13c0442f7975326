# SPDX-License-Identifier: Apache-2.0
"""Tables on a terminal: no line too long, no figure cut, no control character, colours where asked for only."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cipherstone.report.render.screen_table import (
    Layout,
    ScreenColumn,
    Styled,
    blocks,
    laid_out,
    table_lines,
    widths_of,
)

COLUMNS = (
    ScreenColumn("operation", words=True),
    ScreenColumn("openssl"),
    ScreenColumn("botan"),
    ScreenColumn("who", words=True),
)
ROWS = (
    ("aes-128-gcm/seal", "1.00", "12.5", "BearSSL"),
    ("sha-256/hash", "1.10", Styled("n/a", "red"), "nobody at all"),
)


def test_words_stand_left_and_figures_right() -> None:
    assert table_lines(COLUMNS, ROWS, 80) == [
        "operation        openssl botan who",
        "aes-128-gcm/seal    1.00  12.5 BearSSL",
        "sha-256/hash        1.10   n/a nobody at all",
    ]
    assert laid_out(COLUMNS, ROWS, Layout(80, indent=2, gap=3))[1] == "  aes-128-gcm/seal      1.00    12.5   BearSSL"


@pytest.mark.parametrize("width", range(32, 60))
def test_what_is_too_wide_is_cut_where_it_says_least(width: int) -> None:
    lines = table_lines(COLUMNS, ROWS, width)
    assert max(map(len, lines)) <= width and len(lines) == 3
    assert " 1.00  12.5 " in lines[1] and " 1.10   n/a " in lines[2], "figures are never cut"
    if width < 36:
        assert lines[1].startswith("aes-12…/seal"), "the end of a name tells it from others"


def test_colours_only_where_they_are_asked_for() -> None:
    assert "\x1b" not in "".join(table_lines(COLUMNS, ROWS, 80))
    coloured = table_lines(COLUMNS, ROWS, 80, colour=True)
    assert "\x1b[31mn/a" in coloured[2].replace("\x1b[31m  n/a", "\x1b[31mn/a")
    assert [re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip() for line in coloured] == table_lines(COLUMNS, ROWS, 80)


def test_a_table_without_heads_has_no_line_for_them() -> None:
    assert table_lines((ScreenColumn(words=True), ScreenColumn()), [("a", "1")], 20) == ["a 1"]


@example(text="\u2028", markup="[red]x[/red]")  # ends a line, and is no control character
@given(text=st.text(), markup=st.sampled_from(["[red]x[/red]", ":smile:", "[/]", "\x1b[31m"]))
def test_what_a_library_says_is_never_taken_for_layout(text: str, markup: str) -> None:
    lines = table_lines((ScreenColumn("a", words=True), ScreenColumn("b")), [(text + markup, "1")], 60)
    assert len(lines) == 2 and not re.search(r"[\x00-\x1f\x7f-\x9f]", "".join(lines))
    assert lines[1].endswith(" 1")
    if not text:
        assert lines[1].startswith(markup.replace("\x1b", " "))


def test_columns_that_do_not_fit_come_in_blocks() -> None:
    columns = (ScreenColumn("operation", words=True), *(ScreenColumn(f"library{n}") for n in range(6)))
    rows = [("aes-128-gcm/seal", *(["1.00"] * 6))]
    widths = widths_of(columns, rows)
    found = blocks(widths, 50)
    assert [list(one) for one in found] == [[1, 2, 3, 4], [5, 6]]
    for one in found:
        chosen = [0, *one]
        lines = table_lines([columns[n] for n in chosen], [[rows[0][n] for n in chosen]], 50)
        assert max(map(len, lines)) <= 50
    assert blocks(widths, 500) == [range(1, 7)]
    assert blocks([12, 80, 80], 40) == [range(1, 2), range(2, 3)], "one in each, whatever there is room for"


@pytest.mark.parametrize("width", [40, 60, 200])
@pytest.mark.parametrize("gap", [1, 2])
def test_a_table_without_colours_has_the_lines_of_one_with_them(width: int, gap: int) -> None:
    columns = [
        ScreenColumn("operation", words=True),
        ScreenColumn("näme"),
        ScreenColumn(),
        ScreenColumn("what follows", words=True, least=3),
    ]
    rows = [
        ("chacha20-poly1305/seal", "1.25", Styled("yes", "bold green"), "日本 words that are cut at their end"),
        ("", "12", ".", ""),
    ]
    plain = laid_out(columns, rows, Layout(width, gap=gap, indent=2))
    coloured = laid_out(columns, rows, Layout(width, colour=True, gap=gap, indent=2))
    assert plain == [re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip() for line in coloured]
