# SPDX-License-Identifier: Apache-2.0
"""Vega-Lite specifications, their colours and markers, and drawing them."""
