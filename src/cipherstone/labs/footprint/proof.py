# SPDX-License-Identifier: Apache-2.0
"""Proves the very file that is measured: known answers over its standard input, refusals included; for clients of TLS handshakes with a server of another library.

The server is OpenSSL as Python has it, on this machine's own address. It agrees on nothing but what the step is for, and gives a token that was drawn for this handshake, which the client
must print. Then the same client meets servers that it must refuse: another host name, another root of the same name, a forged signature, certificates that have expired. Nothing of it is looked up in the client.
"""

from __future__ import annotations

import base64
import os
import secrets
import socket
import ssl
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from cipherstone.labs.footprint.ladder import TLS_CLIENT, Tls
from cipherstone.labs.footprint.questions import Drawn, Question
from cipherstone.operations.certificate import CertificateFields, contents, elements, whole, written
from cipherstone.operations.certificates import HOST, LEAF, ROOT, SINCE, UNTIL
from cipherstone.operations.handshakes import certified, told
from cipherstone.operations.key_import import BIT_STRING, SEQUENCE

YES, NO, BROKEN = 0, 1, 2  # as `program.h` has them
DEADLINE_S = 60.0
PINNED = "pinned key"
NO_RSA = "functions of RSA answered by the program, always with failure"
REQUEST, TOKEN_BYTES = b"give me the token\n", 32
_STRANGER = 7  # number of a key pair that signs nothing here
_PAST = (SINCE - 200_000_000, SINCE - 100_000_000)


class Ended(NamedTuple):
    """How a program ended; `status` negative: by a signal, None: not within the deadline."""

    status: int | None
    output: bytes


class Proof(msgspec.Struct, frozen=True):
    """`problem`: the first thing that was wrong, "" if nothing was. `proven`: what was tried, in words; `agreed`: what a handshake agreed on; `label`: what the program leaves to who uses it."""

    problem: str = ""
    proven: tuple[str, ...] = ()
    agreed: str = ""
    label: str = ""


class Setting(NamedTuple):
    """Where a program runs: its environment, nothing else of ours, and its CPU; None for any."""

    environment: Mapping[str, str] = {}
    cpu: int | None = None


ANYWHERE = Setting()


