# SPDX-License-Identifier: Apache-2.0
"""How a worker is held against conversations and attacked: what counts as a difference, what is sent, and that each way to fail is found by the attack that is for it."""

from __future__ import annotations

import select
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from cipherstone.model.errors import DataError
from cipherstone.worker import attacks
from cipherstone.worker.attacks import answer, attack_all, attack_names, bad_request, requests_of
from cipherstone.worker.conversation import BrokenProtocol, Conversation, Silence
from cipherstone.worker.replay import Exchange, differences, exchanges, needs_toy, replay_all, transcripts

# Answers every line: requests of known verbs with ok, all else with the error of the protocol. What is put in for SLIP makes it wrong.
PARROT = r"""
import json, re, sys
out = sys.stdout
def say(**reply): out.write(json.dumps(reply) + "\n"); out.flush()
for raw in iter(sys.stdin.buffer.readline, b""):
    if not raw.endswith(b"\n"): break
    line = raw[:-1]
    parts = line.split(b" ")
    head = re.match(rb"[0-9]+(?= |$)", line)
    seq = int(head[0]) if head and len(head[0]) < 20 else 0
    verb = parts[1].decode("latin-1") if len(parts) > 1 else ""
    fields = [one.partition(b"=") for one in parts[2:]]
    sound = bool(head) and bool(verb) and re.fullmatch(rb"[ -~]*", line) and len(line) < (8 << 20)
    sound = sound and all(k and e and b"=" not in v for k, e, v in fields) and len({k for k, _, _ in fields}) == len(fields)
    SLIP
    if not sound: say(seq=seq, ok=False, error="bad-request")
    elif verb in ("hello", "list", "prepare", "compute", "probe"): say(seq=seq, ok=True)
    else: say(seq=seq, ok=False, error="unknown-verb")
"""
REQUESTS = [b"1 hello protocol=2", b"2 list", b"3 prepare case=0 op=x impl=y", b"4 run case=0 calls=99", b"5 run case=0 calls=1 lead=0"]  # fmt: skip


def parrot(folder: Path, slip: str = "pass") -> list[str]:
    path = folder / "parrot.py"
    path.write_text(PARROT.replace("SLIP", slip))
    return [sys.executable, "-IS", str(path)]


@pytest.mark.parametrize(
    ("expected", "actual", "found"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, []),
        ({"a": 1, "b": 2}, {"a": 1}, ["reply.b: missing"]),
        ({"a": {"b": 1}}, {"a": {"b": 2}}, ["reply.a.b: 2, not 1"]),
        ([1, 2], [1, 2], []),
        ([1, 2], [1, 3], ["reply[1]: 3, not 2"]),
        ([1, 2], [1], ["reply: 1 entries, not 2"]),
        ([1], [1, 2], ["reply: 2 entries, not 1"]),
        ([1], {"0": 1}, ["reply: {'0': 1}, not [1]"]),
        ([1], None, ["reply: None, not [1]"]),
        ({}, [], ["reply: [], not {}"]),
        (None, [1], ["reply: [1], not None"]),
        (1, True, ["reply: True, not 1"]),
        (1, 1.0, ["reply: 1.0, not 1"]),
        ("<any>", None, []),
        ("<int>", 3, []),
        ("<int>", True, ["reply: True is no <int>"]),
        ("<int>", 3.0, ["reply: 3.0 is no <int>"]),
        ("<number>", 3.5, []),
        ("<number>", "3", ["reply: '3' is no <number>"]),
        ("<string>", "", []),
        ("<string>", None, ["reply: None is no <string>"]),
        ("<hex>", "00ff", []),
        ("<hex>", "0", ["reply: '0' is no <hex>"]),
        ("<hex>", "zz", ["reply: 'zz' is no <hex>"]),
        ("<readings 2>", None, []),
        ("<readings 2>", [1, None], []),
        ("<readings 2>", [1.5], ["reply: [1.5] are not 2 readings"]),
        ("<readings 2>", {"a": 1, "b": 2}, ["reply: {'a': 1, 'b': 2} are not 2 readings"]),
        ("<readings 2>", [0, True], ["reply[0]: 0 is no reading", "reply[1]: True is no reading"]),
    ],
)
def test_what_is_a_difference(expected: object, actual: object, found: list[str]) -> None:
    assert differences(expected, actual) == found


