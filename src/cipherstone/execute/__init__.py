# SPDX-License-Identifier: Apache-2.0
"""L5: what this machine does for a command: the survey of builds (`survey`), a run from survey to seal (`run`), proof without timing (`check`), counts under emulation (`counting`), minimal loops beside cells (`opinion`), and the machine's spectrum. May import L0 to L4."""
