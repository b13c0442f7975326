# SPDX-License-Identifier: Apache-2.0
"""What a summary says by the data beside the code: questions of its suite, the roofline, properties of implementations. Derived once, stored with the run, and named by the hash of that data."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from cipherstone.build.targets import TARGETS
from cipherstone.catalogue.algorithms import Catalogue, catalogue_at
from cipherstone.catalogue.libraries import Library
from cipherstone.catalogue.published_pages import TABLES, load_page
from cipherstone.catalogue.references import files_of, shown_place
from cipherstone.catalogue.roofline import load_models
from cipherstone.catalogue.suites import load_suite, suite_names
from cipherstone.model.ids import Lane
from cipherstone.model.summary import CaseSummary, CellSummary, Properties, RunSummary, WireSizes
from cipherstone.views.published import beside
from cipherstone.views.published_pairs import published_pairs
from cipherstone.views.roofline import roofline_rows
from cipherstone.views.run.counts import all_counts, is_timed

ROOFLINE = "roofline"
DIGITS = 16
WITH_PUBLIC_KEYS = (
    "dh",
    "sig",
    "kem",
    "pke",
)  # families whose parties send each other keys, ciphertexts and signatures


def derive(run: RunSummary, root: Path, libraries: Mapping[str, Library]) -> RunSummary:
    """`run` with what follows from the data under `root` and from `libraries`, which has laboratories too; `room` is left as it is. Raises DataError for data that contradict themselves."""
    run = msgspec.structs.replace(run, cases=tuple(_with_properties(case, libraries) for case in run.cases))
    models: dict[str, str] = dict(run.models)
    cards: tuple[tuple[str, str], ...] = ()
    suite, published, pairs = run.manifest.suite, run.published, run.pairs
    if suite in suite_names(root) and (is_timed(run) or run.counted):
        measured = {case.case for case in run.cases if case.cells}
        chosen = load_suite(root, suite)
        cards = tuple((card.question, card.case.id) for card in chosen.cards if card.case.id in measured)
        models[f"suites/{suite}.toml"] = digest([root / "suites" / f"{suite}.toml"])
        if (page := load_page(root, chosen)) is not None:
            published = beside(page, run) if is_timed(run) else published
            pairs = tuple(one for one in published_pairs(page, all_counts(run), _architectures(run)) if one.counted)
            models[shown_place(suite, TABLES)] = digest(files_of(root, suite, TABLES))
    sizes = _wire_sizes(run, catalogue_at(root))
    rows = run.roofline
    if run.manifest.spectrum is not None:
        rows = roofline_rows(load_models(root), run)
        models[ROOFLINE] = digest((root / ROOFLINE).glob("*.toml"))
    return msgspec.structs.replace(
        run, cards=cards, wire_sizes=sizes, roofline=rows, published=published, pairs=pairs, models=models
    )


def _wire_sizes(run: RunSummary, catalogue: Catalogue) -> tuple[WireSizes, ...]:
    """Of each algorithm once, in the order of the cases."""
    found: dict[str, WireSizes] = {}
    for case in run.cases:
        known = catalogue.known(case.operation)
        if known is None or known.family not in WITH_PUBLIC_KEYS or known.algorithm in found or not case.cells:
            continue
        sent = known.lengths
        found[known.algorithm] = WireSizes(
            known.algorithm, known.called, sent.get("pub"), sent.get("ciphertext"), sent.get("sig")
        )
    return tuple(found.values())


def _architectures(run: RunSummary) -> dict[str, str]:
    """Of the targets that something was counted on, as publications call them."""
    names = dict.fromkeys(one.target for one in run.counted if not one.problem)
    return {name: TARGETS[name].architecture for name in names if name in TARGETS}


def digest(files: Iterable[Path]) -> str:
    """The first digits of SHA-256 over the files' names and contents, in the order of their names."""
    total = hashlib.sha256()
    for path in sorted(files):
        total.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()[:DIGITS]


def _with_properties(case: CaseSummary, known: Mapping[str, Library]) -> CaseSummary:
    cells = tuple(msgspec.structs.replace(cell, properties=_properties(case, cell, known)) for cell in case.cells)
    return msgspec.structs.replace(case, cells=cells)


def _properties(case: CaseSummary, cell: CellSummary, known: Mapping[str, Library]) -> Properties | None:
    lane = Lane.parse(cell.lane)
    library = known.get(lane.library)
    found = library.about(case.operation, lane.implementation, lane.variant) if library is not None else None
    return found.properties if found is not None else None
