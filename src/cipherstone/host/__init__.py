# SPDX-License-Identifier: Apache-2.0
"""L2: what this machine is, whether it is fit to measure, IPC references, and the one-run-at-a-time lock."""
