# SPDX-License-Identifier: Apache-2.0
"""The ladder that was published beside ours: functions of RSA that the program answers, and the steps that stand beside the page."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from scripts import ROOT, CommandLine

from cipherstone.build.systems import this_system
from cipherstone.build.toolchain import find_toolchain, run_tool
from cipherstone.build.upstream import is_built
from cipherstone.build.workshop import Workshop
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.cli.environment import cache_folder
from cipherstone.labs.footprint.elf import read_executable
from cipherstone.labs.footprint.ladder import TLS_CLIENT, Ladder, Tls, load_ladders
from cipherstone.labs.footprint.machine import TargetMachine
from cipherstone.labs.footprint.program import PROGRAM, WHOLE, Unit, built, link
from cipherstone.labs.footprint.proof import NO, NO_RSA, handshake, meeting, proven_client

TOOLCHAIN = find_toolchain()
CLIENT = f"""#!{sys.executable}
import socket, ssl, sys
_, port, host, anchor = sys.argv
context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
context.set_ciphers("CIPHERS")
context.load_verify_locations(cadata=open(anchor, "rb").read())
try:
    with socket.create_connection(("127.0.0.1", int(port))) as plain, context.wrap_socket(plain, server_hostname=host) as secure:
        secure.sendall(b"give me the token\\n")
        sys.stdout.buffer.write(secure.recv(32))
except OSError:
    sys.exit(1)
