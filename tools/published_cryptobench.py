# SPDX-License-Identifier: Apache-2.0
"""`tools/published_cryptobench.py FOLDER`: writes suites/published/cryptobench.toml from the raw reports of lelegard/cryptobench (BSD-2-Clause), a text file a machine.

Each row is an operation of one library, with its time on every machine, and the case and the implementation of ours that compute the same, or the reason why there is none yet. The reports are not part of this repository.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from cipherstone.imports.cryptobench import lane_id, parse_report
from cipherstone.imports.figures import Publication

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "suites" / "published" / "cryptobench.toml"
HEAD = """# SPDX-License-Identifier: Apache-2.0
# Times of published reports (lelegard/cryptobench, BSD-2-Clause); not measured here. Written by tools/published_cryptobench.py. "-": no time was published.
title = "cryptobench on 17 systems"
source = "lelegard/cryptobench, raw reports"
library = "openssl"
conditions = "one run of about 5 s of CPU time (getrusage) a row, libraries in a fixed order, no repetition, no spread; times are totals over iterations, as in its own tables"
note = [
  "RSA rows hold padding, hashing and randomness. Re-keying there makes the context of OpenSSL anew for the same key and does nothing in the other libraries, so that their rows with it repeat those without; here it takes the next of 16 keys into the context that there is.",
  "OpenSSL's OAEP is with SHA-1, its PSS with the longest salt, LibTomCrypt's PSS with 20 bytes of salt; here both are with SHA-256 and salts have 32 bytes.",
  "Mbed TLS's signatures are said to be PKCS#1 v1.5. They are PSS: encryption, which runs first, sets the padding of the same key object to version 2.1 and nothing takes it back, so that they stand beside PSS here.",
  "GnuTLS's encryption, whose padding its author did not know, is PKCS#1 v1.5: that is what gnutls_pubkey_encrypt_data does with a key that does not say OAEP. Before version 3.8.4 there was no OAEP.",
  "Nettle's RSA is disabled there: rsa_keypair_from_der reads a bare RSAPrivateKey (PKCS#1), and was given PKCS#8 and SubjectPublicKeyInfo; the public part has a function of its own.",
  "AES rows make the cipher context and the key schedule in each call; here the rows with a context per call take a fresh key into a context that there is, and those with a kept one do neither.",
  "Times published as 0.000 are left out: the first iterations were shorter than a step of the CPU clock, and the program gave up.",
  "The division by reciprocal divides a number that is shorter than its divisor; the sum is reduced by a division; exponentiations with private exponents are without CRT.",
  "The M3 has Mbed TLS 3.6.0, which is three to four times slower with public exponents than 3.5 and 3.6.1.",
]
"""
COLUMNS = {
    "openssl": ("OpenSSL", "openssl"),
    "mbedtls": ("Mbed TLS", "mbedtls"),
    "gnutls": ("GnuTLS", "gnutls"),
    "nettle": ("Nettle", "nettle"),
    "tomcrypt": ("LibTomCrypt", "libtomcrypt"),
    "tomcrypt-gmp": ("LibTomCrypt, GMP", "libtomcrypt+gmp"),
    "arm64": ("Arm64 intrinsics", "arm64"),
}
OPERATIONS = {
    "encrypt": "encryption",
    "decrypt": "decryption",
    "encrypt-rekey": "encryption with rekeying",
    "decrypt-rekey": "decryption with rekeying",
    "sign": "signature",
    "verify": "verification",
    "sign-rekey": "signature with rekeying",
    "verify-rekey": "verification with rekeying",
    "load-public": "parse public key",
    "load-private": "parse private key",
}
IMPORTED = {"load-public": "spki/import-public", "load-private": "pkcs8/import-private"}
RATIOS = (
    ("decrypt", "encrypt"),
    ("decrypt-rekey", "encrypt-rekey"),
    ("sign", "verify"),
    ("sign-rekey", "verify-rekey"),
)
MATH = {
    "add": ("Add", "bignum/mod-add/bits=2048", "default"),
    "mul": ("Multiply", "bignum/mod-mul/bits=2048", "BN_mod_mul"),
    "mul-montgomery": ("Multiply (Montgomery)", "bignum/montmul/bits=2048", "default"),
    "mul-reciprocal": ("Multiply (reciprocal)", "bignum/mod-mul/bits=2048", "default"),
    "sqr": ("Square", "bignum/mod-sqr/bits=2048", "BN_mod_sqr"),
    "div-reciprocal": ("Divide (reciprocal)", "bignum/div-mod/bits=2048", "default"),
    "inv": ("Inverse", "bignum/mod-inv/bits=2048", "default"),
    "sqrt": ("Square root", "bignum/mod-sqrt/bits=2048", "default"),
}
METHODS = {
    "": ("Exponent", "BN_mod_exp"),
    "-montgomery": ("Exponent (Montgomery)", "default"),
    "-montgomery-word": ("Exponent (Montgomery) (word)", "default"),
    "-reciprocal": ("Exponent (reciprocal)", "BN_mod_exp_recp"),
    "-simple": ("Exponent (simple)", "BN_mod_exp_simple"),
}
EXPONENTS = {"public": "modexp/public/bits=2048", "private": "modexp/private/bits=2048,crt=no"}
WORDS = {exponent: f"modexp-word/{exponent}/bits=2048" for exponent in EXPONENTS}
NO_PKCS1_4096 = "GnuTLS encrypts with PKCS#1 v1.5, which is measured here with 2048 bits alone"
NO_ARM64 = "the publication's own AES with instructions of Armv8: no library"
BELOW = "the dividend there is shorter than the divisor, so that nothing is divided; here it is twice as long"
SYSTEMS = {"Linux": "as the distribution ships it", "macOS": "Homebrew's builds"}


class Report:
    """A report's times in microseconds, by library and what was timed, as its lines name them."""

    def __init__(self, path: Path) -> None:
        self.publication: Publication = parse_report(path.stem, path.read_text(encoding="utf-8"))
        self.lines = dict(enumerate(path.read_text(encoding="utf-8").splitlines(), 1))
        self.times: dict[tuple[str, str], str] = {}
        for figure in self.publication.figures:
            subject = self.lines[figure.line].partition(": iterations=")[0]
            library, _, what = subject.partition(": ")
            if "generate-key" not in what and figure.ns is not None:
                self.times[library, re.sub(r"=[\d,]+\Z", "", what)] = f"{float(f'{figure.ns / 1e3:.4g}'):.12f}".rstrip("0").rstrip(".")  # fmt: skip

    @property
    def platform(self) -> str:
        """Its entry. Times of macOS and of Linux are of other compilers."""
        facts, versions = self.publication.facts, self.publication.versions
        name = f"{facts['cpu-index']}, {facts['os']}"
        told = ", ".join(
            f"{COLUMNS[one][0]} {lane_id(one, versions).partition('@')[2]}" for one in COLUMNS if one in versions and one not in ("arm64", "tomcrypt-gmp")
        )  # fmt: skip
        architecture = {"arm64": "aarch64"}.get(facts["arch"], facts["arch"])
        lines = {
            "id": name,
            "cpu": f"{facts['machine'] or facts['cpu-index']}, {facts['distro']}",
            "compiler": SYSTEMS[facts["os"]],
            "architecture": architecture,
            "versions": told,
        }
        text = "".join(f"{key} = {json.dumps(value)}\n" for key, value in lines.items())
        return f"\n[[platform]]\n{text}reference_us = {self.publication.reference_us:.1f}\n"


