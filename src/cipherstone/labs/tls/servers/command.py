# SPDX-License-Identifier: Apache-2.0
"""`cipherstone lab tls --servers`: the instrument of a request."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.libraries import Library
from cipherstone.cli.selection import words
from cipherstone.execute.run import choose_cpu
from cipherstone.host.facts import allowed_cpus
from cipherstone.labs.tls.interop.peers import Main, Peer, of_build
from cipherstone.labs.tls.servers.load import Site
from cipherstone.labs.tls.servers.measured import Here, OfServers, Programs, UnderLoad
from cipherstone.labs.tls.servers.programs import PROC, PROGRAMS, found, missing, version_of
from cipherstone.model.errors import CipherstoneError, UsageError, nearest
from cipherstone.model.ids import build_within
from cipherstone.model.instruments import LeftOut
from cipherstone.model.request import RunRequest

LOAD = Main("load", ("load.c", "load_line.c"), ("-Dcs_worker_main=tls_load_main",))
DISTRIBUTION = "openssl"  # which the distribution's servers have inside


def of_servers(workshop: Workshop, library: Library, request: RunRequest, tell: Callable[[str], None]) -> OfServers:
    """What measures the servers that the request names, those that are installed. Raises CipherstoneError where none of them is here, or a server does not agree on what is asked for; UsageError."""
    names = words([str(request.options.get("servers", ""))])
    for name in names:
        if name not in PROGRAMS:
            raise UsageError(f"--servers: '{name}' is none that is known", nearest(name, tuple(PROGRAMS)))
    if not (PROC / "self" / "stat").is_file():
        raise CipherstoneError("--servers: this system does not tell what processes use", "it needs Linux's /proc")
    here, left_out = _installed(workshop, names)
    if not here:
        raise CipherstoneError(f"--servers: {'; '.join(one.why for one in left_out)}", "install one of them")
    site = Site(two_cpus(request.cpu), bool(request.options.get("quick")), request.patience)
    build = named_build(library, "--servers", request.build)
    return OfServers(UnderLoad(programs_of(workshop, library, build, tell, site.patience), here, left_out), site, tell)


def programs_of(
    workshop: Workshop, library: Library, build: BuildSpec, tell: Callable[[str], None], patience: float
) -> Programs:
    """A build's program for the load, and its worker. Raises CipherstoneError with the reason where there is none."""
    load, plain = (made(of_build(workshop, library, build, main, tell, patience), build) for main in (LOAD, None))
    return Programs(load, plain)


def _installed(workshop: Workshop, names: Sequence[str]) -> tuple[list[Here], list[LeftOut]]:
    here, left_out = [], []
    for name in dict.fromkeys(names):
        program = PROGRAMS[name]
        path = found(program)
        if path is None:
            left_out.append(LeftOut(name, missing(program, workshop.system)))
        else:
            here.append(Here(program, path, version_of(program, path)))
    return here, left_out


def named_build(library: Library, option: str, names: Sequence[str]) -> BuildSpec:
    """The one that is named, else the system's OpenSSL. Raises UsageError."""
    if len(names) > 1:
        raise UsageError(f"{option}: one library makes the load", "name one with --build, or none")
    wanted = build_within(library.id, names[0]) if names else DISTRIBUTION
    known = {one.name: one for one in library.builds}
    if wanted not in known:
        raise UsageError(f"--build: no build of the laboratory is called '{wanted}'", nearest(wanted, tuple(known)))
    return known[wanted]


def made(peer: Peer | str, build: BuildSpec) -> Peer:
    """A build's program. Raises CipherstoneError with the reason where there is none."""
    if isinstance(peer, str):
        raise CipherstoneError(f"{build.title or build.name}: {peer}", "")
    return peer


def two_cpus(asked: int | None) -> tuple[int | None, int | None]:
    """(of who helps, of what is measured): two, where there are two."""
    own = choose_cpu(asked)
    others = [cpu for cpu in allowed_cpus() if cpu != own]
    return (others[-1] if others else own), own
