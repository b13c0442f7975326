# SPDX-License-Identifier: Apache-2.0
"""L4: where a plan runs. Here: on this machine."""
