# SPDX-License-Identifier: Apache-2.0
"""L2: instruction kernels: their table, the assembly made from it, the interpreter that computes what each must yield, and the rules for a disassembly. May import L0 and L1.

A kernel is an algorithm `ISA.NAME` with the verbs `latency`, `throughput` or `sequence`; its implementations are `kernel` and the two calibrating chains.
"""
