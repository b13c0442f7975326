# SPDX-License-Identifier: Apache-2.0
"""L3: plan, prove, calibrate, interleave, stop. Yields records; knows no store and no screen."""
