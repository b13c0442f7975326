# SPDX-License-Identifier: Apache-2.0
"""The libraries of this machine, ready to be measured by the parts of the instrument that a run is made of."""

from __future__ import annotations

import os
import secrets
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path

import msgspec

from bench.result import tell
from cipherstone import METHOD_VERSION, __version__
from cipherstone.build.installed import find_installation
from cipherstone.build.toolchain import run_tool
from cipherstone.build.workers import C_STANDARD, CXX_STANDARD, Stamp, sdk_objects
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import Catalogue, load_catalogue
from cipherstone.catalogue.libraries import Library, load_libraries
from cipherstone.catalogue.vectors import Vector, load_vectors
from cipherstone.execute.run import choose_cpu
from cipherstone.execute.survey import Found, survey
from cipherstone.host.facts import allowed_cpus, machine_facts
from cipherstone.host.ipc import IpcReferences
from cipherstone.host.lock import MachineLock
from cipherstone.measure.plan import Plan
from cipherstone.measure.pool import Launch
from cipherstone.measure.proof import Capability, Expectations, ProvenCase, prove_case
from cipherstone.measure.session import Session
from cipherstone.measure.start import Start
from cipherstone.model.errors import CipherstoneError
from cipherstone.model.ids import DEFAULT_IMPLEMENTATION, Case, Lane, build_label
from cipherstone.model.records import BUNDLE_FORMAT, Manifest, PassRecord, PlannedCase, Record, Settings
from cipherstone.model.summary import CaseSummary, RatioSummary, RunSummary
from cipherstone.views.run.summarise import summarise
from cipherstone.worker import WorkerProcess

LOCK_WAIT_S = 300.0
Cases = Sequence[tuple[str, Sequence[Lane]]]  # case id and its lanes


class Measured(msgspec.Struct, frozen=True):
    """One run: what it says, how long it took from its first process to its last, and how much of it was inside batches."""

    summary: RunSummary
    wall_s: float
    timed_s: float

    def case(self, case_id: str) -> CaseSummary:
        """The case's summary. KeyError for one that was not planned."""
        return next(one for one in self.summary.cases if one.case == case_id)

    def over_base(self, case_id: str, lane: Lane) -> RatioSummary:
        """Cost of `lane` over the base library. Raises CipherstoneError where the run gave no such ratio."""
        for ratio in self.case(case_id).to_base:
            if ratio.lane == lane.id and ratio.ratio is not None:
                return ratio
        raise CipherstoneError(
            f"{case_id}: no ratio of {lane.id}", "is the machine contended? see `cipherstone doctor`"
        )


