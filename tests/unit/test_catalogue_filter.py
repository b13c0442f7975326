# SPDX-License-Identifier: Apache-2.0
"""The filter language: what it selects, and what it says when it is misspelt."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cipherstone.catalogue.filter import FILTER_KEYS, parse_filter, parse_number
from cipherstone.model.errors import UsageError

KEYS: dict[str, tuple[str, ...]] = {
    "library": ("openssl", "bearssl", "nettle"),
    "algorithm": ("sha-256", "aes-128-gcm"),
    "verb": ("hash", "seal"),
    "op": ("sha-256/hash", "aes-128-gcm/seal"),
    "bytes": ("16", "1024", "16384", "1048576"),
    "impl": (),
    "family": ("hash", "aead"),
}
CELL = {
    "library": "bearssl",
    "algorithm": "aes-128-gcm",
    "verb": "seal",
    "op": "aes-128-gcm/seal",
    "bytes": "16384",
    "impl": "aes_ct64",
    "family": "aead",
}


@pytest.mark.parametrize(
    ("text", "selected"),
    [
        ("", True),
        ("   ", True),
        ("library:bearssl", True),
        ("library:openssl", False),
        ("-library:openssl", True),
        ("--library:bearssl", True),
        ("library:bearssl verb:hash", False),
        ("library:openssl OR verb:seal", True),
        ("library:openssl OR library:nettle", False),
        ("library:(openssl OR bearssl)", True),
        ("-library:(openssl OR bearssl)", False),
        # AND binds tighter than OR
        ("library:openssl verb:hash OR family:aead", True),
        ("library:openssl (verb:hash OR family:aead)", False),
        ("-(library:openssl OR verb:hash) impl:aes_ct64", True),
        ("op:aes-128-gcm/seal", True),
        ("op:/^aes.*seal$/", True),
        ("op:/gcm\\/s/", True),
        ("impl:/^ct/", False),
        ("impl:(aes_big OR /ct64/)", True),
        ("bytes:16384", True),
        ("bytes:16KiB", True),
        ("bytes:=16KiB", True),
        ("bytes:1MiB", False),
        ("bytes:>=1024", True),
        ("bytes:>16383", True),
        ("bytes:>16384", False),
        ("bytes:<=16KiB", True),
        ("bytes:<1MiB bytes:>1KiB", True),
        ("bytes:(16 OR >=8KiB)", True),
        # compared as numbers: as text, 9 would be more than 16384
        ("bytes:>9", True),
    ],
)
def test_selects(text: str, selected: bool) -> None:
    assert parse_filter(text, KEYS).matches(CELL) is selected


def test_a_fact_that_is_absent_matches_only_a_negation() -> None:
    facts = {key: value for key, value in CELL.items() if key != "bytes"}
    for text in ("bytes:>=16", "bytes:16", "bytes:<1MiB"):
        assert not parse_filter(text, KEYS).matches(facts)
        assert parse_filter(f"-{text}", KEYS).matches(facts)
    assert not parse_filter("impl:/./", KEYS).matches({})


def test_keys_are_those_that_are_asked_about() -> None:
    assert parse_filter("library:openssl OR -(verb:hash bytes:>=16)", KEYS).keys == {"library", "verb", "bytes"}
    assert parse_filter("", KEYS).keys == frozenset()


@pytest.mark.parametrize(
    ("text", "position", "words"),
    [
        ("libary:openssl", 1, ["'libary'", "library"]),
        ("verb:hash libary:openssl", 11, ["'libary'", "library"]),
        ("library:opensl", 9, ["'opensl'", "openssl"]),
        ("library:(bearssl OR netle)", 21, ["'netle'", "nettle"]),
        ("algorithm:sha255", 11, ["'sha255'", "sha-256"]),
        ("opensl", 1, ["'opensl'", "did you mean 'openssl'?"]),
        ("quark", 1, ["'quark'", "keys: library"]),
        ("16001", 1, ["'16001'", "'16384'"]),
        ("bytes:16000", 7, ["'16000'", "'16384'"]),
        ("bytes:16kx", 7, ["'16kx'", "16KiB"]),
        ("bytes:>=", 7, ["'>='", "number"]),
        ("bytes:-1", 7, ["'-1'", "number"]),
        ("library:>=3", 9, ["'>='", "bytes"]),
        ("library:", 9, ["no value"]),
        ("library: openssl", 9, ["no value"]),
        ("library:()", 10, ["no value"]),
        ("library:(openssl bearssl)", 18, ["'OR'"]),
        ("library:(openssl", 9, ["never closed"]),
        ("(library:openssl", 1, ["never closed"]),
        ("library:openssl)", 16, ["closes nothing"]),
        ("op:/[[a]/", 4, ["bad regular expression: Possible nested set"]),
        ("impl:/ct", 6, ["closing '/'"]),
        ("impl:/ct/x", 10, ["after the closing"]),
        ("impl:/(/", 6, ["regular expression"]),
        ("library:openssl OR", 19, ["missing"]),
        ("OR library:openssl", 1, ["missing before 'OR'"]),
        ("-", 2, ["missing"]),
        ("- sha-256", 1, ["stands alone"]),
        ("()", 2, ["missing before ')'"]),
        ("library:openssl AND verb:hash", 17, ["'AND'", "side by side"]),
        ("NOT verb:hash", 1, ["'NOT'", "-term"]),
        ("(" * 100, 41, ["levels"]),
        ("-" * 100, 41, ["levels"]),
    ],
)
def test_says_what_where_and_what_helps(text: str, position: int, words: list[str]) -> None:
    with pytest.raises(UsageError) as caught:
        parse_filter(text, KEYS)
    said = f"{caught.value.message} | {caught.value.hint}"
    assert f"position {position}:" in said and "\n" not in said, said
    for word in words:
        assert word in said, said


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("16384", 16384),
        ("16KiB", 16384),
        ("1MiB", 1048576),
        ("7B", 7),
        ("", None),
        ("1kB", 1024),
        ("16kb", 16384),
        ("16K", 16384),
        ("2mb", 2 * 1048576),
        ("16kbit", None),
        ("٣", None),
    ],
)
def test_numbers(text: str, number: int | None) -> None:
    assert parse_number(text) == number


@pytest.mark.parametrize(
    ("typed", "means"),
    [
        ("gcm", "algorithm:(aes-128-gcm OR aes-256-gcm)"),
        ("algorithm:gcm", "algorithm:(aes-128-gcm OR aes-256-gcm)"),
        ("AES-GCM", "algorithm:(aes-128-gcm OR aes-256-gcm)"),
        ("aes128", "algorithm:aes-128-gcm"),
        # A name itself is never widened to those that hold it.
        ("sha256", "algorithm:sha-256"),
        ("sha-256", "algorithm:sha-256"),
        ("p256", "algorithm:ecdsa-p256-sha256"),
        ("chacha", "algorithm:chacha20-poly1305"),
        ("op:gcm/seal", "op:(aes-128-gcm/seal OR aes-256-gcm/seal)"),
        ("gcm/seal", "op:(aes-128-gcm/seal OR aes-256-gcm/seal)"),
        ("hash", "family:hash OR verb:hash"),
        ("OpenSSL", "library:openssl"),
        ("lib:OpenSSL", "library:openssl"),
        ("16kb", "bytes:=16384"),
        ("size:16kb", "bytes:=16384"),
        ("size:>=1k", "bytes:>=1024"),
        ("-openssl gcm 16k", "-library:openssl algorithm:(aes-128-gcm OR aes-256-gcm) bytes:=16384"),
        ("noasm", "build:noasm"),
    ],
)
def test_selections_are_what_people_type(typed: str, means: str) -> None:
    keys = {
        "library": ("openssl", "bearssl"),
        "algorithm": (
            "sha-256",
            "hmac-sha-256",
            "aes-128-gcm",
            "aes-256-gcm",
            "chacha20-poly1305",
            "ecdsa-p256-sha256",
        ),
        "verb": ("hash", "seal"),
        "op": ("sha-256/hash", "aes-128-gcm/seal", "aes-256-gcm/seal"),
        "bytes": (),
        "impl": (),
        "family": ("hash", "aead"),
        "build": ("distribution", "noasm"),
    }
    found = parse_filter(typed, keys)
    assert found.root == parse_filter(means, keys).root
    # What is written out means the same where nothing is known.
    assert parse_filter(found.written, dict.fromkeys(FILTER_KEYS, ())).root == found.root


def test_a_word_without_a_key_beside_workers_made_elsewhere_is_a_library() -> None:
    found = parse_filter("gcm mine", {**KEYS, "build": ()}, ("library",))
    assert found.written == "algorithm:aes-128-gcm library:mine"
    with pytest.raises(UsageError):
        parse_filter("mine", KEYS)


def test_a_suite_may_not_leave_out_keys() -> None:
    """Where any name will do a slip could not be told from a name."""
    with pytest.raises(UsageError, match="key:value"):
        parse_filter("openssl", dict.fromkeys(FILTER_KEYS, ()))


# A filter as a tree that Python evaluates itself, and its text.
Tree = tuple[str, Any]
_words = st.sampled_from([(key, value) for key, values in KEYS.items() for value in values if key != "bytes"])
_bounds = st.tuples(st.sampled_from([">=", "<=", ">", "<"]), st.integers(0, 2_000_000))
_leaves = st.one_of(st.tuples(st.just("word"), _words), st.tuples(st.just("bound"), _bounds))
_trees = st.recursive(
    _leaves,
    lambda inner: st.one_of(
        st.tuples(st.just("not"), inner),
        st.tuples(st.just("all"), st.lists(inner, min_size=1, max_size=3)),
        st.tuples(st.just("any"), st.lists(inner, min_size=1, max_size=3)),
    ),
    max_leaves=12,
)
_facts = st.fixed_dictionaries(
    {key: st.sampled_from(values) for key, values in KEYS.items() if values and key != "bytes"},
    optional={"bytes": st.sampled_from(KEYS["bytes"])},
)


def _text(tree: Tree) -> str:
    kind, body = tree
    if kind == "word":
        return f"{body[0]}:{body[1]}"
    if kind == "bound":
        return f"bytes:{body[0]}{body[1]}"
    if kind == "not":
        return f"-({_text(body)})"
    return "(" + (" " if kind == "all" else " OR ").join(_text(part) for part in body) + ")"


def _true(tree: Tree, facts: Mapping[str, str]) -> bool:
    kind, body = tree
    if kind == "word":
        return bool(facts.get(body[0]) == body[1])
    if kind == "bound":
        if "bytes" not in facts:
            return False
        size = int(facts["bytes"])
        return bool({">=": size >= body[1], "<=": size <= body[1], ">": size > body[1], "<": size < body[1]}[body[0]])
    if kind == "not":
        return not _true(body, facts)
    return (all if kind == "all" else any)(_true(part, facts) for part in body)


@given(tree=_trees, facts=_facts)
def test_agrees_with_plain_logic(tree: Tree, facts: dict[str, str]) -> None:
    found = parse_filter(_text(tree), KEYS)
    assert found.matches(facts) is _true(tree, facts)
    assert parse_filter(found.written, KEYS).root == found.root


@pytest.mark.parametrize("text", ["op:/gcm\\/s/", "impl:/a\\\\/", "-(impl:/x|y/ OR verb:hash) bytes:(16 OR >1k)"])
def test_what_is_written_out_is_the_same_filter(text: str) -> None:
    found = parse_filter(text, KEYS)
    assert parse_filter(found.written, KEYS).root == found.root


_alphabet = st.one_of(
    st.sampled_from(list("():-/|OR >=<16Kib\\\"' ")), st.sampled_from([f"{key}:" for key in KEYS]), st.characters()
)


@given(text=st.lists(_alphabet, max_size=30).map("".join))
def test_any_text_is_parsed_or_answered_in_one_line(text: str) -> None:
    try:
        found = parse_filter(text, dict.fromkeys(FILTER_KEYS, ()))
    except UsageError as error:
        assert "position" in error.message and "\n" not in error.message
    else:
        assert found.matches(CELL) in (True, False)


def test_a_bare_number_is_a_size_where_there_are_sizes() -> None:
    """Where there are none it is a word like any other, and a name if one is so called."""
    without = {key: names for key, names in KEYS.items() if key != "bytes"}
    assert parse_filter("16384", KEYS).sizes == (16384,) and parse_filter("16KiB", KEYS).sizes == (16384,)
    with pytest.raises(UsageError):
        parse_filter("16384", without)
    called = {**without, "algorithm": ("16384", "sha-256")}
    assert parse_filter("16384", called).written == "algorithm:16384"
