# SPDX-License-Identifier: Apache-2.0
"""Sentences on deviations that are new, or gone."""

from __future__ import annotations

from cipherstone.catalogue.deviations import Deviating
from cipherstone.views.deviations import Surprise


def surprise_words(one: Surprise) -> str:
    """What is seen of an operation of a build, and what is known of its version."""
    seen = "right" if one.seen is None else _words(one.seen)
    known = "right" if one.known is None else _words(one.known)
    return f"{seen} here; this version is known to be {known}"


def _words(how: Deviating) -> str:
    kinds = f" ({', '.join(sorted(how.kinds))})" if how.kinds else ""
    return f"{how.outcome}{kinds}"
