# SPDX-License-Identifier: Apache-2.0
"""`cipherstone lab tls --network`."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from cipherstone.catalogue.libraries import Library
from cipherstone.cli import environment as env
from cipherstone.cli.files import write_result
from cipherstone.fleet.workshop import Workshop
from cipherstone.host.lock import MachineLock
from cipherstone.labs.tls.interop.peers import of_build
from cipherstone.labs.tls.networks.links import TIERS, link
from cipherstone.labs.tls.networks.table import networked_text
from cipherstone.labs.tls.networks.timed import Programs, networked
from cipherstone.labs.tls.servers.command import DISTRIBUTION, LOAD, made, named_build, two_cpus
from cipherstone.model.errors import UsageError, nearest

SEED = 1


def network(
    workshop: Workshop,
    library: Library,
    tier: str,
    build: Sequence[str],
    quick: bool,
    cpu: int | None,
    seed: int | None,
    patience: float,
    format_: env.Format,
) -> None:
    """Times handshakes over networks, and prints them beside the model. Raises CipherstoneError where this machine can make none."""
    if tier not in TIERS:
        raise UsageError(f"--network: '{tier}' is none that is known", nearest(tier, tuple(TIERS)))
    both_on, wire_on = reversed(two_cpus(cpu))
    with link(tier, wire_on) as line:
        builds = []
        for chosen in [named_build(library, "--network", [name]) for name in build or (DISTRIBUTION,)]:
            load = made(of_build(workshop, library, chosen, LOAD, env.say, patience), chosen)
            plain = made(of_build(workshop, library, chosen, None, env.say, patience), chosen)
            builds.append(Programs(load, plain))
        with MachineLock():
            found = networked(
                builds, line, tier, (both_on, wire_on), quick, SEED if seed is None else seed, env.say, patience
            )
    if format_ is env.Format.JSON:
        write_result(msgspec.json.format(msgspec.json.encode(found)).decode(), None)
    else:
        write_result(networked_text(found, env.width()), None)
