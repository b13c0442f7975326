# SPDX-License-Identifier: Apache-2.0
"""The grid of clients and servers: what a pair was asked for, what both sides say, and what that comes to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum

import msgspec

from cipherstone.labs.tls.words import handshake_words
from cipherstone.operations.handshakes import RESUMED

FIELDS = ("version", "suite", "group", "signature", "resumed")
AGREED_BYTES = 9  # four fields of two bytes, and one
UNTOLD, UNTOLD_BYTE = 0xFFFF, 0xFF
LOST = ("the peer closed", "the peer reset")  # how a side begins that knows nothing but that the other has gone
LATE = "time-out"


class Result(StrEnum):
    """What became of a handshake. `AGREED` and `REFUSED` are as they should be, `UNSUPPORTED` was not tried."""

    AGREED = "agreed"
    REFUSED = "refused"
    UNSUPPORTED = "unsupported"
    FAILED = "failed"
    TIMED_OUT = "timed out"
    CRASHED = "crashed"
    WRONG = "wrong"

    @property
    def right(self) -> bool:
        """Whether it is as it should be."""
        return self in (Result.AGREED, Result.REFUSED)

    @property
    def tried(self) -> bool:
        """Whether both have what was asked for."""
        return self is not Result.UNSUPPORTED


class Kind(msgspec.Struct, frozen=True):
    """A kind of handshake. `refuse`: why the client must not accept the certificates; "" where both must agree."""

    name: str
    params: dict[str, str]
    refuse: str = ""

    @property
    def words(self) -> str:
        """`TLS 1.3, X25519, P-256`."""
        return self.name if self.refuse else handshake_words(self.params)


class Agreed(msgspec.Struct, frozen=True):
    """What was negotiated, in IANA's numbers; None: neither side reported it."""

    version: int | None = None
    suite: int | None = None
    group: int | None = None
    signature: int | None = None
    resumed: int | None = None


_NOTHING_OPEN = Agreed()


class Said(msgspec.Struct, frozen=True):
    """One side's own word. `result`: agreed, refused (the certificates), unsupported, failed, timed out or crashed; `why`: its own words then; `own`, `wire`: what it says was agreed on, and what it saw; `data`: whether those of the other came."""

    result: Result
    why: str = ""
    own: Agreed = Agreed()
    wire: Agreed = Agreed()
    data: bool = False


class Name(msgspec.Struct, frozen=True):
    """A peer as it is shown. `name`: what the command line calls it."""

    name: str
    title: str
    version: str


class MissingPeer(msgspec.Struct, frozen=True):
    """A peer that is not here, and why."""

    name: str
    why: str


class Handshake(msgspec.Struct, frozen=True):
    """One try. `why`: one line unless it is as asked; `agreed`: what both say, where they do; `data`: whether some went each way under the new keys."""

    client: str
    server: str
    kind: str
    result: Result
    why: str = ""
    agreed: Agreed | None = None
    data: bool = False


class Hostile(msgspec.Struct, frozen=True):
    """What a side (`client`, `server`) makes of a peer that does as `does` says. `result` is never `agreed`."""

    peer: str
    side: str
    does: str
    result: Result
    why: str = ""

    @property
    def right(self) -> bool:
        """An outcome in time, whichever; only to agree with nonsense, or to break over it, is wrong."""
        return self.result in (Result.FAILED, Result.REFUSED, Result.TIMED_OUT)


class Broken(msgspec.Struct, frozen=True):
    """A mutated flight that a side did not get over. `number`: which one of the seed's; `why`: the signal, or that it took too long."""

    number: int
    result: Result
    why: str


class Mutated(msgspec.Struct, frozen=True):
    """What mutated flights did to a side in one kind of handshakes. `tried`: flights; of them `completed` (the change meant nothing), `refused` (the certificates), `ended` otherwise and `untouched`: the other side sent nothing."""

    peer: str
    side: str
    kind: str
    seed: int
    tried: int = 0
    completed: int = 0
    refused: int = 0
    ended: int = 0
    untouched: int = 0
    broken: tuple[Broken, ...] = ()

    @property
    def right(self) -> bool:
        """Any outcome but to break, or to hang."""
        return not self.broken


class Grid(msgspec.Struct, frozen=True):
    """All of it. `deadline_s`: how long a side waits for the other at most."""

    peers: tuple[Name, ...]
    left_out: tuple[MissingPeer, ...]
    kinds: tuple[Kind, ...]
    handshakes: tuple[Handshake, ...]
    deadline_s: float
    hostile: tuple[Hostile, ...] = ()
    mutated: tuple[Mutated, ...] = ()

    def of(self, client: str, server: str) -> list[Handshake]:
        """What a pair did, in the order of the kinds."""
        return [one for one in self.handshakes if (one.client, one.server) == (client, server)]

    @property
    def positive(self) -> frozenset[str]:
        """Names of the kinds that both must agree on."""
        return frozenset(kind.name for kind in self.kinds if not kind.refuse)

    @property
    def worst(self) -> Result:
        """`WRONG` if anything is; `FAILED` if anything else went wrong, hostile peers and mutated flights included; else `AGREED`."""
        if any(one.result is Result.WRONG for one in self.handshakes):
            return Result.WRONG
        good = all(one.result.right or not one.result.tried for one in self.handshakes)
        return (
            Result.AGREED
            if good and all(one.right for one in self.hostile) and all(one.right for one in self.mutated)
            else Result.FAILED
        )


