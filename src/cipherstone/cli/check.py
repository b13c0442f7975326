# SPDX-License-Identifier: Apache-2.0
"""`cipherstone check`: proof without timing, and where libraries disagree."""

from __future__ import annotations

import functools
import secrets
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated

import msgspec
import typer

from cipherstone.catalogue.algorithms import Catalogue, catalogue_at
from cipherstone.catalogue.conditions import bare
from cipherstone.catalogue.vectors import Vector
from cipherstone.cli import environment as env
from cipherstone.cli.builds import traits_of
from cipherstone.cli.known_libraries import known_with_labs
from cipherstone.cli.plan_lines import say_builds
from cipherstone.cli.requests import report_problems
from cipherstone.cli.select_options import BuildOption, Selected, WorkerOption, takes_selection
from cipherstone.cli.selection import (
    build_names,
    chosen_libraries,
    known_values,
    naming_workers,
    parsed,
    refuse_dropped,
    with_builds,
    words,
    written,
)
from cipherstone.cli.steps import PREPARING, Steps
from cipherstone.cli.tables import show_table, show_text
from cipherstone.cli.user_library import with_brought
from cipherstone.execute.check import Check, RandomInputs, check_everything
from cipherstone.execute.survey import Found, survey
from cipherstone.host.facts import cpu_features
from cipherstone.model.deviations import means_words
from cipherstone.model.errors import CipherstoneError, ExitCode
from cipherstone.model.ids import Case, Lane
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import LaneBreadth, ProofRecord
from cipherstone.model.units import counted
from cipherstone.operations.scheme import SEEDS
from cipherstone.operations.splitmix import stream_number
from cipherstone.operations.vectors import vectors_of
from cipherstone.report.render.screen_table import ScreenColumn
from cipherstone.report.words.breadth import no_error_words
from cipherstone.report.words.deviations import surprise_words
from cipherstone.views.deviations import surprises
from cipherstone.views.disagreements import Disagreement, short_names
from cipherstone.views.disagreements import disagreements as where_lanes_disagree

DisagreementsOption = Annotated[
    bool,
    typer.Option(
        "--disagreements",
        help="Only the known answers and forgeries that libraries treat differently, and who does what.",
    ),
]


DepthOption = Annotated[
    int,
    typer.Option(
        "--depth",
        min=0,
        help="Ask each operation so many random inputs beyond the vectors as well, forged ones among them.",
    ),
]
FromOption = Annotated[
    int | None,
    typer.Option(
        "--from",
        min=0,
        max=SEEDS,
        help="The random input that --depth begins with, by its number: a failure names it.",
    ),
]


@takes_selection
def check(
    selected: Selected,
    build: BuildOption = None,
    worker: WorkerOption = None,
    strict: env.StrictOption = False,
    patience: env.PatienceOption = 1.0,
    cache: env.CacheOption = None,
    disagreements: DisagreementsOption = False,
    depth: DepthOption = 0,
    first: FromOption = None,
    format_: env.FormatOption = env.Format.TEXT,
) -> None:
    """Prove, without timing: known answers, negatives, and the timed inputs against the independent library."""
    workshop = env.workshop(cache)
    catalogue = catalogue_at(workshop.root)
    libraries = known_with_labs(workshop.root)
    _, libraries = with_brought(selected.library, libraries)
    libraries, asked = with_builds("--build", (*words(build), *selected.builds), libraries)
    names = build_names(libraries.values())
    text = written(
        selected.filter, known_values(catalogue, libraries, (), names), worker or (), traits_of(workshop, libraries)
    )
    chosen = chosen_libraries(text, catalogue, libraries, (), asked, built=workshop.has_built)
    say_builds(workshop, chosen.values())
    with Steps(plain=False) as step:
        step(PREPARING)
        found = survey(workshop, chosen, worker or (), step.said, patience, build_names(chosen.values()))
    report_problems(found)
    known = known_values(catalogue, {*libraries, *(one.id for one in found)}, (), () if worker else names)
    with naming_workers(found):
        selection = parsed(text, known)
    refuse_dropped(found, selection, catalogue)

    @functools.cache
    def vectors(algorithm: str) -> tuple[Vector, ...]:
        return vectors_of(workshop.root, algorithm)

    verdicts: dict[str, dict[str, Mapping[str, str]]] = {}

    def told(operation: str, lane: str, said: Mapping[str, str]) -> None:
        verdicts.setdefault(bare(Case.parse(operation)).operation, {}).setdefault(lane, said)

    begin = secrets.randbits(64) if first is None else first

    def numbers(place: int) -> int:
        return stream_number(begin, place) if place else begin

    depth = max(depth, first is not None)
    every = Check(selection, strict, RandomInputs(depth, numbers))
    results = list(_in_steps(found, check_everything(found, catalogue, vectors, every, told)))
    if not results:
        raise CipherstoneError(
            "check: nothing was proven: no library that is ready here offers what is selected",
            "`cipherstone list` shows what there is, and `list --why` what is not",
        )
    if disagreements:
        asked_of = {algorithm: vectors(algorithm) for algorithm in {name.partition("/")[0] for name in verdicts}}
        _show_disagreements(where_lanes_disagree(verdicts, asked_of), verdicts, format_)
    elif format_ is env.Format.JSON:
        print(msgspec.json.format(msgspec.json.encode(results)).decode())
    else:
        _show(results)
        if not strict:
            _show_surprises(results, found, catalogue)
    wrong = [result for result in results if not result.outcome.timed]
    if wrong:
        sys.exit(ExitCode.WRONG if any(result.outcome is Outcome.WRONG for result in wrong) else ExitCode.FAILURE)


