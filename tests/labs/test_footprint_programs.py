# SPDX-License-Identifier: Apache-2.0
"""The laboratory of footprints with a compiler: what is in a file, what proves it and what does not, and one real library."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from counted import need
from scripts import ROOT, CommandLine

from cipherstone.build.systems import this_system
from cipherstone.build.toolchain import find_toolchain, run_tool
from cipherstone.build.upstream import is_built
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.algorithms import catalogue_of_checkout
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.cli.environment import cache_folder
from cipherstone.labs.footprint.elf import read_executable
from cipherstone.labs.footprint.ladder import EXTRAS, PROGRAMS, TLS_CLIENT, Tls, load_ladders
from cipherstone.labs.footprint.linkmap import read_map
from cipherstone.labs.footprint.machine import TargetMachine, machines
from cipherstone.labs.footprint.memory import measured_memory
from cipherstone.labs.footprint.program import PROGRAM, Unit, link
from cipherstone.labs.footprint.proof import proven_answers, proven_client
from cipherstone.labs.footprint.questions import Question, questions, timed_question
from cipherstone.model.errors import DataError
from cipherstone.model.ids import Case
from cipherstone.operations.inputs import timed_inputs
from cipherstone.operations.oracle import expected_output, made
from cipherstone.operations.schemes import schemes

TOOLCHAIN = find_toolchain()
SOURCE = """
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
const uint8_t table[4000] = {1, 2, 3};
uint8_t written[600] = {1};
uint8_t zeroed[5000];
int unused_function(int x) { return x * 3 + table[x]; }
__attribute__((noinline)) int used_function(int x) { return x + table[x & 7] + written[x & 7] + zeroed[x & 7]; }
int main(int argc, char **argv)
{
    volatile uint8_t deep[20000];
    uint8_t *heap = malloc(70000), byte[64];
    ssize_t n = read(0, byte, sizeof byte);
    deep[0] = (uint8_t)argc;
    if (heap == NULL || n < 0)
        return 2;
    memset(heap, argv[0][0], 70000);
    deep[1] = heap[used_function(argc)];
    free(heap);
    return write(1, byte, (size_t)n) == n ? 0 : 2 + deep[1];
}
"""
WITHOUT_PROOF = f"""#!{sys.executable}
import socket, ssl, sys
_, port, host, anchor = sys.argv
context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
context.check_hostname = CHECKED
context.verify_mode = ssl.CERT_REQUIRED if VERIFIED else ssl.CERT_NONE
context.load_verify_locations(cadata=open(anchor, "rb").read())
try:
    with socket.create_connection(("127.0.0.1", int(port))) as plain, context.wrap_socket(plain, server_hostname=host) as secure:
        secure.sendall(b"give me the token\\n")
        token = b""
        while len(token) < 32 and (more := secure.recv(32)):
            token += more
except OSError:
    sys.exit(1)
