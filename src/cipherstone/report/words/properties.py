# SPDX-License-Identifier: Apache-2.0
"""What is known of an implementation, in words: said beside its name wherever it stands under a library's own choice."""

from __future__ import annotations

from cipherstone.model.summary import Properties

_CONSTANT_TIME = {"yes": "constant-time", "no": "not constant-time", "unknown": ""}


def property_words(known: Properties | None) -> str:
    """`not constant-time, tables`; "" where nothing is known."""
    if known is None:
        return ""
    said = (_CONSTANT_TIME[known.constant_time], "tables" if known.tables else "", known.hardware, known.note)
    return ", ".join(part for part in said if part)
