# SPDX-License-Identifier: Apache-2.0
"""What of a plan this machine has room for."""

from __future__ import annotations

from cipherstone.measure.plan import Plan
from cipherstone.model.errors import UsageError
from cipherstone.model.ids import Case
from cipherstone.model.records import Machine
from cipherstone.model.units import significant

MEMORY_PER_BYTE = 8  # of a message


def need_room(plan: Plan, machine: Machine) -> None:
    """Raises UsageError for a case whose messages this machine has no memory for: input and output in the worker, and both once more as text on their way."""
    sizes = [(Case.parse(planned.case).size_bytes or 0, planned.case) for planned in plan.cases]
    largest, case = max(sizes, default=(0, ""))
    if machine.memory_bytes is not None and MEMORY_PER_BYTE * largest > machine.memory_bytes:
        raise UsageError(
            f"{case}: messages of {_gib(largest)} do not fit the memory of this machine ({_gib(machine.memory_bytes)})",
            f"{_gib(machine.memory_bytes // MEMORY_PER_BYTE)} is the most",
        )


def _gib(size_bytes: int) -> str:
    return f"{significant(size_bytes / (1 << 30), 3)} GiB"
