# SPDX-License-Identifier: Apache-2.0
"""L1: what exists. Operations, libraries, suites, vectors, timed inputs, the oracle and the filter language; reads data files, prints nothing."""
