# SPDX-License-Identifier: Apache-2.0
"""Other programs' names of algorithms in the catalogue's spelling, as far as the computation is the same. What a program does beside it (padding, a key schedule, a context) its parser says."""

from __future__ import annotations

import re

from cipherstone.model.ids import Case

MOST_DIGITS = 15  # of a number of bytes, as in ids of cases
_NOT_OF_A_NAME = re.compile(r"[^a-z0-9.+_]+")
_SPELLINGS = (
    (re.compile(r"(?:id-)?hmac[-(]+(?:sha2?)-?([0-9]+)\)?\Z"), r"hmac-sha-\1"),
    (re.compile(r"hmac[-(]+(md5)\)?\Z"), r"hmac-\1"),
    (re.compile(r"sha2?-?(1|224|256|384|512)\Z"), r"sha-\1"),
    (re.compile(r"sha-?512[-/]256\Z"), "sha-512-256"),
    (re.compile(r"sha-?3[-(]+(224|256|384|512)\)?\Z"), r"sha3-\1"),
    (re.compile(r"shake-?(128|256)\Z"), r"shake\1"),
    (re.compile(r"blake2([bs])-?(256|512)\Z"), r"blake2\1-\2"),
    (re.compile(r"(?:id-)?aes-?(128|192|256)[-/](cbc|ctr|gcm|ccm|xts|eax|ocb|gcm-siv)\Z"), r"aes-\1-\2"),
    (re.compile(r"(?:des-ede3|3des|tripledes)[-/]cbc\Z"), "3des-cbc"),
    (re.compile(r"cmac[-(]+aes-?(128|256)\)?\Z"), r"cmac-aes-\1"),
    (re.compile(r"chacha20-?poly1305\Z"), "chacha20-poly1305"),
    (re.compile(r"chacha-?(?:20|\(20\))\Z"), "chacha20"),
    (re.compile(r"ml-?kem-?(512|768|1024)\Z"), r"ml-kem-\1"),
    (re.compile(r"ml-?dsa-?(44|65|87)\Z"), r"ml-dsa-\1"),
    (re.compile(r"(?:curve|x)25519\Z"), "x25519"),
    (re.compile(r"(?:curve|x)448\Z"), "x448"),
    (re.compile(r"(?:nist)?(?:secp|p)-?(256|384|521)(?:r1)?\Z"), r"p-\1"),
    (re.compile(r"brainpool-?p?(256|384|512)r1\Z"), r"brainpoolp\1r1"),
)


def algorithm_id(name: str) -> str:
    """`SHA256`, `id-aes128-GCM` and `HMAC(SHA-256)` as `sha-256`, `aes-128-gcm` and `hmac-sha-256`; what is not known here as a name of its own in small letters."""
    text = name.strip().lower()
    for pattern, ours in _SPELLINGS:
        if pattern.match(text):
            return pattern.sub(ours, text)
    return _NOT_OF_A_NAME.sub("-", text).strip("-._+") or "unnamed"


def case_id(algorithm: str, verb: str, size_bytes: int | None = None, **params: str) -> str:
    """The id of a case, of ours or of a name that only the other program has."""
    return Case(algorithm, verb, size_bytes, tuple(params.items())).id
