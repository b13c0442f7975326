# SPDX-License-Identifier: Apache-2.0
"""Bytes that two parties send: the standards' numbers, those that the proofs' own inputs have, and the same in every output."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path

import msgspec
import pytest

from cipherstone.catalogue.algorithms import catalogue_of_checkout
from cipherstone.catalogue.libraries import load_labs, load_libraries
from cipherstone.catalogue.paths import data_root
from cipherstone.cli.filtering import narrowed
from cipherstone.model.ids import Case
from cipherstone.model.summary import RunSummary
from cipherstone.operations.inputs import timed_inputs
from cipherstone.report.export.csv import export_csv
from cipherstone.report.export.json import export_json
from cipherstone.report.render.html import render_html
from cipherstone.report.render.markdown import render_markdown
from cipherstone.report.render.terminal import render_terminal
from cipherstone.store.summary_tables import result_tables
from cipherstone.views.derive import WITH_PUBLIC_KEYS, derive

sys.path.insert(0, str(Path(__file__).parents[1] / "browser"))
import sample_summary as sample

# FIPS 203 table 3, FIPS 204 table 2, FIPS 205 table 2, RFC 8032, RFC 7748: public key, ciphertext, signature.
STANDARDS = {
    "ml-kem-512": (800, 768, None),
    "ml-kem-768": (1184, 1088, None),
    "ml-kem-1024": (1568, 1568, None),
    "x25519mlkem768": (1216, 1120, None),
    "ml-dsa-44": (1312, None, 2420),
    "ml-dsa-65": (1952, None, 3309),
    "ml-dsa-87": (2592, None, 4627),
    "slh-dsa-sha2-128f": (32, None, 17088),
    "slh-dsa-sha2-128s": (32, None, 7856),
    "ed25519": (32, None, 64),
    "ed448": (57, None, 114),
    "x25519": (32, None, None),
    "x448": (56, None, None),
}


@pytest.mark.parametrize("algorithm", STANDARDS)
def test_lengths_are_those_of_the_standards(algorithm: str) -> None:
    (one, *_) = (o for o in catalogue_of_checkout().operations.values() if o.algorithm == algorithm)
    assert one.family in WITH_PUBLIC_KEYS
    assert (one.lengths.get("pub"), one.lengths.get("ciphertext"), one.lengths.get("sig")) == STANDARDS[algorithm]


def test_lengths_are_those_of_what_is_sent() -> None:
    """The inputs of the proofs are real keys, ciphertexts and signatures: DER signatures may be shorter than the longest."""
    looked = 0
    for operation in catalogue_of_checkout().operations.values():
        if operation.family in WITH_PUBLIC_KEYS and operation.verb in ("verify", "decaps", "encaps"):
            given = timed_inputs(Case(operation.algorithm, operation.verb, operation.headline_size, operation.params))
            for name, value in given.items():
                if name in ("pub", "ciphertext", "sig") and name in operation.lengths:
                    longest = operation.lengths[name]
                    assert longest - (8 if name == "sig" else 0) <= len(value.data) <= longest, (operation.id, name)
                    looked += 1
    assert looked > 30


def derive_all(one: RunSummary, root: Path) -> RunSummary:
    return derive(one, root, load_libraries(root) | load_labs(root))


def run() -> RunSummary:
    return derive_all(sample.sample_run(), data_root())


def test_a_run_without_public_keys_says_nothing() -> None:
    plain = sample.sample_run()
    assert plain.wire_sizes == () and "two parties send" not in render_terminal(plain, 80, False)


def test_every_output_has_them() -> None:
    found = run()
    sizes = {one.algorithm: (one.public_key, one.ciphertext, one.signature) for one in found.wire_sizes}
    assert sizes and all(value == STANDARDS[name] for name, value in sizes.items() if name in STANDARDS)
    name = next(name for name in sizes if sizes[name][2])
    title = next(one.title for one in found.wire_sizes if one.algorithm == name)
    for text in (render_terminal(found, 80, False), render_markdown(found)):
        (line,) = (line for line in text.splitlines() if title in line and str(sizes[name][2]) in line and "B" not in line.split()[0])  # fmt: skip
        assert str(sizes[name][0]) in line
    assert "How many bytes do two parties send" in render_html(found, (), "x")
    assert json.loads(export_json(found))["wire_sizes"][0]["public_key"] == found.wire_sizes[0].public_key
    rows = [row for row in csv.DictReader(io.StringIO(export_csv(found))) if row["metric"] == "signature_bytes"]
    assert {(row["operation"].partition("/")[0], int(float(row["value"])), row["lane"]) for row in rows} == {
        (one.algorithm, one.signature, "") for one in found.wire_sizes if one.signature
    }
    assert [row["public_key_bytes"] for row in result_tables(found)["wire_sizes"]] == [one.public_key for one in found.wire_sizes]  # fmt: skip


def test_a_part_of_a_run_has_its_own_alone() -> None:
    """A filter leaves out what it leaves no case of; a size of no case, as an edited run may have, has no row."""
    whole = run()
    (kept, *others) = [one.algorithm for one in whole.wire_sizes]
    part = narrowed(whole, f"algorithm:{kept}", catalogue_of_checkout())
    assert others and [one.algorithm for one in part.wire_sizes] == [kept]
    edited = msgspec.structs.replace(part, wire_sizes=whole.wire_sizes)
    for one in (part, edited):
        rows = csv.DictReader(io.StringIO(export_csv(one)))
        named = {row["operation"].partition("/")[0] for row in rows if row["metric"] == "public_key_bytes"}
        assert named == {kept}


def test_a_filter_finds_cases_under_a_condition() -> None:
    whole = run()
    case = next(case for case in whole.cases if case.verb == "seal")
    operation = f"{case.operation}/aad=64"
    under = msgspec.structs.replace(case, case=f"{case.case},aad=64", operation=operation)
    both = msgspec.structs.replace(whole, cases=(*whole.cases, under))
    assert [one.operation for one in narrowed(both, "aad:64", catalogue_of_checkout()).cases] == [operation]
    left = {one.operation for one in narrowed(both, "aad:13 verb:seal", catalogue_of_checkout()).cases}
    assert case.operation in left and operation not in left
