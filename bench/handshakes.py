# SPDX-License-Identifier: Apache-2.0
"""Agreement of handshakes with other tools: OpenSSL's own client and server over sockets, GnuTLS's benchmark in memory; in turns with ours, of the same libraries."""

from __future__ import annotations

import os
import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from bench.field import Field, scratch_folder
from bench.handshake_counts import Counts, callgrind
from bench.result import Result, middle, tell
from cipherstone.catalogue.libraries import load_labs
from cipherstone.catalogue.sources import Packages
from cipherstone.labs.tls.interop.grid import Kind, due_of
from cipherstone.labs.tls.interop.peers import Peer, of_build
from cipherstone.labs.tls.interop.trial import Question
from cipherstone.labs.tls.results import CLIENT, LAB, SERVER
from cipherstone.labs.tls.servers.command import LOAD
from cipherstone.labs.tls.servers.load import Load, asked, checked, in_memory, worker_of
from cipherstone.labs.tls.servers.programs import Server, ServerProgram, Used, running, write_certificates
from cipherstone.model.errors import CipherstoneError
from cipherstone.model.ids import params_text
from cipherstone.operations.handshakes import numbers, timed

ABOUT_S = 400
NEAR = 0.05
TARGET = "instructions of each side within 5 % of OpenSSL's own programs over the same sockets (user time without callgrind), or what makes it differ is known"
ROUNDS, SHORT_S, LONG_S = 5, 1, 3
MEMORY_S = 0.3
LOAD_S = 1.0
_OLDER = "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256"
SUITES = {"1.3": ("-tls1_3", "-ciphersuites", "TLS_AES_128_GCM_SHA256"), "1.2": ("-tls1_2", "-cipher", _OLDER)}
ASKED = (
    {"version": "1.3", "group": "x25519", "cert": "p-256", "mode": "full"},
    {"version": "1.3", "group": "x25519", "cert": "rsa-2048", "mode": "full"},
    {"version": "1.2", "group": "x25519", "cert": "p-256", "mode": "full"},
)
# What GnuTLS's benchmark calls them, by the group; certificates are of P-256.
BENCHMARKED = {
    "(TLS1.3)-(ECDHE-X25519)-(ECDSA-SECP256R1-SHA256)-(AES-128-GCM)": "x25519",
    "(TLS1.3)-(ECDHE-SECP256R1)-(ECDSA-SECP256R1-SHA256)-(AES-128-GCM)": "p-256",
}
PATH = "x509-p256/verify-chain"  # of the same certificates, which that program's client does not verify
DIFFERS = {
    CLIENT: "s_time sends its defaults (all groups and signatures), asks for no host name, and writes an asterisk a connection",
    SERVER: "s_server -www looks for a request behind the handshake, through buffers that it makes for each connection",
}
NOT_HERE = (
    "wolfSSL's tls_bench times each side with the clock, waits for the other thread included, and its certificates are others: not comparable.",
    "BoringSSL's and AWS-LC's speed programs, where the package has them, and the packages of s2n-tls have no handshakes; tls-perf is in no distribution.",
)
_CONNECTIONS = re.compile(r"^(\d+) connections in [\d.]+s;", re.MULTILINE)
_AVERAGE = re.compile(r"^(\(TLS\S+)\n.*\n - avg\. handshake time: ([\d.]+) (ms|µs)", re.MULTILINE)


class Times(NamedTuple):
    """Microseconds of one side of a handshake: in memory, and user time over sockets of ours and of OpenSSL's program."""

    memory: float
    ours: float
    theirs: float


def run(field: Field, result: Result, fast: bool) -> None:
    """Both tools, where they are."""
    result.say(
        "Microseconds of one side of a handshake. In memory: as the laboratory times it. Sockets: user time of a process that makes handshakes over 127.0.0.1, ours with the same adapter, and OpenSSL's s_time and s_server; "
        "system time is in neither. Processes that sleep between two messages find their caches cold, which is what lies between memory and sockets."
    )
    rows: list[tuple[str, str]] = []
    for name, measure in (("openssl", _openssl), ("gnutls", _gnutls)):
        tell(f"  {name}")
        try:
            rows += measure(field, result, fast)
        except CipherstoneError as error:
            result.say(f"{name}: {error.message}" + (f" ({error.hint})" if error.hint else ""))
    for line in NOT_HERE:
        result.say(line)
    told = [name for name, why in rows if not why]
    result.check(TARGET, f"{len(rows)} sides; not explained: {', '.join(told) or 'none'}" if rows else "no tool could be run", not told if rows else None)  # fmt: skip


