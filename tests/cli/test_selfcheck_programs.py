# SPDX-License-Identifier: Apache-2.0
"""The programs of the self-check are built with the adapters as they are now: each `bench/c` program compiles, and the slower Nettle is a worker that is proven like any other."""

from __future__ import annotations

from pathlib import Path

import pytest
import scripts
from bench.field import Field
from scripts import skip_or_fail

from cipherstone.cli import environment as env

pytestmark = pytest.mark.libraries

C = scripts.ROOT / "bench/c"
# How a program is named, by what it is linked with.
LINKED = sorted(path for kind in ("loop_", "long_") for path in C.glob(f"{kind}*.c*"))
ALONE = ("hog", "meter")


@pytest.fixture(scope="module")
def field(worker_cache: Path) -> Field:
    return Field.open(env.workshop(worker_cache), None)


def test_each_program_is_known() -> None:
    assert {path.stem for path in C.glob("*.c*")} == {path.stem for path in LINKED} | {*ALONE, "slower_nettle"}


@pytest.mark.parametrize("path", LINKED, ids=lambda path: path.stem)
def test_a_loop_is_built(field: Field, path: Path) -> None:
    library = path.stem.partition("_")[2]
    if not field.has(library):
        skip_or_fail(library)
    assert field.program(path.stem, library).is_file()


@pytest.mark.parametrize("name", ALONE)
def test_a_program_without_a_library_is_built(field: Field, name: str) -> None:
    assert field.program(name).is_file()


@pytest.mark.parametrize("percent", [1, 3])
def test_the_slower_nettle_is_a_worker(field: Field, percent: int) -> None:
    if not field.has("nettle"):
        skip_or_fail("nettle")
    name = field.adopt(field.worker_program("slower_nettle", "nettle", f"PERCENT={percent}"))
    assert name == f"nettle-plus{percent}"
    assert [one.op for one in field.found[name].listed] == ["harness/empty", "sha-256/hash"]
