# SPDX-License-Identifier: Apache-2.0
"""Machines as vectors: the spectrum in groups, scores that divide a result by what the vector predicts, machines beside each other by ratios."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from cipherstone.model.ids import Lane
from cipherstone.model.records import Spectrum
from cipherstone.model.roofline import RooflineRow
from cipherstone.views.roofline import percent

SLOW_SHARE = 0.5  # of the same library's median share: below, a result is slower than this core should be
LEAST_ROWS = 4  # a median over fewer results says little
# The features that the modelled tiers need, and what they are for: what a CPU lacks is named in these words.
FEATURES = {
    "x86-64": {
        "aes": "AES rounds",
        "pclmulqdq": "carry-less multiply",
        "ssse3": "byte shuffles",
        "sha_ni": "SHA-1 and SHA-256 rounds",
        "bmi2": "mulx, rorx",
        "adx": "two carry chains",
        "avx2": "256-bit integers",
        "vaes": "AES on wide vectors",
        "vpclmulqdq": "carry-less multiply on wide vectors",
        "avx512f": "512-bit vectors",
        "avx512ifma": "52-bit multiply-add",
        "gfni": "Galois field",
        "sha512": "SHA-512 rounds",
    },
    "aarch64": {
        "aes": "AES rounds",
        "pmull": "carry-less multiply",
        "sha1": "SHA-1 rounds",
        "sha2": "SHA-256 rounds",
        "sha3": "three-way XOR",
        "sha512": "SHA-512 rounds",
        "asimd": "128-bit vectors",
        "sve": "scalable vectors",
    },
}
# Kernel names to the classes of work that a person knows: the first group with a prefix that fits; `p...` and `v...` are vector instructions.
GROUPS = (
    ("scalar multiply", ("mul", "mont", "imul", "umulh", "smulh", "madd", "ossl")),
    ("carry chain", ("adc", "adds", "sbb")),
    ("AES round", ("aes", "vaes")),
    ("carry-less multiply", ("pclmul", "vpclmul", "pmull")),
    ("SHA round", ("sha", "vsha")),
    ("load and store", ("load", "store", "ldr", "str")),
    ("branch", ("branch",)),
    ("vector integer", ("p", "v", "gf2")),
    ("scalar integer", ("",)),
)
SEQUENCES = "sequence"


class SpectrumRow(msgspec.Struct, frozen=True, omit_defaults=True):
    """One instruction (or sequence): core cycles each; `per_second`: throughput times the clock, None without either."""

    group: str
    name: str
    latency: float | None = None
    throughput: float | None = None
    sequence: float | None = None
    per_second: float | None = None


class Residual(msgspec.Struct, frozen=True, omit_defaults=True):
    """A result below half of the median share of its library: `share` and `median` of the best tier's bound."""

    row: RooflineRow
    share: float
    median: float

    @property
    def sentence(self) -> str:
        """For people."""
        return (
            f"{self.row.title}, {self.row.who}: slower than this core should be: {percent(self.share)} of "
            f"{self.row.best.tier if self.row.best else ''}, where this library reaches {percent(self.median)} in the median"
        )


class Scores(msgspec.Struct, frozen=True):
    """Shares of the best tier's bound. `by_family[family][lane's build]`: geometric mean; `overall`: over all operations of a build; `counts`: how many.

    `residuals`: results that are slower than this core should be, worst first. `flagged`: rows without a right model, left out of all means.
    """

    by_family: dict[str, dict[str, float]]
    overall: dict[str, float]
    counts: dict[str, int]
    residuals: tuple[Residual, ...]
    flagged: tuple[RooflineRow, ...]


def spectrum_rows(spectrum: Spectrum) -> list[SpectrumRow]:
    """Latency and throughput of an instruction in one row, groups in a fixed order, sequences by themselves at the end of their group."""
    found: dict[str, dict[str, float]] = {}
    for figure in spectrum.figures:
        name, _, verb = figure.kernel.partition(".")[2].rpartition("/")
        found.setdefault(name, {})[verb] = figure.cycles
    order = [title for title, _ in GROUPS]
    rows = []
    for name, verbs in found.items():
        throughput, sequence = verbs.get("throughput"), verbs.get(SEQUENCES)
        cost = throughput if throughput is not None else sequence
        rate = spectrum.ghz * 1e9 / cost if cost and spectrum.ghz else None
        rows.append(SpectrumRow(kernel_group(name), name, verbs.get("latency"), throughput, sequence, rate))
    return sorted(rows, key=lambda row: (order.index(row.group), row.sequence is not None))


def kernel_group(name: str) -> str:
    """The class of work of a kernel name (`vaesenc-zmm`: AES round)."""
    return next(title for title, prefixes in GROUPS if name.startswith(prefixes))


def missing_features(isa: str, features: Iterable[str]) -> list[tuple[str, str]]:
    """(feature, what it is for) that a CPU lacks, of those that the models know."""
    have = frozenset(features)
    return [(name, use) for name, use in FEATURES.get(isa, {}).items() if name not in have]


def scores(rows: Iterable[RooflineRow]) -> Scores:
    """Shares of the best available tier: the lane of a library that stands first in the ranking of an operation counts. Rows whose model is wrong, or that have no bound, are left out."""
    usable, flagged = [], []
    for row in rows:
        if row.flag:
            flagged.append(row)
        elif row.best is not None and row.best.share is not None:
            usable.append(row)
    best: dict[tuple[str, str], RooflineRow] = {}
    for row in usable:
        key = (Lane.parse(row.lane).build_id, row.operation)
        if key not in best or row.place < best[key].place:
            best[key] = row
    by_build: dict[str, list[RooflineRow]] = defaultdict(list)
    by_family: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for (build, _), row in best.items():
        by_build[build].append(row)
        by_family[row.family][build].append(_share(row))
    residuals = [one for mine in by_build.values() for one in _residuals(mine)]
    return Scores(
        by_family={
            family: {build: geometric_mean(values) for build, values in builds.items()}
            for family, builds in by_family.items()
        },
        overall={build: geometric_mean([_share(row) for row in mine]) for build, mine in by_build.items()},
        counts={build: len(mine) for build, mine in by_build.items()},
        residuals=tuple(sorted(residuals, key=lambda one: one.share / one.median)),
        flagged=tuple(flagged),
    )


def _share(row: RooflineRow) -> float:
    return row.best.share or 0.0 if row.best is not None else 0.0


def _residuals(rows: Sequence[RooflineRow]) -> list[Residual]:
    """Results of one build whose share, even at the favourable end of its interval, is below half of the median."""
    if len(rows) < LEAST_ROWS:
        return []
    median = statistics.median(_share(row) for row in rows)
    found = []
    for row in rows:
        measured = row.measured
        spread = measured.value / measured.low if measured is not None and measured.low else 1.0
        if _share(row) * spread < SLOW_SHARE * median:
            found.append(Residual(row, _share(row), median))
    return found


def geometric_mean(values: Sequence[float]) -> float:
    """Of positive values. ValueError if there is none."""
    if not values:
        raise ValueError("no values")
    return math.exp(sum(math.log(value) for value in values) / len(values))


def ratio_to(anchor: float | None, value: float | None) -> float | None:
    """`value` in units of `anchor`; None if either is missing."""
    return value / anchor if value is not None and anchor else None


def sequence_cycles(ns: Mapping[str, float], ghz: float | None) -> dict[str, float]:
    """Published ns per instruction as core cycles; empty where the clock is not known."""
    return {name: value * ghz for name, value in ns.items()} if ghz else {}
