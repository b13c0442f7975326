# SPDX-License-Identifier: Apache-2.0
"""A run's records to a `RunSummary`. Rules and refusals are section 8 of the method; each has its place in the modules beside this one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cipherstone.catalogue.algorithms import Catalogue
from cipherstone.catalogue.roofline import Model
from cipherstone.catalogue.verbs import verb_named
from cipherstone.model.counts import Count, CountedTarget
from cipherstone.model.ids import Case, base_lane
from cipherstone.model.instruments import TurnRecord
from cipherstone.model.outcomes import CaseEnd, Outcome
from cipherstone.model.records import (
    BreadthRecord,
    BuildRecord,
    CaseEndRecord,
    FactsRecord,
    FirstCallRecord,
    ForeignRecord,
    Manifest,
    MemoryRecord,
    NoiseRecord,
    OutcomeRecord,
    PassRecord,
    PlannedCase,
    ProcessRecord,
    ProofRecord,
    Record,
    Spectrum,
)
from cipherstone.model.summary import (
    CaseSummary,
    Crossover,
    Estimate,
    FitSummary,
    NoiseSummary,
    RatioSummary,
    RunSummary,
)
from cipherstone.model.units import format_size
from cipherstone.stats.probes import cycles_refusal
from cipherstone.stats.verdict import SMALLEST_THRESHOLD, threshold, verdict
from cipherstone.views.figures import figures_of, figures_trust, turns_reference
from cipherstone.views.plausible import implausible_lanes, refuse
from cipherstone.views.run.counts import counted_targets, counts_by_case
from cipherstone.views.run.estimates import (
    CaseBasis,
    CaseValues,
    CellRecords,
    aa_estimate,
    cell_outcome,
    cell_summary,
    lanes_of,
    twin_pair,
)
from cipherstone.views.run.fits import SizedCase, crossovers, fits
from cipherstone.views.run.noise import NoiseTally, noise_summary, trust
from cipherstone.views.run.pairs import Pairs
from cipherstone.views.run.passes import PassParts, parts, pass_values, run_reference
from cipherstone.views.run.processes import empty_processes, process_lines, with_processes
from cipherstone.views.run.ranking import ranking, session_aa, to_base, to_best

SmallRecord = (
    ProofRecord
    | BreadthRecord
    | OutcomeRecord
    | MemoryRecord
    | FirstCallRecord
    | ProcessRecord
    | CaseEndRecord
    | NoiseRecord
    | FactsRecord
    | ForeignRecord
    | BuildRecord
    | CountedTarget
    | Count
    | TurnRecord
)
AA_LOW, AA_HIGH = 0.99, 1.01
REFERENCE_OF_RUN = "this run alone"  # `Manifest.ipc_reference_from` where nothing was stored for this CPU before


def summarise(
    manifest: Manifest,
    records: Iterable[Record],
    catalogue: Catalogue | None = None,
    clock_step_ns: float | None = None,
    models: Iterable[Model] = (),
) -> RunSummary:
    """What a run says, from its journal. Records are taken one by one; batches are reduced at once and not kept.

    `catalogue` gives titles; an operation that it lacks goes by its id. `clock_step_ns`: the largest step of the workers' clocks, by default as the manifest's builds say; a step above
    1 % of a batch refuses the figure. `models`: of the roofline, that no figure may beat. Order of records matters only where one replaces another (outcome, memory, end of a case).
    """
    if clock_step_ns is None:
        clock_step_ns = max((b.clock_step_ns for b in manifest.builds if b.clock_step_ns is not None), default=None)
    run = _Run(manifest, catalogue, clock_step_ns, models)
    passes: list[PassParts] = []
    for record in records:
        if isinstance(record, PassRecord):
            passes.append(parts(record, manifest.settings))
        else:
            run.add(record)
    # What counts is judged once everything is known: a better reading late in a run unmasks what came before.
    run.ipc_reference = (
        run_reference(passes, manifest.ipc_reference)
        if passes or not run.turns
        else turns_reference(run.turns, manifest.ipc_reference)
    )
    alone = {planned.case for planned in manifest.plan if planned.distribution}
    for one in passes:
        for row in pass_values(one, manifest.settings, run.ipc_reference, one.record.case in alone):
            run.by_case.setdefault(row.case, CaseValues()).add(row)
            run.tally.add(row)
    return run.summary()


@dataclass(frozen=True)
class _Aa:
    """The A/A lane of a case over its original, `estimate` None without common valid passes."""

    twin: str
    original: str
    estimate: Estimate | None

    @property
    def refusal(self) -> str:
        """Why the whole case gets no figure, or "": two lanes of the same code stand apart, so any two may."""
        e = self.estimate
        if e is None or e.low is None or e.high is None or (e.low <= AA_HIGH and e.high >= AA_LOW):
            return ""
        return f"the library against itself came out at {e.value:.3f} [{e.low:.3f}, {e.high:.3f}], outside of [{AA_LOW}, {AA_HIGH}]"


class _Run:
    def __init__(
        self, manifest: Manifest, catalogue: Catalogue | None, clock_step_ns: float | None, models: Iterable[Model]
    ) -> None:
        self.manifest = manifest
        self.catalogue = catalogue
        self.clock_step_ns = clock_step_ns
        self.models: dict[str, list[Model]] = {}
        for model in models:
            self.models.setdefault(model.operation, []).append(model)
        self.facts = CellRecords()
        self.noise_records: list[NoiseRecord] = []
        self.foreign: list[ForeignRecord] = []
        self.tally = NoiseTally()
        self.ipc_reference: float | None = None
        self.by_case: dict[str, CaseValues] = {}
        self.counts: dict[str, tuple[Count, ...]] = {}
        self.turns: list[TurnRecord] = []

    def add(self, record: SmallRecord) -> None:
        match record:
            case ProofRecord():
                self.facts.proofs.setdefault((record.operation, record.lane), []).append(record)
            case BreadthRecord():
                for one in record.lanes:
                    self.facts.breadth.setdefault((record.operation, one.lane), []).append(one)
            case OutcomeRecord():
                self.facts.add_outcome(record)
            case MemoryRecord():
                self.facts.memory[record.case, record.lane] = record
            case FirstCallRecord():
                self.facts.firsts[record.case, record.lane] = record
            case ProcessRecord():
                self.facts.processes.setdefault((record.case, record.lane), []).append(record)
            case CaseEndRecord():
                self.facts.ends[record.case] = record
            case NoiseRecord():
                self.noise_records.append(record)
            case FactsRecord():
                self.facts.told[record.case, record.lane] = record
            case ForeignRecord():  # no samples, so nothing to judge or rank: shown beside, as published
                self.foreign.append(record)
            case CountedTarget():
                self.facts.targets.append(record)
            case Count():
                self.facts.counts.append(record)
            case TurnRecord():
                self.turns.append(record)
            case BuildRecord():  # for who asks what ran in which part; a run never mixes two
                pass

    def summary(self) -> RunSummary:
        plan = self._plan()
        self.counts = counts_by_case(self.facts.counts, self.manifest.counting)
        aa = {planned.case: self._aa(planned) for planned in plan}
        estimates = [a.estimate for a in aa.values() if a is not None and a.estimate is not None]
        session = session_aa(estimates)
        noise = noise_summary(self.tally, estimates, self.noise_records, self.ipc_reference)
        no_cycles = cycles_refusal(noise.imul_ratio)
        cases: list[CaseSummary] = []
        by_operation: dict[str, list[SizedCase]] = {}
        for planned in plan:
            case, sized = self._case(planned, aa[planned.case], session, not no_cycles)
            if not self.manifest.settings.timed and not case.counts:
                continue  # planned for any library that has it, and none has
            cases.append(case)
            if sized is not None:
                by_operation.setdefault(case.operation, []).append(sized)
        lines, crossings = _over_sizes(by_operation)
        warnings = _warnings(cases, noise, no_cycles, self.manifest.spectrum, self.manifest.machine.own_cache_bytes)
        # The engine raises the manifest's reference to the session's best and says where it is from: only a stored one can see a run that was contended throughout.
        if noise.ipc_median is not None and self.manifest.ipc_reference_from in ("", REFERENCE_OF_RUN):
            warnings.append(
                "disturbed batches were found by this run alone: an even disturbance from beginning to end would not be noticed"
            )
        settings, quiet = self.manifest.settings, self.ipc_reference
        quiet = None if quiet is None else settings.clean_threshold * quiet
        figures = figures_of(self.manifest.instruments, self.turns, quiet, settings.target)
        word, reason = (
            figures_trust(self.manifest, figures)
            if self.manifest.instruments and not cases
            else trust(self.manifest, noise, cases, [self.by_case.get(c.case, CaseValues()) for c in cases])
        )
        return RunSummary(
            manifest=self.manifest,
            cases=tuple(cases),
            fits=tuple(lines),
            crossovers=tuple(crossings),
            noise=noise,
            trust=word,
            trust_reason=reason,
            warnings=tuple(warnings),
            foreign=tuple(self.foreign),
            empty_processes=empty_processes(self.manifest.builds, self.facts.processes),
            process_lines=process_lines(cases, self.facts.processes),
            counted=counted_targets(self.facts.targets, self.manifest.counting),
            figures=figures,
        )

    def _plan(self) -> list[PlannedCase]:
        """The plan with, for every case, all lanes that something names; cases that only passes name come last."""
        also = self.facts.lanes_with_outcome()
        named = {*self.by_case, *(one.case for one in self.facts.counts)}
        unplanned = sorted(named - {p.case for p in self.manifest.plan})
        plan = [*self.manifest.plan, *(PlannedCase(case, ()) for case in unplanned)]
        found = []
        for p in plan:
            seen = self.by_case[p.case].seen if p.case in self.by_case else ()
            lanes = lanes_of(p.lanes, also.get(p.case, ()), seen)
            found.append(PlannedCase(p.case, lanes, p.groups, p.distribution))
        return found

    def _aa(self, planned: PlannedCase) -> _Aa | None:
        names = twin_pair(planned.lanes)
        if names is None:
            return None
        values = self.by_case.get(planned.case, CaseValues())
        operation = Case.parse(planned.case).operation
        whole = all(cell_outcome(planned.case, operation, lane, self.facts, True)[0].timed for lane in names)
        return _Aa(*names, aa_estimate(values, planned.lanes) if whole else None)

    def _case(
        self, planned: PlannedCase, aa: _Aa | None, session: Estimate | None, with_cycles: bool
    ) -> tuple[CaseSummary, SizedCase | None]:
        case = Case.parse(planned.case)
        values = self.by_case.get(planned.case, CaseValues())
        own = aa.estimate if aa is not None else None
        d = threshold(own if own is not None and own.low is not None else session)
        pairs = Pairs(planned.case, values.passes_of, d, self.manifest.settings.target)
        verb = verb_named(case.verb)
        basis = CaseBasis(
            planned.case,
            case.operation,
            values,
            self.facts,
            # Of what is drawn two lanes of the same code may stand apart by luck: the margin of the verdicts grows by as much.
            refusal=aa.refusal if aa is not None and not planned.distribution else "",
            with_cycles=with_cycles,
            clock_step_ns=self.clock_step_ns,
            drawn=planned.distribution,
            sides=verb is not None and verb.aside,
        )
        cells = {lane: cell_summary(basis, lane) for lane in planned.lanes}
        cells = with_processes(refuse(cells, self.manifest, self.models, case), self.facts.processes)
        groups = ranking(pairs, tuple(cells.values()))
        end = self.facts.ends.get(planned.case)
        base = base_lane(self.manifest.settings.base, planned.lanes)
        operation = self.catalogue.known(case.operation) if self.catalogue is not None else None
        summary = CaseSummary(
            case=planned.case,
            operation=case.operation,
            title=operation.title if operation is not None else case.operation,
            family=operation.family if operation is not None else "",
            verb=case.verb,
            size_bytes=case.size_bytes,
            timed=operation.timed if operation is not None else "",
            groups=planned.groups,
            cells=tuple(cells.values()),
            ranking=groups,
            to_best=to_best(pairs, groups, tuple(cells.values())),
            to_base=to_base(pairs, values, base, cells, end.end if end is not None else None),
            aa=self._aa_summary(pairs, aa),
            threshold=d,
            end=end.end if end is not None else None,
            passes_tried=len(values.tried),
            passes_valid=len(values.valid),
            counts=self.counts.get(planned.case, ()),
        )
        sized = SizedCase(case.size_bytes, cells, values, pairs, groups) if case.size_bytes is not None else None
        return summary, sized

    def _aa_summary(self, pairs: Pairs, aa: _Aa | None) -> RatioSummary | None:
        """The A/A lane at a threshold of 1 %: the case's own threshold follows from it and could never be crossed."""
        if aa is None or aa.estimate is None:
            return None
        ratio = pairs.ratio(aa.twin, aa.original)
        found = verdict(aa.estimate, SMALLEST_THRESHOLD, self.manifest.settings.target)
        return RatioSummary(
            ratio.case, ratio.lane, ratio.base, found, aa.estimate, ratio.passes_used, SMALLEST_THRESHOLD, ratio.flags
        )


