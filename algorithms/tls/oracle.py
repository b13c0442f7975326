# SPDX-License-Identifier: Apache-2.0
"""What a handshake must agree on, whether its client may accept the certificates, and what must be received: by our own reader and PyCryptodome's signatures."""

from cipherstone.operations.handshakes import agreed, all_made, input_names, received, timed_input

COMPUTE = {
    "handshake-client": agreed,
    "handshake-server": agreed,
    "handshakes": all_made,
    "bulk-write": received,
    "bulk-read": received,
}
INPUTS = {name: timed_input(name) for name in input_names()}
