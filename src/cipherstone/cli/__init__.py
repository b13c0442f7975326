# SPDX-License-Identifier: Apache-2.0
"""L6: the command line. The only package that prints, exits or reads the environment. May import L0 to L5."""