def _peers(field: Field, name: str) -> tuple[Peer, Peer]:
    """(load, worker) of a build of the laboratory. Raises CipherstoneError."""
    laboratory = load_labs(field.workshop.root, field.catalogue)[LAB]
    build = next(one for one in laboratory.builds if one.name == name)
    made = [of_build(field.workshop, laboratory, build, main, tell, 1.0) for main in (LOAD, None)]
    load, plain = made
    if isinstance(load, str) or isinstance(plain, str):
        raise CipherstoneError(str(load), "")
    return load, plain


def _question(params: Mapping[str, str]) -> Question:
    known = dict(params)
    return Question(Kind(params_text(tuple(known.items())), known), timed(known), due_of(numbers(known)))


# ---- OpenSSL's s_time and s_server ----


def _openssl(field: Field, result: Result, fast: bool) -> list[tuple[str, str]]:
    program = shutil.which("openssl")
    if program is None:
        raise CipherstoneError("no program `openssl` here", "of the distribution's package")
    load, plain = _peers(field, "openssl")
    table, found = [], []
    for params in ASKED:
        question = _question(params)
        with field.quiet():
            sides = _sides(field, program, load, plain, question, fast)
        for verb, one in sides.items():
            name = f"{params['version']} {params['cert']} {verb.removeprefix('handshake-')}"
            off = one.theirs / one.ours - 1
            table.append([name, f"{one.memory:.1f}", f"{one.ours:.1f}", f"{one.theirs:.1f}", f"{1 + off:.3f}"])
            found.append((f"openssl {name}", "near" if abs(off) <= NEAR else f"what differs: {DIFFERS[verb]}"))
            result.data[f"openssl {name}"] = one._asdict()
    result.table(["openssl, us", "in memory", "sockets", "s_time, s_server", "ratio"], table)
    counted = _counted(result, program, load, ASKED[:1] if fast else ASKED)
    if counted:
        result.say("The times above move from turn to turn, and how user and system time divide is known by the clock's ticks: what holds are the instructions.")  # fmt: skip
        return counted
    for why in dict.fromkeys(why for _, why in found if why != "near"):
        result.say(f"- {', '.join(name for name, one in found if one == why)}: {why}")
    return found


def _counted(result: Result, program: str, load: Peer, kinds: Sequence[Mapping[str, str]]) -> list[tuple[str, str]]:
    """Instructions of the same programs, which no neighbour moves; [] without callgrind."""
    if callgrind() is None:
        result.say("Without valgrind instructions are not counted.")
        return []
    table, found = [], []
    for params in kinds:
        question = _question(params)
        folder = scratch_folder() / f"s-{params['version']}-{params['cert']}"

        def serve(port: int, count: int, folder: Path = folder, question: Question = question) -> list[str]:
            return [program, *_s_server(folder, port, question), *(("-naccept", str(count)) if count else ())]

        def connect(port: int, seconds: int, folder: Path = folder, question: Question = question) -> list[str]:
            return _words_of_s_time(program, folder, question, port, seconds)

        counts = Counts(load, question, serve, connect)
        for verb in (CLIENT, SERVER):
            name = f"{params['version']} {params['cert']} {verb.removeprefix('handshake-')}"
            ours, theirs = counts.ours(verb), counts.theirs(verb)
            off = theirs / ours - 1
            table.append([name, f"{ours:.3f}", f"{theirs:.3f}", f"{1 + off:.4f}"])
            found.append((f"openssl {name}", "near" if abs(off) <= NEAR else f"what differs: {DIFFERS[verb]}"))
            result.data[f"openssl {name}, instructions"] = {"ours_millions": ours, "program_millions": theirs}
    result.say("The same programs over the same sockets in millions of instructions, as callgrind counts them: the slope between few and many handshakes, which nothing on the machine moves.")  # fmt: skip
    result.table(["openssl, M instructions", "sockets", "s_time, s_server", "ratio"], table)
    for name, why in found:
        if why != "near":
            result.say(f"- {name}: {why}")
    return found


