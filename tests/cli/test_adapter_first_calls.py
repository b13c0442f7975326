# SPDX-License-Identifier: Apache-2.0
"""In every library's worker: what asks the system for random bytes does so in the step that says so, and what draws from a generator that an adapter gives is counted."""

from __future__ import annotations

from pathlib import Path

import pytest
import scripts
from scripts import skip_or_fail

from cipherstone.build.launcher import process_launcher
from cipherstone.build.workers import heap_preload
from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.cli import environment as env
from cipherstone.execute.survey import Found, survey
from cipherstone.measure.proof import Capability, Expectations
from cipherstone.model.errors import WorkerError
from cipherstone.model.ids import Case
from cipherstone.protocol.messages import Memory, Prepared
from cipherstone.worker import WorkerProcess
from cipherstone.worker.single import Starter

CATALOGUE = load_catalogue(scripts.ROOT)
SIGN = ("ecdsa-p256-sha256/sign", "ecdsa-secp256k1-sha256/sign")
CURVES = ("ed25519/sign", "ed25519/verify", "x25519/derive", *SIGN, "ecdsa-p256-sha256/verify")
KEYS = ("x25519/keygen", "ed25519/keygen", "p-256/keygen", "secp256k1/keygen")
OPERATIONS = (*CURVES, *KEYS, "sha-256/hash", "aes-128-gcm/seal", "modexp/private/bits=2048,crt=yes")
# Opening the library, or PSA, seeds a generator: the interface has no other way. GnuTLS asks for one byte when it is loaded, to see whether it can.
SEEDED_BY_OPENING = {"libsodium", "gnutls", "nss"}
# Botan's AutoSeeded_RNG takes some of the system's bytes along whenever it is asked for any, and so does Libgcrypt's generator with each key; libsodium's generator is the system's, as are the bytes that libsecp256k1 makes keys of; GnuTLS takes a fresh key for its own from the system whenever a secret is asked for.
# LibTomMath draws LibTomCrypt's blinding numbers from the system.
ASKS_IN_CALLS = {
    ("libtomcrypt", "default", "modexp/private/bits=2048,crt=yes"),
    *((library, "default", sign) for library in ("botan", "gnutls") for sign in SIGN),
    *(
        (library, "default", key)
        for library in ("botan", "gnutls", "libgcrypt", "libsecp256k1", "libsodium")
        for key in KEYS
    ),
}
# (library, implementation, operation): bytes that a call draws from the generator that the adapter gives it, by the library's source: (least, most).
DRAWN = {
    ("nettle", "default", "ecdsa-p256-sha256/sign"): (32, 40),
    # Crypto++ asks for one byte more than the order has, and again where that is not below it.
    **{("cryptopp", "default", sign): (33, 165) for sign in SIGN},
    **{("cryptopp", "rfc6979", sign): (0, 0) for sign in SIGN},
    ("cryptopp", "default", "x25519/keygen"): (32, 32),
    ("cryptopp", "default", "ed25519/keygen"): (32, 32),
    ("cryptopp", "default", "p-256/keygen"): (33, 165),
    ("botan", "default", "ed25519/sign"): (0, 0),
    ("botan", "default", "ed25519/keygen"): (32, 32),
    ("libsodium", "default", "x25519/keygen"): (32, 32),
    ("libsodium", "default", "ed25519/keygen"): (32, 32),
    ("bearssl", "default", "x25519/keygen"): (32, 32),
    ("nettle", "default", "x25519/keygen"): (32, 32),
    ("wolfssl", "default", "x25519/keygen"): (32, 32),
    ("wolfssl", "default", "ed25519/keygen"): (32, 32),
    ("nettle", "default", "ed25519/keygen"): (32, 32),
    # A scalar that is not below the order is drawn again; Mbed TLS draws for blinding too.
    ("bearssl", "default", "p-256/keygen"): (32, 96),
    ("nettle", "default", "p-256/keygen"): (32, 96),
    ("libtomcrypt", "default", "p-256/keygen"): (32, 96),
    ("wolfssl", "default", "p-256/keygen"): (32, 256),
    ("mbedtls", "default", "p-256/keygen"): (64, 256),
    ("cryptopp", "default", "secp256k1/keygen"): (33, 165),
    ("libsecp256k1", "default", "secp256k1/keygen"): (32, 96),
    ("wolfssl", "default", "secp256k1/keygen"): (32, 256),
    ("mbedtls", "default", "secp256k1/keygen"): (64, 256),
}


@pytest.fixture(scope="module")
def found(worker_cache: Path) -> list[Found]:
    workshop = env.workshop(worker_cache)
    ready = [one for one in survey(workshop, load_libraries(workshop.root, CATALOGUE)) if one.launch is not None]
    return ready or skip_or_fail("no library is installed here")


