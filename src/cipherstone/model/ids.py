# SPDX-License-Identifier: Apache-2.0
"""Identifiers: `ALGORITHM/VERB[/key=value...]` for an operation at its parameters (a case), `LIBRARY@VERSION[+WORD...][~MASK...][:IMPL][#2]` for a lane."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from cipherstone.model.errors import UsageError
from cipherstone.model.text import brief

HARNESS_EMPTY = "harness/empty"
DEFAULT_IMPLEMENTATION = "default"
TWIN = "#2"  # ends the id of the A/A lane
DISTRIBUTION_BUILD = "distribution"  # the build without a variant: as the system ships it

_NAME = re.compile(r"[a-z0-9][a-z0-9.+_-]*\Z")
_AFTER_VERSION = re.compile(r"[+~]")
_OF_BUILD = re.compile(r"([a-z0-9][a-z0-9._-]*)([@+~].+)\Z", re.DOTALL)
_PARAM = re.compile(r"[a-z][a-z0-9_-]{0,62}\Z")
_NUMBER = re.compile(r"(?:0|[1-9][0-9]*)\Z")  # as it is written, so that no case has two names
_VALUE = re.compile(r"[A-Za-z0-9.+_-]{1,63}\Z")
_LANE = re.compile(r"[a-z0-9][a-z0-9.+_-]*@[A-Za-z0-9][A-Za-z0-9.+_~-]*(:[A-Za-z0-9][A-Za-z0-9.+_-]*)?(#2)?\Z")


Params = tuple[tuple[str, str], ...]  # names and values in the order of the catalogue


def params_text(params: Params) -> str:
    """`bits=2048,crt=yes`; "" for none."""
    return ",".join(f"{name}={value}" for name, value in params)


def parse_params(text: str) -> Params:
    """The inverse of `params_text`. Raises UsageError for anything else, and for a name that stands twice."""
    found: dict[str, str] = {}
    for part in text.split(",") if text else ():
        name, _, value = part.partition("=")
        if not _PARAM.match(name) or not _VALUE.match(value) or name in found:
            raise UsageError(
                f"parameters: '{part}' is not NAME=VALUE, or stands twice", "for example bits=2048,crt=yes"
            )
        found[name] = value
    return tuple(found.items())


class Case(msgspec.Struct, frozen=True, order=True):
    """One operation at its parameters, for every lane alike.

    `algorithm` and `verb` as in the catalogue; `size_bytes` is the length of `msg` for operations with sizes, else None. `params`: every other parameter.
    """

    algorithm: str
    verb: str
    size_bytes: int | None = None
    params: Params = ()

    @property
    def listed(self) -> str:
        """`ALGORITHM/VERB`, as workers call it."""
        return f"{self.algorithm}/{self.verb}"

    @property
    def operation(self) -> str:
        """`ALGORITHM/VERB[/NAME=VALUE...]`: the case without its size, as the catalogue calls it."""
        return f"{self.listed}/{params_text(self.params)}" if self.params else self.listed

    @property
    def id(self) -> str:
        """`ALGORITHM/VERB[/NAME=VALUE...]`; the size comes first, as `bytes=N`."""
        if self.size_bytes is None:
            return self.operation
        return f"{self.listed}/{params_text((('bytes', str(self.size_bytes)), *self.params))}"

    def param(self, name: str) -> str | None:
        """The value of a parameter, None if the case has none of this name."""
        return dict(self.params).get(name)

    @staticmethod
    def parse(text: str) -> Case:
        """The inverse of `id`. Raises UsageError."""
        parts = text.split("/")
        if len(parts) not in (2, 3) or not all(_NAME.match(p) for p in parts[:2]):
            raise UsageError(
                f"operation id: '{brief(text)}' is not ALGORITHM/VERB[/NAME=VALUE,...]",
                "see `cipherstone list --operations`",
            )
        if len(parts) == 2:
            return Case(parts[0], parts[1])
        try:
            params = parse_params(parts[2])
        except UsageError as error:
            raise UsageError(f"operation id: '{brief(text)}': {error.message}", error.hint) from None
        if not params:
            raise UsageError(f"operation id: '{brief(text)}' ends in a stroke", "see `cipherstone list --operations`")
        sizes = [value for name, value in params if name == "bytes"]
        if sizes and (params[0][0] != "bytes" or len(sizes[0]) > 15 or not _NUMBER.match(sizes[0])):
            raise UsageError(
                f"operation id: '{brief(text)}': bytes is not a number of bytes, or not the first parameter",
                "for example sha-256/hash/bytes=16384",
            )
        size = int(sizes[0]) if sizes else None
        return Case(parts[0], parts[1], size, params[1:] if sizes else params)


def variant_of(build: str) -> str:
    """What follows the version in `VERSION[+WORD...][~MASK...]`, without the `+` that it begins with."""
    match = _AFTER_VERSION.search(build)
    return build[match.start() :].removeprefix("+") if match else ""


def version_of(build: str) -> str:
    """The version in `VERSION[+WORD...][~MASK...]`."""
    return _AFTER_VERSION.split(build, maxsplit=1)[0]


def joined_build(version: str, variant: str) -> str:
    """The inverse of `version_of` and `variant_of`."""
    return version + variant if not variant or variant.startswith("~") else f"{version}+{variant}"


def build_label(library: str, variant: str) -> str:
    """A build as it is printed, and as every command takes it: `openssl`, `openssl@4.0`, `openssl@4.0+clang16~noavx2`, `openssl~noavx2`."""
    return library + variant if not variant or variant.startswith("~") else f"{library}@{variant}"


def read_build(name: str) -> tuple[str, str]:
    """(library, variant): the inverse of `build_label`. The variant of the distribution's build is "", and its name may be written out: `openssl@distribution`.

    `openssl+4.0` is read too: stored requests and tables of older versions have it. Neither the library nor the variant need exist.
    """
    match = _OF_BUILD.match(name)
    if match is None:
        return name, ""
    variant = match[2].removeprefix("@").removeprefix("+")
    first = _AFTER_VERSION.split(variant, maxsplit=1)[0]
    return match[1], variant.removeprefix(first) if first == DISTRIBUTION_BUILD else variant


def build_within(library: str, name: str) -> str:
    """What a build of `library` is called within it, of a name with or without the library: `4.0` of `openssl@4.0` and of `4.0`, `distribution` of `openssl`."""
    called, variant = read_build(name)
    return name if called != library else variant or DISTRIBUTION_BUILD


def read_label(name: str) -> str:
    """A lane, or a build, in the one spelling that is printed: `openssl@4.0:aes_ct64` of `openssl+4.0:aes_ct64`."""
    build, _, implementation = name.partition(":")
    label = build_label(*read_build(build))
    return label if implementation in ("", DEFAULT_IMPLEMENTATION) else f"{label}:{implementation}"


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
        """What follows the version: `noasm` of `3.6.3+noasm`, `4.0+clang16+Os~noavx2`, `~noavx2` of the distribution's build under a mask; "" for that build."""
        return variant_of(self.build)

    @property
    def build_label(self) -> str:
        """For people, without the implementation: `openssl`, `openssl@noasm`."""
        return build_label(self.library, self.variant)

    @property
    def id(self) -> str:
        """`openssl@3.0.19`, `openssl@3.6.3+noasm`, `bearssl@0.6:aes_ct64`; the A/A lane ends in `#2`."""
        text = self.build_id
        if self.implementation != DEFAULT_IMPLEMENTATION:
            text += f":{self.implementation}"
        return text + ("#2" if self.twin else "")

    @property
    def label(self) -> str:
        """For people: `openssl`, `openssl@noasm`, `bearssl:aes_ct64`, `modexp@gcc-O3:cios-64-fw5`, `openssl (again)`."""
        text = (
            self.build_label
            if self.implementation == DEFAULT_IMPLEMENTATION
            else f"{self.build_label}:{self.implementation}"
        )
        return text + (" (again)" if self.twin else "")

    @property
    def words(self) -> str:
        """The label with the version, for people: `openssl 3.0.19`, `openssl@4.0 4.0.3`, `bearssl:aes_ct64 0.6`."""
        return f"{self.label} {version_of(self.build)}"

    @staticmethod
    def parse(text: str) -> Lane:
        """The inverse of `id`. Raises UsageError."""
        body, twin = (text[:-2], True) if text.endswith("#2") else (text, False)
        build_id, _, implementation = body.partition(":")
        library, at, build = build_id.partition("@")
        if not at or not _NAME.match(library) or not build:
            raise UsageError(f"lane id: '{brief(text)}' is not LIBRARY@VERSION[:IMPLEMENTATION]", "")
        return Lane(library, build, implementation or DEFAULT_IMPLEMENTATION, twin)


