# SPDX-License-Identifier: Apache-2.0
"""L1: requests and replies of the worker protocol (protocol/PROTOCOL.md), encoded and decoded. May import L0; no I/O."""
