# SPDX-License-Identifier: Apache-2.0
"""What programs without TLS are asked, to be proven and to be timed: inputs of the catalogue's operations as the fields that a program reads, and what is right of what it writes.

What is drawn anew each time (signatures of ECDSA, ephemeral keys, random bytes) has no known answer: the catalogue's judge looks at it, as it does in every other run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from cipherstone.catalogue.algorithms import Catalogue
from cipherstone.catalogue.vectors import Vector, load_vectors
from cipherstone.labs.footprint.ladder import TLS_CLIENT
from cipherstone.model.ids import Case
from cipherstone.model.outcomes import Outcome
from cipherstone.operations.inputs import timed_inputs
from cipherstone.operations.oracle import expected_output, random_output_problem, verb_of
from cipherstone.operations.rsa import EXPONENT_BYTES

CHILD_REPEATS = "a forked child repeats"
_EACH = 10  # known answers of each kind beside the brief ones
_IV_BYTES = 12  # what every library has a short way for
_CRT_PARTS = 5  # p, q, dP, dQ, qInv
_KINDS = ("ok", "implicit", "ok-or-rejected", "rejected", "bad-key")
_OPERATIONS: dict[str, tuple[tuple[str, str], ...]] = {
    "sha256": (("sha-256", "hash"),),
    "aead": (("aes-128-gcm", "open"),),
    "verify": (("ecdsa-p256-sha256", "verify"),),
    "rsa-verify": (("rsa-2048-pkcs1-sha256", "verify"),),
    "agree": (("x25519", "derive"),),
    "ml-kem": (("ml-kem-768", "decaps"),),
    "chacha": (("chacha20-poly1305", "open"),),
    "ed25519-verify": (("ed25519", "verify"),),
    "sha512": (("sha-512", "hash"),),
    "random": (("random", "fetch"),),
    "sign": (("ecdsa-p256-sha256", "sign"),),
    "rsa-sign": (("rsa-2048-pkcs1-sha256", "sign"), ("rsa-4096-pkcs1-sha256", "sign")),
    "ecdh": (("p-256", "derive"),),
    "ecdhe": (("p-256", "agree"), ("x25519", "agree")),
}
# Programs that must refuse a public value that is no point of its curve.
_CHECK_KEYS = ("ecdh", "ecdhe")


class Drawn(NamedTuple):
    """What is right of outputs that are drawn. `judge`: what is wrong with one, "" if nothing is; `differs`: no two may be alike."""

    judge: Callable[[bytes], str]
    differs: bool

    def problem(self, outputs: Sequence[bytes]) -> str:
        """What is wrong with them, "" if nothing is."""
        said = next((text for text in map(self.judge, outputs) if text), "")
        if not said and self.differs and len(set(outputs)) != len(outputs):
            return "drew the same twice"
        return said


class Question(NamedTuple):
    """`answer`: None where the program must refuse; `either`: refusing is right as well; `drawn`: there is no one answer; `lax`: what a program is called that does not refuse, "" where it is wrong then."""

    id: str
    given: bytes
    answer: bytes | None
    either: bool = False
    drawn: Drawn | None = None
    lax: str = ""


def questions(name: str, ecdsa: Literal["p1363", "der"], root: Path, catalogue: Catalogue) -> list[Question]:
    """The known answers of a program: the catalogue's, those that stand for all and some of each kind beside them, where failing means to be wrong. `ecdsa`: form of its signatures. None for a client."""
    asked: list[Question] = []
    for algorithm, verb in _OPERATIONS[name] if name != TLS_CLIENT else ():
        form = form_of(name, ecdsa)
        vectors = [one for one in load_vectors(root, algorithm, catalogue).of(verb, form) if _counts(name, one)]
        for expect in _KINDS:
            of_kind = [one for one in vectors if one.expect == expect]
            taken = [*(one for one in of_kind if one.brief), *[one for one in of_kind if not one.brief][:_EACH]]
            asked += [_question(name, f"{algorithm}/{verb}", one, form) for one in taken]
    return asked


