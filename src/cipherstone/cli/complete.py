# SPDX-License-Identifier: Apache-2.0
"""What a shell may offer for a word that is begun: libraries, operations, builds, suites, runs. Each function takes the word as typed and returns whole words; where several may stand with commas, those before the last stay."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from cipherstone.catalogue.algorithms import catalogue_at
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.suites import suite_names
from cipherstone.model.ids import build_label
from cipherstone.store.listing import listed_runs

RUNS = Path("runs")  # the default of --runs


def libraries(begun: str) -> list[str]:
    """Ids of libraries."""
    return _with_commas(begun, load_libraries(data_root(), left_out={}))


def algorithms(begun: str) -> list[str]:
    """Of the catalogue."""
    return _with_commas(begun, catalogue_at(data_root()).algorithms)


def operations(begun: str) -> list[str]:
    """`ALGORITHM/VERB`."""
    return _with_commas(begun, catalogue_at(data_root()).operations)


def families(begun: str) -> list[str]:
    """Of operations."""
    return _with_commas(begun, _families())


def builds(begun: str) -> list[str]:
    """`openssl@4.0`, of every library."""
    return _with_commas(begun, _builds())


def suites(begun: str) -> list[str]:
    """Of this checkout."""
    return _that_begin(begun, suite_names(data_root()))


def words(begun: str) -> list[str]:
    """What may stand without an option: libraries, algorithms, families; builds once the library is said."""
    if "@" in begun:
        return _that_begin(begun, _builds())
    return _that_begin(
        begun, (*load_libraries(data_root(), left_out={}), *catalogue_at(data_root()).algorithms, *_families())
    )


def runs(begun: str) -> list[str]:
    """`latest`, and the names and ids of the runs in the usual folder."""
    found = listed_runs(RUNS)
    return _that_begin(begun, ("latest", *(run.name for run in found if run.name), *(run.id for run in found)))


def _families() -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.family for one in catalogue_at(data_root()).operations.values()))


def _builds() -> list[str]:
    known = load_libraries(data_root(), left_out={}).values()
    return [build_label(library.id, build.variant) for library in known for build in library.builds if build.variant and not build.variant.startswith("~")]  # fmt: skip


def _that_begin(begun: str, names: Iterable[str]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name.startswith(begun)]


def _with_commas(begun: str, names: Iterable[str]) -> list[str]:
    before, comma, last = begun.rpartition(",")
    return [before + comma + name for name in _that_begin(last, names)]
