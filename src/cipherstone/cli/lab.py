# SPDX-License-Identifier: Apache-2.0
"""`cipherstone lab`: the laboratories. Each is a run of a suite over code of our own, with the options of `run` that make sense there."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Annotated

import msgspec
import typer

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.kernels import ADD_CHAIN, kernel_catalogue, kernel_suite
from cipherstone.catalogue.kernels.listing import FAMILY, native_isa
from cipherstone.catalogue.libraries import load_labs, load_libraries
from cipherstone.catalogue.suites import load_suite
from cipherstone.cli import environment as env
from cipherstone.cli.lab_options import (
    BASE_ROW,
    QUICK_SETTINGS,
    Narrowing,
    base_of,
    bits_offered,
    filtered,
    narrowed,
    number_list,
    reduction_list,
)
from cipherstone.cli.run import go_on, measure_suite, settings_of
from cipherstone.cli.selection import (
    BuildOption,
    FilterOption,
    asked_builds,
    build_names,
    chosen_libraries,
    known_values,
    words,
    written,
)
from cipherstone.fleet.emulated import known_isa, prove_foreign, why_not_timed
from cipherstone.model.errors import ExitCode, UsageError
from cipherstone.model.records import ProofRecord
from cipherstone.views.modexp_names import LAB, LIMBS, WINDOWS

lab = typer.Typer(
    name="lab",
    help="Laboratories: why a result is what it is. Exponentiation in our own portable C, and the processor's instructions.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # Rich's panels give a third of 80 columns to the text
    context_settings={"help_option_names": ["-h", "--help"]},
)

MaxTimeOption = Annotated[str | None, typer.Option("--max-time", help="Stop after this long, e.g. 90s, 10min, none.")]
TargetOption = Annotated[str | None, typer.Option("--target", help="Half-width asked of every ratio, e.g. 0.5%.")]
PassesOption = Annotated[int | None, typer.Option("--passes", help="Most passes of a case.", show_default=False)]
CpuOption = Annotated[
    int | None, typer.Option("--cpu", help="CPU to measure on (default: the last one allowed).", show_default=False)
]
SeedOption = Annotated[
    int | None, typer.Option("--seed", min=0, help="Seed of the random orders (default: random).", show_default=False)
]
ReportOption = Annotated[bool, typer.Option("--report", help="Write the HTML report beside the run.")]
ResumeOption = Annotated[str | None, typer.Option("--resume", help="Go on with an interrupted run (id, or latest).")]
MemoryOption = Annotated[
    bool, typer.Option("--memory/--no-memory", help="Heap, stack and first calls, after the timing.")
]


@lab.command("modexp")
def modexp(
    bits: Annotated[
        str | None, typer.Option("--bits", help="Only these moduli, e.g. 2048,4096.", show_default=False)
    ] = None,
    crt: Annotated[
        bool | None,
        typer.Option("--crt/--no-crt", help="Private exponentiation with CRT, or without (default: both)."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Only the rows of the published table, in less than a minute.")
    ] = False,
    compilers: Annotated[
        bool, typer.Option("--compilers", help="The laboratory's other compilers and flags as well.")
    ] = False,
    libraries: Annotated[bool, typer.Option("--libraries/--no-libraries", help="Libraries beside our rows.")] = True,
    window: Annotated[
        str | None, typer.Option("--window", help="Of windows, only these widths, e.g. 4,5.", show_default=False)
    ] = None,
    limb: Annotated[
        str | None, typer.Option("--limb", help="Only these limb sizes in bits, e.g. 32,64.", show_default=False)
    ] = None,
    reduction: Annotated[
        str | None,
        typer.Option("--reduction", help="Only these reductions, e.g. mont,cios.", show_default=False),
    ] = None,
    filter_: FilterOption = None,
    build: BuildOption = None,
    target: TargetOption = None,
    max_time: MaxTimeOption = None,
    passes: PassesOption = None,
    cpu: CpuOption = None,
    seed: SeedOption = None,
    patience: env.PatienceOption = 1.0,
    memory: MemoryOption = True,
    report: ReportOption = False,
    resume: ResumeOption = None,
    output: env.OutputOption = env.DEFAULT_OUTPUT,
    cache: env.CacheOption = None,
    format_: env.FormatOption = env.Format.TEXT,
) -> None:
    """Modular exponentiation: every way of it in time and memory, beside a published table and beside libraries."""
    workshop = env.workshop(cache)
    catalogue = load_catalogue(workshop.root)
    labs = load_labs(workshop.root, catalogue)
    known = load_libraries(workshop.root, catalogue) | labs
    if resume is not None:
        go_on(workshop, catalogue, known, resume, (), patience, output, format_, report)
        return
    suite = load_suite(workshop.root, LAB, catalogue)
    wish = Narrowing(
        bits=number_list("bits", bits, bits_offered(suite), "not measured"),
        crt=crt,
        quick=quick,
        libraries=libraries,
        windows=number_list("window", window, WINDOWS),
        limbs=number_list("limb", limb, LIMBS),
        reductions=reduction_list(reduction),
    )
    text = filter_ or ""
    text = written(text, known_values(catalogue, known, (), build_names(known.values())))
    chosen = filtered(narrowed(suite, wish), text)
    asked = asked_builds("--build", words(build), known.values())
    asked |= {one.name for one in labs[LAB].builds if compilers}
    known = chosen_libraries(
        text, catalogue, labs if quick or not libraries else known, (LAB,), build_names(known.values())
    )
    if not known:
        raise UsageError(f"filter '{text}': leaves no library of this laboratory", "see `cipherstone list --builds`")
    base = base_of(known[LAB], BASE_ROW) if LAB in known else min(known)
    left = build_names(known.values())  # what is not surveyed is not asked for
    chosen = msgspec.structs.replace(chosen, builds=tuple(name for name in chosen.builds if name in left))
    limit = max_time if max_time is not None or not quick else QUICK_SETTINGS
    settings = settings_of(chosen, False, target, limit, base, cpu, seed, passes, memory)
    asked = asked.intersection(left)
    measure_suite(workshop, catalogue, known, chosen, settings, "", tuple(asked), (), patience, output, format_, report)


@lab.command("instructions")
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
    report: ReportOption = False,
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
    known = load_labs(workshop.root, load_catalogue(workshop.root))
    if resume is not None:
        go_on(workshop, catalogue, known, resume, (), patience, output, format_, report)
        return
    chosen = msgspec.structs.replace(kernel_suite(workshop.root), labs=(FAMILY,))
    settings = settings_of(chosen, False, target, max_time, base_of(known[FAMILY], ADD_CHAIN), cpu, seed, passes, False)
    measure_suite(
        workshop, catalogue, known, chosen, settings, filter_ or "", (), (), patience, output, format_, report
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
