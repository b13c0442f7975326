# SPDX-License-Identifier: Apache-2.0
"""`cipherstone lab tls --sockets`: the instrument of a request."""

from __future__ import annotations

from collections.abc import Callable

from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.builds import BuildSpec
from cipherstone.catalogue.composed import composed
from cipherstone.catalogue.libraries import Library
from cipherstone.labs.tls.interop.peers import Peer, of_build
from cipherstone.labs.tls.servers.command import DISTRIBUTION, LOAD, made, two_cpus
from cipherstone.labs.tls.sockets.measured import OverSockets
from cipherstone.labs.tls.sockets.plan import MASK, plan
from cipherstone.labs.tls.sockets.proof import Client, Site
from cipherstone.model.errors import CipherstoneError
from cipherstone.model.ids import build_within
from cipherstone.model.instruments import LeftOut
from cipherstone.model.request import RunRequest

WITHOUT = "noasm"  # an option of sources that have no switch
# The page's two libraries: upstream's where it is built, else what the system has that is nearest.
SERVER, CLIENTS = ("boringssl", DISTRIBUTION), (("boringssl", DISTRIBUTION), ("mbedtls-3.6", "mbedtls"))


class _Shop:
    """Where the programs of a request come from."""

    def __init__(self, workshop: Workshop, library: Library, request: RunRequest, tell: Callable[[str], None]) -> None:
        self.workshop, self.library, self.tell = workshop, library, tell
        self.patience = request.patience
        self.named = bool(request.build)
        self.left: list[LeftOut] = []

    def here(self, wanted: str, instead: str) -> str:
        """The build that is wanted if it is made already, else the other one."""
        if self.workshop.has_built(self.library, next(one for one in self.library.builds if one.name == wanted)):
            return wanted
        self.left.append(LeftOut(wanted, f"not built; `--build {wanted}` builds it, and {instead} stands in for it"))
        return instead

    def client(self, name: str) -> Client:
        """A build's program, with its instructions and without."""
        usual = composed(self.library, name)
        return Client(self._program(usual), self._program(self._masked(usual)))

    def _masked(self, usual: BuildSpec) -> BuildSpec:
        """By the library's switch; else a build of its source without them, if that is made already, or the build was named; else as it is."""
        if usual.name in self.library.masks[MASK].builds:
            return composed(self.library, f"{usual.name}~{MASK}")
        if usual.source is not None and WITHOUT in usual.source.options and not usual.options:
            other = composed(self.library, f"{usual.name}+{WITHOUT}")
            return other if self.named or self.workshop.has_built(self.library, other) else usual
        return usual

    def _program(self, build: BuildSpec) -> Peer:
        try:
            return made(of_build(self.workshop, self.library, build, LOAD, self.tell, self.patience), build)
        except CipherstoneError as error:
            raise CipherstoneError(f"--sockets: {error.message}", error.hint) from None


def over_sockets(workshop: Workshop, library: Library, request: RunRequest, tell: Callable[[str], None]) -> OverSockets:
    """What the page of the suite tls-blog measured, of the builds that the request names, else of the page's. Raises CipherstoneError where a client is not here, or accepts what it must refuse; UsageError."""
    shop, asked_for = _Shop(workshop, library, request, tell), plan(workshop.root)
    names = [build_within(library.id, name) for name in request.build] or [shop.here(*pair) for pair in CLIENTS]
    chosen = list(dict.fromkeys(composed(library, name.removeprefix(f"{library.id}@")).name for name in names))
    serves = SERVER[0] if SERVER[0] in chosen else shop.here(*SERVER)
    programs = {name: shop.client(name) for name in dict.fromkeys((*chosen, serves))}
    helps, own = two_cpus(request.cpu)
    site = Site((own, helps), bool(request.options.get("quick")), request.patience)
    left = tuple(dict.fromkeys(shop.left))
    return OverSockets(asked_for, [programs[name] for name in chosen], programs[serves], site, tell, left)
