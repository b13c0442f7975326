# SPDX-License-Identifier: Apache-2.0
"""Figures that cannot be: those of an emulator, and those below what the machine's instructions allow. They are refused with the reason, and not ranked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from cipherstone.catalogue.roofline import LEAST_BULK_BYTES, Model, load_models
from cipherstone.model.ids import Case, Lane
from cipherstone.model.outcomes import UNTRUE, Outcome
from cipherstone.model.records import Manifest
from cipherstone.model.summary import CellSummary
from cipherstone.model.units import significant
from cipherstone.views.roofline import kernel_figures

IMPLAUSIBLE = "implausible: "
EMULATED = "emulated: "
MOST_BYTES = 128  # a cycle: two loads of 64 bytes, the most that a core reads of its nearest cache
LEAST_CYCLES = 1.0  # of a call, beyond the empty one
MOST_GHZ = 6.5  # where no cycles are known: faster than any core
COARSE = 0.05  # error of these three


def models_for(manifest: Manifest, root: Path) -> tuple[Model, ...]:
    """The models of the roofline under `root` that a run's figures are held against: none without a spectrum of its machine. Raises DataError."""
    return load_models(root) if manifest.spectrum is not None else ()


def refuse(
    cells: Mapping[str, CellSummary], manifest: Manifest, models: Mapping[str, Sequence[Model]], case: Case
) -> dict[str, CellSummary]:
    """The cells of a case, those without a figure that cannot be. `models`: of the roofline, by operation."""
    found = {}
    for lane, cell in cells.items():
        reason = ""
        if cell.ns is not None:
            reason = emulated(lane, manifest) or implausible(case, cell, manifest, models.get(case.operation, ()))
        found[lane] = without_figure(cell, reason) if reason else cell
    return found


def emulated(lane: str, manifest: Manifest) -> str:
    """Why the times of a lane are an emulator's, or ""."""
    builds = {f"{build.library}@{build.build}": build for build in manifest.builds}
    own = builds.get(Lane.parse(lane).build_id)
    by = manifest.machine.emulated or (own.emulated if own is not None else "")
    return f"{EMULATED}by {by}; its times would be the emulator's" if by else ""


def implausible(case: Case, cell: CellSummary, manifest: Manifest, models: Iterable[Model]) -> str:
    """Why a figure is less than the machine allows, in one line, or "": by the favourable end of its interval, and by more than the bound's stated error."""
    if cell.ns is None:
        return ""
    measured = cell.cycles or cell.ns
    most = measured.value if measured.high is None else max(measured.value, measured.high)
    cycles = most if cell.cycles is not None else most * MOST_GHZ
    if cycles * (1 + COARSE) < LEAST_CYCLES:
        return _sentence(cycles, "call", LEAST_CYCLES, "any call", COARSE)
    size = case.size_bytes or 0
    if size and cycles * (1 + COARSE) < size / MOST_BYTES:
        return _sentence(cycles / size, "byte", 1 / MOST_BYTES, f"reading {MOST_BYTES} bytes a cycle", COARSE)
    spectrum = manifest.spectrum
    if spectrum is None or cell.cycles is None or spectrum.missing:
        return ""
    figures, have = kernel_figures(spectrum), frozenset(manifest.machine.cpu_features)
    mine = [model for model in models if not model.missing_features(have)]
    # What no model counts may be faster: then none of them refuses.
    if any(set(model.beyond) & have or set(model.kernels) - set(figures) for model in mine) or not mine:
        return ""
    bulk = mine[0].block_bytes is not None
    if bulk and size < LEAST_BULK_BYTES:
        return ""  # short calls overlap with the next one, which a chain's bound does not know
    best = min(mine, key=lambda model: model.bound(figures)[0])
    bound, error = best.bound(figures)[0], max(model.error for model in mine)
    per = cycles / size if bulk else cycles
    return _sentence(per, "byte" if bulk else "call", bound, best.tier, error) if per * (1 + error) < bound else ""


def _sentence(cycles: float, per: str, bound: float, of: str, error: float) -> str:
    return (
        f"{IMPLAUSIBLE}{significant(cycles, 3)} cycles a {per}, {significant(bound / cycles, 2)} times as fast as the bound of {of} "
        f"({significant(bound, 3)}, known to {error:.0%}): what is timed does not compute this"
    )


def without_figure(cell: CellSummary, reason: str) -> CellSummary:
    """A cell whose figures are refused."""
    return msgspec.structs.replace(
        cell,
        ns=None,
        cycles=None,
        typical_ns=None,
        pass_ns=(),
        passes=(),
        pass_median_ns=(),
        long_passes=(),
        fast_passes=None,
        passes_used=0,
        batches=0,
        flags=(),
        distribution=None,
        latency=None,
        levels=(),
        refused=reason,
    )


def untrue_lanes(cells: Iterable[CellSummary]) -> list[str]:
    """Lanes whose worker broke since it claimed what cannot be."""
    return sorted({cell.lane for cell in cells if cell.outcome is Outcome.CRASHED and UNTRUE in cell.detail})


def implausible_lanes(cells: Iterable[CellSummary]) -> list[str]:
    """Lanes that claim what cannot be."""
    return sorted({cell.lane for cell in cells if cell.refused.startswith(IMPLAUSIBLE)})
