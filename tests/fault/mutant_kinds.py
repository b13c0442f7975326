# SPDX-License-Identifier: Apache-2.0
"""Ways in which a stored run is damaged or edited (bundle_mutants.py): each changes the copy at `path`, and says what it did."""

from __future__ import annotations

import gzip
import json
import math
import os
import random
import shutil
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from cipherstone.store.seal import file_digest, format_sums

EXTREMES: list[object] = [
    *(1e308, -1e308, 1e18, 1e-308, -1, 0, 1, 1 << 62, 1 << 63, 1 << 64, 10**400, -(1 << 63), float("nan"), math.inf),
    *("", "x", "x" * 200_000, "\0", "\x1b[31m", "../../etc", "a/b/c/d", "ä\ud7ff", True, None, [], {}, [None]),
]
PACKED = ("journal.jsonl.gz", "summary.json.gz")


def flip(rng: random.Random, path: Path) -> str:
    file = rng.choice(files(path))
    content = bytearray(file.read_bytes())
    place = rng.randrange(len(content))
    content[place] ^= 1 << rng.randrange(8)
    file.write_bytes(content)
    return f"{file.name}: a bit of byte {place}"


def truncate(rng: random.Random, path: Path) -> str:
    file = rng.choice(files(path))
    content = file.read_bytes()
    kept = rng.choice((0, len(content) - 1, rng.randrange(len(content))))
    file.write_bytes(content[:kept])
    return f"{file.name}: {kept} bytes of {len(content)}"


def lengthen(rng: random.Random, path: Path) -> str:
    file = rng.choice(files(path))
    more = rng.choice((b"\0", b"\n", b"{}", file.read_bytes()))
    file.write_bytes(file.read_bytes() + more)
    return f"{file.name}: {len(more)} bytes more"


def swap(rng: random.Random, path: Path) -> str:
    one, other = rng.sample(files(path), 2)
    one.rename(path / "between")
    other.rename(one)
    (path / "between").rename(other)
    return f"{one.name} and {other.name} exchanged"


def delete(rng: random.Random, path: Path) -> str:
    file = rng.choice(files(path))
    file.unlink()
    return f"{file.name} deleted"


def overwrite(rng: random.Random, path: Path) -> str:
    one, other = rng.sample(files(path), 2)
    shutil.copy(one, other)
    return f"{one.name} written over {other.name}"


def link(rng: random.Random, path: Path) -> str:
    """To the same content elsewhere, to a file of the reader's, to itself, or to nothing."""
    file = rng.choice(files(path))
    elsewhere = path.parent / "elsewhere"
    file.rename(elsewhere)
    target = rng.choice((elsewhere, Path("/etc/passwd"), file, path / "nothing", Path("/dev/zero")))
    file.symlink_to(target)
    return f"{file.name}: a link to {target.name}"


def pipe(rng: random.Random, path: Path) -> str:
    file = rng.choice(files(path))
    file.unlink()
    rng.choice((os.mkfifo, os.mkdir))(file)
    return f"{file.name}: no file"


def edit(rng: random.Random, path: Path) -> str:
    """One value of the manifest, the journal or the summary, neither summed nor sealed anew."""
    return _edited(rng, path, summed=False)


def edit_sealed(rng: random.Random, path: Path) -> str:
    what = _edited(rng, path, summed=True)
    seal(path)
    return what


def edit_summary_sealed(rng: random.Random, path: Path) -> str:
    """Of the summary alone, which is shown as it stands."""
    what = _edited(rng, path, summed=True, name="summary.json.gz")
    seal(path)
    return what


def bytes_sealed(rng: random.Random, path: Path) -> str:
    """A bit of what is packed or of the manifest, sealed anew: what no seal finds."""
    file = path / rng.choice(("manifest.json", *PACKED))
    content = bytearray(unpacked(file))
    place = rng.randrange(len(content))
    content[place] ^= 1 << rng.randrange(8)
    pack(file, bytes(content))
    seal(path)
    return f"{file.name}: a bit of byte {place} of what it holds"


def lines_edited(rng: random.Random, path: Path) -> str:
    return _edited(rng, path, summed=False, name="journal.jsonl")


def lines_edited_summed(rng: random.Random, path: Path) -> str:
    return _edited(rng, path, summed=True, name="journal.jsonl")


def lines_missing(rng: random.Random, path: Path) -> str:
    return _lines(path, lambda rows: rows.pop(rng.randrange(len(rows) - 1)) and "a line missing")


def lines_reordered(rng: random.Random, path: Path) -> str:
    def change(rows: list[bytes]) -> str:
        a, b = rng.sample(range(len(rows)), 2)
        rows[a], rows[b] = rows[b], rows[a]
        return f"lines {a} and {b} exchanged"

    return _lines(path, change)


def lines_repeated(rng: random.Random, path: Path) -> str:
    def change(rows: list[bytes]) -> str:
        a = rng.randrange(len(rows))
        rows.insert(a, rows[a])
        return f"line {a} twice"

    return _lines(path, change)


