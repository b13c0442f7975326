# SPDX-License-Identifier: Apache-2.0
"""`openssl speed` since 1.1.1: the lines of `-mr`, and the tables that it prints without. What is known about its figures is in its source, apps/speed.c, and in its issues."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from cipherstone.catalogue.document import shown
from cipherstone.imports.figures import ImportedFigure, Publication
from cipherstone.imports.names import MOST_DIGITS, algorithm_id, case_id
from cipherstone.model.errors import DataError

PROGRAM = "openssl-speed"
ORIGIN = "openssl speed (apps/speed.c), Apache-2.0"
HINT = "give its raw output, with -mr or without"
NOTES = (
    "each figure is one block of a fixed time, one after another: the count of calls over the CPU time of the process, without repetition, spread or warm-up",
    "one input, kept in the cache; the key schedule of a cipher is not in the time; with -decrypt a cipher has the same name",
)
_AEAD = "without -aead one update and a final call without a tag, under a nonce that stays; of decryption, failing calls were timed (OpenSSL's issues 23657, 24404, 24686)"
_DIGEST = "a digest that is given is signed: no hash is in the time"
_RSA = "PKCS#1 v1.5 over a digest that is given"
_CURVELESS = "-mr has the bits of a curve and not its name"
_NAMELESS = "-mr has the number of an algorithm and not its name"
_NO_RATE = "published as a rate of nothing: no call ended in the time, or it failed"

_NUMBER = r"[0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?"
_MR_SIZES = re.compile(r"\+H((?::[0-9]+)+)\Z")
_MR_BULK = re.compile(rf"\+F:[0-9]+:(?P<name>[^:]+)(?P<rates>(?::{_NUMBER})+)\Z")
_MR_KEYS = re.compile(rf"\+F(?P<kind>[2-9]):(?P<index>[0-9]+):(?P<words>[A-Za-z0-9.:+-]*{_NUMBER})\Z")
_VERSION = re.compile(r"(?:version: |OpenSSL )(?P<version>[0-9]\S*)(?: .*)?\Z")
_SIZES = re.compile(r"type +(?P<sizes>[0-9]+ bytes?(?: +[0-9]+ bytes?)*)\Z")
# Words of a table's rows, from the right: a pattern for a whole row would try every way to divide a line.
_BULK = re.compile(r"[0-9.]+k?")
_KEYS = re.compile(_NUMBER)
_SECONDS = re.compile(_NUMBER + "s")
_SAID = re.compile(
    r"(Doing .*|\+(DT|DTP|R[0-9]*):.*|Got: .*|built on: .*|options: ?.*|compiler: .*|CPUINFO: .*|The 'numbers' .*| +(sign|op|keygen|keygens)\b.*|Forked child .*|)\Z"
)
_MARKS = re.compile(r"^(\+F[0-9]?:[0-9]+:|The 'numbers' are in 1000s of bytes| +(sign +verify|op +op/s))", re.MULTILINE)
# In the order of the columns.
_SIGNATURE = ("sign", "verify", "encrypt", "decrypt")
_DRAWN = {"kem": ("keygen", "encaps", "decaps"), "sig": ("keygen", "sign", "verify")}


def parse_speed(name: str, text: str) -> Publication:
    """The output `name`. Raises DataError naming the first line that is not understood."""
    lines = [line.rstrip() for line in text.splitlines()]
    version = next((match["version"] for line in lines if (match := _VERSION.match(line))), "unknown")
    sizes: list[int] = []
    figures: list[ImportedFigure] = []
    for number, line in enumerate(lines, 1):
        where = f"{name}: line {number}"
        if match := _MR_SIZES.match(line) or _SIZES.match(line):
            sizes = [_size(where, size) for size in re.findall(r"[0-9]+", match[1])]
            continue
        try:
            found = list(_line(line, sizes))
        except ValueError as error:
            raise DataError(f"{where}: {shown(line)}: {error}", HINT) from None
        if not found and not _SAID.match(line) and not _VERSION.match(line):
            raise DataError(f"{where}: {shown(line)} is not a line of `openssl speed`", HINT)
        figures += [
            ImportedFigure(case, f"openssl@{version}", 1e9 / rate if rate else None, None, "" if rate else _NO_RATE, note, number)
            for case, rate, note in found
        ]  # fmt: skip
    if not figures:
        raise DataError(f"{name}: no figures: not an output of `openssl speed`", HINT)
    return Publication(
        name=name,
        origin=ORIGIN,
        facts={},
        figures=tuple(figures),
        versions={"openssl": version},
        notes=NOTES,
        program=PROGRAM,
    )


def _size(where: str, text: str) -> int:
    """A size that a row's figures are of. Raises DataError."""
    if len(text) > MOST_DIGITS or int(text) < 1:
        raise DataError(f"{where}: {shown(text)} is no number of bytes", HINT)
    return int(text)


Rate = tuple[str, float, str]  # case, calls per second, what is known


def _line(line: str, sizes: Sequence[int]) -> Iterator[Rate]:
    if match := _MR_BULK.match(line):
        yield from _bulk(match["name"], [float(rate) for rate in match["rates"].split(":")[1:]], sizes)
    elif match := _MR_KEYS.match(line):
        yield from _machine_readable(match["kind"], match["index"], match["words"].split(":"))
    elif not _SAID.match(line):
        words, rates = _cut(line.split(" "), _KEYS)
        name, times = _cut(words, _SECONDS)
        if rates and times:
            yield from _keys(" ".join(name).strip(), [float(rate) for rate in rates])
            return
        name, rates = _cut(line.split(" "), _BULK)
        if any(rate.endswith("k") for rate in rates):
            # Thousands of bytes a second, but bytes below ten thousand of them.
            bytes_a_second = [float(rate.rstrip("k")) * (1000 if rate.endswith("k") else 1) for rate in rates]
            yield from _bulk(" ".join(name).strip(), bytes_a_second, sizes)


