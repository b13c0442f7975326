# SPDX-License-Identifier: Apache-2.0
"""Speed programs that libraries bring, beside our own figures of the same code on the same CPU in the same minute."""
