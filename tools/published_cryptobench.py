# SPDX-License-Identifier: Apache-2.0
"""`tools/published_cryptobench.py FOLDER`: writes references/cryptobench/tables.toml from the raw reports of lelegard/cryptobench (BSD-2-Clause), a text file a machine.

Each row is an operation of one library, with its time on every machine, and the case and the implementation of ours that compute the same, or the reason why there is none yet. The reports are not part of this repository.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from cipherstone.catalogue.machines import load_published_machines
from cipherstone.imports.cryptobench import lane_id, parse_report
from cipherstone.imports.figures import Publication

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "references" / "cryptobench" / "tables.toml"
HEAD = """# SPDX-License-Identifier: Apache-2.0
# Times of published reports (lelegard/cryptobench, BSD-2-Clause); not measured here. Written by tools/published_cryptobench.py. "-": no time was published.
library = "openssl"
conditions = "one run of about 5 s of CPU time (getrusage) a row, libraries in a fixed order, no repetition, no spread; times are totals over iterations, as in its own tables"
"""
COLUMNS = {
    "openssl": ("OpenSSL", "openssl"),
    "mbedtls": ("Mbed TLS", "mbedtls"),
    "gnutls": ("GnuTLS", "gnutls"),
    "nettle": ("Nettle", "nettle"),
    "tomcrypt": ("LibTomCrypt", "libtomcrypt"),
    "tomcrypt-gmp": ("LibTomCrypt, GMP", "libtomcrypt@gmp"),
    "arm64": ("Arm64 intrinsics", "own-aes"),
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
CORES = ("Cortex-A72", "Neoverse N1", "Neoverse V1", "Neoverse V2", "Apple M1", "Apple M3")
# Label, the name in references/cryptobench/machines.toml, and the kernels that do the same on AArch64 and play the same part on x86-64 ("": none).
SEQUENCES = (
    ("NOP", "nop", "seq-nop/sequence", "nop/sequence"),
    ("ADD", "add", "seq-add/sequence", "lea/throughput"),
    ("ADC", "adc", "seq-adc/sequence", ""),
    ("ADDS", "adds", "seq-adds/sequence", "add/throughput"),
    ("ADCS", "adcs", "seq-adcs/sequence", "adc/latency"),
    ("MUL", "mul", "seq-mul/sequence", "imul/throughput"),
    ("MUL UMULH", "mul-umulh", "seq-mul-umulh/sequence", "mulx/throughput"),
    ("MUL ADCS UMULH ADCS", "mul-adcs-umulh-adcs", "seq-mul-adcs-umulh-adcs/sequence", "mulx-adc-adc/sequence"),
    ("MUL ADCS", "mul-adcs", "seq-mul-adcs/sequence", "mulx-adc/sequence"),
    ("MUL ADD UMULH ADD", "mul-add-umulh-add", "seq-mul-add-umulh-add/sequence", "mulx-add-add/sequence"),
    ("Full OpenSSL sequence (MUL, ADCS)", "ossl-adcs", "mont-inner/sequence", "mont-inner/sequence"),
    ("The same with ADD alone", "ossl-add", "mont-inner-plain/sequence", "mont-inner-plain/sequence"),
)
# Instructions in the unit of a kernel whose unit is a product.
EACH = {
    "mulx-adc-adc/sequence": {"x86-64": 3},
    "mulx-adc/sequence": {"x86-64": 2},
    "mulx-add-add/sequence": {"x86-64": 3},
    "mont-inner/sequence": {"aarch64": 35 / 8, "x86-64": 55 / 16},
    "mont-inner-plain/sequence": {"aarch64": 35 / 8, "x86-64": 55 / 16},
}
# Printed as 0.000; references/cryptobench/machines.toml leaves such times out.
ZERO = {("Neoverse V1", "nop"), ("Neoverse V2", "nop")}
OTHER_SET = "x86-64 has no such instruction"
WRITES = "ADC of x86-64 writes the carry as well: it stands beside ADCS"
# Cycles from the start of an instruction to its result; in parentheses those for which it stops the multiplier.
LATENCIES = (
    ("MUL, W form (32 bits)", ("2(1)", "2(1)"), "mul-w/latency", "imul-32/latency"),
    ("MADD, W form (32 bits)", ("2(1)", "2(1)"), "madd-w/latency", ""),
    ("MUL, X form (64 bits)", ("4(3)", "2(1)"), "mul/latency", "imul/latency"),
    ("UMULH", ("5(3)", "3"), "umulh/latency", "mulx-high/latency"),
)
# Montgomery multiplication of OpenSSL with its instructions exchanged.
EXCHANGED = (
    ("OpenSSL's code", ("4.82", "1.45", "1.04"), "mont-inner/sequence", "mont-inner/sequence"),
    ("MUL in place of UMULH", ("4.13", "1.17", "1.04"), "mont-inner-low/sequence", "mont-inner-imul/sequence"),
    ("NOP in place of both", ("1.06", "1.01", "1.00"), "mont-inner-nomul/sequence", "mont-inner-nomul/sequence"),
)
INSTRUCTION_NOTES = {
    "Latency of multiplications": [
        "Published as Arm's guides to software optimization have them; in parentheses the cycles for which the multiplier takes nothing else. No cycles of Apple's cores are documented.",
        "MADD waits for a factor here: through the sum it is faster on cores that pass sums on.",
    ],
    "Montgomery multiplication with instructions exchanged": [
        "Published: OpenSSL's whole function, which computes nonsense once its instructions are exchanged. Here: the inner loop of our own, proven by an interpreter in each form. "
        "On x86-64 the full product is MULX, the low one IMUL, whose flags end the carry chains.",
    ],
    "Mean time of an instruction in a sequence": [
        "NOP of Neoverse V1 and V2 is printed as 0.000: it is taken out of the pipeline before it costs anything that the program could see.",
        "On x86-64 one MULX plays the part of MUL and UMULH. The full sequence there is OpenSSL's own code; beside it stands the inner loop of ours, time over number of instructions.",
    ],
}
REPEATED = "its program makes no new key there, so that the figure repeats the one without rekeying; here each call takes another key"
CHECKED = "its program checks the key as well (mbedtls_rsa_check_privkey): with Mbed TLS 2.28.3 here that takes 10 us of 2048 bits and 34 us of 4096, and reading the key less than 1 us"
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
    reports: list[Report], library: str, what: str, told: tuple[str, str, str], other: str = "", here_only: bool = False
) -> str | None:
    """What a row says behind its place; None for one that no report has. `other`: why both figures have no ratio; `here_only`: a form of ours, which has no published times."""
    values = [report.times.get((library, what), "-") for report in reports]
    if set(values) == {"-"}:
        return None
    if here_only:
        values = ["-"] * len(values)
    case, implementation, why = told
    key = COLUMNS[library][1] if library != "math" else "openssl"
    mine = f'library = "{key}", case = "{case}", implementation = "{implementation}"' if case else f"why = {json.dumps(why)}"  # fmt: skip
    return f"values = {json.dumps(values)}, {mine}" + (
        f", incomparable = {json.dumps(other)}" if other and case else ""
    )


def rsa(reports: list[Report], bits: int) -> Iterator[str]:
    """Tables of one length: times, then ratios."""
    text, known = "", set()
    for verb, title in OPERATIONS.items():
        for library in COLUMNS:
            what = f"rsa-{bits}: {verb}"
            other = REPEATED if verb.endswith("-rekey") and library != "openssl" else ""
            other = CHECKED if (library, verb) == ("mbedtls", "load-private") else other
            rest = timed(reports, library, what, ours(library, what), other)
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
                    rest = timed(reports, library, f"aes-{bits}: {verb}", (case, "default", ""), here_only=not fresh)
                    if rest is not None:
                        text += row(f"{column}, {title}", column, title, rest)
            for library, (column, _) in COLUMNS.items():
                if library != "tomcrypt-gmp":
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
        other = BELOW if name == "div-reciprocal" else ""
        text += math_row(reports, name, title, (case, implementation, ""), other)
    yield table("2048-bit modular arithmetic", "us", text)
    for exponent, case in EXPONENTS.items():
        text = ""
        for suffix, (title, implementation) in METHODS.items():
            told = (WORDS[exponent] if suffix.endswith("-word") else case, implementation, "")
            text += math_row(reports, f"exp-{exponent}{suffix}", f"{title}, {exponent}", told)
        yield table(f"2048-bit exponentiation, {exponent} exponent", "us", text)


def instructions() -> Iterator[str]:
    """The tables of instructions, of which the last one's figures come with the program already."""
    rows = [(label, values, (arm, intel), OTHER_SET) for label, values, arm, intel in LATENCIES]
    yield instruction_table("Latency of multiplications", "cycles", ("Neoverse N1", "Neoverse V1"), rows)
    rows = [(label, values, (arm, intel), OTHER_SET) for label, values, arm, intel in EXCHANGED]
    title = "Montgomery multiplication with instructions exchanged"
    yield instruction_table(title, "us", ("Neoverse N1", "Neoverse V1", "Apple M1"), rows)
    cores = {core.name.partition(" (")[0]: core.ns for core in load_published_machines(ROOT).core}
    rows = [
        (label, tuple(_printed(cores[core], core, name) for core in CORES), (arm, intel), WRITES)
        for label, name, arm, intel in SEQUENCES
    ]  # fmt: skip
    yield instruction_table("Mean time of an instruction in a sequence", "ns", CORES, rows)


