# SPDX-License-Identifier: Apache-2.0
"""L3: from records to what a run says. `summarise.summarise` for one run, `compare.compare_runs` and `compare.compare_lanes` for two sides."""
