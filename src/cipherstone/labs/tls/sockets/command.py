# SPDX-License-Identifier: Apache-2.0
"""`cipherstone lab tls --sockets`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.composed import composed
from cipherstone.catalogue.libraries import Library
from cipherstone.cli import environment as env
from cipherstone.cli.files import require_place, write_result
from cipherstone.fleet.workshop import Workshop
from cipherstone.host.lock import MachineLock
from cipherstone.labs.tls.interop.peers import Peer, of_build
from cipherstone.labs.tls.servers.command import DISTRIBUTION, LOAD, made, two_cpus
from cipherstone.labs.tls.servers.load import Left
from cipherstone.labs.tls.sockets.page import sockets_html
from cipherstone.labs.tls.sockets.plan import MASK, plan
from cipherstone.labs.tls.sockets.table import sockets_text
from cipherstone.labs.tls.sockets.timed import Client, sockets
from cipherstone.model.errors import CipherstoneError

# The page's two libraries: upstream's where it is built, else what the system has that is nearest.
PAGE = "tls-sockets.html"
WITHOUT = "noasm"  # an option of sources that have no switch
SERVER, CLIENTS = ("boringssl", DISTRIBUTION), (("boringssl", DISTRIBUTION), ("mbedtls-3.6", "mbedtls"))


def over_sockets(
    workshop: Workshop,
    library: Library,
    build: Sequence[str],
    quick: bool,
    cpu: int | None,
    patience: float,
    format_: env.Format,
    page: Path | None = None,
) -> None:
    """Measures what the page of the suite tls-blog did, and prints it beside what was printed there; `page`: a file for it as HTML. Raises CipherstoneError where a client is not here, or accepts what it must refuse."""
    require_place(page)
    asked_for = plan(workshop.root)
    left: list[Left] = []
    names = build or [_here(workshop, library, *pair, left) for pair in CLIENTS]
    chosen = list(dict.fromkeys(composed(library, name.removeprefix(f"{library.id}@")).name for name in names))
    serves = SERVER[0] if SERVER[0] in chosen else _here(workshop, library, *SERVER, left)
    programs = {
        name: _client(workshop, library, name, bool(build), patience) for name in dict.fromkeys((*chosen, serves))
    }
    helps, own = two_cpus(cpu)
    with MachineLock():
        found = sockets(
            asked_for,
            [programs[name] for name in chosen],
            programs[serves],
            (own, helps),
            quick,
            env.say,
            patience,
            tuple(dict.fromkeys(left)),
        )
    if format_ is env.Format.JSON:
        write_result(msgspec.json.format(msgspec.json.encode(found)).decode(), None)
    else:
        write_result(sockets_text(found, env.width()), None)
    if page is not None:
        write_result(sockets_html(found), page)
        env.say(f"the page: {page}")


def _here(workshop: Workshop, library: Library, wanted: str, instead: str, left: list[Left]) -> str:
    """The build that is wanted if it is made already, else the other one."""
    if workshop.has_built(library, next(one for one in library.builds if one.name == wanted)):
        return wanted
    left.append(Left(wanted, f"not built; `--build {wanted}` builds it, and {instead} stands in for it"))
    return instead


def _client(workshop: Workshop, library: Library, name: str, named: bool, patience: float) -> Client:
    usual = composed(library, name)
    masked = _masked(workshop, library, usual, named)
    return Client(_program(workshop, library, usual, patience), _program(workshop, library, masked, patience))


def _masked(workshop: Workshop, library: Library, usual: BuildSpec, named: bool) -> BuildSpec:
    """By the library's switch; else a build of its source without them, if that is made already, or the build was named; else as it is."""
    if usual.name in library.masks[MASK].builds:
        return composed(library, f"{usual.name}~{MASK}")
    if usual.source is not None and WITHOUT in usual.source.options and not usual.options:
        other = composed(library, f"{usual.name}+{WITHOUT}")
        return other if named or workshop.has_built(library, other) else usual
    return usual


def _program(workshop: Workshop, library: Library, build: BuildSpec, patience: float) -> Peer:
    try:
        peer = made(of_build(workshop, library, build, LOAD, env.say, patience), build)
    except CipherstoneError as error:
        raise CipherstoneError(f"--sockets: {error.message}", error.hint) from None
    return peer
