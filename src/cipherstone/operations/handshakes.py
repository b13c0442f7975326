# SPDX-License-Identifier: Apache-2.0
"""Handshakes of TLS as operations, and data behind them: the certificates that are timed, and what both sides must say that they agreed on.

A library that negotiates something else than what was asked for has measured something else. So the output of the operation is what each side reads back, and it is compared like any other output.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from itertools import pairwise
from typing import NamedTuple

from cipherstone.catalogue.verbs import verb_named
from cipherstone.model.errors import NotAuthentic
from cipherstone.operations import certificates, ec_import, elliptic, key_import, mldsa, mldsa_scheme
from cipherstone.operations.certificate import (
    CRL_SIGN,
    KEY_CERT_SIGN,
    CertificateFields,
    Kind,
    authority_key_id,
    basic_constraints,
    elements,
    key_usage,
    path_problem,
    read,
    subject_key_id,
    whole,
    written,
)
from cipherstone.operations.certificates import (
    HOST,
    INTERMEDIATE,
    LEAF,
    NOW,
    ROOT,
    SERIAL,
    SINCE,
    UNTIL,
    subject_of,
    time_bytes,
)
from cipherstone.operations.key_import import BIT_STRING, OCTET_STRING, OID, SEQUENCE, der, der_integer
from cipherstone.operations.scheme import Inputs, Scheme
from cipherstone.operations.splitmix import splitmix64

Params = Mapping[str, str]

VERB = "handshake-client"  # the server's takes the same
UPPER, CLIENT = (
    4,
    5,
)  # beside the three of certificates.py: what stands above the intermediate of a chain of 3, the client's
USUAL_CHAIN = "2"
USUAL = {"group": "p-256", "cert": "p-256", "mode": "full"}  # of data, which say nothing of their handshake
BELOW_ROOT = {"1": (LEAF,), "2": (LEAF, INTERMEDIATE), "3": (LEAF, INTERMEDIATE, UPPER)}
VERSIONS = {"1.2": 0x0303, "1.3": 0x0304}
CLASSIC = {"p-256": 0x0017, "x25519": 0x001D}
HYBRID = {"x25519mlkem768": 0x11EC, "secp256r1mlkem768": 0x11EB}
GROUPS = CLASSIC | HYBRID | {"p-384": 0x0018}
USUAL_SUITE = "aes-128-gcm"
PSK_SUITES = {"chacha20-poly1305": 0xCCAC}  # of TLS 1.2
SUITES = {  # of TLS 1.3, and of 1.2 with keys of elliptic curves and of RSA
    USUAL_SUITE: (0x1301, 0xC02B, 0xC02F),
    "aes-256-gcm": (0x1302, 0xC02C, 0xC030),
    "chacha20-poly1305": (0x1303, 0xCCA9, 0xCCA8),
}
RSA_PKCS1_SHA256, ECDSA_P256_SHA256, RSA_PSS_SHA256, ED25519 = 0x0401, 0x0403, 0x0804, 0x0807
ECDSA_P384_SHA384, ML_DSA_65 = 0x0503, 0x0905
TICKET, SESSION, RETRY, PSK, EARLY, MUTUAL = "ticket", "session", "retry", "psk", "early", "mutual"
RESUMED, RETRIED, BY_SESSION, BY_PSK, WITH_EARLY = 1, 2, 4, 8, 16  # bits of what is agreed on
_ED25519_ALGORITHM = der(SEQUENCE, der(OID, bytes.fromhex("2b6570")))
_ML_DSA_65_ALGORITHM = der(SEQUENCE, der(OID, bytes.fromhex("608648016503040312")))
_SEED = 0x80  # RFC 9881 section 6: of the three forms of a private key the shortest
_KEY_BYTES = 32
PSK_SEED, EARLY_SEED = 12, 13
EARLY_BYTES = 256  # a small request
EACH_THREAD = 8  # handshakes in a call; labs/tls/threads.c


class Certified(NamedTuple):
    """A kind of certificate as TLS knows it. `private`: a key of this number as PKCS#8; `signature`: by version."""

    kind: Kind
    private: Callable[[int], bytes]
    signature: Mapping[str, int]
    is_rsa: bool = False

    @property
    def pkcs8(self) -> bytes:
        """The leaf's private key."""
        return self.private(LEAF)


@lru_cache(maxsize=1)
def ed25519() -> Kind:
    """Keys and signatures of Ed25519 (RFC 8410)."""
    return _of_one_length(elliptic.ed25519(), _ED25519_ALGORITHM, _KEY_BYTES)


@lru_cache(maxsize=1)
def ml_dsa_65() -> Kind:
    """Keys and signatures of ML-DSA-65 (RFC 9881)."""
    name = "ml-dsa-65"
    return _of_one_length(mldsa_scheme.ml_dsa(name), _ML_DSA_65_ALGORITHM, mldsa.SETS[name].public_bytes)


