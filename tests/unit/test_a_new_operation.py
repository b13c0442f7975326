# SPDX-License-Identifier: Apache-2.0
"""The guide's operation, added to a copy of the checkout by one new folder: it is listed, timed inputs are made, a worker is proven by it and measured. And mistakes in such a folder."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from scripts import ROOT, CommandLine, bare_root, cells, summary

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.vectors import load_vectors
from cipherstone.model.errors import DataError
from cipherstone.operations.algorithm_folders import checkout_code, load_folder_code

PAGE = (ROOT / "docs" / "guides" / "add-an-operation.md").read_text()
NAMES = {"toml": "algorithm.toml", "python": "oracle.py", "json": "vectors.json"}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A checkout with data of its own, and the guide's folder in it."""
    root = bare_root(tmp_path / "checkout")
    (root / "algorithms").unlink()
    shutil.copytree(ROOT / "algorithms", root / "algorithms")
    folder = root / "algorithms" / "sha-512-224"
    folder.mkdir()
    for kind, name in NAMES.items():
        (text,) = re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL)
        (folder / name).write_text(text)
    return root


@pytest.fixture
def worker(tmp_path: Path) -> Path:
    """The guide's worker with its own row for the operation."""
    text = (ROOT / "docs" / "guides" / "hashlib_worker.py").read_text()
    assert {"sha-256/hash", "hashlib.sha256"} <= set(re.findall(r"sha-256/hash|hashlib\.sha256", text))
    path = tmp_path / "cs-hashlib"
    path.write_text(
        text.replace("sha-256/hash", "sha-512-224/hash").replace("hashlib.sha256(", 'hashlib.new("sha512_224", ')
    )
    path.chmod(0o755)
    return path


def test_a_folder_is_an_operation(copy: Path, worker: Path, new_cli: Callable[..., CommandLine]) -> None:
    before, after = load_catalogue(ROOT), load_catalogue(copy)
    assert set(after.operations) - set(before.operations) == {"sha-512-224/hash"}
    new = after.operations["sha-512-224/hash"]
    like = before.operations["sha-512/hash"]
    assert (new.family, new.timed, new.sizes) == (like.family, like.timed, like.sizes)
    listed = list(after.operations)
    assert after.operations[listed[listed.index("sha-512-224/hash") - 1]].family == "hash"  # it stands with its family
    cli = new_cli("operation", copy)
    checked = cli("check", "--worker", worker, "--format", "json", "--cache", cli.cache).no_trace()
    assert checked.code == 0 and '"sha-512-224/hash"' in checked.out, checked.out + checked.err
    done = cli.measure("--base", "hashlib", "--op", "sha-512-224/hash", "--worker", worker).no_trace()
    assert done.code == 0, done.err
    assert {cell.outcome for cell in cells(summary(done)).values()} == {"ok"}


def test_a_wrong_answer_is_not_timed(copy: Path, worker: Path, new_cli: Callable[..., CommandLine]) -> None:
    worker.write_text(worker.read_text().replace('"sha512_224"', '"sha3_224"'))
    cli = new_cli("operation", copy)
    assert cli("check", "--worker", worker, "--cache", cli.cache).no_trace().code == 4


@pytest.mark.parametrize(
    ("name", "old", "new", "says"),
    [
        ("algorithm.toml", 'id = "sha-512-224"', 'id = "sha512224"', "algorithms/sha-512-224/algorithm.toml: algorithm: is not"),
        ("algorithm.toml", 'family = "hash"', 'family = "hashes"', "'hash' is not a verb"),
        ("algorithm.toml", 'verb = "hash"', 'verb = "mac"', "'mac' is not a verb"),
        ("oracle.py", '"hash"', '"hush"', "algorithms/sha-512-224/oracle.py: COMPUTE: 'hush' is not a verb of sha-512-224"),
        ("oracle.py", "COMPUTE = ", "COMPUTED = ", "algorithms/sha-512-224/oracle.py: COMPUTE: 'hash' is missing"),
        ("oracle.py", "SHA512", "SHA513", "algorithms/sha-512-224/oracle.py: cannot be read"),
        ("oracle.py", "COMPUTE = {", "COMPUTE = ", "algorithms/sha-512-224/oracle.py: cannot be read"),
        ("vectors.json", '"algorithm": "sha-512-224"', '"algorithm": "sha-512"', "sha-512-224/vectors.json: algorithm: 'sha-512'"),
    ],
)  # fmt: skip
def test_mistakes_are_one_line(copy: Path, name: str, old: str, new: str, says: str) -> None:
    path = copy / "algorithms" / "sha-512-224" / name
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new, 1))
    with pytest.raises(DataError) as caught:
        load_folder_code(copy)
        load_vectors(copy, "sha-512-224")
    assert says in caught.value.message and "\n" not in caught.value.message


