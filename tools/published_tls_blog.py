# SPDX-License-Identifier: Apache-2.0
"""`tools/published_tls_blog.py PAGE.txt`: writes references/tls-blog/tables.toml from the text of the page (its figures as printed; none of its sentences).

Each figure gets the cases of ours that do the same, or the reason why there is none. The page is not part of this repository.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "references" / "tls-blog" / "tables.toml"
HEAD = """# SPDX-License-Identifier: Apache-2.0
# Figures of a published page, as printed, in seconds; not measured here. Written by tools/published_tls_blog.py. "-": no figure was published.
library = "tls@boringssl"
build = "tls@boringssl"
conditions = "one run each of 200 or 500 handshakes of TLS 1.2 with AES-256-GCM, client and server (BoringSSL) on one board, its clock fixed; seconds for all of them"

[[platform]]
id = "HiKey620"
cpu = "HiSilicon Kirin 620, 8 Arm Cortex-A53 at 1.2 GHz"
compiler = "clang 5.0 of Android's NDK r16b"
architecture = "aarch64"

[[facts]]
title = "Shared libraries of BoringSSL, made small"
columns = ["KB"]
where = "cipherstone footprint --shared -l boringssl"
row = [
  { label = "libcrypto.so", values = ["1072"] },
  { label = "libssl.so", values = ["276"] },
]

[[facts]]
title = "ClientHello"
columns = ["B"]
where = "cipherstone lab tls"
row = [
  { label = "Mbed TLS", values = ["470"] },
  { label = "BoringSSL", values = ["213"] },
]
"""
TITLES = ("Default", "Software only", "P-256 for the key exchange")
LIBRARIES = {"Mbed TLS": "tls@mbedtls", "BoringSSL": "tls@boringssl"}
SOFTWARE = {"Mbed TLS": "tls@mbedtls-3.6+noasm", "BoringSSL": "tls@boringssl~noaccel"}
GROUPS = {  # of the key exchange, by table
    "Mbed TLS": ("p-384", "p-384", "p-256"),
    "BoringSSL": ("x25519", "x25519", "p-256"),
}
CERTS = {"RSA_2048": ("RSA-2048", "rsa-2048"), "ECDSA_256": ("ECDSA P-256", "p-256")}
SIGNERS = {"Ed25519": "ed25519", "ECDSA": "p-256", "RSA": "rsa-2048"}
AMOUNT = "256 MiB here; the page does not say how much"
CALLS = 16384  # of 16 KiB each
AS_THERE = ",suite=aes-256-gcm,chain=1,ca=rsa-2048"
DATA = {"Write": ("write", "read"), "Read": ("read", "write")}  # what the library does, and the other end
_ROW = re.compile(r" *(?:Handshakes - (\w+) \(x200\)|(Write|Read) - ECDSA_256 \(AES-GCM\)) (\S+) (\S+)\Z")
_SIGNED = re.compile(r" *Handshakes - (Ed25519|ECDSA|RSA) (\S+) (\d+) bits (\d+) bits(?: ([\d.]+)%)?\Z")
_TIME = re.compile(r"(\d+)m(\d+\.\d+)s\Z")


class Printed(NamedTuple):
    """`tables`: by table, the rows with (task, Mbed TLS, BoringSSL); `signed`: of the last one (name, seconds, bits of key and signature, degradation)."""

    tables: list[list[tuple[str, str, str]]]
    signed: list[tuple[str, str, str, str, str]]


def seconds(text: str) -> str:
    """`0m03.12s` as `3.12`."""
    found = _TIME.match(text)
    if found is None:
        raise SystemExit(f"no time: {text}")
    return f"{60 * int(found[1]) + float(found[2]):.2f}"


def printed(text: str) -> Printed:
    """Every time of a handshake or of bulk data; a table is over when a task comes again."""
    found = Printed([], [])
    for line in text.splitlines():
        if row := _ROW.match(line):
            task = row[1] or row[2]
            if not found.tables or task in [one[0] for one in found.tables[-1]]:
                found.tables.append([])
            found.tables[-1].append((task, seconds(row[3]), seconds(row[4])))
        elif row := _SIGNED.match(line):
            found.signed.append((row[1], seconds(row[2]), row[3], row[4], row[5] or ""))
    return found


def _case(side: str, group: str, cert: str) -> str:
    return f"tls/handshake-{side}/version=1.2,group={group},cert={cert},mode=full{AS_THERE}"


def _ours(group: str, cert: str, server: str) -> str:
    """The client's case, and that of the server that it waits for."""
    behind = f'{{ case = "{_case("server", group, cert)}", implementation = "default", library = "{server}" }}'
    return f'case = "{_case("client", group, cert)}", implementation = "default", plus = [{behind}]'


def _line(**fields: str) -> str:
    words = ", ".join(f"{name} = {value}" for name, value in fields.items() if name != "ours")
    return f"  {{ {words}, {fields['ours']} }},"


