# SPDX-License-Identifier: Apache-2.0
"""What a report is made of: cells, grid, figures, tables, sections, as data that every renderer shows."""
