# SPDX-License-Identifier: Apache-2.0
"""The interoperability grid as a run: what turns give, the grid that a run shows, what differs between two runs. Trials are scripted, no process."""

from __future__ import annotations

import sys
from typing import Any

import msgspec
import pytest
from test_views_passes import manifest

from cipherstone.catalogue.paths import data_root
from cipherstone.host.private import Private
from cipherstone.labs.tls.interop import measured
from cipherstone.labs.tls.interop.grid import Agreed, Broken, Grid, Handshake, Hostile, Mutated, Result
from cipherstone.labs.tls.interop.hostile import HOSTILE, Nonsense
from cipherstone.labs.tls.interop.measured import Hostiles, Mutants, Pairs
from cipherstone.labs.tls.interop.mutated import Attack, MutationProgress
from cipherstone.labs.tls.interop.peers import Peer
from cipherstone.labs.tls.interop.stored import grid_of
from cipherstone.labs.tls.interop.trial import VERBS, Question, Trials, questions
from cipherstone.labs.tls.room import ROOM
from cipherstone.measure.turns import Turns
from cipherstone.model.errors import DataError
from cipherstone.model.ids import Case, is_lane_id
from cipherstone.model.instruments import LeftOut, TurnRecord
from cipherstone.model.outcomes import RunStatus
from cipherstone.model.records import Settings
from cipherstone.model.request import RunRequest
from cipherstone.model.summary import RunSummary
from cipherstone.report.blocks.instruments import figure_values
from cipherstone.report.export.rows import tidy_rows
from cipherstone.report.render.comparison import render_comparison
from cipherstone.report.render.comparison_markdown import comparison_markdown
from cipherstone.report.render.html import render_html
from cipherstone.report.render.terminal import render_terminal
from cipherstone.store.summary_tables import result_tables
from cipherstone.views.compare import compare_lanes, compare_runs
from cipherstone.views.run.summarise import summarise

ASKED = questions(data_root())
PEERS = tuple(Peer(name, title, "1.0 x/y", (sys.executable,)) for name, title in (("a", "A 1.0"), ("b-2", "B 1.0")))
DUE = Agreed(0x0304, 0x1301, 0x001D, None, 0)
LANES = ("tls@1.0-x-y+a", "tls@1.0-x-y+b-2")


class Scripted(Trials):
    """All agree, and clients refuse what they must; but for `wrong`: (client, server, number of the kind) and what becomes of it."""

    def __init__(self, wrong: dict[tuple[str, str, int], tuple[Result, str]]) -> None:
        super().__init__(1.0)
        self.wrong = wrong

    def handshake(self, client: Peer, server: Peer, question: Question) -> Handshake:
        names = (client.name, server.name, question.kind.name)
        known = self.wrong.get((client.name, server.name, ASKED.index(question)))
        if known is not None:
            return Handshake(*names, *known)
        if question.kind.refuse:
            return Handshake(*names, Result.REFUSED)
        return Handshake(*names, Result.AGREED, "", DUE, True)

    def hostile(self, peer: Peer, side: str, nonsense: Nonsense, asked: object) -> Hostile | None:
        if peer.name == "b-2" and side == "server":
            return None
        return Hostile(peer.name, side, nonsense.does, Result.FAILED, "no record")


FLIGHTS = (Broken(17, Result.CRASHED, "killed by SIGSEGV"), Broken(40, Result.TIMED_OUT, "SIGALRM: 2 s"))


def attacked(of: Attack, progress: MutationProgress, patience: float) -> Mutated:
    broken = FLIGHTS if (of.peer.name, of.side) == ("a", "server") else ()
    return Mutated(of.peer.name, of.side, of.question.kind.name, progress.seed, of.due, 1, 2, of.due - 3, 0, broken)


def run_of(wrong: dict[tuple[str, str, int], tuple[Result, str]], id: str = "") -> RunSummary:
    """Of all turns of the three instruments."""
    trials = Scripted(wrong)
    attacks = [Attack(one, side, question, 10) for one in PEERS for side in VERBS for question in ASKED[:2]]
    left = [LeftOut("c", "not built")]
    every = (
        Pairs(PEERS, ASKED, trials, 5.0, left),
        Hostiles(PEERS, ASKED, trials),
        Mutants(attacks, MutationProgress(None, 7), print),
    )
    turns = [turn for one in every for turn in Turns(one, Settings(), None).run()]
    made = msgspec.structs.replace(manifest({}), suite="tls", instruments=tuple(one.plan for one in every), status=RunStatus.FINISHED)  # fmt: skip
    return summarise(msgspec.structs.replace(made, run_id=id or made.run_id), turns)


