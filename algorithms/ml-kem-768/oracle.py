# SPDX-License-Identifier: Apache-2.0
"""ML-KEM-768 by our own code from FIPS 203."""

from cipherstone.operations.mlkem_scheme import ml_kem

SCHEME = ml_kem("ml-kem-768")
