# SPDX-License-Identifier: Apache-2.0
"""The one filter language, for commands and suites.

    filter  = all { "OR" all }
    all     = { term }                       terms side by side mean AND; nothing at all matches everything
    term    = [ "-" ] ( "(" filter ")" | key ":" values | word )
    values  = value | "(" value { "OR" value } ")"
    value   = word | "/" regular expression "/" | ( ">=" | "<=" | ">" | "<" | "=" ) number

Numbers may end in KiB or MiB; k, kB and m, MB in any case mean the same powers of two. A regular expression is searched for anywhere in the value.
`size` means `bytes`, and other keys have short names too. Names may be written as people type them (`names.py`), and a word without a key is a size, or the name of a library,
an algorithm, an operation, a family, a verb or a build. `openssl@4.0` is that build of that library, with the key `build` or `library` or without one.
"""

from __future__ import annotations

import operator
import re
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from cipherstone.catalogue.document import one_line
from cipherstone.catalogue.names import meant
from cipherstone.model.errors import UsageError, nearest
from cipherstone.model.ids import DISTRIBUTION_BUILD, build_label, read_build

# Besides these every parameter of the catalogue's operations is a key: `bits:2048`.
FILTER_KEYS = ("library", "algorithm", "verb", "op", "bytes", "impl", "family", "build")
NUMERIC_KEYS = frozenset({"bytes"})
# What people type for a key.
ALIASES = {
    "size": "bytes",
    "sizes": "bytes",
    "lib": "library",
    "libraries": "library",
    "alg": "algorithm",
    "algo": "algorithm",
    "operation": "op",
    "implementation": "impl",
}
# What a word without a key may be a name of; implementations are known to workers only, so that a mistyped one could not be found before all are built.
BARE_KEYS = ("library", "algorithm", "op", "family", "verb", "build")
_MAX_DEPTH = 40
_LONGEST = 400  # characters of what is wrong: names in it are quoted as they were typed
_KEY = re.compile(r"([A-Za-z_-]+):")
_NAME = re.compile(r"[a-z0-9][a-z0-9.+_-]*\Z")
_OR = re.compile(r"OR(?![^\s()])")
_WORD = re.compile(r"[^\s()]+")
_NUMBER = re.compile(r"([0-9]{1,15})(b|k|kb|kib|m|mb|mib)?\Z", re.IGNORECASE)
_FACTORS = {"": 1, "b": 1, "k": 1024, "m": 1024 * 1024}
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
class NumberComparison:
    """The fact, a number, compares so; a fact that is missing or no number never does."""

    key: str
    comparison: str
    number: int


Node = All | AnyOf | Not | Word | Pattern | NumberComparison
Test = Callable[[Mapping[str, str]], bool]


@dataclass(frozen=True)
class Filter:
    """A parsed filter. `text` is what was written; `builds`: the builds that terms which are not negated name with their library, `openssl@4.0`."""

    text: str
    root: Node
    builds: tuple[str, ...] = ()

    def matches(self, facts: Mapping[str, str]) -> bool:
        """Whether `facts` (key -> value; a key that does not apply is absent) satisfies the filter."""
        return self._test(facts)

    @cached_property
    def _test(self) -> Test:
        return _test_of(self.root)

    @property
    def keys(self) -> frozenset[str]:
        """The keys that the filter speaks of."""
        return frozenset(_keys(self.root))

    @property
    def written(self) -> str:
        """The filter in names of the catalogue and whole numbers of bytes, which parses to the same whatever values are known; "" if it matches everything."""
        return _written(self.root)

    def may_match(self, facts: Mapping[str, str], unknown: Collection[str]) -> bool:
        """False only if `facts` cannot satisfy the filter, whatever the values of the keys in `unknown` turn out to be."""
        return _may_match(self.root, facts, unknown) is not False

    @property
    def sizes(self) -> tuple[int, ...]:
        """Sizes in bytes that terms which are not negated name one by one, each once, smallest first."""
        named = (node for node in _positive(self.root) if isinstance(node, NumberComparison) and node.key == "bytes")
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
        case Word(key) | Pattern(key) | NumberComparison(key):
            yield key


