# SPDX-License-Identifier: Apache-2.0
"""What workers tell of a cell beyond time and memory: asked after the timing, in one process a build."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from pathlib import Path

from cipherstone.measure.pool import Launch
from cipherstone.measure.proof import Capability, case_texts
from cipherstone.model.errors import WorkerError
from cipherstone.model.ids import Case, Lane
from cipherstone.model.records import FactsRecord
from cipherstone.operations.inputs import timed_inputs
from cipherstone.protocol.messages import Refusal
from cipherstone.worker import WorkerProcess

Cell = tuple[Case, Lane, Capability]
NUMBER = 0  # the case number that is prepared and asked, again and again


def tell_facts(
    cells: Sequence[Cell], launches: Mapping[str, Launch], preload: Path | None = None
) -> Iterator[FactsRecord]:
    """`preload`: the counter of heap bytes, for facts of memory that is kept. One record for each cell that has facts, build by build; `cells`: those whose worker lists facts. A cell whose worker breaks or refuses here gives none: its timing stands without them."""
    by_build: dict[str, list[Cell]] = {}
    for cell in cells:
        by_build.setdefault(cell[1].build_id, []).append(cell)
    for build_id, mine in by_build.items():
        left, before = mine, len(mine) + 1
        while 0 < len(left) < before:  # a worker that breaks over a cell is started again for the cells behind it
            before = len(left)
            left = yield from _one_process(launches[build_id], left, preload)


def _one_process(
    launch: Launch, cells: Sequence[Cell], preload: Path | None
) -> Generator[FactsRecord, None, list[Cell]]:
    """Yields records; returns the cells that are still to be asked."""
    left = list(cells)
    try:
        with launch.start(preload=preload) as worker:
            launch.need_same_code(worker, preload)
            while left:
                case, lane, capability = left.pop(0)
                facts = _ask(worker, case, capability)
                if facts:
                    yield FactsRecord(case.id, lane.id, facts)
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
