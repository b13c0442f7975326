# SPDX-License-Identifier: Apache-2.0
"""Instructions counted on other machines, under emulation: `jobs` of builds and targets, a `cell` on its target, and the counts of a run."""
