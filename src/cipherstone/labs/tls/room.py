# SPDX-License-Identifier: Apache-2.0
"""The room of the TLS laboratory."""

from __future__ import annotations

from pathlib import Path

import msgspec

from cipherstone.labs.tls.command import instruments, scope, tls
from cipherstone.labs.tls.export import tls_rows
from cipherstone.labs.tls.interop.run_page import grid_page
from cipherstone.labs.tls.interop.stored import grid_of
from cipherstone.labs.tls.networks.page import networks_page
from cipherstone.labs.tls.networks.results import networked_of
from cipherstone.labs.tls.page import tls_page
from cipherstone.labs.tls.primitives import sums_of
from cipherstone.labs.tls.results import LAB, Handshakes, handshakes_of
from cipherstone.labs.tls.servers.page import servers_page
from cipherstone.labs.tls.servers.results import servers_of
from cipherstone.labs.tls.sockets.page import sockets_page
from cipherstone.labs.tls.sockets.results import sockets_of
from cipherstone.model.summary import RunSummary
from cipherstone.report.blocks.figure import Sketchbook
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.room_page import LabPage
from cipherstone.report.rooms import Derived, Room


def derived(run: RunSummary, root: Path) -> Derived | None:
    """Every handshake of the run, both sides together; None for a run without one."""
    found = msgspec.structs.replace(handshakes_of(run), sums=sums_of(run))
    return Derived(msgspec.to_builtins(found), {}) if found.rows or found.bulk or found.threads else None


def _page(view: RunView, book: Sketchbook, footer: str) -> LabPage | None:
    room = view.run.room
    if (sockets := sockets_of(view.run)) is not None:
        return sockets_page(sockets, footer)
    if (servers := servers_of(view.run)) is not None:
        return servers_page(servers, footer)
    if (networked := networked_of(view.run)) is not None:
        return networks_page(networked, footer)
    if (grid := grid_of(view.run)) is not None:
        return grid_page(grid, footer)
    return tls_page(view, msgspec.convert(room, Handshakes), book, footer) if room else None


ROOM = Room(
    LAB,
    tls,
    _page,
    derived,
    tls_rows,
    lambda run: {
        "handshakes": (run.room or {}).get("rows", []),
        "primitives": (run.room or {}).get("sums", []),
        "data": (run.room or {}).get("bulk", []),
        "threads": (run.room or {}).get("threads", []),
    },
    scope,
    instruments,
)
