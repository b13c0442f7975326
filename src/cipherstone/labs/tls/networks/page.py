# SPDX-License-Identifier: Apache-2.0
"""Handshakes over networks as a page: a table for each network, every kind of handshake of every build beside the model."""

from __future__ import annotations

from collections.abc import Iterator

from cipherstone.labs.tls.networks.links import TIER_WORDS, TIERS
from cipherstone.labs.tls.networks.results import Networked, Timed
from cipherstone.model.estimate import Estimate
from cipherstone.model.ids import TWIN
from cipherstone.model.units import counted
from cipherstone.report.blocks.figure import Figure
from cipherstone.report.blocks.room_page import NO_FIGURE, LabPage, LabSection, ratio_items
from cipherstone.report.blocks.tables import Item, Table, csv_text, item

QUESTION = "How long does a handshake take on a network?"
HEAD = ("handshake", "build", "trips", "model", "measured", "from-to", "over", "x", "from to", "lost")
DATA = ("case", "lane", "tier", "round_trips", "processor_us", "model_ms", "measured_ms", "measured_low", "measured_high", "over_base", "over_low", "over_high", "turns", "failed", "lost")  # fmt: skip


def networks_page(found: Networked, footer: str) -> LabPage:
    """All of it as a section of a report."""
    tier, details = TIERS[found.details.link], found.details
    data = csv_text(DATA, (list(_csv_row(row, tier)) for row in found.rows))
    figures = []
    for number, name in enumerate(dict.fromkeys(place.network.name for place in details.places.values())):
        rows = [row for row in found.rows if details.places[row.case].network.name == name]
        title = f"{name}: tier {tier} ({TIER_WORDS[details.link]}), milliseconds"
        table = Table(f"networks-{number}", HEAD, tuple(tuple(_cells(row, found)) for row in rows), words=2)
        if rows:
            figures.append(Figure(f"lab-networks-{number}", title, table, data, footer=footer))
    if figures:
        figures[-1].remarks += list(notes(found))
    return LabPage(QUESTION, (), [LabSection("lab-networks", "networks", QUESTION, "", figures)], competition=False)


def _cells(row: Timed, found: Networked) -> Iterator[Item]:
    ms, model = row.measured_ms, row.model_ms
    share = (row.measured_ms.value - row.model_ms) / row.model_ms if model else 0.0
    yield item(found.details.places[row.case].words)
    yield item("the same again" if row.lane.endswith(TWIN) else found.titles[row.lane])
    yield item(str(row.round_trips), row.round_trips)
    yield item(_ms(model), model)
    yield item(_ms(ms.value), ms.value)
    yield item(NO_FIGURE if ms.low is None or ms.high is None else f"{_ms(ms.low)}-{_ms(ms.high)}")
    yield item(f"{share:+.0%}" if abs(share) >= 0.1 else f"{share:+.1%}", share)
    yield from ratio_items(row.over)
    yield item(NO_FIGURE) if row.lost is None else item(f"{row.lost:.1%}", row.lost)


def _ms(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def notes(found: Networked) -> Iterator[str]:
    """What columns mean, how it was measured, and what is left out."""
    plan, details = found.plan, found.details
    passes = "One pass: no intervals, and the figures mean little." if plan.passes == 1 else f"{counted(plan.passes, 'pass', 'passes')} of fresh namespaces and processes, {counted(plan.rounds, 'handshake')} of each build in every pass, in turns; from-to, from to: 95 %."  # fmt: skip
    yield f"From connecting to the finished handshake, by the client's clock: two processes in two network namespaces, TCP between them, every handshake verified and read back. {passes}"
    yield "model: tier 0, computed: so many round trips, all bytes at the line's rate, and the processor time of both sides in memory. It knows no losses. over: measured beyond the model. Beyond both stand the system's calls, scheduling, and TCP's own choices."
    yield f"x: times {_base(found)} in the same passes; the same again: that build once more, in processes of its own."
    if found.late_us is not None:
        middle, most = found.late_us
        yield f"lost: the share of packets that the wire dropped, of handshakes that ended; which ones, seed {details.seed} says, and all builds have the same seed in a pass. The wire's own error: packets left it {middle:.0f} us later than due (of one in a hundred {most:.0f} us), in the worst of the tables' lines."
    if failed := sum(row.failed for row in found.rows):
        yield f"{counted(failed, 'handshake')} failed, where packets are lost: a side waits five seconds at most."
    both, wire = details.cpus
    where = f" Both sides on CPU {both}" + (f", the wire on CPU {wire}." if TIERS[details.link] == 1 else ".")
    yield f"TCP of this system with {details.tcp or 'an unknown congestion control'}.{where if both is not None else ''}"
    for one in plan.left_out:
        yield f"without {one.name}: {one.why}"


def _base(found: Networked) -> str:
    lane = next((case.base for case in found.plan.cases if case.base), "")
    return found.titles.get(lane, "the first build")


def _csv_row(row: Timed, tier: int) -> Iterator[object]:
    yield from (row.case, row.lane, tier, row.round_trips, row.processor_us, row.model_ms)
    yield from (*_parts(row.measured_ms), *_parts(row.over), row.turns, row.failed, row.lost)


def _parts(one: Estimate | None) -> tuple[float | None, float | None, float | None]:
    return (None, None, None) if one is None else (one.value, one.low, one.high)
