# SPDX-License-Identifier: Apache-2.0
"""Targets of `targets.py` with inputs that coverage leads (atheris), each in a process of its own: `drive.py INPUTS SEED JOBS FOLDER TARGET...`.

FOLDER gets `TARGET.json` with what was done (inputs, and each kind of finding with its first input), and a folder TARGET of inputs that reached something new. A finding does not end a target.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
import warnings
from pathlib import Path

import atheris

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
with atheris.instrument_imports(include=["cipherstone"]):
    import targets

MEMORY_MIB = 1024
# Every input ends in moments, however busy the machine is: this is for one that would never.
TIMEOUT_S = 300
LONGEST = 1 << 14


def fuzz(name: str, inputs: int, seed: int, folder: Path) -> None:
    """Does not return: a process of libFuzzer ends as it likes."""
    target = targets.TARGETS[name]
    found: dict[str, dict[str, str]] = {}
    done = 0
    log = os.open(folder / f"{name}.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    targets.enter()
    # A warning of the standard library would be lines on a user's terminal.
    warnings.simplefilter("error")

    def one(data: bytes) -> None:
        nonlocal done
        try:
            targets.judge(target, data)
        except Exception as error:  # noqa: BLE001 - a finding, whatever it is
            steps = [step for step in traceback.extract_tb(error.__traceback__) if "cipherstone" in step.filename]
            where = f"{Path(steps[-1].filename).name}:{steps[-1].lineno}" if steps else name
            key = f"{type(error).__name__} at {where}"
            found.setdefault(key, {"said": str(error)[:300], "input": data.hex()})
        done += 1
        if done >= inputs:
            (folder / f"{name}.json").write_text(json.dumps({"inputs": done, "findings": found}, indent=1))
            targets.leave()
            os._exit(0)

    kept = folder / name
    kept.mkdir(exist_ok=True)
    options = [f"-seed={seed}", f"-timeout={TIMEOUT_S}", f"-rss_limit_mb={MEMORY_MIB}", f"-max_len={LONGEST}"]
    options += [f"-dict={HERE / 'words.dict'}", f"-artifact_prefix={kept}."]
    atheris.Setup([sys.argv[0], *options, str(kept), str(HERE / "seeds" / name)], one)
    atheris.Fuzz()


def main(inputs: int, seed: int, jobs: int, folder: Path, names: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    running = 0
    for name in names:
        if running == jobs:
            os.wait()
            running -= 1
        (folder / f"{name}.json").unlink(missing_ok=True)
        if os.fork() == 0:
            fuzz(name, inputs, seed, folder)
        running += 1
    for _ in range(running):
        os.wait()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), Path(sys.argv[4]), sys.argv[5:])