def _cut(words: list[str], kind: re.Pattern[str]) -> tuple[list[str], list[str]]:
    """What is left of some words, at least one, and those at their end that are of a kind, in their order; empty words, between two spaces, are of any."""
    at = len(words)
    while at > 1 and (not words[at - 1] or kind.fullmatch(words[at - 1])):
        at -= 1
    return words[:at], [word for word in words[at:] if word]


def _bulk(name: str, rates: Sequence[float], sizes: Sequence[int]) -> Iterator[Rate]:
    """`rates`: bytes a second, at each of `sizes`."""
    if 0 in sizes:
        raise ValueError("a size of no bytes")
    if len(rates) != len(sizes):
        raise ValueError(f"{len(rates)} figures for {len(sizes)} sizes")
    algorithm, verb = _bulk_operation(algorithm_id(name))
    for size, rate in zip(sizes, rates, strict=True):
        yield case_id(algorithm, verb, size), rate / size, _AEAD if verb == "seal" else ""


def _bulk_operation(algorithm: str) -> tuple[str, str]:
    if algorithm == "rand":
        return "random", "bytes"
    if re.match(r"(hmac|cmac|kmac|ghash|poly1305)", algorithm):
        return algorithm, "mac"
    if re.match(r"(sha|md[0-9]|mdc2|blake|ripemd|rmd|whirlpool|sm3)", algorithm):
        return algorithm, "hash"
    return algorithm, "seal" if re.search(r"(gcm|ccm|ocb|siv|poly1305)\Z", algorithm) else "encrypt"


def _machine_readable(kind: str, index: str, words: Sequence[str]) -> Iterator[Rate]:
    """Lines of -mr about keys: bits (of EdDSA also a name) and calls a second; of an agreement the second number is the time of a call. Kinds as in OpenSSL 4.0; 6 and 8 of 3.0 are recognised by their words."""
    named = len(words) > 2 and not re.fullmatch(_NUMBER, words[1])
    if named:
        yield from _rates(algorithm_id(words[1]), _SIGNATURE, words[2:])
    elif kind in "89" and len(words) == 3:
        what = "kem" if kind == "8" else "sig"
        yield from _rates(f"{what}-number-{index}", _DRAWN[what], words, _NAMELESS)
    elif not words[0].isdecimal():
        raise ValueError(f"'{words[0]}' is no number of bits")
    elif kind == "2":
        yield from _rates(f"rsa-{words[0]}-pkcs1", _SIGNATURE, words[1:], _RSA)
    elif kind == "3":
        yield from _rates(f"dsa-{words[0]}", _SIGNATURE, words[1:], _DIGEST)
    elif kind == "4":
        yield from _rates(f"ecdsa-{words[0]}", _SIGNATURE, words[1:], f"{_DIGEST}; {_CURVELESS}")
    elif kind == "5":
        known = {"253": "x25519", "448": "x448"}.get(words[0])
        yield from _rates(known or f"ecdh-{words[0]}", ("derive",), words[1:2], "" if known else _CURVELESS)
    else:
        yield from _rates(f"ffdhe{words[0]}", ("derive",), words[1:2])


def _keys(name: str, rates: Sequence[float]) -> Iterator[Rate]:
    """Rows of the tables: `rsa 2048 bits`, `256 bits ecdh (nistp256)`, `2048 bits ffdh`, or the name of an algorithm alone."""
    curve = re.match(r"[0-9]+ bits (ecdsa|ecdh|EC|EdDSA) \(([^)]*)\)\Z", name)
    if curve and curve[1] in ("ecdsa", "EC"):
        yield from _rates(f"ecdsa-{algorithm_id(curve[2]).replace('p-', 'p')}", _SIGNATURE, rates, _DIGEST)
    elif curve and curve[1] == "ecdh":
        yield from _rates(algorithm_id(curve[2]), ("derive",), rates)
    elif curve:
        yield from _rates(algorithm_id(curve[2]), _SIGNATURE, rates)
    elif match := re.match(r"(rsa|dsa) +([0-9]+) bits\Z", name):
        known = (f"rsa-{match[2]}-pkcs1", _RSA) if match[1] == "rsa" else (f"dsa-{match[2]}", _DIGEST)
        yield from _rates(known[0], _SIGNATURE, rates, known[1])
    elif match := re.match(r"([0-9]+) bits ffdh\Z", name):
        yield from _rates(f"ffdhe{match[1]}", ("derive",), rates)
    elif len(rates) == 3:
        algorithm = algorithm_id(name)
        verbs = _DRAWN[
            "kem" if re.search(r"kem|kyber|hqc|frodo|bike|mceliece|x25519|x448|p-[0-9]", algorithm) else "sig"
        ]
        yield from _rates(algorithm, verbs, rates)
    else:
        raise ValueError(f"'{name}' is no row that is known")


def _rates(algorithm: str, verbs: Sequence[str], rates: Sequence[str | float], note: str = "") -> Iterator[Rate]:
    if not 0 < len(rates) <= len(verbs):
        raise ValueError(f"{len(rates)} figures, not one to {len(verbs)}")
    for verb, rate in zip(verbs, rates, strict=False):
        yield case_id(algorithm, verb), float(rate), note
