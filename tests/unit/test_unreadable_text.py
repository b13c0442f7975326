# SPDX-License-Identifier: Apache-2.0
"""What is wrong with bytes that cannot be read: one line of a length that a person reads, whatever the bytes are."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
import store_example as example

from cipherstone.model.errors import StoreError
from cipherstone.model.text import unreadable_text
from cipherstone.protocol.messages import Hello, ProtocolError, decode_reply
from cipherstone.store import Bundle, BundleWriter
from cipherstone.store.journal import read_records

LONG = "x" * 100_000


class Short(msgspec.Struct):
    kind: int


@pytest.mark.parametrize("content", [b'{"kind": "%s"}' % LONG.encode(), b"[" * 100_000, b"\xff", b'{"kind": "a\\nb"}'])
def test_it_is_one_short_line(content: bytes) -> None:
    with pytest.raises((msgspec.MsgspecError, RecursionError, UnicodeDecodeError)) as caught:
        msgspec.json.decode(content, type=Short)
    text = unreadable_text(caught.value)
    assert text and len(text) <= 210 and "\n" not in text


def test_a_type_of_a_hundred_thousand_letters_in_a_journal(tmp_path: Path) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_text(f'{{"type": "{LONG}"}}\n')
    with pytest.raises(StoreError, match="line 1") as caught:
        list(read_records(path))
    assert len(caught.value.message) < 400


def test_a_status_of_a_hundred_thousand_letters_in_a_manifest(tmp_path: Path) -> None:
    with BundleWriter.create(tmp_path, example.manifest()) as writer:
        path = writer.path
    manifest = path / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"status": "running"', f'"status": "{LONG}"'))
    with pytest.raises(StoreError) as caught:
        Bundle.open(path)
    assert len(caught.value.message) < 400


def test_a_reply_of_a_hundred_thousand_letters() -> None:
    with pytest.raises(ProtocolError) as caught:
        decode_reply(f'{{"seq": 1, "ok": "{LONG}"}}'.encode(), 1, Hello)
    assert len(str(caught.value)) < 500
