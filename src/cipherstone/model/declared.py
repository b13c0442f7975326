# SPDX-License-Identifier: Apache-2.0
"""A record's field is declared once, with its unit and meaning beside its type. The tables of a bundle, their SQL and the reference page are made of it."""

from __future__ import annotations

import msgspec


def column(unit: str, meaning: str, name: str = "") -> msgspec.Meta:
    """For `Annotated`: a field that is a column of its record's table. `unit`: "" if it has none; `meaning`: what it is, and what null or empty means; `name`: its public name, the field's own if "". A field without this is in no table."""
    return msgspec.Meta(description=meaning, extra={"unit": unit, "column": name})
