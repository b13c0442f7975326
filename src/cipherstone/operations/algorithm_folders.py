# SPDX-License-Identifier: Apache-2.0
"""What `oracle.py` in the folder of each algorithm, `algorithms/NAME/`, computes. Found by the folder, named nowhere."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

from cipherstone.catalogue.algorithms import Catalogue, catalogue_at, catalogue_of_checkout
from cipherstone.catalogue.paths import data_root
from cipherstone.model.errors import DataError, nearest
from cipherstone.model.later import by_ctypes, undisturbed
from cipherstone.operations.scheme import Scheme

FILE = "oracle.py"
Inputs = Mapping[str, bytes]
Members = tuple[Callable[[int], dict[str, bytes]], int]  # further inputs by number, and how many there are
Given = bytes | Callable[[Mapping[str, str]], bytes | None]


class FolderCode(NamedTuple):
    """`compute`: by `ALGORITHM/VERB[/NAME=VALUE...]`, the output that inputs must give; ValueError where they are no inputs of it. `at`: of algorithms with parameters, by `ALGORITHM/VERB`, the same with the parameters as a second argument (text by name). `inputs`: by algorithm and name, bytes to time with (or a function of the parameters that gives them, or None for an optional input that they leave out) where a stream of the stated length will not do.
    `members`: by algorithm and verb, further inputs where other messages will not do.
    `schemes`: of algorithms with key pairs, which compute nothing else."""

    compute: dict[str, Callable[[Inputs], bytes]]
    inputs: dict[tuple[str, str], Given]
    schemes: dict[str, Scheme]
    at: dict[str, Callable[[Inputs, Mapping[str, str]], bytes]]
    members: dict[tuple[str, str], Members]


@lru_cache(maxsize=256)
def folder_code(algorithm: str) -> FolderCode:
    """Of one algorithm of the checkout that holds this package, without those of others: what all of them import takes longer than a short run needs for one. Empty for an algorithm that the catalogue does not have, such as a kernel."""
    catalogue, found = catalogue_of_checkout(), FolderCode({}, {}, {}, {}, {})
    if algorithm in catalogue.algorithms:
        _add(data_root() / "algorithms" / algorithm, catalogue, found)
    return found


@lru_cache(maxsize=1)
def checkout_code() -> FolderCode:
    """Of the checkout that holds this package, read once a process."""
    return load_folder_code(data_root())


def load_folder_code(root: Path) -> FolderCode:
    """Of every folder in `algorithms/` under `root`. Raises DataError: one line, the first thing that is wrong."""
    found, catalogue = FolderCode({}, {}, {}, {}, {}), catalogue_at(root)
    for algorithm in sorted(catalogue.algorithms):
        _add(root / "algorithms" / algorithm, catalogue, found)
    return found


def _add(folder: Path, catalogue: Catalogue, found: FolderCode) -> None:
    algorithm, name = folder.name, f"algorithms/{folder.name}/{FILE}"
    said = _run(folder / FILE, name)
    operations = [one for one in catalogue.operations.values() if one.algorithm == algorithm]
    verbs = dict.fromkeys(operation.verb for operation in operations)
    found.members.update({(algorithm, verb): one for verb, one in said.get("MEMBERS", {}).items()})
    scheme, compute = said.get("SCHEME"), said.get("COMPUTE", {})
    given = said.get("INPUTS", {})
    found.inputs.update({(algorithm, key): one if callable(one) else bytes(one) for key, one in given.items()})
    if scheme is not None:
        _add_scheme(name, algorithm, scheme, catalogue, verbs, found)
        return
    for verb in compute:
        if verb not in verbs:
            raise DataError(f"{name}: COMPUTE: '{verb}' is not a verb of {algorithm}", nearest(str(verb), verbs))
    for operation in operations:
        if operation.verb not in compute:
            raise DataError(
                f"{name}: COMPUTE: '{operation.verb}' is missing",
                "a function of the inputs by name that returns the output",
            )
        found.compute[operation.base_id] = (
            partial(_at, compute[operation.verb], dict(operation.params))
            if operation.params
            else compute[operation.verb]
        )
        if operation.params:
            found.at[operation.listed] = compute[operation.verb]


def _at(function: Callable[[Inputs, Mapping[str, str]], bytes], params: Mapping[str, str], inputs: Inputs) -> bytes:
    return function(inputs, params)


def _add_scheme(
    name: str, algorithm: str, scheme: object, catalogue: Catalogue, verbs: Collection[str], found: FolderCode
) -> None:
    if not isinstance(scheme, Scheme):
        raise DataError(f"{name}: SCHEME: {type(scheme).__name__} is no Scheme", "src/cipherstone/operations/scheme.py")
    for field in ("due", "make", "judge"):
        for verb in getattr(scheme, field):
            if verb not in verbs:
                raise DataError(
                    f"{name}: SCHEME: {field}: '{verb}' is not a verb of {algorithm}", nearest(str(verb), verbs)
                )
    for verb in verbs:
        described = catalogue.verbs[verb]
        judged = described.undoes or verb if described.proof == "decides" else verb
        # What decides and undoes nothing has no outputs of another verb to judge: the right answer is known: accepted or refused.
        is_due = described.proof == "known-answer" or (described.proof == "decides" and not described.undoes)
        field = "due" if is_due else "judge"
        if judged not in getattr(scheme, field):
            raise DataError(f"{name}: SCHEME: {field}: '{judged}' is missing", "what is timed is proven first")
    found.schemes[algorithm] = scheme


def _run(path: Path, name: str) -> dict[str, Any]:
    try:
        with undisturbed(), by_ctypes():
            return runpy.run_path(str(path))
    except FileNotFoundError:
        raise DataError(
            f"{name}: is missing", "what is timed is proven first: docs/guides/add-an-operation.md"
        ) from None
    except (ImportError, SyntaxError) as error:
        raise DataError(f"{name}: cannot be read: {error}", "") from None
