# SPDX-License-Identifier: Apache-2.0
"""L0: the words of the domain: identifiers, units, records, summaries, requests and errors. May import no other package; no I/O."""
