# SPDX-License-Identifier: Apache-2.0
"""Roofline models: `roofline/*.toml`. A model says how few cycles an operation can take on a machine whose instructions have known figures."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from cipherstone.catalogue.document import read_toml, shown
from cipherstone.model.errors import DataError, nearest

Kind = Literal["latency", "throughput"]
Per = Literal["block", "call"]
_KERNEL = re.compile(r"(?P<isa>x86-64|aarch64)\.(?P<name>[a-z0-9][a-z0-9-]*)/(?P<verb>latency|throughput|sequence)\Z")
# A bulk operation is judged at its largest measured size, from here up: below, what a call costs hides what a byte costs.
LEAST_BULK_BYTES = 8192
DEFAULT_ERROR = 0.1  # of a model that was made by hand
LONGEST_TIER = 14  # characters: tiers head the columns of a terminal


class Term(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """`count` executions of a kernel of the instruction laboratory, e.g. `x86-64.aesenc-xmm/throughput`; `what` they are for."""

    count: float
    kernel: str
    what: str = ""


class UnitGroup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What shares an execution unit (or a chain) and therefore adds up. Groups of a model overlap."""

    unit: str
    terms: tuple[Term, ...]

    def cycles(self, figures: Mapping[str, float]) -> float:
        """Core cycles of the group; `figures`: cycles per instruction by kernel. KeyError for a kernel without a figure."""
        return sum(term.count * figures[term.kernel] for term in self.terms)

    def limiting(self, figures: Mapping[str, float]) -> Term:
        """The term that takes most of the group's cycles."""
        return max(self.terms, key=lambda term: term.count * figures[term.kernel])


class Model(msgspec.Struct, frozen=True):
    """The bound of one operation on one instruction-set tier.

    `requires`: CPU features in the words of /proc/cpuinfo. `kind`: what the author expects to limit. `block_bytes`: work of one evaluation of the groups,
    None where it is a whole call. `derivation` counts, `overlaps` says what runs at the same time, `sources` are standards and papers. `error`: share by which a true figure may lie below the bound at most; `beyond`: CPU features that would allow
    more than any model of the operation counts.
    """

    operation: str
    tier: str
    requires: tuple[str, ...]
    kind: Kind
    block_bytes: int | None
    groups: tuple[UnitGroup, ...]
    derivation: str
    overlaps: str
    sources: tuple[str, ...]
    file: str
    error: float = DEFAULT_ERROR
    beyond: tuple[str, ...] = ()

    @property
    def isa(self) -> str:
        """`x86-64` or `aarch64`, from its kernels."""
        return self.groups[0].terms[0].kernel.partition(".")[0]

    @property
    def kernels(self) -> tuple[str, ...]:
        """Every kernel that it needs, each once."""
        return tuple(dict.fromkeys(term.kernel for group in self.groups for term in group.terms))

    def missing_features(self, features: Collection[str]) -> tuple[str, ...]:
        """What a CPU with these features lacks for this tier."""
        return tuple(name for name in self.requires if name not in features)

    def bound(self, figures: Mapping[str, float]) -> tuple[float, UnitGroup, Term]:
        """(cycles per byte or per call, the group that limits, its heaviest term). KeyError for a kernel without a figure."""
        group = max(self.groups, key=lambda one: one.cycles(figures))
        return group.cycles(figures) / (self.block_bytes or 1), group, group.limiting(figures)


class _Model(msgspec.Struct, forbid_unknown_fields=True):
    operations: tuple[str, ...]
    tier: str
    requires: tuple[str, ...]
    kind: Kind
    per: Per
    derivation: str
    overlaps: str
    sources: tuple[str, ...]
    group: tuple[UnitGroup, ...]
    block_bytes: int | None = None


class _File(msgspec.Struct, forbid_unknown_fields=True):
    error: float
    model: tuple[_Model, ...]
    beyond: tuple[str, ...] = ()


