# SPDX-License-Identifier: Apache-2.0
"""ML-KEM-1024 by our own code from FIPS 203."""

from cipherstone.operations.mlkem_scheme import ml_kem

SCHEME = ml_kem("ml-kem-1024")
