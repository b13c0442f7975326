# SPDX-License-Identifier: Apache-2.0
"""The instruction laboratory: what an instruction costs, and sequences of them."""