def load_models(
    root: Path, operations: Collection[str] | None = None, kernels: Collection[str] | None = None
) -> tuple[Model, ...]:
    """Reads and checks `roofline/*.toml` under `root`; in order of file, then of place.

    `operations`: ids of the catalogue, `kernels`: ids of the kernel table (`x86-64.mulx/throughput`); None checks their form only. Raises DataError: one line,
    the first thing that is wrong.
    """
    folder = root / "roofline"
    if not folder.is_dir():
        raise DataError(f"roofline: {folder} is not a folder", "is the checkout complete?")
    models: list[Model] = []
    places: dict[tuple[str, str], str] = {}
    for path in sorted(folder.glob("*.toml")):
        name = f"roofline/{path.name}"
        file = read_toml(path, name, _File)
        if not 0 < file.error < 1:
            raise DataError(
                f"{name}: error: '{file.error:g}' is no share", "by how much figures may lie below the bound, e.g. 0.1"
            )
        for index, raw in enumerate(file.model):
            where = f"{name}: model[{index}]"
            _check(where, raw, kernels)
            for operation in raw.operations:
                if operations is not None and operation not in operations:
                    raise DataError(
                        f"{where}.operations: {shown(operation)} is not in the catalogue",
                        nearest(operation, operations),
                    )
                known = places.setdefault((operation, raw.tier), where)
                if known != where:
                    raise DataError(
                        f"{where}: {shown(operation)} has tier {shown(raw.tier)} already in {known}", "one model a tier"
                    )
                models.append(_model(operation, raw, name, file))
    return tuple(models)


def _model(operation: str, raw: _Model, name: str, file: _File) -> Model:
    return Model(
        operation=operation,
        tier=raw.tier,
        requires=raw.requires,
        kind=raw.kind,
        block_bytes=raw.block_bytes,
        groups=raw.group,
        derivation=raw.derivation,
        overlaps=raw.overlaps,
        sources=raw.sources,
        file=name,
        error=file.error,
        beyond=file.beyond,
    )


def _check(where: str, raw: _Model, kernels: Collection[str] | None) -> None:
    if not raw.operations:
        raise DataError(f"{where}.operations: is empty", "name the operations that the model is for")
    if len(set(raw.operations)) != len(raw.operations):
        raise DataError(f"{where}.operations: one stands twice", "name each once")
    for field in ("tier", "derivation", "overlaps"):
        if not getattr(raw, field).strip():
            raise DataError(f"{where}.{field}: is empty", "a bound says what it counts, on what, and what overlaps")
    if len(raw.tier) > LONGEST_TIER:
        raise DataError(f"{where}.tier: {shown(raw.tier)} has more than {LONGEST_TIER} characters", "it heads a column")
    if not raw.sources:
        raise DataError(f"{where}.sources: is empty", "name the standard or paper behind the counts")
    if raw.per == "call" and raw.block_bytes is not None:
        raise DataError(f"{where}.block_bytes: '{raw.block_bytes}', but the bound is per call", "remove it")
    if raw.per == "block" and (raw.block_bytes is None or raw.block_bytes < 1):
        raise DataError(f"{where}.block_bytes: '{raw.block_bytes}' is not a positive number of bytes", "bytes a block")
    if not raw.group:
        raise DataError(f"{where}.group: is empty", "add [[model.group]]")
    _check_terms(where, raw, kernels)


def _check_terms(where: str, raw: _Model, kernels: Collection[str] | None) -> None:
    isas, verbs = set(), set()
    for g, group in enumerate(raw.group):
        if not group.unit.strip() or not group.terms:
            raise DataError(f"{where}.group[{g}]: has no unit or no terms", "say what shares the unit")
        for t, term in enumerate(group.terms):
            place = f"{where}.group[{g}].terms[{t}]"
            if not term.count > 0:
                raise DataError(f"{place}.count: '{term.count:g}' is not positive", "leave the term out")
            match = _KERNEL.match(term.kernel)
            if match is None:
                raise DataError(
                    f"{place}.kernel: {shown(term.kernel)} is not a kernel id", "e.g. x86-64.aesenc-xmm/throughput"
                )
            if kernels is not None and term.kernel not in kernels:
                raise DataError(
                    f"{place}.kernel: {shown(term.kernel)} is not in the kernel table", nearest(term.kernel, kernels)
                )
            isas.add(match["isa"])
            verbs.add(match["verb"])
    if len(isas) > 1:
        raise DataError(f"{where}.group: kernels of several instruction sets: {', '.join(sorted(isas))}", "one a model")
    if raw.kind == "latency" and "latency" not in verbs:
        raise DataError(f"{where}.kind: 'latency', but no term is a latency", "name the chain's kernels")
