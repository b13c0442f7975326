# SPDX-License-Identifier: Apache-2.0
"""Bundles that were cut off, edited or written by another version: one clear line, and nothing that was complete is lost."""

from __future__ import annotations

import contextlib
import gzip
import json
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import store_example as example
from hypothesis import given
from hypothesis import strategies as st

from cipherstone.model.errors import StoreError
from cipherstone.model.records import NoiseRecord
from cipherstone.store import Bundle, BundleWriter, journal
from cipherstone.store.lines import encode_line

RECORDS = example.records(passes=2)
LINES = [encode_line(record, number) for number, record in enumerate(RECORDS, start=1)]
WHOLE = b"".join(LINES)
EXTRA = NoiseRecord(99, 1.0, 2.0)


@contextlib.contextmanager
def bundle(journal: bytes = WHOLE, finish: bool = False) -> Iterator[Path]:
    """An unfinished bundle whose journal holds exactly these bytes, or a finished one."""
    with tempfile.TemporaryDirectory() as root:
        with BundleWriter.create(Path(root), example.manifest()) as writer:
            (writer.path / "journal.jsonl").write_bytes(journal)
        if finish:
            with BundleWriter.resume(writer.path) as again:
                again.finish({})
        yield writer.path


def one_line(error: pytest.ExceptionInfo[StoreError]) -> str:
    assert "\n" not in error.value.message
    return error.value.message


@given(st.integers(0, len(WHOLE)))
def test_a_cut_anywhere_loses_only_the_line_it_is_in(cut: int) -> None:
    complete = WHOLE[:cut].count(b"\n")
    inside = cut - len(b"".join(LINES[:complete]))
    with bundle(WHOLE[:cut]) as path:
        reader = Bundle.open(path)
        assert list(reader.records()) == RECORDS[:complete]
        assert any(f"({inside} bytes)" in warning for warning in reader.warnings) == bool(inside)
        with BundleWriter.resume(path) as writer:
            assert len(writer.warnings) == bool(inside)
            assert all(f"{complete} records are kept" in warning for warning in writer.warnings)
            writer.append(EXTRA)
        assert list(Bundle.open(path).records()) == [*RECORDS[:complete], EXTRA]
        assert (path / "journal.jsonl").read_bytes() == b"".join([*LINES[:complete], encode_line(EXTRA, complete + 1)])


def test_a_long_unfinished_tail_is_measured_from_its_newline() -> None:
    tail = b"x" * 200_000
    with bundle(LINES[0] + tail) as path, BundleWriter.resume(path) as writer:
        assert "(200000 bytes)" in writer.warnings[0]
    with bundle(tail) as path:
        assert "(200000 bytes)" in Bundle.open(path).warnings[1]


@given(st.integers(0, len(LINES) - 1), st.sampled_from([b"\n", b"{}\n", b"\xff\xfe\n", b'{"type":"pass"}\n', b"[1\n"]))
def test_a_damaged_line_is_named_and_can_be_left_out(place: int, damage: bytes) -> None:
    with bundle(b"".join([*LINES[:place], damage, *LINES[place + 1 :]])) as path:
        reader = Bundle.open(path)
        with pytest.raises(StoreError) as error:
            list(reader.records())
        assert f"journal.jsonl: line {place + 1}: " in one_line(error)
        assert list(reader.records(tolerant=True)) == [*RECORDS[:place], *RECORDS[place + 1 :]]
        assert reader.skipped == 1
        assert sum("left out: " in warning for warning in reader.warnings) == 1
        list(reader.records(tolerant=True))
        assert reader.skipped == 1
        assert sum("left out: " in warning for warning in reader.warnings) == 1  # said once, however often it is read
        with pytest.raises(StoreError, match=f"line {place + 1}: "):
            BundleWriter.resume(path)


def test_the_records_before_a_damaged_line_are_still_given() -> None:
    with bundle(b"".join([*LINES[:3], b"{\n", *LINES[3:]])) as path:
        seen = []
        with pytest.raises(StoreError):
            for record in Bundle.open(path).records():
                seen.append(record)
        assert seen == RECORDS[:3]