def _of_one_length(scheme: Scheme, algorithm: bytes, length: int) -> Kind:
    """Keys are bytes alone, and signatures have the identifier of keys."""

    def public(data: bytes) -> bytes:
        head, key = elements(whole(data, SEQUENCE))
        if head.whole != algorithm or key.tag != BIT_STRING or len(key.body) != 1 + length or key.body[0]:
            raise NotAuthentic("no key of this kind")
        return key.body[1:]

    return Kind(scheme, algorithm, lambda pub: der(SEQUENCE, algorithm, der(BIT_STRING, b"\0", pub)), public)


def _pkcs8(algorithm: bytes, key: bytes) -> bytes:
    return der(SEQUENCE, der_integer(0), algorithm, der(OCTET_STRING, key))


def _on_curve(kind: Kind, curve: bytes, signature: int) -> Certified:
    def private(number: int) -> bytes:
        return _pkcs8(curve, ec_import.ec_private_key(*kind.key_pair(number)))

    return Certified(kind, private, dict.fromkeys(VERSIONS, signature))


def _rsa(bits: int) -> Certified:
    def private(number: int) -> bytes:
        return key_import.pkcs8(key_import.numbers_of(bits, number))

    return Certified(certificates.rsa(bits), private, {"1.2": RSA_PKCS1_SHA256, "1.3": RSA_PSS_SHA256}, is_rsa=True)


def _ed25519_private(number: int) -> bytes:
    return _pkcs8(_ED25519_ALGORITHM, der(OCTET_STRING, ed25519().key_pair(number)[0]))


def _ml_dsa_65_private(number: int) -> bytes:
    return _pkcs8(_ML_DSA_65_ALGORITHM, der(_SEED, ml_dsa_65().key_pair(number)[0]))


_CERTIFIED: dict[str, Callable[[], Certified]] = {
    "p-256": lambda: _on_curve(certificates.p256(), ec_import.curve_identifier(), ECDSA_P256_SHA256),
    "p-384": lambda: _on_curve(
        certificates.p384(), ec_import.curve_identifier(curve=certificates.SECP384R1), ECDSA_P384_SHA384
    ),
    "rsa-2048": partial(_rsa, 2048),
    "rsa-3072": partial(_rsa, 3072),
    "ed25519": lambda: Certified(ed25519(), _ed25519_private, dict.fromkeys(VERSIONS, ED25519)),
    "ml-dsa-65": lambda: Certified(ml_dsa_65(), _ml_dsa_65_private, {"1.3": ML_DSA_65}),
}


@lru_cache(maxsize=8)
def certified(cert: str) -> Certified:
    """By the word of the parameter `cert`."""
    if cert not in _CERTIFIED:
        raise ValueError(f"no certificates of {cert}")
    return _CERTIFIED[cert]()


# What is timed


def told(kind: Kind, level: int, issuer: int) -> CertificateFields:
    """What the certificate of a level says that the key `issuer` signs. Of the usual chain they are those of certificates.py."""
    name, pub = subject_of("Upper Intermediate"), kind.key_pair(level)[1]
    if level == UPPER:
        rights = (basic_constraints(True, 1), key_usage(KEY_CERT_SIGN | CRL_SIGN))
        root, ids = kind.key_pair(ROOT)[1], subject_key_id(pub)
        return CertificateFields(
            name, subject_of("Root"), SERIAL + UPPER, SINCE, UNTIL, pub, (*rights, ids, authority_key_id(root))
        )
    if level == CLIENT:
        plain = certificates.told(kind, LEAF, "client.cipherstone.example")
        extensions = (*plain.extensions[:3], subject_key_id(pub), plain.extensions[4])
        plain = plain._replace(serial=SERIAL + CLIENT, pub=pub, extensions=extensions)
    else:
        plain = certificates.told(kind, level)
    if issuer == min(INTERMEDIATE if level == CLIENT else level + 1, ROOT):
        return plain
    above = name if issuer == UPPER else subject_of("Root")
    key_id = authority_key_id(kind.key_pair(issuer)[1])
    return plain._replace(issuer=above, extensions=(*plain.extensions[:-1], key_id))


def issuers(chain: str) -> dict[int, int]:
    """By the level of each certificate below the root, the level of who signs it; the client's has the issuer of the leaf."""
    levels = (*BELOW_ROOT[chain], ROOT)
    return dict(pairwise(levels)) | {CLIENT: levels[1]}


def issued(cert: str, chain: str, level: int, ca: str = "") -> tuple[Kind, CertificateFields, tuple[bytes, bytes]]:
    """What one of the timed certificates is written with: kinds of its key and its signature in one, what it says, and who signs. `ca`: what kind of keys all above the leaf have; "": the leaf's."""
    issuer, above = ROOT if level == ROOT else issuers(chain)[level], certified(ca or cert).kind
    own = certified(cert).kind if level in (LEAF, CLIENT) else above
    said = told(own, level, issuer)
    if own is not above:
        key_id = authority_key_id(above.key_pair(issuer)[1])
        said = said._replace(extensions=(*said.extensions[:-1], key_id))
    return above._replace(spki=own.spki), said, above.key_pair(issuer)


