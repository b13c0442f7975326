# SPDX-License-Identifier: Apache-2.0
"""The second opinion of `doctor --programs`: a sample of cells, the minimal loops that make the same calls, and both in turn."""
