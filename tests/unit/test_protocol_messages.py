# SPDX-License-Identifier: Apache-2.0
"""Requests as bytes, replies as values, and everything a broken worker may send instead."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cipherstone.protocol import messages
from cipherstone.protocol.messages import (
    MAX_DETAIL,
    MAX_INTEGER,
    MAX_LINE_BYTES,
    PROTOCOL_VERSION,
    Batch,
    Computed,
    Empty,
    Facts,
    Hello,
    Listing,
    Objects,
    ProbeCheck,
    ProtocolError,
    Readings,
    Refusal,
    decode_reply,
    encode_request,
    one_line,
)

KINDS = (Hello, Listing, Computed, Batch, Readings, ProbeCheck, Facts, Objects, Empty)
PROTOCOL = Path(__file__).resolve().parents[2] / "protocol" / "PROTOCOL.md"
BATCH = {"seq": 7, "ok": True, "ns": 10, "failed": 0}


def reply(**fields: object) -> bytes:
    return json.dumps({**BATCH, **fields}).encode()


KINDS = [kind for kind in vars(messages).values() if isinstance(kind, type) and issubclass(kind, msgspec.Struct)]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: str(kind.__name__))
def test_every_kind_is_prepared_when_the_module_is_loaded(kind: type) -> None:
    """Two threads may read it for the first time: prepared by one of them then, the other ended the process."""
    assert kind in messages._DECODERS


def test_a_request_is_one_line_of_fields() -> None:
    fields = {"case": 3, "op": "sha-256/hash", "msg": "hex:", "probe": None}
    assert encode_request(12, "prepare", fields) == b"12 prepare case=3 op=sha-256/hash msg=hex:\n"
    assert encode_request(1, "list", {}) == b"1 list\n"


@pytest.mark.parametrize("value", ["two words", "line\nend", "x" * MAX_LINE_BYTES])
def test_a_request_that_would_break_the_line_is_a_mistake(value: str) -> None:
    with pytest.raises(ValueError):
        encode_request(1, "prepare", {"op": value})


@pytest.mark.parametrize(
    ("verb", "fields"),
    [
        ("two words", {}),
        ("line\nend", {}),
        ("list", {"a b": 1}),
        ("list", {"a\nb": 1}),
        ("list", {"a": 1, "b c": None}),
    ],
)
def test_a_verb_or_key_that_would_break_the_line_is_a_mistake(verb: str, fields: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="a space or a line end"):
        encode_request(1, verb, fields)


def test_the_version_is_that_of_the_document() -> None:
    text = PROTOCOL.read_text()
    assert text.startswith(f"# The worker protocol, version {PROTOCOL_VERSION}\n")
    assert re.findall("### `hello protocol=(.*)`", text) == [str(PROTOCOL_VERSION)]


def test_a_batch_and_what_it_may_leave_out() -> None:
    found = decode_reply(reply(each=[4, 6], cpu_ns=9, waited_ns=0, unknown="ignored"), 7, Batch)
    assert (found.ns, found.each, found.cpu_ns, found.waited_ns) == (10, (4, 6), 9, 0)
    assert (found.chain_ns, found.tput_ns, found.ref, found.cycles) == (None, None, None, None)


def test_readings_are_lists_also_around_one_batch() -> None:
    found = decode_reply(reply(chain_ns=[0.25, 0.5], tput_ns=[0.05, 1], waited_ns=1200), 7, Batch)
    assert (found.chain_ns, found.tput_ns, found.waited_ns) == ((0.25, 0.5), (0.05, 1.0), 1200)


def test_a_reading_may_be_missing_from_its_list() -> None:
    found = decode_reply(reply(chain_ns=[None, 0.5], tput_ns=[0.05, None]), 7, Batch)
    assert (found.chain_ns, found.tput_ns) == ((None, 0.5), (0.05, None))


@pytest.mark.parametrize("missing", [{}, {"chain_ns": None, "tput_ns": None}])
def test_readings_alone_and_a_worker_without_probes(missing: dict[str, None]) -> None:
    line = json.dumps({"seq": 7, "ok": True, "chain_ns": [0.25], "tput_ns": [0.05], "waited_ns": 3}).encode()
    assert decode_reply(line, 7, Readings) == Readings((0.25,), (0.05,), 3)
    line = json.dumps({"seq": 7, "ok": True, "waited_ns": 0, **missing}).encode()
    assert decode_reply(line, 7, Readings) == Readings(None, None, 0)


@pytest.mark.parametrize("kind", [Batch, Readings])
@pytest.mark.parametrize("key", ["chain_ns", "tput_ns"])
@pytest.mark.parametrize("value", [0.25, "0.25", ["0.25"], [[0.25]], [True], {"0": 0.25}])
def test_what_is_no_list_of_readings_breaks_the_protocol(kind: type, key: str, value: object) -> None:
    """One number was version 1."""
    with pytest.raises(ProtocolError, match=key):
        decode_reply(reply(**{key: value}), 7, kind)


@pytest.mark.parametrize("ns", [0, -5, (1 << 32) + 1, MAX_INTEGER])
def test_numbers_that_fit_are_taken_as_they_are(ns: int) -> None:
    """What is wrong about them is for the measuring to say."""
    assert decode_reply(reply(ns=ns), 7, Batch).ns == ns


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"null",
        b"[]",
        b"{",
        b"Segmentation fault",
        b"\xff\xfe",
        b'{"seq":7}',
        b'{"seq":"7","ok":true}',
        b'{"seq":7,"ok":1}',
        b'{"seq":7,"ok":true}',
        b'{"seq":7,"ok":true,"ns":NaN,"failed":0}',
        reply(ns=1.5),
        reply(ns="10"),
        reply(ns=None),
        reply(ns=MAX_INTEGER + 1),
        reply(ns=10**40),
        reply(each=[1, 10**40]),
        reply(cpu_ns=1 << 63),
        reply(waited_ns=1 << 63),
        reply(waited_ns=0.5),
        reply(failed=1 << 64),
        reply(seq=8),
        reply(seq=0),
        reply()[:-1],
        reply() + reply(),
    ],
)
def test_what_is_no_reply_breaks_the_protocol(line: bytes) -> None:
    with pytest.raises(ProtocolError) as caught:
        decode_reply(line, 7, Batch)
    text = str(caught.value)
    assert "\n" not in text and text.isprintable() and len(text) < 600


def test_a_refusal_is_told_in_one_line() -> None:
    line = json.dumps(
        {"seq": 7, "ok": False, "error": "un\x1bavailable", "detail": "a\nb\x1b[31m" + "c" * 9999}
    ).encode()
    with pytest.raises(Refusal) as caught:
        decode_reply(line, 7, Batch)
    assert caught.value.detail.startswith("a b [31mccc") and len(caught.value.detail) == MAX_DETAIL
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x" * 20, "x" * 20),
        ("x" * 21, "x" * 17 + "..."),
        ("x" * 20 + " and more", "x" * 17 + "..."),  # what is cut off is never lost without a sign
        ("  " + "x" * 20 + "\n\n", "x" * 20),
        ("\0one\ttwo\x1b", "one two"),
        ("", ""),
    ],
)
def test_what_a_worker_says_is_cut_with_a_sign(text: str, line: str) -> None:
    assert one_line(text, 20) == line


def test_a_request_that_could_not_be_read_is_refused_with_number_zero() -> None:
    with pytest.raises(Refusal, match="bad-request"):
        decode_reply(b'{"seq":0,"ok":false,"error":"bad-request","detail":""}', 7, Empty)


@given(st.binary(max_size=200), st.sampled_from(KINDS))
def test_no_bytes_raise_anything_else(line: bytes, kind: type) -> None:
    try:
        decode_reply(line, 7, kind)
    except (ProtocolError, Refusal):
        pass


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["seq", "ok", "ns", "failed", "operations", "result"]), inner, max_size=5)
    ),
    max_leaves=8,
)


@given(JSON, st.sampled_from(KINDS))
def test_no_json_raises_anything_else(value: object, kind: type) -> None:
    try:
        decode_reply(json.dumps(value).encode(), 7, kind)
    except (ProtocolError, Refusal):
        pass


@given(st.text())
def test_one_line_is_one_printable_line(text: str) -> None:
    line = one_line(text, 50)
    assert len(line) <= 50 and (line == "" or line.isprintable()) and len(line.splitlines()) <= 1


def test_facts_are_counts_and_labels() -> None:
    line = json.dumps({"seq": 7, "ok": True, "facts": {"mul": 1 << 53, "leak": "", "k_1": "one line"}}).encode()
    assert decode_reply(line, 7, Facts).facts == {"mul": 1 << 53, "leak": "", "k_1": "one line"}


@pytest.mark.parametrize(
    "facts",
    [
        None,
        [],
        {"mul": -1},
        {"mul": (1 << 53) + 1},
        {"mul": 1.5},
        {"mul": True},
        {"mul": None},
        {"Mul": 1},
        {"": 1},
        {"k" * 64: 1},
        {"text": "two\nlines"},
        {"text": "x" * 4097},
        {f"k{i}": i for i in range(65)},
    ],
)
def test_what_is_no_fact_breaks_the_protocol(facts: object) -> None:
    with pytest.raises(ProtocolError):
        decode_reply(json.dumps({"seq": 7, "ok": True, "facts": facts}).encode(), 7, Facts)


@pytest.mark.parametrize(
    "objects",
    [
        [{"path": "libx.so", "role": "library"}],
        [{"path": "/a\nb", "role": "library"}],
        [{"path": "/" + "x" * 4096, "role": "library"}],
        [{"path": "/x", "role": "boss"}],
        [{"path": "/x", "role": "library", "build_id": "0xAB"}],
        [{"path": "/x"}],
        [{"path": "/x", "role": "other"}] * 1025,
        {},
        "/x",
    ],
)
def test_what_is_no_object_breaks_the_protocol(objects: object) -> None:
    with pytest.raises(ProtocolError, match="incomplete reply"):
        decode_reply(json.dumps({"seq": 7, "ok": True, "objects": objects}).encode(), 7, Objects)


def test_objects_as_they_are_told() -> None:
    """None: the worker cannot tell."""
    told = [{"path": "/usr/lib/libx.so.1", "role": "library", "build_id": "00ff"}, {"path": "/bin/w", "role": "worker"}]
    found = decode_reply(json.dumps({"seq": 7, "ok": True, "objects": told}).encode(), 7, Objects).objects
    assert found is not None and [(one.path, one.build_id) for one in found] == [
        ("/usr/lib/libx.so.1", "00ff"),
        ("/bin/w", None),
    ]
    assert decode_reply(b'{"seq":7,"ok":true,"objects":null}', 7, Objects).objects is None


@pytest.mark.parametrize("text", ["\u00e9\n", "zzzzzzzz", "0000000", "000000000", "0000000A", "00000000\n"])
def test_a_checksum_is_eight_digits(text: str) -> None:
    """It is shown beside the one that is due."""
    line = msgspec.json.encode({"seq": 1, "ok": True, "result": "ok", "len": 1, "crc32": text})
    with pytest.raises(ProtocolError, match="crc32"):
        decode_reply(line, 1, Computed)
