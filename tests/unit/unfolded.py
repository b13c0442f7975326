# SPDX-License-Identifier: Apache-2.0
"""The text of a report with its folds in sight, whether they are in place or packed."""

from __future__ import annotations

import base64
import gzip
import json
import re

_STORE = re.compile(r'<template id="pages" data-packed="data:application/gzip;base64,([^"]*)"></template>')


def unfolded(page: str) -> str:
    """`page` with each packed body inside its `details` element; the same text if nothing is packed."""
    store = _STORE.search(page)
    if store is None:
        return page
    bodies = json.loads(gzip.decompress(base64.b64decode(store[1])))
    return re.sub(
        r'(<details[^>]*) data-pack="(\d+)"([^>]*>.*?</summary>)',
        lambda m: m[1] + m[3] + bodies[int(m[2])],
        page,
        flags=re.S,
    )