sys.stdout.buffer.write(token)
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small program with what can be predicted in it."""
    folder = tmp_path_factory.mktemp("elf")
    source = folder / "small.c"
    source.write_text(SOURCE)
    flags = ["-O1", "-fno-inline", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"]
    run_tool([TOOLCHAIN.cc, *flags, str(source), "-o", str(folder / "small"), f"-Wl,-Map={folder / 'map'}"], "test")
    return folder / "small"


def test_a_file_is_taken_apart_by_what_its_sections_are_for(program: Path) -> None:
    found = read_executable(program)
    assert found.symbols["table"] == 4000 and found.symbols["zeroed"] == 5000
    assert "unused_function" not in found.symbols and 0 < found.symbols["used_function"] < 200
    sizes = found.sizes
    assert sizes.file == program.stat().st_size and 4000 <= sizes.rodata < 8000
    assert 600 <= sizes.data < 3000 and 5000 <= sizes.bss < 5200
    assert found.symbols["main"] < sizes.text < 3000
    assert any(name.startswith("libc.so") for name in found.needed)


def test_the_sums_are_those_of_binutils(program: Path) -> None:
    """`size` counts code and read-only data together."""
    sizes = read_executable(program).sizes
    told = subprocess.run(["size", str(program)], capture_output=True, text=True, check=True).stdout.split()[6:9]
    assert [int(word) for word in told] == [sizes.text + sizes.rodata, sizes.data, sizes.bss]


def test_a_stripped_file_has_the_same_parts(program: Path, tmp_path: Path) -> None:
    stripped = tmp_path / "stripped"
    run_tool(["strip", "--strip-all", "-o", str(stripped), str(program)], "test")
    whole, found = read_executable(program), read_executable(stripped)
    assert found.symbols == {} and found.sizes.file < whole.sizes.file
    assert (found.sizes.text, found.sizes.bss) == (whole.sizes.text, whole.sizes.bss)


def test_the_map_knows_what_was_left_out(program: Path) -> None:
    found = read_map((program.parent / "map").read_text())
    assert found.removed >= 10 and found.removed_sections >= 1
    assert sum(found.objects.values()) >= 9600


def test_what_is_no_program_is_told(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("no program")
    with pytest.raises(DataError, match="is no program in ELF"):
        read_executable(path)


def test_memory_is_what_the_program_used(program: Path, worker_cache: Path) -> None:
    workshop = Workshop(ROOT, worker_cache, TOOLCHAIN, this_system())
    found = measured_memory(program, "sha256", Tls(), [Question("one", b"abc", b"abc")], TargetMachine(), workshop)
    if found is None:
        pytest.skip("another C library than glibc")
    assert 70_000 <= found.heap_bytes < 72_000 and 20_000 <= found.stack_bytes < 24_000


@pytest.mark.parametrize("target", ["aarch64", "armv7a"])
def test_memory_of_another_machine_is_what_the_program_used(target: str, worker_cache: Path, tmp_path: Path) -> None:
    need(target)
    [(machine, own)] = machines([target], Workshop(ROOT, worker_cache, TOOLCHAIN, this_system()))
    source, made = tmp_path / "small.c", tmp_path / "small"
    source.write_text(SOURCE)
    run_tool([own.toolchain.cc, "-O1", *machine.flags, str(source), "-o", str(made)], "test")
    found = measured_memory(made, "sha256", Tls(), [Question("one", b"abc", b"abc")], machine, own)
    assert found is not None
    assert 70_000 <= found.heap_bytes < 72_000 and 20_000 <= found.stack_bytes < 24_000


def script(path: Path, text: str) -> str:
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("exit 0", "was accepted, and must be refused"),
        ("exit 1", "was refused"),
        ("exit 7", "ended with status 7"),
        ("kill -9 $$", "ended with status -9"),
        ("echo x", "gave 780a"),
    ],
)
def test_a_program_that_is_wrong_is_told_from_one_that_is_right(tmp_path: Path, text: str, said: str) -> None:
    asked = questions("verify", "p1363", ROOT, catalogue_of_checkout())
    assert sum(one.answer is None for one in asked) >= 10 <= sum(one.answer is not None for one in asked)
    assert said in proven_answers([script(tmp_path / "program", f"#!/bin/sh\n{text}\n")], asked).problem


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name != TLS_CLIENT])
def test_every_program_has_known_answers(name: str) -> None:
    asked = questions(name, "der", ROOT, catalogue_of_checkout())
    assert sum(one.answer is not None for one in asked) >= 10
    refuses = sum(one.answer is None for one in asked)
    assert refuses >= 10 or name in ("sha256", "agree", "ml-kem", "sha512", "random", "sign", "rsa-sign")
    assert any(one.drawn for one in asked) == (name in ("random", "sign", "ecdhe"))


# A generator as a program reads and writes: (forked or not, how many bytes) -> what is drawn, `twice` what a child draws.
GENERATOR = f"""#!{sys.executable}
import os, sys
given = sys.stdin.buffer.read()
forked = given[:2] != bytes(2)
length = len(given) - (3 if forked else 2)
drawn = DRAWN
if forked:
    sys.exit(0 if drawn == TWICE else 1)
