# SPDX-License-Identifier: Apache-2.0
"""Verbs as data: what the file of this checkout says, what is written from it, and mistakes in it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from cipherstone.catalogue.algorithms import load_catalogue, output_room
from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.verbs import c_table, load_verbs, protocol_table
from cipherstone.model.errors import DataError, UsageError
from cipherstone.model.ids import Case

ROOT = data_root()
GOOD = """
[verb.seal]
inputs = ["key", "iv", "msg"]
optional = ["iv"]
secret = ["key"]
declassified = ["tag"]
outputs = ["ciphertext", "tag"]
room = "msg + tag + 4"
proof = "known-answer"
"""
# Two outputs without a namesake among the inputs of `seal`.
UNSEALED = '[verb.unseal]\ninputs = ["msg"]\noutputs = ["plaintext", "proof"]\nroom = "msg"\nproof = "known-answer"'


def test_what_a_verb_says() -> None:
    found = load_verbs(ROOT)
    assert found["mac"].needed == ("key", "msg") and found["mac"].optional == {"aad", "iv"}
    assert found["open"].may_reject and not found["encrypt"].may_reject and not found["seal"].may_reject
    assert (
        found["sign"].secret == {"key"} and found["sign"].declassified == {"sig"} and found["sign"].proof == "verified"
    )
    assert found["open"].undone(found[found["open"].undoes].outputs) == {"ciphertext": "msg", "tag": "tag"}
    assert found["decaps"].undone(found["encaps"].outputs) == {"ciphertext": "msg"}  # both give the secret
    assert found["derive"].needed == ("key",) and found["derive"].needed_with({"key": 32, "pub": 32}) == ("key", "pub")
    assert found["verify"].outputs == () and found["verify"].proof == "decides"


@pytest.mark.parametrize(
    ("case", "inputs", "room"),
    [
        (Case("sha-256", "hash", 7), {"msg": bytes(7)}, 32),
        (Case("aes-128-gcm", "seal", 7), {"msg": bytes(7)}, 23),
        (Case("aes-128-gcm", "open", 7), {"msg": bytes(7), "tag": bytes(16)}, 7),
        (Case("ecdsa-p256-sha256", "sign"), {"msg": bytes(32)}, 72),
        (Case("ed25519", "verify"), {"msg": bytes(32)}, 0),
        (Case("no-such", "hash", 7), {"msg": bytes(7)}, None),
    ],
)
def test_room_of_an_output(case: Case, inputs: dict[str, bytes], room: int | None) -> None:
    assert output_room(case, inputs) == room


def test_a_length_that_nobody_states_is_told() -> None:
    with pytest.raises(UsageError, match="'digest', which is not given"):
        load_verbs(ROOT)["hash"].output_bytes({"msg": b""}, {})


def test_what_is_written_from_the_verbs_is_in_the_checkout() -> None:
    catalogue = load_catalogue(ROOT)
    assert (ROOT / "sdk/c/src/verbs.h").read_text() == c_table(catalogue.verbs, catalogue.lengths)
    assert protocol_table(catalogue.verbs) in (ROOT / "protocol/PROTOCOL.md").read_text()


def test_the_table_of_the_sdk_has_needed_inputs_first(tmp_path: Path) -> None:
    table = c_table(load_verbs(written(tmp_path, GOOD)), {"toy": {"key": 16, "sig": 64, "digest": 20}})
    assert '{"seal", {"key", "msg", "iv"}, 2, 3},' in table
    assert '{"toy", "key", 16},' in table and '"sig"' not in table and '"digest"' not in table


def written(folder: Path, text: str) -> Path:
    (folder / "algorithms").mkdir()
    (folder / "algorithms" / "verbs.toml").write_text(text)
    return folder


def test_a_good_file_loads(tmp_path: Path) -> None:
    verb = load_verbs(written(tmp_path, GOOD))["seal"]
    assert verb.output_bytes({"msg": bytes(10)}, {"tag": 16}) == 30


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("[verb.seal]", "[verb.Seal]", "not a verb's name"),
        ('"key", "iv", "msg"]', '"key", "key", "msg"]', "inputs[1]"),
        ('optional = ["iv"]', 'optional = ["nonce"]', "'nonce' is not one of them"),
        ('secret = ["key"]', 'secret = ["password"]', "'password' is not one of them"),
        ('secret = ["key"]', "secret = []", "nothing is secret"),
        ('declassified = ["tag"]', 'declassified = ["key"]', "'key' is not one of them"),
        ('room = "msg + tag + 4"', 'room = "msg + digest"', "neither an input nor an output"),
        ('proof = "known-answer"', 'proof = "decides"', "with 2 outputs"),
        ('proof = "known-answer"', 'proof = "trust"', "proof"),
        ('proof = "known-answer"', 'proof = "known-answer"\nrejects = "maybe"', "rejects"),
        ('proof = "known-answer"', 'proof = "known-answer"\nundoes = "seel"', "'seel' is not one of them"),
        ('proof = "known-answer"', 'proof = "known-answer"\nundoes = "unseal"\n' + UNSEALED, "are no inputs of it"),
    ],
)
def test_mistakes_are_one_line(tmp_path: Path, old: str, new: str, says: str) -> None:
    assert old in GOOD
    with pytest.raises(DataError) as caught:
        load_verbs(written(tmp_path, GOOD.replace(old, new, 1)))
    assert says in str(caught.value) and "\n" not in caught.value.message and "verbs.toml" in caught.value.message


def test_a_verb_is_added_in_one_place(tmp_path: Path) -> None:
    """The guide's verb, appended to a copy of the data: nothing else is touched, and all that is made of the file knows it."""
    page = (ROOT / "docs" / "guides" / "add-a-verb.md").read_text()
    (text,) = re.findall(r"```toml\n(.*?)```", page, re.DOTALL)
    shutil.copytree(ROOT / "algorithms", tmp_path / "algorithms")
    with (tmp_path / "algorithms" / "verbs.toml").open("a") as file:
        file.write(f"\n{text}")
    before, after = load_catalogue(ROOT), load_catalogue(tmp_path)
    assert set(after.verbs) - set(before.verbs) == {"expand"} and set(after.operations) == set(before.operations)
    verb = after.verbs["expand"]
    assert verb.needed == ("key",) and verb.output_bytes({"key": bytes(32)}, {"okm": 42}) == 42
    lines = set(c_table(after.verbs, after.lengths).splitlines()) - set(
        c_table(before.verbs, before.lengths).splitlines()
    )
    assert {line.strip() for line in lines} == {'{"expand", {"key", "info"}, 1, 2},'}
