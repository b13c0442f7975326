# SPDX-License-Identifier: Apache-2.0
"""Where the data beside the code lies."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from cipherstone.model.errors import DataError

_MARKERS = ("algorithms", "libraries", "references", "suites", "vectors")


@lru_cache(maxsize=1)
def data_root() -> Path:
    """The folder of `algorithms/`, `libraries/`, `references/`, `suites/`, `vectors/` and `sdk/`: the checkout that holds this package, or what an installed wheel has of it, looked for once a process. Raises DataError."""
    package = Path(__file__).resolve().parents[1]
    root = package / "data" if (package / "data").is_dir() else package.parents[1]
    for name in _MARKERS:
        if not (root / name).is_dir():
            raise DataError(f"data folder: {root}: '{name}' is missing", "install the checkout with `pip install -e .`")
    return root
