# SPDX-License-Identifier: Apache-2.0
"""Real servers under a bounded load of handshakes: what one costs their processes, beside the bare library."""
