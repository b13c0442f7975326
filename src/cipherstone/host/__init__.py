# SPDX-License-Identifier: Apache-2.0
"""L2: facts of this machine, whether it is fit to measure, IPC references, and the one-run-at-a-time lock. May import L0 and L1."""
