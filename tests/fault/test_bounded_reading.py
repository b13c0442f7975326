# SPDX-License-Identifier: Apache-2.0
"""Bundles made to exhaust who reads them: nesting, a gigabyte that packs to a megabyte, a line without end, numbers out of range. One line, in bounded memory."""

from __future__ import annotations

import gzip
import json
import os
import resource
import shutil
import struct
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from scripts import HASH, CommandLine, cost, write_worker

sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))

import store_example as example

from cipherstone.model.errors import CipherstoneError
from cipherstone.store import Bundle, BundleWriter, find_bundle
from cipherstone.store.database import open_duckdb
from cipherstone.store.find import bundle_folders

NESTED = b"[" * 100_000 + b"]" * 100_000
MEMORY_BYTES = 300 << 20  # what reading may take beside what Python and its libraries have already


def bundle(root: Path, finish: bool = False) -> Path:
    with BundleWriter.create(root, example.manifest()) as writer:
        for record in example.records():
            writer.append(record)
        if finish:
            writer.finish({})
        return writer.path


@contextmanager
def little_memory() -> Iterator[None]:
    """Within, what asks for much more memory than there is now gets a MemoryError."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + MEMORY_BYTES, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def refused(reads: Callable[[], object], *parts: str) -> None:
    """One line with these words, within little memory."""
    with little_memory(), pytest.raises(CipherstoneError) as error:
        reads()
    assert "\n" not in error.value.message and len(error.value.message) < 600
    for part in parts:
        assert part in error.value.message, error.value.message
    assert error.value.hint


def test_nesting_in_one_folder_does_not_break_latest_for_all(tmp_path: Path) -> None:
    good = bundle(tmp_path)
    for number, content in enumerate((NESTED, b'{"created": ' + NESTED + b"}", b'{"x": ' + NESTED)):
        (tmp_path / f"deep{number}").mkdir()
        (tmp_path / f"deep{number}" / "manifest.json").write_bytes(content)
    assert find_bundle(tmp_path, "latest") == good
    assert find_bundle(tmp_path, "latest~3").name.startswith("deep")


def test_a_nested_manifest_is_told_in_one_line(tmp_path: Path) -> None:
    path = bundle(tmp_path)
    whole = (path / "manifest.json").read_bytes()
    for content in (NESTED, whole.replace(b"{", b'{"x": ' + NESTED + b", ", 1), whole[:-3] + NESTED):
        (path / "manifest.json").write_bytes(content)
        refused(lambda: Bundle.open(path), "manifest.json")


def test_a_nested_line_of_the_journal_is_told_in_one_line(tmp_path: Path) -> None:
    path = bundle(tmp_path)
    open_duckdb([path]).close()  # what its library takes when it is loaded is no reading
    with (path / "journal.jsonl").open("ab") as journal:
        journal.write(b'{"type":"noise","pass_index":' + NESTED + b"}\n")
    refused(lambda: list(Bundle.open(path).records()), "journal.jsonl: line ", "nested")
    refused(lambda: BundleWriter.resume(path), "journal.jsonl: line ", "nested")


@pytest.mark.parametrize("separator", [b"", b"\n"])
def test_a_gigabyte_of_zeros_packed_to_a_megabyte(tmp_path: Path, separator: bytes) -> None:
    path = bundle(tmp_path, finish=True)
    block, packer = b"\0" * ((1 << 20) - len(separator)) + separator, zlib.compressobj(9, wbits=31)
    with (path / "journal.jsonl.gz").open("wb") as packed:
        packed.write(packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH))
        # Behind a full flush nothing refers to what came before: the same megabyte packs to the same bytes each time, and is packed once.
        again = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
        packed.write(again * ((1 << 10) - 1))
        total = 0
        for _ in range(1 << 10):
            total = zlib.crc32(block, total)
        packed.write(b"\x03\x00" + struct.pack("<2I", total, 1 << 30))
    assert (path / "journal.jsonl.gz").stat().st_size < 2 << 20
    refused(lambda: list(Bundle.open(path, verify=False).records()), "journal.jsonl.gz: ")


def test_many_good_records_packed_to_nothing(tmp_path: Path) -> None:
    """Each is right, and all together are more than any run: only what unpacks to hundreds of times its size does that."""
    path = bundle(tmp_path, finish=True)
    line = msgspec.json.encode(example.records()[-1]) + b"\n"
    with gzip.open(path / "journal.jsonl.gz", "wb", compresslevel=9) as packed:
        for _ in range(200):
            packed.write(line * ((1 << 20) // len(line)))

    def count() -> int:
        return sum(1 for _ in Bundle.open(path, verify=False).records())

    refused(count, "journal.jsonl.gz: after line ", "unpacks to more than")


def test_a_line_without_end(tmp_path: Path) -> None:
    path = bundle(tmp_path)
    open_duckdb([path]).close()  # what its library takes when it is loaded is no reading
    with (path / "journal.jsonl").open("ab") as journal:
        journal.write(b'{"type":"noise","x":"')
        journal.truncate(journal.tell() + (2 << 30))  # sparse: two gigabytes that take no room
    refused(lambda: list(Bundle.open(path).records()), "journal.jsonl: line ", "longer than")
    with (path / "journal.jsonl").open("ab") as journal:
        journal.write(b"\n")
    refused(lambda: list(Bundle.open(path).records()), "journal.jsonl: line ", "longer than")
    refused(lambda: BundleWriter.resume(path), "journal.jsonl: line ", "longer than")
    refused(lambda: open_duckdb([path]), "journal.jsonl: line ", "longer than")


def test_a_journal_of_nothing_but_ends_of_lines(tmp_path: Path) -> None:
    """The first of them is told; the others are not looked at."""
    path = bundle(tmp_path)
    open_duckdb([path]).close()  # what its library takes when it is loaded is no reading
    number = len((path / "journal.jsonl").read_bytes().splitlines()) + 1
    with (path / "journal.jsonl").open("ab") as journal:
        journal.write(b"\n" * 1000)
    for reads in (
        lambda: list(Bundle.open(path).records()),
        lambda: BundleWriter.resume(path),
        lambda: open_duckdb([path]),
    ):
        refused(reads, f"journal.jsonl: line {number}: ")


def test_a_manifest_and_a_seal_without_end(tmp_path: Path) -> None:
    path = bundle(tmp_path, finish=True)
    os.truncate(path / "SHA256SUMS", 8 << 30)
    with little_memory():
        assert any("larger than" in problem for problem in Bundle.open(path, verify=False).verify())
    os.truncate(path / "manifest.json", 8 << 30)
    refused(lambda: Bundle.open(path), "manifest.json", "larger than")
    with little_memory():
        assert find_bundle(tmp_path, "latest") == path and bundle_folders(tmp_path) == [path]


NUMBERS = ["1e400", "-1e400", "1" + "0" * 5000, str(1 << 63), str(-(1 << 63) - 1), "1e18.5", "NaN", "Infinity"]
FIELDS = {"ns": '"ns":[', "calls": '"calls":', "index": '"index":', "wall_s": '"wall_s":', "tput": '"tput_ns":['}


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("number", NUMBERS, ids=lambda text: text[:8])
def test_numbers_out_of_range_are_told_in_one_line(tmp_path: Path, field: str, number: str) -> None:
    if field in ("wall_s", "tput") and number.lstrip("-").isdecimal():
        pytest.skip("in the range of a fraction")
    path = bundle(tmp_path)
    journal = path / "journal.jsonl"
    lines = journal.read_text().split("\n")[:-1]
    place = next(k for k, line in enumerate(lines) if '"type":"pass"' in line)
    begin = lines[place].index(FIELDS[field]) + len(FIELDS[field])
    end = min(found for found in (lines[place].find(c, begin) for c in ",]}") if found >= 0)
    lines[place] = lines[place][:begin] + number + lines[place][end:]
    journal.write_text("".join(line + "\n" for line in lines))
    refused(lambda: list(Bundle.open(path).records()), f"journal.jsonl: line {place + 1}: ")


@pytest.fixture(scope="module")
def sealed(new_cli: Callable[..., CommandLine], tmp_path_factory: pytest.TempPathFactory) -> tuple[CommandLine, Path]:
    cli, folder = new_cli("bounded"), tmp_path_factory.mktemp("workers")
    worker = write_worker(folder, "alpha", {HASH: cost(1000)})
    assert cli.measure("--base", "alpha", "--op", HASH, "--worker", worker).code == 0
    (path,) = [path for path in cli.runs.iterdir() if path.is_dir()]
    return cli, path


@pytest.mark.parametrize("number", [1e308, -1e308, 5e-324, 0.0, 1 << 62, -(1 << 62), 1 << 53])
@pytest.mark.parametrize("field", ["wall_s", "timed_s", "start_s", "harness_ns", "chain_ns", "calls", "nivcsw", "cpus"])
def test_the_largest_numbers_in_range_break_no_report(
    sealed: tuple[CommandLine, Path], tmp_path: Path, field: str, number: float
) -> None:
    cli, path = sealed
    copy = Path(shutil.copytree(path, tmp_path / path.name))
    file = copy / "journal.jsonl.gz"
    rows = [json.loads(line) for line in gzip.decompress(file.read_bytes()).splitlines()]
    whole = field in ("calls", "nivcsw", "cpus")
    value = int(number) if whole and abs(number) < 1e300 else number
    if whole and not isinstance(value, int):
        pytest.skip("a fraction for a whole number is refused")
    for row in rows:
        for place in (row, *row.get("lanes", ())):
            if field in place or (field in ("nivcsw",) and place is not row):
                place[field] = [value] * len(place[field]) if isinstance(place.get(field), list) else value
    file.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))
    for words in (("show",), ("report", "-o", tmp_path / "page.html"), ("export",), ("export", "--as", "json")):
        done = cli.inside(*words, copy, "--no-verify").no_trace()
        assert done.code in (0, 1) and len(done.err.splitlines()) <= 3, done.err
        assert done.code == 0 or "error:" in done.err


def test_the_memory_limit_of_these_tests_holds() -> None:
    with little_memory(), pytest.raises(MemoryError):
        bytearray(2 * MEMORY_BYTES)
    assert sys.maxsize > MEMORY_BYTES
