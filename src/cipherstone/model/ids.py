# SPDX-License-Identifier: Apache-2.0
"""Identifiers: `ALGORITHM/VERB[/key=value...]` for an operation at its parameters (a case), `LIBRARY@VERSION[+VARIANT][:IMPL][#2]` for a lane."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from cipherstone.model.errors import UsageError

# Closed list (DESIGN section 4): a new verb is a decision, not a typo.
VERBS = frozenset(
    "hash mac derive encrypt decrypt seal open keygen encaps decaps sign verify import-key export-key mul-fixed mul-var "
    "montmul modexp-public modexp-private issue verify-chain handshake transfer empty "
    # Modular arithmetic of the modexp laboratory, and the instruction laboratory (docs/decisions/0010).
    "mod-add mod-mul mod-sqr mod-inv mod-sqrt div-mod latency throughput sequence".split()
)
HARNESS_EMPTY = "harness/empty"
DEFAULT_IMPLEMENTATION = "default"
DISTRIBUTION_BUILD = "distribution"  # the build without a variant: as the system ships it

_NAME = re.compile(r"[a-z0-9][a-z0-9.+_-]*\Z")
_LANE = re.compile(r"[a-z0-9][a-z0-9.+_-]*@[A-Za-z0-9][A-Za-z0-9.+_~-]*(:[A-Za-z0-9][A-Za-z0-9.+_-]*)?(#2)?\Z")


class Case(msgspec.Struct, frozen=True, order=True):
    """One operation at its parameters, for every lane alike.

    `algorithm` and `verb` as in the catalogue; `size_bytes` is the length of `msg` for operations with sizes, else None.
    """

    algorithm: str
    verb: str
    size_bytes: int | None = None

    @property
    def operation(self) -> str:
        """`ALGORITHM/VERB`, as the catalogue and the workers call it."""
        return f"{self.algorithm}/{self.verb}"

    @property
    def id(self) -> str:
        """`ALGORITHM/VERB` or `ALGORITHM/VERB/bytes=N`."""
        return self.operation if self.size_bytes is None else f"{self.operation}/bytes={self.size_bytes}"

    @staticmethod
    def parse(text: str) -> Case:
        """The inverse of `id`. Raises UsageError."""
        parts = text.split("/")
        if len(parts) not in (2, 3) or not all(_NAME.match(p) for p in parts[:2]) or parts[1] not in VERBS:
            raise UsageError(
                f"operation id: '{text}' is not ALGORITHM/VERB[/bytes=N]", "see `cipherstone list --operations`"
            )
        if len(parts) == 2:
            return Case(parts[0], parts[1])
        key, _, value = parts[2].partition("=")
        if key != "bytes" or not value.isdecimal():
            raise UsageError(f"operation id: '{text}': parameter '{parts[2]}' is not bytes=N", "")
        return Case(parts[0], parts[1], int(value))


class Lane(msgspec.Struct, frozen=True, order=True):
    """A competitor in a case: one implementation in one build.

    `library`: folder name. `build`: `VERSION[+VARIANT]`. `implementation`: `default` where the library chooses.
    `twin` marks the A/A lane: the same implementation in a second process, to show the noise floor.
    """

    library: str
    build: str
    implementation: str = DEFAULT_IMPLEMENTATION
    twin: bool = False

    @property
    def build_id(self) -> str:
        """`LIBRARY@VERSION[+VARIANT]`."""
        return f"{self.library}@{self.build}"

    @property
    def variant(self) -> str:
        """What stands after the last `+` of the build: `noasm` of `3.6.3+noasm`; "" for the distribution's build."""
        return self.build.rpartition("+")[2] if "+" in self.build else ""

    @property
    def build_label(self) -> str:
        """For people, without the implementation: `openssl`, `openssl+noasm`."""
        return f"{self.library}+{self.variant}" if self.variant else self.library

    @property
    def id(self) -> str:
        """`openssl@3.0.19`, `openssl@3.6.3+noasm`, `bearssl@0.6:aes_ct64`; the A/A lane ends in `#2`."""
        text = self.build_id
        if self.implementation != DEFAULT_IMPLEMENTATION:
            text += f":{self.implementation}"
        return text + ("#2" if self.twin else "")

    @property
    def label(self) -> str:
        """For people: `openssl`, `openssl+noasm`, `bearssl:aes_ct64`, `modexp+gcc-O3:cios-64-fw5`, `openssl (again)`."""
        text = (
            self.build_label
            if self.implementation == DEFAULT_IMPLEMENTATION
            else f"{self.build_label}:{self.implementation}"
        )
        return text + (" (again)" if self.twin else "")

    @staticmethod
    def parse(text: str) -> Lane:
        """The inverse of `id`. Raises UsageError."""
        body, twin = (text[:-2], True) if text.endswith("#2") else (text, False)
        build_id, _, implementation = body.partition(":")
        library, at, build = build_id.partition("@")
        if not at or not _NAME.match(library) or not build:
            raise UsageError(f"lane id: '{text}' is not LIBRARY@VERSION[:IMPLEMENTATION]", "")
        return Lane(library, build, implementation or DEFAULT_IMPLEMENTATION, twin)


def is_lane_id(text: str) -> bool:
    """Whether `text` is a lane id that `Lane.parse` and `Lane.id` agree on; versions and implementations are words without spaces."""
    return _LANE.match(text) is not None


def base_lane(name: str | None, lanes: Iterable[str]) -> str | None:
    """The lane id that `name` means in a case: a lane id, a label (`bearssl:aes_ct64`), or a library or `LIBRARY+VARIANT`: its default implementation.

    A plain library name means the distribution's build where that has a lane. An only implementation of a build counts as its default, whatever it is
    called. None if `name` is None or means no lane, or several.
    """
    if name is None:
        return None
    known = [Lane.parse(lane) for lane in lanes]
    known = [lane for lane in known if not lane.twin]
    for lane in known:
        if name in (lane.id, lane.label):
            return lane.id
    mine = [lane for lane in known if lane.build_label == name] or [lane for lane in known if lane.library == name]
    default = [lane for lane in mine if lane.implementation == DEFAULT_IMPLEMENTATION]
    chosen = default or mine
    return chosen[0].id if len(chosen) == 1 else None
