# SPDX-License-Identifier: Apache-2.0
"""Reports of lelegard/cryptobench (BSD-2-Clause): one text file a system. Only the form of the lines is known here; what is known about the figures is in `caveats`."""

from __future__ import annotations

import re

from cipherstone.catalogue.document import shown
from cipherstone.imports.caveats import caveat, known, publication_notes
from cipherstone.imports.figures import ImportedFigure, Publication
from cipherstone.imports.names import MOST_DIGITS
from cipherstone.model.errors import DataError

ORIGIN = "lelegard/cryptobench, BSD-2-Clause"
_MEASURE = re.compile(
    r"(?P<what>.+): iterations=(?P<iterations>[0-9][0-9,]{0,24}): usec-total=(?P<total>[0-9][0-9,]{0,24}): usec/iter=[0-9,.]+(: score=[0-9.]+)?\Z"
)
_SYSTEM = re.compile(r"system: (?P<key>[a-z-]+): ?(?P<value>.*)\Z")
_VERSION = re.compile(r"(?P<library>[a-z0-9-]+): version=(?P<value>.*)\Z")
_KEYGEN = re.compile(
    r"(?P<library>[a-z0-9-]+): rsa-(?P<bits>[0-9]{1,6}): generate-key-usec=(?P<usec>[0-9][0-9,]{0,24})\Z"
)
_SAID = re.compile(r"(make: .*|[a-z0-9-]+: .*(-ratio=[0-9.]+|auto-test-passed))?\Z")
_RSA = re.compile(r"(?P<library>[a-z0-9-]+): rsa-(?P<bits>[0-9]{1,6}): (?P<what>[a-z-]+)\Z")
_AES = re.compile(
    r"(?P<library>[a-z0-9-]+): aes-(?P<bits>[0-9]{1,6}): (?P<verb>encrypt|decrypt)=(?P<bytes>[0-9][0-9,]{0,14})\Z"
)
_MATH = re.compile(r"math: mod-(?P<bits>[0-9]{1,6}): (?P<what>[a-z-]+)\Z")
_LONGEST_VERSION = 200  # characters of what a library says of itself in which a number is looked for
_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)+[a-z]?|[0-9]+\.[0-9]+")

# An operation with other contents in the timed region is another algorithm id. OpenSSL's `default` keeps what can be kept, as in our own runs.
_RSA_CASES = {
    "encrypt": "rsa-{}/encrypt",
    "decrypt": "rsa-{}/decrypt",
    "encrypt-rekey": "rsa-{}-rekey/encrypt",
    "decrypt-rekey": "rsa-{}-rekey/decrypt",
    "sign": "rsa-{}/sign",
    "verify": "rsa-{}/verify",
    "sign-rekey": "rsa-{}-rekey/sign",
    "verify-rekey": "rsa-{}-rekey/verify",
    "load-public": "rsa-{}-public/import-key",
    "load-private": "rsa-{}-private/import-key",
}
_MATH_CASES = {
    "add": ("bignum/mod-add/bits={}", ""),
    "mul": ("bignum/mod-mul/bits={}", "BN_mod_mul"),
    "mul-montgomery": ("bignum/montmul/bits={}", ""),
    "mul-reciprocal": ("bignum/mod-mul/bits={}", ""),
    "div-reciprocal": ("bignum/div-mod/bits={},dividend=short", ""),
    "sqr": ("bignum/mod-sqr/bits={}", "BN_mod_sqr"),
    "inv": ("bignum/mod-inv/bits={}", ""),
    "sqrt": ("bignum/mod-sqrt/bits={}", ""),
}
_EXPONENTIATIONS = {"public": "modexp/public/bits={}", "private": "modexp/private/bits={},crt=no"}
for _exponent in ("public", "private"):
    for _method, _function in (
        ("", "BN_mod_exp"),
        ("-montgomery", ""),
        ("-reciprocal", "BN_mod_exp_recp"),
        ("-simple", "BN_mod_exp_simple"),
    ):
        _MATH_CASES[f"exp-{_exponent}{_method}"] = (_EXPONENTIATIONS[_exponent], _function)
    _MATH_CASES[f"exp-{_exponent}-montgomery-word"] = (f"modexp-word/{_exponent}/bits={{}}", "")


