# SPDX-License-Identifier: Apache-2.0
"""`cipherstone lab tls`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Annotated

import msgspec
import typer

from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import catalogue_at
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.libraries import Library, load_labs
from cipherstone.catalogue.scope import Scope
from cipherstone.catalogue.suites import Section, Suite, lane_filter, load_suite
from cipherstone.cli import environment as env
from cipherstone.cli.known_libraries import known_libraries
from cipherstone.cli.lab_options import ResumeOption, of_lab, takes_lab_request
from cipherstone.cli.requests import dry_run
from cipherstone.cli.run import Output, go_on, measure
from cipherstone.cli.selection import (
    build_names,
    chosen_libraries,
    known_values,
    with_builds,
    words,
    written,
)
from cipherstone.cli.tables import show_lines
from cipherstone.host.facts import allowed_cpus
from cipherstone.labs.tls.interop.command import OPTION as INTEROP
from cipherstone.labs.tls.interop.command import instruments as tried
from cipherstone.labs.tls.networks.command import over_networks
from cipherstone.labs.tls.networks.measured import OverNetworks
from cipherstone.labs.tls.primitives import library_of
from cipherstone.labs.tls.results import LAB
from cipherstone.labs.tls.servers.command import of_servers
from cipherstone.labs.tls.servers.measured import OfServers
from cipherstone.labs.tls.sockets.command import over_sockets
from cipherstone.labs.tls.sockets.measured import OverSockets
from cipherstone.measure.turns import Instrument
from cipherstone.model.errors import UsageError
from cipherstone.model.ids import build_label
from cipherstone.model.request import RunRequest

QUICK_SECTION, QUICK_TIME = "quick", "60s"
PRIMITIVES = "primitives"  # the section
USUAL_SECTIONS = frozenset({"full", "older", "resumed", "bulk", "post-quantum"})
INSTRUMENTS = frozenset({"sockets", "servers", "network"})  # options that ask for one
_OF_LANES = frozenset({"library", "build", "impl"})


@takes_lab_request
def tls(
    request: RunRequest,
    quick: Annotated[
        bool, typer.Option("--quick", help="Four kinds of handshakes, in about a minute of measuring.")
    ] = False,
    primitives: Annotated[
        bool,
        typer.Option(
            "--primitives", help="Also key shares, signatures and key schedules alone: what a handshake is made of."
        ),
    ] = False,
    servers_: Annotated[
        list[str] | None,
        typer.Option(
            "--servers",
            metavar="NAMES",
            help="Instead: what a handshake costs these servers (nginx, haproxy), if they are installed, beside the bare library.",
        ),
    ] = None,
    network_: Annotated[
        str | None,
        typer.Option(
            "--network",
            metavar="LINK",
            help="Instead: time to the finished handshake between two network namespaces (root), over a `wire` of our own or the kernel's `netem`, beside the model.",
        ),
    ] = None,
    sockets_: Annotated[
        bool,
        typer.Option(
            "--sockets",
            help="Instead: what the page of the suite tls-blog measured, over blocking sockets on this machine: clients of several libraries (--build), a server of BoringSSL.",
        ),
    ] = False,
    report: env.ReportOption = False,
    wait: env.WaitOption = False,
    dry: env.DryOption = False,
    resume: ResumeOption = None,
    output: env.OutputOption = env.DEFAULT_OUTPUT,
    cache: env.CacheOption = None,
    format_: env.FormatOption = env.Format.TEXT,
) -> None:
    """TLS: what a handshake costs client and server, in processor time, memory, bytes and flights, library by library."""
    workshop = env.workshop(cache)
    catalogue = catalogue_at(workshop.root)
    libraries = known_libraries(workshop.root)
    known = {LAB: load_labs(workshop.root, catalogue)[LAB]}
    if servers_ and network_ is not None:
        raise UsageError("--servers with --network: servers are measured on this machine alone", "one of both")
    if sockets_ and (servers_ or network_ is not None):
        raise UsageError("--sockets with --servers or --network: each is a measurement of its own", "one of them")
    request = of_lab(
        request,
        LAB,
        quick=quick or None,
        primitives=primitives or None,
        sockets=sockets_ or None,
        servers=",".join(words(servers_)) or None,
        network=network_,
    )
    if quick and request.max_time is None and not INSTRUMENTS & request.options.keys():
        request = msgspec.structs.replace(request, max_time=QUICK_TIME)
    shown = Output(output, format_, report, wait)
    if resume is not None:
        go_on(workshop, catalogue, libraries | known, resume, request, shown)
        return
    if dry and INSTRUMENTS & request.options.keys():
        raise UsageError("--dry-run: only for handshakes in memory", "leave --sockets, --servers and --network out")
    if dry:
        show_lines(dry_run(workshop, request))
        return
    measure(workshop, request, shown)


def instruments(workshop: Workshop, request: RunRequest, tell: Callable[[str], None]) -> tuple[Instrument, ...]:
    """What measures the request, nothing for one of cases; with as many passes as the request says. Raises CipherstoneError."""
    if request.options.get(INTEROP):
        return tried(workshop, load_labs(workshop.root, catalogue_at(workshop.root))[LAB], request, tell)
    found = _instrument(workshop, request, tell)
    if found is not None and request.passes is not None:
        found.plan = msgspec.structs.replace(found.plan, passes=request.passes)
    return () if found is None else (found,)


def _instrument(
    workshop: Workshop, request: RunRequest, tell: Callable[[str], None]
) -> OverSockets | OfServers | OverNetworks | None:
    library = load_labs(workshop.root, catalogue_at(workshop.root))[LAB]
    if request.options.get("sockets"):
        return over_sockets(workshop, library, request, tell)
    if request.options.get("servers"):
        return of_servers(workshop, library, request, tell)
    if "network" in request.options:
        return over_networks(workshop, library, request, tell)
    return None


def scope(workshop: Workshop, request: RunRequest) -> Scope:
    """The laboratory's suite and builds, narrowed by its options. Raises UsageError where nothing is left."""
    catalogue = catalogue_at(workshop.root)
    libraries = known_libraries(workshop.root)
    quick, primitives = (bool(request.options.get(name)) for name in ("quick", "primitives"))
    known, asked = with_builds("--build", request.build, {LAB: load_labs(workshop.root, catalogue)[LAB]})
    text = written(request.filter, known_values(catalogue, known, (), build_names(known.values())))
    suite = narrowed(load_suite(workshop.root, LAB, catalogue), quick, text, primitives)
    known = chosen_libraries(text, catalogue, known, (LAB,), asked, built=workshop.has_built)
    if not known:
        raise UsageError(f"filter '{text}': leaves no library of this laboratory", "see `cipherstone list --builds`")
    base = build_label(LAB, known[LAB].builds[0].name)
    if primitives:
        alone, more = with_primitives(known[LAB].builds, libraries)
        known, asked = {**alone, **known}, of_laboratory(asked, known[LAB].builds) | more
    return Scope(catalogue, known, suite, "", tuple(sorted(asked)), base)


