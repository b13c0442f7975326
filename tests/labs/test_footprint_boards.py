# SPDX-License-Identifier: Apache-2.0
"""The laboratory of footprints on emulated boards: what an image says of its memory, what faults, and one real client."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from counted import need
from scripts import ROOT, CommandLine

from cipherstone.build.systems import this_system
from cipherstone.build.targets import TARGETS
from cipherstone.build.toolchain import find_toolchain
from cipherstone.build.upstream import is_built
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.cli.environment import cache_folder
from cipherstone.labs.footprint.elf import read_executable
from cipherstone.labs.footprint.ladder import EXTRAS, Tls, load_ladders
from cipherstone.labs.footprint.machine import machines
from cipherstone.labs.footprint.memory import measured_memory
from cipherstone.labs.footprint.program import MAP, PROGRAM, WHOLE, Unit, below_of, link
from cipherstone.labs.footprint.proof import DEADLINE_S, Question, run_program
from cipherstone.operations.certificates import HOST

HEAP, DEEP = 70_000, 20_000
SOURCE = f"""
#include "client.h"
#include "posix.h"
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <sys/random.h>
static __attribute__((noinline)) int deep(void)
{{
    volatile uint8_t area[{DEEP}];
    for (size_t i = 0; i < sizeof area; i++)
        area[i] = (uint8_t)i;
    return area[7] != 7;
}}
static _Atomic uint32_t number = 1;
static int exchanges(void) /* where the processor cannot by itself, too */
{{
    uint32_t seen = 1;
    return atomic_compare_exchange_strong(&number, &seen, 5) && !atomic_compare_exchange_strong(&number, &seen, 7) &&
           seen == 5 && number == 5;
}}
int main(int argc, char **argv)
{{
    uint8_t *heap = malloc({HEAP}), drawn[2][32] = {{{{0}}}};
    if (argc == 4) {{ /* a client: the anchor over the transport, and what came back as its result */
        span anchor = read_anchor(argv[3]);
        int fd = dial(argv[1]);
        ssize_t n;
        if (anchor.len == 0 || write(fd, anchor.data, anchor.len) != (ssize_t)anchor.len)
            return BROKEN;
        n = read(fd, given, MOST);
        return n > 0 ? write_output(given, (size_t)n) : NO;
    }}
    if (heap == NULL || time(NULL) != 1767225600 || getrandom(drawn[0], 32, 0) != 32 || getrandom(drawn[1], 32, 0) != 32)
        return BROKEN;
    heap[0] = 1;
    free(heap);
    if (deep() || !exchanges() || getuid() != geteuid() || memcmp(drawn[0], drawn[1], 32) == 0 || !read_input())
        return BROKEN;
    if (given_len == 1 && given[0] == '!')
        __asm__ volatile("udf #0");
    return given_len == 0 ? NO : write_output(given, given_len);
}}
"""
LADDERS = load_ladders(ROOT, load_libraries(ROOT))
BOARDS = [name for name, target in TARGETS.items() if target.board is not None]


@pytest.mark.parametrize("target", BOARDS)
def test_an_image_tells_what_it_used(target: str, worker_cache: Path, tmp_path: Path) -> None:
    need(target)
    workshop = Workshop(ROOT, worker_cache, find_toolchain(), this_system())
    [(machine, own)] = machines([target], workshop)
    assert machine.board is not None
    source, made = tmp_path / "small.c", tmp_path / "made"
    source.write_text(SOURCE)
    below = below_of(machine.board, ROOT)
    flags = ["-std=c11", "-Os", *machine.flags, *below.includes, "-I", str(ROOT / "labs/footprint")]
    link("test", made, Unit(source, tuple(flags), below.link), machine, own.toolchain, below)
    command, _ = machine.command(made / PROGRAM)
    assert run_program(command, b"abc") == (0, b"abc") and run_program(command) == (1, b"")
    assert run_program(command, b"!") == (70, b"")
    found = measured_memory(made / PROGRAM, "sha256", Tls(), [Question("one", b"abc", b"abc")], machine, own)
    assert found is not None
    assert HEAP <= found.heap_bytes < HEAP + 500 and DEEP < found.stack_bytes < DEEP + 1000
    sizes = read_executable(made / PROGRAM).sizes
    assert 16_384 <= sizes.bss < 17_500 and 500 < sizes.text < 6_000 and 64 <= sizes.rodata < 1_500
    assert "main" in read_executable(made / WHOLE).symbols and "board.o" in (made / MAP).read_text()
    # The bytes of a client are carried both ways.
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(DEADLINE_S)
        thread = threading.Thread(target=_turned, args=(listener,))
        thread.start()
        (tmp_path / "anchor").write_bytes(bytes(range(200)))
        ended = run_program([*command, str(listener.getsockname()[1]), HOST, str(tmp_path / "anchor")])
        thread.join()
    assert ended == (0, bytes(reversed(range(200))))


def _turned(listener: socket.socket) -> None:
    peer, _ = listener.accept()
    with peer:
        asked = b""
        while len(asked) < 200:
            asked += peer.recv(200)
        peer.sendall(asked[::-1])


@pytest.fixture(scope="module")
def command(new_cli: Callable[..., CommandLine]) -> CommandLine:
    return new_cli("footprint", ROOT)


# Budgets of flash and of the stack, with room for another compiler.
CLIENTS = {
    "bearssl": ("36KiB", "6KiB"),
    "boringssl": ("520KiB", "12KiB"),
    "aws-lc": ("520KiB", "20KiB"),
    "openssl": ("1150KiB", "20KiB"),
}


def _programs_built(name: str, target: str) -> list[str]:
    """Those that the library has which the client's step `smallest` is built with. Skips if it is not built."""
    need(target)
    ladder, workshop = LADDERS[name], Workshop(ROOT, cache_folder(), find_toolchain(), this_system())
    [(machine, own)] = machines([target], workshop)
    steps = {one: step for one in ladder.programs for step in ladder.steps_of(one) if step.name == "smallest"}
    wanted = steps["tls-client"]
    if not is_built(ladder.as_library, ladder.build_of(wanted, machine.flags), own.toolchain, cache_folder()):
        pytest.skip(f"not built here: cipherstone footprint -l {name} -p tls-client --step smallest --on {target}")
    return [one for one, step in steps.items() if step.options == wanted.options and one not in EXTRAS]


