# SPDX-License-Identifier: Apache-2.0
"""What is known when the measuring of a run begins, or is resumed."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from cipherstone.model.records import Record


class Start(msgspec.Struct, frozen=True):
    """What a session begins with. `ipc_reference`: additions a cycle of an undisturbed core, as stored for this CPU model; None: nothing is. Of a resumed run `elapsed_s`, the seconds that it measured before, and `earlier`, its records."""

    ipc_reference: float | None = None
    elapsed_s: float = 0.0
    earlier: Iterable[Record] = ()


FRESH = Start()
