# SPDX-License-Identifier: Apache-2.0
"""The one filter language, for commands and suites.

    filter  = all { "OR" all }
    all     = { term }                       terms side by side mean AND; nothing at all matches everything
    term    = [ "-" ] ( "(" filter ")" | key ":" values )
    values  = value | "(" value { "OR" value } ")"
    value   = word | "/" regular expression "/" | ( ">=" | "<=" | ">" | "<" | "=" ) number

Numbers may end in KiB or MiB. A regular expression is searched for anywhere in the value.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from cipherstone.model.errors import UsageError, nearest

# Besides these every parameter of the catalogue's operations is a key: `bits:2048`.
FILTER_KEYS = ("library", "algorithm", "verb", "op", "bytes", "impl", "family", "build")
NUMERIC_KEYS = frozenset({"bytes"})
_MAX_DEPTH = 40
_KEY = re.compile(r"([A-Za-z_-]+):")
_OR = re.compile(r"OR(?![^\s()])")
_WORD = re.compile(r"[^\s()]+")
_NUMBER = re.compile(r"([0-9]{1,15})(B|KiB|MiB)?\Z")
_FACTORS = {None: 1, "B": 1, "KiB": 1024, "MiB": 1024 * 1024}
_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}


@dataclass(frozen=True)
class All:
    """Every part must match; no part matches everything."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class AnyOf:
    """One part must match."""

    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Not:
    """The part must not match."""

    part: Node


@dataclass(frozen=True)
class Word:
    """The fact equals the word."""

    key: str
    word: str


@dataclass(frozen=True)
class Pattern:
    """The regular expression is found in the fact."""

    key: str
    pattern: re.Pattern[str]


@dataclass(frozen=True)
class Comparison:
    """The fact, a number, compares so; a fact that is missing or no number never does."""

    key: str
    comparison: str
    number: int


Node = All | AnyOf | Not | Word | Pattern | Comparison


@dataclass(frozen=True)
class Filter:
    """A parsed filter. `text` is what was written."""

    text: str
    root: Node

    def matches(self, facts: Mapping[str, str]) -> bool:
        """Whether `facts` (key -> value; a key that does not apply is absent) satisfies the filter."""
        return _matches(self.root, facts)

    @property
    def keys(self) -> frozenset[str]:
        """The keys that the filter speaks of."""
        return frozenset(_keys(self.root))

    def may_match(self, facts: Mapping[str, str], unknown: Collection[str]) -> bool:
        """False only if `facts` cannot satisfy the filter, whatever the values of the keys in `unknown` turn out to be."""
        return _may_match(self.root, facts, unknown) is not False

    @property
    def sizes(self) -> tuple[int, ...]:
        """Sizes in bytes that terms which are not negated name one by one, each once, smallest first."""
        named = (node for node in _positive(self.root) if isinstance(node, Comparison) and node.key == "bytes")
        return tuple(sorted({node.number for node in named if node.comparison == "="}))

    def asks(self, key: str, value: str) -> bool:
        """Whether a term that is not negated names `value`: what has to be asked for by name is asked for so."""
        return any(_matches(node, {key: value}) for node in _positive(self.root) if node.key == key)


def _keys(node: Node) -> Iterator[str]:
    match node:
        case All(parts) | AnyOf(parts):
            for part in parts:
                yield from _keys(part)
        case Not(part):
            yield from _keys(part)
        case Word(key) | Pattern(key) | Comparison(key):
            yield key


def _positive(node: Node) -> Iterator[Word | Pattern | Comparison]:
    match node:
        case All(parts) | AnyOf(parts):
            for part in parts:
                yield from _positive(part)
        case Word() | Pattern() | Comparison():
            yield node


