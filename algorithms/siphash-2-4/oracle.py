# SPDX-License-Identifier: Apache-2.0
"""SipHash-2-4 from its paper."""

from cipherstone.operations.siphash import siphash

COMPUTE = {"mac": lambda inputs: siphash(inputs["key"], inputs["msg"])}
