# SPDX-License-Identifier: Apache-2.0
"""A library that misbehaves: the worker notices, says so, and goes on."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from conversation import Conversation, Silence

Program = Callable[..., list[str]]


@pytest.fixture
def talk(odd: list[str]) -> Iterator[Conversation]:
    with Conversation(odd) as conversation:
        yield conversation


def prepare(talk: Conversation, what: str, inputs: str = "msg=gen:1:100", number: int = 0) -> dict[str, Any]:
    return talk.ask(f"1 prepare case={number} op=odd-{what} impl=default {inputs}")


@pytest.mark.parametrize("what", ["underrun", "overrun"])
@pytest.mark.parametrize("length", [0, 1, 63, 64, 100, 4096])
def test_writing_outside_of_the_output_is_an_error(talk: Conversation, what: str, length: int) -> None:
    prepare(talk, f"{what}/hash", f"msg=gen:1:{length}")
    reply = talk.ask("2 compute case=0")
    assert reply["result"] == "error" and "outside" in reply["detail"]
    assert talk.ask("3 output case=0")["result"] == "error"
    assert talk.ask("4 run case=0 calls=2 lead=0")["failed"] == 2
    # The damage is not held against another case.
    prepare(talk, "brim/hash", "msg=hex:", 1)
    assert talk.ask("5 compute case=1 form=crc32")["result"] == "ok"


@pytest.mark.parametrize("length", [0, 1, 63, 64, 65, 1000])
def test_output_may_fill_its_buffer(talk: Conversation, length: int) -> None:
    prepare(talk, "brim/hash", f"msg=gen:1:{length}")
    assert talk.ask("2 compute case=0") == {"seq": 2, "ok": True, "result": "ok", "out": "78" * (length + 4096)}


def test_more_output_than_the_buffer_holds_is_an_error(talk: Conversation) -> None:
    prepare(talk, "claims/hash")
    assert "more output" in talk.ask("2 compute case=0")["detail"]
    assert talk.ask("3 run case=0 calls=1 lead=1")["failed"] == 2


def test_unknown_status_is_an_error(talk: Conversation) -> None:
    prepare(talk, "status/hash")
    assert talk.ask("2 compute case=0")["result"] == "error"
    assert talk.ask("3 run case=0 calls=1 lead=0")["failed"] == 2


@pytest.mark.parametrize("what", ["lazy", "late"])
def test_call_that_does_nothing_does_not_leave_the_right_answer(talk: Conversation, what: str) -> None:
    prepare(talk, f"{what}/hash")
    assert talk.ask("2 compute case=0")["out"] != b"done".hex()


def test_timed_calls_that_do_nothing_are_seen_in_the_output(talk: Conversation) -> None:
    prepare(talk, "once/hash")
    assert talk.ask("2 compute case=0")["out"] == b"done".hex()
    assert talk.ask("3 output case=0 form=hex")["out"] == b"done".hex()
    talk.ask("4 run case=0 calls=3 lead=1")
    assert talk.ask("5 output case=0 form=hex")["out"] != b"done".hex()


def test_a_counted_call_that_does_nothing_is_seen_in_the_output(talk: Conversation) -> None:
    prepare(talk, "once/hash")
    assert talk.ask("2 compute case=0")["out"] == b"done".hex()
    assert talk.ask("3 memory case=0")["ok"] is True
    assert talk.ask("4 output case=0 form=hex")["out"] != b"done".hex()


@pytest.mark.parametrize("arguments", [["--help"], ["--describe", "more"], ["--exec"], ["--once"], ["x", "--exec"]])
def test_a_worker_that_is_called_otherwise_says_how_it_is_called(odd: list[str], arguments: list[str]) -> None:
    done = subprocess.run([*odd, *arguments], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, check=False)  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"{odd[0]}: takes requests on standard input") and done.stderr.count("\n") == 1


def test_timed_calls_that_do_part_of_the_work_are_seen_in_the_output(talk: Conversation) -> None:
    prepare(talk, "lasts/hash", "msg=gen:1:1000")
    assert talk.ask("2 compute case=0")["out"] == "78" * 1000
    talk.ask("3 run case=0 calls=3 lead=1")
    assert talk.ask("4 output case=0 form=hex")["out"] != "78" * 1000


def test_timed_calls_between_probes_are_seen_in_the_output(talk: Conversation) -> None:
    """Neither the probes nor the waiting are work, and they leave nothing in the output."""
    prepare(talk, "once/hash")
    assert talk.ask("2 compute case=0")["out"] == b"done".hex()
    talk.ask("3 run case=0 calls=3 lead=1 batches=4 probe=1 quiet=1000000000000 wait=100")
    assert talk.ask("4 output case=0 form=hex")["out"] != b"done".hex()
    prepare(talk, "flood/hash")
    talk.ask("5 run case=0 calls=1 lead=0 batches=2 probe=1 quiet=1000000000000 wait=100")
    assert talk.ask("6 output case=0 form=hex")["out"] == b"done".hex()
    assert talk.ask("7 probe count=5 quiet=1000000000000 wait=100")["ok"] is True
    assert talk.ask("8 output case=0 form=hex")["out"] == b"done".hex()


@pytest.mark.parametrize(
    ("what", "failed"), [("overrun", 2), ("underrun", 2), ("claims", 2), ("status", 2), ("rejects", 1), ("brim", 0)]
)
def test_calls_that_go_wrong_between_probes_are_counted(talk: Conversation, what: str, failed: int) -> None:
    """And the readings are all there."""
    prepare(talk, f"{what}/hash")
    reply = talk.ask("2 run case=0 calls=2 lead=1 batches=3 probe=1")
    assert reply["failed"] == failed and len(reply["each"]) == 3
    assert all(reply[key] is None or len(reply[key]) == 4 for key in ("chain_ns", "tput_ns"))
    assert talk.ask("3 output case=0")["result"] == {0: "ok", 1: "rejected", 2: "error"}[failed]


@pytest.mark.parametrize("probe", [0, 1])
def test_a_turn_begins_with_clean_vector_registers(program: Program, probe: int) -> None:
    """Whatever another operation left in use: it would slow down what comes after it."""
    with Conversation(program("vector_worker.c")) as talk:
        talk.ask("1 prepare case=0 op=vector-dirties/hash impl=default msg=hex:")
        talk.ask("2 prepare case=1 op=vector-finds/hash impl=default msg=hex:")
        if bytes.fromhex(talk.ask("3 compute case=1")["out"]) == b"unknown":
            pytest.skip("this machine does not tell which registers are in use")
        for _ in range(3):
            talk.ask("4 run case=0 calls=2 lead=1")
            talk.ask(f"5 run case=1 calls=1 lead=0 probe={probe}")
            assert bytes.fromhex(talk.ask("6 output case=1 form=hex")["out"]) == b"clean"


def test_library_that_breaks_down_between_probes(talk: Conversation) -> None:
    """Its process ends, and nothing looks like a reply."""
    talk.ask(f"1 prepare case=0 op=odd-stack/hash impl=default msg=hex:{b'99999999999'.hex()}")
    with pytest.raises(Silence, match="the worker ended: -11"):
        talk.ask("2 run case=0 calls=1 lead=0 batches=2 probe=1")


def test_details_are_one_short_line_of_valid_text(talk: Conversation) -> None:
    prepare(talk, "long/hash")
    assert set(talk.ask("2 compute case=0")["detail"]) == {"z"}
    prepare(talk, "lines/hash")
    assert talk.ask("2 compute case=0")["detail"] == "first line"
    prepare(talk, "text/hash")
    assert talk.ask("2 compute case=0")["detail"] == '"q" \\ \t\x01\x7f \u00e9 \ufffd \ufffd\ufffd\ufffd end'
    assert talk.ask("3 hello protocol=2")["version"] == '1 \u00e9 \ufffd "x"'


def test_details_do_not_survive_their_call(talk: Conversation) -> None:
    prepare(talk, "lines/hash")
    talk.ask("2 compute case=0")
    prepare(talk, "status/hash")
    assert talk.ask("3 compute case=0")["detail"] != "first line"


def test_state_that_does_not_fit_is_out_of_memory(talk: Conversation) -> None:
    assert prepare(talk, "no-room/hash")["error"] == "out-of-memory"


def test_row_without_setup_or_teardown(talk: Conversation) -> None:
    assert prepare(talk, "no-setup/hash")["ok"] is True
    assert talk.ask("2 compute case=0") == {"seq": 2, "ok": True, "result": "ok", "out": ""}
    assert talk.ask("3 close case=0")["ok"] is True


def test_library_that_floods_standard_output(talk: Conversation) -> None:
    prepare(talk, "flood/hash")
    for _ in range(3):
        assert talk.ask("2 compute case=0")["out"] == b"done".hex()


def test_library_that_reads_standard_input_gets_nothing(talk: Conversation) -> None:
    prepare(talk, "reads/hash")
    talk.send(b"2 compute case=0\n3 output case=0 form=hex\n")
    assert talk.reply()["out"] == b"done".hex()
    assert talk.reply()["out"] == b"done".hex()


def test_library_that_closes_the_standard_streams(talk: Conversation) -> None:
    prepare(talk, "closes/hash")
    assert talk.ask("2 compute case=0")["out"] == b"done".hex()
    assert talk.ask("3 list")["ok"] is True
    assert talk.end() == (0, b"")


def test_every_setup_has_its_teardown(talk: Conversation) -> None:
    for number in range(3):
        prepare(talk, "counts/hash", number=number)
    talk.ask("2 close case=1")
    prepare(talk, "counts/hash", number=2)
    assert bytes.fromhex(talk.ask("3 compute case=0")["out"]) == b"4 2"
    # A failed setup has none.
    prepare(talk, "no-room/hash", number=5)
    assert bytes.fromhex(talk.ask("4 compute case=0")["out"]) == b"4 2"


def test_the_end_of_a_worker_tears_down_every_case(talk: Conversation) -> None:
    """The first and the last number that there may be, and none that was closed."""
    for number in (0, 1, 7, 1023):
        assert prepare(talk, "farewell/hash", f"msg=hex:{str(number).encode().hex()}", number)["ok"]
    assert talk.ask("2 close case=7")["ok"]
    assert prepare(talk, "farewell/hash", number=1024)["ok"] is False
    assert talk.end() == (0, b"")
    talk.drain.join()
    told = [line for line in bytes(talk.errors).decode().splitlines() if line.startswith("torn")]
    assert told == [f"torn down: {number}" for number in (7, 0, 1, 1023)]


@pytest.mark.parametrize("length", [0, 1, 63, 64, 1000, 4032, 4095, 4096, 5000, 16384, 100_003])
def test_buffers_are_aligned_and_4096_bytes_do_not_alias(talk: Conversation, length: int) -> None:
    prepare(talk, "layout/mac", f"key=gen:1:16 msg=gen:1:{length}")
    words = bytes.fromhex(talk.ask("2 compute case=0")["out"]).decode()
    assert words.startswith("distance 1088 off 0 page ")
    assert words.endswith(" cap 4096 iv absent key 16")


def test_empty_inputs_are_not_absent_ones(talk: Conversation) -> None:
    prepare(talk, "layout/mac", "key=hex: iv=hex: msg=hex:")
    assert bytes.fromhex(talk.ask("2 compute case=0")["out"]).decode().endswith(" iv given key 0")


@pytest.mark.parametrize(("pad", "page"), [(0, 64), (63, 64), (64, 128), (1000, 1024), (4095, 0)])
def test_padding_moves_the_buffers(odd: list[str], pad: int, page: int) -> None:
    """By whole steps of 64 bytes; the first input lies behind 64 canary bytes."""
    with Conversation(odd, env={"CS_PAD": "x" * pad}) as talk:
        prepare(talk, "layout/mac", "key=gen:1:16 msg=gen:1:100")
        assert f" page {page} " in bytes.fromhex(talk.ask("2 compute case=0")["out"]).decode()


def test_state_and_output_are_zeroed_before_setup(talk: Conversation) -> None:
    for _ in range(5):
        assert prepare(talk, "brim/hash", "msg=gen:1:20000")["ok"] is True
        assert talk.ask("2 compute case=0 form=crc32")["result"] == "ok"
        assert prepare(talk, "zeroed/hash", "msg=gen:1:20000")["ok"] is True


def test_library_that_cannot_be_started(program: Program) -> None:
    with Conversation(program("odd_worker.c", "-DODD_OPEN_FAILS")) as talk:
        with pytest.raises(Silence, match="the worker ended: 1"):
            talk.ask("1 hello protocol=2")
        talk.drain.join()
        assert b"the library cannot be started: no entropy" in bytes(talk.errors)


def test_unknown_arguments_are_refused(odd: list[str]) -> None:
    with Conversation([*odd, "--verbose"]) as talk:
        with pytest.raises(Silence, match="the worker ended: 2"):
            talk.read_line()
        talk.drain.join()
        assert b"--describe" in bytes(talk.errors)


@pytest.mark.parametrize("way", ["ulimit -n 64; exec", "exec 2>&-;", "exec 2>&-; ulimit -n 10; exec"])
def test_a_worker_with_few_descriptors_or_no_standard_error_is_served(odd: list[str], way: str) -> None:
    """Its library's own output then goes nowhere, and not among the replies."""
    with Conversation(["/bin/sh", "-c", f'{way} "$@"', "sh", *odd]) as talk:
        assert talk.ask("1 hello protocol=2")["ok"]
        prepare(talk, "counts/hash")
        assert talk.ask("2 compute case=0")["result"] == "ok"
        assert talk.end() == (0, b"")


