# SPDX-License-Identifier: Apache-2.0
"""L6: the command line. The only place that prints, exits or reads the environment."""
