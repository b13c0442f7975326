# SPDX-License-Identifier: Apache-2.0
"""All targets: those in Python (`targets.py`, by atheris) and those in C (`c/`, by clang's libFuzzer with its sanitizers). As a program (`make fuzz`) it prints inputs and findings of each.

python tests/fuzz/campaign.py [--inputs N] [--seed N] [--jobs N] [TARGET ...]
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SDK = ROOT / "sdk" / "c"
SEEDS = HERE / "seeds"
FOLDER = ROOT / "build" / "fuzz"
COMPILERS = ("clang-14", "clang", "clang-16")
FLAGS = "-std=gnu11 -g -O1 -Wall -Wextra -Werror -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all".split()
# By target: what of the SDK it brings itself.
C_TARGETS = {"c-request": (), "c-channel": ("channel.c",), "c-worker": ("channel.c", "worker.c")}
PYTHON_TARGETS = tuple(sorted(path.name for path in SEEDS.iterdir() if path.name not in C_TARGETS))
LONGEST_OF_C = 4096


class Result(NamedTuple):
    """What came of one target. `findings`: a line each, with the input in hex where one is known. `inputs` None: it ended before it could tell."""

    inputs: int | None
    findings: tuple[str, ...]


def atheris_is_there() -> bool:
    return importlib.util.find_spec("atheris") is not None


def compiler() -> str | None:
    """A clang that has libFuzzer."""
    for name in COMPILERS:
        if shutil.which(name) is None:
            continue
        trial = [name, "-fsanitize=fuzzer", "-x", "c", "-", "-o", "/dev/null"]
        source = "int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d != 0 && n == 0; }"
        if subprocess.run(trial, input=source, text=True, capture_output=True, check=False).returncode == 0:
            return name
    return None


def python(names: list[str], inputs: int, seed: int, jobs: int, folder: Path) -> dict[str, Result]:
    words = [str(inputs), str(seed), str(jobs), str(folder), *names]
    # Which way a set is walked decides which branches are seen first.
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    done = subprocess.run([sys.executable, HERE / "drive.py", *words], capture_output=True, text=True, env=environment, check=False)  # fmt: skip
    if done.returncode != 0:
        raise SystemExit(f"drive.py ended with {done.returncode}\n{done.stderr[-2000:]}")
    return {name: _of_python(folder, name) for name in names}


def _of_python(folder: Path, name: str) -> Result:
    try:
        told = json.loads((folder / f"{name}.json").read_text())
    except OSError:
        return Result(None, ("it ended: " + (folder / f"{name}.log").read_text(errors="replace")[-1500:],))
    return Result(told["inputs"], tuple(f"{key}: {one['said']}: {one['input']}" for key, one in told["findings"].items()))  # fmt: skip


def in_c(name: str, inputs: int, seed: int, clang: str, folder: Path) -> Result:
    program, kept = folder / f"{name}.program", folder / name
    kept.mkdir(parents=True, exist_ok=True)
    sources = [path for path in sorted((SDK / "src").glob("*.c")) if path.name not in C_TARGETS[name]]
    own = HERE / "c" / f"{name.removeprefix('c-')}.c"
    includes = ["-I", SDK / "include", "-I", SDK / "src"]
    subprocess.run([clang, *FLAGS, *includes, own, *sources, "-lpthread", "-ldl", "-o", program], check=True)
    options = [f"-runs={inputs}", f"-seed={seed}", "-timeout=300", "-rss_limit_mb=1024", f"-max_len={LONGEST_OF_C}"]
    options += [f"-dict={HERE / 'words.dict'}", f"-artifact_prefix={kept}.", "-print_final_stats=1", "-verbosity=1"]
    done = subprocess.run([program, *options, kept, SEEDS / name], capture_output=True, text=True, errors="replace", check=False)  # fmt: skip
    told = re.search(r"number_of_executed_units: (\d+)", done.stderr)
    findings = () if done.returncode == 0 else (done.stderr[-1500:],)
    return Result(int(told[1]) if told else None, findings)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("targets", nargs="*", metavar="TARGET")
    asked = parser.parse_args()
    wanted = asked.targets or [*PYTHON_TARGETS, *C_TARGETS]
    here = [name for name in wanted if name in PYTHON_TARGETS]
    found: dict[str, Result] = {}
    if here and not atheris_is_there():
        print("without the targets in Python: atheris is not installed here")
    elif here:
        found |= python(here, asked.inputs, asked.seed, asked.jobs, FOLDER)
    below = [name for name in wanted if name in C_TARGETS]
    clang = compiler() if below else None
    if below and clang is None:
        print("without the targets in C: no clang with libFuzzer here (Debian: clang-14, libclang-rt-14-dev)")
    for name in below if clang is not None else ():
        found[name] = in_c(name, asked.inputs, asked.seed, clang or "", FOLDER)
    for name, result in found.items():
        print(f"{name:<14} {result.inputs or '?':>10} inputs {len(result.findings):>3} findings")
        for line in result.findings:
            print(f"    {line[:2000]}")
    sys.exit(any(result.findings or result.inputs is None for result in found.values()))


if __name__ == "__main__":
    main()
