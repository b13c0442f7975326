# SPDX-License-Identifier: Apache-2.0
"""L7: the laboratories, one room each: operations, derivation, page, texts, command. A folder with a module `room` is found; nothing below names it."""
