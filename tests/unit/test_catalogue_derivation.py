# SPDX-License-Identifier: Apache-2.0
"""Key derivation: the oracle against second ones, and answers at other costs than the timed ones."""

from __future__ import annotations

import hashlib

import pytest
from argon2_python import argon2id as plain_argon2id
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from scripts import ROOT

from cipherstone.catalogue.algorithms import catalogue_of_checkout
from cipherstone.catalogue.vectors import load_vectors
from cipherstone.model.errors import DataError, UsageError
from cipherstone.operations import oracle
from cipherstone.operations.argon2 import argon2id
from cipherstone.operations.inputs import timed_inputs

HASHES = {"1": "sha1", "256": "sha256", "512": "sha512"}


def test_argon2id_of_the_rfc_in_plain_python() -> None:
    """RFC 9106 section 5.3, which has a secret value and associated data: the plain Python is right by it."""
    tag = plain_argon2id(b"\x01" * 32, b"\x02" * 16, 32, 32, 3, 4, b"\x03" * 8, b"\x04" * 12)
    assert tag.hex() == "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659"


@pytest.mark.parametrize(
    ("memory", "passes", "lanes", "password"),
    [(8, 1, 1, b""), (9, 1, 1, b"a"), (32, 3, 4, b"\x01" * 32), (64, 2, 1, b"password"), (100, 2, 3, b"\xff" * 129), (1100, 1, 2, b"p")],
)  # fmt: skip
def test_the_reference_of_argon2id_against_plain_python(memory: int, passes: int, lanes: int, password: bytes) -> None:
    """A measured library shares the reference's code; this shares none."""
    salt = bytes(range(16))
    assert argon2id(password, salt, 32, memory, passes, lanes) == plain_argon2id(
        password, salt, 32, memory, passes, lanes
    )


def test_the_reference_refuses_in_one_line() -> None:
    with pytest.raises(ValueError, match="alt"):
        argon2id(b"password", b"short", 32, 64, 1, 1)
    with pytest.raises(UsageError, match=r"argon2id/derive/m=1,t=1,p=1"):
        oracle.expected_output("argon2id/derive/m=1,t=1,p=1", {"key": b"password", "salt": b"\x00" * 16})


def test_every_published_answer_by_a_second_program() -> None:
    seen = 0
    for bits in ("256", "512"):
        for vector in load_vectors(ROOT, f"hkdf-sha-{bits}").vectors:
            given = vector.inputs
            made = HKDF(
                hashes.SHA256() if bits == "256" else hashes.SHA512(), int(bits) // 8, given["salt"], given["info"]
            )
            assert made.derive(given["key"]) == vector.output, vector.id
            seen += 1
    for bits, name in HASHES.items():
        for vector in load_vectors(ROOT, f"pbkdf2-hmac-sha-{bits}").vectors:
            assert vector.output is not None
            rounds = int(vector.params["iterations"])
            made_of = hashlib.pbkdf2_hmac(name, vector.inputs["key"], vector.inputs["salt"], rounds, len(vector.output))
            assert made_of == vector.output, vector.id
            seen += 1
    for vector in load_vectors(ROOT, "scrypt").vectors:
        n, r, p = (int(vector.params[key]) for key in ("n", "r", "p"))
        made_of = hashlib.scrypt(
            vector.inputs["key"], salt=vector.inputs["salt"], n=n, r=r, p=p, maxmem=1 << 28, dklen=64
        )
        assert made_of == vector.output, vector.id
        seen += 1
    assert seen > 100


def test_answers_at_other_costs_prove_every_operation() -> None:
    """Costs of a known answer are those that it was published with; they are parameters that the oracle is given."""
    catalogue = catalogue_of_checkout()
    vectors = load_vectors(ROOT, "scrypt").vectors
    assert {vector.params["n"] for vector in vectors} > {"16", "1024"}
    for operation in catalogue.listed("scrypt/derive"):
        assert all(operation.answers(vector.params) for vector in vectors)
        assert not operation.answers({"n": "16", "r": "1"}) and not operation.answers({})
    given = {"key": b"password", "salt": b"NaCl"}
    small, smaller = (oracle.expected_output(f"scrypt/derive/n={n},r=1,p=1", given) for n in (4, 2))
    assert small != smaller and small is not None and len(small) == 64
    for wrong in ("scrypt/derive/n=16", "scrypt/derive/n=16,r=1,q=1", "hkdf-sha-256/derive/n=16"):
        with pytest.raises(UsageError, match="is not known"):
            oracle.expected_output(wrong, given)


def test_only_parameters_may_vary(tmp_path: object) -> None:
    from cipherstone.catalogue.algorithms import Operation  # noqa: F401 - the loader below is what is tested

    with pytest.raises(DataError, match="varied: 'q' is not a parameter"):
        _load_with("scrypt", 'varied = ["n", "r", "p"]', 'varied = ["q"]')


def _load_with(algorithm: str, old: str, new: str) -> None:
    import shutil
    import tempfile
    from pathlib import Path

    from cipherstone.catalogue.algorithms import load_catalogue

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        shutil.copytree(ROOT / "algorithms", root / "algorithms")
        path = root / "algorithms" / algorithm / "algorithm.toml"
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))
        load_catalogue(root)


def test_what_is_timed() -> None:
    catalogue = catalogue_of_checkout()
    expand = timed_inputs(catalogue.operation("hkdf-sha-256/derive").headline)
    assert {name: len(value.data) for name, value in expand.items()} == {"key": 32, "salt": 32, "info": 54}
    for name in ("pbkdf2-hmac-sha-1/derive/iterations=1000", "argon2id/derive/m=19456,t=2,p=1"):
        given = timed_inputs(catalogue.operation(name).headline)
        assert {key: len(value.data) for key, value in given.items()} == {"key": 32, "salt": 16}
