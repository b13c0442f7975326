# SPDX-License-Identifier: Apache-2.0
"""L7: the laboratories, a package each: operations, derivation, page, texts, command. A folder with a module `room` is found; no other package names it. May import L0 to L6.

The C sources and tables of a laboratory are data: `labs/NAME/` below the data root (docs/decisions/0061-folders-of-a-laboratory.md).
"""
