# SPDX-License-Identifier: Apache-2.0
"""`labs/footprint/LIBRARY/ladder.toml`: the steps that a library is taken down, and the ladders that others published."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from cipherstone.catalogue.builds import BuildSpec, OwnBuild
from cipherstone.catalogue.document import read_toml, shown
from cipherstone.catalogue.libraries import Library, load_labs
from cipherstone.catalogue.references import pages_with, read_values, shown_place
from cipherstone.catalogue.sources import COMMAND, OPTION, Archive, Source, check_libs
from cipherstone.catalogue.suites import suite_names
from cipherstone.model.errors import DataError, nearest

FOLDER = "labs/footprint"
TLS_CLIENT = "tls-client"
PROGRAMS = {
    TLS_CLIENT: "a client of TLS that verifies the server",
    "sha256": "SHA-256",
    "aead": "AES-128-GCM, opened",
    "verify": "ECDSA on P-256 with SHA-256, verified",
    "rsa-verify": "RSA-2048, PKCS#1 v1.5 with SHA-256, verified",
    "agree": "X25519",
    "ml-kem": "ML-KEM-768, decapsulated",
    "chacha": "ChaCha20-Poly1305, opened",
    "ed25519-verify": "Ed25519, verified",
    "sha512": "SHA-512",
    "random": "random bytes, of the library's own generator",
    "sign": "ECDSA on P-256 with SHA-256, signed",
    "rsa-sign": "RSA with 2048 and 4096 bits, PKCS#1 v1.5 with SHA-256, signed",
    "ecdh": "ECDH on P-256",
    "ecdhe": "ECDH with a key drawn for it, on P-256 and on Curve25519",
}
# What small libraries have in the place of AES and of the curves of NIST: a reason is said where a library cannot have it, and none where it was not written.
INSTEAD = ("chacha", "ed25519-verify")
# What only a published table asks for: a library beside whose ladder none stands need not have them, and their sizes are shown where they are named.
EXTRAS = ("sha512", "random", "sign", "rsa-sign", "ecdh", "ecdhe")
LADDERS = "ladders.toml"
_NAME = re.compile(r"[a-z0-9][a-z0-9-]*\Z")
_WORD = re.compile(r"-[!-~]+\Z")
_DEFINE = re.compile(r"[A-Z][A-Z0-9_]*(=[!-~]+)?\Z")


class Tls(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the client of a step is asked to agree on. `pinned`: it has the server's key in place of an anchor; `without`: the kind of certificates whose functions the program answers, always with failure, so that it must refuse a server that has one."""

    version: Literal["1.2", "1.3"] = "1.3"
    cert: Literal["p-256", "rsa-2048"] = "p-256"
    pinned: bool = False
    without: Literal["", "rsa-2048"] = ""


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A step. `flags`: of the library and the program; `link`: of the link; `options`: words for the script that builds the library; `defines`: of the program.

    `programs`: those that it is for; none named: all that the library has. `after`: the step that it is compared with, if not the one before. `hosted`: why a board cannot have it, "" if it can. `also`: sources of other libraries that it is built with, as LIBRARY@SOURCE; the script finds them in $WITH_LIBRARY.
    """

    name: str
    title: str
    flags: tuple[str, ...]
    programs: tuple[str, ...] = ()
    link: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    tls: Tls = Tls()
    after: str = ""
    hosted: str = ""
    also: tuple[str, ...] = ()

    def covers(self, program: str) -> bool:
        """Whether it is a step of this program."""
        return not self.programs or program in self.programs


class _LadderFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    library: str
    source: str
    title: str
    libs: tuple[str, ...]
    step: tuple[Step, ...]
    tools: tuple[str, ...] = ()
    cxx: bool = False
    published: str = ""
    ecdsa: Literal["p1363", "der"] = "p1363"
    slow: bool = False
    hosted: str = ""
    absent: dict[str, str] = {}


class Ladder(msgspec.Struct, frozen=True):
    """A library's. `source`: upstream's, with the script and the archives of this laboratory; `programs`: those that it has; `absent`: those that it cannot have, and why; `published`: the ladder that stands beside it; `ecdsa`: the form of signatures that its functions take; `others`: of other libraries by LIBRARY@SOURCE; `slow`: its builds take so long that it is left out unless it is named; `own`: a commit or an archive of the user's in the place of the pinned source."""

    library: str
    title: str
    folder: Path
    source: Source
    steps: tuple[Step, ...]
    programs: tuple[str, ...]
    absent: Mapping[str, str]
    published: str
    ecdsa: Literal["p1363", "der"]
    slow: bool
    others: Mapping[str, Archive] = {}
    own: OwnBuild | None = None

    def steps_of(self, program: str) -> tuple[Step, ...]:
        """Those of one program, in order; none if the library has no such program."""
        return tuple(step for step in self.steps if step.covers(program)) if program in self.programs else ()

    def before(self, program: str, step: Step, on_board: bool = False) -> Step | None:
        """The step that this one is compared with; None for the first."""
        steps = tuple(one for one in self.steps_of(program) if one == step or not (on_board and one.hosted))
        if step.after:
            return next((one for one in steps if one.name == step.after), None)
        at = steps.index(step)
        return steps[at - 1] if at else None

    @property
    def as_library(self) -> Library:
        """For the machinery that builds upstream's sources."""
        return Library(
            id=f"footprint-{self.library}",
            title=self.title,
            homepage="",
            licence="",
            language="c",
            sources=(),
            min_version="",
            notes="",
            distribution=None,
            builds=(),
            absent=(),
            implementations=(),
            folder=self.folder,
        )

    def build_of(self, step: Step, machine_flags: tuple[str, ...] = ()) -> BuildSpec:
        """The library as a step has it, for a machine whose compiler needs these flags."""
        also = {name.partition("@")[0].replace("-", "_"): self.others[name] for name in step.also}
        return BuildSpec(
            variant=step.name,
            source=msgspec.structs.replace(self.source, also={**self.source.also, **also}),
            options=step.options,
            flags=(*step.flags, *machine_flags),
            version=self.source.version,
            own=self.own,
        )


