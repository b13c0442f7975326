# SPDX-License-Identifier: Apache-2.0
"""A run as other programs read it: CSV, JSON, and the Go benchmark format for `benchstat`."""
