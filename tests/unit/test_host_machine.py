# SPDX-License-Identifier: Apache-2.0
"""Machine facts, the lock between runs, and what is learnt of a CPU."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cipherstone.host import facts
from cipherstone.host.checks import checks
from cipherstone.host.facts import (
    allowed_cpus,
    cpu_model,
    cpuinfo_field,
    cpus_like,
    machine_facts,
    measuring_cpu,
    mitigations,
    thread_siblings,
)
from cipherstone.host.ipc import IpcReferences
from cipherstone.host.lock import MachineLock
from cipherstone.model.errors import CipherstoneError

X86 = "processor\t: 0\nmodel name\t: AMD EPYC\ncpu family\t: 26\nmodel\t\t: 2\nflags\t\t: aes avx\n"
ARM = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\nFeatures\t: aes pmull\n"


def test_a_cpu_is_told_from_its_neighbours() -> None:
    """Hypervisors shorten names: family and model are part of it."""
    assert cpu_model(X86) == "AMD EPYC (family 26 model 2)"
    assert cpu_model(ARM).endswith("(implementer 0x41 part 0xd40)")
    assert cpuinfo_field(X86, "flags", "Features") == "aes avx" and cpuinfo_field(X86, "nothing") is None
    assert cpu_model("") != ""


def test_facts_of_this_machine_are_the_same_twice() -> None:
    first, second = machine_facts(), machine_facts()
    assert first.fingerprint == second.fingerprint and len(first.fingerprint) == 16
    assert first.logical_cpus >= 1 and first.architecture


def test_mitigations_are_those_of_flaws_that_the_processor_has(tmp_path: Path) -> None:
    (tmp_path / "meltdown").write_text("Not affected\n")
    (tmp_path / "retbleed").write_text("Vulnerable\n")
    (tmp_path / "spectre_v2").write_text("Mitigation: Retpolines; STIBP: disabled\n")
    assert mitigations(tmp_path) == {
        "retbleed": "Vulnerable",
        "spectre_v2": "Mitigation: Retpolines; STIBP: disabled",
    }
    assert mitigations(tmp_path / "nowhere") == {}


def test_the_measuring_cpu_is_an_allowed_one() -> None:
    allowed = allowed_cpus()
    assert measuring_cpu() == (allowed[-1] if allowed else None)
    assert measuring_cpu(7) == 7


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2,6", [2, 6]),
        ("6,2", [2, 6]),
        ("2-3", [2, 3]),
        ("0-3,8-9", [0, 1, 2, 3, 8, 9]),
        ("2", [2]),
        ("5", [2, 5]),  # itself is always one of them
        ("", [2]),
        ("none", [2]),
        ("2-", [2]),
        ("-4", [2]),
        ("0-x,6", [2, 6]),
        (None, [2]),
    ],
)
def test_threads_of_a_core(monkeypatch: pytest.MonkeyPatch, text: str | None, expected: list[int]) -> None:
    """As the system writes it, or does not; no machine has all of these, so the file is a text here."""
    asked: list[str] = []

    def read(path: str) -> str | None:
        asked.append(path)
        return text

    monkeypatch.setattr(facts, "read_text", read)
    assert thread_siblings(2) == expected
    assert asked == ["/sys/devices/system/cpu/cpu2/topology/thread_siblings_list"]


def test_threads_of_this_machine() -> None:
    for cpu in allowed_cpus():
        siblings = thread_siblings(cpu)
        assert cpu in siblings and siblings == sorted(set(siblings))
        assert all(thread_siblings(other) == siblings for other in siblings)
    assert thread_siblings(1_000_000) == [1_000_000]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({}, [0, 1, 2, 3]),  # a system that tells nothing
        ({"cpu2/cpu_capacity": "512", "cpu3/cpu_capacity": "512"}, [0, 1]),
        ({f"cpu{n}/cache/index2/size": "1280K" if n < 3 else "2048K" for n in range(4)}, [0, 1, 2]),
        ({f"cpu{n}/cache/index0/size": "48K" if n % 2 else "32K" for n in range(4)}, [1, 3]),
    ],
)
def test_cores_of_one_kind(monkeypatch: pytest.MonkeyPatch, files: dict[str, str], expected: list[int]) -> None:
    """Large and small cores beside each other, as such machines tell it."""
    root = "/sys/devices/system/cpu/"
    monkeypatch.setattr(facts, "read_text", lambda path: files.get(path.removeprefix(root)))
    assert cpus_like(expected[-1], range(4)) == expected
    assert cpus_like(expected[-1], [9, expected[-1]])[-1] == expected[-1]


def test_doctor_says_something_of_everything(tmp_path: Path) -> None:
    found = {one.name: one for one in checks(tmp_path / "runs", None, 0.05)}
    assert {"load", "wake-up jitter", "pinning", "hypervisor", "counters", "compiler", "output"} <= set(found)
    assert found["compiler"].level == "bad" and found["compiler"].advice
    assert all(one.level in ("good", "note", "bad") for one in found.values())
    assert all(one.advice for one in found.values() if one.level == "bad")
    (tmp_path / "file").write_text("")
    blocked = {one.name: one for one in checks(tmp_path / "file" / "runs", "gcc", 0.05)}
    assert blocked["output"].level == "bad" and "--output" in blocked["output"].advice


def test_the_lock_names_its_holder_and_dies_with_it(tmp_path: Path) -> None:
    path = tmp_path
    program = (
        "import sys, time; from pathlib import Path; from cipherstone.host.lock import MachineLock\n"
        "with MachineLock(Path(sys.argv[1])): print('held', flush=True); time.sleep(3600)"
    )
    env = {**os.environ, "PYTHONPATH": ":".join(sys.path)}
    holder = subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE, env=env)
    assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
    with pytest.raises(CipherstoneError, match=f"another run is measuring on this machine: process {holder.pid}"):
        MachineLock(path).acquire()
    holder.kill()
    holder.communicate()
    with MachineLock(path) as lock:
        lock.acquire()  # what it holds already
        with pytest.raises(CipherstoneError):
            MachineLock(path).acquire()
    lock.release()
    MachineLock(path).acquire()


def test_the_lock_is_for_every_user(tmp_path: Path) -> None:
    """Whatever the umask: the next run may be somebody else's."""
    before = os.umask(0o077)
    try:
        with MachineLock(tmp_path):
            assert (tmp_path / "cipherstone.lock").stat().st_mode & 0o777 == 0o444
    finally:
        os.umask(before)


