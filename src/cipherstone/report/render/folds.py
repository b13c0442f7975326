# SPDX-License-Identifier: Apache-2.0
"""The bodies of a page's folds: in their places in a small page; in a large one packed as one text, which the page's script unpacks when the first fold opens."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from cipherstone.model.later import Later
from cipherstone.report.blocks.tables import packed_link

if TYPE_CHECKING:
    import markupsafe
else:
    markupsafe = Later("markupsafe")

# A page that is larger with all its folds in place has them packed: browsers open a page of this size at once.
MOST_BYTES = 750_000
MOST_ELEMENTS = 15_000
STORE = "<!--store-->"  # where the packed bodies stand
_PLACE = re.compile(r"<!--fold (\d+)-->")
_NUMBER = re.compile(r' data-pack="\d+"')
_ELEMENT = re.compile(r"<[a-z]")
_WITHOUT_SCRIPT = (
    '<noscript><p class="alert">What is folded in a report of this size opens with JavaScript. '
    "The CSV above has the same figures.</p></noscript>"
)


class Folds:
    """Collects bodies while a page is rendered. `number`: of the next body; its `details` element has it as `data-pack`."""

    def __init__(self) -> None:
        self._bodies: list[str] = []

    @property
    def number(self) -> int:
        """Number of the next body, from 0."""
        return len(self._bodies)

    def put(self, body: str) -> markupsafe.Markup:
        """Keeps `body` (HTML) and returns the sign that holds its place."""
        self._bodies.append(str(body))
        return markupsafe.Markup(f"<!--fold {len(self._bodies) - 1}-->")

    def in_place(self, page: str) -> str:
        """`page` with every body in its place."""
        return _PLACE.sub(lambda m: self._bodies[int(m[1])], _NUMBER.sub("", page)).replace(STORE, "")

    def packed(self, page: str) -> str:
        """`page` with all bodies packed at `STORE`; without script the page says where their figures are."""
        store = f'<template id="pages" data-packed="{packed_link(json.dumps(self._bodies, ensure_ascii=False))}"></template>'
        return _PLACE.sub("", page).replace(STORE, store + _WITHOUT_SCRIPT)


def is_large(page: str) -> bool:
    """Whether `page` exceeds `MOST_BYTES` or `MOST_ELEMENTS`."""
    return len(page.encode()) > MOST_BYTES or len(_ELEMENT.findall(page)) > MOST_ELEMENTS