@pytest.fixture(scope="module")
def preload(worker_cache: Path) -> Path:
    workshop = env.workshop(worker_cache)
    counter = heap_preload(workshop.toolchain, workshop.root, workshop.cache)
    return counter or skip_or_fail("the counter needs glibc")


def rows(one: Found) -> list[Capability]:
    offered = one.offer(CATALOGUE).capabilities
    return [capability for (operation, _), capability in sorted(offered.items()) if operation in OPERATIONS]


def case_of(operation: str) -> Case:
    return CATALOGUE.operation(operation).headline


def ask(worker: WorkerProcess, capability: Capability) -> tuple[Prepared, list[Memory]]:
    case = case_of(capability.operation)
    expected = Expectations().of(case, capability.form)
    prepared = worker.prepare(0, case.listed, capability.implementation, {**expected.texts, "known": "1"})
    told = [worker.memory(0) for _ in range(3)]
    assert expected.problem_left(worker, 0) == ""
    return prepared, told


@pytest.mark.libraries
def test_seeds_are_taken_where_it_is_told(found: list[Found], preload: Path) -> None:
    """No call asks the system for random bytes, and nothing before it does unless a generator is seeded in a step of its own."""
    astray, seen = [], 0
    for one in found:
        assert one.launch is not None
        for capability in rows(one):
            name = (one.id, capability.implementation, capability.operation)
            with one.launch.start(preload=preload) as worker:
                prepared, (first, *later) = ask(worker, capability)
            assert first.system_random_before is not None, name
            seen += 1
            opens = one.id in SEEDED_BY_OPENING or "psa" in capability.implementation
            if first.system_random_before and prepared.seed_ns is None and not opens:
                astray.append((*name, "before the first call", first.system_random_before))
            if name in ASKS_IN_CALLS:
                continue
            if first.system_random_bytes:
                astray.append((*name, "in the first call", first.system_random_bytes))
            astray += [(*name, "in a later call", m.system_random_bytes) for m in later if m.system_random_bytes]
    assert astray == []
    assert seen >= 5


@pytest.mark.libraries
def test_what_calls_draw_is_counted(found: list[Found], preload: Path) -> None:
    checked = 0
    for one in found:
        assert one.launch is not None
        for capability in rows(one):
            due = DRAWN.get((one.id, capability.implementation, capability.operation))
            if due is None and one.id not in ("openssl", "libgcrypt", "bearssl", "gnutls", "nss"):
                continue
            with one.launch.start(preload=preload) as worker:
                _, told = ask(worker, capability)
            drawn = [m.random_bytes for m in told]
            # Generators inside of a library are not seen: missing, not 0.
            assert drawn == [None] * 3 if due is None else all(due[0] <= (d or 0) <= due[1] for d in drawn), (
                one.id,
                capability,
                drawn,
            )
            checked += 1
    assert checked


@pytest.mark.libraries
def test_a_row_that_counts_seeds_in_a_step(found: list[Found], preload: Path) -> None:
    """And in a process that does not count, nothing is told of random bytes."""
    for one in found:
        assert one.launch is not None
        for capability in rows(one):
            with one.launch.start() as worker:
                prepared, told = ask(worker, capability)
            assert prepared.setup_ns is not None
            assert {(m.random_bytes, m.system_random_bytes, m.system_random_before) for m in told} == {
                (None, None, None)
            }


@pytest.mark.libraries
def test_one_call_is_a_process_that_ends_well(found: list[Found], worker_cache: Path, tmp_path: Path) -> None:
    """Its output is right, and what an adapter and a library leave to the end of the process does not break it."""
    workshop = env.workshop(worker_cache)
    starter = Starter(process_launcher(workshop.toolchain, workshop.root, workshop.cache), tmp_path)
    broken, seen = [], 0
    for one in found:
        assert one.launch is not None
        for capability in rows(one):
            if capability.implementation != "default":
                continue
            case = case_of(capability.operation)
            expected = Expectations().of(case, capability.form)
            fields = {"op": case.listed, "impl": "default", "known": 1, **expected.texts}
            if "msg" in expected.inputs:
                fields["msg"] = starter.file_of(expected.inputs["msg"])
            try:
                single = starter.start(one.launch.command, fields, one.launch.environment)
            except WorkerError as error:
                broken.append(f"{one.name} {capability.operation}: {error}")
                continue
            seen += 1
            if problem := expected.problem(single.computed):
                broken.append(f"{one.name} {capability.operation}: {problem}")
    assert not broken and seen