def instruction_table(
    title: str, unit: str, cores: Sequence[str], rows: Sequence[tuple[str, tuple[str, ...], tuple[str, str], str]]
) -> str:
    """One table of instructions."""
    lines = ""
    for label, values, kernels, why in rows:
        here = {isa: f"{isa}.{kernel}" for isa, kernel in zip(("aarch64", "x86-64"), kernels, strict=True) if kernel}
        known = ", ".join(f"{isa} = {json.dumps(kernel)}" for isa, kernel in here.items())
        each = {isa: EACH[kernel][isa] for isa, kernel in zip(("aarch64", "x86-64"), kernels, strict=True) if isa in EACH.get(kernel, {}) and unit == "ns"}  # fmt: skip
        known += f" }}, each = {{ {', '.join(f'{isa} = {number:g}' for isa, number in each.items())}" if each else ""
        told = f", why = {json.dumps(why)}" if len(here) < len(kernels) else ""
        lines += f"  {{ label = {json.dumps(label)}, values = {json.dumps(values)}, here = {{ {known} }}{told} }},\n"
    notes = "".join(f"  {json.dumps(note)},\n" for note in INSTRUCTION_NOTES[title])
    return f'\n[[instructions]]\ntitle = "{title}"\nunit = "{unit}"\ncores = {json.dumps(cores)}\nnote = [\n{notes}]\nrow = [\n{lines}]\n'


def _printed(core: Mapping[str, float], name: str, sequence: str) -> str:
    """A time as the page has it."""
    if (name, sequence) in ZERO:
        return "0.000"
    return f"{core[sequence]:.3f}" if sequence in core else "-"


def math_row(reports: list[Report], name: str, title: str, told: tuple[str, str, str], other: str = "") -> str:
    """One operation of OpenSSL."""
    rest = timed(reports, "math", f"mod-2048: {name}", told, other)
    if rest is None:
        raise SystemExit(f"no report has {name}")
    return row(f"OpenSSL, {title}", "OpenSSL", title, rest)


def table(title: str, unit: str, rows: str) -> str:
    """One table of the page."""
    return f'\n[[table]]\ntitle = "{title}"\nunits = ["{unit}"]\nrow = [\n{rows}]\n'


def main() -> int:
    """0; the first line of a report that is not understood ends it."""
    reports = [Report(path) for path in sorted(Path(sys.argv[1]).glob("[0-9]*.txt"))]
    tables = [*rsa(reports, 2048), *rsa(reports, 4096), *aes(reports), *math(reports), *instructions()]
    TARGET.write_text(HEAD + "".join(report.platform for report in reports) + "".join(tables), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