class Field:
    """Made by `open`. Libraries that are not here are absent from `builds`; sections that need them say so."""

    def __init__(
        self, workshop: Workshop, catalogue: Catalogue, libraries: Mapping[str, Library], cpu: int | None
    ) -> None:
        self.workshop = workshop
        self.catalogue = catalogue
        self.libraries = libraries
        self.cpu = cpu
        self.machine = machine_facts()
        self.found: dict[str, Found] = {}
        known = IpcReferences(workshop.cache / "ipc-reference.json").known(
            self.machine.cpu_model, self.machine.hypervisor
        )
        self.ipc_reference = known[0]
        self.vectors = lru_cache(maxsize=None)(self._vectors)
        self.expectations = Expectations()

    @staticmethod
    def open(workshop: Workshop, cpu: int | None) -> Field:
        """With every library that is installed here; workers are built if they are not in the cache."""
        catalogue = load_catalogue(workshop.root)
        libraries = load_libraries(workshop.root, catalogue)
        field = Field(workshop, catalogue, libraries, choose_cpu(cpu))
        for one in survey(workshop, libraries):
            if one.status == "ready":
                field.found[one.id] = one
        return field

    def _vectors(self, algorithm: str) -> tuple[Vector, ...]:
        return load_vectors(self.workshop.root, algorithm).vectors

    @contextmanager
    def using(self, library: str, build: str) -> Iterator[None]:
        """Within, `library` is that build of it. Raises CipherstoneError where it is not ready."""
        found = survey(self.workshop, {library: self.libraries[library]}, builds={build})
        if not found or found[0].status != "ready":
            problem = found[0].problem if found else "no such build"
            raise CipherstoneError(f"{build_label(library, build)}: {problem}", "")
        before = self.found.get(library)
        self.found[library] = found[0]
        try:
            yield
        finally:
            if before is None:
                del self.found[library]
            else:
                self.found[library] = before

    # -- lanes and plans -------------------------------------------------------------------------------------------------------

    def has(self, *libraries: str) -> bool:
        """Whether all of these are ready."""
        return all(name in self.found for name in libraries)

    def lane(self, library: str, implementation: str = DEFAULT_IMPLEMENTATION, *, twin: bool = False) -> Lane:
        """A lane of a library that is ready."""
        build = self.found[library].build
        assert build is not None
        return Lane(library, build.build, implementation, twin)

    def launch(self, lane: Lane) -> Launch:
        """How the lane's worker is started. A build named `VERSION+copyN` is one more process of VERSION."""
        launch = self.found[lane.library].launch
        assert launch is not None
        return launch

    def capability(self, operation: str, lane: Lane) -> Capability:
        """What the lane's library says of the operation."""
        return self.found[lane.library].offer(self.catalogue).capabilities[operation, lane.implementation]

    def offers(self, operation: str, library: str) -> list[str]:
        """Implementations of an operation that a library can run here."""
        if library not in self.found:
            return []
        return [impl for op, impl in self.found[library].offer(self.catalogue).capabilities if op == operation]

    def settings(self, **changes: object) -> Settings:
        """The defaults of a run, without memory, with a random seed; `changes` over them."""
        base = Settings(cpu=self.cpu, seed=secrets.randbits(32), base="openssl", memory=False)
        return msgspec.structs.replace(base, **changes)

    # -- measuring -------------------------------------------------------------------------------------------------------------

    def run(self, cases: Cases, settings: Settings) -> Measured:
        """A whole session: fresh processes each pass, proof, gate, stopping rule; summed up as `cipherstone run` does."""
        lanes = {lane.id: lane for _, chosen in cases for lane in chosen}
        plan = tuple(PlannedCase(case_id, tuple(lane.id for lane in chosen)) for case_id, chosen in cases)
        capabilities = {
            (Case.parse(c).operation, lane.id): self.capability(Case.parse(c).operation, lane)
            for c, chosen in cases
            for lane in chosen
        }
        session = Session(
            Plan(plan, lanes, capabilities),
            {lane.build_id: self.launch(lane) for lane in lanes.values()},
            self.vectors,
            settings,
            Start(self.ipc_reference),
        )
        with self.quiet():
            began = time.monotonic()
            records: list[Record] = list(session.run())
            wall_s = time.monotonic() - began
        self.ipc_reference = session.ipc_reference
        manifest = Manifest(
            format=BUNDLE_FORMAT,
            method=METHOD_VERSION,
            tool_version=__version__,
            run_id="selfcheck",
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            command="selfcheck",
            suite="selfcheck",
            status="finished",
            settings=settings,
            machine=self.machine,
            builds=(),
            plan=plan,
            ipc_reference=session.ipc_reference,
            ipc_reference_from="selfcheck",
            wall_s=wall_s,
        )
        timed_s = sum(record.timed_s for record in records if isinstance(record, PassRecord))
        return Measured(summarise(manifest, records, self.catalogue), wall_s, timed_s)

    def proven(self, worker: WorkerProcess, number: int, case: Case, lane: Lane) -> ProvenCase:
        """The case prepared and proven in a worker. CipherstoneError if its output is wrong."""
        capability = self.capability(case.operation, lane)
        proven = prove_case(worker, number, case, capability, self.expectations.of(case, capability.form))
        if isinstance(proven, str):
            raise CipherstoneError(f"{lane.id}: {case.id}: {proven}", "see `cipherstone check`")
        return proven

    @contextmanager
    def quiet(self) -> Iterator[None]:
        """No other run measures on this machine, and this process stays off the measuring CPU."""
        others = {cpu for cpu in allowed_cpus() if cpu != self.cpu}
        before = set(allowed_cpus())
        with ExitStack() as stack:
            stack.enter_context(machine_lock())
            try:
                if others:
                    os.sched_setaffinity(0, others)
                yield
            finally:
                if before:
                    os.sched_setaffinity(0, before)

    # -- programs of the self-check ----------------------------------------------------------------------------------------------

    def program(self, name: str, library: str | None = None) -> Path:
        """`bench/c/NAME.c` or `.cpp` compiled as adapters are, linked to `library`. BuildError with the compiler's words."""
        return self._compile(name, library, [], [])

    def worker_program(self, name: str, library: str, *defines: str) -> Path:
        """`bench/c/NAME.c`, which includes the adapter's first file, as a worker: with the SDK and the adapter's other files. `defines`: `NAME=VALUE` for the preprocessor."""
        root, described = self.workshop.root, self.libraries[library]
        objects = sdk_objects(self.workshop.toolchain, root, self.workshop.cache, Stamp("-O2 -g0"))
        includes = ["-I", str(root / "sdk/c/include")]
        includes += [word for folder in described.code_folders for word in ("-I", str(folder))]
        others = [str(described.path_of(source)) for source in described.sources[1:]]
        return self._compile(
            name, library, [*others, *map(str, objects)], [*includes, *(f"-D{one}" for one in defines)]
        )

    def _compile(self, name: str, library: str | None, objects: list[str], includes: list[str]) -> Path:
        cflags: Sequence[str] = ()
        libs: Sequence[str] = ()
        if library is not None:
            installation = find_installation(self.libraries[library], self.workshop.toolchain, self.workshop.system)
            cflags, libs = installation.cflags, installation.libs
        target = scratch_folder() / "-".join([name, *(word[2:] for word in includes if word.startswith("-D"))])
        source = next((self.workshop.root / "bench/c").glob(f"{name}.c*"))
        cxx = source.suffix == ".cpp"
        standard = CXX_STANDARD if cxx else C_STANDARD
        flags = [*standard, "-O2", "-g0", "-Wall", "-Wextra", "-Wshadow"]
        command = [
            self.workshop.toolchain.cxx if cxx else self.workshop.toolchain.cc,
            *flags,
            *includes,
            *cflags,
            str(source),
            *objects,
            "-o",
            str(target),
            *libs,
            "-lpthread",
        ]
        run_tool(command, f"self-check: compiling {source.name}")
        return target

    def adopt(self, path: Path) -> str:
        """Takes in a worker made elsewhere; its library id."""
        one = survey(self.workshop, {}, [path])[0]
        if one.status != "ready":
            raise CipherstoneError(f"{path.name}: {one.problem}", one.output)
        self.found[one.id] = one
        return one.id


def machine_lock() -> MachineLock:
    """The lock of the machine, not yet entered, once nobody else holds it; waits for another run up to five minutes."""
    deadline, told = time.monotonic() + LOCK_WAIT_S, ""
    while True:
        try:
            with MachineLock():
                return MachineLock()
        except CipherstoneError as error:
            if time.monotonic() > deadline:
                raise
            if error.message != told:
                tell(f"  waiting: {error.message}")
            told = error.message
            time.sleep(2.0)


_FOLDERS: list[tempfile.TemporaryDirectory[str]] = []


def scratch_folder() -> Path:
    """A folder that goes with this process."""
    if not _FOLDERS:
        _FOLDERS.append(tempfile.TemporaryDirectory(prefix="cipherstone-selfcheck-"))
    return Path(_FOLDERS[0].name)
