# SPDX-License-Identifier: Apache-2.0
"""L7: the laboratories, a package each: operations, derivation, page, texts, command. May import every other package. A folder with a module `room` is found; no other package names it.

The C sources and tables of a laboratory are data: `labs/NAME/` below the data root (docs/decisions/0061-folders-of-a-laboratory.md).
"""
