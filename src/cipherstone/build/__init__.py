# SPDX-License-Identifier: Apache-2.0
"""L3: from an adapter, or upstream's source, to a worker executable that is cached by its content. May import L0 to L2."""
