# SPDX-License-Identifier: Apache-2.0
"""`cipherstone bisect`: the commit of a library that made one operation slower, each built by the recipe and measured beside the good one."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from cipherstone.build.checkout import asked
from cipherstone.build.workshop import Workshop
from cipherstone.cli import environment as env
from cipherstone.cli.gate import parse_limit
from cipherstone.cli.known_libraries import known_libraries
from cipherstone.cli.plan_lines import source_cost
from cipherstone.cli.requests import planned
from cipherstone.cli.run import measured
from cipherstone.cli.tables import show_lines
from cipherstone.cli.user_library import commit_of, with_brought
from cipherstone.execute.survey import survey
from cipherstone.model.errors import CipherstoneError, ExitCode, UsageError
from cipherstone.model.ids import Case, base_lane, build_label, read_build
from cipherstone.model.request import RunRequest
from cipherstone.model.summary import Estimate, RunSummary
from cipherstone.model.units import counted, percent_up
from cipherstone.report.words.gate import change_text, limit_text
from cipherstone.views.bisect import Bisection, CommitAnswer, Tried, answer_of, bisected
from cipherstone.views.compare import lane_ratio
from cipherstone.views.gate import case_resolution
from cipherstone.views.samecode import doubles

GOOD, CANDIDATE = "good", "candidate"
TRIES = 2  # sessions for a commit whose interval holds the threshold


def bisect(
    library: Annotated[
        str, typer.Argument(help="The library, such as openssl; openssl@3.6 for a recipe that is not its first.")
    ],
    good: Annotated[str, typer.Option("--good", help="A commit that is fast.")],
    operation: Annotated[str, typer.Option("--op", help="The case, such as sha-256/hash/bytes=16.")],
    bad: Annotated[str, typer.Option("--bad", help="A commit that is slow.")] = "HEAD",
    checkout: Annotated[Path, typer.Option("--git", help="The checkout of the library.")] = Path(),
    threshold: Annotated[str, typer.Option("--threshold", help="Slower by more than this is slow.")] = "5%",
    max_time: Annotated[str, typer.Option("--max-time", help="Most time for one commit.")] = "60s",
    passes: Annotated[
        int | None, typer.Option("--passes", help="Most passes of a session.", show_default=False)
    ] = None,
    cpu: Annotated[int | None, typer.Option("--cpu", help="CPU to measure on.", show_default=False)] = None,
    patience: env.PatienceOption = 1.0,
    dry: env.DryOption = False,
    output: env.OutputOption = env.DEFAULT_OUTPUT,
    cache: env.CacheOption = None,
    format_: env.FormatOption = env.Format.TEXT,
) -> None:
    """Find the commit that made an operation slower: each is built, proven, and measured beside the good one in one session."""
    limit = parse_limit("--threshold", threshold)
    case = Case.parse(operation)
    start, end = (
        commit_of(f"{option} {name}", str(checkout), name) for option, name in (("--good", good), ("--bad", bad))
    )
    line = _line(checkout, start, end)
    steps = max(1, (len(line) - 1).bit_length() + 1)
    env.say(
        f"bisect: {counted(len(line), 'commit')} after {start[:12]}, about {counted(steps, 'session')} of {max_time} and as many builds"
    )

    name, recipe = read_build(library)
    word = f"{name}{'@' + recipe if recipe else ''}"
    request = RunRequest(
        suite="quick",
        filter=f"library:{name} build:({GOOD} OR {CANDIDATE}) op:{case.operation} impl:default"
        + (f" bytes:{case.size_bytes}" if case.size_bytes is not None else ""),
        base=build_label(name, GOOD),
        max_time=max_time,
        passes=passes,
        cpu=cpu,
        memory=False,
        patience=patience,
    )
    workshop = env.workshop(cache)
    if dry:
        show_lines(_dry_lines(workshop, f"{word}+{GOOD}=git:{checkout}@{start}", case.id, steps, max_time))
        return

    def look(commit: str) -> Tried:
        pair = ((GOOD, start), (CANDIDATE, commit))
        asked_for = tuple(f"{word}+{called}=git:{checkout}@{one}" for called, one in pair)
        session = CommitSession(name, msgspec.structs.replace(request, library=asked_for), start, commit)
        for attempt in range(TRIES):
            tried = session.run(workshop, limit, output)
            if tried.answer is not CommitAnswer.UNDECIDED or attempt + 1 == TRIES:
                break
        env.say(_tried_line(tried, limit))
        return tried

    found = bisected(start, line, limit, look)
    if format_ is env.Format.JSON:
        print(msgspec.json.format(msgspec.json.encode(found)).decode())
    else:
        print("\n".join(_page(found, case.id, checkout)))
    if found.first is None:
        sys.exit(ExitCode.FAILURE)


def _dry_lines(workshop: Workshop, good: str, case: str, steps: int, max_time: str) -> list[str]:
    """What a bisection would build and measure at most, as far as the recipe tells. Raises UsageError."""
    _, libraries = with_brought((good,), known_libraries(workshop.root))
    (library,) = (one for one in libraries.values() if any(build.own is not None for build in one.builds))
    builds = [build for build in library.builds if build.own is not None]
    return [
        f"would build {library.title} at up to {counted(steps + 1, 'commit')} by its recipe {builds[0].source.name if builds[0].source else ''}{source_cost(builds).replace(' for 1 of them', ' each')}",
        f"would measure {case} beside the good commit",
        f"  {counted(steps, 'session')} of {max_time} at most, {TRIES} for a commit that is not told from the good one",
    ]


def _line(checkout: Path, good: str, bad: str) -> list[str]:
    """The commits after `good` up to `bad`, first parents, oldest first. Raises UsageError if the one does not lead to the other."""
    told = asked(checkout, "rev-list", "--first-parent", "--reverse", f"{good}..{bad}")
    if not told.split():
        raise UsageError(f"--good {good[:12]}: no commit lies between it and --bad {bad[:12]}", "is it an ancestor?")
    return told.split()


class CommitSession(msgspec.Struct, frozen=True):
    """One commit of a library beside the good one. `request`: with both as builds."""

    library: str
    request: RunRequest
    good: str
    commit: str

    def run(self, workshop: Workshop, limit: float, runs: Path) -> Tried:
        """Builds both, proves and measures them. Raises CipherstoneError where the good one cannot be built."""
        libraries = known_libraries(workshop.root)
        mine = with_brought(self.request.library, libraries)[1][self.library]
        builds = tuple(one for one in mine.builds if one.name in (GOOD, CANDIDATE))
        here = {self.library: msgspec.structs.replace(mine, builds=builds)}
        found = survey(workshop, here, (), env.say, self.request.patience)
        for one in found:
            if one.status != "ready" and one.variant == CANDIDATE:
                return Tried(self.commit, CommitAnswer.UNBUILDABLE, note=one.problem)
            if one.status != "ready":
                raise CipherstoneError(f"--good {self.good[:12]}: {one.problem}", "name a commit that can be built")
        for _, _, code in doubles([one.build for one in found if one.build is not None]):
            return Tried(self.commit, CommitAnswer.AS_FAST, note=f"the same code as the good one ({code})")
        result = measured(planned(workshop, self.request, runs))
        if result.interrupted:
            sys.exit(ExitCode.INTERRUPTED)
        ratio, least = _ratio(result.summary, self.library)
        note = "" if ratio is not None else result.summary.trust_reason
        if ratio is not None and least > limit:
            note = f"the same code twice shows up to {percent_up(least)}"
        return Tried(self.commit, answer_of(ratio, limit, least), ratio, str(result.path), note)


def _ratio(summary: RunSummary, name: str) -> tuple[Estimate | None, float]:
    """Of the commit over the good one, and the least that the session tells."""
    for case in summary.cases:
        lanes = [cell.lane for cell in case.cells]
        new, old = (base_lane(build_label(name, one), lanes) for one in (CANDIDATE, GOOD))
        if new is not None and old is not None:
            return lane_ratio(case, new, old), case_resolution(case, summary.noise)
    return None, 0.0


def _tried_line(one: Tried, limit: float) -> str:
    figure = change_text(one.ratio, limit) if one.ratio is not None else ""
    return f"{one.commit[:12]}  {one.answer:<16} {'; '.join(filter(None, (figure, one.note)))}  {one.run}".rstrip()


def _page(found: Bisection, case: str, checkout: Path) -> list[str]:
    lines = [
        f"{case}: time beside {found.good[:12]}'s, each pair in one session; slower: by more than {limit_text(found.threshold)}"
    ]
    lines += [_tried_line(one, found.threshold) for one in found.tried]
    if found.first is not None:
        subject = asked(checkout, "log", "-1", "--format=%h %ad %s", "--date=short", found.first)
        return [*lines, f"first slower commit: {subject.strip()}"]
    if not found.left:
        return [*lines, f"{found.bad[:12]} is not shown to be slower: nothing to look for"]
    return [*lines, f"the first slower commit is one of {', '.join(one[:12] for one in found.left)}"]
