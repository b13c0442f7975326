# SPDX-License-Identifier: Apache-2.0
"""Ids that parse back to what they were, units that a person reads, errors with their exit code and a hint."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cipherstone.model.errors import (
    BuildError,
    CipherstoneError,
    DataError,
    ExitCode,
    StoreError,
    UsageError,
    WorkerError,
    nearest,
)
from cipherstone.model.ids import Case, Lane, is_lane_id, params_text, parse_params
from cipherstone.model.units import format_rate, format_size, format_time, significant

NAMES = st.from_regex(r"[a-z0-9][a-z0-9.+_-]{0,8}", fullmatch=True)
VERSIONS = st.from_regex(r"[0-9][0-9A-Za-z.+_~-]{0,8}", fullmatch=True)


PARAMS = st.dictionaries(
    st.from_regex(r"[a-z][a-z0-9_-]{0,6}", fullmatch=True).filter(lambda name: name != "bytes"),
    st.from_regex(r"[A-Za-z0-9.+_-]{1,8}", fullmatch=True),
    max_size=4,
).map(lambda found: tuple(found.items()))


@given(NAMES, NAMES, st.none() | st.integers(0, 1 << 40), PARAMS)
def test_a_case_comes_back_from_its_id(
    algorithm: str, verb: str, size: int | None, params: tuple[tuple[str, str], ...]
) -> None:
    case = Case(algorithm, verb, size, params)
    assert Case.parse(case.id) == case and Case.parse(case.operation) == Case(algorithm, verb, None, params)
    assert case.listed == f"{algorithm}/{verb}" and parse_params(params_text(params)) == params
    assert all(case.param(name) == value for name, value in params) and case.param("no-such") is None


def test_ids_of_cases_as_they_are_written() -> None:
    assert Case("shake-128", "hash", 16384, (("out", "1024"),)).id == "shake-128/hash/bytes=16384,out=1024"
    assert Case.parse("shake-128/hash/bytes=16384,out=1024").operation == "shake-128/hash/out=1024"
    assert Case.parse("rsa-2048/sign/padding=pss,hash=sha-256").params == (("padding", "pss"), ("hash", "sha-256"))
    assert Case.parse("argon2id/derive/memory=64MiB,passes=3,lanes=4").param("memory") == "64MiB"


@given(NAMES, VERSIONS, NAMES, st.booleans())
def test_a_lane_comes_back_from_its_id(library: str, build: str, implementation: str, twin: bool) -> None:
    lane = Lane(library, build, implementation, twin)
    assert is_lane_id(lane.id) and Lane.parse(lane.id) == lane


@pytest.mark.parametrize(
    "text",
    [
        "",
        "sha-256",
        "sha-256/",
        "/hash",
        "sha-256/hash/",
        "sha-256/hash/out",
        "sha-256/hash/out=",
        "sha-256/hash/=1",
        "sha-256/hash/out=1,",
        "sha-256/hash/out=1,out=2",
        "sha-256/hash/out=1,bytes=2",
        "sha-256/hash/bytes=1,bytes=2",
        "sha-256/hash/out=a b",
        "sha-256/hash/Out=1",
        "sha-256/hash/bytes=1000000000000000",
        "SHA-256/hash",
        "sha-256/hash/16",
        "sha-256/hash/bytes=",
        "sha-256/hash/bytes=-1",
        "sha-256/hash/bytes=1/x=2",
        "a b/hash",
    ],
)
def test_what_is_no_case(text: str) -> None:
    with pytest.raises(UsageError):
        Case.parse(text)


@pytest.mark.parametrize("text", ["", "openssl", "openssl@", "@3.0", "Open SSL@3.0"])
def test_what_is_no_lane(text: str) -> None:
    with pytest.raises(UsageError):
        Lane.parse(text)
    assert not is_lane_id(text)


@pytest.mark.parametrize("text", ["a@1.0 beta", "a@1.0\n", "a@1:x:y", "a@1#3", "../a@1", "a@1:two words", "a@-1"])
def test_names_that_would_break_tables_and_requests(text: str) -> None:
    assert not is_lane_id(text)


def test_labels_for_people() -> None:
    assert Lane("bearssl", "0.6", "aes_ct64").label == "bearssl:aes_ct64"
    assert Lane("openssl", "3.0", twin=True).label == "openssl (again)"


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (16, "16 B"),
        (1024, "1 KiB"),
        (1350, "1350 B"),
        (16384, "16 KiB"),
        (1 << 20, "1 MiB"),
        ((1 << 20) + 1024, "1025 KiB"),
    ],
)
def test_sizes_are_exact(size: int, text: str) -> None:
    assert format_size(size) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.012345, "0.0123"),
        (1.2345, "1.23"),
        (12.345, "12.3"),
        (123.45, "123"),
        (12345.0, "12300"),
        (0.0, "0"),
        (999.9, "1000"),
        (-1.2345, "-1.23"),
    ],
)
def test_three_digits_that_mean_something(value: float, text: str) -> None:
    assert significant(value) == text


def test_rates_and_times_in_powers_of_ten() -> None:
    assert format_rate(1000.0, 16384) == "16.4 GB/s"
    assert format_rate(1000.0, 512) == "512 MB/s"
    assert format_rate(24390.0, None) == "41.0 k/s"
    assert [format_time(ns) for ns in (62.8, 4100.0, 1.2e6, 3.4e9)] == ["62.8 ns", "4.10 µs", "1.20 ms", "3.40 s"]


def test_each_error_knows_its_exit_code() -> None:
    assert CipherstoneError("x").exit_code is ExitCode.FAILURE
    assert UsageError("x").exit_code is ExitCode.USAGE
    assert {
        error.exit_code for error in (DataError("x"), StoreError("x"), BuildError("x"), WorkerError("crashed", "x"))
    } == {ExitCode.FAILURE}
    assert [int(code) for code in ExitCode] == [0, 1, 2, 3, 4, 130]


def test_the_nearest_name() -> None:
    assert nearest("opensl", ["openssl", "botan"]) == "did you mean 'openssl'?"
    assert nearest("zzz", ["openssl", "botan"]) == "known: botan, openssl"
    assert nearest("zzz", [f"name{n:02}" for n in range(20)]).endswith(", ...")
    assert nearest("x", []) == "none is known here"
