# SPDX-License-Identifier: Apache-2.0
"""Figures that cannot be are refused with a sentence and not ranked: below what instructions allow, or of an emulator."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from store_example import manifest as example
from test_views_passes import manifest
from test_views_summarise import EXTRA, NTL, OSSL, PLAN, TWIN, cell, only, passes, run

from cipherstone.catalogue.paths import data_root
from cipherstone.catalogue.roofline import Model, Term, UnitGroup
from cipherstone.model.ids import Case
from cipherstone.model.records import Spectrum
from cipherstone.model.summary import CellSummary, Estimate
from cipherstone.views.plausible import implausible, implausible_lanes, models_for, refuse, without_figure
from cipherstone.views.run.summarise import summarise

KERNEL = "x86-64.sha256rnds2/latency"
SIZE = 16384
HASH = Case.parse(f"sha-256/hash/bytes={SIZE}")


def model(tier: str = "SHA-NI", count: float = 32, block: int | None = 64, **more: Any) -> Model:
    group = UnitGroup("chain", (Term(count, more.pop("kernel", KERNEL)),))
    return Model("sha-256/hash", tier, ("sha_ni",), "latency", block, (group,), "d", "o", ("s",), "f", **more)


def machine(features: tuple[str, ...] = ("sha_ni",), spectrum: Spectrum | None = None, **more: Any) -> Any:
    """A run's manifest; its core takes two cycles for an instruction of the model, so that a byte takes one."""
    known = example()
    spectrum = spectrum or Spectrum("x86-64", ({"kernel": KERNEL, "cycles": 2.0},))  # type: ignore[arg-type]
    spectrum = msgspec.convert(msgspec.to_builtins(spectrum), Spectrum)
    return msgspec.structs.replace(
        known, spectrum=spectrum, machine=msgspec.structs.replace(known.machine, cpu_features=features, **more)
    )


def figure(cycles: float | None, ns: float = 1000.0, high: float | None = None) -> CellSummary:
    """A cell of one figure."""
    found = None if cycles is None else Estimate(cycles, cycles * 0.99, high)
    return msgspec.structs.replace(cell(run(passes()), OSSL), ns=Estimate(ns), cycles=found)


def said(cycles: float | None, case: Case = HASH, *models: Model, told: Any = None, **more: Any) -> str:
    return implausible(case, figure(cycles, **more), told or machine(), models or (model(),))


def test_less_than_the_bound_by_more_than_its_error_is_refused() -> None:
    """One cycle a byte is the bound here, known to 10 %."""
    assert said(SIZE * 1.0) == said(SIZE * 0.91) == ""
    assert said(SIZE * 0.90) == (
        "implausible: 0.900 cycles a byte, 1.1 times as fast as the bound of SHA-NI (1.00, known to 10%): what is timed does not compute this"
    )
    assert said(SIZE * 0.5, HASH, model(error=1.01)) == ""


def test_the_favourable_end_of_the_interval_counts() -> None:
    assert said(SIZE * 0.8, high=SIZE * 0.95) == "" and said(SIZE * 0.8, high=SIZE * 0.85) != ""


def test_the_lowest_bound_and_the_largest_error_of_the_tiers_that_this_cpu_has_count() -> None:
    weak, other = model("scalar", 320), model("AVX-512", 3)
    assert said(SIZE * 0.95, HASH, weak, model()) == "" and "SHA-NI" in said(SIZE * 0.8, HASH, weak, model())
    assert said(SIZE * 0.8, HASH, model(), msgspec.structs.replace(other, requires=("avx512f",))) != ""
    assert said(SIZE * 0.8, HASH, model(), other) == ""
    assert said(SIZE * 0.85, HASH, model(), msgspec.structs.replace(weak, error=0.2)) == ""


@pytest.mark.parametrize(
    ("models", "told"),
    [
        ((model(), model("other", kernel="x86-64.add/latency")), {}),
        ((model(beyond=("sha512",)),), {"features": ("sha_ni", "sha512")}),
        ((model(),), {"features": ()}),
        ((model(),), {"spectrum": Spectrum("x86-64", refused="the chains disagree")}),
        ((model(),), {"spectrum": msgspec.structs.replace(machine().spectrum, missing=("x86-64.aesenc/latency",))}),
    ],
)
def test_where_something_faster_may_be_unknown_no_model_refuses(
    models: tuple[Model, ...], told: dict[str, Any]
) -> None:
    """A tier without figures, features that no model counts, no spectrum that holds."""
    assert said(SIZE * 0.5, HASH, *models, told=machine(**told)) == ""