def looks_like_report(text: str) -> bool:
    """Whether `text` has the lines that every such report has."""
    return re.search(r"^reference: iterations=", text, re.MULTILINE) is not None


def parse_report(name: str, text: str) -> Publication:
    """The report `name` (file name without extension). Raises DataError naming the first line that is not understood."""
    facts: dict[str, str] = {}
    versions: dict[str, str] = {}
    reference: float | None = None
    rows: list[tuple[int, re.Match[str]]] = []
    keys: list[ImportedFigure] = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if match := _SYSTEM.match(line):
            facts[match["key"]] = match["value"].strip()
        elif match := _VERSION.match(line):
            versions[match["library"]] = match["value"].strip()
        elif match := _KEYGEN.match(line):
            case, library = f"rsa-{match['bits']}/keygen", match["library"]
            lane, note = lane_id(library, versions), caveat(f"rsa-{match['bits']}/keygen", library, versions)
            keys.append(ImportedFigure(case, lane, _count(match["usec"]) * 1e3, 1, note=note, line=number))
        elif match := _MEASURE.match(line):
            if match["what"] == "reference":
                reference = _count(match["total"]) / _positive(name, number, match["iterations"])
            else:
                rows.append((number, match))
        elif not _SAID.match(line):
            raise DataError(
                f"{name}: line {number}: {shown(line)} is not a line of a cryptobench report",
                "give the raw report, as `tools/run-test.sh` of cryptobench writes it",
            )
    if reference is None or not rows:
        what = "figures" if reference is not None else "line `reference:`"
        raise DataError(f"{name}: no {what}: not a cryptobench report", "give the raw report, one system a file")
    found = [*keys, *(_figure(name, number, match, versions) for number, match in rows)]
    return Publication(
        name=name,
        origin=ORIGIN,
        facts=facts,
        figures=tuple(sorted(found, key=lambda one: one.line)),
        versions=versions,
        reference_us=reference or None,
        ghz=_ghz(facts.get("frequency", "")),
        notes=publication_notes(facts),
    )


def lane_id(library: str, versions: dict[str, str], implementation: str = "") -> str:
    """`openssl@3.0.8[:IMPL]` from what the library said of itself; `@unknown` where that holds no number."""
    number = _NUMBER.search(versions.get(library, "")[:_LONGEST_VERSION].partition("(")[0])
    return f"{library}@{number[0] if number else 'unknown'}" + (f":{implementation}" if implementation else "")


def _figure(name: str, number: int, match: re.Match[str], versions: dict[str, str]) -> ImportedFigure:
    case, library, implementation = _case(name, number, match["what"])
    iterations, total = _positive(name, number, match["iterations"]), _count(match["total"])
    lane = lane_id(library, versions, implementation)
    note = caveat(case, library, versions)
    if total == 0:
        return ImportedFigure(case, lane, None, iterations, known().gave_up, note, number)
    # More digits than the rounded `usec/iter` beside it.
    return ImportedFigure(case, lane, total * 1e3 / iterations, iterations, "", note, number)


def _case(name: str, number: int, what: str) -> tuple[str, str, str]:
    """(case id, library, implementation) of a line's subject."""
    if (match := _MATH.match(what)) and match["what"] in _MATH_CASES:
        pattern, implementation = _MATH_CASES[match["what"]]
        return pattern.format(match["bits"]), "openssl", implementation
    if (match := _RSA.match(what)) and match["what"] in _RSA_CASES:
        return _RSA_CASES[match["what"]].format(match["bits"]), match["library"], ""
    if (match := _AES.match(what)) and len(str(_count(match["bytes"]))) <= MOST_DIGITS:
        return f"aes-{match['bits']}-cbc/{match['verb']}/bytes={_count(match['bytes'])}", match["library"], ""
    raise DataError(
        f"{name}: line {number}: {shown(what)} is no operation that is known of cryptobench", "give the raw report"
    )


def _count(text: str) -> int:
    return int(text.replace(",", ""))


def _positive(name: str, number: int, text: str) -> int:
    value = _count(text)
    if value < 1:
        raise DataError(f"{name}: line {number}: iterations={text} is not positive", "the report is damaged")
    return value


def _ghz(text: str) -> float | None:
    try:
        return float(text) or None
    except ValueError:
        return None