def program_file(folder: Path, name: str) -> Path:
    """The source of a program: in C++ where there is one, else in C."""
    stem = folder / name.replace("-", "_")
    in_cxx = stem.with_suffix(".cpp")
    return in_cxx if in_cxx.is_file() else stem.with_suffix(".c")


def load_ladders(root: Path, libraries: Mapping[str, Library], left_out: Collection[str] = ()) -> dict[str, Ladder]:
    """Every ladder under `root/labs/footprint`, by library in rising order. `left_out`: libraries that cannot be read; where there is one, a ladder that cannot be read may need it and is left out, too. Raises DataError."""
    known, found = {**load_labs(root), **libraries}, {}
    for path in sorted((root / FOLDER).glob("*/ladder.toml")):
        try:
            found[path.parent.name] = load_ladder(path.parent, known)
        except DataError:
            if not left_out:
                raise
    return found


def load_ladder(folder: Path, libraries: Mapping[str, Library]) -> Ladder:
    """The ladder in `folder`; its source is one of its library, or LIBRARY@SOURCE. Raises DataError for the first thing that is wrong."""
    name = f"{FOLDER}/{folder.name}/ladder.toml"
    document = read_toml(folder / "ladder.toml", name, _LadderFile)
    named, _, wanted = document.source.rpartition("@")
    if document.library != folder.name or not (named or document.library in libraries):
        raise DataError(
            f"{name}: library: {shown(document.library)} is not the folder's name, or no library",
            nearest(document.library, libraries),
        )
    of = libraries.get(named or document.library)
    upstream = {one.name: one for one in of.upstream} if of is not None else {}
    if of is None or wanted not in upstream:
        raise DataError(
            f"{name}: source: {named or document.library} has no source {shown(wanted)}", nearest(wanted, upstream)
        )
    check_libs(name, document.libs, archives=True)
    for tool in document.tools:
        if not COMMAND.match(tool):
            raise DataError(f"{name}: tools: {shown(tool)} cannot stand here", "names of programs, such as make")
    _check_programs(name, folder, document)
    _check_steps(name, document)
    others = [(f"{name}: step {step.name}", other) for step in document.step for other in step.also]
    words = {word: "a word of this laboratory" for step in document.step for word in step.options}
    source = msgspec.structs.replace(
        upstream[wanted],
        script="upstream/build.sh",
        libs=document.libs,
        tools=document.tools,
        options=words,
        flags=(),
        defines=(),
        sources=(),
        include=("include",),
        cxx=document.cxx or upstream[wanted].cxx or of.language == "c++",
        cpu_s=0,
    )
    return Ladder(
        document.library,
        document.title,
        folder,
        source,
        tuple(msgspec.structs.replace(step, hosted=step.hosted or document.hosted) for step in document.step),
        tuple(program for program in PROGRAMS if _is_there(folder, program)),
        document.absent,
        document.published,
        document.ecdsa,
        document.slow,
        {name: _other(f"{where}.also", name, libraries) for where, name in others},
    )


def _other(where: str, name: str, libraries: Mapping[str, Library]) -> Archive:
    library, _, source = name.partition("@")
    found = libraries[library].upstream if library in libraries else ()
    for one in found:
        if one.name == source:
            return one.archive
    raise DataError(f"{where}: there is no source {shown(name)}", "LIBRARY@SOURCE, such as micro-ecc@1.0")


