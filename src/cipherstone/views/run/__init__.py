# SPDX-License-Identifier: Apache-2.0
"""From the records of a run to its summary: passes, pairs, ranking, fits, noise."""
