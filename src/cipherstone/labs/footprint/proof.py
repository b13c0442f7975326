# SPDX-License-Identifier: Apache-2.0
"""Proves the very file that is measured: known answers over its standard input, refusals included; for clients of TLS handshakes with a server of another library.

The server is OpenSSL as Python has it, on this machine's own address. It agrees on nothing but what the step is for, and gives a token that was drawn for this handshake, which the client
must print. Then the same client meets servers that it must refuse: another host name, another root of the same name, a forged signature, certificates that have expired. Nothing of it is looked up in the client.
"""

from __future__ import annotations

import base64
import secrets
import socket
import ssl
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from cipherstone.catalogue.algorithms import Catalogue
from cipherstone.catalogue.vectors import Vector, load_vectors
from cipherstone.labs.footprint.ladder import TLS_CLIENT, Tls
from cipherstone.model.outcomes import Outcome
from cipherstone.operations.certificate import Told, written
from cipherstone.operations.certificates import HOST, LEAF, ROOT, SINCE, UNTIL
from cipherstone.operations.handshakes import certified, told
from cipherstone.operations.rsa import EXPONENT_BYTES

YES, NO = 0, 1
DEADLINE_S = 60.0
REQUEST, TOKEN_BYTES = b"give me the token\n", 32
_EACH = 10  # known answers of each kind beside the brief ones
_STRANGER = 7  # number of a key pair that signs nothing here
_PAST = (SINCE - 200_000_000, SINCE - 100_000_000)
_IV_BYTES = 12  # what every library has a short way for


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


def run_program(command: Sequence[str], given: bytes = b"", environment: Mapping[str, str] | None = None) -> Ended:
    """One run, with nothing of the environment but what is named."""
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, timeout=DEADLINE_S, check=False, env=dict(environment or {})
        )
    except subprocess.TimeoutExpired:
        return Ended(None, b"")
    return Ended(done.returncode, done.stdout)


def proven(command: Sequence[str], name: str, tls: Tls, asked: Sequence[Question]) -> Proof:
    """What the proof of a program gives. `command`: what runs it; `asked`: its known answers, none for a client."""
    return proven_client(command, tls) if name == TLS_CLIENT else proven_answers(command, asked)


# Known answers


class Question(NamedTuple):
    """`answer`: None where the program must refuse; `either`: refusing is right as well."""

    id: str
    given: bytes
    answer: bytes | None
    either: bool = False


def fields(*parts: bytes, last: bytes) -> bytes:
    """As the programs read them."""
    return b"".join(len(part).to_bytes(2, "big") + part for part in parts) + last


def questions(name: str, ecdsa: str, root: Path, catalogue: Catalogue) -> list[Question]:
    """The known answers of a program: the catalogue's, those that stand for all and some of each kind beside them, where failing means to be wrong. `ecdsa`: form of its signatures. None for a client."""
    if name == TLS_CLIENT:
        return []
    algorithm, verb = _ALGORITHMS[name]
    form = ecdsa if name == "verify" else None
    vectors = [one for one in load_vectors(root, algorithm, catalogue).of(verb, form) if _counts(name, one)]
    taken: list[Vector] = []
    for expect in ("ok", "implicit", "ok-or-rejected", "rejected"):
        of_kind = [one for one in vectors if one.expect == expect]
        taken += [*(one for one in of_kind if one.brief), *[one for one in of_kind if not one.brief][:_EACH]]
    return [_question(name, one) for one in taken]


_ALGORITHMS = {
    "sha256": ("sha-256", "hash"),
    "aead": ("aes-128-gcm", "open"),
    "verify": ("ecdsa-p256-sha256", "verify"),
    "rsa-verify": ("rsa-2048-pkcs1-sha256", "verify"),
    "agree": ("x25519", "derive"),
    "ml-kem": ("ml-kem-768", "decaps"),
}


def _counts(name: str, vector: Vector) -> bool:
    if vector.expect == "bad-key" or vector.failure.outcome is not Outcome.WRONG:
        return False
    return name != "aead" or len(vector.inputs["iv"]) == _IV_BYTES


def _question(name: str, vector: Vector) -> Question:
    answer = vector.output
    if vector.expect == "rejected":
        answer = None
    elif answer is None:
        answer = b""
    return Question(vector.id, asked_bytes(name, vector.inputs), answer, vector.expect == "ok-or-rejected")


