# SPDX-License-Identifier: Apache-2.0
"""Which bundle a person means: a path, a run id, the beginning of one, `latest`, `latest~1`."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from cipherstone.model.errors import StoreError, nearest
from cipherstone.store.layout import MANIFEST, read_small, store_errors

_LATEST = re.compile(r"latest(?:~([0-9]+))?\Z")


class _Created(msgspec.Struct):
    created: str


def bundle_folders(root: Path) -> list[Path]:
    """The bundles in `root`, by name; empty if there is no such folder. Raises StoreError if it cannot be read."""
    if not root.is_dir():
        return []
    with store_errors("results folder", root):
        return sorted(path for path in root.iterdir() if (path / MANIFEST).is_file())


def find_bundle(root: Path, text: str) -> Path:
    """The folder of the bundle that `text` names, in `root` unless it is a path of its own. Raises StoreError with what there is instead."""
    as_path = Path(text)
    if text and (as_path / MANIFEST).is_file():
        return as_path
    folders = bundle_folders(root)
    if match := _LATEST.match(text):
        back = int(match.group(1) or 0)
        by_age = sorted(folders, key=lambda folder: (_created(folder), folder.name))
        if back < len(by_age):
            return by_age[-1 - back]
        there = f"{len(by_age)} runs in {root}" if by_age else f"no run in {root}"
        raise StoreError(f"run: '{text}': {there}", "" if by_age else "make one with `cipherstone run`")
    names = {folder.name: folder for folder in folders}
    if text in names:
        return names[text]
    starting = [name for name in names if text and name.startswith(text)]
    if len(starting) == 1:
        return names[starting[0]]
    if starting:
        shown = ", ".join(starting[:5]) + (", ..." if len(starting) > 5 else "")
        raise StoreError(f"run: '{text}' is the beginning of {len(starting)} runs: {shown}", "write more of the id")
    if text and as_path.exists():
        raise StoreError(f"run: '{text}': no {MANIFEST} there", "name the folder of a run, a run id, or `latest`")
    raise StoreError(f"run: '{text}': not found in {root}", nearest(text, [*names, "latest"]))


def _created(folder: Path) -> datetime:
    """When a run began; runs whose manifest does not say so count as the oldest."""
    try:
        created = msgspec.json.decode(read_small(folder / MANIFEST), type=_Created).created
        moment = datetime.fromisoformat(created)
    except (OSError, msgspec.MsgspecError, ValueError, RecursionError):
        return datetime.min.replace(tzinfo=UTC)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
