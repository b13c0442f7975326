# SPDX-License-Identifier: Apache-2.0
"""Parts of certificates at their edges: extensions as they may and may not be written, times at both ends, a path that is as long as it may be."""

from __future__ import annotations

import pytest

from cipherstone.model.errors import NotAuthentic
from cipherstone.operations import certificate
from cipherstone.operations.certificate import (
    ALT_NAME,
    BASIC_CONSTRAINTS,
    BOOLEAN,
    EXTENSIONS_TAG,
    GENERALIZED_TIME,
    KEY_USAGE,
    PROCESSED,
    UTC_TIME,
    Certificate,
    der_time,
    elements,
    path_problem,
    read,
)
from cipherstone.operations.certificates import HOST, NOW, chain, p256
from cipherstone.operations.key_import import BIT_STRING, INTEGER, OCTET_STRING, OID, SEQUENCE, der

YES, NO = der(BOOLEAN, b"\xff"), der(BOOLEAN, b"\0")


def chain_read() -> tuple[Certificate, Certificate, Certificate]:
    leaf, intermediate, root = map(read, chain(p256()))
    return leaf, intermediate, root


def holding(oid: str, value: bytes) -> Certificate:
    return chain_read()[0]._replace(extensions={oid: (True, value)})


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        ((), (False, None)),
        ((YES,), (True, None)),
        ((NO,), (False, None)),
        ((der(BOOLEAN, b"\1"),), (False, None)),
        ((der(OCTET_STRING, b"\xff"),), (False, None)),
        ((YES, der(INTEGER, b"\0")), (True, 0)),
        ((YES, der(INTEGER, b"\3")), (True, 3)),
        ((YES, der(INTEGER, b"\xff")), (True, -1)),
        ((YES, der(OCTET_STRING, b"\3")), (True, None)),
        ((der(INTEGER, b"\2"),), (False, 2)),
    ],
)
def test_basic_constraints_say_who_may_issue(parts: tuple[bytes, ...], found: tuple[bool, int | None]) -> None:
    one = holding(BASIC_CONSTRAINTS, der(SEQUENCE, *parts))
    assert (one.is_ca, one.path_length) == found
    none = one._replace(extensions={})
    assert (none.is_ca, none.path_length, none.hosts) == (False, None, [])


@pytest.mark.parametrize(
    ("bits", "usage", "may"),
    [("0780", 0x80, True), ("0780", 0x04, False), ("0106", 0x04, True), ("0106", 0x02, True), ("00", 0x80, False), ("", 0x80, False)],
)  # fmt: skip
def test_a_key_may_be_used_for_what_its_bits_say(bits: str, usage: int, may: bool) -> None:
    one = holding(KEY_USAGE, der(BIT_STRING, bytes.fromhex(bits)))
    assert one.may(usage) is may and one._replace(extensions={}).may(usage) is True


def test_hosts_are_names_of_dns() -> None:
    names = der(SEQUENCE, der(0x82, b"a.example"), der(0x81, b"b@example"), der(0x82, b"c.example"))
    assert holding(ALT_NAME, names).hosts == ["a.example", "c.example"]


@pytest.mark.parametrize(
    ("parts", "found"),
    [
        ((b"\x55\x1d\x0f", None, b"v"), {"551d0f": (False, b"v")}),
        ((b"\x55\x1d\x0f", b"\xff", b"v"), {"551d0f": (True, b"v")}),
        ((b"\x55\x1d\x0f", b"\0", b"v"), {"551d0f": (False, b"v")}),
        ((b"\x55\x1d\x0f", b"\xff", None), None),
        ((b"\x55\x1d\x0f", None, None), None),
        ((None, None, None), None),
    ],
)
def test_an_extension_has_a_type_and_contents(
    parts: tuple[bytes | None, ...], found: dict[str, tuple[bool, bytes]] | None
) -> None:
    """And says that it is critical, or does not."""
    tags = (OID, BOOLEAN, OCTET_STRING)
    one = der(SEQUENCE, *(der(tag, part) for tag, part in zip(tags, parts, strict=True) if part is not None))
    if found is None:
        with pytest.raises(NotAuthentic):
            certificate._extensions(der(SEQUENCE, one))
        return
    assert certificate._extensions(der(SEQUENCE, one)) == found
    more = der(SEQUENCE, der(OID, b"\x55\x1d\x11"), YES, der(OCTET_STRING, b"w"))
    assert certificate._extensions(der(SEQUENCE, one, more)) == {**found, "551d11": (True, b"w")}
    four = der(SEQUENCE, der(OID, b"\x55\x1d\x11"), YES, YES, der(OCTET_STRING, b"w"))
    for wrong in (der(SEQUENCE, one, one), der(SEQUENCE, one, more, one), der(SEQUENCE, four)):
        with pytest.raises(NotAuthentic, match="none, or stands twice"):
            certificate._extensions(wrong)