def _over_sizes(by_operation: dict[str, list[SizedCase]]) -> tuple[list[FitSummary], list[Crossover]]:
    lines: list[FitSummary] = []
    crossings: list[Crossover] = []
    for operation, sized in by_operation.items():
        sized.sort(key=lambda case: case.size_bytes)
        lines.extend(fits(operation, sized))
        crossings.extend(crossovers(operation, sized))
    return lines, crossings


def _warnings(
    cases: Sequence[CaseSummary],
    noise: NoiseSummary,
    no_cycles: str,
    spectrum: Spectrum | None,
    own_cache_bytes: int | None,
) -> list[str]:
    """What a reader must know before the figures: wrong results, missing cycles, refused figures, unseen contention."""
    found: list[str] = []
    wrong = [c for case in cases for c in case.cells if c.outcome is Outcome.WRONG and not c.lane.endswith("#2")]
    if wrong:
        lanes = ", ".join(sorted({c.lane for c in wrong}))
        found.append(f"{len(wrong)} cells gave a wrong result and are not ranked: {lanes}")
    beyond = implausible_lanes(c for case in cases for c in case.cells)
    if beyond:
        found.append(f"figures below what this machine's instructions allow are refused: {', '.join(beyond)}")
    deviating = {
        (c.lane, case.operation) for case in cases for c in case.cells if c.deviations and not c.lane.endswith("#2")
    }
    if deviating:
        lanes = ", ".join(sorted({lane for lane, _ in deviating}))
        found.append(f"{len(deviating)} operations are lax or strict, and ranked with a mark: {lanes}")
    timed = [case for case in cases if case.end is not CaseEnd.PROCESSES]
    refused = sum(bool(c.refused) and not c.lane.endswith("#2") for case in timed for c in case.cells)
    if refused:
        found.append(f"{refused} cells have no figure; each says why")
    if own_cache_bytes is not None and (sizes := _beyond(cases, own_cache_bytes)):
        found.append(
            f"messages of {format_size(sizes[0])} and more do not fit the core's own caches ({format_size(own_cache_bytes)}) together with what is made of them: "
            "what others do to the shared ones moves such figures by some percent, and the intervals do not know"
        )
    if noise.passes_tried and noise.ipc_median is None:
        found.append("no probe: a busy sibling thread would not be seen")
    if spectrum is not None and spectrum.missing:
        found.append(
            f"{len(spectrum.missing)} of {len(spectrum.missing) + len(spectrum.figures)} instruction kernels were never seen undisturbed: the roofline may lack a stronger tier"
        )
    if no_cycles and noise.passes_tried:
        found.append(no_cycles)
    return found


def _beyond(cases: Sequence[CaseSummary], own_cache_bytes: int) -> list[int]:
    """Sizes with figures whose messages and outputs need more than the core's own cache, ascending."""
    sizes = {Case.parse(case.case).size_bytes for case in cases if any(cell.ns is not None for cell in case.cells)}
    return sorted(size for size in sizes if size is not None and 2 * size > own_cache_bytes)