def _matches(node: Node, facts: Mapping[str, str]) -> bool:
    match node:
        case All(parts):
            return all(_matches(part, facts) for part in parts)
        case AnyOf(parts):
            return any(_matches(part, facts) for part in parts)
        case Not(part):
            return not _matches(part, facts)
        case Word(key, word):
            return facts.get(key) == word
        case Pattern(key, pattern):
            return key in facts and pattern.search(facts[key]) is not None
        case Comparison(key, comparison, number):
            value = parse_number(facts.get(key, ""))
            return value is not None and _COMPARISONS[comparison](value, number)


def _may_match(node: Node, facts: Mapping[str, str], unknown: Collection[str]) -> bool | None:
    """None: it depends on what is unknown."""
    match node:
        case All(parts) | AnyOf(parts):
            found = {_may_match(part, facts, unknown) for part in parts}
            settled = isinstance(node, AnyOf)  # one part decides: True for AnyOf, False for All
            return settled if settled in found else None if None in found else not settled
        case Not(part):
            inner = _may_match(part, facts, unknown)
            return None if inner is None else not inner
        case Word(key) | Pattern(key) | Comparison(key):
            return None if key in unknown else _matches(node, facts)


def parse_number(text: str) -> int | None:
    """`16384`, `16KiB`, `1MiB` as a number of bytes; None if it is none of these."""
    found = _NUMBER.match(text)
    return int(found[1]) * _FACTORS[found[2]] if found else None


def parse_filter(text: str, keys: Mapping[str, Collection[str]]) -> Filter:
    """Parses `text`.

    `keys` gives the keys that may be used and the values known for each; an empty collection means that any value will do. Raises UsageError with the
    position (from 1) and the nearest known name.
    """
    return Filter(text, _Parser(text, keys).parse())


