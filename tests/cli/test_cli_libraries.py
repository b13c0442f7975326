# SPDX-License-Identifier: Apache-2.0
"""The installed libraries: `check` finds what is known to be wrong and nothing else, and a short run measures them all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import scripts
from scripts import CommandLine, Done, cells, opened, skip_or_fail, summary

pytestmark = pytest.mark.libraries

LIBRARIES = ("bearssl", "botan", "gmp", "libgcrypt", "libsodium", "libtommath", "mbedtls", "nettle", "openssl")
ECDSA_VERIFY, ED25519_VERIFY = "ecdsa-p256-sha256/verify", "ed25519/verify"
# What these versions are known to judge otherwise than the vectors do; everything else is right in them.
# The reasons stand in libraries/*/NOTES.md.
KNOWN_WRONG: dict[tuple[str, str], set[str]] = {
    ("bearssl", "0.6"): set(),
    ("botan", "2.19"): {ED25519_VERIFY},
    ("gmp", "6"): set(),
    ("libgcrypt", "1.10"): {ED25519_VERIFY},
    ("libsodium", "1.0.18"): set(),
    ("libtommath", "1"): set(),
    ("mbedtls", "2.28"): {ECDSA_VERIFY},
    ("nettle", "3.8"): {ECDSA_VERIFY},
    ("openssl", "3.0"): set(),
}


@pytest.fixture(scope="module")
def cli(new_cli: Callable[..., CommandLine]) -> CommandLine:
    return new_cli("real", scripts.ROOT)


@pytest.fixture(scope="module")
def checked(cli: CommandLine) -> Done:
    return cli("check", "--format", "json", "--cache", cli.cache, timeout_s=300).no_trace()


def of(checked: Done, library: str) -> tuple[str, list[dict[str, Any]]]:
    """Version and proof records of a library."""
    rows = [row for row in checked.json() if row["lane"].startswith(library + "@")]
    if not rows:
        skip_or_fail(f"{library} is not measured here: {checked.err}")
    return rows[0]["lane"].partition("@")[2].partition(":")[0], rows


@pytest.mark.parametrize("library", LIBRARIES)
def test_only_what_is_known_is_wrong(checked: Done, library: str) -> None:
    version, rows = of(checked, library)
    assert all(row["outcome"] in ("ok", "incorrect") for row in rows), rows
    known = next(
        (
            wrong
            for (name, begins), wrong in KNOWN_WRONG.items()
            if name == library and (version + ".").startswith(begins + ".")
        ),
        None,
    )
    if known is None:
        return  # another version: that it answers is all that is known beforehand
    assert {row["operation"] for row in rows if row["outcome"] == "incorrect"} == known
    for row in rows:
        assert row["outcome"] == "incorrect" or (row["accepted"] > 0 and row["oracle"] > 0), row


def test_the_exit_code_tells(checked: Done) -> None:
    wrong = any(row["outcome"] == "incorrect" for row in checked.json())
    assert checked.code == (4 if wrong else 0)


def test_a_short_run_measures_everything(cli: CommandLine, checked: Done) -> None:
    """Two operations, six passes; what the figures are, and whether anybody disturbs, is the machine's business, that there are any is ours."""
    selection = "op:(sha-256/hash OR aes-128-gcm/seal)"
    words = ("--filter", selection, "--size", 1024, "--passes", 6, "--max-time", "60s", "--cache", cli.cache)
    # A plain run takes each library's own choice; `check` proves the lanes with a name too.
    lanes = {row["lane"] for row in checked.json() if row["operation"] == "sha-256/hash" and ":" not in row["lane"]}
    base = sorted(lanes)[0].partition("@")[0] if not any(lane.startswith("openssl@") for lane in lanes) else "openssl"
    done = opened(cli)("run", *words, "--base", base, "--format", "json", timeout_s=200).no_trace()
    assert done.code == 0, done.err
    found = summary(done)
    assert {case.case for case in found.cases} == {"sha-256/hash/bytes=1024", "aes-128-gcm/seal/bytes=1024"}
    measured = cells(found, "sha-256/hash/bytes=1024")
    assert lanes <= set(measured)
    for lane, cell in measured.items():
        if cell.outcome == "unsupported":  # a library of numbers alone
            assert lane not in lanes, (lane, cell)
            continue
        assert cell.outcome == "ok" and cell.passes_used + bool(cell.refused) > 0, (lane, cell)
        assert cell.ns is None or 20 < cell.ns.value < 1e6
    assert "Traceback" not in cli("show").err
