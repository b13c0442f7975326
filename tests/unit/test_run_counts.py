# SPDX-License-Identifier: Apache-2.0
"""Counts of a run: order, the fewest, what is told where there is none, exact comparison, the gate, and that they never become times."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import msgspec
import pytest
from test_views_passes import manifest, pass_record

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.paths import data_root
from cipherstone.cli.filtering import narrowed
from cipherstone.cli.gate import pass_or_exit
from cipherstone.execute.counting.jobs import Done
from cipherstone.execute.counting.run_counts import _done
from cipherstone.host.private import Private
from cipherstone.model.counts import Count, CountedTarget, Counting, CountingPlan, Difference
from cipherstone.model.errors import UsageError
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import Record, Settings
from cipherstone.model.summary import RunSummary
from cipherstone.report.blocks.counts import (
    count_table,
    counts_section,
    difference_text,
    made_table,
    other_builds,
    problems,
    whole_table,
)
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.export.csv import export_csv
from cipherstone.report.export.json import export_json
from cipherstone.report.render.comparison import comparison_json, render_comparison
from cipherstone.report.render.html import render_html
from cipherstone.report.render.markdown import render_markdown
from cipherstone.report.render.terminal import render_terminal
from cipherstone.store.summary_tables import result_tables
from cipherstone.views.compare import compare_lanes, compare_runs
from cipherstone.views.run.counts import least
from cipherstone.views.run.summarise import summarise
from cipherstone.views.samecode import counted_doubles

CASE = "sha-256/hash/bytes=8192"
OTHER = "md5/hash/bytes=8192"
M4, M0 = "cortex-m4", "cortex-m0plus"
BIG, CT = "bearssl@0.6+0.6+Os:sha_big", "bearssl@0.6+0.6+Os:sha_ct"
PLAN = CountingPlan((M4, M0), ("bearssl@0.6+Os",))


def one(lane: str, instructions: int | None, target: str = M4, case: str = CASE, **more: Any) -> Count:
    outcome = more.pop("outcome", Counting.COUNTED if instructions is not None else Counting.UNAVAILABLE)
    classes = {"load": 3, "store": 2, "branch": 1, "multiply": 0, "divide": 0} if instructions is not None else {}
    return Count(
        target=target, case=case, lane=lane, outcome=outcome, instructions=instructions, classes=classes, **more
    )


def reached(target: str = M4, build: str = "bearssl@0.6+0.6+Os", **more: Any) -> CountedTarget:
    return CountedTarget(
        target, build, f"the {target}", "gcc 12", "-Os", "QEMU 7.2", "m4", "00ff", 7, library="BearSSL", **more
    )


def run(*records: Record, timed: bool = True, run_id: str = "run-1", **more: Any) -> RunSummary:
    """Two lanes that are timed, and these records."""
    passes = [pass_record(CASE, p, {"openssl@3.0": 1000.0, "nettle@3.8": 2000.0}) for p in range(9)] if timed else []
    cases = {CASE: ("openssl@3.0", "nettle@3.8")} if timed else {CASE: (), OTHER: ()}
    settings = Settings(base="nettle", timed=timed)
    plan = msgspec.structs.replace(manifest(cases, settings=settings, run_id=run_id, **more), counting=PLAN)
    return summarise(plan, [*passes, *records])


COUNTED = (
    reached(),
    reached(M0),
    one(CT, 900),
    one(BIG, 1200),
    one(BIG, 5000, M0),
    one(CT, None, M0, outcome=Counting.VARIES, reason="does not repeat: 1 and 2", seen=(1, 2)),
)


# -- derivation ------------------------------------------------------------------------------------------------------------------


def test_counts_stand_beside_the_cells_of_their_case_and_change_none_of_them() -> None:
    with_counts, without = run(*COUNTED), run()
    (case,) = with_counts.cases
    assert [(c.lane, c.target) for c in case.counts] == [(BIG, M4), (BIG, M0), (CT, M4), (CT, M0)]
    assert msgspec.structs.replace(case, counts=()) == without.cases[0]
    assert (with_counts.trust, with_counts.warnings) == (without.trust, without.warnings)
    assert result_tables(with_counts) == result_tables(without)


def test_of_two_records_of_a_cell_the_later_stands() -> None:
    (case,) = run(*COUNTED, one(CT, 901)).cases
    assert [c.instructions for c in case.counts if (c.lane, c.target) == (CT, M4)] == [901]


def test_a_case_that_nothing_else_names_is_there() -> None:
    found = run(reached(), one(BIG, 5, case=OTHER))
    assert [c.case for c in found.cases] == [CASE, OTHER] and found.cases[1].cells == ()


def test_the_fewest_are_marked_where_several_are_counted() -> None:
    (case,) = run(*COUNTED).cases
    assert least(case.counts) == {M4: 900}  # one alone is no best
    assert least((one(BIG, 5), one(CT, 5))) == {M4: 5}


def test_a_target_that_could_not_be_reached_and_then_could() -> None:
    """The last word of a build on a target counts; of another version it is the same build."""
    missing = CountedTarget(M4, "bearssl@0.6+Os", problem="no compiler")
    (case_first,) = run(missing).counted
    assert case_first.problem == "no compiler"
    found = run(missing, reached(), reached(M0)).counted
    assert [(t.target, t.problem) for t in found] == [(M4, ""), (M0, "")]
    assert run(reached(), missing).counted[0].problem == "no compiler"


def test_a_run_of_counts_alone() -> None:
    """No cells, no noise, a trust word of its own; what nobody has is left out."""
    found = run(*COUNTED, timed=False)
    assert [(c.case, c.cells) for c in found.cases] == [(CASE, ())]
    assert (found.trust, found.trust_reason) == ("counted", "3 counts, each the same twice; nothing was timed")
    assert found.warnings == ()
    assert run(timed=False).trust == "empty"


def test_what_an_earlier_part_counted_is_known_by_target_and_build() -> None:
    done = _done([*COUNTED, CountedTarget("riscv64", "bearssl+0.6", problem="no emulator")])
    assert set(done) == {(M4, "bearssl@0.6+0.6+Os"), (M0, "bearssl@0.6+0.6+Os")}
    assert done[M4, "bearssl@0.6+0.6+Os"] == Done("00ff", frozenset({(CASE, CT), (CASE, BIG)}))


def test_where_a_worker_lies_is_nobody_elses_business() -> None:
    private = Private(("/home/ada",), "ada", ("box",))
    target = private.record(reached(problem="cannot be read: /home/ada/x on box"))
    assert isinstance(target, CountedTarget) and target.problem == "cannot be read: ~/x on HOST"
    count = private.record(one(CT, None, reason="crashed: /home/ada/worker"))
    assert isinstance(count, Count) and count.reason == "crashed: ~/worker"


# -- the report ------------------------------------------------------------------------------------------------------------------


def texts(view: RunView) -> list[list[str]]:
    return [[item.text for item in row] for row in count_table(view, view.run.cases[0]).rows]


def test_a_line_a_lane_and_a_column_a_target() -> None:
    view = RunView(run(*COUNTED))
    assert count_table(view, view.run.cases[0]).head == ("library", M4, M0)
    assert texts(view) == [["BearSSL sha_big", "1,200", "5,000"], ["BearSSL sha_ct", "best 900", "varies"]]
    assert [row[0].library for row in count_table(view, view.run.cases[0]).rows] == ["bearssl", "bearssl"]
    assert [row[0].text for row in made_table(view).rows] == ["bearssl@0.6+Os"] * 2


def test_builds_of_one_library_are_told_apart() -> None:
    other = "bearssl@0.6+0.6+O3:sha_big"
    view = RunView(run(*COUNTED, reached(build="bearssl@0.6+0.6+O3"), one(other, 800)))
    assert [row[0] for row in texts(view)] == [
        "BearSSL, 0.6+O3 sha_big", "BearSSL, 0.6+Os sha_big", "BearSSL, 0.6+Os sha_ct"
    ]  # fmt: skip


def test_no_number_has_its_reason() -> None:
    none = one("bearssl@0.6+0.6+Os:sha_ni", None, reason="no such instructions")
    lost = CountedTarget("riscv64", "bearssl+0.6+Os", problem="riscv64: no emulator 'qemu-riscv64'")
    found = run(*COUNTED, none, lost)
    section = counts_section(RunView(found), "footer")
    assert section is not None
    assert len(texts(RunView(found))) == 2  # what no machine has is in the data alone
    assert list(section.figures[0].notes) == [
        "BearSSL sha_ct on cortex-m0plus: varies: does not repeat: 1 and 2",
        "BearSSL sha_ni on cortex-m4: unavailable: no such instructions",
    ]
    data = list(csv.reader(io.StringIO(str(section.figures[0].data))))
    assert len(data) == 1 + 5 and data[1][:5] == [CASE, BIG, M4, "counted", "1200"]
    (told,) = problems(RunView(found))
    assert told == "not counted on riscv64: bearssl@0.6+Os: riscv64: no emulator 'qemu-riscv64'"
    for text in (render_terminal(found, 100, False), render_markdown(found), render_html(found, (), "")):
        assert "no emulator" in text and "does not repeat: 1 and 2" in text
        assert ("no such instructions" in text) is text.startswith("<!doctype")


def test_a_report_without_counts_says_nothing_of_them() -> None:
    found = run()
    assert counts_section(RunView(found), "") is None
    for text in (render_terminal(found, 100, False), render_markdown(found), render_html(found, (), "")):
        assert "nstructions of one call" not in text and 'href="#counts"' not in text


@pytest.mark.parametrize("timed", [True, False])
def test_every_form_of_the_report_has_them(timed: bool) -> None:
    found = run(*COUNTED, timed=timed)
    page, text, markdown = render_html(found, (), "again"), render_terminal(found, 100, False), render_markdown(found)
    for form in (page, text, markdown):
        assert "best 900" in form and "5,000" in form and M0 in form
    assert 'id="counts"' in page and 'data-lib="bearssl"' in page
    assert ("Which library is fastest here?" in page) is timed is ('id="quiet"' in page)
    assert ("| bearssl" in markdown) and ("Which library is fastest" in markdown) is timed
    assert all(len(line) <= 60 for line in render_terminal(found, 60, False).splitlines())
    assert [row[0].text for row in whole_table(RunView(found)).rows][1:] == ["  BearSSL sha_big", "  BearSSL sha_ct"]


def test_a_part_of_a_run_of_counts_alone() -> None:
    found, catalogue = run(*COUNTED, one(BIG, 5, case=OTHER), timed=False), load_catalogue(data_root())
    assert [case.case for case in narrowed(found, "sha-256", catalogue).cases] == [CASE]
    assert len(narrowed(found, "bearssl", catalogue).cases) == 2
    with pytest.raises(UsageError, match="no case of the run"):
        narrowed(found, "chacha20", catalogue)


def test_exports_have_every_class_and_the_target() -> None:
    found = run(*COUNTED)
    rows = [row for row in csv.DictReader(io.StringIO(export_csv(found))) if row["target"]]
    assert len(rows) == 3 * 6 + 1
    ours = {(row["lane"], row["target"], row["metric"]): row for row in rows}
    assert ours[CT, M4, "instructions"]["value"] == "900" and ours[CT, M4, "instructions"]["unit"] == "count/call"
    assert ours[CT, M4, "load"]["value"] == "3"
    varies = ours[CT, M0, "instructions"]
    assert (varies["value"], varies["outcome"], varies["note"]) == ("", "varies", "does not repeat: 1 and 2")
    told = json.loads(export_json(found))
    assert [c["instructions"] for c in told["cases"][0]["counts"]] == [1200, 5000, 900, None]
    assert [t["null_instructions"] for t in told["counted"]] == [7, 7]


# -- comparison and gate ---------------------------------------------------------------------------------------------------------


def after(*records: Record, **more: Any) -> RunSummary:
    return run(*records, run_id="run-2", **more)


@pytest.mark.parametrize("timed", [True, False])
def test_counts_are_compared_with_no_tolerance(timed: bool) -> None:
    a = run(*COUNTED, timed=timed)
    b = after(reached(), reached(M0), one(CT, 901), one(BIG, 1100), one(BIG, 5000, M0), timed=timed)
    found = compare_runs(a, b)
    assert not found.refused and bool(found.rows) is timed
    assert [(c.lane, c.target, c.before, c.now, c.worse) for c in found.counts] == [
        ("bearssl@0.6+Os:sha_big", M4, 1200, 1100, False),
        ("bearssl@0.6+Os:sha_ct", M4, 900, 901, True),
    ]
    assert found.counts_compared == 3
    text = render_comparison(found, 120, False)
    assert "3 counts on both sides; different, or on one side only: 2" in text and "+0.11%" in text and "-100" in text
    assert all(len(line) <= 60 for line in render_comparison(found, 60, False).splitlines())
    assert json.loads(comparison_json(found))["counts"][1]["now"] == 901
    same = compare_runs(a, after(*COUNTED, timed=timed))
    assert same.counts == () and "on one side only: none" in render_comparison(same, 120, False)


def test_counts_of_another_build_than_the_times_say_so() -> None:
    """In every report; nothing is said of a library that is not timed, or whose very build is."""
    told = "counted in another build than the one that is timed here: nettle@3.10+minigmp (timed: nettle@3.8)"
    lane = "nettle@3.10+minigmp"
    apart = run(reached(build=lane), one(lane, 900), reached(), one(CT, 900))
    assert other_builds(RunView(apart)) == [told]
    for text in (render_terminal(apart, 200, False), render_markdown(apart), render_html(apart, (), "")):
        assert "counted in another build than the one that is timed here" in text
    assert other_builds(RunView(run(*COUNTED))) == []
    assert other_builds(RunView(run(reached(build="nettle@3.8"), one("nettle@3.8", 900)))) == []


OTHERS = "bearssl@0.6+0.6+after"


def again(*, code: str = "", worker: str = "00ff", flags: str = "-Os") -> tuple[Record, ...]:
    """What was counted, by a worker of its own."""
    told = (msgspec.structs.replace(reached(t), archives=code, worker_hash=worker, flags=flags) for t in (M4, M0))
    return (*told, *COUNTED[2:])


@pytest.mark.parametrize(
    ("before", "now", "same"),
    [
        ({}, {}, "worker 00ff"),
        ({"code": "libbearssl.a abab"}, {"code": "libbearssl.a abab", "worker": "11"}, "libbearssl.a abab"),
        ({"flags": "-Os -I/a", "code": "libbearssl.a abab"}, {"flags": "-Os -I/b", "code": "libbearssl.a abab", "worker": "11"}, "libbearssl.a abab"),
        ({"code": "libbearssl.a abab"}, {"code": "libbearssl.a abab", "worker": "11", "flags": "-O2"}, ""),
        ({"code": "libbearssl.a abab"}, {"code": "libbearssl.a cdcd", "worker": "11"}, ""),
        ({}, {"worker": "11"}, ""),
    ],
)  # fmt: skip
def test_counts_of_the_same_code_are_no_comparison(before: dict[str, str], now: dict[str, str], same: str) -> None:
    """Of runs that counted alone; --force makes it a warning. Of runs that timed as well it is one, since the times may be of other code."""
    a, b = run(*again(**before), timed=False), after(*again(**now), timed=False)
    found = compare_runs(a, b)
    told = (
        f"both runs are of the same code (bearssl@0.6+Os on cortex-m4: {same}; bearssl@0.6+Os on cortex-m0plus: {same})"
    )
    assert found.refused == (f"{told}: nothing to compare" if same else "")
    forced = compare_runs(a, b, force=True)
    assert not forced.refused and forced.warnings == ((f"{told}: what follows is what no difference looks like",) if same else ())  # fmt: skip
    timed = compare_runs(run(*again(**before)), after(*again(**now)))
    assert not timed.refused and any("what was counted is the same code in both" in w for w in timed.warnings) is bool(same)  # fmt: skip


def test_counted_lanes_of_the_same_code_are_refused() -> None:
    """Two builds that are one; of one build two implementations are two lanes."""
    told = msgspec.structs.replace(reached(), build=OTHERS)
    counted = (reached(), told, one(CT, 900), one(BIG, 1200), one(f"{OTHERS}:sha_ct", 900))
    a = run(*counted, timed=False)
    found = compare_lanes(a, "bearssl@0.6+Os:sha_ct", "bearssl@0.6+after:sha_ct")
    assert found.refused == (
        "bearssl@0.6+Os:sha_ct and bearssl@0.6+after:sha_ct are the same code (cortex-m4: worker 00ff): nothing to compare"
    )
    assert not compare_lanes(a, "bearssl@0.6+Os:sha_ct", "bearssl@0.6+Os:sha_big").refused
    assert [(x.label, y.label, code) for x, y, code in counted_doubles([reached(), told, reached(M0)])] == [
        ("bearssl@0.6+Os", "bearssl@0.6+after", "worker 00ff")
    ]
    assert not list(counted_doubles([reached(), msgspec.structs.replace(told, worker_hash="11")]))


def test_the_machine_of_the_emulator_is_no_part_of_a_count() -> None:
    a, b = run(*COUNTED), after(*COUNTED, one(CT, 800))
    moved = msgspec.structs.replace(b.manifest.machine, fingerprint="another")
    other = msgspec.structs.replace(b, manifest=msgspec.structs.replace(b.manifest, machine=moved))
    found = compare_runs(a, other)
    assert "machines differ" in found.refused and [c.now for c in found.counts] == [800]
    assert "800" in render_comparison(found, 80, False)


def test_runs_without_counts_say_nothing_of_them() -> None:
    found = compare_runs(run(), after())
    assert (found.counts, found.counts_compared) == ((), 0)
    assert "instructions" not in render_comparison(found, 80, False)


def test_counts_alone_with_nothing_in_common_are_refused() -> None:
    a, b = run(*COUNTED, timed=False), after(reached(build="bearssl@0.6+O2"), one("bearssl@0.6+O2", 5), timed=False)
    assert "no build is counted" in compare_runs(a, b).refused and gated(a, b) == 1
    assert compare_runs(run(*COUNTED), after(*COUNTED, timed=False)).counts_compared == 3  # one timed as well


def test_two_lanes_of_one_run() -> None:
    found = compare_lanes(run(*COUNTED, timed=False), "bearssl@0.6+Os:sha_big", "bearssl@0.6+Os:sha_ct")
    assert [(c.target, c.before, c.now) for c in found.counts] == [(M4, 1200, 900), (M0, 5000, None)]
    assert found.counts_compared == 1 and found.sides[0].builds == ("bearssl@0.6+Os 0.6",)
    assert "B - A" in render_comparison(found, 80, False)
    with pytest.raises(UsageError, match="neither a run nor a lane"):
        compare_lanes(run(*COUNTED, timed=False), "bearssl:sha_big", "nobody")


def gated(a: RunSummary, b: RunSummary) -> int:
    try:
        pass_or_exit(compare_runs(a, b), 0.05)
    except SystemExit as ended:
        return int(str(ended.code))
    return 0


@pytest.mark.parametrize("timed", [True, False])
def test_the_gate_fails_on_any_increase(timed: bool, capsys: pytest.CaptureFixture[str]) -> None:
    a = run(*COUNTED, timed=timed)
    base = (reached(), reached(M0), one(BIG, 1200), one(BIG, 5000, M0))
    assert gated(a, after(*base, one(CT, 900), timed=timed)) == 0
    assert gated(a, after(*base, one(CT, 899), timed=timed)) == 0  # told by the comparison, and passed
    assert capsys.readouterr().err == ""
    assert gated(a, after(*base, one(CT, 901), timed=timed)) == 3
    assert "more instructions, none allowed: cortex-m4" in capsys.readouterr().err
    assert gated(a, after(*base, one(CT, None, outcome=Counting.WRONG), timed=timed)) == 3
    assert "900, now none" in capsys.readouterr().err


def test_the_gate_knows_nothing_of_a_target_that_is_not_there_any_more(capsys: pytest.CaptureFixture[str]) -> None:
    a = run(*COUNTED)
    lost = CountedTarget(M0, "bearssl@0.6+Os", problem="no emulator")
    b = after(reached(), one(CT, 900), one(BIG, 1200), lost)
    assert gated(a, b) == 1
    assert "counted in A, not in B: no emulator" in capsys.readouterr().err
    assert gated(run(timed=False), after(timed=False)) == 1  # nothing at all


def test_a_difference_in_words() -> None:
    assert difference_text(Difference(M4, CASE, "a:x", 1000, 1001)) == (
        f"cortex-m4  a:x  {CASE}: 1,000, now 1,001 (+1, +0.10%)"
    )
    assert difference_text(Difference(M4, CASE, "a:x", 1000, None)).endswith(": 1,000, now none")
    assert difference_text(Difference(M4, CASE, "a:x", None, 5)).endswith(": none, now 5")


def test_a_lane_that_is_wrong_on_a_target_is_told() -> None:
    wrong = one(CT, None, outcome=Counting.WRONG, proof=Outcome.WRONG, reason="vector 1: another digest")
    view = RunView(run(reached(), one(BIG, 3), wrong))
    assert texts(view) == [["BearSSL sha_big", "3"], ["BearSSL sha_ct", "wrong"]]
    assert "vector 1: another digest" in render_terminal(view.run, 100, False)
