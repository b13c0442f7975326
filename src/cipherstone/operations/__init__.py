# SPDX-License-Identifier: Apache-2.0
"""L3: what is timed and what must come of it: the inputs of every operation, and the independent oracle, one module a family."""
