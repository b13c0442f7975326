# SPDX-License-Identifier: Apache-2.0
"""First screen of the modexp laboratory: the fastest row, the frugal one, the window, the model, portable C, the IFMA back end."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cipherstone.catalogue.published import Published
from cipherstone.model.ids import Lane
from cipherstone.model.summary import CaseSummary, CellSummary
from cipherstone.model.units import format_time
from cipherstone.report.figures import bytes_text, percent_text, ratio_text, time_text
from cipherstone.report.grid import RunView
from cipherstone.report.lab_modexp_tables import case_words
from cipherstone.report.lab_page import LabCard, bits_words, lane_words, times_words
from cipherstone.views.costmodel import CostModel
from cipherstone.views.modexp import (
    ModexpRow,
    competing,
    fastest,
    modulus_bits,
    over,
    pareto,
    portable,
    publication,
    rows_of,
    with_crt,
)
from cipherstone.views.modexp_names import LAB, REDUCTIONS, method_of

NEARLY = 1.05  # "nearly as fast": within 5 % of the fastest
IFMA_LIBRARY = "openssl"
IFMA_BITS = (2048, 3072, 4096)  # moduli for whose primes OpenSSL has code of its own
MOST_OF_A_KIND = 3


def modexp_cards(
    view: RunView,
    main: CaseSummary,
    models: Sequence[CostModel],
    exponentiations: Sequence[CaseSummary],
    published: Published,
) -> list[LabCard]:
    """Cards for what this run can answer, at most eight."""
    rows = [r for r in rows_of(main) if r.method is not None]
    cards = [_fastest(main, rows), _frugal(main, rows), _window(main, models), _published(main, published)]
    # The main case first, then rising moduli; OpenSSL's own IFMA code is for primes, so for CRT.
    private = sorted((c for c in exponentiations if c.verb == main.verb), key=lambda c: (c.case != main.case, modulus_bits(c.case), c.case))  # fmt: skip
    cards += [card for card in (_portable(view, case) for case in private) if card is not None][:MOST_OF_A_KIND]
    cards += [_ifma(view, case) for case in private if with_crt(case.case) and modulus_bits(case.case) in IFMA_BITS]  # fmt: skip
    return [card for card in cards if card is not None][:8]


def _fastest(case: CaseSummary, rows: Sequence[ModexpRow]) -> LabCard | None:
    best = fastest(rows)
    if best is None or best.ns is None or best.method is None:
        return None
    parts = [times_words(best.factor, "Basic, fast")] if best.factor is not None else []
    if best.memory_factor is not None:
        parts.append(f"{best.memory_factor:.1f} times the memory of Basic, fast")
    by = "; ".join(parts)
    title = f"{best.title}, {best.method.limb_bits}-bit limbs"
    return LabCard("Which of our ways is fastest?", title, time_text(best.ns), by, case_words(case), "lab-table", LAB)


def _frugal(case: CaseSummary, rows: Sequence[ModexpRow]) -> LabCard | None:
    """The least memory within 5 % of the fastest portable row."""
    mine = [r for r in rows if r.method is not None and r.method.is_portable]
    best, front = fastest(mine), pareto(mine)
    if best is None or best.ns is None or not best.memory_bytes:
        return None
    near = [r for r in front if r.ns is not None and r.ns.value <= best.ns.value * NEARLY]
    if not near or near[0].memory_bytes is None or near[0].ns is None:
        return None
    row = near[0]
    slower = near[0].ns.value / best.ns.value - 1
    by = f"{percent_text(slower)} slower than the fastest portable row, with {percent_text(near[0].memory_bytes / best.memory_bytes)} of its memory"
    if row.lane == best.lane:
        by = "no row within 5 % of it needs less memory"
    return LabCard("Which is nearly as fast in least memory?", row.title, bytes_text(near[0].memory_bytes), by, case_words(case), "lab-pareto", LAB)  # fmt: skip


def _window(case: CaseSummary, models: Sequence[CostModel]) -> LabCard | None:
    if not models:
        return None
    model = min(models, key=lambda m: min(p.measured_ns for p in m.rows))
    parts = []
    agree = True
    for window in model.windows:
        if window.predicted and window.measured:
            parts.append(f"{bits_words(window.measured)} bits ({window.form.upper()})")
            agree = agree and window.agree
    if not parts:
        return None
    mul, sqr = model.unit_ns[1], model.unit_ns[2]
    costs = [f"a {name} {format_time(c, 3)}" for name, c in (("multiplication", mul), ("squaring", sqr)) if c]
    by = f"the cost model {'agrees' if agree else 'says otherwise'}; it is off by {percent_text(abs(model.worst))} at most: {', '.join(costs)}"
    what = f"{REDUCTIONS[model.reduction]}, {case_words(case)}"
    return LabCard("Which window is best here?", " and ".join(parts), f"R² {model.r2:.3f}", by, what, "lab-model", LAB)


def _published(case: CaseSummary, published: Published) -> LabCard | None:
    ratios = [
        line.ours.factor_ratio
        for line in publication(case, published)
        if line.ours is not None and line.ours.factor_ratio is not None
    ]
    if not ratios:
        return None
    middle = math.exp(sum(math.log(r) for r in ratios) / len(ratios))
    order = "ranks as published" if _same_order(case, published) else "ranks otherwise"
    by = f"what a row gains over Basic, fast is {min(ratios):.2f} to {max(ratios):.2f} times what it gained there, {len(ratios)} rows"
    return LabCard(
        "Does the published table hold here?",
        order,
        f"{middle:.2f} times its gains",
        by,
        published.title,
        "lab-publication",
    )


def _same_order(case: CaseSummary, published: Published) -> bool:
    """Whether the three reductions stand in the published order at their best."""
    ours: dict[str, float] = {}
    theirs: dict[str, float] = {}
    for line in publication(case, published):
        reduction = line.key.partition("-")[0]
        if line.ours is not None and line.ours.ns is not None and line.theirs is not None:
            ours[reduction] = min(ours.get(reduction, math.inf), line.ours.ns.value)
            theirs[reduction] = min(theirs.get(reduction, math.inf), line.theirs.time_ms)
    return sorted(ours, key=lambda r: ours[r]) == sorted(theirs, key=lambda r: theirs[r])


def _portable(view: RunView, case: CaseSummary) -> LabCard | None:
    rows = portable(case)
    ours = next((r for r in rows if Lane.parse(r.lane).library == LAB), None)
    others = [r for r in rows if Lane.parse(r.lane).library != LAB]
    if ours is None or not others:
        return None
    next_best = others[0]
    question = "Whose portable C is fastest?"
    first = rows[0]
    by = ""
    if next_best.to_ours is not None:
        by = f"{lane_words(view, next_best.lane)} takes {ratio_text(next_best.to_ours)} times as long as our best"
    return LabCard(question, lane_words(view, first.lane), time_text(first.ns), by, case_words(case), "lab-portable", Lane.parse(first.lane).library)  # fmt: skip


def _ifma(view: RunView, case: CaseSummary) -> LabCard | None:
    """Our IFMA row against OpenSSL's fastest lane of the same case."""
    ours: CellSummary | None = None
    theirs: CellSummary | None = None
    for cell in competing(case):
        lane = Lane.parse(cell.lane)
        method = method_of(lane)
        if cell.ns is None:
            continue
        if method is not None and not method.is_portable and (ours is None or cell.ns.value < _ns(ours)):
            ours = cell
        if lane.library == IFMA_LIBRARY and (theirs is None or cell.ns.value < _ns(theirs)):
            theirs = cell
    if ours is None or theirs is None or ours.ns is None:
        return None
    ratio = over(ours, theirs)
    if ratio is None:
        return None
    by = f"it takes {ratio_text(ratio)} times as long as {lane_words(view, theirs.lane)}"
    return LabCard("How good is our IFMA row?", Lane.parse(ours.lane).implementation, time_text(ours.ns), by, case_words(case), "lab-libraries", LAB)  # fmt: skip


def _ns(cell: CellSummary) -> float:
    return cell.ns.value if cell.ns is not None else math.inf
