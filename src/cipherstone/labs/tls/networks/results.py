# SPDX-License-Identifier: Apache-2.0
"""How long handshakes took over networks, from the figures of a run, beside the model."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from cipherstone.labs.tls.network import Network
from cipherstone.labs.tls.networks.links import TIERS
from cipherstone.labs.tls.results import LAB
from cipherstone.labs.tls.words import handshake_words
from cipherstone.model.estimate import Estimate
from cipherstone.model.ids import Case
from cipherstone.model.instruments import FigureSummary, InstrumentPlan
from cipherstone.model.summary import RunSummary
from cipherstone.views.instrument_details import details_read, plan_of

INSTRUMENT = "networks"


class Place(msgspec.Struct, frozen=True):
    """A kind of handshake on a network. `params`: of the handshake."""

    network: Network
    params: dict[str, str]

    @property
    def words(self) -> str:
        """The handshake for people. All have X25519 and P-256 but where it says otherwise."""
        return handshake_words({**self.params, "group": ""}).replace(", P-256", "")

    @property
    def title(self) -> str:
        """`10 ms, 100 Mbit/s: TLS 1.3, resumed`."""
        return f"{self.network.name}: {self.words}"

    @property
    def case(self) -> Case:
        """The same in the house's words."""
        network = self.network
        link = (("rtt-ms", f"{network.round_trip_ms:g}"), ("mbit-s", f"{network.mbit_s:g}"), ("loss", f"{network.loss:g}"))  # fmt: skip
        return Case(LAB, INSTRUMENT, None, (*link, *self.params.items()))


class Details(msgspec.Struct, frozen=True):
    """What the page needs beside the figures, in the manifest. `link`: its name; `tcp`: congestion control, "" if it is not known; `seed`: of the losses; `cpus`: of both sides, and of the wire; `places`: by case."""

    link: str
    tcp: str
    seed: int
    cpus: tuple[int | None, int | None]
    places: dict[str, Place]


class Timed(msgspec.Struct, frozen=True, omit_defaults=True):
    """A kind of handshake of a build on a network, from connecting to its end on the client's side, in milliseconds: what the model says, and what was measured, median of the passes.

    `round_trips`, `processor_us`: of the model. `over`: times the base in the same passes. `turns`: handshakes that count; `failed`: those that did not end, where packets are lost. `lost`: the share of packets that were dropped, in passes that have a figure, None where they are not counted. `by_pass`: index and value.
    """

    case: str
    lane: str
    measured_ms: Estimate
    model_ms: float
    round_trips: int
    processor_us: float
    by_pass: tuple[tuple[int, float], ...]
    turns: int
    failed: int = 0
    over: Estimate | None = None
    lost: float | None = None


class Networked(msgspec.Struct, frozen=True):
    """All of it, of a run. `late_us`: how much later than due packets left the wire, in the middle and of one in a hundred, the worst of all cases; None where they are not counted."""

    plan: InstrumentPlan
    details: Details
    rows: tuple[Timed, ...]
    late_us: tuple[float, float] | None

    @property
    def titles(self) -> dict[str, str]:
        """Of each build, by lane."""
        return {one.id: one.title for one in self.plan.lanes}


Figures = Mapping[tuple[str, str, str], FigureSummary]  # by case, lane and figure


def networked_of(run: RunSummary) -> Networked | None:
    """What a run has of this instrument, None if it has nothing."""
    plan = plan_of(run, INSTRUMENT)
    if plan is None:
        return None
    with details_read(run, INSTRUMENT):
        found = {(one.case, one.lane, one.figure): one for one in run.figures if one.instrument == INSTRUMENT}
        rows = [_row(case.id, lane, found) for case in plan.cases for lane in case.lanes]
        late = [
            [one.value.value for one in found.values() if one.figure == name and one.value is not None]
            for name in ("late_us", "late_99_us")
        ]
        worst = (max(late[0]), max(late[1])) if all(late) else None
        details = msgspec.convert(plan.details, Details)
        if details.link not in TIERS or not {case.id for case in plan.cases} <= set(details.places):
            raise ValueError(f"link '{details.link}', or a case without its place")
        return Networked(plan, details, tuple(row for row in rows if row is not None), worst)


def _row(case: str, lane: str, found: Figures) -> Timed | None:
    done = found.get((case, lane, "done_ms"))
    if done is None or done.value is None:
        return None
    model, trips, processor = (_value(found, case, lane, name) for name in ("model_ms", "round_trips", "processor_us"))
    return Timed(
        case,
        lane,
        done.value,
        model,
        round(trips),
        processor,
        done.by_pass,
        done.turns,
        done.failed,
        done.ratio,
        _lost(found.get((case, lane, "packets")), found.get((case, lane, "dropped"))),
    )


def _value(found: Figures, case: str, lane: str, name: str) -> float:
    one = found.get((case, lane, name))
    return 0.0 if one is None or one.value is None else one.value.value


def _lost(packets: FigureSummary | None, dropped: FigureSummary | None) -> float | None:
    """Of all passes together: few packets are lost in a single one."""
    if packets is None or dropped is None:
        return None
    every = sum(value for _, value in packets.by_pass)
    return sum(value for _, value in dropped.by_pass) / every if every else None
