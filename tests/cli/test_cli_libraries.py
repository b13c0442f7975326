# SPDX-License-Identifier: Apache-2.0
"""The installed libraries: `check` finds what is known to be lax or strict and nothing else, and a short run measures them all."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
import scripts
from proofs import PATIENCE, Rows, library_of, proven
from scripts import CommandLine, cells, newest, opened, passes, skip_or_fail, source_cache, summary

from cipherstone.build.toolchain import find_toolchain
from cipherstone.build.upstream import is_built
from cipherstone.catalogue.algorithms import catalogue_at
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.cli.environment import cache_folder
from cipherstone.host.facts import cpu_features
from cipherstone.model.ids import Lane

pytestmark = pytest.mark.libraries

LIBRARIES = (
    "bearssl",
    "botan",
    "cryptopp",
    "gmp",
    "gnutls",
    "libgcrypt",
    "libsecp256k1",
    "libsodium",
    "libtomcrypt",
    "libtommath",
    "mbedtls",
    "nettle",
    "nss",
    "openssl",
    "wolfssl",
)
SOURCES = {one.id: one for one in load_libraries(scripts.ROOT).values() if one.builds[0].source is not None}
ECDSA_VERIFY, ED25519_VERIFY = "ecdsa-p256-sha256/verify", "ed25519/verify"
MEASURED = (ED25519_VERIFY, ECDSA_VERIFY)  # of what is lax or strict: libraries of both kinds are among them
FETCH = "random/fetch"
CATALOGUE = catalogue_at(scripts.ROOT)


@pytest.fixture(scope="module")
def cli(new_cli: Callable[..., CommandLine]) -> CommandLine:
    return new_cli("real", scripts.ROOT)


@pytest.fixture(scope="module")
def checked(cli: CommandLine, request: pytest.FixtureRequest) -> Iterator[Rows]:
    """The proof records of all libraries here; kept ones of those that are what they were (proofs.py)."""
    with proven(cli, request.session) as rows:
        yield rows


@pytest.fixture(scope="module")
def built(cli: CommandLine, request: pytest.FixtureRequest) -> Iterator[Rows]:
    """Of those that no system ships, where their source was built before."""
    toolchain, cache = find_toolchain(), cache_folder()
    here = [one for one in SOURCES.values() if is_built(one, one.builds[0], toolchain, cache)]
    if not here:
        yield []
        return
    words = [word for one in here for word in ("--build", f"{one.id}@{one.builds[0].name}")]
    named = ",".join(one.id for one in here)
    with proven(replace(cli, cache=cache), request.session, *words, "--library", named) as rows:
        yield rows


def of(checked: Rows, library: str) -> tuple[str, Rows]:
    """Version and proof records of a library."""
    rows = [row for row in checked if library_of(row) == library]
    if not rows:
        skip_or_fail(f"{library} is not measured here")
    return rows[0]["lane"].partition("@")[2].partition(":")[0].partition("+")[0], rows


@pytest.mark.parametrize("library", LIBRARIES)
def test_only_what_is_known_deviates(checked: Rows, library: str) -> None:
    only_what_is_known(library, *of(checked, library))


@pytest.mark.parametrize("library", SOURCES)
def test_only_what_is_known_deviates_in_a_library_from_source(built: Rows, library: str) -> None:
    """Of those that no system ships, where their source was built before."""
    source_cache(SOURCES[library])  # skips where it was not
    only_what_is_known(library, *of(built, library))


def only_what_is_known(library: str, version: str, rows: Rows) -> None:
    assert all(row["outcome"] in ("ok", "lax", "strict", "wrong") for row in rows), rows
    known = load_libraries(scripts.ROOT, CATALOGUE)[library].deviating(version, cpu_features(), CATALOGUE)
    if known is None:
        return  # another version: that it answers is all that is known beforehand
    found: dict[str, tuple[str, set[str]]] = {}
    for row in rows:
        if row["outcome"] != "ok":  # of all lanes of an operation
            _, kinds = found.get(row["operation"], ("", set()))
            found[row["operation"]] = (row["outcome"], kinds | {one["kind"] for one in row.get("deviations", ())})
    assert found == {name: (how.outcome, {*how.kinds}) for name, how in known.items()}
    for row in rows:
        # What is wrong is not held against the oracle any more.
        assert row["outcome"] == "wrong" or (row["accepted"] > 0 and row["oracle"] > 0), row
        for one in row.get("deviations", ()):
            # No standard names the fork.
            assert one["vectors"] and one["means"] and ("section" in one["standard"] or row["operation"] == FETCH), one


def test_what_libraries_are_is_legible_in_80_columns(cli: CommandLine, checked: Rows) -> None:
    """Each library that is measured here has a row; what is listed of a version says who says so, and until which day."""
    done = cli("list", "--libraries", "--cache", cli.cache).no_trace()
    assert done.code == 0 and all(len(line) <= 80 for line in done.out.splitlines()), done.out
    head = done.out.splitlines()[0].split()
    assert head == ["library", "version", "licence", "lines", "upkeep", "advisories", "ways"]
    rows = cli("list", "--libraries", "--cache", cli.cache, "--format", "json").no_trace().json()
    assert {row["library"] for row in rows} >= {*map(library_of, checked)} - {"modexp"}
    shown = " ".join(done.out.split())
    for row in rows:
        assert row["licence"] and row["upkeep"] in ("ended", "maintained", "unknown"), row
        assert all(one["id"] in shown and row["advisories_as_of"] in shown for one in row["advisories"]), row
    ended = cli("list", "--libraries", "--cache", cli.cache, "-f", "upkeep:ended", "--format", "json").no_trace().json()
    assert {row["name"] for row in ended} == {row["name"] for row in rows if row["upkeep"] == "ended"}


def test_the_exit_code_tells(cli: CommandLine, checked: Rows) -> None:
    """Of an operation that is right everywhere and of one that is not, if there is one: proven now, they are what was proven of them before."""
    wrong = sorted({row["operation"] for row in checked if row["outcome"] == "wrong" and "=" not in row["operation"]})
    for operation in ("sha-256/hash", *wrong[:1]):
        words = ("--filter", f"op:{operation}", "--patience", PATIENCE, "--format", "json", "--cache", cli.cache)
        done = cli("check", *words).no_trace()
        assert done.code == (4 if operation in wrong else 0)
        now, before = (
            {row["lane"]: [row.get(key) for key in ("outcome", "accepted", "rejected", "oracle")] for row in rows}
            for rows in (done.json(), [row for row in checked if row["operation"] == operation])
        )
        assert now == before and now


def test_what_is_lax_or_strict_is_timed_and_ranked_with_its_vector(cli: CommandLine, checked: Rows) -> None:
    """Mbed TLS and Nettle at ECDSA, Botan and Libgcrypt at Ed25519: figures and a mark; with `--strict` neither, and exit code 4.

    On a machine that is too busy for six passes within the bound a cell has no figure, is not ranked, and says why; what it deviates in is told all the same.
    """
    due = {
        (row["lane"], row["operation"]): row["outcome"]
        for row in checked
        if row["outcome"] in ("lax", "strict") and ":" not in row["lane"] and row["operation"] in MEASURED
    }
    if not due:
        skip_or_fail("no library here is lax or strict")
    base = sorted(lane for lane, _ in due)[0].partition("@")[0]
    operations = " OR ".join(sorted({operation for _, operation in due}))
    libraries = sorted({lane.partition("@")[0] for lane, _ in due})
    few = ("--max-time", "30m", "--no-memory", "--patience", PATIENCE, "--cache", cli.cache, "--base", base)
    words = ("run", "--filter", f"op:({operations}) library:({' OR '.join(libraries)})", *few, "--format", "json")
    asked = {operation for _, operation in due}
    wrong = any(
        row["outcome"] == "wrong" and row["operation"] in asked and row["lane"].partition("@")[0] in libraries
        for row in checked
    )
    done = opened(cli)(*words, "--all", "--passes", 6).no_trace()
    found = summary(done)
    figures = sum(cell.ns is not None for case in found.cases for cell in case.cells)
    assert done.code == (4 if wrong else 0 if figures else 1), done.err
    shown = " ".join(cli("show", timeout_s=60).out.split())
    for (lane, operation), outcome in due.items():
        cell = cells(found, operation)[lane]
        assert cell.outcome == outcome and cell.deviations, cell
        assert (cell.ns is not None) != bool(cell.refused), cell
        assert not cell.refused or cell.refused in shown or "more; the report has them" in shown
        assert f"{outcome}: {Lane.parse(lane).words} {operation}: {cell.detail}" in done.err
        ranked = any(lane in group for case in found.cases if case.case == operation for group in case.ranking)
        assert ranked == (cell.ns is not None)
    # One pass has no figures, but says whom it measured.
    strict = opened(cli)(*words, "--passes", 1, "--strict").no_trace()
    assert strict.code == 4, strict.err
    for lane, operation in due:
        cell = cells(summary(strict), operation)[lane]
        assert cell.outcome == "wrong" and cell.ns is None and not cell.deviations, cell
    timed = {(one.lane, record.case) for record in passes(newest(cli.runs)) for one in record.lanes}
    assert timed and not timed & set(due)


def test_a_short_run_measures_everything(cli: CommandLine, checked: Rows) -> None:
    """Two operations, six passes; what the figures are, and whether anybody disturbs, is the machine's business, that there are any is ours."""
    selection = "op:(sha-256/hash OR aes-128-gcm/seal)"
    words = ("--filter", selection, "--size", 1024, "--passes", 6, "--max-time", "30m", "--cache", cli.cache)
    # A plain run takes each library's own choice; `check` proves the lanes with a name too.
    lanes = {row["lane"] for row in checked if row["operation"] == "sha-256/hash" and ":" not in row["lane"]}
    base = sorted(lanes)[0].partition("@")[0] if not any(lane.startswith("openssl@") for lane in lanes) else "openssl"
    done = opened(cli)("run", *words, "--base", base, "--format", "json").no_trace()
    found = summary(done)
    figures = sum(cell.ns is not None for case in found.cases for cell in case.cells)
    assert done.code == (0 if figures else 1), done.err
    assert {case.case for case in found.cases} == {"sha-256/hash/bytes=1024", "aes-128-gcm/seal/bytes=1024"}
    measured = cells(found, "sha-256/hash/bytes=1024")
    assert lanes <= set(measured)
    for lane, cell in measured.items():
        if cell.outcome == "unsupported":  # a library of numbers alone
            assert lane not in lanes, (lane, cell)
            continue
        assert cell.outcome == "ok" and cell.passes_used + bool(cell.refused) > 0, (lane, cell)
        # In nanoseconds: no library hashes or seals a KiB in 20 of them.
        assert cell.ns is None or cell.ns.value > 20
    assert "Traceback" not in cli("show").err


def test_disagreements_name_the_vectors_and_who_does_what(cli: CommandLine) -> None:
    """X25519 with points of low order: standards leave it to the library, and these two part there."""
    asked = ("check", "--disagreements", "-f", "op:x25519/derive library:(openssl OR nettle)")
    done = cli(*asked).no_trace()
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0] == "x25519/derive" and all(len(line) <= 80 for line in lines)
    words = " ".join(done.out.split())
    assert re.search(r"either will do: .*low order.* accepts: nettle@\S+ rejects: openssl@\S+", words)
    assert re.search(r"\d+ vectors of 1 of the 1 operation that more than one implementation has\Z", words)
    found = json.loads(cli(*asked, "--format", "json").no_trace().out)
    (one,) = [one for one in found if "x25519-32" in one["vectors"]]
    assert one["expect"] == "ok-or-rejected" and set(one["sides"]) == {"accepts", "rejects"}
