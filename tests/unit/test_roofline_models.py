# SPDX-License-Identifier: Apache-2.0
"""Roofline models as data: the shipped ones are sound and their counts follow from formulas; what is wrong in a file is told in one line."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.roofline import LEAST_BULK_BYTES, LONGEST_TIER, Model, load_models
from cipherstone.model.errors import DataError
from cipherstone.operations.kernels import kernel_catalogue, kernel_suite

ROOT = Path(__file__).resolve().parents[2]
CATALOGUE = load_catalogue(ROOT)
MODELS = load_models(ROOT, CATALOGUE.operations, kernel_catalogue(ROOT).operations)


def model(operation: str, tier: str) -> Model:
    found = [one for one in MODELS if (one.operation, one.tier) == (operation, tier)]
    assert len(found) == 1
    return found[0]


def count(operation: str, tier: str, kernel: str) -> float:
    terms = [term for group in model(operation, tier).groups for term in group.terms]
    return next(term.count for term in terms if term.kernel == f"x86-64.{kernel}")


def test_the_operations_that_must_have_a_model_have_one() -> None:
    covered = {one.operation for one in MODELS}
    assert covered >= {
        *(f"aes-{bits}-{mode}" for bits in (128, 256) for mode in ("cbc/encrypt", "cbc/decrypt", "ctr/encrypt")),
        *(f"aes-{bits}-gcm/{verb}" for bits in (128, 256) for verb in ("seal", "open")),
        *("ghash/mac", "chacha20/encrypt", "poly1305/mac", "chacha20-poly1305/seal", "chacha20-poly1305/open"),
        *("sha-1/hash", "sha-256/hash", "sha-512/hash", "sha3-256/hash", "x25519/derive"),
        *(f"ecdsa-p256-sha256/{verb}" for verb in ("sign", "verify")),
        *(f"modexp/private/bits={bits},crt=no" for bits in (2048, 3072, 4096)),
        *(f"modexp/public/bits={bits}" for bits in (2048, 3072, 4096)),
        *(f"modexp/private/bits={bits},crt=yes" for bits in (2048, 3072, 4096)),
    }


def test_every_model_says_what_it_counts_on_what_and_what_overlaps() -> None:
    for one in MODELS:
        operation = CATALOGUE.operations[one.operation]
        assert (one.block_bytes is not None) == (operation.unit == "byte"), one.operation
        assert len(one.derivation) > 40 and len(one.overlaps) > 20 and one.sources
        if one.block_bytes is not None:
            assert max(operation.sizes) >= LEAST_BULK_BYTES


def test_the_spectrum_measures_every_kernel_that_a_model_needs() -> None:
    suite = kernel_suite(ROOT, "x86-64", spectrum=True)
    measured = {operation for section in suite.sections for operation in section.operations}
    assert {kernel for one in MODELS for kernel in one.kernels} - measured == set()


def test_wider_tiers_are_not_weaker_where_a_wide_instruction_costs_no_more() -> None:
    flat = {kernel: 1.0 for one in MODELS for kernel in one.kernels}
    assert model("aes-128-ctr/encrypt", "AES-NI").bound(flat)[0] == pytest.approx(10 / 16)
    assert model("aes-128-ctr/encrypt", "VAES-512").bound(flat)[0] == pytest.approx(10 / 64)
    assert model("aes-256-cbc/encrypt", "AES-NI").bound(flat)[0] == pytest.approx(14 / 16)


def multiplications(bits: int) -> int:
    """Of a sliding window over odd powers at its best width (HAC 14.85)."""
    return min(math.ceil(bits / (k + 1)) + 2 ** (k - 1) for k in range(1, 9))


@pytest.mark.parametrize("bits", [2048, 3072, 4096])
def test_products_of_modular_exponentiations(bits: int) -> None:
    def products(n: int, squarings: int, others: int) -> int:
        square, reduce = (n * n + n) // 2, n * n + n
        return squarings * (square + reduce) + others * (n * n + reduce)

    n, half = bits // 64, bits // 128
    for tier in ("mulx/adx", "mul/adc"):
        kernel = "mulx-only/sequence" if tier == "mulx/adx" else "mul/throughput"
        assert count(f"modexp/private/bits={bits},crt=no", tier, kernel) == products(n, bits, multiplications(bits))
        assert count(f"modexp/public/bits={bits}", tier, kernel) == products(n, 16, 2) + n * n + n
        crt = 2 * products(half, bits // 2, multiplications(bits // 2))
        extra = count(f"modexp/private/bits={bits},crt=yes", tier, kernel) - crt
        assert 0 < extra < 0.01 * crt
    limbs = math.ceil(bits / 52)
    wide = (bits + multiplications(bits)) * 4 * limbs * limbs
    assert count(f"modexp/private/bits={bits},crt=no", "IFMA-512", "vpmadd52-zmm/throughput") == wide / 8
    assert count(f"modexp/private/bits={bits},crt=no", "IFMA-256", "vpmadd52-ymm/throughput") == wide / 4


def test_products_of_curves() -> None:
    ladder, inversion = 255 * (5 * 20 + 4 * 14 + 4), 254 * 14 + 11 * 20
    assert count("x25519/derive", "mulx/adx", "mulx-only/sequence") == ladder + inversion
    assert 15_000 < count("ecdsa-p256-sha256/sign", "mul/adc", "mul/throughput") < 30_000
    assert count("ecdsa-p256-sha256/verify", "mul/adc", "mul/throughput") > 3 * count(
        "ecdsa-p256-sha256/sign", "mul/adc", "mul/throughput"
    )


GOOD = """# SPDX-License-Identifier: Apache-2.0
error = 0.05
beyond = ["sha512"]
[[model]]
operations = ["sha-256/hash"]
tier = "SHA-NI"
requires = ["sha_ni"]
kind = "latency"
per = "block"
block_bytes = 64
derivation = "d"
overlaps = "o"
sources = ["FIPS 180-4"]
group = [{ unit = "chain", terms = [{ count = 32, kernel = "x86-64.sha256rnds2/latency" }] }]
"""


def load(folder: Path, text: str) -> tuple[Model, ...]:
    (folder / "roofline").mkdir()
    (folder / "roofline" / "x.toml").write_text(text, encoding="utf-8")
    return load_models(folder, CATALOGUE.operations, {"x86-64.sha256rnds2/latency", "aarch64.add/throughput"})


def test_a_good_file(tmp_path: Path) -> None:
    (one,) = load(tmp_path, GOOD)
    assert (one.isa, one.missing_features(["sse2"]), one.missing_features(["sha_ni"])) == ("x86-64", ("sha_ni",), ())
    bound, group, term = one.bound({"x86-64.sha256rnds2/latency": 4.0})
    assert (bound, group.unit, term.count) == (2.0, "chain", 32)
    assert (one.error, one.beyond) == (0.05, ("sha512",))


def test_every_model_states_its_error() -> None:
    assert all(0 < one.error <= 0.25 for one in MODELS)


def test_a_tier_may_fill_its_column(tmp_path: Path) -> None:
    (one,) = load(tmp_path, GOOD.replace('"SHA-NI"', f'"{"x" * LONGEST_TIER}"'))
    assert one.tier == "x" * LONGEST_TIER


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"sha-256/hash"', '"sha-265/hash"', "'sha-265/hash' is not in the catalogue"),
        ("count = 32", "count = 0", "count: '0' is not positive"),
        ("count = 32", "count = -1", "count: '-1' is not positive"),
        ("x86-64.sha256rnds2/latency", "sha256rnds2", "'sha256rnds2' is not a kernel id"),
        ("x86-64.sha256rnds2/latency", "x86-64.sha256rnd/latency", "is not in the kernel table"),
        (
            '"chain", terms = [',
            '"chain", terms = [{ count = 1, kernel = "aarch64.add/throughput" }, ',
            "several instruction",
        ),
        ('derivation = "d"', 'derivation = " "', "derivation: is empty"),
        ('operations = ["sha-256/hash"]', "operations = []", "operations: is empty"),
        ('["sha-256/hash"]', '["sha-256/hash", "sha-256/hash"]', "operations: one stands twice"),
        ('unit = "chain"', 'unit = " "', "group[0]: has no unit or no terms"),
        ("group = [{", 'group = [{ unit = "first", terms = [] }, {', "group[0]: has no unit or no terms"),
        ("group = [{", "group = [] # [{", "group: is empty"),
        ("x86-64.sha256rnds2/latency", "aarch64.add/throughput", "kind: 'latency', but no term is a latency"),
        ('sources = ["FIPS 180-4"]', "sources = []", "sources: is empty"),
        ("block_bytes = 64", "block_bytes = 0", "block_bytes: '0' is not a positive number"),
        ('per = "block"', 'per = "call"', "block_bytes: '64', but the bound is per call"),
        ("error = 0.05", "error = 0.0", "error: '0' is no share"),
        ("error = 0.05", "error = 1.0", "error: '1' is no share"),
        ("error = 0.05", "", "key 'error' is missing"),
        ('kind = "latency"', 'kind = "sideways"', "kind: invalid enum value"),
        ('tier = "SHA-NI"', 'tier = "a tier with a long name"', "more than 14 characters"),
        ('tier = "SHA-NI"', 'teir = "SHA-NI"', "unknown key 'teir'"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in GOOD
    with pytest.raises(DataError) as error:
        load(tmp_path, GOOD.replace(old, new, 1))
    assert said in error.value.message and "roofline/x.toml" in error.value.message
    assert "\n" not in error.value.message


def test_a_tier_twice_and_no_folder(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="already in"):
        load(tmp_path, GOOD + GOOD[GOOD.index("[[model]]") :])
    with pytest.raises(DataError, match="is not a folder"):
        load_models(tmp_path / "nowhere")
