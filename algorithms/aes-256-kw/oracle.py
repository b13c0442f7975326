# SPDX-License-Identifier: Apache-2.0
"""AES-256 key wrap over PyCryptodome's AES."""

from cipherstone.operations.aes_modes import KEY_WRAP

COMPUTE = KEY_WRAP
