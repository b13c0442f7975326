# SPDX-License-Identifier: Apache-2.0
"""The laboratory's worker, built and run: its loops by disassembly, its kernels against the interpreter, what a processor lacks, wrong tables, wrong code."""

from __future__ import annotations

import platform
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from scripts import ROOT, skip_or_fail

from cipherstone.build.disassembly import check_kernels, compare_loops, disassembled_loops, find_objdump
from cipherstone.build.installed import find_installation
from cipherstone.build.systems import this_system
from cipherstone.build.toolchain import find_toolchain
from cipherstone.build.workers import C_STANDARD, WARNINGS, WorkerExecutable, WorkerJob, build_worker
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.libraries import Library, load_library
from cipherstone.execute import spectrum as spectrum_module
from cipherstone.execute.check import check_everything
from cipherstone.execute.spectrum import SETTINGS, measure_spectrum
from cipherstone.execute.survey import survey
from cipherstone.isa.sources import generated_sources, programs
from cipherstone.isa.table import FOLDER, load_table
from cipherstone.labs.instructions.emulated import CROSS, known_isa, prove_foreign, why_not_timed
from cipherstone.model.errors import BuildError, UsageError
from cipherstone.model.outcomes import Outcome
from cipherstone.operations.kernel_proof import kernel_vectors
from cipherstone.operations.kernels import kernel_catalogue, kernel_suite, native_isa
from cipherstone.protocol.messages import Refusal
from cipherstone.worker import WorkerProcess

TOOLCHAIN = find_toolchain()
ISA = native_isa()
pytestmark = pytest.mark.skipif(ISA is None, reason=f"no kernels for {platform.machine()}")


def laboratory(root: Path) -> Library:
    return load_library(root / "labs/instructions", kernel_catalogue(root))


def built(root: Path, cache: Path) -> WorkerExecutable:
    library = laboratory(root)
    installation = find_installation(library, TOOLCHAIN, this_system(), library.builds[0])
    return build_worker(WorkerJob(library, installation, TOOLCHAIN, root, cache, library.builds[0]))


@pytest.fixture(scope="module")
def worker(worker_cache: Path) -> WorkerExecutable:
    return built(ROOT, worker_cache)