def _sides(field: Field, program: str, load: Peer, plain: Peer, question: Question, fast: bool) -> dict[str, Times]:
    rounds: dict[str, list[Times]] = {CLIENT: [], SERVER: []}
    folder = scratch_folder() / f"s-{question.kind.params['version']}-{question.kind.params['cert']}"
    folder.mkdir()
    write_certificates(folder, question.inputs)
    # Of chain.pem the server takes the leaf alone; what it sends behind it is another file.
    for name, one in (("root", "root"), ("above", "intermediates")):
        (folder / f"{name}.pem").write_text(ssl.DER_cert_to_PEM_cert(question.inputs[one]), encoding="ascii")
    serves = ServerProgram("openssl", "s_server", Packages(), (), lambda place, port: _s_server(place, port, question))
    with ExitStack() as stack:
        server = stack.enter_context(running(serves, program, folder, field.cpu))
        sockets = _our_sockets(stack, load, question, field)
        memory = {verb: in_memory(stack, plain, question, field.cpu, 1.0, verb) for verb in rounds}
        for _ in range(1 if fast else ROUNDS):
            ours = sockets(LOAD_S)
            theirs = _s_time(field, program, folder, question, server)
            for verb, found in rounds.items():
                turn = memory[verb](MEMORY_S)
                found.append(Times(turn.used.ns / 1e3 / turn.handshakes, ours[verb], theirs[verb]))
    return {verb: Times(*map(middle, zip(*found, strict=True))) for verb, found in rounds.items()}


def _s_server(folder: Path, port: int, question: Question) -> tuple[str, ...]:
    leaf, above, key = (str(folder / f"{name}.pem") for name in ("chain", "above", "key"))
    words = ("-cert", leaf, "-cert_chain", above, "-key", key, "-num_tickets", "0", "-no_ticket", "-quiet", "-www")
    return ("s_server", "-accept", f"127.0.0.1:{port}", *words, SUITES[question.kind.params["version"]][0])


def _our_sockets(stack: ExitStack, load: Peer, question: Question, field: Field) -> Callable[[float], dict[str, float]]:
    """User microseconds of each side, of our own two processes."""
    listening = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    port, fd = listening.getsockname()[1], listening.fileno()
    server = worker_of(stack, load, Load("server", fd, field.cpu), question)
    client = worker_of(stack, load, Load("client", port, field.cpu), question)

    def measure(seconds: float) -> dict[str, float]:
        used, handshakes, end = {CLIENT: 0, SERVER: 0}, 0, time.monotonic() + seconds
        while not handshakes or time.monotonic() < end:
            answers = [asked(server), asked(client)]
            counts = [checked(answer(), question.due) for answer in answers]
            handshakes += counts[0]
            for verb, worker in ((CLIENT, client), (SERVER, server)):
                used[verb] += int(worker.facts(0)["user_us"])
        return {verb: one / handshakes for verb, one in used.items()}

    return measure


def _s_time(field: Field, program: str, folder: Path, question: Question, server: Server) -> dict[str, float]:
    """User microseconds of each side: of the client the slope between a short and a long run, which leaves out what a process costs that starts."""
    before = server.used()
    short, long = (_run_s_time(field, program, folder, question, server.port, s) for s in (SHORT_S, LONG_S))
    used: Used = server.used().since(before)
    connections = short[0] + long[0]
    return {CLIENT: (long[1] - short[1]) / (long[0] - short[0]), SERVER: used.parts_us(connections)[0]}


def _words_of_s_time(program: str, folder: Path, question: Question, port: int, seconds: int) -> list[str]:
    words = [program, "s_time", "-connect", f"127.0.0.1:{port}", "-new", "-time", str(seconds)]
    return [*words, "-CAfile", str(folder / "root.pem"), *SUITES[question.kind.params["version"]]]


