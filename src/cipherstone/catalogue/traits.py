# SPDX-License-Identifier: Apache-2.0
"""What a library is, as keys of a filter: `licence:MIT`, `upkeep:ended`. They are written as the libraries and builds that they mean, so that a stored filter keeps its meaning."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping

import msgspec

from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.filter import All, AnyOf, Filter, Node, Not, NumberComparison, Pattern, Word
from cipherstone.catalogue.libraries import Library
from cipherstone.catalogue.upkeep import upkeep_of
from cipherstone.model.errors import UsageError

UPKEEP = ("ended", "maintained", "unknown")
_LICENCE = re.compile(r"[A-Z][A-Za-z0-9.+-]+")
_SPDX_WORDS = {"AND", "OR", "WITH"}


class Traits(msgspec.Struct, frozen=True):
    """Of the libraries that can be measured. `version_of`: a build's, as far as it is known before it is built; "" if not."""

    libraries: Mapping[str, Library]
    version_of: Callable[[Library, BuildSpec], str]
    today: datetime.date

    @property
    def values(self) -> dict[str, tuple[str, ...]]:
        """What each key may say."""
        found = {name: None for one in self._measured() for name in licences(one.licence)}
        return {"licence": tuple(found), "upkeep": UPKEEP}

    def resolved(self, found: Filter) -> Filter:
        """The filter in names of libraries and builds. Raises UsageError where nothing has what is asked for."""
        return Filter(found.text, self._node(found.root))

    def _measured(self) -> list[Library]:
        return [one for one in self.libraries.values() if not one.lab]

    def _node(self, node: Node) -> Node:
        match node:
            case All(parts):
                return All(tuple(map(self._node, parts)))
            case AnyOf(parts):
                return AnyOf(tuple(map(self._node, parts)))
            case Not(part):
                return Not(self._node(part))
            case Word(key="licence", word=word):
                return self._licensed(word, lambda licence: word in licences(licence))
            case Pattern(key="licence", pattern=pattern):
                return self._licensed(pattern.pattern, lambda licence: bool(pattern.search(licence)))
            case Word(key="upkeep", word=word):
                return self._kept(word, lambda state: state == word)
            case Pattern(key="upkeep", pattern=pattern):
                return self._kept(pattern.pattern, lambda state: bool(pattern.search(state)))
            case NumberComparison() | Word() | Pattern():
                return node

    def _licensed(self, what: str, fits: Callable[[str], bool]) -> Node:
        return _any([Word("library", one.id) for one in self._measured() if fits(one.licence)], f"licence:{what}")

    def _kept(self, what: str, fits: Callable[[str], bool]) -> Node:
        """The libraries of which a build fits, without their builds that do not: those are not named, which would ask for them."""
        some, others = [], []
        for one in self._measured():
            states = {build.name: self._state(one, build) for build in one.builds}
            if any(map(fits, states.values())):
                some.append(Word("library", one.id))
                others += [
                    All((Word("library", one.id), Word("build", name)))
                    for name, state in states.items()
                    if not fits(state)
                ]
        wanted = _any(some, f"upkeep:{what}")
        return All((wanted, Not(AnyOf(tuple(others))))) if others else wanted

    def _state(self, library: Library, build: BuildSpec) -> str:
        return upkeep_of(library.upkeep, self.version_of(library, build), self.today)


def _any(nodes: list[Word], asked: str) -> Node:
    if not nodes:
        raise UsageError(f"filter: nothing that can be measured is {asked}", "see `cipherstone list --libraries`")
    return nodes[0] if len(nodes) == 1 else AnyOf(tuple(nodes))


def licences(text: str) -> tuple[str, ...]:
    """The licences that an SPDX expression names, each once."""
    return tuple(dict.fromkeys(name for name in _LICENCE.findall(text) if name not in _SPDX_WORDS))
