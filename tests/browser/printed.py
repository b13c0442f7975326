# SPDX-License-Identifier: Apache-2.0
"""Reads the text of PDF files that Chromium writes, page by page, as far as tests need it: compressed content streams, fonts with two bytes a glyph and a table of characters."""

from __future__ import annotations

import re
import zlib

_OBJECT = re.compile(rb"(\d+) 0 obj\n(.*?)\nendobj", re.S)
_STREAM = re.compile(rb"stream\r?\n(.*)\r?\nendstream", re.S)
_SHOWN = re.compile(rb"/(F\d+) [\d.]+ Tf|<([0-9A-Fa-f]+)>|(\bTd\b|\bTm\b|\bET\b)")
_RANGES = re.compile(rb"begin(bfchar|bfrange)\n(.*?)end", re.S)


def page_texts(pdf: bytes) -> list[str]:
    """Text of each page, in the order in which it was painted, without spaces; empty for a page without text."""
    objects = {int(m[1]): m[2] for m in _OBJECT.finditer(pdf)}
    found = []
    for body in objects.values():
        if b"/Type /Page\n" not in body:
            continue
        fonts = {m[1]: _characters(objects, int(m[2])) for m in re.finditer(rb"/(F\d+) (\d+) 0 R", body)}
        content = re.search(rb"/Contents (\d+) 0 R", body)
        assert content is not None
        found.append(_shown(_unpacked(objects[int(content[1])]), fonts))
    return found


def _unpacked(body: bytes) -> bytes:
    stream = _STREAM.search(body)
    assert stream is not None
    return zlib.decompress(stream[1]) if b"/FlateDecode" in body else stream[1]


def _characters(objects: dict[int, bytes], font: int) -> dict[int, str]:
    """Glyph -> its text, of a font."""
    table = re.search(rb"/ToUnicode (\d+) 0 R", objects[font])
    if table is None:
        return {}
    out: dict[int, str] = {}
    for kind, lines in _RANGES.findall(_unpacked(objects[int(table[1])])):
        for line in lines.strip().splitlines():
            codes = [bytes.fromhex(code.decode()) for code in re.findall(rb"<([0-9A-Fa-f]+)>", line)]
            first, last = int.from_bytes(codes[0]), int.from_bytes(codes[0] if kind == b"bfchar" else codes[1])
            text = codes[-1].decode("utf-16-be")
            for glyph in range(first, last + 1):
                out[glyph] = text[:-1] + chr(ord(text[-1]) + glyph - first)
    return out


def _shown(content: bytes, fonts: dict[bytes, dict[int, str]]) -> str:
    parts, font = [], {}
    for name, glyphs, _ in _SHOWN.findall(content):
        if name:
            font = fonts.get(name, {})
        else:
            parts += [font.get(int(glyphs[i : i + 4], 16), "") for i in range(0, len(glyphs), 4)]
    return "".join(parts).replace(" ", "").replace("\u00a0", "")
