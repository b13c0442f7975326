# SPDX-License-Identifier: Apache-2.0
"""What the checks of the catalogue refuse, one by one, and the nearest that they take: no file is read where a check can be asked by itself."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from cipherstone.catalogue import algorithms, conditions, document, libraries, paths, suites, verbs
from cipherstone.catalogue.absences import Implementation, check_implementations
from cipherstone.catalogue.algorithms import MAX_RING, Catalogue, load_catalogue
from cipherstone.catalogue.builds import Mask, check_masks
from cipherstone.catalogue.filter import parse_filter
from cipherstone.catalogue.published_pages import PageRow, _check_row, kernels_of
from cipherstone.catalogue.published_tables import PublishedRow as Row
from cipherstone.catalogue.published_tables import _check as check_published
from cipherstone.catalogue.published_tables import load_published
from cipherstone.catalogue.sources import Archive, Crate, DebianSource, check_archive
from cipherstone.catalogue.upkeep import Upkeep, check_upkeep
from cipherstone.catalogue.vectors import _Vector, _vector
from cipherstone.model.errors import CipherstoneError, DataError

ROOT = paths.data_root()
DAY = datetime.date(2026, 1, 1)
CRATE = Crate("x", "1.0.0", "0" * 64)
DEBIAN = DebianSource("xy", "1.0", "bookworm", "0" * 64)


@cache
def catalogue() -> Catalogue:
    return load_catalogue(ROOT)


def said(call: Callable[[], object]) -> str:
    """What is refused; "" for nothing."""
    try:
        call()
    except CipherstoneError as error:
        return error.message
    return ""


@pytest.mark.parametrize(("branch", "source", "words"), [("3.0", "upstream", ""), ("3.0", "", "source: is empty"), ("3.0", " ", "source: is empty"), ("x", "upstream", "is no branch")])  # fmt: skip
def test_upkeep(branch: str, source: str, words: str) -> None:
    found = said(lambda: check_upkeep("f", (Upkeep("2.0", DAY, "them"), Upkeep(branch, DAY, source))))
    assert (words in found and "upkeep[1]" in found) if words else found == ""


@pytest.mark.parametrize(
    ("name", "mask", "words"),
    [
        ("noavx2", Mask({"A": "1"}, ("avx2",), "why"), ""),
        ("NoAvx", Mask({"A": "1"}, ("avx2",), "why"), "is no name for a mask"),
        ("noavx2", Mask({}, ("avx2",), "why"), "are needed"),
        ("noavx2", Mask({"A": "1"}, (), "why"), "are needed"),
        ("noavx2", Mask({"A": "1"}, ("avx2",), " "), "are needed"),
        ("noavx2", Mask({"CS_PAD": "1"}, ("avx2",), "why"), "env: 'CS_PAD' cannot be set"),
    ],
)
def test_masks(name: str, mask: Mask, words: str) -> None:
    found = said(lambda: check_masks("f", {name: mask}))
    assert words in found and bool(words) == bool(found)


@pytest.mark.parametrize(("impl", "ops", "words"), [("x*", ("md5/hash",), ""), (" ", (), "implementation[0].impl: is empty"), ("x", ("md6/hash",), "implementation[0].ops: 'md6/hash' is not"), ("x", ("md6/*",), "covers nothing")])  # fmt: skip
def test_implementations(impl: str, ops: tuple[str, ...], words: str) -> None:
    found = said(lambda: check_implementations("f", [Implementation(impl, ops=ops)], catalogue()))
    assert words in found and bool(words) == bool(found)


def test_implementations_of_builds() -> None:
    entry = [Implementation("x", builds=("1.*",))]
    assert said(lambda: check_implementations("f", entry, catalogue(), ["1.8"])) == ""
    assert "implementation[0].builds: '1.*' names no build" in said(
        lambda: check_implementations("f", entry, catalogue(), ["2.0"])
    )


@pytest.mark.parametrize(("archive", "words"), [(Archive(crate=CRATE), ""), (Archive(debian=DEBIAN), ""), (Archive(), "neither crate nor debian"), (Archive(crate=CRATE, debian=DEBIAN), "or both"), (Archive(crate=CRATE, folder="../x"), "not a place in the archive")])  # fmt: skip
def test_archives_come_from_one_place(archive: Archive, words: str) -> None:
    found = said(lambda: check_archive("f", archive))
    assert words in found and bool(words) == bool(found)
    assert Archive(crate=CRATE).origin is CRATE and Archive(debian=DEBIAN).origin is DEBIAN
    with pytest.raises(ValueError, match="without origin"):
        _ = Archive().origin


PRINTED = {"reduction": "mont", "exponentiation": "fw5", "time_ms": 2.0, "factor": 1.0, "memory_bytes": 100, "memory_factor": 1.0}  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({}, ""),
        ({"time_ms": 0.0}, "must be positive"),
        ({"memory_bytes": 0}, "must be positive"),
        ({"time_ms": -2.0}, "must be positive"),
        ({"reduction": "mint"}, "is not a method"),
        ({"exponentiation": "fw8"}, "is not a method"),
        ({"time_ms": 1.0, "factor": 2.0}, ""),
        ({"time_ms": 1.0, "factor": 2.005}, ""),
        ({"time_ms": 1.0, "factor": 2.006}, "they give 2.00"),
        ({"memory_bytes": 50, "memory_factor": 0.5}, ""),
        ({"memory_bytes": 50, "memory_factor": 0.49}, "they give 0.50"),
    ],
)
def test_rows_of_a_published_table(changed: dict[str, Any], words: str) -> None:
    base = msgspec.convert(PRINTED, Row)
    try:
        check_published("f", msgspec.convert({**PRINTED, **changed}, Row), base)
    except DataError as error:
        assert words and words in f"{error.message} {error.hint}"
    else:
        assert not words


REFERENCE = 'title = "t"\nsource = "s"\ndate = "not recorded"\nnote = ["n"]\n'


def test_a_published_table_has_a_row_once(tmp_path: Path) -> None:
    row = "".join(f"{key} = {value!r}\n" for key, value in PRINTED.items())
    head = "".join(f'{key} = "x"\n' for key in ("case", "conditions"))
    folder = tmp_path / "references" / "t"
    folder.mkdir(parents=True)
    (folder / "reference.toml").write_text(REFERENCE)
    for rows, baseline, words in (
        (1, "mont-fw5", ""),
        (2, "mont-fw5", "a row stands twice"),
        (1, "mont-fw6", "baseline"),
    ):
        text = f'{head}baseline = "{baseline}"\n' + rows * f"[[row]]\n{row}"
        (folder / "modexp.toml").write_text(text)
        found = said(lambda: load_published(tmp_path, "t"))
        assert words in found and bool(words) == bool(found)
    assert "'x' does not exist" in said(lambda: load_published(tmp_path, "x"))


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (PageRow("r", ("1.5", "-"), "md5/hash", "default"), ""),
        (PageRow("r", ("1.5",), "md5/hash", "default"), "1 values"),
        (PageRow("r", ("1.5", "0"), "md5/hash", "default"), "no positive figure"),
        (PageRow("r", ("1.5", "x"), "md5/hash", "default"), "no positive figure"),
        (PageRow("r", ("1.5", "2"), "md6/hash", "default"), "'md6/hash' is not measured by the suite"),
        (PageRow("r", ("1.5", "2"), "md5/hash"), "needs a case and an implementation"),
        (PageRow("r", ("1.5", "2"), "", "", "none"), ""),
        (PageRow("r", ("1.5", "2")), "needs a case and an implementation"),
        (PageRow("r", ("1.5", "2"), "md5/hash", "default", "none"), "needs a case and an implementation"),
        (PageRow("r", ("1.5", "2"), "", "default", "none"), "needs a case and an implementation"),
    ],
)
def test_rows_of_a_published_page(row: PageRow, words: str) -> None:
    found = said(lambda: _check_row("f", row, 2, {"md5/hash"}))
    assert words in found and bool(words) == bool(found)


def test_a_suite_that_is_none_has_no_kernels() -> None:
    assert kernels_of(ROOT, "no such suite", "x86-64") == frozenset() == kernels_of(ROOT, "quick", "x86-64")


TEMPLATE = {"usual": "no", "capability": "x", "verbs": ["mac"], "title": "{title} {value}", "timed": "{timed}", "untimed": "{untimed}"}  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({"values": ["yes"]}, "c=yes"),
        ({"most": 1}, "c=1"),
        ({"most": 3}, "c=1 to 3"),
        ({}, "has no value but the usual one"),
        ({"values": ["no"]}, "or has it twice"),
        ({"most": 3, "usual": "3"}, "or has it twice"),
        ({"most": 3, "usual": "4"}, "c=1 to 3"),
        ({"most": 3, "usual": "0"}, "c=1 to 3"),
        ({"values": ["yes"], "verbs": ["mac", "mec"]}, "'mec' is not a verb"),
        ({"values": ["yes"], "title": "{size}"}, "cannot be filled in"),
        ({"values": ["yes"], "timed": "{title}"}, "cannot be filled in"),
        ({"values": ["yes"], "untimed": "{0}"}, "cannot be filled in"),
        ({"values": ["yes"], "untimed": "{"}, "cannot be filled in"),
    ],
)
def test_conditions(tmp_path: Path, changed: dict[str, Any], found: str) -> None:
    assert conditions.load_conditions(tmp_path, {"mac"}) == {}
    (tmp_path / "algorithms").mkdir()
    text = "".join(f"{key} = {value!r}\n" for key, value in {**TEMPLATE, **changed}.items())
    (tmp_path / "algorithms" / "conditions.toml").write_text(f"[condition.c]\n{text}")
    if found.startswith("c="):
        assert conditions.load_conditions(tmp_path, {"mac"})["c"].shown == found
    else:
        assert found in said(lambda: conditions.load_conditions(tmp_path, {"mac"}))


@pytest.mark.parametrize(("count", "words"), [(1, ""), (verbs.MOST_INPUTS, ""), (verbs.MOST_INPUTS + 1, "inputs: 17 of them")])  # fmt: skip
def test_inputs_of_a_verb(count: int, words: str) -> None:
    raw = verbs._Verb([f"i{'x' * index}" for index in range(count)], ["out"], "i", "known-answer")
    found = said(lambda: verbs._checked("f", "verb", raw))
    assert words in found and bool(words) == bool(found)
    assert "'Verb' is not a verb's name" in said(lambda: verbs._checked("f", "Verb", raw))


UNDONE = """[verb.do]
inputs = {inputs}
outputs = {outputs}
room = "8"
proof = "known-answer"

