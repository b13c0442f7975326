# SPDX-License-Identifier: Apache-2.0
"""`cipherstone lab instructions`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import msgspec
import typer

from cipherstone.catalogue.algorithms import catalogue_at
from cipherstone.catalogue.libraries import load_labs, load_libraries
from cipherstone.cli import environment as env
from cipherstone.cli.lab_options import (
    CpuOption,
    MaxTimeOption,
    PassesOption,
    ResumeOption,
    SeedOption,
    TargetOption,
)
from cipherstone.cli.run import go_on, measure_suite, settings_of
from cipherstone.cli.selection import (
    FilterOption,
)
from cipherstone.isa.program import ADD_CHAIN
from cipherstone.labs.instructions.emulated import known_isa, prove_foreign, why_not_timed
from cipherstone.labs.modexp.options import base_of
from cipherstone.model.errors import ExitCode
from cipherstone.model.records import ProofRecord
from cipherstone.operations.kernels import FAMILY, kernel_catalogue, kernel_suite, native_isa
from cipherstone.store.find import checked_name


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
    catalogue = kernel_catalogue(workshop.root, native_isa())
    known = load_labs(workshop.root, catalogue_at(workshop.root))
    called = checked_name(name, known | load_libraries(workshop.root)) if name else ""
    if resume is not None:
        go_on(workshop, catalogue, known, resume, (), patience, output, format_, report, room=FAMILY)
        return
    chosen = msgspec.structs.replace(kernel_suite(workshop.root), labs=(FAMILY,))
    settings = settings_of(chosen, False, target, max_time, base_of(known[FAMILY], ADD_CHAIN), cpu, seed, passes, False)
    measure_suite(
        workshop,
        catalogue,
        known,
        chosen,
        settings,
        filter_ or "",
        (),
        (),
        patience,
        output,
        format_,
        report,
        name=called,
    )


def _told(proofs: Sequence[ProofRecord], not_timed: str) -> None:
    """What the proof found; exit code 4 if a kernel computed a wrong result."""
    wrong = [p for p in proofs if not p.outcome.timed]
    for proof in wrong:
        env.say(f"{proof.operation} {proof.lane}: {proof.outcome}: {'; '.join(proof.failures)}")
    print(f"{len(proofs) - len(wrong)} of {len(proofs)} kernels compute what the table says")
    print(not_timed)
    if wrong:
        sys.exit(ExitCode.WRONG)