@pytest.fixture(scope="module")
def wrong_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout in which two rows differ: SUB for ADD, and a rotation too far in a mixture."""
    root = tmp_path_factory.mktemp("wrong")
    shutil.copytree(ROOT / "labs/instructions", root / "labs/instructions")
    (root / "sdk").symlink_to(ROOT / "sdk")
    if ISA == "x86-64":
        replace(root, "x86-64-scalar.toml", 'code = "imul {d}, {s}", cycles', 'code = "adc {d}, {s}", cycles')
        replace(root, "x86-64-scalar.toml", 'code = "rorx {d}, {d}, 19", cycles', 'code = "rorx {d}, {d}, 18", cycles')
    else:
        replace(root, "aarch64.toml", 'code = "madd {d}, {s}, {t}, {d}", cycles', 'code = "adc {d}, {s}, {t}", cycles')
        replace(root, "aarch64.toml", 'code = "ror {d}, {d}, #19", cycles', 'code = "ror {d}, {d}, #18", cycles')
    return root


def replace(root: Path, file: str, old: str, new: str) -> None:
    path = root / FOLDER / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def needs_objdump() -> str:
    objdump = find_objdump(TOOLCHAIN.cc)
    if objdump is None:
        pytest.skip("no objdump")
    return objdump


def test_every_loop_is_what_the_table_tells(worker: WorkerExecutable) -> None:
    needs_objdump()
    assert ISA is not None
    said = check_kernels(worker.path, ROOT, ISA, TOOLCHAIN.cc)
    assert said == f"{len(programs(ROOT, ISA))} loops checked by disassembly"


def test_a_worker_that_does_not_belong_to_the_table_is_refused(worker: WorkerExecutable, wrong_root: Path) -> None:
    """The table of the wrong checkout has another instruction in one kernel."""
    needs_objdump()
    assert ISA is not None
    with pytest.raises(BuildError) as failure:
        check_kernels(worker.path, wrong_root, ISA, TOOLCHAIN.cc)
    name = "imul" if ISA == "x86-64" else "madd"
    assert f"{ISA}.{name}/latency" in failure.value.message and "\n" not in failure.value.message
    assert f"{name} too many" in failure.value.message and "adc missing" in failure.value.message


def test_one_instruction_more_or_a_missing_loop_is_seen(worker: WorkerExecutable) -> None:
    objdump = needs_objdump()
    assert ISA is not None
    chosen = programs(ROOT, ISA)
    loops = disassembled_loops(worker.path, objdump, ISA)
    compare_loops(chosen, loops)
    with pytest.raises(BuildError, match="1 nop too many"):
        compare_loops(chosen, loops | {chosen[3].symbol: loops[chosen[3].symbol] + Counter(["nop"])})
    del loops[chosen[5].symbol]
    with pytest.raises(BuildError, match=r"no loop called .*stripped|no loop called"):
        compare_loops(chosen, loops)


def test_without_a_disassembler_the_note_says_so(worker: WorkerExecutable) -> None:
    assert ISA is not None
    assert (
        check_kernels(worker.path, ROOT, ISA, "no-such-compiler")
        == "kernels not checked by disassembly: no objdump here"
    )


def test_every_kernel_leaves_what_the_interpreter_says(worker_cache: Path) -> None:
    """Two short known answers and the state after a whole call, for all that this processor has."""
    workshop = Workshop(ROOT, worker_cache, TOOLCHAIN, this_system())
    found = survey(workshop, {"instructions": laboratory(ROOT)})
    assert [one.status for one in found] == ["ready"], found[0].problem
    records = list(check_everything(found, kernel_catalogue(ROOT, ISA), kernel_vectors))
    assert {record.operation: record.failures for record in records if record.outcome is not Outcome.OK} == {}
    assert all(record.accepted >= 2 and record.oracle == 1 for record in records)
    published = [record for record in records if any("FIPS" in source for source in record.sources)]
    assert published or ISA != "x86-64"
    operations = kernel_catalogue(ROOT, ISA).operations
    assert {record.operation for record in records} == set(operations)  # the chains run even where the kernel cannot
    kernels = {record.operation for record in records if record.lane.endswith(":kernel")}
    refused = {row.op for row in found[0].listed if row.impl == "kernel" and row.status != "ok"}
    assert kernels | refused == set(operations) and not kernels & refused


def test_wrong_code_is_found_by_the_proof(wrong_root: Path, worker_cache: Path) -> None:
    """Two kernels of this worker were assembled from other rows than the interpreter reads."""
    path = built(wrong_root, worker_cache).path
    found = survey(Workshop(ROOT, worker_cache, TOOLCHAIN, this_system()), {}, [path])
    records = check_everything(found, kernel_catalogue(ROOT, ISA), kernel_vectors)
    wrong = {(r.operation, r.lane.partition(":")[2]) for r in records if r.outcome is Outcome.WRONG}
    names = ("imul", "rorx") if ISA == "x86-64" else ("madd", "ror")
    assert wrong == {(f"{ISA}.{name}/latency", "kernel") for name in names}


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({"msg": "hex:00"}, "not as long as the state"),
        ({"msg": "gen:1:16", "key": "hex:01"}, "turns in two bytes"),
        ({"msg": "gen:1:16", "key": "hex:0000"}, "more turns than a call has, or none"),
        ({"msg": "gen:1:16", "key": "hex:ffff"}, "more turns than a call has, or none"),
    ],
)
def test_a_state_that_does_not_fit_is_refused(worker: WorkerExecutable, inputs: dict[str, str], said: str) -> None:
    with WorkerProcess((str(worker.path),)) as process:
        process.hello()
        with pytest.raises(Refusal) as refusal:
            process.prepare(0, f"{ISA}.add/latency", "kernel", inputs)
        assert refusal.value.code == "setup-failed" and said in refusal.value.detail


def test_what_a_processor_lacks_is_unavailable_and_says_why(worker: WorkerExecutable) -> None:
    """An emulated processor of 2008: it has none of what the kernels of today ask for."""
    emulator = shutil.which("qemu-x86_64")
    if ISA != "x86-64" or emulator is None:
        pytest.skip("no qemu-x86_64, or another machine")
    with WorkerProcess((emulator, "-cpu", "Nehalem", str(worker.path)), patience=10.0) as process:
        process.hello()
        rows = {(row.op, row.impl): row for row in process.operations()}
    table = load_table(ROOT, "x86-64")
    for kernel, verb in table.operations:
        row = rows[f"{kernel.algorithm}/{verb}", "kernel"]
        old = set(kernel.features) <= {"ssse3"}
        assert (row.status == "ok") == old, (row, kernel.features)
        assert old or any(f"the processor has no {feature}" == row.reason for feature in kernel.features), row
        assert rows[f"{kernel.algorithm}/{verb}", "add-chain"].status == "ok"


def test_the_adapter_and_its_table_compile_without_a_warning(tmp_path: Path) -> None:
    assert ISA is not None
    for name, text in generated_sources(ROOT, ISA).items():
        (tmp_path / name).write_text(text)
    folder = ROOT / "labs/instructions"
    flags = [*WARNINGS, "-Wpedantic", "-Wstrict-prototypes", "-Wmissing-prototypes", "-Werror", "-fsyntax-only"]
    includes = ["-I", str(ROOT / "sdk/c/include"), "-I", str(folder), '-DCS_PACKAGE_VERSION="1.0"']
    compilers = [name for name in ("gcc", "clang") if shutil.which(name)]
    assert compilers
    for compiler in compilers:
        for source in (folder / "adapter.c", folder / "features.c", tmp_path / "kernels_table.c"):
            command = [compiler, *C_STANDARD, *flags, *includes, str(source)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.stderr == ""


def test_the_spectrum_has_a_figure_or_a_reason_for_every_kernel(
    worker_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a machine as busy as one that runs tests can tell, with every batch taken for undisturbed; the figures themselves are no matter of a test."""
    assert ISA is not None
    monkeypatch.setattr(spectrum_module, "SETTINGS", msgspec.structs.replace(SETTINGS, clean_threshold=0.01))
    spectrum = measure_spectrum(Workshop(ROOT, worker_cache, TOOLCHAIN, this_system()))
    assert spectrum.isa == ISA and spectrum.agreement is not None
    assert (spectrum.figures == ()) == bool(spectrum.refused)
    due = {case.id for case in kernel_suite(ROOT, ISA, spectrum=True).cases}
    names = [figure.kernel for figure in spectrum.figures]
    assert len(names) == len(set(names)) and set(names) | set(spectrum.unavailable) <= due
    for figure in spectrum.figures:
        assert figure.low is not None and figure.high is not None
        assert 0 < figure.low <= figure.cycles <= figure.high


