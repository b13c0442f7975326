# SPDX-License-Identifier: Apache-2.0
"""A node that only measures: with the packages of requirements-core.lock and nothing else. It runs, proves, shows and seals; what reports says in one line what it lacks; others read what it left."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import pytest
from scripts import HASH, ROOT, CommandLine, Done, cost, newest, write_worker

from cipherstone.model.later import REPORT_PARTS
from cipherstone.store.bundle import Bundle
from cipherstone.store.tables import ROWS_NAMES, TABLES

LOCKED = re.findall(r"^([a-z0-9-]+)==", (ROOT / "requirements-core.lock").read_text(), re.MULTILINE)
LACKS = "cipherstone: error: this needs the report parts: no {} here\nhint: pip install 'cipherstone[report]'\n"


@dataclass
class CoreLine(CommandLine):
    """A command line whose Python looks for modules of others nowhere but in the folder of the core's."""

    def command(self, *arguments: object) -> list[str]:
        return [sys.executable, "-S", "-m", self.module, *map(str, arguments)]


@pytest.fixture(scope="module")
def core(bare_root: Path, tmp_path_factory: pytest.TempPathFactory) -> CoreLine:
    home = tmp_path_factory.mktemp("core")
    packages = home / "packages"
    packages.mkdir()
    for name in LOCKED:
        for file in metadata.distribution(name).files or ():
            top = file.parts[0]
            if top not in ("..", "__pycache__") and not (packages / top).exists():
                (packages / top).symlink_to(Path(str(metadata.distribution(name).locate_file(top))))
    here = CoreLine(bare_root, home, home / "cache" / "cipherstone")
    here.environment["PYTHONPATH"] = f"{bare_root / 'src'}:{packages}"
    return here


@pytest.fixture(scope="module")
def measured(core: CoreLine) -> tuple[Path, Done]:
    """A run of two workers on such a node."""
    workers = [write_worker(core.home, name, {HASH: cost(ns)}) for name, ns in (("alpha", 1000), ("beta", 1500))]
    words = [word for worker in workers for word in ("--worker", worker)]
    done = core.measure("--base", "alpha", "--op", HASH, *words).no_trace()
    assert done.code == 0, done.err
    return newest(core.runs).path, done


def test_the_lock_of_the_core_is_a_part_of_the_whole(core: CoreLine) -> None:
    whole = (ROOT / "requirements.lock").read_text()
    pins = re.findall(r"^[a-z0-9-]+==\S+", (ROOT / "requirements-core.lock").read_text(), re.MULTILINE)
    assert pins and [pin for pin in pins if pin not in whole] == []
    assert not {name.replace("-", "_") for name in LOCKED} & REPORT_PARTS
    # The fixture keeps what it is for: these are not found there.
    code = "import importlib.util as u, sys; print([n for n in sys.argv[1:] if u.find_spec(n)])"
    words = [sys.executable, "-S", "-c", code, *sorted(REPORT_PARTS), "numpy"]
    assert subprocess.run(words, env=core.env(), capture_output=True, text=True).stdout == "['numpy']\n"


def test_it_measures_and_seals(core: CoreLine, measured: tuple[Path, Done]) -> None:
    path, done = measured
    cells = {cell["lane"]: cell["ns"]["value"] for cell in done.json()["cases"][0]["cells"]}
    assert cells["alpha@1.0"] == pytest.approx(1000) and cells["beta@1.0"] == pytest.approx(1500)
    bundle = Bundle.open(path)
    assert bundle.finished and bundle.verify() == [] and not bundle.has_parquet
    assert {one.name for one in path.iterdir()} >= ROWS_NAMES and not list(path.glob("*.parquet"))
    rows = [json.loads(line) for line in gzip.decompress((path / "cells.jsonl.gz").read_bytes()).splitlines()]
    assert {row["library"] for row in rows} == {"alpha", "beta"}


@pytest.mark.parametrize(
    "words",
    [
        ("show", "latest"),
        ("show", "latest", "--verify"),
        ("show", "latest", "--format", "json"),
        ("compare", "alpha", "beta"),
        ("export", "latest"),
        ("export", "latest", "--as", "json"),
        ("report", "latest", "--markdown"),
        ("list", "--operations"),
        ("doctor", "--seconds", "0.1"),
    ],
    ids=" ".join,
)
def test_it_shows_what_it_measured(words: tuple[str, ...], core: CoreLine, measured: tuple[Path, Done]) -> None:
    done = core(*words).no_trace()
    assert done.code == 0 or words[0] == "doctor", done.err
    assert "report parts" not in done.err and done.out


def test_it_proves(core: CoreLine) -> None:
    worker = write_worker(core.home / "proven", "gamma", {HASH: cost(1000)})
    done = core("check", "--worker", worker, "-f", f"library:gamma op:{HASH}").no_trace()
    assert done.code == 0, done.err + done.out


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (("report", "latest"), "jinja2, vl_convert"),
        (("run", "--report"), "jinja2, vl_convert"),
        (("show", "latest", "--sql", "select 1"), "duckdb"),
        (("show", "latest", "--sql", "select 1", "--sql-unsafe"), "duckdb"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_what_it_lacks_is_one_line(
    words: tuple[str, ...], names: str, core: CoreLine, measured: tuple[Path, Done]
) -> None:
    before = sorted(core.runs.iterdir())
    done = core(*words)
    assert (done.code, done.out, done.err) == (1, "", LACKS.format(names))
    assert sorted(core.runs.iterdir()) == before


def test_who_has_the_parts_reads_it_as_any_other(
    core: CoreLine, measured: tuple[Path, Done], new_cli: Callable[..., CommandLine]
) -> None:
    """Every table: the same columns as where DuckDB wrote them, and the rows of this run."""
    path, _ = measured
    cli = new_cli("whole")
    again = [word for name in ("alpha", "beta") for word in ("--worker", core.home / name / f"cs-{name}")]
    assert cli.measure("--base", "alpha", "--op", HASH, *again).code == 0
    for table in TABLES:
        ours, theirs = (cli.inside("show", run, "--sql", f"describe {table}").out for run in (path, "latest"))
        assert ours.startswith("column_name,") and ours == theirs, table
    question = "select lane, round(ns) as ns from cells where not twin order by lane"
    assert cli("show", path, "--sql", question).out.split() == ["lane,ns", "alpha@1.0,1000.0", "beta@1.0,1500.0"]
    counted = "select count(*) > 5 as many from samples"
    assert cli("show", path, "--sql", counted).out.split() == ["many", "True"]
    page = cli.home / "page.html"
    done = cli("report", path, "-o", page).no_trace()
    assert done.code == 0 and "<html" in page.read_text(), done.err


def test_rows_beside_parquet_are_not_read(
    core: CoreLine, measured: tuple[Path, Done], new_cli: Callable[..., CommandLine]
) -> None:
    """A sealed run whose figures somebody would like to be others."""
    cli = new_cli("sealed")
    worker = core.home / "alpha" / "cs-alpha"
    assert cli.measure("--base", "alpha", "--op", HASH, "--worker", worker).code == 0
    path = newest(cli.runs).path
    text = (measured[0] / "cells.jsonl.gz").read_bytes()
    (path / "cells.jsonl.gz").write_bytes(text)
    done = cli("show", path, "--sql", "select count(*) as n from cells where library = 'beta'")
    assert done.code == 0 and done.out.split() == ["n", "0"], done.err
    (path / "cells.parquet").unlink()
    done = cli("show", path, "--sql", "select count(*) from cells")
    assert done.code == 1 and "cells.parquet: missing" in done.err
