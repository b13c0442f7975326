# SPDX-License-Identifier: Apache-2.0
"""`tools/published_bearssl.py PAGE.txt`: writes references/bearssl/tables.toml from the text of BearSSL's page on performance (its figures as printed; none of its sentences).

Each row of the page's tables gets the case and the implementation of ours that compute the same, what its text says of Clang a row of its own, and what it says of ECDSA two tables behind them. The page is not part of this repository.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "references" / "bearssl" / "tables.toml"
PLATFORMS = ("amd64", "i386", "pwr8", "m0+")
HEAD = """# SPDX-License-Identifier: Apache-2.0
# Figures of a published page, as printed; not measured here. Written by tools/published_bearssl.py. "-": no figure was published.
library = "bearssl"
build = "bearssl@0.6+Os"
conditions = "gcc -Os -fPIC (m0+: -Os -mthumb), a buffer of 8 KiB or one call again and again for two seconds of CPU time by clock() (m0+: one second); stated as accurate to 3 %"

[[platform]]
id = "amd64"
cpu = "Intel Xeon E3-1220 V2, 3.10 GHz"
compiler = "GCC 5.4.0"
architecture = "x86_64"

[[platform]]
id = "i386"
cpu = "Intel Xeon E3-1220 V2, 3.10 GHz, in 32-bit mode"
compiler = "GCC 5.4.0"
architecture = "i386"
build = "bearssl@0.6+Os+i386"

[[platform]]
id = "pwr8"
cpu = "POWER8E, 3.425 GHz"
compiler = "GCC 6.2.0"
architecture = "ppc64le"

