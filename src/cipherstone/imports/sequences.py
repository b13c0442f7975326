# SPDX-License-Identifier: Apache-2.0
"""Outputs of the instruction timer of lelegard/cryptobench (`issues/mult.c`): `SEQUENCE: N ns/inst`, one line an AArch64 sequence."""

from __future__ import annotations

import re

from cipherstone.catalogue.document import shown
from cipherstone.catalogue.machines import load_published_machines
from cipherstone.catalogue.paths import data_root
from cipherstone.imports.caveats import known
from cipherstone.imports.figures import ImportedFigure, Publication
from cipherstone.model.errors import DataError

ORIGIN = "lelegard/cryptobench issues/mult.c, BSD-2-Clause"
LANE = "mult@cryptobench"
_LINE = re.compile(r"(?P<what>[a-z][a-z ]*[a-z]): +(?P<ns>[0-9]{1,9}\.[0-9]{1,9}) ns/inst\Z")
# The published names, in the published order, and the cases that they are in the instruction laboratory, whose sequences are the same.
CASES = {
    "nop": "aarch64.seq-nop/sequence",
    "add": "aarch64.seq-add/sequence",
    "adc": "aarch64.seq-adc/sequence",
    "adds": "aarch64.seq-adds/sequence",
    "adcs": "aarch64.seq-adcs/sequence",
    "mul": "aarch64.seq-mul/sequence",
    "mul umulh": "aarch64.seq-mul-umulh/sequence",
    "mul adcs umulh adcs": "aarch64.seq-mul-adcs-umulh-adcs/sequence",
    "mul adcs": "aarch64.seq-mul-adcs/sequence",
    "mul add umulh add": "aarch64.seq-mul-add-umulh-add/sequence",
    "ossl seq with adcs": "aarch64.seq-ossl-adcs/sequence",
    "ossl seq with add": "aarch64.seq-ossl-add/sequence",
    "pacia": "aarch64.seq-pacia/sequence",
    "autia": "aarch64.seq-autia/sequence",
    "pacia autia": "aarch64.seq-pacia-autia/sequence",
}


def looks_like_sequences(text: str) -> bool:
    """Whether `text` has lines of the instruction timer."""
    return re.search(r"^[a-z ]+: +[0-9]+\.[0-9]+ ns/inst$", text, re.MULTILINE) is not None


def parse_sequences(name: str, text: str) -> Publication:
    """The output `name` (file name without extension). Raises DataError naming the first line that is not understood."""
    figures = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        match = _LINE.match(line.strip())
        if match is None or match["what"] not in CASES:
            raise DataError(f"{name}: line {number}: {shown(line)} is not 'SEQUENCE: N ns/inst'", "give its raw output")
        case, ns = CASES[match["what"]], float(match["ns"])
        figures.append(
            ImportedFigure(case, LANE, ns or None, missing="" if ns else known().sequences.zero, line=number)
        )
    if not figures:
        raise DataError(f"{name}: no line 'SEQUENCE: N ns/inst'", "give the raw output of the instruction timer")
    # The clock is the one that reports of the same program state for the same machine.
    core = next((core for core in load_published_machines(data_root()).core if core.word in name), None)
    facts = {"arch": "arm64", "cpu": name if core is None else core.name}
    about = known().sequences
    return Publication(
        name=name,
        origin=ORIGIN,
        facts=facts,
        figures=tuple(figures),
        ghz=None if core is None else core.ghz,
        notes=(about.note, about.loop),
    )
