# SPDX-License-Identifier: Apache-2.0
"""From a selection to libraries, builds and names, for every command."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product
from math import prod

import msgspec

from cipherstone.catalogue.algorithms import Catalogue
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.composed import composed
from cipherstone.catalogue.filter import FILTER_KEYS, Filter, parse_filter
from cipherstone.catalogue.libraries import Library
from cipherstone.catalogue.traits import Traits
from cipherstone.cli import environment as env
from cipherstone.execute.survey import Found
from cipherstone.measure.plan import all_cases, cell_facts
from cipherstone.model.errors import UsageError, WorkerError, nearest
from cipherstone.model.ids import Lane, build_label, joined_build, read_build

SOURCES = "sources"  # every source that is built
MOST_WORDS = 64


def words(values: Sequence[str] | None) -> list[str]:
    """`a,b` and repeated options, flattened; `x+{a,b}` is `x+a` and `x+b`, as in a shell. Raises UsageError for braces that do not close, and for more than `MOST_WORDS` words of one."""
    return [word for value in values or () for part in _parts(value) for word in _spread(part) if word]


def _parts(text: str) -> list[str]:
    """`text` at its commas, those in braces aside."""
    return re.split(r",(?![^{}]*\})", text)


def _spread(text: str) -> list[str]:
    """What a word with braces stands for: every combination, the last brace varying fastest."""
    if text.startswith("/"):  # a regular expression has braces of its own
        return [text]
    pieces = re.split(r"\{([^{}]*)\}", text)
    if {*"{}"} & {*"".join(pieces[::2])}:
        raise UsageError(
            f"'{text}': braces do not close, or stand in each other", "such as bearssl@0.6+{gcc12,clang14}"
        )
    choices = [piece.split(",") if place % 2 else [piece] for place, piece in enumerate(pieces)]
    if prod(map(len, choices)) > MOST_WORDS:
        raise UsageError(f"'{text}': {prod(map(len, choices))} combinations, {MOST_WORDS} at most", "ask for fewer")
    return ["".join(one) for one in product(*choices)]


def known_values(
    catalogue: Catalogue,
    libraries: Iterable[str],
    implementations: Iterable[str] = (),
    builds: Iterable[str] = (),
) -> dict[str, tuple[str, ...]]:
    """What each key of a filter may say; no implementations, or no builds, means that any will do."""
    operations = catalogue.operations.values()
    return {
        "library": tuple(libraries),
        "algorithm": catalogue.algorithms,
        "verb": tuple(dict.fromkeys(operation.verb for operation in operations)),
        "op": tuple(catalogue.operations),
        "bytes": (),  # any size will do that is a whole number of blocks
        "impl": tuple(implementations),
        "family": tuple(dict.fromkeys(operation.family for operation in operations)),
        "build": tuple(builds),
        **catalogue.keys,
    }


def parsed(text: str, known: Mapping[str, tuple[str, ...]], open_keys: Collection[str] = ()) -> Filter | None:
    """The filter, or None for no selection; keys in `open_keys` may have other values than those known. UsageError names what is unknown, with the nearest name."""
    return parse_filter(text, known, open_keys) if text.strip() else None


def written(
    text: str,
    known: Mapping[str, tuple[str, ...]],
    workers: Collection[object] = (),
    traits: Traits | None = None,
) -> str:
    """The filter in names of the catalogue, which means the same wherever it is read; "" for no selection.

    A mistyped name is reported here, before anything is built; `workers` made elsewhere bring names of their own. `traits` bring the keys `licence` and `upkeep`. Raises UsageError.
    """
    more = traits.values if traits is not None else {}
    found = parsed(text, {**known, **more}, ("library", "build") if workers else ())
    if found is not None and traits is not None:
        found = traits.resolved(found)
    return found.written if found is not None else ""


@contextmanager
def naming_workers(found: Iterable[Found]) -> Iterator[None]:
    """Where a name is unknown in it because a worker made elsewhere did not start, that is the error."""
    try:
        yield
    except UsageError as error:
        for one in found:
            if one.library is None and one.status != "ready":
                raise WorkerError(
                    "crashed", f"--worker {one.title}: {one.problem} (and {error.message})", one.output
                ) from None
        raise


def refuse_dropped(found: Iterable[Found], selection: Filter | None, catalogue: Catalogue) -> None:
    """Says which workers that were given by their paths the selection leaves out. Raises UsageError if it leaves out all of them: nothing that was asked for would be measured."""
    outside = [(one, one.build) for one in found if one.library is None and one.build is not None]
    dropped = [(one, build) for one, build in outside if not _can_leave(selection, catalogue, one.id, one.variant)]
    for one, build in dropped:
        problem = f"--worker {shlex.quote(build.package or one.title)}: it calls itself '{one.id}', which is not among what is selected"
        if len(dropped) == len(outside):
            raise UsageError(problem, f"select it as well, e.g. -l LIBRARY,{one.id}, or leave --worker out")
        env.say(f"note: {problem}")


def build_names(libraries: Iterable[Library]) -> tuple[str, ...]:
    """Names of all builds, `distribution` among them, each once."""
    return tuple(dict.fromkeys(build.name for library in libraries for build in library.builds))


def with_builds(
    where: str, names: Collection[str], libraries: Mapping[str, Library]
) -> tuple[dict[str, Library], frozenset[str]]:
    """(the libraries, with the builds that were put together for this; what `chosen_libraries` is to be asked for).

    A name is that of a build, of every library that has one (`noasm`; `all` means every one, `sources` all of upstream's that are built); or begins with a library and may be put together:
    `openssl@4.0+clang16+Os~noavx512`. Raises UsageError for a name that means nothing; `where` is who asked.
    """
    known = build_names(libraries.values())
    changed, asked = dict(libraries), set()
    for name in names:
        if name in ("all", SOURCES):
            asked |= {*known} if name == "all" else {SOURCES}
            continue
        library, text = read_build(name)
        if library not in libraries and name in known:
            asked.add(name)
            continue
        if library not in libraries:
            raise UsageError(
                f"{where}: no library has a build '{name}'",
                f"{nearest(name, known)}; put one together: LIBRARY@SOURCE+WORD~MASK, such as openssl@4.0+clang16",
            )
        build = composed(changed[library], text)
        if build.name not in {one.name for one in changed[library].builds}:
            changed[library] = msgspec.structs.replace(changed[library], builds=(*changed[library].builds, build))
        asked.add(build_label(library, build.name))
    return changed, frozenset(asked)


def chosen_libraries(
    text: str,
    catalogue: Catalogue,
    libraries: Mapping[str, Library],
    labs: Collection[str] = (),
    asked: Collection[str] = (),
    built: Callable[[Library, BuildSpec], bool] = lambda library, build: False,
) -> dict[str, Library]:
    """The libraries that the filter `text` can leave, with the builds that it can leave, so that no other one is built.

    Builds of a plain run, those in `asked`, and those that the filter names. A laboratory takes part if it is in `labs` or the filter names it.
    `built`: of a library that no system ships, the first source that is built takes part too;
    `sources` among `asked` means every source that is built.
    """
    selection = parse_filter(text, {**dict.fromkeys(FILTER_KEYS, ()), **catalogue.keys}) if text else None
    chosen: dict[str, Library] = {}
    for name, library in libraries.items():
        if library.lab and name not in labs and not (selection and selection.asks("library", name)):
            continue
        here = [build for build in library.builds if _is_plain_source(build) and built(library, build)]
        taken = here if SOURCES in asked else here[:1] if not library.default_builds else []
        builds = tuple(
            build
            for build in library.builds
            if (
                build.default
                or build in taken
                or {build.name, build_label(library.id, build.name)} & {*asked}
                or (selection is not None and selection.asks("build", build.name))
            )
            and _can_leave(selection, catalogue, library.id, build.variant)
        )
        if builds:
            chosen[name] = msgspec.structs.replace(library, builds=builds)
    return chosen


def _is_plain_source(build: BuildSpec) -> bool:
    """Whether it is a source as it is."""
    return build.source is not None and build.own is None and build.variant == build.source.name


def _can_leave(selection: Filter | None, catalogue: Catalogue, library: str, variant: str) -> bool:
    """False if no cell of a build is left by the selection, whatever implementations it has: those are known to workers only."""
    if selection is None or not {"library", "build"} & selection.keys:
        return True
    lane = Lane(library, joined_build("any", variant))
    return any(
        selection.may_match(catalogue.usual(operation) | cell_facts(operation, case, lane), ("impl",))
        for operation in catalogue.asked(selection)
        for case in all_cases(operation, selection)
    )
