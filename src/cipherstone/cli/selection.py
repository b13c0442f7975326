# SPDX-License-Identifier: Apache-2.0
"""Choosing what to measure: one filter language, and options that write it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

import typer

from cipherstone.catalogue.algorithms import Catalogue
from cipherstone.catalogue.filter import Filter, parse_filter
from cipherstone.measure.plan import cell_facts
from cipherstone.model.ids import Lane

FilterOption = Annotated[
    str | None,
    typer.Option(
        "--filter",
        "-f",
        help="What to measure, e.g. 'op:aes-128-gcm/seal library:(openssl OR botan) bytes:>=1KiB -impl:/ct/'. "
        "Keys: library algorithm verb op bytes impl family.",
    ),
]
LibraryOption = Annotated[
    list[str] | None, typer.Option("--library", "-l", help="Only these libraries (a,b or repeated).")
]
AlgorithmOption = Annotated[
    list[str] | None, typer.Option("--algorithm", "-a", help="Only these algorithms, e.g. sha-256.")
]
OperationOption = Annotated[
    list[str] | None, typer.Option("--op", help="Only these operations, e.g. aes-128-gcm/seal.")
]
SizeOption = Annotated[list[str] | None, typer.Option("--size", "-s", help="Only these sizes, e.g. 1024,16KiB.")]
ImplementationOption = Annotated[
    list[str] | None, typer.Option("--impl", "-i", help="Only these implementations, e.g. aes_ct64, or all.")
]


def words(values: Sequence[str] | None) -> list[str]:
    """`a,b` and repeated options, flattened."""
    return [word for value in values or () for word in value.split(",") if word]


def known_values(
    catalogue: Catalogue, libraries: Iterable[str], implementations: Iterable[str] = ()
) -> dict[str, tuple[str, ...]]:
    """What each key of a filter may say; no implementations means that any will do."""
    operations = catalogue.operations.values()
    return {
        "library": tuple(libraries),
        "algorithm": catalogue.algorithms,
        "verb": tuple(dict.fromkeys(operation.verb for operation in operations)),
        "op": tuple(catalogue.operations),
        "bytes": tuple(str(size) for size in catalogue.sizes),
        "impl": tuple(implementations),
        "family": tuple(dict.fromkeys(operation.family for operation in operations)),
    }


def filter_text(
    text: str | None,
    library: Sequence[str] | None,
    algorithm: Sequence[str] | None,
    operation: Sequence[str] | None,
    size: Sequence[str] | None,
    implementation: Sequence[str] | None,
) -> str:
    """The filter that the options stand for; "" if none was given."""
    terms = []
    for key, values in (
        ("library", library),
        ("algorithm", algorithm),
        ("op", operation),
        ("bytes", size),
        ("impl", implementation),
    ):
        chosen = words(values)
        if key == "impl" and chosen == ["all"]:
            terms.append("impl:/./")
        elif chosen:
            terms.append(f"{key}:{chosen[0]}" if len(chosen) == 1 else f"{key}:({' OR '.join(chosen)})")
    if text:
        terms.append(f"({text})" if terms else text)
    return " ".join(terms)


def parsed(text: str, known: Mapping[str, tuple[str, ...]]) -> Filter | None:
    """The filter, or None for no selection. UsageError names what is unknown, with the nearest name."""
    return parse_filter(text, known) if text else None


def wanted_libraries(selection: Filter | None, catalogue: Catalogue, libraries: Iterable[str]) -> set[str] | None:
    """Libraries that the selection can leave, so that no other one is built; None (all) if it speaks of implementations, which only workers know."""
    if selection is None or "library" not in selection.keys or "impl" in selection.keys:
        return None
    return {
        name
        for name in libraries
        for operation in catalogue.operations.values()
        for case in operation.cases
        if selection.matches(cell_facts(operation, case, Lane(name, "any")))
    }
