# SPDX-License-Identifier: Apache-2.0
"""Which bundle a person means: a path, a run id, the beginning of one, a name that a run was given, `latest`, `latest~1`."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from pathlib import Path

from cipherstone.model.errors import StoreError, UsageError, nearest
from cipherstone.model.outcomes import RunStatus
from cipherstone.model.text import UNREADABLE, brief
from cipherstone.store.layout import MANIFEST, store_errors
from cipherstone.store.manifest_head import ManifestHead, read_head

_LATEST = re.compile(r"latest(?:~([0-9]+))?\Z")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9._-]{0,63}\Z")


def bundle_folders(root: Path) -> list[Path]:
    """The bundles in `root`, by name; empty if there is no such folder. What is a link is none of them: it may lead out of a folder that was received. Raises StoreError if it cannot be read."""
    if not root.is_dir():
        return []
    with store_errors("results folder", root):
        return sorted(path for path in root.iterdir() if (path / MANIFEST).is_file() and not path.is_symlink())


def find_bundle(root: Path, text: str, *, to_resume: bool = False) -> Path:
    """The folder of the bundle that `text` names, in `root` unless it is a path of its own. Raises StoreError with what there is instead.

    `latest` is the newest run that is finished and was measured here; unfinished runs and imported figures are older than all of these. `to_resume`: it is the newest of any kind.
    """
    if len(os.fsencode(text)) > 4000 or max(map(len, os.fsencode(text).split(b"/"))) > 255:
        raise StoreError(
            f"run: '{brief(text)}': a path and its parts are shorter", "name the folder of a run, a run id, or `latest`"
        )
    as_path = Path(text)
    if text and (as_path / MANIFEST).is_file():
        return as_path
    folders = bundle_folders(root)
    if match := _LATEST.match(text):
        back = int(match.group(1) or 0)
        by_age = sorted(
            folders, key=lambda folder: (to_resume or _whole(_head(folder)), _head(folder).moment, folder.name)
        )
        if back < len(by_age):
            return by_age[-1 - back]
        there = f"{len(by_age)} runs in {root}" if by_age else f"no run in {root}"
        if left := [path.name for path in root.glob("*") if path.is_symlink() and (path / MANIFEST).is_file()]:
            raise StoreError(
                f"run: '{text}': {there}, and links are not counted ({', '.join(left[:5])})", "name a link by its path"
            )
        raise StoreError(f"run: '{text}': {there}", "" if by_age else "make one with `cipherstone run`")
    names = {folder.name: folder for folder in folders}
    if text in names:
        return names[text]
    called = [folder for folder in folders if text and _head(folder).name == text]
    if called:
        return max(called, key=lambda folder: (_head(folder).moment, folder.name))
    starting = [name for name in names if text and name.startswith(text)]
    if len(starting) == 1:
        return names[starting[0]]
    if starting:
        shown = ", ".join(starting[:5]) + (", ..." if len(starting) > 5 else "")
        raise StoreError(f"run: '{text}' is the beginning of {len(starting)} runs: {shown}", "write more of the id")
    if text and Path(text).name == text and (root / text).is_symlink():
        raise StoreError(f"run: '{text}': a link in {root}", f"name it by its path: {root / text}")
    if text and as_path.exists():
        raise StoreError(f"run: '{text}': no {MANIFEST} there", "name the folder of a run, a run id, or `latest`")
    given = {_head(folder).name for folder in folders} - {""}
    raise StoreError(f"run: '{text}': not found in {root}", nearest(text, [*names, *given, "latest"]))


def checked_name(text: str, taken: Collection[str] = ()) -> str:
    """A name for a run. Raises UsageError for one that could mean something else; `taken`: names of libraries."""
    if not _NAME.match(text) or text.startswith("latest"):
        raise UsageError(
            f"--name: '{text}' is no name of a run", "a letter, then letters, digits, '.', '_' and '-'; not latest"
        )
    if text in taken:
        raise UsageError(f"--name: '{text}' is the name of a library", "`compare` could not tell which is meant")
    return text


def remarks_on(root: Path, text: str, found: Path) -> list[str]:
    """What a person who wrote `text` should know of the run that was taken, one line each: unfinished, of several with one name, or one that the newest has nothing to do with."""
    folders, head = bundle_folders(root), _head(found)
    said = []
    if head.name and head.name == text:
        several = sum(_head(folder).name == text for folder in folders)
        said += [f"{several} runs are called {text}: {found.name} is the newest"] if several > 1 else []
    match = _LATEST.match(text)
    if match:
        said += ["holds figures of another program"] if head.foreign else []
    if not head.foreign and head.status and head.status != RunStatus.FINISHED:
        said.append("was interrupted" if head.status == RunStatus.INTERRUPTED else "is not finished, or was killed")
    if match and not int(match.group(1) or 0) and (newer := find_bundle(root, text, to_resume=True)) != found:
        why = "holds figures of another program" if _head(newer).foreign else "is not finished"
        said.append(f"the newest that is finished; {newer.name} {why}")
    if match and int(match.group(1) or 0):
        said += _unlike(head, _head(find_bundle(root, "latest")))
    return said


def _whole(head: ManifestHead) -> bool:
    """Whether a run is finished, as far as it says, and holds our own figures."""
    return not head.foreign and head.status == RunStatus.FINISHED


def _unlike(one: ManifestHead, newest: ManifestHead) -> list[str]:
    said = []
    if one.machine.fingerprint != newest.machine.fingerprint:
        said.append("was measured on another machine than the latest")
    if one.method != newest.method:
        said.append("was measured by another method than the latest")
    cases, latest = one.cases, newest.cases
    if not cases & latest:
        said.append("shares no operation and size with the latest")
    elif cases != latest:
        said.append(f"shares {len(cases & latest)} of {len(cases | latest)} operations and sizes with the latest")
    return said


def _head(folder: Path) -> ManifestHead:
    """What the manifest says; nothing if it cannot be read."""
    try:
        return read_head(folder)
    except (OSError, *UNREADABLE):
        return ManifestHead()
