# SPDX-License-Identifier: Apache-2.0
"""Stored runs as commands read them: the summary of one, and bundles that hold another program's figures."""

from __future__ import annotations

import msgspec

from cipherstone.catalogue.algorithms import Catalogue, catalogue_at
from cipherstone.catalogue.paths import data_root
from cipherstone.cli import environment as env
from cipherstone.cli.derived_summary import derived
from cipherstone.cli.steps import Steps
from cipherstone.execute.stored_run import bundle_summary
from cipherstone.model.errors import UsageError
from cipherstone.model.summary import RunSummary
from cipherstone.model.text import showable_struct
from cipherstone.report.render.foreign import foreign_lines
from cipherstone.store.bundle import Bundle
from cipherstone.views.foreign import foreign_cells


def summary_of(bundle: Bundle, what: str = "run") -> RunSummary:
    """What a bundle of ours says; its warnings are printed. UsageError if it holds another program's figures; `what`: how the command names the run."""
    refuse_foreign(bundle, what)
    for warning in bundle.warnings:
        env.say(f"warning: {warning}")
    with Steps(plain=False) as step:
        step("reading the run", bundle.path.name)
        return bundle_summary(bundle, catalogue(), derived)


def catalogue() -> Catalogue:
    """The catalogue of this checkout."""
    return catalogue_at(data_root())


def show_foreign(bundle: Bundle, format_: env.Format = env.Format.TEXT) -> None:
    """A foreign bundle's own table, for `show` and `report`: nothing in it is ranked."""
    manifest = showable_struct(bundle.manifest)
    cells = [showable_struct(cell) for cell in foreign_cells(bundle.records())]
    if format_ is env.Format.JSON:
        print(msgspec.json.encode({"manifest": manifest, "figures": cells}).decode())
    else:
        print("\n".join(foreign_lines(manifest, cells, env.width())))


def refuse_foreign(bundle: Bundle, what: str) -> None:
    """Raises UsageError if the bundle holds another program's figures."""
    if bundle.manifest.foreign:
        raise UsageError(
            f"{what}: {bundle.path.name} holds published figures of another program, which are not ranked or compared",
            f"`cipherstone show {env.as_typed(bundle.path)}`, or `cipherstone machine --against {env.as_typed(bundle.path)}`",
        )
