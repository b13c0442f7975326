# SPDX-License-Identifier: Apache-2.0
"""SLH-DSA-SHA2-128s by our own code from FIPS 205; the timed signature, some two million hashes, is a vector."""

from pathlib import Path

from cipherstone.operations.slhdsa_scheme import slh_dsa

SCHEME = slh_dsa("slh-dsa-sha2-128s", Path(__file__).with_name("vectors.json"))
