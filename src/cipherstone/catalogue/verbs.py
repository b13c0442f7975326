# SPDX-License-Identifier: Apache-2.0
"""Verbs as data: `algorithms/verbs.toml`, and what is written from it (the SDK's table, a table of the protocol page)."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec

from cipherstone.catalogue.document import read_toml, shown
from cipherstone.catalogue.paths import data_root
from cipherstone.model.errors import DataError, UsageError, nearest

Proof = Literal["known-answer", "verified", "decides", "round-trip", "counted"]
Rejects = Literal["not-authentic", "bad-key", "implicit"]
FILE = "algorithms/verbs.toml"
MOST_INPUTS = 16  # of one verb; the SDK's tables have room for so many
_WORD = re.compile(r"[a-z][a-z0-9-]*\Z")


class Verb(msgspec.Struct, frozen=True):
    """What a verb takes and gives: see the head of `algorithms/verbs.toml` for every field.

    `room`: terms of a sum, names (of inputs and of lengths that an algorithm states) and numbers of bytes.
    """

    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    room: tuple[str | int, ...]
    proof: Proof
    optional: frozenset[str] = frozenset()
    secret: frozenset[str] = frozenset()
    declassified: frozenset[str] = frozenset()
    rejects: frozenset[Rejects] = frozenset()
    note: str = ""
    undoes: str = ""
    aside: bool = False
    facts_of: str = ""

    @property
    def needed(self) -> tuple[str, ...]:
        """Inputs that must be given, in order."""
        return tuple(name for name in self.inputs if name not in self.optional)

    def needed_with(self, lengths: Collection[str]) -> tuple[str, ...]:
        """The same for an algorithm that states these lengths: what has a stated length is no option (the SDK's `cs_shape_inputs` says the same)."""
        return tuple(name for name in self.inputs if name not in self.optional or name in lengths)

    def undone(self, outputs: Sequence[str]) -> dict[str, str]:
        """For the verb that this one undoes: which input here each of its `outputs` is. What both give (the secret of a KEM) is none."""
        return {name: name if name in self.inputs else "msg" for name in outputs if name not in self.outputs}

    @property
    def may_reject(self) -> bool:
        """Whether there are inputs that an honest implementation rejects, and says so."""
        return bool(self.rejects - {"implicit"})

    def output_bytes(self, inputs: Mapping[str, bytes], lengths: Mapping[str, int]) -> int:
        """Most bytes of output for these inputs, with the `lengths` that the algorithm states. Raises UsageError if a term is neither."""
        total = 0
        for term in self.room:
            if isinstance(term, int):
                total += term
            elif term in inputs:
                total += len(inputs[term])
            elif term in lengths:
                total += lengths[term]
            else:
                raise UsageError(
                    f"{self.name}: its output has as many bytes as '{term}', which is not given",
                    f"state it in the algorithm's `lengths`: lengths = {{ {term} = ... }}",
                )
        return total


class _Verb(msgspec.Struct, forbid_unknown_fields=True):
    inputs: list[str]
    outputs: list[str]
    room: str
    proof: Proof
    optional: list[str] = []
    secret: list[str] = []
    declassified: list[str] = []
    rejects: list[Rejects] = []
    note: str = ""
    undoes: str = ""
    aside: bool = False
    facts_of: str = ""


class _File(msgspec.Struct, forbid_unknown_fields=True):
    verb: dict[str, _Verb]


def load_verbs(root: Path) -> dict[str, Verb]:
    """Every verb by name, in the order of the file. Raises DataError: one line, the first thing that is wrong."""
    file = read_toml(root / "algorithms" / "verbs.toml", FILE, _File)
    found = {name: _checked(f"{FILE}: verb.{name}", name, raw) for name, raw in file.verb.items()}
    for name, verb in found.items():
        if verb.facts_of:
            _known(f"{FILE}: verb.{name}.facts_of", [verb.facts_of], found.keys() - {name})
        if verb.undoes:
            _known(f"{FILE}: verb.{name}.undoes", [verb.undoes], found)
            taken = verb.undone(found[verb.undoes].outputs).values()
            if len(set(taken)) != len(taken) or not set(taken) <= set(verb.inputs):
                raise DataError(
                    f"{FILE}: verb.{name}.undoes: the outputs of '{verb.undoes}' are no inputs of it",
                    "one output at most has no namesake among the inputs, and is msg",
                )
    return found


def _checked(where: str, name: str, raw: _Verb) -> Verb:
    if not _WORD.match(name):
        raise DataError(f"{where}: {shown(name)} is not a verb's name", "lower-case letters, digits and -")
    for index, text in enumerate(raw.inputs):
        if not _WORD.match(text) or text in raw.inputs[:index]:
            raise DataError(f"{where}.inputs[{index}]: {shown(text)} is no name, or stands twice", "lower-case letters")
    if len(raw.inputs) > MOST_INPUTS:
        raise DataError(f"{where}.inputs: {len(raw.inputs)} of them", f"at most {MOST_INPUTS}")
    _known(f"{where}.optional", raw.optional, raw.inputs)
    _known(f"{where}.secret", raw.secret, raw.inputs)
    _known(f"{where}.declassified", raw.declassified, raw.outputs)
    room = tuple(_term(f"{where}.room", part.strip(), (*raw.inputs, *raw.outputs)) for part in raw.room.split("+"))
    if raw.declassified and not raw.secret:
        raise DataError(f"{where}.declassified: {raw.declassified}, but nothing is secret", "remove it, or say what is")
    if (raw.proof in ("decides", "counted")) != (not raw.outputs):
        raise DataError(
            f"{where}.proof: '{raw.proof}', with {len(raw.outputs)} outputs", "outputs are what is compared"
        )
    return Verb(
        name,
        tuple(raw.inputs),
        tuple(raw.outputs),
        room,
        raw.proof,
        frozenset(raw.optional),
        frozenset(raw.secret),
        frozenset(raw.declassified),
        frozenset(raw.rejects),
        raw.note,
        raw.undoes,
        raw.aside,
        raw.facts_of,
    )


def _known(where: str, names: list[str], known: Collection[str]) -> None:
    for name in names:
        if name not in known:
            raise DataError(f"{where}: {shown(name)} is not one of them", nearest(name, known))


def _term(where: str, text: str, known: Collection[str]) -> str | int:
    if text.isdecimal():
        return int(text)
    if text not in known:
        raise DataError(f"{where}: {shown(text)} is neither an input nor an output nor a number", nearest(text, known))
    return text


@lru_cache(maxsize=4)
def verbs(root: Path) -> Mapping[str, Verb]:
    """`load_verbs`, read once a process."""
    return load_verbs(root)


def verb_named(name: str) -> Verb | None:
    """The verb of this name in the checkout that holds this package."""
    return verbs(data_root()).get(name)


def c_table(found: Mapping[str, Verb], lengths: Mapping[str, Mapping[str, int]]) -> str:
    """The SDK's tables (`sdk/c/src/verbs.h`): inputs by verb, and lengths of inputs by algorithm that every worker enforces."""
    rows = [
        f'    {{"{verb.name}", {{{", ".join(f"{chr(34)}{name}{chr(34)}" for name in (*verb.needed, *(n for n in verb.inputs if n in verb.optional))) or "0"}}}, {len(verb.needed)}, {len(verb.inputs)}}},'
        for verb in found.values()
    ]
    takes = {name for verb in found.values() for name in verb.inputs}
    fixed = [
        f'    {{"{algorithm}", "{name}", {size}}},'
        for algorithm, stated in lengths.items()
        for name, size in stated.items()
        if name in takes - LIBRARY_JUDGES
    ]
    return "\n".join(
        (
            "/* SPDX-License-Identifier: Apache-2.0 */",
            "/* Written from algorithms/ by `make docs`: do not edit. */",
            "/* clang-format off */",
            "static const cs_verb cs_verbs[] = {",
            *rows,
            "};",
            "static const cs_length cs_lengths[] = {",
            *fixed,
            "};",
            "/* clang-format on */",
            "",
        )
    )


# A signature that is too short must be rejected by the library, not by the harness: its stated length is that of the output.
LIBRARY_JUDGES = frozenset({"sig"})


def protocol_table(found: Mapping[str, Verb]) -> str:
    """The table of section 2 of `protocol/PROTOCOL.md`."""
    lines = ["| verb | inputs | output | secret | proven by |", "|---|---|---|---|---|"]
    for verb in found.values():
        inputs = ", ".join(f"`{name}`" + ("?" if name in verb.optional else "") for name in verb.inputs) or "none"
        output = " followed by ".join(verb.outputs) or "nothing"
        output += ", or rejected" if verb.may_reject else ""
        secret = ", ".join(f"`{name}`" for name in verb.inputs if name in verb.secret) or "-"
        note = f"; {verb.note}" if verb.note else ""
        lines.append(f"| `{verb.name}` | {inputs}{note} | {output} | {secret} | {verb.proof} |")
    return "\n".join(lines)
