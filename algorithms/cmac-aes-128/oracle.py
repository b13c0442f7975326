# SPDX-License-Identifier: Apache-2.0
"""CMAC-AES-128 by PyCryptodome."""

from Crypto.Cipher import AES
from Crypto.Hash import CMAC

COMPUTE = {"mac": lambda inputs: CMAC.new(inputs["key"], inputs["msg"], AES).digest()}