def _is_there(folder: Path, program: str) -> bool:
    return program_file(folder, program).is_file()


def _check_programs(name: str, folder: Path, document: _LadderFile) -> None:
    if not (folder / "upstream/build.sh").is_file():
        raise DataError(f"{name}: there is no upstream/build.sh beside it", "a script that installs below $PREFIX")
    for program, reason in document.absent.items():
        if program not in PROGRAMS or not reason.strip():
            raise DataError(
                f"{name}: absent: {shown(program)} is no program, or has no reason", nearest(program, PROGRAMS)
            )
    for program in PROGRAMS:
        there = _is_there(folder, program)
        if there == (program in document.absent) and (there or program not in (*INSTEAD, *EXTRAS)):
            raise DataError(
                f"{name}: {program}: has a source and a reason why not, or neither",
                f"{program_file(folder, program).name}, or absent",
            )


def _check_steps(name: str, document: _LadderFile) -> None:
    seen: set[tuple[str, str]] = set()
    if not document.step:
        raise DataError(f"{name}: step: there is none", "[[step]]")
    for index, step in enumerate(document.step):
        where = f"{name}: step[{index}]"
        if not _NAME.match(step.name) or not step.title.strip():
            raise DataError(f"{where}: {shown(step.name)} is no name, or there is no title", "small letters, digits, -")
        for field, words, pattern in (
            ("flags", step.flags, _WORD),
            ("link", step.link, _WORD),
            ("options", step.options, OPTION),
            ("defines", step.defines, _DEFINE),
        ):
            for word in words:
                if not pattern.match(word):
                    raise DataError(f"{where}.{field}: {shown(word)} cannot stand here", "a word without spaces")
        for program in step.programs:
            if program not in PROGRAMS:
                raise DataError(f"{where}.programs: {shown(program)} is not one", nearest(program, PROGRAMS))
        for program in step.programs or tuple(PROGRAMS):
            if (step.name, program) in seen:
                raise DataError(f"{where}: {step.name} stands twice for {program}", "give each its own name")
            if step.after and (step.after, program) not in seen:
                raise DataError(f"{where}.after: no step {shown(step.after)} of {program} before", "an earlier step")
            seen.add((step.name, program))


class PublishedStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A step as printed. `program_kib`: of the program; `archives_kib`: of the archives, in the order of the table's head; `ours`: the step of ours that does the same, if one does."""

    title: str
    program_kib: float
    archives_kib: tuple[float, ...]
    ours: str = ""


class PublishedSpeed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A row of what a publication timed in its reduced configuration and in upstream's, more is faster. `program`, `task`: of ours that do the same. `mb_s`: both in MB/s as printed beside them, empty where they are not."""

    title: str
    reduced: float
    default: float
    program: str
    task: str
    mb_s: tuple[str, ...] = ()


class PublishedLadder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A ladder that was published. `suite`: made after the same page; `library`: of ours, if there is a ladder of ours beside it; `further`: steps of ours that answer what the page left open; `reduced`: the step of ours that is nearest to the configuration that it timed, and `speed` what it timed."""

    id: str
    suite: str
    library: str
    title: str
    source: str
    conditions: str
    archives: tuple[str, ...]
    note: tuple[str, ...]
    step: tuple[PublishedStep, ...]
    further: tuple[str, ...] = ()
    reduced: str = ""
    speed: tuple[PublishedSpeed, ...] = ()


class _PublishedFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    ladder: tuple[PublishedLadder, ...]


def load_published(root: Path) -> dict[str, PublishedLadder]:
    """The published ladders of all pages by id. Raises DataError."""
    suites = suite_names(root)
    found = [
        (shown_place(page, LADDERS), ladder)
        for page in pages_with(root, LADDERS)
        for ladder in read_values(root, page, LADDERS, _PublishedFile).ladder
    ]
    for name, ladder in found:
        if ladder.suite not in suites:
            raise DataError(f"{name}: {ladder.id}: there is no suite {shown(ladder.suite)}", nearest(ladder.suite, suites))  # fmt: skip
        for step in ladder.step:
            if step.program_kib <= 0 or len(step.archives_kib) != len(ladder.archives):
                raise DataError(f"{name}: {ladder.id}: {shown(step.title)}: a size is missing", "as the table has it")
        for row in ladder.speed:
            if min(row.reduced, row.default) <= 0 or row.program not in PROGRAMS:
                raise DataError(f"{name}: {ladder.id}: {shown(row.title)}: a figure is missing, or no program", "as the table has it")  # fmt: skip
    return {ladder.id: ladder for _, ladder in found}
