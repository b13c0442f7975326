# SPDX-License-Identifier: Apache-2.0
"""What a handshake must agree on, and whether its client may accept the certificates: by our own reader and PyCryptodome's signatures."""

from cipherstone.operations.handshakes import agreed, input_names, timed_input

COMPUTE = {"handshake-client": agreed, "handshake-server": agreed}
INPUTS = {name: timed_input(name) for name in input_names()}
