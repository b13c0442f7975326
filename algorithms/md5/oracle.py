# SPDX-License-Identifier: Apache-2.0
"""MD5 by PyCryptodome."""

from Crypto.Hash import MD5

COMPUTE = {"hash": lambda inputs: MD5.new(inputs["msg"]).digest()}
