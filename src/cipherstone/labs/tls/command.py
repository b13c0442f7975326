# SPDX-License-Identifier: Apache-2.0
"""`cipherstone lab tls`."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer

from cipherstone.catalogue.algorithms import catalogue_at
from cipherstone.catalogue.libraries import load_labs, load_libraries
from cipherstone.catalogue.suites import Suite, lane_filter, load_suite
from cipherstone.cli import environment as env
from cipherstone.cli.lab_options import (
    CpuOption,
    MaxTimeOption,
    MemoryOption,
    PassesOption,
    ReportOption,
    ResumeOption,
    SeedOption,
    TargetOption,
)
from cipherstone.cli.run import go_on, measure_suite, settings_of
from cipherstone.cli.selection import (
    BuildOption,
    FilterOption,
    build_names,
    chosen_libraries,
    known_values,
    with_builds,
    words,
    written,
)
from cipherstone.labs.tls.results import LAB
from cipherstone.model.errors import UsageError
from cipherstone.store.find import checked_name

QUICK_SECTION, QUICK_TIME = "quick", "60s"
USUAL_SECTIONS = frozenset({"full", "older", "resumed", "post-quantum"})
_OF_LANES = frozenset({"library", "build", "impl"})


def tls(
    quick: Annotated[
        bool, typer.Option("--quick", help="Four kinds of handshakes, in about a minute of measuring.")
    ] = False,
    filter_: FilterOption = None,
    build: BuildOption = None,
    target: TargetOption = None,
    max_time: MaxTimeOption = None,
    passes: PassesOption = None,
    cpu: CpuOption = None,
    seed: SeedOption = None,
    patience: env.PatienceOption = 1.0,
    memory: MemoryOption = True,
    name: env.NameOption = "",
    report: ReportOption = False,
    resume: ResumeOption = None,
    output: env.OutputOption = env.DEFAULT_OUTPUT,
    cache: env.CacheOption = None,
    format_: env.FormatOption = env.Format.TEXT,
) -> None:
    """TLS: what a handshake costs client and server, in processor time, memory, bytes and flights, library by library."""
    workshop = env.workshop(cache)
    catalogue = catalogue_at(workshop.root)
    known = {LAB: load_labs(workshop.root, catalogue)[LAB]}
    called = checked_name(name, load_libraries(workshop.root, catalogue) | known) if name else ""
    if resume is not None:
        go_on(workshop, catalogue, known, resume, (), patience, output, format_, report, room=LAB)
        return
    text = written(filter_ or "", known_values(catalogue, known, (), build_names(known.values())))
    chosen = narrowed(load_suite(workshop.root, LAB, catalogue), quick, text)
    known, asked = with_builds("--build", words(build), known)
    known = chosen_libraries(text, catalogue, known, (LAB,), asked, built=workshop.has_built)
    if not known:
        raise UsageError(f"filter '{text}': leaves no library of this laboratory", "see `cipherstone list --builds`")
    base = f"{LAB}+{known[LAB].builds[0].name}"
    limit = max_time if max_time is not None or not quick else QUICK_TIME
    settings = settings_of(chosen, False, target, limit, base, cpu, seed, passes, memory)
    measure_suite(
        workshop,
        catalogue,
        known,
        chosen,
        settings,
        "",
        tuple(asked),
        (),
        patience,
        output,
        format_,
        report,
        name=called,
    )


def narrowed(suite: Suite, quick: bool, text: str) -> Suite:
    """The usual sections of the suite, or its quick one alone, with what the filter leaves. A filter that speaks of handshakes (`suite:aes-256-gcm`) means all sections but the quick one."""
    wanted = frozenset({QUICK_SECTION}) if quick else USUAL_SECTIONS
    if not quick and text and lane_filter(text).keys - _OF_LANES:
        wanted = frozenset(section.id for section in suite.sections) - {QUICK_SECTION}
    sections = [section for section in suite.sections if section.id in wanted]
    if text:
        sections = [msgspec.structs.replace(one, lanes=f"({one.lanes}) ({text})") for one in sections]
    return msgspec.structs.replace(suite, sections=tuple(sections))
