# SPDX-License-Identifier: Apache-2.0
"""What of a manifest tells one run from another, read by itself: of a folder of a thousand runs nothing else is decoded."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import msgspec

from cipherstone.store.layout import MANIFEST, read_small


class _Machine(msgspec.Struct):
    fingerprint: str = ""
    cpu_model: str = ""


class _Build(msgspec.Struct):
    library: str = ""


class _Planned(msgspec.Struct):
    case: str


class _Case(msgspec.Struct):
    id: str


class _Instrument(msgspec.Struct):
    cases: tuple[_Case, ...] = ()


class ManifestHead(msgspec.Struct):
    """Fields of a manifest, by their names there."""

    created: str = ""
    name: str = ""
    status: str = ""
    suite: str = ""
    method: str = ""
    foreign: str = ""
    machine: _Machine = msgspec.field(default_factory=_Machine)
    builds: tuple[_Build, ...] = ()
    plan: tuple[_Planned, ...] = ()
    instruments: tuple[_Instrument, ...] = ()

    @property
    def moment(self) -> datetime:
        """When the run began; the earliest moment of all where the manifest does not say so."""
        try:
            moment = datetime.fromisoformat(self.created)
        except ValueError:
            return datetime.min.replace(tzinfo=UTC)
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)

    @property
    def cases(self) -> set[str]:
        """Ids of what is measured."""
        return {one.case for one in self.plan} | {one.id for of in self.instruments for one in of.cases}


def read_head(folder: Path) -> ManifestHead:
    """Of the run in `folder`. Raises OSError, and the errors of `model.text.UNREADABLE`."""
    return msgspec.json.decode(read_small(folder / MANIFEST), type=ManifestHead)
