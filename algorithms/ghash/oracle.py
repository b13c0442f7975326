# SPDX-License-Identifier: Apache-2.0
"""GHASH with integers: PyCryptodome does not offer it alone."""

from cipherstone.operations.ghash import ghash

COMPUTE = {"mac": lambda inputs: ghash(inputs["key"], inputs["msg"])}
