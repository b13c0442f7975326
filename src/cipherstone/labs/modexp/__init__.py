# SPDX-License-Identifier: Apache-2.0
"""The modexp laboratory: every way of modular exponentiation in time and memory."""