def counted(handshakes: Iterable[Handshake]) -> tuple[int, int]:
    """(how many are as they should be, how many were tried)."""
    tried = [one for one in handshakes if one.result.tried]
    return sum(one.result.right for one in tried), len(tried)


def agreed_of(data: bytes) -> Agreed:
    """What one side says, from its 9 bytes. Raises ValueError."""
    if len(data) != AGREED_BYTES:
        raise ValueError(f"{len(data)} bytes, expected {AGREED_BYTES}")
    numbers = [int.from_bytes(data[at : at + 2], "big") for at in range(0, AGREED_BYTES - 1, 2)]
    told = [
        *(None if number == UNTOLD else number for number in numbers),
        None if data[-1] == UNTOLD_BYTE else data[-1],
    ]
    return Agreed(**dict(zip(FIELDS, told, strict=True)))


def due_of(numbers: bytes) -> Agreed:
    """What both sides must say, of `operations.handshakes.numbers`: what an adapter tells of a connection between two libraries is its version, suite, group, signature, and whether it resumed."""
    return agreed_of(numbers[: AGREED_BYTES - 1] + bytes((numbers[-1] & RESUMED,)))


def said_of(out: bytes) -> Said:
    """What a side that agreed says: its own word, what it saw, and whether data came. Raises ValueError."""
    own, wire, data = out[:AGREED_BYTES], out[AGREED_BYTES : 2 * AGREED_BYTES], out[2 * AGREED_BYTES :]
    if len(data) != 1:
        raise ValueError(f"{len(out)} bytes, expected {2 * AGREED_BYTES + 1}")
    return Said(Result.AGREED, "", agreed_of(own), agreed_of(wire), data == b"\1")


def judged(
    kind: Kind, due: Agreed, client: Said, server: Said, leaves_open: Agreed = _NOTHING_OPEN
) -> tuple[Result, str, Agreed | None]:
    """(what came of it; why it is not right, or what the request left open; what both agreed on). `due`: what both must say; `leaves_open`: what they may agree on instead."""
    both = {"client": client, "server": server}
    broken = [(side, one) for side, one in both.items() if one.result is Result.CRASHED]
    if broken:
        return Result.CRASHED, _reasons(broken), None
    if kind.refuse:
        return _judged_refusal(kind, client, server)
    if all(one.result is Result.AGREED for one in both.values()):
        return _settled(due, leaves_open, both)
    return *_ended(both), None


def _judged_refusal(kind: Kind, client: Said, server: Said) -> tuple[Result, str, Agreed | None]:
    if client.result is Result.REFUSED:
        return Result.REFUSED, "", None
    if client.result is Result.AGREED:
        return Result.WRONG, f"the client accepts it: {kind.refuse}", client.own
    return *_ended({"client": client, "server": server}), None


def _ended(both: dict[str, Said]) -> tuple[Result, str]:
    """How a handshake ended that neither side finished: the side that failed says why; who only waited, or lost the other, knows nothing."""
    told = [(side, one) for side, one in both.items() if one.result in (Result.FAILED, Result.REFUSED)]
    known = [(side, one) for side, one in told if not one.why.startswith(LOST)] or told
    if known:
        return Result.FAILED, _reasons(known)
    return Result.TIMED_OUT, _reasons([(s, one) for s, one in both.items() if one.result is Result.TIMED_OUT])


def _reasons(sides: Iterable[tuple[str, Said]]) -> str:
    """`server: no shared cipher`; the side once where the words begin with it."""
    return "; ".join(
        f"{side}: {one.why.removeprefix(f'{side}, ') or 'does not accept the certificates'}" for side, one in sides
    )


def _settled(due: Agreed, leaves_open: Agreed, both: dict[str, Said]) -> tuple[Result, str, Agreed]:
    """What was negotiated, from the side that reports it; wrong if it differs from the request, or from what another says."""
    found: dict[str, int | None] = {}
    wrong: list[str] = []
    instead: list[str] = []
    for field in FIELDS:
        told = list(_told(field, both))
        wanted, other = getattr(due, field), getattr(leaves_open, field)
        found[field] = told[0][1] if told else None
        if other is not None and {value for _, value in told} == {other}:
            instead.append(f"{field} {_number(other)} instead of {_number(wanted)}, which the request leaves open")
        else:
            wrong += [
                f"{who} {field} {_number(value)}, not {_number(wanted)}" for who, value in told if value != wanted
            ]
    return (Result.WRONG if wrong else Result.AGREED), "; ".join(wrong or instead), Agreed(**found)


def _told(field: str, both: dict[str, Said]) -> Iterator[tuple[str, int]]:
    for side, said in both.items():
        for who, agreed in ((f"the {side} says", said.own), (f"the {side} sees", said.wire)):
            value = getattr(agreed, field)
            if value is not None:
                yield who, value


def _number(value: int | None) -> str:
    return "none" if value is None else f"0x{value:04x}"
