# SPDX-License-Identifier: Apache-2.0
"""Plausible slips, one at a time, and whether a test notices: `make mutants`. docs/guides/work-on-it.md says how to read what it prints."""
