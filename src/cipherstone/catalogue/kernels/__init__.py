# SPDX-License-Identifier: Apache-2.0
"""L1: the kernels of the instruction laboratory: their table, the assembly made from it, and the interpreter that knows what each must compute.

A kernel is an algorithm `ISA.NAME` with the verbs `latency`, `throughput` or `sequence`; its implementations are `kernel` and the two calibrating chains.
"""

from __future__ import annotations

from cipherstone.catalogue.kernels.listing import is_kernel, kernel_catalogue, kernel_suite
from cipherstone.catalogue.kernels.program import ADD_CHAIN, KERNEL, ROR_CHAIN, Program, calibrator, program
from cipherstone.catalogue.kernels.proof import kernel_inputs, kernel_output, kernel_vectors
from cipherstone.catalogue.kernels.sources import generated_sources
from cipherstone.catalogue.kernels.table import ISAS, Kernel, Table, load_table

__all__ = [
    "ADD_CHAIN",
    "ISAS",
    "KERNEL",
    "ROR_CHAIN",
    "Kernel",
    "Program",
    "Table",
    "calibrator",
    "generated_sources",
    "is_kernel",
    "kernel_catalogue",
    "kernel_inputs",
    "kernel_output",
    "kernel_suite",
    "kernel_vectors",
    "load_table",
    "program",
]
