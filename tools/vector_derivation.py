# SPDX-License-Identifier: Apache-2.0
"""Vectors of key derivation. Outputs have one length: of longer published ones the beginning is kept, which HKDF and PBKDF2 give for any length alike (RFC 5869 section 2.3, RFC 8018 section 5.2)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from typing import Any

from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from vector_sources import Entry, Sources, cover, make_entry, told

from cipherstone.operations import oracle
from cipherstone.operations.splitmix import splitmix64

KEPT = 24  # as many prove a derivation as well as all do: a call of PBKDF2 takes milliseconds
MOST_ITERATIONS = 4096
EMPTY = ("EmptyPassword",)  # a flag of ours: of vectors with no byte of secret


def begun(identifier: str, inputs: dict[str, str], source: str, output: str, size: int, **more: Any) -> Entry:
    """A vector with the first `size` bytes of `output`."""
    cut = len(output) // 2 > size
    told_of = f"{source}, the first {size} bytes of {len(output) // 2}" if cut else source
    more["flags"] = [*EMPTY[len(inputs["key"]) :], *more.get("flags", [])]
    return make_entry(identifier, "derive", inputs, told_of, output[: 2 * size], **more)


def hkdf(bits: int, size: int) -> Callable[[Sources], list[Entry]]:
    def select(sources: Sources) -> list[Entry]:
        source, pairs = sources.wycheproof(f"hkdf_sha{bits}")
        long = [pair for pair in pairs if pair[1]["result"] == "valid" and pair[1]["size"] >= size]
        entries = []
        for _, test in cover(long, _kind, KEPT):
            inputs = {"key": test["ikm"], "salt": test["salt"], "info": test["info"]}
            named = source if test["flags"] else f"{test['comment']} ({source})"
            entries.append(begun(f"derive-{test['tcId']}", inputs, named, test["okm"], size, **told(test)))
        return entries

    return select


def _kind(pair: tuple[Entry, Entry]) -> object:
    return (tuple(pair[1]["flags"]), len(pair[1]["salt"]), len(pair[1]["info"]))


def pbkdf2(bits: int, size: int) -> Callable[[Sources], list[Entry]]:
    def select(sources: Sources) -> list[Entry]:
        source, pairs = sources.wycheproof(f"pbkdf2_hmacsha{bits}")
        entries = []
        for _, test in cover(list(_affordable(pairs, size)), _password, KEPT):
            inputs = {"key": test["password"], "salt": test["salt"]}
            entry = begun(f"derive-{test['tcId']}", inputs, source, test["dk"], size, **told(test))
            entries.append(_with(entry, iterations=test["iterationCount"]))
        return entries

    return select


def _affordable(pairs: Iterable[tuple[Entry, Entry]], size: int) -> Iterable[tuple[Entry, Entry]]:
    for group, test in pairs:
        if test["result"] == "valid" and test["dkLen"] >= size and test["iterationCount"] <= MOST_ITERATIONS:
            yield group, test


def _password(pair: tuple[Entry, Entry]) -> object:
    return (tuple(pair[1]["flags"]), len(pair[1]["password"]) // 64, pair[1]["iterationCount"])


def _with(entry: Entry, **params: int) -> Entry:
    """The vector with parameters, which stand behind its inputs."""
    output = entry.pop("output")
    rest = {name: entry.pop(name) for name in list(entry) if name not in ("id", "verb", "inputs")}
    return entry | {"params": {name: str(value) for name, value in params.items()}, "output": output} | rest


# Costs that take a library milliseconds at most; RFC 7914's last vector has a gibibyte of memory.
SCRYPT_COSTS = ((2, 1, 1), (4, 1, 1), (16, 8, 1), (32, 3, 2), (64, 8, 4), (256, 8, 1), (512, 8, 2), (1024, 8, 1))
ARGON2ID_COSTS = (
    (8, 1, 1),
    (9, 2, 1),
    (16, 1, 1),
    (31, 3, 1),
    (64, 2, 1),
    (256, 1, 1),
    (1024, 2, 1),
    (1024, 1, 4),
    (512, 2, 2),
    (100, 3, 3),
)


def scrypt(sources: Sources) -> list[Entry]:
    """RFC 7914's, and computed ones on which two programs agree."""
    entries = []
    for record in sources.records("KDF/scrypt.txt"):
        n, r, p = (int(record[name]) for name in ("N", "R", "P"))
        if n < 1 << 20:
            inputs = {"key": record["PASSWORD"].encode().hex(), "salt": record["SALT"].encode().hex()}
            source = "RFC 7914 section 12 (scrypt.txt)"
            entry = begun(f"rfc7914-{record['COUNT']}", inputs, source, record["DERIVED_KEY"], 64)
            entries.append(_with(entry, n=n, r=r, p=p))
    for index, (n, r, p) in enumerate(SCRYPT_COSTS):
        key, salt = splitmix64(20 + index, 5 * index), splitmix64(40 + index, 16)
        second = hashlib.scrypt(key, salt=salt, n=n, r=r, p=p, maxmem=1 << 26, dklen=64)
        told_of = "computed: PyCryptodome and hashlib agree"
        entries.append(_computed("scrypt", key, salt, second, told_of, n=n, r=r, p=p))
    return entries


def argon2id(sources: Sources) -> list[Entry]:
    """OpenSSL's without secret value and associated data, and computed ones on which two programs agree; most have one lane, which every interface has."""
    entries = []
    for record in sources.records("KDF/argon2id.txt"):
        if record.get("LENGTH") == "32" and "SECRET" not in record and len(record["SALT"]) == 32:
            inputs = {"key": record["PASS"], "salt": record["SALT"]}
            entry = begun(
                f"openssl-{record['COUNT']}", inputs, "OpenSSL's evpkdf_argon2.txt (argon2id.txt)", record["OUTPUT"], 32
            )
            entries.append(_with(entry, m=int(record["MEMCOST"]), t=int(record["ITER"]), p=int(record["LANES"])))
    for index, (m, t, p) in enumerate(ARGON2ID_COSTS):
        key, salt = splitmix64(60 + index, 7 * index), splitmix64(80 + index, 16)
        second = Argon2id(salt=salt, length=32, iterations=t, lanes=p, memory_cost=m).derive(key)
        told_of = "computed: the reference implementation and cryptography agree"
        entries.append(_computed("argon2id", key, salt, second, told_of, m=m, t=t, p=p))
    return entries


def _computed(algorithm: str, key: bytes, salt: bytes, second: bytes, source: str, **params: int) -> Entry:
    named = ",".join(f"{name}={value}" for name, value in params.items())
    first = oracle.expected_output(f"{algorithm}/derive/{named}", {"key": key, "salt": salt})
    if first != second:
        raise SystemExit(f"{algorithm}: two programs disagree at {named}")
    inputs = {"key": key.hex(), "salt": salt.hex()}
    entry = begun(f"computed-{named.replace(',', '-').replace('=', '')}", inputs, source, second.hex(), len(second))
    return _with(entry, **params)


DERIVATION: dict[str, Callable[[Sources], list[Entry]]] = {
    "hkdf-sha-256": hkdf(256, 32),
    "hkdf-sha-512": hkdf(512, 64),
    "pbkdf2-hmac-sha-1": pbkdf2(1, 20),
    "pbkdf2-hmac-sha-256": pbkdf2(256, 32),
    "pbkdf2-hmac-sha-512": pbkdf2(512, 64),
    "scrypt": scrypt,
    "argon2id": argon2id,
}
