# SPDX-License-Identifier: Apache-2.0
"""Algorithms with a folder of their own, `algorithms/NAME/`: what `oracle.py` in it computes. Found by the folder, named nowhere."""

from __future__ import annotations

import runpy
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from cipherstone.catalogue.algorithms import OWN_FILE, Catalogue, catalogue_at
from cipherstone.catalogue.paths import data_root
from cipherstone.model.errors import DataError, nearest

FILE = "oracle.py"
Inputs = Mapping[str, bytes]


class Own(NamedTuple):
    """`compute`: by `ALGORITHM/VERB`, the output that inputs must give; ValueError where they are no inputs of it. `inputs`: by algorithm and name, bytes to time with where a stream of the stated length will not do."""

    compute: dict[str, Callable[[Inputs], bytes]]
    inputs: dict[tuple[str, str], bytes]


@lru_cache(maxsize=1)
def own_of_checkout() -> Own:
    """Of the checkout that holds this package, read once a process."""
    return load_own(data_root())


def load_own(root: Path) -> Own:
    """Of every folder in `algorithms/` under `root`. Raises DataError: one line, the first thing that is wrong."""
    found = Own({}, {})
    folders = sorted(path.parent for path in (root / "algorithms").glob(f"*/{OWN_FILE}"))
    catalogue = catalogue_at(root) if folders else Catalogue({}, {})
    for folder in folders:
        _add(folder, catalogue, found)
    return found


def _add(folder: Path, catalogue: Catalogue, found: Own) -> None:
    algorithm, name = folder.name, f"algorithms/{folder.name}/{FILE}"
    said = _run(folder / FILE, name)
    operations = [one for one in catalogue.operations.values() if one.algorithm == algorithm]
    verbs = dict.fromkeys(operation.verb for operation in operations)
    compute = said.get("COMPUTE", {})
    for verb in compute:
        if verb not in verbs:
            raise DataError(f"{name}: COMPUTE: '{verb}' is not a verb of {algorithm}", nearest(str(verb), verbs))
    for operation in operations:
        if operation.verb not in compute:
            raise DataError(
                f"{name}: COMPUTE: '{operation.verb}' is missing",
                "a function of the inputs by name that returns the output",
            )
        found.compute[operation.base_id] = compute[operation.verb]
    found.inputs.update({(algorithm, key): bytes(value) for key, value in said.get("INPUTS", {}).items()})


def _run(path: Path, name: str) -> dict[str, Any]:
    try:
        return runpy.run_path(str(path))
    except FileNotFoundError:
        raise DataError(
            f"{name}: is missing", "what is timed is proven first: docs/guides/add-an-operation.md"
        ) from None
    except (ImportError, SyntaxError) as error:
        raise DataError(f"{name}: cannot be read: {error}", "") from None