sys.stdout.buffer.write(drawn)
"""


@pytest.mark.parametrize(
    ("drawn", "twice", "said", "label"),
    [
        ("os.urandom(length)", "os.urandom(length)", "", ""),
        ("os.urandom(length)", "drawn", "", "a forked child repeats"),
        ("bytes(range(256)) * 64", "b''", "bytes, not 16", ""),
        ("bytes(length)", "b''", "byte 00 more than 11 times in a row", ""),
        ("(bytes(range(256)) * 64)[:length]", "b''", "drew the same twice", ""),
        ("os.urandom(length)", "sys.exit(2)", "ended with status 2", ""),
    ],
)
def test_random_bytes_are_judged_and_a_child_that_repeats_is_told(
    tmp_path: Path, drawn: str, twice: str, said: str, label: str
) -> None:
    """As random bytes are proven everywhere: stuck, short and periodic ones are wrong, those that a fork repeats are the caller's to think of."""
    text = GENERATOR.replace("DRAWN", drawn).replace("TWICE", twice)
    asked = questions("random", "der", ROOT, catalogue_of_checkout())
    found = proven_answers([script(tmp_path / "generator", text)], asked)
    assert said in found.problem if said else not found.problem
    assert found.label == label
    if not said:
        assert found.proven == ("11 outputs judged",) + (() if label else ("3 refused",))


def test_a_key_that_is_not_drawn_anew_is_wrong_and_a_signature_may_repeat(tmp_path: Path) -> None:
    catalogue = catalogue_of_checkout()

    def answering(name: str, answers: dict[bytes, bytes]) -> list[str]:
        """A program that knows the answers to what it is asked."""
        place = tmp_path / name
        return [script(place, f"#!{sys.executable}\nimport sys\nsys.stdout.buffer.write({answers!r}[sys.stdin.buffer.read()])\n")]  # fmt: skip

    key, own = schemes()["p-256"].key_pair(3)
    pub = timed_inputs(Case("p-256", "agree"))["pub"].data
    secret = expected_output("p-256/derive", {"key": key, "pub": pub})
    assert secret is not None
    asked = [one for one in questions("ecdhe", "der", ROOT, catalogue) if one.given == pub]
    assert asked and all(one.drawn and one.drawn.problem([own + secret]) == "" for one in asked)
    assert "drew the same twice" in proven_answers(answering("fixed", {pub: own + secret}), asked).problem
    assert "both sides do not agree" in proven_answers(answering("other", {pub: own + secret[::-1]}), asked).problem

    case = Case("ecdsa-p256-sha256", "sign")
    one = timed_question("sign", case, "p1363")
    inputs = {name: value.data for name, value in timed_inputs(case, "p1363").items()}
    right = made(case.operation, inputs, "p1363")
    assert proven_answers(answering("deterministic", {one.given: right}), [one]).proven == ("1 outputs judged",)
    wrong = right[:-1] + bytes((right[-1] ^ 1,))
    assert "does not verify" in proven_answers(answering("changed", {one.given: wrong}), [one]).problem


@pytest.mark.parametrize(
    ("checked", "verified", "said"),
    [
        ("True", "True", ""),
        ("False", "True", "another host: was not refused"),
        ("False", "False", "another host: was not refused"),
    ],
)
def test_a_client_is_proven_by_what_it_refuses(tmp_path: Path, checked: str, verified: str, said: str) -> None:
    text = WITHOUT_PROOF.replace("CHECKED", checked).replace("VERIFIED", verified)
    found = proven_client([script(tmp_path / "client", text)], Tls("1.2"))
    assert found.problem == said
    if not said:
        assert found.agreed.startswith("TLS 1.2, ECDHE-ECDSA-AES") and found.label == ""
        assert found.proven[-1] == "refuses expired ones" and len(found.proven) == 5


def test_a_client_that_makes_no_handshake_is_no_client(tmp_path: Path) -> None:
    assert "did not end right" in proven_client([script(tmp_path / "client", "#!/bin/sh\nexit 2\n")], Tls()).problem
    assert "did not print the token" in proven_client([script(tmp_path / "liar", "#!/bin/sh\necho x\n")], Tls()).problem


def test_a_program_in_cxx_is_made_by_the_compiler_of_its_language(tmp_path: Path) -> None:
    """And is linked with that language's library."""
    source = tmp_path / "program.cpp"
    source.write_text(
        "#include <iostream>\n#include <span>\nint main() { std::cout << std::span<const char>().size(); }\n"
    )
    link("test", tmp_path / "made", Unit(source, ("-std=c++20", "-O1")), TargetMachine(), TOOLCHAIN)
    made = tmp_path / "made" / PROGRAM
    assert subprocess.run([made], capture_output=True, check=True).stdout == b"0"
    assert any(name.startswith("libstdc++") for name in read_executable(made).needed)