[verb.undo]
inputs = {taken}
outputs = ["z"]
room = "8"
proof = "known-answer"
undoes = "do"
"""


@pytest.mark.parametrize(
    ("outputs", "taken", "good"),
    [
        ('["x"]', '["msg"]', True),
        ('["x"]', '["msg", "key"]', True),
        ('["x", "tag"]', '["msg", "tag"]', True),
        ('["x", "y"]', '["msg", "key"]', False),
        ('["x"]', '["key"]', False),
    ],
)
def test_what_is_undone_comes_in_again(tmp_path: Path, outputs: str, taken: str, good: bool) -> None:
    (tmp_path / "algorithms").mkdir()
    (tmp_path / "algorithms" / "verbs.toml").write_text(UNDONE.format(inputs='["a"]', outputs=outputs, taken=taken))
    found = said(lambda: verbs.load_verbs(tmp_path))
    assert ("are no inputs of it" in found) is not good and bool(found) is not good


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({}, ""),
        ({"id": " "}, "id or source is empty"),
        ({"source": ""}, "id or source is empty"),
        ({"output": None}, "output: is missing"),
        ({"verb": "mac"}, "'mac' is not a verb of md5"),
        ({"params": {"bits": "1"}}, "is not an operation of md5"),
        ({"inputs": {"msg": "61", "key": "62"}}, "'key' is not an input of hash"),
        ({"inputs": {}}, "'msg' is missing"),
        ({"expect": "rejected"}, "hash rejects nothing"),
        ({"output": "6"}, "output"),
    ],
)
def test_a_known_answer(changed: dict[str, Any], words: str) -> None:
    raw = {"id": "v", "verb": "hash", "inputs": {"msg": "61"}, "source": "s", "output": "00", **changed}
    found = said(lambda: _vector("f", [catalogue().operation("md5/hash")], _Vector(**raw), catalogue().verbs))
    assert words in found and bool(words) == bool(found)


def test_an_answer_that_nobody_expects() -> None:
    operation = catalogue().operation("ed25519/verify")
    inputs = dict.fromkeys(catalogue().verbs["verify"].inputs, "00")
    raw = {"id": "v", "verb": "verify", "inputs": inputs, "source": "s"}
    for more, words in (({}, ""), ({"expect": "rejected"}, ""), ({"output": "00"}, "there is none to expect"), ({"output": "00", "expect": "rejected"}, "there is none to expect")):  # fmt: skip
        found = said(lambda more=more: _vector("f", [operation], _Vector(**raw, **more), catalogue().verbs))  # type: ignore[misc]
        assert words in found and bool(words) == bool(found)


def test_what_the_catalogue_lacks() -> None:
    assert catalogue().operation("md5/hash").id == "md5/hash"
    assert "'md6/hash' is not in the catalogue" in said(lambda: catalogue().operation("md6/hash"))


def test_a_checkout_that_is_not_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "is not a folder" in said(lambda: libraries.load_libraries(tmp_path))
    assert "is not a folder" in said(lambda: load_catalogue(tmp_path))
    (tmp_path / "algorithms").mkdir()
    (tmp_path / "algorithms" / "sizes.toml").write_text('[[size]]\nbytes = 1\norigin = "x"\n')
    (tmp_path / "algorithms" / "verbs.toml").write_text((ROOT / "algorithms" / "verbs.toml").read_text())
    (tmp_path / "algorithms" / "families.toml").write_text('[[family]]\nid = "hash"\n')
    assert "no operation in" in said(lambda: load_catalogue(tmp_path))
    for origin in ("", " "):
        (tmp_path / "algorithms" / "sizes.toml").write_text(f'[[size]]\nbytes = 1\norigin = "{origin}"\n')
        assert "size[0].origin: is empty" in said(lambda: load_catalogue(tmp_path))
    (tmp_path / "algorithms" / "sizes.toml").write_text('[[size]]\nbytes = 0\norigin = "x"\n')
    assert "'0' is not positive" in said(lambda: load_catalogue(tmp_path))
    assert paths.data_root.__wrapped__() == ROOT
    monkeypatch.setattr(paths, "_MARKERS", ("algorithms", "nowhere"))
    assert "'nowhere' is missing" in said(paths.data_root.__wrapped__)


FAMILY = """family = "hash"
[verbs.hash]
timed = "a"
untimed = "b"
unit = "call"
{verb}
[[algorithm]]
id = "toy"
title = "Toy"
standard = "none"
keys = "none"
operations = [{operations}]
{more}
"""


@pytest.mark.parametrize(
    ("verb", "operations", "more", "words"),
    [
        ("", '{verb = "hash", title = "T"}', "lengths = {digest = 1}", ""),
        ("", '{verb = "hash", title = "T"}', "", "'digest' is missing"),
        ("", '{verb = "hash", title = "T"}', "lengths = {digest = 0}", "digest: '0' is not positive"),
        ("ring = 1", '{verb = "hash", title = "T"}', "lengths = {digest = 1}", ""),
        (f"ring = {MAX_RING}", '{verb = "hash", title = "T"}', "lengths = {digest = 1}", ""),
        (f"ring = {MAX_RING + 1}", '{verb = "hash", title = "T"}', "lengths = {digest = 1}", "ring: '17' is not from 1 to 16"),
        ("ring = 0", '{verb = "hash", title = "T"}', "lengths = {digest = 1}", "ring: '0'"),
        ("", '{verb = "hash", title = "T {n}"}', "lengths = {digest = 1}", "is not a parameter"),
        ("", '{verb = "hash", title = "T {n}", params = {n = [1, 2]}}', "lengths = {digest = 1}", ""),
        ("", '{verb = "hash", title = "T"}, {verb = "hash", title = "T"}', "lengths = {digest = 1}", "stands twice"),
        ("", '{verb = "hash", title = "T", params = {key = ["x"]}}', "lengths = {digest = 1}", "'key' is a condition"),
        ("", '{verb = "hash", title = "T"}', "lengths = {digest = 1}\nblock = 0", "block: '0' is not positive"),
        ("", '{verb = "hash", title = "T"}', 'lengths = {digest = 1}\nvaried = ["n"]', "varied: 'n' is not a parameter"),
    ],
)  # fmt: skip
def test_operations_of_a_family(tmp_path: Path, verb: str, operations: str, more: str, words: str) -> None:
    folder = tmp_path / "algorithms"
    folder.mkdir()
    for name in ("verbs.toml", "conditions.toml"):
        (folder / name).write_text((ROOT / "algorithms" / name).read_text())
    (folder / "sizes.toml").write_text('[[size]]\nbytes = 1\norigin = "x"\n')
    (folder / "families.toml").write_text('[[family]]\nid = "hash"\n')
    (folder / "toy").mkdir()
    (folder / "toy" / "algorithm.toml").write_text(FAMILY.format(verb=verb, operations=operations, more=more))
    found = said(lambda: algorithms.load_catalogue(tmp_path))
    assert words in found and bool(words) == bool(found)


@pytest.mark.parametrize(("question", "words"), [("which?", ""), (" ", "question: is empty")])
def test_a_card_asks_something(question: str, words: str) -> None:
    case = catalogue().operation("x25519/derive").headline
    found = said(lambda: suites._card("f", suites._Card(case=case.id, question=question), {case}))
    assert words in found and bool(words) == bool(found)
    other = said(lambda: suites._card("f", suites._Card(case="md5/hash", question="which?"), {case}))
    assert "'md5/hash' is not measured by this suite" in other


def test_a_suite_has_a_section(tmp_path: Path) -> None:
    (tmp_path / "suites").mkdir()
    (tmp_path / "suites" / "none.toml").write_text('title = "x"\ndescription = "y"\nsection = []\n')
    assert "section: is empty" in said(lambda: suites.load_suite(tmp_path, "none", catalogue()))


SECTION = """[[section]]
id = "{}"
title = "t"
question = "q"
operations = ["md5/hash"]
sizes = "headline"
lanes = ""
"""


@pytest.mark.parametrize(
    ("ids", "words"),
    [
        (("a", "b-1_x"), ""),
        (("a", "a"), "section[1].id: 'a' is not an id, or stands twice"),
        (("A", "b"), "section[0].id: 'A' is not an id"),
        (("a", "b c"), "section[1].id"),
        (("-a", "b"), "section[0].id"),
        (("", "b"), "section[0].id"),
    ],
)
def test_sections_have_ids(tmp_path: Path, ids: tuple[str, str], words: str) -> None:
    (tmp_path / "suites").mkdir()
    sections = "".join(map(SECTION.format, ids))
    (tmp_path / "suites" / "s.toml").write_text(f'title = "x"\ndescription = "y"\n{sections}')
    found = said(lambda: suites.load_suite(tmp_path, "s", catalogue()))
    assert words in found and bool(words) == bool(found)


class _Shape(msgspec.Struct, forbid_unknown_fields=True):
    of: dict[int, int] = {}


def test_a_key_of_a_table_that_is_none_is_told_with_its_place() -> None:
    for raw, place in (({"of": {"x": 1}}, "f.toml: of"), ({"of": {1: "x"}}, "f.toml: of"), ({"on": 1}, "top level")):
        found = said(lambda raw=raw: document._convert(raw, "f.toml", _Shape))  # type: ignore[misc]
        assert place in found and "key in" not in found


def test_a_word_that_nobody_knows_is_taken_where_the_key_is_open() -> None:
    known = {"library": ["openssl"]}
    assert said(lambda: parse_filter("library:nosuch", known)) and "nosuch" in said(
        lambda: parse_filter("library:nosuch", known)
    )
    assert not said(lambda: parse_filter("library:nosuch", known, ["library"]))
    assert not said(lambda: parse_filter("library:nosuch", {"library": []}))
