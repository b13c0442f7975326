# SPDX-License-Identifier: Apache-2.0
"""AES-128-GCM-SIV over PyCryptodome's AES."""

from cipherstone.operations.aes_modes import GCM_SIV

COMPUTE = GCM_SIV
