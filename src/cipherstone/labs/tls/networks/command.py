# SPDX-License-Identifier: Apache-2.0
"""`cipherstone lab tls --network`: the instrument of a request."""

from __future__ import annotations

from collections.abc import Callable

from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.libraries import Library
from cipherstone.labs.tls.networks.links import TIERS, link
from cipherstone.labs.tls.networks.measured import OverNetworks, Setting
from cipherstone.labs.tls.servers.command import DISTRIBUTION, named_build, programs_of, two_cpus
from cipherstone.model.errors import UsageError, nearest
from cipherstone.model.request import RunRequest

SEED = 1


def over_networks(
    workshop: Workshop, library: Library, request: RunRequest, tell: Callable[[str], None]
) -> OverNetworks:
    """What times handshakes over the link that the request names, of its builds, else of the system's OpenSSL. Raises CipherstoneError where this machine has no such link, or a handshake fails; UsageError."""
    name = str(request.options.get("network", ""))
    if name not in TIERS:
        raise UsageError(f"--network: '{name}' is none that is known", nearest(name, tuple(TIERS)))
    wire_on, both_on = two_cpus(request.cpu)
    seed = SEED if request.seed is None else request.seed
    setting = Setting(name, (both_on, wire_on), seed, bool(request.options.get("quick")), request.patience)
    with link(name):  # whether this machine has it, before anything is built
        pass
    wanted = dict.fromkeys(request.build or (DISTRIBUTION,))
    builds = [named_build(library, "--network", [one]) for one in wanted]
    made = [programs_of(workshop, library, build, tell, setting.patience) for build in builds]
    return OverNetworks(made, setting, tell)
