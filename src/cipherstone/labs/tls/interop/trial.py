# SPDX-License-Identifier: Apache-2.0
"""Trying a pair: two processes at the ends of a socket pair. There is no listening socket, and nothing outlives the try."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from cipherstone.catalogue.vectors import load_vectors
from cipherstone.labs.tls.interop.grid import (
    LATE,
    Agreed,
    Handshake,
    Hostile,
    Kind,
    Result,
    Said,
    due_of,
    judged,
    said_of,
)
from cipherstone.labs.tls.interop.hostile import Nonsense
from cipherstone.labs.tls.interop.peers import Peer
from cipherstone.labs.tls.results import CLIENT, LAB, SERVER
from cipherstone.model.errors import WorkerError
from cipherstone.model.ids import params_text
from cipherstone.operations.handshakes import GROUPS, numbers, timed
from cipherstone.protocol.messages import Computed, Refusal
from cipherstone.worker import WorkerProcess

TRIED = (
    {"version": "1.3", "group": "x25519", "cert": "p-256", "mode": "full"},
    {"version": "1.3", "group": "p-256", "cert": "rsa-2048", "mode": "full"},
    {"version": "1.2", "group": "x25519", "cert": "p-256", "mode": "full"},
    {"version": "1.2", "group": "p-256", "cert": "rsa-2048", "mode": "full"},
)
REFUSED = (
    "expired",
    "another-host",
    "another-root",
)  # known answers of the laboratory, by the beginning of their names
REFUSED_AT = ("p-256-1.3", "p-256-1.2")
MARGIN_S = 5.0  # that a peer has beyond its own deadline, before it is killed
_LACKING = frozenset({"unavailable", "unsupported-parameters", "unknown-operation"})
VERBS = {"client": CLIENT, "server": SERVER}


class Question(NamedTuple):
    """A kind of handshake with the certificates for it, what both must say, and what they may say instead.

    TLS 1.2 has one list for the key exchange and the curve of a certificate: a client that offers X25519 to a key on P-256 offers P-256 as well, in its own order.
    """

    kind: Kind
    inputs: dict[str, bytes]
    due: Agreed

    @property
    def leaves_open(self) -> Agreed:
        """What the request leaves open."""
        params = self.kind.params
        both = (params["version"], params["cert"]) == ("1.2", "p-256")
        return Agreed(group=GROUPS[params["cert"]]) if both else Agreed()

    @property
    def texts(self) -> dict[str, str]:
        """What `prepare` takes beside case, operation and implementation."""
        inputs = {name: f"hex:{data.hex()}" for name, data in self.inputs.items()}
        return {"params": params_text(tuple(self.kind.params.items())), **inputs}


@lru_cache(maxsize=1)
def questions(root: Path) -> tuple[Question, ...]:
    """All of them: what both must agree on, then what a client must refuse."""
    found = [
        Question(Kind(params_text(tuple(params.items())), params), timed(params), due_of(numbers(params)))
        for params in TRIED
    ]
    known = {vector.id: vector for vector in load_vectors(root, LAB).of(CLIENT)}
    for where in REFUSED_AT:
        for what in REFUSED:
            vector = known[f"{what}-{where}"]
            kind = Kind(vector.id, dict(vector.params), vector.note)
            found.append(Question(kind, dict(vector.inputs), due_of(numbers(vector.params))))
    return tuple(found)


class Trials:
    """Tries pairs. What a peer has not is asked once. `deadline_s`: how long a side waits for the other at most."""

    def __init__(self, deadline_s: float, patience: float = 1.0) -> None:
        self._deadline_s = deadline_s * patience
        self._patience = patience
        self._lacks: dict[tuple[str, str, str], str] = {}

    def handshake(self, client: Peer, server: Peer, question: Question) -> Handshake:
        """One try."""
        names = (client.name, server.name, question.kind.name)
        for side, peer in (("client", client), ("server", server)):
            if lack := self._lacks.get((peer.name, side, question.kind.name)):
                return Handshake(*names, Result.UNSUPPORTED, f"{peer.title}: {lack}")
        one, two = self._played(client, server, question)
        for side, peer, said in (("client", client, one), ("server", server, two)):
            if said.result is Result.UNSUPPORTED:
                self._lacks[peer.name, side, question.kind.name] = said.why
                return Handshake(*names, said.result, f"{peer.title}: {said.why}")
        return Handshake(
            *names, *judged(question.kind, question.due, one, two, question.leaves_open), one.data and two.data
        )

    def _played(self, client: Peer, server: Peer, question: Question) -> tuple[Said, Said]:
        nothing = Said(Result.FAILED, "the peer closed the connection")
        with ExitStack() as stack:
            ends = [stack.enter_context(end) for end in socket.socketpair()]
            workers = []
            for number, (peer, side) in enumerate(((client, "client"), (server, "server"))):
                worker, said = self._prepared(stack, peer, side, ends[number], question)
                if said is not None or worker is None:
                    said = said or nothing
                    return (said, nothing) if side == "client" else (nothing, said)
                workers.append(worker)
            for end in ends:
                end.close()  # what one side leaves behind is then its own
            one, two = (self._asked(worker) for worker in workers)
            return _said(one), _said(two)

    def _prepared(
        self, stack: ExitStack, peer: Peer, side: str, end: socket.socket, question: Question
    ) -> tuple[WorkerProcess | None, Said | None]:
        """The process that waits to play; or what it says instead."""
        environment = {**peer.environment, "TLS_PEER": f"{end.fileno()},{round(self._deadline_s * 1000)}"}
        try:
            worker = stack.enter_context(
                WorkerProcess(
                    peer.command, environment=environment, patience=self._patience, descriptors=(end.fileno(),)
                )
            )
            worker.prepare(0, f"{LAB}/{VERBS[side]}", "default", question.texts)
        except Refusal as refusal:
            lacking = refusal.code in _LACKING
            return None, Said(Result.UNSUPPORTED if lacking else Result.FAILED, refusal.detail or refusal.code)
        except WorkerError as error:
            return None, _broken(error)
        return worker, None

    def _asked(self, worker: WorkerProcess) -> Callable[[], Computed]:
        """The answer of one side, which comes when both have played."""
        try:
            return worker.ask_ahead("compute", {"case": 0}, Computed, self._deadline_s + MARGIN_S)
        except WorkerError as error:
            return _raising(error)

    def hostile(self, peer: Peer, side: str, nonsense: Nonsense, asked: Sequence[Question]) -> Hostile | None:
        """One side of a peer against one kind of nonsense, in the first kind of handshake that it has; None if it has none of them."""
        said = self._against(peer, side, nonsense, asked)
        return None if said is None else Hostile(peer.name, side, nonsense.does, said.result, said.why)

    def _against(self, peer: Peer, side: str, nonsense: Nonsense, asked: Sequence[Question]) -> Said | None:
        """None where the peer has none of the kinds on this side."""
        for question in asked:
            if question.kind.refuse or (peer.name, side, question.kind.name) in self._lacks:
                continue
            with ExitStack() as stack:
                ours, theirs = (stack.enter_context(end) for end in socket.socketpair())
                worker, said = self._prepared(stack, peer, side, theirs, question)
                if said is not None and said.result is Result.UNSUPPORTED:
                    self._lacks[peer.name, side, question.kind.name] = said.why
                    continue
                if worker is None:
                    return said
                theirs.close()
                answer = self._asked(worker)
                nonsense.play(ours, side)
                return _said(answer)
        return None


def _raising(error: WorkerError) -> Callable[[], Computed]:
    def answer() -> Computed:
        raise error

    return answer


def _said(answer: Callable[[], Computed]) -> Said:
    """One side's word, of its reply."""
    try:
        reply = answer()
    except WorkerError as error:
        return _broken(error)
    except Refusal as refusal:
        return Said(Result.CRASHED, str(refusal))
    if reply.result == "rejected":
        return Said(Result.REFUSED)
    if reply.result != "ok":
        late = reply.detail.startswith(LATE)
        return Said(Result.TIMED_OUT if late else Result.FAILED, reply.detail)
    try:
        return said_of(bytes.fromhex(reply.out or ""))
    except ValueError as error:
        return Said(Result.CRASHED, f"its answer is none: {error}")


def _broken(error: WorkerError) -> Said:
    return Said(Result.TIMED_OUT if error.outcome == "timed-out" else Result.CRASHED, str(error))
