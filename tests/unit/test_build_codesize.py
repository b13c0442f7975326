# SPDX-License-Identifier: Apache-2.0
"""Code bytes by symbol: of a program compiled here, and of what compilers make of functions."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from cipherstone.build.codesize import code_size, joined
from cipherstone.execute.code_bytes import with_code_bytes
from cipherstone.measure.pool import Launch
from cipherstone.model.records import FactsRecord

SOURCE = """
#include <stdio.h>
__attribute__((noinline)) int small(int x) { return x + 1; }
__attribute__((noinline)) int large(int x) { int s = 0; for (int i = 0; i < x; i++) { s += i * x ^ (s >> 3); printf("%d", s); } return s; }
int main(int n, char **v) { (void)v; return small(n) + large(n); }
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        pytest.skip("no compiler")
    folder = tmp_path_factory.mktemp("code")
    (folder / "p.c").write_text(SOURCE)
    subprocess.run([compiler, "-O1", "p.c", "-o", "p"], cwd=folder, check=True)
    return folder / "p"


def test_sizes_of_functions(program: Path) -> None:
    small, large, both = (code_size(program, names) for names in (["small"], ["large"], ["small", "large", "small"]))
    assert small is not None and large is not None and both is not None
    assert 0 < small.code_bytes < large.code_bytes
    assert both.code_bytes == small.code_bytes + large.code_bytes and both.missing == ()
    partly = code_size(program, ["small", "inlined"])
    assert partly is not None and partly.missing == ("inlined",) and partly.code_bytes == small.code_bytes


def test_what_is_not_there_has_no_size(program: Path, tmp_path: Path) -> None:
    assert code_size(program, ["nothing"]) is None
    assert code_size(tmp_path / "absent", ["small"]) is None
    (tmp_path / "text").write_text("not a program")
    assert code_size(tmp_path / "text", ["small"]) is None


def test_pieces_count_with_their_function() -> None:
    symbols = [("mul", 0x40), ("mul.cold", 0x10), ("mul.constprop.0", 0x20), ("reduce", 8)]
    assert joined(symbols) == {"mul": 0x70, "reduce": 8}


def test_facts_get_code_bytes_only_where_symbols_are_named(program: Path) -> None:
    launches = {"modexp@1.0": Launch((str(program),))}
    records = [
        FactsRecord("c", "modexp@1.0:a", {"symbols": "small large", "mul": 3}),
        FactsRecord("c", "modexp@1.0:b", {"symbols": "gone"}),
        FactsRecord("c", "modexp@1.0:c", {"mul": 3}),
        FactsRecord("c", "other@1.0", {"symbols": "small"}),
    ]
    first, *rest = with_code_bytes(records, launches)
    size = code_size(program, ["small", "large"])
    assert size is not None and first.facts["code_bytes"] == size.code_bytes and first.facts["mul"] == 3
    assert rest == records[1:]
