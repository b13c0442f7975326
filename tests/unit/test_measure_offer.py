# SPDX-License-Identifier: Apache-2.0
"""What a worker's list offers of the catalogue: one operation for each combination of parameters, and none for a worker that would ignore them."""

from __future__ import annotations

from cipherstone.catalogue.algorithms import load_catalogue
from cipherstone.catalogue.paths import data_root
from cipherstone.measure.plan import Offer
from cipherstone.protocol.messages import Listed

CATALOGUE = load_catalogue(data_root())
LISTED = (
    Listed("modexp/private", "default", "ok", params="crt=yes,bits=2048|4096"),
    Listed("modexp/private", "plain", "ok", params="crt=no"),
    Listed("sha-256/hash", "default", "ok"),
    Listed("toy/hash", "default", "ok"),
)


def test_a_row_is_an_operation_for_each_combination_that_it_is_made_for() -> None:
    offered = set(Offer.from_listing("a", "1.0", LISTED, CATALOGUE).capabilities)
    assert {op for op, impl in offered if impl == "default"} == {
        *(f"modexp/private/bits={bits},crt=yes" for bits in (2048, 4096)),
        *("sha-256/hash", "toy/hash"),
    }
    assert len({op for op, impl in offered if impl == "plain"}) == 6


def test_a_worker_that_knows_no_parameters_is_not_asked_for_what_has_them() -> None:
    offered = Offer.from_listing("a", "1.0", LISTED, CATALOGUE, told_apart=False).capabilities
    assert set(offered) == {("sha-256/hash", "default"), ("toy/hash", "default")}