def test_a_cut_or_damaged_packed_journal() -> None:
    with bundle(finish=True) as path:
        packed = path / "journal.jsonl.gz"
        content = packed.read_bytes()
        packed.write_bytes(content[: len(content) // 2])
        reader = Bundle.open(path, verify=False)
        with pytest.raises(StoreError) as error:
            list(reader.records())
        assert "journal.jsonl.gz: after line " in one_line(error)
        kept = list(reader.records(tolerant=True))
        assert kept == RECORDS[: len(kept)]
        assert reader.skipped == 1
        assert reader.verify() == ["journal.jsonl.gz: changed since the run was sealed"]
        packed.write_bytes(WHOLE)
        with pytest.raises(StoreError, match="gzip"):
            list(reader.records())
        packed.unlink()
        with pytest.raises(StoreError, match="is missing"):
            Bundle.open(path)
        assert Bundle(path, reader.manifest).verify() == ["journal.jsonl.gz: missing"]


def test_a_file_edited_by_hand_is_named() -> None:
    with bundle(finish=True) as path:
        records = gzip.decompress((path / "journal.jsonl.gz").read_bytes())
        (path / "journal.jsonl.gz").write_bytes(gzip.compress(records.replace(b'"calls":', b'"calls": ', 1)))
        (path / "cells.parquet").unlink()
        manifest = path / "manifest.json"
        manifest.write_text(manifest.read_text().replace("Example CPU", "Better CPU"))
        (path / "report.html").write_text("not part of the seal")
        assert Bundle.open(path, verify=False).verify() == [
            "cells.parquet: missing",
            "journal.jsonl.gz: changed since the run was sealed",
            "manifest.json: changed since the run was sealed",
        ]


def test_a_seal_that_is_damaged_or_gone() -> None:
    with bundle(finish=True) as path:
        sums = path / "SHA256SUMS"
        sums.write_text(sums.read_text() + f"{'0' * 64}  ../../secret\n")
        (problem,) = Bundle.open(path, verify=False).verify()
        assert problem.startswith("SHA256SUMS: line ") and "secret" not in problem
        sums.unlink()
        assert Bundle.open(path, verify=False).verify() == ["SHA256SUMS: No such file or directory"]
    with bundle() as path:
        assert Bundle.open(path, verify=False).verify() == [
            "SHA256SUMS: the run is not finished (status running), so it has no seal"
        ]


@pytest.mark.parametrize(("table", "due"), [("cells", True), ("passes", True), ("facts", False), ("processes", False)])
def test_a_seal_names_what_every_bundle_has(table: str, due: bool) -> None:
    """Taken out of it, a table could be exchanged; bundles of before there were facts are whole without them."""
    with bundle(finish=True) as path:
        sums = path / "SHA256SUMS"
        lines = sums.read_text().splitlines(keepends=True)
        left = [line for line in lines if not line.endswith(f"  {table}.parquet\n")]
        assert len(left) == len(lines) - 1 and Bundle.open(path).verify() == []
        sums.write_text("".join(left))
        said = [f"SHA256SUMS: does not name {table}.parquet"] if due else []
        assert Bundle.open(path, verify=False).verify() == said


@pytest.mark.parametrize("field", ["format", "run_id", "settings", "machine", "plan", "status"])
def test_a_manifest_without_a_field(field: str) -> None:
    with bundle() as path:
        manifest = json.loads((path / "manifest.json").read_text())
        del manifest[field]
        (path / "manifest.json").write_text(json.dumps(manifest))
        with pytest.raises(StoreError) as error:
            Bundle.open(path)
        assert "manifest.json" in one_line(error) and f"`{field}`" in one_line(error)


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda text: text[: len(text) // 2], "truncated"),
        (lambda text: "", "truncated"),
        (lambda text: "not json", "malformed"),
        (lambda text: text.replace('"format": 2', '"format": 3'), "format 3, this cipherstone reads format 2"),
        (lambda text: text.replace('"format": 2', '"format": 0'), "format 0, this cipherstone reads format 2"),
        (lambda text: text.replace('"format": 2', '"format": "two"'), "$.format"),
        (lambda text: text.replace('"running"', '"done"'), "'done' is not a valid RunStatus"),
        (lambda text: text.replace('"logical_cpus": 2', '"logical_cpus": "two"'), "$.machine.logical_cpus"),
    ],
)
def test_a_manifest_that_cannot_be_read(edit: object, said: str) -> None:
    with bundle() as path:
        manifest = path / "manifest.json"
        manifest.write_text(edit(manifest.read_text()))  # type: ignore[operator]
        for reads in (Bundle.open, BundleWriter.resume):
            with pytest.raises(StoreError) as error:
                reads(path)
            assert said in one_line(error) and str(manifest) in one_line(error)
            assert error.value.hint


def test_a_newer_format_says_what_to_do() -> None:
    with bundle() as path:
        manifest = path / "manifest.json"
        manifest.write_text('{"format": 7, "everything": "else is new"}')
        with pytest.raises(StoreError) as error:
            Bundle.open(path)
        assert "newer cipherstone" in error.value.hint and "upgrade" in error.value.hint


def test_a_run_of_the_first_format_says_that_this_version_cannot_read_it() -> None:
    """Its passes were judged as a whole, with one probe a round: nothing here could judge its batches."""
    with bundle(finish=True) as path:
        manifest = path / "manifest.json"
        manifest.write_text(manifest.read_text().replace('"format": 2', '"format": 1'))
        with pytest.raises(StoreError) as error:
            Bundle.open(path)
        assert "format 1, this cipherstone reads format 2" in one_line(error)
        assert "another cipherstone" in error.value.hint and "that version" in error.value.hint


def test_places_that_hold_no_bundle(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for place in (tmp_path, tmp_path / "missing", tmp_path / "file"):
        with pytest.raises(StoreError, match=r"no manifest\.json here"):
            Bundle.open(place)
    with bundle() as path:
        (path / "journal.jsonl").unlink()
        for reads in (Bundle.open, BundleWriter.resume):
            with pytest.raises(StoreError, match=r"journal\.jsonl is missing"):
                reads(path)


def test_a_finished_run_cannot_go_on() -> None:
    with bundle(finish=True) as path, pytest.raises(StoreError, match="finished and sealed"):
        BundleWriter.resume(path)


def test_what_an_unfinished_seal_left_is_not_used() -> None:
    with bundle() as unfinished, bundle(finish=True) as finished:
        for name in ("cells.parquet", "SHA256SUMS", "journal.jsonl.gz"):
            shutil.copy(finished / name, unfinished / name)
        (unfinished / "passes.parquet.tmp").write_bytes(b"half")
        (unfinished / "spill.tmp").mkdir()
        (unfinished / "spill.tmp" / "block").write_bytes(b"half")
        assert list(Bundle.open(unfinished).records()) == RECORDS
        with BundleWriter.resume(unfinished):
            assert sorted(p.name for p in unfinished.iterdir()) == ["journal.jsonl", "manifest.json"]
    with bundle(finish=True) as path:
        (path / "journal.jsonl").write_bytes(b"left by a kill after the commit")
        assert list(Bundle.open(path).records()) == RECORDS
        assert Bundle.open(path).verify() == []


@pytest.mark.parametrize(("lines", "taken"), [(10, True), (11, False), (400, False)])
def test_a_packed_journal_unpacks_to_so_much_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lines: int, taken: bool
) -> None:
    monkeypatch.setattr(journal, "_MAY_ALWAYS_UNPACK_BYTES", 1000)
    monkeypatch.setattr(journal, "_MAX_EXPANSION", 2)
    path = tmp_path / "journal.jsonl.gz"
    path.write_bytes(gzip.compress((b"x" * 99 + b"\n") * lines))
    assert path.stat().st_size < 500
    if taken:
        assert list(journal.completed_lines(path)) == [b"x" * 99] * lines
    else:
        with pytest.raises(StoreError, match="after line 11: unpacks to more than"):
            list(journal.completed_lines(path))
    plain = tmp_path / "journal.jsonl"
    plain.write_bytes((b"x" * 99 + b"\n") * lines)
    assert len(list(journal.completed_lines(plain))) == lines
