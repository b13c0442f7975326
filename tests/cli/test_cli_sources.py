# SPDX-License-Identifier: Apache-2.0
"""Upstream's sources, really fetched from two package registries, built by their recipes, one of them by two compilers, and every operation of each proven.

The smallest there are: what the others take is minutes each, and is tried by `make bench-all`.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable

import pytest
import scripts
from scripts import CommandLine

from cipherstone.build.debian import KEYRING

BUILDS = ("libtommath@1.3", "micro-ecc@1.0", "micro-ecc@1.0+clang14+Os", "monocypher@4.0")
LANES = {"libtommath@1.3.0+1.3", "micro-ecc@1.0.0+1.0", "micro-ecc@1.0.0+1.0+clang14+Os", "monocypher@4.0.2+4.0"}
# What is known of these versions; their NOTES.md say why.
KNOWN = {
    ("micro-ecc", "p-256/derive"): "strict",
    ("micro-ecc", "secp256k1/derive"): "strict",
    ("micro-ecc", "ecdsa-p256-sha256/verify"): "strict",
    ("micro-ecc", "ecdsa-secp256k1-sha256/verify"): "strict",
    ("monocypher", "ed25519/verify"): "wrong",
}


@pytest.fixture(scope="module")
def cli(new_cli: Callable[..., CommandLine]) -> CommandLine:
    for program in ("cargo", "apt-get", "clang-14"):
        if shutil.which(program) is None:
            missing(f"no {program}")
    if not KEYRING.is_file():
        missing(f"no {KEYRING.name}")
    return new_cli("sources", scripts.ROOT)


def missing(what: str) -> None:
    if os.environ.get("CS_REQUIRE_LIBRARIES") == "1":
        pytest.fail(what)
    pytest.skip(what)


def test_three_libraries_are_built_from_source_and_proven(cli: CommandLine) -> None:
    done = cli("build", *BUILDS, "--format", "json").no_trace()
    made = {row["name"]: row for row in json.loads(done.out)}
    assert done.code == 0 and {row["state"] for row in made.values()} == {"built"}, done.err
    assert len(made) == len(BUILDS) and all(row["cpu_s"] > 0 and row["disk_mib"] > 0 for row in made.values())
    words = [word for name in BUILDS for word in ("--build", name)]
    text = "library:(libtommath OR micro-ecc OR monocypher) -build:distribution"
    proven = cli("check", *words, "--filter", text, "--format", "json").no_trace()
    rows = json.loads(proven.out)
    assert {row["lane"].partition(":")[0] for row in rows} == LANES, proven.err
    found = {
        (row["lane"].partition("@")[0], row["operation"]): row["outcome"] for row in rows if row["outcome"] != "ok"
    }
    assert found == KNOWN
    assert "building" not in proven.err  # nothing is built twice
