# SPDX-License-Identifier: Apache-2.0
"""What instructions cost, kept from run to run: `host.spectrum`."""

from __future__ import annotations

from pathlib import Path

from cipherstone.host.spectrum import SpectrumStore
from cipherstone.model.records import KernelFigure, Spectrum

KERNELS = ("x.add/latency", "x.mulx/throughput", "x.gone/latency")


def store(path: Path, model: str = "CPU 1") -> SpectrumStore:
    return SpectrumStore(path / "cache" / "spectrum.json", model, "kvm")


def spectrum(*cycles: float | None, refused: str = "") -> Spectrum:
    figures = tuple(
        KernelFigure(name, value) for name, value in zip(KERNELS, cycles, strict=False) if value is not None
    )
    return Spectrum("x86-64", figures=figures, refused=refused, unavailable=KERNELS[2:])


def test_what_a_run_lacks_comes_from_an_earlier_one(tmp_path: Path) -> None:
    first = store(tmp_path).completed(spectrum(1.0, 1.5), KERNELS)
    assert (first.earlier, first.missing) == ((), ())
    second = store(tmp_path).completed(spectrum(1.01, None), KERNELS)
    assert [(f.kernel, f.cycles) for f in second.figures] == [(KERNELS[0], 1.01), (KERNELS[1], 1.5)]
    assert second.earlier == (KERNELS[1],) and second.missing == ()


def test_what_nobody_saw_is_missing_and_what_the_cpu_lacks_is_not(tmp_path: Path) -> None:
    found = store(tmp_path).completed(spectrum(None, 1.5), KERNELS)
    assert found.missing == (KERNELS[0],) and found.earlier == ()


def test_the_newest_figure_is_kept(tmp_path: Path) -> None:
    store(tmp_path).completed(spectrum(1.0, 1.5), KERNELS)
    store(tmp_path).completed(spectrum(1.1), KERNELS)
    assert [f.cycles for f in store(tmp_path).completed(spectrum(), KERNELS).figures] == [1.1, 1.5]


def test_another_cpu_model_knows_nothing_of_it(tmp_path: Path) -> None:
    store(tmp_path).completed(spectrum(1.0, 1.5), KERNELS)
    assert store(tmp_path, "CPU 2").completed(spectrum(1.0), KERNELS).missing == (KERNELS[1],)


def test_a_refused_spectrum_stays_as_it_is(tmp_path: Path) -> None:
    store(tmp_path).completed(spectrum(1.0, 1.5), KERNELS)
    refused = spectrum(refused="no cycles: the chains disagree")
    assert store(tmp_path).completed(refused, KERNELS) == refused


def test_a_damaged_or_unwritable_store_is_empty_and_no_error(tmp_path: Path) -> None:
    path = tmp_path / "cache" / "spectrum.json"
    path.parent.mkdir()
    path.write_text('{"CPU 1 / kvm": {"x.add/latency": 7')
    assert store(tmp_path).completed(spectrum(None, 1.5), KERNELS).missing == (KERNELS[0],)
    blocked = SpectrumStore(path / "below-a-file" / "spectrum.json", "CPU 1", None)
    assert blocked.completed(spectrum(1.0, 1.5), KERNELS).missing == ()