@pytest.fixture(scope="module")
def command(new_cli: Callable[..., CommandLine]) -> CommandLine:
    return new_cli("footprint", ROOT)


def test_what_is_asked_for_wrongly_is_told_in_one_line(command: CommandLine) -> None:
    for words, said in (
        (("-l", "bearsl"), "--library: no ladder has 'bearsl'"),
        (("-p", "sha-256"), "--program: no ladder has 'sha-256'"),
        (("--on", "cortex-m4", "--speed"), "--speed: a board is not timed"),
        (("--on", "aarch65"), "--on: there is no target 'aarch65'"),
        (
            ("--step", "pined"),
            "without aws-lc, boringssl, botan, gnutls, libgcrypt, nss, openssl, s2n, whose builds take long: -l aws-lc,boringssl,botan,gnutls,libgcrypt,nss,openssl,s2n",
        ),
        (("-l", "bearssl", "-p", "sha256", "--step", "pinned"), "footprint: no ladder has a step that was asked for"),
        (("--step", "smalest"), "--step: no ladder has 'smalest'"),
        (("--json", "/dev/null/x.json"), "cannot write /dev/null/x.json: Not a directory"),
        (("--html", "/"), "cannot write /: Is a directory"),
        (("--max-text", "much"), "--max-text: 'much' is no number of bytes"),
        (("diff", "none.json", "none.json"), "none.json: No such file"),
        (
            ("-l", "bearssl", "-p", "random"),
            "bearssl random: is only where a published table beside the ladder times it",
        ),
        (("-l", "monocypher", "-p", "sha256"), "monocypher sha256: of hashes Monocypher has BLAKE2b and SHA-512 only"),
        (("-l", "openssl", "-p", "chacha"), "openssl chacha: has none here"),
        (("--page", "tls-bog"), "--page: no suite 'tls-bog' is made after a page with ladders"),
        (("--page", "tls-blog", "-l", "wolfssl"), "--library: no ladder has 'wolfssl'"),
        (("--page", "tls-blog", "-p", "sha256"), "--program: no size of sha256 stands on the page"),
        (("--page", "tls-blog", "--step", "pined"), "--step: no ladder has 'pined'"),
    ):
        done = command("footprint", *words).no_trace()
        assert done.code in (1, 2) and said in done.err, words


@pytest.mark.libraries
def test_bearssl_is_proven_and_small(command: CommandLine, tmp_path: Path) -> None:
    """From what was built before, as other sources are."""
    ladder = load_ladders(ROOT, load_libraries(ROOT))["bearssl"]
    step = next(step for step in ladder.steps if step.name == "smallest")
    if not is_built(ladder.as_library, ladder.build_of(step), TOOLCHAIN, cache_folder()):
        pytest.skip("BearSSL's smallest step was not built here: cipherstone footprint -l bearssl --step smallest")
    place, page = tmp_path / "one.json", tmp_path / "one.html"
    asked = ("footprint", "-l", "bearssl", "-p", "sha256,tls-client", "--step", "smallest", "--cache", cache_folder())
    done = command(*asked, "--json", place, "--html", page, "--max-size", "64KiB").no_trace()
    assert done.code == 0, done.err
    rows = json.loads(place.read_text())["rows"]
    assert {(one["program"], one["outcome"]) for one in rows} == {("sha256", "proven"), ("tls-client", "proven")}
    client = next(one for one in rows if one["program"] == "tls-client")
    assert client["sizes"]["file"] < 113_008 and client["label"] == "" and "refuses another host" in client["proven"]
    assert client["symbols"] and client["removed"] > 0 and client["memory"]["heap_bytes"] == 0
    assert 'class="chart waterfall"' in page.read_text()
    late = command(*asked, "--max-size", "20KiB").no_trace()
    assert (
        late.code == 3 and "bearssl tls-client smallest: size: " in late.err and "sha256 smallest: size" not in late.err
    )
    same = command("footprint", "diff", place, place).no_trace()
    assert same.code == 1, same.err
    assert all(f"bearssl {one['program']} smallest: image {one['image']}" in same.err for one in rows), same.err
    forced = command("footprint", "diff", place, place, "--force").no_trace()
    assert (forced.code, forced.out.strip()) == (0, "nothing changed") and "are the same code (" in forced.err


