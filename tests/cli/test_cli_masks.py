# SPDX-License-Identifier: Apache-2.0
"""Masks act: under each a library says that it uses something else, and its worker is the one without the mask."""

from __future__ import annotations

import subprocess
from pathlib import Path

import msgspec
import pytest
from scripts import ROOT, skip_or_fail, source_cache

from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.composed import composed
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.execute.survey import Found, survey

pytestmark = pytest.mark.libraries

LIBRARIES = load_libraries(ROOT, load_catalogue(ROOT))
# What those that tell nothing through their interface write to standard error when asked by this variable.
VERBOSE = {"nettle": "NETTLE_FAT_VERBOSE"}
# Neither their interface nor their environment tells what they use; that a mask acts is not seen here.
SILENT = {"gnutls", "nss"}
# They tell of AES alone.
BRIEF = {"aws-lc", "boringssl"}
# Masks of later versions than some distributions ship.
LATER = {("libgcrypt", "noavx512")}


def found_of(library: str, mask: str, cache: Path) -> Found:
    one = LIBRARIES[library]
    build = composed(one, f"{one.builds[0].name}~{mask}") if mask else one.builds[0]
    masked = msgspec.structs.replace(one, builds=(one.builds[0], build) if mask else (build,))
    (found,) = survey(Workshop.find(ROOT, cache), {library: masked}, builds=[build.name])
    return found


def told(found: Found) -> str:
    """What the library says that it uses."""
    assert found.launch is not None and found.hello is not None
    if found.id not in VERBOSE:
        return found.hello.cpu_path or ""
    said = subprocess.run(
        [*found.launch.command, "--describe"],
        env={**found.launch.environment, VERBOSE[found.id]: "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return next(line for line in said.stderr.splitlines() if "features:" in line)


@pytest.mark.parametrize("library", [library.id for library in LIBRARIES.values() if library.masks])
def test_every_mask_changes_what_the_library_says_that_it_uses(library: str, worker_cache: Path) -> None:
    """Of a library that no system ships: where its source was built before."""
    if LIBRARIES[library].distribution is None:
        worker_cache = source_cache(LIBRARIES[library])
    plain = found_of(library, "", worker_cache)
    if plain.status != "ready":
        skip_or_fail(f"{library}: {plain.problem}")
    says: dict[str, str] = {}
    for mask in LIBRARIES[library].masks:
        found = found_of(library, mask, worker_cache)
        if found.status == "missing" and found.problem.startswith(f"mask '{mask}' "):
            continue  # not a feature of this processor
        if found.status == "crashed" and (library, mask) in LATER:
            assert "knows none of the features" in found.problem + found.output
            continue
        assert found.status == "ready", found.problem
        assert found.build is not None and plain.build is not None
        assert found.build.worker_hash == plain.build.worker_hash and found.build.build.endswith(f"~{mask}")
        says[mask] = told(found)
    if library in SILENT:
        assert {told(plain), *says.values()} == {""}
        return
    if library in BRIEF:
        assert says["noaesni"] != told(plain)
        return
    assert len({told(plain), *says.values()}) == len(says) + 1, says
