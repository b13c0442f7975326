# SPDX-License-Identifier: Apache-2.0
"""Conditions of a case: fresh keys, odd addresses, the output in the place of the message, cold caches. The library of these tests tells what it is called with."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conversation import Conversation
from sdk_build import COMPILER, SDK, compile_c

Program = Callable[..., list[str]]
BUILDS = {
    "plain": (),
    "sanitized": ("-fsanitize=address,undefined", "-g"),
    "fallbacks": ("-DCS_POSIX_ONLY",),
}
INPUTS = "key=hex:6b iv=hex:00 aad=hex: msg=hex:616263"
OPENED = "key=hex:6b31 iv=hex: aad=hex: msg=hex:6162 tag=hex:31"


@pytest.fixture(params=[*BUILDS, "aarch64"])
def talk(request: pytest.FixtureRequest, program: Program) -> Iterator[Conversation]:
    cross = request.param == "aarch64"
    command = program("condition_worker.c", *BUILDS.get(request.param, ()), **({"machine": "aarch64"} if cross else {}))
    with Conversation(command) as conversation:
        yield conversation


def text(reply: dict[str, str]) -> str:
    assert reply["result"] == "ok", reply
    return bytes.fromhex(reply["out"]).decode()


# ---- offset ----


@pytest.mark.parametrize("offset", [0, 1, 3, 8, 63])
def test_inputs_and_output_lie_where_they_are_asked_to(talk: Conversation, offset: int) -> None:
    for key in ("6b", "6b" * 64, "6b" * 65):
        inputs = INPUTS.replace("hex:6b ", f"hex:{key} ")
        assert talk.ask(f"1 prepare case=0 op=places/seal impl=default params=offset={offset} room=99 {inputs}")["ok"]
        assert text(talk.ask("2 compute case=0")) == " ".join(5 * [str(offset)])
        assert talk.ask("3 run case=0 calls=3 lead=1")["failed"] == 0
        assert text(talk.ask("4 output case=0 form=hex")) == " ".join(5 * [str(offset)])


# ---- keys ----


def test_every_call_takes_the_next_key_into_the_context(talk: Conversation) -> None:
    assert talk.ask(f"1 prepare case=0 op=context/open impl=default params=key=fresh room=99 {OPENED}")["ok"]
    assert talk.ask("2 add-key case=0 key=hex:6b32 tag=hex:3232")["ok"]
    assert talk.ask("3 add-key case=0 key=hex:6b33")["ok"]
    computed = [text(talk.ask("4 compute case=0")) for _ in range(4)]
    assert computed == ["k1 1 1 1 0", "k2 22 2 1 0", "k3 1 3 1 0", "k1 1 4 1 0"]
    for calls, lead, batches, last in ((1, 0, 1, "k2 22 5"), (5, 2, 3, "k1 1 22"), (1, 1, 1, "k3 1 24")):
        assert talk.ask(f"5 run case=0 calls={calls} lead={lead} batches={batches}")["failed"] == 0
        assert text(talk.ask("6 output case=0 form=hex")) == f"{last} 1 0"
    assert talk.ask("7 memory case=0")["ok"]
    assert text(talk.ask("8 output case=0 form=hex")) == "k1 1 25 1 0"
    assert talk.ask("9 close case=0")["ok"]


def test_a_key_by_setup_has_a_context_of_its_own(talk: Conversation) -> None:
    assert talk.ask(f"1 prepare case=0 op=again/open impl=default params=key=fresh room=99 {OPENED}")["ok"]
    assert talk.ask("2 add-key case=0 key=hex:6b32 tag=hex:3232")["ok"]
    computed = [text(talk.ask("4 compute case=0")) for _ in range(3)]
    assert computed == ["k1 1 0 2 1", "k2 22 0 3 2", "k1 1 0 4 3"]
    assert talk.ask("5 close case=0")["ok"]
    assert talk.ask(f"6 prepare case=0 op=kept/open impl=default room=99 {OPENED}")["ok"]
    assert text(talk.ask("7 compute case=0")) == "k1 1 0 5 4", "one teardown for each setup"


def test_a_setup_that_fails_has_no_teardown(talk: Conversation) -> None:
    assert talk.ask(f"1 prepare case=0 op=again/open impl=default params=key=fresh room=99 {OPENED}")["ok"]
    assert talk.ask("2 add-key case=0 key=hex:")["ok"]
    results = [talk.ask("3 compute case=0")["result"] for _ in range(4)]
    assert results == ["ok", "bad-key", "ok", "bad-key"]
    assert talk.ask("4 run case=0 calls=2 lead=0")["failed"] == 4
    assert talk.ask("5 close case=0")["ok"]
    assert talk.ask(f"6 prepare case=0 op=kept/open impl=default room=99 {OPENED}")["ok"]
    computed = text(talk.ask("7 compute case=0")).split()
    assert int(computed[3]) == int(computed[4]) + 1


def test_a_key_that_is_refused_fails_its_calls_only(talk: Conversation) -> None:
    assert talk.ask(f"1 prepare case=0 op=context/open impl=default params=key=fresh room=99 {OPENED}")["ok"]
    assert talk.ask(f"2 add-key case=0 key=hex:{'00' * 16}")["ok"]
    assert [talk.ask("3 compute case=0")["result"] for _ in range(3)] == ["ok", "error", "ok"]


def test_inputs_of_further_keys_are_watched_too(talk: Conversation) -> None:
    assert talk.ask(f"1 prepare case=0 op=spoils/open impl=default params=key=fresh room=99 {OPENED}")["ok"]
    assert talk.ask("2 add-key case=0 key=hex:6b32 tag=hex:3232")["ok"]
    assert talk.ask("3 compute case=0")["result"] == "ok"
    reply = talk.ask("4 compute case=0")
    assert (reply["result"], reply["detail"]) == ("error", "the call changed its input tag")


def test_inputs_of_a_key_that_are_one_byte_longer_than_their_lines(talk: Conversation) -> None:
    """Each with its canary takes a line of memory more: the sanitizer sees one that is not there."""
    assert talk.ask(f"1 prepare case=0 op=context/open impl=default params=key=fresh room=99 {OPENED}")["ok"]
    assert talk.ask("2 add-key case=0 key=hex:6b iv=hex:31 aad=hex:31 tag=hex:31")["ok"]
    assert [talk.ask("3 compute case=0")["result"] for _ in range(3)] == ["ok", "ok", "ok"]
    assert talk.ask("4 close case=0")["ok"]


def test_keys_come_with_offsets(talk: Conversation) -> None:
    assert talk.ask(f"1 prepare case=0 op=context/open impl=default params=key=fresh,offset=1 room=99 {OPENED}")["ok"]
    assert talk.ask("2 add-key case=0 key=hex:6b32 tag=hex:3232")["ok"]
    assert [text(talk.ask("3 compute case=0"))[:2] for _ in range(3)] == ["k1", "k2", "k1"]


@pytest.mark.parametrize(
    ("fields", "error"),
    [
        ("case=0 sig=hex:00", "bad-request"),
        ("case=0 msg=hex:00", "bad-request"),
        ("case=0 key=hex:0", "bad-request"),
        ("case=0 key=gen:1:268435457", "unsupported-size"),
        ("case=1 key=hex:00", "bad-request"),
        ("case=2 key=hex:00", "no-such-case"),
        ("key=hex:00", "bad-request"),
    ],
)
def test_what_is_no_further_key(talk: Conversation, fields: str, error: str) -> None:
    assert talk.ask(f"1 prepare case=0 op=context/open impl=default params=key=fresh room=99 {OPENED}")["ok"]
    assert talk.ask(f"1 prepare case=1 op=context/open impl=default room=99 {OPENED}")["ok"]
    assert talk.ask(f"2 add-key {fields}")["error"] == error
    assert [text(talk.ask("3 compute case=0"))[:2] for _ in range(2)] == ["k1", "k1"], "none was added"


def test_a_ring_has_at_most_64_keys(talk: Conversation) -> None:
    assert talk.ask(f"1 prepare case=0 op=context/open impl=default params=key=fresh room=99 {OPENED}")["ok"]
    assert all(talk.ask(f"2 add-key case=0 key=hex:{n:02x}41")["ok"] for n in range(1, 64))
    refused = talk.ask("3 add-key case=0 key=hex:6b")
    assert (refused["error"], refused["detail"]) == ("bad-request", "more than 64 keys")
    assert talk.ask(f"1 prepare case=1 op=context/open impl=default room=99 {OPENED}")["ok"]
    assert talk.ask("3 add-key case=1 key=hex:6b")["detail"] == "the case was not prepared with key=fresh"
    assert talk.ask("4 run case=0 calls=640 lead=64")["failed"] == 0


# ---- place ----


@pytest.mark.parametrize("more", ["", ",offset=1", ",cache=cold"])
def test_the_message_is_there_again_before_every_call(talk: Conversation, more: str) -> None:
    assert talk.ask(f"1 prepare case=0 op=complement/seal impl=default params=place=same{more} room=4 {INPUTS}")["ok"]
    for _ in range(2):
        assert talk.ask("2 compute case=0")["out"] == "9e9d9c74"
    for calls, lead in ((1, 0), (2, 0), (3, 1), (2, 2)):
        reply = talk.ask(f"3 run case=0 calls={calls} lead={lead} batches=2 probe=1")
        assert reply["failed"] == 0 and min(reply["each"]) >= 0
        assert (reply["cpu_ns"], reply["ref"], reply["cycles"]) == (None, None, None)
        assert talk.ask("4 output case=0 form=hex")["out"] == "9e9d9c74"
    assert talk.ask("5 memory case=0")["ok"]
    assert talk.ask("6 output case=0 form=hex")["out"] == "9e9d9c74"


@pytest.mark.parametrize(
    ("aad", "said"),
    [("", "the call wrote outside of its output buffer: beside an input"), ("61", "the call changed its input aad")],
)
def test_other_inputs_are_looked_at_where_the_message_is_the_output(talk: Conversation, aad: str, said: str) -> None:
    inputs = INPUTS.replace("aad=hex:", f"aad=hex:{aad}")
    assert talk.ask(f"1 prepare case=0 op=meddles/seal impl=default params=place=same room=4 {inputs}")["ok"]
    assert talk.ask("2 compute case=0") == {"seq": 2, "ok": True, "result": "error", "detail": said}


def test_room_is_at_least_the_message(talk: Conversation) -> None:
    """And what is behind it is watched as ever."""
    assert talk.ask(f"1 prepare case=0 op=beyond/seal impl=default params=place=same room=4 {INPUTS}")["ok"]
    assert "outside of its output buffer" in talk.ask("2 compute case=0")["detail"]
    longer = INPUTS.replace("616263", "61" * 300)
    assert talk.ask(f"3 prepare case=0 op=complement/seal impl=default params=place=same room=4 {longer}")["ok"]
    assert talk.ask("4 compute case=0")["result"] == "error", "one byte more than there is room for"


def test_an_output_that_is_apart_is_apart(talk: Conversation) -> None:
    assert talk.ask(f"1 prepare case=0 op=complement/seal impl=default params=place=apart {INPUTS}")["ok"]
    assert talk.ask("2 compute case=0")["detail"] == "the output is not where the message is"


# ---- cache ----


def test_cold_calls_do_their_work(talk: Conversation) -> None:
    asked = "params=cache=cold,key=fresh room=99"
    assert talk.ask(f"1 prepare case=0 op=context/open impl=default {asked} {OPENED}")["ok"]
    assert talk.ask("2 add-key case=0 key=hex:6b32 tag=hex:3232")["ok"]
    reply = talk.ask("3 run case=0 calls=2 lead=0 batches=2")
    assert reply["failed"] == 0 and len(reply["each"]) == 2 and min(reply["each"]) > 0
    assert (reply["cpu_ns"], reply["ref"], reply["cycles"]) == (None, None, None)
    assert text(talk.ask("4 output case=0 form=hex")) == "k2 22 4 1 0"


def test_members_of_a_ring_are_called_under_the_same_conditions(talk: Conversation) -> None:
    for number, params in ((0, "cache=cold"), (1, "cache=cold"), (2, "offset=1")):
        assert talk.ask(f"1 prepare case={number} op=places/seal impl=default params={params} room=99 {INPUTS}")["ok"]
    assert talk.ask("2 run case=0 calls=3 lead=0 ring=2")["failed"] == 0
    assert talk.ask("3 run case=0 calls=3 lead=0 ring=3")["error"] == "no-such-case"


def apart(folder: Path, *arguments: object) -> tuple[int, str, str, str]:
    """What the program of that name says: nanoseconds, which other figures there are, status, and what happened."""
    target = str(folder / "apart")
    own = [str(SDK / "src" / f"{name}.c") for name in ("loop", "clock", "aside")]
    sources = [*own, str(Path(__file__).with_name("apart.c"))]
    compile_c(COMPILER, "-I", str(SDK / "include"), "-I", str(SDK / "src"), *sources, "-o", target)
    command = [target, *map(str, arguments)]
    ns, others, status, journal = subprocess.run(
        command, capture_output=True, text=True, check=True, timeout=60
    ).stdout.split()
    return int(ns), others, status, journal


@pytest.mark.parametrize(("calls", "batches"), [(1, 1), (3, 1), (1, 6), (2, 3)])
def test_nothing_but_the_call_is_timed(tmp_path: Path, calls: int, batches: int) -> None:
    """In a world where eviction takes 700 ns, a call 1000 ns and a reading 30 ns: no eviction in any figure, one reading in that of each call, and each call has its eviction."""
    ns, others, status, journal = apart(tmp_path, calls, batches)
    assert (ns, others, status) == (calls * batches * 1030, "0001", "1")
    assert journal == "p" + batches * (calls * "rttct" + "p")


@pytest.mark.parametrize(("calls", "batches"), [(1, 1), (2, 3)])
def test_what_a_call_does_aside_is_not_timed(tmp_path: Path, calls: int, batches: int) -> None:
    """Two pieces of 5000 ns aside: what each adds to the figure is one reading of the clock."""
    ns, others, status, journal = apart(tmp_path, calls, batches, "aside")
    assert (ns, others, status) == (calls * batches * (1030 + 2 * 30), "0001", "1")
    assert journal == "p" + batches * (calls * "rtttotctott" + "p")


def test_as_many_batches_as_there_may_be(talk: Conversation) -> None:
    """Each has its figure, and a reading stands before the first and after each; nothing is read beyond them."""
    assert talk.ask(f"1 prepare case=0 op=context/open impl=default room=99 {OPENED}")["ok"]
    for probe in (0, 1):
        reply = talk.ask(f"2 run case=0 calls=1 lead=0 batches=64 probe={probe}")
        assert (reply["failed"], len(reply["each"])) == (0, 64) and sum(reply["each"]) == reply["ns"]
        assert reply["chain_ns"] is None or len(reply["chain_ns"]) == 65


# ---- what a row cannot ----


@pytest.mark.parametrize(
    ("operation", "params", "why"),
    [
        ("kept/open", "key=fresh", "no function that takes a new key"),
        ("places/mac", "place=same", "place: they may not overlap"),
        ("places/mac", "offset=1", "offset: words only"),
        ("places/mac", "offset=64", "offset is not a number below 64"),
        ("places/mac", "offset=one", "offset is not a number below 64"),
        ("places/mac", "cache=hot", "hot is neither warm nor cold"),
        ("places/mac", "place=there", "there is neither apart nor same"),
        ("places/mac", "key=lost", "lost is neither kept nor fresh"),
        ("harness/empty", "place=other", "other is neither apart nor same"),
    ],
)
def test_what_a_row_cannot_is_said(talk: Conversation, operation: str, params: str, why: str) -> None:
    inputs = {"kept/open": OPENED, "places/mac": "key=hex: msg=hex:"}.get(operation, "")
    impl = "sdk" if operation == "harness/empty" else "default"
    reply = talk.ask(f"1 prepare case=0 op={operation} impl={impl} params={params} {inputs}".rstrip())
    assert reply["error"] == "unsupported-parameters" and why in reply["detail"]
    usual = f"params=key=kept,offset=0,cache=warm,place=apart {inputs}".rstrip()
    assert talk.ask(f"2 prepare case=0 op={operation} impl={impl} {usual}")["ok"]


def test_the_list_tells_what_rows_can(talk: Conversation) -> None:
    rows = {row["op"]: row for row in talk.ask("1 list")["operations"]}
    assert {name: row["rekey"] for name, row in rows.items() if "rekey" in row} == {
        "harness/empty": "call",
        "context/open": "function",
        "spoils/open": "function",
        "again/open": "setup",
    }
    assert [name for name, row in rows.items() if "cannot" in row] == ["places/mac"]
    assert {"rekey", "offset", "cold", "in-place"} <= set(talk.ask("2 hello protocol=2")["capabilities"])


@pytest.mark.parametrize("params", ["key=fresh", "cache=cold", "place=same", "cache=cold,key=fresh"])
def test_what_a_condition_costs_is_told_by_the_empty_call(talk: Conversation, params: str) -> None:
    assert talk.ask(f"1 prepare case=0 op=harness/empty impl=sdk params={params}")["ok"]
    if "fresh" in params:
        assert talk.ask("2 add-key case=0")["ok"]
    reply = talk.ask("3 run case=0 calls=5 lead=1")
    assert reply["failed"] == 0 and reply["ns"] > 0


def resident_kib(pid: int) -> int:
    (line,) = [one for one in Path(f"/proc/{pid}/status").read_text().splitlines() if one.startswith("VmHWM:")]
    return int(line.split()[1])


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system tells it otherwise")
def test_the_largest_resident_set_is_the_programs(talk: Conversation, request: pytest.FixtureRequest) -> None:
    """The system counts in steps. What getrusage tells is also what was resident before the program began."""
    assert talk.ask("1 prepare case=0 op=harness/empty impl=sdk")["ok"]
    before = resident_kib(talk.process.pid)
    told = talk.ask("2 memory case=0")["max_rss_kib"]
    most = 1 << 30 if "fallbacks" in request.node.name else resident_kib(talk.process.pid) + 2048
    assert before - 2048 <= told <= most and told > 300