class _Parser:
    """Recursive descent over the characters of `text`."""

    def __init__(self, text: str, keys: Mapping[str, Collection[str]]) -> None:
        self.text = text
        self.keys = keys
        self.at = 0
        self.depth = 0

    def parse(self) -> Node:
        self._skip_space()
        if self.at == len(self.text):
            return All(())
        node = self._alternatives()
        if self.at < len(self.text):
            raise self._error(self.at, "')' closes nothing", "remove it, or open with '('")
        return node

    def _alternatives(self) -> Node:
        parts = [self._together()]
        while self._take_or():
            parts.append(self._together())
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def _together(self) -> Node:
        parts = [self._term()]
        while self.at < len(self.text) and self.text[self.at] != ")" and not self._at_or():
            parts.append(self._term())
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def _term(self) -> Node:
        start = self.at
        if start == len(self.text):
            raise self._error(start, "a term is missing at the end", "write key:value")
        if self.text[start] == "-":
            self.at += 1
            return Not(self._bounded(start, self._term))
        if self.text[start] == "(":
            self.at += 1
            self._skip_space()
            node = self._bounded(start, self._alternatives)
            self._close(start)
            return node
        return self._field()

    def _bounded(self, start: int, inner: Callable[[], Node]) -> Node:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise self._error(start, f"more than {_MAX_DEPTH} levels deep", "write it flatter")
        node = inner()
        self.depth -= 1
        return node

    def _field(self) -> Node:
        start = self.at
        found = _KEY.match(self.text, start)
        if not found:
            raise self._no_key(start)
        key = found[1]
        if key not in self.keys:
            raise self._error(start, f"unknown key '{key}'", nearest(key, self.keys))
        self.at = found.end()
        if self.text[self.at : self.at + 1] != "(":
            node = self._value(key)
            self._skip_space()
            return node
        opened = self.at
        self.at += 1
        self._skip_space()
        parts = [self._value(key)]
        self._skip_space()
        while self._take_or():
            parts.append(self._value(key))
            self._skip_space()
        if self.at < len(self.text) and self.text[self.at] != ")":
            raise self._error(self.at, "'OR' or ')' is expected between values", f"write {key}:(a OR b)")
        self._close(opened)
        return parts[0] if len(parts) == 1 else AnyOf(tuple(parts))

    def _value(self, key: str) -> Node:
        start = self.at
        if self.text[start : start + 1] == "/":
            return self._regex(key)
        found = _WORD.match(self.text, start)
        if not found:
            raise self._error(start, f"'{key}:' has no value", f"write {key}:value or {key}:(a OR b)")
        self.at = found.end()
        word = found[0]
        comparison = next((sign for sign in _COMPARISONS if word.startswith(sign)), None)
        known = self.keys[key]
        if key in NUMERIC_KEYS or (comparison is not None and known and all(value.isdecimal() for value in known)):
            return self._number(key, word, comparison, start)
        if comparison is not None:
            raise self._error(
                start, f"'{comparison}' compares numbers, and {key} is none", "bytes is a number, and bits for example"
            )
        if known and word not in known:
            raise self._error(start, f"unknown {key} '{word}'", nearest(word, known))
        return Word(key, word)

    def _number(self, key: str, word: str, comparison: str | None, start: int) -> Node:
        number = parse_number(word[len(comparison or "") :])
        if number is None:
            raise self._error(
                start, f"'{word}' is not a number of bytes", f"such as {key}:16384, {key}:16KiB or {key}:>=1MiB"
            )
        known = sorted(n for n in map(parse_number, self.keys[key]) if n is not None)
        if comparison in (None, "=") and known and number not in known:
            close = min(known, key=lambda n: (abs(n - number), n))
            raise self._error(
                start,
                f"nothing is measured at {key} '{number}'",
                f"did you mean '{close}'? known: {', '.join(map(str, known))}",
            )
        return Comparison(key, comparison or "=", number)

    def _regex(self, key: str) -> Node:
        start = self.at
        end = start + 1
        while end < len(self.text) and self.text[end] != "/":
            end += 2 if self.text[end] == "\\" else 1
        if end >= len(self.text):
            raise self._error(start, "the regular expression has no closing '/'", f"write {key}:/.../")
        try:
            pattern = re.compile(self.text[start + 1 : end].replace("\\/", "/"))
        except (re.error, OverflowError, RecursionError) as error:
            raise self._error(start, f"bad regular expression: {error}", "Python's `re` syntax") from None
        self.at = end + 1
        if self.at < len(self.text) and self.text[self.at] not in ") \t\n":
            raise self._error(
                self.at,
                "text after the closing '/'",
                "write '\\/' for a slash inside, and a space after the expression",
            )
        return Pattern(key, pattern)

    def _close(self, opened: int) -> None:
        if self.at >= len(self.text):
            raise self._error(opened, "'(' is never closed", "add ')'")
        self.at += 1
        self._skip_space()

    def _at_or(self) -> bool:
        return _OR.match(self.text, self.at) is not None

    def _take_or(self) -> bool:
        if not self._at_or():
            return False
        self.at += 2
        self._skip_space()
        return True

    def _skip_space(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def _no_key(self, start: int) -> UsageError:
        if self.text[start] == ")" or self._at_or():
            return self._error(
                start, f"a term is missing before '{self.text[start : start + 2].strip()}'", "write key:value"
            )
        found = _WORD.match(self.text, start)
        word = found[0] if found else self.text[start]
        if word in ("AND", "NOT"):
            return self._error(
                start,
                f"'{word}' is not a word of the filter language",
                "terms side by side mean AND, and -term negates",
            )
        for key, known in self.keys.items():
            if word in known:
                return self._error(start, f"'{word}' has no key", f"did you mean '{key}:{word}'?")
        return self._error(start, f"'{word}' is not key:value", f"keys: {', '.join(self.keys)}")

    def _error(self, at: int, what: str, hint: str) -> UsageError:
        shown = " ".join(self.text.split())
        shown = shown if len(shown) <= 80 else shown[:77] + "..."
        return UsageError(f"filter '{shown}': position {at + 1}: {what}", hint)
