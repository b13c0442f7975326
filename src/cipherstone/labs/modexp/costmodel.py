# SPDX-License-Identifier: Apache-2.0
"""What an exponentiation costs, from its operation counts: t = c0 + mul * Cm + sqr * Cs + red * Cr, and the window that this makes best.

Fitted by least squares over relative errors, with no cost below zero, for each reduction, limb size and build apart, over the rows that read their table plainly:
what a `.ct` row takes beyond the prediction is the price of reading its table in constant time. A count that follows from the others is left out of the fit, for its
cost cannot be separated from theirs: a reduction for each product; what a call does once, where every row squares as often. Fails where the cost of an operation is not one number: caches that a large table does not fit, reduction that depends on data.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec

from cipherstone.labs.modexp.names import REDUCTIONS, Method
from cipherstone.labs.modexp.results import ModexpRow, rows_of
from cipherstone.model.later import Later
from cipherstone.model.summary import CaseSummary
from cipherstone.views.run.leaders import standing_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
else:
    np = Later("numpy")


FEWEST_ROWS = 5  # one more than there are costs to fit
COSTS = ("start", "mul", "sqr", "red")
_APART = 0.05  # of a column of counts this share must lie outside of what the other columns can make up
_FIT_ORDER = (1, 2, 3, 0)  # what a call does once is separated from the squarings last
_TIE = 0.01  # windows predicted within 1 % of the best are as good as it; what was measured is judged by its ranking
_FORMS = ("fw", "rm")


class Prediction(msgspec.Struct, frozen=True):
    """A row beside its prediction. `error`: predicted over measured, less 1. `fitted`: whether the row took part in the fit."""

    lane: str
    method: Method
    measured_ns: float
    predicted_ns: float
    error: float
    fitted: bool


class BestWindow(msgspec.Struct, frozen=True):
    """The best windows of one form: several if they cannot be told apart, the best first. Empty where there is none."""

    form: str
    predicted: tuple[int, ...]
    measured: tuple[int, ...]

    @property
    def agree(self) -> bool:
        """Whether the model's best window is among those measured best, or the measured best among the model's."""
        if not self.predicted or not self.measured:
            return False
        return self.predicted[0] in self.measured or self.measured[0] in self.predicted


class CostModel(msgspec.Struct, frozen=True):
    """The model of one reduction. Costs in ns; `unit_ns[k]` belongs to `COSTS[k]`, None where the count follows from the others.

    `r2`: share of the variance of the times that the prediction explains, over the rows fitted; `worst`, `rms`: of their relative errors.
    """

    case: str
    build: str
    reduction: str
    limb_bits: int
    unit_ns: tuple[float | None, ...]
    r2: float
    rms: float
    worst: float
    rows: tuple[Prediction, ...]
    windows: tuple[BestWindow, ...]

    @property
    def title(self) -> str:
        """`Montgomery, 64-bit limbs`."""
        return f"{REDUCTIONS[self.reduction]}, {self.limb_bits}-bit limbs"


def cost_models(case: CaseSummary) -> list[CostModel]:
    """A model for each build, reduction and limb size of which `FEWEST_ROWS` rows have a time and counts, in the order of the rows."""
    groups: dict[tuple[str, str, int], list[ModexpRow]] = {}
    for row in rows_of(case):
        if row.method is not None and row.ns is not None and row.mul is not None and row.sqr is not None:
            build = row.lane.partition("@")[2].partition(":")[0]
            groups.setdefault((build, row.method.reduction, row.method.limb_bits), []).append(row)
    found = []
    for (build, reduction, limb_bits), rows in groups.items():
        model = _model(case, build, reduction, limb_bits, rows)
        if model is not None:
            found.append(model)
    return found


def _model(
    case: CaseSummary, build: str, reduction: str, limb_bits: int, rows: Sequence[ModexpRow]
) -> CostModel | None:
    plain = [r for r in rows if r.method is not None and not r.method.constant_time]
    if len(plain) < FEWEST_ROWS:
        return None
    costs = fit_costs([_counts(r) for r in plain], [_ns(r) for r in plain])
    used = [0.0 if c is None else c for c in costs]
    predictions = []
    for row in rows:
        predicted = sum(c * n for c, n in zip(used, _counts(row), strict=True))
        if row.method is not None:
            fitted = not row.method.constant_time
            predictions.append(
                Prediction(row.lane, row.method, _ns(row), predicted, predicted / _ns(row) - 1.0, fitted)
            )
    errors = [p.error for p in predictions if p.fitted]
    times = np.array([p.measured_ns for p in predictions if p.fitted])
    rest = float(np.sum((times - np.array([p.predicted_ns for p in predictions if p.fitted])) ** 2))
    spread = float(np.sum((times - times.mean()) ** 2))
    return CostModel(
        case=case.case,
        build=build,
        reduction=reduction,
        limb_bits=limb_bits,
        unit_ns=costs,
        r2=1.0 - rest / spread if spread > 0 else 0.0,
        rms=math.sqrt(sum(e * e for e in errors) / len(errors)),
        worst=max(errors, key=abs),
        rows=tuple(predictions),
        windows=tuple(_window(case, form, predictions) for form in _FORMS),
    )


def _counts(row: ModexpRow) -> tuple[float, ...]:
    return (1.0, float(row.mul or 0), float(row.sqr or 0), float(row.red or 0))


def _ns(row: ModexpRow) -> float:
    if row.ns is None:
        raise ValueError(f"{row.lane} has no time")
    return row.ns.value


def fit_costs(counts: Sequence[Sequence[float]], times: Sequence[float]) -> tuple[float | None, ...]:
    """Costs of each column of `counts` (in the order of `COSTS`) that make the sum of squared relative errors least, none negative.

    None for a column that the others make up, nearly, or that is always 0. The exact optimum: every set of columns is tried, which is cheap for four.
    ValueError unless times are positive and as many as rows.
    """
    a, t = np.asarray(counts, dtype=np.float64), np.asarray(times, dtype=np.float64)
    if a.ndim != 2 or a.shape != (t.size, len(COSTS)) or not np.all(t > 0):
        raise ValueError(f"cost model: {a.shape} counts and {t.size} positive times")
    scaled = a / t[:, None]
    kept: list[int] = []
    for column in _FIT_ORDER:
        if _stands_apart(a[:, column], a[:, kept]):
            kept.append(column)
    best: tuple[float, dict[int, float]] = (float(t.size), {})
    for size in range(1, len(kept) + 1):
        for chosen in itertools.combinations(kept, size):
            found, *_ = np.linalg.lstsq(scaled[:, list(chosen)], np.ones(t.size), rcond=None)
            if np.any(found < 0):
                continue
            left = float(np.sum((scaled[:, list(chosen)] @ found - 1.0) ** 2))
            if left < best[0] - 1e-15:
                best = (left, dict(zip(chosen, map(float, found), strict=True)))
    return tuple(best[1].get(k, 0.0) if k in kept else None for k in range(a.shape[1]))


def _stands_apart(column: npt.NDArray[np.float64], others: npt.NDArray[np.float64]) -> bool:
    """Whether `column` is far enough from every linear combination of `others` that its cost can be separated from theirs."""
    length = float(np.linalg.norm(column))
    if length == 0.0:
        return False
    if others.shape[1] == 0:
        return True
    made, *_ = np.linalg.lstsq(others, column, rcond=None)
    return float(np.linalg.norm(column - others @ made)) > _APART * length


def _window(case: CaseSummary, form: str, predictions: Sequence[Prediction]) -> BestWindow:
    """Best windows of `form` (the rows that read their table plainly), by the model and by the ranking of the measurement."""
    rows = [p for p in predictions if p.fitted and p.method.form == form and p.method.window is not None]
    if not rows:
        return BestWindow(form, (), ())
    by_model = sorted(rows, key=lambda p: p.predicted_ns)
    predicted = [p for p in by_model if p.predicted_ns <= by_model[0].predicted_ns * (1 + _TIE)]
    window = {p.lane: p.method.window for p in rows if p.method.window is not None}
    measured = standing_of(case, window).leaders
    return BestWindow(
        form,
        tuple(p.method.window for p in predicted if p.method.window is not None),
        tuple(window[lane] for lane in measured),
    )


def leading_model(case: CaseSummary, models: Sequence[CostModel]) -> CostModel:
    """The model of the row that stands first of all that have one. ValueError without a model."""
    by_lane = {row.lane: model for model in models for row in model.rows}
    first = standing_of(case, by_lane).first
    if first is None:
        raise ValueError(f"{case.case}: no cost model")
    return by_lane[first]
