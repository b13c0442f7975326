# SPDX-License-Identifier: Apache-2.0
"""Mutated flights: many handshakes of each side in each of which one flight was changed on its way, in a process that ends alone if the library breaks. Seeded, bounded, and resumed where it was left."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from cipherstone.catalogue.document import decode_output
from cipherstone.labs.tls.interop.grid import Broken, Mutated, Result
from cipherstone.labs.tls.interop.peers import Peer
from cipherstone.labs.tls.interop.trial import VERBS, Question
from cipherstone.labs.tls.results import LAB
from cipherstone.model.errors import DataError, WorkerError
from cipherstone.protocol.messages import Computed, Refusal
from cipherstone.store.layout import store_errors, write_atomically
from cipherstone.worker import WorkerProcess

CHUNK = 500  # of one process
MOST_BROKEN = 3  # of a side in one kind; more of the same say nothing new
TRY_MS = 2000
MARGIN_S = 30.0
_OUTCOMES = 4
_NUMBER_BYTES = 8


class MutationProgress:
    """What was done, kept in a file after each process (None: in memory alone). A file of another seed is refused. `seed`: of the mutations."""

    def __init__(self, path: Path | None, seed: int) -> None:
        self._path = path
        self.seed = seed
        self._done: dict[str, Mutated] = {}
        if path is not None and path.exists():
            try:
                read = decode_output(path, f"--state: {path}", list[Mutated], "a file that an earlier run wrote")
            except OSError as error:
                raise DataError(f"--state: {path}: {error.strerror}", "a file that an earlier run wrote") from None
            if any(one.seed != seed for one in read):
                raise DataError(f"--state: {path} is of another seed", "the same --seed, or another file")
            self._done = {_key(one): one for one in read}

    def of(self, peer: str, side: str, kind: str) -> Mutated:
        """What was done of it so far."""
        new = Mutated(peer, side, kind, self.seed)
        return self._done.get(_key(new), new)

    def put(self, one: Mutated) -> None:
        """Keeps it. The file is whole at any time; what lies at its name or at that of the new one is replaced, not written through. Raises StoreError."""
        self._done[_key(one)] = one
        if self._path is None:
            return
        with store_errors("--state", self._path):
            write_atomically(self._path, msgspec.json.encode(list(self._done.values())))


def _key(one: Mutated) -> str:
    return f"{one.peer} {one.side} {one.kind}"


class Attack(NamedTuple):
    """What is done to one side of a peer in one kind of handshakes: `due` flights."""

    peer: Peer
    side: str
    question: Question
    due: int


def attacks(peers: Sequence[Peer], asked: Sequence[Question], number: int, patience: float = 1.0) -> Iterator[Attack]:
    """`number` flights in all, in equal parts against each side of each peer, and there in the kinds that must agree and that it has."""
    kinds = [one for one in asked if not one.kind.refuse]
    sides = [(peer, side) for peer in peers for side in VERBS]
    for where, (peer, side) in enumerate(sides):
        had = [one for one in kinds if not _lack(peer, side, one, patience)]
        own = _part(number, where, len(sides))
        for at, question in enumerate(had):
            yield Attack(peer, side, question, _part(own, at, len(had)))


def _part(of: int, at: int, parts: int) -> int:
    """The part at `at` of a number in parts that are as equal as can be."""
    return of // parts + (at < of % parts)


def attacked(of: Attack, progress: MutationProgress, patience: float = 1.0) -> Mutated:
    """What the flights did, with those that `progress` has already."""
    peer, side, question, due = of
    found = progress.of(peer.name, side, question.kind.name)
    while found.tried < due and len(found.broken) < MOST_BROKEN:
        found = _process(peer, side, question, found, min(CHUNK, due - found.tried), patience)
        progress.put(found)
    return found


def _environment(peer: Peer, first: int, count: int, seed: int, file: int, patience: float) -> dict[str, str]:
    numbers = (seed, first, count, round(TRY_MS * patience), file)
    return {**peer.environment, "TLS_MUTATED": ",".join(map(str, numbers))}


def _lack(peer: Peer, side: str, question: Question, patience: float) -> str:
    """Why the peer has not this kind, or ""."""
    with WorkerProcess(peer.command, environment=_environment(peer, 0, 1, 0, -1, patience), patience=patience) as one:
        try:
            one.prepare(0, f"{LAB}/{VERBS[side]}", "default", question.texts)
        except Refusal as refusal:
            return refusal.detail or refusal.code
        except WorkerError as error:
            return str(error)
    return ""


def _process(peer: Peer, side: str, question: Question, found: Mutated, count: int, patience: float) -> Mutated:
    """The same with one process's more. A flight that broke it is reported by number, and not tried again; those before it count as tried, and what they came to has gone with the process."""
    with tempfile.TemporaryFile() as file:
        environment = _environment(peer, found.tried, count, found.seed, file.fileno(), patience)
        try:
            with WorkerProcess(
                peer.command, environment=environment, patience=patience, descriptors=(file.fileno(),)
            ) as worker:
                worker.prepare(0, f"{LAB}/{VERBS[side]}", "default", question.texts)
                longest = count * TRY_MS / 1000 + MARGIN_S
                reply = worker.ask("compute", {"case": 0}, Computed, longest)
        except (WorkerError, Refusal) as error:
            file.seek(0)
            at = int.from_bytes(file.read(_NUMBER_BYTES), "little") or found.tried
            return _broken(found, at, str(error))
    if reply.result != "ok":
        return _broken(found, found.tried + count - 1, reply.detail or reply.result)
    try:
        told = bytes.fromhex(reply.out or "")
    except ValueError:
        return _broken(found, found.tried + count - 1, "its answer is not hexadecimal")
    numbers = [int.from_bytes(told[4 * at : 4 * at + 4], "big") for at in range(_OUTCOMES)]
    return msgspec.structs.replace(
        found,
        tried=found.tried + count,
        completed=found.completed + numbers[0],
        refused=found.refused + numbers[1],
        ended=found.ended + numbers[2],
        untouched=found.untouched + numbers[3],
    )


def _broken(found: Mutated, number: int, why: str) -> Mutated:
    late = "SIGALRM" in why or "in time" in why
    one = Broken(number, Result.TIMED_OUT if late else Result.CRASHED, why)
    return msgspec.structs.replace(found, tried=number + 1, broken=(*found.broken, one))
