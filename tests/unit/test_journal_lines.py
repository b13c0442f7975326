# SPDX-License-Identifier: Apache-2.0
"""Each line of a journal is known to be what was written, where it was written."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path

import pytest

from cipherstone.model.errors import StoreError
from cipherstone.model.outcomes import CaseEnd, Outcome
from cipherstone.model.records import CaseEndRecord, NoiseRecord, OutcomeRecord, Record
from cipherstone.store.journal import JournalFile, read_records
from cipherstone.store.lines import encode_line

RECORDS: tuple[Record, ...] = (
    OutcomeRecord("sha-256/hash/bytes=16", "a@1", Outcome.WRONG, "differs at byte 7"),
    NoiseRecord(pass_index=0, start_s=1.5, wall_s=2.25, load_1min=0.5, steal_ratio=None, imul_ratio=3.0),
    CaseEndRecord("sha-256/hash/bytes=16", CaseEnd.CONVERGED, 9, 9),
)


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    path = tmp_path / "journal.jsonl"
    file = JournalFile(path, new=True)
    for record in RECORDS:
        file.append(record)
    file.close()
    return path


def test_a_line_is_json_with_its_checksum_last(journal: Path) -> None:
    for number, line in enumerate(journal.read_bytes().splitlines(), start=1):
        fields = json.loads(line)
        assert [*fields][-1] == "crc"
        body = line[: line.rindex(b',"crc"')]
        assert fields["crc"] == f"{zlib.crc32(str(number).encode(), zlib.crc32(body)):08x}"
    assert tuple(read_records(journal)) == RECORDS


def test_every_flipped_bit_is_found(journal: Path) -> None:
    """In the text, in the checksum, in a newline; both by readers and by who would go on writing."""
    before = journal.read_bytes()
    silent = []
    for at in range(8 * (len(before) - 1)):  # without the last newline, the line before it is not complete
        changed = bytearray(before)
        changed[at // 8] ^= 1 << at % 8
        journal.write_bytes(changed)
        try:
            silent.append((at, list(read_records(journal))))
        except StoreError as error:
            assert str(journal) in str(error) and ": line " in str(error)
    assert silent == []


@pytest.mark.parametrize("order", [(1, 0, 2), (0, 2), (1, 2), (0, 0, 1, 2), (0, 1, 1, 2), (2, 1, 0)], ids=str)
def test_lines_that_moved_are_found(journal: Path, order: tuple[int, ...]) -> None:
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[place] for place in order))
    with pytest.raises(StoreError, match="its checksum differs"):
        list(read_records(journal))
    with pytest.raises(StoreError, match="its checksum differs"):
        JournalFile(journal)


def test_a_resumed_journal_goes_on_counting(journal: Path) -> None:
    file = JournalFile(journal)
    file.append(RECORDS[0])
    file.close()
    assert tuple(read_records(journal)) == (*RECORDS, RECORDS[0])


def test_journals_from_before_are_read(journal: Path) -> None:
    bare = [line[: line.rindex(b',"crc"')] + b"}\n" for line in journal.read_bytes().splitlines()]
    journal.write_bytes(b"".join(bare))
    assert tuple(read_records(journal)) == RECORDS
    # But not lines of both kinds: then somebody has taken one away.
    mixed = [bare[0], *(encode_line(record, number) for number, record in enumerate(RECORDS[1:], start=2))]
    journal.write_bytes(b"".join(mixed))
    with pytest.raises(StoreError, match="line 2: has a checksum, and earlier ones have none"):
        list(read_records(journal))


def test_damaged_lines_are_left_out_one_by_one(journal: Path) -> None:
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(lines[0] + lines[1].replace(b"2.25", b"2.26") + lines[2])
    found: list[StoreError] = []
    assert tuple(read_records(journal, found.append)) == (RECORDS[0], RECORDS[2])
    assert len(found) == 1 and "line 2" in str(found[0])


@pytest.mark.parametrize("written", ["all", "half", "none"])
def test_a_signal_in_the_middle_of_a_line(journal: Path, monkeypatch: pytest.MonkeyPatch, written: str) -> None:
    """The line is there, or it is not; the next one is read all the same."""
    real = os.write

    def interrupted(descriptor: int, data: memoryview) -> int:
        real(descriptor, data[: {"all": len(data), "half": len(data) // 2, "none": 0}[written]])
        raise KeyboardInterrupt

    file = JournalFile(journal)
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(os, "write", interrupted)
        file.append(RECORDS[0])
    assert file.records == len(RECORDS) + (written == "all")
    file.append(RECORDS[1])
    file.close()
    kept = (RECORDS[0],) if written == "all" else ()
    assert tuple(read_records(journal)) == (*RECORDS, *kept, RECORDS[1])
