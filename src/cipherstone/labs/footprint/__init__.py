# SPDX-License-Identifier: Apache-2.0
"""The laboratory of footprints: how small a library gets in a program that works."""