@pytest.mark.libraries
def test_programs_of_published_rows_are_proven(command: CommandLine, tmp_path: Path) -> None:
    ladder = load_ladders(ROOT, load_libraries(ROOT))["mbedtls"]
    extras = [program for program in EXTRAS if program in ladder.programs]
    step = next(step for step in ladder.steps_of("ecdhe") if step.name == "cut")
    if not is_built(ladder.as_library, ladder.build_of(step), TOOLCHAIN, cache_folder()):
        pytest.skip("Mbed TLS's step was not built here: cipherstone footprint -l mbedtls -p sha256 --step cut")
    place = tmp_path / "one.json"
    asked = ("footprint", "-l", "mbedtls", "-p", ",".join(extras), "--step", "cut", "--cache", cache_folder())
    done = command(*asked, "--json", place).no_trace()
    assert done.code == 0, done.err
    rows = {one["program"]: one for one in json.loads(place.read_text())["rows"]}
    assert set(rows) == {"sign", "rsa-sign", "ecdh", "ecdhe"}
    assert {one["outcome"] for one in rows.values()} == {"proven"}
    assert rows["ecdhe"]["proven"] == ["32 outputs judged", "13 refused"]
    assert all(one["memory"]["stack_bytes"] > 0 for one in rows.values())


# Libraries without TLS: programs of their smallest step, and the most that it may take here and on a Cortex-M4, with room for another compiler.
WITHOUT_TLS = {
    "libsodium": {"agree": (52_000, 46_000), "chacha": (39_000, 8_000), "ed25519-verify": (31_000, 29_000)},
    "libtomcrypt": {"aead": (20_000, 9_000), "verify": (70_000, 36_000), "rsa-verify": (80_000, 44_000)},
    "liboqs": {"ml-kem": (75_000, 80_000)},
    "micro-ecc": {"verify": (19_000, 9_000), "ecdh": (15_000, 7_000)},
    "monocypher": {"agree": (19_000, 9_000), "chacha": (15_000, 6_000), "ed25519-verify": (23_000, 15_000)},
    "nettle": {"aead": (23_000, 13_000), "verify": (52_000, 44_000), "agree": (40_000, 36_000)},
}


@pytest.mark.libraries
@pytest.mark.parametrize("target", ["", "cortex-m4"])
@pytest.mark.parametrize("name", WITHOUT_TLS)
def test_a_library_without_tls_is_proven_where_it_was_built(
    command: CommandLine, tmp_path: Path, name: str, target: str
) -> None:
    if target:
        need(target)
    ladder, most = load_ladders(ROOT, load_libraries(ROOT))[name], WITHOUT_TLS[name]
    steps = {one for program in most for one in ladder.steps_of(program) if one.name == "smallest"}
    workshop = Workshop(ROOT, cache_folder(), TOOLCHAIN, this_system())
    [(machine, own)] = machines([target] if target else [], workshop)
    builds = [ladder.build_of(step, machine.flags) for step in sorted(steps, key=lambda one: one.programs)]
    if not all(is_built(ladder.as_library, build, own.toolchain, cache_folder()) for build in builds):
        pytest.skip(f"not built here: cipherstone footprint -l {name} --step smallest")
    place = tmp_path / "one.json"
    words = ("-l", name, "-p", ",".join(most), "--step", "smallest", "--cache", cache_folder(), "--json", place)
    done = command("footprint", *words, *(("--on", target) if target else ())).no_trace()
    assert done.code == 0, done.err
    rows = {one["program"]: one for one in json.loads(place.read_text())["rows"]}
    assert set(rows) == set(most) and {one["outcome"] for one in rows.values()} == {"proven"}
    for program, (here, board) in most.items():
        assert 0 < rows[program]["sizes"]["file"] <= (board if target else here), program
        assert 100 < rows[program]["memory"]["stack_bytes"] < 30_000
        refuses = [told for told in rows[program]["proven"] if told.endswith("refused")]
        assert bool(refuses) == (program != "agree"), program


