# SPDX-License-Identifier: Apache-2.0
"""L4: published figures of other programs, parsed and written as bundles that say so. They are shown, and never ranked beside measured ones. May import L0 to L3."""
