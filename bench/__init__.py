# SPDX-License-Identifier: Apache-2.0
"""Benchmarks of the instrument itself. `python -m bench.selfcheck` runs them; none of them is a test."""