def lines_cut(rng: random.Random, path: Path) -> str:
    """The end missing, within a line or between two: as a run that was killed earlier."""
    file = path / "journal.jsonl"
    content = file.read_bytes()
    kept = rng.randrange(len(content))
    if rng.random() < 0.5:
        kept = content.rfind(b"\n", 0, kept) + 1
    file.write_bytes(content[:kept])
    return f"journal.jsonl: {kept} bytes of {len(content)}"


def line_torn(rng: random.Random, path: Path) -> str:
    """Something after the last whole line, without an end."""
    file = path / "journal.jsonl"
    more = bytes(rng.choices(b'0123456789-.eE"{}[],:\x00\xff', k=rng.randrange(1, 5000)))
    file.write_bytes(file.read_bytes() + more)
    return f"journal.jsonl: {len(more)} bytes of a line more"


def manifest_edited(rng: random.Random, path: Path) -> str:
    return _edited(rng, path, summed=True, name="manifest.json")


# name -> (what it does, to which run, how its output may differ)
KINDS: dict[str, tuple[Callable[[random.Random, Path], str], str, str]] = {
    "bit flipped": (flip, "finished", "not"),
    "cut": (truncate, "finished", "not"),
    "longer": (lengthen, "finished", "not"),
    "exchanged": (swap, "finished", "not"),
    "deleted": (delete, "finished", "not"),
    "overwritten": (overwrite, "finished", "not"),
    "a link": (link, "finished", "not"),
    "no file": (pipe, "finished", "not"),
    "edited": (edit, "finished", "not"),
    "edited and sealed": (edit_sealed, "finished", "figures"),
    "summary edited and sealed": (edit_summary_sealed, "finished", "figures"),
    "bit flipped and sealed": (bytes_sealed, "finished", "figures"),
    "line edited": (lines_edited, "unfinished", "not"),
    "line missing": (lines_missing, "unfinished", "not"),
    "lines exchanged": (lines_reordered, "unfinished", "not"),
    "line repeated": (lines_repeated, "unfinished", "not"),
    "journal cut": (lines_cut, "unfinished", "shorter"),
    "line torn": (line_torn, "unfinished", "shorter"),
    "line edited and summed": (lines_edited_summed, "unfinished", "figures"),
    "manifest of unfinished": (manifest_edited, "unfinished", "figures"),
}


def files(path: Path) -> list[Path]:
    return sorted(file for file in path.iterdir() if file.is_file())


def unpacked(file: Path) -> bytes:
    return gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()


def pack(file: Path, content: bytes) -> None:
    file.write_bytes(gzip.compress(content, 1) if file.suffix == ".gz" else content)


def seal(path: Path) -> None:
    """What the folder holds, sealed anew."""
    names = [file.name for file in files(path) if file.name != "SHA256SUMS"]
    (path / "SHA256SUMS").write_bytes(format_sums({name: file_digest(path / name) for name in names}))


def _lines(path: Path, change: Callable[[list[bytes]], str]) -> str:
    file = path / "journal.jsonl"
    rows = file.read_bytes().splitlines(keepends=True)
    what = change(rows)
    file.write_bytes(b"".join(rows))
    return f"journal.jsonl: {what}"


def leaves(value: Any, path: str = "") -> Iterator[tuple[Any, Any, str]]:
    """(what holds it, key, its path) of every value that holds no other."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in pairs:
        name = f"{path}[{key}]" if isinstance(key, int) else f"{path}.{key}"
        if isinstance(inner, dict | list) and inner:
            yield from leaves(inner, name)
        else:
            yield value, key, name


def _edited(rng: random.Random, path: Path, summed: bool, name: str = "") -> str:
    """One value is another, of the file `name` or of any of those with values; the line of a journal has its checksum anew if `summed`."""
    file = path / (name or rng.choice([file.name for file in files(path) if file.name in ("manifest.json", *PACKED)]))
    content = unpacked(file)
    lined = "journal" in file.name
    rows = content.splitlines() if lined else [content]
    number = rng.randrange(len(rows))
    row = json.loads(rows[number])
    old_sum = row.pop("crc", None)
    holder, key, where = rng.choice(list(leaves(row)))
    before = holder[key]
    value = rng.choice([one for one in EXTREMES if one != before or type(one) is not type(before)])
    holder[key] = value
    body = json.dumps(row, separators=(",", ":"), ensure_ascii=True).encode()
    if old_sum is not None:
        body = body[:-1] + b',"crc":"' + (checksum(body[:-1], number + 1) if summed else old_sum.encode()) + b'"}'
    rows[number] = body
    pack(file, b"\n".join(rows) + b"\n" if lined else body)
    return f"{file.name}{f' line {number + 1}' if lined else ''}{where}: {str(before)[:30]} -> {str(value)[:30]!r}"


def checksum(body: bytes, number: int) -> bytes:
    return b"%08x" % zlib.crc32(b"%d" % number, zlib.crc32(body))
