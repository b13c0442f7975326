# SPDX-License-Identifier: Apache-2.0
"""What a request of `cipherstone lab modexp` is taken from: its suite, with what the options leave of it."""

from __future__ import annotations

import msgspec

from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import catalogue_at
from cipherstone.catalogue.libraries import load_labs
from cipherstone.catalogue.scope import Scope
from cipherstone.catalogue.suites import Suite, load_suite
from cipherstone.cli.known_libraries import known_libraries
from cipherstone.cli.selection import build_names, chosen_libraries, known_values, with_builds, written
from cipherstone.labs.modexp.names import LAB, LIMBS, WINDOWS
from cipherstone.labs.modexp.options import (
    BASE_ROW,
    Narrowing,
    base_of,
    bits_offered,
    filtered,
    narrowed,
    number_list,
    reduction_list,
)
from cipherstone.model.errors import UsageError
from cipherstone.model.ids import build_label
from cipherstone.model.request import RunRequest


def scope(workshop: Workshop, request: RunRequest) -> Scope:
    """The laboratory's suite and libraries, narrowed. Raises UsageError for an option that leaves nothing."""
    catalogue = catalogue_at(workshop.root)
    labs = load_labs(workshop.root, catalogue)
    suite = load_suite(workshop.root, LAB, catalogue)
    wish = _wish(request, suite)
    known = known_libraries(workshop.root) | labs
    text = written(request.filter, known_values(catalogue, known, (), build_names(known.values())))
    known, asked = with_builds("--build", request.build, known)
    if request.options.get("compilers"):
        asked |= {one.name for one in labs[LAB].builds}
    offered = known if wish.libraries and not wish.quick else labs
    left = chosen_libraries(text, catalogue, offered, (LAB,), build_names(known.values()))
    if not left:
        raise UsageError(f"filter '{text}': leaves no library of this laboratory", "see `cipherstone list --builds`")
    base = base_of(left[LAB], BASE_ROW) if LAB in left else min(left)
    names = build_names(left.values())  # what is not surveyed is not asked for
    chosen = filtered(narrowed(suite, wish), text)
    chosen = msgspec.structs.replace(chosen, builds=tuple(name for name in chosen.builds if name in names))
    asked = asked.intersection({*names, *(build_label(one.id, name) for one in left.values() for name in names)})
    return Scope(catalogue, left, chosen, "", tuple(sorted(asked)), base)


def _wish(request: RunRequest, suite: Suite) -> Narrowing:
    """The laboratory's options. Raises UsageError for a value that it does not offer."""
    given = request.options
    texts = {name: str(given[name]) if name in given else None for name in ("bits", "window", "limb", "reduction")}
    return Narrowing(
        bits=number_list("bits", texts["bits"], bits_offered(suite), "not measured"),
        crt=bool(given["crt"]) if "crt" in given else None,
        quick=bool(given.get("quick", False)),
        libraries=bool(given.get("libraries", True)),
        windows=number_list("window", texts["window"], WINDOWS),
        limbs=number_list("limb", texts["limb"], LIMBS),
        reductions=reduction_list(texts["reduction"]),
    )