def asked_bytes(name: str, one: Mapping[str, bytes]) -> bytes:
    """What a program reads: inputs of the catalogue's operation, as its fields."""
    return {
        "sha256": lambda: one["msg"],
        "aead": lambda: fields(one["key"], one["iv"], one.get("aad", b""), one["tag"], last=one["msg"]),
        "verify": lambda: fields(one["pub"], one["sig"], last=one["msg"]),
        "rsa-verify": lambda: fields(
            one["pub"][:-EXPONENT_BYTES], one["pub"][-EXPONENT_BYTES:].lstrip(b"\0"), one["sig"], last=one["msg"]
        ),
        "agree": lambda: fields(one["key"], last=one["pub"]),
        "ml-kem": lambda: fields(one["key"], last=one["msg"]),
    }[name]()


def proven_answers(command: Sequence[str], asked: Sequence[Question]) -> Proof:
    """Whether every question is answered right."""
    right = sum(one.answer is not None for one in asked)
    if not right:
        return Proof("there is no known answer for it")
    for one in asked:
        ended = run_program(command, one.given)
        if problem := _problem(one, ended):
            return Proof(f"{one.id}: {problem}")
    refused = len(asked) - right
    told_ = (f"{right} known answers", *([f"{refused} refused"] if refused else []))
    return Proof("", told_)


def _problem(one: Question, ended: Ended) -> str:
    if ended.status is None:
        return f"did not end within {DEADLINE_S:g} s"
    if ended.status not in (YES, NO):
        return f"ended with status {ended.status}"
    if one.answer is None:
        return "" if ended == (NO, b"") else "was accepted, and must be refused"
    if ended.status == NO:
        return "" if one.either and not ended.output else "was refused"
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


def _root(said: Told) -> Told:
    return said._replace(since=SINCE, until=UNTIL)


def pinned(cert: str, right: bool = True) -> bytes:
    """What a client has instead of an anchor: the server's public key, or another."""
    return certified(cert).kind.key_pair(LEAF if right else _STRANGER)[1]


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
    right = server(tls.cert)
    anchor = pinned(tls.cert) if tls.pinned else right.anchor
    first = handshake(command, right, anchor, HOST, tls)
    if not first.done:
        how = "in time" if first.ended.status is None else f"with status {first.ended.status}"
        return Proof(
            f"no handshake of TLS {tls.version}: the client did not end right, {how}"
            if first.ended.status != YES
            else "the client did not print the token"
        )
    tried = ["a handshake"]
    if tls.pinned:
        cases = {"another key": (right, pinned(tls.cert, False), HOST)}
    else:
        cases = {
            "another host": (right, anchor, "another.cipherstone.example"),
            "another root": (server(tls.cert, "root"), anchor, HOST),
            "a forged certificate": (server(tls.cert, "forged"), anchor, HOST),
        }
    for what, (peer, by, host) in cases.items():
        again = handshake(command, peer, by, host, tls)
        if again.ended != (NO, b""):
            return Proof(f"{what}: was not refused")
        tried.append(f"refuses {what}")
    if tls.pinned:
        return Proof("", tuple(tried), first.agreed, "pinned key")
    late = handshake(command, server(tls.cert, "expired"), anchor, HOST, tls)
    if late.ended == (NO, b""):
        return Proof("", (*tried, "refuses expired ones"), first.agreed)
    return Proof("", tuple(tried), first.agreed, "no dates")


def handshake(
    command: Sequence[str],
    peer: Server,
    anchor: bytes,
    host: str,
    tls: Tls,
    environment: Mapping[str, str] | None = None,
) -> Handshake:
    """One, as both sides saw it."""
    ended, agreed, tokens = handshakes(command, peer, anchor, host, tls, environment)
    return Handshake(ended, agreed, tokens[0])


def handshakes(
    command: Sequence[str],
    peer: Server,
    anchor: bytes,
    host: str,
    tls: Tls,
    environment: Mapping[str, str] | None = None,
    count: int = 1,
) -> tuple[Ended, str, list[bytes]]:
    """(how the client ended, what was agreed on last, a token for each): the client makes `count` of them, one after another."""
    tokens, agreed = [secrets.token_bytes(TOKEN_BYTES) for _ in range(count)], [""]
    with tempfile.TemporaryDirectory() as folder, _listening() as listener:
        place = Path(folder) / "anchor"
        place.write_bytes(anchor)
        context = _context(peer, tls, Path(folder))
        thread = threading.Thread(target=_serve, args=(listener, context, tokens, agreed), daemon=True)
        thread.start()
        port = str(listener.getsockname()[1])
        ended = run_program([*command, port, host, str(place)], environment=environment)
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
