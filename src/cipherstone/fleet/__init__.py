# SPDX-License-Identifier: Apache-2.0
"""L5: runs on this machine from survey to seal, counts under emulation, the second opinion of minimal loops, and the machine's spectrum. May import L0 to L4."""
