# SPDX-License-Identifier: Apache-2.0
"""The words of a report: sentences, numbers with their intervals, the method, what is known of implementations."""
