# SPDX-License-Identifier: Apache-2.0
"""Keys in DER that are none of theirs: another algorithm around the right numbers, a scalar of another length."""

from __future__ import annotations

import pytest

from cipherstone.model.errors import NotAuthentic
from cipherstone.operations import ec_import, key_import
from cipherstone.operations.key_import import BIT_STRING, OCTET_STRING, SEQUENCE, algorithm_identifier, der, der_integer

RSASSA_PSS = bytes.fromhex("2a864886f70d01010a")  # 1.2.840.113549.1.1.10: RFC 8017 appendix A.2.3


@pytest.mark.parametrize("oid", [key_import.RSA_ENCRYPTION, RSASSA_PSS, ec_import.EC_PUBLIC_KEY])
def test_numbers_of_rsa_under_another_algorithm_are_no_key(oid: bytes) -> None:
    numbers = key_import.numbers_of(2048)
    n, e, _, p, q, *_ = numbers
    named = algorithm_identifier(oid)
    public = der(SEQUENCE, named, der(BIT_STRING, b"\0", der(SEQUENCE, der_integer(n), der_integer(e))))
    inner = der(SEQUENCE, der_integer(0), *map(der_integer, numbers))
    private = der(SEQUENCE, der_integer(0), named, der(OCTET_STRING, inner))
    if oid == key_import.RSA_ENCRYPTION:
        assert key_import.rsa_public(2048, public) == n.to_bytes(256, "big") + e.to_bytes(4, "big")
        assert key_import.rsa_private(2048, private) == p.to_bytes(128, "big") + q.to_bytes(128, "big")
        return
    with pytest.raises(NotAuthentic, match="another algorithm"):
        key_import.rsa_public(2048, public)
    with pytest.raises(NotAuthentic, match="another algorithm"):
        key_import.rsa_private(2048, private)


def test_a_scalar_has_as_many_bytes_as_the_order() -> None:
    """RFC 5915 section 3, whatever its value."""
    scalar, point = ec_import.pair()
    assert ec_import.ec_private(ec_import.ec_pkcs8(scalar, point)) == scalar
    for other in (scalar[1:], b"\0" + scalar, b""):
        with pytest.raises(NotAuthentic, match=r"no scalar of P-256"):
            ec_import.ec_private(ec_import.ec_pkcs8(other, point))
