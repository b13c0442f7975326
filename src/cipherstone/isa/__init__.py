# SPDX-License-Identifier: Apache-2.0
"""L2: instruction kernels: their table, the assembly made from it, the interpreter that knows what each must compute, and what a disassembly must show.

A kernel is an algorithm `ISA.NAME` with the verbs `latency`, `throughput` or `sequence`; its implementations are `kernel` and the two calibrating chains.
"""
