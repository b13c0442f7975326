# SPDX-License-Identifier: Apache-2.0
"""Malformed requests, sent to a worker: none kills or hangs it, and every line has exactly one reply."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any

from cipherstone.protocol.messages import MAX_LINE_BYTES
from cipherstone.worker.conversation import BrokenProtocol, Conversation
from cipherstone.worker.replay import Exchange, ReplayVerdict

SENTINEL = 777777
MALFORMED = (
    b"", b" ", b"1", b"1 ", b"1 list ", b"1  list", b"1\tlist", b"1 list\r", b"1 list\0", b"\0", b"+1 list", b"-1 list",
    b"1.0 list", b" 1 list", b"1 prepare case=0=", b"1 list x", b"1 list =x", b"1 list a=1 a=2", b"1 list \xc3\xa9=1",
)  # fmt: skip
PARTIAL = (b"", b"1", b"1 list", b"1 hello protocol=2", b"\0\xff", b"1" * 3 * MAX_LINE_BYTES)
NONSENSE = (b" ", b"=", b":", b"x", b"\0", b"case=0 ", b"hex:", b"\xff")


def answer(talk: Conversation, line: bytes) -> dict[str, Any]:
    """The one reply to `line`: a request with a number of its own follows, and its reply must be the next. Raises Broken."""
    talk.send(line + b"\n%d no-such-verb\n" % SENTINEL)
    try:
        reply, behind = talk.reply(), talk.reply()
    except BrokenProtocol as broken:
        raise BrokenProtocol(f"> {_shown(line)}\n{broken}") from None
    if (behind["seq"], behind["ok"], behind.get("error")) != (SENTINEL, False, "unknown-verb"):
        raise BrokenProtocol(
            f"> {_shown(line)}\n> {SENTINEL} no-such-verb\nnot one reply a line: {reply}, then {behind}"
        )
    return reply


def bad_request(talk: Conversation, line: bytes, seq: int | None = None) -> None:
    """Raises Broken unless `line` is refused as a bad request, with this `seq`."""
    reply = answer(talk, line)
    if reply["ok"] or reply.get("error") != "bad-request" or (seq is not None and reply["seq"] != seq):
        due = "" if seq is None else f" with seq {seq}"
        raise BrokenProtocol(f"> {_shown(line)}\ndue: bad-request{due}\ncame: {reply}")


def requests_of(conversations: Sequence[Sequence[Exchange]]) -> list[bytes]:
    """Every request of some conversations, but `bye`."""
    lines = [line.encode("ascii") for groups in conversations for group in groups for line in group.sent]
    return [line for line in lines if b"bye" not in line]


def truncated(talk: Conversation, requests: Sequence[bytes]) -> None:
    """Every request, cut at every place; long ones at some."""
    for line in requests:
        for cut in range(0, len(line), max(1, len(line) // 200)):
            answer(talk, line[:cut])


def garbage(talk: Conversation, requests: Sequence[bytes]) -> None:
    """Bytes by chance."""
    chance = random.Random(1)
    for _ in range(1000):
        bad_request(talk, chance.randbytes(chance.randrange(200)).replace(b"\n", b""))


def mutated(talk: Conversation, requests: Sequence[bytes]) -> None:
    """Requests with a byte changed, cut out or put in."""
    chance = random.Random(2)
    for _ in range(2000):
        line = bytearray(chance.choice(requests))
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(line) + 1)
            kind = chance.randrange(3)
            if kind == 0:
                line[at : at + 1] = bytes([chance.randrange(256)])
            elif kind == 1:
                del line[at : at + chance.randrange(1, 5)]
            else:
                line[at:at] = chance.choice(NONSENSE)
        # A number that grew by digits may ask for work of hours; that is no attack on the parser.
        if b"\n" not in line and b"bye" not in line and (b" run " not in line or b"calls=1 " in line):
            answer(talk, bytes(line))


def malformed(talk: Conversation, requests: Sequence[bytes]) -> None:
    """Lines that are no request."""
    for line in MALFORMED:
        bad_request(talk, line)


def longest_lines(talk: Conversation, requests: Sequence[bytes]) -> None:
    """Lines of 8 MiB are served, longer ones refused and skipped."""
    head = b"5 hello protocol=2 x="
    for length in (MAX_LINE_BYTES - 1, MAX_LINE_BYTES):
        if not answer(talk, head + b"y" * (length - 1 - len(head)))["ok"]:
            raise BrokenProtocol(f"a line of {length} bytes, newline included, is refused")
    for length in (MAX_LINE_BYTES + 1, MAX_LINE_BYTES + 5000, 3 * MAX_LINE_BYTES + 17):
        for line, filler, seq in ((head, b"y", 5), (b"y", b"y", 0), (b"1", b"1", 0)):
            bad_request(talk, line + filler * (length - 1 - len(line)), seq)
            if not answer(talk, b"6 hello protocol=2")["ok"]:
                raise BrokenProtocol(f"after a line of {length} bytes `hello` is refused")


def pieces(talk: Conversation, requests: Sequence[bytes]) -> None:
    """Requests that arrive byte by byte."""
    for byte in b"1 prepare case=0 op=harness/empty impl=sdk\n2 compute case=0\n":
        talk.send(bytes([byte]))
    for seq in (1, 2):
        reply = talk.reply()
        if (reply["seq"], reply["ok"]) != (seq, True):
            raise BrokenProtocol(f"a request that arrives byte by byte is not served: {reply}")


def pipelined(talk: Conversation, requests: Sequence[bytes]) -> None:
    """Many requests before the first reply is read."""
    for group in range(20):
        talk.send(b"".join(b"%d probe\n" % (group * 20 + i) for i in range(20)))
        due = [group * 20 + i for i in range(20)]
        came = [talk.reply()["seq"] for _ in range(20)]
        if came != due:
            raise BrokenProtocol(f"replies in another order: {came}, not {due}")


ATTACKS: tuple[Callable[[Conversation, Sequence[bytes]], None], ...] = (
    truncated, garbage, mutated, malformed, longest_lines, pieces, pipelined,
)  # fmt: skip


def end_of_input(command: Sequence[str]) -> None:
    """A last line without its newline is no request; the worker ends with status 0, whatever was left."""
    for rest in PARTIAL:
        with Conversation(command) as talk:
            talk.ask("1 hello protocol=2")
            talk.send(rest)
            ended = talk.end()
            if ended != (0, b""):
                raise BrokenProtocol(
                    f"input that ends after {_shown(rest)}\ndue: status 0, nothing written\ncame: {ended}"
                )


def reader_gone(command: Sequence[str]) -> None:
    """The replies are no longer read: the worker ends."""
    with Conversation(command) as talk:
        talk.ask("1 hello protocol=2")
        assert talk.process.stdout is not None
        talk.process.stdout.close()
        talk.send(b"2 list\n3 list\n")
        assert talk.process.stdin is not None
        talk.process.stdin.close()
        if talk.process.wait(talk.seconds) != 0:
            raise BrokenProtocol(f"when its replies are not read it exits with {talk.process.returncode}, not 0")


OTHERS: tuple[Callable[[Sequence[str]], None], ...] = (end_of_input, reader_gone)


def attack_names() -> list[str]:
    """The names of all attacks, in the order in which they are made."""
    return [_name(attack) for attack in (*ATTACKS, *OTHERS)]


def attack_all(
    command: Sequence[str], requests: Sequence[bytes], only: Collection[str] = ()
) -> Iterator[ReplayVerdict]:
    """A verdict for each kind of attack (of those in `only`, if there are any), as it was made; each has a fresh process."""
    for attack in ATTACKS:
        if not only or _name(attack) in only:
            with Conversation(command) as talk:
                yield _verdict(_name(attack), lambda attack=attack, talk=talk: attack(talk, requests))  # type: ignore[misc]
    for other in OTHERS:
        if not only or _name(other) in only:
            yield _verdict(_name(other), lambda other=other: other(command))  # type: ignore[misc]


def _name(attack: object) -> str:
    return str(getattr(attack, "__name__", "")).replace("_", "-")


def _verdict(name: str, made: Callable[[], None]) -> ReplayVerdict:
    try:
        made()
    except BrokenProtocol as broken:
        return ReplayVerdict(name, False, str(broken))
    return ReplayVerdict(name, True)


def _shown(line: bytes) -> str:
    text = repr(line[:160])[2:-1]
    return text + (f"... ({len(line)} bytes)" if len(line) > 160 else "")
