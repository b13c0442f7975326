# SPDX-License-Identifier: Apache-2.0
"""`cipherstone lab instructions`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import msgspec
import typer

from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import catalogue_at
from cipherstone.catalogue.libraries import load_labs
from cipherstone.catalogue.scope import Scope
from cipherstone.cli import environment as env
from cipherstone.cli.lab_options import (
    CpuOption,
    MaxTimeOption,
    PassesOption,
    ResumeOption,
    SeedOption,
    TargetOption,
)
from cipherstone.cli.run import Output, go_on, measure
from cipherstone.cli.select_options import FilterOption
from cipherstone.isa.program import ADD_CHAIN
from cipherstone.labs.instructions.emulated import known_isa, prove_foreign, why_not_timed
from cipherstone.labs.modexp.options import base_of
from cipherstone.model.errors import ExitCode
from cipherstone.model.ids import Lane
from cipherstone.model.records import ProofRecord
from cipherstone.model.request import RunRequest
from cipherstone.operations.kernels import FAMILY, kernel_catalogue, kernel_suite, native_isa


def instructions(
    isa: Annotated[
        str | None,
        typer.Option(
            "--isa",
            help="Instruction set: another one than this machine's is proven under emulation, never timed.",
            show_default=False,
        ),
    ] = None,
    filter_: FilterOption = None,
    target: TargetOption = None,
    max_time: MaxTimeOption = None,
    passes: PassesOption = None,
    cpu: CpuOption = None,
    seed: SeedOption = None,
    patience: env.PatienceOption = 1.0,
    name: env.NameOption = "",
    report: env.ReportOption = False,
    wait: env.WaitOption = False,
    resume: ResumeOption = None,
    output: env.OutputOption = env.DEFAULT_OUTPUT,
    cache: env.CacheOption = None,
    format_: env.FormatOption = env.Format.TEXT,
) -> None:
    """Instructions: latency and throughput in core cycles, and the sequences that explain the speed of big-number code."""
    workshop = env.workshop(cache)
    if isa is not None and known_isa(isa) != native_isa():
        chosen_isa = known_isa(isa)
        _told(prove_foreign(workshop, chosen_isa, env.say), why_not_timed(chosen_isa))
        return
    request = RunRequest(
        suite=FAMILY,
        lab=FAMILY,
        filter=filter_ or "",
        name=name,
        target=target,
        max_time=max_time,
        passes=passes,
        cpu=cpu,
        seed=seed,
        memory=False,
        patience=patience,
    )
    shown = Output(output, format_, report, wait)
    if resume is not None:
        catalogue = kernel_catalogue(workshop.root, native_isa())
        go_on(workshop, catalogue, load_labs(workshop.root, catalogue_at(workshop.root)), resume, request, shown)
        return
    measure(workshop, request, shown)


def scope(workshop: Workshop, request: RunRequest) -> Scope:
    """The kernels of this machine, and the worker that has them."""
    known = load_labs(workshop.root, catalogue_at(workshop.root))
    suite = msgspec.structs.replace(kernel_suite(workshop.root), labs=(FAMILY,))
    catalogue = kernel_catalogue(workshop.root, native_isa())
    return Scope(catalogue, known, suite, request.filter, (), base_of(known[FAMILY], ADD_CHAIN))


def _told(proofs: Sequence[ProofRecord], not_timed: str) -> None:
    """What the proof found; exit code 4 if a kernel computed a wrong result."""
    wrong = [p for p in proofs if not p.outcome.timed]
    for proof in wrong:
        env.say(f"{proof.operation} {Lane.parse(proof.lane).words}: {proof.outcome}: {'; '.join(proof.failures)}")
    print(f"{len(proofs) - len(wrong)} of {len(proofs)} kernels compute what the table says")
    print(not_timed)
    if wrong:
        sys.exit(ExitCode.WRONG)
