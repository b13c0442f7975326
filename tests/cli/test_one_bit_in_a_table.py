# SPDX-License-Identifier: Apache-2.0
"""A library with one bit of a table flipped, which the vectors do not find: OpenSSL's multiples of the base point of P-256, of which one in 64 scalars takes the changed one."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from pathlib import Path

import pytest
import scripts
from scripts import skip_or_fail

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.libraries import load_libraries
from cipherstone.cli import environment as env
from cipherstone.execute.survey import Found, survey
from cipherstone.measure.breadth import Asker, Questions, look, numbers_of
from cipherstone.measure.proof import Capability
from cipherstone.worker import WorkerProcess

CATALOGUE = load_catalogue(scripts.ROOT)
PRIME = 2**256 - 2**224 + 2**192 + 2**96 - 1  # SP 800-186 section 3.2.1.3, and its base point
BASE = (
    0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
    0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5,
)
ROW, ROWS, WINDOW = 64, 64, 7  # bytes of a point, points of a window, bits of it
ASKED = 700  # 1.6 % of the answers are wrong: all of so many are right once in 60,000 runs


def montgomery(point: tuple[int, int]) -> bytes:
    return b"".join((number * 2**256 % PRIME).to_bytes(32, "little") for number in point)


@pytest.fixture(scope="module")
def openssl(worker_cache: Path) -> Found:
    workshop = env.workshop(worker_cache)
    chosen = {"openssl": load_libraries(workshop.root, CATALOGUE)["openssl"]}
    found = next((one for one in survey(workshop, chosen) if one.launch is not None), None)
    return found or skip_or_fail("OpenSSL is not installed here")


@pytest.fixture(scope="module")
def changed(openssl: Found, tmp_path_factory: pytest.TempPathFactory) -> Iterator[WorkerProcess]:
    """A worker of the same build whose library has another bit."""
    assert openssl.launch is not None
    libraries = [one for one in openssl.launch.objects or () if one.name.startswith("libcrypto.so")]
    if platform.machine() != "x86_64" or not libraries:
        pytest.skip("the table is that of x86-64, in a shared library")
    data = bytearray(Path(libraries[0].path).read_bytes())
    at = data.find(montgomery(BASE))
    if at < 0 or data.count(montgomery(BASE)) != 1:
        pytest.skip("this build has no such table")
    data[at + 4 * ROW + 12] ^= 8  # of five times the base point, window 0
    folder = tmp_path_factory.mktemp("flipped")
    (folder / libraries[0].name).write_bytes(data)
    environment = {**openssl.launch.environment, "LD_LIBRARY_PATH": str(folder)}
    with WorkerProcess(openssl.launch.command, environment=environment) as worker:
        worker.hello()
        yield worker


@pytest.mark.libraries
@pytest.mark.parametrize(
    ("operation", "form"),
    [("ecdsa-p256-sha256/sign", "der"), ("ecdsa-p256-sha256/verify", "der"), ("p-256/keygen", None), ("p-256/multiply-base", None)],
)  # fmt: skip
def test_the_flipped_bit_is_found(openssl: Found, changed: WorkerProcess, operation: str, form: str | None) -> None:
    capability = Capability(operation, "default", form)
    questions = Questions(operation, form, numbers_of(11, 0))
    found = look(Asker("openssl@flipped", capability, changed), (questions.at(place) for place in range(ASKED)))
    assert found.broken is None
    if not found.result.looked:
        pytest.skip("this version does not offer it")
    assert found.result.looked == ASKED and 1 <= found.result.wrong <= 40
    assert openssl.launch is not None
    with openssl.launch.start() as honest:
        honest.hello()
        right = look(Asker("openssl@same", capability, honest), (questions.at(place) for place in range(ASKED)))
    assert (right.result.looked, right.result.wrong) == (ASKED, 0)
