# SPDX-License-Identifier: Apache-2.0
"""The options that select cells, declared once, and words without an option: both write the filter language."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from cipherstone.catalogue.algorithms import Catalogue, catalogue_at
from cipherstone.catalogue.conditions import parse_param
from cipherstone.catalogue.filter import parse_filter
from cipherstone.catalogue.libraries import Library
from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.selection_words import Typed, typed
from cipherstone.cli import complete
from cipherstone.cli.known_libraries import known_libraries, known_with_labs
from cipherstone.cli.selection import build_names, known_values, words
from cipherstone.cli.shared_options import shares
from cipherstone.cli.user_library import with_brought
from cipherstone.model.errors import UsageError

WordsArgument = Annotated[
    list[str] | None,
    typer.Argument(
        autocompletion=complete.words,
        metavar="[WORDS]...",
        help="Names and sizes: openssl nettle gcm 16kb. Of one kind each adds (openssl or nettle), different kinds narrow. openssl@4.0: a build; NAME=WHERE: as -l.",
        show_default=False,
    ),
]
FilterOption = Annotated[
    str | None,
    typer.Option(
        "--filter",
        "-f",
        metavar="FILTER",
        help="What to measure: names and sizes, as 'gcm openssl 16kb', or key:value, as "
        "'op:aes-128-gcm/seal library:(openssl OR botan) size:>=1KiB -impl:/ct/'. "
        "Keys: library algorithm verb op size impl family build licence upkeep, parameters such as bits, and conditions such as key (fresh).",
    ),
]
LibraryOption = Annotated[
    list[str] | None,
    typer.Option(
        "--library",
        "-l",
        metavar="NAMES",
        help="Only these libraries (a,b or repeated); openssl@4.0: a build; NAME=WHERE: one of your own beside the system's: a prefix, a library, an archive of source, git:DIR@COMMIT.",
        autocompletion=complete.libraries,
    ),
]
FamilyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--family",
        metavar="NAMES",
        help="Only these families, e.g. hash. Without this, bignum is left out.",
        autocompletion=complete.families,
    ),
]
AlgorithmOption = Annotated[
    list[str] | None,
    typer.Option(
        "--algorithm",
        "-a",
        metavar="NAMES",
        help="Only these algorithms, e.g. sha-256, or all of gcm.",
        autocompletion=complete.algorithms,
    ),
]
OperationOption = Annotated[
    list[str] | None,
    typer.Option(
        "--op",
        metavar="NAMES",
        help="Only these operations, e.g. aes-128-gcm/seal.",
        autocompletion=complete.operations,
    ),
]
SizeOption = Annotated[
    list[str] | None, typer.Option("--size", "-s", metavar="SIZES", help="Only these sizes, any, e.g. 1024,16kb (KiB).")
]
ParamOption = Annotated[
    list[str] | None,
    typer.Option(
        "--param",
        metavar="KEY=VALUE",
        help="Only cases with this parameter, e.g. bits=2048; or operations under a condition: key=fresh, offset=1, cache=cold, place=same. Repeated: other names narrow, other values add.",
    ),
]
ImplementationOption = Annotated[
    list[str] | None,
    typer.Option("--impl", "-i", metavar="NAMES", help="Only these implementations, e.g. aes_ct64, or all."),
]

WorkerOption = Annotated[
    list[Path] | None,
    typer.Option("--worker", metavar="PATH", help="Also this worker, an executable (protocol/PROTOCOL.md)."),
]
BuildOption = Annotated[
    list[str] | None,
    typer.Option(
        "--build",
        metavar="NAMES",
        help="These builds as well, e.g. noasm, openssl@4.0+clang16, or sources: all that are built (see list --builds); -f build:noasm for them alone.",
        autocompletion=complete.builds,
    ),
]


class Selected(msgspec.Struct, frozen=True):
    """What options and words select. `filter`: in the filter language, "" for everything; `library`: those of the user's own, `NAME=WHERE`; `builds`: those that words name, to be measured as well."""

    filter: str = ""
    library: tuple[str, ...] = ()
    builds: tuple[str, ...] = ()


def select(
    named: WordsArgument = None,
    filter_: FilterOption = None,
    library: LibraryOption = None,
    algorithm: AlgorithmOption = None,
    operation: OperationOption = None,
    size: SizeOption = None,
    param: ParamOption = None,
    implementation: ImplementationOption = None,
) -> Selected:
    """What the options stand for. Raises UsageError for a word that means nothing, a condition that is not NAME=VALUE, a library of the user's own that is not there."""
    found = of_words(named) if named else Typed()
    own = (*found.own, *(word for word in library or () if "=" in word))
    names, _ = with_brought(library, known_libraries(data_root()))
    with_brought(found.own, known_libraries(data_root()))
    terms = [
        found.filter,
        _term("library", names),
        _term("algorithm", algorithm),
        _term("op", operation),
        _term("bytes", size),
        "impl:/./" if words(implementation) == ["all"] else _term("impl", implementation),
        *_conditions(param),
    ]
    terms = [term for term in terms if term]
    if filter_:
        terms.append(f"({filter_})" if terms else filter_)
    text = " ".join(terms)
    return Selected(text, own, tuple(dict.fromkeys((*found.builds, *_builds_named(text)))))


takes_selection = shares(select)


def of_words(named: Sequence[str]) -> Typed:
    """What words without an option select, of everything in the catalogue. Raises UsageError for one that means nothing."""
    catalogue, libraries = _everything()
    return typed(named, known_values(catalogue, libraries, (), build_names(libraries.values())))


def _builds_named(text: str) -> tuple[str, ...]:
    """Builds that a filter names with their library, which may have to be put together. A mistake is reported where all names are known."""
    if not {*"@+~"} & {*text}:
        return ()
    known = known_values(*_everything()) | {"licence": (), "upkeep": ()}
    with suppress(UsageError):
        return parse_filter(text, known).builds
    return ()


def _everything() -> tuple[Catalogue, dict[str, Library]]:
    catalogue = catalogue_at(data_root())
    return catalogue, known_with_labs(data_root())


def _term(key: str, values: Sequence[str] | None) -> str:
    chosen = words(values)
    return f"{key}:{chosen[0]}" if len(chosen) == 1 else f"{key}:({' OR '.join(chosen)})" if chosen else ""


def _conditions(param: Sequence[str] | None) -> list[str]:
    """A term for each parameter: its values add."""
    found: dict[str, list[str]] = {}
    for name, value in map(parse_param, words(param)):
        found.setdefault(name, []).append(value)
    return [_term(name, values) for name, values in found.items()]
