# SPDX-License-Identifier: Apache-2.0
"""The instrument that times ladders, without a compiler: which files are compared, and what becomes of processes whose end is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from scripts import ROOT
from test_views_passes import manifest

from cipherstone.build.systems import this_system
from cipherstone.build.toolchain import find_toolchain
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.labs.footprint import timing
from cipherstone.labs.footprint.elf import Sizes
from cipherstone.labs.footprint.ladder import TLS_CLIENT, Tls, load_ladders
from cipherstone.labs.footprint.machine import TargetMachine
from cipherstone.labs.footprint.results import Footprint, PeakMemory, Row, StepOutcome, Timed
from cipherstone.labs.footprint.room import ROOM
from cipherstone.labs.footprint.sizes import InputCount, LadderSizes
from cipherstone.labs.footprint.speed import Bench, CallPlan, Runner, Told
from cipherstone.labs.footprint.stored import TIME, Input, footprint_of, place_of
from cipherstone.labs.footprint.timing import NO_DEFAULT, NO_TIME, How, LadderTimes, Ready
from cipherstone.measure.turns import Turns
from cipherstone.model.errors import CipherstoneError
from cipherstone.model.estimate import Estimate
from cipherstone.model.ids import Case, Lane
from cipherstone.model.instruments import InstrumentPlan
from cipherstone.model.outcomes import RunStatus, Verdict
from cipherstone.model.records import Settings
from cipherstone.model.summary import RunSummary
from cipherstone.report.render.html import render_html
from cipherstone.report.render.terminal import render_terminal
from cipherstone.views.run.summarise import summarise

LADDER = load_ladders(ROOT, load_libraries(ROOT))["mbedtls"]
VERSION = LADDER.source.version
Ends = Mapping[str, Callable[[Tls], Told]]  # by step, what a process of it writes


class Both(NamedTuple):
    """The two instruments of a request with `--speed`."""

    sizes: LadderSizes
    times: LadderTimes

    @property
    def plan(self) -> InstrumentPlan:
        return self.times.plan

    def run(self) -> RunSummary:
        """Of all turns of both."""
        turns = [turn for one in self for turn in Turns(one, Settings(), None).run()]
        of = msgspec.structs.replace(manifest({}), suite="footprint", instruments=(self.sizes.plan, self.times.plan), status=RunStatus.FINISHED)  # fmt: skip
        return summarise(of, turns)


def good(ns: float) -> Callable[[Tls], Told]:
    return lambda tls: Told((ns, ns * 1.1, ns, ns * 2))


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Both]:
    """made(ends, program, tls, files): the instrument over files that are scripted."""
    monkeypatch.setattr(timing, "repeater", lambda workshop, machine: tmp_path / "none")
    monkeypatch.setattr(timing, "counter", lambda machine, workshop: None)

    def instrument(ends: Ends, program: str = "sha256", tls: Mapping[str, Tls] | None = None, files: Mapping[str, str] | None = None) -> Both:  # fmt: skip
        monkeypatch.setattr(Bench, "run", lambda self, runner, plan, words=(): ends[runner.step](runner.tls))
        runners = []
        for step in ends:
            (tmp_path / step).write_text((files or {}).get(step, step))
            runners.append(Runner(step, tmp_path / step, (tls or {}).get(step, Tls())))
        rows = [
            Row(library="mbedtls", version=VERSION, program=program, step=step, title=f"the step {step}", outcome=StepOutcome.PROVEN, sizes=Sizes(9000, 5000, 2000, 300, 40), symbols={f"f{n}": n for n in range(40)})
            for step in ends
        ]  # fmt: skip
        workshop = Workshop(ROOT, tmp_path, find_toolchain(), this_system())
        ready = Ready(TargetMachine(), workshop, LADDER, program, tuple(runners))
        times = LadderTimes([ready], How(unprobed="scripted"))
        return Both(LadderSizes(Footprint(tuple(rows), {"": "gcc"}), times.counts), times)

    return instrument


def test_steps_are_lanes_and_default_is_their_base(made: Callable[..., Both]) -> None:
    instrument = made({"default": good(1000.0), "small": good(1300.0), "lto": good(900.0)})
    (case,) = instrument.plan.cases
    assert Case.parse(case.id).id == case.id == "footprint/sha256/library=mbedtls,task=8192-bytes"
    base = f"mbedtls@{VERSION}"
    assert case.lanes == (base, f"{base}:small", f"{base}:lto", f"{base}#2") and case.base == base
    assert all(Lane.parse(lane).id == lane for lane in case.lanes)
    assert len({one.program for one in instrument.plan.lanes}) == 3 and instrument.plan.passes == 9
    turns = list(Turns(instrument.times, Settings(), None).run())
    assert len(turns) == 9 * 4 and turns[0].figures[TIME] in (1000.0, 1300.0, 900.0)
    run = instrument.run()
    found = footprint_of(run)
    assert found is not None
    default, small, lto = (row.speed[0] for row in found.rows)
    assert default.ns is not None and default.ns.value == 1000.0 and default.over is None
    assert small.over is not None and small.over.value == pytest.approx(1.3) == small.over.low
    assert lto.over is not None and lto.over.value == pytest.approx(0.9)
    assert {one.verdict for one in run.figures if one.figure == TIME} == {
        None,
        Verdict.SLOWER,
        Verdict.FASTER,
        Verdict.EQUAL,
    }
    # The manifest is small: of a row's symbols it holds the largest.
    assert len(found.rows[0].symbols) == 10 and footprint_of(run, instrument.sizes.found).rows[0].symbols.keys() == {
        f"f{n}" for n in range(40)
    }  # type: ignore[union-attr]


def test_the_run_shows_the_tables_of_the_command(made: Callable[..., Both]) -> None:
    instrument = made({"default": good(1000.0), "small": good(1300.0)})
    run = instrument.run()
    text = render_terminal(run, 80, False, (), [ROOM])
    assert max(map(len, text.splitlines())) <= 80
    for word in (f"sha256, speed: mbedtls {VERSION}", "1.30", "the step small", "On the front, sha256", "gcc"):
        assert word in text, word
    assert "1.30" in render_html(run, (), "", [ROOM]) and "lab-sha256-mbedtls-speed" in render_html(run, (), "", [ROOM])
    assert ROOM.tables(run)["rows"][1]["speed"][0]["task"] == "8192 bytes"
    assert ROOM.tables(msgspec.structs.replace(run, manifest=manifest({}))) == {}


def test_one_file_is_no_comparison(made: Callable[..., Both]) -> None:
    instrument = made({"default": good(1000.0), "lto": good(5.0)}, files={"default": "one", "lto": "one"})
    (case,) = instrument.plan.cases
    assert case.lanes == (f"mbedtls@{VERSION}", f"mbedtls@{VERSION}#2")
    assert [one.why.partition(" (")[0] for one in instrument.plan.left_out] == ["the same code as default"]
    found = footprint_of(instrument.run())
    assert found is not None
    lto = found.rows[1].speed[0]
    assert lto.ns == found.rows[0].speed[0].ns is not None and lto.over is None
    assert lto.why.startswith("the same code as default (image ")


def test_clients_are_compared_with_the_default_client_of_their_server(made: Callable[..., Both]) -> None:
    """It takes 1.2 as well, and twice as long for it."""
    tls = {"default": Tls(), "cut": Tls(), "tls12": Tls("1.2"), "pinned": Tls("1.2", pinned=True)}
    default = lambda tls: good(2000.0 if tls.version == "1.2" else 1000.0)(tls)  # noqa: E731
    ends = {"default": default, "cut": good(1500.0), "tls12": good(3000.0), "pinned": good(1000.0)}
    instrument = made(ends, TLS_CLIENT, tls)
    newer, older = instrument.plan.cases
    assert "server=tls-1.3-p-256" in newer.id and "server=tls-1.2-p-256" in older.id
    assert [Lane.parse(one).implementation for one in older.lanes] == ["default", "tls12", "pinned", "default"]
    found = footprint_of(instrument.run())
    assert found is not None
    over = {row.step: row.speed[0].over for row in found.rows}
    assert [one and round(one.value, 6) for one in over.values()] == [None, 1.5, 1.5, 0.5]
    assert [len(row.speed) for row in found.rows] == [1] * 4


def test_without_default_nothing_is_compared(made: Callable[..., Both]) -> None:
    (case,) = made({"small": good(10.0)}).plan.cases
    assert (case.base, case.without_aa, len(case.lanes)) == ("", NO_DEFAULT, 1)
    broken = Told(problem="a call was not right", wrong=True)
    instrument = made({"default": lambda tls: broken, "small": good(10.0)})
    (case,) = instrument.plan.cases
    assert (case.base, case.without_aa) == ("", "a call was not right")
    found = footprint_of(instrument.run())
    assert found is not None
    assert [row.speed[0].why for row in found.rows] == ["a call was not right", "of its step default: a call was not right"]  # fmt: skip
    assert not made({"default": lambda tls: broken}).plan.cases


def test_a_process_that_fails_later_takes_its_figure(made: Callable[..., Both]) -> None:
    """Once is enough; one that answers wrongly ends the run."""
    told = iter([Told((10.0,)), Told((10.0,)), Told(problem="did not end in time"), *[Told((10.0,))] * 9])
    instrument = made({"default": good(10.0), "small": lambda tls: next(told)})
    run = instrument.run()
    found = footprint_of(run)
    assert found is not None and (found.rows[1].speed[0].ns, found.rows[1].speed[0].why) == (None, "did not end in time")  # fmt: skip
    assert "1 figure lacks turns that failed" in run.trust_reason
    idle = made({"default": good(10.0), "small": lambda tls: Told((-1.0, 0.0))})
    assert {one.failed for one in Turns(idle.times, Settings(), None).run()} == {"", NO_TIME}
    late = iter([Told((10.0,)), Told(problem="a call was not right", wrong=True)])
    wrong = made({"default": good(10.0), "small": lambda tls: next(late)})
    with pytest.raises(CipherstoneError, match=r"mbedtls .*small: a call was not right"):
        list(Turns(wrong.times, Settings(), None).run())


def test_sizes_and_counts_are_exact_figures() -> None:
    """What a row has comes back from the figures of the run, and from nothing else."""
    rows = tuple(
        Row(library="mbedtls", version="3.6", program="sha256", step=step, title="", outcome=StepOutcome.PROVEN, sizes=Sizes(size, 5000, 2000, 300, 40), memory=PeakMemory(0, 128), whole_bytes=99_000, removed=removed, removed_sections=removed)
        for step, size, removed in (("default", 9000, None), ("small", 8000, 7))
    )  # fmt: skip
    wrong = Row(library="mbedtls", version="3.6", program="sha256", step="lto", title="", outcome=StepOutcome.WRONG, why=f"it lies in {Path.home()}/x")  # fmt: skip
    absent = msgspec.structs.replace(wrong, step="static", outcome=StepOutcome.ABSENT)
    case = "footprint/sha256/library=mbedtls,task=8192-bytes"
    counts = [
        InputCount(Input(row.key, "8192 bytes", case, place_of(row)[1]), "counted", number)
        for row, number in zip(rows, (1000, 1500), strict=True)
    ]
    whole = Footprint((*rows, wrong, absent))
    sizes = LadderSizes(whole, counts)
    assert [len(one.lanes) for one in sizes.plan.cases] == [3, 2] and sizes.plan.passes == 1
    assert all(row["sizes"] is None for row in sizes.plan.details["rows"])
    of = msgspec.structs.replace(manifest({}), suite="footprint", instruments=(sizes.plan,), status=RunStatus.FINISHED)
    run = summarise(of, list(Turns(sizes, Settings(max_time_s=0.0), None).run()))  # no bound cuts it
    found = footprint_of(run)
    assert found is not None
    lies = [msgspec.structs.replace(one, why="it lies in ~/x") for one in (wrong, absent)]
    timed = [(Timed("8192 bytes", instructions=number),) for number in (1000, 1500)]
    assert found.rows == (*(msgspec.structs.replace(row, speed=one) for row, one in zip(rows, timed, strict=True)), *lies)  # fmt: skip
    ratios = {(one.lane, one.figure): one.ratio for one in run.figures if one.ratio is not None}
    assert ratios["mbedtls@3.6:small", "instructions"] == Estimate(1.5, 1.5, 1.5)
    assert ratios["mbedtls@3.6:small", "file_bytes"] == Estimate(8 / 9, 8 / 9, 8 / 9)
    assert {one.note for one in run.figures if one.lane.endswith(":lto")} == {"wrong: it lies in ~/x"}
    assert run.trust == "publishable" and "all of them exact" in run.trust_reason


def test_a_batch_is_as_long_as_a_clock_can_tell() -> None:
    assert timing.plan_of("sha256", 1000.0) == CallPlan(3, 8, 1500) and timing.plan_of("sha256", 1e7) == CallPlan(
        1, 3, 1
    )
    assert timing.plan_of(TLS_CLIENT, 1e6) == CallPlan(3, 6, 1)
