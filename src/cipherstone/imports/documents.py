# SPDX-License-Identifier: Apache-2.0
"""Other programs' reports in JSON: `bssl speed` of AWS-LC and BoringSSL, `botan speed`, and Google Benchmark."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, TypeVar

import msgspec

from cipherstone.catalogue.document import shown
from cipherstone.imports.figures import ImportedFigure, Publication
from cipherstone.imports.names import algorithm_id, case_id
from cipherstone.model.errors import DataError
from cipherstone.model.text import UNREADABLE, unreadable_text

T = TypeVar("T")
Whole = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]  # a counter of these programs
Bytes = Annotated[int, msgspec.Meta(ge=0, le=1 << 40)]
_ONE_BLOCK = "each figure is the mean of one block, one after another, without repetition, spread or interval"
_FAILED = "the program says that it failed"


class _Bssl(msgspec.Struct):
    description: str
    numCalls: Whole  # noqa: N815 - the program's own names
    microseconds: Whole
    bytesPerCall: Bytes = 0  # noqa: N815


class _Botan(msgspec.Struct):
    algo: str
    op: str
    events: Whole
    nanos: Whole
    buf_size: Bytes = 0


class _GoogleContext(msgspec.Struct):
    date: str = ""
    executable: str = ""
    host_name: str = ""
    num_cpus: int = 0
    mhz_per_cpu: float = 0.0


class _GoogleRow(msgspec.Struct):
    name: str
    real_time: float | None = None
    cpu_time: float | None = None
    time_unit: str = "ns"
    run_name: str = ""
    run_type: str = "iteration"
    aggregate_name: str = ""
    iterations: Whole = 0
    bytes_per_second: float | None = None
    error_occurred: bool = False
    error_message: str = ""


class _Google(msgspec.Struct):
    context: _GoogleContext
    benchmarks: list[_GoogleRow]


def parse_bssl(name: str, text: str) -> Publication:
    """`bssl speed -json`: a list of `description`, `numCalls`, `microseconds`, and `bytesPerCall` where there are any. Raises DataError."""
    rows = _read(name, text, list[_Bssl], "`bssl speed -json`")
    figures = [_bssl(name, number, row) for number, row in enumerate(rows, 1)]
    note = "by a monotonic clock over about a second, after two calls that do not count; the lengths, keys and nonce stay the same"
    return _publication(name, "bssl-speed", "bssl speed -json (tool/speed.cc), Apache-2.0 OR ISC", figures, (_ONE_BLOCK, note))  # fmt: skip


_BSSL_VERBS = (
    # (what follows the name, verb, what is known)
    (r" signing\Z", "sign", ""),
    (r" verify \(same key\)\Z", "verify", ""),
    (r" verify \(fresh key\)\Z", "verify-rekey", "a key is made of its numbers in each call"),
    (r" verify\Z", "verify", ""),
    (r" private key parse\Z", "import-private", ""),
    (r" (?:key-?gen|keygen|key generation|generate)\Z", "keygen", ""),
    (r" encaps?\Z", "encaps", ""),
    (r" decaps?\Z", "decaps", ""),
    (r" seal\Z", "seal", ""),
    (r" open\Z", "open", ""),
    (r" encrypt\Z", "encrypt", ""),
    (r" decrypt\Z", "decrypt", ""),
)


def _bssl(name: str, number: int, row: _Bssl) -> ImportedFigure:
    where = f"{name}: entry {number}"
    if row.numCalls < 1 or row.microseconds < 1:
        raise DataError(f"{where}: numCalls={row.numCalls}, microseconds={row.microseconds}", "the output is damaged")
    text = row.description.strip()
    verb, note = "call", ""
    for pattern, known, said in _BSSL_VERBS:
        if re.search(pattern, text):
            text, verb, note = re.sub(pattern, "", text), known, said
            break
    level = re.match(r"(EVP|AEAD)[- ]", text)
    text = text[level.end() :] if level else text
    if match := re.match(r"RSA(?: FIPS)? ([0-9]+)\Z", text):
        text = f"rsa-{match[1]}" if verb in ("keygen", "import-private") else f"rsa-{match[1]}-pkcs1"
        note = "; ".join(filter(None, (note, "PKCS#1 v1.5 over a digest that is given" if verb != "keygen" else "")))
    elif match := re.match(r"(ECDSA|ECDH) (.+)\Z", text):
        curve = algorithm_id(match[2])
        text = f"ecdsa-{curve.replace('p-', 'p')}" if match[1] == "ECDSA" else curve
        verb = "derive" if match[1] == "ECDH" else verb
    elif verb == "call" and row.bytesPerCall:
        verb = "mac" if text.startswith(("HMAC", "CMAC")) or "SipHash" in text else "hash"
    ns = row.microseconds * 1e3 / row.numCalls
    case = case_id(algorithm_id(text), verb, row.bytesPerCall or None)
    return ImportedFigure(
        case, f"bssl@unknown:{level[1]}" if level else "bssl@unknown", ns, row.numCalls, note=note, line=number
    )


def parse_botan(name: str, text: str) -> Publication:
    """`botan speed --format=json`: a list of `algo`, `op`, `events`, `nanos`, and `buf_size` where there is one. Raises DataError."""
    rows = _read(name, text, list[_Botan], "`botan speed --format=json`")
    figures = [_botan(name, number, row) for number, row in enumerate(rows, 1)]
    notes = (_ONE_BLOCK, "with a buffer, events are bytes; a key schedule and a nonce have rows of their own")
    return _publication(name, "botan-speed", "botan speed --format=json, BSD-2-Clause", figures, notes)


def _botan(name: str, number: int, row: _Botan) -> ImportedFigure:
    if row.events < 1 or row.nanos < 1:
        raise DataError(f"{name}: entry {number}: events={row.events}, nanos={row.nanos}", "the output is damaged")
    plain, _, provider = row.algo.partition(" [")
    words, note = plain.split(" "), ""
    if match := re.match(r"(ECDSA|ECDH|RSA|DSA|DH)-(.+)\Z", words[0]):
        curve = algorithm_id(match[2])
        scheme = {"ECDSA": f"ecdsa-{curve.replace('p-', 'p')}", "ECDH": curve}.get(match[1], f"{match[1].lower()}-{match[2].lower()}")  # fmt: skip
        algorithm = scheme + ("-pkcs1" if "PKCS1" in plain else "-pss" if "PSS" in plain else "")
        note = " ".join(words[1:])
    else:
        algorithm = algorithm_id(re.sub(r"\(16\)\Z", "", words[0]))
    aead = re.search(r"(gcm|ccm|eax|ocb|siv|poly1305)\Z", algorithm)
    verb = {"encrypt": "seal", "decrypt": "open"}.get(row.op, row.op) if aead else row.op
    verb = {"key agreements": "derive", "key agreement": "derive"}.get(verb, re.sub(r"[^a-z0-9]+", "-", verb.lower()))
    calls = row.events / row.buf_size if row.buf_size and row.op in ("encrypt", "decrypt", "hash", "mac", "generate", "write") else row.events  # fmt: skip
    lane = "botan@unknown" + (f":{provider.rstrip(']')}" if provider and provider != "base]" else "")
    return ImportedFigure(case_id(algorithm, verb, row.buf_size or None), lane, row.nanos / calls, row.events, note=note, line=number)  # fmt: skip


_TIME_UNITS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
_BORING = re.compile(r"BM_Speed(?:AEAD|AEADv)/(seal|open)_([a-z0-9_]+)/([0-9]{1,15})\Z")


def parse_google(name: str, text: str) -> Publication:
    """Google Benchmark's `--benchmark_format=json`: medians where repetitions were aggregated, else means where they were, else each benchmark's own figure (CPU time). Raises DataError."""
    report = _read(name, text, _Google, "Google Benchmark's JSON")
    kinds = {row.aggregate_name for row in report.benchmarks}
    kept = next((kind for kind in ("median", "mean") if kind in kinds), "")
    library = algorithm_id(report.context.executable.rpartition("/")[2] or "unnamed")
    figures = list(_google(name, report, kept, f"{library}@unknown"))
    facts = {"date": report.context.date[:10], "machine": f"{report.context.num_cpus} CPUs of {report.context.mhz_per_cpu:g} MHz as it says"}  # fmt: skip
    notes = (f"{kept} of repetitions, which ran one after another" if kept else _ONE_BLOCK, "CPU time of the thread; names of operations are the program's own")  # fmt: skip
    return _publication(name, "google-benchmark", "Google Benchmark, JSON", figures, notes, facts)


def _google(name: str, report: _Google, kept: str, lane: str) -> Iterator[ImportedFigure]:
    for number, row in enumerate(report.benchmarks, 1):
        if not row.error_occurred and (row.aggregate_name != kept or (kept == "" and row.run_type != "iteration")):
            continue
        scale, time = _TIME_UNITS.get(row.time_unit), row.cpu_time
        if scale is None or (not row.error_occurred and (time is None or not time > 0)):
            raise DataError(f"{name}: entry {number}: cpu_time={time} {shown(row.time_unit)}", "the report is damaged")
        what = row.run_name or row.name
        if match := _BORING.match(what):
            case = case_id(algorithm_id(match[2].replace("_", "-")), match[1], int(match[3]))
        else:
            case = case_id(algorithm_id(what.replace("/", "-")), "call")
        if row.error_occurred or time is None:
            yield ImportedFigure(case, lane, None, missing=row.error_message or _FAILED, line=number)
        else:
            yield ImportedFigure(case, lane, time * scale, row.iterations or None, line=number)


def _read(name: str, text: str, kind: type[T], what: str) -> T:
    try:
        return msgspec.json.decode(text, type=kind)
    except UNREADABLE as error:
        raise DataError(
            f"{name}: not {what}: {unreadable_text(error)}", "give the file as the program wrote it"
        ) from None


def _publication(
    name: str,
    program: str,
    origin: str,
    figures: list[ImportedFigure],
    notes: tuple[str, ...],
    facts: dict[str, str] | None = None,
) -> Publication:
    if not figures:
        raise DataError(f"{name}: no figures in it", "give the file as the program wrote it")
    return Publication(
        name=name, origin=origin, facts=facts or {}, figures=tuple(figures), notes=notes, program=program
    )
