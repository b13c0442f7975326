# SPDX-License-Identifier: Apache-2.0
"""L4: the engine: plan, prove, calibrate, interleave, stop. It yields records and knows no store and no screen. May import L0 to L3."""
