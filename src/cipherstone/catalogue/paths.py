# SPDX-License-Identifier: Apache-2.0
"""Where the data beside the code lies."""

from __future__ import annotations

from pathlib import Path

from cipherstone.model.errors import DataError

_MARKERS = ("algorithms", "libraries", "suites", "vectors")


def data_root() -> Path:
    """The checkout that holds this package: the folder of `algorithms/`, `libraries/`, `suites/`, `vectors/` and `sdk/`. Raises DataError."""
    root = Path(__file__).resolve().parents[3]
    for name in _MARKERS:
        if not (root / name).is_dir():
            raise DataError(f"data folder: {root}: '{name}' is missing", "install the checkout with `pip install -e .`")
    return root
