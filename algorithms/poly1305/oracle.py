# SPDX-License-Identifier: Apache-2.0
"""Poly1305 with integers: PyCryptodome does not offer it alone."""

from cipherstone.operations.poly1305 import poly1305

COMPUTE = {"mac": lambda inputs: poly1305(inputs["key"], inputs["msg"])}