def test_no_oracle_no_operation(copy: Path) -> None:
    (copy / "algorithms" / "sha-512-224" / "oracle.py").unlink()
    with pytest.raises(DataError, match=r"algorithms/sha-512-224/oracle\.py: is missing"):
        load_folder_code(copy)


def test_what_a_folder_computes(copy: Path) -> None:
    """By the operation's id, and the inputs that it gives, for its own algorithm alone."""
    path = copy / "algorithms" / "sha-512-224" / "oracle.py"
    path.write_text(path.read_text() + 'INPUTS = {"msg": b"given"}\n')
    own = load_folder_code(copy)
    assert own.inputs == checkout_code().inputs | {("sha-512-224", "msg"): b"given"}
    for vector in load_vectors(copy, "sha-512-224").vectors:
        assert own.compute["sha-512-224/hash"](vector.inputs) == vector.output


def test_an_algorithm_is_one_place(copy: Path) -> None:
    shutil.copytree(copy / "algorithms" / "sha-512-224", copy / "algorithms" / "sha-512-225")
    with pytest.raises(
        DataError, match=r"algorithms/sha-512-225/algorithm\.toml: algorithm: is not 'sha-512-225' alone"
    ):
        load_catalogue(copy)


def test_inputs_of_its_own(copy: Path, new_cli: Callable[..., CommandLine]) -> None:
    """What a folder gives is timed in place of the stream, and proven."""
    path = copy / "algorithms" / "sha-512-224" / "oracle.py"
    path.write_text(path.read_text() + 'INPUTS = {"msg": b"given"}\n')
    cli = new_cli("ask", copy)
    (cli.home / "ask.py").write_text(
        "from cipherstone.model.ids import Case\nfrom cipherstone.operations.inputs import timed_inputs, timed_output\n"
        'case = Case("sha-512-224", "hash", 16384)\n'
        "print(timed_inputs(case)['msg'].data.decode(), timed_output(case).hex())\n"
    )
    cli.module = "ask"
    assert cli().no_trace().out.split() == ["given", hashlib.new("sha512_224", b"given").hexdigest()]


SCHEME = """
from cipherstone.operations.elliptic import x25519

SCHEME = x25519()
"""


@pytest.fixture
def scheme(copy: Path) -> Path:
    """The folder of an algorithm with key pairs: X25519 by another name."""
    folder = copy / "algorithms" / "montgomery"
    folder.mkdir()
    (folder / "algorithm.toml").write_text(
        'family = "dh"\n[[algorithm]]\nid = "montgomery"\ntitle = "M"\nstandard = "RFC 7748"\nkeys = "key: 32 bytes"\n'
        "lengths = { key = 32, pub = 32, secret = 32 }\n"
        'operations = [{ verb = "derive", title = "M agreement" }, { verb = "keygen", title = "M key generation" }]\n'
    )
    (folder / "oracle.py").write_text(SCHEME)
    return folder


def test_key_pairs_of_a_folder(scheme: Path) -> None:
    found = load_folder_code(scheme.parents[1]).schemes["montgomery"]
    (key, pub), (_, peer) = found.key_pair(0), found.key_pair(-1)
    assert found.due["derive"]({"key": key, "pub": peer}) and found.judge["keygen"]({}, key + pub, None) == ""
    assert found.judge["keygen"]({}, key + peer, None) == "the public key is not the private one's"


@pytest.mark.parametrize(
    ("appended", "says"),
    [
        ("SCHEME = SCHEME._replace(due={})", "SCHEME: due: 'derive' is missing"),
        ("SCHEME = SCHEME._replace(judge={})", "SCHEME: judge: 'keygen' is missing"),
        ('SCHEME = SCHEME._replace(make={"sign": None})', "SCHEME: make: 'sign' is not a verb of montgomery"),
        ("SCHEME = x25519", "SCHEME: function is no Scheme"),
    ],
)
def test_mistakes_in_a_scheme_are_one_line(scheme: Path, appended: str, says: str) -> None:
    (scheme / "oracle.py").write_text(SCHEME + appended + "\n")
    with pytest.raises(DataError) as caught:
        load_folder_code(scheme.parents[1])
    assert f"algorithms/montgomery/oracle.py: {says}" in caught.value.message and "\n" not in caught.value.message
