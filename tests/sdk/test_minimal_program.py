# SPDX-License-Identifier: Apache-2.0
"""The minimal program (`sdk/c/minimal`) around the toy: the right row, inputs, outputs before and after, calls in turn; and that it holds nothing of what times in a worker."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from sdk_build import COMPILER, INCLUDES, SDK, compile_c

from cipherstone.measure.minimal import read_repetitions

SOURCE = SDK / "minimal" / "minimal.c"
# KiB that a program has had, from a small process: one that is forked has as much as its parent at first.
LARGEST = (
    "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True);"
    "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
)
FNV = 0xCBF29CE484222325


def sum_of(*parts: bytes) -> str:
    value = FNV
    for byte in b"".join(parts):
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{value:016x}"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("minimal") / "loop-toy"
    compile_c(COMPILER, "-D_GNU_SOURCE", *INCLUDES, "-c", str(SOURCE), "-o", f"{target}.o")
    sources = [str(SDK / "tests" / "toy_adapter.c"), str(SDK / "src" / "encoding.c"), f"{target}.o"]
    compile_c(COMPILER, "-D_GNU_SOURCE", *INCLUDES, *sources, "-o", str(target))
    return target


def run(program: Path, folder: Path, row: str, cases: Sequence[dict[str, bytes]], *more: str, repeats: int = 3, heap: str = "0") -> subprocess.CompletedProcess[str]:  # fmt: skip
    job = b"".join(f"{line}\n".encode() for line in (f"op {row}", *more))
    for inputs in cases:
        job += b"case\n" + b"".join(
            f"input {name} {len(data)}\n".encode() + data + b"\n" for name, data in inputs.items()
        )
    (folder / "job").write_bytes(job)
    words = [str(program), str(folder / "job"), "1000", "50", str(repeats), heap]
    return subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)


def outputs(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert done.returncode == 0, done.stderr
    return re.findall(r"^output (.*)$", done.stdout, re.MULTILINE)


def test_outputs_and_repetitions(program: Path, tmp_path: Path) -> None:
    done = run(program, tmp_path, "toy-sum/hash default", [{"msg": b"abc\n\0 input msg 3\n"}])
    assert outputs(done) == [f"0 {sum_of(bytes('abc', 'ascii'), bytes([10, 0]), b' input msg 3', bytes([10]))}"] * 2
    taken = read_repetitions(done.stdout.replace("output", "ignored"), [], "toy")
    assert len(taken.wall_ns) == 3 and len(taken.chain_ns) == len(taken.wide_ns) == 4 and taken.calls > 1
    assert min(taken.wall_ns) > 0 and min(taken.chain_ns) > 0 and taken.empty_ns > 0


def test_a_used_heap_moves_what_is_allocated_and_no_output(program: Path, tmp_path: Path) -> None:
    """Seen from outside: the process has had far more memory."""
    cases = [{"msg": b"abc"}]
    said = outputs(run(program, tmp_path, "toy-sum/hash default", cases))
    assert outputs(run(program, tmp_path, "toy-sum/hash default", cases, heap="7")) == said
    grown = []
    for heap in ("0", "15"):
        words = [str(program), str(tmp_path / "job"), "1000", "50", "3", heap]
        grown.append(int(subprocess.check_output([sys.executable, "-c", LARGEST, *words], text=True, timeout=120)))
    assert grown[1] > grown[0] + 1024


def test_a_library_is_settled_as_in_a_worker(program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row, cases = "toy-once/hash default", [{"msg": b"abc"}]
    assert outputs(run(program, tmp_path, row, cases)) == [f"0 {sum_of(b'abc')}"] * 2
    monkeypatch.setenv("TOY_UNSETTLED", "1")
    done = run(program, tmp_path, row, cases)
    assert (done.returncode, done.stderr) == (1, "settle: told not to settle\n")


def test_other_work_is_done_once_before_and_shows_nowhere(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its parameters and inputs are its own; a step that a process takes once is not taken again."""
    said = outputs(run(program, tmp_path, "toy-sum/hash default", [{"msg": b"abc"}]))
    job = (tmp_path / "job").read_bytes()
    other = b"once toy-cut/hash default\nparam mode copy\ncase\ninput msg 16\nabcdefghijklmnop\ncase\ninput msg 2\nxy\nend\n"
    once = b"once toy-once/hash default\ncase\ninput msg 1\nz\nend\n"
    (tmp_path / "job").write_bytes(other + once + once + job)
    words = [str(program), str(tmp_path / "job"), "1000", "50", "3"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert outputs(done) == said and done.stdout.count("calls") == 1
    monkeypatch.setenv("TOY_UNSETTLED", "1")
    failed = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert (failed.returncode, failed.stderr) == (1, "settle: told not to settle\n")


def test_cases_take_calls_in_turn(program: Path, tmp_path: Path) -> None:
    """Every member has its own output, before and after."""
    cases = [{"msg": bytes([number])} for number in range(5)]
    due = [f"0 {sum_of(one['msg'])}" for one in cases]
    assert outputs(run(program, tmp_path, "toy-sum/hash default", cases)) == 2 * due


def test_an_empty_input_is_there_and_a_missing_one_is_not(program: Path, tmp_path: Path) -> None:
    assert outputs(run(program, tmp_path, "toy-sum/hash default", [{"msg": b""}])) == [f"0 {sum_of()}"] * 2


def test_parameters_choose_the_row(program: Path, tmp_path: Path) -> None:
    copied = run(program, tmp_path, "toy-cut/hash default", [{"msg": b"abcdefghijklmnop"}], "param mode copy")
    assert outputs(copied) == ["0 " + b"abcdefghijklmnop".hex()] * 2
    refused = run(program, tmp_path, "toy-cut/hash default", [{"msg": b"abc"}], "param mode other")
    assert refused.returncode != 0 and "no such row: toy-cut/hash" in refused.stderr


def test_what_is_encoded_in_the_end_is(program: Path, tmp_path: Path) -> None:
    assert outputs(run(program, tmp_path, "toy-late/hash default", [{"msg": b"abc"}])) == [f"0 {sum_of(b'abc')}"] * 2
    stood = outputs(run(program, tmp_path, "toy-late/hash idle", [{"msg": b"abc"}]))
    assert stood[0] == f"0 {sum_of(b'abc')}" != stood[1]  # spoilt, and never computed again


def test_a_call_that_fails_ends_it(program: Path, tmp_path: Path) -> None:
    done = run(program, tmp_path, "toy-failing/hash default", [{"msg": b"abc"}])
    assert (
        done.returncode == 1 and re.match(r"output [1-9]", done.stdout) and "rep " not in done.stdout.split("rep 0")[0]
    )
    assert run(program, tmp_path, "toy-refused/hash default", [{"msg": b"a"}]).returncode == 1
    assert run(program, tmp_path, "toy-sum/hash default", []).returncode == 1


@pytest.mark.skipif(shutil.which("nm") is None, reason="needs nm")
def test_nothing_of_the_workers_timing_is_in_it(program: Path) -> None:
    names = set(subprocess.run(["nm", str(program)], capture_output=True, text=True, check=True).stdout.split())
    assert "cs_worker_main" in names and "cs_fail" in names
    for other in ("loop", "cases", "inputs", "run", "probe", "channel", "clock"):
        text = (SDK / "src" / f"{other}.c").read_text()
        defined = set(re.findall(r"^(?:[a-zA-Z_][\w *]*?)\b(cs_\w+)\(", text, re.MULTILINE))
        own = {"cs_fail", "cs_alloc", "cs_free", "cs_memory_there", "cs_setup_again", "cs_key_in_call"}
        assert not (defined - own) & names, other
    own_headers = {path.name for path in SOURCE.parent.glob("*.h")}
    assert own_headers == {"asked.h", "used_heap.h"}
    for path in sorted(SOURCE.parent.iterdir()):
        included = re.findall(r'#include "(.*)"', path.read_text())
        assert {*included} <= own_headers | {"../include/cipherstone.h"}, path.name
