# SPDX-License-Identifier: Apache-2.0
"""The laboratory of TLS: what a handshake costs each side, in time, memory and bytes."""
