# SPDX-License-Identifier: Apache-2.0
"""Measurements that are not calls in a timing loop: handshakes over sockets, servers, networks, programs. What is measured is described in the manifest; each turn of a lane is a record of the journal."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from cipherstone.model.bounds import Float, Int, Times
from cipherstone.model.declared import column
from cipherstone.model.estimate import Estimate
from cipherstone.model.outcomes import Verdict


class FigureKind(msgspec.Struct, frozen=True, omit_defaults=True):
    """One figure that every turn gives. `unit`: of its values, for example `ns/handshake`; `compared`: whether lanes are compared by it: a cost, of which less is better. `exact`: whether it is the same in every turn, as a size is: it has no error, and needs neither an A/A lane nor a free core. `words`: whether it is a text, for example an outcome; then it is exact, and `compared` means that two runs or lanes differ where the texts do."""

    name: str
    unit: str
    meaning: str
    compared: bool = False
    exact: bool = False
    words: bool = False


class InstrumentLane(msgspec.Struct, frozen=True, omit_defaults=True):
    """A program that is measured. `id`: `LIBRARY@VERSION[+VARIANT][:IMPLEMENTATION]`; `title`: for people, with the version; `program`: SHA-256 prefix of its executable, "" where there is none of ours."""

    id: str
    title: str
    program: str = ""


class InstrumentCase(msgspec.Struct, frozen=True, omit_defaults=True):
    """One task that every lane has. `id`: as a case of the catalogue; `title`: for people. `lanes`: ids, the A/A lane last, if any. `base`: the lane that the others are compared with, "" for none. `without_aa`: why it has no A/A lane, "" if it has one."""

    id: str
    title: str
    lanes: tuple[str, ...]
    base: str = ""
    without_aa: str = ""


class LeftOut(msgspec.Struct, frozen=True):
    """A program that is not measured, or not in a task, and why."""

    name: str
    why: str


class InstrumentPlan(msgspec.Struct, frozen=True, omit_defaults=True):
    """What an instrument measures, in the manifest. A reader of the bundle needs nothing else to show its figures.

    `passes`: how many each case gets, with fresh processes; `rounds`: turns of each lane in a pass. `unprobed`: why no probe watches the core, "" if one does, or if all figures are exact. `details`: what the instrument's own page needs besides, in its own shape.
    """

    name: str
    title: str
    figures: tuple[FigureKind, ...]
    lanes: tuple[InstrumentLane, ...]
    cases: tuple[InstrumentCase, ...]
    passes: Times
    rounds: Times = 1
    unprobed: str = ""
    left_out: tuple[LeftOut, ...] = ()
    details: dict[str, Any] = {}


class TurnRecord(msgspec.Struct, frozen=True, kw_only=True, tag="turn", tag_field="type", omit_defaults=True):
    """One turn of one lane in one pass of an instrument's case."""

    instrument: Annotated[str, column("", "name of the instrument")]
    case: str
    lane: str
    pass_index: Annotated[
        Int, column("count", "index of the pass of its case, from 0; processes are fresh in each", "pass")
    ]
    turn: Annotated[Int, column("count", "place of the turn in its pass, from 0")]
    start_s: Annotated[Float, column("s", "start since the run began")]
    wall_s: Annotated[Float, column("s", "length")]
    figures: Annotated[dict[str, Float], column("", "what was measured, by the figure's name")] = {}
    words: Annotated[dict[str, str], column("", "outcomes and other texts, by the figure's name")] = {}
    ipc_before: Annotated[
        Float | None,
        column("ratio", "additions a cycle before the turn, on the CPU that is measured; null without a probe"),
    ] = None
    ipc_after: Annotated[Float | None, column("ratio", "the same after the turn")] = None
    failed: Annotated[str, column("", "why the turn gave no figure, or empty")] = ""


class FigureSummary(msgspec.Struct, frozen=True, omit_defaults=True):
    """One figure of one lane in one case. `value`: median over passes of the pass value, which is the median of the turns that count; None where no turn gave one. `note`: why there is none, or why a turn gave none.

    `by_pass`: pass index and value. `turns`: how many gave a figure; `undisturbed`: how many of them had a free core before and after, None without probes. Turns of a free core alone count, in a pass that has some. `failed`: turns that gave none.
    `ratio`: cost over that of the case's base in the same passes, None for the base itself and where it is not compared; `verdict`: on this lane, at `threshold` (0.01: 1 %).
    `words`: the text of a figure of words, which has no value; "" for every other one.
    An exact figure and its ratio are intervals of no width, the threshold is 0, and `faster` means less. One that differs between turns has no value.
    """

    instrument: Annotated[str, column("", "name of the instrument")]
    case: str
    lane: str
    figure: Annotated[str, column("", "name of the figure")]
    unit: Annotated[str, column("", "unit of its values")]
    value: Annotated[Estimate | None, column("", "median over passes of the pass value")] = None
    by_pass: Annotated[
        tuple[tuple[Int, Float], ...], column("count", "passes behind it", "passes_used", of=len, type="BIGINT")
    ] = ()
    turns: Annotated[Int, column("count", "turns that gave it")] = 0
    undisturbed: Annotated[
        Int | None,
        column("count", "of them with a free core before and after; null without probes", "undisturbed_turns"),
    ] = None
    failed: Int = 0
    base: str = ""
    ratio: Annotated[
        Estimate | None,
        column("ratio", "1.3: `lane` takes 1.3 times as much; null for the base and where nothing is compared"),
    ] = None
    verdict: Annotated[Verdict | None, column("", "how `lane` stands to `base`; null where nothing is compared")] = None
    threshold: Annotated[Float, column("ratio - 1", "differences up to this are called equal")] = 0.01
    note: Annotated[str, column("", "why there is no value or no ratio, or empty")] = ""
    words: Annotated[str, column("", "the text of a figure of words, such as an outcome, or empty")] = ""

    @property
    def known(self) -> bool:
        """Whether it has a value or a text."""
        return self.value is not None or self.words != ""