[[platform]]
id = "m0+"
cpu = "ARM Cortex-M0+ (SAM D20), 48 MHz"
compiler = "GCC 4.9.3"
architecture = "armv6-m"
"""
TITLES = {
    "hash": "Hash functions",
    "cipher": "Symmetric encryption",
    "mac": "MAC",
    "curve": "Point multiplication",
    "rsa": "RSA, 2048 bits",
}
BULK, CALLS = ["MB/s", "MB/s", "MB/s", "kB/s"], ["call/s"] * 4
UNITS = {"hash": BULK, "cipher": BULK, "mac": BULK, "curve": CALLS, "rsa": CALLS}
HASHES = {"md5": "md5", "sha1": "sha-1", "sha256": "sha-256", "sha512": "sha-512"}
CLANG = """  { label = "private, i62, Clang", values = ["472", "-", "-", "-"], case = "modexp/private/bits=2048,crt=yes", implementation = "i62", library = "bearssl@0.6+clang14+Os", note = "in the page's text: instead of 355" },
"""
ECDSA = {"i15, p256_m15": "p256_m15", "i31, p256_m31": "p256_m31", "i15, prime_i15": "prime_i15", "i31, prime_i31": "prime_i31"}  # fmt: skip
SAID = "the page says: the multiplications, and about 10 to 20 % more"
BYTES = "/bytes=8192"


def ours(what: str, implementation: str) -> tuple[str, str, str, str]:
    """(table, case, implementation of ours, why there is none) of a row of the page."""
    if what in HASHES:
        return "hash", f"{HASHES[what]}/hash{BYTES}", "default", ""
    if match := re.match(r"AES-(128|256) (CBC encrypt|CBC decrypt|CTR)\Z", what):
        mode, _, verb = match[2].lower().partition(" ")
        return "cipher", f"aes-{match[1]}-{mode}/{verb or 'encrypt'}{BYTES}", f"aes_{implementation}", ""
    if match := re.match(r"3DES CBC (encrypt|decrypt)\Z", what):
        return "cipher", f"3des-cbc/{match[1]}{BYTES}", f"des_{implementation}", ""
    if what == "ChaCha20":
        return "cipher", f"chacha20/encrypt{BYTES}", f"chacha20_{implementation}", ""
    if what == "GHASH":
        return "mac", f"ghash/mac{BYTES}", f"ghash_{implementation}", ""
    if what == "Poly1305":
        return "mac", f"poly1305-framed/mac{BYTES}", f"poly1305_{implementation}", ""
    if what == "Curve25519":
        return "curve", "x25519/derive", f"ec_{implementation}", ""
    if what.startswith("P-"):
        if implementation.endswith("(FP)"):
            return "curve", f"{what.lower()}/multiply-base", f"ec_{implementation.removesuffix(' (FP)')}", ""
        return "curve", f"{what.lower()}/derive", f"ec_{implementation}", ""
    if what == "private":
        return "rsa", "modexp/private/bits=2048,crt=yes", implementation, ""
    if what == "public":
        return "rsa", "modexp/public/bits=2048", implementation, ""
    raise SystemExit(f"a row that is not known: {what} | {implementation}")


def key_agreement() -> str:
    """What the page says of ECDHE: two multiplications on either side, of which one is of the generator."""
    rows = ""
    for ec in ("p256_m15", "p256_m31"):
        parts = json.dumps([f"P-256, {ec} (FP)", f"P-256, {ec}"])
        rows += f'  {{ label = "ECDHE on P-256, a side, {ec}", parts = {parts}, note = "the page says: two multiplications, of which one is of the generator" }},\n'
    return f'\n[[table]]\ntitle = "ECDHE: two multiplications"\nunits = ["call/s"]\nrow = [\n{rows}'


def hmac() -> str:
    """What the page says of HMAC: the speed of its hash function."""
    rows, quotients = "", ""
    for label, name in HASHES.items():
        if label != "md5":
            rows += _unpublished(f"HMAC, {label}", f"hmac-{name}/mac{BYTES}", "default")
            quotients += f'  {{ label = "HMAC over its hash, {label}", over = "HMAC, {label}", under = "{label}", note = "the page says: roughly the same speed" }},\n'
    return (
        f'\n[[table]]\ntitle = "HMAC"\nunits = {json.dumps(BULK)}\nrow = [\n{rows}'
        f'\n[[table]]\ntitle = "HMAC over its hash"\nunits = ["ratio"]\nrow = [\n{quotients}'
    )


def ecdsa() -> str:
    """The table of signatures, which the page has no figures of, and the one of what it says of them: their time over that of their multiplications."""
    rows, sums = "", ""
    for name, ec in ECDSA.items():
        digits = name.partition(",")[0]
        base = f"generator, {ec}" if ec.startswith("prime") else f"P-256, {ec} (FP)"
        if ec.startswith("prime"):  # without an optimisation of the generator it has no row of its own on the page
            rows += _unpublished(base, "p-256/multiply-base", f"ec_{ec}")
        for verb in ("sign", "verify"):
            label = f"ECDSA {verb}, {name}"
            rows += _unpublished(label, f"ecdsa-p256-sha256/{verb}", f"ecdsa_{digits}+ec_{ec}")
            parts = [base] if verb == "sign" else [base, f"P-256, {ec}"]
            sums += f'  {{ label = "{label}, over its multiplications", over = "{label}", parts = {json.dumps(parts)}, note = "{SAID}" }},\n'
    return (
        f'\n[[table]]\ntitle = "ECDSA on P-256"\nunits = ["call/s"]\nrow = [\n{rows}'
        f'\n[[table]]\ntitle = "ECDSA over the sum of its multiplications"\nunits = ["ratio"]\nrow = [\n{sums}'
    )


def _unpublished(label: str, case: str, implementation: str) -> str:
    return f'  {{ label = "{label}", values = ["-", "-", "-", "-"], case = "{case}", implementation = "{implementation}" }},\n'


def main() -> int:
    """0; the first row that is not understood ends it."""
    page = Path(sys.argv[1]).read_text(encoding="utf-8")
    text, table = HEAD, ""
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) < 5 or not re.fullmatch(r"-|\d+\.\d+", cells[-1]):
            continue
        values = [f'"{cell}"' for cell in cells[-4:]]
        what, implementation = cells[0], cells[1] if len(cells) == 6 else ""
        kind, case, lane, why = ours(what, implementation)
        if kind != table:
            table = kind
            text += f'\n[[table]]\ntitle = "{TITLES[kind]}"\nunits = {json.dumps(UNITS[kind])}\nrow = [\n'
        ours_text = f'case = "{case}", implementation = "{lane}"' if case else f'why = "{why}"'
        label = f"{what}, {implementation}" if implementation else what
        text += f'  {{ label = "{label}", values = [{", ".join(values)}], {ours_text} }},\n'
        text += CLANG if label == "private, i62" else ""
    text += key_agreement() + hmac() + ecdsa()
    # Each table's list ends where the next begins.
    parts = text.split("\n[[table]]")
    TARGET.write_text(
        "\n[[table]]".join([parts[0], *(part.rstrip("\n") + "\n]\n" for part in parts[1:])]), encoding="utf-8"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
