# SPDX-License-Identifier: Apache-2.0
"""L3: what is timed and the expected output: the inputs of every operation, and the independent oracle, one module a family. May import L0 to L2."""
