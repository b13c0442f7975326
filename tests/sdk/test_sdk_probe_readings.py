# SPDX-License-Identifier: Apache-2.0
"""What a probe runs and how a reading follows from it, in a world whose clock moves only in its chains."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from sdk_build import COMPILER, SDK, compile_c

Probes = Callable[..., str]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Probes]:
    folder = tmp_path_factory.mktemp("probes")

    def made(*flags: str) -> Probes:
        target = folder / f"probes{len(flags)}"
        sources = [
            str(SDK / "src" / "probe.c"),
            str(SDK / "src" / "clock.c"),
            str(Path(__file__).with_name("probes.c")),
        ]
        if not target.exists():
            include = ("-I", str(SDK / "include"), "-I", str(SDK / "src"))
            compile_c(COMPILER, *flags, *include, *sources, "-o", str(target))

        def ask(command: str, *ns: int) -> str:
            words = [str(target), command, *map(str, ns)]
            return subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout.strip()

        return ask

    return made


def test_what_leads_in_is_a_sixteenth_of_a_reading(build: Callable[..., Probes]) -> None:
    assert build()("warm", 5) == "c12x1 t16x1"


@pytest.mark.parametrize(
    ("chain_ns", "tput_ns", "told"),
    [
        (12_800, 32_768, "1.0000 1.0000 1.0000"),
        (3_200, 1_638, "0.2500 0.0500 5.0012"),
        (1, 32_768, "0.0001 1.0000 0.0001"),
        (0, 5, "0.0000 0.0002 -1.0000"),
        (5, 0, "0.0004 0.0000 -1.0000"),
    ],
)
def test_a_reading_is_the_time_of_one_addition(
    build: Callable[..., Probes], chain_ns: int, tput_ns: int, told: str
) -> None:
    """200 blocks of 64 that wait for each other, 256 of 128 that do not; where one took no time there is no ratio."""
    assert build()("read", chain_ns, tput_ns) == f"c200x1 t256x1 {told}"


CHECKED = "c640x101 m640x1 " + "c640x1 m640x1 " * 14


@pytest.mark.parametrize(
    ("turns", "ratio"),
    [
        ([(100, 300)] * 15, 3.0),
        ([(100, 400)] + [(200, 300)] * 14, 3.0),
        ([(200, 300)] * 14 + [(100, 400)], 3.0),
        ([(200, 300)] * 7 + [(100, 200)] + [(150, 250)] * 7, 2.0),
        ([(0, 300)] * 15, -1.0),
        ([(1, 300)] * 15, 300.0),
    ],
)
def test_a_multiplication_is_the_quickest_of_fifteen_over_the_quickest_addition(
    build: Callable[..., Probes], turns: list[tuple[int, int]], ratio: float
) -> None:
    """After a hundred chains that wake the core, in turns."""
    times = [7] * 100 + [ns for turn in turns for ns in turn]
    assert build()("imul", *times) == f"{CHECKED}{ratio:.4f}"


def test_without_probes_nothing_runs(build: Callable[..., Probes]) -> None:
    none = build("-DNO_PROBES")
    assert [none(command, 5) for command in ("warm", "read", "imul")] == ["", "-1.0000 -1.0000 -1.0000", "-1.0000"]
