# SPDX-License-Identifier: Apache-2.0
"""Which for what: of each table of a published page, what is first in most of its tasks, here and as published, in a sentence with its figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import msgspec

from cipherstone.model.estimate import Estimate
from cipherstone.model.published import CALLS_OF, Beside, PublishedLine, PublishedTables
from cipherstone.model.units import significant
from cipherstone.views.published import likest

LESS = frozenset({"us", "ms/process", "KiB/process", *CALLS_OF})  # units of which less is better
KINDS = {"ms/process": "Time of a whole program", "KiB/process": "Memory of a whole program"}
GENERATOR = " (FP)"  # a multiplication of a fixed point, which is another task
_DIGITS = 3


class Choice(msgspec.Struct, frozen=True):
    """One task that several can do: figures by name, of ours and as published, these with how they are printed. `group`: what it is shown under."""

    group: str
    task: str
    unit: str
    here: dict[str, Estimate]
    published: dict[str, float]
    printed: dict[str, str]

    @property
    def less(self) -> bool:
        """Whether less is better."""
        return self.unit in LESS


class Winner(msgspec.Struct, frozen=True):
    """What is first in most tasks of a group: `wins` of `tasks`; and the one of these in which it is first by most, with its figure in `unit` and how many times better that is than the next one's. `ties`: tasks without a first."""

    name: str
    wins: int
    tasks: int
    ties: int
    example: str
    unit: str
    value: str
    next_name: str
    ratio: float


def choices(found: Beside) -> list[Choice]:
    """The tasks of the page that two or more do, in its order. Of its platforms the likest."""
    near = likest(found)
    groups: dict[tuple[str, str, str], tuple[dict[str, Estimate], dict[str, float], dict[str, str]]] = {}
    for table in found.tables:
        if table.unit == "ratio":
            continue
        for row in table.rows:
            if (place := _place(table, row)) is not None:
                group, task, name = place
                here, published, printed = groups.setdefault((group, task, table.unit), ({}, {}, {}))
                if row.ours is not None and row.ours.value > 0:  # of 0 nothing is a multiple
                    here[name] = row.ours
                for cell in (row.cells[number] for number in near):
                    if cell.published is not None and cell.published > 0:
                        published[name], printed[name] = cell.published, cell.printed
    return [
        Choice(group, task, unit, here, published, printed)
        for (group, task, unit), (here, published, printed) in groups.items()
        if max(len(here), len(published)) > 1
    ]


def advice_lines(found: Beside) -> list[str]:
    """A sentence for each group of tasks, none for a page of one library's single ways."""
    return [f"{group}: {told}" for group, told in advice(found)]


def advice(found: Beside) -> list[tuple[str, str]]:
    """The groups and what is said of each."""
    groups: dict[str, list[Choice]] = {}
    for one in choices(found):
        groups.setdefault(one.group, []).append(one)
    return [(group, told) for group, members in groups.items() if (told := _told(members))]


def winner(members: Sequence[Choice], ours: bool) -> Winner | None:
    """Of ours, or of the published figures; None where no task has a first. Two of ours whose intervals overlap tie."""
    told = [(one, _ordered(one, ours)) for one in members if len(one.here if ours else one.published) > 1]
    first = [(one, order) for one, order in told if not _tied(one, order, ours)]
    if not first:
        return None
    name, wins = Counter(order[0] for _, order in first).most_common(1)[0]
    won = [(_ratio(one, order, ours), number) for number, (one, order) in enumerate(first) if order[0] == name]
    ratio, number = max(won)
    one, order = first[number]
    value = significant(one.here[name].value, _DIGITS) if ours else one.printed[name]
    return Winner(name, wins, len(told), len(told) - len(first), one.task, one.unit, value, order[1], ratio)


def _place(table: PublishedTables, row: PublishedLine) -> tuple[str, str, str] | None:
    """(group, task, name) of a row that stands beside others of its task."""
    if not row.case:  # the page repeats another table, or nothing here is of its task
        return None
    if row.column:
        return table.title, row.operation, row.column
    if table.unit in KINDS:
        name, _, task = row.label.partition(": ")
        return KINDS[table.unit], task.rpartition(", ")[0], name
    task, comma, name = row.label.partition(", ")
    if not comma:
        return None
    plain = name.removesuffix(GENERATOR)
    return table.title, task if plain == name else f"{task}, the generator", plain


def _values(one: Choice, ours: bool) -> Mapping[str, float]:
    return {name: value.value for name, value in one.here.items()} if ours else one.published


def _ordered(one: Choice, ours: bool) -> list[str]:
    """Names, the best first."""
    values = _values(one, ours)
    return sorted(values, key=lambda name: values[name] if one.less else -values[name])


def _tied(one: Choice, order: Sequence[str], ours: bool) -> bool:
    if not ours:
        return one.published[order[0]] == one.published[order[1]]
    better, worse = (one.here[name] for name in order[:2])
    if not one.less:
        better, worse = worse, better
    high, low = better.high if better.high is not None else better.value, worse.low if worse.low is not None else worse.value  # fmt: skip
    return high >= low


def _ratio(one: Choice, order: Sequence[str], ours: bool) -> float:
    values = _values(one, ours)
    first, second = values[order[0]], values[order[1]]
    return second / first if one.less else first / second


def _told(members: Sequence[Choice]) -> str:
    here, there = winner(members, ours=True), winner(members, ours=False)
    parts = []
    if here is not None:
        parts.append(f"here {_words(here)}")
    elif any(len(one.here) > 1 for one in members):
        parts.append("here no task has a first")
    if there is not None:
        parts.append(f"on the page {_words(there)}")
    return f"{'; '.join(parts)}." if parts else ""


def _words(one: Winner) -> str:
    """`OpenSSL is first in 8 of 10 tasks (1 without a first), by most in signature: 400 us, a factor of 1.90 over GnuTLS`."""
    ties = f" ({one.ties} without a first)" if one.ties else ""
    tasks = f"{one.wins} of {one.tasks} tasks" if one.tasks > 1 else "its one task"
    return (
        f"{one.name} is first in {tasks}{ties}, by most in {one.example}: {one.value} {one.unit}, "
        f"a factor of {significant(one.ratio, _DIGITS)} over {one.next_name}"
    )
