# SPDX-License-Identifier: Apache-2.0
"""What a request is taken from: the catalogue, the libraries and the suite, as a laboratory or `run` has narrowed them."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from cipherstone.catalogue.algorithms import Catalogue
from cipherstone.catalogue.libraries import Library
from cipherstone.catalogue.suites import Suite


class Scope(msgspec.Struct, frozen=True):
    """`libraries`: those that may take part, with the builds that they may have. `text`: the filter that is still to be applied, "" where the suite has it already. `builds`: what is asked for beside plain builds. `base`: what all others are compared with where nobody names it."""

    catalogue: Catalogue
    libraries: Mapping[str, Library]
    suite: Suite
    text: str
    builds: tuple[str, ...]
    base: str
