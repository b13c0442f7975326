# SPDX-License-Identifier: Apache-2.0
"""`cipherstone upgrade`: what newer versions of a library gain or cost, on one page."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from cipherstone.catalogue.libraries import Library
from cipherstone.cli import environment as env
from cipherstone.cli.known_libraries import known_libraries
from cipherstone.cli.requests import dry_run, planned
from cipherstone.cli.run import measured
from cipherstone.cli.select_options import BuildOption, FilterOption
from cipherstone.cli.selection import words
from cipherstone.cli.tables import show_lines
from cipherstone.cli.user_library import with_brought
from cipherstone.model.errors import ExitCode, UsageError, nearest
from cipherstone.model.ids import DISTRIBUTION_BUILD, build_label, build_within
from cipherstone.model.request import RunRequest
from cipherstone.report.render.upgrade import render_upgrade, upgrade_json, upgrade_markdown
from cipherstone.views.upgrade import upgrade_of

SUITE = "upgrade"


def upgrade(
    library: Annotated[
        list[str],
        typer.Argument(help="The library, such as openssl; with builds of your own, openssl=~/a openssl@b=~/b."),
    ],
    build: BuildOption = None,
    first: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="The build to start from (default: the system's, else the oldest source).",
            show_default=False,
        ),
    ] = None,
    filter_: FilterOption = None,
    target: Annotated[str | None, typer.Option("--target", help="Half-width asked of every ratio, e.g. 0.5%.")] = None,
    max_time: Annotated[
        str | None, typer.Option("--max-time", help="Stop after this long, e.g. 90s, 10min, none.")
    ] = None,
    passes: Annotated[int | None, typer.Option("--passes", help="Most passes of a case.", show_default=False)] = None,
    cpu: Annotated[int | None, typer.Option("--cpu", help="CPU to measure on.", show_default=False)] = None,
    name: env.NameOption = "",
    wait: env.WaitOption = False,
    dry: env.DryOption = False,
    patience: env.PatienceOption = 1.0,
    markdown: Annotated[bool, typer.Option("--markdown", help="As Markdown, for an issue or a review.")] = False,
    output: env.OutputOption = env.DEFAULT_OUTPUT,
    cache: env.CacheOption = None,
    format_: env.FormatOption = env.Format.TEXT,
) -> None:
    """Measure every version of a library that can be had, in one run: what gets faster, what slower, what stays."""
    workshop = env.workshop(cache)
    names, libraries = with_brought(library, known_libraries(workshop.root))
    chosen = (names or library)[0]
    if chosen not in libraries:
        raise UsageError(f"upgrade: no library '{chosen}'", nearest(chosen, tuple(libraries)))
    if {*(names or ())} != {chosen}:
        raise UsageError(
            f"upgrade: {', '.join(names or ())} are several libraries", "one at a time; `run` compares them"
        )
    one = libraries[chosen]
    wanted = words(build) or [build_label(chosen, source.name) for source in one.upstream if not source.tarball]
    start = _start(one, first)
    asked = {*wanted, build_label(chosen, start)} if start != DISTRIBUTION_BUILD else {*wanted}
    base = chosen if start == DISTRIBUTION_BUILD else build_label(chosen, start)
    request = RunRequest(
        suite=SUITE,
        filter=f"library:{chosen} impl:default" + (f" ({filter_})" if filter_ else ""),
        library=tuple(word for word in library if "=" in word),
        build=tuple(sorted(asked)),
        base=base,
        name=name,
        target=target,
        max_time=max_time,
        passes=passes,
        cpu=cpu,
        memory=False,
        patience=patience,
    )
    if dry:
        show_lines(dry_run(workshop, request))
        return
    result = measured(planned(workshop, request, output, wait))
    page = upgrade_of(result.summary, chosen, base)
    if format_ is env.Format.JSON:
        print(upgrade_json(page))
    elif markdown:
        print(upgrade_markdown(page), end="")
    else:
        print(render_upgrade(page, env.width(), env.colour_wanted()))
    env.say(f"run: {result.path}   the whole of it: cipherstone report {env.as_typed(result.path)}")
    if result.interrupted:
        sys.exit(ExitCode.INTERRUPTED)
    if all(step.ratio is None for version in page.versions for step in version.steps):
        env.say(f"cipherstone: no figure: {page.trust_reason}")
        sys.exit(ExitCode.FAILURE)


def _start(library: Library, first: str | None) -> str:
    """The name of the build that all others are compared with. Raises UsageError."""
    known = [one.name for one in library.builds]
    if first is not None:
        name = build_within(library.id, first)
        if name not in known:
            raise UsageError(f"--from {first}: {library.id} has no such build", nearest(name, known))
        return name
    if library.distribution is not None:
        return DISTRIBUTION_BUILD
    if not library.upstream:
        raise UsageError(f"upgrade: {library.id} has neither a package nor a source", "see `cipherstone list --builds`")
    return min(
        library.upstream, key=lambda source: [int(part) for part in source.version.split(".") if part.isdecimal()]
    ).name
