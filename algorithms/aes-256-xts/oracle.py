# SPDX-License-Identifier: Apache-2.0
"""AES-256-XTS over PyCryptodome's AES."""

from cipherstone.operations.aes_modes import XTS

COMPUTE = XTS