def test_a_lock_that_cannot_be_made_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(CipherstoneError, match=r"run lock: .*: No such file or directory"):
        MachineLock(tmp_path / "no").acquire()


def test_the_best_of_a_cpu_is_kept(tmp_path: Path) -> None:
    file = tmp_path / "cache" / "ipc.json"
    references = IpcReferences(file)
    assert references.known("Some CPU", None) == (None, "")
    references.learn("Some CPU", None, 4.2)
    references.learn("Some CPU", None, 3.9)
    references.learn("Some CPU", "kvm", 3.0)
    again = IpcReferences(file)
    assert again.known("Some CPU", None) == (4.2, "learnt on this machine")
    assert again.known("Some CPU", "kvm") == (3.0, "learnt on this machine")
    assert sorted(json.loads(file.read_text())) == ["Some CPU / bare metal", "Some CPU / kvm"]


def test_what_much_of_a_run_was_at_is_learnt_even_if_it_is_lower(tmp_path: Path) -> None:
    """A figure that is too high would have every batch called disturbed; only one that is sure takes it back."""
    file = tmp_path / "ipc.json"
    references = IpcReferences(file)

    def known() -> float | None:
        return IpcReferences(file).known("Some CPU", None)[0]

    references.learn("Some CPU", None, 4.2)
    references.learn("Some CPU", None, 4.0)
    assert known() == 4.2
    references.learn("Some CPU", None, 4.0, sure=True)
    assert known() == 4.0
    references.learn("Some CPU", None, 3.99, sure=True)  # a quarter of a percent is no news
    assert known() == 4.0
    references.learn("Some CPU", None, 3.97, sure=True)
    assert known() == 3.97
    references.learn("Some CPU", None, 3.98, sure=True)  # higher ones are taken, however little
    assert known() == 3.98
    references.learn("Other CPU", "kvm", 2.0, sure=True)
    assert IpcReferences(file).known("Other CPU", "kvm") == (2.0, "learnt on this machine") and known() == 3.98


def test_what_cannot_be_written_is_learnt_again_next_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    references = IpcReferences(tmp_path / "file" / "ipc.json")
    references.learn("Some CPU", None, 4.2)
    assert references.known("Some CPU", None) == (4.2, "learnt on this machine")


def test_the_shipped_figure_is_a_floor(tmp_path: Path) -> None:
    references = IpcReferences(tmp_path / "ipc.json")
    shipped, source = references.known("AMD EPYC (family 26 model 2)", "kvm")
    assert shipped is not None and source == "shipped table"
    references.learn("AMD EPYC (family 26 model 2)", "kvm", shipped - 1, sure=True)
    assert references.known("AMD EPYC (family 26 model 2)", "kvm") == (shipped, "shipped table")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"a": "b"}', '{"a": null}', "\x00"])
def test_a_spoilt_cache_is_an_empty_one(tmp_path: Path, text: str) -> None:
    (tmp_path / "ipc.json").write_text(text)
    assert IpcReferences(tmp_path / "ipc.json").known("Some CPU", None) == (None, "")


@pytest.mark.parametrize(
    ("text", "expected"), [("1024K", 1 << 20), ("2M", 2 << 20), (None, None), ("", None), ("1024", None), ("big", None)]
)
def test_size_of_the_second_level_cache(
    monkeypatch: pytest.MonkeyPatch, text: str | None, expected: int | None
) -> None:
    monkeypatch.setattr(facts, "read_text", lambda path: text if path.endswith("cpu1/cache/index2/size") else None)
    assert facts.own_cache_bytes(1) == expected
