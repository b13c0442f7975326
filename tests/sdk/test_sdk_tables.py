# SPDX-License-Identifier: Apache-2.0
"""An adapter's tables of rows, and the version of the header that it was compiled with."""

from __future__ import annotations

import subprocess
from pathlib import Path

from sdk_build import COMPILER, link_with_sdk

ADAPTER = """
#include "cipherstone.h"

static int nothing(cs_case *c)
{
    (void)c;
    return CS_OK;
}

static const char *version(void)
{
    return "1";
}

static const cs_op first[] = {{.id = "a/hash", .impl = "default", .name = "a", .call = nothing},
                              {.id = "b/hash", .impl = "default", .name = "b", .call = nothing}};
static const cs_op last[] = {{.id = "c/hash", .impl = "default", .name = "c", .call = nothing}};
static const cs_table two = CS_TABLE(first), none = {NULL, 0}, one = CS_TABLE(last);
static const cs_library library = {
    .abi = ABI, .id = "tables", .version = version, .version_from = "library", .tables = CS_TABLES(&two, &none, &one)};

CS_WORKER_MAIN(library)
"""


def described(tmp_path: Path, abi: str) -> subprocess.CompletedProcess[str]:
    source = tmp_path / "tables.c"
    source.write_text(ADAPTER)
    worker = link_with_sdk(COMPILER, source, tmp_path / "worker", f"-DABI={abi}")
    return subprocess.run([str(worker), "--describe"], capture_output=True, text=True, timeout=60, check=False)


def test_rows_of_all_tables_are_listed_in_their_order(tmp_path: Path) -> None:
    done = described(tmp_path, "CS_ABI")
    places = [done.stdout.index(f'"{name}/hash"') for name in "abc"]
    assert done.returncode == 0 and places == sorted(places)


def test_another_version_of_the_header_is_one_clear_line(tmp_path: Path) -> None:
    done = described(tmp_path, "7u")
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.endswith(": made for version 7 of cipherstone.h, and linked with version 1 of the SDK\n")
    assert done.stderr.count("\n") == 1