def ours(library: str, what: str) -> tuple[str, str, str]:
    """(case, implementation, why there is none) of an RSA row."""
    bits, _, verb = what.removeprefix("rsa-").partition(": ")
    verb, fresh = verb.removesuffix("-rekey"), "/key=fresh" if verb.endswith("-rekey") else ""
    if verb in IMPORTED:
        return f"rsa-{bits}-{IMPORTED[verb]}", "default", ""
    if verb in ("sign", "verify"):
        return f"rsa-{bits}-pss-sha256/{verb}{fresh}", "default", ""
    verb = {"encrypt": "public-encrypt", "decrypt": "private-decrypt"}[verb]
    if library != "gnutls":
        return f"rsa-{bits}-oaep-sha256/{verb}{fresh}", "default", ""
    return (f"rsa-{bits}-pkcs1/{verb}{fresh}", "default", "") if bits == "2048" else ("", "", NO_PKCS1_4096)


def row(label: str, column: str, operation: str, rest: str) -> str:
    """A line of a table."""
    return f"  {{ label = {json.dumps(label)}, operation = {json.dumps(operation)}, column = {json.dumps(column)}, {rest} }},\n"


def timed(
    reports: list[Report], library: str, what: str, told: tuple[str, str, str], note: str = "", here_only: bool = False
) -> str | None:
    """What a row says behind its place; None for one that no report has. `here_only`: a form of ours, which has no published times."""
    values = [report.times.get((library, what), "-") for report in reports]
    if set(values) == {"-"}:
        return None
    if here_only:
        values = ["-"] * len(values)
    case, implementation, why = told
    key = COLUMNS[library][1] if library != "math" else "openssl"
    mine = f'library = "{key}", case = "{case}", implementation = "{implementation}"' if case else f"why = {json.dumps(why)}"  # fmt: skip
    return f"values = {json.dumps(values)}, {mine}" + (f", note = {json.dumps(note)}" if note else "")


