# SPDX-License-Identifier: Apache-2.0
"""What a verb takes, gives, hides and is proven by is written once, in algorithms/verbs.toml: the sources are searched for second lists."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.vectors import load_vectors
from cipherstone.model.errors import DataError, UsageError
from cipherstone.operations import oracle
from cipherstone.operations.algorithm_folders import checkout_code
from cipherstone.operations.inputs import timed_inputs
from cipherstone.operations.ring import member_inputs

ROOT = data_root()
CATALOGUE = load_catalogue(ROOT)
VERBS = frozenset(CATALOGUE.verbs)
INPUTS = frozenset(name for verb in CATALOGUE.verbs.values() for name in verb.inputs)
# Modules that choose among verbs, and do not say again what a verb is.
CHOICES = {
    "operations/bignum_oracle": "a function for each verb of modular arithmetic",
    "operations/bignum_inputs": "numbers that suit an operation: a square for the root, a unit for the inverse",
    "operations/symmetric": "a function for each verb of what PyCryptodome opens",
    "operations/aes_modes": "the same of modes of AES that it has not",
    "operations/block_ciphers": "the same of ciphers that it has not",
    "operations/certificates": "what is due and judged of each",
    "operations/elliptic": "what is due and judged of each",
    "operations/ephemeral": "derivation, by which an agreement is judged",
    "operations/curve448": "the same of X448 and Ed448",
    "operations/mlkem_scheme": "the same of ML-KEM",
    "operations/rsa": "the same of RSA",
    "operations/dsa": "the same of DSA",
    "operations/mldsa_scheme": "the same of ML-DSA",
    "operations/slhdsa_scheme": "the same of SLH-DSA",
    "operations/hybrid": "the same of X25519MLKEM768",
    "operations/ring": "the same for the members of a ring",
    "operations/breadth": "which of them have no random inputs, and whose key the judge has to know",
    "labs/modexp/results": "the laboratory's order of operations",
    "labs/modexp/tables": "words for its rows",
    "report/blocks/grid": "which operations get a card",
    "model/summary": "steps of a first call; two are called as verbs are",
    "report/blocks/firstcall": "the same steps",
    "imports/cryptobench": "words of another program",
    "imports/cycle_counts": "words of two more",
    "imports/documents": "words of three more",
    "imports/openssl_speed": "the order of its columns",
    "labs/footprint/ladder": "programs, of which one has the name of a verb",
    "labs/footprint/questions": "the operations whose known answers prove a program",
    "labs/footprint/speed": "the inputs of each program",
}


@cache
def sources() -> dict[str, ast.AST]:
    """Every module, by its path in the package."""
    root = ROOT / "src" / "cipherstone"
    return {
        path.relative_to(root).with_suffix("").as_posix(): ast.parse(path.read_text()) for path in root.rglob("*.py")
    }


def texts(node: ast.expr) -> list[str]:
    elements = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [])
    return [one.value for one in elements if isinstance(one, ast.Constant) and isinstance(one.value, str)]


def named_verbs(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Lists of verbs, and comparisons of something called a verb with a word: line and words."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict | ast.Tuple | ast.List | ast.Set):
            found = [text for text in texts(node) if text in VERBS]
            # `hash` and `mac` are families too, and words of other lists.
            if len(set(found) - {"hash", "mac", "empty"}) > 1:
                yield node.lineno, " ".join(found)
        if isinstance(node, ast.Compare) and ast.unparse(node.left).rpartition(".")[2] == "verb":
            words = [one.value for one in node.comparators if isinstance(one, ast.Constant)]
            words += [text for one in node.comparators for text in texts(one)]
            if VERBS & {word for word in words if isinstance(word, str)}:
                yield node.lineno, ast.unparse(node)


def named_inputs(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Lists (no dictionaries: those hold values) of two names of inputs and more, and nothing else."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            found = texts(node)
            if len(found) == len(node.elts) > 1 and set(found) <= INPUTS:
                yield node.lineno, " ".join(found)


def test_no_module_lists_verbs_or_compares_with_one_but_to_choose() -> None:
    told = {(name, text) for name, tree in sources().items() for _, text in named_verbs(tree)}
    assert {name for name, _ in told} - set(CHOICES) == set(), sorted(told)
    assert {name for name, _ in told} >= {"operations/bignum_oracle", "operations/bignum_inputs"}, (
        "the search finds what is there"
    )


def test_no_module_lists_the_inputs_of_a_verb() -> None:
    assert [(name, *one) for name, tree in sources().items() for one in named_inputs(tree)] == []


@pytest.mark.parametrize(
    ("search", "text"),
    [
        (named_verbs, 'x = {"seal": f, "open": g}'),
        (named_verbs, 'x = case.verb == "sign"'),
        (named_verbs, 'x = verb in ("open", "verify", "derive")'),
        (named_inputs, 'x = ("key", "iv", "msg")'),
    ],
)
def test_the_search_finds_a_second_list(search: object, text: str) -> None:
    assert callable(search) and list(search(ast.parse(text)))
    assert not list(search(ast.parse('x = {"name": 1, "id": 2}; y = case.verb == other')))


def test_the_oracle_and_the_timed_inputs_follow_the_verbs() -> None:
    for operation in CATALOGUE.operations.values():
        verb = CATALOGUE.verbs[operation.verb]
        needed = verb.needed_with(operation.lengths)
        given = checkout_code().inputs  # an option that an algorithm is timed with is in its folder
        timed = {n for n in verb.inputs if (operation.algorithm, n) in given}
        timed -= {
            n for n in timed if callable(f := given[operation.algorithm, n]) and f(dict(operation.params)) is None
        }
        names = tuple(n for n in verb.inputs if n in needed or n in timed)
        if operation.family == "bignum":  # without its modulus where the key holds the primes
            names = tuple(n for n in verb.inputs if n != "pub" or dict(operation.params).get("crt") != "yes")
        inputs = timed_inputs(operation.headline)
        assert set(inputs) == set(names), operation.id
        if operation.ring > 1:
            assert set(member_inputs(operation.headline, None, 1)) == set(names), operation.id
        output = oracle.expected_output(operation.id, {name: value.data for name, value in inputs.items()})
        assert (output is None) <= (verb.proof in ("verified", "round-trip")), operation.id
        assert (output == b"") >= (verb.proof == "decides"), operation.id
        for name in verb.needed:
            some = {n: value.data for n, value in inputs.items() if n != name}
            with pytest.raises(UsageError, match=f"'{name}' is missing"):
                oracle.expected_output(operation.id, some)


def test_an_input_of_stated_length_is_no_option_of_a_vector(tmp_path: Path) -> None:
    """X25519 needs the peer's value, although a derivation of another kind has none."""
    (tmp_path / "vectors").symlink_to(ROOT / "vectors")
    folder = tmp_path / "algorithms" / "x25519"
    folder.mkdir(parents=True)
    entry = '{"id": "a", "verb": "derive", "inputs": {"key": "00"}, "output": "00", "source": "x"}'
    (folder / "vectors.json").write_text('{"algorithm": "x25519", "vectors": [' + entry + "]}")
    with pytest.raises(DataError, match="'pub' is missing"):
        load_vectors(tmp_path, "x25519", CATALOGUE)
