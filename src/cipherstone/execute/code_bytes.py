# SPDX-License-Identifier: Apache-2.0
"""Code bytes of the functions that a cell names, beside its other facts: the worker cannot count them itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import msgspec

from cipherstone.build.codesize import code_size
from cipherstone.measure.pool import Launch
from cipherstone.model.ids import Lane
from cipherstone.model.records import FactsRecord

SYMBOLS, CODE_BYTES = "symbols", "code_bytes"


def with_code_bytes(records: Iterable[FactsRecord], launches: Mapping[str, Launch]) -> Iterator[FactsRecord]:
    """The records, with `code_bytes` where a cell names `symbols` and its executable has them; the others as they are."""
    for record in records:
        symbols, launch = record.facts.get(SYMBOLS), launches.get(Lane.parse(record.lane).build_id)
        size = None
        if isinstance(symbols, str) and launch is not None:
            size = code_size(Path(launch.command[0]), symbols.split())
        if size is None:
            yield record
        else:
            yield msgspec.structs.replace(record, facts={**record.facts, CODE_BYTES: size.code_bytes})