@pytest.mark.parametrize(
    ("moment", "tag", "text"),
    [(2524607999, UTC_TIME, b"491231235959Z"), (2524608000, GENERALIZED_TIME, b"20500101000000Z"), (0, UTC_TIME, b"700101000000Z")],
)  # fmt: skip
def test_times_from_2050_on_have_four_digits_of_the_year(moment: int, tag: int, text: bytes) -> None:
    assert der_time(moment) == der(tag, text)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_validity_has_two_times(count: int) -> None:
    assert len(certificate._two(2 * der_time(0))) == 2
    with pytest.raises(NotAuthentic, match="not two times"):
        certificate._two(count * der_time(0))


@pytest.mark.parametrize(("place", "name"), [(0, "certificate 0"), (1, "certificate 1")])
def test_a_certificate_is_valid_from_its_first_second_to_its_last(place: int, name: str) -> None:
    leaf, intermediate, root = chain_read()
    path = [leaf, intermediate]
    for since, until, valid in ((NOW, NOW, True), (NOW + 1, NOW + 1, False), (NOW - 1, NOW - 1, False)):
        path[place] = (leaf, intermediate)[place]._replace(since=since, until=until)
        assert path_problem(p256(), path, root, NOW, HOST) == ("" if valid else f"{name} is not valid at this time")


def test_what_is_asked_of_an_issuer() -> None:
    leaf, intermediate, root = chain_read()

    def said(**changes: object) -> str:
        return path_problem(p256(), [leaf, intermediate._replace(**changes)], root, NOW, HOST)  # type: ignore[arg-type]

    assert said() == "" and said(version=1) == "an issuer is no CA (6.1.4 k)"
    for length, problem in ((0, ""), (1, ""), (-1, "the path is too long (6.1.4 m)")):
        value = der(SEQUENCE, YES, der(INTEGER, length.to_bytes(1, "big", signed=True)))
        assert said(extensions={BASIC_CONSTRAINTS: (True, value)}) == problem
    assert said(extensions={}) == "an issuer is no CA (6.1.4 k)"
    for oid in (*PROCESSED, "551d1e"):
        found = said(extensions={**intermediate.extensions, oid: (True, intermediate.extensions.get(oid, (0, b""))[1])})
        assert (found == "certificate 1 has a critical extension that is not known") == (oid == "551d1e"), oid
    assert path_problem(p256(), [leaf, intermediate], root, NOW, None) == ""
    assert path_problem(p256(), [leaf, intermediate], root, NOW, f"no.{HOST}") == "another host"


def test_a_certificate_without_extensions_is_read() -> None:
    """Its last element is then the key, which is none of them."""
    tbs, algorithm, value = elements(next(elements(chain(p256())[0])).body)
    *inside, extensions = elements(tbs.body)
    assert extensions.tag == EXTENSIONS_TAG

    def again(parts: list[bytes], *more: bytes) -> bytes:
        return der(SEQUENCE, der(SEQUENCE, *parts), *(more or (algorithm.whole, value.whole)))

    bare = [one.whole for one in inside]
    assert read(again(bare)).extensions == {} and len(read(again([*bare, extensions.whole])).extensions) > 3
    for parts in (bare[:-1], [*bare, bare[-1]], [*bare, extensions.whole, extensions.whole], bare[1:]):
        with pytest.raises(NotAuthentic, match=r"4\.1\.2\.8"):
            read(again(parts))
    other = der(SEQUENCE, der(OID, b"\x2a"))
    for more in ((other, value.whole), (algorithm.whole, der(BIT_STRING, b"\1" + value.body[1:])), (algorithm.whole, der(BIT_STRING))):  # fmt: skip
        with pytest.raises(NotAuthentic, match="two algorithms"):
            read(again(bare, *more))
