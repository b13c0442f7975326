# SPDX-License-Identifier: Apache-2.0
"""AES-128-XTS over PyCryptodome's AES."""

from cipherstone.operations.aes_modes import XTS

COMPUTE = XTS
