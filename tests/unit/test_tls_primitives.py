# SPDX-License-Identifier: Apache-2.0
"""What a handshake must compute, and what is left of it: sums of what the run timed alone."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from scripts import ROOT

from cipherstone.catalogue.algorithms import catalogue_of_checkout
from cipherstone.catalogue.libraries import load_labs, load_libraries
from cipherstone.catalogue.suites import load_suite
from cipherstone.cli.selection import with_builds
from cipherstone.labs.tls.command import PRIMITIVES, narrowed, of_laboratory, with_primitives
from cipherstone.labs.tls.primitives import library_of, operations, primitives, sums_of
from cipherstone.labs.tls.results import CLIENT, LAB, SERVER
from cipherstone.model.estimate import Estimate
from cipherstone.model.ids import build_label

FULL = {"version": "1.3", "group": "x25519", "cert": "p-256", "mode": "full"}


def counted(side: str, **changes: str) -> dict[str, float]:
    return {one.operation: one.times for one in primitives({**FULL, **changes}, side)}


def test_a_full_handshake_of_tls_13() -> None:
    share = {"x25519/keygen": 1, "x25519/derive": 1, "hkdf-sha-256/derive": 10.5}
    assert primitives(FULL, CLIENT)[0].kind == "key schedule"
    both = [one.times for one in primitives(FULL, CLIENT) if one.operation == "ecdsa-p256-sha256/verify"]
    assert both == [2, 1]  # the path, and the server's proof
    assert counted(SERVER) == {**share, "ecdsa-p256-sha256/sign": 1}


@pytest.mark.parametrize(("version", "proof"), [("1.2", "rsa-2048-pkcs1-sha256"), ("1.3", "rsa-2048-pss-sha256")])
def test_certificates_of_rsa_are_signed_one_way_and_handshakes_by_version(version: str, proof: str) -> None:
    assert f"{proof}/sign" in counted(SERVER, version=version, cert="rsa-2048")
    client = [
        one for one in primitives({**FULL, "version": version, "cert": "rsa-2048"}, CLIENT) if one.kind == "signatures"
    ]
    assert [one.operation for one in client] == ["rsa-2048-pkcs1-sha256/verify", f"{proof}/verify"]


def test_a_ca_of_another_kind_signs_the_path() -> None:
    client = [one for one in primitives({**FULL, "ca": "rsa-2048"}, CLIENT) if one.kind == "signatures"]
    assert [(one.operation, one.times) for one in client] == [
        ("rsa-2048-pkcs1-sha256/verify", 2),
        ("ecdsa-p256-sha256/verify", 1),
    ]
    assert counted(SERVER, ca="rsa-2048") == counted(SERVER)


def test_a_resumed_handshake_has_no_signature_and_in_tls_12_no_key_share() -> None:
    for side in (CLIENT, SERVER):
        assert counted(side, mode="ticket") == {"x25519/keygen": 1, "x25519/derive": 1, "hkdf-sha-256/derive": 12.5}
        assert counted(side, mode="ticket", version="1.2") == {"hkdf-sha-256/derive": 4}


def test_of_a_handshake_that_is_not_known_nothing_is_summed() -> None:
    for changes in ({"cert": "p-999"}, {"group": "p-999"}, {"mode": "other"}, {"auth": "mutual"}, {"ca": "p-999"}):
        assert primitives({**FULL, **changes}, CLIENT) == ()


def run_of(*cases: tuple[str, dict[str, Estimate]]) -> Any:
    rows = [
        SimpleNamespace(case=name, cells=[SimpleNamespace(lane=lane, ns=ns) for lane, ns in cells.items()])
        for name, cells in cases
    ]
    return SimpleNamespace(cases=rows)


HANDSHAKE = (
    "tls/handshake-server/version=1.3,group=x25519,cert=p-256,mode=full",
    {"tls@3.0.19+openssl": Estimate(1000.0, 990.0, 1020.0)},
)
ALONE = [
    ("x25519/keygen", {"openssl@3.0.19": Estimate(100.0, 99.0, 102.0), "openssl@4.0.3+4.0": Estimate(1.0)}),
    ("x25519/derive", {"openssl@3.0.19": Estimate(200.0, 198.0, 204.0), "openssl@3.0.19:other": Estimate(1.0)}),
    ("ecdsa-p256-sha256/sign", {"openssl@3.0.19": Estimate(300.0, 295.0, 305.0)}),
]  # fmt: skip
SCHEDULE = ("hkdf-sha-256/derive", {"openssl@3.0.19": Estimate(10.0, 10.0, 10.0)})


def test_the_rest_is_what_the_parts_leave_with_all_errors_one_way() -> None:
    (found,) = sums_of(run_of(HANDSHAKE, *ALONE, SCHEDULE))
    assert found.parts == {"key schedule": 105.0, "key share": 300.0, "signatures": 300.0}
    assert found.rest is not None and found.missing == ()
    assert (found.rest.value, found.rest.low, found.rest.high) == pytest.approx((295.0, 274.0, 323.0))


def test_where_a_part_has_no_figure_there_is_no_rest() -> None:
    (found,) = sums_of(run_of(HANDSHAKE, *ALONE))
    assert found.rest is None and found.missing == ("hkdf-sha-256/derive",)


def test_a_run_without_primitives_has_no_sums() -> None:
    assert sums_of(run_of(HANDSHAKE)) == ()


def test_the_suite_times_every_part_that_a_sum_may_need() -> None:
    suite = load_suite(ROOT, LAB, catalogue_of_checkout())
    (section,) = (one for one in suite.sections if one.id == PRIMITIVES)
    assert {*operations()} <= {*section.operations}
    assert PRIMITIVES not in {one.id for one in narrowed(suite, False, "").sections}
    last = narrowed(suite, True, "build:openssl", True).sections[-1]
    assert last == section, "no filter takes a part away"


def test_the_libraries_of_builds_take_part_with_the_same_version() -> None:
    catalogue = catalogue_of_checkout()
    laboratory, libraries = load_labs(ROOT, catalogue)[LAB], load_libraries(ROOT, catalogue)
    builds = {build.name: build for build in laboratory.builds}
    found, asked = with_primitives([builds["openssl"], builds["mbedtls"], builds["aws-lc"]], libraries)
    assert [build.name for build in found["openssl"].builds] == ["distribution"]
    assert {build.source.version for build in found["aws-lc"].builds if build.source} == {
        builds["aws-lc"].source.version
    }  # type: ignore[union-attr]
    assert len(asked) == len(found) == 3
    both, _ = with_primitives([builds["mbedtls-3.6"], builds["mbedtls"]], libraries)
    assert [build.name for build in both["mbedtls"].builds] == ["distribution", "3.6"]
    assert library_of("mbedtls-3.6") == ("mbedtls-3.6", "mbedtls") and library_of("aws-lc") == ("aws-lc",)


@pytest.mark.parametrize("name", ["boringssl", "aws-lc", "s2n", "openssl-4.0"])
def test_a_build_of_the_laboratory_stays_one_beside_the_libraries_of_its_primitives(name: str) -> None:
    """`boringssl` is a build of the laboratory, and the name of a library."""
    catalogue = catalogue_of_checkout()
    labs = {LAB: load_labs(ROOT, catalogue)[LAB]}
    known, asked = with_builds("--build", (name,), labs)
    alone, more = with_primitives(known[LAB].builds, load_libraries(ROOT, catalogue))
    both = of_laboratory(asked, known[LAB].builds) | more
    _, found = with_builds("--build", sorted(both), {**alone, **known})
    assert build_label(LAB, name) in found and found >= more
