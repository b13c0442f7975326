# SPDX-License-Identifier: Apache-2.0
"""First screen of the modexp laboratory: the fastest row, the frugal one, the window, the model, portable C, the IFMA back end."""

from __future__ import annotations

from collections.abc import Sequence

from cipherstone.catalogue.published_tables import Published
from cipherstone.labs.modexp.costmodel import CostModel, leading_model
from cipherstone.labs.modexp.names import LAB, REDUCTIONS, method_of
from cipherstone.labs.modexp.results import (
    ModexpRow,
    competing,
    first_of,
    in_order,
    leading,
    modulus_bits,
    over,
    portable,
    publication,
    published_gains,
    published_order,
    rows_of,
    with_crt,
)
from cipherstone.labs.modexp.tables import case_words
from cipherstone.model.ids import Lane
from cipherstone.model.summary import CaseSummary, CellSummary
from cipherstone.model.units import format_time
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.room_page import LabCard, bits_words, lane_words, times_words
from cipherstone.report.words.numbers import (
    bytes_text,
    interval_text,
    percent_text,
    ratio_beside_interval,
    ratio_text,
    time_text,
)
from cipherstone.report.words.sentences import some_words, tie_words
from cipherstone.views.run.leaders import by_rank, standing_of

NEARLY = 1.05  # "nearly as fast": the whole interval within 5 % of the one that leads
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


def _row_title(row: ModexpRow) -> str:
    return row.title if row.method is None else f"{row.title}, {row.method.limb_bits}-bit limbs"


def _fastest(case: CaseSummary, rows: Sequence[ModexpRow]) -> LabCard | None:
    lead = leading(case, rows)
    ns = lead[0].ns if lead else None
    if ns is None:
        return None
    best, titles = lead[0], {row.lane: _row_title(row) for row in lead}
    parts = [tie_words(standing_of(case, titles), list(titles), titles.__getitem__)] if len(lead) > 1 else []
    if best.factor is not None:
        parts.append(("the first of them " if parts else "") + times_words(best.factor, "Basic, fast"))
    if best.memory_factor is not None:
        parts.append(f"{best.memory_factor:.1f} times the memory of Basic, fast")
    title = some_words(list(titles.values()))
    return LabCard("Which of our ways is fastest?", title, time_text(ns), "; ".join(parts), case_words(case), "lab-table", LAB)  # fmt: skip


def _frugal(case: CaseSummary, rows: Sequence[ModexpRow]) -> LabCard | None:
    """The least memory of the portable rows that are within 5 % of the first of them."""
    mine = [r for r in rows if r.method is not None and r.method.is_portable]
    best = first_of(case, mine)
    if best is None or not best.memory_bytes:
        return None
    cells = {c.lane: c for c in case.cells}
    costs = {r.lane: over(cells[r.lane], cells[best.lane]) for r in mine}
    near = [r for r in mine if r.memory_bytes and (cost := costs[r.lane]) is not None and cost.high is not None and cost.high <= NEARLY]  # fmt: skip
    row = next(iter(sorted(in_order(case, near), key=lambda r: r.memory_bytes or 0)), best)
    cost = costs[row.lane]
    if cost is None or row.memory_bytes is None:
        return None
    by = f"takes {ratio_beside_interval(cost)} times as long as {_row_title(best)} ({interval_text(cost)}), with {percent_text(row.memory_bytes / best.memory_bytes)} of its memory"
    if row.lane == best.lane:
        by = "no row within 5 % of it needs less memory"
    return LabCard("Which is nearly as fast in least memory?", row.title, bytes_text(row.memory_bytes), by, case_words(case), "lab-pareto", LAB)  # fmt: skip


def _window(case: CaseSummary, models: Sequence[CostModel]) -> LabCard | None:
    if not models:
        return None
    model = leading_model(case, models)
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
    lines = publication(case, published)
    gains = published_gains(lines)
    if gains is None:
        return None
    order = {True: "ranks as published", False: "ranks otherwise", None: "its order is not told here"}
    by = f"the median; from {gains.least:.2f} to {gains.most:.2f} times what a row gained over Basic, fast there, {gains.rows} rows"
    return LabCard(
        "Does the published table hold here?",
        order[published_order(case, lines)],
        f"{gains.median:.2f} times its gains",
        by,
        published.title,
        "lab-publication",
    )


def _portable(view: RunView, case: CaseSummary) -> LabCard | None:
    rows = portable(case)
    if not rows:
        return None
    lead = [r.lane for r in rows if r.leads]
    by = ""
    if len(lead) > 1:
        by = tie_words(standing_of(case, lead), lead, lambda lane: lane_words(view, lane))
    else:
        mine = Lane.parse(lead[0]).library == LAB
        other = next((r for r in rows if (Lane.parse(r.lane).library == LAB) is not mine), None)
        if other is not None and other.to_best is not None:
            by = f"{'' if mine else 'ours, '}{lane_words(view, other.lane)}{'' if mine else ','} takes {ratio_text(other.to_best)} times as long"
    names = some_words([lane_words(view, lane) for lane in lead])
    return LabCard("Whose portable C is fastest?", names, time_text(rows[0].ns), by, case_words(case), "lab-portable", Lane.parse(lead[0]).library)  # fmt: skip


def _ifma(view: RunView, case: CaseSummary) -> LabCard | None:
    """Our first IFMA row against OpenSSL's first lane of the same case."""
    ours: CellSummary | None = None
    theirs: CellSummary | None = None
    for cell in by_rank(case, competing(case)):
        lane = Lane.parse(cell.lane)
        method = method_of(cell)
        if ours is None and method is not None and not method.is_portable:
            ours = cell
        if theirs is None and lane.library == IFMA_LIBRARY:
            theirs = cell
    ratio = over(ours, theirs) if ours is not None and theirs is not None else None
    if ours is None or theirs is None or ours.ns is None or ratio is None:
        return None
    by = f"it takes {ratio_beside_interval(ratio)} times as long as {lane_words(view, theirs.lane)} ({interval_text(ratio)})"
    return LabCard("How good is our IFMA row?", Lane.parse(ours.lane).implementation, time_text(ours.ns), by, case_words(case), "lab-libraries", LAB)  # fmt: skip
