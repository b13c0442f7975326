# SPDX-License-Identifier: Apache-2.0
"""Libraries from upstream's source on other machines: proven there and counted, where they were built for the machine before."""

from __future__ import annotations

import pytest
from counted import TOOLCHAIN, need
from scripts import ROOT

from cipherstone.build.systems import this_system
from cipherstone.build.targets import TARGETS, on_target, toolchain_for
from cipherstone.build.upstream import is_built
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.filter import parse_filter
from cipherstone.catalogue.libraries import load_library
from cipherstone.cli.environment import cache_folder
from cipherstone.execute.counting.jobs import CountRequest, Job, count_everything
from cipherstone.model.counts import Counting

COUNTED = ("sha-256/hash", "aes-128-gcm/seal", "ecdsa-p256-sha256/verify")
# A signature draws: how many instructions it takes may vary, but it is proven.
SIGN = "ecdsa-p256-sha256/sign"
SOURCES = ("libtomcrypt@1.18", "nettle@3.10-minigmp")


@pytest.mark.parametrize("target", ["cortex-m0plus", "cortex-m4", "aarch64", "armv7a", "riscv64"])
@pytest.mark.parametrize("name", SOURCES)
def test_a_library_from_source_is_proven_and_counted_elsewhere(name: str, target: str) -> None:
    need(target)
    catalogue = load_catalogue(ROOT)
    library_id, _, variant = name.partition("@")
    library = load_library(ROOT / "libraries" / library_id, catalogue)
    build = next(one for one in library.builds if one.variant == variant)
    there, toolchain = on_target(build, TARGETS[target]), toolchain_for(TARGETS[target], TOOLCHAIN)
    if not is_built(library, there, toolchain, cache_folder()):
        pytest.skip(f"{name} was not built for {target} here")
    workshop = Workshop(ROOT, cache_folder(), TOOLCHAIN, this_system())
    selection = parse_filter(" OR ".join(f"op:{one}" for one in (*COUNTED, SIGN)), {"op": ()})
    found = count_everything(
        workshop, [Job(TARGETS[target], library, build)], catalogue, CountRequest(selection), print
    )
    assert found.targets[0].problem == ""
    chosen = [one for one in found.counts if ":" not in one.lane]
    assert all(one.proof == "ok" for one in chosen)
    found_of = {one: [each.outcome for each in chosen if each.case.startswith(one)] for one in (*COUNTED, SIGN)}
    assert found_of.pop(SIGN) in ([Counting.COUNTED], [Counting.VARIES])
    assert set(map(tuple, found_of.values())) == {(Counting.COUNTED,)}, found_of