def _run_s_time(
    field: Field, program: str, folder: Path, question: Question, port: int, seconds: int
) -> tuple[int, float]:
    """(connections, user microseconds of the process)."""
    words = _words_of_s_time(program, folder, question, port, seconds)
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        if field.cpu is not None:
            os.sched_setaffinity(child.pid, {field.cpu})
        assert child.stdout is not None
        told = child.stdout.read().decode()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    found = _CONNECTIONS.search(told)
    if child.returncode or found is None or not int(found[1]):
        raise CipherstoneError("`openssl s_time` made no connection", told.strip()[-100:])
    return int(found[1]), used.ru_utime * 1e6


# ---- GnuTLS's benchmark ----


def _gnutls(field: Field, result: Result, fast: bool) -> list[tuple[str, str]]:
    program = shutil.which("gnutls-cli")
    if program is None:
        raise CipherstoneError("no program `gnutls-cli` here", "package gnutls-bin")
    if not field.has("gnutls"):
        raise CipherstoneError("the library is not ready", "")
    _, plain = _peers(field, "gnutls")
    with field.quiet():
        before = dict(_pairs(plain, field.cpu))
        told = _benchmark(program, field.cpu)
        after = dict(_pairs(plain, field.cpu))
    passes = 6 if fast else 9
    settings = field.settings(base="gnutls", min_passes=passes, max_passes=2 * passes, max_time_s=20.0)
    alone = field.run([(PATH, [field.lane("gnutls")])], settings).case(PATH).cells[0].ns
    table, found = [], []
    for label, group in BENCHMARKED.items():
        name = f"1.3 {group}"
        if label not in told or alone is None:
            found.append((f"gnutls {name}", "no figure: the machine was contended, or the program has no such row"))
            continue
        ours, path = (before[label] + after[label]) / 2, alone.value / 1e3
        ratio = told[label] / (ours - path)
        table.append([name, f"{ours:.1f}", f"{ours - path:.1f}", f"{told[label]:.1f}", f"{ratio:.3f}"])
        moved = abs(after[label] / before[label] - 1)
        why = (
            "near"
            if abs(ratio - 1) <= max(NEAR, moved)
            else f"a mean over the time that it had; ours moved by {100 * moved:.1f} % meanwhile"
        )
        found.append((f"gnutls {name}", why))
        result.data[f"gnutls {name}"] = {"ours_us": ours, "path_us": path, "program_us": told[label], "moved": moved}
    result.say("GnuTLS's benchmark shakes hands in memory as we do, both sides together; its client verifies no path, so that a call that verifies ours is taken off.")  # fmt: skip
    result.table(["gnutls, us a pair", "ours", "less path", "gnutls-cli", "ratio"], table)
    for name, why in found:
        if why != "near":
            result.say(f"- {name}: {why}")
    return found


def _pairs(plain: Peer, cpu: int | None) -> Iterator[tuple[str, float]]:
    """Both sides together, in memory."""
    for label, group in BENCHMARKED.items():
        question = _question({"version": "1.3", "group": group, "cert": "p-256", "mode": "full"})
        with ExitStack() as stack:
            turns = [in_memory(stack, plain, question, cpu, 1.0, verb)(MEMORY_S) for verb in (CLIENT, SERVER)]
        yield label, sum(one.used.ns / 1e3 / one.handshakes for one in turns)


def _benchmark(program: str, cpu: int | None) -> dict[str, float]:
    """Microseconds of a pair, by what the program calls it."""
    child = subprocess.Popen([program, "--benchmark-tls-kx"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)  # fmt: skip
    if cpu is not None:
        os.sched_setaffinity(child.pid, {cpu})
    try:
        told, _ = child.communicate(timeout=300)
    except subprocess.TimeoutExpired:
        raise CipherstoneError("`gnutls-cli --benchmark-tls-kx` took over 300 s", "") from None
    finally:
        child.kill()
        child.wait()
    return {name: float(value) * (1000 if unit == "ms" else 1) for name, value, unit in _AVERAGE.findall(told)}
