# SPDX-License-Identifier: Apache-2.0
"""What the laboratory derives from a run, for other programs: what is sent in each handshake, one figure a row."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from cipherstone.labs.tls.results import CLIENT, Handshakes, Wire
from cipherstone.model.ids import Case
from cipherstone.model.summary import RunSummary
from cipherstone.report.export.rows import Metric, TidyRow, derived_row

UNITS = {"client_bytes": "B", "server_bytes": "B", "hello_bytes": "B"}


def tls_rows(run: RunSummary) -> Iterator[TidyRow]:
    """Bytes, records, sends and flights, with the client's case."""
    if not run.room:
        return
    cases = {(case.verb, Case.parse(case.case).params): case for case in run.cases}
    for row in msgspec.convert(run.room, Handshakes).rows:
        case = cases.get((CLIENT, tuple(row.params.items())))
        if row.wire is None or case is None:
            continue
        for field in Wire.__struct_fields__:
            unit = UNITS.get(field, "1")
            yield derived_row(
                run, case, row.lane, Metric(f"wire_{field}", getattr(row.wire, field), unit, note="counted")
            )