def _written(node: Node, inside: bool = False) -> str:
    match node:
        case All(parts) | AnyOf(parts):
            words = [_written(part, inside=True) for part in parts]
            text = (" OR " if isinstance(node, AnyOf) else " ").join(words)
            return f"({text})" if inside and len(words) > 1 else text
        case Not(part):
            return f"-{_written(part, inside=True)}"
        case Word(key, word):
            return f"{key}:{word}"
        case Pattern(key, pattern):
            # A stroke that is escaped already stays as it is.
            escaped = re.sub(r"\\.|/", lambda found: "\\/" if found[0] == "/" else found[0], pattern.pattern)
            return f"{key}:/{escaped}/"
        case NumberComparison(key, comparison, number):
            return f"{key}:{comparison}{number}"


def _positive(node: Node) -> Iterator[Word | Pattern | NumberComparison]:
    match node:
        case All(parts) | AnyOf(parts):
            for part in parts:
                yield from _positive(part)
        case Word() | Pattern() | NumberComparison():
            yield node


def _matches(node: Node, facts: Mapping[str, str]) -> bool:
    return _test_of(node)(facts)


def _test_of(node: Node) -> Test:
    """What a node asks of facts: taken apart once, since a filter with a term for each row of a table is asked thousands of times."""
    match node:
        case All(parts) | AnyOf(parts):
            tests = tuple(map(_test_of, parts))
            decides = isinstance(node, AnyOf)  # the answer of a part that decides

            def joined(facts: Mapping[str, str]) -> bool:
                for test in tests:
                    if test(facts) is decides:
                        return decides
                return not decides

            return joined
        case Not(part):
            inner = _test_of(part)
            return lambda facts: not inner(facts)
        case Word(key, word):
            return lambda facts: facts.get(key) == word
        case Pattern(key, pattern):
            return lambda facts: key in facts and pattern.search(facts[key]) is not None
        case NumberComparison(key, comparison, number):
            compare = _COMPARISONS[comparison]

            def compared(facts: Mapping[str, str]) -> bool:
                value = parse_number(facts.get(key, ""))
                return value is not None and compare(value, number)

            return compared


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
        case Word(key) | Pattern(key) | NumberComparison(key):
            return None if key in unknown else _matches(node, facts)


def parse_number(text: str) -> int | None:
    """`16384`, `16KiB`, `16kb`, `1MiB` as a number of bytes, units in powers of two; None if it is none of these."""
    found = _NUMBER.match(text)
    return int(found[1]) * _FACTORS[(found[2] or "")[:1].lower()] if found else None


def parse_filter(text: str, keys: Mapping[str, Collection[str]], open_keys: Collection[str] = ()) -> Filter:
    """Parses `text`.

    `keys` gives the keys that may be used and the values known for each; an empty collection means that any value will do, as for keys in `open_keys`, whose values
    may be others than those known. Raises UsageError with the position (from 1) and the nearest known name.
    """
    parser = _Parser(text, keys, open_keys)
    root = parser.parse()
    return Filter(text, root, tuple(dict.fromkeys(parser.builds)))


