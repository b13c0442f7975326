# SPDX-License-Identifier: Apache-2.0
"""`cipherstone lab tls --servers`."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.libraries import Library
from cipherstone.cli import environment as env
from cipherstone.cli.files import write_result
from cipherstone.fleet.local import choose_cpu
from cipherstone.fleet.workshop import Workshop
from cipherstone.host.facts import allowed_cpus
from cipherstone.host.lock import MachineLock
from cipherstone.labs.tls.interop.peers import Main, Peer, of_build
from cipherstone.labs.tls.servers.load import Here, Left, served
from cipherstone.labs.tls.servers.programs import PROC, PROGRAMS, found, missing, version_of
from cipherstone.labs.tls.servers.table import served_text
from cipherstone.model.errors import CipherstoneError, UsageError, nearest

LOAD = Main("load", ("load.c", "load_line.c"), ("-Dcs_worker_main=tls_load_main",))
DISTRIBUTION = "openssl"  # which the distribution's servers have inside


def servers(
    workshop: Workshop,
    library: Library,
    names: Sequence[str],
    build: Sequence[str],
    quick: bool,
    cpu: int | None,
    patience: float,
    format_: env.Format,
) -> None:
    """Measures servers that are installed, and prints what a handshake costs each beside the bare library. Raises CipherstoneError where none of them is here."""
    for name in names:
        if name not in PROGRAMS:
            raise UsageError(f"--servers: '{name}' is none that is known", nearest(name, tuple(PROGRAMS)))
    if not (PROC / "self" / "stat").is_file():
        raise CipherstoneError("--servers: this system does not tell what processes use", "it needs Linux's /proc")
    here, left_out = _installed(workshop, names)
    if not here:
        raise CipherstoneError(f"--servers: {'; '.join(one.why for one in left_out)}", "install one of them")
    for one in left_out:
        env.say(f"without {one.name}: {one.why}")
    chosen = named_build(library, "--servers", build)
    load = made(of_build(workshop, library, chosen, LOAD, env.say, patience), chosen)
    plain = made(of_build(workshop, library, chosen, None, env.say, patience), chosen)
    with MachineLock():
        result = served(load, plain, here, left_out, two_cpus(cpu), quick, env.say, patience)
    if format_ is env.Format.JSON:
        write_result(msgspec.json.format(msgspec.json.encode(result)).decode(), None)
    else:
        write_result(served_text(result, env.width()), None)


def _installed(workshop: Workshop, names: Sequence[str]) -> tuple[list[Here], list[Left]]:
    here, left_out = [], []
    for name in dict.fromkeys(names):
        program = PROGRAMS[name]
        path = found(program)
        if path is None:
            left_out.append(Left(name, missing(program, workshop.system)))
        else:
            here.append(Here(program, path, version_of(program, path)))
    return here, left_out


def named_build(library: Library, option: str, names: Sequence[str]) -> BuildSpec:
    """The one that is named, else the system's OpenSSL. Raises UsageError."""
    if len(names) > 1:
        raise UsageError(f"{option}: one library makes the load", "name one with --build, or none")
    wanted = names[0].removeprefix(f"{library.id}@") if names else DISTRIBUTION
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