def timed_question(name: str, case: Case, ecdsa: Literal["p1363", "der"]) -> Question:
    """What is timed: the inputs of every other run."""
    form = form_of(name, ecdsa)
    inputs = {part: value.data for part, value in timed_inputs(case, form).items()}
    answer = expected_output(case.operation, inputs, form)
    drawn = _drawn(case.operation, inputs, form) if answer is None else None
    return Question(case.id, asked_bytes(name, inputs), answer or b"", drawn=drawn)


def form_of(name: str, ecdsa: Literal["p1363", "der"]) -> str | None:
    """The encoding of the signatures of a program; None for one without."""
    return ecdsa if name in ("verify", "sign") else None


def _counts(name: str, vector: Vector) -> bool:
    if vector.expect == "bad-key" and name not in _CHECK_KEYS:
        return False
    if "fork" in vector.inputs:
        return True
    if vector.failure.outcome is not Outcome.WRONG:
        return False
    return name != "aead" or len(vector.inputs["iv"]) == _IV_BYTES


def _question(name: str, operation: str, vector: Vector, form: str | None) -> Question:
    given, either = asked_bytes(name, vector.inputs), vector.expect == "ok-or-rejected"
    if vector.expect in ("rejected", "bad-key"):
        return Question(vector.id, given, None, lax=CHILD_REPEATS if "fork" in vector.inputs else "")
    if vector.output is not None:
        return Question(vector.id, given, vector.output, either)
    drawn = _drawn(operation, vector.inputs, form)
    return Question(vector.id, given, b"", either, drawn)


def _drawn(operation: str, inputs: Mapping[str, bytes], form: str | None) -> Drawn | None:
    """None for what has no output."""
    verb = verb_of(operation)
    if not verb.outputs:
        return None
    return Drawn(partial(_judged, operation, inputs, form), verb.proof == "round-trip")


def _judged(operation: str, inputs: Mapping[str, bytes], form: str | None, output: bytes) -> str:
    return random_output_problem(operation, inputs, output, form)


# What a program reads


def fields(*parts: bytes, last: bytes) -> bytes:
    """Parts behind their length in two bytes, the last one to the end."""
    return b"".join(len(part).to_bytes(2, "big") + part for part in parts) + last


def asked_bytes(name: str, one: Mapping[str, bytes]) -> bytes:
    """What a program reads: inputs of the catalogue's operation, as its fields."""
    return _READS[name](one)


def _opened(one: Mapping[str, bytes]) -> bytes:
    return fields(one["key"], one["iv"], one.get("aad", b""), one["tag"], last=one["msg"])


def _rsa_public(one: Mapping[str, bytes]) -> tuple[bytes, bytes]:
    return one["pub"][:-EXPONENT_BYTES], one["pub"][-EXPONENT_BYTES:].lstrip(b"\0")


def _rsa_private(one: Mapping[str, bytes]) -> list[bytes]:
    """n, e, d, p, q, dP, dQ, qInv, as the key holds them (`operations.rsa`)."""
    modulus, exponent = _rsa_public(one)
    key, length, half = one["key"], len(modulus), len(modulus) // 2
    at = 2 * length + EXPONENT_BYTES
    private = key[length + EXPONENT_BYTES : at]
    return [modulus, exponent, private, *(key[at + half * i : at + half * (i + 1)] for i in range(_CRT_PARTS))]


_READS: dict[str, Callable[[Mapping[str, bytes]], bytes]] = {
    "sha256": lambda one: one["msg"],
    "sha512": lambda one: one["msg"],
    "aead": _opened,
    "chacha": _opened,
    "verify": lambda one: fields(one["pub"], one["sig"], last=one["msg"]),
    "ed25519-verify": lambda one: fields(one["pub"], one["sig"], last=one["msg"]),
    "rsa-verify": lambda one: fields(*_rsa_public(one), one["sig"], last=one["msg"]),
    "agree": lambda one: fields(one["key"], last=one["pub"]),
    "ecdh": lambda one: fields(one["key"], last=one["pub"]),
    "ecdhe": lambda one: one["pub"],
    "ml-kem": lambda one: fields(one["key"], last=one["msg"]),
    "random": lambda one: fields(one.get("fork", b""), last=one["msg"]),
    "sign": lambda one: fields(one["key"], last=one["msg"]),
    "rsa-sign": lambda one: fields(*_rsa_private(one), last=one["msg"]),
}