def test_a_machine_that_is_never_free_has_no_spectrum_and_a_reason(
    worker_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No core reads as much as the reference that is given here: every batch is taken for disturbed, and the bound ends it."""
    monkeypatch.setattr(spectrum_module, "SETTINGS", msgspec.structs.replace(SETTINGS, max_time_s=1.0))
    spectrum = measure_spectrum(Workshop(ROOT, worker_cache, TOOLCHAIN, this_system()), reference=20.0)
    assert spectrum.figures == () and spectrum.agreement is None and spectrum.ghz is None
    assert spectrum.refused.startswith("no cycles: ") and "\n" not in spectrum.refused


def test_a_spectrum_without_a_compiler_says_why(worker_cache: Path, tmp_path: Path) -> None:
    spectrum = measure_spectrum(Workshop(ROOT, tmp_path, find_toolchain("no-such-compiler"), this_system()))
    assert spectrum.figures == () and "not ready" in spectrum.refused and "no-such-compiler" in spectrum.refused
    assert "\n" not in spectrum.refused


def test_kernels_of_aarch64_are_proven_here(worker_cache: Path) -> None:
    if ISA != "aarch64" and not all(
        shutil.which(name) for name in (CROSS["aarch64"].compiler, CROSS["aarch64"].emulator)
    ):
        skip_or_fail("no cross compiler, or no emulator, for AArch64")
    told: list[str] = []
    records = prove_foreign(Workshop(ROOT, worker_cache, TOOLCHAIN, this_system()), "aarch64", told.append)
    assert {record.operation: record.failures for record in records if record.failures} == {}
    assert len(records) == 3 * len(kernel_catalogue(ROOT, "aarch64").operations)
    assert any("loops checked by disassembly" in line for line in told)


def test_foreign_kernels_are_refused_in_one_line(monkeypatch: pytest.MonkeyPatch, worker_cache: Path) -> None:
    foreign = known_isa("aarch64" if ISA == "x86-64" else "x86-64")
    assert why_not_timed(foreign).startswith(f"{foreign}: not timed") and "\n" not in why_not_timed(foreign)
    assert ISA is not None and why_not_timed(ISA) == ""
    with pytest.raises(UsageError) as failure:
        known_isa("riscv64")
    assert "riscv64" in failure.value.message
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(BuildError) as broken:
        prove_foreign(Workshop(ROOT, worker_cache, TOOLCHAIN, this_system()), foreign)
    assert CROSS[foreign].compiler in broken.value.message and "apt-get install" in broken.value.hint
