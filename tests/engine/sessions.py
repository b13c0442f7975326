# SPDX-License-Identifier: Apache-2.0
"""The measuring of a run in the process of the test, with scripted workers: what `cipherstone run` does between its plan and its bundle."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
from scripts import HASH, MAC, ROOT, cost, write_worker

from cipherstone.catalogue.vectors import load_vectors
from cipherstone.measure.plan import Plan
from cipherstone.measure.pool import Launch
from cipherstone.measure.progress import Progress
from cipherstone.measure.proof import Capability
from cipherstone.measure.session import Session
from cipherstone.measure.start import Start
from cipherstone.model.ids import Lane
from cipherstone.model.records import PlannedCase, Record, Settings

A, B, TWIN = Lane("alpha", "1.0", "default"), Lane("beta", "1.0", "default"), Lane("alpha", "1.0", "default", twin=True)
LANES = {lane.id: lane for lane in (A, B, TWIN)}
HASHING, MACCING = f"{HASH}/bytes=16384", f"{MAC}/bytes=16384"
SETTINGS = Settings(min_passes=6, max_passes=6, seed=7, base="alpha", spectrum=False, memory=False)
# As few passes as give an end; there is no interval yet.
SHORT = msgspec.structs.replace(SETTINGS, min_passes=2, max_passes=2)
IPC = 8.0  # of the scripted workers' readings


class Ran:
    """A session over two scripted builds, and what it told."""

    def __init__(
        self,
        folder: Path,
        alpha: dict[str, Any] | None = None,
        beta: dict[str, Any] | None = None,
        cases: Iterable[str] = (HASHING,),
        settings: Settings = SETTINGS,
        lanes: Iterable[Lane] = (A, B, TWIN),
        patience: float = 1.0,
        processes_only: Iterable[str] = (),
        **more: Any,
    ) -> None:
        """`alpha`, `beta`: what the scripts of both say beside their costs. `more`: fields of `Start`."""
        costs = {HASH: cost(1000), MAC: cost(3000)}
        self.alpha = write_worker(folder, "alpha", costs, **alpha or {})
        self.beta = write_worker(folder, "beta", costs, **beta or {})
        self.told: list[Progress] = []
        by_id = {lane.id: lane for lane in lanes}
        workers = {A.build_id: self.alpha, B.build_id: self.beta}
        used = dict.fromkeys(lane.build_id for lane in by_id.values())
        plan = Plan(
            tuple(PlannedCase(case, tuple(by_id), processes_only=case in processes_only) for case in cases),
            by_id,
            {(op, lane): Capability(op, "default") for op in (HASH, MAC) for lane in by_id},
        )
        self.session = Session(
            plan,
            {build: Launch((str(workers[build]),), patience=patience) for build in used},
            lambda algorithm: load_vectors(ROOT, algorithm).vectors,
            settings,
            Start(**{"ipc_reference": IPC, **more}),
            self.told.append,
        )
        self.records: list[Record] = []

    def all(self) -> Ran:
        self.records = list(self.session.run())
        return self

    def of(self, kind: type[Record]) -> list[Any]:
        return [record for record in self.records if isinstance(record, kind)]