@pytest.mark.parametrize("way", ["--exec", "--once"])
@pytest.mark.parametrize(("more", "status"), [(-2, 0), (0, 0), (1, 2), (2, 2), (40, 2)])
def test_fields_of_one_call_are_128_kib_at_most(odd: list[str], way: str, more: int, status: int) -> None:
    """With what stands before them and the end of the text."""
    fields = ["op=odd-counts/hash", "impl=default", "msg=hex:"]
    digits = (1 << 17) - 1 - len(" ".join(["1 prepare case=0", *fields]))
    assert digits % 2 == 0
    words = [*fields[:2], fields[2] + "0" * (digits + more)]
    done = subprocess.run([*odd, way, *words], capture_output=True, timeout=600, check=False)
    assert done.returncode == status, done.stderr
    assert (b"more than 128 KiB of fields" in done.stderr) is (status == 2)


def test_a_process_of_one_call_that_fails_says_why(odd: list[str]) -> None:
    words = ["--once", "op=odd-status/hash", "impl=default", "msg=hex:"]
    done = subprocess.run([*odd, *words], capture_output=True, timeout=600, check=False)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"the adapter returned an unknown status" in done.stderr


def test_a_worker_whose_input_cannot_be_read_ends(odd: list[str]) -> None:
    """A folder can be opened, and every reading of it fails."""
    done = subprocess.run(["/bin/sh", "-c", 'exec "$@" </', "sh", *odd], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (0, b"")
