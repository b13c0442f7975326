# SPDX-License-Identifier: Apache-2.0
"""Interoperability: every TLS library of the laboratory as client of every other, and of the reference peer."""