@pytest.fixture(autouse=True)
def scripted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measured, "attacked", attacked)


def grid(run: RunSummary) -> Grid:
    found = grid_of(run)
    assert found is not None
    return found


def test_a_run_shows_the_grid_that_was_tried() -> None:
    run = run_of({("a", "b-2", 1): (Result.FAILED, "server: no shared group")})
    found = grid(run)
    assert [(one.client, one.server, one.kind) for one in found.handshakes] == [(one.name, two.name, kind.kind.name) for one in PEERS for two in PEERS for kind in ASKED]  # fmt: skip
    bad = [one for one in found.handshakes if not one.result.right]
    assert bad == [Handshake("a", "b-2", ASKED[1].kind.name, Result.FAILED, "server: no shared group")]
    assert found.handshakes[0] == Handshake("a", "a", ASKED[0].kind.name, Result.AGREED, "", DUE, True)
    assert found.handshakes[-1].result is Result.REFUSED and found.handshakes[-1].agreed is None
    assert [(one.name, one.why) for one in found.left_out] == [("c", "not built")] and found.deadline_s == 5.0
    assert found.peers == tuple(one.shown for one in PEERS) and found.kinds == tuple(one.kind for one in ASKED)
    assert len(found.hostile) == 3 * len(HOSTILE) and all(one.why == "no record" for one in found.hostile)
    assert [(one.peer, one.side) for one in found.mutated[::2]] == [("a", "client"), ("a", "server"), ("b-2", "client"), ("b-2", "server")]  # fmt: skip
    assert found.mutated[2].broken == FLIGHTS and found.mutated[0].right
    assert all((one.tried, one.completed, one.refused, one.ended, one.seed) == (10, 1, 2, 7, 7) for one in found.mutated)  # fmt: skip


def test_nothing_needs_an_a_a_lane_or_a_probe() -> None:
    run = run_of({})
    assert run.trust == "publishable" and "all of them exact" in run.trust_reason
    for plan in run.manifest.instruments:
        assert all(kind.exact for kind in plan.figures) and plan.passes == 1
        assert all(case.without_aa and Case.parse(case.id).id == case.id for case in plan.cases)
        assert all(is_lane_id(lane.id) for lane in plan.lanes)


def test_outcomes_come_out_as_rows() -> None:
    run = run_of({("a", "b-2", 1): (Result.FAILED, "server: no shared group")})
    rows = [
        one
        for one in result_tables(run)["figures"]
        if one["case_id"].endswith("server=b-2") and one["lane"] == LANES[0]
    ]
    outcomes = {one["case_id"]: one["words"] for one in rows if one["figure"] == "outcome"}
    assert len(outcomes) == len(ASKED) and sorted({*outcomes.values()}) == ["agreed", "failed", "refused"]
    (why,) = [one for one in rows if one["figure"] == "why"]
    assert why["words"] == "server: no shared group" and why["value"] is None and outcomes[why["case_id"]] == "failed"
    tidy = [one for one in tidy_rows(run) if (one.case, one.lane) == (why["case_id"], LANES[0])]
    assert {(one.metric, one.note, one.value) for one in tidy} == {("outcome", "failed", None), ("why", "server: no shared group", None)}  # fmt: skip
    ((*_, words),) = [figure_values(one) for one in run.figures if one.case == why["case_id"] and one.figure == "why"]
    assert words == "server: no shared group"
    tried = [one for one in run.figures if one.figure == "tried"]
    assert len(tried) == 8 and all(one.value is not None and one.value.value == one.value.low == 10.0 for one in tried)


def test_two_runs_differ_where_an_outcome_does() -> None:
    before, now = run_of({}), run_of({("a", "b-2", 1): (Result.FAILED, "no shared group")}, "20270101-000000-abcdef")
    found = compare_runs(before, now)
    case = "tls/interop/kind=version-1.3-group-p-256-cert-rsa-2048-mode-full,server=b-2"
    assert found.changes == (f"{case} tls@a, outcome: agreed in A, failed in B",)
    assert not found.refused and found.rows == () and found.texts_compared > 2 * 2 * len(ASKED)
    for text in (render_comparison(found, 80, False), comparison_markdown(found)):
        assert "1 differs" in " ".join(text.split()) and "agreed in A, failed in B" in " ".join(text.split())
    same = compare_runs(before, msgspec.structs.replace(before), force=True)
    assert same.changes == () and same.texts_compared > 0 and "none differs" in render_comparison(same, 80, False)
    assert "every program is the same" in compare_runs(before, before).refused
    lanes = compare_lanes(now, *LANES)
    assert [side.builds for side in lanes.sides] == [("tls@a 1.0-x-y",), ("tls@b-2 1.0-x-y",)]
    assert f"{case} tls@b-2 / tls@a, outcome: failed in A, agreed in B" in lanes.changes


