# SPDX-License-Identifier: Apache-2.0
"""Conditions that operations can be called under (`algorithms/conditions.toml`): a fresh key for every call, odd addresses, cold caches, the output in the place of the message, another length of associated data.

They are parameters of a case like its others, behind them in its id, and left out of it where they have the value that holds without a word.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from cipherstone.catalogue.document import read_toml, shown
from cipherstone.catalogue.filter import Filter
from cipherstone.catalogue.paths import data_root
from cipherstone.model.errors import DataError, UsageError
from cipherstone.model.ids import Case, Params

if TYPE_CHECKING:
    from cipherstone.catalogue.algorithms import Operation

KEYS = 16  # of a ring: few enough that a table for each stays in a cache, enough that no predictor knows them all


class Condition(msgspec.Struct, frozen=True):
    """One condition. `usual` holds without a word; `values` are the others. `capability`: what a worker must be able to do, "" where the condition changes the inputs alone. `title`, `timed`, `untimed`: templates of an operation's."""

    name: str
    usual: str
    values: tuple[str, ...]
    capability: str
    verbs: tuple[str, ...]
    title: str
    timed: str
    untimed: str

    @property
    def shown(self) -> str:
        """`key=fresh`, `offset=1 to 63`."""
        return f"{self.name}={self.values[0]}" + (f" to {self.values[-1]}" if len(self.values) > 1 else "")

    def filled(self, operation: Operation, value: str) -> dict[str, str]:
        """Title and descriptions of `operation` under this condition."""
        return {
            "title": self.title.format(title=operation.title, value=value),
            "timed": self.timed.format(timed=operation.timed, value=value),
            "untimed": self.untimed.format(untimed=operation.untimed, value=value),
        }


class _Entry(msgspec.Struct, forbid_unknown_fields=True):
    usual: str
    capability: str
    verbs: tuple[str, ...]
    title: str
    timed: str
    untimed: str
    values: tuple[str, ...] = ()
    most: int = 0


class _File(msgspec.Struct, forbid_unknown_fields=True):
    condition: dict[str, _Entry]


def load_conditions(root: Path, verbs: Collection[str]) -> dict[str, Condition]:
    """Reads and checks `algorithms/conditions.toml` under `root`, by name in its order; none where there is no such file. Raises DataError."""
    path = root / "algorithms" / "conditions.toml"
    if not path.is_file():
        return {}
    name = f"algorithms/{path.name}"
    found: dict[str, Condition] = {}
    for key, entry in read_toml(path, name, _File).condition.items():
        where = f"{name}: condition.{key}"
        values = (*entry.values, *(str(number) for number in range(1, entry.most + 1)))
        if not values or entry.usual in values:
            raise DataError(f"{where}: has no value but the usual one, or has it twice", "values, or most")
        for verb in entry.verbs:
            if verb not in verbs:
                raise DataError(f"{where}.verbs: {shown(verb)} is not a verb that is known here", "see verbs.toml")
        one = Condition(
            key, entry.usual, values, entry.capability, entry.verbs, entry.title, entry.timed, entry.untimed
        )
        try:
            one.title.format(title="", value=""), one.timed.format(timed="", value="")
            one.untimed.format(untimed="", value="")
        except (KeyError, IndexError, ValueError) as error:
            raise DataError(f"{where}: {error} cannot be filled in", "title, timed, untimed, value") from None
        found[key] = one
    return found


@lru_cache(maxsize=2)
def _names(root: Path) -> Mapping[str, bool]:
    """Name of a condition -> whether a worker makes it true."""
    return {name: bool(one.capability) for name, one in load_conditions(root, _AnyVerb()).items()}


class _AnyVerb(frozenset[str]):
    def __contains__(self, verb: object) -> bool:
        return True


def without_conditions(params: Params) -> Params:
    """The parameters without conditions."""
    names = _names(data_root())
    return tuple(pair for pair in params if pair[0] not in names)


def conditions_of(params: Params) -> dict[str, str]:
    """The conditions among the parameters."""
    names = _names(data_root())
    return {name: value for name, value in params if name in names}


def call_conditions(params: Params) -> dict[str, str]:
    """Of the conditions those that a worker makes true: something is done before or between the calls."""
    names = _names(data_root())
    return {name: value for name, value in params if names.get(name)}


def worker_params(params: Params) -> Params:
    """The parameters as a worker is given them: without the conditions that change the inputs alone."""
    names = _names(data_root())
    return tuple(pair for pair in params if names.get(pair[0], True))


def bare(case: Case) -> Case:
    """The case without conditions: what its answers and its vectors are named after."""
    return msgspec.structs.replace(case, params=without_conditions(case.params))


def filter_terms(operation_id: str) -> list[str]:
    """Terms of a filter that mean an operation: `op:` without its conditions, and each condition by its name."""
    case = Case.parse(operation_id)
    return [f"op:{bare(case).operation}", *(f"{k}:{v}" for k, v in conditions_of(case.params).items())]


def under(operation: Operation, asked: Mapping[str, str], conditions: Mapping[str, Condition]) -> Operation | None:
    """The operation under conditions that are not usual, in the order of `conditions`; None where one has no sense for it or is no value."""
    if not all(
        name in conditions and value in conditions[name].values and operation.verb in conditions[name].verbs
        for name, value in asked.items()
    ):
        return None
    for name, condition in conditions.items():
        if name in asked:
            params = (*operation.params, (name, asked[name]))
            operation = msgspec.structs.replace(operation, params=params, **condition.filled(operation, asked[name]))
    # A ring of keys has inputs of its own for every call.
    return msgspec.structs.replace(operation, ring=1) if asked.get("key") == "fresh" else operation


def usual(operation: Operation, conditions: Mapping[str, Condition]) -> dict[str, str]:
    """What holds for the operation without a word, by condition."""
    return {name: one.usual for name, one in conditions.items() if operation.verb in one.verbs}


def asked_for(
    operation: Operation, selection: Filter | None, conditions: Mapping[str, Condition]
) -> Iterator[Operation]:
    """The operation, and the same under every combination of conditions that the selection names."""
    yield operation
    if selection is None or not selection.keys & conditions.keys():
        return
    named = {
        name: ("", *(value for value in one.values if selection.asks(name, value)))
        for name, one in conditions.items()
        if operation.verb in one.verbs
    }
    for combination in product(*named.values()):
        asked = {name: value for name, value in zip(named, combination, strict=True) if value}
        one = under(operation, asked, conditions) if asked else None
        if one is not None:
            yield one


def parse_param(text: str) -> tuple[str, str]:
    """`key=fresh`. Raises UsageError."""
    name, equals, value = text.partition("=")
    if not name or not equals or not value:
        raise UsageError(f"--param: '{text}' is not NAME=VALUE", "for example --param key=fresh or --param bits=2048")
    return name, value
