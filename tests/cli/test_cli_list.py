# SPDX-License-Identifier: Apache-2.0
"""`list`: the laboratories' families are left out unless they are asked for, and rows can be told apart in 80 columns."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import scripts
from scripts import HASH, CommandLine, write_worker

from cipherstone.catalogue.algorithms import LAB_FAMILIES, load_catalogue
from cipherstone.cli.list import _fitted_names

OPERATIONS = load_catalogue(scripts.ROOT).operations


@pytest.fixture(scope="module")
def checkout(new_cli: Callable[..., CommandLine]) -> CommandLine:
    return new_cli("listing", scripts.ROOT)


def listed(checkout: CommandLine, *words: str) -> set[str]:
    done = checkout.inside("list", "--operations", "--format", "json", *words)
    assert done.code == 0, done.err
    rows = json.loads(done.out)
    params = [",".join(f"{name}={value}" for name, value in row["params"]) for row in rows]
    return {
        "/".join(filter(None, (row["algorithm"], row["verb"], text))) for row, text in zip(rows, params, strict=True)
    }


def test_families_of_the_laboratories_are_listed_on_request(checkout: CommandLine) -> None:
    everyday = {o.id for o in OPERATIONS.values() if o.family not in LAB_FAMILIES}
    bignum, tls = ({o.id for o in OPERATIONS.values() if o.family == family} for family in ("bignum", "tls"))
    assert listed(checkout) == everyday and bignum and everyday | bignum | tls == set(OPERATIONS)
    assert listed(checkout, "--family", "tls") == tls
    assert listed(checkout, "--family", "bignum") == bignum
    assert listed(checkout, "--family", "bignum,dh", "--family", "dh") == bignum | {
        "x25519/agree",
        "p-256/agree",
        "p-384/agree",
        "secp256k1/derive",
        *(f"{curve}/multiply-base" for curve in ("x25519", "p-256", "p-384", "p-521", "secp256k1")),
        "x25519/derive",
        "x25519/keygen",
        "p-256/derive",
        "p-256/keygen",
        "p-384/derive",
        "p-384/keygen",
        "p-521/derive",
        "p-521/keygen",
        "secp256k1/keygen",
        "brainpool-p256/derive",
        "brainpool-p256/keygen",
        "dh-2048/derive",
        "dh-2048/keygen",
        "dh-3072/derive",
        "dh-3072/keygen",
        "x448/derive",
        "x448/keygen",
    }


def test_what_is_left_out_is_said(checkout: CommandLine) -> None:
    out = checkout.inside("list", "--operations").out
    for family in ("bignum", "tls"):
        assert f"Left out: family {family}, of the laboratories (--family {family})" in out
    assert "Left out" not in checkout.inside("list", "--operations", "--family", "hash").out


@pytest.mark.parametrize("width", range(16, 32))
def test_shortened_operations_are_still_different(width: int) -> None:
    short = _fitted_names(OPERATIONS, width)
    assert len(set(short)) == len(short)
    # Four parameters are told apart by their values, which are what fits least.
    few = [text for text, name in zip(short, OPERATIONS, strict=True) if not name.startswith("tls/")]
    assert max(map(len, few)) <= max(width, 30), "few need more than they were given, and not much"
    assert width < 20 or sum(len(text) > width for text in few) < len(few) / 10
    assert all(name == full for name, full in zip(short, OPERATIONS, strict=True) if len(full) <= width)


def test_implementations_are_chosen_as_in_a_run(new_cli: Callable[..., CommandLine], tmp_path: Path) -> None:
    """`--impl` takes names, wherever it stands; what is asked for as more text has a name of its own. (In processes of their own: of the bare checkout, which has no libraries to build.)"""
    cli = new_cli("impl")
    worker = write_worker(tmp_path, "alpha", {HASH: {"default": {"ns": 100}, "fast": {"ns": 50}}})

    def found(*words: str) -> dict[str, list[str]]:
        done = cli("list", "--worker", worker, "--format", "json", "--cache", cli.cache, *words).no_trace()
        assert done.code == 0, done.err
        return {row["operation"]: row["implementations"] for row in done.json() if row["library"] == "alpha"}

    assert found()[HASH] == found("--impl", "all")[HASH] == ["default", "fast"]
    assert found("--impl", "fast")[HASH] == ["fast"]
    shown = cli("list", "--worker", worker, "--implementations", "--cache", cli.cache).no_trace()
    assert f"alpha  {HASH}: default, fast" in shown.out
    wrong = cli("list", "--worker", worker, "--impl", "fats", "--cache", cli.cache).no_trace()
    assert wrong.code == 2 and "unknown impl 'fats'" in wrong.err and "did you mean 'fast'?" in wrong.err
