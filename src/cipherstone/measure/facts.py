# SPDX-License-Identifier: Apache-2.0
"""What workers tell of a cell beyond time and memory: counted after the timing, in processes side by side."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Event

import msgspec

from cipherstone.measure.parallel import Cpus, each
from cipherstone.measure.pool import Launch
from cipherstone.measure.proof import Capability, case_texts
from cipherstone.model.errors import WorkerError
from cipherstone.model.ids import Case, Lane
from cipherstone.model.records import FactsRecord
from cipherstone.operations.inputs import timed_inputs
from cipherstone.protocol.messages import Refusal
from cipherstone.worker import WorkerProcess

Cell = tuple[Case, Lane, Capability]
TOGETHER = 8  # cells of one process at most: of a build with many, several processes ask at a time
NUMBER = 0  # the case number that is prepared and asked, again and again


def needed(cells: Sequence[Cell], told: Collection[tuple[str, str]], same: Callable[[str], str]) -> list[Cell]:
    """The cells to ask. Skips a cell whose facts another verb (`same`: its name, or "") already reports for this lane and these parameters, among `cells` or among what is `told` (case, lane)."""
    known = {(case.id, lane.id) for case, lane, _ in cells} | set(told)

    def elsewhere(case: Case, lane: Lane) -> bool:
        other = same(case.verb)
        return bool(other) and (msgspec.structs.replace(case, verb=other).id, lane.id) in known

    return [cell for cell in cells if not elsewhere(cell[0], cell[1])]


def tell_facts(
    cells: Sequence[Cell], launches: Mapping[str, Launch], preload: Path | None = None, cpus: Cpus = (None,)
) -> Iterator[FactsRecord]:
    """`preload`: the counter of heap bytes, for facts of memory that is kept. `cpus`: a process on each at a time. One record for each cell that has facts, build by build; `cells`: those whose worker lists facts. A cell whose worker breaks or refuses here gives none: its timing stands without them."""
    by_build: dict[str, list[Cell]] = {}
    for cell in cells:
        by_build.setdefault(cell[1].build_id, []).append(cell)
    parts = [mine[at : at + TOGETHER] for mine in by_build.values() for at in range(0, len(mine), TOGETHER)]
    stop = Event()

    def told(part: Sequence[Cell], cpu: int | None) -> list[FactsRecord]:
        records: list[FactsRecord] = []
        left, before = list(part), len(part) + 1
        while 0 < len(left) < before and not stop.is_set():
            before = len(left)  # a worker that breaks over a cell is started again for the cells behind it
            left = _one_process(launches[part[0][1].build_id], left, preload, cpu, records)
        return records

    for records in each(told, parts, cpus, stop):
        yield from records


def _one_process(
    launch: Launch, cells: Sequence[Cell], preload: Path | None, cpu: int | None, records: list[FactsRecord]
) -> list[Cell]:
    """Adds to the records; the cells that are still to be asked."""
    left = list(cells)
    try:
        with launch.start(cpu, preload) as worker:
            launch.need_same_code(worker, preload)
            while left:
                case, lane, capability = left.pop(0)
                facts = _ask(worker, case, capability)
                if facts:
                    records.append(FactsRecord(case.id, lane.id, facts))
    except WorkerError:
        pass
    return left


def _ask(worker: WorkerProcess, case: Case, capability: Capability) -> dict[str, int | str]:
    inputs = timed_inputs(case, capability.form)
    try:
        texts = {name: value.protocol_text() for name, value in inputs.items()}
        texts |= case_texts(case, {name: value.data for name, value in inputs.items()})
        worker.prepare(NUMBER, case.listed, capability.implementation, texts)
        return worker.facts(NUMBER)
    except Refusal:
        return {}
