# SPDX-License-Identifier: Apache-2.0
"""The known answers of any algorithm: read from `algorithms/`, or made from the kernel table."""

from __future__ import annotations

from pathlib import Path

from cipherstone.catalogue.vectors import Vector, load_vectors
from cipherstone.operations.kernel_proof import kernel_vectors
from cipherstone.operations.kernels import is_kernel


def vectors_of(root: Path, algorithm: str) -> tuple[Vector, ...]:
    """Every known answer of an algorithm: of `algorithms/`, or of the kernel table for a kernel. Raises DataError."""
    return kernel_vectors(algorithm, root) if is_kernel(algorithm) else load_vectors(root, algorithm).vectors
