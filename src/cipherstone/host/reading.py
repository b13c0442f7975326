# SPDX-License-Identifier: Apache-2.0
"""Small files of the system."""

from __future__ import annotations

from pathlib import Path


def read_text(path: str) -> str | None:
    """The stripped text of a small system file, or None."""
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None


def cpuinfo_field(text: str, *names: str) -> str | None:
    """The first `name : value` of /proc/cpuinfo with one of the names."""
    for line in text.splitlines():
        key, colon, value = line.partition(":")
        if colon and key.strip() in names and value.strip():
            return value.strip()
    return None
