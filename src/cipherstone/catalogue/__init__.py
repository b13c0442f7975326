# SPDX-License-Identifier: Apache-2.0
"""L1: loaders of the data files: operations, verbs, libraries, suites, vectors, published figures, and the filter language. May import L0; prints nothing."""