def rsa(reports: list[Report], bits: int) -> Iterator[str]:
    """Tables of one length: times, then ratios."""
    text, known = "", set()
    for verb, title in OPERATIONS.items():
        for library in COLUMNS:
            what = f"rsa-{bits}: {verb}"
            rest = timed(reports, library, what, ours(library, what))
            if rest is not None:
                known.add((library, verb))
                text += row(f"{COLUMNS[library][0]}, RSA-{bits} {title}", COLUMNS[library][0], title, rest)
    yield table(f"RSA-{bits}", "us", text)
    text = ""
    for over, under in RATIOS:
        title = f"{OPERATIONS[over].partition(' ')[0]} over {OPERATIONS[under]}"
        for library, (column, _) in COLUMNS.items():
            if (library, over) in known:
                label = f"{column}, RSA-{bits} {{}}"
                rest = f"over = {json.dumps(label.format(OPERATIONS[over]))}, under = {json.dumps(label.format(OPERATIONS[under]))}"
                text += row(label.format(title), column, title, rest)
    yield table(f"RSA-{bits}, ratios", "ratio", text)


def aes(reports: list[Report]) -> Iterator[str]:
    """AES-CBC: a context in each call, and kept; then ratios."""
    text, ratios = "", ""
    for bits in (128, 256):
        for form, fresh in (("context per call", ",key=fresh"), ("kept context", "")):
            for verb, name in (("encrypt", "encryption"), ("decrypt", "decryption")):
                title = f"AES-{bits}-CBC {name}, {form}"
                for library, (column, _) in COLUMNS.items():
                    case = f"aes-{bits}-cbc/{verb}/bytes=1000000{fresh}"
                    told = (case, "default", "") if library != "arm64" else ("", "", NO_ARM64)
                    rest = timed(reports, library, f"aes-{bits}: {verb}", told, here_only=not fresh)
                    if rest is not None and not (library == "arm64" and not fresh):
                        text += row(f"{column}, {title}", column, title, rest)
            for library, (column, _) in COLUMNS.items():
                if library not in ("arm64", "tomcrypt-gmp"):
                    label = f"{column}, AES-{bits}-CBC {{}}, {form}"
                    rest = f"over = {json.dumps(label.format('encryption'))}, under = {json.dumps(label.format('decryption'))}"
                    title = "encryption over decryption"
                    ratios += row(label.format(title), column, f"AES-{bits}-CBC {title}, {form}", rest)
    yield table("AES-CBC, 1,000,000 bytes", "us", text)
    yield table("AES-CBC, ratios", "ratio", ratios)


def math(reports: list[Report]) -> Iterator[str]:
    """Modular arithmetic with OpenSSL's BIGNUM."""
    text = ""
    for name, (title, case, implementation) in MATH.items():
        note = BELOW if name == "div-reciprocal" else ""
        text += math_row(reports, name, title, (case, implementation, ""), note)
    yield table("2048-bit modular arithmetic", "us", text)
    for exponent, case in EXPONENTS.items():
        text = ""
        for suffix, (title, implementation) in METHODS.items():
            told = (WORDS[exponent] if suffix.endswith("-word") else case, implementation, "")
            text += math_row(reports, f"exp-{exponent}{suffix}", f"{title}, {exponent}", told)
        yield table(f"2048-bit exponentiation, {exponent} exponent", "us", text)


def math_row(reports: list[Report], name: str, title: str, told: tuple[str, str, str], note: str = "") -> str:
    """One operation of OpenSSL."""
    rest = timed(reports, "math", f"mod-2048: {name}", told, note)
    if rest is None:
        raise SystemExit(f"no report has {name}")
    return row(f"OpenSSL, {title}", "OpenSSL", title, rest)


def table(title: str, unit: str, rows: str) -> str:
    """One table of the page."""
    return f'\n[[table]]\ntitle = "{title}"\nunits = ["{unit}"]\nrow = [\n{rows}]\n'


def main() -> int:
    """0; the first line of a report that is not understood ends it."""
    reports = [Report(path) for path in sorted(Path(sys.argv[1]).glob("[0-9]*.txt"))]
    tables = [*rsa(reports, 2048), *rsa(reports, 4096), *aes(reports), *math(reports)]
    TARGET.write_text(HEAD + "".join(report.platform for report in reports) + "".join(tables), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
