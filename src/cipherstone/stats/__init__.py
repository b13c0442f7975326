# SPDX-License-Identifier: Apache-2.0
"""L1: statistics. Pure functions, numbers in and numbers out; the rules are section 8 of the method. May import L0.

Small sets (one value a pass, K <= 40) are handled with the standard library, sets of rounds with NumPy.
"""
