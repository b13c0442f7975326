# SPDX-License-Identifier: Apache-2.0
"""L4: a run as a person reads it. `html`, `markdown` and `terminal` show the same figures in the same words."""