@lru_cache(maxsize=64)
def certificate(cert: str, chain: str, level: int, ca: str = "") -> bytes:
    """One of the timed certificates."""
    return written(*issued(cert, chain, level, ca))


def timed(params: Params) -> dict[str, bytes]:
    """What is timed: a chain, and the leaf's private key; with auth=mutual the client's as well. `ca`: a kind of keys that all above the leaf have."""
    cert, chain, ca = params.get("cert", USUAL["cert"]), params.get("chain", USUAL_CHAIN), params.get("ca", "")
    one = certified(cert)
    found = {
        "leaf": certificate(cert, chain, LEAF, ca),
        "intermediates": b"".join(certificate(cert, chain, level, ca) for level in BELOW_ROOT[chain][1:]),
        "root": certificate(cert, chain, ROOT, ca),
        "host": HOST.encode(),
        "time": time_bytes(NOW),
        "key": one.pkcs8,
    }
    if params.get("auth") == MUTUAL:
        found |= {"client": certificate(cert, chain, CLIENT, ca), "client-key": one.private(CLIENT)}
    if params.get("mode") == PSK:
        found["psk"] = splitmix64(PSK_SEED, _KEY_BYTES)
    if params.get("mode") == EARLY:
        found["early"] = splitmix64(EARLY_SEED, EARLY_BYTES)
    return {name: data for name, data in found.items() if data}


def input_names() -> tuple[str, ...]:
    """What a handshake takes."""
    verb = verb_named(VERB)
    return () if verb is None else verb.inputs


@lru_cache(maxsize=16)
def timed_input(name: str) -> Callable[[Params], bytes | None]:
    """One input of the timed kind, by the parameters; None where they leave it out."""
    return lambda params: timed(params).get(name)


# What must be agreed on


def numbers(params: Params) -> bytes:
    """What one side must say. There is no signature where a session is resumed, and in TLS 1.2 no group."""
    version, mode, name = params["version"], params["mode"], params.get("suite", USUAL_SUITE)
    one, resumed = certified(params.get("cert", USUAL["cert"])), mode in (TICKET, SESSION, EARLY)
    suite = SUITES[name][0 if version == "1.3" else 1 + one.is_rsa]
    if mode == PSK and version == "1.2":
        suite = PSK_SUITES[name]
    group = 0 if resumed and version == "1.2" else GROUPS[params["group"]]
    signature = 0 if resumed or mode == PSK else one.signature[version]
    client_signature = signature if params.get("auth") == MUTUAL else 0
    fields = (VERSIONS[version], suite, group, signature, client_signature)
    how = {
        TICKET: RESUMED,
        SESSION: RESUMED | BY_SESSION,
        RETRY: RETRIED,
        PSK: BY_PSK,
        EARLY: RESUMED | WITH_EARLY,
    }.get(mode, 0)
    return b"".join(field.to_bytes(2, "big") for field in fields) + bytes((how,))


def agreed(inputs: Inputs, params: Params) -> bytes:
    """What both sides must say. Raises NotAuthentic where one must not accept the other's certificates."""
    if params["mode"] == PSK:
        if inputs.get("client-psk", inputs["psk"]) != inputs["psk"]:
            raise NotAuthentic("the client's key is another one")
        return 2 * numbers(params)
    intermediates, root, time = inputs.get("intermediates", b""), inputs["root"], inputs["time"]
    signed_by = params.get("ca", params["cert"])
    if problem := _problem(signed_by, inputs["leaf"], intermediates, root, inputs["host"], time):
        raise NotAuthentic(problem)
    if params.get("auth") == MUTUAL and (
        problem := _problem(signed_by, inputs["client"], intermediates, root, None, time)
    ):
        raise NotAuthentic(f"the client's: {problem}")
    return 2 * numbers(params)


def all_made(inputs: Inputs, params: Params) -> bytes:
    """What the threads must say, which must all say the same, and how many handshakes they made."""
    return agreed(inputs, params) + (int(params["threads"]) * EACH_THREAD).to_bytes(2, "big")


def received(inputs: Inputs, params: Params) -> bytes:
    """What the reader of data must have, and what both sides must say. Raises NotAuthentic where a bit of it was changed on its way."""
    if inputs.get("flip"):
        raise NotAuthentic("a bit of a record was changed on its way")
    return inputs["msg"] + agreed(inputs, {**USUAL, **params})


@lru_cache(maxsize=256)
def _problem(ca: str, leaf: bytes, intermediates: bytes, root: bytes, host: bytes | None, time: bytes) -> str:
    """Why the path must not be accepted, or ""; `ca`: of which kind all its signatures are. The same chain is asked about for every combination of parameters."""
    path = [read(leaf), *(read(one.whole) for one in elements(intermediates))]
    moment = int.from_bytes(time, "big", signed=True)
    return path_problem(certified(ca).kind, path, read(root), moment, None if host is None else host.decode("ascii"))
