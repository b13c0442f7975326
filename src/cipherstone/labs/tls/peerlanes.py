# SPDX-License-Identifier: Apache-2.0
"""The laboratory's programs as lanes of an instrument."""

from __future__ import annotations

import re
from pathlib import Path

from cipherstone.build.cache import file_digest
from cipherstone.labs.tls.interop.peers import Peer
from cipherstone.labs.tls.results import LAB
from cipherstone.measure.pool import Launch
from cipherstone.model.ids import DEFAULT_IMPLEMENTATION, Lane, joined_build
from cipherstone.model.instruments import InstrumentLane

HASH_DIGITS = 16
_NO_VERSION = re.compile(r"[^A-Za-z0-9.]+")


def lane_of(peer: Peer, implementation: str = DEFAULT_IMPLEMENTATION) -> Lane:
    """`tls@3.0.19+openssl`."""
    return Lane(LAB, joined_build(_NO_VERSION.sub("-", peer.version).strip("-") or "0", peer.name), implementation)


def described(peer: Peer, lane: str) -> InstrumentLane:
    """A lane of this program in the manifest, with the hash of its executable."""
    return InstrumentLane(lane, peer.title, file_digest(Path(peer.command[0]))[:HASH_DIGITS])


def scout_of(peer: Peer, patience: float) -> Launch:
    """Its process as one whose probes can watch a core."""
    return Launch(peer.command, peer.environment, patience=patience)