def table(number: int, rows: list[tuple[str, str, str]]) -> str:
    """One of the three, libraries across."""
    libraries = SOFTWARE if number == 1 else LIBRARIES
    lines = [f'\n[[table]]\ntitle = "{TITLES[number]}"\nunits = ["s/200"]\nrow = [']
    for task, *times in rows:
        if task in DATA:
            continue
        for (column, library), time in zip(libraries.items(), times, strict=True):
            known = CERTS[task]
            operation = f"{known[0]}, 200 handshakes"
            ours = _ours(GROUPS[column][number], known[1], libraries["BoringSSL"])
            note = "the key exchange is with P-384, as there" if number < 2 and column == "Mbed TLS" else ""
            more = {"note": json.dumps(note)} if note else {}
            lines.append(
                _line(
                    label=json.dumps(f"{TITLES[number]}: {operation}, {column}"),
                    operation=json.dumps(operation),
                    column=json.dumps(column),
                    values=json.dumps([time]),
                    library=json.dumps(library),
                    **more,
                    ours=ours,
                )
            )
    return "\n".join([*lines, "]\n"])


def data(number: int, rows: list[tuple[str, str, str]]) -> str:
    """What was written and read in one of the tables, libraries across."""
    libraries = SOFTWARE if number == 1 else LIBRARIES
    lines = [f'\n[[table]]\ntitle = "{TITLES[number]}: data"\nunits = ["s/{CALLS}"]\nrow = [']
    for task, *times in rows:
        for (column, library), time in zip(libraries.items(), times, strict=True):
            does, other = (
                f"tls/bulk-{side}/bytes=16384,version=1.2,suite=aes-256-gcm,write=16384" for side in DATA[task]
            )
            behind = f'{{ case = "{other}", implementation = "default", library = "{libraries["BoringSSL"]}" }}'
            lines.append(
                _line(
                    label=json.dumps(_data_label(number, task, column)),
                    operation=json.dumps(task),
                    column=json.dumps(column),
                    values=json.dumps([time]),
                    library=json.dumps(library),
                    note=json.dumps(AMOUNT),
                    ours=f'case = "{does}", implementation = "default", plus = [{behind}]',
                )
            )
    return "\n".join([*lines, "]\n"])


def _data_label(number: int, task: str, column: str) -> str:
    return f"{TITLES[number]}: {task}, {column}"


def data_quotients() -> str:
    """What no amount changes."""
    lines = ['\n[[table]]\ntitle = "Data: one time over another"\nunits = ["ratio"]\nrow = [']
    for task in DATA:
        for label, over, under in (
            (f"{task}: Mbed TLS over BoringSSL", (0, "Mbed TLS"), (0, "BoringSSL")),
            (f"{task}: BoringSSL, software only over default", (1, "BoringSSL"), (0, "BoringSSL")),
        ):
            above, below = (json.dumps(_data_label(number, task, column)) for number, column in (over, under))
            lines.append(f"  {{ label = {json.dumps(label)}, over = {above}, under = {below} }},")
    return "\n".join([*lines, "]\n"])


def signatures(rows: list[tuple[str, str, str, str, str]]) -> str:
    """The last table, and its degradation as a quotient."""
    lines = ['\n[[table]]\ntitle = "BoringSSL by kind of certificate, 500 handshakes"\nunits = ["s/500"]\nrow = [']
    labels = {}
    for name, time, key, signature, _ in rows:
        labels[name] = f"{name} (key of {key} bits, signature of {signature})"
        ours = _ours("x25519", SIGNERS[name], "tls@boringssl")
        lines.append(_line(label=json.dumps(labels[name]), values=json.dumps([time]), ours=ours))
    lines += ["]", '\n[[table]]\ntitle = "Degradation: time over that of Ed25519"\nunits = ["ratio"]\nrow = [']
    for name, _, _, _, told in rows:
        if told:
            note = json.dumps(f"printed as {told} %")
            over, under = json.dumps(labels[name]), json.dumps(labels["Ed25519"])
            lines.append(f'  {{ label = "{name} over Ed25519", over = {over}, under = {under}, note = {note} }},')
    return "\n".join([*lines, "]\n"])


def main() -> int:
    """0."""
    found = printed(Path(sys.argv[1]).read_text(encoding="utf-8"))
    if [len(rows) for rows in found.tables] != [4, 4, 2] or len(found.signed) != 3:
        raise SystemExit("the page has other tables than are known")
    tables = [table(number, rows) for number, rows in enumerate(found.tables)]
    written = [data(number, [row for row in rows if row[0] in DATA]) for number, rows in enumerate(found.tables[:2])]
    TARGET.write_text(
        HEAD + "".join(tables) + signatures(found.signed) + "".join(written) + data_quotients(), encoding="utf-8"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