def test_requests_that_go_out_together(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text('# a comment\n\n> 1 list\n> 2 bye\n< {"seq": 1}\n< {"seq": 2}\n> 3 list\n< {"seq": 3}\n')
    assert exchanges(path) == [
        Exchange(["1 list", "2 bye"], [{"seq": 1}, {"seq": 2}]),
        Exchange(["3 list"], [{"seq": 3}]),
    ]
    assert requests_of([exchanges(path)]) == [b"1 list", b"3 list"]
    for text, line in (("< {}\n", 1), ("> 1 list\nlist\n", 2)):
        path.write_text(text)
        with pytest.raises(DataError, match=f"line {line}: neither sent, nor expected"):
            exchanges(path)
    with pytest.raises(DataError, match="no conversations"):
        transcripts(tmp_path)


@pytest.mark.parametrize("text", ["> 1 prepare op=toy-a/hash", '< {"library":"toy"}', '< {"op":"toy-a/hash"}'])
def test_what_is_about_the_toy_library(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.txt"
    path.write_text(text)
    assert needs_toy(path)
    path.write_text("> 1 list\n")
    assert not needs_toy(path)


def test_a_conversation_that_is_kept_to_and_one_that_is_not(tmp_path: Path) -> None:
    names = {}
    for name, expected in (
        ("kept", '{"seq": 1, "ok": true}'),
        ("not", '{"seq": 1, "ok": false}'),
        ("toy", '{"op":"toy-x"}'),
    ):
        names[name] = tmp_path / f"{name}.txt"
        names[name].write_text(f"> 1 list\n< {expected}\n")
    found = {one.name: one for one in replay_all(parrot(tmp_path), list(names.values()), toy=False)}
    assert (found["kept"].right, found["not"].right, found["toy"].right) == (True, False, None)
    assert found["not"].said.splitlines() == [
        "> 1 list",
        'expected: {"seq": 1, "ok": false}',
        'came:     {"seq": 1, "ok": true}',
        "reply.ok: True, not False",
    ]


def test_the_end_of_a_conversation_is_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "x.txt"
    path.write_text('> 1 list\n< {"seq": 1}\n')
    for slip, said in (
        ('say(seq=1, ok=True); say(seq=1, ok=True); import os; sys.stdin.read(); os._exit(0)', "exits with 0 and has written"),
        ("say(seq=1, ok=True); sys.stdin.read(); sys.exit(3)", "exits with 3"),
    ):  # fmt: skip
        (verdict,) = replay_all(parrot(tmp_path, slip), [path], toy=True)
        assert verdict.right is False and said in verdict.said


def test_a_worker_that_ends_says_how(tmp_path: Path) -> None:
    """At once, with its status and what it printed last, and with the line that it ended over."""
    with Conversation(parrot(tmp_path, "sys.stderr.write('no more'); sys.stderr.flush(); sys.exit(3)")) as talk:
        with pytest.raises(BrokenProtocol) as caught:
            answer(talk, b"1 list")
        assert "> 1 list" in str(caught.value) and "the worker ended: 3, b'no more'" in str(caught.value)
        assert talk.drain.daemon  # who forgets to close one is not kept waiting for it


def test_a_worker_that_is_silent(tmp_path: Path) -> None:
    deaf = [sys.executable, "-ISc", "import time; time.sleep(99)"]
    no_reply = pytest.raises(Silence, match=r"no reply within 0\.2 s")
    with Conversation(parrot(tmp_path, "continue"), seconds=0.2) as talk, no_reply:
        talk.ask("1 list")
    goes_on = pytest.raises(Silence, match=r"it goes on 0\.2 s after the end of its input")
    with Conversation(deaf, seconds=0.2) as talk, goes_on:
        talk.end()
    with Conversation(deaf, seconds=0.2) as talk, pytest.raises(Silence, match="did not read what was sent"):
        talk.send(b"x" * (1 << 20))


def test_a_reply_that_is_there_is_read_however_little_time_is_left(tmp_path: Path) -> None:
    with Conversation(parrot(tmp_path)) as talk:
        talk.send(b"7 list\n")
        assert talk.process.stdout is not None and select.select([talk.process.stdout], [], [], 60.0)[0]
        assert b"7" in talk.read_line(seconds=0.9)


def test_what_was_written_behind_the_last_reply_is_told(tmp_path: Path) -> None:
    with Conversation(parrot(tmp_path, "out.write('more\\n' if not sound else '')")) as talk:
        assert talk.ask("1 list") == {"seq": 1, "ok": True}
        talk.send(b"\n")
        assert talk.read_line() == b"more" and talk.reply()["ok"] is False
        talk.send(b"\n")
        status, rest = talk.end()
        assert status == 0 and rest.startswith(b"more\n") and rest.count(b"\n") == 2


@pytest.mark.parametrize(
    "line", ["[]", "{}", '{"seq": "1", "ok": true}', '{"seq": 1, "ok": 1}', "1", "x", "[" * 100000]
)
def test_what_is_no_reply(tmp_path: Path, line: str) -> None:
    no_reply = pytest.raises(BrokenProtocol, match=r"not a JSON object|no reply with")
    with Conversation(parrot(tmp_path, f"print({line!r}); out.flush(); continue")) as talk, no_reply:
        talk.ask("1 list")


@pytest.mark.parametrize(
    "slip",
    [
        "sound = True; verb = 'list'",  # takes everything
        "seq = 1 if not sound else seq; seq += not sound",  # the number of another
        "verb = verb if sound else 'zebra'; sound = True",  # refuses with another word
    ],
)
def test_a_line_that_is_no_request_must_be_refused_as_such(tmp_path: Path, slip: str) -> None:
    with Conversation(parrot(tmp_path, slip)) as talk, pytest.raises(BrokenProtocol):
        bad_request(talk, b"7 list x", seq=7)
    with Conversation(parrot(tmp_path)) as talk:
        bad_request(talk, b"7 list x", seq=7)
        with pytest.raises(BrokenProtocol, match="bad-request with seq 8"):
            bad_request(talk, b"7 list x", seq=8)


def only(command: Sequence[str], name: str) -> bool | None:
    (verdict,) = attack_all(command, REQUESTS, [name])
    assert verdict.name == name
    return verdict.right


@pytest.mark.parametrize(
    ("name", "slip"),
    [
        ("truncated", "if line == b'2 li': sys.exit(0)"),
        ("truncated", "if line == b'1': say(seq=1, ok=True)"),
        ("garbage", "sound = True"),
        ("garbage", "if not sound and len(line) == 150: sys.exit(0)"),
        ("mutated", "if b'case=0 case=0' in line: sys.exit(1)"),
        ("malformed", "if line == b'1 list a=1 a=2': sound = True"),
        ("pieces", "if verb == 'prepare': seq += 1"),
        ("pieces", "if verb == 'compute': verb = 'zebra'"),
        ("pipelined", "seq += verb == 'probe' and seq == 399"),
        ("end-of-input", "sys.exit(1)"),
        ("reader-gone", "sys.exit(1)"),
    ],
)
def test_each_attack_finds_what_it_is_for(tmp_path: Path, name: str, slip: str) -> None:
    if name != "reader-gone":  # what Python says of a pipe that nobody reads is no status 0
        assert only(parrot(tmp_path), name) is True
    assert only(parrot(tmp_path, slip), name) is False


def test_attacks_are_named_and_chosen(tmp_path: Path) -> None:
    assert attack_names() == [
        *("truncated", "garbage", "mutated", "malformed", "longest-lines", "pieces", "pipelined"),
        *("end-of-input", "reader-gone"),
    ]
    chosen = ["pieces", "end-of-input"]
    assert [one.name for one in attack_all(parrot(tmp_path), REQUESTS, chosen)] == chosen


def test_no_mutation_asks_for_work_of_hours(tmp_path: Path) -> None:
    """Lines of `run` are sent with one call only; all others are."""
    sent: list[bytes] = []

    class Listening(Conversation):
        def send(self, data: bytes) -> None:
            sent.append(data.partition(b"\n")[0])
            super().send(data)

    with Listening(parrot(tmp_path)) as talk:
        attacks.mutated(talk, REQUESTS)
    runs = [line for line in sent if b" run " in line]
    assert len(runs) > 100 and all(b"calls=1 " in line for line in runs)
    assert len(sent) - len(runs) > 500 and len({line for line in sent if line not in REQUESTS}) > 500


def test_lines_of_the_longest_length_are_asked_for(tmp_path: Path) -> None:
    """One byte more or less is another answer."""
    assert only(parrot(tmp_path), "longest-lines") is True
    for limit in ("(8 << 20) - 1", "(8 << 20) + 1"):
        slip = f"sound = sound and len(line) < {limit} if len(line) < 8 << 20 else sound or len(line) < {limit}"
        assert only(parrot(tmp_path, slip), "longest-lines") is False, limit


def test_a_worker_that_ends_a_moment_after_its_output_has_ended(tmp_path: Path) -> None:
    """Both within its time."""
    slow = "import os, sys, time; sys.stdin.read(); os.close(1); time.sleep(0.4); os._exit(5)"
    with Conversation([sys.executable, "-ISc", slow], seconds=60.0) as talk:
        assert talk.end() == (5, b"")
