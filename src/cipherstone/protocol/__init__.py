# SPDX-License-Identifier: Apache-2.0
"""L1: requests and replies of the worker protocol (protocol/PROTOCOL.md), encoded and decoded. No I/O."""
