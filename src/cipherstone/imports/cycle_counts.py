# SPDX-License-Identifier: Apache-2.0
"""Programs that publish cycles: data lines of SUPERCOP, and the CSV of pqm4 and its relatives (mupq). A cycle of one machine is none of another, so cycles stay cycles."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator

from cipherstone.catalogue.document import shown
from cipherstone.imports.figures import ImportedFigure, Publication
from cipherstone.imports.names import algorithm_id, case_id
from cipherstone.model.errors import DataError

_SUPERCOP = re.compile(
    r"(?P<version>[0-9]{8}) (?P<host>\S+) (?P<abi>\S+) (?P<date>[0-9]{8}) (?P<operation>crypto_[a-z]+) (?P<primitive>\S+) (?P<what>\S+)(?P<rest>(?: \S+)*) ?\Z"
)
# By SUPERCOP's operation and word: our verb. Others are kept by their own words.
_VERBS = {
    ("kem", "keypair"): "keygen",
    ("kem", "enc"): "encaps",
    ("kem", "dec"): "decaps",
    ("sign", "keypair"): "keygen",
    ("sign", ""): "sign",
    ("sign", "open"): "verify",
    ("dh", "keypair"): "keygen",
    ("dh", ""): "derive",
    ("scalarmult", ""): "derive",
    ("scalarmult", "base"): "keygen-base",
    ("hash", ""): "hash",
    ("auth", ""): "mac",
    ("onetimeauth", ""): "mac",
    ("stream", "xor"): "encrypt",
    ("aead", "encrypt"): "seal",
    ("aead", "decrypt"): "open",
}
_SUPERCOP_NOTES = (
    "the stabilised quartile of 16 to 32 timings in a row; three such of each process, of which the first is taken here; of many compilers and implementations the fastest was chosen by the same kind of timing",
    "cycles of the counter that the machine has, often its constant one, not those of the core",
)
_PQM4_COLUMN = re.compile(r"(?P<what>[A-Za-z ]+) \[cycles\] \((?P<kind>mean|min|max)\)\Z")
_PQM4_VERBS = {
    "Key Generation": "keygen",
    "Encapsulation": "encaps",
    "Decapsulation": "decaps",
    "Sign": "sign",
    "Verify": "verify",
}
_PQM4_NOTES = (
    "means of a few executions on a Cortex-M4 board, cycles of its own counter; the smallest and largest are not taken over",
    "of the file only the section on speed is read: not stack, code size, and share of hashing",
)


def parse_supercop(name: str, text: str) -> Publication:
    """Data lines (`VERSION HOST ABI DATE crypto_X PRIMITIVE WORD ...`): those with cycles that were measured, others are passed over. Raises DataError."""
    figures: dict[tuple[str, str], ImportedFigure] = {}
    facts: dict[str, str] = {}
    chosen: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        match = _SUPERCOP.match(line)
        if match is None:
            if line.strip() and not line.startswith("+ "):
                raise DataError(f"{name}: line {number}: {shown(line)} is not a data line of SUPERCOP", "VERSION HOST ABI DATE crypto_X PRIMITIVE WORD ...")  # fmt: skip
            continue
        facts = {"arch": match["abi"], "cpu": match["host"], "date": "-".join((match["date"][:4], match["date"][4:6], match["date"][6:])), "version": match["version"]}  # fmt: skip
        if match["what"] == "implementation" and match["rest"]:
            chosen[match["primitive"]] = match["rest"].split()[0].rpartition("/")[2]
        if figure := _supercop(name, number, match, chosen):
            figures.setdefault((figure.case, figure.lane), figure)
    if not figures:
        raise DataError(f"{name}: no line with measured cycles", "give `data` or the unpacked `data.gz` of a machine")
    return Publication(
        name=name,
        origin="SUPERCOP data lines, public domain",
        facts=facts,
        figures=tuple(figures.values()),
        notes=_SUPERCOP_NOTES,
        program="supercop",
    )


def _supercop(name: str, number: int, match: re.Match[str], chosen: dict[str, str]) -> ImportedFigure | None:
    if not match["what"].endswith("cycles"):
        return None
    words = match["rest"].split()
    if len(words) < 2 or not re.fullmatch(r"-|[0-9]{1,12}", words[0]) or not re.fullmatch(r"[0-9]{1,15}", words[1]):
        return None  # of a trial of an implementation: it has other columns, and measures nothing that counts
    kind = match["operation"].removeprefix("crypto_")
    word = match["what"].removesuffix("cycles").rstrip("_")
    primitive, _, security = match["primitive"].partition("/")
    params = {}
    size = None if words[0] == "-" else int(words[0])
    if kind == "aead" and size is not None:
        size, params = size % 1_000_000, {"aad": str(size // 1_000_000)}
    if size == 0:
        params, size = {**params, "length": "0"}, None
    verb = _VERBS.get((kind, word), f"{kind}-{word}" if word else kind)
    lane = f"supercop@{match['version']}" + (f"+{security}" if security else "")
    lane += f":{chosen[match['primitive']]}" if match["primitive"] in chosen else ""
    case = case_id(algorithm_id(primitive), verb, size, **params)
    cycles = int(words[1])
    return ImportedFigure(case, lane, None, cycles=float(cycles), line=number) if cycles else None


def parse_pqm4(name: str, text: str) -> Publication:
    """`benchmarks.csv`: the tables under `Speed Evaluation`. Raises DataError naming the first line that is not understood."""
    try:
        rows = list(csv.reader(text.splitlines()))
    except csv.Error as error:
        raise DataError(f"{name}: not CSV: {error}", "give `benchmarks.csv` as it is") from None
    figures = tuple(_pqm4(name, rows))
    if not figures:
        raise DataError(f"{name}: no figures under 'Speed Evaluation'", "give `benchmarks.csv` as it is")
    return Publication(
        name=name,
        origin="pqm4 (mupq) benchmarks.csv, CC0-1.0",
        facts={"arch": "armv7e-m", "cpu": "Cortex-M4"},
        figures=figures,
        notes=_PQM4_NOTES,
        program="pqm4",
    )


def _pqm4(name: str, rows: list[list[str]]) -> Iterator[ImportedFigure]:
    columns: dict[int, str] = {}
    seen: Counter[tuple[str, str]] = Counter()
    for number, row in enumerate(rows, 1):
        filled = [text for text in row if text]
        if number > 1 and filled and filled[0].endswith("Evaluation"):
            return
        if len(filled) < 2:
            continue  # a title
        if row[0] == "Scheme":
            found = {place: _PQM4_COLUMN.match(text) for place, text in enumerate(row)}
            columns = {place: one["what"] for place, one in found.items() if one and one["kind"] == "mean"}
            if not columns or not set(columns.values()) <= set(_PQM4_VERBS):
                raise DataError(f"{name}: line {number}: {shown(','.join(row))} has other columns", "cycles, by mean, min and max")  # fmt: skip
            continue
        scheme, _, count = row[0].partition(" (")
        for place, what in columns.items():
            if place >= len(row) or not re.fullmatch(r"[0-9]{1,18}", row[place]):
                raise DataError(f"{name}: line {number}: {shown(row[place] if place < len(row) else '')} is no number of cycles", "the file is damaged")  # fmt: skip
            case = case_id(algorithm_id(scheme), _PQM4_VERBS[what])
            lane = f"pqm4@unknown:{row[1]}"
            seen[case, lane] += 1
            if seen[case, lane] > 1:
                raise DataError(f"{name}: line {number}: {shown(scheme)} of {shown(row[1])} stands twice", "the file is damaged")  # fmt: skip
            executions = re.match(r"([0-9]{1,18}) executions", count)
            yield ImportedFigure(case, lane, None, int(executions[1]) if executions else None, cycles=float(row[place]), line=number)  # fmt: skip
