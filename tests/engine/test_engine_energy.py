# SPDX-License-Identifier: Apache-2.0
"""Energy of a call: a fact beside the figures where the system counts it, and nothing where it does not or a reading fails."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from scripts import HASH, CommandLine, cost, newest, records, write_worker

from cipherstone.execute.energy import ENERGY, IDLE
from cipherstone.model.records import FactsRecord

# The program on a machine whose package takes ten watts, whatever it does.
COUNTED = """import time
from pathlib import Path

from cipherstone.cli.main import main
from cipherstone.execute import energy
from cipherstone.host.energy import Counter


def read(counters):
    {reading}


energy.find_counters = lambda: ({found}, "")
energy.read = read
energy.AT_LEAST_S = 0.05
main()
"""
ONE = '(Counter("package-0", Path("energy_uj")),)'
TEN_WATTS = "return (round(time.monotonic() * 1e7),)"
FORBIDDEN = "raise PermissionError(13, 'Permission denied')"


def measured(cli: CommandLine, folder: Path, found: str, reading: str) -> list[FactsRecord]:
    (cli.home / "counted.py").write_text(COUNTED.format(found=found, reading=reading))
    alpha = write_worker(folder, "alpha", {HASH: cost(100_000)})
    done = replace(cli, module="counted").measure("--base", "alpha", "--op", HASH, "--worker", str(alpha))
    assert done.code == 0, done.err
    return records(newest(cli.runs), FactsRecord)


def test_the_headline_cell_has_its_energy(cli: CommandLine, tmp_path: Path) -> None:
    """What a package takes that does the same when idle is all of it."""
    (told,) = measured(cli, tmp_path, ONE, TEN_WATTS)
    whole, idle = told.facts[ENERGY], told.facts[IDLE]
    assert isinstance(whole, int) and isinstance(idle, int) and whole > 0
    assert whole == pytest.approx(idle, rel=0.3)


@pytest.mark.parametrize(("found", "reading"), [(ONE, FORBIDDEN), ("()", TEN_WATTS)], ids=["forbidden", "none"])
def test_without_a_reading_there_is_no_energy_and_no_error(
    cli: CommandLine, tmp_path: Path, found: str, reading: str
) -> None:
    assert measured(cli, tmp_path, found, reading) == []
