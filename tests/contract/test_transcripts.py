# SPDX-License-Identifier: Apache-2.0
"""Every worker keeps to every conversation of protocol/transcripts."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from conversation import BrokenProtocol, Conversation, differences, exchanges, replay
from sdk_build import ROOT

from cipherstone.worker.replay import transcripts

TRANSCRIPTS = transcripts(ROOT)
ERROR_CODES = {
    "bad-request",
    "unknown-verb",
    "protocol-version",
    "unknown-operation",
    "unavailable",
    "no-such-case",
    "setup-failed",
    "unsupported-size",
    "unsupported-parameters",
    "bad-key",
    "bad-facts",
}


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_worker_keeps_to_the_transcript(worker: list[str], path: Path) -> None:
    replay(worker, path)


def test_every_conversation_has_its_own_number() -> None:
    numbers = [path.stem.partition("-")[0] for path in TRANSCRIPTS]
    assert sorted(set(numbers)) == sorted(numbers)


def test_transcripts_show_every_verb_and_error_code() -> None:
    """out-of-memory needs a machine without memory: test_worker_fuzz.py makes one."""
    sent = [line.split(" ") for path in TRANSCRIPTS for group in exchanges(path) for line in group.sent]
    replies = [reply for path in TRANSCRIPTS for group in exchanges(path) for reply in group.expected]
    verbs = {parts[1] for parts in sent if len(parts) > 1}
    assert {
        "hello",
        "list",
        "prepare",
        "compute",
        "run",
        "output",
        "probe",
        "check-probe",
        "memory",
        "facts",
        "objects",
        "add-key",
        "close",
        "bye",
    } <= verbs
    assert {reply["error"] for reply in replies if not reply["ok"]} == ERROR_CODES


@pytest.mark.parametrize(
    ("expected", "actual", "count"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, 0),
        ({"a": 1}, {"b": 2}, 1),
        ({"a": 1}, {"a": True}, 1),
        ({"a": 1}, {"a": 2}, 1),
        ({"a": "<int>"}, {"a": 7}, 0),
        ({"a": "<int>"}, {"a": 7.5}, 1),
        ({"a": "<int>"}, {"a": True}, 1),
        ({"a": "<number>"}, {"a": 7.5}, 0),
        ({"a": "<number>"}, {"a": None}, 1),
        ({"a": "<string>"}, {"a": 7}, 1),
        ({"a": "<hex>"}, {"a": "00ff"}, 0),
        ({"a": "<hex>"}, {"a": "00f"}, 1),
        ({"a": "<any>"}, {"a": None}, 0),
        ({"a": "<any>"}, {}, 1),
        ({"a": [{"b": 1}]}, {"a": [{"b": 1, "c": 2}]}, 0),
        ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, 1),
        ({"a": [1]}, {"a": [1, 2]}, 1),
        ({"a": "<readings 2>"}, {"a": None}, 0),
        ({"a": "<readings 2>"}, {"a": [0.25, 1]}, 0),
        ({"a": "<readings 2>"}, {"a": [None, 0.25]}, 0),
        ({"a": "<readings 2>"}, {}, 1),
        ({"a": "<readings 2>"}, {"a": 0.25}, 1),
        ({"a": "<readings 2>"}, {"a": [0.25]}, 1),
        ({"a": "<readings 2>"}, {"a": [0.25, 0.25, 0.25]}, 1),
        ({"a": "<readings 2>"}, {"a": [0.25, 0.0]}, 1),
        ({"a": "<readings 2>"}, {"a": [-0.25, "0.25"]}, 2),
        ({"a": "<readings 2>"}, {"a": [True, [0.25]]}, 2),
        ({"a": "<readings 12>"}, {"a": [0.25] * 12}, 0),
    ],
)
def test_matching_finds_what_differs(expected: dict[str, object], actual: dict[str, object], count: int) -> None:
    assert len(differences(expected, actual)) == count


def test_replay_fails_on_a_wrong_answer(c_toy: list[str], tmp_path: Path) -> None:
    path = tmp_path / "wrong.txt"
    path.write_text('> 1 prepare case=0 op=toy-sum/hash impl=default msg=hex:\n< {"seq":2,"ok":true}\n')
    with pytest.raises(BrokenProtocol, match=r"(?s)> 1 prepare case=0.*expected: .*came: .*not 2"):
        replay(c_toy, path)


def test_randomised_outputs_differ(worker: list[str]) -> None:
    with Conversation(worker) as talk:
        talk.ask("1 prepare case=0 op=toy-random/sign impl=default key=gen:5:16 pub=gen:5:16 msg=gen:6:9")
        signatures = {talk.ask("2 compute case=0")["out"] for _ in range(5)}
        assert len(signatures) == 5
        for signature in signatures:
            talk.ask(f"3 prepare case=1 op=toy-random/verify impl=default pub=gen:5:16 msg=gen:6:9 sig=hex:{signature}")
            assert talk.ask("4 compute case=1")["result"] == "ok"


@pytest.mark.parametrize(
    ("fields", "status", "said"),
    [
        ("op=toy-sum/hash impl=default msg=hex:61", 0, {"result": "ok", "len": 8}),
        ("op=toy-cut/hash impl=default params=out=4,mode=sum msg=hex:61", 0, {"result": "ok", "len": 4}),
        ("op=toy-seal/open impl=default key=gen:1:16 iv=hex: aad=hex: msg=hex: tag=hex:00", 3, {"result": "rejected"}),
        ("op=toy-failing/hash impl=default msg=hex:61", 1, {"result": "error"}),
        ("op=toy-none/hash impl=default msg=hex:61", 1, {"error": "unknown-operation"}),
        ("op=toy-sum/hash", 1, {"error": "bad-request"}),
    ],
)
def test_one_operation_as_a_process_of_its_own(
    worker: list[str], fields: str, status: int, said: dict[str, object]
) -> None:
    done = subprocess.run([*worker, "--exec", *fields.split()], capture_output=True, text=True, timeout=600)
    assert done.returncode == status, done.stderr
    last = json.loads(done.stdout.splitlines()[-1])
    assert {key: last[key] for key in said} == said


@pytest.mark.parametrize(
    ("fields", "status", "output"),
    [
        ("op=toy-sum/hash impl=default msg=file:MESSAGE", 0, "op=toy-sum/hash impl=default msg=hex:616263"),
        ("op=toy-sum/hash impl=default known=1 msg=hex:616263", 0, "op=toy-sum/hash impl=default msg=hex:616263"),
        ("op=harness/empty impl=sdk", 0, "op=harness/empty impl=sdk"),
        ("op=toy-seal/open impl=default key=gen:1:16 iv=hex: aad=hex: msg=hex: tag=hex:00", 3, ""),
        ("op=toy-failing/hash impl=default msg=hex:61", 1, ""),
        ("op=toy-none/hash impl=default msg=hex:61", 4, ""),
        ("op=toy-sum/hash", 4, ""),
        ("op=toy-sum/hash impl=default msg=file:MESSAGE.not", 4, ""),
    ],
)
def test_a_process_of_one_call_writes_its_output_and_nothing_else(
    worker: list[str], tmp_path: Path, fields: str, status: int, output: str
) -> None:
    message = tmp_path / "message"
    message.write_bytes(b"abc")
    words = fields.replace("MESSAGE", str(message)).split()
    done = subprocess.run([*worker, "--once", *words], capture_output=True, timeout=600)
    assert done.returncode == status, done.stderr
    due = b""
    if output:
        with Conversation(worker) as talk:
            assert talk.ask(f"1 prepare case=0 {output}")["ok"] is True
            due = bytes.fromhex(talk.ask("2 compute case=0")["out"])
    assert done.stdout == due
    assert bool(done.stderr) == (status in (1, 4) and "python" not in worker[0])


def test_files_are_values_for_a_process_of_one_call_only(worker: list[str], tmp_path: Path) -> None:
    """A conversation reads no files: who asks may not be who owns them."""
    message = tmp_path / "message"
    message.write_bytes(b"abc")
    with Conversation(worker) as talk:
        assert talk.ask(f"1 prepare case=0 op=toy-sum/hash impl=default msg=file:{message}")["error"] == "bad-request"


def test_describe_prints_hello_and_list(worker: list[str]) -> None:
    with Conversation([*worker, "--describe"]) as talk:
        assert talk.reply()["library"] == "toy"
        assert len(talk.reply()["operations"]) > 10
        assert talk.end() == (0, b"")


def test_worker_that_says_it_has_probes_gives_both_readings(worker: list[str]) -> None:
    """The transcripts take null for readings; who names a probe in `hello` has no excuse."""
    with Conversation(worker) as talk:
        has_probe = talk.ask("1 hello protocol=2")["probe"] is not None
        talk.ask("2 prepare case=0 op=toy-sum/hash impl=default msg=hex:61")
        due = [
            (talk.ask("3 run case=0 calls=5 lead=1 probe=1"), 2),
            (talk.ask("4 run case=0 calls=5 lead=1 probe=1 batches=3"), 4),
            (talk.ask("5 run case=0 calls=5 lead=1 probe=1 batches=64 quiet=1000000000000 wait=50"), 65),
            (talk.ask("6 probe"), 1),
            (talk.ask("7 probe count=9 quiet=1000000000000 wait=50"), 9),
        ]
        for reply, count in due:
            for key in ("chain_ns", "tput_ns"):
                assert (reply[key] and len(reply[key])) == (count if has_probe else None), reply
        waited = [reply["waited_ns"] for reply, _ in due]
        assert waited[0] == waited[1] == waited[3] == 0
        assert min(waited[2], waited[4]) >= 50_000 if has_probe else waited[2] == waited[4] == 0


def test_what_a_worker_cannot_tell_is_null(posix_toy: list[str]) -> None:
    with Conversation(posix_toy) as talk:
        hello = talk.ask("1 hello protocol=2")
        assert [hello[key] for key in ("ref_counter", "probe", "heap", "stack")] == [None, None, False, False]
        talk.ask("2 prepare case=0 op=toy-sum/hash impl=default msg=hex:61")
        run = talk.ask("3 run case=0 calls=1000 lead=1 probe=1 quiet=1000000000000 wait=1000000")
        assert [run[key] for key in ("ref", "nivcsw", "chain_ns", "tput_ns")] == [None] * 4
        assert run["ns"] > 0 and run["failed"] == 0 and run["waited_ns"] == 0
        probe = talk.ask("5 probe count=3 quiet=1000000000000 wait=1000000")
        assert probe == {"seq": 5, "ok": True, "chain_ns": None, "tput_ns": None, "waited_ns": 0}
        memory = talk.ask("4 memory case=0")
        assert [memory[key] for key in ("heap_live_bytes", "heap_peak_bytes", "allocations", "stack_bytes")] == [
            None
        ] * 4
        assert talk.ask("5 check-probe")["imul_ratio"] is None
