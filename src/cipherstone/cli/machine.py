# SPDX-License-Identifier: Apache-2.0
"""`cipherstone machine`: what the instructions of this machine cost, or of a stored run's."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from cipherstone.catalogue.algorithms import catalogue_at
from cipherstone.catalogue.machines import load_published_machines
from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.roofline import Model, load_models
from cipherstone.cli import environment as env
from cipherstone.cli.derived_summary import derived
from cipherstone.cli.selection import words
from cipherstone.cli.steps import Steps
from cipherstone.cli.stored import summary_of
from cipherstone.execute.classic_score import ClassicTime, measure_classic
from cipherstone.execute.run import choose_cpu
from cipherstone.execute.spectrum import measure_spectrum
from cipherstone.execute.stored_run import bundle_summary
from cipherstone.host.facts import machine_facts
from cipherstone.model.records import Machine, Spectrum
from cipherstone.model.summary import RunSummary
from cipherstone.model.text import showable_struct
from cipherstone.report.render.foreign import machines_lines
from cipherstone.report.render.machine import (
    LEGEND,
    classic_lines,
    roofline_lines,
    score_lines,
    spectrum_lines,
    wrapped,
)
from cipherstone.views.foreign import (
    MachineFigures,
    measured_machine,
    published_machine,
    shipped_machines,
)
from cipherstone.views.machines import scores, spectrum_rows
from cipherstone.views.roofline import NO_SPECTRUM, roofline_rows

HERE = "here"
PUBLISHED = "published"


def machine(
    run: Annotated[
        str | None,
        typer.Option("--run", help="Show the machine of this stored run instead, and its results against it."),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            help="Put the machines of these runs beside it (a,b or repeated; imported ones too), or published: those that come along.",
        ),
    ] = None,
    classic: Annotated[
        bool, typer.Option("--classic", help="Also the classic single score, built by several compilers.")
    ] = False,
    cpu: Annotated[
        int | None, typer.Option("--cpu", help="Measure on this CPU (default: the last one).", show_default=False)
    ] = None,
    cache: env.CacheOption = None,
    output: env.OutputOption = env.DEFAULT_OUTPUT,
    format_: env.FormatOption = env.Format.TEXT,
) -> None:
    """Describe a machine by what its instructions cost, and results by their share of that."""
    # What others' runs lack is said before anything is measured.
    others = [figures for text in words(against) for figures in _figures(output, text)]
    summary = summary_of(env.open_run(env.chosen_run(output, run)), "--run") if run is not None else None
    facts = summary.manifest.machine if summary is not None else machine_facts()
    spectrum = summary.manifest.spectrum if summary is not None else None
    if spectrum is None and (summary is None or facts.fingerprint == machine_facts().fingerprint):
        with Steps() as step:
            step("measuring what the instructions of this machine cost")
            spectrum = measure_spectrum(env.workshop(cache), choose_cpu(cpu), step.said, move=cpu is None)
        if summary is not None:
            env.say("the run holds no spectrum; this is the same machine, so it was measured now")
    times: tuple[ClassicTime, ...] = ()
    if classic:
        with Steps() as step:
            step("measuring the classic score, built by several compilers")
            times = measure_classic(env.workshop(cache), choose_cpu(cpu), step.said)
    machines = _beside(facts, spectrum, summary, times, others)
    if format_ is env.Format.JSON:
        print(_json(facts, spectrum, summary, times, machines))
        return
    width = env.width()
    lines = _described(facts, spectrum, width)
    if summary is not None:
        lines += _results(summary, spectrum, width)
    if times:
        lines += ["", *classic_lines([(t.compiler, t.flags, t.us, t.low_us, t.high_us) for t in times], width)]
    if others:
        lines += ["", *machines_lines(machines, width)]
    print("\n".join(lines))


def _described(facts: Machine, spectrum: Spectrum | None, width: int) -> list[str]:
    if spectrum is None:
        return wrapped(f"{facts.cpu_model}, {facts.architecture}, {facts.system}: {NO_SPECTRUM}", width)
    return spectrum_lines(spectrum, facts, width)


def _results(summary: RunSummary, spectrum: Spectrum | None, width: int) -> list[str]:
    rows = roofline_rows(_models(), summary, spectrum)
    if not rows:
        return ["", *wrapped("This run has no operation that a roofline model is for.", width)]
    lines = ["", f"Results of {summary.manifest.run_id} against the roofline", ""]
    return [*lines, *roofline_lines(rows, width), *wrapped(LEGEND, width), "", *score_lines(scores(rows), width)]


def _models() -> tuple[Model, ...]:
    root = data_root()
    return load_models(root, catalogue_at(root).operations)


def _figures(output: Path, run: str) -> list[MachineFigures]:
    if run == PUBLISHED:
        return shipped_machines(load_published_machines(data_root()))
    bundle = env.open_run(env.chosen_run(output, run))
    if bundle.manifest.foreign:
        return [showable_struct(published_machine(bundle.manifest, bundle.records()))]
    return [measured_machine(bundle_summary(bundle, catalogue_at(data_root()), derived))]


def _beside(
    facts: Machine,
    spectrum: Spectrum | None,
    summary: RunSummary | None,
    times: tuple[ClassicTime, ...],
    others: list[MachineFigures],
) -> list[MachineFigures]:
    """This machine first, then the others in the order in which they were named."""
    if summary is not None:
        mine = measured_machine(summary)
    else:
        mine = MachineFigures(facts.cpu_model, HERE, False, isa=spectrum.isa if spectrum is not None else "")
    if spectrum is not None and not spectrum.refused and not mine.sequence_cycles:
        cycles = {row.name: row.sequence for row in spectrum_rows(spectrum) if row.sequence is not None}
        mine = msgspec.structs.replace(mine, isa=spectrum.isa, ghz=spectrum.ghz, sequence_cycles=cycles)
    if times:
        mine = msgspec.structs.replace(mine, classic_us=times[0].us)
    return [mine, *others]


def _json(
    facts: Machine,
    spectrum: Spectrum | None,
    summary: RunSummary | None,
    times: tuple[ClassicTime, ...],
    machines: list[MachineFigures],
) -> str:
    rows = roofline_rows(_models(), summary, spectrum) if summary is not None else ()
    found = scores(rows)
    return msgspec.json.encode(
        {
            "machine": facts,
            "spectrum": spectrum,
            "roofline": rows,
            "scores": {
                "by_family": found.by_family,
                "overall": found.overall,
                "counts": found.counts,
                "slower": [one.sentence for one in found.residuals],
            },
            "classic": times,
            "machines": machines if len(machines) > 1 else [],
        }
    ).decode()
