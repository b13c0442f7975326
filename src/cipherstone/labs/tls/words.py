# SPDX-License-Identifier: Apache-2.0
"""What the TLS laboratory's tables call handshakes and libraries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from cipherstone.labs.tls.results import Handshake, Side
from cipherstone.model.ids import Lane
from cipherstone.model.outcomes import Outcome
from cipherstone.report.blocks.grid import RunView
from cipherstone.report.blocks.tables import Item, Table, item

LABORATORY = "TLS"  # the title in its library.toml
KEYS = {
    "p-256": "P-256",
    "p-384": "P-384",
    "rsa-2048": "RSA-2048",
    "rsa-3072": "RSA-3072",
    "ed25519": "Ed25519",
    "ml-dsa-65": "ML-DSA-65",
}
GROUPS = {
    "p-256": "P-256",
    "p-384": "P-384",
    "x25519": "X25519",
    "x25519mlkem768": "X25519MLKEM768",
    "secp256r1mlkem768": "SecP256r1MLKEM768",
}
SUITES = {"aes-128-gcm": "AES-128-GCM", "aes-256-gcm": "AES-256-GCM", "chacha20-poly1305": "ChaCha20-Poly1305"}
TIMED = {outcome.value for outcome in Outcome if outcome.timed}
MODES = {
    "ticket": "resumed",
    "session": "resumed by session id",
    "retry": "second hello",
    "psk": "external key",
    "early": "early data",
}


def handshake_words(params: dict[str, str]) -> str:
    """`TLS 1.3, X25519, RSA-2048, resumed`; what has a usual value is left out."""
    group, cert, suite = (params.get(name, "") for name in ("group", "cert", "suite"))
    parts = [
        f"TLS {params.get('version', '')}",
        GROUPS.get(group, group),
        KEYS.get(cert, cert),
        SUITES.get(suite, suite),
    ]
    ca = params.get("ca", "")
    parts += [
        f"chain of {params['chain']}" if "chain" in params else "",
        f"CA of {KEYS.get(ca, ca)}" if ca else "",
        params.get("auth", ""),
    ]
    return ", ".join(part for part in (*parts, MODES.get(params.get("mode", ""), "")) if part)


def versioned(title: str, version: str) -> str:
    """`Mbed TLS 3.6.5, noasm` of `Mbed TLS 3.6, noasm`: a build's own title with the library's version, which stands for the one that the title's name may end with."""
    name, comma, words = title.partition(", ")
    head, _, last = name.rpartition(" ")
    return f"{head if head and version.startswith(last) else name} {version}{comma}{words}"


def library_words(view: RunView, lane_id: str) -> str:
    """`OpenSSL 3.0.17`: the title of a build begins with the laboratory's own name, which is no library."""
    lane = Lane.parse(lane_id)
    record = view.builds.get(lane.build_id)
    own = record.title if record is not None else ""
    own = own.removeprefix(f"{LABORATORY}, ")
    return versioned(own or view.build_title(lane.build_id).rpartition(", ")[2], lane.build.partition("+")[0])


def library_item(view: RunView, lane_id: str) -> Item:
    """The library in the first column."""
    lane = Lane.parse(lane_id)
    return Item(library_words(view, lane_id), None, lane.library, "", lane_id, view.variant(lane.build_id))


def handshake_table(
    view: RunView,
    rows: Iterable[Handshake],
    name: str,
    head: Sequence[str],
    cells: Callable[[Handshake], Sequence[Item]],
) -> Table:
    """A row for each handshake of each library."""
    lines = []
    for row in rows:
        lines.append((library_item(view, row.lane), item(handshake_words(row.params)), *cells(row)))
    return Table(name, ("library", "handshake", *head), tuple(lines), words=2)


def outcome_words(side: Side) -> str:
    """Instead of a figure that there is none of."""
    return "no figure" if side.outcome in TIMED else side.outcome