def _in_steps(found: Sequence[Found], proven: Iterable[ProofRecord]) -> Iterator[ProofRecord]:
    """The records as they come, with a line of progress."""
    what = f"checking {counted(sum(one.status == 'ready' for one in found), 'build')}"
    with Steps() as step:
        step(what)
        for number, result in enumerate(proven, 1):
            step(what, f"{number} done, {Lane.parse(result.lane).label} {result.operation}")
            yield result


def _show(results: Sequence[ProofRecord]) -> None:
    """A line a lane, then what is wrong, lax or strict, and the sum of it."""
    wrong = [result for result in results if not result.outcome.timed]
    deviating = [result for result in results if result.outcome.timed and result.deviations]
    heads = ["operations", "ok", "answers", "negatives", "timed inputs"]
    heads += ["random inputs"] if any(result.breadth for result in results) else []
    lines: list[tuple[str, ...]] = []
    for lane in dict.fromkeys(result.lane for result in results):
        own = [result for result in results if result.lane == lane]
        counts = (
            len(own),
            sum(r.outcome is Outcome.OK for r in own),
            sum(r.accepted for r in own),
            sum(r.rejected for r in own),
            sum(r.oracle for r in own),
        )
        more = (sum(r.breadth.looked for r in own if r.breadth),) if len(heads) > len(counts) else ()
        lines.append((Lane.parse(lane).words, *map(str, (*counts, *more))))
    show_table([ScreenColumn("lane", words=True), *(ScreenColumn(head) for head in heads)], lines)
    for result in wrong:
        show_text(
            f"{Lane.parse(result.lane).words}  {result.operation}: {result.outcome}: {'; '.join(result.failures)}"
        )
    said: dict[str, list[str]] = {}
    for result in deviating:
        for one in result.deviations:
            seen = result.breadth or LaneBreadth("")
            meaning = means_words(one, seen.genuine, seen.forged)
            told = f"{one.does} ({', '.join(one.vectors)}). {meaning} {one.standard}"
            said.setdefault(f"{result.operation}: {one.outcome}: {told}", []).append(result.lane)
    for told, lanes in said.items():  # lanes of one library share their reasons
        show_text(f"{', '.join(lanes)}  {told}")
    for lane in dict.fromkeys(result.lane for result in results):
        asked_each = [r.breadth.looked for r in results if r.lane == lane and r.breadth and not r.breadth.wrong]
        if asked_each and min(asked_each) > 0:
            each = f"{counted(len(asked_each), 'operation')}, each with"
            show_text(
                f"{Lane.parse(lane).words}  {each if len(asked_each) > 1 else '1 operation:'} {no_error_words(min(asked_each))}"
            )
    right = len(results) - len(wrong) - len(deviating)
    told_counts = [
        f"{right} of {counted(len(results), 'implementation')} of operations {'is' if len(results) == 1 else 'are'} right"
    ]
    for outcome in (Outcome.LAX, Outcome.STRICT):
        number = sum(result.outcome is outcome for result in deviating)
        told_counts += [f"{number} {'is' if number == 1 else 'are'} {outcome}"] if number else []
    show_text(", ".join(told_counts))


def _show_surprises(results: Sequence[ProofRecord], found: Sequence[Found], catalogue: Catalogue) -> None:
    """Deviations that library.toml does not have for the version, and those that it has and that are gone; nothing for a version that is not judged there."""
    features = cpu_features()
    builds = [(one.library, one.build) for one in found if one.library is not None and one.build is not None]
    judged = {
        f"{library.id}@{build.build}": known
        for library, build in builds
        if (known := library.deviating(build.version, features, catalogue)) is not None
    }
    lanes = {Lane.parse(result.lane).build_id for result in results} & set(judged)
    if not lanes:
        return
    offered = Counter(
        (f"{one.id}@{one.build.build}", operation)
        for one in found
        if one.build is not None
        for operation, _ in one.offer(catalogue).capabilities
    )
    told = surprises(results, judged, offered)
    for one in told:
        show_text(f"{Lane.parse(one.build).words}  {one.operation}: {surprise_words(one)}")
    if not told:
        show_text(f"no new deviation in {', '.join(Lane.parse(lane).words for lane in sorted(lanes))}")


def _show_disagreements(
    found: Sequence[Disagreement], verdicts: Mapping[str, Mapping[str, Mapping[str, str]]], format_: env.Format
) -> None:
    """Vectors about which lanes disagree: the right result, and what each lane does."""
    if format_ is env.Format.JSON:
        print(msgspec.json.format(msgspec.json.encode(found)).decode())
        return
    for number, one in enumerate(found):
        if number == 0 or one.operation != found[number - 1].operation:
            print(("\n" if number else "") + one.operation)
        everywhere = list(verdicts[one.operation])
        due = {"ok": "valid", "rejected": "to be rejected", "bad-key": "a key to be refused", "implicit": "to be rejected without a word"}  # fmt: skip
        told = (
            f"{counted(len(one.vectors), 'vector')} ({', '.join(one.vectors)}), {due.get(one.expect, 'either will do')}"
        )
        show_text(": ".join((told, "; ".join(one.notes))) if one.notes else told, "  ", "    ")
        for verdict, lanes in one.sides.items():
            show_text(f"{verdict}: {', '.join(short_names(lanes, everywhere))}", "    ", "      ")
    shared = sum(len(lanes) > 1 for lanes in verdicts.values())
    vectors = counted(sum(len(one.vectors) for one in found), "vector")
    split = len({one.operation for one in found})
    show_text(f"{vectors} of {split} of the {counted(shared, 'operation')} that more than one implementation has")
