# SPDX-License-Identifier: Apache-2.0
"""L0: the words of the domain. Identifiers, units, records, errors; no I/O."""
