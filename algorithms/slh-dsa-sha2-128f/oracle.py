# SPDX-License-Identifier: Apache-2.0
"""SLH-DSA-SHA2-128f by our own code from FIPS 205."""

from cipherstone.operations.slhdsa_scheme import slh_dsa

SCHEME = slh_dsa("slh-dsa-sha2-128f")