@pytest.mark.libraries
@pytest.mark.parametrize("target", ["cortex-m0plus", "cortex-m4"])
@pytest.mark.parametrize("name", ["aws-lc", "boringssl", "openssl"])
def test_the_other_programs_on_a_board_are_proven(command: CommandLine, tmp_path: Path, name: str, target: str) -> None:
    place, programs = tmp_path / "all.json", _programs_built(name, target)
    words = ("-l", name, "-p", ",".join(programs), "--step", "smallest", "--on", target, "--cache", cache_folder())
    done = command("footprint", *words, "--json", place).no_trace()
    assert done.code == 0, done.err
    rows = json.loads(place.read_text())["rows"]
    assert {row["program"]: row["outcome"] for row in rows} == dict.fromkeys(programs, "proven")
    assert ("ml-kem" in programs) == (name == "aws-lc") and len(programs) >= 6


@pytest.mark.libraries
@pytest.mark.parametrize("target", BOARDS)
@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_on_a_board_is_proven(command: CommandLine, tmp_path: Path, name: str, target: str) -> None:
    """From what was built before, as other sources are."""
    _programs_built(name, target)
    step = next(step for step in LADDERS[name].steps_of("tls-client") if step.name == "smallest")
    place = tmp_path / "one.json"
    words = ("-l", name, "-p", "tls-client", "--step", "smallest", "--on", target, "--cache", cache_folder())
    flash, stack = CLIENTS[name]
    done = command("footprint", *words, "--json", place, "--max-size", flash, "--max-stack", stack).no_trace()
    assert done.code == 0, done.err
    [row] = json.loads(place.read_text())["rows"]
    sizes = row["sizes"]
    assert sizes["file"] == sizes["text"] + sizes["rodata"] + sizes["data"] and row["outcome"] == "proven"
    assert row["proven"][-1] == "refuses expired ones" and row["label"] == ""
    assert row["agreed"].startswith(f"TLS {step.tls.version}")
    assert (row["memory"]["heap_bytes"] == 0) == (name == "bearssl") and row["memory"]["stack_bytes"] > 1000


@pytest.mark.libraries
def test_an_image_reaches_its_tables_where_nothing_is_optimised_while_it_is_linked(
    command: CommandLine, tmp_path: Path
) -> None:
    """Upstream's own choice is code that is independent of its place, whose table of addresses an image does not have."""
    need("cortex-m4")
    ladder = load_ladders(ROOT, load_libraries(ROOT))["nettle"]
    step = next(step for step in ladder.steps_of("aead") if step.name == "no-asm")
    [(machine, own)] = machines(["cortex-m4"], Workshop(ROOT, cache_folder(), find_toolchain(), this_system()))
    if not is_built(ladder.as_library, ladder.build_of(step, machine.flags), own.toolchain, cache_folder()):
        pytest.skip("not built here: cipherstone footprint -l nettle --step no-asm --on cortex-m4")
    place = tmp_path / "one.json"
    words = ("-l", "nettle", "-p", "aead,agree", "--step", "no-asm", "--on", "cortex-m4", "--cache", cache_folder())
    done = command("footprint", *words, "--json", place).no_trace()
    assert done.code == 0, done.err
    assert [row["outcome"] for row in json.loads(place.read_text())["rows"]] == ["proven", "proven"]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("wolfssl", "upstream's configure asks for the sockets and threads of a system"),
        ("nettle", "upstream's assembly for Arm is of processors with the ARM state"),
        ("boringssl", "upstream's assembly for Arm is of processors with the ARM state and NEON"),
        ("aws-lc", "upstream's assembly for Arm is of processors with the ARM state and NEON"),
        ("openssl", "upstream's own configuration asks for a terminal (termios.h), which newlib lacks"),
    ],
)
def test_what_a_board_cannot_have_is_absent_with_its_reason(
    command: CommandLine, tmp_path: Path, name: str, why: str
) -> None:
    need("cortex-m4")
    place = tmp_path / "one.json"
    words = ("-l", name, "-p", "sha256", "--step", "default", "--on", "cortex-m4", "--max-size", "1")
    done = command("footprint", *words, "--json", place).no_trace()
    assert done.code == 0, done.err
    assert f"default: absent: {why}" in " ".join(done.out.split())
    assert [row["outcome"] for row in json.loads(place.read_text())["rows"]] == ["absent"]
