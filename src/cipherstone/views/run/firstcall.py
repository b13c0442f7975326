# SPDX-License-Identifier: Apache-2.0
"""First calls as figures: medians over processes, with intervals. Pure."""

from __future__ import annotations

from cipherstone.model.records import FirstCallRecord
from cipherstone.model.summary import FirstCallSummary
from cipherstone.stats.interval import median_estimate


def first_call_summary(record: FirstCallRecord | None) -> FirstCallSummary | None:
    """None without a record, or without a process. Processes are independent, as the interval assumes: each begins with nothing."""
    if record is None:
        return None
    call, steady = median_estimate(record.first_call_ns), median_estimate(record.steady_call_ns)
    # A step is in the record for every process or for none; zip would hide a damaged record.
    parts = [p for p in (record.open_ns, record.seed_ns, record.fetch_ns, record.setup_ns) if p]
    whole = all(len(part) == len(record.first_call_ns) for part in parts)
    once = [float(sum(values)) for values in zip(*parts, record.first_call_ns, strict=True)] if whole else []
    total = median_estimate(once)
    if call is None or steady is None or total is None:
        return None
    return FirstCallSummary(
        processes=len(once),
        call=call,
        steady=steady,
        once=total,
        open=median_estimate(record.open_ns),
        seed=median_estimate(record.seed_ns),
        fetch=median_estimate(record.fetch_ns),
        setup=median_estimate(record.setup_ns),
        available=median_estimate(record.available_ns),
        teardown=median_estimate(record.teardown_ns),
    )
