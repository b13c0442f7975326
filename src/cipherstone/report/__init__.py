# SPDX-License-Identifier: Apache-2.0
"""L5: a run as a person reads it, as text, page or export: `terminal`, `markdown` and `html` show the same figures in the same words. May import L0 to L4."""