def _compiled(expression: str) -> re.Pattern[str]:
    """`expression` of Python's `re`. Raises a `Warning` where its meaning may change in a later Python: that would be three lines on the terminal."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return re.compile(expression)


def _any_of(key: str, names: Collection[str]) -> Node:
    found = tuple(Word(key, name) for name in names)
    return found[0] if len(found) == 1 else AnyOf(found)


class _Parser:
    """Recursive descent over the characters of `text`."""

    def __init__(self, text: str, keys: Mapping[str, Collection[str]], open_keys: Collection[str] = ()) -> None:
        self.text = text
        self.keys = keys
        self.open = {*open_keys, *(key for key, known in keys.items() if not known)}
        self.at = 0
        self.depth = 0
        self.builds: list[str] = []

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
            if self.text[self.at : self.at + 1].isspace():
                raise self._error(start, "'-' stands alone", "write it right before its term: -key:value")
            asked = len(self.builds)
            node: Node = Not(self._bounded(start, self._term))
            del self.builds[asked:]
            return node
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
            return self._bare(start)
        key = ALIASES.get(found[1], found[1])
        if key not in self.keys:
            close = nearest(key, self.keys)
            hint = close if close.startswith("did you mean") else f"keys: {', '.join(self.keys)}"
            raise self._error(start, f"unknown key '{key}'", hint)
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
        if key in ("library", "build") and word not in known and (build := self._build(word, start)) is not None:
            return build
        if key in NUMERIC_KEYS or (comparison is not None and known and all(value.isdecimal() for value in known)):
            return self._number(key, word, comparison, start)
        if comparison is not None:
            raise self._error(
                start, f"'{comparison}' compares numbers, and {key} is none", "bytes is a number, and bits for example"
            )
        names = meant(key, word, known) if known else (word,)
        if not names and key in self.open:
            names = (word,)
        if not names:
            raise self._error(start, f"unknown {key} '{word}'", nearest(word, known))
        return _any_of(key, names)

    def _bare(self, start: int) -> Node:
        """A word without a key: a size, or what it is a name of."""
        found = _WORD.match(self.text, start)
        known = {key: self.keys[key] for key in BARE_KEYS if self.keys.get(key)}
        if not found or self._at_or() or found[0] in ("AND", "NOT") or not known:
            raise self._no_key(start)
        word = found[0]
        number = parse_number(word)
        exact = [Word(key, word) for key, names in known.items() if word in names]
        loose = (_any_of(key, names) for key in known if (names := meant(key, word, known[key])))
        if number is not None and "bytes" in self.keys:
            node: Node | None = self._number("bytes", word, None, start)
        else:
            node = AnyOf(tuple(exact)) if len(exact) > 1 else exact[0] if exact else next(loose, None)
            node = node or self._build(word, start)
        if node is None and "library" in self.open and _NAME.match(word):
            node = Word("library", word)
        if node is None:
            raise self._no_key(start)
        self.at = found.end()
        self._skip_space()
        return node

    def _build(self, word: str, start: int) -> Node | None:
        """A build with its library, `openssl@4.0`; None for a word that begins with no library that is known."""
        name, variant = read_build(word)
        library = next(iter(meant("library", name, self.keys.get("library", ()))), None) if name != word else None
        if library is None or "build" not in self.keys:
            return None
        build, known = variant or DISTRIBUTION_BUILD, self.keys["build"]
        if build not in known and "build" not in self.open:
            raise self._error(start, f"unknown build '{build}' of {library}", nearest(build, known))
        self.builds.append(build_label(library, build))
        return All((Word("library", library), Word("build", build)))

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
        return NumberComparison(key, comparison or "=", number)

    def _regex(self, key: str) -> Node:
        start = self.at
        end = start + 1
        while end < len(self.text) and self.text[end] != "/":
            end += 2 if self.text[end] == "\\" else 1
        if end >= len(self.text):
            raise self._error(start, "the regular expression has no closing '/'", f"write {key}:/.../")
        try:
            pattern = _compiled(self.text[start + 1 : end].replace("\\/", "/"))
        except (re.error, OverflowError, RecursionError, Warning) as error:
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
        close = nearest(word, {name for key in BARE_KEYS for name in self.keys.get(key, ())})
        hint = close if close.startswith("did you mean") else f"keys: {', '.join(self.keys)}"
        return self._error(start, f"unknown name '{word}'; expected a name, a size or key:value", hint)

    def _error(self, at: int, what: str, hint: str) -> UsageError:
        return UsageError(f"filter '{one_line(self.text, 80)}': position {at + 1}: {one_line(what, _LONGEST)}", hint)
