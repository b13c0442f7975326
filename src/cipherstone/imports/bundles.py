# SPDX-License-Identifier: Apache-2.0
"""Published files as bundles marked foreign."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import msgspec

from cipherstone import __version__
from cipherstone.catalogue.document import one_line
from cipherstone.imports.cryptobench import looks_like_report, parse_report
from cipherstone.imports.cycle_counts import parse_pqm4, parse_supercop
from cipherstone.imports.documents import parse_botan, parse_bssl, parse_google
from cipherstone.imports.figures import ImportedFigure, Publication
from cipherstone.imports.openssl_speed import parse_speed
from cipherstone.imports.possible import DAMAGED, refuse_impossible
from cipherstone.imports.reading import DOCUMENT, SUPERCOP, TEXT, Limits, read_report
from cipherstone.imports.sequences import looks_like_sequences, parse_sequences
from cipherstone.model.errors import DataError, UsageError
from cipherstone.model.ids import Case, Lane
from cipherstone.model.outcomes import Outcome, RunStatus
from cipherstone.model.records import (
    BUNDLE_FORMAT,
    Build,
    ForeignRecord,
    Machine,
    Manifest,
    OutcomeRecord,
    PlannedCase,
    Record,
    Settings,
    Spectrum,
)
from cipherstone.store.find import bundle_folders
from cipherstone.store.layout import read_manifest
from cipherstone.store.writer import BundleWriter

FOREIGN_METHOD = "foreign"
NO_VECTOR = "a publication of another program: no spectrum"
_TITLES = {
    "openssl": "OpenSSL",
    "mbedtls": "Mbed TLS",
    "gnutls": "GnuTLS",
    "nettle": "Nettle",
    "tomcrypt": "LibTomCrypt",
    "tomcrypt-gmp": "LibTomCrypt (GMP)",
    "arm64": "AES instructions (by hand)",
    "mult": "instruction timer",
}
_CONTROL = re.compile(r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]")
_ISA = {"x86_64": "x86-64", "arm64": "aarch64", "aarch64": "aarch64"}


class ForeignProgram(NamedTuple):
    """Another program whose figures can be read. `what`: which files; `parse`: (name without extension, text) -> its figures, or DataError; `limits`: of such a file; `entry`: what its figures are counted in."""

    what: str
    parse: Callable[[str, str], Publication]
    limits: Limits = TEXT
    entry: str = "line"


def _cryptobench(name: str, text: str) -> Publication:
    if looks_like_report(text):
        return parse_report(name, text)
    if looks_like_sequences(text):
        return parse_sequences(name, text)
    begin = one_line(text, 40) or "nothing"
    raise DataError(
        f"{name}: neither a cryptobench report nor its instruction timings; it begins with '{begin}'",
        "give raw report files (`reports/*.txt`, `issues/mult_*.txt` of that project)",
    )


PROGRAMS = {
    "cryptobench": ForeignProgram("reports/*.txt and issues/mult_*.txt", _cryptobench),
    "openssl-speed": ForeignProgram("the output of `openssl speed`, with -mr or without", parse_speed),
    "bssl-speed": ForeignProgram("the output of `bssl speed -json`", parse_bssl, DOCUMENT, "entry"),
    "botan-speed": ForeignProgram("the output of `botan speed --format=json`", parse_botan, DOCUMENT, "entry"),
    "google-benchmark": ForeignProgram("the output of --benchmark_format=json", parse_google, DOCUMENT, "entry"),
    "supercop": ForeignProgram("data lines, unpacked", parse_supercop, SUPERCOP),
    "pqm4": ForeignProgram("benchmarks.csv", parse_pqm4),
}


def read_publication(path: Path, program: str = "cryptobench") -> Publication:
    """Parses a raw file of a program that is known here. Raises UsageError for another program, and DataError with one line: no such file, too large, not such a report, what is wrong in it, a figure that cannot be."""
    if program not in PROGRAMS:
        known = ", ".join(PROGRAMS)
        raise UsageError(f"import: '{program}' is no program that is known here", f"known: {known}")
    name = one_line(_CONTROL.sub(" ", path.stem), 100)
    if not path.is_file():
        raise DataError(f"import: '{path}' is no file", f"name files: {PROGRAMS[program].what}")
    reader = PROGRAMS[program]
    # A report goes to the terminal: nothing in it may control that.
    text = _CONTROL.sub(" ", read_report(path, reader.limits))
    publication = reader.parse(name, text)
    refuse_impossible(publication, reader.entry)
    figures = tuple(_named(name, reader.entry, figure) for figure in publication.figures)
    return _once(msgspec.structs.replace(publication, figures=figures))


def _named(name: str, entry: str, figure: ImportedFigure) -> ImportedFigure:
    """The figure under the names that a run has. Raises DataError for a name that cannot be asked for."""
    try:
        return msgspec.structs.replace(figure, case=Case.parse(figure.case).id, lane=Lane.parse(figure.lane).id)
    except UsageError as error:
        raise DataError(f"{name}: {entry} {figure.line}: {error.message}", DAMAGED) from None


def _once(publication: Publication) -> Publication:
    """Each case of a lane once: a program that was run twice into one file publishes two figures."""
    first: dict[tuple[str, str], ImportedFigure] = {}
    for figure in publication.figures:
        first.setdefault((figure.case, figure.lane), figure)
    if again := len(publication.figures) - len(first):
        said = f"{again} figures are of what the file has a figure of already; the first is taken"
        return msgspec.structs.replace(publication, figures=tuple(first.values()), notes=(*publication.notes, said))
    return publication


def manifest_of(publication: Publication, command: str) -> Manifest:
    """The manifest of a foreign bundle. `created` is the day that the publication states, or empty: an imported run is never the latest of one's own."""
    date = publication.facts.get("date", "")
    cases: dict[str, list[str]] = {}
    for figure in publication.figures:
        lanes = cases.setdefault(figure.case, [])
        if figure.lane not in lanes:
            lanes.append(figure.lane)
    return Manifest(
        format=BUNDLE_FORMAT,
        method=FOREIGN_METHOD,
        tool_version=__version__,
        run_id=_run_id(publication),
        created=f"{date}T00:00:00+00:00" if re.fullmatch(r"[0-9]{4}-[0-9][0-9]-[0-9][0-9]", date) else "",
        command=command,
        suite="",
        status=RunStatus.RUNNING.value,
        settings=Settings(),
        machine=_machine(publication),
        builds=tuple(_builds(publication)),
        plan=tuple(PlannedCase(case, tuple(lanes)) for case, lanes in cases.items()),
        notes=publication.notes,
        spectrum=Spectrum(
            _isa(publication), refused=NO_VECTOR, ghz=publication.ghz, classic_us=publication.reference_us
        ),
        foreign=f"{publication.program} report {publication.name}, {publication.origin}",
    )


