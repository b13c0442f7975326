# SPDX-License-Identifier: Apache-2.0
"""Handshakes of TLS as operations: the certificates that are timed, and what both sides must say that they agreed on.

A library that negotiates something else than what was asked for has measured something else. So the output of the operation is what each side reads back, and it is compared like any other output.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import NamedTuple

from cipherstone.catalogue.verbs import verb_named
from cipherstone.model.errors import NotAuthentic
from cipherstone.operations import certificates, ec_import, elliptic, key_import
from cipherstone.operations.certificate import Kind, elements, path_problem, read, whole
from cipherstone.operations.key_import import BIT_STRING, OCTET_STRING, OID, SEQUENCE, der, der_integer
from cipherstone.operations.scheme import Inputs

Params = Mapping[str, str]

VERB = "handshake-client"  # the server's takes the same
AES_128_GCM_SHA256, ECDHE_ECDSA_AES_128_GCM_SHA256, ECDHE_RSA_AES_128_GCM_SHA256 = 0x1301, 0xC02B, 0xC02F
VERSIONS = {"1.2": 0x0303, "1.3": 0x0304}
GROUPS = {"p-256": 0x0017, "x25519": 0x001D}
RSA_PKCS1_SHA256, ECDSA_P256_SHA256, RSA_PSS_SHA256, ED25519 = 0x0401, 0x0403, 0x0804, 0x0807
TICKET = "ticket"
_ED25519_OID = bytes.fromhex("2b6570")
_ED25519_ALGORITHM = der(SEQUENCE, der(OID, _ED25519_OID))
_KEY_BYTES = 32


class Certified(NamedTuple):
    """A kind of certificate as TLS knows it. `pkcs8`: the leaf's private key; `suite`: of TLS 1.2; `signature`: by version."""

    kind: Kind
    pkcs8: bytes
    suite: int
    signature: Mapping[str, int]


@lru_cache(maxsize=1)
def ed25519() -> Kind:
    """Keys and signatures of Ed25519 (RFC 8410)."""
    return Kind(
        elliptic.ed25519(),
        _ED25519_ALGORITHM,
        lambda pub: der(SEQUENCE, _ED25519_ALGORITHM, der(BIT_STRING, b"\0", pub)),
        _ed25519_public,
    )


def _ed25519_public(data: bytes) -> bytes:
    head, key = elements(whole(data, SEQUENCE))
    if head.whole != _ED25519_ALGORITHM or key.tag != BIT_STRING or len(key.body) != 1 + _KEY_BYTES or key.body[0]:
        raise NotAuthentic("no key of Ed25519")
    return key.body[1:]


@lru_cache(maxsize=8)
def certified(cert: str) -> Certified:
    """By the word of the parameter `cert`."""
    if cert == "p-256":
        pair = certificates.p256().key_pair(certificates.LEAF)
        both = dict.fromkeys(VERSIONS, ECDSA_P256_SHA256)
        return Certified(certificates.p256(), ec_import.ec_pkcs8(*pair), ECDHE_ECDSA_AES_128_GCM_SHA256, both)
    if cert == "rsa-2048":
        signatures = {"1.2": RSA_PKCS1_SHA256, "1.3": RSA_PSS_SHA256}
        return Certified(certificates.rsa_2048(), key_import.pkcs8_of(2048), ECDHE_RSA_AES_128_GCM_SHA256, signatures)
    if cert == "ed25519":
        seed = ed25519().key_pair(certificates.LEAF)[0]
        pkcs8 = der(SEQUENCE, der_integer(0), _ED25519_ALGORITHM, der(OCTET_STRING, der(OCTET_STRING, seed)))
        return Certified(ed25519(), pkcs8, ECDHE_ECDSA_AES_128_GCM_SHA256, dict.fromkeys(VERSIONS, ED25519))
    raise ValueError(f"no certificates of {cert}")


@lru_cache(maxsize=8)
def timed(cert: str) -> dict[str, bytes]:
    """What is timed: the chain of three, with the leaf's private key."""
    one = certified(cert)
    found = certificates.timed(one.kind)
    return {name: one.pkcs8 if name == "key" else found[name] for name in input_names()}


def input_names() -> tuple[str, ...]:
    """What a handshake takes."""
    verb = verb_named(VERB)
    return () if verb is None else verb.inputs


@lru_cache(maxsize=16)
def timed_input(name: str) -> Callable[[Params], bytes]:
    """One input of the timed kind, by the parameters."""
    return lambda params: timed(params["cert"])[name]


def numbers(params: Params) -> bytes:
    """What one side must say. There is no signature where a session is resumed, and in TLS 1.2 no group."""
    version, resumed = params["version"], params["mode"] == TICKET
    one = certified(params["cert"])
    suite = AES_128_GCM_SHA256 if version == "1.3" else one.suite
    group = 0 if resumed and version == "1.2" else GROUPS[params["group"]]
    signature = 0 if resumed else one.signature[version]
    fields = (VERSIONS[version], suite, group, signature)
    return b"".join(field.to_bytes(2, "big") for field in fields) + bytes((resumed,))


def agreed(inputs: Inputs, params: Params) -> bytes:
    """What both sides must say. Raises NotAuthentic where the client must not accept the certificates."""
    given = (inputs["leaf"], inputs.get("intermediates", b""), inputs["root"], inputs["host"], inputs["time"])
    if problem := _problem(params["cert"], *given):
        raise NotAuthentic(problem)
    return 2 * numbers(params)


@lru_cache(maxsize=256)
def _problem(cert: str, leaf: bytes, intermediates: bytes, root: bytes, host: bytes, time: bytes) -> str:
    """Why the path must not be accepted, or ""; the same chain is asked about for every combination of parameters."""
    path = [read(leaf), *(read(one.whole) for one in elements(intermediates))]
    moment = int.from_bytes(time, "big", signed=True)
    return path_problem(certified(cert).kind, path, read(root), moment, host.decode("ascii"))
