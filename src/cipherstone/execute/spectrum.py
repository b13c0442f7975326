# SPDX-License-Identifier: Apache-2.0
"""This machine as a vector: the kernels of the table that are marked for the spectrum, measured in a few seconds by the same engine as everything else."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

import msgspec

from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import Catalogue
from cipherstone.catalogue.libraries import Library, load_labs, load_library
from cipherstone.execute.survey import Found, survey
from cipherstone.host.facts import machine_facts
from cipherstone.host.ipc import IpcReferences
from cipherstone.host.spectrum import SpectrumStore
from cipherstone.isa.calibration import calibrate, disagree
from cipherstone.isa.program import ADD_CHAIN, KERNEL, ROR_CHAIN, calibrator, program
from cipherstone.isa.table import KernelTable, load_table
from cipherstone.measure.plan import Plan, plan_run
from cipherstone.measure.pool import Launch
from cipherstone.measure.session import Session
from cipherstone.measure.start import Start
from cipherstone.model.errors import CipherstoneError
from cipherstone.model.ids import Case, Lane
from cipherstone.model.outcomes import Outcome
from cipherstone.model.records import KernelFigure, OutcomeRecord, PassRecord, Record, Settings, Spectrum
from cipherstone.operations.kernel_proof import kernel_vectors
from cipherstone.operations.kernels import kernel_catalogue, kernel_suite, native_isa
from cipherstone.views.run.passes import parts, pass_values

PASSES = 3
# The smallest turns that give a pass value (16 batches that count), judged like every batch: a kernel that was never seen undisturbed has no figure.
SETTINGS = Settings(
    batch_us=50.0,
    rounds=4,
    batches_per_turn=4,
    dropped_batches=4,
    min_passes=PASSES,
    max_passes=PASSES,
    max_time_s=6.0,
    memory=False,
    wait_us=500.0,
)
Announce = Callable[[str], None]


def measure_spectrum(
    workshop: Workshop,
    cpu: int | None = None,
    announce: Announce | None = None,
    reference: float | None = None,
    move: bool = True,
    also: Collection[str] = (),
) -> Spectrum:
    """Builds (or finds) the instruction laboratory and measures the spectrum on `cpu` (None: unpinned). About four seconds; needs no bundle. `reference`: IPC of an undisturbed core, by default what is stored for this CPU model. `move`: whether another CPU may be taken if that is freer. `also`: kernels that do not belong to it and are wanted beside it.

    `low` and `high` of a figure are the range over the three passes, each in processes of its own: too few for an interval. Nothing is raised for what
    this machine lacks: `refused` says in one line why there are no cycles.
    """
    isa = native_isa()
    if isa is None:
        return Spectrum("", refused="no kernels are written for this instruction set")
    try:
        table = load_table(workshop.root, isa)
        catalogue = kernel_catalogue(workshop.root, isa)
        lab = kernel_lab(workshop.root)
        if lab is None:
            return Spectrum(isa, refused="no laboratory here has kernels")
        found = survey(workshop, {lab.id: load_library(lab.folder, catalogue)}, announce=announce)
        ready = [one for one in found if one.status == "ready"]
        settings = msgspec.structs.replace(SETTINGS, cpu=cpu, move=move)
        if not ready:
            problem = found[0].problem if found else "nothing was found"
            return Spectrum(isa, refused=f"the instruction laboratory is not ready: {problem}")
        records, plan, reference = _measure(workshop, catalogue, ready, settings, reference, also)
    except CipherstoneError as error:
        return Spectrum(isa, refused=error.message)
    machine = machine_facts()
    store = SpectrumStore(workshop.cache / "spectrum.json", machine.cpu_model, machine.hypervisor)
    return store.completed(spectrum_of(table, records, plan.outcomes, reference), [case.case for case in plan.cases])


def kernel_scouts(workshop: Workshop, announce: Announce | None = None) -> tuple[tuple[Launch, ...], str]:
    """(the worker of the instruction laboratory, whose probes can watch a core for an instrument without workers; why there is none)."""
    isa, lab = native_isa(), kernel_lab(workshop.root)
    if isa is None or lab is None:
        return (), "no worker here can watch the core: no kernels are written for this instruction set"
    try:
        known = {lab.id: load_library(lab.folder, kernel_catalogue(workshop.root, isa))}
        found = survey(workshop, known, announce=announce)
    except CipherstoneError as error:
        return (), f"no worker here can watch the core: {error.message}"
    launches = tuple(one.launch for one in found if one.status == "ready" and one.launch is not None)
    problem = next((one.problem for one in found if one.problem), "none is ready")
    return launches, "" if launches else f"no worker here can watch the core: {problem}"


def kernel_lab(root: Path) -> Library | None:
    """The laboratory whose worker is made from the kernel table; None where the checkout holds none."""
    return next((lab for lab in load_labs(root, left_out={}).values() if lab.generated == "kernels"), None)


def _measure(
    workshop: Workshop,
    catalogue: Catalogue,
    ready: Sequence[Found],
    settings: Settings,
    reference: float | None,
    also: Collection[str],
) -> tuple[list[Record], Plan, float | None]:
    suite = kernel_suite(workshop.root, native_isa(), spectrum=True, also=also)
    plan = plan_run(catalogue, {}, [one.offer(catalogue) for one in ready], suite, None, f"{ready[0].id}:{ADD_CHAIN}")
    # Without the A/A lane: nothing is ranked here, and the two chains tell whether times can be compared.
    cases = tuple(
        msgspec.structs.replace(case, lanes=tuple(lane for lane in case.lanes if not lane.endswith("#2")))
        for case in plan.cases
    )
    launches = {f"{f.id}@{f.build.build}": f.launch for f in ready if f.build is not None and f.launch is not None}
    if reference is None:
        machine = machine_facts()
        reference, _ = IpcReferences(workshop.cache / "ipc-reference.json").known(machine.cpu_model, machine.hypervisor)
    alone = msgspec.structs.replace(plan, cases=cases)
    session = Session(alone, launches, kernel_vectors, settings, Start(reference))
    return list(session.run()), plan, session.ipc_reference


def spectrum_of(
    table: KernelTable,
    records: Iterable[Record],
    outcomes: Iterable[OutcomeRecord] = (),
    reference: float | None = None,
) -> Spectrum:
    """The spectrum from the records of such a measurement; `outcomes`: what was known not to be there. `reference`: IPC that its batches are judged by."""
    ratios: dict[str, list[float]] = {}
    agreements: dict[str, list[float]] = {}
    clocks: list[float] = []
    missing = {o.case for o in outcomes if o.outcome is Outcome.UNAVAILABLE and o.lane.endswith(f":{KERNEL}")}
    broken: dict[str, str] = {}
    additions = calibrator(table.isa, ADD_CHAIN).units_per_call
    rotations = calibrator(table.isa, ROR_CHAIN).units_per_call
    for record in records:
        if isinstance(record, OutcomeRecord) and not record.outcome.timed:
            broken[record.case] = f"{record.case}: {record.outcome}: {record.detail}"
        if not isinstance(record, PassRecord):
            continue
        floors = {
            Lane.parse(v.lane).implementation: v.floor_ns
            for v in pass_values(parts(record, SETTINGS), SETTINGS, reference)
        }
        kernel, add, ror = (floors.get(name) for name in (KERNEL, ADD_CHAIN, ROR_CHAIN))
        if add is None or ror is None:
            continue
        agreements.setdefault(record.case, []).append(ror / rotations * additions / add)
        clocks.append(additions / add)
        if kernel is not None:
            case = Case.parse(record.case)
            units = program(table, case.algorithm, case.verb).units_per_call
            ratios.setdefault(record.case, []).append(kernel / add * additions / units)
    steady = {case: statistics.median(values) for case, values in agreements.items()}
    calibration = calibrate(list(steady.values()), clocks)
    gone = tuple(sorted(missing | set(broken)))
    figures = tuple(
        KernelFigure(case, statistics.median(values), min(values), max(values))
        for case, values in ratios.items()
        if not disagree(steady[case]) and case not in broken
    )
    return Spectrum(
        isa=table.isa,
        figures=() if calibration.refused else _in_order(table, figures),
        agreement=calibration.agreement,
        refused=calibration.refused,
        ghz=calibration.ghz,
        unavailable=gone,
    )


def _in_order(table: KernelTable, figures: Iterable[KernelFigure]) -> tuple[KernelFigure, ...]:
    known = {figure.kernel: figure for figure in figures}
    names = [f"{kernel.algorithm}/{verb}" for kernel, verb in table.operations]
    return tuple(known[name] for name in names if name in known)
