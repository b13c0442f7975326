# SPDX-License-Identifier: Apache-2.0
"""ML-KEM-512 by our own code from FIPS 203."""

from cipherstone.operations.mlkem_scheme import ml_kem

SCHEME = ml_kem("ml-kem-512")
