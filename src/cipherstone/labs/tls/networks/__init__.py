# SPDX-License-Identifier: Apache-2.0
"""Handshakes over networks that are made here: between two network namespaces, over a wire of our own or the kernel's netem, beside the model."""
