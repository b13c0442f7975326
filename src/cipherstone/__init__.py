# SPDX-License-Identifier: Apache-2.0
"""cipherstone measures cryptographic libraries side by side: checked before timed, interleaved, an interval on every ratio."""

__version__ = "0.1.0"

# Anything that can move a number raises this; results of different methods are not compared (CHANGELOG, "Measurement changes").
METHOD_VERSION = "cbm-5"
