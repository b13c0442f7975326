# SPDX-License-Identifier: Apache-2.0
"""Agreement in ffdhe2048, in plain Python."""

from cipherstone.operations.finite_field import ffdh

SCHEME = ffdh(2048)
