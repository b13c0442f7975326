# SPDX-License-Identifier: Apache-2.0
"""The catalogue, libraries and suite that a request selects from."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from cipherstone.catalogue.algorithms import Catalogue
from cipherstone.catalogue.libraries import Library
from cipherstone.catalogue.suites import Suite


class Scope(msgspec.Struct, frozen=True):
    """What one request selects from.

    `libraries`: the libraries and builds to choose from, by id. `text`: the filter to apply; "" if the suite is already filtered. `builds`: builds requested in addition to the default ones. `base`: the default base, a library or lane.
    """

    catalogue: Catalogue
    libraries: Mapping[str, Library]
    suite: Suite
    text: str
    builds: tuple[str, ...]
    base: str
