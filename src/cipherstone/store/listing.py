# SPDX-License-Identifier: Apache-2.0
"""The runs of a folder at a glance, from what their manifests and summaries begin with: nothing is verified, and a damaged run does not hide the others."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from cipherstone.model.errors import StoreError
from cipherstone.model.outcomes import RunStatus
from cipherstone.model.text import UNREADABLE, showable_struct, unreadable_text
from cipherstone.store.bundle import MAX_SUMMARY_BYTES
from cipherstone.store.find import bundle_folders
from cipherstone.store.layout import MANIFEST, SUMMARY_GZ, open_regular, read_small


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


class _Build(msgspec.Struct):
    library: str = ""
    build: str = ""


class _Machine(msgspec.Struct):
    cpu_model: str = ""


class _Instrument(msgspec.Struct):
    cases: tuple[msgspec.Raw, ...] = ()


class _Head(msgspec.Struct):
    """What of a manifest is listed."""

    name: str = ""
    created: str = ""
    status: str = ""
    suite: str = ""
    method: str = ""
    foreign: str = ""
    builds: tuple[_Build, ...] = ()
    machine: _Machine = msgspec.field(default_factory=_Machine)
    plan: tuple[msgspec.Raw, ...] = ()
    instruments: tuple[_Instrument, ...] = ()


class _Trust(msgspec.Struct):
    trust: str = ""


def listed_runs(root: Path) -> list[ListedRun]:
    """The runs in `root`, newest first; those whose manifest does not say when they began come last. Raises StoreError if the folder cannot be read."""
    found = [showable_struct(_listed(folder)) for folder in bundle_folders(root)]
    return sorted(found, key=lambda run: (_moment(run.created), run.id), reverse=True)


def _listed(folder: Path) -> ListedRun:
    try:
        head = msgspec.json.decode(read_small(folder / MANIFEST), type=_Head)
        trust = _trust_of(folder)
    except (OSError, EOFError, zlib.error, StoreError, *UNREADABLE) as error:
        return ListedRun(id=folder.name, problem=unreadable_text(error))
    return ListedRun(
        id=folder.name,
        name=head.name,
        created=head.created,
        status=head.status,
        suite=head.suite,
        libraries=_libraries(head.builds),
        cases=len(head.plan) + sum(len(one.cases) for one in head.instruments),
        trust=trust,
        foreign=head.foreign,
        method=head.method,
        machine=head.machine.cpu_model,
    )


def _libraries(builds: Sequence[_Build]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.library for one in builds))


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


def _moment(text: str) -> float:
    try:
        return datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError):
        return float("-inf")