def test_short_messages_are_not_held_against_a_chain() -> None:
    """Calls overlap with the next ones: of 256 bytes libraries reach 1.35 of the bound."""
    assert (
        said(8191 * 0.5, Case.parse("sha-256/hash/bytes=8191"))
        == ""
        != said(4096.0, Case.parse("sha-256/hash/bytes=8192"))
    )


def test_a_bound_of_a_whole_call_is_not_divided() -> None:
    case = Case.parse("x25519/derive")
    assert said(64.0, case, model(block=None)) == ""
    assert "50.0 cycles a call, 1.3 times as fast" in said(50.0, case, model(block=None))


@pytest.mark.parametrize("op", ["sha-256/hash", "toy/hash"])
def test_nobody_reads_more_than_two_wide_loads_a_cycle(op: str) -> None:
    """650 GB/s are 250 bytes a cycle at 2.6 GHz: without a model, and for short messages too."""
    case = Case.parse(f"{op}/bytes=1024")
    assert implausible(case, figure(8.0), machine(), ()) == implausible(case, figure(7.62), machine(), ()) == ""
    text = implausible(case, figure(4.0), machine(), ())
    assert "0.00391 cycles a byte, 2.0 times as fast as the bound of reading 128 bytes a cycle" in text
    assert (
        implausible(case, figure(None, ns=1.0), machine(), ())
        != ""
        == implausible(case, figure(None, ns=2.0), machine(), ())
    )


def test_a_call_takes_a_cycle() -> None:
    case = Case.parse("x25519/derive")
    assert (
        "0.500 cycles a call" in implausible(case, figure(0.5), machine(), ())
        and implausible(case, figure(1.0), machine(), ()) == ""
    )
    assert implausible(case, without_figure(figure(0.5), "gone"), machine(), ()) == ""


def test_models_are_read_where_there_is_a_spectrum(tmp_path: Any) -> None:
    without = msgspec.structs.replace(machine(), spectrum=None)
    assert models_for(without, tmp_path) == ()
    assert len(models_for(machine(), data_root())) > 50


def test_an_emulated_build_alone_loses_its_figures() -> None:
    told = machine()
    builds = [
        msgspec.structs.replace(b, emulated="qemu-aarch64" if b.library == told.builds[0].library else "")
        for b in told.builds
    ]
    told = msgspec.structs.replace(told, builds=tuple(builds))
    assert any(build.emulated for build in told.builds)
    lane = next(f"{b.library}@{b.build}" for b in builds if b.emulated)
    cells = {name: msgspec.structs.replace(figure(1e6), lane=name) for name in (lane, f"{lane}#2", "other@1")}
    found = refuse(cells, told, {}, HASH)
    assert (
        found[lane].refused
        == found[f"{lane}#2"].refused
        == "emulated: by qemu-aarch64; its times would be the emulator's"
    )
    assert found[lane].ns is None and found["other@1"] == cells["other@1"]


def test_on_an_emulated_machine_nothing_is_a_figure() -> None:
    """Whatever else speaks for the run."""
    told = manifest(PLAN)
    told = msgspec.structs.replace(told, machine=msgspec.structs.replace(told.machine, emulated="qemu-aarch64"))
    summary = summarise(told, passes())
    assert summary.trust == "emulated" and "qemu-aarch64" in summary.trust_reason
    assert all(c.ns is None and c.refused.startswith("emulated: ") for c in only(summary).cells)
    assert only(summary).ranking == () and run(passes()).trust != "emulated"


def test_what_is_implausible_is_not_ranked_and_warned_of() -> None:
    """A worker that remembers its result; the other lanes keep theirs."""
    found = run([*passes(cost=lambda p: {OSSL: 600.0, NTL: 12.6, TWIN: 600.0}), *EXTRA])  # 8 KiB at 4 GHz: 650 GB/s
    refused = cell(found, NTL)
    assert (
        refused.ns is None
        and refused.refused.startswith("implausible: 0.00615 cycles a byte")
        and refused.pass_ns == ()
    )
    assert only(found).ranking == ((OSSL,),) and [one.lane for one in only(found).to_best] == [OSSL]
    assert implausible_lanes(only(found).cells) == [NTL]
    assert f"figures below what this machine's instructions allow are refused: {NTL}" in found.warnings
    assert implausible_lanes(only(run(passes())).cells) == []
