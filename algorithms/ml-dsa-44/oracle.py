# SPDX-License-Identifier: Apache-2.0
"""ML-DSA-44 by our own code from FIPS 204."""

from cipherstone.operations.mldsa_scheme import ml_dsa

SCHEME = ml_dsa("ml-dsa-44")
