# SPDX-License-Identifier: Apache-2.0
"""Words without an option: what they select, and names without a command."""

from __future__ import annotations

import pytest

from cipherstone.catalogue.algorithms import catalogue_at
from cipherstone.catalogue.filter import parse_filter
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.selection_words import Typed, typed
from cipherstone.cli.commands import COMMANDS
from cipherstone.cli.question import as_question
from cipherstone.cli.select_options import of_words, select
from cipherstone.cli.selection import build_names, known_values, with_builds
from cipherstone.model.errors import UsageError

CATALOGUE = catalogue_at(data_root())
LIBRARIES = load_libraries(data_root(), CATALOGUE)
KNOWN = known_values(CATALOGUE, LIBRARIES, (), build_names(LIBRARIES.values()))


def written(text: str) -> str:
    """What the words select, in names of the catalogue."""
    return parse_filter(typed(text.split(), KNOWN).filter, KNOWN).written


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("openssl", "library:openssl"),
        ("openssl nettle", "library:openssl OR library:nettle"),
        ("OpenSSL SHA256", "library:openssl algorithm:sha-256"),
        ("sha256 x25519 openssl", "library:openssl (algorithm:sha-256 OR algorithm:x25519)"),
        ("nettle seal 16kb", "library:nettle verb:seal bytes:=16384"),
        ("aead 1024 64", "family:aead (bytes:=1024 OR bytes:=64)"),
        ("hash", "family:hash"),
        ("noasm openssl", "library:openssl build:noasm"),
        ("aes-128-gcm/seal", "op:aes-128-gcm/seal"),
        ("openssl -impl:/ct/", "library:openssl -impl:/ct/"),
        ("rsa bits:2048", parse_filter("algorithm:rsa bits:2048", KNOWN).written),
    ],
)
def test_words_of_one_kind_add_and_kinds_narrow(words: str, expected: str) -> None:
    assert written(words) == expected


def test_a_build_is_measured_as_well_and_alone_of_its_library() -> None:
    assert typed(["openssl@4.0", "nettle"], KNOWN) == Typed(
        "(build:openssl@4.0 OR library:nettle)", (), ("openssl@4.0",)
    )
    found = typed(["openssl@4.0+Os"], KNOWN)
    libraries, asked = with_builds("--build", found.builds, LIBRARIES)
    assert asked == {"openssl@4.0+Os"}
    known = known_values(CATALOGUE, libraries, (), build_names(libraries.values()))
    assert parse_filter(found.filter, known).written == "library:openssl build:4.0+Os"


def test_a_library_of_ones_own() -> None:
    assert typed(["openssl=/opt/x", "gcm"], KNOWN) == Typed("library:openssl algorithm:gcm", ("openssl=/opt/x",), ())


@pytest.mark.parametrize(
    ("word", "hint"), [("opnssl", "did you mean 'openssl'"), ("nettel", "did you mean 'nettle'"), ("?", "list")]
)
def test_a_word_that_means_nothing(word: str, hint: str) -> None:
    with pytest.raises(UsageError, match="is no name, size or build") as caught:
        typed(["openssl", word], KNOWN)
    assert word in caught.value.message and hint in caught.value.hint


def test_words_stand_beside_options() -> None:
    found = select(named=["openssl"], library=["nettle"], filter_="gcm")
    assert found.filter == "library:openssl library:nettle (gcm)"


def test_an_operation_may_be_called_by_its_algorithm() -> None:
    as_algorithm = parse_filter("algorithm:sha256", KNOWN)
    as_operation = parse_filter("op:sha256", KNOWN)
    assert as_operation.written == "op:sha-256/hash" and as_algorithm.written == "algorithm:sha-256"
    assert parse_filter("op:ed25519", KNOWN).written == " OR ".join(
        f"op:{name}" for name in CATALOGUE.operations if name.startswith("ed25519/")
    )


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ("openssl nettle gcm", "run --quick --max-time 10s openssl nettle gcm"),
        ("gcm --max-time 1min", "run --quick gcm --max-time 1min"),
        ("gcm --suite full", "run --max-time 10s gcm --suite full"),
        ("openssl --precise", "run openssl --precise"),
    ],
)
def test_names_without_a_command_are_a_brief_run(args: str, expected: str) -> None:
    assert as_question(args.split(), COMMANDS, of_words) == expected.split()


@pytest.mark.parametrize(("word", "hint"), [("opnssl", "'openssl'"), ("reprot", "'report'"), ("zzzz", "--help")])
def test_neither_a_command_nor_a_name(word: str, hint: str) -> None:
    with pytest.raises(UsageError, match="is neither a command nor a name") as caught:
        as_question([word], COMMANDS, of_words)
    assert hint in caught.value.hint


def test_no_command_is_a_name() -> None:
    """A command wins; no library, algorithm, family or verb is lost by that."""
    names = {name for key in ("library", "algorithm", "family", "verb") for name in KNOWN[key]}
    assert not names & set(COMMANDS)