# Sizes of a prototype of the same client, which the smallest proven step must not pass.
REACHED = {"aws-lc": 978_288, "boringssl": 929_000, "openssl": 2_269_320}


@pytest.mark.libraries
@pytest.mark.parametrize("name", REACHED)
def test_what_takes_long_to_build_is_proven_where_it_was_built(command: CommandLine, tmp_path: Path, name: str) -> None:
    ladder = load_ladders(ROOT, load_libraries(ROOT))[name]
    step = next(step for step in ladder.steps if step.name == "smallest")
    if not is_built(ladder.as_library, ladder.build_of(step), TOOLCHAIN, cache_folder()):
        pytest.skip(f"not built here: cipherstone footprint -l {name} --step smallest")
    place = tmp_path / "one.json"
    done = command("footprint", "-l", name, "--step", "smallest", "--cache", cache_folder(), "--json", place).no_trace()
    assert done.code == 0, done.err
    rows = {one["program"]: one for one in json.loads(place.read_text())["rows"]}
    assert set(rows) >= {"tls-client", "sha256", "aead", "verify", "rsa-verify", "agree"}
    assert {one["outcome"] for one in rows.values()} == {"proven"}
    client = rows["tls-client"]
    assert client["sizes"]["file"] <= REACHED[name] and client["label"] == ""
    assert client["agreed"].startswith("TLS 1.3") and "refuses expired ones" in client["proven"]


@pytest.mark.libraries
@pytest.mark.parametrize("name", ["botan", "gnutls", "nss", "s2n"])
def test_a_client_that_takes_long_to_build_is_proven_where_it_was_built(
    command: CommandLine, tmp_path: Path, name: str
) -> None:
    """With all that it must refuse, dates too."""
    ladder = load_ladders(ROOT, load_libraries(ROOT))[name]
    step = next(step for step in ladder.steps_of(TLS_CLIENT) if step.name == "smallest")
    if not is_built(ladder.as_library, ladder.build_of(step), TOOLCHAIN, cache_folder()):
        pytest.skip(f"not built here: cipherstone footprint -l {name} -p tls-client --step smallest")
    place = tmp_path / "one.json"
    words = ("-l", name, "-p", TLS_CLIENT, "--step", "smallest", "--cache", cache_folder())
    done = command("footprint", *words, "--json", place).no_trace()
    assert done.code == 0, done.err
    [row] = json.loads(place.read_text())["rows"]
    assert (row["outcome"], row["label"]) == ("proven", "")
    assert row["agreed"].startswith("TLS 1.3") and row["proven"][-1] == "refuses expired ones"
    assert row["sizes"]["text"] > 0 and row["memory"]["heap_bytes"] > 0


@pytest.mark.libraries
@pytest.mark.parametrize("target", ["aarch64", "armv7a"])
@pytest.mark.parametrize("name", ["aws-lc", "mbedtls", "openssl", "wolfssl"])
def test_a_client_is_proven_on_another_machine_where_it_was_built(
    command: CommandLine, tmp_path: Path, name: str, target: str
) -> None:
    need(target)
    ladder = load_ladders(ROOT, load_libraries(ROOT))[name]
    step = next(step for step in ladder.steps_of(TLS_CLIENT) if step.name == "smallest")
    [(machine, own)] = machines([target], Workshop(ROOT, cache_folder(), TOOLCHAIN, this_system()))
    if not is_built(ladder.as_library, ladder.build_of(step, machine.flags), own.toolchain, cache_folder()):
        pytest.skip(f"not built here: cipherstone footprint -l {name} -p tls-client --step smallest --on {target}")
    place = tmp_path / "one.json"
    words = ("-l", name, "-p", TLS_CLIENT, "--step", "smallest", "--on", target, "--cache", cache_folder())
    done = command("footprint", *words, "--json", place).no_trace()
    assert done.code == 0, done.err
    [row] = json.loads(place.read_text())["rows"]
    assert (row["outcome"], row["target"], row["label"]) == ("proven", target, "")
    assert row["proven"][-1] == "refuses expired ones" and row["agreed"].startswith(f"TLS {step.tls.version}")
    assert row["memory"]["heap_bytes"] > 0
