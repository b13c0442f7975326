# SPDX-License-Identifier: Apache-2.0
"""`cipherstone replay`: right workers pass, and each slip is shown with the request, what was due and what came."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from sdk_build import ROOT

from cipherstone.worker.attacks import attack_all
from cipherstone.worker.replay import ReplayVerdict, transcripts

TOY_PAGE = (ROOT / "protocol" / "TOY.md").read_text()
GUIDE = ROOT / "docs" / "guides" / "hashlib_worker.py"
# name of the slip -> (what is changed in the guide's worker, into what, what is then wrong)
SLIPS = {
    "seq": ('{"seq": seq, "ok": True}', '{"seq": seq & 0xFFFFFFFF, "ok": True}', "24-any-run"),
    "null": ('dict.fromkeys(("cpu_ns", "ref", "cycles", "nivcsw"))', "{}", "24-any-run"),
    "twice": ("len(fields) < len(words) or ", "", "23-any-worker"),
    "ascii": (" or not all(0x20 <= byte <= 0x7E for byte in line[:-1])", "", "malformed"),
    "length": ("len(line) > LINE_MAX or ", "", "longest-lines"),
    "partial": ("        if not rest:\n            return", "        if not rest and False:\n            return", "end-of-input"),
    "pipe": ("except BrokenPipeError:\n            os._exit(0)", "except ZeroDivisionError:\n            pass", "reader-gone"),
    "code": ('"unknown-verb"', '"bad-request"', "malformed"),
    "silent": ('    raise RefusedError("unknown-verb"', '    os._exit(1)\n    raise RefusedError("unknown-verb"', "23-any-worker"),
}  # fmt: skip


def replayed(worker: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "cipherstone", "replay", str(worker), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def rows(done: subprocess.CompletedProcess[str]) -> dict[str, ReplayVerdict]:
    return {row["name"]: ReplayVerdict(row["name"], row["right"], row["said"]) for row in json.loads(done.stdout)}


def test_a_worker_with_the_toy_library_is_held_against_all(c_toy: list[str]) -> None:
    done = replayed(Path(c_toy[0]))
    paths = transcripts(ROOT)
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-1] == f"{len(paths) + 9} of {len(paths) + 9} are right"
    assert all(path.stem in done.stdout for path in paths)


def test_one_with_another_library_is_held_against_what_is_for_all() -> None:
    done = replayed(GUIDE, "--no-attacks", "--format", "json")
    assert done.returncode == 0, done.stdout
    found = rows(done)
    assert {name for name, one in found.items() if one.right} == {
        "17-probe",
        "18-objects",
        "23-any-worker",
        "24-any-run",
    }
    assert all(one.right is None and "toy" in one.said for one in found.values() if not one.right)


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_found_and_shown(tmp_path: Path, slip: str) -> None:
    old, new, wrong = SLIPS[slip]
    source = GUIDE.read_text()
    assert source.count(old) >= 1
    worker = tmp_path / "worker"
    worker.write_text(source.replace(old, new))
    worker.chmod(0o755)
    done = replayed(worker, "--only", wrong, "--format", "json")
    assert done.returncode == 1 and "Traceback" not in done.stderr
    one = rows(done)[wrong]
    assert one.right is False and one.said


def test_the_first_difference_stands_with_the_requests_before_it(tmp_path: Path) -> None:
    worker = tmp_path / "worker"
    worker.write_text(GUIDE.read_text().replace('"imul_ratio": None', '"imul": None'))
    worker.chmod(0o755)
    done = replayed(worker, "--no-attacks")
    assert done.returncode == 1
    at = done.stdout.splitlines().index("conversation 17-probe                 WRONG")
    told = [line.strip() for line in done.stdout.splitlines()[at + 1 : at + 8]]
    assert told[:4] == [
        "> 17 probe quiet=1 wait=1000001",
        "> 18 probe quiet=18446744073709551616 wait=1",
        "> 19 probe count=3 probe=0 case=7 calls=many",
        "> 20 check-probe count=0 quiet=1",
    ]
    assert told[4].startswith("expected: ") and told[5].startswith("came: ")
    assert told[6] == "reply.imul_ratio: missing"


@pytest.mark.parametrize("text", ["#!/bin/sh\nexit 3\n", "#!/bin/sh\necho hello\n", "#!/no/such/interpreter\n"])
def test_what_is_no_worker_is_one_wrong_conversation(tmp_path: Path, text: str) -> None:
    worker = tmp_path / "worker"
    worker.write_text(text)
    worker.chmod(0o755)
    done = replayed(worker)
    assert done.returncode == 1 and "0 of 1 are right" in done.stdout and "Traceback" not in done.stderr
    missing = replayed(tmp_path / "nothing")
    assert missing.returncode == 2 and "no executable file" in missing.stderr


def test_every_toy_operation_is_specified() -> None:
    listed = (ROOT / "protocol" / "transcripts" / "02-list.txt").read_text()
    for row in json.loads(listed.splitlines()[2][2:])["operations"]:
        assert f"`{row['op']}`" in TOY_PAGE, row["op"]
        assert row["impl"] in ("default", "sdk") or f"`{row['impl']}`" in TOY_PAGE


def test_attacks_on_the_toy_in_python(python_toy: list[str], requests: list[bytes]) -> None:
    assert [one for one in attack_all(python_toy, requests[:60]) if not one.right] == []
