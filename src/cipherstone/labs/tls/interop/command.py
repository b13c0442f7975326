# SPDX-License-Identifier: Apache-2.0
"""`cipherstone interop`: the grid of clients and servers."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import catalogue_at
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.libraries import Library, load_labs
from cipherstone.cli import environment as env
from cipherstone.cli.files import require_place, write_result
from cipherstone.cli.lab_options import ResumeOption
from cipherstone.cli.plan_lines import build_lines
from cipherstone.cli.run import Output, go_on, measure
from cipherstone.cli.selection import words
from cipherstone.cli.tables import show_lines
from cipherstone.labs.tls.interop.grid import Grid, Result
from cipherstone.labs.tls.interop.measured import Hostiles, Mutants, Pairs
from cipherstone.labs.tls.interop.mutated import MutationProgress, attacks
from cipherstone.labs.tls.interop.page import grid_html
from cipherstone.labs.tls.interop.peers import MUTATIONS, REFERENCE, Announce, peers
from cipherstone.labs.tls.interop.stored import HANDSHAKES, grid_of
from cipherstone.labs.tls.interop.tables import grid_markdown, grid_text
from cipherstone.labs.tls.interop.trial import Trials, questions
from cipherstone.labs.tls.results import LAB
from cipherstone.model.errors import CipherstoneError, ExitCode, UsageError, nearest
from cipherstone.model.ids import build_label
from cipherstone.model.instruments import LeftOut
from cipherstone.model.request import RunRequest
from cipherstone.model.summary import RunSummary
from cipherstone.model.units import counted
from cipherstone.store.bundle import Bundle
from cipherstone.store.find import find_bundle

DEADLINE_S = 5.0
HOSTILE_DEADLINE_S = 1.0  # who is silent is silent for good
ALL = "all"
OPTION = "interop"  # of a request
MOST_MUTATED = 10_000_000


def interop(
    peer: Annotated[
        list[str] | None,
        typer.Option(
            "--peers",
            metavar="NAMES",
            help="Only these builds of the TLS laboratory, e.g. openssl,aws-lc, and go for the reference peer; all: every one. Default: the system's, those from source that are built, and go.",
        ),
    ] = None,
    robust: Annotated[
        bool, typer.Option("--robust", help="Also try each side against peers that hang, close and send nonsense.")
    ] = False,
    mutated: Annotated[
        int,
        typer.Option(
            "--mutated",
            min=0,
            max=MOST_MUTATED,
            metavar="N",
            help="With --robust: also so many mutated flights, divided among both sides of all libraries.",
        ),
    ] = 0,
    seed: Annotated[int, typer.Option("--seed", min=0, max=2**53, help="Of the mutations.")] = 1,
    state: Annotated[
        Path | None,
        typer.Option("--state", metavar="FILE", help="Keep there what was mutated so far, and resume from it."),
    ] = None,
    deadline: Annotated[
        float, typer.Option("--deadline", min=0.1, max=600, help="Seconds that a side waits for the other at most.")
    ] = DEADLINE_S,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Markdown, with the reason in each cell that is not right.")
    ] = False,
    html: Annotated[
        bool,
        typer.Option(
            "--html", help="One HTML page, with the reason in each cell that is not right.", callback=env.page_wanted
        ),
    ] = False,
    to: env.FileOption = None,
    patience: env.PatienceOption = 1.0,
    name: env.NameOption = "",
    report: env.ReportOption = False,
    wait: env.WaitOption = False,
    dry: env.DryOption = False,
    resume: ResumeOption = None,
    output: env.OutputOption = env.DEFAULT_OUTPUT,
    cache: env.CacheOption = None,
    format_: env.FormatOption = env.Format.TEXT,
) -> None:
    """Try every TLS library as client of every other, and of Go's, over socket pairs: what both say was agreed on, and what clients must refuse."""
    if mutated and not robust:
        raise UsageError("--mutated without --robust", "cipherstone interop --robust --mutated 100000")
    require_place(to)
    MutationProgress(state, seed)  # a file that is none is refused before anything is built
    workshop = env.workshop(cache)
    catalogue = catalogue_at(workshop.root)
    labs = load_labs(workshop.root, catalogue)
    chosen, reference = _chosen(workshop, labs[LAB], words(peer))
    if dry:
        show_lines([*build_lines(workshop, (chosen,)), *_dry_lines(workshop, chosen, reference, deadline)])
        return
    options: dict[str, str | int | bool] = {OPTION: True, "deadline": f"{deadline:g}", "seed": seed}
    options |= {"peers": ",".join(words(peer))} if peer else {}
    options |= {"robust": True} if robust else {}
    options |= {"mutated": mutated} if mutated else {}
    options |= {"state": str(state)} if state is not None else {}
    request = RunRequest(suite=LAB, lab=LAB, options=options, name=name, patience=patience)

    def written(instruments: object, run: RunSummary) -> None:
        grid = grid_of(run)
        assert grid is not None
        write_result(_written(grid, markdown, html, format_), to)
        sys.exit(_code(grid))

    shown = Output(output, format_, report, wait, then=written, again="interop")
    if resume is not None:
        stored = Bundle.open(find_bundle(output, resume, to_resume=True)).manifest
        if not any(one.name == HANDSHAKES for one in stored.instruments):
            raise UsageError(f"--resume {resume}: not a run of `interop`", "`cipherstone runs` lists the runs")
        go_on(workshop, catalogue, labs, resume, request, shown)
        return
    measure(workshop, request, shown)