def run_program(command: Sequence[str], given: bytes = b"", setting: Setting = ANYWHERE) -> Ended:
    """One run."""
    with _on(setting.cpu):  # a process begins where its parent is
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(setting.environment),
        )
    with process:
        try:
            output, _ = process.communicate(given, DEADLINE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            return Ended(None, b"")
        except BaseException:
            process.kill()
            raise
    return Ended(process.returncode, output)


@contextmanager
def _on(cpu: int | None) -> Iterator[None]:
    """Within, this thread runs on `cpu`. Where the system refuses or has no such call, nothing happens."""
    if cpu is None or not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    with suppress(OSError):
        os.sched_setaffinity(0, {cpu})
    try:
        yield
    finally:
        with suppress(OSError):
            os.sched_setaffinity(0, before)


def proven(command: Sequence[str], name: str, tls: Tls, asked: Sequence[Question]) -> Proof:
    """What the proof of a program gives. `command`: what runs it; `asked`: its known answers, none for a client."""
    return proven_client(command, tls) if name == TLS_CLIENT else proven_answers(command, asked)


# Known answers


def proven_answers(command: Sequence[str], asked: Sequence[Question]) -> Proof:
    """Whether every question is answered right. What is drawn is asked for twice."""
    known = sum(one.answer is not None and one.drawn is None for one in asked)
    judged = sum(one.drawn is not None for one in asked)
    if not known + judged:
        return Proof("there is no known answer for it")
    refused, labels = 0, dict[str, None]()
    for one in asked:
        ended = run_program(command, one.given)
        problem = _problem(one, ended)
        if not problem and one.drawn is not None and ended.status == YES:
            problem = _again(one.drawn, ended, run_program(command, one.given))
        if problem and one.lax and ended == (YES, b""):
            labels[one.lax] = None
        elif problem:
            return Proof(f"{one.id}: {problem}")
        else:
            refused += one.answer is None
    told_ = [f"{known} known answers"] * bool(known) + [f"{judged} outputs judged"] * bool(judged)
    return Proof("", (*told_, *([f"{refused} refused"] if refused else [])), label=", ".join(labels))


def _again(drawn: Drawn, first: Ended, second: Ended) -> str:
    if second.status != YES:
        return "did the same only once"
    return drawn.problem([first.output, second.output])


def _problem(one: Question, ended: Ended) -> str:
    if ended.status is None:
        return f"did not end within {DEADLINE_S:g} s"
    if ended.status not in (YES, NO):
        return f"ended with status {ended.status}"
    if one.answer is None:
        return "" if ended == (NO, b"") else "was accepted, and must be refused"
    if ended.status == NO:
        return "" if one.either and not ended.output else "was refused"
    if one.drawn is not None:
        return one.drawn.problem([ended.output])
    return "" if ended.output == one.answer else f"gave {ended.output[:16].hex() or 'nothing'}"


# Handshakes


class Server(NamedTuple):
    """What a server proves, in DER: its path below the root, its key, and the anchor that the client gets."""

    path: tuple[bytes, ...]
    key: bytes
    anchor: bytes


def server(cert: str, change: str = "") -> Server:
    """A server with a leaf and a root. `change`: the one thing that is not right."""
    one = certified(cert)
    kind = one.kind
    root_pair, leaf_told = kind.key_pair(ROOT), told(kind, LEAF, ROOT)
    signer = kind.key_pair(_STRANGER) if change == "root" else root_pair
    if change == "expired":
        leaf_told = leaf_told._replace(since=_PAST[0], until=_PAST[1])
    leaf = written(kind, leaf_told, signer)
    if change == "forged":
        leaf = leaf[:-1] + bytes((leaf[-1] ^ 1,))
    return Server((leaf,), one.pkcs8, written(kind, _root(told(kind, ROOT, ROOT)), root_pair))


def _root(said: CertificateFields) -> CertificateFields:
    return said._replace(since=SINCE, until=UNTIL)


def pinned(cert: str, right: bool = True) -> bytes:
    """What a client has instead of an anchor: the server's public key, or another, as its certificate holds it."""
    kind = certified(cert).kind
    _, key = elements(whole(kind.spki(kind.key_pair(LEAF if right else _STRANGER)[1]), SEQUENCE))
    return contents(key, BIT_STRING)[1:]


class Meeting(NamedTuple):
    """What a client is asked for. `peer`: the server; `anchor`: what the client gets to verify it; `host`: its name; `tls`: what they agree on."""

    peer: Server
    anchor: bytes
    host: str
    tls: Tls


def meeting(tls: Tls) -> Meeting:
    """The one that must end in a handshake."""
    peer = _right(tls.cert)
    return Meeting(peer, pinned(tls.cert) if tls.pinned else peer.anchor, HOST, tls)


@cache
def _right(cert: str) -> Server:
    """The same in every process."""
    return server(cert)


class Handshake(NamedTuple):
    """`agreed`: as the server has it, "" if there was none; `token`: what it drew, which only who finished the handshake can print."""

    ended: Ended
    agreed: str
    token: bytes

    @property
    def done(self) -> bool:
        """Whether the client has the token."""
        return self.ended == (YES, self.token) and bool(self.agreed)


def proven_client(command: Sequence[str], tls: Tls) -> Proof:
    """A handshake that must be made, and those that must not."""
    asked = meeting(tls)
    first = handshake(command, asked)
    if not first.done:
        how = "in time" if first.ended.status is None else f"with status {first.ended.status}"
        return Proof(
            f"no handshake of TLS {tls.version}: the client did not end right, {how}"
            if first.ended.status != YES
            else "the client did not print the token"
        )
    tried = ["a handshake"]
    if tls.pinned:
        cases = {"another key": asked._replace(anchor=pinned(tls.cert, False))}
    else:
        cases = {
            "another host": asked._replace(host="another.cipherstone.example"),
            "another root": asked._replace(peer=server(tls.cert, "root")),
            "a forged certificate": asked._replace(peer=server(tls.cert, "forged")),
        }
    if tls.without:
        # With the anchor that is right for it: nothing but its kind is to be refused.
        other = server(tls.without)
        anchor = pinned(tls.without) if tls.pinned else other.anchor
        cases["a key of RSA"] = asked._replace(peer=other, anchor=anchor)
    for what, wrong in cases.items():
        again = handshake(command, wrong)
        if again.ended != (NO, b""):
            return Proof(f"{what}: was not refused")
        tried.append(f"refuses {what}")
    labels = [*([PINNED] if tls.pinned else []), *([NO_RSA] if tls.without else [])]
    if not tls.pinned:
        late = handshake(command, asked._replace(peer=server(tls.cert, "expired")))
        if late.ended == (NO, b""):
            tried.append("refuses expired ones")
        else:
            labels.append("no dates")
    return Proof("", tuple(tried), first.agreed, "; ".join(labels))


def handshake(command: Sequence[str], asked: Meeting, setting: Setting = ANYWHERE) -> Handshake:
    """One, as both sides saw it."""
    ended, agreed, tokens = handshakes(command, asked, setting)
    return Handshake(ended, agreed, tokens[0])


def handshakes(
    command: Sequence[str], asked: Meeting, setting: Setting = ANYWHERE, count: int = 1
) -> tuple[Ended, str, list[bytes]]:
    """(how the client ended, what was agreed on last, a token for each): the client makes `count` of them, one after another."""
    tokens, agreed = [secrets.token_bytes(TOKEN_BYTES) for _ in range(count)], [""]
    with tempfile.TemporaryDirectory() as folder, _listening() as listener:
        place = Path(folder) / "anchor"
        place.write_bytes(asked.anchor)
        context = _context(asked.peer, asked.tls, Path(folder))
        thread = threading.Thread(target=_serve, args=(listener, context, tokens, agreed), daemon=True)
        thread.start()
        port = str(listener.getsockname()[1])
        ended = run_program([*command, port, asked.host, str(place)], setting=setting)
        with suppress(OSError):  # a client that never came is not waited for
            listener.shutdown(socket.SHUT_RDWR)
        thread.join(DEADLINE_S)
    return ended, agreed[0], tokens


@contextmanager
def _listening() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(DEADLINE_S)
        yield listener


def _context(peer: Server, tls: Tls, folder: Path) -> ssl.SSLContext:
    """A server that agrees on nothing else."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    version = ssl.TLSVersion.TLSv1_2 if tls.version == "1.2" else ssl.TLSVersion.TLSv1_3
    context.minimum_version = context.maximum_version = version
    if tls.version == "1.2":
        context.set_ciphers("ECDHE+AESGCM")
    context.set_ecdh_curve("prime256v1")
    place = folder / "server.pem"
    certificates = "".join(ssl.DER_cert_to_PEM_cert(one) for one in peer.path)
    place.write_text(certificates + _pem("PRIVATE KEY", peer.key), encoding="ascii")
    context.load_cert_chain(place)
    return context


def _pem(what: str, data: bytes) -> str:
    text = base64.encodebytes(data).decode("ascii")
    return f"-----BEGIN {what}-----\n{text}-----END {what}-----\n"


def _serve(listener: socket.socket, context: ssl.SSLContext, tokens: Sequence[bytes], agreed: list[str]) -> None:
    """A connection for each token, which is for the request. What goes wrong is seen by the client."""
    for token in tokens:
        with suppress(OSError):
            plain, _ = listener.accept()
            plain.settimeout(DEADLINE_S)
            with plain, context.wrap_socket(plain, server_side=True) as secure:
                asked = b""
                while len(asked) < len(REQUEST) and (more := secure.recv(len(REQUEST) - len(asked))):
                    asked += more
                if asked == REQUEST:
                    cipher = secure.cipher()
                    agreed[0] = (
                        f"TLS {(secure.version() or '').removeprefix('TLSv')}, {cipher[0] if cipher else ''}, P-256"
                    )
                    secure.sendall(token)
