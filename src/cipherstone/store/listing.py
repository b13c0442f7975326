# SPDX-License-Identifier: Apache-2.0
"""The runs of a folder at a glance, from what their manifests and summaries begin with: nothing is verified, and a damaged run does not hide the others."""

from __future__ import annotations

import gzip
import zlib
from pathlib import Path

import msgspec

from cipherstone.model.errors import StoreError
from cipherstone.model.outcomes import RunStatus
from cipherstone.model.text import UNREADABLE, showable_struct, unreadable_text
from cipherstone.store.bundle import MAX_SUMMARY_BYTES
from cipherstone.store.find import bundle_folders
from cipherstone.store.layout import SUMMARY_GZ, open_regular
from cipherstone.store.manifest_head import ManifestHead, read_head


class ListedRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run as it is listed. `id`: the name of its folder; `status`: as in the manifest; `trust`: the word of its summary, "" while it has none; `foreign`: the program whose figures it holds, "" for our own; `problem`: why it cannot be read, "" if it can."""

    id: str
    name: str = ""
    created: str = ""
    status: str = ""
    suite: str = ""
    libraries: tuple[str, ...] = ()
    cases: int = 0
    trust: str = ""
    foreign: str = ""
    method: str = ""
    machine: str = ""
    problem: str = ""

    @property
    def finished(self) -> bool:
        """Whether everything that was planned is in it."""
        return self.status == RunStatus.FINISHED


class _Trust(msgspec.Struct):
    trust: str = ""


def listed_runs(root: Path) -> list[ListedRun]:
    """The runs in `root`, newest first; those whose manifest does not say when they began come last. Raises StoreError if the folder cannot be read."""
    found = [_listed(folder) for folder in bundle_folders(root)]
    return [showable_struct(run) for _, run in sorted(found, key=lambda one: (one[0].moment, one[1].id), reverse=True)]


def _listed(folder: Path) -> tuple[ManifestHead, ListedRun]:
    try:
        head = read_head(folder)
        trust = _trust_of(folder)
    except (OSError, EOFError, zlib.error, StoreError, *UNREADABLE) as error:
        return ManifestHead(), ListedRun(id=folder.name, problem=unreadable_text(error))
    return head, ListedRun(
        id=folder.name,
        name=head.name,
        created=head.created,
        status=head.status,
        suite=head.suite,
        libraries=tuple(dict.fromkeys(one.library for one in head.builds)),
        cases=len(head.cases),
        trust=trust,
        foreign=head.foreign,
        method=head.method,
        machine=head.machine.cpu_model,
    )


def _trust_of(folder: Path) -> str:
    """The word of the summary; "" where there is none yet."""
    path = folder / SUMMARY_GZ
    if not path.exists():
        return ""
    with open_regular(path) as packed, gzip.open(packed, "rb") as stream:
        content = stream.read(MAX_SUMMARY_BYTES + 1)
    if len(content) > MAX_SUMMARY_BYTES:
        raise StoreError(f"{SUMMARY_GZ} unpacks to more than {MAX_SUMMARY_BYTES >> 20} MiB", "restore it from a copy")
    return msgspec.json.decode(content, type=_Trust).trust
