# SPDX-License-Identifier: Apache-2.0
"""L4: from stored records to summaries: `run` for one run, `compare` for two, `published` and `foreign` for figures of others. May import L0 to L3."""