def of_laboratory(asked: Iterable[str], builds: Iterable[BuildSpec]) -> frozenset[str]:
    """What was asked for, builds of the laboratory with its name: beside libraries `boringssl` alone would be that library's own build."""
    names = {build.name for build in builds}
    return frozenset(build_label(LAB, name) if name in names else name for name in asked)


def with_primitives(
    builds: Iterable[BuildSpec], libraries: Mapping[str, Library]
) -> tuple[dict[str, Library], frozenset[str]]:
    """(the libraries of these builds of the laboratory, each with its build of the same version alone; their names as `--build` has them)."""
    found: dict[str, Library] = {}
    for build in builds:
        library = next((libraries[name] for name in library_of(build.variant) if name in libraries), None)
        if library is None:
            continue
        same = (
            [one for one in library.builds if one.default]
            if build.source is None
            else [one for one in library.builds if _same_source(one, build)][:1]
        )
        taken = (*same, *(found[library.id].builds if library.id in found else ()))
        # In the library's own order: the first one says what it needs of the system.
        found[library.id] = msgspec.structs.replace(
            library, builds=tuple(one for one in library.builds if one in taken)
        )
    return found, frozenset(build_label(library.id, one.name) for library in found.values() for one in library.builds)


def _same_source(one: BuildSpec, build: BuildSpec) -> bool:
    """Whether both are upstream's source of one version, without further words."""
    return (
        one.source is not None
        and build.source is not None
        and one.source.version == build.source.version
        and not one.options
        and not one.masks
    )


def _on_these(section: Section, processors: int) -> Section:
    """The section without the cases that have more threads than this program has processors."""
    kept = tuple(case for case in section.cases if int(case.param("threads") or 1) <= processors)
    return msgspec.structs.replace(section, cases=kept)


def narrowed(
    suite: Suite, quick: bool, text: str, primitives: bool = False, processors: int = len(allowed_cpus()) or 1
) -> Suite:
    """The usual sections of the suite, or its quick one alone, with what the filter leaves. A filter that speaks of handshakes (`suite:aes-256-gcm`) means all sections but the quick one. `primitives`: with their section, which no filter narrows, since every sum needs all of its parts."""
    wanted = frozenset({QUICK_SECTION}) if quick else USUAL_SECTIONS
    if not quick and text and lane_filter(text).keys - _OF_LANES:
        wanted = frozenset(section.id for section in suite.sections) - {QUICK_SECTION, PRIMITIVES}
    sections = [_on_these(section, processors) for section in suite.sections if section.id in wanted]
    if text:
        sections = [msgspec.structs.replace(one, lanes=f"({one.lanes}) ({text})") for one in sections]
    if primitives:
        sections += [one for one in suite.sections if one.id == PRIMITIVES]
    return msgspec.structs.replace(suite, sections=tuple(sections))
