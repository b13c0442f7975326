# SPDX-License-Identifier: Apache-2.0
"""Masks of processor features: which mean something here, and what is said of one that does not."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.builds import Mask
from cipherstone.catalogue.libraries import load_libraries, load_library
from cipherstone.catalogue.paths import data_root
from cipherstone.execute import survey as survey_module
from cipherstone.execute.survey import survey
from cipherstone.host.facts import cpu_features

ROOT = data_root()
LIBRARIES = load_libraries(ROOT, load_catalogue(ROOT))
MASK = Mask(env={"X": "1"}, hides=("aes", "avx2"), why="without both")
MASKED = [(library.id, mask) for library in LIBRARIES.values() for mask in library.masks]


@pytest.mark.parametrize(
    ("isa", "features", "problem"),
    [
        ("x86-64", ("aes", "avx2", "sse2"), ""),
        ("x86-64", ("aes", "sse2"), ""),  # the other one is hidden all the same
        ("x86-64", ("sse2",), "hides aes, avx2, which this processor does not have"),
        ("x86-64", (), ""),  # a system that does not tell
        ("aarch64", ("aes", "avx2"), "is for x86-64, which this is not"),
        (None, (), "is for x86-64, which this is not"),
    ],
)
def test_a_mask_must_hide_what_is_there(isa: str | None, features: tuple[str, ...], problem: str) -> None:
    assert MASK.problem(isa, features) == problem


def test_features_are_what_the_kernel_lists() -> None:
    assert cpu_features("processor : 0\nflags\t\t: fpu aes\n\nflags : other\n") == ("aes", "fpu")
    assert cpu_features("Features : aes pmull\n") == ("aes", "pmull") and cpu_features("") == ()


@pytest.mark.parametrize(("library", "mask"), MASKED)
def test_a_mask_says_what_it_hides_in_the_kernels_words(library: str, mask: str) -> None:
    """A name that no kernel lists would refuse the mask everywhere."""
    names = {"aes", "pclmulqdq", "ssse3", "avx", "avx2", "sha_ni", "adx", "bmi2", "vaes", "vpclmulqdq"}
    names |= {f"avx512{part}" for part in ("f", "dq", "ifma", "cd", "bw", "vl")}
    one = LIBRARIES[library].masks[mask]
    assert set(one.hides) <= names and one.hides and one.isa == "x86-64"
    assert one.why.strip() and "\n" not in one.why


def test_a_build_with_a_mask_that_hides_nothing_here_is_refused_before_it_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(survey_module.platform, "machine", lambda: "x86_64")
    monkeypatch.setattr(survey_module, "cpu_features", lambda: ("fpu", "sse2"))
    library = load_library(ROOT / "tests" / "engine" / "twobuilds", load_catalogue(ROOT))
    masked = msgspec.structs.replace(library.builds[1], variant="O2~noaes", masks=("noaes",), env=MASK.env)
    masked_library = msgspec.structs.replace(library, builds=(masked,), masks={"noaes": MASK})
    (found,) = survey(Workshop.find(ROOT, tmp_path), {library.id: masked_library}, builds=["O2~noaes"])
    assert found.status == "missing" and found.packages == ()
    assert found.problem == "mask 'noaes' hides aes, avx2, which this processor does not have"
    assert list(tmp_path.iterdir()) == []