def test_another_machine_is_no_reason_to_refuse_outcomes() -> None:
    before, now = run_of({}), run_of({("a", "a", 0): (Result.WRONG, "no")})
    machine = msgspec.structs.replace(now.manifest.machine, fingerprint="another")
    now = msgspec.structs.replace(now, manifest=msgspec.structs.replace(now.manifest, machine=machine))
    found = compare_runs(before, now)
    assert not found.refused and any("machines differ" in one for one in found.warnings) and len(found.changes) == 1


def test_show_and_report_have_the_grid() -> None:
    run = run_of({("a", "b-2", 1): (Result.FAILED, "server: no shared group")})
    text = " ".join(render_terminal(run, 80, False, (), (ROOM,)).split())
    assert "server: no shared group (1>2)" in text and "3/4" in text and "Mutated flights" in text
    page = render_html(run, (), "cipherstone interop", (ROOM,))
    assert "server: no shared group (1&gt;2)" in page and "number 17" in page and "half a record" in page


def test_a_run_that_was_cut_off_shows_what_it_has() -> None:
    run = run_of({})
    part = msgspec.structs.replace(run, figures=tuple(one for one in run.figures if one.case.endswith("server=a")))
    assert len(grid(part).handshakes) == 2 * len(ASKED) and grid(part).hostile == () == grid(part).mutated
    bad = msgspec.structs.replace(run, figures=tuple(msgspec.structs.replace(one, words="sold") if one.figure == "outcome" else one for one in run.figures))  # fmt: skip
    with pytest.raises(DataError, match="details of interop"):
        grid_of(bad)


def test_what_is_private_is_no_word_of_a_bundle() -> None:
    private = Private(("/home/eve",), "eve", ())
    turn = TurnRecord(instrument="interop", case="tls/interop", lane=LANES[0], pass_index=0, turn=0, start_s=0.0, wall_s=0.1, words={"why": "/home/eve/worker died"}, failed="/home/eve")  # fmt: skip
    stored = private.record(turn)
    assert isinstance(stored, TurnRecord) and stored.words == {"why": "~/worker died"} and stored.failed == "~"


def test_the_file_of_a_search_is_stored_without_the_users_name() -> None:
    private = Private(("/home/eve",), "eve", ())
    asked = RunRequest(lab="tls", options={"state": "/home/eve/search.json", "seed": 3})
    assert private.request(asked).options == {"state": "~/search.json", "seed": 3}


def damaged(run: RunSummary, instrument: str, details: Any) -> RunSummary:
    """The run with other details of an instrument."""
    plans = tuple(
        msgspec.structs.replace(plan, details=details) if plan.name == instrument else plan
        for plan in run.manifest.instruments
    )
    return msgspec.structs.replace(run, manifest=msgspec.structs.replace(run.manifest, instruments=plans))


@pytest.mark.parametrize("instrument", ["interop", "interop-hostile", "interop-mutated"])
@pytest.mark.parametrize(
    "details",
    [
        {"x": 3},
        {"x": ["client"]},
        {"cases": {"x": 3}, "seed": 1},
        {"cases": {}, "seed": "one"},
        {"peers": 1, "kinds": (), "deadline_s": 1.0, "lanes": {}},
        {"peers": [], "kinds": [], "deadline_s": 1.0, "lanes": 3},
    ],
    ids=str,
)
def test_details_of_a_bundle_that_are_none_are_one_line(instrument: str, details: dict[str, Any]) -> None:
    with pytest.raises(DataError, match="details of interop"):
        grid_of(damaged(run_of({}), instrument, details))


def test_a_negotiated_field_that_is_none_is_one_line() -> None:
    run = run_of({})
    figures = tuple(
        msgspec.structs.replace(one, words="version=0304,colour=0001") if one.figure == "negotiated" else one
        for one in run.figures
    )
    with pytest.raises(DataError, match="details of interop"):
        grid_of(msgspec.structs.replace(run, figures=figures))
