# SPDX-License-Identifier: Apache-2.0
"""`tools/published_survey.py REPORT.txt`: writes references/survey/tables.toml from the text of the survey's report (its figures as printed; none of its sentences).

Each figure gets the case of ours that does the same task, or the reason why there is none. The report is not part of this repository.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "references" / "survey" / "tables.toml"
HEAD = """# SPDX-License-Identifier: Apache-2.0
# Figures of a published report, as printed; not measured here. Written by tools/published_survey.py. "-": no figure was published.
library = "openssl"
conditions = "whole programs in C, gcc -O2, 30 runs each: mean and standard deviation of the task-clock of perf, and of the largest resident set of time; both as in our whole processes"
samples = 30

[[facts]]
title = "Lines of code"
columns = ["lines"]
where = "cipherstone list --about"
row = [
  { label = "BoringSSL", values = ["349 K"] },
  { label = "OpenSSL", values = ["675 K"] },
]
note = ["Counted by Open Hub in 2021, tests and tools included."]

[[platform]]
id = "time"
cpu = "Intel Core i7-6700K, 4.0 GHz; Ubuntu 18.04 in a virtual machine on Windows 10"
compiler = "gcc -O2"
architecture = "x86_64"

[[platform]]
id = "memory"
cpu = "Intel Core i7-6700K, 4.0 GHz; Ubuntu 18.04 in a virtual machine on Windows 10"
compiler = "gcc -O2"
architecture = "x86_64"
"""
LIBRARIES = {
    "OpenSSL": "openssl",
    "BoringSSL": "boringssl",
    "WolfSSL": "wolfssl",
    "Libcrypt": "libgcrypt",
    "Libgcrypt": "libgcrypt",
}
NAMES = {"openssl": "OpenSSL", "boringssl": "BoringSSL", "wolfssl": "wolfSSL", "libgcrypt": "Libgcrypt"}
# By the number of the table (what follows it has no published figure): the task, the case of ours, or why there is none.
TASKS = {
    "I": ("RSA-2048 key", "rsa-2048/keygen", ""),
    "II": ("DSA-2048 key", "dsa-2048-sha256/paramgen", ""),
    "III": ("P-256 key", "p-256/keygen", ""),
    "IV": ("AES-128-CBC, 4 KiB", "aes-128-cbc/encrypt/bytes=4096", ""),
    "IV, longer key": ("AES-256-CBC, 4 KiB", "aes-256-cbc/encrypt/bytes=4096", ""),
    "V": ("SHA-256, 4 KiB", "sha-256/hash/bytes=4096", ""),
    "VI": ("X.509 certificate", "", "table VI repeats table IV: no figure of certificates was published"),
}
UNITS = {"time": "ms/process", "memory": "KiB/process"}
FIGURE = "Figure 1: the largest resident set across libraries and algorithms"
FIGURE_NOTE = "Drawn from the published means of tables I to VI; the bars of certificates are those of AES, as table VI repeats table IV."
_ROW = re.compile(r"(\w*)\s+(time|mem)\.?(?: \((?:ms|kB)\))?\s+([\d.]+)\s+([\d.]+)\Z")
_TITLE = re.compile(r"Table ([IV]+)\. Benchmarks")

Printed = dict[tuple[str, str, str], tuple[str, str]]  # (library, table, time or memory) -> mean, standard deviation


def printed(text: str) -> Printed:
    """Every mean of the report with its deviation; the first table that is not understood ends it."""
    found: Printed = {}
    waiting: dict[tuple[str, str], tuple[str, str]] = {}
    library = ""
    for line in text.splitlines():
        if row := _ROW.match(line.strip("\n")):
            library = LIBRARIES[row[1]] if row[1] else library
            waiting[library, "time" if row[2] == "time" else "memory"] = (row[3], row[4])
        elif title := _TITLE.match(line):
            if title[1] not in TASKS or not waiting:
                raise SystemExit(f"a table that is not known: {line}")
            found |= {(name, title[1], what): mean for (name, what), mean in waiting.items()}
            waiting = {}
    return found


def table(library: str, what: str, means: Printed) -> str:
    """The figures of a library, a row a task."""
    unit = UNITS[what]
    name = NAMES[library]
    lines = [
        f'\n[[table]]\ntitle = "{name}, {what}"\nlibrary = "{library}"\nunits = {json.dumps([unit, unit])}\nrow = ['
    ]
    for number, (task, case, why) in TASKS.items():
        mean, deviation = means.get((library, number, what), ("-", "-"))
        values, deviations = ([one if what == column else "-" for column in UNITS] for one in (mean, deviation))
        ours = f'case = "{case}", implementation = "default"' if case else f'why = "{why}"'
        if mean == "-" and number == "VI":
            ours = f'why = "{name} has no function for it"'
        lines.append(
            f'  {{ label = "{name}: {task}, {what}", values = {json.dumps(values)}, deviations = {json.dumps(deviations)}, {ours} }},'
        )
    return "\n".join([*lines, "]\n"])


def figure(means: Printed) -> str:
    """Figure 1: the largest resident set of every library in every task."""
    groups = [
        (task, [f"{NAMES[library]}: {task}, memory" for library in NAMES if (library, number, "memory") in means])
        for number, (task, _, _) in TASKS.items()
    ]
    rows = "".join(
        f"  {{ label = {json.dumps(task)}, rows = {json.dumps(labels)} }},\n" for task, labels in groups if labels
    )
    return f"\n[[figure]]\ntitle = {json.dumps(FIGURE)}\nnote = {json.dumps(FIGURE_NOTE)}\ngroup = [\n{rows}]\n"


def main() -> int:
    """0."""
    means = printed(Path(sys.argv[1]).read_text(encoding="utf-8"))
    tables = [table(library, what, means) for what in UNITS for library in NAMES]
    TARGET.write_text(HEAD + figure(means) + "".join(tables), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