def records_of(publication: Publication) -> list[Record]:
    """A record a figure; one that was published as nothing becomes missing with its reason, never 0."""
    return [_record(figure) for figure in publication.figures]


def write_bundle(root: Path, publication: Publication, command: str) -> BundleWriter:
    """A bundle in `root` with manifest and journal, ready to be finished by the caller. Raises StoreError; DataError if it was imported already."""
    manifest = manifest_of(publication, command)
    for folder in bundle_folders(root):
        if folder.name == manifest.run_id and read_manifest(folder).foreign == manifest.foreign:
            raise DataError(f"import: {publication.name} is in {root} already", "remove its folder to import it anew")
    writer = BundleWriter.create(root, manifest)
    for record in records_of(publication):
        writer.append(record)
    return writer


def _record(figure: ImportedFigure) -> ForeignRecord | OutcomeRecord:
    if figure.ns is None and figure.cycles is None:
        return OutcomeRecord(figure.case, figure.lane, Outcome.UNAVAILABLE, figure.missing or "not published")
    return ForeignRecord(figure.case, figure.lane, figure.ns, figure.iterations, figure.note, figure.cycles)


def _run_id(publication: Publication) -> str:
    return f"{publication.program}-" + re.sub(r"[^a-z0-9.-]+", "-", publication.name.lower()).strip("-.")


def _isa(publication: Publication) -> str:
    arch = publication.facts.get("arch", "")
    return _ISA.get(arch, arch)


def _builds(publication: Publication) -> Iterable[Build]:
    seen: set[str] = set()
    for figure in publication.figures:
        lane = Lane.parse(figure.lane)
        if lane.build_id in seen:
            continue
        seen.add(lane.build_id)
        said = publication.versions.get(lane.library, "")
        yield Build(
            library=lane.library,
            build=lane.build,
            version=lane.build,
            version_from=said or "not stated",
            title=_TITLES.get(lane.library, lane.library),
            licence="",
            compiler="not stated",
            flags="not stated",
            cpu_path=said[said.index("(") + 1 : -1] if said.endswith(")") and "(" in said else None,
            worker_hash="",
            package="",
        )


def _machine(publication: Publication) -> Machine:
    facts = publication.facts
    digest = hashlib.sha256("|".join(f"{key}={facts[key]}" for key in sorted(facts) if key != "date").encode())
    model = "; ".join(word for word in (publication.machine, facts.get("machine", "")) if word)
    return Machine(
        fingerprint=digest.hexdigest()[:16],
        cpu_model=model,
        architecture=facts.get("arch", ""),
        logical_cpus=0,
        cpu_features=(),
        hypervisor="emulated" if publication.emulated else "guest" if publication.name.endswith("-vm") else None,
        memory_bytes=None,
        system=facts.get("distro") or facts.get("os", ""),
        kernel=facts.get("kernel", ""),
        governor=None,
        turbo=None,
        smt=None,
        autogroup=None,
        counters="none (published figures)",
    )
