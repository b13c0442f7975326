# SPDX-License-Identifier: Apache-2.0
"""L2: from an adapter and an installed library to a worker executable, cached by content."""
