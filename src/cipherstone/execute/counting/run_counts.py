# SPDX-License-Identifier: Apache-2.0
"""The counts of a run: the cases of its plan on other machines, by the code of `count`, after what is timed here. A record each as it comes; what an earlier part of the run counted is not counted again."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing

from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import Catalogue
from cipherstone.catalogue.filter import FILTER_KEYS, parse_filter
from cipherstone.execute.counting.jobs import CountRequest, Done, Job, count_each
from cipherstone.execute.survey import Announce
from cipherstone.model.counts import Count, CountedTarget, CountingPlan
from cipherstone.model.ids import Case
from cipherstone.model.records import Manifest, Record


def counting_plan(jobs: Sequence[Job], selection: str) -> CountingPlan | None:
    """What a manifest says of them; None for none."""
    if not jobs:
        return None
    targets = dict.fromkeys(job.target.id for job in jobs)
    builds = dict.fromkeys(f"{job.library.id}@{job.build.variant}" for job in jobs)
    return CountingPlan(tuple(targets), tuple(builds), selection)


class RunCounting:
    """`jobs`: builds on targets, as the manifest names them. `earlier`: what a part of the run before this one recorded."""

    def __init__(
        self,
        workshop: Workshop,
        catalogue: Catalogue,
        jobs: Sequence[Job],
        manifest: Manifest,
        earlier: Iterable[Record] = (),
    ) -> None:
        plan = manifest.counting or CountingPlan((), ())
        keys = {**dict.fromkeys(FILTER_KEYS, ()), **catalogue.keys}
        self._asked = CountRequest(
            parse_filter(plan.selection, keys) if plan.selection else None,
            tuple(Case.parse(planned.case) for planned in manifest.plan),
            done=_done(earlier),
        )
        self._workshop, self._catalogue, self._jobs = workshop, catalogue, jobs
        self._problems: dict[tuple[str, str], list[str]] = {}

    def records(
        self, on_counts: Callable[[int], None] | None, announce: Announce
    ) -> Generator[CountedTarget | Count, None, None]:
        """As they become true. `on_counts`: told how many cells are done."""
        number = 0
        # Closed at once when no more are taken: emulators run beside.
        with closing(count_each(self._workshop, self._jobs, self._catalogue, self._asked, announce)) as found:
            for record in found:
                if isinstance(record, Count):
                    number += 1
                    if on_counts is not None:
                        on_counts(number)
                elif record.problem:
                    self._problems.setdefault((record.target, record.problem), []).append(record.label)
                yield record

    @property
    def notes(self) -> set[str]:
        """A line for each target that could not be reached."""
        return {
            f"not counted on {target}: {', '.join(builds)}: {problem}"
            for (target, problem), builds in self._problems.items()
        }


def _done(earlier: Iterable[Record]) -> dict[tuple[str, str], Done]:
    """What is counted already, by (target, build)."""
    hashes: dict[tuple[str, str], str] = {}
    cells: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for record in earlier:
        if isinstance(record, CountedTarget) and not record.problem:
            hashes[record.target, record.build] = record.worker_hash
        elif isinstance(record, Count):
            cells.setdefault((record.target, record.build), set()).add((record.case, record.lane))
    return {key: Done(worker_hash, frozenset(cells.get(key, ()))) for key, worker_hash in hashes.items()}
