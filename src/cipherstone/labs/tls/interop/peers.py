# SPDX-License-Identifier: Apache-2.0
"""Peers: every build of the laboratory once more, with a main that plays one side over a descriptor; and the reference peer, in Go."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import msgspec

from cipherstone.build.cache import digest_of, kept, publish, scratch_beside
from cipherstone.build.systems import System
from cipherstone.build.toolchain import run_tool
from cipherstone.build.upstream import prepare
from cipherstone.build.workers import build_worker
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.libraries import Library
from cipherstone.catalogue.sources import Packages
from cipherstone.labs.tls.interop.grid import MissingPeer, Name
from cipherstone.labs.tls.words import versioned
from cipherstone.model.errors import BuildError, WorkerError
from cipherstone.protocol.messages import Refusal, one_line
from cipherstone.worker import WorkerProcess

REFERENCE, REFERENCE_TITLE = "go", "Go crypto/tls"
GO_SOURCES = Path("labs") / "tls" / "peer-go"
GO_PACKAGES = Packages(debian=("golang-go",), fedora=("golang",), arch=("go",), alpine=("go",), macos=("go",))
# Nothing is fetched: neither another toolchain nor modules, of which there are none.
GO_SETTINGS = ("CGO_ENABLED=0", "GOTOOLCHAIN=local", "GOPROXY=off", "GOFLAGS=", "GOWORK=off")

Announce = Callable[[str], None]


class Main(NamedTuple):
    """A main for an adapter, in the place of the SDK's: what it is called in words, its sources, and the flags that hand it the adapter's table."""

    what: str
    sources: tuple[str, ...]
    flags: tuple[str, ...]


# With data to exchange.
MUTATIONS = Main("mutations", ("mutate.c",), ("-Dcs_worker_main=tls_mutated_main",))
PEER = Main("peer", ("peer.c",), ("-Dcs_worker_main=tls_peer_main", "-DTLS_PEER"))


class Peer(msgspec.Struct, frozen=True):
    """A program that plays one side. `command` starts it, `environment` is what it gets besides."""

    name: str
    title: str
    version: str
    command: tuple[str, ...]
    environment: dict[str, str] = {}

    @property
    def shown(self) -> Name:
        """Its names alone."""
        return Name(self.name, self.title, self.version)


def peers(
    workshop: Workshop,
    library: Library,
    with_reference: bool,
    tell: Announce,
    patience: float = 1.0,
    main: Main = PEER,
) -> tuple[list[Peer], list[MissingPeer]]:
    """(those that are here, in the order of the builds, the reference last; the others with the reason)."""

    def one(build: BuildSpec) -> Peer | MissingPeer:
        return _found(build.name, lambda: of_build(workshop, library, build, main, tell, patience))

    with ThreadPoolExecutor(2) as threads:
        made = list(threads.map(one, library.builds))
    if with_reference:
        made.append(
            _found(REFERENCE, lambda: reference(workshop.root, workshop.cache, workshop.system, tell, patience))
        )
    return [one for one in made if isinstance(one, Peer)], [one for one in made if isinstance(one, MissingPeer)]


def _found(name: str, make: Callable[[], Peer | str]) -> Peer | MissingPeer:
    try:
        peer = make()
    except BuildError as error:
        return MissingPeer(name, f"{error.message} ({error.hint})" if error.hint else error.message)
    except (WorkerError, Refusal) as error:
        return MissingPeer(name, f"its peer does not start: {error}")
    return MissingPeer(name, peer) if isinstance(peer, str) else peer


def of_build(
    workshop: Workshop, library: Library, build: BuildSpec, main: Main | None, tell: Announce, patience: float
) -> Peer | str:
    """A build's program with another main (None: its worker as it is), or why there is none. Raises BuildError and WorkerError."""
    found = prepare(library, build, workshop.toolchain, workshop.system, workshop.cache, tell)
    if found.problem:
        return found.problem
    played, what = build, "worker"
    if main is not None:
        found = msgspec.structs.replace(found, cflags=(*found.cflags, *main.flags))
        played = msgspec.structs.replace(build, sources=(*(build.sources or library.sources), *main.sources))
        what = main.what
    made = build_worker(workshop.job(library, found, played))
    if made.fresh:
        tell(f"built the {what} of {build.title or build.name}")
    return introduced(build.name, build.title or build.name, made.words, library.environment(build), patience)


def introduced(
    name: str, title: str, command: Sequence[str], environment: dict[str, str] | None = None, patience: float = 1.0
) -> Peer:
    """A program with the version that it tells. Raises WorkerError and Refusal."""
    with WorkerProcess(command, environment=environment, patience=patience) as worker:
        version = one_line(worker.hello().version, 40)
    return Peer(name, versioned(title, version), version, tuple(command), dict(environment or {}))


def reference(root: Path, cache: Path, system: System | None, tell: Announce, patience: float = 1.0) -> Peer | str:
    """The reference peer, or why there is none. Raises BuildError and WorkerError."""
    go = shutil.which("go")
    version = _go_version(go) if go is not None else ""
    if go is None or not version:
        packages = getattr(GO_PACKAGES, system.key) if system is not None else ()
        return "no go" + (f" (package {' '.join(packages)})" if packages else "")
    folder = root / GO_SOURCES
    files = [(path.name, path) for path in sorted(folder.iterdir()) if path.suffix in (".go", ".mod")]
    target = cache / "workers" / f"tls-go-{digest_of(files, (version, *GO_SETTINGS))}" / "cs-tls-go"
    if not kept(target):
        with scratch_beside(target.parent) as scratch:
            program = scratch / target.name
            words = [go, "build", "-trimpath", "-buildvcs=false", "-o", str(program), "."]
            settings = [*GO_SETTINGS, f"GOCACHE={scratch / 'cache'}", f"XDG_CONFIG_HOME={scratch / 'config'}"]
            run_tool(words, "the reference peer: compiling", "it needs Go 1.19 or later", folder, settings)
            publish(program, target)
        tell(f"built the reference peer ({version})")
    return introduced(REFERENCE, REFERENCE_TITLE, (str(target),), None, patience)


def _go_version(go: str) -> str:
    """`go1.26.8 linux/amd64`; "" if it does not say."""
    # Go counts its own calls in the user's settings; here they go away with the folder.
    with tempfile.TemporaryDirectory(prefix="cipherstone-") as settings:
        words = ["env", f"XDG_CONFIG_HOME={settings}", go, "version"]
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return ""
    return done.stdout.removeprefix("go version ").strip() if done.returncode == 0 else ""
