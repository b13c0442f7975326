# SPDX-License-Identifier: Apache-2.0
"""Options of `cipherstone lab modexp` as changes of its suite: fewer sections, fewer cases, fewer lanes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

import msgspec

from cipherstone.catalogue.libraries import Library
from cipherstone.catalogue.suites import Section, Suite
from cipherstone.labs.modexp.names import LAB, LIMBS, REDUCTIONS
from cipherstone.labs.modexp.results import PRIVATE, modulus_bits, with_crt
from cipherstone.model.errors import UsageError, nearest
from cipherstone.model.ids import build_label

BASE_ROW = "mont-64-rm5"  # what the A/A lane repeats, in every case of an exponentiation
QUICK_TIME = "40s"
TABLE = "table"  # the section of the published table
_QUICK_ROWS = "impl:/^(basic|barrett|mont)-64-(fast|ladder|(fw|rm)[2-6])$/"


class Narrowing(msgspec.Struct, frozen=True):
    """What the options ask for; empty means everything."""

    bits: tuple[int, ...] = ()
    crt: bool | None = None
    quick: bool = False
    libraries: bool = True
    windows: tuple[int, ...] = ()
    limbs: tuple[int, ...] = ()
    reductions: tuple[str, ...] = ()


def number_list(name: str, text: str | None, offered: Collection[int], wrong: str = "out of range") -> tuple[int, ...]:
    """`2048,4096` as numbers, each of them offered. Raises UsageError in one line: `bits: '1000' is not measured`."""
    found = []
    for word in (text or "").split(",") if text is not None else ():
        number = int(word) if word.strip().isdecimal() and len(word) < 10 else -1
        if number not in offered:
            raise UsageError(f"{name}: '{word}' is {wrong}", f"one of {' '.join(map(str, sorted(offered)))}")
        found.append(number)
    return tuple(dict.fromkeys(found))


def reduction_list(text: str | None) -> tuple[str, ...]:
    """`mont,cios` as names. Raises UsageError."""
    found = []
    for word in (text or "").split(",") if text is not None else ():
        if word not in REDUCTIONS:
            raise UsageError(f"reduction: '{word}' is not one of ours", nearest(word, REDUCTIONS))
        found.append(word)
    return tuple(dict.fromkeys(found))


def base_of(lab: Library, implementation: str) -> str:
    """The lane of a laboratory's own build that others are compared with, as `--base` names it."""
    return f"{build_label(lab.id, lab.default_builds[0].name)}:{implementation}"


def bits_offered(suite: Suite) -> tuple[int, ...]:
    """Moduli that the suite measures."""
    return tuple(sorted({modulus_bits(case.id) for case in suite.cases}))


def narrowed(suite: Suite, wish: Narrowing) -> Suite:
    """The suite with what `wish` leaves. Raises UsageError if nothing is left."""
    sections = [_section(section, wish) for section in suite.sections if not wish.quick or section.id == TABLE]
    left = tuple(section for section in sections if section.cases)
    if not left:
        what = [f"bits {', '.join(map(str, wish.bits))}"] if wish.bits else []
        what += [] if wish.crt is None else ["with CRT" if wish.crt else "without CRT"]
        what += ["the rows of the published table"] if wish.quick else []
        raise UsageError(
            f"nothing to measure: the suite has no case of {', '.join(what)}",
            "moduli of 1024 to 8192 bits have CRT; the published table is of 2048 bits with CRT",
        )
    return msgspec.structs.replace(suite, sections=left, builds=suite.builds if _with_libraries(wish) else ())


def filtered(suite: Suite, text: str) -> Suite:
    """The suite with lanes that the filter `text` leaves. A plain run looks at the whole catalogue; a laboratory never leaves its suite."""
    if not text:
        return suite
    sections = (msgspec.structs.replace(section, lanes=f"({section.lanes}) ({text})") for section in suite.sections)
    return msgspec.structs.replace(suite, sections=tuple(sections))


def _with_libraries(wish: Narrowing) -> bool:
    return wish.libraries and not wish.quick


def _section(section: Section, wish: Narrowing) -> Section:
    cases = tuple(case for case in section.cases if _wanted(case.id, case.verb, wish))
    operations = tuple(dict.fromkeys(case.operation for case in cases))
    lanes = [f"({section.lanes})"]
    if wish.quick:
        lanes.append(_QUICK_ROWS)
    if not wish.libraries:
        lanes.append(f"library:{LAB}")
    if wish.windows or wish.limbs or wish.reductions:
        lanes.append(f"(-library:{LAB} OR impl:/{_rows(wish)}/)")
    return msgspec.structs.replace(section, cases=cases, operations=operations, lanes=" ".join(lanes))


def _wanted(case: str, verb: str, wish: Narrowing) -> bool:
    if wish.bits and modulus_bits(case) not in wish.bits:
        return False
    return wish.crt is None or (verb == PRIVATE and with_crt(case) == wish.crt)


def _rows(wish: Narrowing) -> str:
    """A regular expression for names of rows; `fast` and `ladder` have no window and always stay, as the products and squarings do."""
    reductions = _any(re.escape(name) for name in wish.reductions or tuple(REDUCTIONS))
    limbs = _any(str(limb) for limb in wish.limbs or LIMBS)
    windows = _any(str(width) for width in wish.windows) if wish.windows else "[1-7]"
    return f"^{reductions}-{limbs}(-(fast|ladder|(fw|rm){windows}([.]ct)?))?$"


def _any(words: Iterable[str]) -> str:
    found: Sequence[str] = list(words)
    return found[0] if len(found) == 1 else f"({'|'.join(found)})"