"""
# One unit, as upstream's libcrypto has all of RSA in one: what is called is named from within it, too.
UPSTREAM = """
int answer(int x);
int behind(int x);
int other(int x);
const int table[500] = {1, 2, 3};
__attribute__((noinline)) int behind(int x) { return table[x & 255] + x; }
__attribute__((noinline)) int answer(int x) { return behind(x) + 1; }
int other(int x) { return answer(x) == 0 ? 7 : 8; }
"""
OURS = "int other(int);\nint answer(int x) { (void)x; return 0; }\nint main(void) { return other(3) - 7; }\n"


@pytest.mark.parametrize("answered", [True, False])
def test_what_the_program_answers_is_taken_and_what_is_behind_the_other_is_left_out(
    tmp_path: Path, answered: bool
) -> None:
    flags = ["-Os", "-ffunction-sections", "-fdata-sections"]
    (tmp_path / "upstream.c").write_text(UPSTREAM)
    ours = tmp_path / "ours.c"
    ours.write_text(OURS if answered else OURS.replace("int answer(int x) { (void)x; return 0; }", ""))
    run_tool([TOOLCHAIN.cc, *flags, "-c", str(tmp_path / "upstream.c"), "-o", str(tmp_path / "upstream.o")], "test")
    run_tool(["ar", "rcs", str(tmp_path / "libupstream.a"), str(tmp_path / "upstream.o")], "test")
    words = [str(tmp_path / "libupstream.a"), "-Wl,--gc-sections", "-Wl,-z,muldefs"]
    link("test", tmp_path / "made", Unit(ours, tuple(flags), tuple(words)), TargetMachine(), TOOLCHAIN)
    assert subprocess.run([tmp_path / "made" / PROGRAM], check=False).returncode == (0 if answered else 1)
    symbols = read_executable(tmp_path / "made" / WHOLE).symbols
    assert ({"behind", "table"} & set(symbols) == set()) == answered and "other" in symbols


@pytest.mark.parametrize(
    ("ciphers", "said"), [("ECDHE-ECDSA-AES128-GCM-SHA256", ""), ("ECDHE+AESGCM", "a key of RSA: was not refused")]
)
def test_a_client_without_rsa_refuses_a_server_that_has_a_key_of_it(tmp_path: Path, ciphers: str, said: str) -> None:
    """With the anchor that is right for it, so that nothing but its kind is refused."""
    client = tmp_path / "client"
    client.write_text(CLIENT.replace("CIPHERS", ciphers))
    client.chmod(0o755)
    found = proven_client([str(client)], Tls("1.2", without="rsa-2048"))
    assert found.problem == said
    if not said:
        assert found.label == NO_RSA and "refuses a key of RSA" in found.proven


@pytest.fixture(scope="module")
def boringssl() -> Ladder:
    """Where the archives of its step `no-asm` were built before."""
    ladder = load_ladders(ROOT, load_libraries(ROOT))["boringssl"]
    step = next(step for step in ladder.steps if step.name == "no-asm")
    if not is_built(ladder.as_library, ladder.build_of(step), TOOLCHAIN, cache_folder()):
        pytest.skip(
            "BoringSSL's step was not built here: cipherstone footprint -l boringssl -p tls-client --step no-asm"
        )
    return ladder


@pytest.fixture(scope="module")
def command(new_cli: Callable[..., CommandLine]) -> CommandLine:
    return new_cli("footprint", ROOT)


@pytest.mark.libraries
@pytest.mark.parametrize(("before", "without"), [("pinned", "no-rsa"), ("buffers", "buffers-no-rsa")])
@pytest.mark.parametrize("version", ["1.2", "1.3"])
def test_it_is_the_answers_that_refuse_rsa(boringssl: Ladder, before: str, without: str, version: str) -> None:
    """The step before takes the same server with the same anchor, in both versions."""
    workshop = Workshop(ROOT, cache_folder(), TOOLCHAIN, this_system())
    steps = {step.name: step for step in boringssl.steps_of(TLS_CLIENT)}
    for name in (before, without):
        made = built(boringssl, steps[name], TLS_CLIENT, TargetMachine(), workshop, lambda text: None)
        is_pinned = steps[name].tls.pinned
        for cert in ("p-256", "rsa-2048"):
            tls = Tls(version, cert, is_pinned)  # type: ignore[arg-type]
            found = handshake([str(made.program)], meeting(tls))
            if cert == "rsa-2048" and name == without:
                assert found.ended == (NO, b"")
            else:
                assert found.done and found.agreed.startswith(f"TLS {version}")


@pytest.mark.libraries
def test_nothing_computes_rsa_where_the_program_answers(
    boringssl: Ladder, command: CommandLine, tmp_path: Path
) -> None:
    place = tmp_path / "one.json"
    words = ("--page", "tls-blog", "-l", "boringssl", "--step", "no-asm,buffers,pinned,no-rsa,buffers-no-rsa,tls12")
    done = command("footprint", *words, "--cache", cache_folder(), "--json", place).no_trace()
    assert done.code == 0, done.err
    rows = {row["step"]: row for row in json.loads(place.read_text())["rows"]}
    assert list(rows) == ["no-asm", "buffers", "pinned", "no-rsa", "buffers-no-rsa", "tls12"]
    computes = {"RSA_decrypt", "RSA_verify_raw", "RSA_parse_public_key", "RSA_padding_add_PKCS1_PSS_mgf1"}
    for before, without in (("pinned", "no-rsa"), ("buffers", "buffers-no-rsa")):
        assert computes <= set(rows[before]["symbols"]) and not computes & set(rows[without]["symbols"])
        ours = [size for name, size in rows[without]["symbols"].items() if name.startswith("RSA_")]
        assert ours and max(ours) < 16  # answers alone
        assert rows[without]["removed"] > rows[before]["removed"] + 20_000
        assert NO_RSA in rows[without]["label"] and rows[without]["proven"][-1 if before == "pinned" else -2] == "refuses a key of RSA"  # fmt: skip
    assert rows["tls12"]["agreed"].startswith("TLS 1.2, ECDHE-RSA-AES")
    text = " ".join(done.out.split())
    assert "RSA and DH disabled 356 -9%" in text and "tls12 against no-asm: " in text
    assert "Ours agreed on TLS 1.3: no-asm, buffers, pinned, no-rsa, buffers-no-rsa; TLS 1.2: tls12." in text