def is_lane_id(text: str) -> bool:
    """Whether `text` is a lane id that `Lane.parse` and `Lane.id` agree on; versions and implementations are words without spaces."""
    return _LANE.match(text) is not None and Lane.parse(text).id == text


def base_lane(name: str | None, lanes: Iterable[str]) -> str | None:
    """The lane id that `name` means in a case: a label (`bearssl:aes_ct64`), a lane id, or a library or `LIBRARY@BUILD`: its default implementation.

    A label goes before an id: `bearssl@0.6` is the build from source where both it and the distribution's build, of the same version, have a lane.
    A plain library name means the distribution's build where that has a lane. An only implementation of a build counts as its default, whatever it is
    called. None if `name` is None or means no lane, or several.
    """
    if name is None:
        return None
    known = [Lane.parse(lane) for lane in lanes]
    known = [lane for lane in known if not lane.twin]
    label = read_label(name)
    for lane in (*(lane for lane in known if lane.label == label), *(lane for lane in known if lane.id == name)):
        return lane.id
    mine = [lane for lane in known if lane.build_label == label] or [lane for lane in known if lane.library == name]
    default = [lane for lane in mine if lane.implementation == DEFAULT_IMPLEMENTATION]
    chosen = default or mine
    return chosen[0].id if len(chosen) == 1 else None
