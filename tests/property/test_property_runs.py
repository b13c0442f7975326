# SPDX-License-Identifier: Apache-2.0
"""Every time, ratio, interval, verdict, rank, flag and word of generated runs, held against tests/docs/recompute.py, a program that was written from the pages alone; of some runs by way of the files of a bundle."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path

import memory_run
import msgspec
import obvious
import recompute
from generated_runs import GeneratedRun, examples, runs
from hypothesis import given
from memory_run import MemoryRun
from obvious import near

from cipherstone.model.outcomes import RunStatus
from cipherstone.model.summary import CaseSummary, RunSummary
from cipherstone.store.summary_tables import result_tables
from cipherstone.store.writer import BundleWriter
from cipherstone.views.run.summarise import summarise

assert memory_run.__file__  # its import is what finds recompute.py


def differences(run: MemoryRun | recompute.Run) -> list[str]:
    found = []
    for kind, where, computed, published in recompute.findings(run, recompute.cases_of(run)):
        if kind == "trust" and where == "reason" and str(computed).endswith(" figure: "):
            # What is behind the colon is a sentence of the first cell's, which no page promises.
            same = str(published).startswith(str(computed)) and len(str(published)) > len(str(computed))
        else:
            same = recompute.same(computed, published)
        if not same:
            found.append(f"{kind}: {where}: computed {computed}, published {published}")
    return found


@given(runs())
@examples(55)
def test_the_pages_say_the_same(one: GeneratedRun) -> None:
    summary = summarise(one.manifest, one.records)
    assert not differences(MemoryRun(one.manifest, one.records, summary))


def base_of(name: str | None, lanes: Iterable[str]) -> str | None:
    """Who is meant by `openssl` or `botan:portable`: of a library its default, or the only lane that it has."""
    known = [lane for lane in lanes if not lane.endswith("#2")]
    library, _, implementation = (name or "").partition(":")
    mine = [lane for lane in known if lane.partition("@")[0] == library]
    fitting = [lane for lane in mine if lane.partition(":")[2] == implementation]
    return (fitting or (mine if len(mine) == 1 and not implementation else [None]))[0]


def check_case(case: CaseSummary, run: RunSummary) -> None:
    """Who stands over whom, and where: each lane once over the base, each with a figure once over the best, none of them the A/A lane; the groups are those of the intervals."""
    cells = {cell.lane: cell for cell in case.cells}
    lanes = [lane for lane in cells if not lane.endswith("#2")]
    base = base_of(run.manifest.settings.base, lanes)
    assert [(one.lane, one.base) for one in case.to_base] == ([] if base is None else [(lane, base) for lane in lanes])
    by_time = sorted((cell.ns.value, lane) for lane, cell in cells.items() if cell.ns is not None and lane in lanes)
    timed = [lane for _, lane in by_time]
    assert sorted(one.lane for one in case.to_best) == sorted(timed)
    assert {one.base for one in case.to_best} == set(timed[:1])

    def pair(i: str, j: str) -> obvious.Told | None:
        return obvious.pair_of(cells[i], cells[j])

    for ratio in (*case.to_best, *case.to_base):
        if ratio.ratio is not None and ratio.lane != ratio.base:
            mine = pair(ratio.lane, ratio.base)
            assert near((ratio.ratio.value, ratio.ratio.low, ratio.ratio.high), mine)
            assert ratio.verdict == obvious.verdict(mine, case.threshold, run.manifest.settings.target)
            assert ratio.passes_used == len({*cells[ratio.lane].passes} & {*cells[ratio.base].passes})
    found = obvious.groups(timed, pair, case.threshold, run.manifest.settings.target) if timed else []
    assert [set(group) for group in case.ranking] == found


@given(runs())
@examples(40)
def test_pairs_and_groups_by_what_was_published(one: GeneratedRun) -> None:
    summary = summarise(one.manifest, one.records)
    for case in summary.cases:
        check_case(case, summary)


@given(runs(retried=False))
@examples(3)
def test_the_pages_say_the_same_of_files(one: GeneratedRun) -> None:
    """By way of the journal and the tables of a bundle."""
    with tempfile.TemporaryDirectory() as folder:
        running = msgspec.structs.replace(one.manifest, status=RunStatus.RUNNING)
        with BundleWriter.create(Path(folder), running) as writer:
            for record in one.records:
                writer.append(record)
            told = summarise(msgspec.structs.replace(one.manifest, status=RunStatus.FINISHED), one.records)
            writer.finish(result_tables(told), told)
            assert not differences(recompute.Run(writer.path))
