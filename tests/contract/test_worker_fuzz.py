# SPDX-License-Identifier: Apache-2.0
"""Nothing that is sent kills or hangs a worker, and every line has exactly one reply."""

from __future__ import annotations

import random
import resource
from collections.abc import Iterator

import pytest
from conversation import Conversation, Silence

LINE_MAX = 8 << 20
SENTINEL = 777777


@pytest.fixture(scope="module", params=["c_toy", "sanitized_toy"])
def talk(request: pytest.FixtureRequest) -> Iterator[Conversation]:
    with Conversation(request.getfixturevalue(request.param)) as conversation:
        yield conversation


def answer(talk: Conversation, line: bytes) -> dict[str, object]:
    """The one reply to `line`: a request with a number of its own follows, and its reply must be the next."""
    talk.send(line + b"\n%d no-such-verb\n" % SENTINEL)
    reply = talk.reply()
    assert talk.reply() == {"seq": SENTINEL, "ok": False, "error": "unknown-verb", "detail": "no such verb"}, line
    return reply


def test_truncated_requests(talk: Conversation, requests: list[bytes]) -> None:
    for line in requests:
        for cut in range(len(line)):
            answer(talk, line[:cut])


def test_garbage(talk: Conversation) -> None:
    chance = random.Random(1)
    for _ in range(3000):
        line = chance.randbytes(chance.randrange(200)).replace(b"\n", b"")
        reply = answer(talk, line)
        assert reply["ok"] is False and reply["error"] == "bad-request", line


def test_mutated_requests(talk: Conversation, requests: list[bytes]) -> None:
    chance = random.Random(2)
    for _ in range(6000):
        line = bytearray(chance.choice(requests))
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(line) + 1)
            kind = chance.randrange(3)
            if kind == 0:
                line[at : at + 1] = bytes([chance.randrange(256)])
            elif kind == 1:
                del line[at : at + chance.randrange(1, 5)]
            else:
                line[at:at] = chance.choice([b" ", b"=", b":", b"x", b"\0", b"case=0 ", b"hex:", b"\xff"])
        if b"\n" not in line and b"bye" not in line:
            answer(talk, bytes(line))


@pytest.mark.parametrize(
    "line",
    [b"", b" ", b"1", b"1 ", b"1 list ", b"1\tlist", b"1 list\r", b"1 list\0", b"\0", b"+1 list", b"1 prepare case=0="],
)
def test_malformed_lines_are_bad_requests(talk: Conversation, line: bytes) -> None:
    reply = answer(talk, line)
    assert (reply["ok"], reply["error"]) == (False, "bad-request")


@pytest.mark.parametrize("length", [LINE_MAX - 1, LINE_MAX])
def test_longest_line_is_served(worker: list[str], length: int) -> None:
    line = b"5 hello protocol=2 x="
    with Conversation(worker) as talk:
        assert answer(talk, line + b"y" * (length - 1 - len(line)))["ok"] is True


@pytest.mark.parametrize("length", [LINE_MAX + 1, LINE_MAX + 5000, 3 * LINE_MAX + 17])
@pytest.mark.parametrize(("line", "seq"), [(b"5 hello protocol=2 x=", 5), (b"y", 0), (b"1", 0)])
def test_longer_line_is_refused_and_skipped(worker: list[str], length: int, line: bytes, seq: int) -> None:
    with Conversation(worker) as talk:
        filler = b"1" if line == b"1" else b"y"
        reply = answer(talk, line + filler * (length - 1 - len(line)))
        assert (reply["seq"], reply["ok"], reply["error"]) == (seq, False, "bad-request")
        assert answer(talk, b"6 hello protocol=2")["ok"] is True


def test_input_at_the_limit_of_a_line(c_toy: list[str]) -> None:
    """A message as long as a line allows comes in and goes out as its checksum."""
    head = b"1 prepare case=0 op=toy-copy/hash impl=default msg=hex:"
    digits = (LINE_MAX - 1 - len(head)) // 2 * 2
    with Conversation(c_toy) as talk:
        assert answer(talk, head + b"ab" * (digits // 2))["ok"] is True
        assert answer(talk, b"2 compute case=0 form=crc32")["len"] == digits // 2


def test_requests_may_arrive_in_pieces(worker: list[str]) -> None:
    with Conversation(worker) as talk:
        for byte in b"1 prepare case=0 op=toy-sum/hash impl=default msg=hex:61\n2 compute case=0\n":
            talk.send(bytes([byte]))
        assert talk.reply()["ok"] is True
        assert talk.reply()["out"] == "af63dc4c8601ec8c"


@pytest.mark.parametrize("rest", [b"", b"1", b"1 list", b"1 hello protocol=2", b"\0\xff", b"1" * 3 * LINE_MAX])
def test_end_of_input_ends_the_worker(worker: list[str], rest: bytes) -> None:
    """A last line without its newline is no request."""
    with Conversation(worker) as talk:
        talk.ask("1 prepare case=0 op=toy-sum/hash impl=default msg=hex:61")
        talk.send(rest)
        assert talk.end() == (0, b"")


def test_nothing_is_answered_after_bye(worker: list[str]) -> None:
    with Conversation(worker) as talk:
        assert talk.ask("1 bye") == {"seq": 1, "ok": True}
        with pytest.raises(Silence, match="the worker ended: 0"):
            talk.read_line()


def test_reader_that_goes_away_ends_the_worker(worker: list[str]) -> None:
    with Conversation(worker) as talk:
        talk.ask("1 hello protocol=2")
        assert talk.process.stdout is not None
        talk.process.stdout.close()
        talk.send(b"2 list\n3 list\n")
        assert talk.process.wait(timeout=600) == 0
        talk.drain.join()
        assert bytes(talk.errors) == b""


def test_many_pipelined_requests(talk: Conversation) -> None:
    """More requests than the pipes hold, read only afterwards, would block both sides: so they go out in groups."""
    for group in range(20):
        talk.send(b"".join(b"%d list\n" % (group * 20 + i) for i in range(20)))
        assert [talk.reply()["seq"] for _ in range(20)] == [group * 20 + i for i in range(20)]


def test_worker_without_memory_says_so_and_goes_on(c_toy: list[str]) -> None:
    limit = 64 << 20

    def starve() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    with Conversation(c_toy, preexec_fn=starve) as talk:
        reply = talk.ask("1 prepare case=0 op=toy-copy/hash impl=default msg=gen:1:100000000")
        assert (reply["seq"], reply["ok"], reply["error"]) == (1, False, "out-of-memory")
        assert talk.ask("2 compute case=0")["error"] == "no-such-case"
        assert talk.ask("3 prepare case=0 op=toy-sum/hash impl=default msg=hex:61")["ok"] is True
        assert talk.ask("4 compute case=0")["out"] == "af63dc4c8601ec8c"


def test_a_key_that_is_refused_leaves_the_others(sanitized_toy: list[str]) -> None:
    """The list of keys grows before the values of a new one are read, and may be elsewhere then."""
    with Conversation(sanitized_toy) as talk:
        prepared = "op=toy-seal/seal impl=default params=key=fresh key=gen:1:16 iv=hex:00 aad=hex: msg=gen:4:9"
        assert talk.ask(f"1 prepare case=0 {prepared}")["ok"] is True
        for seq in range(2, 40):
            assert talk.ask(f"{seq} add-key case=0 key=gen:{seq}:16")["ok"] is True
            assert talk.ask(f"{seq} add-key case=0 key=hex:zz aad=hex:01")["error"] == "bad-request"
            assert talk.ask(f"{seq} compute case=0")["result"] == "ok"