def _dry_lines(workshop: Workshop, chosen: Library, reference: bool, deadline: float) -> list[str]:
    """What would be tried, as far as that is known before a peer is started."""
    names = [build_label(chosen.id, one.name) for one in chosen.builds] + (["the peer in Go"] if reference else [])
    kinds = len(questions(workshop.root))
    return [
        f"would try {counted(kinds, 'kind')} of handshakes of {counted(len(names), 'peer')}, each as client of each, {len(names) ** 2 * kinds} at most: {', '.join(names)}",
        f"  nothing is timed; a side waits {deadline:g} s for the other at most",
    ]


def _code(grid: Grid) -> ExitCode:
    worst = grid.worst
    return ExitCode.OK if worst is Result.AGREED else ExitCode.WRONG if worst is Result.WRONG else ExitCode.FAILURE


def instruments(
    workshop: Workshop, library: Library, request: RunRequest, tell: Announce
) -> tuple[Pairs | Hostiles | Mutants, ...]:
    """What tries the pairs of a request, and with `robust` also hostile peers and mutated flights. Raises CipherstoneError where no peer is here; UsageError; DataError for a state that is none."""
    options, patience = request.options, request.patience
    named = words([str(options.get("peers", ""))])
    chosen, with_reference = _chosen(workshop, library, named)
    found, missing = peers(workshop, chosen, with_reference, tell, patience)
    left_out = [LeftOut(one.name, one.why) for one in missing]
    left_out += [LeftOut(one.name, "not built; --peers all builds it") for one in _unbuilt(library, chosen, named)]
    if not found:
        why = "; ".join(f"{one.name}: {one.why}" for one in left_out)
        raise CipherstoneError(f"interop: no peer is here ({why})", "`cipherstone list --builds` shows what there is")
    asked = questions(workshop.root)
    many = len(found) ** 2 * len(asked)
    tell(f"interop: {counted(len(found), 'peer')}, {counted(len(asked), 'kind')} of handshakes: {many} to try")
    deadline = float(options.get("deadline", DEADLINE_S))
    pairs = Pairs(found, asked, Trials(deadline, patience), deadline, left_out)
    if not options.get("robust"):
        return (pairs,)
    hostile = Hostiles(found, asked, Trials(min(deadline, HOSTILE_DEADLINE_S), patience))
    if not (number := int(options.get("mutated", 0))):
        return pairs, hostile
    state = options.get("state")
    progress = MutationProgress(Path(str(state)).expanduser() if state else None, int(options.get("seed", 1)))
    programs, _ = peers(workshop, chosen, False, tell, patience, MUTATIONS)
    flights = Mutants(tuple(attacks(programs, asked, number, patience)), progress, tell, patience)
    return pairs, hostile, flights


def _unbuilt(library: Library, chosen: Library, named: Sequence[str] | None) -> list[BuildSpec]:
    """Builds that were not left out, and that are not here."""
    return [] if named else [build for build in library.builds if build not in chosen.builds]


def _written(grid: Grid, markdown: bool, html: bool, format_: env.Format) -> str:
    if format_ is env.Format.JSON:
        return msgspec.json.format(msgspec.json.encode(grid)).decode()
    if html:
        return grid_html(grid)
    return grid_markdown(grid) if markdown else grid_text(grid, env.width())


def _chosen(workshop: Workshop, library: Library, names: Sequence[str]) -> tuple[Library, bool]:
    """(the laboratory with the builds that take part, whether the reference does). Raises UsageError."""
    known = [REFERENCE, ALL, *(build.name for build in library.builds)]
    for name in names:
        if name not in known:
            raise UsageError(f"--peers: no build of the laboratory is called '{name}'", nearest(name, known))
    builds = tuple(
        build
        for build in library.builds
        if (ALL in names or build.name in names if names else build.default or workshop.has_built(library, build))
    )
    return msgspec.structs.replace(library, builds=builds), not names or bool({REFERENCE, ALL} & {*names})
