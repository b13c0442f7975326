# SPDX-License-Identifier: Apache-2.0
"""Rows of the C source of kernels, registers that are written as themselves, and vectors of AArch64 that no other test moves."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from test_kernels_interpreter import execute

from cipherstone.isa.program import _literal_register
from cipherstone.isa.sources import KERNEL, _row


@pytest.mark.parametrize(
    ("assembled", "implementation", "run", "features"),
    [
        (True, KERNEL, "chosen", '"aes", NULL'),
        (False, KERNEL, "NULL", '"aes", NULL'),
        (True, "chain", "chosen", "NULL"),
        (False, "chain", "chosen", "NULL"),
    ],
)
def test_a_kernel_that_is_not_assembled_has_no_function(
    assembled: bool, implementation: str, run: str, features: str
) -> None:
    """Its chain has one all the same, and needs nothing of the processor."""
    kernel = SimpleNamespace(assembled=assembled, features=("aes",))
    chosen = SimpleNamespace(symbol="chosen", operation="none", iterations=3, length=4, units=5, instructions=6)
    assert _row(kernel, implementation, chosen) == (  # type: ignore[arg-type]
        f"    {{.run = {run}, .once = NULL, .turns = 3, .state_bytes = 4, .units = 5, .instructions = 6, .features = {{{features}}}}},"
    )


@pytest.mark.parametrize(
    ("isa", "name", "found", "size"),
    [
        ("x86-64", "xmm1", "xmm1", 16),
        ("x86-64", "ymm15", "ymm15", 32),
        ("x86-64", "zmm31", "zmm31", 64),
        ("x86-64", "rax", "rax", 8),
        ("aarch64", "v3", "v3", 16),
        ("aarch64", "q3", "v3", 16),
        ("aarch64", "x3", "x3", 8),
    ],
)
def test_a_register_that_is_named_is_shared(isa: str, name: str, found: str, size: int) -> None:
    register = _literal_register(isa, name)  # type: ignore[arg-type]
    assert (register.name, register.bytes, register.shared) == (found, size, True)


def test_bits_of_vectors_on_aarch64() -> None:
    a, b = (1 << 127) | 0xF0F0, (1 << 126) | 0xFF00
    assert execute("aarch64", "eor v1.16b, v2.16b, v3.16b", {"v1": 0, "v2": a, "v3": b})["v1"] == a ^ b
    left = execute("aarch64", "mul x3, x1, x2; umulh x4, x1, x2", {"x1": 1 << 63, "x2": 6, "x3": 0, "x4": 0})
    assert (left["x3"], left["x4"]) == (0, 3)
