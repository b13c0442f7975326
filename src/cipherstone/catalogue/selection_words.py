# SPDX-License-Identifier: Apache-2.0
"""Words as people type them after a command: `openssl nettle gcm 16kb`. Words of one kind add, kinds narrow: (openssl or nettle) and gcm and 16 KiB."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from cipherstone.catalogue.filter import BARE_KEYS, parse_number
from cipherstone.catalogue.names import meant
from cipherstone.model.errors import UsageError, nearest
from cipherstone.model.ids import DISTRIBUTION_BUILD, build_label, read_build

# Kinds of words, in the order in which a word that is a name of several is taken.
_KINDS = {"library": "library", "algorithm": "what", "op": "what", "family": "what", "verb": "verb", "build": "build"}
_TERM = re.compile(r"-?\(|-?[A-Za-z_-]+:")


class Typed(NamedTuple):
    """What words select. `filter`: in the filter language, "" for none; `own`: libraries of the user's own, `NAME=WHERE`; `builds`: `openssl@4.0`, to be measured as well."""

    filter: str = ""
    own: tuple[str, ...] = ()
    builds: tuple[str, ...] = ()


def typed(words: Sequence[str], known: Mapping[str, Collection[str]]) -> Typed:
    """What `words` select: names, sizes, builds, libraries of the user's own, terms `key:value`. `known`: the names of each key. Raises UsageError for a word that means nothing."""
    groups: dict[str, list[str]] = {"library": [], "what": [], "verb": [], "build": [], "bytes": []}
    own, builds, terms = [], [], []
    for word in words:
        if _TERM.match(word):
            terms.append(f"({word})")
        elif "=" in word:
            own.append(word)
            groups["library"].append(f"library:{_library_of(word)}")
        elif label := _build_of(word, known):
            builds.append(label)
            groups["library"].append(f"build:{label}")
        elif parse_number(word) is not None and not any(word in known.get(key, ()) for key in BARE_KEYS):
            groups["bytes"].append(f"bytes:{word}")
        else:
            key = _kind(word, known)
            if not key:
                raise UsageError(f"'{word}' is no name, size or build", _hint(word, known))
            groups[_KINDS[key]].append(f"{key}:{word}")
    terms[:0] = [found[0] if len(found) == 1 else f"({' OR '.join(found)})" for found in groups.values() if found]
    return Typed(" ".join(terms), tuple(own), tuple(builds))


def _kind(word: str, known: Mapping[str, Collection[str]]) -> str:
    """The key that the word is a name of: one that has it to the letter before one that has it nearly; "" for none."""
    exact = (key for key in BARE_KEYS if word in known.get(key, ()))
    loose = (key for key in BARE_KEYS if meant(key, word, known.get(key, ())))
    return next(exact, next(loose, ""))


def _build_of(word: str, known: Mapping[str, Collection[str]]) -> str:
    """`openssl@4.0` of `OpenSSL@4.0` and `openssl+4.0`; "" for what names no build of a library that is known."""
    library, variant = read_build(word)
    name = _library(library, known) if library != word else ""
    return build_label(name, variant or DISTRIBUTION_BUILD) if name else ""


def _library(word: str, known: Mapping[str, Collection[str]]) -> str:
    return next(iter(meant("library", word, known.get("library", ()))), "")


def _library_of(word: str) -> str:
    """Of `openssl@3.6+mine=WHERE`."""
    return re.split(r"[@+=]", word, maxsplit=1)[0]


def _hint(word: str, known: Mapping[str, Collection[str]]) -> str:
    close = nearest(word, {name for key in BARE_KEYS for name in known.get(key, ())})
    return (
        close
        if close.startswith("did you mean")
        else "see `cipherstone list`, and `cipherstone list --operations` for what is measured"
    )
